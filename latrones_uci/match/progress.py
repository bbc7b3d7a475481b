"""Show the progress of a tournament: a line that is updated on a terminal, plain lines elsewhere, or JSON events."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from math import isinf
from typing import Any, Protocol

from latrones_uci.match.events import (
    GameFinished,
    GameStarted,
    MatchEvent,
    MovePlayed,
    ParametersUpdated,
    RoundStarted,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.progress_bar import render_bar
from latrones_uci.match.schedule import Schedule
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import (
    estimate_meeting,
    games_left_out,
    more_games,
    render_game_line,
    render_summary,
)
from latrones_uci.match.tuner import render_parameters
from latrones_uci.records.plan import Fixture, Format
from latrones_uci.records.record import PLY_COLUMNS, GameRecord, game_to_data, ply_to_row
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Estimate, Interval
from latrones_uci.text.clock import now_s

_MAX_PAIRINGS = 10
_FORECAST_EVERY_S = 3.0
_CLEAR_LINE = "\r\x1b[K"


class Writer(Protocol):
    """Where text is printed."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


class ProgressLines:
    """Prints progress as text. An observer of a tournament (see ``events.Observer``)."""

    def __init__(self, out: Writer, *, live: bool, quiet: bool) -> None:
        """Start without output.

        ``live`` says that ``out`` is a terminal on which a line can be updated; ``quiet``, to print only the summary.
        """
        self._out, self._live, self._quiet = out, live and not quiet, quiet
        self._settings: TournamentSettings | None = None
        self._parameters: Mapping[str, float] = {}
        self._games = 0
        self._standings: Standings | None = None
        self._played_before = 0
        self._start_s = now_s()
        self._more_games: int | None = None
        self._forecast_due_s = 0.0
        self._violations: set[str] = set()

    def __call__(self, event: MatchEvent) -> None:
        match event:
            case TournamentStarted(settings, games, standings, parameters, kernels):
                self._settings, self._games, self._played_before = settings, games, standings.games
                self._start_s, self._standings, self._parameters = now_s(), standings, parameters
                self._violations = set(standings.violations)
                if standings.games and not self._quiet:
                    of_all = "" if settings.sprt is not None else f" of {games}"
                    self._line(f"resumed: {standings.games}{of_all} games already played")
                for engine, kernel in zip(settings.engines, kernels, strict=False):
                    if kernel and not self._quiet:
                        self._line(f"{engine.name}: kernel {kernel}")
                self._show_bar(standings)
            case RoundStarted():
                self._games = event.games
                assert self._settings is not None
                assert self._standings is not None
                if not self._quiet:
                    self._line(render_round(event, [engine.name or "" for engine in self._settings.engines]))
                self._show_bar(self._standings)
            case GameFinished(record, standings, _):
                assert self._settings is not None
                if not self._quiet and (not self._live or record.game.outcome.termination.is_fault):
                    self._line(render_game_line(record, standings, self._games, self._settings.sprt))
                for line in new_violations(record, standings, self._violations):
                    if not self._quiet:
                        self._line(line)
                self._show_bar(standings)
            case ParametersUpdated(pair, result, parameters=parameters):
                self._parameters = parameters
                if not self._quiet and not self._live:
                    points = f"{result:+d}" if result else "even"
                    self._line(f"pair {pair + 1}/{self._games // 2}: {points} | {render_parameters(parameters)}")
            case Warned(text):
                self._line(f"warning: {text}")
            case TournamentFinished(standings, _, verdict, _, parameters):
                assert self._settings is not None
                summary = render_summary(standings, self._settings, verdict, parameters)
                self._line(("" if self._quiet else "\n") + summary)

    def _line(self, text: str) -> None:
        self._out.write(f"{_CLEAR_LINE if self._live else ''}{text}\n")
        self._out.flush()

    def _show_bar(self, standings: Standings) -> None:
        if self._live and self._settings is not None:
            elapsed_s = now_s() - self._start_s
            width = shutil.get_terminal_size().columns - 1  # a line that wraps cannot be updated
            bar = render_bar(standings, self._settings, self._games, standings.games - self._played_before, elapsed_s,
                             self._parameters, self._forecast(standings, elapsed_s), width)
            self._out.write(_CLEAR_LINE + bar)
            self._out.flush()

    def _forecast(self, standings: Standings, elapsed_s: float) -> int | None:
        """Return how many more games a sequential test will probably take; computed now and then, as that is slow."""
        assert self._settings is not None
        if elapsed_s >= self._forecast_due_s:
            self._more_games = more_games(self._settings, standings.meeting(0, 1).pairs)
            self._forecast_due_s = elapsed_s + _FORECAST_EVERY_S
        return self._more_games


