"""The file of a table: header, counts, compressed codes, checksum. docs/endings.md describes every byte."""

import hashlib
import os
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from latrones_uci.engine.tables.material import MAX_MEN, Men, Split, TablesError
from latrones_uci.text.files import whole_file
from latrones_uci.text.messages import quoted, reason

SUFFIX = ".ltb"
MAGIC = b"LATR-END"
VERSION = 1
BLOCK_CODES = 1 << 16
_HEADER = struct.Struct("<8sHBB4BBBBxIIQQ32s")
_COUNTS = struct.Struct("<QQQII")
_LENGTH = struct.Struct("<I")
_DIGEST_BYTES = hashlib.sha256().digest_size
_READ_BYTES = 1 << 20
_KEPT_BLOCKS = 64
_MAX_CODES = 1 << 40


@dataclass(frozen=True)
class Counts:
    """The positions of a plane, up to symmetry."""

    positions: int
    """Number of all positions."""
    mover: int
    """Number of positions in which the player to move attains its goal."""
    opponent: int
    """Number of positions in which the opponent attains its goal."""
    longest_mover: int
    longest_opponent: int
    """The largest distances to these goals."""


@dataclass(frozen=True)
class Header:
    """The description of a table at the beginning of its file."""

    files: int
    ranks: int
    """The board."""
    split: Split
    """The pieces; in the first half its first side is to move, in the second half (if any) the other side."""
    width: int
    """Bytes of a code."""
    planes: int
    """Planes of each half."""
    sizes: tuple[int, ...]
    """Numbers of codes in a plane of each half."""
    rules: bytes
    """``material.rules_digest`` of the ruleset."""
    counts: tuple[tuple[Counts, ...], ...]
    """The counts of each plane, by half."""

    @property
    def board(self) -> str:
        """The size of the board, such as ``8x8``."""
        return f"{self.files}x{self.ranks}"

    @property
    def code_bytes(self) -> int:
        """The bytes of all codes, uncompressed."""
        return sum(self.sizes) * self.planes * self.width

    @property
    def blocks(self) -> int:
        """The number of blocks in the file."""
        return self.planes * sum(-(-size // BLOCK_CODES) for size in self.sizes)

    def pack(self) -> bytes:
        """Return the beginning of the file: header and counts."""
        own, opp = self.split.own, self.split.opp
        second = self.sizes[1] if len(self.sizes) > 1 else 0
        packed = _HEADER.pack(
            MAGIC, VERSION, self.files, self.ranks, own.dux, own.soldiers, opp.dux, opp.soldiers, self.width,
            self.planes, len(self.sizes), BLOCK_CODES, self.blocks, self.sizes[0], second, self.rules)
        return packed + b"".join(
            _COUNTS.pack(each.positions, each.mover, each.opponent, each.longest_mover, each.longest_opponent)
            for half in self.counts for each in half
        )


def write_table(path: Path, header: Header, blocks: Iterator[bytes]) -> str:
    """Write a file atomically; return its SHA-256 in hexadecimal.

    ``blocks`` are the codes of each block, in the order of the file.

    Raises:
        OSError: the file cannot be written; the message names it.
    """
    packed = [zlib.compress(block, 9) for block in blocks]
    digest = hashlib.sha256()
    with whole_file(path) as file:
        for piece in (header.pack(), b"".join(_LENGTH.pack(len(block)) for block in packed), *packed):
            digest.update(piece)
            file.write(piece)
        end = digest.digest()
        file.write(end)
        digest.update(end)
    return digest.hexdigest()


class TableFile:
    """A file of a table, checked; safe to use from several threads.

    Attributes:
        header: its header.
        sha256: the SHA-256 of the file in hexadecimal, None if it was read without a check.
    """

    def __init__(self, path: Path, check: bool = True) -> None:
        """Read the header and the checksum.

        ``check`` compares the checksum, which reads the whole file.

        Raises:
            TablesError: the file cannot be read, is not a table, has another version, or is damaged.
        """
        self.path = path
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int, int], bytes] = OrderedDict()
        try:
            if path.exists() and not path.is_file():  # opening a pipe would wait for a writer
                raise TablesError(f"{quoted(str(path))}: not a regular file; expected an endgame table")
            with path.open("rb") as file:
                self.header = self._read_header(file)
                self._offsets = self._read_offsets(file)
                self.sha256 = self._digest(file) if check else None
        except OSError as error:
            raise TablesError(f"{quoted(str(path))}: {reason(error)}; expected an endgame table") from None

    def _damaged(self, what: str) -> TablesError:
        return TablesError(f"{quoted(str(self.path))}: {what}; delete the file and make it again with"
                           " 'latrones-uci tables'")

    def _exactly(self, file: IO[bytes], count: int) -> bytes:
        data = file.read(count)
        if len(data) != count:
            raise self._damaged("the file is truncated")
        return data

    def _read_header(self, file: IO[bytes]) -> Header:
        start = file.read(_HEADER.size)
        if not start.startswith(MAGIC):
            raise TablesError(f"{quoted(str(self.path))}: not an endgame table; expected a file made by"
                              " 'latrones-uci tables'")
        if len(start) < _HEADER.size:
            raise self._damaged("the file is truncated")
        (_, version, files, ranks, own_dux, own_soldiers, opp_dux, opp_soldiers, width, planes, halves, block, blocks,
         first, second, rules) = _HEADER.unpack(start)
        if version != VERSION:
            raise TablesError(f"{quoted(str(self.path))}: version {version} of the format; expected {VERSION}")
        sizes = (first, second)[:halves]
        split = Split(Men(own_dux, own_soldiers), Men(opp_dux, opp_soldiers))
        possible = (width in (1, 2) and planes in (1, 2) and halves in (1, 2) and block == BLOCK_CODES
                    and own_dux <= 1 and opp_dux <= 1 and split.men <= MAX_MEN
                    and all(0 < size < _MAX_CODES for size in sizes))
        if not possible:
            raise self._damaged("the header is damaged")
        counts = tuple(
            tuple(Counts(*_COUNTS.unpack(self._exactly(file, _COUNTS.size))) for _ in range(planes))
            for _ in range(halves)
        )
        header = Header(files, ranks, split, width, planes, sizes, rules, counts)
        if blocks != header.blocks:
            raise self._damaged("the header is damaged")
        return header

    def _read_offsets(self, file: IO[bytes]) -> list[int]:
        lengths = self._exactly(file, _LENGTH.size * self.header.blocks)
        offsets = [file.tell()]
        for (length,) in _LENGTH.iter_unpack(lengths):
            offsets.append(offsets[-1] + length)
        if os.fstat(file.fileno()).st_size != offsets[-1] + _DIGEST_BYTES:
            raise self._damaged("the file has the wrong size")
        return offsets

    def _digest(self, file: IO[bytes]) -> str:
        """Check the checksum at the end; return the SHA-256 of the whole file."""
        file.seek(0)
        digest, rest = hashlib.sha256(), self._offsets[-1]
        while rest:
            rest -= len(piece := self._exactly(file, min(rest, _READ_BYTES)))
            digest.update(piece)
        end = self._exactly(file, _DIGEST_BYTES)
        if digest.digest() != end:
            raise self._damaged("the checksum does not match")
        digest.update(end)
        return digest.hexdigest()

    def forget(self) -> None:
        with self._lock:
            self._kept.clear()

    def code(self, half: int, plane: int, number: int) -> int:
        """Return the code of a position. Raises TablesError: the file has been damaged since it was checked."""
        block, place = divmod(number, BLOCK_CODES)
        width = self.header.width
        codes = self._block((half, plane, block))
        return int.from_bytes(codes[place * width : (place + 1) * width], "little")

    def endings(self) -> Iterator[tuple[tuple[int, int, int, int], list[bytes]]]:
        """Yield what the compiled core loads of each half: the numbers of its pieces, and the codes of its planes.

        Raises:
            TablesError: the file has been damaged since it was checked.
        """
        for half, split in enumerate(self.header.split.halves):
            yield split.numbers, [self.codes(half, plane) for plane in range(self.header.planes)]

    def codes(self, half: int, plane: int) -> bytes:
        """Return all codes of a plane, little-endian.

        Raises:
            TablesError: the file has been damaged since it was checked.
        """
        blocks = -(-self.header.sizes[half] // BLOCK_CODES)
        return b"".join(self._read_block(half, plane, block) for block in range(blocks))

    def _block(self, name: tuple[int, int, int]) -> bytes:
        with self._lock:
            if name not in self._kept:
                self._kept[name] = self._read_block(*name)
                if len(self._kept) > _KEPT_BLOCKS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(name)
            return self._kept[name]

    def _read_block(self, half: int, plane: int, block: int) -> bytes:
        sizes, width = self.header.sizes, self.header.width
        per_plane = [-(-size // BLOCK_CODES) for size in sizes]
        place = block + plane * per_plane[half] + half * self.header.planes * per_plane[0]
        expected = width * min(BLOCK_CODES, sizes[half] - block * BLOCK_CODES)
        try:
            with self.path.open("rb") as file:
                file.seek(self._offsets[place])
                data = file.read(self._offsets[place + 1] - self._offsets[place])
            decompressor = zlib.decompressobj()
            codes = decompressor.decompress(data, expected + 1)  # no more, whatever the file contains
        except (OSError, zlib.error) as error:
            raise self._damaged(f"block {place} cannot be read ({reason(error)})") from None
        if len(codes) != expected or not decompressor.eof:
            raise self._damaged(f"block {place} does not have {expected} bytes")
        return codes


def table_path(directory: Path, game: str, board: str, split: Split) -> Path:
    """Return the file of a table in a directory, such as ``latrones-8x8-DSvDS.ltb``."""
    return directory / f"{game}-{board}-{split}{SUFFIX}"


# ---------------------------------------------------------------- the manifest

MANIFEST = "SHA256SUMS"
_MAX_MANIFEST_BYTES = 1 << 22


def read_manifest(directory: Path) -> dict[str, str]:
    """Return the checksum of each file named in ``SHA256SUMS``; empty if there is no ``SHA256SUMS``.

    Raises:
        TablesError: ``SHA256SUMS`` cannot be read, or has a malformed line.
    """
    path = directory / MANIFEST
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_MANIFEST_BYTES + 1)
        lines = data.decode("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise TablesError(f"{quoted(str(path))}: {reason(error)}") from None
    sums = {}
    for number, line in enumerate(lines, start=1):
        digest, _, name = line.partition("  ")
        if len(digest) != 2 * _DIGEST_BYTES or not name:
            raise TablesError(f"{quoted(str(path))}: line {number}: {quoted(line)}; expected a SHA-256, two spaces and"
                              " a file name")
        sums[name] = digest
    return sums


def write_manifest(directory: Path, sums: dict[str, str]) -> None:
    """Write ``SHA256SUMS`` atomically, in the format of ``sha256sum --check``.

    Raises:
        OSError: the file cannot be written.
    """
    with whole_file(directory / MANIFEST, "utf-8") as file:
        file.writelines(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
