"""The command line of ``latrones-uci``: options of the engine, and subcommands. ``main`` is the program."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.arguments import (
    Parser,
    error_text,
    flush_output,
    forget_output,
    on_interrupt,
    raise_interrupt,
    run_tool,
    show_bytes,
)
from latrones_uci.commands.bench import add_backend
from latrones_uci.commands.early_interrupts import INTERRUPTED, raising_interrupts
from latrones_uci.commands.engine import serve_engine
from latrones_uci.engine.backend import choose
from latrones_uci.game import LatronesError, ludii_variants
from latrones_uci.text.messages import quoted
from latrones_uci.version import __version__

PROGRAM = "latrones-uci"
MATCH_PROGRAM = "latrones-match"
"""The short name of ``latrones-uci match``."""

# Each subcommand is a module of this package with `configure(parser)` and `run(options, program)`; the name of the
# module of two words has `_` between them. It is imported only when it is called, so that the engine starts faster.
COMMANDS = {
    "match": "play a match or a tournament between engines",
    "resume": "resume an interrupted match from its database",
    "tune": "tune options of an engine by playing",
    "book": "make a book of balanced openings",
    "revs": "test whether one version of an engine is stronger than another",
    "revs bisect": "find the commit that lost strength",
    "revs history": "measure the strength of the versions of a history",
    "ratings": "rate all engines of databases and PGN files together",
    "sprt": "evaluate counted games by a sequential test, and say how long it takes",
    "report": "write a match as an HTML page with tables, charts and replays",
    "watch": "show a match in the browser while it runs",
    "pgn": "print the games of a match as PGN",
    "verify": "check PGN files against the rules",
    "check": "test whether an engine follows the protocol",
    "analyse": "annotate PGN games with scores and best lines",
    "suite": "count the test positions that an engine solves",
    "puzzles": "mine puzzles in games",
    "gui": "play and analyse in the browser",
    "variants": "list or show variants, or check a variant file",
    "variants measure": "measure the quality of games by self-play",
    "draw": "draw a position as SVG",
    "go": "search one position",
    "analysis": "analyse positions for programs, over lines of JSON",
    "bench": "search fixed positions and print the node count and the speed",
    "perft": "count the move sequences of a given length",
    "tables": "make and probe tables of small endings",
    "train": "train a net, a learned evaluation, for a game",
}

_OF_MATCHES = frozenset({"match", "resume", "tune", "revs", "revs bisect", "revs history", "ratings", "report", "watch",
                         "pgn", "verify", "variants measure"})
_RESUMABLE = frozenset({"match", "resume", "tune", "revs", "revs bisect", "revs history", "book", "tables", "train",
                        "variants measure"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status.

    ``arguments`` are those without the program's name; None for those of the process.
    """
    words, ends = list(sys.argv[1:] if arguments is None else arguments), arguments is None
    if words[:1] == ["match"] and words[1:2] and words[1] in COMMANDS:  # 'latrones-uci match report' is 'report'
        words = words[1:]
    return _main(words, PROGRAM, ends)


def match_main(arguments: Sequence[str] | None = None) -> int:
    """Run ``latrones-match``: the subcommand ``match``, or another subcommand if one is named first."""
    words, ends = list(sys.argv[1:] if arguments is None else arguments), arguments is None
    return _main(words if words and words[0] in COMMANDS else ["match", *words], MATCH_PROGRAM, ends)


def _main(words: list[str], program: str, ends: bool) -> int:
    """Run the command line; ``ends`` says whether the process ends afterwards."""
    show_bytes()
    parser = Parser(
        prog=PROGRAM,
        description="An engine for Latrones and its family. Without a subcommand it speaks UCI (or UGI, or CECP with"
        " XBoard) on standard input and output; type 'help' to it for its commands.",
        epilog=f"'{PROGRAM} COMMAND --help' describes a subcommand. '{MATCH_PROGRAM}' is short for '{PROGRAM} match'.",
        allow_abbrev=False,
    )
    _add_engine_arguments(parser)
    place = _first_positional(parser, words)
    if place is None:
        return _run(parser, words, None, program)
    if (both := " ".join(words[place : place + 2])) in COMMANDS:
        words = [*words[:place], both, *words[place + 2 :]]
    chosen = words[place]
    name = _program(chosen, program)
    hint = "; rerun the command to resume" if chosen in _RESUMABLE else ""
    try:
        with on_interrupt(raise_interrupt, last=ends):
            try:
                return _run(parser, words, place, program)
            except (KeyboardInterrupt, RuntimeError) as error:
                # Python before 3.12 raises what interrupts the creation of a class, as in an import, as `RuntimeError`.
                if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
                    raise
                return _end_interrupted(name, hint)
    except KeyboardInterrupt:  # before the handlers were ready
        return _end_interrupted(name, hint)


