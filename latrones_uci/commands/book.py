"""The command ``latrones-uci book``: make a book of balanced openings."""

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantSettings, read_variant_file, start_position
from latrones_uci.commands.arguments import parse_natural, parse_positive, parse_seed
from latrones_uci.game import counted
from latrones_uci.match.book_file import BookRecipe, make_book, render_book_pgn
from latrones_uci.match.files import check_writable, write_whole
from latrones_uci.match.screen import parse_screen

_COUNT, _PLIES, _MAX_PLIES = 500, 6, 1000
_NODES, _MAX_CENTI = 20_000, 50

_DESCRIPTION = """\
Make a book of balanced openings for a variant and board: positions after random moves, distinct up to rotation,
reflection and exchange of colours, that an engine has searched without finding a forced win or a large advantage.

The same arguments make the same book if the engine's limit is nodes or a depth. Rerun the command to resume, also with
a larger --count. The book ends early if 1000 attempts in a row find no new opening.

example:
  latrones-uci book --variant bell --output bell.fen --pgn bell.pgn
  latrones-uci match --variant bell --openings bell.fen ...
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("--variant", metavar="NAME[:BOARD]", default="latrones", help="variant (default: latrones)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")
    add("--count", type=parse_positive, metavar="N", default=_COUNT, help=f"number of openings (default: {_COUNT})")
    add("--plies", type=parse_natural, metavar="N", default=_PLIES, help=f"random plies (default: {_PLIES})")
    add("--seed", type=parse_seed, metavar="N", default=0, help="random seed (default: 0)")
    add("--screen-engine", nargs="+", metavar=("COMMAND", "KEY=VALUE"), help="engine that tests the positions, with its"
        " search limit and the largest accepted score in centi-soldiers"
        f" (default: latrones-uci nodes={_NODES} score={_MAX_CENTI})")  # fmt: skip
    add("--output", metavar="FILE.fen", help="file with a FEN on each line (default: NAME-BOARD.fen)")
    add("--pgn", metavar="FILE.pgn", help="write the moves of the openings as PGN, too")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    recipe = _recipe(options)
    start = start_position(recipe.variant, recipe.variant_file)
    where = f"{start.ruleset.name}-{start.geometry.name}"
    output, pgn = Path(options.output or f"{where}.fen"), options.pgn and Path(options.pgn)
    if output.suffix == ".pgn":
        raise SettingsError(f"--output '{output}' has a FEN on each line; expected --pgn '{output}' for PGN")
    for path in filter(None, (output, pgn)):
        check_writable(path)
    book = make_book(recipe, options.count, output, _progress(options.count))
    if pgn:
        write_whole(pgn, render_book_pgn(book.openings, start))
    plies = counted(recipe.plies, "random ply", "random plies")
    print(f"{where}: {counted(len(book.openings), 'opening')} after {plies},"
          f" {counted(book.tested, 'position')} searched in this run")  # fmt: skip
    if not book.complete:
        print(f"no other found in 1000 attempts ({options.count} requested); use more --plies, or a larger score=")
    for what, path in (("Openings", output), ("PGN", pgn)):
        if path:
            print(f"{what}: {path.resolve()}")
    return 0


def _recipe(options: argparse.Namespace) -> BookRecipe:
    variant = VariantSettings.from_text(options.variant)
    if options.board is not None:
        if variant.board:
            raise SettingsError(f"'--board {options.board}' cannot be combined with '--variant {options.variant}'")
        variant = replace(variant, board=options.board)
    if options.plies > _MAX_PLIES:
        raise SettingsError(f"--plies {options.plies}: expected at most {_MAX_PLIES}")
    file = None if options.variant_path is None else read_variant_file(options.variant_path)
    board = start_position(variant, file).geometry.name
    screen = parse_screen(options.screen_engine or [shlex.join(OWN_ENGINE)], _MAX_CENTI)
    return BookRecipe(replace(variant, board=board), options.plies, options.seed, screen, file)


def _progress(count: int) -> Callable[[int, int], None]:
    def report(found: int, tested: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if found == count else ""
            print(f"\r{found}/{count} openings, {tested} positions searched", end=end, file=sys.stderr, flush=True)

    return report
