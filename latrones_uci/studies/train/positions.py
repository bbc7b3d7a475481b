"""Files of training data: header, recipe, records (``RecordLayout``) and SHA-256 of all before; little-endian.

The header is magic, version, files, ranks, bytes of a record and of the recipe, records, SHA-256 of the rules.
"""

import hashlib
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from latrones_uci.engine.nets.file import rules_digest
from latrones_uci.engine.types import TABLE_PROVEN
from latrones_uci.game import LatronesError, Ruleset
from latrones_uci.game.encoding import Board, dux_in_hand, soldiers_in_hand
from latrones_uci.game.geometry import Geometry
from latrones_uci.text.files import whole_file
from latrones_uci.text.messages import quoted, reason

SUFFIX = ".positions"
DATA = "data"
"""The folder of these files in the folder of a training."""
MAGIC = b"LATR-POS"
VERSION = 1
MAX_FILE_BYTES = 1 << 28
NO_DUX = 255
MAX_SCORE = TABLE_PROVEN - 1
_HEADER = struct.Struct("<8sHBBHHI32s")
_TAIL = struct.Struct("<hBB")
_DIGEST_BYTES = hashlib.sha256().digest_size
_MAX_RECIPE_BYTES = 10_000


class PositionsError(LatronesError):
    """A file of positions cannot be used; the message names it."""


class UnreadablePositionsError(PositionsError):
    """A file of positions cannot be read; it may be intact."""


class Scored(NamedTuple):
    """A position of a game for training."""

    board: Board
    score: int
    """The score of a search in centi-soldiers, for the player to move."""
    result: int
    """The result of the game for the player to move: -1 lost, 0 drawn, 1 won."""
    first: bool
    """Whether it is the first position of its game in the file."""


