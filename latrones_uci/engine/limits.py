"""Limits of a search, and time management: when to stop it, and whether to start another iteration.

A player's clock runs from the moment the controller sends ``go`` until it reads the best move. The difference between
that time and the engine's search time is the *overhead*. The time manager keeps ``RESERVE_OVERHEADS`` times the
overhead in reserve, so that the engine does not lose on time on a busy machine. With less than the reserve left, a move
takes only its first iteration, and the increment refills the reserve.
"""

import threading
from dataclasses import dataclass

from latrones_uci.engine.errors import LimitsError
from latrones_uci.engine.types import MAX_PLY, IterationProgress
from latrones_uci.text.clock import now_ns

HORIZON = 28
"""Number of the player's own moves to plan for, unless the time control says less."""
RESERVE_OVERHEADS = 8
"""Size of the reserve, in overheads."""
RESERVE_SHARE = 0.01
"""Share of the clock for a move when only the reserve is left."""
INCREMENT_SHARE = 0.75
"""Share of the increment that a move uses."""
HARD_FACTOR = 3.0
"""Hard limit, in soft limits."""
MAX_CLOCK_SHARE = 0.4
"""Maximum share of the clock for one move."""
LAST_MOVE_SHARE = 0.6
"""Maximum share of the clock for the last move before the clock is reset."""
STEADY_ITERATIONS = 2
"""Iterations with the same best move after which the search stops earlier."""
STEADY_SHARE = 0.4
"""Share of the soft limit after which no iteration is started if the best move is steady."""
UNSTEADY_SHARE = 0.6
"""The same if it is not steady; the next iteration takes several times as long as all earlier iterations together."""
FALLEN_SCORE = 30
"""Centi-soldiers by which the score must fall for the search to take longer."""
FALLEN_SHARE = 1.0
"""Share of the soft limit after which no iteration is started if the score has fallen."""


@dataclass(frozen=True)
class Limits:
    """The parameters of a ``go`` command; None or False if not given."""

    depth: int | None = None
    """Maximum depth in plies."""
    nodes: int | None = None
    """Maximum number of nodes (positions entered by making a move)."""
    movetime_ms: int | None = None
    """Time for this move."""
    time_ms: tuple[int | None, int | None] = (None, None)
    """Time left for White and for Black."""
    increment_ms: tuple[int, int] = (0, 0)
    """Increment per ply for White and for Black."""
    moves_to_go: int | None = None
    """Own moves until the clock is reset."""
    mate: int | None = None
    """Stop when a win in this many turns is found."""
    infinite: bool = False
    """Search until ``stop``."""
    ponder: bool = False
    """Search on the opponent's time, until ``ponderhit`` or ``stop``."""
    search_moves: tuple[str, ...] = ()
    """The moves to consider, as text."""

    def __post_init__(self) -> None:
        """Raise LimitsError if a number is out of range."""
        for word, number, least in (
            ("depth", self.depth, 1), ("nodes", self.nodes, 1), ("movestogo", self.moves_to_go, 1),
            ("mate", self.mate, 1), ("movetime", self.movetime_ms, 0), ("increment", min(self.increment_ms), 0),
        ):
            if number is not None and number < least:
                raise LimitsError(f"{word} must be at least {least}, not '{number}'")

    @property
    def bounded(self) -> bool:
        """Whether the search ends by itself, at the latest when its time is over."""
        given = (self.depth, self.nodes, self.mate)
        return not self.infinite and (self.timed or any(each is not None for each in given))

    @property
    def fixed(self) -> bool:
        """Whether nodes, plies or turns are limited, so that the result should be the same on all machines."""
        return any(each is not None for each in (self.depth, self.nodes, self.mate))

    @property
    def search_mate(self) -> int | None:
        """``mate``, capped at the maximum depth of the search."""
        return None if self.mate is None else min(self.mate, MAX_PLY)

    @property
    def search_depth(self) -> int:
        """``depth``, capped at the maximum depth; with ``mate`` alone, the depth of so many turns, which decides it."""
        depth = self.depth
        if self.mate is not None and not self.infinite and self.nodes is None and not self.timed:
            depth = depth or 2 * self.mate
        return min(depth or MAX_PLY, MAX_PLY)

    @property
    def timed(self) -> bool:
        return any(each is not None for each in (self.movetime_ms, *self.time_ms))


