"""The arguments of a tournament, and their conversion to settings."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError, WaitInterruptedError
from latrones_uci.client.processors import processors
from latrones_uci.client.variant_setup import VariantSettings, read_variant_file, start_position
from latrones_uci.commands.arguments import (
    MAX_PORT,
    LongWork,
    Parser,
    parse_natural,
    parse_port,
    parse_positive,
    parse_seconds,
    parse_seed,
)
from latrones_uci.commands.early_interrupts import INTERRUPTED
from latrones_uci.game import Position
from latrones_uci.match.adjudication import check_tables
from latrones_uci.match.openings import name_of_file, parse_openings
from latrones_uci.match.processes import core_sets
from latrones_uci.match.run import threads_of_a_game
from latrones_uci.match.standings import FAILURES
from latrones_uci.records.serialize import deserialize, parse_words
from latrones_uci.records.settings import (
    MAX_TEST_GAMES,
    BookSettings,
    GameLimits,
    TournamentSettings,
    read_configuration,
)
from latrones_uci.records.store import StoreBlockedError
from latrones_uci.text.command import join_command
from latrones_uci.text.messages import counted, quoted
from latrones_uci.text.option import option, options_of

DEMO_GAMES, DEMO_VARIANT, DEMO_BOARD = 12, "latrunculi-xxi", "6x6"
"""Decided in seconds by the Python kernel; few games are drawn."""
_ENGINES = ("engine", "each", "strict", "demo")
_OF_TOURNAMENTS = ("format", "rounds")
AMOUNTS = ("games", "concurrency")
"""The settings of the numbers of games."""

_DESCRIPTION = """\
Play matches and tournaments between engines, referee every move, and report Elo
with error bars.

keys of an engine (--engine for one engine, --each for all):
  cmd="PROGRAM ARGUMENTS"  command; quotes as in a shell, but no shell is run
  name=NAME                name in tables and records (default: its own)
  dir=DIRECTORY            working directory (default: the current one)
  st=SECONDS               time per move
  tc=[MOVES/][MIN:]SEC[+INC]
                           clock: time for the game, or for each MOVES moves,
                           and increment per move; tc=inf is no clock
  margin=MS                time margin of this engine (default: --time-margin)
  depth=N, nodes=N         search limits, with or without a time limit
  ponder=on                think on the opponent's time (default: off)
  option.NAME=VALUE        engine option
  env.NAME=VALUE           environment variable, in addition to those of the runner
  restart=on               start a new process for each game (default: off)
  strict=on                report what is tolerated otherwise: see the table in protocol.md, "What an
                           engine must not do" (default: off)
  protocol=uci|ugi|auto    protocol of the engine (default: uci)
  variant.NAME=ITS_NAME    the engine's name for a variant
  variant_path=FILE        variant file of this engine, in its own format
"""
_EPILOG = """\
example:
  latrones-uci match --engine cmd=latrones-uci name=A \\
      --engine cmd=latrones-uci name=B depth=1 \\
      --each tc=1+0.01 --games 100 --openings random:4 --seed 1 --pgn out.pgn
