"""The clock of a player, and the ``go`` line that tells it."""

from typing import Literal

from latrones_uci.match.records.time_control import TimeControl

Dialect = Literal["uci", "ugi"]

_NS_PER_MS = 1_000_000


class Clock:
    """The time of one player in one game.

    Attributes:
        control: the limits it counts by.
        left_ns: nanoseconds left, None where the control has no clock; below 0 only by what a margin forgave.
    """

    def __init__(self, control: TimeControl) -> None:
        """Sets the clock for a new game."""
        self.control = control
        self.left_ns = None if control.base_ms is None else control.base_ms * _NS_PER_MS

    def allowed_ns(self) -> int | None:
        """How long the next ply may take, None where time is not limited."""
        if self.control.movetime_ms is not None:
            return self.control.movetime_ms * _NS_PER_MS
        return self.left_ns

    def spend(self, elapsed_ns: int) -> None:
        """Takes the time of a ply off the clock."""
        if self.left_ns is not None:
            self.left_ns -= elapsed_ns

    def add_increment(self) -> None:
        """Adds what a completed ply earns."""
        if self.left_ns is not None:
            self.left_ns += self.control.increment_ms * _NS_PER_MS


def render_go(side: int, clocks: tuple[Clock, Clock], dialect: Dialect = "uci") -> str:
    """The ``go`` line for the player ``side`` (0 White, 1 Black); times in whole milliseconds, at least 1.

    In UGI the players are ``p1`` and ``p2``: ``p1time``, ``p2inc``.
    """
    players = ("p1", "p2") if dialect == "ugi" else ("w", "b")
    control = clocks[side].control
    words = ["go"]
    if control.base_ms is not None:
        for clock, player in zip(clocks, players, strict=True):
            if clock.left_ns is not None:
                words += [f"{player}time", str(max(clock.left_ns // _NS_PER_MS, 1))]
        for clock, player in zip(clocks, players, strict=True):
            if clock.left_ns is not None:
                words += [f"{player}inc", str(clock.control.increment_ms)]
    for word, limit in (("movetime", control.movetime_ms), ("depth", control.depth), ("nodes", control.nodes)):
        if limit is not None:
            words += [word, str(limit)]
    return " ".join(words)
