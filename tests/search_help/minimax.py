"""Plain minimax, to verify the search: no window, no move ordering, no bounds.

Values are cached by position and distance, which does not change them, unless they depend on earlier moves.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from latrones_uci.engine.python.evaluation import evaluator
from latrones_uci.engine.types import WIN
from latrones_uci.game import Position
from latrones_uci.game.encoding import Board
from latrones_uci.game.rules import Rules

Cache = dict[tuple[Board, int, int], int]


@functools.cache
def evaluator_of(rules: Rules) -> Callable[[Board], int]:
    return evaluator(rules)


def minimax(position: Position, depth: int, ply: int = 0, passes: int = 0, cache: Cache | None = None) -> int:
    """Return the value of an undecided position for the player to move, with quiescence at the leaves.

    It takes repetition into account where that is illegal. ``passes`` is the number of passes that led here in a row.
    """
    cache, name = {} if cache is None else cache, (position.board, depth, ply)
    if position.ruleset.repetition == "illegal":
        return _value(position, depth, ply, passes, cache)
    if name not in cache:
        cache[name] = _value(position, depth, ply, passes, cache)
    return cache[name]


def _value(position: Position, depth: int, ply: int, passes: int, cache: Cache) -> int:
    rules, board = position.rules, position.board
    if ply and position.nocapture_reached:
        return rules.ending(position.ruleset.nocapture_result, board) * (WIN - ply)
    if ply and passes == 2:
        return 0
    # The leaves do not know what must not occur again.
    values = [evaluator_of(rules)(board)] if depth == 0 and rules.can_move(board) else []
    for move, child in position.children():
        sign = 1 if child.side == position.side else -1
        if outcome := rules.decided(child.board):
            values.append(sign * outcome * (WIN - ply - 1))
        elif depth or men(child.board) < men(board):
            again = passes + 1 if move == "pass" else 0
            values.append(sign * minimax(child, max(depth - 1, 0), ply + 1, again, cache))
    return max(values) if values else rules.ending(position.ruleset.no_move, board) * (WIN - ply)


def men(board: Board) -> int:
    return (board[0] | board[1]).bit_count()
