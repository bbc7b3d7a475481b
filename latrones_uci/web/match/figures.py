"""The figures of a match that its report and its page show alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from latrones_uci.game import Outcome
from latrones_uci.match.standings import Meeting, Standings
from latrones_uci.match.summary import estimate_meeting, render_elo
from latrones_uci.records.record import GameRecord, termination_text
from latrones_uci.stats import Interval
from latrones_uci.stats.bradley_terry import Rating, RatingList
from latrones_uci.web.lib.markup import typeset


def match_title(names: Sequence[str]) -> str:
    return " against ".join(names) if len(names) == 2 else f"Tournament of {len(names)} engines"


def date_text(created: str) -> str:
    return created.replace("T", " ").replace("Z", " UTC")


def elo_text(elo: Interval) -> str:
    return typeset(render_elo(elo))


def ending_text(outcome: Outcome) -> tuple[str, str]:
    """Return how a game ended, as its record has it, and one line on that, empty if it ended by the rules."""
    return (outcome.reason, "") if outcome.termination.by_rules else termination_text(outcome)


def player_of(record: GameRecord, side: int) -> int:
    """Return the index of the engine that played White (0) or Black (1)."""
    return record.fixture.black if side else record.fixture.white


def culprit_of(record: GameRecord) -> int | None:
    """Return the index of the engine whose fault ended a game, None if there is none."""
    outcome = record.game.outcome
    return None if not outcome.termination.is_fault or outcome.winner is None else player_of(record, 1 - outcome.winner)


def fault_text(record: GameRecord) -> str:
    """Return the fault that ended a game, with the move that was sent if there is one; empty if there is none."""
    offence = record.game.offence
    sent = f" ({offence.text})" if offence is not None and offence.text else ""
    return "" if culprit_of(record) is None else f"{record.game.outcome.details}{sent}"


def stderr_of(record: GameRecord) -> str:
    """Return the last lines of stderr of the engine at fault, empty for none."""
    return "" if record.game.fault is None else "\n".join(record.game.fault.stderr)


@dataclass(frozen=True)
class StandingRow:
    engine: int
    results: Meeting
    elo: Interval | None = None
    """The Elo difference to the opponent, or the rating among several; None if it was not estimated."""
    remarks: tuple[tuple[str, str], ...] = ()
    """More figures by label, such as LOS."""
    score: float | None = None
    """Points per game, 0 to 1, of the games from which Elo was estimated; None if those are all games."""
    unpaired: int = 0
    """Number of games that are not among them, because their pair is not complete."""

    @property
    def share(self) -> float | None:
        """The score that belongs to Elo, 0 to 1; None without games."""
        if self.score is not None or not self.results.games:
            return self.score
        return self.results.points / self.results.games


def standing_rows(standings: Standings, ratings: RatingList | None) -> list[StandingRow]:
    """Return the difference of two engines, or of more their joint ratings from ``rate_standings``, the best first."""
    if len(standings.names) == 2:
        return [_opponent(engine, standings.total(engine)) for engine in standings.ranking()]
    rated = {} if ratings is None else {standings.names.index(rating.name): rating for rating in ratings.ratings}
    order = [*rated, *(engine for engine in standings.ranking() if engine not in rated)]
    return [_rated(engine, standings.total(engine), rated.get(engine)) for engine in order]


def _opponent(engine: int, total: Meeting) -> StandingRow:
    if not total.games:
        return StandingRow(engine, total)
    found = estimate_meeting(total)
    unpaired = len(total.half_pairs) if found.paired else 0
    return StandingRow(engine, total, found.elo, (("LOS", f"{found.los:.1%}"),), found.score.value, unpaired)


def _rated(engine: int, total: Meeting, rating: Rating | None) -> StandingRow:
    if rating is None:
        return StandingRow(engine, total)
    elo = Interval(rating.elo, rating.elo - rating.margin, rating.elo + rating.margin)
    drawn = f"{rating.draws / rating.games:.1%}"
    return StandingRow(
        engine, total, elo, (("Average opponent", typeset(f"{rating.opponents:+z.1f}")), ("Draws", drawn)))


def unpaired_note(rows: Sequence[StandingRow]) -> str:
    """Return what to say about games whose pair is not complete, empty if there are none."""
    count = max((row.unpaired for row in rows), default=0)
    what = "1 game is not paired yet: it counts" if count == 1 else f"{count} games are not paired yet: they count"
    return f"{what} in points and W-D-L, not in score, Elo and LOS." if count else ""
