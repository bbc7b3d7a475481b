"""Write games as PGN, and append the games of a match to a PGN file."""

import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.records.pgn_read import Mark, PgnMove
from latrones_uci.records.record import PLY_COLUMNS, GameRecord, termination_text
from latrones_uci.text.messages import printable
from latrones_uci.text.protocol import Score, SearchInfo

_LINE_WIDTH = 79  # the PGN export format has fewer than 80 characters per line


def render_game(record: GameRecord, match_id: str = "") -> str:
    """Render a game with its tags, and a comment ``{score/depth time n=nodes}`` on each move.

    The tag ``FEN`` is the position after the opening, so the first move is the first one by an engine.
    """
    moves = (PgnMove(ply.text, comment=render_search(ply.info, ply.elapsed_ns), side=ply.side,
                     movenumber=ply.movenumber) for ply in record.game.plies)
    return render_pgn(game_tags(record, match_id), moves, record.game.outcome.result)


def render_pgn(tags: Mapping[str, str], moves: Iterable[PgnMove], result: str, comment: str = "") -> str:
    """Render tags and numbered moves, with a blank line after each of the two; ``comment`` is before the first move.

    A ply has a move number unless it is Black's and directly follows White's ply with the same number, because a side
    may move twice in a row.
    """
    shown = {name: printable(value, " ").replace("\\", "\\\\").replace('"', '\\"') for name, value in tags.items()}
    lines = "".join(f'[{name} "{value}"]\n' for name, value in shown.items())
    return f"{lines}\n{render_movetext(moves, result, comment)}\n\n"


def render_search(info: SearchInfo, elapsed_ns: int) -> str:
    """Render search information as ``+0.35/6 0.101s n=12345``; a mate as ``+M3/9``, in turns of the winner.

    The score is in soldiers from the point of view of the side to move, the time in seconds. Unknown parts are omitted.
    """
    score = "" if info.score == Score() else str(info.score) if info.depth is None else f"{info.score}/{info.depth}"
    words = [score, f"{elapsed_ns / NS_PER_S:.3f}s"]
    if info.nodes is not None:
        words.append(f"n={info.nodes}")
    return " ".join(word for word in words if word)


def render_marks(marks: Sequence[Mark]) -> str:
    """Render marks as ``[%cal Ga1a2,Rb1b2][%csl Yb3]``: the arrows, then the squares; empty without any."""
    arrows, squares = ([str(mark) for mark in marks if mark.is_arrow == arrow]
                       for arrow in (True, False))
    return "".join(f"[%{name} {','.join(texts)}]" for name, texts in (("cal", arrows), ("csl", squares)) if texts)


def game_tags(record: GameRecord, match_id: str) -> dict[str, str]:
    """Return the tags of a game; ``match_id`` identifies its match, see ``Store.match_id``."""
    game, (white, black) = record.game, record.controls
    same_control = white == black
    termination, details = termination_text(game.outcome)
    tags = {
        "Event": "latrones-match",
        "Site": "?",
        "Date": record.started[:10].replace("-", "."),
        "Round": record.round_tag or str(record.fixture.number),
        "White": record.names[0],
        "Black": record.names[1],
        "Result": game.outcome.result,
        "Variant": game.start.ruleset.name,
        "SetUp": "1",
        "FEN": game.start.fen(),
        "PlyCount": str(len(game.plies)),
        "TimeControl": white.pgn_tag() if white.pgn_tag() == black.pgn_tag() else "?",
        "Termination": termination,
        "TerminationDetails": details,
    }
    if not same_control or white.depth is not None or white.nodes is not None:
        tags |= {"WhiteTimeControl": white.to_text(), "BlackTimeControl": black.to_text()}
    if match_id:
        tags["MatchId"] = match_id
    return {name: printable(value, " ") for name, value in tags.items()}


def recorded_game(record: GameRecord, match_id: str) -> tuple[dict[str, str], list[str], str]:
    """Return the tags, the moves and the result of a game, as they are read from its PGN (see ``DistinctGames``)."""
    moves = [row[PLY_COLUMNS.index("move")] for row in record.game.rows]
    return game_tags(record, match_id), moves, record.game.outcome.result


