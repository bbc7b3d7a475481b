"""Scores, terminations and time use, counted from the games of a report."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from statistics import mean, median
from typing import TypeVar

from latrones_uci.web.report.data import ReportData, ReportGame

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses from one point of view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One point for each win, half a point for each draw."""
        return self.wins + self.draws / 2

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


def white_score(game: ReportGame) -> Score:
    """Return the score of a game that counts, from White's point of view."""
    return Score(game.winner == 0, game.winner is None, game.winner == 1)


def score_of(game: ReportGame, engine: int) -> Score:
    """Return the score of a game that counts, from the point of view of one of its engines."""
    score = white_score(game)
    return score if game.white == engine else Score(score.losses, score.draws, score.wins)


@dataclass(frozen=True)
class Group:
    """Games with a common key."""

    games: tuple[ReportGame, ...]
    """The games that count, in order."""
    white: Score
    """Their score for White."""
    first: Score
    """The score of the first engine of the match in those of them that it played."""


def grouped(games: Iterable[ReportGame], key: Callable[[ReportGame], Key]) -> dict[Key, Group]:
    """Return the games that count, grouped by key, in the order in which the keys first occur."""
    found: dict[Key, list[ReportGame]] = {}
    for game in games:
        if game.counts:
            found.setdefault(key(game), []).append(game)
    return {
        value: Group(
            tuple(games),
            sum((white_score(game) for game in games), Score()),
            sum((score_of(game, 0) for game in games if 0 in (game.white, game.black)), Score()),
        )
        for value, games in found.items()
    }


def cross_scores(data: ReportData) -> dict[tuple[int, int], Score]:
    """Return the score of one engine against another, for each pair of engines that met."""
    scores: dict[tuple[int, int], Score] = {}
    for game in data.games:
        if game.counts:
            for own, other in ((game.white, game.black), (game.black, game.white)):
                scores[own, other] = scores.get((own, other), Score()) + score_of(game, own)
    return scores


def terminations(data: ReportData) -> Counter[tuple[str, int | None]]:
    """Return the number of games per termination and engine at fault, including interrupted games."""
    return Counter((game.termination, game.culprit) for game in data.games)


@dataclass(frozen=True)
class TimeUse:
    """The moves of one engine; averages are None if nothing was reported."""

    elapsed_ms: tuple[float, ...]
    """The times of the moves, in ascending order."""
    moves: int
    """The number of moves."""
    least_clock_ms: float | None
    """The minimum time left on its clock."""
    depth: float | None
    nodes: float | None
    """Averages per move."""
    nodes_per_second: float | None
    """Over all moves with time and nodes."""

    @property
    def mean_ms(self) -> float | None:
        """The average time."""
        return mean(self.elapsed_ms) if self.elapsed_ms else None

    @property
    def median_ms(self) -> float | None:
        """The median time."""
        return median(self.elapsed_ms) if self.elapsed_ms else None

    @property
    def slowest_ms(self) -> float | None:
        """The maximum time."""
        return self.elapsed_ms[-1] if self.elapsed_ms else None

    @property
    def late_ms(self) -> float | None:
        """The 95th percentile of the times."""
        return self.elapsed_ms[(len(self.elapsed_ms) - 1) * 19 // 20] if self.elapsed_ms else None


def time_use(data: ReportData, engine: int) -> TimeUse:
    """Return the time use of an engine in all games, including interrupted ones."""
    plies = [ply for game in data.games for ply in game.plies if (game.white, game.black)[ply.side] == engine]
    elapsed = [ply.elapsed_ms for ply in plies if ply.elapsed_ms is not None]
    depths = [ply.depth for ply in plies if ply.depth is not None]
    nodes = [ply.nodes for ply in plies if ply.nodes is not None]
    clocks = [ply.clock_left_ms for ply in plies if ply.clock_left_ms is not None]
    both = [(ply.nodes, ply.elapsed_ms) for ply in plies if ply.nodes is not None and ply.elapsed_ms]
    return TimeUse(
        tuple(sorted(elapsed)), len(plies), min(clocks, default=None), mean(depths) if depths else None,
        mean(nodes) if nodes else None,
        1000 * sum(count for count, _ in both) / sum(spent for _, spent in both) if both else None,
    )
