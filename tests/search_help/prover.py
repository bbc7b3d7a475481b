"""Prove forced wins by exhaustive search, using the rules only."""

from __future__ import annotations

from latrones_uci.game import Position
from latrones_uci.game.rules import Board, Rules


def shortest_win(position: Position, most: int) -> int | None:
    """Return the number of own turns in which the player to move forces a win, up to `most`; None if it cannot."""
    for turns in range(1, most + 1):
        if _wins(position.rules, position.board, turns, {}):
            return turns
    return None


def winning_moves(position: Position, turns: int) -> set[str]:
    """Return the texts of the moves that win in at most `turns` turns, this one included."""
    rules, cache = position.rules, {}  # type: ignore[var-annotated]
    return {move for move in position.legal_moves()
            if _loses(rules, rules.play(position.board, move.packed), turns - 1, cache)}


def _wins(rules: Rules, board: Board, turns: int, cache: dict[tuple[Board, int], bool]) -> bool:
    """Return whether the player to move of an undecided board forces a win in at most `turns` turns."""
    if (board, turns) not in cache:
        children = [rules.play(board, move) for move in rules.moves(board)]
        children.sort(key=lambda child: child[0].bit_count())  # captures first, to be faster
        cache[board, turns] = any(_loses(rules, child, turns - 1, cache) for child in children)
    return cache[board, turns]


def _loses(rules: Rules, board: Board, turns: int, cache: dict[tuple[Board, int], bool]) -> bool:
    """Return whether the player to move has lost, or loses within `turns` turns of the other side."""
    if outcome := rules.decided(board):
        return outcome < 0
    moves = rules.moves(board)
    if not moves:
        return True
    if turns == 0:
        return False
    children = [rules.play(board, move) for move in moves]
    return all(not rules.decided(child) and _wins(rules, child, turns, cache)
               or rules.decided(child) > 0 for child in children)
