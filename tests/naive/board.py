"""Positions as dictionaries of squares, and their text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

Square = tuple[int, int]  # file and rank, from 0
Hand = dict[str, int]  # counts of `S`, `D`, `s`, `d` in hand, without zeros

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
AXES = (((1, 0), (-1, 0)), ((0, 1), (0, -1)))
DIAGONAL_AXES = (((1, 1), (-1, -1)), ((1, -1), (-1, 1)))
WHITE, BLACK = "w", "b"


@dataclass(frozen=True)
class Board:
    """A position: board size, pieces by square, side to move, counters, and hands.

    `hand` is None in a variant without placement.
    """

    files: int
    ranks: int
    pieces: dict[Square, str]
    side: str = WHITE
    nocapture: int = 0
    movenumber: int = 1
    hand: Hand | None = None

    def has(self, square: Square) -> bool:
        return 0 <= square[0] < self.files and 0 <= square[1] < self.ranks

    def at(self, square: Square) -> str:
        """Return the letter on a square; an empty string if the square is empty or off the board."""
        return self.pieces.get(square, "")

    def squares(self) -> list[Square]:
        return [(file, rank) for rank in range(self.ranks) for file in range(self.files)]

    def is_empty(self, square: Square) -> bool:
        return self.has(square) and square not in self.pieces

    def is_of(self, square: Square, side: str) -> bool:
        """Return whether a square has a piece of a side."""
        return owner(self.at(square)) == side

    def neighbours(self, square: Square) -> list[Square]:
        return [near for direction in DIRECTIONS if self.has(near := step(square, direction))]

    def squares_of(self, side: str, letters: str = "SDB") -> list[Square]:
        return [square for square, piece in self.pieces.items() if owner(piece) == side and piece.upper() in letters]

    def lies_between(self, square: Square, side: str) -> bool:
        """Return whether a side has a piece on both sides of a square along a rank or file."""
        return any(all(self.is_of(step(square, direction), side) for direction in axis) for axis in AXES)

    def group(self, square: Square) -> set[Square]:
        """Return the pieces of one colour that are connected to the one on `square`, including it."""
        side, group, waiting = owner(self.at(square)), {square}, [square]
        while waiting:
            for near in self.neighbours(waiting.pop()):
                if near not in group and self.is_of(near, side):
                    group.add(near)
                    waiting.append(near)
        return group

    def has_no_liberty(self, square: Square) -> bool:
        """Return whether no neighbour of the square is empty."""
        return not any(self.is_empty(near) for near in self.neighbours(square))

    def centre(self) -> Square | None:
        """Return the central square, if the board has one."""
        return (self.files // 2, self.ranks // 2) if self.files % 2 and self.ranks % 2 else None

    def middle(self) -> Square:
        """Return the central square, or the lower and left one of the middle squares."""
        return (self.files - 1) // 2, (self.ranks - 1) // 2

    def corners(self) -> list[Square]:
        return [(file, rank) for file in (0, self.files - 1) for rank in (0, self.ranks - 1)]

    # Modified copies of the board.

    def moved(self, origin: Square, target: Square) -> Board:
        pieces = dict(self.pieces)
        pieces[target] = pieces.pop(origin)
        return replace(self, pieces=pieces)

    def without(self, squares: Iterable[Square]) -> Board:
        return replace(self, pieces={square: piece for square, piece in self.pieces.items() if square not in squares})

    def placed(self, letter: str, square: Square) -> Board:
        """Return the board after the side to move has placed a piece from its hand."""
        assert self.hand is not None
        piece = letter.upper() if self.side == WHITE else letter.lower()
        hand = {each: count - (each == piece) for each, count in self.hand.items()}
        return replace(
            self,
            pieces=self.pieces | {square: piece},
            hand={each: count for each, count in hand.items() if count},
        )


def step(square: Square, direction: Square) -> Square:
    return square[0] + direction[0], square[1] + direction[1]


def owner(piece: str) -> str:
    """Return `w` or `b` for a letter, and an empty string for no piece."""
    if not piece:
        return ""
    return WHITE if piece.isupper() else BLACK


def other(side: str) -> str:
    return BLACK if side == WHITE else WHITE


def in_hand(board: Board, side: str, letters: str = "SD") -> int:
    """Return the number of pieces that a side has in hand."""
    return sum(
        count for piece, count in (board.hand or {}).items() if owner(piece) == side and piece.upper() in letters
    )


# ---------------------------------------------------------------- text


def square_name(square: Square) -> str:
    return "abcdefghijklmnop"[square[0]] + str(square[1] + 1)


def squares_in(text: str) -> list[Square]:
    return [("abcdefghijklmnop".index(name[0]), int(name[1:]) - 1) for name in re.findall("[a-p][0-9]+", text)]


def parse(fen: str) -> Board:
    """Read a valid FEN."""
    board, side, nocapture, movenumber = fen.split()
    rows, bracket, hand = board.partition("[")
    pieces: dict[Square, str] = {}
    file = rank = 0
    for rank, row in enumerate(reversed(rows.split("/"))):
        file = 0
        for token in re.findall("[0-9]+|[A-Za-z]", row):
            if token.isdigit():
                file += int(token)
            else:
                pieces[file, rank] = token
                file += 1
    counts = {letter: int(count or 1) for count, letter in re.findall("([0-9]*)([A-Za-z])", hand)}
    return Board(file, rank + 1, pieces, side, int(nocapture), int(movenumber), counts if bracket else None)


def render(board: Board) -> str:
    rows = []
    for rank in reversed(range(board.ranks)):
        row = "".join(board.at((file, rank)) or "." for file in range(board.files))
        rows.append(re.sub(r"\.+", lambda dots: str(len(dots[0])), row))
    return f"{'/'.join(rows)}{render_hand(board.hand)} {board.side} {board.nocapture} {board.movenumber}"


def render_hand(hand: Hand | None) -> str:
    if hand is None:
        return ""
    counts = "".join(f"{hand[letter]}{letter}" for letter in "SDsd" if letter in hand)
    return f"[{counts or '-'}]"
