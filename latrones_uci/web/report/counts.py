"""Results by group, terminations and time use of the games of a report."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from statistics import mean, median
from typing import TypeVar

from latrones_uci.client.time_control import NS_PER_MS
from latrones_uci.match.standings import Results, points_of
from latrones_uci.web.report.data import ReportData, ReportGame

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Group:
    """Games with a common key."""

    games: list[ReportGame] = field(default_factory=list)
    """The games that count, in order."""
    white: Results = field(default_factory=Results)
    """Their results for White."""
    first: Results = field(default_factory=Results)
    """The results of the first engine of the match in those of them that it played."""


def grouped(games: Iterable[ReportGame], key: Callable[[ReportGame], Key]) -> dict[Key, Group]:
    """Return the games that count, grouped by key, in the order in which the keys first occur."""
    found: dict[Key, Group] = {}
    for game in games:
        if game.counts:
            group = found.setdefault(key(game), Group())
            group.games.append(game)
            group.white.count(points_of(0, game.winner))
            if 0 in (game.white, game.black):
                group.first.count(points_of(int(game.white != 0), game.winner))
    return found


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
    elapsed = [ply.elapsed_ns / NS_PER_MS for ply in plies if ply.elapsed_ns]
    depths = [ply.info.depth for ply in plies if ply.info.depth is not None]
    nodes = [ply.info.nodes for ply in plies if ply.info.nodes is not None]
    clocks = [ply.clock_left_ns / NS_PER_MS for ply in plies if ply.clock_left_ns is not None]
    both = [(ply.info.nodes, ply.elapsed_ns / NS_PER_MS)
            for ply in plies if ply.info.nodes is not None and ply.elapsed_ns]  # fmt: skip
    return TimeUse(
        tuple(sorted(elapsed)), len(plies), min(clocks, default=None), mean(depths) if depths else None,
        mean(nodes) if nodes else None,
        1000 * sum(count for count, _ in both) / sum(spent for _, spent in both) if both else None,
    )
