"""Time management: when to stop a search, and whether to begin another iteration.

The clock of a player runs from the moment the controller sends ``go`` until it has read the best
move; what lies between the two clocks is the *overhead*. Five times the overhead is kept in
reserve and never planned with, so that a machine that is busy elsewhere does not cost the game:
with less than that left, a move takes only its first iteration, and the increment fills the
reserve again.
"""

import threading
import time

from latrones_uci.engine.limits import Limits
from latrones_uci.search.report import Progress

HORIZON = 28
"""Plies of its own that a player plans for where the time control does not say."""
RESERVES = 8
"""The reserve, in overheads."""
LAST_RESORT = 0.01
"""What a move may take of a clock that is all reserve."""
INCREMENT_SHARE = 0.75
HARD_FACTOR = 3.0
MOST_OF_CLOCK = 0.4
LAST_MOVE_SHARE = 0.6


class TimeManager:
    """Decides for one search. Its methods may be called from any thread.

    Attributes:
        soft_ms: what the move should take, None when time does not bound it.
        hard_ms: when the search is broken off.
    """

    def __init__(self, limits: Limits, side: int, overhead_ms: int, started_ns: int, choices: int) -> None:
        """Plans a move.

        Args:
            limits: of the search.
            side: the player to move.
            overhead_ms: time lost on the way, per move.
            started_ns: ``time.monotonic_ns()`` when ``go`` was read.
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
        clock_ms = limits.time_ms[self._side]
        if limits.infinite:
            return
        if limits.movetime_ms is not None:
            spare = min(self._overhead_ms, limits.movetime_ms / 4)
            self.soft_ms = self.hard_ms = limits.movetime_ms - spare
        if clock_ms is not None:
            soft, hard = _plan(clock_ms, limits.increment_ms[self._side], limits.moves_to_go, self._overhead_ms)
            self._on_clock = self.soft_ms is None
            self.soft_ms = soft if self.soft_ms is None else min(soft, self.soft_ms)
            self.hard_ms = hard if self.hard_ms is None else min(hard, self.hard_ms)

    @property
    def stopped(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopped

    @property
    def pondering(self) -> bool:
        """Whether the search runs in the other's time."""
        return self._pondering

    def stop(self) -> None:
        """Ends the search at its next look."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """The awaited move was played: from now on the clock runs, and says what ``limits`` say, if they are given."""
        with self._changed:
            if limits is not None:
                self._plan_move(limits)
            self._clock_ns = time.monotonic_ns()
            self._pondering = False
            self._changed.notify_all()

    def hold(self, infinite: bool) -> None:
        """Waits until the best move may be told: for ``stop`` when infinite, for ``ponderhit`` when pondering."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or not (infinite or self._pondering))

    def elapsed_ms(self) -> float:
        """Milliseconds since the search began."""
        return (time.monotonic_ns() - self._begun_ns) / 1e6

    def _on_clock_ms(self) -> float:
        """Milliseconds that count against the clock: since the search began, or since ``ponderhit``."""
        return (time.monotonic_ns() - self._clock_ns) / 1e6

    def should_stop(self) -> bool:
        """Whether the search must end now."""
        if self._stopped:
            return True
        return self.hard_ms is not None and not self._pondering and self._on_clock_ms() >= self.hard_ms

    def wants_depth(self, progress: Progress) -> bool:
        """Whether another iteration is worth beginning."""
        if self.should_stop():
            return False
        if self.soft_ms is None or self._pondering:
            return True
        if progress.settled or self._forced:
            return False
        share = 1.0
        if self._on_clock:
            # The next iteration takes several times as long as all before it.
            share = 0.4 if progress.steady >= 2 else 0.6
        return self._on_clock_ms() < self.soft_ms * share


def _plan(clock_ms: int, increment_ms: int, moves_to_go: int | None, overhead_ms: int) -> tuple[float, float]:
    """Soft and hard time for a move with ``clock_ms`` left (zero or less: at once)."""
    horizon = min(moves_to_go or HORIZON, HORIZON)
    reserve = RESERVES * overhead_ms
    within = max(clock_ms - overhead_ms, 0)
    spare = max(within - reserve, min(within, LAST_RESORT * max(clock_ms, 0)))
    # The increment is spent only as far as the clock stands well above its reserve.
    earned = INCREMENT_SHARE * increment_ms * min(1.0, spare / max(1.0, reserve))
    soft = min(spare * (LAST_MOVE_SHARE if horizon == 1 else 1 / horizon) + earned, spare * LAST_MOVE_SHARE)
    hard = min(HARD_FACTOR * soft, spare * (MOST_OF_CLOCK if horizon > 1 else LAST_MOVE_SHARE))
    return soft, max(soft, hard) if horizon == 1 else hard
