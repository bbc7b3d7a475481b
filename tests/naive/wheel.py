"""Rota, on the Roman wheel."""

from __future__ import annotations

from naive.board import Board, Square, square_name, squares_in
from naive.game import Game

CENTRE: Square = (1, 1)
RIM: list[Square] = squares_in("a1a2a3b3c3c2c1b1")


class Wheel(Game):
    name = "rota"

    def allows(self, files: int, ranks: int) -> bool:
        return files == ranks == 3

    def start(self, files: int = 3, ranks: int = 3) -> Board:
        return Board(files, ranks, {}, hand={"S": 3, "s": 3})

    def pseudo_legal_moves(self, board: Board) -> list[str]:
        return [
            square_name(square) + square_name(target)
            for square in board.squares_of(board.side)
            for target in touching(square)
            if board.is_empty(target)
        ]

    def carry_out(self, board: Board, move: str) -> tuple[Board, set[Square]]:
        origin, target = squares_in(move)
        return board.moved(origin, target), set()

    def has_won(self, board: Board, side: str) -> bool:
        return any(
            all(board.is_of(square, side) for square in (RIM[place], CENTRE, RIM[place + 4])) for place in range(4)
        )


def touching(square: Square) -> list[Square]:
    if square == CENTRE:
        return RIM
    place = RIM.index(square)
    return [RIM[place - 1], RIM[(place + 1) % 8], CENTRE]