class TimeManager:
    """The time management of one search. Its methods may be called from any thread.

    Attributes:
        soft_ms: target time of the move, None without a time limit.
        hard_ms: time at which the search is stopped.
    """

    def __init__(self, limits: Limits, side: int, overhead_ms: int, started_ns: int, choices: int) -> None:
        """Plan the time of a move.

        Args:
            limits: limits of the search.
            side: the player to move.
            overhead_ms: time lost between engine and clock per move.
            started_ns: ``now_ns()`` when ``go`` was read.
            choices: number of moves to choose from.
        """
        self._changed = threading.Condition()
        self._stopped = False
        self._pondering = limits.ponder
        self._begun_ns = self._clock_ns = started_ns
        self._side, self._overhead_ms = side, overhead_ms
        self._forced = choices == 1
        self._plan_move(limits)

    def _plan_move(self, limits: Limits) -> None:
        self._on_clock = False
        self.soft_ms: float | None = None
        self.hard_ms: float | None = None
        # With only the opponent's clock, the player has as much time: without a limit, it would never move.
        clock_of = self._side if limits.time_ms[self._side] is not None else 1 - self._side
        clock_ms = limits.time_ms[clock_of]
        if limits.infinite:
            return
        if limits.movetime_ms is not None:
            spare = min(self._overhead_ms, limits.movetime_ms / 4)
            self.soft_ms = self.hard_ms = limits.movetime_ms - spare
        if clock_ms is not None:
            soft, hard = _plan(clock_ms, limits.increment_ms[clock_of], limits.moves_to_go, self._overhead_ms)
            self._on_clock = self.soft_ms is None
            self.soft_ms = soft if self.soft_ms is None else min(soft, self.soft_ms)
            self.hard_ms = hard if self.hard_ms is None else min(hard, self.hard_ms)

    @property
    def stopped(self) -> bool:
        return self._stopped

    @property
    def pondering(self) -> bool:
        """Whether the search runs on the opponent's time."""
        return self._pondering

    def stop(self) -> None:
        """End the search at its next check."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Start the clock, because the expected move was played; new ``limits``, if given, replace the time limits."""
        with self._changed:
            if limits is not None:
                self._plan_move(limits)
            self._clock_ns = now_ns()
            self._pondering = False
            self._changed.notify_all()

    def hold(self, infinite: bool) -> None:
        """Wait until the best move may be sent: for ``stop`` if infinite, also for ``ponderhit`` if pondering."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or not (infinite or self._pondering))

    def elapsed_ms(self) -> float:
        return (now_ns() - self._begun_ns) / 1e6

    def _on_clock_ms(self) -> float:
        """Return the milliseconds on the player's clock: since the search began, or since ``ponderhit``."""
        return (now_ns() - self._clock_ns) / 1e6

    def should_stop(self) -> bool:
        if self._stopped:
            return True
        return self.hard_ms is not None and not self._pondering and self._on_clock_ms() >= self.hard_ms

    def wants_depth(self, progress: IterationProgress) -> bool:
        if self.should_stop():
            return False
        if self.soft_ms is None or self._pondering:
            return True
        if self._forced or (progress.settled and self._on_clock):  # a selective search may have missed a shorter win
            return False
        share = 1.0
        if self._on_clock and not progress.interruptible:
            share = STEADY_SHARE if progress.steady >= STEADY_ITERATIONS else UNSTEADY_SHARE
            if progress.fallen >= FALLEN_SCORE:
                share = FALLEN_SHARE
        return self._on_clock_ms() < self.soft_ms * share


def _plan(clock_ms: int, increment_ms: int, moves_to_go: int | None, overhead_ms: int) -> tuple[float, float]:
    """Return the soft and hard limit of a move with ``clock_ms`` left (zero or negative: move at once)."""
    horizon = min(moves_to_go or HORIZON, HORIZON)
    reserve = RESERVE_OVERHEADS * overhead_ms
    # Until a clock reset, nothing compensates for the overhead of the moves; without resets, the increment does.
    usable = max(clock_ms - overhead_ms * (moves_to_go or 1), 0)
    spare = max(usable - reserve, min(usable, RESERVE_SHARE * max(clock_ms, 0)))
    # Near the reserve, part of the increment is saved to refill it.
    earned = INCREMENT_SHARE * increment_ms * min(1.0, spare / max(1.0, reserve))
    soft = min(spare * (LAST_MOVE_SHARE if horizon == 1 else 1 / horizon) + earned, spare * LAST_MOVE_SHARE)
    hard = min(HARD_FACTOR * soft, spare * (MAX_CLOCK_SHARE if horizon > 1 else LAST_MOVE_SHARE))
    return soft, max(soft, hard) if horizon == 1 else hard
