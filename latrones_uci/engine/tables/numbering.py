"""Number the positions of a split, in the order of the codes in a file.

docs/endings.md defines the numbering. The C++ core has its own implementation (``engine/native/core/endings.hpp``).
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import comb, prod

from latrones_uci.engine.tables.material import Split
from latrones_uci.game.encoding import Board
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.symmetry import Symmetry, symmetries_of

Group = list[tuple[int, bool]]
"""The squares of pieces of one kind and side, each with whether the piece is bound."""


def set_rank(squares: Iterable[int]) -> int:
    return sum(comb(square, place) for place, square in enumerate(sorted(squares), start=1))


def set_of_rank(rank: int, count: int) -> list[int]:
    """Return the set of ``count`` squares with number ``rank``, in descending order."""
    squares = []
    for place in range(count, 0, -1):
        square = place - 1
        while comb(square + 1, place) <= rank:
            square += 1
        rank -= comb(square, place)
        squares.append(square)
    return squares


@lru_cache(maxsize=16)
def _orbits(files: int, ranks: int, count: int) -> dict[int, int]:
    """Return the number of each orbit of sets of ``count`` squares, keyed by its lowest set number."""
    orbits: dict[int, int] = {}
    symmetries = symmetries_of("grid", files, ranks)
    for rank in range(comb(files * ranks, count)):
        squares = set_of_rank(rank, count)
        if all(set_rank(images[square] for square in squares) >= rank for images in symmetries):
            orbits[rank] = len(orbits)
    return orbits


def _group_counts(split: Split) -> tuple[int, int, int, int]:
    """Return the numbers of men of the four groups: own dux, enemy dux, own soldiers, enemy soldiers."""
    return split.own.dux, split.opp.dux, split.own.soldiers, split.opp.soldiers


def _group_order(counts: Sequence[int]) -> list[int]:
    """Return the groups that are not empty, in the order of the numbering: the lead first."""
    lead = 0 if counts[0] else 1 if counts[1] else 2
    if lead == 2 and (not counts[2] or 0 < counts[3] < counts[2]):
        lead = 3
    return [lead, *(group for group in range(4) if group != lead and counts[group])]


def _sizes_after_lead(squares: int, counts: Sequence[int], order: Sequence[int]) -> Iterator[int]:
    free = squares - counts[order[0]]
    for group in order[1:]:
        yield comb(free, counts[group])
        free -= counts[group]


def _mark_count(split: Split, binds: bool) -> int:
    return split.own.soldiers + split.opp.soldiers if binds else 0


def least_size(geometry: Geometry, split: Split, binds: bool) -> int:
    """Return a lower bound of ``Numbering.size`` without the cost of a numbering, which lists all sets of the lead."""
    counts = _group_counts(split)
    order = _group_order(counts)
    leads = comb(geometry.squares, counts[order[0]]) // len(symmetries_of("grid", geometry.files, geometry.ranks))
    return leads * prod(_sizes_after_lead(geometry.squares, counts, order)) << _mark_count(split, binds)


class Numbering:
    """The numbers of the positions of a split on a board."""

    def __init__(self, geometry: Geometry, split: Split, binds: bool) -> None:
        """Prepare the numbering; ``binds`` is whether soldiers can be bound."""
        self._geometry = geometry
        # Each as the image of every square: the inverses of symmetries are all symmetries again.
        self._symmetries = symmetries_of("grid", geometry.files, geometry.ranks)
        counts = _group_counts(split)
        self._order = _group_order(counts)
        lead = counts[self._order[0]]
        self._orbits = _orbits(geometry.files, geometry.ranks, lead)
        self._sizes = [len(self._orbits), *_sizes_after_lead(geometry.squares, counts, self._order)]
        self._marks = _mark_count(split, binds)
        self._first_mark = (0, 0, 0, split.own.soldiers)
        self.size = prod(self._sizes) << self._marks
        """All numbers are below this; some of them belong to no position."""

    def number(self, board: Board) -> int:
        """Return the number that a position shares with its images; the board must have the pieces of the split."""
        groups = self._groups(board)
        lead = [square for square, _ in groups[self._order[0]]]
        images = [(set_rank(symmetry[square] for square in lead), symmetry) for symmetry in self._symmetries]
        first = min(rank for rank, _ in images)
        return min(self._image(groups, self._orbits[first], symmetry) for rank, symmetry in images if rank == first)

    def _groups(self, board: Board) -> Sequence[Group]:
        own, opp, own_dux, opp_dux, _, _, _, bound, _ = board
        groups: tuple[Group, ...] = ([], [], [], [])
        for side, (pieces, dux) in enumerate(((own, own_dux), (opp, opp_dux))):
            for square in self._geometry.squares_of(pieces):
                is_bound = bool(bound & self._geometry.wide[square])
                groups[side if square == dux else 2 + side].append((square, is_bound))
        return groups

    def _image(self, groups: Sequence[Group], orbit: int, symmetry: Symmetry) -> int:
        number, marks = orbit, 0
        placed: list[int] = []
        for place, group in enumerate(self._order):
            pieces = sorted((symmetry[square], is_bound) for square, is_bound in groups[group])
            squares = [square for square, _ in pieces]
            if place:
                among_free = (square - sum(other < square for other in placed) for square in squares)
                number = number * self._sizes[place] + set_rank(among_free)
            placed += squares
            if self._marks:
                marks |= sum(is_bound << self._first_mark[group] + i for i, (_, is_bound) in enumerate(pieces))
        return number << self._marks | marks
