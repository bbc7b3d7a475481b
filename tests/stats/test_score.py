from math import comb, sqrt

import pytest

from latrones_uci.stats import mean_score, score_interval, score_standard_error

Z = 1.959963984540054


def wilson(successes: int, trials: int) -> tuple[float, float]:
    share = successes / trials
    middle = (share + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def test_a_draw_is_half_a_win() -> None:
    assert mean_score(3, 2, 5) == 0.4


def test_standard_error_by_hand() -> None:
    # One win, one draw, one loss: variance (1/4 + 0 + 1/4) / 3, over three games.
    assert score_standard_error(1, 1, 1) == pytest.approx(sqrt(1 / 18))


@pytest.mark.parametrize(("wins", "losses"), [(7, 3), (50, 50), (10, 0), (0, 10), (1, 0), (99, 1), (800, 200)])
def test_interval_without_draws_is_wilsons(wins: int, losses: int) -> None:
    assert score_interval(wins, 0, losses) == pytest.approx(wilson(wins, wins + losses), abs=1e-12)


def test_interval_of_a_published_trinomial() -> None:
    # Bentur et al. 2009 (1 against 7 discordant of 21 pairs), Tango's interval of the difference as published in
    # M. Fagerland, S. Lydersen, P. Laake, Statistical Analysis of Contingency Tables (2017), chapter 8.
    low, high = score_interval(1, 13, 7)
    assert (2 * low - 1, 2 * high - 1) == pytest.approx((-0.517, -0.026), abs=5e-4)


def test_all_games_won_gives_an_interval() -> None:
    low, high = score_interval(100, 0, 0)
    assert (low, high) == pytest.approx((100 / (100 + Z**2), 1.0))


def test_all_games_drawn_gives_an_interval() -> None:
    low, high = score_interval(0, 100, 0)
    assert low == pytest.approx(0.5 / (1 + Z**2 / 100))
    assert low + high == pytest.approx(1.0)


@pytest.mark.parametrize("counts", [(3, 4, 5), (0, 7, 1), (9, 0, 2), (40, 10, 3)])
def test_interval_is_symmetric(counts: tuple[int, int, int]) -> None:
    wins, draws, losses = counts
    low, high = score_interval(wins, draws, losses)
    assert score_interval(losses, draws, wins) == pytest.approx((1 - high, 1 - low))
    assert low < mean_score(wins, draws, losses) < high


@pytest.mark.long
def test_coverage_of_the_interval() -> None:
    # Exact: all outcomes of 30 games with 30% wins, 50% draws and 20% losses.
    games, win, draw, loss = 30, 0.3, 0.5, 0.2
    covered = 0.0
    for wins in range(games + 1):
        for losses in range(games + 1 - wins):
            draws = games - wins - losses
            low, high = score_interval(wins, draws, losses)
            if low <= win + draw / 2 <= high:
                covered += comb(games, wins) * comb(games - wins, losses) * win**wins * draw**draws * loss**losses
    assert 0.94 < covered < 0.965


def test_interval_grows_with_the_confidence() -> None:
    assert score_interval(6, 3, 1, 0.99)[0] < score_interval(6, 3, 1, 0.95)[0] < score_interval(6, 3, 1, 0.5)[0]


@pytest.mark.parametrize("counts", [(0, 0, 0), (-1, 2, 3), (1, -1, 0), (1, 1, -1)])
def test_impossible_counts(counts: tuple[int, int, int]) -> None:
    for function in (mean_score, score_standard_error, score_interval):
        with pytest.raises(ValueError, match="no games|negative count"):
            function(*counts)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, float("nan")])
def test_impossible_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        score_interval(1, 1, 1, confidence)
