"""The units of a net as lanes of one wide integer, so that one addition adds an input to all units of both views.

A lane has 16 bits. The lanes of view 0, that of the player to move, come first. A *row* is the sum of the numbers of an
input shifted to their lanes; numbers below 0 borrow from the next lane. Rows are added in any order, since only the sum
for a whole position must fit into the lanes. It has 2**15 added to each, and ``Net`` checks that a unit is a signed
16-bit number in every position.

The row of an input depends on the symmetries that move the views. For each pair of symmetries, dictionaries contain
what positions have needed so far, and calculate what is missing.
"""

from collections.abc import Callable

from latrones_uci.engine.nets.file import DUX_SIDES, Layout, Net, places_and_turns, to_bytes, turned_directions
from latrones_uci.game.encoding import dux_in_hand, soldiers_in_hand
from latrones_uci.game.geometry import Geometry

_MAX_KEPT = 1000
"""Maximum number of entries of a dictionary that grows with the positions of a game."""


class Lanes:
    """The rows of a net, and the masks to work on all lanes at once."""

    def __init__(self, net: Net) -> None:
        size = 2 * net.hidden
        self.bytes = 2 * size
        """The size of all lanes."""
        ones = int.from_bytes(b"\1\0" * size, "little")
        self.tops = ones << 15
        """The highest bit of each lane."""
        self.room = ones * (0x8000 - 0x100)
        """Sets the highest bit of lanes above 255, if it is added to lanes below 2**15."""
        self._view_bits = 8 * size
        # A number plus 2**15 is its two's complement with the highest bit flipped.
        tops = self.tops >> self._view_bits
        self._rows, biases = (
            [(int.from_bytes(data[at : at + size], "little") ^ tops) - tops for at in range(0, len(data), size)]
            for data in (to_bytes(net.weights), to_bytes(net.biases)))
        self.start = biases[0] + (biases[0] << self._view_bits) + self.tops
        """The lanes without any input."""

    def row(self, of_view: int, of_other_view: int) -> int:
        """Return the row of an input of view 0 and an input of view 1, which are given by number."""
        return self._rows[of_view] + (self._rows[of_other_view] << self._view_bits)


class PieceSums(dict[tuple[int, int, int], int]):
    """The sums of the rows of a side's pieces, by its pieces, its dux (-1: not on the board), and its bound soldiers.

    Pieces and bound soldiers are wide sets. A missing sum is calculated from the last one, by the pieces that differ.
    """

    def __init__(self, geometry: Geometry, start: int, soldiers: list[int], duces: list[int], bound: list[int]) -> None:
        """Prepare the sums.

        Args:
            geometry: the board.
            start: what is added to all sums.
            soldiers: the rows of soldiers by square.
            duces, bound: by square, what is added to the row of a soldier if it is the dux, or bound; empty if none is.
        """
        self._base, self._duces = geometry.base, duces
        self._soldiers, self._bound = (
            [rows[square] if square >= 0 else 0 for square in geometry.square_at[: geometry.base.bit_length()]]
            if rows else [] for rows in (soldiers, bound))  # by bit
        self._last_pieces = self._last_bound = 0
        self._last_sum = start  # without the dux

    def __missing__(self, key: tuple[int, int, int]) -> int:
        pieces, dux, bound = key
        total = self._last_sum
        for rows, after, before in (
            (self._soldiers, pieces, self._last_pieces), (self._bound, bound, self._last_bound),
        ):
            changed = (after ^ before) & self._base
            while changed:
                bit = changed & -changed
                changed ^= bit
                if after & bit:
                    total += rows[bit.bit_length() - 1]
                else:
                    total -= rows[bit.bit_length() - 1]
        self._last_pieces, self._last_bound, self._last_sum = pieces, bound, total
        if dux >= 0:
            total += self._duces[dux]
        if len(self) >= _MAX_KEPT:
            self.clear()
        self[key] = total
        return total


class ThreatRows(dict[int, list[tuple[int, int]]]):
    """By the landings of a side that may be threats (``Captures.landings``): each as a wide set, with its row."""

    def __init__(self, geometry: Geometry, row_of: Callable[[int], int]) -> None:
        """Prepare the rows; ``row_of`` returns the row of a landing, which is given by its bit."""
        self._wide_at, self._row_of = geometry.wide_at, row_of
        self._rows = [0] * geometry.width  # 0: not calculated yet

    def __missing__(self, landings: int) -> list[tuple[int, int]]:
        found, left = [], landings
        while left:
            bit = (left & -left).bit_length() - 1
            left &= left - 1
            row = self._rows[bit] or self._row_of(bit)
            self._rows[bit] = row
            found.append((self._wide_at[bit], row))
        if len(self) >= _MAX_KEPT:
            self.clear()
        self[landings] = found
        return found


