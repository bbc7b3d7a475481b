"""A plain solver of small endings, with which the tests compare the tables.

It uses only the naive rules of the tests, and the definition of a value: it computes the result of every position for
every number of plies left until the no-capture limit, from 0 up, by looking at each move. It has no distances, no
numbering, no symmetries of the board and no moves taken back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations, product

from naive import BLACK, WHITE, Board, Game

Place = tuple[tuple[tuple[int, int], str], ...]  # a position with White to move: the pieces by square

SIGNS = {"draw": 0, "p1win": 1, "p2win": -1}


@dataclass
class Node:
    over: int | None  # the result for White if the game is decided
    no_move: int | None  # the result for White if there is no legal move
    after: list[Place]  # the positions after the moves, with the colours exchanged


def exchanged(board: Board) -> Place:
    """Return a position in which White is the player to move."""
    swap = board.side == BLACK
    return tuple(sorted((square, piece.swapcase() if swap else piece) for square, piece in board.pieces.items()))


def placements(files: int, ranks: int, pieces: str) -> set[Place]:
    """Return all positions with these pieces, such as ``DSds``; alike pieces are not told apart."""
    squares = list(product(range(files), range(ranks)))
    return {tuple(sorted(zip(chosen, pieces, strict=True))) for chosen in permutations(squares, len(pieces))}


class Solver:
    """The values of all positions with some pieces on a board, and of those that captures lead to."""

    def __init__(self, game: Game, files: int, ranks: int, pieces: Iterable[str]) -> None:
        """Solve the positions with each set of pieces."""
        self.game, self.files, self.ranks = game, files, ranks
        self.nodes: dict[Place, Node] = {}
        """The positions."""
        waiting = [place for letters in pieces for place in placements(files, ranks, letters)]
        while waiting:
            place = waiting.pop()
            if place not in self.nodes:
                node = self.nodes[place] = self._node(place)
                waiting += node.after
        self.values: dict[Place, list[int]] = {}
        """For each position its value for White, for each number of plies left until the limit, from 0 up. Without a
        limit there is a single value."""
        for men in sorted({len(place) for place in self.nodes}):
            self._solve([place for place in self.nodes if len(place) == men])

    def board(self, place: Place) -> Board:
        placing = getattr(self.game, "fields", {}).get("setup") == "placement"
        return Board(self.files, self.ranks, dict(place), WHITE, 0, 1, {} if placing else None)

    def _node(self, place: Place) -> Node:
        board = self.board(place)
        if winner := self.game.decided(board):
            return Node(1 if winner == WHITE else -1, None, [])
        moves = self.game.unfinished_moves(board)
        if not moves:
            wins = self.game.most_pieces_win("nomove")
            return Node(None, SIGNS[self.game.by_piece_count(board)] if wins else -1, [])
        return Node(None, None, sorted({exchanged(after) for after in moves.values()}))

    def _at_the_limit(self, place: Place) -> int:
        wins = self.game.nocapture_limit and self.game.most_pieces_win("nocapture")
        return SIGNS[self.game.by_piece_count(self.board(place))] if wins else 0

    def _solve(self, places: list[Place]) -> None:
        limit = self.game.nocapture_limit
        for place in places:
            over = self.nodes[place].over
            self.values[place] = [self._at_the_limit(place) if over is None else over]
        left = 0
        while not limit or left < limit:
            left += 1
            now = {place: self._value(self.nodes[place]) for place in places}
            changed = any(self.values[place][-1] != now[place] for place in places)
            if not limit and not changed:
                return
            for place in places:
                self.values[place] = [*self.values[place], now[place]] if limit else [now[place]]
            if limit and not changed and left > 1:  # nor does it later
                for place in places:
                    self.values[place] += [now[place]] * (limit - left)
                return

    def _value(self, node: Node) -> int:
        """Return the value with one more ply left than there are values now."""
        if node.over is not None:
            return node.over
        if node.no_move is not None:
            return node.no_move
        return max(-self.values[child][-1] for child in node.after)

    def value(self, place: Place, counter: int) -> int:
        """Return the value for White to move at a no-capture counter below the limit."""
        limit = self.game.nocapture_limit
        return self.values[place][limit - counter if limit else 0]

    def distance(self, place: Place) -> int | None:
        """Return the least number of plies left with which the value is what it is with the counter at 0.

        None if it is the same with none left, or without a limit.
        """
        values = self.values[place]
        first = next(left for left, value in enumerate(values) if value == values[-1])
        return first or None


def fen_of(solver: Solver, place: Place, counter: int, black: bool) -> str:
    """Return the FEN of a position, or of the same one with the colours exchanged."""
    from naive import render

    board = replace(solver.board(place), nocapture=counter)
    if black:
        pieces = {square: piece.swapcase() for square, piece in board.pieces.items()}
        board = replace(board, pieces=pieces, side=BLACK)
    return render(board)
