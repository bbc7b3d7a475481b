"""Read the matches of a report from one or several databases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
from latrones_uci.text.toml import toml_value
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


def _settings(settings: TournamentSettings) -> Iterator[tuple[str, str]]:
    """Yield all settings except the engines, which the report lists separately."""
    hidden = ("engines", "variant_file", "tuning")
    return _labelled({key: value for key, value in serialize(settings).items() if key not in hidden})


def _labelled(data: Mapping[str, Any], table: str = "") -> Iterator[tuple[str, str]]:
    """Yield labels and values, those of tables last and with the names of their tables."""
    for key, value in sorted(data.items(), key=lambda item: isinstance(item[1], dict)):
        label = f"{table}{'games per pairing' if key == 'games' else key}"
        if isinstance(value, dict):
            yield from _labelled(value, f"{label}.")
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            yield label, ", ".join(value)
        else:
            yield label, value if isinstance(value, str) else toml_value(value)


def _joined_settings(matches: Sequence[JoinedMatch]) -> Iterator[tuple[str, str]]:
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
