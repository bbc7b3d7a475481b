"""Nets, which correct the hand-written evaluation: inputs, arithmetic and file. docs/nets.md describes every byte.

A net looks at two *views* of a position, one from each side. The inputs of a view are 0 or 1: there is one for each
kind of piece, owner and square, one for each number of soldiers in hand, one for each dux in hand, one for each
*threat* (docs/nets.md) by direction and threatened square, and one for each number of open sides of a
dux. First, a symmetry of the board normalises the squares and directions of a view (``Orientation``). The rest is
integer arithmetic that cannot overflow for any pieces on the board (``Net`` checks the weights):

    unit[view][i] = biases[i] + sum of weights[input][i] over the inputs of the view that are 1
    activation[view][i] = min(max(unit[view][i], 0), clip)**2 >> 1
    sum = output_biases[bucket] + sum of activation[view][i] * outputs[bucket][view][i], view 0 of the player to move
    correction = sum * multiplier >> 32, in centi-soldiers for the player to move

The bucket depends on the number of pieces of both sides, on the board and in hand. The evaluation is the hand-written
one plus the correction; with few pieces, it is not corrected.
"""

import hashlib
import json
import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from enum import IntEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from latrones_uci.engine.python.evaluation import weights_of
from latrones_uci.game import LatronesError, Ruleset
from latrones_uci.game.geometry import MAX_SIDE, MIN_SIDE, Geometry
from latrones_uci.game.ruleset import keys_of
from latrones_uci.game.symmetry import symmetries_of
from latrones_uci.text.files import whole_file
from latrones_uci.text.messages import quoted, reason

SUFFIX = ".net"
MAGIC = b"LATR-NET"
VERSION = 4
DUX_SIDES = 5
"""A dux has 0 to 4 open sides."""
UNIT_BLOCK = 32
"""The number of hidden units is a multiple of this."""
MAX_HIDDEN = 256
MAX_CLIP = 255
MAX_BUCKETS = 16
MAX_TITLE_BYTES = 1000
MAX_LEAST_MEN = 999
_HEADER = struct.Struct("<8sHBBBBHHHIHH32s")
_DIGEST_BYTES = hashlib.sha256().digest_size
_INT16 = (-(1 << 15), (1 << 15) - 1)
_INT32_MAX = (1 << 31) - 1


class NetError(LatronesError):
    """A net cannot be used; the message names the file."""


class Orientation(IntEnum):
    """The symmetry that moves the pieces of a view before they become inputs.

    ``SIDE``: Black's view is rotated by 180 degrees, so that both sides start in the same place.
    ``DUX``: the symmetry that moves the dux of the view to the lowest square; of several, the first in the order of
    ``game.symmetry.symmetries_of``. A view without a dux on the board is moved as by ``SIDE``.
    """

    SIDE = 0
    DUX = 1


@dataclass(frozen=True)
class Layout:
    """The inputs of a view by row: first the soldiers of the side by square, then the soldiers of its opponent."""

    files: int
    ranks: int
    """The board."""
    dux_row: int
    """First row of the duces, in the same order; -1 if the game has none."""
    bound_row: int
    """First row of the bound soldiers, which are not counted as soldiers, in the same order; -1 if the game has none.
    """
    hand_row: int
    """First row of the hands: 1, 2, ... soldiers in hand of the side, then of its opponent; -1 if the game has no
    hands."""
    hand: int
    """Maximum number of soldiers in a hand."""
    hand_dux_row: int
    """Row of the side's dux in hand, followed by its opponent's; -1 if a dux is never in hand."""
    threat_row: int
    """First row of the threats of the side: by direction (east, west, north, south), then by the square of the
    threatened piece; followed by those of its opponent. -1 if nothing is captured by landings."""
    dux_sides_row: int
    """First row of the open sides of the side's dux: 0, 1, ... 4; followed by those of its opponent's. -1 if a dux
    needs no open side."""
    inputs: int
    """Number of rows."""

    @classmethod
    def of(cls, ruleset: Ruleset, files: int, ranks: int, dux_sides: bool = True) -> "Layout":
        """Return the layout of any game on a grid, with or without the open sides of the duces."""
        pair = 2 * files * ranks
        rows, next_row = [], pair
        for there_is, size in (
            (ruleset.dux != "none", pair),
            (ruleset.capture_effect == "bind", pair),
            (ruleset.hand > 0, 2 * ruleset.hand),
            (ruleset.dux == "hand", 2),
            (ruleset.custodian != "none", 4 * pair),
            (dux_sides and ruleset.dux_needs_open_side, 2 * DUX_SIDES),
        ):
            rows.append(next_row if there_is else -1)
            next_row += size if there_is else 0
        return cls(files, ranks, rows[0], rows[1], rows[2], ruleset.hand, rows[3], rows[4], rows[5], next_row)

    @property
    def squares(self) -> int:
        return self.files * self.ranks


