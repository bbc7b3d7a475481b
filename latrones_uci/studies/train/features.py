"""Convert records of positions to arrays: the inputs of both views, and the training targets. Needs numpy."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from latrones_uci.engine.kernels import make_core
from latrones_uci.engine.nets.file import (
    UNIT_BLOCK,
    Layout,
    Net,
    Orientation,
    evaluation_digest,
    places_and_turns,
    turned_directions,
)
from latrones_uci.game import Ruleset
from latrones_uci.game.encoding import pack_hand
from latrones_uci.game.geometry import geometry_of
from latrones_uci.studies.train.positions import NO_DUX, RecordLayout

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import BoardTuple

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
        self._size = files, ranks
        self._core = make_core(ruleset, files, ranks)
        self._core.use_net(_blank(ruleset, self.layout, orientation).wire)
        places, _ = places_and_turns(files, ranks, orientation)
        self._images = [_images(self.layout, place) for place in places]
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
                                else np.zeros((len(records), size), np.uint8))
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
                   int(duces[1][row]), side, int(captures[row]), hand)

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
        rows, counts = self._core.net_rows(list(self.boards(records)))
        where = np.repeat(np.arange(2 * len(records)), np.frombuffer(counts, "<u2"))
        inputs = np.zeros((2 * len(records), self.layout.inputs), np.float32)
        inputs[where, self._images[symmetry][np.frombuffer(rows, "<u2")]] = 1
        return inputs[0::2], inputs[1::2]


def _blank(ruleset: Ruleset, layout: Layout, orientation: Orientation) -> Net:
    """Return a net without weights, for the rows of its inputs."""

    def zeros(count: int) -> "array[int]":
        return array("h", bytes(2 * count))

    return Net(layout, evaluation_digest(ruleset), orientation, "blank", UNIT_BLOCK, 1, 1, (),
               zeros(layout.inputs * UNIT_BLOCK), zeros(UNIT_BLOCK), zeros(2 * UNIT_BLOCK), (0,))


def _images(layout: Layout, place: bytes) -> Integers:
    """Return the row that each row becomes when the board is moved by a symmetry: ``place`` has each square's image."""
    squares, geometry = layout.squares, geometry_of(layout.files, layout.ranks)
    images = np.arange(layout.inputs)
    moved = np.frombuffer(place, np.uint8).astype(np.int64)
    for first in (0, layout.dux_row, layout.bound_row):
        for at in (first, first + squares) if first >= 0 else ():
            images[at : at + squares] = at + moved
    for at in (layout.threat_row, layout.threat_row + 4 * squares) if layout.threat_row >= 0 else ():
        for direction, turned in enumerate(turned_directions(geometry, place)):
            images[at + direction * squares : at + (direction + 1) * squares] = at + turned * squares + moved
    return images
