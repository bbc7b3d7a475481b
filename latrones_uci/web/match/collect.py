"""Collect the data of a report from one or several databases."""

import shlex
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Outcome
from latrones_uci.match.joining import JoinedMatch, JoinedMatches
from latrones_uci.match.rounds import bracket_places, current_round, round_name, rounds_table
from latrones_uci.match.standings import Meeting, Standings, points_of_first
from latrones_uci.match.summary import estimate_meeting, more_games, rate_standings, render_elo, render_verdict
from latrones_uci.match.tuner import engine_of_tuning, option_words
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.engine_files import PROGRAM, files_from_text
from latrones_uci.records.plan import Plan
from latrones_uci.records.record import GameRecord, termination_text
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredEngine
from latrones_uci.stats import Estimate, Interval, log_likelihood_ratio
from latrones_uci.stats.bradley_terry import Rating, RatingList
from latrones_uci.stats.spsa import Spsa
from latrones_uci.text.files import Report, report_nothing, write_whole
from latrones_uci.text.messages import counted
from latrones_uci.text.toml import render_toml
from latrones_uci.web.lib.markup import typeset
from latrones_uci.web.match.data import (
    ReportData,
    ReportEngine,
    ReportGame,
    ReportParameter,
    ReportSprt,
    ReportStanding,
    ReportTuning,
)
from latrones_uci.web.match.page import render_report

_MAX_RATIOS = 500


def write_report(store: Store, page: Path, report: Report = report_nothing) -> None:
    """Write the report of a match to an HTML file.

    Raises:
        StoreError: the database cannot be read, or contains no match.
        OSError: the file cannot be written.
    """
    write_whole(page, render_report(report_data(store, report)))


def write_joined_report(stores: Sequence[Store], page: Path, report: Report = report_nothing) -> int:
    """Write one report of several matches to an HTML file, and return how many duplicate games were left out.

    Raises:
        StoreError: a database cannot be read, or contains no match.
        SettingsError: the matches cannot be joined.
        OSError: the file cannot be written.
    """
    joined = JoinedMatches(stores, report)
    write_whole(page, render_report(joined_report_data(joined)))
    return sum(match.duplicates for match in joined.matches)


def report_data(store: Store, report: Report = report_nothing) -> ReportData:
    """Return the data of the match in a database.

    Raises:
        StoreError: the database cannot be read, or contains no match.
    """
    settings = stored_settings(store)
    records = []
    for record in stored_games(store, settings):
        records.append(record)
        report(f"{store.path}: {counted(len(records), 'game')}")
    starts = [start_position(variant, settings.variant_file) for variant in settings.variants]
    data = ReportData(
        date=_date(store.created()),
        rulesets={start.ruleset.name: start.ruleset for start in starts},
        sprt=None if settings.sprt is None else _sprt(settings, records, store.verdict()),
        settings=tuple(_settings(settings)),
        **_results(store.engines(), settings.engines, records, [variant.to_text() for variant in settings.variants],
                   settings.plan),
    )
    return data if settings.tuning is None else _with_tuning(data, settings, settings.tuning, store)


def _with_tuning(data: ReportData, settings: TournamentSettings, tuning: Spsa, store: Store) -> ReportData:
    """Add the tuning. Between its two sides, which are the same engine, there is no difference to report."""
    updates, pairs = store.updates(), settings.games // 2
    with store.reading():
        parameters = tuple(
            ReportParameter(
                parameter.name, parameter.start, parameter.minimum, parameter.maximum, parameter.step,
                ((0, float(parameter.start)),
                 *((2 * number, update.values[parameter.name]) for number, update in enumerate(updates, start=1))),
            )
            for parameter in tuning.parameters
        )
    values = {parameter.name: parameter.value for parameter in parameters}
    figures = dict(data.summary)
    kept = ("games", "won-drawn-lost", "variant", "faults")
    return replace(
        data,
        title=f"Tuning of {engine_of_tuning(settings)}",
        standings=(),
        summary=tuple((label, figures[label]) for label in kept if label in figures),
        tuning=ReportTuning(parameters, tuning.rate_of(pairs), (len(updates), pairs), option_words(values)),
    )