@lru_cache(maxsize=16)
def places_and_turns(files: int, ranks: int, orientation: Orientation) -> tuple[tuple[bytes, ...], bytes]:
    """Return the symmetries and which of them moves each view.

    Returns:
        For each symmetry, the image of each square; and the number of the symmetry of each view, ordered by side (White
        first) and by the square of the dux (no dux first). The rules on a grid are symmetric, see ``game.symmetry``.
    """
    squares = files * ranks
    found = []
    for symmetry in symmetries_of("grid", files, ranks):
        image = bytearray(squares)
        for place, square in enumerate(symmetry):
            image[square] = place
        found.append(bytes(image))
    by_side = (found.index(bytes(range(squares))), found.index(bytes(range(squares))[::-1]))
    if orientation == Orientation.SIDE:
        return tuple(found), b"".join(bytes([turn]) * (squares + 1) for turn in by_side)
    lowest = bytes(min(range(len(found)), key=lambda turn: found[turn][square]) for square in range(squares))
    return tuple(found), b"".join(bytes([turn]) + lowest for turn in by_side)


def turned_directions(geometry: Geometry, place: bytes) -> tuple[int, ...]:
    """Return the image of each direction (east, west, north, south) under a symmetry with these images of squares."""
    start = geometry.middle
    return tuple(geometry.travel(place[start], place[geometry.ray(start, direction)[0]]) for direction in range(4))


