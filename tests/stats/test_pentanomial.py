from math import inf, sqrt

import pytest

from latrones_uci.stats import (
    Pentanomial,
    pair_count,
    pair_draw_ratio,
    pair_elo_estimate,
    pair_mean_score,
    pair_ratio,
    pair_score_interval,
    pair_score_standard_error,
    pair_score_variance,
    pentanomial_of,
    score_interval,
)


def test_pairs_are_counted_by_their_points() -> None:
    assert pentanomial_of([2, 0.5, 1, 1.0, 1.5, 0.5, 0]) == (1, 2, 2, 1, 1)
    assert pentanomial_of([]) == (0, 0, 0, 0, 0)
    assert pair_count((1, 2, 2, 1, 1)) == 7


@pytest.mark.parametrize("score", [0.25, -0.5, 2.5, float("nan")])
def test_impossible_pair_score(score: float) -> None:
    with pytest.raises(ValueError, match=f"pair score {score}"):
        pentanomial_of([1.0, score])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ((0, 0, 0, 0, 0), "no pairs"),
        ((1, 2, -3, 4, 5), r"-3, 4, 5\): negative count"),
        ((1, 2, 3), "3 counts; expected five"),
    ],
)
def test_impossible_counts(pairs: Pentanomial, message: str) -> None:
    for function in (pair_mean_score, pair_score_interval, pair_elo_estimate, pair_ratio, pair_draw_ratio):
        with pytest.raises(ValueError, match=message):
            function(pairs)


def test_moments_by_hand() -> None:
    # One pair each of 0 and 2 points, two of 1: mean 1/2, squares (1/4 + 0 + 0 + 1/4) / 4.
    assert pair_mean_score((1, 0, 2, 0, 1)) == 0.5
    assert pair_score_variance((1, 0, 2, 0, 1)) == 1 / 8
    assert pair_score_standard_error((1, 0, 2, 0, 1)) == pytest.approx(sqrt(1 / 32))


@pytest.mark.parametrize(("wins", "draws", "losses"), [(5, 4, 3), (90, 10, 0), (0, 7, 1), (12, 0, 0), (0, 9, 0)])
def test_interval_of_pairs_with_equal_games_is_that_of_games(wins: int, draws: int, losses: int) -> None:
    # The scores 1/4 and 3/4 were not observed, so the most likely pentanomials do not have them.
    expected = score_interval(wins, draws, losses)
    assert pair_score_interval((losses, 0, draws, 0, wins)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("pairs", [(3, 4, 5, 6, 7), (0, 0, 0, 8, 0), (0, 2, 0, 0, 1), (100, 900, 3000, 1200, 90)])
def test_interval_is_symmetric_and_contains_the_score(pairs: Pentanomial) -> None:
    low, high = pair_score_interval(pairs)
    assert pair_score_interval(pairs[::-1]) == pytest.approx((1 - high, 1 - low))
    assert 0 <= low < pair_mean_score(pairs) < high <= 1


def test_interval_approaches_the_standard_error_in_long_matches() -> None:
    pairs = (1000, 9000, 30000, 12000, 900)
    margin = 1.959964 * pair_score_standard_error(pairs)
    score = pair_mean_score(pairs)
    assert pair_score_interval(pairs) == pytest.approx((score - margin, score + margin), abs=margin / 200)


# The first two from fastchess, app/tests/elo_test.cpp; the others from tables of matches of its users.
@pytest.mark.parametrize(
    ("pairs", "difference", "error_bar"),
    [
        ((34, 54, 63, 64, 75), 55.58, 27.65),
        ((332, 433, 498, 333, 334), -8.64, 10.33),
        ((73, 79, 296, 91, 118), 27.02, 15.81),
        ((40, 67, 295, 123, 54), 25.25, 13.92),
        ((66, 79, 5, 0, 0), -303.61, 30.73),
    ],
)
def test_published_matches(pairs: Pentanomial, difference: float, error_bar: float) -> None:
    estimate = pair_elo_estimate(pairs)
    assert (estimate.difference, estimate.error_bar) == pytest.approx((difference, error_bar), abs=0.006)


def test_all_pairs_won_gives_a_lower_bound() -> None:
    estimate = pair_elo_estimate((0, 0, 0, 0, 100))
    assert (estimate.difference, estimate.error_bar, estimate.upper) == (inf, inf, inf)
    assert estimate.lower == pytest.approx(566.2, abs=0.05)


# From tables of fastchess, as above: PairsRatio and DrawRatio.
@pytest.mark.parametrize(
    ("pairs", "ratio", "draw_percent"), [((40, 67, 295, 123, 54), 1.65, 50.95), ((19, 23, 269, 81, 108), 4.50, 53.8)]
)
def test_published_ratios(pairs: Pentanomial, ratio: float, draw_percent: float) -> None:
    assert pair_ratio(pairs) == pytest.approx(ratio, abs=0.005)
    assert 100 * pair_draw_ratio(pairs) == pytest.approx(draw_percent, abs=0.005)


def test_pair_ratio_without_lost_pairs() -> None:
    assert pair_ratio((0, 0, 4, 1, 0)) == inf
    assert pair_ratio((0, 0, 4, 0, 0)) is None
    assert pair_ratio((1, 0, 4, 0, 0)) == 0
