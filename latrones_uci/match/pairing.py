"""Pair engines: the rounds of a Swiss tournament and the bracket of a knockout, as pure functions."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

Engines = tuple[int, int]


def pair_swiss(
    engines: int, points: Sequence[float], met: Collection[frozenset[int]], byes: Collection[int]
) -> tuple[list[Engines], int | None]:
    """Pair the engines for a round of a Swiss tournament.

    Engines are ranked by points, then by seed. From the top, each plays the engine of its score group that is half of
    the group below it, as in the Dutch system of FIDE; if they have met, the nearest other one. An engine left over in
    its group plays the highest of the groups below. A choice is rejected if it would force a rematch, or leave more
    engines of the group without an opponent there: maximum matchings of the others tell.

    Args:
        engines: number of engines, at least two; their indices are their seeds.
        points: the points of each engine.
        met: the pairs of engines that have met. They meet again only if there is no other way to pair all engines.
        byes: the engines that have had a bye.

    Returns:
        The pairs of engines, the higher one first, in the order of the higher ones; and the engine with the bye if the
        number of engines is odd, otherwise None. It is the lowest one without a bye whose bye forces no rematch.
    """
    order = sorted(range(engines), key=lambda engine: (-points[engine], engine))
    known: dict[int, set[int]] = {engine: set() for engine in order}
    for one, other in map(tuple, met):
        known[one].add(other)
        known[other].add(one)
    bye = None
    if engines % 2:
        bye = _choose_bye(order, known, byes)
        order.remove(bye)
    return _pair(order, points, known), bye


def _choose_bye(order: Sequence[int], known: Mapping[int, set[int]], byes: Collection[int]) -> int:
    candidates = [engine for engine in reversed(order) if engine not in byes] or list(reversed(order))
    best, fewest = candidates[0], len(order)
    for engine in candidates:
        exposed = Matching((other for other in order if other != engine), known).exposed
        if exposed < fewest:
            best, fewest = engine, exposed
        if not exposed:
            break
    return best


def _pair(order: Sequence[int], points: Sequence[float], known: Mapping[int, set[int]]) -> list[Engines]:
    """Pair an even number of engines, given in the order of their ranks."""
    rest, found = list(order), list[Engines]()
    whole = Matching(rest, known)
    group: list[int] = []
    inner = Matching((), known)
    while rest:
        own = rest[0]
        if own not in group:
            group = [engine for engine in rest if points[engine] == points[own]]
            inner = Matching(group, known)
        choices = [*_in_group(group), *rest[len(group) :]]
        other = _choose(own, choices, whole, inner, known[own])
        found.append((own, other))
        whole, inner = whole.without(own, other), inner.without(own, other)
        rest = [engine for engine in rest if engine not in (own, other)]
        group = [engine for engine in group if engine not in (own, other)]
    return found


def _in_group(group: Sequence[int]) -> list[int]:
    """Return the opponents of the first engine in its group: from the middle down, then from the middle up."""
    middle = len(group) // 2
    return [*group[max(middle, 1) :], *group[middle - 1 : 0 : -1]]


def _choose(own: int, choices: Sequence[int], whole: "Matching", inner: "Matching", met: set[int]) -> int:
    """Return the first opponent after whose choice as many others as possible can be paired."""
    possible: int | None = None
    for other in choices:
        again = other in met
        if again and not whole.exposed or whole.without(own, other).exposed + 2 * again > whole.exposed:
            continue  # a rematch, now or later, that can be avoided
        paired_here = other in inner.players and not again
        if inner.without(own, other).pairs + paired_here == inner.pairs:
            return other
        if possible is None:
            possible = other
    assert possible is not None  # the opponent in the matching, or another engine without one
    return possible


class Matching:
    """A maximum matching: as many pairs as possible of players that have not met.

    J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17, 1965.

    Attributes:
        players: the players.
    """

    def __init__(
        self, players: Iterable[int], met: Mapping[int, set[int]], mates: Mapping[int, int] | None = None
    ) -> None:
        """Find a maximum matching.

        Args:
            players: the players.
            met: the players that each player has met.
            mates: a matching to begin with.
        """
        self.players, self._met = set(players), met
        self._mates = dict(mates or {})
        for player in sorted(self.players - self._mates.keys()):
            if player not in self._mates:
                self._extend(player)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self._mates) // 2

    @property
    def exposed(self) -> int:
        """The number of players without an opponent."""
        return len(self.players) - len(self._mates)

    def without(self, *gone: int) -> "Matching":
        """Return a maximum matching of the other players."""
        lost = {*gone, *(self._mates[player] for player in gone if player in self._mates)}
        kept = {player: mate for player, mate in self._mates.items() if player not in lost}
        return Matching(self.players.difference(gone), self._met, kept)

    def _extend(self, root: int) -> None:
        """Add a pair by an augmenting path from a player without an opponent, if there is one."""
        nearest = next((each for each in sorted(self.players - self._met[root] - {root} - self._mates.keys())), None)
        if nearest is not None:
            self._mates[root], self._mates[nearest] = nearest, root
            return
        end, parents = self._search(root)
        while end is not None:
            before = parents[end]
            following = self._mates.get(before)
            self._mates[end], self._mates[before] = before, end
            end = following

    def _search(self, root: int) -> tuple[int | None, dict[int, int]]:
        """Return the end of an augmenting path, None if there is none, and the player before each on such paths."""
        bases = {player: player for player in self.players}
        parents: dict[int, int] = {}
        reached, waiting = {root}, deque([root])
        while waiting:
            one = waiting.popleft()
            for other in self.players - self._met[one]:
                if bases[one] == bases[other] or self._mates.get(one) == other:
                    continue
                mate = self._mates.get(other)
                if other == root or mate is not None and mate in parents:
                    for player in self._contract(one, other, bases, parents):
                        if player not in reached:
                            reached.add(player)
                            waiting.append(player)
                elif other not in parents:
                    parents[other] = one
                    if mate is None:
                        return other, parents
                    reached.add(mate)
                    waiting.append(mate)
        return None, parents

    def _contract(self, one: int, other: int, bases: dict[int, int], parents: dict[int, int]) -> list[int]:
        """Contract the blossom that an edge closes, and return its players."""
        base = self._common_base(one, other, bases, parents)
        blossom: set[int] = set()
        for start, child in ((one, other), (other, one)):
            player, below = start, child
            while bases[player] != base:
                mate = self._mates[player]
                blossom |= {bases[player], bases[mate]}
                parents[player] = below
                player, below = parents[mate], mate
        inside = [player for player in bases if bases[player] in blossom]
        for player in inside:
            bases[player] = base
        return inside

    def _common_base(self, one: int, other: int, bases: Mapping[int, int], parents: Mapping[int, int]) -> int:
        above = set()
        base = bases[one]
        above.add(base)
        while base in self._mates:  # the root has no opponent
            base = bases[parents[self._mates[base]]]
            above.add(base)
        base = bases[other]
        while base not in above:
            base = bases[parents[self._mates[base]]]
        return base


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
