"""The command ``latrones-uci puzzles``: mine puzzles in games, or in games of an engine against itself."""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, load_variants, start_of
from latrones_uci.commands.arguments import LongWork, parse_natural, parse_option_word, parse_positive, parse_seed
from latrones_uci.commands.suite import engine_command
from latrones_uci.game import Game, Position, Ruleset
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.pgn_games import read_pgn
from latrones_uci.records.pgn_read import PgnError
from latrones_uci.records.pgn_verify import LeftOut
from latrones_uci.records.store import Store
from latrones_uci.records.suite import SuitePosition, render_suite_position
from latrones_uci.studies.puzzles import Miner, MiningSettings, Solver, chosen, named, self_play
from latrones_uci.text.files import is_database, write_whole
from latrones_uci.text.messages import counted, quoted, reason

_COUNT, _GAMES, _POOL = 60, 200, 3
_HASH_MEGABYTES = 2  # emptied before each search, which is short

_DESCRIPTION = """\
Mine puzzles: positions with one clearly best line of several moves, from PGN files, databases of matches, or games of
the engine against itself. The output is a suite, which 'latrones-uci suite' reads; a line is

  FEN; bm MOVE; dm N; id "NAME"; variant NAME; theme THEME [THEME ...]; rating N; line MOVE [MOVE ...]

A position is a puzzle if the best move is better than the second-best by --margin in the searches with the second and
the third number of --nodes; the line goes on while that holds, with the best replies. The rating is that of a player
who finds the line half of the time, from tries of the engine's levels. Of the puzzles found, --count are written, easy
ones first, spread over ratings and themes; also after an interruption. The searches use endgame tables, with
--option TablePath=FOLDER those of a folder.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    usual = MiningSettings()
    add("files", metavar="FILE", nargs="*", help="PGN file, or database of a match")
    add("--self-play", action="store_true", help="mine games of the engine against itself")
    add("--games", type=parse_positive, metavar="N", default=_GAMES,
        help=f"number of games of self-play (default: {_GAMES})")
    add("--variant", metavar="NAME[:BOARD]", default="latrones", help="variant (default: latrones)")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    add("--count", type=parse_positive, metavar="N", default=_COUNT, help=f"number of puzzles (default: {_COUNT})")
    add("--nodes", metavar="N,N,N", default=",".join(map(str, usual.nodes)),
        help="nodes of the searches that find, test and verify (default: %(default)s)")
    add("--margin", type=parse_positive, metavar="CENTI", default=usual.margin,
        help="least difference to the second-best move, in centi-soldiers (default: %(default)s)")
    add("--moves", type=parse_positive, metavar="N", default=usual.least_moves,
        help="least number of solver's moves, except for wins in one (default: %(default)s)")
    add("--seed", type=parse_seed, metavar="N", default=0, help="random seed of self-play (default: 0)")
    add("--engine", metavar="COMMAND", help="engine command, as one argument (default: latrones-uci)")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="engine option to set; may be repeated")
    add("--output", metavar="FILE.suite", help="file to write (default: standard output)")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status: 1 if no puzzle was found."""
    if bool(options.files) == options.self_play:
        raise SettingsError("expected files with games, or --self-play" if not options.files
                            else f"--self-play: cannot be combined with {quoted(options.files[0])}")
    variant = VariantSettings.from_text(options.variant)
    if variant.board and options.board and variant.board != options.board:
        raise SettingsError(f"--board {quoted(options.board)}: --variant {quoted(options.variant)} has another board")
    start = start_of(variant.name, options.board or variant.board, options.variant_path)
    settings = MiningSettings(_parse_nodes(options.nodes), options.margin, least_moves=options.moves)
    found = list[SuitePosition]()
    with ExitStack() as stack, LongWork() as shown:
        engine = stack.enter_context(_engine(options))
        miner, solver = Miner(engine, settings), Solver.of(engine, start)
        games = (islice(self_play(engine, start, options.seed, settings), options.games) if options.self_play
                 else _recorded(options.files, start, load_variants(options.variant_path), shown))
        number = 0
        try:
            for number, game in enumerate(games, start=1):
                for puzzle in miner.mine(game):
                    found.append(puzzle if solver is None else solver.rated(puzzle))
                    shown(f"{counted(number, 'game')}, {counted(len(found), 'puzzle')}")
                if len(found) >= _POOL * options.count:
                    break
        finally:  # also after an interruption
            shown.clear()
            if found:
                puzzles = named(chosen(found, options.count))
                _print_counts(number, miner, len(found), len(puzzles))
                _write(options.output, [*_header(options, start, engine.name), *map(render_suite_position, puzzles)])
    if not found:
        _print_counts(number, miner, 0, 0)
    return int(not found)


def _print_counts(games: int, miner: Miner, found: int, written: int) -> None:
    dropped = ", ".join(f"{count} {why}" for why, count in miner.dropped.most_common())
    print(f"{counted(games, 'game')}, {counted(miner.looked_at, 'position')}, {counted(found, 'puzzle')} found,"
          f" {written} written; dropped: {dropped or 'none'}", file=sys.stderr)


def _write(output: str | None, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(Path(output), text)


def _header(options: argparse.Namespace, start: Position, engine: str) -> list[str]:
    words = [*options.files, *["--self-play", "--games", str(options.games)] * options.self_play]
    words += ["--variant", f"{start.ruleset.name}:{start.geometry.name}", "--nodes", options.nodes,
              "--margin", str(options.margin), "--moves", str(options.moves), "--seed", str(options.seed)]
    return [f"# Puzzles of {start.ruleset.name} {start.geometry.name}, easy ones first, mined with {engine}.",
            f"# Made by: latrones-uci puzzles {' '.join(words)} --count {options.count}"]


def _engine(options: argparse.Namespace) -> Engine:
    command = engine_command(options)
    given = tuple(map(parse_option_word, options.option))
    usual = (("Hash", str(_HASH_MEGABYTES)),) if options.engine is None and "hash" not in dict(given) else ()
    return Engine(EngineSettings(command, TimeControl(), options=(*usual, *given)), variant_path=options.variant_path)


def _parse_nodes(text: str) -> tuple[int, int, int]:
    try:
        first, second, third = (parse_natural(word) for word in text.split(","))
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise SettingsError(f"--nodes {quoted(text)}: expected three integers, such as 1000,20000,100000") from error
    if not 0 < first <= second < third:
        raise SettingsError(f"--nodes {quoted(text)}: expected three rising numbers, such as 1000,20000,100000")
    return first, second, third


def _recorded(
    files: list[str], start: Position, variants: Mapping[str, Ruleset], shown: LongWork
) -> Iterator[Game]:
    """Yield the games of files that are of the variant and board of ``start``; bad ones are left out with a line."""
    with LeftOut(shown.warn) as left_out:
        for path in files:
            try:
                for game in _games_of(path, variants, left_out.of(path)):
                    if (game.start.ruleset, game.start.geometry.name) == (start.ruleset, start.geometry.name):
                        yield game
            except PgnError as error:
                raise SettingsError(f"{path}: {error}") from error
            except OSError as error:
                raise SettingsError(f"cannot read {quoted(path)}: {reason(error)}") from error


def _games_of(
    path: str, variants: Mapping[str, Ruleset], on_error: Callable[[PgnError], None]
) -> Iterator[Game]:
    if not is_database(path):
        yield from (annotated.game for annotated in read_pgn(path, variants, on_error))
        return
    with Store(Path(path), writing=False) as store:
        for record in stored_games(store, stored_settings(store)):
            game = Game(record.game.start)
            for ply in record.game.plies:
                game.push(ply.text)
            yield game
