"""The estimates of a match: score, Elo, normalised Elo and likelihood of superiority, which must agree.

The 95% interval contains the true score as often as it says; docs/lab/statistics.md has the table. Matches of 10 pairs
are not simulated: all their results are listed with their probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import inf, lgamma, log, nan, prod, sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import at_most, examples
from latrones_uci.stats import (
    Pentanomial,
    elo_from_score,
    estimate_from_games,
    estimate_from_pairs,
    game_draw_ratio,
    pair_count,
    pair_draw_ratio,
    pair_ratio,
    pentanomial_of,
    reversed_pairs,
    score_from_elo,
)
from latrones_uci.stats.estimate import t_distribution, t_quantile

COUNTS = st.integers(0, 400)
PAIRS = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS).filter(any)
SMALL = st.tuples(*[st.integers(0, 6)] * 5).filter(any)
DRAW_RATES = (0.0, 0.5, 0.9)
MATCHES = at_most(10_000)  # of each kind


# From the tables of Student's distribution in NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 10, 2.228), (0.975, 100, 1.984), (0.90, 5, 1.476),
     (0.999, 3, 10.215), (0.95, 40, 1.684), (0.975, 9e6, 1.959964), (0.975, 1e9, 1.959964)],
)
def test_quantiles_of_the_tables(probability: float, freedom: float, value: float) -> None:
    assert t_quantile(probability, freedom) == pytest.approx(value, abs=5e-4)
    assert t_distribution(value, freedom) == pytest.approx(probability, abs=5e-5)
    assert t_distribution(-value, freedom) == pytest.approx(1 - probability, abs=5e-5)


def test_pairs_are_counted_by_their_points() -> None:
    assert pentanomial_of([2, 0.5, 1, 1.0, 1.5, 0.5, 0]) == (1, 2, 2, 1, 1)
    assert pair_count((1, 2, 2, 1, 1)) == 7
    assert reversed_pairs((1, 2, 3, 4, 5)) == (5, 4, 3, 2, 1)
    assert [pair_ratio((lost, 0, 4, won, 0)) for lost, won in ((0, 1), (0, 0), (1, 0))] == [inf, None, 0]
    assert game_draw_ratio(3, 4, 1) == 0.5
    # From tables of matches of users of fastchess: PairsRatio and DrawRatio.
    for pairs, ratio, draw_ratio in (((40, 67, 295, 123, 54), 1.65, 0.5095), ((19, 23, 269, 81, 108), 4.50, 0.538)):
        assert pair_ratio(pairs) == pytest.approx(ratio, abs=0.005)
        assert pair_draw_ratio(pairs) == pytest.approx(draw_ratio, abs=5e-5)


@pytest.mark.parametrize(
    ("score", "difference"), [(0.5, 0.0), (0.75, 190.848), (10 / 11, 400.0), (1 / 11, -400.0), (1.0, inf), (0.0, -inf)]
)
def test_logistic_curve(score: float, difference: float) -> None:
    assert elo_from_score(score) == pytest.approx(difference, abs=1e-3)
    assert score_from_elo(difference) == pytest.approx(score, abs=1e-6)


NEGATIVE, SHORT = (1, 2, -3, 4, 5), (1, 2, 3)


@pytest.mark.parametrize(("function", "arguments", "message"), [
    *((pentanomial_of, [[1.0, score]], f"pair score {score}") for score in (0.25, -0.5, 2.5, nan)),
    *((function, [NEGATIVE], r"-3, 4, 5\): negative count")
      for function in (pair_ratio, pair_draw_ratio, pair_count, estimate_from_pairs)),
    *((function, [SHORT], "3 counts; expected five")
      for function in (pair_ratio, pair_draw_ratio, pair_count, estimate_from_pairs)),
    (estimate_from_pairs, [(0, 0, 0, 0, 0)], "no pairs"), (pair_draw_ratio, [(0, 0, 0, 0, 0)], "no pairs"),
    (game_draw_ratio, [0, 0, 0], "no games"), (game_draw_ratio, [3, -1, 1], "-1 draws"),
    (estimate_from_games, [0, 0, 0], "no games"), (estimate_from_games, [-1, 2, 3], "negative count"),
    (estimate_from_games, [1, -1, 0], "negative count"), (estimate_from_games, [1, 1, -1], "negative count"),
    *((elo_from_score, [score], "score") for score in (-0.01, 1.01, nan)),
    (t_quantile, [0.4, 3], r"probability 0\.4"),
])
def test_impossible_results(function: Callable[..., object], arguments: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_an_estimate_by_hand() -> None:
    # 0.2 pairs lost, 2 even, 1.2 won: 3.4 pairs with mean 2.2 / 3.4 and mean square 1.7 / 3.4.
    found = estimate_from_pairs((0, 0, 2, 0, 1))
    mean = 2.2 / 3.4
    error = sqrt((1.7 / 3.4 - mean**2) / 3.4)
    assert found.score.value == 2 / 3
    assert found.score.low == pytest.approx(mean - 3.182446 * error)
    assert found.score.high == 1.0
    assert (found.elo.value, found.elo.high) == (elo_from_score(2 / 3), inf)
    assert found.los == pytest.approx(t_distribution((mean - 0.5) / error, 3))
    assert (found.trials, found.paired) == (3, True)
    one = estimate_from_pairs((0, 0, 0, 1, 0))
    assert one.elo.low < one.elo.value < one.elo.high
    assert 0 < one.los < 1


@pytest.mark.long
@pytest.mark.parametrize("draw", [PAIRS, SMALL])
@examples(300)
@given(data=st.data())
def test_all_figures_agree_and_the_opponent_gets_their_mirror_image(
    draw: st.SearchStrategy[Pentanomial], data: st.DataObject
) -> None:
    pairs = data.draw(draw)
    found = estimate_from_pairs(pairs)
    above = [found.score.low > 0.5, found.elo.low > 0, found.normalized_elo.low > 0, found.los > 0.975]
    below = [found.score.high < 0.5, found.elo.high < 0, found.normalized_elo.high < 0, found.los < 0.025]
    assert len(set(above)) == len(set(below)) == 1
    for interval in (found.score, found.elo, found.normalized_elo):
        assert interval.low <= interval.value <= interval.high
        assert interval.low < interval.high
    assert (found.elo.low, found.elo.high) == (elo_from_score(found.score.low), elo_from_score(found.score.high))
    other = estimate_from_pairs(pairs[::-1])
    assert other.los == pytest.approx(1 - found.los, abs=1e-9)
    assert (other.score.low, other.score.high) == pytest.approx((1 - found.score.high, 1 - found.score.low))


@pytest.mark.parametrize("pairs", [2, 3, 5, 10, 40])
@pytest.mark.parametrize("better", [3, 4])
def test_every_pair_won_instead_of_even_makes_superiority_more_likely(pairs: int, better: int) -> None:
    found = []
    for won in range(pairs + 1):
        counts = [0, 0, pairs - won, 0, 0]
        counts[better] += won
        found.append(estimate_from_pairs((*counts,)).los)  # type: ignore[arg-type]
    assert found == sorted(found)
    assert found[0] == pytest.approx(0.5)
    assert found[-1] > 0.85


# Elo and normalised Elo with half the widths of their intervals, which assume a normal distribution: pairs and games
# from fastchess, app/tests/elo_test.cpp, the last pairs from a table of one of its users.
@pytest.mark.parametrize(("results", "elo", "elo_margin", "normalized", "normalized_margin"), [
    ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 28.28), ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 10.96),
    ((40, 67, 295, 123, 54), 25.25, 13.92, 36.44, 20.01), ((76, 123, 89), None, None, -20.76, 40.13),
    ((136, 111, 96), None, None, 49.77, 36.77),
])
def test_long_matches_agree_with_fastchess(
    results: tuple[int, ...], elo: float | None, elo_margin: float | None, normalized: float, normalized_margin: float
) -> None:
    paired = len(results) == 5
    found = estimate_from_pairs(results) if paired else estimate_from_games(*results)  # type: ignore[arg-type]
    assert found.paired == paired
    expected = ((found.elo, elo, elo_margin), (found.normalized_elo, normalized, normalized_margin))
    for interval, value, margin in expected:
        if value is not None:
            assert interval.value == pytest.approx(value, abs=0.006)
            assert (interval.high - interval.low) / 2 == pytest.approx(margin, rel=0.02)


def test_unpaired_games_agree_with_cutechess() -> None:
    found = estimate_from_games(45, 18, 37)
    assert found.elo.value == pytest.approx(27.9, abs=0.05)
    assert (found.elo.high - found.elo.low) / 2 == pytest.approx(62.4, rel=0.02)


@pytest.mark.parametrize("trials", [1, 2, 4, 10, 100])
def test_unanimous_results_have_an_interval(trials: int) -> None:
    won, even = estimate_from_pairs((0, 0, 0, 0, trials)), estimate_from_pairs((0, 0, trials, 0, 0))
    assert (won.score.value, won.score.high, won.elo.value, won.elo.high) == (1.0, 1.0, inf, inf)
    # As Elo: no finite value beside infinite bounds.
    assert (won.normalized_elo.value, won.normalized_elo.high) == (inf, inf)
    assert (won.normalized_elo.low == -inf) == (won.elo.low == -inf)
    assert (trials > 1) or (won.score.low < 0.5 < won.los < 0.9)  # one pair decides nothing
    assert even.elo.value == even.normalized_elo.value == 0
    assert even.los == pytest.approx(0.5)
    assert even.elo.low == pytest.approx(-even.elo.high)


# ---------------------------------------------------------------- coverage of the interval


def pair_chances(draw_rate: float, score: float, bias: float = 0.0) -> list[float]:
    """Return the chances of pairs with 0 to 2 points; the openings are worth ``bias`` points to one colour."""
    games = []
    for mean in (score + bias, score - bias):
        games.append((1 - mean - draw_rate / 2, draw_rate, mean - draw_rate / 2))
    assert min(min(game) for game in games) >= 0
    chances = [0.0] * 5
    for one, other in product(range(3), repeat=2):
        chances[one + other] += games[0][one] * games[1][other]
    return chances


def results(pairs: int, outcomes: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to distribute pairs over outcomes."""
    if outcomes == 1:
        yield (pairs,)
        return
    for count in range(pairs + 1):
        for rest in results(pairs - count, outcomes - 1):
            yield (count, *rest)


