"""The command ``latrones-uci analyse``: annotate PGN games with scores and best lines."""

import argparse
import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import IO

from latrones_uci.client.engine import Engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import Limit
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import LongWork
from latrones_uci.commands.suite import add_engine_arguments, make_engine
from latrones_uci.game import Game, Ruleset
from latrones_uci.records.annotation import MARKS, MAX_CENTI, analyse_game, render_analysis
from latrones_uci.records.pgn_read import PgnError, PgnGame, read_file
from latrones_uci.records.pgn_verify import LeftOut, verified_games
from latrones_uci.text.files import open_text
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.web.match.review_page import ReviewedGame, render_review_page

MAX_GAMES = 10_000  # per file: all games are read and verified before the first one is analysed
MAX_HTML_GAMES = 200  # on one page
_DESCRIPTION = f"""\
Search every position of the games in a PGN file, and write the games with a comment on each move:

  {{[%eval -2.88,8] best d1d5 +0.43/9 0.101s n=12345 pv d1d5 e8e4}}

the evaluation after the move in soldiers, from White's point of view (#-3: Black wins by force in 3 turns), and its
depth; then the engine's best move instead, with its score for the player who moves, depth, time, nodes and line. A
move is marked by its loss, the difference of the two evaluations; scores
beyond {MAX_CENTI / 100:g} soldiers and forced wins count as {MAX_CENTI / 100:g}:

  {", ".join(f"{mark} from {least / 100:.2f}" for least, mark in reversed(MARKS))} ($6, $2, $4)

--html writes the same as a page that loads nothing: the graph of the evaluation, the accuracy of each side, the
marked moves with boards and best moves, and a replay. Without --output, it is the only output.

Tags are kept; comments and marks in the file are replaced, and variations left out. Games that do not pass
'latrones-uci verify', or have no tag Variant, are left out with a line on stderr.
"""


def run(options: argparse.Namespace, program: str) -> int:
    variants = load_variants(options.variant_path)
    engine, limit = make_engine(options)
    games = _read(options.file, variants)
    if options.output and os.path.exists(options.output) and os.path.samefile(options.output, options.file):
        raise SettingsError(f"--output {quoted(options.output)}: same file as the input")
    if options.html is not None:
        _check_html(options, len(games))
    reviewed: list[ReviewedGame] = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(engine)
        page = _opened(stack, options.html)
        output = _opened(stack, options.output) or (None if page else sys.stdout)
        if page is not None:
            stack.callback(_write_page, page, reviewed, engine, limit)  # also after an interruption
        for number, (tags, game) in enumerate(games, start=1):
            moves = analyse_game(game, engine, limit)
            if output is not None:
                output.write(render_analysis(tags.tags, moves, tags.result, engine.name))
                output.flush()
            if page is not None:
                reviewed.append(ReviewedGame(tags.tags, tags.result, game, moves))
            if output is not sys.stdout:
                marks = [move.mark for move in moves if move.mark]
                plies = counted(len(moves), "ply", "plies")
                print(f"game {number}/{len(games)}: {plies}, {len(marks)} marked", flush=True)
    return 0


def _write_page(page: IO[str], reviewed: Sequence[ReviewedGame], engine: Engine, limit: Limit) -> None:
    if reviewed:
        page.write(render_review_page(reviewed, engine.name, _limit_words(limit)))


def _limit_words(limit: Limit) -> str:
    named = ((limit.time, "{:g} s"), (limit.depth, "depth {}"), (limit.nodes, "{} nodes"))
    return ", ".join(words.format(value) for value, words in named if value is not None)


def _opened(stack: contextlib.ExitStack, path: str | None) -> IO[str] | None:
    return None if path is None else stack.enter_context(open_text(path))


def _check_html(options: argparse.Namespace, games: int) -> None:
    for name, other in (("the input", options.file), ("--output", options.output)):
        same = other is not None and os.path.realpath(other) == os.path.realpath(options.html)
        if same or (other and os.path.exists(other) and os.path.exists(options.html)
                    and os.path.samefile(options.html, other)):
            raise SettingsError(f"--html {quoted(options.html)}: same file as {name}")
    if games > MAX_HTML_GAMES:
        raise SettingsError(f"--html: {options.file} has {games} games; expected at most {MAX_HTML_GAMES}")


def _read(path: str, variants: Mapping[str, Ruleset]) -> list[tuple[PgnGame, Game]]:
    """Return the games of a file; bad ones are left out with a line on stderr."""
    recorded: list[PgnGame | PgnError] = []
    games: list[tuple[PgnGame, Game]] = []
    lines: list[str] = []
    try:
        with LongWork() as shown, LeftOut(lines.append) as left_out:
            for each in islice(read_file(path), MAX_GAMES + 1):
                recorded.append(each)
                shown(f"{path}: {counted(len(recorded), 'game')}")
            if len(recorded) > MAX_GAMES:
                raise SettingsError(f"{path}: more than {MAX_GAMES} games")
            for game in verified_games(recorded, variants, left_out.of(path)):
                games.append(game)
                shown(f"{path}: {len(games)} of {counted(len(recorded), 'game')} verified")
    except PgnError as error:
        raise SettingsError(f"{path}: {error}") from error
    except OSError as error:
        raise SettingsError(f"cannot read {quoted(path)}: {reason(error)}") from error
    if not games:
        first = lines[0].removesuffix("; left out") if lines else f"{path}: no games; expected at least one"
        raise SettingsError(first)
    for line in lines:
        print(line, file=sys.stderr)
    return games


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("file", metavar="FILE.pgn", help="PGN file with the games")
    add = parser.add_argument
    add("--output", metavar="FILE", help="output file (default: standard output, or none with --html)")
    add("--html", metavar="FILE", help=f"write the review as an HTML page, for up to {MAX_HTML_GAMES} games")
    add_engine_arguments(parser, default_st="0.5")
