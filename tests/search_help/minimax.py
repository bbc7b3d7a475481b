"""Plain minimax, to verify the search: no window, no move ordering, no bounds.

Values are cached by position and distance, which does not change them.
"""

from __future__ import annotations

from latrones_uci.game.rules import Board, Rules
from latrones_uci.search.evaluation import evaluator
from latrones_uci.search.types import WIN


class Minimax:
    """Minimax without repetition, which cannot occur within the three plies that the tests search."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.limit = rules, rules.ruleset.nocapture_limit or 10_000
        self.evaluate = evaluator(rules)
        self.cache: dict[tuple[Board, int, int], int] = {}

    def value(self, board: Board, depth: int, ply: int = 0) -> int:
        """Return the value of an undecided board for the player to move, with quiescence at the leaves."""
        if ply and board[6] >= self.limit:
            return self.rules.ending(self.rules.ruleset.nocapture_result, board) * (WIN - ply)
        if (board, depth, ply) not in self.cache:
            self.cache[board, depth, ply] = self._value(board, depth, ply)
        return self.cache[board, depth, ply]

    def _value(self, board: Board, depth: int, ply: int) -> int:
        moves = self.rules.moves(board)
        values = [self.evaluate(board)] if moves and depth == 0 else []
        for move in moves:
            child = self.rules.play(board, move)
            sign = 1 if child[4] == board[4] else -1
            if outcome := self.rules.decided(child):
                values.append(sign * outcome * (WIN - ply - 1))
            elif depth:
                values.append(sign * self.value(child, depth - 1, ply + 1))
            elif child[6] == 0 and not board[8]:  # a placement also resets the counter
                values.append(sign * self.value(child, 0, ply + 1))
        if values:
            return max(values)
        return self.rules.ending(self.rules.ruleset.no_move, board) * (WIN - ply)