def render_movetext(moves: Iterable[PgnMove], result: str, comment: str = "") -> str:
    """Render moves and a result in lines of limited length, without a line break at the end."""
    words = [*_comment_words(comment), *_line_words(moves), result]
    return textwrap.fill(" ".join(words), _LINE_WIDTH, break_long_words=False, break_on_hyphens=False)


def _line_words(moves: Iterable[PgnMove]) -> Iterator[str]:
    previous: PgnMove | None = None
    for move in moves:
        yield from _comment_words(move.starting_comment)
        if move.side == 0:
            yield f"{move.movenumber}."
        elif previous is None or previous.side != 0 or previous.movenumber != move.movenumber:
            yield f"{move.movenumber}..."
        yield move.text
        yield from move.glyphs
        yield from _comment_words(move.comment)
        for variation in move.variations:
            yield f"({' '.join(_line_words(variation))})"
        previous = None if move.variations else move  # a number also where the line goes on after a variation


def _comment_words(comment: str) -> Iterator[str]:
    """Yield a comment unless it is empty, without closing braces, which would end it."""
    if comment:
        yield "{" + comment.replace("}", "") + "}"


_MATCH_TAG = re.compile(rb'\[MatchId "([^"]*)"\]')
_ROUND_TAG = re.compile(rb'\[Round "(?:[0-9]{1,18}\.)?([0-9]{1,18})"\]')
_RESULTS = (b"1-0", b"0-1", b"1/2-1/2", b"*")
_BEGINNING = b'[Event "'
_FIRST_LINE = b'[Event "latrones-match"]\n'
_READ_BYTES = 65536


class PgnFile:
    """A PGN file to which each game of a match is appended once, as a whole.

    The tag ``MatchId`` identifies the games of a match; the file may have games of others. If the runner was killed
    after a game was stored in the database and before it was written here completely, the file is repaired when the
    match is resumed.

    Attributes:
        others: the number of games of other matches in the file.
    """

    def __init__(self, path: Path, match_id: str) -> None:
        """Find the games that the file already has, and remove an incomplete game of this program at its end.

        Raises:
            OSError: the file cannot be read or written.
        """
        self.path, self.others, self._match_id = path, 0, match_id
        """Path of the file."""
        self._written: set[int] = set()
        with path.open("ab"):
            pass
        if path.is_file():  # a pipe or a device may be endless
            with path.open("rb+") as file:
                self._find_games(file)

    def _find_games(self, file: BinaryIO) -> None:
        """Find the games of this match and of others by their tags, without parsing the moves.

        An incomplete game of this program at the end is removed. Other text is ignored.
        """
        since_end: set[int] = set()  # games of this match since the last end of a game
        offset = end = 0
        owner, previous, number = b"", b"", None
        while raw := file.readline(_READ_BYTES):  # a line longer than any that this program writes is split
            offset += len(raw)
            line = raw.rstrip(b"\r\n")  # other programs end lines with both
            if line.startswith(_BEGINNING):
                owner, number = b"", None
            elif found := _MATCH_TAG.fullmatch(line):
                owner = found[1]
            elif found := _ROUND_TAG.fullmatch(line):
                number = int(found[1])
            elif not line and raw.endswith(b"\n"):
                is_own = owner == self._match_id.encode()
                if is_own and number is not None:
                    since_end.add(number)
                if previous.endswith(_RESULTS):
                    self.others += not is_own
                    end = offset
                    self._written |= since_end
                    since_end = set()
            previous = line
        file.seek(end)
        tail = file.read(len(_FIRST_LINE) + 1).replace(b"\r\n", b"\n")[: len(_FIRST_LINE)]
        if tail and _FIRST_LINE.startswith(tail):
            file.truncate(end)
        else:
            self._written |= since_end

    def append(self, record: GameRecord) -> None:
        """Append a game, unless the file already has it or the game was interrupted.

        Raises:
            OSError: the game cannot be written; the file is restored if possible.
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
