"""The command line of a tournament, read into settings."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantSettings, read_variant_file, start_position
from latrones_uci.commands.arguments import parse_natural, parse_positive, parse_seconds
from latrones_uci.match.adjudication import DrawRule, GameLimits, ResignRule
from latrones_uci.match.openings import parse_openings
from latrones_uci.match.presets import find_preset
from latrones_uci.match.screen import parse_screen
from latrones_uci.match.settings import TournamentSettings, processors, read_configuration
from latrones_uci.records.plan import Format
from latrones_uci.records.serialize import DeserializeError, parse_words
from latrones_uci.stats import Sprt

DEMO_GAMES = 4
_DEFAULT_GAMES = 2
_ENGINES = ("engine", "each", "strict", "demo")
_Kind = TypeVar("_Kind")

_DESCRIPTION = """\
Plays tournaments between engines, referees every move, and says how sure one may be of the result.

Words of an engine (--engine for one, --each for all):
  cmd="PROGRAM ARGUMENTS"  what to run; quotes as in a shell, but no shell is run
  name=NAME                name in tables and records (default: as the engine reports it)
  dir=DIRECTORY            its working directory
  st=SECONDS               time per move
  tc=[MIN:]SEC[+INC]       clock, with increment per move; each engine may have its own
  depth=N, nodes=N         limits of the search, alone or beside a time
  option.NAME=VALUE        an option of the engine
  restart=on               started anew for each game (default: off)
  strict=on                what is otherwise tolerated of its output is reported (default: off)
  protocol=uci|ugi|auto    how it is greeted (default: uci)
  variant.NAME=ITS_NAME    what it calls a game that has another name here
"""
_EPILOG = """\
example:
  latrones-uci match --engine cmd=latrones-uci name=A --engine cmd=latrones-uci name=B depth=1 \\
      --each tc=1+0.01 --games 100 --openings random:4 --seed 1 --pgn out.pgn
"""


@dataclass(frozen=True)
class Outputs:
    """Where a tournament is played and what it leaves behind; none of this changes its games.

    Attributes:
        database: its file, None for one named after the settings.
        pgn: file for the games as PGN, None for none.
        json: whether events go to standard output as JSON lines, instead of lines for people.
        quiet: whether only the summary is printed.
        report: file for the HTML report, None for none.
        log: file for the traffic of the engines, None for none.
        scheduler: address of a Dask scheduler, None to play on this machine.
        force: whether more may run at a time than there are processors.
        fresh: whether an old database and PGN file are removed first.
    """

    database: Path | None = None
    pgn: Path | None = None
    json: bool = False
    quiet: bool = False
    report: Path | None = None
    log: Path | None = None
    scheduler: str | None = None
    force: bool = False
    fresh: bool = False


@dataclass(frozen=True)
class MatchArguments:
    """What the command line asks for.

    Attributes:
        settings: the tournament.
        outputs: what it leaves behind.
        save_to: a file to which the settings are written instead of playing, None to play.
    """

    settings: TournamentSettings
    outputs: Outputs
    save_to: Path | None


def configure_match(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a tournament."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    _add_engines(parser)
    add_settings(parser)
    add_changeable(parser)
    add_outputs(parser)


def read_match(parsed: argparse.Namespace) -> MatchArguments:
    """Read what ``configure_match`` declared.

    Raises:
        SettingsError: bad arguments; the message is one line that quotes them.
    """
    settings, outputs = _settings(parsed), parse_outputs(parsed)
    if parsed.demo and outputs.database is None:
        outputs = replace(outputs, database=Path("demo.db"), fresh=True)
        if outputs.pgn is None:
            outputs = replace(outputs, pgn=Path("demo.pgn"))
    check_concurrency(settings, outputs)
    return MatchArguments(settings, outputs, parsed.save_config and Path(parsed.save_config))


def check_concurrency(settings: TournamentSettings, outputs: Outputs) -> None:
    """Refuses more threads of engines at a time than there are processors, which falsifies every result.

    Raises:
        SettingsError: too many, and not forced.
    """
    if outputs.force or outputs.scheduler is not None:
        return
    threads = max(_threads(engine) for engine in settings.engines)
    if settings.concurrency > 1 and settings.concurrency * threads > processors():
        each = f" with {threads} threads" if threads > 1 else ""
        raise SettingsError(
            f"concurrency: {settings.concurrency} games at a time{each} are too many for {processors()} processors;"
            " '--force' plays them all the same"
        )


def _threads(engine: EngineSettings) -> int:
    values = [value for name, value in engine.options if name.lower() == "threads" and value.isdecimal()]
    return max(map(int, values), default=1)


def _add_engines(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--engine", action="append", nargs="+", metavar="KEY=VALUE", help="an engine; given twice or more often")
    add("--each", action="extend", nargs="+", metavar="KEY=VALUE", help="words for all engines")
    add("--strict", action="store_true", help="the word strict=on for all engines")
    add("--demo", action="store_true", help="a short match of this project's engine: demo.db and demo.pgn")
    add("--config", metavar="FILE", help="settings from a TOML file instead of the command line")
    add("--save-config", metavar="FILE", help="write the settings to a TOML file, and do not play")
    add("--format", choices=[form.value for form in Format], help="who meets whom (default: match)")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Adds what a match is, its engines apart; all default to None, so that it can be seen what was given."""
    add = parser.add_argument
    add("--variant", action="append", metavar="NAME[:BOARD]",
        help="the game (default: latrones); several take turns")  # fmt: skip
    add("--variant-path", metavar="FILE", help="a TOML file with more games, for the referee and the engines")
    add("--board", metavar="FILESxRANKS", help="board size such as 12x8 (default: that of the game)")
    add("--openings", metavar="random:PLIES|file:PATH",
        help="random plies first, or positions from a file: a FEN or moves a line (default: random:4)")  # fmt: skip
    add("--screen-engine", nargs="+", metavar="COMMAND", help="an engine that looks at random openings first, and"
        " words such as nodes=20000 score=150: those with a greater score are left out")  # fmt: skip
    add("--seed", type=int, metavar="N", help="of the openings and the order of games (default: 0)")
    add("--sprt", nargs="+", metavar="KEY=VALUE|PRESET", help="end as soon as it is clear which of two hypotheses"
        " holds: elo0= elo1= [alpha= beta= model=logistic|normalized], or a preset: gainer, large-gainer,"
        " non-regression, control")  # fmt: skip
    add("--time-margin", type=parse_natural, metavar="MS", help="lateness forgiven (default: 0)")
    add("--max-plies", type=parse_positive, metavar="N", help="adjudicate a draw after N plies (default: never)")
    add("--draw", nargs="+", metavar="KEY=VALUE", help="adjudicate draws: movenumber= moves= score_centi=")
    add("--resign", nargs="+", metavar="KEY=VALUE", help="let players resign: moves= score_centi= [two_sided=off]")
    add("--check-claims", action="store_const", const=True, help="ask the engines after each ply whether the game is"
        " over, and report those that err")  # fmt: skip
    add("--start-timeout", type=parse_seconds, metavar="SECONDS",
        help=f"timeout for the start of an engine (default: {Timeouts.start_s:g})")  # fmt: skip
    add("--stall-timeout", type=parse_seconds, metavar="SECONDS",
        help=f"patience with a search that has no time limit (default: {Timeouts.search_s:g})")  # fmt: skip