@dataclass(frozen=True)
class Net:
    """A net; see the module for its arithmetic."""

    layout: Layout
    """The inputs."""
    rules: bytes
    """``evaluation_digest`` of the game."""
    orientation: Orientation
    """How the views are moved."""
    title: str
    """What the net is, one line."""
    hidden: int
    """Number of hidden units."""
    clip: int
    """Greatest activation before it is squared."""
    multiplier: int
    """Factor from sums to centi-soldiers, in units of 2**-32."""
    limits: tuple[int, ...]
    """Number of men at which each bucket after the first begins, ascending."""
    weights: "array[int]"
    """``hidden`` numbers for each input."""
    biases: "array[int]"
    """``hidden`` numbers."""
    outputs: "array[int]"
    """For each bucket, ``hidden`` numbers for the view of the player to move and for the other view."""
    output_biases: tuple[int, ...]
    """One number for each bucket."""
    least_men: int = 0
    """Positions with fewer men are not corrected."""

    def __post_init__(self) -> None:
        """Check every number.

        Raises:
            NetError: a number is out of range, or the numbers are so large that a sum could overflow.
        """
        buckets = len(self.limits) + 1
        _expect(0 < len(self.title.encode()) <= MAX_TITLE_BYTES and self.title.isprintable(),
                f"title {quoted(self.title)}; expected 1..{MAX_TITLE_BYTES} printable bytes")
        _expect(self.hidden % UNIT_BLOCK == 0 and 0 < self.hidden <= MAX_HIDDEN,
                f"{self.hidden} hidden units; expected a multiple of {UNIT_BLOCK} up to {MAX_HIDDEN}")
        _expect(0 < self.clip <= MAX_CLIP, f"clip {self.clip}; expected 1..{MAX_CLIP}")
        _expect(0 < self.multiplier <= _INT32_MAX, f"multiplier {self.multiplier}; expected 1..{_INT32_MAX}")
        _expect(buckets <= MAX_BUCKETS, f"{buckets} buckets; expected at most {MAX_BUCKETS}")
        _expect(0 <= self.least_men <= MAX_LEAST_MEN, f"from {self.least_men} men; expected 0..{MAX_LEAST_MEN}")
        _expect(list(self.limits) == sorted(self.limits), "limits of the buckets out of order")
        sizes = (len(self.weights), len(self.biases), len(self.outputs), len(self.output_biases))
        wanted = (self.layout.inputs * self.hidden, self.hidden, 2 * buckets * self.hidden, buckets)
        _expect(sizes == wanted, f"{sizes} weights; expected {wanted}")
        low, high = self.unit_range
        _expect(_INT16[0] <= low and high <= _INT16[1], f"hidden units of {low} to {high}; expected 16-bit numbers")
        _expect(self.greatest_sum <= _INT32_MAX, f"sums up to {self.greatest_sum}; expected 31-bit numbers")

    @property
    def unit_range(self) -> tuple[int, int]:
        """The least and greatest possible value of a hidden unit.

        There is at most one piece per square, with a threat from each direction, and one dux per side.
        """
        return -max(self._greatest_units(-1)), max(self._greatest_units(1))

    def _greatest_units(self, sign: int) -> list[int]:
        """Return the greatest possible value of each hidden unit times ``sign``, 1 or -1."""
        hidden, weights = self.hidden, [sign * weight for weight in self.weights]
        units = [sign * bias for bias in self.biases]
        for group in _alternatives(self.layout):
            columns = []
            for row, further in group:
                column = [0] * hidden if row < 0 else weights[row * hidden : (row + 1) * hidden]
                for row in further:
                    numbers = weights[row * hidden : (row + 1) * hidden]
                    column = [unit + number if number > 0 else unit
                              for unit, number in zip(column, numbers, strict=True)]
                columns.append(column)
            units = [unit + max(0, *column) for unit, *column in zip(units, *columns, strict=True)]
        return units

    @property
    def greatest_sum(self) -> int:
        """The greatest possible absolute value of an output sum."""
        size, greatest = 2 * self.hidden, self.clip * self.clip >> 1
        return max(greatest * sum(map(abs, self.outputs[bucket * size : (bucket + 1) * size])) + abs(bias)
                   for bucket, bias in enumerate(self.output_biases))

    def bucket_of(self, men: int) -> int:
        return bisect_right(self.limits, men)

    @cached_property
    def wire(self) -> dict[str, Any]:
        """The net in the form that the C++ core reads."""
        layout = self.layout
        places, turns = places_and_turns(layout.files, layout.ranks, self.orientation)
        return {
            "hidden": self.hidden, "clip": self.clip, "multiplier": self.multiplier, "dux_row": layout.dux_row,
            "bound_row": layout.bound_row, "hand_row": layout.hand_row, "hand": layout.hand,
            "hand_dux_row": layout.hand_dux_row, "threat_row": layout.threat_row,
            "dux_sides_row": layout.dux_sides_row, "limits": list(self.limits),
            "places": list(places), "turns": turns,
            "weights": to_bytes(self.weights), "biases": to_bytes(self.biases), "outputs": to_bytes(self.outputs),
            "output_biases": list(self.output_biases), "least_men": self.least_men,
        }

    def pack(self) -> bytes:
        title = self.title.encode()
        layout = self.layout
        header = _HEADER.pack(
            MAGIC, VERSION, layout.files, layout.ranks, self.orientation, len(self.output_biases), layout.inputs,
            self.hidden, self.clip, self.multiplier, self.least_men, len(title), self.rules)
        data = b"".join((
            header, title, struct.pack(f"<{len(self.limits)}H", *self.limits), to_bytes(self.weights),
            to_bytes(self.biases), to_bytes(self.outputs),
            struct.pack(f"<{len(self.output_biases)}i", *self.output_biases),
        ))
        return data + hashlib.sha256(data).digest()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file in hexadecimal digits, as ``sha256sum`` prints it."""
        return hashlib.sha256(self.pack()).hexdigest()

    @property
    def label(self) -> str:
        """The title, with as much of the digest as tells nets apart."""
        return f"{self.title} ({self.digest[:8]})"

    def write(self, path: Path) -> None:
        """Write the file atomically. Raises OSError: the file cannot be written; the message names it."""
        with whole_file(path) as file:
            file.write(self.pack())

    def __str__(self) -> str:
        layout, few = self.layout, f", from {self.least_men} men" if self.least_men else ""
        return (f"{self.title} ({self.digest[:8]}, {layout.files}x{layout.ranks}, {layout.inputs} inputs,"
                f" {self.hidden} hidden units, {len(self.output_biases)} buckets{few})")


@dataclass(frozen=True)
class NetHeader:
    """The beginning of a file, which identifies its game."""

    files: int
    ranks: int
    """The board."""
    rules: bytes
    """``evaluation_digest`` of the game."""
    title: str


# ---------------------------------------------------------------- reading


def read_net(path: Path, ruleset: Ruleset, files: int, ranks: int) -> Net:
    """Read the net of a game on a board.

    Raises:
        NetError: the file cannot be read, is damaged, or belongs to other rules or weights or another board.
    """
    data = net_bytes(path)
    try:
        return parse_net(data, ruleset, files, ranks)
    except NetError as error:
        raise NetError(f"{quoted(str(path))}: {error}") from None


def parse_header(data: bytes) -> NetHeader:
    """Return the header of a file from its bytes, after verifying the checksum.

    Raises:
        NetError: the bytes are not a net file, or are damaged.
    """
    return _Reader(data).header


def parse_net(data: bytes, ruleset: Ruleset, files: int, ranks: int) -> Net:
    """Read a net from the bytes of a file; errors do not name the file. Raises NetError: see ``read_net``."""
    reader = _Reader(data)
    header = reader.header
    if ruleset.board != "grid":
        raise NetError(f"{ruleset.name} has no net; expected a game on a grid")
    if (header.files, header.ranks) != (files, ranks):
        raise NetError(f"a net for the {header.files}x{header.ranks} board; expected {files}x{ranks}")
    if header.rules != evaluation_digest(ruleset):
        raise NetError(f"a net for other rules or weights ({header.title}); expected those of {ruleset.name}")
    return reader.net(*(Layout.of(ruleset, files, ranks, dux_sides) for dux_sides in (True, False)))


class _Reader:
    """Reads the parts of a file in order; every size is checked before anything is allocated."""

    def __init__(self, data: bytes) -> None:
        """Read the header and verify the checksum."""
        if data[: len(MAGIC)] != MAGIC:
            raise NetError("not a net; expected a file made by 'latrones-uci train'")
        if len(data) < _HEADER.size + _DIGEST_BYTES:
            raise NetError("the file is cut off")
        (_, version, files, ranks, orientation, buckets, inputs, hidden, clip, multiplier, least_men, title,
         rules) = _HEADER.unpack_from(data)
        if version != VERSION:
            raise NetError(f"a file of version {version}; expected {VERSION}")
        if hashlib.sha256(data[:-_DIGEST_BYTES]).digest() != data[-_DIGEST_BYTES:]:
            raise NetError("the checksum does not match: the file is damaged or cut off")
        self._data, self._at = data[:-_DIGEST_BYTES], _HEADER.size
        _expect(MIN_SIDE <= files <= MAX_SIDE and MIN_SIDE <= ranks <= MAX_SIDE, f"a board of {files}x{ranks}")
        _expect(orientation in set(Orientation), f"unknown orientation {orientation}")
        _expect(1 <= buckets <= MAX_BUCKETS, f"{buckets} buckets; expected 1..{MAX_BUCKETS}")
        self._orientation, self._buckets, self._inputs = Orientation(orientation), buckets, inputs
        self._hidden, self._clip, self._multiplier, self._least_men = hidden, clip, multiplier, least_men
        try:
            text = self._take(title).decode()
        except UnicodeDecodeError:
            raise NetError("the title is not UTF-8") from None
        _expect(bool(text) and text.isprintable(), "the title is empty or has unprintable characters")
        self.header = NetHeader(files, ranks, rules, text)

    def net(self, *layouts: Layout) -> Net:
        """Read the rest of the file and return the net; its layout is the one with its number of inputs."""
        layout = next((each for each in layouts if each.inputs == self._inputs), layouts[0])
        _expect(self._inputs == layout.inputs, f"{self._inputs} inputs; expected {layout.inputs}")
        hidden, buckets = self._hidden, self._buckets
        limits = struct.unpack(f"<{buckets - 1}H", self._take(2 * (buckets - 1)))
        weights, biases, outputs = (self._numbers(count) for count in
                                    (layout.inputs * hidden, hidden, 2 * buckets * hidden))
        output_biases = struct.unpack(f"<{buckets}i", self._take(4 * buckets))
        _expect(self._at == len(self._data), f"{len(self._data) - self._at} bytes too many")
        return Net(layout, self.header.rules, self._orientation, self.header.title, hidden, self._clip,
                   self._multiplier, limits, weights, biases, outputs, output_biases, self._least_men)

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        _expect(len(taken) == size, "the file is too short for its weights")
        self._at += size
        return taken

    def _numbers(self, count: int) -> "array[int]":
        numbers = array("h", self._take(2 * count))
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers


_MAX_INPUTS = 14 * MAX_SIDE * MAX_SIDE + 2 * 99 + 2 + 2 * DUX_SIDES
_MAX_BYTES = 2 * MAX_HIDDEN * (_MAX_INPUTS + 1 + 2 * MAX_BUCKETS) + (1 << 14)


def net_bytes(path: Path) -> bytes:
    """Return the contents of a file that may be a net. Raises NetError: the file cannot be read, or is too long."""
    try:
        regular = not path.exists() or path.is_file()  # opening a pipe would wait for a writer
        if regular:
            with path.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # the second: an invalid path
        raise NetError(f"{quoted(str(path))}: {reason(error)}") from None
    if not regular:
        raise NetError(f"{quoted(str(path))}: not a regular file")
    if len(data) > _MAX_BYTES:
        raise NetError(f"{quoted(str(path))}: longer than {_MAX_BYTES} bytes")
    return data


def _expect(valid: bool, problem: str) -> None:
    if not valid:
        raise NetError(problem)


def to_bytes(numbers: "array[int]") -> bytes:
    """Return 16-bit numbers, little-endian."""
    if sys.byteorder == "big":
        numbers = array("h", numbers)
        numbers.byteswap()
    return numbers.tobytes()


def _alternatives(layout: Layout) -> Iterator[Sequence[tuple[int, Sequence[int]]]]:
    """Yield groups of alternatives; in a view, at most one of a group applies.

    An alternative is a row that is then 1 (-1 for none), and rows of which any can be 1 as well.
    """
    squares = layout.squares
    firsts = [0] if layout.bound_row < 0 else [0, layout.bound_row]
    for square in range(squares):
        group: list[tuple[int, Sequence[int]]] = []
        for owner in (0, 1):
            threats: Sequence[int] = ()
            if layout.threat_row >= 0:
                first = layout.threat_row + 4 * (1 - owner) * squares + square  # of the other side
                threats = range(first, first + 4 * squares, squares)
            group += [(first + owner * squares + square, threats) for first in firsts]
            if layout.dux_row >= 0:
                group.append((-1, threats))  # on a dux, whose rows are a group of their own
        yield group
    for first, size in ((layout.dux_row, squares), (layout.hand_row, layout.hand), (layout.hand_dux_row, 1),
                        (layout.dux_sides_row, DUX_SIDES)):
        if first >= 0:
            yield from ([(row, ()) for row in range(first + owner * size, first + (owner + 1) * size)]
                        for owner in (0, 1))


# ---------------------------------------------------------------- the rules that a net depends on

_ADDED_WEIGHTS = frozenset({"captured"})
"""Weights added after the first nets were trained, which stay valid where such a weight is 0."""


def rules_digest(ruleset: Ruleset) -> bytes:
    """Return the SHA-256 of the rules: all fields except names and sizes, as one line of JSON with sorted keys.

    Fields with their default value are left out, so that files stay valid when a field is added to the rules.
    """
    return _digest(_rules(ruleset))


def evaluation_digest(ruleset: Ruleset) -> bytes:
    """Return the SHA-256 of the rules, as in ``rules_digest``, and of the weights of the hand-written evaluation.

    A net corrects the evaluation with these weights, and no other.
    """
    weights = asdict(weights_of(ruleset)).items()
    kept = {name: value for name, value in weights if value or name not in _ADDED_WEIGHTS}
    return _digest(_rules(ruleset) | {"weights": kept})


def _rules(ruleset: Ruleset) -> dict[str, object]:
    return {
        each.name: getattr(ruleset, each.name)
        for each in fields(ruleset)
        if each.name not in keys_of("words", "size")
        and (each.default is MISSING or getattr(ruleset, each.name) != each.default)
    }


def _digest(values: Mapping[str, object]) -> bytes:
    return hashlib.sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).digest()