PairTables = tuple[PieceSums, PieceSums, ThreatRows, ThreatRows]
"""The tables of a pair of symmetries: for the pieces of the player to move and of its opponent, then their threats."""


class Pairs(dict[tuple[int, int], PairTables]):
    """The tables of each pair of symmetries, by their numbers: that of view 0, and that of view 1."""

    def __init__(self, geometry: Geometry, net: Net, lanes: Lanes) -> None:
        self._geometry, self._layout, self._lanes = geometry, net.layout, lanes
        self._places, _ = places_and_turns(net.layout.files, net.layout.ranks, net.orientation)
        self._turned = [turned_directions(geometry, place) for place in self._places]

    def __missing__(self, turns: tuple[int, int]) -> PairTables:
        self[turns] = tables = (
            self._pieces(turns, 0), self._pieces(turns, 1), self._threats(turns, 0), self._threats(turns, 1))
        return tables

    def _pieces(self, turns: tuple[int, int], owner: int) -> PieceSums:
        """Return the sums for the pieces of the player to move (``owner`` 0), or of its opponent (1)."""
        layout, row, squares = self._layout, self._lanes.row, self._layout.squares
        place, other_place = (self._places[turn] for turn in turns)
        soldiers, duces, bound = (
            [row(first + owner * squares + place[square], first + (1 - owner) * squares + other_place[square])
             for square in range(squares)] if first >= 0 else []
            for first in (0, layout.dux_row, layout.bound_row))
        added = ([number - soldier for number, soldier in zip(rows, soldiers, strict=bool(rows))]
                 for rows in (duces, bound))
        return PieceSums(self._geometry, 0 if owner else self._lanes.start, soldiers, *added)

    def _threats(self, turns: tuple[int, int], owner: int) -> ThreatRows:
        """Return the rows of the threats of the player to move (``owner`` 0), or of its opponent (1)."""
        geometry, squares, row = self._geometry, self._layout.squares, self._lanes.row
        first, other_first = (self._layout.threat_row + 4 * squares * of for of in (owner, 1 - owner))
        (place, turned), (other_place, other_turned) = ((self._places[turn], self._turned[turn]) for turn in turns)

        def row_of(bit: int) -> int:
            # The threatened piece is before the landing, in the direction of the orientation.
            victim = geometry.square_at[bit - 1]
            direction = next(number for number, mask in enumerate(geometry.lines) if mask >> bit & 1)
            return row(first + turned[direction] * squares + place[victim],
                       other_first + other_turned[direction] * squares + other_place[victim])

        return ThreatRows(geometry, row_of)


class HandRows(dict[tuple[int, int], int]):
    """The sums of the rows of the pieces in hand, by both hands (see ``encoding``) and the side to move."""

    def __init__(self, layout: Layout, lanes: Lanes) -> None:
        self._layout, self._lanes = layout, lanes

    def __missing__(self, key: tuple[int, int]) -> int:
        (hand, side), layout, row = key, self._layout, self._lanes.row
        total = 0
        for owner, colour in ((0, side), (1, side ^ 1)):
            if soldiers := min(soldiers_in_hand(hand, colour), layout.hand):
                first = layout.hand_row + soldiers - 1
                total += row(first + owner * layout.hand, first + (1 - owner) * layout.hand)
            if layout.hand_dux_row >= 0 and dux_in_hand(hand, colour):
                total += row(layout.hand_dux_row + owner, layout.hand_dux_row + 1 - owner)
        self[key] = total
        return total


def dux_sides_rows(layout: Layout, lanes: Lanes, owner: int) -> list[int]:
    """Return the rows of 0, 1, ... open sides of the dux of the player to move (``owner`` 0) or its opponent (1)."""
    first, other_first = (layout.dux_sides_row + DUX_SIDES * of for of in (owner, 1 - owner))
    return [lanes.row(first + sides, other_first + sides) for sides in range(DUX_SIDES)]