def add_changeable(parser: argparse.ArgumentParser) -> None:
    """Adds what may change when a tournament goes on."""
    add = parser.add_argument
    add("--games", type=parse_positive, metavar="N", help=f"games of each pairing (default: {_DEFAULT_GAMES})")
    add("--concurrency", type=parse_positive, metavar="N", help="games at a time (default: half of the processors)")


def add_outputs(parser: argparse.ArgumentParser, *, database: bool = True) -> None:
    """Adds where a tournament is played and what it leaves behind."""
    add = parser.add_argument
    if database:
        add("--database", metavar="FILE", help="to which every finished game goes; the same command goes on with it"
            " (default: latrones-match-ID.db, the id made of the settings)")  # fmt: skip
    add("--pgn", metavar="FILE", help="append finished games to this file")
    add("--report", metavar="FILE", help="write a page in HTML at the end")
    add("--log", metavar="FILE", help="append the traffic of the engines, with timestamps")
    add("--json", action="store_true", help="print events as JSON lines")
    add("--quiet", action="store_true", help="print the summary only")
    add("--force", action="store_true", help="play more games at a time than processors allow for")
    add("--executor", choices=("local", "dask"), default="local", help="where games are played (default: local)")
    add("--scheduler", metavar="ADDRESS", help="of the Dask cluster, such as tcp://host:8786")


def parse_outputs(parsed: argparse.Namespace) -> Outputs:
    """What ``add_outputs`` added.

    Raises:
        SettingsError: two that exclude each other.
    """
    if (parsed.executor == "dask") != (parsed.scheduler is not None):
        raise SettingsError("'--executor dask' and '--scheduler ADDRESS' belong together")
    if parsed.scheduler is not None and parsed.log is not None:
        raise SettingsError("'--log' is of the engines of this machine; it does not go with '--executor dask'")
    if parsed.json and parsed.quiet:
        raise SettingsError("'--json' and '--quiet' exclude each other")
    database, pgn, report, log = (
        None if text is None else Path(text) for text in (parsed.database, parsed.pgn, parsed.report, parsed.log)
    )
    return Outputs(database, pgn, parsed.json, parsed.quiet, report, log, parsed.scheduler, parsed.force)


