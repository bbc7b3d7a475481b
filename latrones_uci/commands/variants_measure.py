"""The command ``latrones-uci variants measure``: measure the quality of games by self-play."""

import argparse
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError, WaitInterruptedError
from latrones_uci.client.process import processors
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.commands.arguments import LongWork, Parser, on_interrupt, parse_natural, parse_positive
from latrones_uci.commands.campaigns import until_interrupted
from latrones_uci.commands.match import plain_workplace, with_database
from latrones_uci.commands.match_arguments import Outputs, add_options, check_openings, read_options
from latrones_uci.game import (
    VARIANT_SETS,
    LatronesError,
    Ruleset,
    VariantError,
    all_variants,
    counted,
    find_variant,
    nearest_name,
    parse_board_size,
    parse_file,
    quoted,
    read_variants,
)
from latrones_uci.game.ruleset import SIZE_KEYS, clashes, documentation
from latrones_uci.game.variants import MAX_FILE_BYTES, MAX_VARIANTS
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.database import begin, stored_games, stored_settings
from latrones_uci.match.events import Event, GameFinished, Warned
from latrones_uci.match.files import check_writable, write_whole
from latrones_uci.match.quality import quality_to_data, read_qualities, render_qualities
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import utc_now
from latrones_uci.web.report.quality_page import render_quality_page