def _end_interrupted(name: str, hint: str) -> int:
    flush_output(name, wait=False)
    print(f"{name}: interrupted{hint}", file=sys.stderr)
    return INTERRUPTED


def _run(parser: Parser, words: list[str], place: int | None, program: str) -> int:
    """Parse the command line, run the engine or the subcommand at ``place``, and write all output."""
    name = _program(None if place is None else words[place], program)
    try:
        status = _run_chosen(parser, words, place, program)
    except SystemExit:  # after --help
        if not flush_output(name):
            return 1
        raise
    return status if flush_output(name) else status or 1


def _run_chosen(parser: Parser, words: list[str], place: int | None, program: str) -> int:
    chosen, configured = None if place is None else words[place], None
    module = import_module(f"latrones_uci.commands.{chosen.replace(' ', '_')}") if chosen in COMMANDS else None
    subparsers = parser.add_subparsers(dest="subcommand", metavar="COMMAND", title="subcommands")
    for name, help_line in COMMANDS.items():
        subparser = subparsers.add_parser(name, prog=_program(name, program), help=help_line, allow_abbrev=False)
        if name == chosen and module is not None:
            module.configure(subparser)
            configured = subparser
    try:
        if place is not None:
            _check_before(parser, configured, words[: place + 1])
        options = parser.parse_args(words)
    except SettingsError as error:
        print(f"{_program(chosen, program)}: {error}", file=sys.stderr)
        return 2
    if options.subcommand is None or module is None:
        return _run_engine(options)
    name = _program(options.subcommand, program)
    options.words = [*words[:place], *options.subcommand.split(), *words[(place or 0) + 1 :]]
    return run_tool(name, lambda: int(module.run(options, name)), of_match=chosen in _OF_MATCHES)


def _first_positional(parser: Parser, words: Sequence[str]) -> int | None:
    """Return the index of the first word that is neither an option nor the value of one, None if there is none."""
    with_value = {option for option, action in parser.options.items() if action.nargs is None}
    rest = iter(enumerate(words))
    for place, word in rest:
        if word in with_value:
            next(rest, None)
        elif not word.startswith("-"):
            return place
    return None


def _check_before(parser: Parser, subparser: Parser | None, words: Sequence[str]) -> None:
    """Check the options before the subcommand, the last of the words: only those that it takes there as well.

    Raises:
        SettingsError: it would ignore one of them.
    """
    *before, chosen = words
    for option in (word.partition("=")[0] for word in before if word.startswith("-")):
        if subparser is None:
            if option not in parser.options:
                raise SettingsError(f"unknown argument {quoted(option)}; the options of a subcommand come after it")
            continue
        own = subparser.options.get(option)
        if own is None and option in parser.options:
            engine = f"; expected in the command of an engine, as in cmd=\"{PROGRAM} {option} ...\""
            raise SettingsError(f"{quoted(option)}: an option of the engine, not of {quoted(chosen)}"
                                f"{engine if '--engine' in subparser.options else ''}")
        if own is not None and own.default != argparse.SUPPRESS:
            raise SettingsError(f"{quoted(option)}: before {quoted(chosen)}; expected after it")


def _program(command: str | None, program: str) -> str:
    if command not in COMMANDS:
        return PROGRAM
    return MATCH_PROGRAM if command == "match" and program == MATCH_PROGRAM else f"{PROGRAM} {command}"


def _add_engine_arguments(parser: argparse.ArgumentParser) -> None:
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


def _run_engine(options: argparse.Namespace) -> int:
    try:
        if options.version:
            print(f"{PROGRAM} {__version__} (kernel {choose(options.backend, options.tune)})")
        else:
            raising_interrupts(lambda: serve_engine(options.backend, options.xboard, options.tune, options.log,
                                                    options.gtp, _settings(options)))
    except (LatronesError, SettingsError, OSError, MemoryError, KeyboardInterrupt) as error:
        return report_engine_error(error)
    return 0


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
    """Print the error that ended the engine, and return the exit status."""
    if not isinstance(error, Exception):
        return INTERRUPTED
    print(f"{PROGRAM}: {error_text(error)}", file=sys.stderr)
    if isinstance(error, OSError) and error.filename is None:  # errors of files have a name
        forget_output()
        return 1
    return 2
