"""Position text (FEN) and move text: reading and writing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from latrones_uci.game.encoding import (
    KILL,
    PLACE_DUX,
    PLACE_SOLDIER,
    PackedMove,
    is_path,
    kind_of,
    path_move,
    path_of,
    square_of,
)
from latrones_uci.game.errors import FenError, IllegalMoveError, MalformedMoveError, quoted
from latrones_uci.game.geometry import MAX_SIDE, Geometry
from latrones_uci.game.ruleset import Ruleset

MAX_COUNTER = 9999
_LONGEST_FEN = 1000
_TOKEN = re.compile(r"[0-9]+|.", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}", re.ASCII)
_NAME = "[a-p](?:1[0-6]|[1-9])"
_MOVE = re.compile(rf"(?:{_NAME}){{2,}}|[SD]@{_NAME}|x{_NAME}|0000", re.ASCII)
_HAND = re.compile(r"(?:(?:[1-9][0-9]{0,2})?[SDsd])+", re.ASCII)
_IN_HAND = re.compile(r"([0-9]*)([SDsd])", re.ASCII)
_HAND_ORDER = "SDsd"
_SQUARE = re.compile(r"[a-p][0-9]+", re.ASCII)


@dataclass(frozen=True)
class FenFields:
    """What a FEN says, checked for form only.

    Attributes:
        files, ranks: size of the board.
        men: the man on each square by its number, ``""`` where there is none.
        hand: men in hand by letter, zero counts omitted; None in a game without placement.
        side: 0 White, 1 Black.
        nocapture: plies since the last capture.
        movenumber: from 1.
    """

    files: int
    ranks: int
    men: tuple[str, ...]
    hand: Mapping[str, int] | None
    side: int
    nocapture: int
    movenumber: int


def parse_fen(text: str, letters: str, has_hand: bool) -> FenFields:
    """Reads a FEN of a game with men among ``letters``, with a hand or without.

    Raises:
        FenError: the text is not of the form; the message quotes it and says what is wrong.
    """
    if len(text) > _LONGEST_FEN:
        raise FenError(f"FEN {quoted(text)} is longer than {_LONGEST_FEN} characters")
    fields = text.split()
    if len(fields) not in (2, 4):
        raise FenError(f"FEN {quoted(text)} has {len(fields)} fields, not board, side, nocapture, movenumber")
    try:
        board, hand = _parse_hand(fields[0], has_hand)
        rows = [_parse_rank(row, letters) for row in reversed(board.split("/"))]
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
    return FenFields(files, len(rows), men, hand, "wb".index(fields[1]), nocapture, movenumber)


def _parse_hand(text: str, has_hand: bool) -> tuple[str, dict[str, int] | None]:
    """Splits the board off a first field; reads the hand."""
    board, bracket, rest = text.partition("[")
    if not has_hand:
        if bracket:
            raise FenError(f"it has a hand, {quoted(bracket + rest)}, which this game has not")
        return board, None
    if not bracket:
        raise FenError("it lacks the hand, such as [8S8s], or [-] when all is placed")
    if not rest.endswith("]"):
        raise FenError(f"hand {quoted(bracket + rest)} does not end with ]")
    body = rest[:-1]
    if body == "-":
        return board, {}
    hand: dict[str, int] = {}
    if not _HAND.fullmatch(body):
        raise FenError(f"hand {quoted(bracket + rest)} is not counts (without leading zero) and men, such as [8S8s]")
    for count, man in _IN_HAND.findall(body):
        if man in hand:
            raise FenError(f"hand {quoted(bracket + rest)} names {man} twice")
        hand[man] = int(count or 1)
    return board, hand


def _parse_rank(text: str, letters: str) -> list[str]:
    if not text:
        raise FenError("a rank is empty text")
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
    board = "/".join(rows)
    if fields.hand is not None:
        board += f"[{''.join(f'{fields.hand[man]}{man}' for man in _HAND_ORDER if man in fields.hand) or '-'}]"
    return f"{board} {'wb'[fields.side]} {fields.nocapture} {fields.movenumber}"


def parse_move(geometry: Geometry, ruleset: Ruleset, text: str) -> PackedMove:
    """Reads a move's text; whether it is legal anywhere is not asked.

    Raises:
        MalformedMoveError: it has none of the forms of a move.
        IllegalMoveError: it names a square off this board, or is of a form that this game does not use.
    """
    if not _MOVE.fullmatch(text):
        raise MalformedMoveError(f"{quoted(text)} is not a move such as 'd1d5', 'S@d4' or 'xd5'")
    if text == "0000":
        raise IllegalMoveError("move '0000': it is printed where there is no move, and never played")
    squares = []
    for name in _SQUARE.findall(text):
        file, rank = ord(name[0]) - ord("a"), int(name[1:]) - 1
        if file >= geometry.files or rank >= geometry.ranks:
            raise IllegalMoveError(f"move {quoted(text)}: {name} is not on the {geometry.name} board")
        squares.append(rank * geometry.files + file)
    placed = {"S": ruleset.setup == "placement", "D": ruleset.dux == "hand"}
    if text[0] in placed:
        if not placed[text[0]]:
            raise IllegalMoveError(f"move {quoted(text)}: this game has no such placements")
        return (PLACE_SOLDIER if text[0] == "S" else PLACE_DUX) | squares[0]
    if text[0] == "x":
        if ruleset.capture_effect != "bind":
            raise IllegalMoveError(f"move {quoted(text)}: this game has no kills")
        return KILL | squares[0]
    if len(squares) > 2 and ruleset.soldier_jump != "chain" and ruleset.capture_chain == "none":
        raise IllegalMoveError(f"move {quoted(text)}: this game has no chains")
    return path_move(squares)


def render_move(geometry: Geometry, move: PackedMove) -> str:
    """Writes a move: ``d1d5``, ``c3c5e5``, ``S@d4``, ``xd5``."""
    if is_path(move):
        return "".join(geometry.square_name(square) for square in path_of(move))
    prefix = {PLACE_SOLDIER: "S@", PLACE_DUX: "D@", KILL: "x"}[kind_of(move)]
    return prefix + geometry.square_name(square_of(move))
