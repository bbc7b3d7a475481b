"""The games of a tournament that may start, from its plan and the results so far, and the pairings of their rounds."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from latrones_uci.records.plan import Fixture, Format, Plan, fixtures

MAX_EXTRA_PAIRS = 5
"""In a knockout, a level pairing plays up to this many further pairs of games; then the better seed advances."""


@dataclass
class Pairing:
    """Two engines that play each other in a round, and their results so far."""

    engines: tuple[int, int]
    """The engines; the first one is higher in the table of a Swiss tournament, or in the bracket."""
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    games: int = 0
    extra_pairs: int = 0
    """Number of pairs that are played because the pairing was level, in a knockout."""
    winner: int | None = None
    """The engine that advances, None while that is open, and in a Swiss tournament."""

    @property
    def level(self) -> bool:
        """Whether both engines have the same points."""
        return self.points[0] == self.points[1]

    @property
    def by_seed(self) -> bool:
        """Whether the winner only has the better seed."""
        return self.winner is not None and self.level

    def add(self, fixture: Fixture, winner: int | None) -> None:
        """Add a game; ``winner`` is 0 for White, 1 for Black, None for a draw."""
        self.games += 1
        for place, engine in enumerate(self.engines):
            colour = int(engine == fixture.black)
            self.points[place] += 0.5 if winner is None else float(winner == colour)


@dataclass
class Round:
    """A round of a Swiss tournament or a knockout."""

    pairings: list[Pairing]
    """The engines that play each other."""
    byes: list[int]
    """The engines without an opponent."""


@dataclass
class Stage:
    """Games that may be played in any order, because the results of none of them determine another."""

    round: int
    """Number of the round, from 0."""
    pairings: list[Pairing]
    """The pairings that play."""
    turns: int
    """Number of pairs of games of each pairing."""
    extra: int
    """Number of the extra pair, from 1; 0 for the games that are played in any case."""
    first_turn: int
    """The pairs of games that each engine could have played before."""
    first_number: int
    """Number of the first game."""
    finished: int = 0

    @property
    def games(self) -> int:
        return 2 * self.turns * len(self.pairings)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.first_number <= number < self.first_number + self.games

    def pairing(self, number: int) -> Pairing:
        """Return the pairing to which a game belongs."""
        return self.pairings[(number - self.first_number) // 2 % len(self.pairings)]

    def fixture(self, number: int, variants: int) -> Fixture:
        """Return one of the games."""
        offset = number - self.first_number
        turn = self.first_turn + offset // 2 // len(self.pairings)
        first, second = self.pairing(number).engines
        white, black = (second, first) if offset % 2 else (first, second)
        return Fixture(number, (number - 1) // 2, self.round, turn % variants, turn // variants, white, black)


@dataclass(frozen=True)
class SwissRow:
    """A row of the table of a Swiss tournament."""

    engine: int
    points: float
    """Its points; a bye counts a point for each game of a pairing."""
    byes: int
    buchholz: float
    """The sum of the points of its opponents; for a bye, its own points."""


class Schedule:
    """The games of a tournament in order, as far as the results so far determine them.

    In a Swiss tournament and a knockout, the games of a round are known when those before have finished. They are a
    function of the plan and of those results, so that an interrupted tournament is resumed with the same games. In a
    Swiss tournament of an earlier version, which may have paired engines in another way, the games of a round that are
    added before its pairings are asked for determine these.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._rounds: list[Round] = []
        self._stages: list[Stage] = []
        self._strays: list[int] = []
        self._finished: set[int] = set()
        self._uncounted: dict[int, tuple[Fixture, int | None]] = {}
        self._changed = plan.format.in_rounds
        self._slots: list[int | None] = bracket(plan.engines) if plan.format is Format.KNOCKOUT else []
        self._waiting: Iterator[Fixture] = iter(())
        if not plan.format.in_rounds:
            self._waiting = fixtures(plan.format, plan.engines, plan.variants, plan.games, plan.seed)

    @property
    def rounds(self) -> list[Round]:
        """The rounds of a Swiss tournament or a knockout that have started, else empty."""
        self._count_games()
        return self._rounds

    @property
    def stages(self) -> list[Stage]:
        """Their stages; games of a stage are played when those of the stages before have finished."""
        self._count_games()
        return self._stages

    @property
    def strays(self) -> list[int]:
        """Numbers of games that are not those of the plan: their records are damaged."""
        self._count_games()
        return self._strays

    @property
    def total(self) -> int:
        """The number of games of the whole tournament, as far as it is known: in a knockout, it can grow."""
        extra = sum(stage.games for stage in self.stages if stage.extra)
        return self.plan.games_at_least + extra

    @property
    def complete(self) -> bool:
        """Whether all games are finished."""
        return len(self._finished) >= self.total

    def take(self) -> Fixture | None:
        """Return the next game that has no result; None if there is none, or none yet."""
        self._count_games()
        return next((fixture for fixture in self._waiting if fixture.number not in self._finished), None)

    def add(self, fixture: Fixture, winner: int | None) -> None:
        """Add the result of a game that counts, in any order."""
        if fixture.number in self._finished:
            return
        self._finished.add(fixture.number)
        if self.plan.format.in_rounds:
            self._uncounted[fixture.number] = (fixture, winner)
            self._changed = True

    def _count_games(self) -> None:
        """Count the games that were added, and begin the stages of which all games before have finished."""
        if not self._changed:
            return
        self._changed = False
        while True:
            for number in sorted(self._uncounted) if self._stages else ():
                if number in self._stages[-1]:
                    self._count(*self._uncounted.pop(number))
            if self._stages and self._stages[-1].finished < self._stages[-1].games:
                return
            if not (self._add_extra_pairs() or self._add_round()):
                return
            stage, variants = self._stages[-1], self.plan.variants
            numbers = range(stage.first_number, stage.first_number + stage.games)
            self._waiting = (stage.fixture(number, variants) for number in numbers)

    def _count(self, fixture: Fixture, winner: int | None) -> None:
        stage = self._stages[-1]
        if stage.fixture(fixture.number, self.plan.variants) != fixture:
            self._strays.append(fixture.number)
            return
        stage.finished += 1
        stage.pairing(fixture.number).add(fixture, winner)

    def _begin(self, pairings: list[Pairing], turns: int, extra: int = 0) -> None:
        before = self._stages[-1] if self._stages else None
        turn, number = (before.first_turn + before.turns, before.first_number + before.games) if before else (0, 1)
        self._stages.append(Stage(len(self._rounds) - 1, pairings, turns, extra, turn, number))

    def _add_round(self) -> bool:
        if len(self._rounds) == self.plan.rounds:
            return False
        self._rounds.append(self._knockout_round() if self._slots else self._swiss_round())
        self._begin(self._rounds[-1].pairings, self.plan.games // 2)
        return True

    # ---------------------------------------------------------------- Swiss

    def _swiss_round(self) -> Round:
        met = {frozenset(pairing.engines) for each in self._rounds for pairing in each.pairings}
        byes = [engine for each in self._rounds for engine in each.byes]
        points, engines = self._points(), range(self.plan.engines)
        pairs, bye = pair_swiss(engines, points, met, byes)
        played = self._played_pairs()
        if any(pairs[place] != pair for place, pair in played.items()):
            others = [engine for engine in engines if all(engine not in pair for pair in played.values())]
            new, bye = pair_swiss(others, points, met, byes)
            pairs = [played[place] if place in played else new.pop(0) for place in range(len(pairs))]
        return Round([Pairing(pair) for pair in pairs], [] if bye is None else [bye])

    def _played_pairs(self) -> dict[int, tuple[int, int]]:
        """Return the pairs of the next round that have played, by their places; none if these games cannot be.

        The first round has always been paired as now.
        """
        size = self.plan.engines // 2
        first = 1 + len(self._rounds) * self.plan.games * size
        found: dict[int, tuple[int, int]] = {}
        for number in sorted(self._uncounted):
            fixture, place = self._uncounted[number][0], (number - first) // 2 % size
            colours = (fixture.white, fixture.black)
            if first <= number < first + self.plan.games * size:
                found.setdefault(place, colours if (number - first) % 2 == 0 else colours[::-1])
        engines = [engine for pair in found.values() for engine in pair]
        possible = self._rounds and len(engines) == len(set(engines).intersection(range(self.plan.engines)))
        return found if possible else {}

    def _points(self) -> list[float]:
        """Return the points of each engine in a Swiss tournament, with those of byes."""
        points = [0.0] * self.plan.engines
        for each in self._rounds:
            for pairing in each.pairings:
                for engine, own in zip(pairing.engines, pairing.points, strict=True):
                    points[engine] += own
            for engine in each.byes:
                points[engine] += self.plan.games
        return points

    def table(self) -> list[SwissRow]:
        """Return the table of a Swiss tournament: by points, then Buchholz, then seed."""
        self._count_games()
        points = self._points()
        byes, buchholz = [0] * len(points), [0.0] * len(points)
        for each in self._rounds:
            for one, other in (pairing.engines for pairing in each.pairings):
                buchholz[one] += points[other]
                buchholz[other] += points[one]
            for engine in each.byes:
                byes[engine] += 1
                buchholz[engine] += points[engine]
        rows = [SwissRow(engine, points[engine], byes[engine], buchholz[engine]) for engine in range(len(points))]
        return sorted(rows, key=lambda row: (-row.points, -row.buchholz, row.engine))

    def met_before(self, stage: Stage) -> list[tuple[int, int]]:
        """Return the pairings of a stage of a Swiss tournament whose engines have met in an earlier round."""
        if self.plan.format is not Format.SWISS:
            return []
        met = {frozenset(pairing.engines) for each in self._rounds[: stage.round] for pairing in each.pairings}
        return [pairing.engines for pairing in stage.pairings if frozenset(pairing.engines) in met]

    # ---------------------------------------------------------------- knockout

    def _knockout_round(self) -> Round:
        if self._rounds:
            winners = {engine: pairing.winner for pairing in self._rounds[-1].pairings for engine in pairing.engines}
            self._slots = [self._through(pair, winners) for pair in _pairs(self._slots)]
        pairings, byes = list[Pairing](), list[int]()
        for one, other in _pairs(self._slots):
            if one is not None and other is not None:
                pairings.append(Pairing((one, other)))
            else:
                byes += [engine for engine in (one, other) if engine is not None]
        return Round(pairings, byes)

    @staticmethod
    def _through(pair: tuple[int | None, int | None], winners: dict[int, int | None]) -> int | None:
        one, other = pair
        return other if one is None else one if other is None else winners[one]

    def _add_extra_pairs(self) -> bool:
        """Decide pairings of a knockout; return whether some are still level and play another pair."""
        if not self._slots or not self._stages:
            return False
        stage = self._stages[-1]
        level = []
        for pairing in stage.pairings:
            if pairing.level and stage.extra < MAX_EXTRA_PAIRS:
                pairing.extra_pairs += 1
                level.append(pairing)
            else:
                first, second = pairing.engines
                lead = pairing.points[0] - pairing.points[1]
                pairing.winner = min(first, second) if not lead else first if lead > 0 else second
        if level:
            self._begin(level, 1, stage.extra + 1)
        return bool(level)

    @property
    def winner(self) -> int | None:
        """The winner of a knockout; None before its end, and in other formats."""
        if not self._slots or len(self.rounds) < self.plan.rounds:
            return None
        return self.rounds[-1].pairings[0].winner


def _pairs(slots: Sequence[int | None]) -> list[tuple[int | None, int | None]]:
    return list(zip(slots[::2], slots[1::2], strict=True))


# ---------------------------------------------------------------- pairings

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
