"""The command ``latrones-uci analyse``: annotate PGN games with scores and best lines."""

import argparse
import contextlib
import os
import sys
from itertools import islice

from latrones_uci.analysis.annotation import MARKS, MOST_CENTI, analyse_game, render_analysis
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import run_tool
from latrones_uci.commands.engine_arguments import add_engine_arguments, make_engine
from latrones_uci.game import quoted, reason
from latrones_uci.records.pgn_read import PgnError, PgnGame, read_file
from latrones_uci.records.pgn_verify import DisagreementError, verify_game

MOST_GAMES = 10_000  # per file: all games are read and verified before the first one is analysed
_DESCRIPTION = f"""\
Search every position of the games in a PGN file, and write the games with a comment on each move:

  {{+0.35/6 0.101s n=12345; best d1d5 pv d1d5 e8e4}}

score in soldiers for the player who moves (+M3: a forced win in 3 turns), depth, time, nodes, and the engine's
best move and line. A move is marked by its loss against the best move, according to the searches before and after
it; scores beyond {MOST_CENTI / 100:g} soldiers and forced wins count as {MOST_CENTI / 100:g}:

  {", ".join(f"{mark} from {least / 100:.2f}" for least, mark in reversed(MARKS))} ($6, $2, $4)

Tags are kept; comments and marks in the file are replaced. The games must have the tags Variant and FEN and pass
'latrones-uci verify'.
"""


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    return run_tool(program, lambda: _analyse(options))


def _analyse(options: argparse.Namespace) -> int:
    variants = load_variants(options.variant_path)
    engine, limit = make_engine(options)
    recorded = _read(options.file)
    if options.output and os.path.exists(options.output) and os.path.samefile(options.output, options.file):
        raise SettingsError(f"--output {quoted(options.output)}: same file as the input")
    try:
        games = [verify_game(game, variants) for game in recorded]
    except DisagreementError as error:
        raise SettingsError(f"{options.file}: {error}") from error
    with contextlib.ExitStack() as stack:
        stack.enter_context(engine)
        output = sys.stdout
        if options.output:
            output = stack.enter_context(open(options.output, "w", encoding="utf-8", newline="\n"))
        for number, (tags, game) in enumerate(zip(recorded, games, strict=True), start=1):
            moves = analyse_game(game, engine, limit)
            output.write(render_analysis(tags.tags, moves, tags.result, engine.name))
            output.flush()
            if options.output:
                marks = [move.mark for move in moves if move.mark]
                print(f"game {number}/{len(games)}: {len(moves)} plies, {len(marks)} marked", flush=True)
    return 0


def _read(path: str) -> list[PgnGame]:
    try:
        games = list(islice(read_file(path), MOST_GAMES + 1))
    except PgnError as error:
        raise SettingsError(f"{path}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {quoted(path)}: {reason(error)}") from error
    if len(games) > MOST_GAMES:
        raise SettingsError(f"{path}: more than {MOST_GAMES} games")
    return games


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    parser.add_argument("file", metavar="FILE.pgn", help="PGN file with the games")
    parser.add_argument("--output", metavar="FILE", help="output file (default: standard output)")
    add_engine_arguments(parser, default_st="0.5")