@dataclass(frozen=True)
class RecordLayout:
    """The bytes of a record, all from the point of view of the player to move."""

    squares: int
    set_bytes: int
    """Bytes of a set of squares: a bit for each square from ``a1`` along the ranks, lowest bit first."""
    bound: int
    """Offset of the bound soldiers of both sides, -1 if the game has none."""
    duces: int
    """Offset of the squares of the player's dux and the opponent's, a byte each; -1 if the game has none."""
    hands: int
    """Offset of the numbers of soldiers in hand, the player's and the opponent's, a byte each, and of a byte for the
    duces in hand (1 the player's, 2 the opponent's); -1 if the game has no hands."""
    tail: int
    """Offset of the score (2 bytes, signed), the flags (1: Black is to move; 2: first of its game; 4 times the result
    plus 1) and the plies since the last capture (at most 255)."""
    size: int
    """Bytes of a record."""

    @classmethod
    def of(cls, ruleset: Ruleset, files: int, ranks: int) -> "RecordLayout":
        """Return the layout of a game on a board."""
        set_bytes = -(-files * ranks // 8)
        places: list[int] = []
        at = 2 * set_bytes
        for there_is, size in (
            (ruleset.capture_effect == "bind", set_bytes), (ruleset.dux != "none", 2), (ruleset.hand > 0, 3),
        ):
            places.append(at if there_is else -1)
            at += size if there_is else 0
        return cls(files * ranks, set_bytes, places[0], places[1], places[2], at, at + _TAIL.size)


def pack_records(geometry: Geometry, ruleset: Ruleset, positions: Sequence[Scored]) -> bytes:
    layout = RecordLayout.of(ruleset, geometry.files, geometry.ranks)
    return b"".join(_record(geometry, layout, each) for each in positions)


def _record(geometry: Geometry, layout: RecordLayout, scored: Scored) -> bytes:
    own, opp, own_dux, opp_dux, side, _, nocapture, bound, hand = scored.board

    def packed(squares: int) -> bytes:
        bits = sum(1 << square for square in geometry.squares_of(squares))
        return bits.to_bytes(layout.set_bytes, "little")

    parts = [packed(own), packed(opp)]
    if layout.bound >= 0:
        parts.append(packed(bound))
    if layout.duces >= 0:
        parts.append(bytes(NO_DUX if dux < 0 else dux for dux in (own_dux, opp_dux)))
    if layout.hands >= 0:
        duces = dux_in_hand(hand, side) + 2 * dux_in_hand(hand, side ^ 1)
        parts.append(bytes((soldiers_in_hand(hand, side), soldiers_in_hand(hand, side ^ 1), duces)))
    flags = side + 2 * scored.first + 4 * (scored.result + 1)
    score = max(-MAX_SCORE, min(MAX_SCORE, scored.score))
    parts.append(_TAIL.pack(score, flags, min(nocapture, 255)))
    return b"".join(parts)


# ---------------------------------------------------------------- files


@dataclass(frozen=True)
class PositionsFile:
    """A file of positions, checked."""

    path: Path
    recipe: str
    """How the positions were made, as one line of JSON."""
    count: int
    """Number of positions."""
    layout: RecordLayout
    """The bytes of a record."""

    def records(self) -> bytes:
        """Return the records.

        Raises:
            PositionsError: the file cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(-_DIGEST_BYTES - self.count * self.layout.size, os.SEEK_END)
                records = file.read(self.count * self.layout.size)
        except OSError as error:
            raise PositionsError(f"{quoted(str(self.path))}: {reason(error)}") from None
        if len(records) != self.count * self.layout.size:
            raise PositionsError(f"{quoted(str(self.path))}: cut off while it was read")
        return records


def write_positions(path: Path, ruleset: Ruleset, files: int, ranks: int, recipe: str, records: bytes) -> None:
    """Write a file atomically.

    ``recipe`` says on one line how the positions were made; ``pack_records`` makes the ``records``.

    Raises:
        OSError: the file cannot be written; the message names it.
    """
    layout, text = RecordLayout.of(ruleset, files, ranks), recipe.encode()
    count = len(records) // layout.size
    header = _HEADER.pack(MAGIC, VERSION, files, ranks, layout.size, len(text), count, rules_digest(ruleset))
    data = header + text + records
    with whole_file(path) as file:
        file.write(data)
        file.write(hashlib.sha256(data).digest())


def open_positions(path: Path, ruleset: Ruleset, files: int, ranks: int) -> PositionsFile:
    """Check a file of positions of a game on a board.

    Raises:
        UnreadablePositionsError: the file cannot be read.
        PositionsError: the file is damaged, or belongs to other rules or another board.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UnreadablePositionsError(f"{quoted(str(path))}: {reason(error)}") from None

    def expect(valid: bool, problem: str) -> None:
        if not valid:
            raise PositionsError(f"{quoted(str(path))}: {problem}")

    layout = RecordLayout.of(ruleset, files, ranks)
    expect(data[: len(MAGIC)] == MAGIC, "not a file of positions; expected one made by 'latrones-uci train'")
    expect(len(data) >= _HEADER.size + _DIGEST_BYTES, "the file is cut off")
    expect(len(data) <= MAX_FILE_BYTES, f"too long; expected at most {MAX_FILE_BYTES} bytes")
    _, version, its_files, its_ranks, size, recipe_bytes, count, rules = _HEADER.unpack_from(data)
    expect(version == VERSION, f"a file of version {version}; expected {VERSION}")
    expect(hashlib.sha256(data[:-_DIGEST_BYTES]).digest() == data[-_DIGEST_BYTES:],
           "the checksum does not match: the file is damaged or cut off")
    expect((its_files, its_ranks) == (files, ranks),
           f"positions on the {its_files}x{its_ranks} board; expected {files}x{ranks}")
    expect(rules == rules_digest(ruleset), f"positions of other rules; expected those of {ruleset.name}")
    expect(size == layout.size, f"records of {size} bytes; expected {layout.size}")
    expect(recipe_bytes <= _MAX_RECIPE_BYTES, f"a recipe of {recipe_bytes} bytes")
    expect(len(data) == _HEADER.size + recipe_bytes + count * size + _DIGEST_BYTES, "the file has the wrong size")
    try:
        recipe = data[_HEADER.size : _HEADER.size + recipe_bytes].decode()
    except UnicodeDecodeError:
        raise PositionsError(f"{quoted(str(path))}: the recipe is not UTF-8") from None
    return PositionsFile(path, recipe, count, layout)


def open_folder(folder: Path, ruleset: Ruleset, files: int, ranks: int) -> list[PositionsFile]:
    """Check all files of positions in the folder of a training, in the order of their names.

    Raises:
        PositionsError: there is none, or one is not valid for the game and board; see ``open_positions``.
    """
    try:
        found = sorted((folder / DATA).glob(f"*{SUFFIX}"))
    except (OSError, ValueError) as error:
        raise PositionsError(f"{quoted(str(folder))}: {reason(error)}") from None
    if not found:
        raise PositionsError(f"{quoted(str(folder))}: no positions; expected the folder of a training of"
                             f" {ruleset.name} {files}x{ranks}")
    return [open_positions(path, ruleset, files, ranks) for path in found]
