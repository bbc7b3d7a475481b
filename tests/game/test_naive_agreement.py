"""Random positions of any size, and random games: moves, captures, positions and results agree with the naive board."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from agreement import compare, compare_game, outcome
from effort import examples
from latrones_uci.game import find_variant
from naive import Board
from strategies import boards, sizes
from symmetry import images


def draw_board(data: st.DataObject, variant: str, longest: int = 16) -> Board:
    return data.draw(boards(naive.GAMES[variant], longest))


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(40)
@given(data=st.data())
def test_any_board(variant: str, data: st.DataObject) -> None:
    compare(naive.GAMES[variant], find_variant(variant), draw_board(data, variant))


@pytest.mark.slow
@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(100)
@given(data=st.data())
def test_many_small_boards(variant: str, data: st.DataObject) -> None:
    compare(naive.GAMES[variant], find_variant(variant), draw_board(data, variant, longest=8))


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(5)
@given(data=st.data())
def test_random_games(variant: str, data: st.DataObject) -> None:
    """From the start, through placement, to the end of the game or close to it."""
    rules = naive.GAMES[variant]
    size, seed = data.draw(sizes(rules, longest=8)), data.draw(st.integers(0, 2**32 - 1))
    compare_game(rules, find_variant(variant), rules.start(*size), Random(seed), plies=100)


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(25)
@given(data=st.data())
def test_symmetries(variant: str, data: st.DataObject) -> None:
    board = draw_board(data, variant)
    position = cases.position(variant, naive.render(board))
    counts, result = position.divide(1), outcome(position.outcome())
    for name, (symmetry, turned) in images(naive.GAMES[variant], board).items():
        image = cases.position(variant, naive.render(turned))
        assert image.divide(1) == {symmetry.move(board, text): count for text, count in counts.items()}, name
        assert image.perft(1) == position.perft(1), name
        assert outcome(image.outcome()) == (result and (symmetry.result(result[0]), result[1])), name


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(20)
@given(data=st.data())
def test_symmetries_at_depth_two(variant: str, data: st.DataObject) -> None:
    board = draw_board(data, variant, longest=8)
    count = cases.position(variant, naive.render(board)).perft(2)
    for name, (_, image) in images(naive.GAMES[variant], board).items():
        assert cases.position(variant, naive.render(image)).perft(2) == count, name


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(50)
@given(data=st.data())
def test_counts_with_every_move_made(variant: str, data: st.DataObject) -> None:
    """`divide` counts in bulk and skips captures where it can; playing every move gives the same counts."""
    board = draw_board(data, variant, longest=5 if naive.GAMES[variant].allows(5, 5) else 6)
    position = cases.position(variant, naive.render(replace(board, nocapture=0)))
    depth = 3 if position.perft(1) <= 20 else 2
    walked = {
        position.move_text(move): sum(
            len(child.play(reply).legal_moves()) if depth == 3 else 1 for reply in child.legal_moves()
        )
        for move in position.legal_moves()
        for child in [position.play(move)]
    }
    assert position.divide(depth) == walked


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical"])
@given(data=st.data())
def test_a_dux_with_a_liberty_can_always_move(variant: str, data: st.DataObject) -> None:
    """A step of the dux leaves an empty square behind it, so there is always a legal move in these variants."""
    result = cases.position(variant, naive.render(draw_board(data, variant))).outcome()
    assert result is None or result.termination.value != "nomove"
