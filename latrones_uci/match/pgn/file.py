"""The PGN file of a tournament: the games of the database that it has not yet, appended."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from latrones_uci.match.pgn.write import render_game
from latrones_uci.match.records.record import GameRecord

_MATCH_TAG = re.compile(rb'\[MatchId "([^"]*)"\]\n')
_ROUND_TAG = re.compile(rb'\[Round "([0-9]{1,18})"\]\n')
_RESULTS = (b"1-0\n", b"0-1\n", b"1/2-1/2\n", b"*\n")
_BEGINNING = b'[Event "'
_FIRST_LINE = b'[Event "latrones-match"]\n'
_READ_BYTES = 65536


class PgnFile:
    """A file to which games are appended, each whole, each once.

    The games of one tournament bear its id in the tag ``MatchId``. A runner that was killed between the database and
    this file, or in the middle of a game's text, is made good when the tournament is taken up again.

    Attributes:
        path: of the file.
    """

    def __init__(self, path: Path, match_id: str) -> None:
        """Looks what the file holds already; half a game of ours at its end is cut off.

        Raises:
            OSError: it cannot be read or written.
        """
        self.path, self._match_id = path, match_id
        self._written: set[int] = set()
        with path.open("ab"):
            pass
        if path.is_file():  # not a pipe or a device, of which there would be no end
            with path.open("rb+") as file:
                contents = _look_through(file, match_id.encode())
                if contents.length is not None:
                    file.truncate(contents.length)
            self._written = contents.rounds

    def append(self, record: GameRecord) -> None:
        """Appends a game, unless the file has it. A game that was broken off does not belong there.

        Raises:
            OSError: it cannot be written; the file is as it was, unless that cannot be either.
        """
        if not record.counts or record.fixture.number in self._written:
            return
        data = memoryview(render_game(record, self._match_id).encode())
        with self.path.open("ab", buffering=0) as file:
            length = os.fstat(file.fileno()).st_size
            try:
                while data:
                    data = data[file.write(data) :]
            except OSError:
                with suppress(OSError):
                    file.truncate(length)
                raise
        self._written.add(record.fixture.number)


@dataclass
class _Contents:
    """What a file holds.

    Attributes:
        rounds: of the games of the match.
        length: in bytes without half a game of ours at its end, None if there is none; what others wrote is not judged.
    """

    rounds: set[int] = field(default_factory=set)
    length: int | None = None


def _look_through(file: BinaryIO, match_id: bytes) -> _Contents:
    """Reads a file line by line, however long it is."""
    contents = _Contents()
    since_end: set[int] = set()  # rounds told since the last end of a game
    offset = end = 0
    owner, previous, number = b"", b"", None
    for line in _lines(file):
        offset += len(line)
        if line.startswith(_BEGINNING):
            owner, number = b"", None
        elif found := _MATCH_TAG.fullmatch(line):
            owner = found[1]
        elif found := _ROUND_TAG.fullmatch(line):
            number = int(found[1])
        elif line == b"\n":
            if owner == match_id and number is not None:
                since_end.add(number)
            if previous.endswith(_RESULTS):
                end = offset
                contents.rounds |= since_end
                since_end = set()
        previous = line
    file.seek(end)
    tail = file.read(len(_FIRST_LINE))
    if tail and _FIRST_LINE.startswith(tail):
        contents.length = end
    else:
        contents.rounds |= since_end
    return contents


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; of a longer one than any of ours the pieces."""
    while line := file.readline(_READ_BYTES):
        yield line