def exact_coverage(pairs: int, chances: list[float], score: float) -> float:
    """Return the probability that the interval contains the score."""
    covered = 0.0
    for counts in results(pairs, 5):
        if any(count and not chance for count, chance in zip(counts, chances, strict=True)):
            continue
        interval = estimate_from_pairs(counts).score  # type: ignore[arg-type]
        if interval.low <= score <= interval.high:
            ways = lgamma(pairs + 1) - sum(lgamma(count + 1) for count in counts)
            covered += prod(chance**count for count, chance in zip(counts, chances, strict=True)) * 2 ** (ways / log(2))
    return covered


def simulated_coverage(pairs: int, chances: list[float], score: float, chance: Random) -> float:
    """Return the share of simulated matches whose interval contains the score."""
    covered = 0
    for _ in range(MATCHES):
        counted = Counter(chance.choices(range(5), chances, k=pairs))
        interval = estimate_from_pairs(tuple(counted[index] for index in range(5))).score  # type: ignore[arg-type]
        covered += interval.low <= score <= interval.high
    return covered / MATCHES


@pytest.mark.parametrize(("draw_rate", "elo", "bias"), [
    *((0.0, elo, bias) for elo, bias in ((0, 0.0), (0, 0.2), (30, 0.0), (100, 0.0), (200, 0.0))),
    *((0.5, elo, bias) for elo, bias in ((0, 0.0), (0, 0.2), (30, 0.0), (100, 0.0))),
    *((0.9, elo, bias) for elo, bias in ((0, 0.0), (0, 0.04), (30, 0.0))),
])
def test_coverage_of_short_matches(draw_rate: float, elo: float, bias: float) -> None:
    score = score_from_elo(elo)
    covered = exact_coverage(10, pair_chances(draw_rate, score, bias), score)
    # With two decisive games expected, hardly any result excludes equality: the interval is wider than asked.
    assert 0.93 < covered < (1.0 if draw_rate == 0.9 else 0.985 if elo else 0.97)


@pytest.mark.parametrize(("pairs", "elo"), [
    pytest.param(40, 0, marks=pytest.mark.long),
    *(pytest.param(pairs, elo, marks=pytest.mark.slow)
      for pairs, elo in ((40, 30), (200, 0), (200, 30), (1000, 0), (1000, 30))),
])
@pytest.mark.parametrize("draw_rate", DRAW_RATES)
def test_coverage_of_longer_matches(pairs: int, draw_rate: float, elo: float) -> None:
    score = score_from_elo(elo)
    covered = simulated_coverage(pairs, pair_chances(draw_rate, score), score, Random(f"{pairs} {draw_rate} {elo}"))
    print(f"{pairs} pairs, {draw_rate:.0%} draws, Elo {elo}: {covered:.2%}")
    assert 0.92 < covered < 0.98 if MATCHES < 10_000 else 0.93 <= covered <= 0.97
