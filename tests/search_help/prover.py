"""Proof of forced wins by trying everything, with the rules and nothing of the search."""

from __future__ import annotations

from latrones_uci.game import Position
from latrones_uci.game.rules import Board, Rules


def shortest_win(position: Position, most: int) -> int | None:
    """In how many own turns the player to move can force a win, up to `most`; None if it cannot."""
    for turns in range(1, most + 1):
        if _wins(position.rules, position.board, turns, {}):
            return turns
    return None


def winning_moves(position: Position, turns: int) -> set[str]:
    """The moves, as text, after which the player to move wins in at most so many turns, this one counted."""
    rules, known = position.rules, {}  # type: ignore[var-annotated]
    return {position.move_text(move) for move in position.legal_moves()
            if _loses(rules, rules.play(position.board, move), turns - 1, known)}


def _wins(rules: Rules, board: Board, turns: int, known: dict[tuple[Board, int], bool]) -> bool:
    """Whether the player to move of an undecided board forces a win in at most so many turns."""
    if (board, turns) not in known:
        children = [rules.play(board, move) for move in rules.moves(board)]
        children.sort(key=lambda child: child[0].bit_count())  # captures first: a matter of time only
        known[board, turns] = any(_loses(rules, child, turns - 1, known) for child in children)
    return known[board, turns]


def _loses(rules: Rules, board: Board, turns: int, known: dict[tuple[Board, int], bool]) -> bool:
    """Whether the player to move has lost, or loses to the other's best play in at most so many of its turns."""
    if outcome := rules.decided(board):
        return outcome < 0
    moves = rules.moves(board)
    if not moves:
        return True
    if turns == 0:
        return False
    children = [rules.play(board, move) for move in moves]
    return all(not rules.decided(child) and _wins(rules, child, turns, known)
               or rules.decided(child) > 0 for child in children)
