"""The common parts of all variants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from naive.board import BLACK, WHITE, Board, Hand, Square, in_hand, other, square_name, squares_in

PASS = "pass"
Arrangement = tuple[dict[Square, str], Hand | None]


class Game:
    """A variant. Moves are strings."""

    name: str
    nocapture_limit = 0  # 0: none
    repetition = "draw"  # or "loss" for the player whose move repeats, or "illegal"
    passes = False  # whether a player without a legal move passes
    counter_after_capture = 0
    equal_men = "draw"  # or "black", the winner if the numbers of pieces decide and are equal

    # Each variant must define these.

    def allows(self, files: int, ranks: int) -> bool:
        """Return whether the variant allows a board size."""
        raise NotImplementedError

    def start(self, files: int, ranks: int) -> Board:
        raise NotImplementedError

    def pseudo_legal_moves(self, board: Board) -> list[str]:
        """Return the moves of the pieces, legal or not; hands are empty."""
        raise NotImplementedError

    def carry_out(self, board: Board, move: str) -> tuple[Board, set[Square]]:
        """Return the board after a move that is not a placement, before the turn passes, and the captured squares."""
        raise NotImplementedError

    def has_won(self, board: Board, side: str) -> bool:
        """Return whether `side` has won on the board."""
        raise NotImplementedError

    # Some variants override these.

    def is_forbidden(self, board: Board, move: str, after: Board) -> bool:
        """Return whether a move of a piece is illegal; `after` is the position after it."""
        return False

    def may_be_placed_on(self, board: Board) -> list[Square]:
        return [square for square in board.squares() if board.is_empty(square)]

    def places_again(self, left: int) -> bool:
        """Return whether a player who has placed a soldier, and has `left` soldiers in hand, places another one."""
        return False

    def after_action(self, board: Board, mover: str) -> Board:
        """Return the board with the further effects of an action; hands are empty."""
        return board

    def most_pieces_win(self, reason: str) -> bool:
        """Return whether the side with more pieces on the board wins in this ending."""
        return False

    def count(self, board: Board, side: str) -> int:
        """Return the number of pieces of a side on the board, as the endings count them."""
        return len(board.squares_of(side))

    # The same for all variants.

    def placements(self, board: Board) -> list[str]:
        """Return the legal placements; a dux can be placed only when no soldiers are in hand."""
        soldiers = in_hand(board, WHITE, "S") + in_hand(board, BLACK, "S")
        letter = "S" if soldiers else "D"
        if not in_hand(board, board.side, letter):
            return []
        return [f"{letter}@{square_name(square)}" for square in self.may_be_placed_on(board)]

    def lifted(self, board: Board, move: str) -> set[Square]:
        """Return the squares of the pieces that a move captures."""
        return set() if "@" in move else self.carry_out(board, move)[1]

    def after(self, board: Board, move: str) -> Board:
        """Return the position after a move, legal or not."""
        passes, counter = True, 0
        if move == PASS:
            after, counter = board, board.nocapture + 1
        elif "@" in move:
            after = board.placed(move[0], squares_in(move)[0])
            passes = move[0] == "D" or not self.places_again(in_hand(after, board.side, "S"))
        else:
            after, captured = self.carry_out(board, move)
            counter = self.counter_after_capture if captured else board.nocapture + 1
        if not after.hand and move != PASS:
            after = self.after_action(after, board.side)
        return replace(
            after,
            side=other(board.side) if passes else board.side,
            nocapture=counter,
            movenumber=board.movenumber + (passes and board.side == BLACK),
        )

    def unfinished_moves(self, board: Board, past: Sequence[Arrangement] = ()) -> dict[str, Board]:
        """Return the moves with the positions after them; the no-capture limit does not apply.

        `past` is what must not occur again, where that is illegal (see `past_of`).
        """
        if self.decided(board):
            return {}
        moves = {}
        for move in self.placements(board) if board.hand else self.pseudo_legal_moves(board):
            after = self.after(board, move)
            if not self.is_forbidden(board, move, after) and not self.repeats(board, move, past):
                assert move not in moves
                moves[move] = after
        if not moves and self.passes:
            return {PASS: self.after(board, PASS)}
        return dict(sorted(moves.items()))

    def moves(self, board: Board, past: Sequence[Arrangement] = ()) -> dict[str, Board]:
        """Return the legal moves with the positions after them."""
        return {} if self.has_reached_the_limit(board) else self.unfinished_moves(board, past)

    # Repetition where it is illegal: the pieces, marks and hands after the first leg of each move, and of the start,
    # must not occur again, not even on the way of a chain.

    def arrangements(self, board: Board, move: str) -> list[Arrangement]:
        """Return what each leg of a move leaves on the board and in the hands."""
        if "@" in move or "x" in move or move == PASS:
            parts = [move]
        else:
            names = re.findall("[a-p][0-9]+", move)
            parts = ["".join(names[: size + 1]) for size in range(1, len(names))]
        return [(after.pieces, after.hand) for after in (self.after(board, part) for part in parts)]

    def repeats(self, board: Board, move: str, past: Sequence[Arrangement]) -> bool:
        return any(made in past for made in self.arrangements(board, move)) if past else False

    def past_of(self, boards: list[Board], moves: Sequence[str]) -> list[Arrangement]:
        """Return what must not occur again after these moves, and nothing where repetition is legal."""
        if self.repetition != "illegal":
            return []
        start = (boards[0].pieces, boards[0].hand)
        return [start, *(self.arrangements(b, move)[0] for b, move in zip(boards, moves, strict=False))]

    def has_reached_the_limit(self, board: Board) -> bool:
        return bool(self.nocapture_limit) and board.nocapture >= self.nocapture_limit

    def decided(self, board: Board) -> str:
        """Return the winner, `w` or `b`, or an empty string. The player not to move is tested first."""
        for side in (other(board.side), board.side):
            if self.has_won(board, side):
                return side
        return ""

    def result(self, board: Board, past: Sequence[Arrangement] = ()) -> tuple[str, str] | None:
        """Return name and reason of the result of a position, without repetition that is legal."""
        if winner := self.decided(board):
            return win(winner), "decided"
        if self.has_reached_the_limit(board):
            return (self.by_piece_count(board) if self.most_pieces_win("nocapture") else "draw"), "nocapture"
        if not self.moves(board, past):
            return (self.by_piece_count(board) if self.most_pieces_win("nomove") else win(other(board.side))), "nomove"
        return None

    def by_piece_count(self, board: Board) -> str:
        white, black = self.count(board, WHITE), self.count(board, BLACK)
        if white == black:
            return "draw" if self.equal_men == "draw" else win(BLACK)
        return win(WHITE if white > black else BLACK)

    def game_result(self, boards: list[Board], moves: Sequence[str] = ()) -> tuple[str, str] | None:
        """Return name and reason of the result of a game, given all its positions including the start, and its moves.

        The moves only matter where repetition is illegal, or players pass.
        """
        board = boards[-1]
        if not self.decided(board) and self.repetition != "illegal":
            seen = sum((past.side, past.pieces, past.hand) == (board.side, board.pieces, board.hand) for past in boards)
            if seen >= 3:
                repeater = boards[-2].side
                return ("draw" if self.repetition == "draw" else win(other(repeater))), "repetition"
        if result := self.result(board, self.past_of(boards, moves)):
            return result
        return ("draw", "nomove") if list(moves[-2:]) == [PASS, PASS] else None

    def perft(self, board: Board, depth: int) -> int:
        if depth == 0:
            return 1
        moves = self.unfinished_moves(board)
        return len(moves) if depth == 1 else sum(self.perft(after, depth - 1) for after in moves.values())


def win(side: str) -> str:
    return "p1win" if side == WHITE else "p2win"
