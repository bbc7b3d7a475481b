"""The arguments of a tournament, and their conversion to settings."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import processors
from latrones_uci.client.variant_setup import VariantSettings, read_variant_file, start_position
from latrones_uci.commands.arguments import (
    MAX_PORT,
    LongWork,
    parse_natural,
    parse_port,
    parse_positive,
    parse_seconds,
    parse_seed,
)
from latrones_uci.game import counted, quoted
from latrones_uci.match.adjudication import DrawRule, GameLimits, ResignRule, check_tables
from latrones_uci.match.opening_file import name_of_file, parse_openings
from latrones_uci.match.openings import BookSettings
from latrones_uci.match.plan import Format
from latrones_uci.match.presets import find_preset
from latrones_uci.match.screen import parse_screen
from latrones_uci.match.serialize import DeserializeError, deserialize, parse_words, serialize
from latrones_uci.match.settings import MAX_TEST_GAMES, TournamentSettings, read_configuration
from latrones_uci.stats import Sprt

DEMO_GAMES = 4
_DEFAULT_GAMES = 2
_ENGINES = ("engine", "each", "strict", "demo")
_Kind = TypeVar("_Kind")

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


FAIL_ON = ("fault", "violation", "time-loss", "h0", "no-verdict")
"""Outcomes of a match that can make its exit status other than 0; see docs/match.md."""
DEFAULT_FAIL_ON = frozenset({"h0", "no-verdict"})


@dataclass(frozen=True)
class Outputs:
    """Outputs of a tournament, and where it is played; they do not affect the games."""

    database: Path | None = None
    """The database file, None for a name that depends on the settings."""
    pgn: Path | None = None
    """PGN file, None for none."""
    json: bool = False
    """Whether to print events as JSON lines instead of text."""
    quiet: bool = False
    """Whether to print only the summary."""
    report: Path | None = None
    """HTML report, None for none."""
    log: Path | None = None
    """Log of the engines' traffic, None for none."""
    scheduler: str | None = None
    """Address of a Dask scheduler, None to play on this machine."""
    force: bool = False
    """Whether to allow more concurrent games than there are processors for."""
    fresh: bool = False
    """Whether to delete an existing database and PGN file first."""
    accept_changed_engine: bool = False
    """Whether to resume with engines that have changed since the match started."""
    fail_on: frozenset[str] = DEFAULT_FAIL_ON
    """The outcomes of ``FAIL_ON`` that make the exit status other than 0."""
    log_dir: Path | None = None
    """Directory for a log of each engine, None for none."""
    watch: int | None = None
    """Port of the page that shows the match, 0 for a free one, None for no page."""
    json_moves: bool = False
    """Whether these include each move."""

    def __post_init__(self) -> None:
        """Validate the outputs.

        Raises:
            SettingsError: outputs that cannot be combined, an unknown outcome, or an impossible port.
        """
        for flag, given in (("--log", self.log), ("--log-dir", self.log_dir)):
            if self.scheduler is not None and given is not None:
                raise SettingsError(f"'{flag}' cannot be combined with '--executor dask'")
        for flag, printed in (("--json-moves", self.json_moves), ("--json", self.json)):
            if self.quiet and printed:
                raise SettingsError(f"'{flag}' cannot be combined with '--quiet'")
        for outcome in sorted(self.fail_on.difference(FAIL_ON)):
            raise SettingsError(f"fail_on: unknown outcome {quoted(outcome)}; expected {', '.join(FAIL_ON)}")
        if self.watch is not None and not 0 <= self.watch <= MAX_PORT:
            raise SettingsError(f"watch: {self.watch} is not a port from 0 to {MAX_PORT}")


_NOT_SAVED = ("demo", "accept_changed_engine")
"""Options that are not settings of a match: one replaces its files, the other permits a change once."""


