"""The symmetries of the boards: what they make of a position and of a move, by name.

The rules of the games on squares know no right or left, no file from rank, and no White from Black but by who is
to move; so each symmetry keeps moves, captures, counts and results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import naive
from naive import Board, Square


@dataclass(frozen=True)
class Symmetry:
    """`squares` says where a square of a board goes; `swaps_sides` whether the colours change places."""

    squares: Callable[[Board, Square], Square]
    swaps_sides: bool = False
    swaps_axes: bool = False

    def board(self, board: Board) -> Board:
        pieces = {
            self.squares(board, square): piece.swapcase() if self.swaps_sides else piece
            for square, piece in board.pieces.items()
        }
        files, ranks = (board.ranks, board.files) if self.swaps_axes else (board.files, board.ranks)
        side = naive.other(board.side) if self.swaps_sides else board.side
        return replace(board, files=files, ranks=ranks, pieces=pieces, side=side)

    def move(self, board: Board, move: str) -> str:
        """The move's text on the board's image, for moves that are squares only."""
        return "".join(naive.square_name(self.squares(board, square)) for square in naive.squares_in(move))

    def result(self, name: str) -> str:
        return {"p1win": "p2win", "p2win": "p1win"}.get(name, name) if self.swaps_sides else name


SYMMETRIES = {
    "mirror": Symmetry(lambda board, square: (board.files - 1 - square[0], square[1])),
    "swap-and-flip": Symmetry(lambda board, square: (square[0], board.ranks - 1 - square[1]), swaps_sides=True),
    "transpose": Symmetry(lambda _, square: (square[1], square[0]), swaps_axes=True),
}
