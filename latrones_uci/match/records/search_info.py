"""What an engine said of its search."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchInfo:
    """The last that an engine said about its search; None where it said nothing.

    Attributes:
        score_centi: score in centi-soldiers, from the mover's point of view.
        mate: turns of the winner to the forced win, negative when the mover loses; excludes ``score_centi``.
        depth: nominal depth in plies.
        nodes: positions searched.
        time_ms: the engine's own time in milliseconds.
        pv: the expected line, as move texts, no longer than 100 moves.
    """

    score_centi: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    pv: tuple[str, ...] = ()
