"""Convert records of positions to arrays: the inputs of both views, and the training targets. Needs numpy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from latrones_uci.game import Ruleset
from latrones_uci.game.encoding import pack_hand
from latrones_uci.search.net import Layout, Orientation, places_and_turns
from latrones_uci.train.positions import NO_DUX, RecordLayout

if TYPE_CHECKING:
    from latrones_uci.native._core import BoardTuple

Records = npt.NDArray[np.uint8]
"""Records, one a row."""
Floats = npt.NDArray[np.floating[Any]]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Columns:
    """The parts of records that are not inputs."""

    scores: Integers
    """In centi-soldiers, for the player to move."""
    first: npt.NDArray[np.bool_]
    """Whether a position is the first of its game."""
    men: Integers
    """Number of pieces of both sides, on the board and in hand."""


class FeatureReader:
    """Reads the records of a game on a board."""

    def __init__(self, ruleset: Ruleset, files: int, ranks: int, orientation: Orientation) -> None:
        """Build the tables."""
        self.layout = Layout.of(ruleset, files, ranks)
        self.records = RecordLayout.of(ruleset, files, ranks)
        squares = self.layout.squares
        places, turns = places_and_turns(files, ranks, orientation)
        # For each symmetry, the original square of the piece on each square.
        self._size = files, ranks
        self._sources = np.argsort(np.array([list(place) for place in places]), axis=1)
        self._turns = np.frombuffer(turns, np.uint8).reshape(2, squares + 1)
        self.symmetries = len(places) if orientation == Orientation.SIDE else 1
        """Number of board symmetries that ``views`` can apply to a position without changing its value; 1 if the
        orientation already applies one."""

    def split(self, data: bytes) -> Records:
        """Return the records in the contents of a file."""
        return np.frombuffer(data, np.uint8).reshape(-1, self.records.size)

    def columns(self, records: Records) -> Columns:
        """Return the parts of records that are not inputs."""
        tail, size = self.records.tail, self.records.set_bytes
        men = np.unpackbits(records[:, : 2 * size], axis=1).sum(axis=1).astype(np.int64)
        if (hands := self.records.hands) >= 0:
            men += records[:, hands] + records[:, hands + 1].astype(np.int64)
            men += (records[:, hands + 2] & 1) + (records[:, hands + 2] >> 1)
        scores = np.ascontiguousarray(records[:, tail : tail + 2]).view("<i2")[:, 0].astype(np.int64)
        return Columns(scores, (records[:, tail + 2] & 2) > 0, men)

    def boards(self, records: Records) -> Iterator["BoardTuple"]:
        """Yield positions in the form that the C++ core reads. The plies since the last capture are at most 255."""
        layout, size = self.records, self.records.set_bytes
        nowhere = np.full(len(records), -1, np.int64)
        duces = [nowhere, nowhere]
        if layout.duces >= 0:
            found = records[:, layout.duces : layout.duces + 2].astype(np.int64)
            found[found == NO_DUX] = -1
            duces = [found[:, 0], found[:, 1]]
        bound = self._wire_sets(records[:, layout.bound : layout.bound + size] if layout.bound >= 0
                                else np.zeros((len(records), size), np.uint8))  # fmt: skip
        own, opp = self._wire_sets(records[:, :size]), self._wire_sets(records[:, size : 2 * size])
        sides, captures = records[:, layout.tail + 2] & 1, records[:, layout.tail + 3]
        for row in range(len(records)):
            side, hand = int(sides[row]), 0
            if layout.hands >= 0:
                mine, theirs, in_hand = (int(each) for each in records[row, layout.hands : layout.hands + 3])
                pair = ((mine, theirs), (in_hand & 1, in_hand >> 1))
                soldiers, dux = (each[::-1] for each in pair) if side else pair
                hand = pack_hand(soldiers, dux)
            yield (own[row].tobytes(), opp[row].tobytes(), bound[row].tobytes(), int(duces[0][row]),
                   int(duces[1][row]), side, int(captures[row]), hand)  # fmt: skip

    def _wire_sets(self, packed: Records) -> Records:
        """Return sets of squares with a bit between two ranks, as in ``game.geometry``."""
        files, ranks = self._size
        squares = np.unpackbits(packed, axis=1, bitorder="little")[:, : files * ranks]
        spread = np.zeros((len(packed), ranks, files + 1), np.uint8)
        spread[:, :, :files] = squares.reshape(-1, ranks, files)
        return np.packbits(spread.reshape(len(packed), -1), axis=1, bitorder="little")

    def views(self, records: Records, symmetry: int = 0) -> tuple[Floats, Floats]:
        """Return the inputs of the player to move's view and of the other view, one position per row.

        First moves all positions by the symmetry with this number; symmetry 0 changes nothing.
        """
        layout, places, squares = self.layout, self.records, self.layout.squares
        count = len(records)

        def unpacked(at: int) -> Records:
            packed = records[:, at : at + places.set_bytes]
            return np.unpackbits(packed, axis=1, bitorder="little")[:, :squares]

        sides = (records[:, places.tail + 2] & 1).astype(np.int64)
        pieces = [unpacked(0), unpacked(places.set_bytes)]
        bound = unpacked(places.bound) if places.bound >= 0 else None
        duces = [np.full(count, NO_DUX, np.uint8)] * 2
        if places.duces >= 0:
            duces = [records[:, places.duces], records[:, places.duces + 1]]
        blocks: list[list[tuple[int, Records]]] = []  # by side: first row of each kind of piece, and squares
        for own in (0, 1):
            soldiers, kinds = pieces[own].copy(), []
            if layout.dux_row >= 0:
                rows = np.nonzero(duces[own] != NO_DUX)[0]
                dux = np.zeros((count, squares), np.uint8)
                dux[rows, duces[own][rows]] = 1
                soldiers -= dux
                kinds.append((layout.dux_row, dux))
            if bound is not None:
                kinds.append((layout.bound_row, pieces[own] & bound))
                soldiers &= ~bound
            blocks.append([(0, soldiers), *kinds])
        found = []
        for view in (0, 1):
            dux = np.where(duces[view] == NO_DUX, 0, duces[view].astype(np.int64) + 1)
            turns = self._turns[sides ^ view, dux]
            inputs = np.zeros((count, layout.inputs), np.float32)
            for turn in np.unique(turns):
                rows, sources = np.nonzero(turns == turn)[0], self._sources[turn]
                if symmetry:
                    sources = self._sources[symmetry][sources]
                for owner in (0, 1):
                    for first, block in blocks[view ^ owner]:
                        at = first + owner * squares
                        inputs[rows, at : at + squares] = block[rows][:, sources]
            if places.hands >= 0:
                self._add_hands(records, view, inputs)
            found.append(inputs)
        return found[0], found[1]

    def _add_hands(self, records: Records, view: int, inputs: Floats) -> None:
        layout, at = self.layout, self.records.hands
        for owner in (0, 1):
            side = view ^ owner
            soldiers = records[:, at + side].astype(np.int64)
            rows = np.nonzero(soldiers)[0]
            inputs[rows, layout.hand_row + owner * layout.hand + soldiers[rows] - 1] = 1
            if layout.hand_dux_row >= 0:
                inputs[:, layout.hand_dux_row + owner] = records[:, at + 2] >> side & 1