def joined_report_data(joined: JoinedMatches) -> ReportData:
    """Return the data of several matches. Sequential tests are not joined: each is decided by its own games."""
    dates = sorted(match.created for match in joined.matches)
    return ReportData(
        date=" to ".join(dict.fromkeys((_date(dates[0]), _date(dates[-1])))),
        rulesets=joined.rulesets,
        settings=tuple(_joined_settings(joined.matches)),
        **_results(joined.engines, joined.settings, joined.records, joined.variants),
    )


def _results(
    engines: Sequence[StoredEngine],
    settings: Sequence[EngineSettings],
    records: Sequence[GameRecord],
    variants: Sequence[str],
    plan: Plan | None = None,
) -> dict[str, Any]:
    """Return the fields of ``ReportData`` that depend only on the engines and the games."""
    standings = Standings(tuple(engine.name for engine in engines), plan)
    for record in records:
        standings.add(record)
    ratings = rate_standings(standings)
    return {
        "title": match_title(standings.names),
        "engines": tuple(map(_engine, engines, settings)),
        "games": tuple(map(report_game, records)),
        "standings": standing_rows(standings, ratings),
        "meetings": _meetings(standings),
        "superiority": _superiority(standings, ratings),
        "summary": tuple(_summary(standings, variants)),
        "rounds": rounds_table(standings.schedule, standings.names),
        "bracket": () if plan is None else tuple(
            (round_name(plan, number), tuple(places))
            for number, places in enumerate(bracket_places(standings.schedule))
        ),
    }


def _date(created: str) -> str:
    return created.replace("T", " ").replace("Z", " UTC")


def match_title(names: Sequence[str]) -> str:
    """Return the title of a match."""
    return " against ".join(names) if len(names) == 2 else f"Tournament of {len(names)} engines"


def _engine(stored: StoredEngine, settings: EngineSettings) -> ReportEngine:
    details = {
        "ponder": "on" if settings.ponder else "",
        "time margin": "" if settings.margin_ms is None else f"{settings.margin_ms} ms",
        "variant file": settings.variant_path or "",
        "environment": " ".join(f"{name}={value}" for name, value in settings.environment),
        "author": stored.id_author,
        "bench signature": stored.signature,
        **{f"{name} (SHA-256)": found for name, found in _files(stored).items()},
    }
    return ReportEngine(
        stored.name,
        shlex.join(stored.command),
        settings.control.to_text(),
        settings.options,
        stored.id_name,
        tuple((label, value) for label, value in details.items() if value),
    )


def _files(stored: StoredEngine) -> dict[str, str]:
    files = files_from_text(stored.files)
    return {PROGRAM: stored.files[:16]} if files is None else files


def ending_text(outcome: Outcome) -> tuple[str, str]:
    """Return how a game ended, as its record has it, and one line on that, empty if it ended by the rules."""
    return (outcome.reason, "") if outcome.termination.by_rules else termination_text(outcome)


def report_game(record: GameRecord) -> ReportGame:
    """Return a game of the report."""
    game, fixture = record.game, record.fixture
    outcome = game.outcome
    sent = f" ({game.offence.text})" if game.offence is not None and game.offence.text else ""
    blamed = 1 - outcome.winner if outcome.termination.is_fault and outcome.winner is not None else None
    termination, details = ending_text(outcome)
    return ReportGame(
        number=fixture.number,
        variant=game.start.ruleset.name,
        size=(game.start.geometry.files, game.start.geometry.ranks),
        start_fen=game.start.fen(),
        white=fixture.white,
        black=fixture.black,
        winner=outcome.winner,
        termination=termination,
        details=details,
        plies=game.plies,
        round=str(fixture.round + 1),
        opening=fixture.opening,
        counts=record.counts,
        fault="" if blamed is None else f"{outcome.details}{sent}",
        culprit=None if blamed is None else (fixture.white, fixture.black)[blamed],
        violations=game.violations,
        stderr="" if game.fault is None else "\n".join(game.fault.stderr),
    )


def standing_rows(standings: Standings, ratings: RatingList | None) -> tuple[ReportStanding, ...]:
    """Return the difference of two engines, or of more their joint ratings from ``rate_standings``, the best first."""
    if len(standings.names) == 2:
        return tuple(_opponent(standings, engine) for engine in standings.ranking())
    rated = {} if ratings is None else {standings.names.index(rating.name): rating for rating in ratings.ratings}
    order = [*rated, *(engine for engine in standings.ranking() if engine not in rated)]
    return tuple(_rated(standings, engine, rated.get(engine)) for engine in order)


