"""Compare the compiled rules with those in Python."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from latrones_uci.engine.kernels import make_core, wire
from latrones_uci.game import Position, Ruleset
from latrones_uci.game.encoding import Board, Move
from latrones_uci.game.rules import Rules
from latrones_uci.search.evaluation import terms

if TYPE_CHECKING:
    from latrones_uci.native._core import Core

TERMS = ("material", "mobility", "threats", "dux_safety", "bound", "pursuit")


@functools.lru_cache(maxsize=32)
def core_of(ruleset: Ruleset, files: int, ranks: int) -> Core:
    return make_core(ruleset, files, ranks)


def core_for(position: Position) -> Core:
    return core_of(position.ruleset, position.geometry.files, position.geometry.ranks)


def never() -> bool:
    return False


def compare(position: Position) -> None:
    """Check that both implementations agree on a position and on the positions after each of its moves."""
    core, rules, board = core_for(position), position.rules, position.board
    wired = wire(position.geometry, board)
    assert core.decided(wired) == rules.decided(board), position
    moves = [move for move, _ in position.children()]
    found = core.moves(wired)
    assert sorted(found) == sorted(moves), (
        f"{position}: only native {texts(position, set(found) - set(moves))},"
        f" only Python {texts(position, set(moves) - set(found))}"
    )
    expected = terms(rules, board)
    assert core.evaluate(wired) == tuple(getattr(expected, name) for name in TERMS), position
    for move in moves:
        after = rules.play(board, move)
        played, key = core.play(wired, move)
        assert played == wire(position.geometry, after), f"{position}: {position.move_text(move)}"
        assert key == after[5], f"{position}: {position.move_text(move)}"
    if not rules.decided(board):
        tactical = deciding(rules, board, core.tactical_moves(wired))
        assert tactical == deciding(rules, board, rules.tactical_moves(board)), position
        assert tactical == deciding(rules, board, moves), position


def deciding(rules: Rules, board: Board, moves: list[Move]) -> set[Move]:
    """Return the moves that capture or decide the game; no placements, which no kernel searches as captures."""
    if board[8]:
        return set()
    return {move for move in moves
            if (after := rules.play(board, move))[6] == 0 or rules.decided(after)}


def texts(position: Position, moves: set[Move]) -> list[str]:
    return sorted(position.move_text(move) for move in moves)


def compare_counts(position: Position, depth: int) -> None:
    """Compare perft, with the last ply counted in bulk and played."""
    core, wired = core_for(position), wire(position.geometry, position.board)
    for plies in range(depth + 1):
        expected = position.perft(plies)
        for bulk in (True, False):
            assert core.perft(wired, plies, bulk, never) == expected, f"{position}: {plies} plies, bulk {bulk}"
