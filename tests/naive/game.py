"""What the games have in common."""

from __future__ import annotations

from dataclasses import replace

from naive.board import BLACK, WHITE, Board, Square, in_hand, other, square_name, squares_in


class Game:
    """A game by its rules. A move is its text."""

    name: str
    nocapture_limit = 0  # 0: none
    repetition = "draw"  # or "loss", of the player whose move repeats

    # To be filled in by each game.

    def allows(self, files: int, ranks: int) -> bool:
        """Whether it is played on a board of that size."""
        raise NotImplementedError

    def start(self, files: int, ranks: int) -> Board:
        raise NotImplementedError

    def ways(self, board: Board) -> list[str]:
        """The moves as the pieces go, whether or not something else forbids them; hands are empty."""
        raise NotImplementedError

    def carried_out(self, board: Board, move: str) -> tuple[Board, set[Square]]:
        """The board after a move that is no placement, no turn passed, and the squares from which enemies went."""
        raise NotImplementedError

    def beats(self, board: Board, side: str) -> bool:
        """Whether `side` has won on the board as it stands."""
        raise NotImplementedError

    # To be changed by those games in which it is otherwise.

    def is_forbidden(self, board: Board, move: str, after: Board) -> bool:
        """Whether a way for a piece to go is no legal move, `after` being the position that it makes."""
        return False

    def may_be_placed_on(self, board: Board) -> list[Square]:
        return [square for square in board.squares() if board.is_empty(square)]

    def goes_on_placing(self, left: int) -> bool:
        """Whether a player who has just placed a soldier and has `left` in hand places another one."""
        return False

    def settled(self, board: Board, mover: str) -> Board:
        """The board with whatever else follows from an action, hands being empty."""
        return board

    def most_men_wins(self, reason: str) -> bool:
        """Whether the result of that name goes to the side with more men on the board."""
        return False

    def count(self, board: Board, side: str) -> int:
        """How many men a side has on the board, as the endings count them."""
        return len(board.squares_of(side))

    # The same for all.

    def placements(self, board: Board) -> list[str]:
        """What can be placed; a dux only when neither hand holds a soldier."""
        soldiers = in_hand(board, WHITE, "S") + in_hand(board, BLACK, "S")
        letter = "S" if soldiers else "D"
        if not in_hand(board, board.side, letter):
            return []
        return [f"{letter}@{square_name(square)}" for square in self.may_be_placed_on(board)]

    def lifted(self, board: Board, move: str) -> set[Square]:
        """The squares from which a move takes enemies away."""
        return set() if "@" in move else self.carried_out(board, move)[1]

    def after(self, board: Board, move: str) -> Board:
        """The position after a move that need not be legal."""
        passes, resets = True, True
        if "@" in move:
            after = board.placed(move[0], squares_in(move)[0])
            passes = move[0] == "D" or not self.goes_on_placing(in_hand(after, board.side, "S"))
        else:
            after, captured = self.carried_out(board, move)
            resets = bool(captured)
        if not after.hand:
            after = self.settled(after, board.side)
        return replace(
            after,
            side=other(board.side) if passes else board.side,
            nocapture=0 if resets else board.nocapture + 1,
            movenumber=board.movenumber + (passes and board.side == BLACK),
        )

    def unfinished_moves(self, board: Board) -> dict[str, Board]:
        """The moves with the positions that they make, by text; the no-capture limit is not looked at."""
        if self.decided(board):
            return {}
        moves = {}
        for move in self.placements(board) if board.hand else self.ways(board):
            after = self.after(board, move)
            if not self.is_forbidden(board, move, after):
                assert move not in moves
                moves[move] = after
        return dict(sorted(moves.items()))

    def moves(self, board: Board) -> dict[str, Board]:
        """The legal moves with the positions that they make, by text."""
        return {} if self.has_reached_the_limit(board) else self.unfinished_moves(board)

    def has_reached_the_limit(self, board: Board) -> bool:
        return bool(self.nocapture_limit) and board.nocapture >= self.nocapture_limit

    def decided(self, board: Board) -> str:
        """`w` or `b` who has won, empty text for nobody. The player not to move is asked first."""
        for side in (other(board.side), board.side):
            if self.beats(board, side):
                return side
        return ""

    def result(self, board: Board) -> tuple[str, str] | None:
        """Name and reason of the result, from the position alone."""
        if winner := self.decided(board):
            return win(winner), "decided"
        if self.has_reached_the_limit(board):
            return (self.by_men(board) if self.most_men_wins("nocapture") else "draw"), "nocapture"
        if not self.moves(board):
            return (self.by_men(board) if self.most_men_wins("nomove") else win(other(board.side))), "nomove"
        return None

    def by_men(self, board: Board) -> str:
        white, black = self.count(board, WHITE), self.count(board, BLACK)
        if white == black:
            return "draw"
        return win(WHITE if white > black else BLACK)

    def game_result(self, boards: list[Board]) -> tuple[str, str] | None:
        """Name and reason of the result of a game by all its positions, the start included."""
        board = boards[-1]
        if not self.decided(board):
            seen = sum(
                (past.side, past.pieces, past.hand) == (board.side, board.pieces, board.hand) for past in boards
            )
            if seen >= 3:
                repeater = boards[-2].side
                return ("draw" if self.repetition == "draw" else win(other(repeater))), "repetition"
        return self.result(board)

    def perft(self, board: Board, depth: int) -> int:
        if depth == 0:
            return 1
        moves = self.unfinished_moves(board)
        return len(moves) if depth == 1 else sum(self.perft(after, depth - 1) for after in moves.values())


def win(side: str) -> str:
    return "p1win" if side == WHITE else "p2win"
