"""Compare the kernel in Python with the naive board, and the compiled kernel with the one in Python."""

from __future__ import annotations

import functools
from dataclasses import replace
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import pytest

import naive
from latrones_uci.engine.kernels import NativeKernel, make_core, wire
from latrones_uci.engine.python.evaluation import terms
from latrones_uci.game import Game, IllegalMoveError, Move, Outcome, PackedMove, Position, Ruleset
from latrones_uci.game.encoding import MAX_CHAINS
from latrones_uci.game.encoding import Board as PackedBoard
from latrones_uci.game.rules import Rules
from naive import Board

if TYPE_CHECKING:
    from latrones_uci.engine.native._core import Core

_MOST_PLAYED = 100  # moves of a position: each of thousands of chains would take as long as listing all of them
TERMS = ("material", "mobility", "threats", "dux_safety", "bound", "pursuit")


def never() -> bool:
    return False


def perft(backend: str, position: Position, depth: int) -> int | None:
    """Return the count of a kernel, ``python`` or ``native``."""
    return position.perft(depth) if backend == "python" else native_kernel().perft(position, depth, never)


@functools.cache
def native_kernel() -> NativeKernel:
    return NativeKernel(1)


def compare(backend: str, rules: naive.Game, ruleset: Ruleset, board: Board) -> None:
    """Compare a kernel with the one that it is tested against."""
    if backend == "python":
        compare_with_naive(rules, ruleset, board)
        return
    position = Position.from_fen(ruleset, naive.render(board))
    compare_kernels(position)
    leaves = position.perft(1)
    compare_counts(position, 3 if leaves <= 8 else 2 if leaves <= 60 else 1)


# ---------------------------------------------------------------- the naive board


def outcome(result: Outcome | None) -> tuple[str, str] | None:
    return result and (result.name, result.termination.value)


def compare_with_naive(rules: naive.Game, ruleset: Ruleset, board: Board) -> None:
    """Check that moves, captures, every position after a move, and the result are those of the naive board."""
    fen = naive.render(board)
    position = Position.from_fen(ruleset, fen)
    assert position.fen() == fen
    assert position.hand == (board.hand or {})
    expected = rules.moves(board)
    moves = {str(move): move for move in position.legal_moves()}
    if len(expected) > MAX_CHAINS:  # the naive game has no limit: the longest chains are left out
        longest = max(map(_squares, moves))
        assert sum(_squares(text) <= longest + 1 for text in expected) > MAX_CHAINS, fen
        expected = {text: after for text, after in expected.items() if _squares(text) <= longest}
    assert sorted(moves) == list(expected), fen
    played = dict(islice(moves.items(), 0, None, 1 + len(moves) // _MOST_PLAYED))
    compare_single_moves(Position.from_fen(ruleset, fen), moves, played)
    for text, move in played.items():
        captured = [position.geometry.square_name(square) for square in position.captures(move)]
        assert sorted(captured) == sorted(map(naive.square_name, rules.lifted(board, text))), f"{fen}: {text}"
        after = position.play(move)
        assert after.fen() == naive.render(expected[text]), f"{fen}: {text}"
        assert after.board == Position.from_fen(ruleset, after.fen()).board, f"{fen}: {text}"
    assert outcome(position.outcome()) == rules.result(board), fen


def compare_single_moves(position: Position, moves: dict[str, Move], parsed: dict[str, Move]) -> None:
    """Check that a position that has not generated its moves knows which are legal; ``parsed`` are some of them."""
    assert all(position.parse_move(text) == move for text, move in parsed.items()), position.fen()
    if moves:
        origins = sorted({move.packed & 255 for move in moves.values()})
        landings = {move.packed >> 8 & 255 for move in moves.values()}
        pairs = {origin | to << 8 for origin in origins[:: -(-len(origins) // 3)] for to in landings}
        legal = {move for move in pairs if position.rules.is_legal(position.board, move)}
        assert legal == pairs & {move.packed for move in moves.values()}, position.fen()
        assert position.rules.can_move(position.board), position.fen()


def compare_game(rules: naive.Game, ruleset: Ruleset, start: Board, chance: Random, plies: int) -> None:
    """Check a random game, which prefers captures so that it makes progress."""
    game, boards, played = Game(Position.from_fen(ruleset, naive.render(start))), [start], list[str]()
    for _ in range(plies):
        position, board = game.position, boards[-1]
        line = " ".join(game.moves)
        assert position.fen() == naive.render(board), line
        assert outcome(game.outcome()) == rules.game_result(boards, played), f"{position.fen()} after {line}"
        if game.outcome():
            break
        moves = rules.moves(board, rules.past_of(boards, played))
        assert sorted(game.legal_moves()) == list(moves), position.fen()
        captures = [text for text in moves if len(moves[text].pieces) < len(board.pieces)]
        text = chance.choice(captures or list(moves))
        fresh = replace(position)  # has not generated its moves
        assert [fresh.parse_move(str(move)) for move in game.legal_moves()] == game.legal_moves()
        for repeating in rules.moves(board).keys() - moves.keys():
            with pytest.raises(IllegalMoveError):
                fresh.parse_move(repeating)
        game.push(position.parse_move(text))
        boards.append(moves[text])
        played.append(text)


# ---------------------------------------------------------------- the kernels


@functools.lru_cache(maxsize=32)
def core_of(ruleset: Ruleset, files: int, ranks: int) -> Core:
    return make_core(ruleset, files, ranks)


def core_for(position: Position) -> Core:
    return core_of(position.ruleset, position.geometry.files, position.geometry.ranks)


def compare_kernels(position: Position) -> None:
    """Check that both kernels agree on a position and on the positions after each of its moves."""
    core, rules, board = core_for(position), position.rules, position.board
    wired = wire(position.geometry, board)
    assert core.decided(wired) == rules.decided(board), position
    moves = [move.packed for move, _ in position.children()]
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
        assert played == wire(position.geometry, after), f"{position}: {position.named_move(move)}"
        assert key == after[5], f"{position}: {position.named_move(move)}"
    if not rules.decided(board):
        tactical = deciding(rules, board, core.tactical_moves(wired))
        assert tactical == deciding(rules, board, rules.tactical_moves(board)), position
        assert tactical == deciding(rules, board, moves), position


def deciding(rules: Rules, board: PackedBoard, moves: list[PackedMove]) -> set[PackedMove]:
    """Return the moves that capture or decide the game; no placements, which no kernel searches as captures."""
    if board[8]:
        return set()
    return {move for move in moves
            if (after := rules.play(board, move))[6] == 0 or rules.decided(after)}


def texts(position: Position, moves: set[PackedMove]) -> list[str]:
    return sorted(position.named_move(move) for move in moves)


def compare_counts(position: Position, depth: int) -> None:
    """Compare perft, with the last ply counted in bulk and played."""
    core, wired = core_for(position), wire(position.geometry, position.board)
    for plies in range(depth + 1):
        expected = position.perft(plies)
        for bulk in (True, False):
            assert core.perft(wired, plies, bulk, never) == expected, f"{position}: {plies} plies, bulk {bulk}"


def _squares(text: str) -> int:
    """Return the number of squares of a move in text."""
    return sum(map(str.isalpha, text))
