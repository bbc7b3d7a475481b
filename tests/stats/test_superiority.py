from statistics import NormalDist

import pytest

from latrones_uci.stats import (
    Pentanomial,
    game_draw_ratio,
    game_likelihood_of_superiority,
    likelihood_of_superiority,
    pair_score_interval,
)


# Tables of fastchess, which uses the observed standard error: the difference is at most 0.05 percentage points.
@pytest.mark.parametrize(
    ("pairs", "percent"),
    [((332, 433, 498, 333, 334), 5.05), ((73, 79, 296, 91, 118), 99.96), ((40, 67, 295, 123, 54), 99.98)],
)
def test_published_pairs(pairs: Pentanomial, percent: float) -> None:
    assert 100 * likelihood_of_superiority(pairs) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize(("wins", "losses", "draws", "percent"), [(76, 89, 123, 15.53), (136, 96, 111, 99.60)])
def test_published_games(wins: int, losses: int, draws: int, percent: float) -> None:
    assert 100 * game_likelihood_of_superiority(wins, draws, losses) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize(("wins", "draws", "losses"), [(9, 4, 2), (0, 3, 5), (6, 0, 0), (0, 5, 0)])
def test_pairs_with_equal_games_count_like_games(wins: int, draws: int, losses: int) -> None:
    expected = game_likelihood_of_superiority(wins, draws, losses)
    assert likelihood_of_superiority((losses, 0, draws, 0, wins)) == pytest.approx(expected)


def test_likelihood_agrees_with_the_interval_of_the_score() -> None:
    pairs = (11, 30, 51, 44, 13)
    likelihood = likelihood_of_superiority(pairs)
    assert pair_score_interval(pairs, 2 * likelihood - 1)[0] == pytest.approx(0.5, abs=1e-9)
    assert likelihood_of_superiority(pairs[::-1]) == pytest.approx(1 - likelihood)


def test_single_pair() -> None:
    assert likelihood_of_superiority((0, 0, 0, 0, 1)) == pytest.approx(NormalDist().cdf(1.0))
    assert likelihood_of_superiority((0, 0, 1, 0, 0)) == 0.5


def test_draw_ratio() -> None:
    assert game_draw_ratio(1, 3, 2) == 0.5


def test_no_games() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        likelihood_of_superiority((0, 0, 0, 0, 0))
    for function in (game_likelihood_of_superiority, game_draw_ratio):
        with pytest.raises(ValueError, match="no games"):
            function(0, 0, 0)
