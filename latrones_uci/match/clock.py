"""How long and how far a player may think, and the clock that counts it."""

from dataclasses import dataclass
from typing import Literal

Dialect = Literal["uci", "ugi"]

_NS_PER_MS = 1_000_000


@dataclass(frozen=True)
class TimeControl:
    """The limits of one player's search. Either ``movetime_ms`` or ``base_ms`` or neither; the others add to them.

    Attributes:
        movetime_ms: milliseconds for every move.
        base_ms: milliseconds on the clock at the start of a game.
        increment_ms: milliseconds added to the clock after each ply of its player. Sides need not alternate.
        depth: depth limit in plies.
        nodes: limit of positions searched.
    """

    movetime_ms: int | None = None
    base_ms: int | None = None
    increment_ms: int = 0
    depth: int | None = None
    nodes: int | None = None

    @property
    def timed(self) -> bool:
        """Whether a move can be late."""
        return self.movetime_ms is not None or self.base_ms is not None

    def pgn_tag(self) -> str:
        """The value of a PGN ``TimeControl`` tag: ``1+0.01``, ``0.1/move``, or ``-`` without a limit of time."""
        if self.movetime_ms is not None:
            return f"{_render_seconds(self.movetime_ms)}/move"
        if self.base_ms is None:
            return "-"
        return f"{_render_seconds(self.base_ms)}+{_render_seconds(self.increment_ms)}"

    def words(self) -> str:
        """All limits in the words of the command line: ``tc=1+0.01 depth=6``."""
        named: list[str] = []
        if self.movetime_ms is not None:
            named.append(f"st={_render_seconds(self.movetime_ms)}")
        if self.base_ms is not None:
            named.append(f"tc={self.pgn_tag()}")
        if self.depth is not None:
            named.append(f"depth={self.depth}")
        if self.nodes is not None:
            named.append(f"nodes={self.nodes}")
        return " ".join(named)


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


def _render_seconds(milliseconds: int) -> str:
    """Seconds without needless zeros: ``1``, ``0.1``, ``0.005``."""
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")
