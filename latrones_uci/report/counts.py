"""What the games of a report add up to."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from statistics import mean, median
from typing import TypeVar

from latrones_uci.report.data import ReportData, ReportGame

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of somebody."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A point for a win, half a one for a draw."""
        return self.wins + self.draws / 2

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


def white_score(game: ReportGame) -> Score:
    """A game that counts, from White's point of view."""
    return Score(game.winner == 0, game.winner is None, game.winner == 1)


def score_of(game: ReportGame, engine: int) -> Score:
    """A game that counts, from the point of view of one of its engines."""
    score = white_score(game)
    return score if game.white == engine else Score(score.losses, score.draws, score.wins)


@dataclass(frozen=True)
class Group:
    """Games that have something in common.

    Attributes:
        games: those that count, in order.
        white: their score for White.
        first: their score for the first engine of the match, as far as it played.
    """

    games: tuple[ReportGame, ...]
    white: Score
    first: Score


def grouped(games: Iterable[ReportGame], key: Callable[[ReportGame], Key]) -> dict[Key, Group]:
    """The games that count by what they have in common, in the order in which it comes up."""
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
    """The score of one engine against another, for each two that met."""
    scores: dict[tuple[int, int], Score] = {}
    for game in data.games:
        if game.counts:
            for own, other in ((game.white, game.black), (game.black, game.white)):
                scores[own, other] = scores.get((own, other), Score()) + score_of(game, own)
    return scores


def terminations(data: ReportData) -> Counter[tuple[str, int | None]]:
    """How often games ended in each way, and by whose fault; interrupted games are among them."""
    return Counter((game.termination, game.culprit) for game in data.games)


@dataclass(frozen=True)
class TimeUse:
    """The moves of one engine; averages are None where nothing was reported.

    Attributes:
        elapsed_ms: of each timed move, rising.
        moves: number of moves.
        least_clock_ms: the least that was ever left on its clock.
        depth, nodes: averages a move.
        nodes_per_second: over all moves that were timed and counted.
    """

    elapsed_ms: tuple[float, ...]
    moves: int
    least_clock_ms: float | None
    depth: float | None
    nodes: float | None
    nodes_per_second: float | None

    @property
    def mean_ms(self) -> float | None:
        """The average."""
        return mean(self.elapsed_ms) if self.elapsed_ms else None

    @property
    def median_ms(self) -> float | None:
        """Half the moves took no longer."""
        return median(self.elapsed_ms) if self.elapsed_ms else None

    @property
    def slowest_ms(self) -> float | None:
        """The longest."""
        return self.elapsed_ms[-1] if self.elapsed_ms else None

    @property
    def late_ms(self) -> float | None:
        """19 moves of 20 took no longer."""
        return self.elapsed_ms[(len(self.elapsed_ms) - 1) * 19 // 20] if self.elapsed_ms else None


def time_use(data: ReportData, engine: int) -> TimeUse:
    """The moves of an engine in all games, interrupted ones included."""
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
