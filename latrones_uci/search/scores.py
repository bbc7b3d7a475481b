"""Scores inside a search: centi-soldiers, and beyond them wins and losses by distance."""

from latrones_uci.search.report import Score

WIN = 30_000
"""Score of a game that is won now; a win ``n`` plies away is ``WIN - n``."""
PROVEN = WIN - 1_000
"""Scores at or above this are proven wins, at or below its negative proven losses."""
INFINITE = 32_000


def to_score(value: int) -> Score:
    """Converts an exact internal score.

    A win in ``n`` plies takes the winner ``(n + 1) // 2`` turns; a loss in ``n``, ``n // 2`` turns
    of the other side.
    """
    if value >= PROVEN:
        return Score(None, (WIN - value + 1) // 2)
    if value <= -PROVEN:
        return Score(None, -((WIN + value) // 2))
    return Score(value, None)
