"""The standings of a tournament: results of each pairing, totals of each engine, terminations and violations."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from operator import add

from latrones_uci.client.engine_rules import NO_FAULT, is_fault, split_violation
from latrones_uci.game import Termination
from latrones_uci.match.schedule import Schedule
from latrones_uci.records.plan import Plan
from latrones_uci.records.record import GameRecord, ply_to_row, termination_text
from latrones_uci.stats import Pentanomial, pentanomial_of, reversed_pairs
from latrones_uci.text.messages import counted

_MAX_VIOLATIONS = 1000

FAULT, VIOLATION, TIME_LOSS = "fault", "violation", "time-loss"
FAILURES = (FAULT, VIOLATION, TIME_LOSS)
"""What can be wrong with the engines of a game: a fault (a game lost by one, or an error reported in a search), another
broken rule of the protocol, and a game lost on time, which is also a fault."""


@dataclass
class EngineTally:
    """Totals over the answers of one engine, including those that ended a game."""

    plies: int = 0
    depth_sum: int = 0
    depth_plies: int = 0
    node_sum: int = 0
    node_plies: int = 0
    elapsed_ns: int = 0
    """Time of all answers, measured by the runner."""
    largest_overshoot_ns: int | None = None
    """Largest time beyond the time allowed, negative if no answer was late; None without time limits."""
    smallest_clock_left_ns: int | None = None
    """Smallest time left on the clock after a ply; None without a clock."""

    def add(
        self, elapsed_ns: int, allowed_ns: int | None, clock_left_ns: int | None, depth: int | None, nodes: int | None
    ) -> None:
        """Add an answer (see ``PlyRecord``)."""
        self.plies += 1
        self.elapsed_ns += elapsed_ns
        if depth is not None:
            self.depth_sum += depth
            self.depth_plies += 1
        if nodes is not None:
            self.node_sum += nodes
            self.node_plies += 1
        if allowed_ns is not None:
            known, overshoot = self.largest_overshoot_ns, elapsed_ns - allowed_ns
            if known is None or overshoot > known:
                self.largest_overshoot_ns = overshoot
        if clock_left_ns is not None:
            known = self.smallest_clock_left_ns
            if known is None or clock_left_ns < known:
                self.smallest_clock_left_ns = clock_left_ns


@dataclass
class Results:
    """The results of games from one point of view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One point for each win, half a point for each draw."""
        return self.wins + self.draws / 2

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of wins, draws and losses."""
        return self.wins, self.draws, self.losses

    @property
    def record(self) -> str:
        """Wins, draws and losses as text, such as ``3-1-2``."""
        return f"{self.wins}-{self.draws}-{self.losses}"

    def count(self, points: float) -> None:
        """Count a game with 1, 0.5 or 0 points."""
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0


@dataclass
class Meeting(Results):
    """The games of two engines, from the point of view of the first one."""

    half_pairs: dict[int, float] = field(default_factory=dict)
    """Points of the game played, by pair number, for pairs with one finished game."""
    pairs: Pentanomial = (0, 0, 0, 0, 0)
    """Numbers of pairs with two finished games and 0, 1/2, 1, 3/2, 2 points."""

    def add(self, pair: int, points: float) -> None:
        """Add a game of a pair, with 1, 0.5 or 0 points for the first engine."""
        self.count(points)
        if pair in self.half_pairs:
            self.pairs = _sum(self.pairs, pentanomial_of([self.half_pairs.pop(pair) + points]))
        else:
            self.half_pairs[pair] = points

    def reversed(self) -> "Meeting":
        """Return the same games from the point of view of the other engine."""
        return Meeting(
            self.losses,
            self.draws,
            self.wins,
            {pair: 1 - points for pair, points in self.half_pairs.items()},
            reversed_pairs(self.pairs),
        )

    def merged(self, other: "Meeting") -> "Meeting":
        """Return the games of two meetings, which have no pair in common, as one."""
        return Meeting(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.half_pairs | other.half_pairs,
            _sum(self.pairs, other.pairs),
        )


def _sum(one: Pentanomial, other: Pentanomial) -> Pentanomial:
    lost, half, even, one_and_half, won = map(add, one, other)
    return lost, half, even, one_and_half, won


def points_of(side: int, winner: int | None) -> float:
    """Return the points of White (0) or Black (1) in a game with a winner, or without one: 1, 0.5 or 0."""
    return 0.5 if winner is None else float(winner == side)


def points_of_first(record: GameRecord) -> float:
    """Return the points of the player that comes first in the settings: 1, 0.5 or 0."""
    return points_of(int(record.fixture.black < record.fixture.white), record.game.outcome.winner)


