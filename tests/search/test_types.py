"""Conversion of internal scores."""

from __future__ import annotations

import pytest

from latrones_uci.protocol import Score
from latrones_uci.search.types import WIN, to_score


@pytest.mark.parametrize(
    ("plies", "turns"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (99, 50)]
)
def test_wins_count_turns_of_the_winner(plies: int, turns: int) -> None:
    assert to_score(WIN - plies) == Score(None, turns)


@pytest.mark.parametrize(("plies", "turns"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (100, 50)])
def test_losses_count_turns_of_the_other_side(plies: int, turns: int) -> None:
    assert to_score(plies - WIN) == Score(None, -turns)


@pytest.mark.parametrize("value", [-5000, -1, 0, 37, 20_000])
def test_other_scores_are_centi_soldiers(value: int) -> None:
    assert to_score(value) == Score(value, None)
