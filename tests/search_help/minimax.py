"""Plain minimax, the definition that the search is measured against: no window, no order, no bounds.

Values are remembered by position and distance, which changes none of them.
"""

from __future__ import annotations

from latrones_uci.game.rules import Board, Rules
from latrones_uci.search.evaluation import evaluator
from latrones_uci.search.types import WIN


class Minimax:
    """From a position without a past, repetition cannot happen within the three plies that the tests look ahead."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.limit = rules, rules.ruleset.nocapture_limit or 10_000
        self.evaluate = evaluator(rules)
        self.known: dict[tuple[Board, int, int], int] = {}

    def value(self, board: Board, depth: int, ply: int = 0) -> int:
        """The value of an undecided board for the player to move, quiescence at the leaves."""
        if ply and board[6] >= self.limit:
            return self.rules.ending(self.rules.ruleset.nocapture_result, board) * (WIN - ply)
        if (board, depth, ply) not in self.known:
            self.known[board, depth, ply] = self._value(board, depth, ply)
        return self.known[board, depth, ply]

    def _value(self, board: Board, depth: int, ply: int) -> int:
        values = [self.evaluate(board)] if depth == 0 else []
        for move in self.rules.moves(board):
            child = self.rules.play(board, move)
            sign = 1 if child[4] == board[4] else -1
            if outcome := self.rules.decided(child):
                values.append(sign * outcome * (WIN - ply - 1))
            elif depth:
                values.append(sign * self.value(child, depth - 1, ply + 1))
            elif child[6] == 0 and not board[8]:  # a placement, too, sets the counter to 0
                values.append(sign * self.value(child, 0, ply + 1))
        if values:
            return max(values)
        return self.rules.ending(self.rules.ruleset.no_move, board) * (WIN - ply)
