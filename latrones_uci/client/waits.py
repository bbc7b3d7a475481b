"""Wait for the lines of an engine, which is not charged for the time in which this program was suspended."""

from collections.abc import Callable
from typing import TypeVar

from latrones_uci.client.engine_rules import HELD_UP
from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.client.output import Violations
from latrones_uci.client.process import OutputLine, Transport
from latrones_uci.client.time_control import NS_PER_S

_POLL_NS = 20_000_000
"""How long to wait at a time: a suspension is noticed by a wait that ends late."""
_HELD_UP_NS = 10_000_000
"""How late a wait usually ends at most while this program runs."""
_CHARGED_HOLD_UP_NS = 50_000_000
_REPORTED_HOLD_UP_NS = 500_000_000

T = TypeVar("T")


class Waits:
    """The waits for one process, and what is known of suspensions since ``begin``."""

    def __init__(
        self, process: Transport, interrupted: Callable[[], bool], note: Callable[[OutputLine], None],
        violations: Violations,
    ) -> None:
        """Start without a wait.

        Args:
            process: the running engine.
            interrupted: polled during every wait; once it returns True, the wait ends with ``WaitInterruptedError``.
            note: called with each line that is read.
            violations: where suspensions are recorded.
        """
        self._process, self._interrupted, self._note, self._violations = process, interrupted, note, violations
        self.held_up_ns = self._spared_ns = 0
        """How late waits have ended, where that is more than a busy machine explains."""

    def begin(self) -> None:
        """Forget the suspensions before the search that begins."""
        self.held_up_ns = self._spared_ns = 0

    def wait_for(
        self, read: Callable[[str], T | None], deadline_ns: int, stopped: Callable[[], bool] | None = None,
        begun_ns: int | None = None, *, slow_read: bool = False, spares_reading: bool = False,
    ) -> tuple[T, OutputLine] | None:
        """Return the first line for which ``read`` returns a value, with that value.

        Return None when all lines up to the deadline have been read, or when ``stopped`` returns True. The deadline is
        later by the time in which this program was suspended since ``begun_ns``, None for now.

        With ``slow_read``, ``read`` may take its time: the engine goes on meanwhile, so that is no suspension. With
        ``spares_reading``, the deadline is later by that time.
        """
        looked_ns = expected_wake_ns = self._process.now_ns() if begun_ns is None else begun_ns
        while True:
            if self._interrupted():
                raise WaitInterruptedError
            if stopped is not None and stopped():
                return None
            now_ns = self._process.now_ns()
            if now_ns > expected_wake_ns + _HELD_UP_NS:
                # The engine may have been suspended as well, and from the beginning of the wait on.
                deadline_ns += now_ns - looked_ns
                self._note_hold_up(now_ns - expected_wake_ns, now_ns - looked_ns)
            remaining_ns = deadline_ns - now_ns
            wait_ns = max(min(remaining_ns, _POLL_NS), 0)
            looked_ns, expected_wake_ns = now_ns, now_ns + wait_ns
            line = self._process.read_line(wait_ns / NS_PER_S)
            if line is None:
                if remaining_ns <= 0:
                    return None
                continue
            if line.read_at_ns > expected_wake_ns:  # it came earlier than it was read
                late_ns = line.read_at_ns - expected_wake_ns
                deadline_ns += late_ns
                self._note_hold_up(late_ns, late_ns)
                looked_ns = expected_wake_ns = line.read_at_ns
            while line is not None:
                self._note(line)
                read_ns = self._process.now_ns() if slow_read else 0
                if (value := read(line.text)) is not None:
                    return value, line
                if slow_read:
                    looked_ns = expected_wake_ns = self._process.now_ns()
                    deadline_ns += spares_reading * (expected_wake_ns - read_ns)
                    self._process.read_available()  # to know when the lines came
                if line.read_at_ns > deadline_ns:
                    return None
                # Engines print many lines at once; those that have been read already need no look at the clock.
                line = self._process.read_line(0) if self._process.unread else None

    def charged_ns(self, taken_ns: int, limit_ns: int) -> int:
        """Return the time to charge for an answer: at most the limit, if a suspension may have made it late.

        Args:
            taken_ns: nanoseconds from the question to the answer.
            limit_ns: the limit, in nanoseconds.
        """
        elapsed_ns = max(taken_ns - self.held_up_ns, 0)
        if taken_ns > limit_ns >= taken_ns - self._spared_ns:
            elapsed_ns = min(elapsed_ns, limit_ns)
            if self._spared_ns > _HELD_UP_NS and self.held_up_ns <= _REPORTED_HOLD_UP_NS:
                self._report_hold_up(self._spared_ns)
        return elapsed_ns

    def _note_hold_up(self, late_ns: int, spared_ns: int) -> None:
        """Note that a wait ended late.

        Args:
            late_ns: how late; it is not charged if it is more than a busy machine explains.
            spared_ns: how long this program may have been suspended; it costs no engine the game.
        """
        self._spared_ns += spared_ns
        if late_ns > _CHARGED_HOLD_UP_NS:
            self.held_up_ns += late_ns
        if late_ns > _REPORTED_HOLD_UP_NS:
            self._report_hold_up(late_ns)

    def _report_hold_up(self, held_up_ns: int) -> None:
        self._violations.add(HELD_UP, f"{held_up_ns / NS_PER_S:.3f} s")
