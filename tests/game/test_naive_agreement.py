"""Random boards of any size: moves, captures, positions and results are the naive board's."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
import naive
from latrones_uci.game import Game, Position, find_variant
from naive import Board
from strategies import boards
from symmetry import SYMMETRIES


def compare(variant: str, position: Position, board: Board) -> None:
    rules = naive.GAMES[variant]
    expected = rules.moves(board)
    moves = {position.move_text(move): move for move in position.legal_moves()}
    assert sorted(moves) == list(expected)
    for text, move in moves.items():
        captured = [position.geometry.square_name(square) for square in position.captures(move)]
        assert sorted(captured) == sorted(map(naive.square_name, rules.lifted(board, text))), text
        after = position.play(move)
        assert after.fen() == naive.render(expected[text]), text
        assert after == cases.position(variant, after.fen()), text
    result = position.result()
    assert (result and (result.name, result.reason)) == rules.result(board)


@pytest.mark.parametrize("variant", cases.VARIANTS)
@settings(max_examples=300)
@given(board=boards())
def test_any_board(variant: str, board: Board) -> None:
    compare(variant, cases.position(variant, naive.render(board)), board)


@pytest.mark.slow
@pytest.mark.parametrize("variant", cases.VARIANTS)
@settings(max_examples=3_000)
@given(board=boards(longest=9))
def test_many_small_boards(variant: str, board: Board) -> None:
    compare(variant, cases.position(variant, naive.render(board)), board)


@pytest.mark.parametrize("variant", cases.VARIANTS)
@settings(max_examples=20)
@given(size=st.tuples(st.integers(4, 9), st.integers(4, 9)), random=st.randoms(use_true_random=False))
def test_random_games(variant: str, size: tuple[int, int], random: st.DataObject) -> None:
    """From the start, through `Game`, captures sought so that the game gets somewhere."""
    rules = naive.GAMES[variant]
    game, boards = Game(Position.start(find_variant(variant), size)), [rules.start(*size)]
    for _ in range(40):
        position, board = game.position, boards[-1]
        assert position.fen() == naive.render(board)
        result = game.result()
        assert (result and (result.name, result.reason)) == rules.game_result(boards)
        if result:
            break
        moves = rules.moves(board)
        assert sorted(map(position.move_text, game.legal_moves())) == list(moves)
        captures = [text for text in moves if len(moves[text].pieces) < len(board.pieces)]
        text = random.choice(captures or list(moves))
        game.play(position.parse_move(text))
        boards.append(moves[text])


@pytest.mark.parametrize("variant", cases.VARIANTS)
@pytest.mark.parametrize("name", SYMMETRIES)
@given(board=boards())
def test_symmetries(variant: str, name: str, board: Board) -> None:
    symmetry = SYMMETRIES[name]
    position = cases.position(variant, naive.render(board))
    image = cases.position(variant, naive.render(symmetry.board(board)))
    moves = {symmetry.move(board, text): count for text, count in position.divide(1).items()}
    assert image.divide(1) == moves
    assert image.perft(1) == position.perft(1)
    result, mirrored = position.result(), image.result()
    if result is None or mirrored is None:
        assert result is mirrored
    else:
        assert (mirrored.name, mirrored.reason) == (symmetry.result(result.name), result.reason)


@pytest.mark.parametrize("variant", cases.VARIANTS)
@settings(max_examples=500)
@given(board=boards(longest=5))
def test_counts_with_every_move_made(variant: str, board: Board) -> None:
    """`divide` may count in bulk and skip what it knows not to capture; the moves themselves say the same."""
    position = cases.position(variant, naive.render(replace(board, nocapture=0)))
    walked = {
        position.move_text(move): sum(len(child.play(reply).legal_moves()) for reply in child.legal_moves())
        for move in position.legal_moves()
        for child in [position.play(move)]
    }
    assert position.divide(3) == walked


@pytest.mark.parametrize("variant", cases.VARIANTS)
@settings(max_examples=30)
@given(board=boards(longest=8))
def test_symmetries_at_depth_two(variant: str, board: Board) -> None:
    count = cases.position(variant, naive.render(board)).perft(2)
    for name, symmetry in SYMMETRIES.items():
        assert cases.position(variant, naive.render(symmetry.board(board))).perft(2) == count, name


@pytest.mark.parametrize("variant", cases.VARIANTS)
@given(board=boards())
def test_a_dux_that_is_free_can_always_move(variant: str, board: Board) -> None:
    """One step of the dux leaves the square behind it empty, so in these games nobody is ever without a move."""
    result = cases.position(variant, naive.render(board)).result()
    assert result is None or result.reason != "nomove"
