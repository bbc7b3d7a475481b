"""How a test will end, compared with all of its possible courses; ``scripts/simulate.py gate`` compares longer ones."""

from math import log

import pytest

from latrones_uci.stats import EloModel, Pentanomial, Sprt, Verdict, is_below_h0, sprt_verdict
from latrones_uci.stats.sprt import most_likely_under
from latrones_uci.stats.sprt_forecast import SprtForecast, forecast_rest, forecast_sprt, independent_pairs

UNIT = 800 / log(10)
EQUAL = independent_pairs(0.2, 0.6, 0.2)
HALVES = (0.0, 0.5, 0.0, 0.5, 0.0)  # one of the two games of every pair is drawn


def chances_of(found: SprtForecast) -> tuple[float, float, float, float]:
    return found.accept_h0, found.accept_h1, found.below_h0, found.no_verdict


def all_courses(
    test: Sprt, won: float, most_pairs: int, lost_before: int = 0, won_before: int = 0
) -> tuple[tuple[float, float, float, float], float]:
    """Return how a test ends whose pairs have one and a half points with a probability, else half a point.

    The probabilities of H0, H1, no verdict but an interval below H0, and else; and the mean number of pairs, after
    those played before.
    """
    paths, ended, mean = {won_before: 1.0}, dict.fromkeys(Verdict, 0.0), 0.0
    for pairs in range(lost_before + won_before + 1, most_pairs + 1):
        mean += sum(paths.values())
        reached: dict[int, float] = {}
        for wins, chance in paths.items():
            reached[wins] = reached.get(wins, 0.0) + chance * (1 - won)
            reached[wins + 1] = chance * won
        verdicts = {wins: sprt_verdict(test, (0, pairs - wins, 0, wins, 0)) for wins in reached}
        for wins, verdict in verdicts.items():
            if verdict is not Verdict.CONTINUE:
                ended[verdict] += reached.pop(wins)
        paths = reached
    below = sum(chance for wins, chance in paths.items() if is_below_h0(test, (0, most_pairs - wins, 0, wins, 0)))
    left = sum(paths.values()) - below
    return (ended[Verdict.ACCEPT_H0], ended[Verdict.ACCEPT_H1], below, left), mean


@pytest.mark.slow
@pytest.mark.parametrize(("model", "error", "elo", "most_pairs"), [
    ("normalized", 0.2, -30, 60),
    ("normalized", 0.1, -15, 40),
    ("normalized", 0.2, 20, 40),
    ("logistic", 0.1, -30, 100),
    ("logistic", 0.1, 15, 100),
])
def test_all_courses_of_a_test(model: EloModel, error: float, elo: float, most_pairs: int) -> None:
    test = Sprt(-30, 0, alpha=error, beta=error, model=model)
    won = most_likely_under(model, elo, HALVES, games_per_trial=2)[3]
    chances, mean = all_courses(test, won, most_pairs)
    found = forecast_sprt(test, elo, HALVES, most_pairs)
    assert chances_of(found) == pytest.approx(chances, abs=0.02)
    assert found.mean_pairs == pytest.approx(mean, rel=0.01)


@pytest.mark.parametrize(("lost", "won", "most_pairs"), [(20, 12, 80), (18, 20, 80), (15, 20, 60)])
def test_all_courses_of_the_rest_of_a_test(lost: int, won: int, most_pairs: int) -> None:
    test, pairs = Sprt(-30, 0, alpha=0.2, beta=0.2), (0, lost, 0, won, 0)
    chances, mean = all_courses(test, won / (lost + won), most_pairs, lost, won)
    found = forecast_rest(test, pairs, most_pairs)
    assert found is not None
    assert chances_of(found) == pytest.approx(chances, abs=0.04)
    assert found.mean_pairs == pytest.approx(mean, rel=0.04)


@pytest.mark.parametrize(("pairs", "most_pairs"), [
    ((0, 0, 0, 0, 0), 80), ((0, 1, 0, 1, 0), 80), ((0, 18, 0, 20, 0), 38), ((0, 90, 0, 12, 0), 200),
])
def test_without_pairs_bounds_or_games_to_come_there_is_no_rest(pairs: Pentanomial, most_pairs: int) -> None:
    assert forecast_rest(Sprt(-30, 0), pairs, most_pairs) is None


def test_an_interval_below_h0_without_a_verdict() -> None:
    # From scripts/simulate.py gate: 4.05% of 2,000 tests accept H0, and 10.6% end so.
    found = forecast_sprt(Sprt(-5, 0), -10, independent_pairs(0.175, 0.65, 0.175), 2000)
    assert found.accept_h0 == pytest.approx(0.0405, abs=0.01)
    assert found.below_h0 == pytest.approx(0.106, abs=0.014)


@pytest.mark.parametrize("elo0", [-5, 0])
def test_error_rates_and_lengths_are_those_of_wald(elo0: float) -> None:
    test = Sprt(elo0, elo0 + 5)
    at_h0, middle, at_h1 = (forecast_sprt(test, elo0 + each, EQUAL, 10**6) for each in (0, 2.5, 5))
    # Both error rates are below the allowed 5%, as the test ends beyond its bounds.
    assert 0.048 < at_h0.accept_h1 < 0.05
    assert 0.048 < at_h1.accept_h0 < 0.05
    assert middle.accept_h1 == pytest.approx(0.5, abs=0.005)
    width = 5 / UNIT
    assert 2 * at_h0.mean_pairs == pytest.approx(2 * 0.9 * log(19) / width**2, rel=0.03)
    assert 2 * middle.mean_pairs == pytest.approx(log(19) ** 2 / width**2, rel=0.03)


def test_a_number_of_pairs_ends_a_test() -> None:
    test = Sprt(-20, 0)
    for most, length in ((1, 1), (500, 500), (10**9, 1995)):
        found = forecast_sprt(test, 0, EQUAL, most)
        assert sum(chances_of(found)) == pytest.approx(1)
        assert found.long_pairs == pytest.approx(length, rel=0.01)
    assert forecast_sprt(test, 0, EQUAL, 1).mean_pairs == pytest.approx(1)


def test_equal_normalized_elo_takes_equally_many_games_whatever_the_draw_rate() -> None:
    few, many = (forecast_sprt(Sprt(-20, 0), -20, independent_pairs(1 - draws, 2 * draws, 1 - draws), 10**6)
                 for draws in (0.2, 0.8))
    assert few.mean_pairs == pytest.approx(many.mean_pairs, rel=0.02)


@pytest.mark.parametrize("shares", [(0, 1, 10**6, 0, 0), (1, 0, 0, 0, 1), (0, 0, 1, 0, 10**9)])
def test_extreme_shares_and_differences(shares: tuple[int, ...]) -> None:
    for elo0, elo1, elo in ((-2000, 2000, 0), (0, 5, 2000), (-5, 0, -2000), (1999, 2000, -2000)):
        found = forecast_sprt(Sprt(elo0, elo1), elo, shares, 10**5)
        assert sum(chances_of(found)) == pytest.approx(1)
        assert 0 < found.mean_pairs <= 10**5
