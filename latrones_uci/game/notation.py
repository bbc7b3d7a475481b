"""Position text (FEN) and move text: reading and writing."""

import re
from dataclasses import dataclass

from latrones_uci.game.errors import FenError, IllegalMoveError, MalformedMoveError, quoted
from latrones_uci.game.geometry import MAX_SIDE, Geometry
from latrones_uci.game.rules import Move

MAX_COUNTER = 9999
_LONGEST_FEN = 1000
_TOKEN = re.compile(r"[0-9]+|.", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}", re.ASCII)
_PATH = re.compile(r"(?:[a-p](?:1[0-6]|[1-9])){2,}", re.ASCII)
_OTHER = re.compile(r"[SD]@[a-p](?:1[0-6]|[1-9])|x[a-p](?:1[0-6]|[1-9])|0000", re.ASCII)
_SQUARE = re.compile(r"[a-p][0-9]+", re.ASCII)


@dataclass(frozen=True)
class FenFields:
    """What a FEN says, checked for form only.

    Attributes:
        files, ranks: size of the board.
        men: the man on each square by its number, ``""`` where there is none.
        side: 0 White, 1 Black.
        nocapture: plies since the last capture.
        movenumber: from 1.
    """

    files: int
    ranks: int
    men: tuple[str, ...]
    side: int
    nocapture: int
    movenumber: int


def parse_fen(text: str, letters: str) -> FenFields:
    """Reads a FEN whose men are among ``letters``.

    Raises:
        FenError: the text is not of the form; the message quotes it and says what is wrong.
    """
    if len(text) > _LONGEST_FEN:
        raise FenError(f"FEN {quoted(text)} is longer than {_LONGEST_FEN} characters")
    fields = text.split()
    if len(fields) not in (2, 4):
        raise FenError(f"FEN {quoted(text)} has {len(fields)} fields, not board, side, nocapture, movenumber")
    try:
        rows = [_parse_rank(row, letters) for row in reversed(fields[0].split("/"))]
        files = len(rows[0])
        if any(len(row) != files for row in rows):
            raise FenError("its ranks are not all of the same width")
        if fields[1] not in ("w", "b"):
            raise FenError(f"side {quoted(fields[1])} is neither w nor b")
        nocapture = _parse_counter("nocapture", fields[2], 0) if len(fields) == 4 else 0
        movenumber = _parse_counter("movenumber", fields[3], 1) if len(fields) == 4 else 1
    except FenError as error:
        raise FenError(f"FEN {quoted(text)}: {error}") from None
    men = tuple(man for row in rows for man in row)
    return FenFields(files, len(rows), men, "wb".index(fields[1]), nocapture, movenumber)


def _parse_rank(text: str, letters: str) -> list[str]:
    if not text:
        raise FenError("a rank is empty text")
    if "[" in text or "]" in text:
        raise FenError("it has a hand, which this game does not")
    row: list[str] = []
    for token in _TOKEN.findall(text):
        if token[0] in "0123456789":
            if token[0] == "0" or len(token) > 2 or int(token) > MAX_SIDE:
                raise FenError(f"{quoted(token)} is not a number of empty squares (1..{MAX_SIDE}, no leading zero)")
            row += [""] * int(token)
        elif token in letters:
            row.append(token)
        else:
            raise FenError(f"{quoted(token)} is not a man of this game ({letters})")
        if len(row) > MAX_SIDE:
            raise FenError(f"rank {quoted(text)} is wider than {MAX_SIDE}")
    return row


def _parse_counter(name: str, text: str, least: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise FenError(f"{name} {quoted(text)} is not a number {least}..{MAX_COUNTER}")
    return int(text)


def render_fen(fields: FenFields) -> str:
    """Writes a FEN, all four fields."""
    rows = []
    for rank in reversed(range(fields.ranks)):
        row, empties = "", 0
        for man in fields.men[rank * fields.files:(rank + 1) * fields.files]:
            if man:
                row += (str(empties) if empties else "") + man
                empties = 0
            else:
                empties += 1
        rows.append(row + (str(empties) if empties else ""))
    return f"{'/'.join(rows)} {'wb'[fields.side]} {fields.nocapture} {fields.movenumber}"


def parse_move(geometry: Geometry, text: str) -> Move:
    """Reads a move's text; whether it is legal anywhere is not asked.

    Raises:
        MalformedMoveError: it has none of the forms of a move.
        IllegalMoveError: it names a square off this board, or is a form that this game does not use.
    """
    if not _PATH.fullmatch(text):
        if _OTHER.fullmatch(text):
            raise IllegalMoveError(f"move {quoted(text)}: this game has no such moves")
        raise MalformedMoveError(f"{quoted(text)} is not a move such as 'd1d5'")
    squares = []
    for name in _SQUARE.findall(text):
        file, rank = ord(name[0]) - ord("a"), int(name[1:]) - 1
        if file >= geometry.files or rank >= geometry.ranks:
            raise IllegalMoveError(f"move {quoted(text)}: {name} is not on the {geometry.name} board")
        squares.append(rank * geometry.files + file)
    if len(squares) > 2:
        raise IllegalMoveError(f"move {quoted(text)}: this game has no chains")
    return squares[0] | squares[1] << 8


def render_move(geometry: Geometry, move: Move) -> str:
    """Writes a move: ``d1d5``."""
    return geometry.square_name(move & 255) + geometry.square_name(move >> 8)
