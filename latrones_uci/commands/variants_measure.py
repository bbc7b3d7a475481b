"""The command ``latrones-uci variants measure``: measure the quality of games by self-play."""

import argparse
import json
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError, WaitInterruptedError
from latrones_uci.client.processors import processors
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.commands.arguments import LongWork, Parser, on_interrupt, parse_natural, parse_positive
from latrones_uci.commands.match_arguments import Outputs, add_options, read_options, until_interrupted
from latrones_uci.game import (
    VARIANT_SETS,
    LatronesError,
    Ruleset,
    VariantError,
    all_variants,
    find_variant,
    parse_board_size,
    parse_file,
    read_variants,
)
from latrones_uci.game.ruleset import SIZE_KEYS, clashes, documentation, keys_of
from latrones_uci.match.events import GameFinished, MatchEvent, Warned
from latrones_uci.match.run import open_place, play
from latrones_uci.records.database import fingerprint, match_in, stored_games, stored_settings
from latrones_uci.records.record import GameRecord
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.studies.quality import Quality, quality_to_data, read_quality, render_qualities
from latrones_uci.text.files import check_writable, write_whole
from latrones_uci.text.messages import counted, nearest_name, quoted
from latrones_uci.web.match.quality_page import render_quality_page

DEFAULT_GAMES, DEFAULT_NODES, DEFAULT_MAX_PLIES, DEFAULT_RANDOM_PLIES = 500, 500, 400, 4
MAXIMA = {"random_plies": 1000, "concurrency": 256}
_DESCRIPTION = """\
Measure the quality of games. This project's engine plays itself, at two strengths, from random openings with both
colours; the games say how long they take, who wins, how much skill matters, how dramatic they are, and which rules and
captures never matter. Rerun the command to resume; more --games continue the same measurement.

GAME is a variant, all variants of a TOML file, or a set: core, ludii or all. See docs/variants.md for every figure.

  latrones-uci variants measure latrones my.toml
  latrones-uci variants measure latrones --vary nocapture_limit=50,100,200 --html page.html
"""


