"""Read the matches of a report from one or several databases."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.match.joining import JoinedMatch, JoinedMatches
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import render_verdict
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.record import GameRecord
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredEngine
from latrones_uci.text.files import OnReading, report_nothing
from latrones_uci.text.messages import counted
from latrones_uci.text.toml import render_toml
from latrones_uci.web.match.figures import date_text


@dataclass(frozen=True)
class ReportedMatch:
    """A match, or several that are joined.

    Strings of engines and files can contain anything; the report escapes them.
    """

    date: str
    """When it started, as text."""
    engines: Sequence[StoredEngine]
    engine_settings: Sequence[EngineSettings]
    records: Sequence[GameRecord]
    standings: Standings
    """The standings after them."""
    variants: Sequence[str]
    """The variants with their boards."""
    settings: Sequence[tuple[str, str]]
    """The settings, label and value."""
    tournament: TournamentSettings | None = None
    """The settings of a single match. Sequential tests are not joined: each is decided by its own games."""
    verdict: str = ""
    tuned: Mapping[str, Sequence[tuple[int, float]]] = field(default_factory=dict)
    """Of each parameter of a tuning, numbers of games and the value after them, from 0 games on."""


def stored_match(store: Store, report: OnReading = report_nothing) -> ReportedMatch:
    """Return the match in a database.

    Raises:
        StoreError: the database cannot be read, or contains no match.
    """
    settings, engines, records = stored_settings(store), store.engines(), list[GameRecord]()
    standings = Standings(tuple(engine.name for engine in engines), settings.plan)
    for record in stored_games(store, settings):
        records.append(record)
        standings.add(record)
        report(f"{store.path}: {counted(len(records), 'game')}")
    return ReportedMatch(
        date_text(store.created()), engines, settings.engines, records, standings,
        [variant.to_text() for variant in settings.variants], list(_settings(settings)), settings, store.verdict(),
        _tuned(settings, store))


def _tuned(settings: TournamentSettings, store: Store) -> dict[str, list[tuple[int, float]]]:
    parameters = () if settings.tuning is None else settings.tuning.parameters
    updates = store.updates()
    with store.reading():
        return {parameter.name: [(0, float(parameter.start)),
                                 *((2 * number, update.values[parameter.name])
                                   for number, update in enumerate(updates, start=1))]
                for parameter in parameters}


def joined_match(joined: JoinedMatches) -> ReportedMatch:
    dates = sorted(date_text(match.created) for match in joined.matches)
    standings = Standings(tuple(engine.name for engine in joined.engines))
    for record in joined.records:
        standings.add(record)
    return ReportedMatch(
        " to ".join(dict.fromkeys((dates[0], dates[-1]))), joined.engines, joined.settings, joined.records, standings,
        joined.variants, list(_joined_settings(joined.matches)))


def _settings(settings: TournamentSettings) -> Iterable[tuple[str, str]]:
    """Yield all settings except the engines, which the report lists separately."""
    data = serialize(settings)
    del data["engines"]
    for key in ("variant_file", "tuning"):
        data.pop(key, None)
    table = ""
    for line in render_toml(data).splitlines():
        key, equals, value = line.partition(" = ")
        if equals:
            label = "games per pairing" if key == "games" else key
            yield f"{table}{label}", _value_text(value)
        elif line.startswith("["):
            table = f"{line.strip('[]')}."


def _value_text(value: str) -> str:
    """Return a TOML value without quotes and brackets if it is a string or a list of strings."""
    parsed = tomllib.loads(f"value = {value}")["value"]
    if isinstance(parsed, list) and all(isinstance(item, str) for item in parsed):
        return ", ".join(parsed)
    return parsed if isinstance(parsed, str) else value


def _joined_settings(matches: Sequence[JoinedMatch]) -> Iterable[tuple[str, str]]:
    """Yield the matches, the settings that they have in common, and those in which they differ."""
    each = [dict(_settings(match.settings)) for match in matches]
    for match in matches:
        verdict = f", {render_verdict(match.verdict)}" if match.settings.sprt is not None else ""
        games = f"games {match.first} to {match.last}" if match.last >= match.first else "no games"
        left_out = f", without {counted(match.duplicates, 'duplicate game')}" if match.duplicates else ""
        yield match.name, f"{games}{left_out}, started {date_text(match.created)}{verdict}"
    keys = dict.fromkeys(key for settings in each for key in settings)
    common = {key for key in keys if len({settings.get(key) for settings in each}) == 1}
    yield from ((key, each[0][key]) for key in keys if key in common)
    for match, settings in zip(matches, each, strict=True):
        yield from ((f"{match.name}: {key}", value) for key, value in settings.items() if key not in common)