"""


AT_END = "end"
FAIL_ON = (*FAILURES, "h0", "no-verdict", AT_END)
"""Outcomes of a match that can make its exit status other than 0, and the word for playing on after them; see
docs/match.md."""
DEFAULT_FAIL_ON = frozenset({"h0", "no-verdict"})
PASSED, FAILED, REJECTED, UNDECIDED = 0, 1, 3, 4
"""Exit statuses, for scripts; see docs/match.md."""


def _parse_watch_port(text: str) -> int:
    """Parse the port of ``--watch``; another word after it was probably meant as an argument of its own."""
    try:
        return parse_port(text)
    except argparse.ArgumentTypeError as error:
        hint = "" if text.isdigit() else f"; give --watch after {quoted(text)}"
        raise argparse.ArgumentTypeError(f"{error}{hint}") from None


@dataclass(frozen=True)
class Outputs:
    """Outputs of a tournament, and where it is played; they do not affect the games."""

    database: Path | None = field(default=None, metadata=option(
        "--database", "database of the match; rerun the command to resume",
        shown="latrones-match-ID.db, where ID depends on the settings"))
    pgn: Path | None = field(default=None, metadata=option("--pgn", "append finished games to a PGN file"))
    report: Path | None = field(default=None, metadata=option("--report", "write an HTML report at the end"))
    log: Path | None = field(default=None, metadata=option(
        "--log", "append the traffic of the engines, and their stderr, to a file with timestamps"))
    log_dir: Path | None = field(default=None, metadata=option(
        "--log-dir", "the same for each engine, in files engine-1.log, engine-2.log, ... of DIR",
        metavar="DIR"))
    json: bool = field(default=False, metadata=option("--json", "print events as JSON lines"))
    json_moves: bool = field(default=False, metadata=option("--json-moves", "the same, with an event for each move"))
    watch: int | None = field(default=None, metadata=option(
        "--watch", "serve a page with the running boards and the standings on this machine (default port: a free one);"
        " 'latrones-uci watch FILE.db' then shows it as well",
        nargs="?", const=0, type=_parse_watch_port, metavar="PORT"))
    """Port of the page that shows the match, 0 for a free one, None for no page."""
    quiet: bool = field(default=False, metadata=option("--quiet", "print only the summary"))
    accept_changed_engine: bool = field(default=False, metadata=option(
        "--accept-changed-engine", "resume although an engine has changed, and record the change in the database"
    ))
    fail_on: frozenset[str] = field(default=DEFAULT_FAIL_ON, metadata=option(
        "--fail-on", "outcomes with an exit status other than 0: h0, no-verdict, and fault, violation, time-loss, of"
        " which the first ends the match; with 'end' as well, it plays on",
        shown=" ".join(sorted(DEFAULT_FAIL_ON)), nargs="+", choices=list(FAIL_ON), metavar="OUTCOME"))
    """The words of ``FAIL_ON`` that are given."""
    force: bool = field(default=False, metadata=option(
        "--force", "allow more concurrent games than there are processors for"))
    affinity: bool = field(default=False, metadata=option(
        "--affinity", "pin the engines of each running game to processors of their own, on Linux and Windows"))
    scheduler: str | None = None
    """Address of a Dask scheduler, None to play on this machine."""
    fresh: bool = False
    """Whether to delete an existing database and PGN file first."""

    def __post_init__(self) -> None:
        """Validate the outputs.

        Raises:
            SettingsError: outputs that cannot be combined, an unknown outcome, or an impossible port.
        """
        for flag, given in (("--log", self.log), ("--log-dir", self.log_dir), ("--affinity", self.affinity)):
            if self.scheduler is not None and given:
                raise SettingsError(f"'{flag}' cannot be combined with '--executor dask'")
        for flag, printed in (("--json-moves", self.json_moves), ("--json", self.json)):
            if self.quiet and printed:
                raise SettingsError(f"'{flag}' cannot be combined with '--quiet'")
        for outcome in sorted(self.fail_on.difference(FAIL_ON)):
            raise SettingsError(f"fail_on: unknown outcome {quoted(outcome)}; expected {', '.join(FAIL_ON)}")
        if AT_END in self.fail_on and self.fail_on.isdisjoint(FAILURES):
            raise SettingsError(f"fail_on: {AT_END!r} without an outcome that would end the match;"
                                f" expected one of {', '.join(FAILURES)} with it")
        if self.watch is not None and not 0 <= self.watch <= MAX_PORT:
            raise SettingsError(f"watch: {self.watch} is not a port from 0 to {MAX_PORT}")


    @property
    def ends_at(self) -> frozenset[str]:
        """The outcomes of ``FAILURES`` that end the match at once."""
        return frozenset() if AT_END in self.fail_on else self.fail_on.intersection(FAILURES)


_NOT_SAVED = ("demo", "accept_changed_engine")
"""Options that are not settings of a match: one replaces its files, the other permits a change once."""


@dataclass(frozen=True)
class MatchArguments:
    settings: TournamentSettings
    outputs: Outputs
    save_to: Path | None
    """File to write the settings to instead of playing, None to play."""


def configure_match(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    add = parser.add_argument
    add("--engine", action="append", nargs="+", metavar="KEY=VALUE", help="engine; required at least twice")
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE", help="keys that apply to all engines")
    add("--strict", action="store_true", help="set strict=on for all engines")
    add("--demo", action="store_true", help="play a short match of this project's engine, with demo.db and demo.pgn")
    add("--config", metavar="FILE", help="read the settings from a TOML file; outputs, --games, --concurrency and"
        " --rounds may be given as well")
    add("--save-config", metavar="FILE", help="write all settings, outputs included, to a TOML file without playing")
    add_options(parser, TournamentSettings, _OF_TOURNAMENTS)
    add_settings(parser)
    add_options(parser, TournamentSettings, AMOUNTS)
    add_outputs(parser)


def read_match(parsed: argparse.Namespace) -> MatchArguments:
    """Convert the arguments of ``configure_match``.

    Raises:
        SettingsError: an argument is invalid; the message is one line that quotes it.
    """
    if parsed.save_config is not None:
        for name in _NOT_SAVED:
            if getattr(parsed, name):
                raise SettingsError(f"{_flag(name)} is not a setting of a match; expected '--save-config' without"
                                    " it")
    if parsed.config is None:
        settings, saved = match_settings(parsed, *_engines(parsed)), Outputs()
    else:
        settings, saved = _read_saved(parsed)
    _check_settings(settings)
    outputs = parse_outputs(parsed, saved)
    if parsed.demo and outputs.database is None:
        outputs = replace(outputs, database=Path("demo.db"), fresh=True)
        if outputs.pgn is None:
            outputs = replace(outputs, pgn=Path("demo.pgn"))
    check_concurrency(settings, outputs)
    return MatchArguments(settings, outputs, parsed.save_config and Path(parsed.save_config))


def check_concurrency(settings: TournamentSettings, outputs: Outputs) -> None:
    """Check that the engines do not use more threads than there are processors, which would distort the results.

    Raises:
        SettingsError: there are too many, and ``--force`` is not given; or they cannot be pinned (see ``core_sets``).
    """
    threads = threads_of_a_game(settings)
    if outputs.affinity:
        core_sets(settings.concurrency, threads)
    if outputs.force or outputs.scheduler is not None:
        return
    ponders = any(engine.ponder for engine in settings.engines)
    if (settings.concurrency > 1 or ponders) and settings.concurrency * threads > processors():
        games = counted(settings.concurrency, "game")
        each = f" with {threads} threads each" if threads > 1 else ""
        both = ", as both engines think at the same time with ponder=on" if ponders else ""
        raise SettingsError(
            f"concurrency: {games} at a time{each}{both}: too many for {processors()} processor(s);"
            " use --force to play anyway"
        )


def add_options(
    parser: argparse.ArgumentParser, kind: type, names: Iterable[str] | None = None, **defaults: str
) -> None:
    """Add arguments for the fields of a dataclass that are options; ``read_options`` reads them.

    All default to None, so that given ones can be distinguished. ``names`` are the fields, None for all that are
    options; ``defaults`` are other defaults for the help text.
    """
    options = options_of(kind)
    for name in options if names is None else names:
        declared, inner = options[name], _inner_type(kind, name)
        settings: dict[str, Any] = {}
        if inner is bool:
            settings = {"action": "store_const", "const": True}
        elif inner is int:
            parse = parse_seed if declared.least is None else parse_positive if declared.least else parse_natural
            settings = {"type": parse, "metavar": "N"}
        elif inner is float:
            settings = {"type": parse_seconds, "metavar": "SECONDS"}
        elif inner is Path:
            settings = {"metavar": "FILE"}
        elif issubclass(inner, Enum):
            settings = {"choices": [member.value for member in inner]}
        elif is_dataclass(inner):
            settings = {"metavar": "KEY=VALUE"}
        default = defaults.get(name, declared.default)
        text = f"{declared.help} (default: {default})" if default else declared.help
        parser.add_argument(declared.flag, help=text, **(settings | dict(declared.settings)))


def read_options(kind: type, parsed: argparse.Namespace) -> dict[str, Any]:
    """Return the values of the options that are given, by the names of the fields.

    Raises:
        SettingsError: an option is malformed.
    """
    given = {}
    for name, declared in options_of(kind).items():
        if (value := getattr(parsed, declared.attribute, None)) is not None:
            inner = _inner_type(kind, name)
            if declared.convert is not None:
                value = declared.convert(value)
            elif isinstance(inner, type) and is_dataclass(inner):
                value = parse_words(inner, value, declared.flag)
            elif inner in (Path, frozenset) or issubclass(inner, Enum):
                value = inner(value)
            given[name] = value
    return given


def _inner_type(kind: type, name: str) -> Any:
    """Return the type of a field, without None and without the types of items."""
    hint = get_type_hints(kind)[name]
    alternatives = [each for each in get_args(hint) if each is not NoneType] if isinstance(hint, UnionType) else [hint]
    return get_origin(alternatives[0]) or alternatives[0]


def add_settings(parser: argparse.ArgumentParser, *, without: Sequence[str] = (), **defaults: str) -> None:
    """Add the settings of a match except its engines and the numbers of its games.

    ``without`` are fields of ``TournamentSettings`` to leave out, ``defaults`` other defaults for the help text.
    """
    add = parser.add_argument
    add("--variant", action="append", metavar="NAME[:BOARD]",
        help="variant; may be repeated to play several in turn (default: latrones)")
    add("--variant-path", metavar="FILE", help="TOML file with more variants, for the referee and the engines")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")
    left_out = {*_OF_TOURNAMENTS, *AMOUNTS, *without}
    add_options(parser, TournamentSettings, [name for name in options_of(TournamentSettings) if name not in left_out],
                **defaults)
    add_options(parser, GameLimits)
    add_options(parser, Timeouts)


def add_outputs(parser: argparse.ArgumentParser, *, without: Sequence[str] = (), **defaults: str) -> None:
    add_options(parser, Outputs, [name for name in options_of(Outputs) if name not in without], **defaults)
    parser.add_argument("--executor", choices=("local", "dask"), default="local",
                        help="where to play games (default: local)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler address, such as tcp://host:8786")


def parse_outputs(parsed: argparse.Namespace, saved: Outputs | None = None) -> Outputs:
    """Convert the arguments of ``add_outputs``.

    ``saved`` are those for which the arguments give no others.

    Raises:
        SettingsError: options that cannot be combined.
    """
    if (parsed.executor == "dask") != (parsed.scheduler is not None):
        raise SettingsError("'--executor dask' and '--scheduler ADDRESS' must be given together")
    given = read_options(Outputs, parsed)
    if parsed.scheduler is not None:
        given["scheduler"] = parsed.scheduler
    outputs = replace(saved or Outputs(), **given)
    return replace(outputs, json=outputs.json or outputs.json_moves)


def _read_saved(parsed: argparse.Namespace) -> tuple[TournamentSettings, Outputs]:
    """Read the file of ``--config``."""
    _refuse_with_config(parsed)
    settings, data = read_configuration(Path(parsed.config))
    names = sorted({field.name for field in fields(Outputs)} - {"fresh", *_NOT_SAVED})
    try:
        outputs = deserialize(Outputs, data, "outputs")
        for name in data:
            if name not in names:
                raise SettingsError(f"outputs: {quoted(name)} cannot be set here; expected one of {', '.join(names)}")
    except ValueError as error:
        raise SettingsError(f"{parsed.config}: {error}") from error
    return replace(settings, **read_options(TournamentSettings, parsed)), outputs


def _check_settings(settings: TournamentSettings) -> None:
    """Report unusable variants, openings and names before anything is started."""
    starts = check_openings(settings)
    for engine in settings.engines:
        for name, _ in engine.variant_names:
            start_position(VariantSettings(name), settings.variant_file)
    check_tables(settings.limits, starts)


def check_openings(settings: TournamentSettings) -> list[Position]:
    """Read the openings, which an interruption can end here, and return the start position of each variant.

    The match does not read the file again.
    """
    starts = [start_position(variant, settings.variant_file) for variant in settings.variants]
    with LongWork() as shown:
        for start in starts:
            parse_openings(settings.openings, start, settings.book, shown)
    return starts


def match_settings(parsed: argparse.Namespace, engines: Sequence[EngineSettings], games: int) -> TournamentSettings:
    """Convert the arguments of ``add_settings``.

    ``games`` is their number if it is not given.

    Raises:
        SettingsError: a setting is invalid.
    """
    given: dict[str, Any] = {
        "variants": _variants(parsed),
        "variant_file": parsed.variant_path and read_variant_file(parsed.variant_path),
        "games": games,
        "concurrency": max(1, processors() // 2),
        "limits": GameLimits(**read_options(GameLimits, parsed)),
        "timeouts": Timeouts(**read_options(Timeouts, parsed)),
        **read_options(TournamentSettings, parsed),
    }
    if parsed.openings:
        _check_file(parsed.openings)
        given["openings"] = name_of_file(parsed.openings[0])
        given["book"] = parse_words(BookSettings, parsed.openings[1:], "--openings")
    return TournamentSettings(tuple(engines), **given)


def _check_file(openings: Sequence[str]) -> None:
    """Refuse the words of other runners for a book: ``file=book.epd format=epd``."""
    if (word := next((word for word in openings if word.startswith("file=")), "")) and not Path(word).exists():
        others = [each for each in openings if each != word and not each.startswith("format=")]
        meant = join_command([word.removeprefix("file="), *others])
        raise SettingsError(f"--openings {quoted(word)}: expected the file first, without 'file='; its format is"
                            f" recognised: did you mean '--openings {meant}'?")


def _refuse_with_config(parsed: argparse.Namespace) -> None:
    probe = Parser(add_help=False)
    add_settings(probe)
    for name in [*_ENGINES, "format", *(action.dest for action in probe.declared)]:
        if (given := getattr(parsed, name)) is not None and given is not False:  # 0 is a value, too
            raise SettingsError(f"{_flag(name)} cannot be combined with '--config'")


def _flag(name: str) -> str:
    """Return the option of an attribute of the parsed arguments, quoted."""
    return f"'--{name.replace('_', '-')}'"


def _engines(parsed: argparse.Namespace) -> tuple[list[EngineSettings], int]:
    """Return the engines, and the default number of games."""
    engines, each = parsed.engine or [], parsed.each or []
    if parsed.strict:
        each = [*each, "strict=on"]
    if parsed.demo:
        if engines or each:
            raise SettingsError("'--demo' cannot be combined with '--engine' or '--each'")
        demo = [parse_engine([f"name=depth-{depth}", f"depth={depth}"], [], OWN_ENGINE) for depth in (2, 1)]
        return demo, DEMO_GAMES
    games = TournamentSettings.games if parsed.sprt is None else MAX_TEST_GAMES
    return [parse_engine(own, each) for own in engines], games


def _variants(parsed: argparse.Namespace) -> tuple[VariantSettings, ...]:
    demo = getattr(parsed, "demo", False) and parsed.variant is None
    texts = parsed.variant or [DEMO_VARIANT if demo else "latrones"]
    variants = [VariantSettings.from_text(text) for text in texts]
    board = parsed.board or (DEMO_BOARD if demo else None)
    if board is None:
        return tuple(variants)
    if len(variants) > 1 or variants[0].board:
        raise SettingsError(f"'--board {board}' needs exactly one variant without a board")
    return (replace(variants[0], board=board),)


def until_interrupted(work: Callable[[], int], options: argparse.Namespace, program: str) -> int:
    """Do the work of a command and return its exit status; after Ctrl+C, print the command that resumes it.

    Raises:
        StoreBlockedError: a database is locked, or the disk is full; the message has the command, too.
    """
    again = f"to resume: {join_command(['latrones-uci', *options.words])}"
    try:
        return work()
    except StoreBlockedError as error:
        raise StoreBlockedError(f"{error}; {again}") from error
    except (KeyboardInterrupt, WaitInterruptedError):
        print(f"{program}: interrupted; {again}", file=sys.stderr)
        return INTERRUPTED
