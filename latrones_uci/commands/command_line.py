"""The command line of ``latrones-uci``: options of the engine, and subcommands. ``main`` is the program."""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import (
    UNRECOGNIZED,
    Parser,
    error_text,
    flush_output,
    forget_output,
    on_interrupt,
    raise_interrupt,
    run_tool,
)
from latrones_uci.commands.bench import add_backend
from latrones_uci.commands.early_interrupts import INTERRUPTED, raising_interrupts
from latrones_uci.commands.engine import serve_engine
from latrones_uci.engine.backend import choose
from latrones_uci.game import LatronesError, ludii_variants
from latrones_uci.text.messages import quoted
from latrones_uci.text.streams import prepare_output
from latrones_uci.version import __version__

PROGRAM = "latrones-uci"
MATCH_PROGRAM = "latrones-match"
"""The short name of ``latrones-uci match``."""


class Command(NamedTuple):
    """A subcommand; ``module_of`` returns what it does."""

    help: str
    of_match: bool = False
    """Whether it plays or reads a match; see ``run_tool``."""
    resumable: bool = False
    """Whether it continues its work when it is run again."""


COMMANDS = {
    "match": Command("play a match or a tournament between engines", of_match=True, resumable=True),
    "resume": Command("resume an interrupted match from its database", of_match=True, resumable=True),
    "tune": Command("tune options of an engine by playing", of_match=True, resumable=True),
    "book": Command("make a book of balanced openings", resumable=True),
    "revs": Command("test whether one version of an engine is stronger than another", of_match=True, resumable=True),
    "revs bisect": Command("find the commit that lost strength", of_match=True, resumable=True),
    "revs history": Command("measure the strength of the versions of a history", of_match=True, resumable=True),
    "ratings": Command("rate all engines of databases and PGN files together", of_match=True),
    "sprt": Command("evaluate counted games by a sequential test, and say how long it takes"),
    "report": Command("write a match as an HTML page with tables, charts and replays", of_match=True),
    "watch": Command("show a match in the browser while it runs", of_match=True),
    "pgn": Command("print the games of a match as PGN", of_match=True),
    "verify": Command("check PGN files against the rules", of_match=True),
    "check": Command("test whether an engine follows the protocol"),
    "analyse": Command("annotate PGN games with scores and best lines"),
    "suite": Command("count the test positions that an engine solves"),
    "puzzles": Command("mine puzzles in games"),
    "gui": Command("play and analyse in the browser"),
    "ludii": Command("play in Ludii's player, or run an agent of Ludii as an engine"),
    "variants": Command("list or show variants, or check a variant file"),
    "variants measure": Command("measure the quality of games by self-play", of_match=True, resumable=True),
    "draw": Command("draw a position as SVG"),
    "go": Command("search one position"),
    "analysis": Command("analyse positions for programs, over lines of JSON"),
    "bench": Command("search fixed positions and print the node count and the speed"),
    "perft": Command("count the move sequences of a given length"),
    "tables": Command("make and probe tables of small endings", resumable=True),
    "train": Command("train a net, a learned evaluation, for a game", resumable=True),
}


class CommandModule(Protocol):
    """What the module of a subcommand has."""

    def configure(self, parser: Parser) -> None:
        """Declare the arguments."""

    def run(self, options: argparse.Namespace, program: str) -> int:
        """Run the command and return the exit status."""


