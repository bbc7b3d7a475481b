"""What bounds a search, as the command ``go`` says it."""

from dataclasses import dataclass

from latrones_uci.engine.errors import LimitsError
from latrones_uci.search.report import MAX_PLY


@dataclass(frozen=True)
class Limits:
    """The words of a ``go``; those that are None or False were not said.

    Attributes:
        depth: plies.
        nodes: positions entered by making a move.
        movetime_ms: time for this move.
        time_ms: time left to White and to Black.
        increment_ms: added to White's and to Black's clock after each of their plies.
        moves_to_go: plies of the player to move until its clock is set anew.
        mate: stop when a win in so many turns is found.
        infinite: search until ``stop``.
        ponder: search in the other's time, until ``ponderhit`` or ``stop``.
        search_moves: texts of the only moves to consider.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    time_ms: tuple[int | None, int | None] = (None, None)
    increment_ms: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises LimitsError where a number is out of range."""
        for word, number in (
            ("depth", self.depth), ("nodes", self.nodes), ("movestogo", self.moves_to_go), ("mate", self.mate),
        ):
            if number is not None and number < 1:
                raise LimitsError(f"{word} '{number}' is not at least 1")
        if self.movetime_ms is not None and self.movetime_ms < 0:
            raise LimitsError(f"movetime '{self.movetime_ms}' is negative")
        if min(self.increment_ms) < 0:
            raise LimitsError(f"increment '{min(self.increment_ms)}' is negative")

    @property
    def search_mate(self) -> int | None:
        """The turns in which a win is to be found, within what the search can see."""
        return None if self.mate is None else min(self.mate, MAX_PLY)

    @property
    def search_depth(self) -> int:
        """The depth to go to, within what the search can."""
        return min(self.depth or MAX_PLY, MAX_PLY)
