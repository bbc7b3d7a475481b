"""The time that XBoard gives, and the limits that follow from it."""

from dataclasses import dataclass, replace

from latrones_uci.engine.limits import Limits

CENTISECOND_MS = 10


@dataclass(frozen=True)
class Clock:
    """What ``level``, ``st``, ``sd``, ``time`` and ``otim`` said; the default is 40 moves in 5 minutes.

    Attributes:
        moves_per_session: after so many moves a clock is set anew; 0: it is for the whole game.
        base_ms, increment_ms: time of a session, and what is added for each move.
        move_ms: the time of each move, in place of all these.
        depth: plies at most.
        own_ms, other_ms: what is left on the engine's clock and on the other one; None before that was said.
    """

    moves_per_session: int = 40
    base_ms: int = 300_000
    increment_ms: int = 0
    move_ms: int | None = None
    depth: int | None = None
    own_ms: int | None = None
    other_ms: int | None = None

    def for_new_game(self) -> "Clock":
        """The same time control, clocks full and depth unlimited."""
        return replace(self, depth=None, own_ms=None, other_ms=None)

    def limits(self, side: int, moves_made: int) -> Limits:
        """The limits for a move of ``side``, which has made so many before in the game."""
        if self.move_ms is not None:
            return Limits(depth=self.depth, movetime_ms=self.move_ms)
        own = self.base_ms if self.own_ms is None else self.own_ms
        other = self.base_ms if self.other_ms is None else self.other_ms
        to_go = self.moves_per_session - moves_made % self.moves_per_session if self.moves_per_session else None
        return Limits(
            depth=self.depth, time_ms=(own, other) if side == 0 else (other, own),
            increment_ms=(self.increment_ms, self.increment_ms), moves_to_go=to_go,
        )
