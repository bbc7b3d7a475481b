"""Solve a small game: the value of every reachable position, with the distance to the end."""

import copy
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from latrones_uci.game import PackedMove
from latrones_uci.game.encoding import Board
from latrones_uci.game.rules import Rules

Node = tuple[int, ...]


class SolvedValue(NamedTuple):
    """The value of a position with perfect play."""

    outcome: int
    """1 if the player to move wins, 0 for a draw, -1 if it loses."""
    plies: int
    """Plies to the end of the game, with the shortest win and the longest defence; 0 for a draw."""


DRAW = SolvedValue(0, 0)


class Solution:
    """The values of all positions reachable from a root, computed by retrograde analysis.

    Endings are propagated backwards, nearest first. A position is won if one of its moves leads to a position that the
    opponent loses, and lost if all its moves lead to positions that the opponent wins. Positions that are never settled
    are drawn, because both sides can repeat (the third occurrence of a position is a draw). This suits games without
    captures, which have few positions.
    """

    def __init__(self, rules: Rules, root: Board) -> None:
        self._rules = rules
        self._drawn: frozenset[Node] = frozenset()
        self._children: dict[Node, list[tuple[PackedMove, Node]]] = {}
        self._parents: dict[Node, list[Node]] = {_node(root): []}
        self._endings: dict[Node, SolvedValue] = {}
        self._explore(root)
        self.values = self._settle()

    def with_draws(self, boards: Iterable[Board]) -> "Solution":
        """Return the solution of a game in which some boards are drawn because they have already occurred twice.

        It shares the graph of positions, which takes most of the time to explore, with this solution.
        """
        other = copy.copy(self)
        other._drawn = frozenset(_node(board) for board in boards)
        if not self.values.keys().isdisjoint(other._drawn):  # otherwise all of them are drawn already
            other.values = other._settle()
        return other

    @property
    def positions(self) -> int:
        return len(self._children)

    def knows(self, board: Board) -> bool:
        return _node(board) in self._children

    def value(self, board: Board) -> SolvedValue:
        return self.values.get(_node(board), DRAW)

    def after(self, board: Board, move: PackedMove) -> SolvedValue:
        """Return the value of a move for the player who makes it."""
        child = self._rules.play(board, move)
        value = self.value(child)
        outcome = value.outcome if child[4] == board[4] else -value.outcome
        return SolvedValue(outcome, value.plies + 1 if outcome else 0)

    def ranked(self, board: Board, moves: tuple[PackedMove, ...]) -> list[PackedMove]:
        """Return the moves, best first: short wins, draws, long losses.

        Among draws, those with the largest share of losing replies come first.
        """
        def rank(move: PackedMove) -> tuple[float, ...]:
            value = self.after(board, move)
            if value.outcome:
                return (-value.outcome, value.plies * value.outcome, move)
            return (0, -self._pitfalls(self._rules.play(board, move)), move)

        return sorted(moves, key=rank)

    def _pitfalls(self, board: Board) -> float:
        """Return the share of losing moves in a drawn position."""
        moves = self._moves(board)
        if not moves:
            return 0
        return sum(self.after(board, move).outcome < 0 for move in moves) / len(moves)

    def _moves(self, board: Board) -> tuple[PackedMove, ...]:
        """Return the moves of a reachable position; none if the game is over."""
        node = _node(board)
        return () if node in self._drawn else tuple(move for move, _ in self._children[node])

    def _explore(self, root: Board) -> None:
        rules = self._rules
        waiting = [root]
        while waiting:
            board = waiting.pop()
            node = _node(board)
            if node in self._children:
                continue
            decided = rules.decided(board)
            children = [] if decided else [(move, rules.play(board, move)) for move in rules.moves(board)]
            self._children[node] = [(move, _node(child)) for move, child in children]
            if not children:
                outcome = decided or rules.ending(rules.ruleset.no_move, board)
                self._endings[node] = SolvedValue(outcome, 0)
            for _, child in children:
                self._parents.setdefault(_node(child), []).append(node)
                waiting.append(child)

    def _settle(self) -> dict[Node, SolvedValue]:
        """Propagate the endings; the value changes sign where the side to move changes."""
        values = dict(self._endings)
        open_moves = {node: len(children) for node, children in self._children.items()}
        settled = deque(values)
        while settled:
            node = settled.popleft()
            value = values[node]
            for parent in self._parents[node]:
                if parent in values or parent in self._drawn:
                    continue
                outcome = value.outcome if parent[2] == node[2] else -value.outcome
                open_moves[parent] -= 1
                if outcome > 0 or (outcome < 0 and open_moves[parent] == 0):
                    values[parent] = SolvedValue(outcome, value.plies + 1)
                    settled.append(parent)
        return values


def _node(board: Board) -> Node:
    """Return the parts of a board that distinguish positions: pieces, side to move, and hands."""
    return (board[0], board[1], board[4], board[8])
