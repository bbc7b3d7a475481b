"""The PGN file of a tournament: the games of the database that it has not yet, appended."""

import re
from pathlib import Path

from latrones_uci.match.pgn.write import render_game
from latrones_uci.match.records.record import GameRecord

_MATCH_TAG = re.compile(r'^\[MatchId "([^"]*)"\]$', re.MULTILINE)
_END_OF_GAME = re.compile(r"(?:1-0|0-1|1/2-1/2|\*)\n\n")
_FIRST_LINE = '[Event "latrones-match"]\n'
_ROUND_TAG = re.compile(r'^\[Round "([0-9]+)"\]$', re.MULTILINE)


class PgnFile:
    """A file to which games are appended, each whole, each once.

    The games of one tournament bear its id in the tag ``MatchId``. A runner that was killed between the database and
    this file, or in the middle of a game's text, is made good when the tournament is taken up again.
    """

    def __init__(self, path: Path, match_id: str) -> None:
        """Looks what the file holds already.

        Raises:
            OSError: it cannot be read or written.
        """
        self._path, self._match_id = path, match_id
        with path.open("a+", encoding="utf-8", newline="\n") as file:
            file.seek(0)
            text = file.read()
            whole = _whole_games(text)
            if len(whole) < len(text):
                file.truncate(len(whole.encode()))
        self._written = {
            int(number[1])
            for block in whole.split("[Event ")
            if (owner := _MATCH_TAG.search(block)) and owner[1] == match_id and (number := _ROUND_TAG.search(block))
        }

    def append(self, record: GameRecord) -> None:
        """Appends a game, unless the file has it. A game that was broken off does not belong there.

        Raises:
            OSError: it cannot be written.
        """
        if not record.counts or record.fixture.number in self._written:
            return
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(render_game(record, self._match_id))
        self._written.add(record.fixture.number)


def _whole_games(text: str) -> str:
    """The text without half a game of ours at its end; what others wrote is not judged."""
    ends = [match.end() for match in _END_OF_GAME.finditer(text)]
    tail = text[ends[-1] if ends else 0 :]
    if tail and (tail.startswith(_FIRST_LINE) or _FIRST_LINE.startswith(tail)):
        return text[: len(text) - len(tail)]
    return text
