"""How often the 95% interval contains the true score, in simulated matches; docs/lab/statistics.md has the table.

Matches of 10 pairs are not simulated: all their results are listed with their probabilities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import lgamma, log, prod
from random import Random

import pytest

from effort import amount
from latrones_uci.stats import estimate_from_pairs, score_from_elo

DRAW_RATES = (0.0, 0.5, 0.9)
MATCHES = 10_000 if amount(1) > 1 else 2_000  # of each kind; the larger number in the full checks


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


@pytest.mark.parametrize(
    ("draw_rate", "elo", "bias"),
    [
        *((0.0, elo, bias) for elo, bias in ((0, 0.0), (0, 0.2), (30, 0.0), (100, 0.0), (200, 0.0))),
        *((0.5, elo, bias) for elo, bias in ((0, 0.0), (0, 0.2), (30, 0.0), (100, 0.0))),
        *((0.9, elo, bias) for elo, bias in ((0, 0.0), (0, 0.04), (30, 0.0))),
    ],
)
def test_of_short_matches(draw_rate: float, elo: float, bias: float) -> None:
    score = score_from_elo(elo)
    covered = exact_coverage(10, pair_chances(draw_rate, score, bias), score)
    # With two decisive games expected, hardly any result excludes equality: the interval is wider than asked.
    assert 0.93 < covered < (1.0 if draw_rate == 0.9 else 0.985 if elo else 0.97)


@pytest.mark.slow
@pytest.mark.parametrize("elo", [0, 30])
@pytest.mark.parametrize("draw_rate", DRAW_RATES)
@pytest.mark.parametrize("pairs", [40, 200, 1000])
def test_of_longer_matches(pairs: int, draw_rate: float, elo: float) -> None:
    score = score_from_elo(elo)
    covered = simulated_coverage(pairs, pair_chances(draw_rate, score), score, Random(f"{pairs} {draw_rate} {elo}"))
    print(f"{pairs} pairs, {draw_rate:.0%} draws, Elo {elo}: {covered:.2%}")
    assert 0.93 <= covered <= 0.97


@pytest.mark.long
def test_of_matches_of_40_pairs() -> None:
    score, chance = score_from_elo(0), Random(1)
    for draw_rate in DRAW_RATES:
        assert 0.92 < simulated_coverage(40, pair_chances(draw_rate, score), score, chance) < 0.98
