"""The command ``latrones-uci book``: make a book of openings with scores in a range, as a file of FEN lines and as PGN.

The file has a header with the command that makes it. Each opening is appended when it is found, so that the same
command resumes an interrupted book, or extends one if it asks for more openings.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file, start_position
from latrones_uci.commands.arguments import parse_natural, parse_positive, parse_seed
from latrones_uci.game import Position
from latrones_uci.match.openings import NoOpeningError, Opening, RandomOpenings, opening_sequence
from latrones_uci.match.screen import OpeningScreen
from latrones_uci.records.pgn_read import PgnMove
from latrones_uci.records.pgn_write import render_pgn
from latrones_uci.records.settings import ScreenSettings, parse_screen
from latrones_uci.text.command import join_command
from latrones_uci.text.files import check_writable, open_text, read_text_file, write_whole
from latrones_uci.text.messages import counted, quoted, reason

_MADE_BY = "# Made by: "
_SCREENED_BY = "# Screened by: "
_COUNT_OPTION = " --count "


@dataclass(frozen=True)
class BookRecipe:
    """What determines the openings of a book, apart from their number."""

    variant: VariantSettings
    """The variant; its board is given."""
    plies: int
    """Number of random plies."""
    seed: int
    """Random seed."""
    screen: ScreenSettings
    """The engine that tests the positions."""
    variant_file: VariantFile | None = None
    """The variant file, None for none."""

    def command(self) -> str:
        """Return the command that makes the book, without the number of openings."""
        words = ["latrones-uci", "book", "--variant", self.variant.to_text()]
        if self.variant_file is not None:
            words += ["--variant-path", self.variant_file.path]
        words += ["--plies", str(self.plies), "--seed", str(self.seed)]
        return join_command([*words, "--screen-engine", *_screen_words(self.screen)])


def _screen_words(screen: ScreenSettings) -> list[str]:
    engine: EngineSettings = screen.engine
    own = engine.command == OWN_ENGINE
    options = [f"option.{name}={value}" for name, value in engine.options]
    names = [f"variant.{name}={its_name}" for name, its_name in engine.variant_names]
    names += [f"env.{name}={value}" for name, value in engine.environment]
    files = [] if engine.variant_path is None else [f"variant_path={engine.variant_path}"]
    protocol = [f"protocol={engine.protocol}"] * (engine.protocol != EngineSettings.protocol)
    return ["latrones-uci" if own else join_command(engine.command), *engine.control.to_text().split(),
            screen.score_word, *protocol, *files, *names, *options]


@dataclass(frozen=True)
class Book:
    openings: tuple[Opening, ...]
    """The openings."""
    tested: int
    """The number of positions that the engine has searched in this run."""
    complete: bool
    """Whether there are as many as asked for; if not, no other was found in 1000 attempts."""


def make_book(recipe: BookRecipe, count: int, path: Path, report: Callable[[int, int], None]) -> Book:
    """Write a book of FEN lines, or the rest of one that the same recipe has begun.

    ``report`` is called before each search and after each opening, with the number of openings and of searches.

    Raises:
        SettingsError: the file is another book, or has more openings; or no opening was found.
        ScreenError: the engine failed; the openings found are in the file.
        OSError: the file cannot be written.
    """
    start = start_position(recipe.variant, recipe.variant_file)
    variant_path = None if recipe.variant_file is None else recipe.variant_file.local_path()
    found: list[Opening] = []
    tested = 0
    with OpeningScreen(recipe.screen, start, variant_path, Timeouts(), lambda: False) as screen:

        def accepts(position: Position) -> bool:
            nonlocal tested
            tested += 1
            report(len(found), tested)
            return screen.accepts(position)

        header = _header(recipe, start, screen.id_name)
        known = _known(path, recipe, header, start, count)
        write_whole(path, _render([*header, _count_line(recipe, count)], known))
        try:
            for opening in opening_sequence(start, RandomOpenings(recipe.plies), recipe.seed, accepts, known):
                found.append(opening)
                if len(found) > len(known):
                    _append(path, opening)
                report(len(found), tested)
                if len(found) == count:
                    break
        except NoOpeningError as error:
            raise SettingsError(f"{error}: {screen.rejections()}; expected other --plies, or --screen-engine COMMAND"
                                " score=CENTI with scores in the units of that engine") from error
    complete = len(found) == count
    end = [] if complete else [f"# No other was found in 1000 attempts: {len(found)} of {count} openings."]
    write_whole(path, _render([*header, _count_line(recipe, count), *end], found))
    return Book(tuple(found), tested, complete)


def _header(recipe: BookRecipe, start: Position, engine: str) -> list[str]:
    where = f"{start.ruleset.name} {start.geometry.name}"
    screen = recipe.screen
    score = f"of {screen.least_centi} to {screen.most_centi} for one side" if screen.least_centi else "near 0"
    return [
        f"# Openings of {where}, one FEN a line: positions after {recipe.plies} random plies, distinct up to rotation,",
        f"# reflection and exchange of colours, without a forced win and with a score {score}.",
        f"{_SCREENED_BY}{engine}",
    ]


def _count_line(recipe: BookRecipe, count: int) -> str:
    return f"{_MADE_BY}{recipe.command()}{_COUNT_OPTION}{count}"


def _render(header: Sequence[str], openings: Sequence[Opening]) -> str:
    return "".join(f"{line}\n" for line in [*header, *(opening.position.fen() for opening in openings)])


def _append(path: Path, opening: Opening) -> None:
    try:
        with open_text(path, append=True) as file:
            file.write(f"{opening.position.fen()}\n")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _known(path: Path, recipe: BookRecipe, header: Sequence[str], start: Position, count: int) -> list[Opening]:
    """Return the openings that the file has already.

    Raises:
        SettingsError: the file is not a book of the same recipe, or has more than ``count`` openings.
    """
    if not path.exists():
        return []
    try:
        lines = read_text_file(path).splitlines(keepends=True)
    except (OSError, ValueError) as error:
        raise SettingsError(f"cannot read the book {quoted(str(path))}: {reason(error)}") from error
    comments = [line.rstrip("\n") for line in lines if line.startswith("#")]
    made = [line for line in comments if line.startswith(_MADE_BY)]
    if len(made) != 1:
        raise SettingsError(f"{quoted(str(path))} exists and is no book of this command; expected another --output")
    made_by = f"{_MADE_BY}{recipe.command()}"
    for expected, line in [(made_by, made[0].rpartition(_COUNT_OPTION)[0]), *zip(header, comments, strict=False)]:
        if line != expected:
            raise SettingsError(f"{quoted(str(path))} is another book, with the line '{line}'; expected '{expected}',"
                                " or another --output")
    # A line without its end was being written when the program was stopped.
    fens = [line.strip() for line in lines if line.endswith("\n") and not line.startswith("#")]
    if len(fens) > count:
        raise SettingsError(f"{quoted(str(path))} has {len(fens)} openings; expected --count {len(fens)} or more")
    return [Opening(Position.from_fen(start.ruleset, fen)) for fen in fens]


def render_book_pgn(openings: Sequence[Opening], start: Position) -> str:
    """Render openings as PGN: one unfinished game each, from the start position."""
    games = []
    for number, opening in enumerate(openings, start=1):
        tags = {"Event": "latrones-uci book", "Site": "?", "Date": "????.??.??", "Round": str(number), "White": "?",
                "Black": "?", "Result": "*", "Variant": start.ruleset.name, "SetUp": "1", "FEN": start.fen(),
                "PlyCount": str(len(opening.moves or ()))}
        games.append(render_pgn(tags, _written(opening.moves or (), start), "*"))
    return "".join(games)


def _written(texts: Sequence[str], position: Position) -> Iterator[PgnMove]:
    for text in texts:
        yield PgnMove(text, side=position.side, movenumber=position.movenumber)
        position = position.play(position.parse_move(text))


# ---------------------------------------------------------------- the command

_COUNT, _PLIES, _MAX_PLIES = 500, 6, 1000
_NODES, _MAX_CENTI = 20_000, 50

_DESCRIPTION = """\
Make a book of openings for a variant and board: positions after random moves, distinct up to rotation, reflection and
exchange of colours, that an engine has searched without finding a forced win, with a score in a range: score=50 for a
book of balanced openings, score=200..300 for one in which one side, White or Black, has that advantage.

