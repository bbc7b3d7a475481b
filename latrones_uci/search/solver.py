"""Solving a small game outright: the value of every position that can be reached, with its distance."""

import copy
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from latrones_uci.game import Move
from latrones_uci.game.encoding import Board
from latrones_uci.game.rules import Rules

Node = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """What a position is worth with perfect play.

    Attributes:
        outcome: 1 the player to move wins, 0 draw, -1 loses.
        plies: until the game is over, the winner hurrying and the loser delaying; 0 for a draw.
    """

    outcome: int
    plies: int


DRAW = Value(0, 0)


class Solution:
    """The values of all positions that can be reached from one, found by retrograde analysis.

    Endings are propagated backwards, nearest first: a position is won when one of its moves leads to a lost one, lost
    when all lead to won ones, and drawn when that never settles it, for then each side can go round for ever (and the
    third occurrence of a position is a draw). For games without captures, whose positions are few.
    """

    def __init__(self, rules: Rules, root: Board) -> None:
        """Solves everything that can be reached from ``root``."""
        self._rules = rules
        self._drawn: frozenset[Node] = frozenset()
        self._children: dict[Node, list[tuple[Move, Node]]] = {}
        self._parents: dict[Node, list[Node]] = {_node(root): []}
        self._endings: dict[Node, Value] = {}
        self._explore(root)
        self.values = self._settle()

    def with_draws(self, boards: Iterable[Board]) -> "Solution":
        """The same where the game ends as a draw at some boards, for they have occurred twice before.

        What can be reached from where is not found anew, which takes most of the time of solving.
        """
        other = copy.copy(self)
        other._drawn = frozenset(_node(board) for board in boards)
        if not self.values.keys().isdisjoint(other._drawn):  # else all of them are drawn anyway, and nothing changes
            other.values = other._settle()
        return other

    @property
    def positions(self) -> int:
        """How many positions can be reached, the root included."""
        return len(self._children)

    def knows(self, board: Board) -> bool:
        """Whether a position is among those solved."""
        return _node(board) in self._children

    def value(self, board: Board) -> Value:
        """The value of a position that can be reached."""
        return self.values.get(_node(board), DRAW)

    def after(self, board: Board, move: Move) -> Value:
        """The value of a move, for the player who makes it."""
        child = self._rules.play(board, move)
        value = self.value(child)
        outcome = value.outcome if child[4] == board[4] else -value.outcome
        return Value(outcome, value.plies + 1 if outcome else 0)

    def ranked(self, board: Board, moves: tuple[Move, ...]) -> list[Move]:
        """Moves, best first: quick wins, then draws, those first that offer most ways to go wrong, then slow losses."""
        def rank(move: Move) -> tuple[float, ...]:
            value = self.after(board, move)
            if value.outcome:
                return (-value.outcome, value.plies * value.outcome, move)
            return (0, -self._pitfalls(self._rules.play(board, move)), move)

        return sorted(moves, key=rank)

    def line(self, board: Board, move: Move, longest: int) -> tuple[Move, ...]:
        """Best play for both sides after a move, at most ``longest`` moves."""
        line = [move]
        board = self._rules.play(board, move)
        while len(line) < longest and (moves := self._moves(board)):
            line.append(self.ranked(board, moves)[0])
            board = self._rules.play(board, line[-1])
        return tuple(line)

    def _pitfalls(self, board: Board) -> float:
        """The share of the moves of a drawn position that lose."""
        moves = self._moves(board)
        if not moves:
            return 0
        return sum(self.after(board, move).outcome < 0 for move in moves) / len(moves)

    def _moves(self, board: Board) -> tuple[Move, ...]:
        """The moves of a position that can be reached; none where the game is over."""
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
                self._endings[node] = Value(outcome, 0)
            for _, child in children:
                self._parents.setdefault(_node(child), []).append(node)
                waiting.append(child)

    def _settle(self) -> dict[Node, Value]:
        """Propagates the endings; what a parent is worth by a child turns with the side to move."""
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
                    values[parent] = Value(outcome, value.plies + 1)
                    settled.append(parent)
        return values


def _node(board: Board) -> Node:
    """What tells positions apart: men, side to move, and hands."""
    return (board[0], board[1], board[4], board[8])
