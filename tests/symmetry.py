"""The symmetries of the boards by name, with the images of positions and moves.

The rules on a grid do not depend on left and right, or on files and ranks. They treat White and Black alike, except
for the side to move and the first placement. The wheel can start at any square of its rim. Each symmetry therefore
preserves moves, captures, counts and results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import naive
from naive import Board, Game, Square, Wheel
from naive.wheel import CENTRE, RIM


@dataclass(frozen=True)
class Symmetry:
    """`squares` maps a square of a board to its image; `swaps_sides` is whether the colours are exchanged."""

    squares: Callable[[Board, Square], Square]
    swaps_sides: bool = False
    swaps_axes: bool = False

    def applies(self, game: Game, board: Board) -> bool:
        """Return False if the variant does not allow the size of the image, or for colours while pieces are in hand."""
        if self.swaps_axes and not game.allows(board.ranks, board.files):
            return False
        return not (self.swaps_sides and board.hand)

    def board(self, board: Board) -> Board:
        pieces = {
            self.squares(board, square): piece.swapcase() if self.swaps_sides else piece
            for square, piece in board.pieces.items()
        }
        files, ranks = (board.ranks, board.files) if self.swaps_axes else (board.files, board.ranks)
        side = naive.other(board.side) if self.swaps_sides else board.side
        return replace(board, files=files, ranks=ranks, pieces=pieces, side=side)

    def move(self, board: Board, move: str) -> str:
        """Return the text of the image of a move."""
        return re.sub(
            "[a-p][0-9]+",
            lambda name: naive.square_name(self.squares(board, naive.squares_in(name[0])[0])),
            move,
        )

    def result(self, name: str) -> str:
        return {"p1win": "p2win", "p2win": "p1win"}.get(name, name) if self.swaps_sides else name


def along_the_rim(turned: Callable[[int], int]) -> Callable[[Board, Square], Square]:
    return lambda _, square: CENTRE if square == CENTRE else RIM[turned(RIM.index(square)) % 8]


SYMMETRIES = {
    "mirror": Symmetry(lambda board, square: (board.files - 1 - square[0], square[1])),
    "swap-and-flip": Symmetry(lambda board, square: (square[0], board.ranks - 1 - square[1]), swaps_sides=True),
    "transpose": Symmetry(lambda _, square: (square[1], square[0]), swaps_axes=True),
}

WHEEL_SYMMETRIES = {
    "turn": Symmetry(along_the_rim(lambda place: place + 1)),
    "turn-back-three": Symmetry(along_the_rim(lambda place: place - 3)),
    "turn-over": Symmetry(along_the_rim(lambda place: 1 - place)),
    "swap": Symmetry(along_the_rim(lambda place: place), swaps_sides=True),
}


def symmetries_of(game: Game) -> dict[str, Symmetry]:
    return WHEEL_SYMMETRIES if isinstance(game, Wheel) else SYMMETRIES


def images(game: Game, board: Board) -> dict[str, tuple[Symmetry, Board]]:
    """Return the images of a position under all symmetries that apply, by name."""
    return {
        name: (symmetry, symmetry.board(board))
        for name, symmetry in symmetries_of(game).items()
        if symmetry.applies(game, board)
    }
