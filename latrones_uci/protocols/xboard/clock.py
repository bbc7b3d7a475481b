"""The time control of XBoard and the search limits that follow from it."""

from dataclasses import dataclass, replace

from latrones_uci.engine.limits import Limits

CENTISECOND_MS = 10


@dataclass(frozen=True)
class Clock:
    """The values of ``level``, ``st``, ``sd``, ``time`` and ``otim``; the default is 40 moves in 5 minutes.

    Attributes:
        moves_per_session: moves after which a clock is reset; 0: the clock is for the whole game.
        base_ms, increment_ms: time per session, and increment per move.
        move_ms: fixed time per move, which replaces the three above.
        depth: maximum depth in plies.
        own_ms, other_ms: time left on the engine's clock and on the opponent's; None before XBoard has sent it.
    """

    moves_per_session: int = 40
    base_ms: int = 300_000
    increment_ms: int = 0
    move_ms: int | None = None
    depth: int | None = None
    own_ms: int | None = None
    other_ms: int | None = None

    def for_new_game(self) -> "Clock":
        """Return the same time control with full clocks and unlimited depth."""
        return replace(self, depth=None, own_ms=None, other_ms=None)

    def limits(self, side: int, moves_made: int) -> Limits:
        """Return the limits for a move of ``side``, which has made ``moves_made`` moves in this game."""
        if self.move_ms is not None:
            return Limits(depth=self.depth, movetime_ms=self.move_ms)
        own = self.base_ms if self.own_ms is None else self.own_ms
        other = self.base_ms if self.other_ms is None else self.other_ms
        to_go = self.moves_per_session - moves_made % self.moves_per_session if self.moves_per_session else None
        return Limits(
            depth=self.depth, time_ms=(own, other) if side == 0 else (other, own),
            increment_ms=(self.increment_ms, self.increment_ms), moves_to_go=to_go,
        )
