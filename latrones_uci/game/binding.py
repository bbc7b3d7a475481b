"""Bound marks: soldiers that stand between two free enemies."""

from latrones_uci.game.geometry import Geometry

MOST_ROUNDS = 4


class Binding:
    """Judges the marks of a board anew after an action."""

    def __init__(self, geometry: Geometry) -> None:
        """Prepares for a board."""
        self._geometry, self._base, self._row = geometry, geometry.base, geometry.row

    def judged(self, mover: int, other: int, bound: int) -> int:
        """The wide set of bound soldiers after an action by ``mover``; ``bound`` is that before.

        In each round first the other's soldiers are judged, then the mover's, each pass by the marks as the pass before
        it left them. Rounds end with one that changes nothing, or with the fourth.
        """
        mover, other, marks = mover & self._base, other & self._base, bound & self._base
        before = marks
        for _ in range(MOST_ROUNDS):
            of_other = self._between(mover & ~marks, other)
            of_mover = self._between(other & ~of_other, mover)
            marks_now = of_other | of_mover
            if marks_now == marks:
                break
            marks = marks_now
        return bound if marks == before else self._geometry.widen(marks)

    def _between(self, free: int, soldiers: int) -> int:
        """Those of ``soldiers`` with two of ``free`` on both sides along an axis."""
        row = self._row
        return (free << 1 & free >> 1 | free << row & free >> row) & soldiers