The same arguments make the same book if the engine's limit is nodes or a depth. Rerun the command to resume, also with
a larger --count. The book ends early if 1000 attempts in a row find no new opening.

example:
  latrones-uci book --variant bell --output bell.fen --pgn bell.pgn
  latrones-uci match --variant bell --openings bell.fen ...
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("--variant", metavar="NAME[:BOARD]", default="latrones", help="variant (default: latrones)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")
    add("--count", type=parse_positive, metavar="N", default=_COUNT, help=f"number of openings (default: {_COUNT})")
    add("--plies", type=parse_natural, metavar="N", default=_PLIES, help=f"random plies (default: {_PLIES})")
    add("--seed", type=parse_seed, metavar="N", default=0, help="random seed (default: 0)")
    add("--screen-engine", nargs="+", metavar=("COMMAND", "KEY=VALUE"), help="engine that tests the positions, with its"
        " search limit and the largest accepted score in centi-soldiers, or a range such as score=200..300"
        f" (default: latrones-uci nodes={_NODES} score={_MAX_CENTI})")
    add("--output", metavar="FILE.fen", help="file with a FEN on each line (default: NAME-BOARD.fen)")
    add("--pgn", metavar="FILE.pgn", help="write the moves of the openings as PGN, too")


def run(options: argparse.Namespace, program: str) -> int:
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
          f" {counted(book.tested, 'position')} searched in this run")
    if not book.complete:
        print(f"no other found in 1000 attempts ({options.count} requested); use more --plies, or a wider score=")
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
    screen = parse_screen(options.screen_engine or [join_command(OWN_ENGINE)], _MAX_CENTI)
    return BookRecipe(replace(variant, board=board), options.plies, options.seed, screen, file)


def _progress(count: int) -> Callable[[int, int], None]:
    def report(found: int, tested: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if found == count else ""
            print(f"\r{found}/{count} openings, {tested} positions searched", end=end, file=sys.stderr, flush=True)

    return report
