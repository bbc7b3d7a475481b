"""With selectivity off the score is the plain minimax value."""

from __future__ import annotations

import pytest

from cases import VARIANTS
from latrones_uci.game import Game
from latrones_uci.search.scores import WIN, to_score
from search_help.driver import search
from search_help.minimax import Minimax
from search_help.positions import random_positions


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_random_positions_at_depth_3(variant: str) -> None:
    count = 200 if variant in ("latrones", "latrunculi-classical") else 80
    for position in random_positions(variant, count, seed=1):
        value = Minimax(position.rules).value(position.board, 3)
        assert search(Game(position), selective=False, depth=3).last.score == to_score(value), position


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("depth", [1, 2])
def test_random_positions_at_lower_depths(variant: str, depth: int) -> None:
    for position in random_positions(variant, 30, seed=2):
        value = Minimax(position.rules).value(position.board, depth)
        assert search(Game(position), selective=False, depth=depth).last.score == to_score(value), position


@pytest.mark.parametrize("variant", VARIANTS)
def test_several_lines_are_the_best_moves_in_order(variant: str) -> None:
    for position in random_positions(variant, 10, seed=3):
        rules, minimax = position.rules, Minimax(position.rules)
        values = []
        for move in position.legal_moves():
            child = rules.play(position.board, move)
            outcome = rules.decided(child)
            sign = 1 if child[4] == position.side else -1
            values.append(sign * (outcome * (WIN - 1) if outcome else minimax.value(child, 1, 1)))
        best = sorted(values, reverse=True)[:3]
        lines = search(Game(position), selective=False, depth=2, multipv=3).infos[-len(best):]
        assert [line.score for line in lines] == [to_score(value) for value in best], position
        assert [line.multipv for line in lines] == list(range(1, len(best) + 1))
        assert len({line.pv[0] for line in lines}) == len(best)