def new_violations(record: GameRecord, standings: Standings, known: set[str]) -> list[str]:
    """Return a line for each rule that an engine broke first in this game, the last one of the standings.

    ``known`` are the violations of the standings so far; new ones are added.
    """
    if len(standings.violations) == len(known):
        return []
    new = [line for line in standings.violations if line not in known]
    known.update(new)
    return [f"game {record.fixture.number}: {line}{f': {example}' if (example := standings.examples[line]) else ''}"
            for line in new]


def render_round(event: RoundStarted, names: Sequence[str]) -> str:
    pairings = [f"{names[first]} - {names[second]}" for first, second in event.pairings[:_MAX_PAIRINGS]]
    if len(event.pairings) > _MAX_PAIRINGS:
        pairings.append(f"{len(event.pairings) - _MAX_PAIRINGS} more")
    byes = [f"bye: {', '.join(names[engine] for engine in event.byes)}"] if event.byes else []
    return f"{event.name}: {'; '.join([*pairings, *byes])}"


def render_event(event: MatchEvent) -> str:
    """Render an event as one line of JSON; docs/match.md has the schema."""
    return json.dumps(_data(event), ensure_ascii=True, separators=(",", ":"))


def _data(event: MatchEvent) -> dict[str, Any]:
    match event:
        case TournamentStarted(settings, games, standings, parameters, kernels):
            return {"event": "tournament_started", "settings": serialize(settings), "games": games,
                    "games_played": standings.games, "kernels": kernels, **_parameters(parameters)}
        case RoundStarted():
            return {"event": "round_started", **asdict(event)}
        case GameStarted(fixture, names, fen):
            return {"event": "game_started", **_fixture(fixture), "names": names, "fen": fen}
        case MovePlayed(fixture, number, ply):
            columns = zip(PLY_COLUMNS, ply_to_row(ply), strict=True)
            return {"event": "move_played", "game": fixture.number, "ply": number, **dict(columns)}
        case GameFinished(record, standings, ratio):
            game = game_to_data(record.game)
            game["plies"] = [dict(zip(PLY_COLUMNS, ply, strict=True)) for ply in game["plies"]]
            return {
                "event": "game_finished", **_fixture(record.fixture), "names": record.names,
                "fen": record.game.start.fen(), "started": record.started, "result": record.game.outcome.result,
                **game, "standings": _standings(standings), "llr": ratio,
            }
        case ParametersUpdated():
            return {"event": "parameters_updated", **asdict(event)}
        case Warned(text):
            return {"event": "warning", "text": text}
        case TournamentFinished(standings, interrupted, verdict, ratio, parameters, failure, more):
            return {"event": "tournament_finished", "interrupted": interrupted, "failure": failure or None,
                    "verdict": verdict or None, "llr": ratio, "more_games": more,
                    "standings": _standings(standings), "meetings": list(_meetings(standings)),
                    **_parameters(parameters)}


def _parameters(parameters: Mapping[str, float]) -> dict[str, Any]:
    return {"parameters": parameters} if parameters else {}


def _fixture(fixture: Fixture) -> dict[str, Any]:
    return {"game": fixture.number, "pair": fixture.pair, "round": fixture.round, "variant": fixture.variant,
            "opening": fixture.opening, "white": fixture.white, "black": fixture.black}


def _standings(standings: Standings) -> dict[str, Any]:
    rows = []
    for engine, name in enumerate(standings.names):
        total = standings.total(engine)
        rows.append({"engine": engine, "name": name, "wins": total.wins, "draws": total.draws, "losses": total.losses,
                     "pairs": total.pairs})
    data = {"games": standings.games, "interrupted": standings.interrupted,
            "lost_workers": standings.lost_workers, "engines": rows}
    return data | _rounds(standings.schedule)


def _meetings(standings: Standings) -> Iterator[dict[str, Any]]:
    """Yield the estimates of the summary for every two engines that have met."""
    for first, second in combinations(range(len(standings.names)), 2):
        meeting = standings.meeting(first, second)
        if meeting.games:
            yield {"engines": [first, second], "wins": meeting.wins, "draws": meeting.draws, "losses": meeting.losses,
                   "pairs": meeting.pairs, "games_left_out": games_left_out(meeting),
                   **estimate_to_data(estimate_meeting(meeting))}


def estimate_to_data(found: Estimate) -> dict[str, Any]:
    return {"score": _interval(found.score), "elo": _interval(found.elo),
            "normalized_elo": _interval(found.normalized_elo), "los": found.los}


def _interval(interval: Interval) -> dict[str, float | None]:
    # JSON has no infinite numbers.
    return {name: None if isinf(number) else number for name, number in asdict(interval).items()}


def _rounds(schedule: Schedule | None) -> dict[str, Any]:
    """Return the table of a Swiss tournament or the winner of a knockout."""
    if schedule is None or not schedule.rounds:
        return {}
    if schedule.plan.format is Format.KNOCKOUT:
        return {"winner": schedule.winner}
    return {"table": [asdict(row) for row in schedule.table()]}
