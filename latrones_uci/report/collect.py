"""Collect the data of a report from a database."""

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Termination
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.standings import Meeting, Standings
from latrones_uci.match.summary import meeting_elo, render_elo_briefly, render_verdict
from latrones_uci.records.files import render_toml, write_whole
from latrones_uci.records.record import GameRecord, PlyRecord, termination_text
from latrones_uci.records.serialize import serialize
from latrones_uci.records.store import Store, StoredEngine
from latrones_uci.report.data import (
    Estimate,
    ReportData,
    ReportEngine,
    ReportGame,
    ReportPly,
    ReportSprt,
    ReportStanding,
)
from latrones_uci.report.page import render_report
from latrones_uci.stats import (
    EloEstimate,
    Sprt,
    likelihood_of_superiority,
    log_likelihood_ratio,
    mean_score,
    normalized_elo_estimate,
    score_interval,
)

_NS_PER_MS = 1_000_000
_MOST_RATIOS = 500
_NO_FAULT = frozenset({Termination.ADJUDICATION, Termination.RESIGNATION, Termination.INTERRUPTED})


def write_report(store: Store, page: Path) -> None:
    """Write the report of a match to an HTML file.

    Raises:
        StoreError: the database cannot be read, or contains no match.
        OSError: the file cannot be written.
    """
    write_whole(page, render_report(report_data(store)))


def report_data(store: Store) -> ReportData:
    """Return the data of the match in a database.

    Raises:
        StoreError: the database cannot be read, or contains no match.
    """
    settings = stored_settings(store)
    engines = store.engines()
    records = list(stored_games(store, settings))
    standings = Standings(tuple(engine.name for engine in engines))
    for record in records:
        standings.add(record)
    starts = [start_position(variant, settings.variant_file) for variant in settings.variants]
    return ReportData(
        title=match_title(standings.names),
        date=store.created().replace("T", " ").replace("Z", " UTC"),
        engines=tuple(map(_engine, engines, settings.engines)),
        games=tuple(_game(record) for record in records),
        rulesets={start.ruleset.name: start.ruleset for start in starts},
        standings=standing_rows(standings),
        sprt=None if settings.sprt is None else _sprt(settings.sprt, records, store.verdict()),
        summary=tuple(_summary(standings, settings)),
        settings=tuple(_settings(settings)),
    )


def match_title(names: Sequence[str]) -> str:
    """Return the title of a match."""
    return " against ".join(names) if len(names) == 2 else f"Tournament of {len(names)} engines"


def _engine(stored: StoredEngine, settings: EngineSettings) -> ReportEngine:
    details = {
        "author": stored.id_author,
        "bench signature": stored.signature,
        "program (SHA-256)": stored.command_hash[:16],
    }
    return ReportEngine(
        stored.name,
        shlex.join(stored.command),
        settings.control.to_text(),
        settings.options,
        stored.id_name,
        tuple((label, value) for label, value in details.items() if value),
    )


def _game(record: GameRecord) -> ReportGame:
    game, fixture = record.game, record.fixture
    outcome = game.outcome
    faultless = outcome.termination.by_rules or outcome.termination in _NO_FAULT
    blamed = None if faultless or outcome.winner is None else 1 - outcome.winner
    termination, details = termination_text(outcome)
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
        plies=tuple(map(_ply, game.plies)),
        round=str(fixture.round + 1),
        opening=fixture.opening,
        counts=record.counts,
        fault="" if blamed is None else _fault(record),
        culprit=None if blamed is None else (fixture.white, fixture.black)[blamed],
        violations=game.violations,
        stderr="" if game.fault is None else "\n".join(game.fault.stderr),
    )


def _fault(record: GameRecord) -> str:
    game = record.game
    sent = f" ({game.offence.text})" if game.offence is not None and game.offence.text else ""
    return f"{game.outcome.details}{sent}"


def _ply(ply: PlyRecord) -> ReportPly:
    left_ns = ply.clock_left_ns
    return ReportPly(
        ply.text,
        ply.side,
        ply.movenumber,
        ply.elapsed_ns / _NS_PER_MS,
        None if left_ns is None else left_ns / _NS_PER_MS,
        ply.info.score_centi,
        ply.info.mate,
        ply.info.depth,
        ply.info.nodes,
    )


def standing_rows(standings: Standings) -> tuple[ReportStanding, ...]:
    """Return the standings with the figures of each engine, the best first."""
    return tuple(_standing(standings, engine) for engine in standings.ranking())


def _standing(standings: Standings, engine: int) -> ReportStanding:
    total = standings.total(engine)
    remarks = []
    if sum(total.pairs):
        remarks.append(("LOS", f"{likelihood_of_superiority(total.pairs):.1%}"))
        remarks.append(("normalised Elo", render_elo_briefly(normalized_elo_estimate(total.pairs))))
        remarks.append(("pairs 0, ½, 1, 1½, 2", ", ".join(map(str, total.pairs))))
    elo = _estimate(meeting_elo(total)) if total.games else None
    return ReportStanding(engine, total.wins, total.draws, total.losses, elo, tuple(remarks))


def _estimate(elo: EloEstimate) -> Estimate:
    return Estimate(elo.difference, elo.lower, elo.upper)


def _sprt(sprt: Sprt, records: Iterable[GameRecord], verdict: str) -> ReportSprt:
    """Return the test with the ratio after each completed pair in order, or after some of them if there are many."""
    meeting = Meeting()
    passed: list[tuple[int, tuple[int, int, int, int, int]]] = []
    for record in records:
        white, winner = record.fixture.white, record.game.outcome.winner
        points = 0.5 if winner is None else float((white, record.fixture.black)[winner] == 0)
        before = sum(meeting.pairs)
        meeting.add(record.fixture.pair, points)
        if sum(meeting.pairs) > before:
            passed.append((meeting.games, meeting.pairs))
    step = max(1, len(passed) // _MOST_RATIOS)
    kept = passed[::step] + ([passed[-1]] if passed and (len(passed) - 1) % step else [])
    ratios = ((0, 0.0), *((games, log_likelihood_ratio(sprt, pairs)) for games, pairs in kept))
    return ReportSprt(
        sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta, sprt.model, sprt.lower, sprt.upper, ratios, render_verdict(verdict)
    )


def _summary(standings: Standings, settings: TournamentSettings) -> Iterable[tuple[str, str]]:
    yield "games", str(standings.games)
    if len(standings.names) == 2 and (meeting := standings.meeting(0, 1)).games:
        yield "won-drawn-lost", f"{meeting.wins}-{meeting.draws}-{meeting.losses}"
        low, high = score_interval(*meeting.counts)
        yield "score", f"{mean_score(*meeting.counts):.1%} ({low:.1%} to {high:.1%})"
        yield "Elo", render_elo_briefly(meeting_elo(meeting))
    yield "variant", ", ".join(variant.to_text() for variant in settings.variants)
    faults = Counter(name for name in standings.terminations.elements() if " of " in name)
    yield "faults", ", ".join(f"{count} {name}" for name, count in faults.most_common()) or "none"


def _settings(settings: TournamentSettings) -> Iterable[tuple[str, str]]:
    """Yield all settings except the engines, which the report lists separately."""
    data = serialize(settings)
    del data["engines"]
    data.pop("variant_file", None)
    for line in render_toml(data).splitlines():
        key, equals, value = line.partition(" = ")
        if equals:
            yield key, value