def module_of(command: str) -> CommandModule:
    """Import the module of a subcommand: only when it is called, so that the engine starts faster."""
    module: CommandModule
    match command:
        case "match":
            from latrones_uci.commands import match as module
        case "resume":
            from latrones_uci.commands import resume as module
        case "tune":
            from latrones_uci.commands import tune as module
        case "book":
            from latrones_uci.commands import book as module
        case "revs":
            from latrones_uci.commands import revs as module
        case "revs bisect":
            from latrones_uci.commands import revs_bisect as module
        case "revs history":
            from latrones_uci.commands import revs_history as module
        case "ratings":
            from latrones_uci.commands import ratings as module
        case "sprt":
            from latrones_uci.commands import sprt as module
        case "report":
            from latrones_uci.commands import report as module
        case "watch":
            from latrones_uci.commands import watch as module
        case "pgn":
            from latrones_uci.commands import pgn as module
        case "verify":
            from latrones_uci.commands import verify as module
        case "check":
            from latrones_uci.commands import check as module
        case "analyse":
            from latrones_uci.commands import analyse as module
        case "suite":
            from latrones_uci.commands import suite as module
        case "puzzles":
            from latrones_uci.commands import puzzles as module
        case "gui":
            from latrones_uci.commands import gui as module
        case "ludii":
            from latrones_uci.commands import ludii as module
        case "variants":
            from latrones_uci.commands import variants as module
        case "variants measure":
            from latrones_uci.commands import variants_measure as module
        case "draw":
            from latrones_uci.commands import draw as module
        case "go":
            from latrones_uci.commands import go as module
        case "analysis":
            from latrones_uci.commands import analysis as module
        case "bench":
            from latrones_uci.commands import bench as module
        case "perft":
            from latrones_uci.commands import perft as module
        case "tables":
            from latrones_uci.commands import tables as module
        case "train":
            from latrones_uci.commands import train as module
    return module


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Run the command line and return the exit status.

    ``arguments`` are those without the program's name; None for those of the process. For ``MATCH_PROGRAM``, the
    subcommand is ``match`` unless another one is named first.
    """
    words, ends = list(sys.argv[1:] if arguments is None else arguments), arguments is None
    if program == MATCH_PROGRAM and (not words or words[0] not in COMMANDS):
        words = ["match", *words]
    elif program == PROGRAM and words[:1] == ["match"] and words[1:2] and words[1] in COMMANDS:
        words = words[1:]  # 'latrones-uci match report' is 'report'
    prepare_output()
    parser = _engine_parser()
    place = _first_positional(parser, words)
    before, after = words[:place], words[place:]
    length = next((length for length in (2, 1) if " ".join(after[:length]) in COMMANDS), 0)
    if not length:
        return _run_engine(parser, before, after)
    chosen = " ".join(after[:length])
    command, name = COMMANDS[chosen], f"{PROGRAM} {chosen}"
    if (chosen, program) == ("match", MATCH_PROGRAM):
        name = MATCH_PROGRAM

    def work() -> int:
        module, subparser = module_of(chosen), Parser(prog=name, allow_abbrev=False)
        module.configure(subparser)
        _check_before(parser, subparser, before, chosen)
        given = argparse.Namespace(words=words, backend=parser.parse_args(before).backend)
        return module.run(subparser.parse_args(after[length:], given), name)

    try:
        with on_interrupt(raise_interrupt, last=ends):
            try:
                return run_tool(name, work, of_match=command.of_match)
            except (KeyboardInterrupt, RuntimeError) as error:
                # Python before 3.12 raises what interrupts the creation of a class, as in an import, as `RuntimeError`.
                if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
                    raise
    except KeyboardInterrupt:  # before the handlers were ready
        pass
    flush_output(name, wait=False)
    print(f"{name}: interrupted{'; rerun the command to resume' * command.resumable}", file=sys.stderr)
    return INTERRUPTED


def _first_positional(parser: Parser, words: Sequence[str]) -> int:
    """Return the index of the first word that is neither an option nor the value of one; behind the last if none is."""
    with_value = {option for option, action in parser.options.items() if action.nargs is None}
    rest = iter(enumerate(words))
    for place, word in rest:
        if word in with_value:
            next(rest, None)
        elif not word.startswith("-"):
            return place
    return len(words)


def _check_before(parser: Parser, subparser: Parser, words: Sequence[str], chosen: str) -> None:
    """Check the options before a subcommand: only those that it takes there as well.

    Raises:
        SettingsError: it would ignore one of them.
    """
    for option in (word.partition("=")[0] for word in words if word.startswith("-")):
        own = subparser.options.get(option)
        if own is None and option not in parser.options:
            subparser.error(f"{UNRECOGNIZED}{option}")
        if own is None:
            engine = f"; expected in the command of an engine, as in cmd=\"{PROGRAM} {option} ...\""
            raise SettingsError(f"{quoted(option)}: an option of the engine, not of {quoted(chosen)}"
                                f"{engine if '--engine' in subparser.options else ''}")
        if own.default != argparse.SUPPRESS:
            raise SettingsError(f"{quoted(option)}: before {quoted(chosen)}; expected after it")


def _engine_parser() -> Parser:
    parser = Parser(
        prog=PROGRAM,
        description="An engine for Latrones and its family. Without a subcommand it speaks UCI (or UGI, or CECP with"
        " XBoard) on standard input and output; type 'help' to it for its commands.",
        epilog=f"'{PROGRAM} COMMAND --help' describes a subcommand. '{MATCH_PROGRAM}' is short for '{PROGRAM} match'.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--version", action="store_true", help="print the version and the kernel in use")
    add("--log", metavar="FILE", help="append the traffic to a file, with timestamps")
    add("--xboard", action="store_true", help="speak CECP, the protocol of XBoard and WinBoard, even if the first line"
        " is not 'xboard'")
    add("--gtp", action="store_true", help="speak GTP, the protocol of GoGui, even if the first line is none of its"
        " first commands")
    add("--variant", metavar="NAME", help="with --gtp: variant (default: latrones)")
    add("--variant-path", metavar="FILE", help="with --gtp: file with more variants")
    add("--board", metavar="FILESxRANKS", help="with --gtp: board size (default: that of the variant)")
    add("--level", metavar="N", help="with --gtp: level of play, 0 to 20 (default: 20, full strength)")
    add_backend(parser, "auto")
    add("--tune", action="store_true", help="offer the constants of the native search and evaluation as options, to be"
        " tuned with 'latrones-uci tune'")
    return parser


def _run_engine(parser: Parser, before: Sequence[str], after: Sequence[str]) -> int:
    """Run the engine by options; words after them are an unknown subcommand."""
    subparsers = parser.add_subparsers(metavar="COMMAND", title="subcommands")
    for name, command in COMMANDS.items():
        subparsers.add_parser(name, help=command.help)
    try:
        for option in (word.partition("=")[0] for word in before if word.startswith("-")):
            if after and option not in parser.options:
                raise SettingsError(f"unknown argument {quoted(option)}; the options of a subcommand come after it")
        options = parser.parse_args([*before, *after])
        if options.version:
            print(f"{PROGRAM} {__version__} (kernel {choose(options.backend, options.tune)})")
        else:
            raising_interrupts(lambda: serve_engine(options.backend, options.xboard, options.tune, options.log,
                                                    options.gtp, _settings(options)))
    except (LatronesError, SettingsError, OSError, MemoryError, KeyboardInterrupt) as error:
        return report_engine_error(error)
    except SystemExit:  # after --help
        if flush_output(PROGRAM):
            raise
        return 1
    return 0 if flush_output(PROGRAM) else 1


def _settings(options: argparse.Namespace) -> dict[str, str]:
    """Return the options of the engine that the command line sets, in the order in which they have to be set.

    Raises:
        SettingsError: they are for GTP only.
    """
    given = {"VariantPath": options.variant_path, "UCI_Variant": options.variant, "BoardSize": options.board,
             "Skill Level": options.level}
    settings = {name: value for name, value in given.items() if value is not None}
    if settings and not options.gtp:
        raise SettingsError("--variant, --variant-path, --board and --level need --gtp; other protocols set options")
    return {"VariantSet": "all", **settings} if options.variant in ludii_variants() else settings


def report_engine_error(error: BaseException) -> int:
    if not isinstance(error, Exception):
        return INTERRUPTED
    print(f"{PROGRAM}: {error_text(error)}", file=sys.stderr)
    if isinstance(error, OSError) and error.filename is None:  # errors of files have a name
        forget_output()
        return 1
    return 2
