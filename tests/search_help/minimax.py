"""Plain minimax, the definition that the search is measured against: no window, no order, no bounds.

Values are remembered by position and distance, which changes none of them.
"""

from __future__ import annotations

from latrones_uci.game.rules import Board, Rules
from latrones_uci.search.evaluation import evaluator
from latrones_uci.search.scores import WIN


class Minimax:
    """From a position without a past, repetition cannot happen within the three plies that the tests look ahead."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.limit = rules, rules.ruleset.nocapture_limit
        self.evaluate = evaluator(rules)
        self.known: dict[tuple[Board, int, int], int] = {}

    def value(self, board: Board, depth: int, ply: int = 0) -> int:
        """The value of an undecided board for the player to move, quiescence at the leaves."""
        if ply and board[6] >= self.limit:
            return 0
        if (board, depth, ply) not in self.known:
            self.known[board, depth, ply] = self._value(board, depth, ply)
        return self.known[board, depth, ply]

    def _value(self, board: Board, depth: int, ply: int) -> int:
        values = [self.evaluate(board)] if depth == 0 else []
        for move in self.rules.moves(board):
            child = self.rules.play(board, move)
            if outcome := self.rules.decided(child):
                values.append(-outcome * (WIN - ply - 1))
            elif depth:
                values.append(-self.value(child, depth - 1, ply + 1))
            elif child[6] == 0:
                values.append(-self.value(child, 0, ply + 1))
        return max(values, default=ply - WIN)