def _opponent(standings: Standings, engine: int) -> ReportStanding:
    total = standings.total(engine)
    if not total.games:
        return ReportStanding(engine, total)
    found = estimate_meeting(total)
    remarks = (("LOS", f"{found.los:.1%}"),)
    unpaired = len(total.half_pairs) if found.paired else 0
    return ReportStanding(engine, total, found.elo, remarks, found.score.value, unpaired)


def _rated(standings: Standings, engine: int, rating: Rating | None) -> ReportStanding:
    total = standings.total(engine)
    if rating is None:
        return ReportStanding(engine, total)
    elo = Interval(rating.elo, rating.elo - rating.margin, rating.elo + rating.margin)
    drawn = f"{rating.draws / rating.games:.1%}"
    remarks = (("Average opponent", typeset(f"{rating.opponents:+z.1f}")), ("Draws", drawn))
    return ReportStanding(engine, total, elo, remarks)


def _meetings(standings: Standings) -> dict[tuple[int, int], Meeting]:
    """Return the games of each two engines that met, for more than two engines."""
    engines = range(len(standings.names))
    if len(engines) == 2:
        return {}
    return {(own, other): meeting for own in engines for other in engines
            if own != other and (meeting := standings.meeting(own, other)).games}


def _superiority(standings: Standings, ratings: RatingList | None) -> dict[tuple[int, int], float]:
    """Return the likelihood that one engine is stronger than another, by their indices, for more than two engines."""
    if ratings is None or len(standings.names) == 2:
        return {}
    index = {name: number for number, name in enumerate(standings.names)}
    return {(index[one], index[other]): chance for (one, other), chance in ratings.superiority.items()}


def _sprt(settings: TournamentSettings, records: Iterable[GameRecord], verdict: str) -> ReportSprt:
    """Return the test with the ratio after each completed pair in order, or after some of them if there are many."""
    sprt = settings.sprt
    assert sprt is not None
    meeting = Meeting()
    passed: list[tuple[int, tuple[int, int, int, int, int]]] = []
    for record in records:
        before = sum(meeting.pairs)
        meeting.add(record.fixture.pair, points_of_first(record))
        if sum(meeting.pairs) > before:
            passed.append((meeting.games, meeting.pairs))
    step = max(1, len(passed) // _MAX_RATIOS)
    kept = passed[::step] + ([passed[-1]] if passed and (len(passed) - 1) % step else [])
    ratios = ((0, 0.0), *((games, log_likelihood_ratio(sprt, pairs)) for games, pairs in kept))
    more = None if verdict else more_games(settings, meeting.pairs)
    return ReportSprt(sprt, ratios, render_verdict(verdict), more)


def _summary(standings: Standings, variants: Sequence[str]) -> Iterable[tuple[str, str]]:
    yield "games", str(standings.games)
    if (schedule := standings.schedule) is not None and schedule.rounds:
        yield "rounds", "all played" if schedule.complete else current_round(schedule)
        if schedule.winner is not None:
            yield "winner", standings.names[schedule.winner]
    if len(standings.names) == 2 and (meeting := standings.meeting(0, 1)).games:
        yield "won-drawn-lost", meeting.record
        found: Estimate = estimate_meeting(meeting)
        yield "score (95%)", f"{found.score.value:.1%} ({found.score.low:.1%} to {found.score.high:.1%})"
        yield "Elo difference (95%)", typeset(render_elo(found.elo))
        yield "normalised Elo (95%)", typeset(render_elo(found.normalized_elo))
        yield "LOS", f"{found.los:.1%}"
        if found.paired:
            yield "pairs with 0, \u00bd, 1, 1\u00bd, 2 points", ", ".join(map(str, meeting.pairs))
    yield "variant", ", ".join(variants)
    yield "faults", ", ".join(f"{count} {name}" for name, count in standings.faults.most_common()) or "none"


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
        yield match.name, f"{games}{left_out}, started {_date(match.created)}{verdict}"
    keys = dict.fromkeys(key for settings in each for key in settings)
    common = {key for key in keys if len({settings.get(key) for settings in each}) == 1}
    yield from ((key, each[0][key]) for key in keys if key in common)
    for match, settings in zip(matches, each, strict=True):
        yield from ((f"{match.name}: {key}", value) for key, value in settings.items() if key not in common)
