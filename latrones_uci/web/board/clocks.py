"""The two clocks of a game."""

from collections.abc import Callable
from dataclasses import replace

from latrones_uci.client.time_control import NS_PER_MS, Clock, Limit, TimeControl, clock_limit
from latrones_uci.text.clock import now_ns

_RESERVE_MS = 100  # stays on the clock if less time is left than the fixed time for a move

Left = tuple[int | None, int | None]
"""Nanoseconds left for White and for Black, None for a player without a clock."""


class ClockPair:
    """The clocks of White and Black; at most one of them runs."""

    def __init__(self, controls: tuple[TimeControl, TimeControl], now_ns: Callable[[], int] = now_ns) -> None:
        self._clocks = (Clock(controls[0]), Clock(controls[1]))
        self._now_ns = now_ns
        self._since_ns = 0
        self.running: int | None = None
        """The side whose clock runs, None if neither does."""

    def start(self, side: int) -> None:
        """Start the clock of ``side``, if it is not running, and stop the other one."""
        if self.running != side:
            self.stop()
            self.running, self._since_ns = side, self._now_ns()

    def stop(self) -> None:
        if self.running is not None:
            self._clocks[self.running].spend(self._now_ns() - self._since_ns)
            self.running = None

    def add_increment(self, side: int) -> None:
        self._clocks[side].add_increment()

    def left(self) -> Left:
        spent = [0, 0]
        if self.running is not None:
            spent[self.running] = self._now_ns() - self._since_ns
        white, black = (None if clock.left_ns is None else clock.left_ns - used
                        for clock, used in zip(self._clocks, spent, strict=True))
        return white, black

    def left_ms(self, side: int) -> int | None:
        """Return the time left to a player in milliseconds, at least 0; None without a clock."""
        left_ns = self.left()[side]
        return None if left_ns is None else max(left_ns, 0) // NS_PER_MS

    def set_left(self, left: Left) -> None:
        """Stop both clocks and set them to an earlier time."""
        self.running = None
        for clock, left_ns in zip(self._clocks, left, strict=True):
            clock.left_ns = left_ns

    def flagged(self) -> int | None:
        """Return the side whose time has run out, or None."""
        return next((side for side, left_ns in enumerate(self.left()) if left_ns is not None and left_ns <= 0), None)

    def limit(self, side: int, search: TimeControl) -> Limit:
        """Return the limits for a search of ``side``: those of ``search``, and the clock if there is one."""
        if search.movetime_ms is not None:
            left_ms = self.left_ms(side)
            limits = search if left_ms is None else replace(
                search, movetime_ms=min(search.movetime_ms, max(left_ms - _RESERVE_MS, 1)))
            return clock_limit(side, (Clock(limits), Clock(limits)))
        pair = []
        for clock, left_ns in zip(self._clocks, self.left(), strict=True):
            current = Clock(replace(clock.control, depth=search.depth))
            current.left_ns = left_ns
            pair.append(current)
        return clock_limit(side, (pair[0], pair[1]))
