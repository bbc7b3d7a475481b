from math import inf

import pytest

from latrones_uci.stats import elo_estimate, elo_from_score, score_from_elo


@pytest.mark.parametrize(
    ("score", "difference"), [(0.5, 0.0), (0.75, 190.848), (10 / 11, 400.0), (1 / 11, -400.0), (1.0, inf), (0.0, -inf)]
)
def test_logistic_curve(score: float, difference: float) -> None:
    assert elo_from_score(score) == pytest.approx(difference, abs=1e-3)
    assert score_from_elo(difference) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("difference", [-1e6, 1e6])
def test_huge_differences_do_not_overflow(difference: float) -> None:
    assert score_from_elo(difference) == (1.0 if difference > 0 else 0.0)


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan")])
def test_impossible_score(score: float) -> None:
    with pytest.raises(ValueError, match="score"):
        elo_from_score(score)


# Published tables of cutechess. Its normal quantile is approximate, which changes the error bar by up to 0.3%.
@pytest.mark.parametrize(
    ("wins", "draws", "losses", "difference", "error_bar"), [(99, 104, 97, 2.3, 31.8), (45, 18, 37, 27.9, 62.4)]
)
def test_published_matches(wins: int, draws: int, losses: int, difference: float, error_bar: float) -> None:
    estimate = elo_estimate(wins, draws, losses)
    assert estimate.difference == pytest.approx(difference, abs=0.05)
    assert estimate.error_bar == pytest.approx(error_bar, rel=3e-3)


def test_all_games_won_gives_a_lower_bound() -> None:
    estimate = elo_estimate(100, 0, 0)
    assert (estimate.difference, estimate.error_bar, estimate.upper) == (inf, inf, inf)
    assert estimate.lower == pytest.approx(566.2, abs=0.05)


def test_all_games_lost_gives_an_upper_bound() -> None:
    estimate = elo_estimate(0, 0, 100)
    assert (estimate.difference, estimate.error_bar, estimate.lower) == (-inf, inf, -inf)
    assert estimate.upper == pytest.approx(-566.2, abs=0.05)


def test_all_games_drawn_gives_an_interval() -> None:
    estimate = elo_estimate(0, 100, 0)
    assert estimate.difference == 0
    assert estimate.error_bar == pytest.approx(12.86, abs=0.005)
    assert (estimate.lower, estimate.upper) == pytest.approx((-12.86, 12.86), abs=0.005)


def test_few_games_give_bounds_without_an_error_bar() -> None:
    estimate = elo_estimate(3, 1, 0)
    assert estimate.difference == pytest.approx(338.04, abs=0.01)
    assert estimate.error_bar == inf
    assert -inf < estimate.lower < 0 < estimate.upper < inf


def test_no_games() -> None:
    with pytest.raises(ValueError, match="no games"):
        elo_estimate(0, 0, 0)
