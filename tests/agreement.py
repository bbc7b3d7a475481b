"""Compare a position or a whole game with the naive board."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import naive
from latrones_uci.game import Game, IllegalMoveError, Move, Outcome, Position, Ruleset
from naive import Board


def outcome(result: Outcome | None) -> tuple[str, str] | None:
    return result and (result.name, result.termination.value)


def compare(rules: naive.Game, ruleset: Ruleset, board: Board) -> None:
    """Check that moves, captures, every position after a move, and the result are those of the naive board."""
    fen = naive.render(board)
    position = Position.from_fen(ruleset, fen)
    assert position.fen() == fen
    assert position.hand == (board.hand or {})
    expected = rules.moves(board)
    moves = {position.move_text(move): move for move in position.legal_moves()}
    assert sorted(moves) == list(expected), fen
    compare_single_moves(Position.from_fen(ruleset, fen), moves)
    for text, move in moves.items():
        captured = [position.geometry.square_name(square) for square in position.captures(move)]
        assert sorted(captured) == sorted(map(naive.square_name, rules.lifted(board, text))), f"{fen}: {text}"
        after = position.play(move)
        assert after.fen() == naive.render(expected[text]), f"{fen}: {text}"
        assert after.board == Position.from_fen(ruleset, after.fen()).board, f"{fen}: {text}"
    assert outcome(position.outcome()) == rules.result(board), fen


def compare_single_moves(position: Position, moves: dict[str, Move]) -> None:
    """Check that a position that has not generated its moves knows which ones are legal."""
    assert all(position.parse_move(text) == move for text, move in moves.items()), position.fen()
    if moves:
        origins = sorted({move & 255 for move in moves.values()})
        landings = {move >> 8 & 255 for move in moves.values()}
        pairs = {origin | to << 8 for origin in origins[:: -(-len(origins) // 3)] for to in landings}
        legal = {move for move in pairs if position.rules.is_legal(position.board, move)}
        assert legal == pairs & set(moves.values()), position.fen()
        assert position.rules.can_move(position.board), position.fen()


def compare_game(rules: naive.Game, ruleset: Ruleset, start: Board, chance: Random, plies: int) -> None:
    """Check a random game, which prefers captures so that it makes progress."""
    game, boards, played = Game(Position.from_fen(ruleset, naive.render(start))), [start], list[str]()
    for _ in range(plies):
        position, board = game.position, boards[-1]
        line = " ".join(p.move_text(m) for p, m in zip(game.positions, game.moves, strict=False))
        assert position.fen() == naive.render(board), line
        assert outcome(game.outcome()) == rules.game_result(boards, played), f"{position.fen()} after {line}"
        if game.outcome():
            break
        moves = rules.moves(board, rules.past_of(boards, played))
        assert sorted(map(position.move_text, game.legal_moves())) == list(moves), position.fen()
        captures = [text for text in moves if len(moves[text].pieces) < len(board.pieces)]
        text = chance.choice(captures or list(moves))
        fresh = replace(position)  # has not generated its moves
        assert [fresh.parse_move(str(move)) for move in game.legal_moves()] == game.legal_moves()
        for repeating in rules.moves(board).keys() - moves.keys():
            with pytest.raises(IllegalMoveError):
                fresh.parse_move(repeating)
        game.play(position.parse_move(text))
        boards.append(moves[text])
        played.append(text)