class Standings:
    """The games of a tournament so far."""

    def __init__(self, names: tuple[str, ...], plan: Plan | None = None) -> None:
        self.names = names
        self.schedule = None if plan is None else Schedule(plan)
        """The games that are known by now, with the rounds of a Swiss tournament or knockout; None if the games are
        those of several tournaments."""
        self.engines = tuple(EngineTally() for _ in names)
        """Totals of each engine, including interrupted games."""
        self.interrupted = 0
        """Number of interrupted games, which do not count."""
        self.lost_workers = 0
        """Number of workers that were lost in this run of the tournament; their games were played again."""
        self.terminations: Counter[str] = Counter()
        """The same for display: as ``termination_text`` has it, for faults and resignations with the engine."""
        self.faults: Counter[str] = Counter()
        """The same for faults of engines only, with those that did not end a game."""
        self.violations: Counter[str] = Counter()
        """Numbers of protocol violations, by the engine's name and the rule as ``NAME: RULE``; at most 1000."""
        self.examples: dict[str, str] = {}
        """The first example of each."""
        self.failures: dict[str, str] = {}
        """The first game with each of ``FAILURES``, and what happened, on one line."""
        self._meetings: dict[tuple[int, int], Meeting] = {}

    @property
    def games(self) -> int:
        """The number of games that count."""
        return sum(meeting.games for meeting in self._meetings.values())

    @property
    def troubles(self) -> list[str]:
        """The numbers of faults and of other violations of the engines, such as ``17 faults``, if there are any."""
        faults, others = sum(self.faults.values()), 0
        for line, count in self.violations.items():
            if f": {NO_FAULT}" not in line and not is_fault(line.rpartition(": ")[2]):
                others += count
        return [counted(count, what) for count, what in ((faults, FAULT), (others, VIOLATION)) if count]

    def failure(self, kinds: Collection[str]) -> str:
        """Return the first game with one of some ``FAILURES``, and what happened; empty if there is none."""
        return next((f"{kind}: {text}" for kind, text in self.failures.items() if kind in kinds), "")

    def meeting(self, first: int, second: int) -> Meeting:
        """Return the games of two engines, from the point of view of ``first``."""
        if first > second:
            return self.meeting(second, first).reversed()
        return self._meetings.get((first, second), Meeting())

    def total(self, engine: int) -> Meeting:
        """Return all games of an engine."""
        total = Meeting()
        for other in range(len(self.names)):
            if other != engine:
                total = total.merged(self.meeting(engine, other))
        return total

    def ranking(self) -> list[int]:
        """Return the engines by points per game, then in the order of the settings; those without games come last."""
        totals = {engine: self.total(engine) for engine in range(len(self.names))}
        return sorted(totals, key=lambda engine: -(totals[engine].points / max(totals[engine].games, 1)))

    def add(self, record: GameRecord) -> None:
        game, fixture = record.game, record.fixture
        players = (fixture.white, fixture.black)
        tallies = tuple(self.engines[player] for player in players)
        for row in (*game.rows, *([ply_to_row(game.offence)] if game.offence else [])):
            side, _, _, elapsed_ns, allowed_ns, clock_left_ns, _, _, depth, nodes, _, _ = row
            tallies[side].add(elapsed_ns, allowed_ns, clock_left_ns, depth, nodes)
        for violation in game.violations:
            colour, _, what = violation.partition(": ")
            rule, example, times = split_violation(what)
            name = record.names[colour == "Black"]
            line = f"{name}: {rule}"
            if line in self.violations or len(self.violations) < _MAX_VIOLATIONS:
                self.violations[line] += times
                self.examples.setdefault(line, example)
            if is_fault(rule):
                self.faults[f"{rule} of {name}"] += times
                self._note(FAULT, record, line, example)
            if not rule.startswith(NO_FAULT):
                self._note(VIOLATION, record, line, example)
        if not record.counts:
            self.interrupted += 1
            return
        first, second = sorted(players)
        self._meetings.setdefault((first, second), Meeting()).add(fixture.pair, points_of_first(record))
        outcome = game.outcome
        if self.schedule is not None:
            self.schedule.add(fixture, outcome.winner)
        name = self._termination_name(record)
        self.terminations[name] += 1
        if outcome.termination.is_fault:
            self.faults[name] += 1
            self._note(FAULT, record, name, outcome.details)
        if outcome.termination is Termination.TIME_LOSS:
            self._note(TIME_LOSS, record, name, outcome.details)

    def _note(self, kind: str, record: GameRecord, what: str, details: str) -> None:
        game = f"game {record.fixture.number}, {' - '.join(record.names)}"
        self.failures.setdefault(kind, f"{game}: {what}{f' ({details})' if details else ''}")

    def _termination_name(self, record: GameRecord) -> str:
        outcome = record.game.outcome
        name, details = termination_text(outcome)
        if outcome.termination.by_rules:
            return f"{name}: {details}"
        return name if outcome.winner is None else f"{name} of {record.names[1 - outcome.winner]}"
