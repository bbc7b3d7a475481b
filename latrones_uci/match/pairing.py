"""Pair engines: the rounds of a Swiss tournament and the bracket of a knockout, as pure functions."""

from collections.abc import Collection, Sequence
from itertools import groupby

Engines = tuple[int, int]
_MAX_ATTEMPTS = 2000
"""How many pairs are tried in a score group before some of its engines play in the group below."""


def pair_swiss(
    engines: Collection[int], points: Sequence[float], met: Collection[frozenset[int]], byes: Collection[int]
) -> tuple[list[Engines], int | None]:
    """Pair engines for a round of a Swiss tournament.

    Engines are ranked by points, then by seed. From the top, each plays the engine of its score group that is half of
    the group below it, as in the Dutch system of FIDE; if they have met, the nearest other one. An engine left over in
    its group plays the highest of the groups below. If the lowest group cannot be paired, it is joined with the one
    above it, and so on.

    Args:
        engines: the engines, at least two; their indices are their seeds.
        points: the points of each engine.
        met: the pairs of engines that have met. They meet again only if no other pairing is found.
        byes: the engines that have had a bye.

    Returns:
        The pairs of engines, the higher one first, in the order of the higher ones; and the engine with the bye if the
        number of engines is odd, otherwise None. It is the lowest one without a bye whose bye forces no rematch.
    """
    order = sorted(engines, key=lambda engine: (-points[engine], engine))
    free: list[int | None] = [None]
    if len(order) % 2:
        free = [engine for engine in reversed(order) if engine not in byes] or order[::-1]  # type: ignore[assignment]
    for bye in free:
        groups = [list(group) for _, group in groupby(_without(order, bye), key=lambda engine: points[engine])]
        while groups:
            if (pairs := _pair_groups(groups, points, met)) is not None:
                return sorted(pairs, key=lambda pair: order.index(pair[0])), bye
            groups[-2:] = [] if len(groups) == 1 else [groups[-2] + groups[-1]]
    return _pair_again(_without(order, free[0]), points, met), free[0]


def _pair_groups(
    groups: Sequence[Sequence[int]], points: Sequence[float], met: Collection[frozenset[int]]
) -> list[Engines] | None:
    """Pair the engines of each score group, as many as possible; the others play in the group below."""
    found: list[Engines] = []
    left: list[int] = []
    for number, group in enumerate(groups, start=1):
        pool = [*left, *group]
        most_left = 0 if number == len(groups) else len(pool)
        for size in range(len(pool) % 2, most_left + 1, 2):
            pairs = _Group(points, met).pair(pool, size)
            if pairs is not None:
                break
        else:
            return None
        found += pairs
        left = [engine for engine in pool if all(engine not in pair for pair in pairs)]
    return found


class _Group:
    """Pairs engines that have not met, the first ones first, and takes pairs back if others cannot be paired."""

    def __init__(self, points: Sequence[float], met: Collection[frozenset[int]]) -> None:
        self._points, self._met = points, met
        self._attempts = 0

    def pair(self, engines: Sequence[int], left: int) -> list[Engines] | None:
        """Return pairs of all engines but ``left`` of them, None if there are none or they are not found soon."""
        if not engines:
            return []
        own = engines[0]
        for other in _choices(engines, self._points):
            self._attempts += 1
            if self._attempts > _MAX_ATTEMPTS:
                return None
            if frozenset((own, other)) not in self._met:
                rest = self.pair(_without(engines, own, other), left)
                if rest is not None:
                    return [(own, other), *rest]
        return self.pair(engines[1:], left - 1) if left else None


def _pair_again(order: Sequence[int], points: Sequence[float], met: Collection[frozenset[int]]) -> list[Engines]:
    """Pair engines some of which meet again, each with the best one that it has not met, or else the best one."""
    found = []
    while order:
        choices = _choices(order, points)
        other = next((each for each in choices if frozenset((order[0], each)) not in met), choices[0])
        found.append((order[0], other))
        order = _without(order, order[0], other)
    return found


def _choices(engines: Sequence[int], points: Sequence[float]) -> list[int]:
    """Return the opponents of the first engine: of its points, from their middle down, then up, then all others."""
    group = [engine for engine in engines if points[engine] == points[engines[0]]]
    middle = len(group) // 2
    others = [engine for engine in engines if points[engine] != points[engines[0]]]
    return [*group[max(middle, 1) :], *group[middle - 1 : 0 : -1], *others]


def _without(engines: Sequence[int], *gone: int | None) -> list[int]:
    return [engine for engine in engines if engine not in gone]


def bracket(engines: int) -> list[int | None]:
    """Return the seeds in the order of the bracket of a knockout, with None for places without an engine.

    Neighbours play each other, then their winners. Two engines meet the later, the higher they are seeded: 1 - 8,
    4 - 5, 2 - 7, 3 - 6. If the number of engines is not a power of two, the highest seeds have a bye.
    """
    order = [0]
    while len(order) < engines:
        last = 2 * len(order) - 1
        order = [place for seed in order for place in (seed, last - seed)]
    return [seed if seed < engines else None for seed in order]
