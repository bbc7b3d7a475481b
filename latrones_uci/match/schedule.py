"""The games of a tournament that may start, from its plan and the results so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from latrones_uci.match.pairing import bracket, pair_swiss
from latrones_uci.match.plan import Fixture, Format, Plan, fixtures

MOST_EXTRA_PAIRS = 5
"""In a knockout, a level pairing plays up to this many further pairs of games; then the better seed advances."""


@dataclass
class Pairing:
    """Two engines that play each other in a round, and their results so far.

    Attributes:
        engines: the engines; the first one is higher in the table of a Swiss tournament, or in the bracket.
        points: the points of each.
        games: number of finished games.
        extra_pairs: number of pairs that are played because the pairing was level, in a knockout.
        winner: the engine that advances, None while that is open, and in a Swiss tournament.
    """

    engines: tuple[int, int]
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    games: int = 0
    extra_pairs: int = 0
    winner: int | None = None

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
    """A round of a Swiss tournament or a knockout.

    Attributes:
        pairings: the engines that play each other.
        byes: the engines without an opponent.
    """

    pairings: list[Pairing]
    byes: list[int]


@dataclass
class Stage:
    """Games that may be played in any order, because the results of none of them determine another.

    Attributes:
        round: number of the round, from 0.
        pairings: the pairings that play.
        turns: number of pairs of games of each pairing.
        extra: number of the extra pair, from 1; 0 for the games that are played in any case.
        first_turn: the pairs of games that each engine could have played before.
        first_number: number of the first game.
        finished: number of finished games.
    """

    round: int
    pairings: list[Pairing]
    turns: int
    extra: int
    first_turn: int
    first_number: int
    finished: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
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
    """A row of the table of a Swiss tournament.

    Attributes:
        engine: the engine.
        points: its points; a bye counts a point for each game of a pairing.
        byes: number of byes.
        buchholz: the sum of the points of its opponents; for a bye, its own points.
    """

    engine: int
    points: float
    byes: int
    buchholz: float


class Schedule:
    """The games of a tournament in order, as far as the results so far determine them.

    In a Swiss tournament and a knockout, the games of a round are known when those before have finished. They are a
    function of the plan and of those results, so that an interrupted tournament is resumed with the same games. In a
    Swiss tournament of an earlier version, which may have paired engines in another way, the games of a round that are
    added before its pairings are asked for determine these.

    Attributes:
        plan: the plan.
    """

    def __init__(self, plan: Plan) -> None:
        """Start without results."""
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
            if pairing.level and stage.extra < MOST_EXTRA_PAIRS:
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