@dataclass(frozen=True)
class MatchArguments:
    """The parsed command line."""

    settings: TournamentSettings
    """The tournament."""
    outputs: Outputs
    """Its outputs."""
    save_to: Path | None
    """File to write the settings to instead of playing, None to play."""


def configure_match(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a tournament."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    _add_engines(parser)
    add_settings(parser)
    add_changeable(parser)
    add_outputs(parser)


def read_match(parsed: argparse.Namespace) -> MatchArguments:
    """Convert the arguments of ``configure_match``.

    Raises:
        SettingsError: an argument is invalid; the message is one line that quotes it.
    """
    if parsed.save_config is not None:
        for name in _NOT_SAVED:
            if getattr(parsed, name):
                raise SettingsError(f"{_flag(name)!r} is not a setting of a match; expected '--save-config' without it")
    if parsed.config is None:
        settings, saved = _settings(parsed), Outputs()
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
        SettingsError: there are too many, and ``--force`` is not given.
    """
    if outputs.force or outputs.scheduler is not None:
        return
    threads = max(_threads_of_game(*pair) for pair in combinations(settings.engines, 2))
    ponders = any(engine.ponder for engine in settings.engines)
    if (settings.concurrency > 1 or ponders) and settings.concurrency * threads > processors():
        games = counted(settings.concurrency, "game")
        each = f" with {threads} threads each" if threads > 1 else ""
        both = ", as both engines think at the same time with ponder=on" if ponders else ""
        raise SettingsError(
            f"concurrency: {games} at a time{each}{both}: too many for {processors()} processor(s);"
            " use --force to play anyway"
        )


def _threads_of_game(white: EngineSettings, black: EngineSettings) -> int:
    """Return the number of threads that compute at the same time in a game of two engines."""
    threads = _threads(white), _threads(black)
    return sum(threads) if white.ponder or black.ponder else max(threads)


def _threads(engine: EngineSettings) -> int:
    values = [value for name, value in engine.options if name.lower() == "threads" and value.isdecimal()]
    return max(map(int, values), default=1)


def _add_engines(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--engine", action="append", nargs="+", metavar="KEY=VALUE", help="engine; required at least twice")
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE", help="keys that apply to all engines")
    add("--strict", action="store_true", help="set strict=on for all engines")
    add("--demo", action="store_true", help="play a short match of this project's engine, with demo.db and demo.pgn")
    add("--config", metavar="FILE", help="read the settings from a TOML file; outputs, --games, --concurrency and"
        " --rounds may be given as well")  # fmt: skip
    add("--save-config", metavar="FILE", help="write all settings, outputs included, to a TOML file without playing")
    add("--format", choices=[form.value for form in Format], help="tournament format (default: match)")
    add_rounds(parser, "log2 of the number of engines, rounded up")


def add_settings(
    parser: argparse.ArgumentParser, *, openings: str = TournamentSettings.openings, screen: str = "none",
    sprt: str | None = "none",
) -> None:
    """Add the settings of a match except its engines. All default to None, so that given ones can be distinguished.

    Args:
        parser: the parser.
        openings: the default of ``--openings``, for the help text.
        screen: the default of ``--screen-engine``, for the help text.
        sprt: the default of ``--sprt``, for the help text; None to leave it out.
    """
    add = parser.add_argument
    add("--variant", action="append", metavar="NAME[:BOARD]",
        help="variant; may be repeated to play several in turn (default: latrones)")  # fmt: skip
    add("--variant-path", metavar="FILE", help="TOML file with more variants, for the referee and the engines")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the variant)")
    add("--openings", nargs="+", metavar=("random:PLIES|book|FILE", "KEY=VALUE"),
        help="random plies, the book of the package, or a file: PGN, or a FEN or moves on each line; for a book or file"
        f" also plies=N order=random|sequential start=K (default: {openings})")  # fmt: skip
    add("--screen-engine", nargs="+", metavar=("COMMAND", "KEY=VALUE"), help="engine that rejects unbalanced random"
        " openings, with keys such as nodes=20000 score=150: search limit and largest accepted score"
        f" (default: {screen})")  # fmt: skip
    add("--seed", type=parse_seed, metavar="N", help="random seed for openings and game order (default: 0)")
    if sprt is not None:
        add("--sprt", nargs="+", metavar="KEY=VALUE|PRESET", help="sequential test that ends the match:"
            " elo0= elo1= [alpha= beta= model=logistic|normalized], or a preset and changes to it: gainer,"
            f" large-gainer, non-regression, control (default: {sprt})")  # fmt: skip
    add("--time-margin", type=parse_natural, metavar="MS", help="time margin before a loss on time (default: 0)")
    add("--max-plies", type=parse_positive, metavar="N", help="adjudicate a draw after N plies (default: never)")
    add("--draw", nargs="+", metavar="KEY=VALUE", help="adjudicate draws by score: movenumber= moves= score_centi=")
    add("--resign", nargs="+", metavar="KEY=VALUE",
        help="adjudicate resignations by score: moves= score_centi= [two_sided=off]")  # fmt: skip
    add("--tables", metavar="DIR", help="adjudicate by the endgame tables in a folder, see 'latrones-uci tables'")
    add("--check-claims", action="store_const", const=True, help="ask the engines after each ply if the game is over,"
        " and report wrong answers")  # fmt: skip
    add("--start-timeout", type=parse_seconds, metavar="SECONDS",
        help=f"timeout for the start of an engine (default: {Timeouts.start_s:g})")  # fmt: skip
    add("--stall-timeout", type=parse_seconds, metavar="SECONDS",
        help=f"timeout for searches without a time limit (default: {Timeouts.search_s:g})")  # fmt: skip


def add_changeable(
    parser: argparse.ArgumentParser, *, games: str = f"{_DEFAULT_GAMES}; with --sprt {MAX_TEST_GAMES}",
    concurrency: str = "half of the processors", of: str = "each pairing",
) -> None:
    """Add the settings that may change when a tournament is resumed.

    Args:
        parser: the parser.
        games: the default of ``--games``, for the help text.
        concurrency: the default of ``--concurrency``, for the help text.
        of: what has so many games, for the help text.
    """
    add = parser.add_argument
    add("--games", type=parse_positive, metavar="N", help=f"number of games of {of} (default: {games})")
    add("--concurrency", type=parse_positive, metavar="N", help=f"concurrent games (default: {concurrency})")


def add_rounds(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the number of rounds, which may change when a tournament is resumed."""
    parser.add_argument("--rounds", type=parse_positive, metavar="N",
                        help=f"rounds of --format swiss (default: {default})")  # fmt: skip


def add_outputs(parser: argparse.ArgumentParser, *, database: bool = True) -> None:
    """Add the outputs of a tournament, and where it is played."""
    add = parser.add_argument
    if database:
        add("--database", metavar="FILE", help="database of the match; rerun the command to resume"
            " (default: latrones-match-ID.db, where ID depends on the settings)")  # fmt: skip
    add("--pgn", metavar="FILE", help="append finished games to a PGN file")
    add("--report", metavar="FILE", help="write an HTML report at the end")
    add("--log", metavar="FILE", help="append the traffic of the engines, and their stderr, to a file with timestamps")
    add("--log-dir", metavar="DIR", help="the same for each engine, in files engine-1.log, engine-2.log, ... of DIR")
    add("--json", action="store_true", help="print events as JSON lines")
    add("--json-moves", action="store_true", help="the same, with an event for each move")
    add("--watch", metavar="PORT", nargs="?", const=0, type=_parse_watch_port,
        help="serve a page with the running boards and the standings on this machine (default port: a free one);"
        " 'latrones-uci watch FILE.db' then shows it as well")  # fmt: skip
    add("--quiet", action="store_true", help="print only the summary")
    add("--accept-changed-engine", action="store_true",
        help="resume although an engine has changed, and record the change in the database")  # fmt: skip
    add("--fail-on", metavar="OUTCOME", nargs="+", choices=list(FAIL_ON), help="outcomes with an exit status other than"
        f" 0: {', '.join(FAIL_ON)} (default: {' '.join(sorted(DEFAULT_FAIL_ON))})")  # fmt: skip
    add("--force", action="store_true", help="allow more concurrent games than there are processors for")
    add("--executor", choices=("local", "dask"), default="local", help="where to play games (default: local)")
    add("--scheduler", metavar="ADDRESS", help="Dask scheduler address, such as tcp://host:8786")


def _parse_watch_port(text: str) -> int:
    """Parse the port of ``--watch``; another word after it was probably meant as an argument of its own."""
    try:
        return parse_port(text)
    except argparse.ArgumentTypeError as error:
        hint = "" if text.isdigit() else f"; give --watch after {quoted(text)}"
        raise argparse.ArgumentTypeError(f"{error}{hint}") from None


def parse_outputs(parsed: argparse.Namespace, saved: Outputs | None = None) -> Outputs:
    """Convert the arguments of ``add_outputs``.

    Args:
        parsed: the arguments.
        saved: outputs for which the arguments give no others, None for the defaults.

    Raises:
        SettingsError: options that cannot be combined.
    """
    if (parsed.executor == "dask") != (parsed.scheduler is not None):
        raise SettingsError("'--executor dask' and '--scheduler ADDRESS' must be given together")
    given: dict[str, Any] = {
        name: Path(text)
        for name in ("database", "pgn", "report", "log", "log_dir") if (text := getattr(parsed, name)) is not None
    }  # fmt: skip
    given |= {
        name: value
        for name in ("quiet", "json", "json_moves", "force", "accept_changed_engine", "watch", "scheduler")
        if (value := getattr(parsed, name)) is not None and value is not False
    }
    if parsed.fail_on is not None:
        given["fail_on"] = frozenset(parsed.fail_on)
    outputs = replace(saved or Outputs(), **given)
    return replace(outputs, json=outputs.json or outputs.json_moves)


def saved_outputs(outputs: Outputs) -> dict[str, Any]:
    """Return the outputs as plain data, for a file of settings."""
    data: dict[str, Any] = serialize(outputs)
    return data


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
    return replace(settings, **_changes(parsed)), outputs


def _changes(parsed: argparse.Namespace) -> dict[str, Any]:
    return {key: value for key in ("games", "concurrency", "rounds") if (value := getattr(parsed, key)) is not None}


def _settings(parsed: argparse.Namespace) -> TournamentSettings:
    engines, defaults = _engines(parsed)
    form = Format(parsed.format or Format.MATCH.value)
    return match_settings(parsed, engines, format=form, **(defaults | _changes(parsed)))


def _check_settings(settings: TournamentSettings) -> None:
    """Report unusable variants, openings and names before anything is started."""
    starts = [start_position(variant, settings.variant_file) for variant in settings.variants]
    with LongWork() as shown:
        for start in starts:
            parse_openings(settings.openings, start, settings.book, shown)
    for engine in settings.engines:
        for name, _ in engine.variant_names:
            start_position(VariantSettings(name), settings.variant_file)
    check_tables(settings.limits, starts)


def match_settings(
    parsed: argparse.Namespace, engines: Sequence[EngineSettings], **overrides: Any
) -> TournamentSettings:
    """Convert the arguments of ``add_settings``.

    Args:
        parsed: the arguments.
        engines: the engines.
        overrides: further fields of the settings; they override the arguments.

    Raises:
        SettingsError: a setting is invalid.
    """
    limits, timeouts = GameLimits(), Timeouts()
    given: dict[str, Any] = {
        "margin_ms": parsed.time_margin,
        "max_plies": parsed.max_plies,
        "draw": parsed.draw and _words(DrawRule, parsed.draw, "--draw"),
        "resign": parsed.resign and _words(ResignRule, parsed.resign, "--resign"),
        "check_claims": parsed.check_claims,
        "tables": parsed.tables and str(Path(parsed.tables).resolve()),
    }
    limits = replace(limits, **{key: value for key, value in given.items() if value is not None})
    if parsed.start_timeout is not None:
        timeouts = replace(timeouts, start_s=parsed.start_timeout)
    if parsed.stall_timeout is not None:
        timeouts = replace(timeouts, search_s=parsed.stall_timeout)
    others = {
        "variants": _variants(parsed),
        "variant_file": parsed.variant_path and read_variant_file(parsed.variant_path),
        "openings": parsed.openings and name_of_file(parsed.openings[0]),
        "book": parsed.openings and _words(BookSettings, parsed.openings[1:], "--openings"),
        "screen": parsed.screen_engine and parse_screen(parsed.screen_engine),
        "seed": parsed.seed,
        "sprt": parsed.sprt and parse_sprt(parsed.sprt),
        "limits": limits,
        "timeouts": timeouts,
        "concurrency": max(1, processors() // 2),
    }
    given = {key: value for key, value in others.items() if value is not None}
    return TournamentSettings(tuple(engines), **(given | overrides))


def parse_sprt(words: Sequence[str]) -> Sprt:
    """Parse the bounds of a test, or the name of a preset and changes to it, such as ``gainer elo1=10``.

    Raises:
        SettingsError: the preset is unknown, or the bounds are malformed.
    """
    names = [word for word in words if "=" not in word]
    if not names:
        return _words(Sprt, words, "--sprt")
    preset = find_preset(names[0])
    if len(names) > 1:
        raise SettingsError(f"--sprt: {quoted(names[1])}: duplicate preset; expected KEY=VALUE after {names[0]!r}")
    changes = [word for word in words if "=" in word]
    changed = {word.partition("=")[0] for word in changes}
    kept = [f"{field.name}={getattr(preset, field.name)}" for field in fields(Sprt) if field.name not in changed]
    return _words(Sprt, [*kept, *changes], "--sprt")


def _refuse_with_config(parsed: argparse.Namespace) -> None:
    probe = argparse.ArgumentParser(add_help=False)
    add_settings(probe)
    names = [*_ENGINES, "format", *(action.dest for action in probe._actions)]
    for name in names:
        if (given := getattr(parsed, name)) is not None and given is not False:  # 0 is a value, too
            raise SettingsError(f"{_flag(name)!r} cannot be combined with '--config'")


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _engines(parsed: argparse.Namespace) -> tuple[list[EngineSettings], dict[str, Any]]:
    engines, each = parsed.engine or [], parsed.each or []
    if parsed.strict:
        each = [*each, "strict=on"]
    if parsed.demo:
        if engines or each:
            raise SettingsError("'--demo' cannot be combined with '--engine' or '--each'")
        demo = [parse_engine([f"name=depth-{depth}", f"depth={depth}"], [], OWN_ENGINE) for depth in (2, 1)]
        return demo, {"games": DEMO_GAMES}
    games = _DEFAULT_GAMES if parsed.sprt is None else MAX_TEST_GAMES
    return [parse_engine(own, each) for own in engines], {"games": games}


def _variants(parsed: argparse.Namespace) -> tuple[VariantSettings, ...]:
    variants = [VariantSettings.from_text(text) for text in parsed.variant or ["latrones"]]
    if parsed.board is None:
        return tuple(variants)
    if len(variants) > 1 or variants[0].board:
        raise SettingsError(f"'--board {parsed.board}' needs exactly one variant without a board")
    return (replace(variants[0], board=parsed.board),)


def _words(kind: type[_Kind], words: Sequence[str], flag: str) -> _Kind:
    try:
        return parse_words(kind, words, flag)
    except DeserializeError as error:
        raise SettingsError(str(error)) from error