def _settings(parsed: argparse.Namespace) -> TournamentSettings:
    changes = {key: value for key in ("games", "concurrency") if (value := getattr(parsed, key)) is not None}
    if parsed.config is not None:
        _refuse_beside_config(parsed)
        settings = replace(read_configuration(Path(parsed.config)), **changes)
    else:
        engines, defaults = _engines(parsed)
        form = Format(parsed.format or Format.MATCH.value)
        settings = match_settings(parsed, engines, format=form, **(defaults | changes))
    for variant in settings.variants:  # what cannot be played shall be said before anything is started
        parse_openings(settings.openings, start_position(variant, settings.variant_file))
    return settings


def match_settings(
    parsed: argparse.Namespace, engines: Sequence[EngineSettings], **others: Any
) -> TournamentSettings:
    """The settings of what ``add_settings`` added.

    Args:
        parsed: the arguments.
        engines: those that play.
        others: further fields of the settings; they go before what is parsed.

    Raises:
        SettingsError: a setting that cannot be.
    """
    limits, timeouts = GameLimits(), Timeouts()
    given: dict[str, Any] = {
        "margin_ms": parsed.time_margin,
        "max_plies": parsed.max_plies,
        "draw": parsed.draw and _words(DrawRule, parsed.draw, "--draw"),
        "resign": parsed.resign and _words(ResignRule, parsed.resign, "--resign"),
        "check_claims": parsed.check_claims,
    }
    limits = replace(limits, **{key: value for key, value in given.items() if value is not None})
    if parsed.start_timeout is not None:
        timeouts = replace(timeouts, start_s=parsed.start_timeout)
    if parsed.stall_timeout is not None:
        timeouts = replace(timeouts, search_s=parsed.stall_timeout)
    fields: dict[str, Any] = {
        "variants": _variants(parsed),
        "variant_file": parsed.variant_path and read_variant_file(parsed.variant_path),
        "openings": parsed.openings,
        "screen": parsed.screen_engine and parse_screen(parsed.screen_engine),
        "seed": parsed.seed,
        "sprt": parsed.sprt and parse_sprt(parsed.sprt),
        "limits": limits,
        "timeouts": timeouts,
        "concurrency": max(1, processors() // 2),
    }
    given = {key: value for key, value in fields.items() if value is not None}
    return TournamentSettings(tuple(engines), **(given | others))


def parse_sprt(words: Sequence[str]) -> Sprt:
    """Reads the name of a preset, or the bounds of a test.

    Raises:
        SettingsError: neither.
    """
    if len(words) == 1 and "=" not in words[0]:
        preset = find_preset(words[0])
        return Sprt(preset.elo0, preset.elo1, preset.alpha, preset.beta, preset.model)
    return _words(Sprt, words, "--sprt")


def _refuse_beside_config(parsed: argparse.Namespace) -> None:
    probe = argparse.ArgumentParser(add_help=False)
    add_settings(probe)
    names = [*_ENGINES, "format", *(action.dest for action in probe._actions)]
    for name in names:
        if getattr(parsed, name):
            raise SettingsError(f"'--{name.replace('_', '-')}' and '--config' exclude each other")


def _engines(parsed: argparse.Namespace) -> tuple[list[EngineSettings], dict[str, Any]]:
    engines, each = parsed.engine or [], parsed.each or []
    if parsed.strict:
        each = [*each, "strict=on"]
    if parsed.demo:
        if engines or each:
            raise SettingsError("'--demo' brings its own engines; leave out '--engine' and '--each'")
        demo = [parse_engine([f"name=depth-{depth}", f"depth={depth}"], [], OWN_ENGINE) for depth in (2, 1)]
        return demo, {"games": DEMO_GAMES}
    return [parse_engine(own, each) for own in engines], {"games": _DEFAULT_GAMES}


def _variants(parsed: argparse.Namespace) -> tuple[VariantSettings, ...]:
    variants = [VariantSettings.from_text(text) for text in parsed.variant or ["latrones"]]
    if parsed.board is None:
        return tuple(variants)
    if len(variants) > 1 or variants[0].board:
        raise SettingsError(f"'--board {parsed.board}' is for one game without a board of its own")
    return (replace(variants[0], board=parsed.board),)


def _words(kind: type[_Kind], words: Sequence[str], flag: str) -> _Kind:
    try:
        return parse_words(kind, words, flag)
    except DeserializeError as error:
        raise SettingsError(str(error)) from error
