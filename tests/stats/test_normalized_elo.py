from math import comb, inf, log, sqrt

import pytest

from latrones_uci.stats import (
    Pentanomial,
    game_normalized_elo_estimate,
    normalized_elo_estimate,
    pair_score_interval,
    score_interval,
)

UNIT = 800 / log(10)


# From fastchess, app/tests/elo_test.cpp; the last two from tables of matches of its users.
@pytest.mark.parametrize(
    ("pairs", "difference", "error_bar"),
    [
        ((34, 54, 63, 64, 75), 57.94, 28.28),
        ((332, 433, 498, 333, 334), -9.17, 10.96),
        ((7895, 8757, 5685, 568, 9999), -19.01, 2.65),
        ((40, 67, 295, 123, 54), 36.44, 20.01),
        ((66, 79, 5, 0, 0), -622.74, 39.32),
    ],
)
def test_published_pairs(pairs: Pentanomial, difference: float, error_bar: float) -> None:
    estimate = normalized_elo_estimate(pairs)
    assert (estimate.difference, estimate.error_bar) == pytest.approx((difference, error_bar), abs=0.006)


# From the same file: wins, losses and draws of unpaired games.
@pytest.mark.parametrize(
    ("wins", "losses", "draws", "difference", "error_bar"),
    [(76, 89, 123, -20.76, 40.13), (136, 96, 111, 49.77, 36.77), (34, 356, 0, -508.44, 34.48)],
)
def test_published_games(wins: int, losses: int, draws: int, difference: float, error_bar: float) -> None:
    estimate = game_normalized_elo_estimate(wins, draws, losses)
    assert (estimate.difference, estimate.error_bar) == pytest.approx((difference, error_bar), abs=0.006)


@pytest.mark.parametrize(("wins", "losses"), [(7, 3), (34, 356), (1, 1), (99, 1)])
def test_interval_without_draws_is_wilsons(wins: int, losses: int) -> None:
    low, high = score_interval(wins, 0, losses)
    expected = [UNIT * (end - 0.5) / sqrt(end * (1 - end)) for end in (low, high)]
    games = game_normalized_elo_estimate(wins, 0, losses)
    assert [games.lower, games.upper] == pytest.approx(expected, rel=1e-6)
    # The same number of pairs with 0 or 2 points has twice the games for the same t-value.
    pairs = normalized_elo_estimate((losses, 0, 0, 0, wins))
    assert [sqrt(2) * pairs.lower, sqrt(2) * pairs.upper] == pytest.approx(expected, rel=1e-6)


def test_interval_of_almost_equal_players_is_the_error_bar() -> None:
    estimate = normalized_elo_estimate((1000, 9000, 30000, 9100, 1000))
    margins = (estimate.difference - estimate.lower, estimate.upper - estimate.difference)
    assert margins == pytest.approx((estimate.error_bar, estimate.error_bar), rel=1e-3)


@pytest.mark.parametrize(
    "pairs", [(3, 4, 5, 6, 7), (0, 1, 2, 30, 40), (0, 2, 0, 0, 1), (1, 0, 500, 0, 0), (0, 2, 5, 795, 2)]
)
def test_interval_is_symmetric_and_agrees_with_that_of_the_score(pairs: Pentanomial) -> None:
    estimate, reversed_estimate = normalized_elo_estimate(pairs), normalized_elo_estimate(pairs[::-1])
    assert (reversed_estimate.difference, reversed_estimate.lower, reversed_estimate.upper) == pytest.approx(
        (-estimate.difference, -estimate.upper, -estimate.lower), rel=1e-6
    )
    assert estimate.lower < estimate.difference < estimate.upper
    low, high = pair_score_interval(pairs)
    assert (estimate.lower > 0, estimate.upper < 0) == (low > 0.5, high < 0.5)


@pytest.mark.long
def test_coverage_of_the_interval_at_a_large_difference() -> None:
    # Exact: all outcomes of 14 games with 70% wins, 20% draws and 10% losses.
    games, win, draw, loss = 14, 0.7, 0.2, 0.1
    truth = UNIT * (win + draw / 2 - 0.5) / sqrt(win + draw / 4 - (win + draw / 2) ** 2)
    covered = 0.0
    for wins in range(games + 1):
        for draws in range(games + 1 - wins):
            losses = games - wins - draws
            estimate = game_normalized_elo_estimate(wins, draws, losses)
            if estimate.lower <= truth <= estimate.upper:
                covered += comb(games, wins) * comb(games - wins, draws) * win**wins * draw**draws * loss**losses
    assert 0.94 < covered < 0.98


def test_equal_pairs_give_an_interval() -> None:
    won = normalized_elo_estimate((0, 0, 0, 0, 100))
    assert (won.difference, won.error_bar, won.upper) == (inf, inf, inf)
    assert 0 < won.lower < inf
    even = normalized_elo_estimate((0, 0, 100, 0, 0))
    assert even.difference == 0
    assert -inf < even.lower < 0 < even.upper < inf


def test_impossible_counts() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        normalized_elo_estimate((0, 0, 0, 0, 0))
    for counts in ((0, 0, 0), (1, -1, 3)):
        with pytest.raises(ValueError, match="no games|negative count"):
            game_normalized_elo_estimate(*counts)
