"""Read and write positions as text (FEN)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from latrones_uci.game.errors import FenError
from latrones_uci.game.geometry import MAX_SIDE
from latrones_uci.text.messages import counted, quoted

MAX_COUNTER = 9999
_MAX_FEN = 1000
_TOKEN = re.compile(r"[0-9]+|.", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}", re.ASCII)
_HAND = re.compile(r"(?:(?:[1-9][0-9]{0,2})?[SDsd])+", re.ASCII)
_IN_HAND = re.compile(r"([0-9]*)([SDsd])", re.ASCII)
_HAND_ORDER = "SDsd"


@dataclass(frozen=True)
class FenFields:
    """The fields of a FEN that is well-formed, but not necessarily possible."""

    files: int
    ranks: int
    """Size of the board."""
    pieces: tuple[str, ...]
    """The piece on each square, by square number; ``""`` if it is empty."""
    hand: Mapping[str, int] | None
    """Pieces in hand by letter, zero counts omitted; None in a variant without placement."""
    side: int
    """0 White, 1 Black."""
    nocapture: int
    """Plies since the last capture."""
    movenumber: int
    """From 1."""


def parse_fen(text: str, letters: str, has_hand: bool) -> FenFields:
    """Read a FEN.

    Args:
        text: the FEN, with all four fields or the first two.
        letters: the piece letters of the variant.
        has_hand: whether the variant has pieces in hand.

    Raises:
        FenError: the FEN is malformed; the message quotes it and says what is wrong.
    """
    if len(text) > _MAX_FEN:
        raise FenError(f"FEN {quoted(text)}: longer than {_MAX_FEN} characters")
    fields = text.split()
    if len(fields) not in (2, 4):
        found = counted(len(fields), "field")
        raise FenError(f"FEN {quoted(text)}: found {found}; expected two or four: board, side, nocapture, movenumber")
    try:
        board, hand = _parse_hand(fields[0], has_hand)
        rows = parse_board(board, letters)
        if fields[1] not in ("w", "b"):
            raise FenError(f"side {quoted(fields[1])}: expected w or b")
        nocapture = _parse_counter("nocapture", fields[2], 0) if len(fields) == 4 else 0
        movenumber = _parse_counter("movenumber", fields[3], 1) if len(fields) == 4 else 1
    except FenError as error:
        raise FenError(f"FEN {quoted(text)}: {error}") from None
    pieces = tuple(piece for row in rows for piece in row)
    return FenFields(len(rows[0]), len(rows), pieces, hand, "wb".index(fields[1]), nocapture, movenumber)


def parse_board(text: str, letters: str) -> tuple[tuple[str, ...], ...]:
    """Return the pieces of the board of a FEN by rank and file, ``""`` for an empty square.

    Args:
        text: the ranks, the last one first, separated by slashes.
        letters: the letters of the pieces.

    Raises:
        FenError: a rank is malformed, or ranks differ in width.
    """
    if len(text) > _MAX_FEN:
        raise FenError(f"longer than {_MAX_FEN} characters")
    rows = tuple(tuple(_parse_rank(row, letters)) for row in reversed(text.split("/")))
    if any(len(row) != len(rows[0]) for row in rows):
        raise FenError("ranks differ in width")
    return rows


def _parse_hand(text: str, has_hand: bool) -> tuple[str, dict[str, int] | None]:
    board, bracket, rest = text.partition("[")
    if not has_hand:
        if bracket:
            raise FenError(f"hand {quoted(bracket + rest)}: this variant has no pieces in hand")
        return board, None
    if not bracket:
        raise FenError("no hand after the board; expected one such as [8S8s], or [-] if all pieces are placed")
    if not rest.endswith("]"):
        raise FenError(f"hand {quoted(bracket + rest)}: no ] at the end")
    body = rest[:-1]
    if body == "-":
        return board, {}
    hand: dict[str, int] = {}
    if not _HAND.fullmatch(body):
        raise FenError(f"hand {quoted(bracket + rest)}: expected counts (no leading zeros) and pieces, such as [8S8s]")
    for count, piece in _IN_HAND.findall(body):
        if piece in hand:
            raise FenError(f"hand {quoted(bracket + rest)}: duplicate {piece}")
        hand[piece] = int(count or 1)
    return board, hand


def _parse_rank(text: str, letters: str) -> list[str]:
    if not text:
        raise FenError("a rank is empty")
    row: list[str] = []
    for token in _TOKEN.findall(text):
        if token[0] in "0123456789":
            if token[0] == "0" or len(token) > 2 or int(token) > MAX_SIDE:
                raise FenError(f"{quoted(token)}: expected a number of empty squares, 1..{MAX_SIDE}, no leading zero")
            row += [""] * int(token)
        elif token in letters:
            row.append(token)
        else:
            raise FenError(f"{quoted(token)}: not a piece of this variant; expected one of {letters}")
        if len(row) > MAX_SIDE:
            raise FenError(f"rank {quoted(text)}: wider than {MAX_SIDE} squares")
    return row


def _parse_counter(name: str, text: str, least: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) < least:
        raise FenError(f"{name} {quoted(text)}: expected an integer {least}..{MAX_COUNTER}")
    return int(text)


def render_fen(fields: FenFields) -> str:
    rows = []
    for rank in reversed(range(fields.ranks)):
        row, empties = "", 0
        for piece in fields.pieces[rank * fields.files:(rank + 1) * fields.files]:
            if piece:
                row += (str(empties) if empties else "") + piece
                empties = 0
            else:
                empties += 1
        rows.append(row + (str(empties) if empties else ""))
    board = "/".join(rows)
    if fields.hand is not None:
        board += f"[{''.join(f'{fields.hand[piece]}{piece}' for piece in _HAND_ORDER if piece in fields.hand) or '-'}]"
    return f"{board} {'wb'[fields.side]} {fields.nocapture} {fields.movenumber}"
