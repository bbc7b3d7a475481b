"""How a game ended."""

from dataclasses import dataclass
from typing import Literal

Reason = Literal["decided", "repetition", "nocapture", "nomove"]


@dataclass(frozen=True)
class Result:
    """An ended game.

    Attributes:
        winner: 0 White, 1 Black, None for a draw.
        reason: ``decided`` (capture, immobilisation, line, too few men), ``repetition``, ``nocapture``
            (the limit of plies without a capture), ``nomove`` (the player to move has no legal move).
    """

    winner: int | None
    reason: Reason

    @property
    def name(self) -> str:
        """``p1win``, ``p2win`` or ``draw``; White is p1."""
        return "draw" if self.winner is None else ("p1win", "p2win")[self.winner]