DEFAULT_GAMES, DEFAULT_NODES, DEFAULT_MAX_PLIES, DEFAULT_RANDOM_PLIES = 500, 500, 400, 4
MAXIMA = {"random_plies": 1000, "concurrency": 256}
_WORDS = ("title", "source")
_DESCRIPTION = """\
Measure the quality of games. This project's engine plays itself, at two strengths, from random openings with both
colours; the games say how long they take, who wins, how much skill matters, how dramatic they are, and which rules and
captures never matter. Rerun the command to resume; more --games continue the same measurement.

GAME is a variant, all variants of a TOML file, or a set: core, ludii or all. See docs/variants.md for every figure.

  latrones-uci variants measure latrones my.toml
  latrones-uci variants measure latrones --vary nocapture_limit=50,100,200 --html page.html
"""


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("names", nargs="+", metavar="GAME|FILE.toml", help="games to measure")
    add("--games", metavar="N", type=parse_positive, default=DEFAULT_GAMES,
        help="games of each ruleset, an even number; may be raised (default: %(default)s)")  # fmt: skip
    add("--nodes", metavar="N", type=parse_positive, default=DEFAULT_NODES,
        help="nodes per move of the weaker side; the stronger has twice as many (default: %(default)s)")  # fmt: skip
    add("--vary", metavar="KEY=V1,V2,...", action="append", default=[],
        help="measure each game with each of these values of a key instead")  # fmt: skip
    add("--max-plies", metavar="N", type=parse_positive, default=DEFAULT_MAX_PLIES,
        help="plies after which a game is unfinished (default: %(default)s)")  # fmt: skip
    add("--random-plies", metavar="N", type=parse_natural, default=DEFAULT_RANDOM_PLIES,
        help="random plies before each pair of games (default: %(default)s)")  # fmt: skip
    add_options(parser, TournamentSettings, ["seed", "concurrency"], concurrency="number of processors")
    add_options(parser, Outputs, ["database", "accept_changed_engine"],
                database="latrones-measure-ID.db, where ID depends on the settings")  # fmt: skip
    add("--json", action="store_true", help="print one JSON object")
    add("--html", metavar="FILE", help="write a page with charts, and the most dramatic game of each ruleset to replay")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is 0 if all games were played, 130 if it was interrupted."""
    return until_interrupted(partial(_measure, options), options, program)


def _measure(options: argparse.Namespace) -> int:
    page = None if options.html is None else Path(options.html)
    settings = _settings(options)
    outputs = with_database(settings, Outputs(**_given(options, Outputs, "database", "accept_changed_engine")),
                            "measure")  # fmt: skip
    database = outputs.database
    assert database is not None
    if page is not None:
        if page.resolve() == database.resolve():
            raise SettingsError(f"--html {quoted(str(page))}: would overwrite the database; expected another file")
        check_writable(page)
    with ExitStack() as stack:
        shown = stack.enter_context(LongWork())
        store = stack.enter_context(Store(database, writing=True))
        stack.callback(store.remove_unused)
        _play(settings, outputs, store, shown)
        found = read_qualities(store, shown)
        if page is not None:
            stored = stored_settings(store)
            dramatic = list(stored_games(store, stored, numbers=[each.dramatic for each in found]))
            write_whole(page, render_quality_page(found, dramatic, _facts(settings)))
        shown.clear()
    if options.json:
        figures = {"nodes": [each.control.nodes for each in settings.engines], "random_plies": options.random_plies,
                   "seed": settings.seed, "max_plies": options.max_plies}  # fmt: skip
        lines = ",\n".join(json.dumps(quality_to_data(each)) for each in found)  # a line for each
        print(f'{json.dumps(figures)[:-1]}, "rulesets": [\n{lines}\n]}}')
        return 0
    print("\n".join([", ".join(f"{label} {value}" for label, value in _facts(settings)), "", *render_qualities(found)]))
    print(f"\nDatabase: {database.resolve()}")
    if page is not None:
        print(f"Page: {page.resolve()}")
    return 0


def _play(settings: TournamentSettings, outputs: Outputs, store: Store, shown: LongWork) -> None:
    """Play the games that are missing.

    Raises:
        WaitInterruptedError: interrupted; finished games are kept.
    """
    interrupt, total = threading.Event(), settings.plan.games_at_least

    def observe(event: Event) -> None:
        match event:
            case GameFinished(_, standings):
                shown(f"{standings.games} of {counted(total, 'game')} played")
            case Warned(text):
                warn(text)

    def warn(text: str) -> None:
        shown.clear()
        print(text, file=sys.stderr, flush=True)

    accept = warn if outputs.accept_changed_engine else None
    with on_interrupt(interrupt.set), plain_workplace(settings, outputs, interrupt) as (executor, play_task):
        named = begin(settings, store, executor, play_task, utc_now(), accept)
        if Tournament(named, store, observe, interrupt).run(executor, play_task, shown).interrupted:
            raise WaitInterruptedError


# ---------------------------------------------------------------- settings


def _given(options: argparse.Namespace, kind: type, *names: str) -> dict[str, Any]:
    given = read_options(kind, options)
    return {name: given[name] for name in names if name in given}


def _settings(options: argparse.Namespace) -> TournamentSettings:
    """Return the match of the weaker and the stronger engine, which plays the rulesets in turn."""
    if options.games % 2:
        raise SettingsError(f"--games {options.games}: odd; expected an even number, as each opening is played with"
                            " both colours")  # fmt: skip
    for name, most in MAXIMA.items():
        if (value := getattr(options, name)) is not None and value > most:
            raise SettingsError(f"--{name.replace('_', '-')} {value}: too many; expected at most {most}")
    rulesets = list(_rulesets(options.names))
    if options.vary:
        key, values = _parse_vary(options.vary)
        rulesets = [_varied(ruleset, key, text) for ruleset in rulesets for text in values]
    for number, ruleset in enumerate(rulesets):
        if ruleset.name.lower() in {other.name.lower() for other in rulesets[:number]}:
            raise SettingsError(f"{quoted(ruleset.name)}: duplicate game; expected each game once")
    given = {"concurrency": processors(), **read_options(TournamentSettings, options)}
    given |= {"games": options.games * len(rulesets), "openings": f"random:{options.random_plies}"}
    settings = TournamentSettings(
        tuple(EngineSettings(OWN_ENGINE, TimeControl(nodes=nodes), name)
              for name, nodes in (("weaker", options.nodes), ("stronger", 2 * options.nodes))),
        tuple(VariantSettings(ruleset.name) for ruleset in rulesets), _file_of(rulesets),
        limits=GameLimits(max_plies=options.max_plies), **given,
    )  # fmt: skip
    check_openings(settings)
    return settings


def _facts(settings: TournamentSettings) -> list[tuple[str, str]]:
    """Return how the games were played, label and value."""
    weaker, stronger = (str(engine.control.nodes) for engine in settings.engines)
    return [("nodes", f"{weaker} and {stronger}"), ("random plies", settings.openings.partition(":")[2]),
            ("plies at most", str(settings.limits.max_plies)), ("seed", str(settings.seed))]  # fmt: skip


def _rulesets(names: Sequence[str]) -> Iterator[Ruleset]:
    """Yield the rulesets of games, files and sets.

    Raises:
        SettingsError: a game does not exist, or a file cannot be read or has an error; the message quotes it.
    """
    for name in names:
        is_file = name.lower().endswith(".toml")
        try:
            if name in VARIANT_SETS:
                yield from VARIANT_SETS[name]().values()
            elif is_file:
                yield from parse_file(read_variants(name)).values()
            else:
                yield find_variant(name)
        except VariantError as error:
            raise SettingsError(f"{quoted(name)}: {error}" if is_file else str(error)) from None


def _file_of(rulesets: Sequence[Ruleset]) -> VariantFile | None:
    """Return a file with those of the rulesets that are not built in; None if all are."""
    own = [ruleset for ruleset in rulesets if ruleset != all_variants().get(ruleset.name)]
    text = "\n".join(ruleset.to_toml() for ruleset in own)
    if len(own) > MAX_VARIANTS or len(text.encode()) > MAX_FILE_BYTES:
        raise SettingsError(f"{counted(len(own), 'ruleset')} of your own: too many for one measurement; expected"
                            f" at most {MAX_VARIANTS}, and {MAX_FILE_BYTES} bytes")  # fmt: skip
    return VariantFile("rulesets of 'variants measure'", text) if own else None


# ---------------------------------------------------------------- --vary


def _parse_vary(given: Sequence[str]) -> tuple[str, list[str]]:
    """Return the key and the values of ``--vary``."""
    if len(given) > 1:
        raise SettingsError(f"duplicate option --vary {quoted(given[1])}; expected one key")
    key, equals, rest = given[0].partition("=")
    keys = [key for key, *_ in documentation() if key not in _WORDS]
    if not equals:
        raise SettingsError(f"--vary {quoted(given[0])}: expected KEY=V1,V2,...")
    if key not in keys:
        hint = nearest_name(key, keys)
        raise SettingsError(f"--vary {quoted(given[0])}: unknown key {quoted(key)}"
                            f"{hint or '; expected one that latrones-uci variants show latrones prints'}")  # fmt: skip
    values = rest.split(",")
    for number, value in enumerate(values):
        if value in values[:number]:
            raise SettingsError(f"--vary {quoted(given[0])}: duplicate value {quoted(value)}")
    return key, values


def _varied(ruleset: Ruleset, key: str, text: str) -> Ruleset:
    """Return a ruleset with another value of one key, under a name of its own."""
    where = f"--vary {quoted(f'{key}={text}')}: {ruleset.name}"
    try:
        value = _value(key, text)
        if (problem := Ruleset.value_problem(key, value)) is not None:
            raise SettingsError(f"--vary {quoted(f'{key}={text}')}: {problem}")
        changed = replace(ruleset, name=f"{ruleset.name}.{key}-{text}", title=f"{ruleset.title}, {key} {text}",
                          **{key: value})  # fmt: skip
        if found := clashes(changed):
            raise SettingsError(f"{where}: {': '.join(found[0])}")
        changed.check_size(*changed.default_size)
        return parse_file(changed.to_toml())[changed.name]
    except LatronesError as error:
        raise SettingsError(f"{where}: {error}") from None


def _value(key: str, text: str) -> Any:
    """Return a value as in TOML, from a text without quotes."""
    if key in SIZE_KEYS:
        return parse_board_size(text)
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text
