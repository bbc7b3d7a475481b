"""Lead changes, drama and killer moves of games that are added up by hand."""

from __future__ import annotations

import pytest

from latrones_uci.stats.drama import drama, killer_move, lead_changes, leads

# White expects 0.5, 0.75, 0.25; Black, in between, that White has 0.5, 0.5.
ESTIMATES = [(0, 0.5), (1, 0.5), (0, 0.75), (1, 0.5), (0, 0.25)]


def test_a_lead_is_the_mean_of_two_estimates() -> None:
    assert leads(ESTIMATES) == [0, 0.25, 0.25, -0.25]
    assert leads(ESTIMATES[:1]) == leads([]) == []


@pytest.mark.parametrize(("given", "changes"), [
    ([], 0), ([0.5], 0), ([0.5, -0.5], 1), ([0.5, 0.0, -0.5, 0.0, 0.5], 2),
    ([0.5, -0.1, 0.5], 0),  # too small a lead to be one
    ([0.0, 0.1, -0.1], 0), ([-0.12, 0.12], 1),
])
def test_lead_changes(given: list[float], changes: int) -> None:
    assert lead_changes(given) == changes


@pytest.mark.parametrize(("given", "winner", "expected"), [
    ([0.2, 0.9, 1.0], 0, (0, 0)),  # never behind
    ([-0.25, -0.25, 0.5, 1.0], 0, (0.5, 0.5)),
    ([-0.25, -0.25, 0.5, 1.0], 1, ((0.5**0.5 + 1) / 2, 0.5)),
    ([-0.01, -0.49, -0.25, 0.0], 0, (pytest.approx((0.1 + 0.7 + 0.5) / 3), 0.75)),
    ([], 1, (0, 0)),
])
def test_drama(given: list[float], winner: int, expected: tuple[float, float]) -> None:
    assert drama(given, winner) == expected


def test_the_killer_move_is_judged_by_the_opponent() -> None:
    # White's chance falls from 0.75 to 0.25, after Black's move with the index 3.
    assert killer_move(ESTIMATES) == (0.5, 3)
    # For Black it falls from 0.9 to 0.3. What White thinks of its own move does not count.
    assert killer_move([(1, 0.1), (0, 0.1), (1, 0.7)]) == (pytest.approx(0.6), 1)
    assert killer_move([(0, 0.1), (1, 0.9), (0, 0.5)]) == (0, 0)  # only gains
    assert killer_move([]) == (0, 0)


def test_two_plies_in_a_row_are_no_killer_move() -> None:
    """A player places two soldiers in a turn, and thinks less of the position after the first one."""
    assert killer_move([(0, 0.5), (0, 0.2)]) == (0, 0)
    assert killer_move([(0, 0.5), (0, 0.2), (1, 0.3), (1, 0.35), (0, 0.1)]) == (pytest.approx(0.1), 3)