def configure(parser: Parser) -> None:
    parser.description = _DESCRIPTION
    add = parser.add_argument
    add("names", nargs="+", metavar="GAME|FILE.toml", help="games to measure")
    add("--games", metavar="N", type=parse_positive, default=DEFAULT_GAMES,
        help="games of each ruleset, an even number; may be raised (default: %(default)s)")
    add("--nodes", metavar="N", type=parse_positive, default=DEFAULT_NODES,
        help="nodes per move of the weaker side; the stronger has twice as many (default: %(default)s)")
    add("--vary", metavar="KEY=V1,V2,...", action="append", default=[],
        help="measure each game with each of these values of a key instead")
    add("--max-plies", metavar="N", type=parse_positive, default=DEFAULT_MAX_PLIES,
        help="plies after which a game is unfinished (default: %(default)s)")
    add("--random-plies", metavar="N", type=parse_natural, default=DEFAULT_RANDOM_PLIES,
        help="random plies before each pair of games (default: %(default)s)")
    add_options(parser, TournamentSettings, ["seed", "concurrency"], concurrency="number of processors")
    add("--folder", metavar="DIR", default="latrones-measure", help="folder for the databases of the games, one for"
        " each ruleset; rerun the command to resume (default: %(default)s)")
    add_options(parser, Outputs, ["accept_changed_engine"])
    add("--json", action="store_true", help="print one JSON object")
    add("--html", metavar="FILE", help="write a page with charts, and the most dramatic game of each ruleset to replay")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command; the exit status is 0 if all games were played, 130 if it was interrupted."""
    return until_interrupted(partial(_measure, options), options, program)


def _measure(options: argparse.Namespace) -> int:
    page = None if options.html is None else Path(options.html)
    folder, matches = Path(options.folder), _matches(options)
    if page is not None:
        check_writable(page)
    folder.mkdir(parents=True, exist_ok=True)
    found, dramatic, databases = list[Quality](), list[GameRecord](), list[Path]()
    with LongWork() as shown:
        for settings in matches:
            databases.append(folder / f"{settings.variants[0].name}-{fingerprint(settings)}.db")
        _play(matches, databases, shown, accept_changed=bool(options.accept_changed_engine))
        for database in databases:
            with Store(database, writing=False) as store:
                found.append(read_quality(store, shown))
                dramatic += stored_games(store, stored_settings(store), numbers=[found[-1].dramatic])
    if page is not None:
        write_whole(page, render_quality_page(found, dramatic, _facts(options)))
    if options.json:
        figures = {"nodes": [options.nodes, 2 * options.nodes], "random_plies": options.random_plies,
                   "seed": matches[0].seed, "max_plies": options.max_plies}
        rows = ({"database": str(database)} | quality_to_data(each)
                for database, each in zip(databases, found, strict=True))
        lines = ",\n".join(map(json.dumps, rows))  # a line for each
        print(f'{json.dumps(figures)[:-1]}, "rulesets": [\n{lines}\n]}}')
        return 0
    print("\n".join([", ".join(f"{label} {value}" for label, value in _facts(options)), "", *render_qualities(found)]))
    print(f"\nDatabases: {folder.resolve()}")
    if page is not None:
        print(f"Page: {page.resolve()}")
    return 0


def _play(
    matches: Sequence[TournamentSettings], databases: Sequence[Path], shown: LongWork, *, accept_changed: bool
) -> None:
    """Play the games that are missing, those of one ruleset after the other, so that engines are kept.

    Raises:
        WaitInterruptedError: interrupted; finished games are kept.
    """
    interrupt = threading.Event()

    def warn(text: str) -> None:
        shown.clear()
        print(text, file=sys.stderr, flush=True)

    def observe(event: MatchEvent) -> None:
        match event:
            case GameFinished(record, standings):
                name = record.game.start.ruleset.name
                shown(f"{name}: {counted(standings.games, 'game')} played")
            case Warned(text):
                warn(text)

    with on_interrupt(interrupt.set), open_place(matches[0], interrupt.is_set) as place:
        for settings, database in zip(matches, databases, strict=True):
            before = match_in(database)
            games = max(settings.games, 0 if before is None else before.games)
            finished = play(replace(settings, games=games), database, place, observe, interrupt,
                            accept_changed=accept_changed, reading=shown)
            if finished.interrupted:
                raise WaitInterruptedError


# ---------------------------------------------------------------- settings


def _matches(options: argparse.Namespace) -> list[TournamentSettings]:
    """Return the match of the weaker and the stronger engine for each ruleset."""
    if options.games % 2:
        raise SettingsError(f"--games {options.games}: odd; expected an even number, as each opening is played with"
                            " both colours")
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
    engines = [EngineSettings(OWN_ENGINE, TimeControl(nodes=nodes), name)
               for name, nodes in (("weaker", options.nodes), ("stronger", 2 * options.nodes))]
    given = {"concurrency": processors(), **read_options(TournamentSettings, options)}
    given |= {"games": options.games, "openings": f"random:{options.random_plies}"}
    return [
        TournamentSettings(tuple(engines), (VariantSettings(ruleset.name),), _file_of(ruleset),
                           limits=GameLimits(max_plies=options.max_plies), **given)
        for ruleset in rulesets
    ]


def _facts(options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return how the games were played, label and value."""
    return [("nodes", f"{options.nodes} and {2 * options.nodes}"), ("random plies", str(options.random_plies)),
            ("plies at most", str(options.max_plies)), ("seed", str(options.seed or 0))]


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


def _file_of(ruleset: Ruleset) -> VariantFile | None:
    """Return a file with a ruleset for the engines, None if it is built in."""
    if ruleset == all_variants().get(ruleset.name):
        return None
    return VariantFile("a ruleset of 'variants measure'", ruleset.to_toml())


# ---------------------------------------------------------------- --vary


def _parse_vary(given: Sequence[str]) -> tuple[str, list[str]]:
    """Return the key and the values of ``--vary``."""
    if len(given) > 1:
        raise SettingsError(f"duplicate option --vary {quoted(given[1])}; expected one key")
    key, equals, rest = given[0].partition("=")
    keys = [key for key, *_ in documentation() if key not in keys_of("words")]
    if not equals:
        raise SettingsError(f"--vary {quoted(given[0])}: expected KEY=V1,V2,...")
    if key not in keys:
        hint = nearest_name(key, keys)
        raise SettingsError(f"--vary {quoted(given[0])}: unknown key {quoted(key)}"
                            f"{hint or '; expected one that latrones-uci variants show latrones prints'}")
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
                          origins="", **{key: value})
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
