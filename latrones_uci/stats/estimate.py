"""Elo, and estimates of the difference of two players from their games. docs/statistics.md explains every figure.

One method gives all figures, so that they agree. A trial is a pair of games, or a game where games are not paired. A
fifth of a trial lost and a fifth of a trial won are added to the ``n`` trials, a choice of ours: it keeps the variance
above 0 if all trials ended alike, and matters less the longer the match. The mean ``m`` and the standard error ``e`` of
these ``n + 2/5`` trials give

* the 95% interval of the score, ``m +- t e`` within 0..1, with the quantile ``t`` of Student's distribution with ``n``
  degrees of freedom (Student, "The Probable Error of a Mean", Biometrika 6, 1908);
* the interval of the Elo difference, its image under the logistic curve, which is not symmetric;
* the interval of the normalised Elo, its image under division by the standard deviation;
* the likelihood of superiority, the probability that Student's distribution gives to values below
  ``(m - 1/2) / e``. It is above 97.5% exactly if the interval is above 1/2.

Normalised Elo is ``800 / ln 10 * (score - 1/2) / sigma``, with ``sigma`` the standard deviation of one game; for pairs,
that of a pair's points per game times the root of 2 (M. Van den Bergh, "Normalized Elo",
https://www.cantate.be/Fishtest/normalized_elo.pdf). Unlike Elo it hardly depends on the draw rate and on the bias of
the openings, and so measures how many games are needed to detect a difference. For close players, without draws and
pairs, it equals Elo.

``tests/stats/test_coverage.py`` has the share of simulated matches in which the interval contains the true value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, log10, pi, sqrt
from statistics import NormalDist

from latrones_uci.stats.multinomial import mean_of, scores_of, shares_of, variance_of
from latrones_uci.stats.results import Pentanomial, game_count, pair_count

CONFIDENCE = 0.95
ADDED_TRIALS = 0.2
"""Trials added at each end."""
NORMALIZED_ELO_UNIT = 800 / log(10)
"""Normalised Elo of a score that is one standard deviation of a game above 1/2."""


# ---------------------------------------------------------------- Elo


def elo_from_score(score: float) -> float:
    """Return the rating difference for an expected score: ``-400 log10(1 / score - 1)``, infinite at 0 and 1.

    This is the logistic curve that chess federations and engine testers use instead of Arpad Elo's normal curve
    (A. Elo, The Rating of Chessplayers, Past and Present, 1978, section 8.4).

    Raises:
        ValueError: the score is not within 0..1.
    """
    if not 0 <= score <= 1:
        raise ValueError(f"score {score}: expected 0 to 1")
    if score in (0, 1):
        return inf if score else -inf
    return 400 * log10(score / (1 - score))


def score_from_elo(difference: float) -> float:
    """Return the expected score for a rating difference; the inverse of ``elo_from_score``."""
    # Each of the two forms overflows at one end.
    if difference < 0:
        odds = 10 ** (difference / 400)
        return odds / (1 + odds)
    return 1 / (1 + 10 ** (-difference / 400))


def t_value_of_normalized_elo(difference: float, games_per_trial: int) -> float:
    """Return ``(score - 1/2) / standard deviation`` of one game, or of a pair's points per game, for a difference."""
    return difference / NORMALIZED_ELO_UNIT * sqrt(games_per_trial)


# ---------------------------------------------------------------- estimates


@dataclass(frozen=True)
class Interval:
    """A value with its confidence interval, ``low <= value <= high``; all three can be infinite."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """The difference of two players, from the point of view of the one whose points are counted."""

    trials: int
    """Number of pairs, or of games if they are not paired."""
    paired: bool
    """Whether trials are pairs."""
    score: Interval
    """Points per game, 0 to 1."""
    elo: Interval
    """The Elo difference; infinite at a score of 0 or 1."""
    normalized_elo: Interval
    """The difference in normalised Elo."""
    los: float
    """Likelihood of superiority, 0 to 1."""


def estimate_from_pairs(pairs: Pentanomial) -> Estimate:
    """Estimate a difference from pairs of games with one opening and swapped colours.

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs.
    """
    if pair_count(pairs) == 0:
        raise ValueError("no pairs: the score is undefined")
    return _estimate(pairs, games_per_trial=2)


def estimate_from_games(wins: int, draws: int, losses: int) -> Estimate:
    """Estimate a difference from games that are not paired.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    if game_count(wins, draws, losses) == 0:
        raise ValueError("no games: the score is undefined")
    return _estimate((losses, draws, wins), games_per_trial=1)


def _estimate(counts: Sequence[int], games_per_trial: int) -> Estimate:
    trials, score = sum(counts), mean_of(shares_of(counts))
    mean, error = mean_and_error(counts)
    margin = error * t_quantile((1 + CONFIDENCE) / 2, trials)
    low, high = max(mean - margin, 0.0), min(mean + margin, 1.0)
    deviation = sqrt(variance_of(shares_of(counts))) or error * sqrt(trials)
    unit = NORMALIZED_ELO_UNIT / sqrt(games_per_trial) / deviation
    return Estimate(
        trials,
        games_per_trial == 2,
        Interval(score, low, high),
        Interval(*map(elo_from_score, (score, low, high))),
        Interval(*(unit * (end - 0.5) if 0 < end < 1 else elo_from_score(end) for end in (score, low, high))),
        t_distribution((mean - 0.5) / error, trials),
    )


def mean_and_error(counts: Sequence[int]) -> tuple[float, float]:
    """Return the mean score of trials and its standard error, with the trials added at both ends.

    Args:
        counts: number of trials by score, from 0 to 1 in equal steps; their sum is above 0.
    """
    added = [float(count) for count in counts]
    added[0] += ADDED_TRIALS
    added[-1] += ADDED_TRIALS
    total = sum(added)
    mean = sum(count * score for count, score in zip(added, scores_of(added), strict=True)) / total
    squares = sum(count * (score - mean) ** 2 for count, score in zip(added, scores_of(added), strict=True))
    return mean, sqrt(squares) / total


# ---------------------------------------------------------------- Student's t distribution, not in the standard library

_FRACTION_STEPS = 500
_FRACTION_TOLERANCE = 1e-15
_TINY = 1e-300
_NEWTON_STEPS = 200
_NORMAL_FREEDOM = 1e7  # from here on the difference from the normal distribution is below 1e-7


def t_distribution(t_value: float, freedom: float) -> float:
    """Return the probability that a t-distributed value is below ``t_value``, 0 to 1.

    ``freedom``, the degrees of freedom, is above 0.
    """
    if freedom >= _NORMAL_FREEDOM:
        return NormalDist().cdf(t_value)
    beyond = _incomplete_beta(freedom / (freedom + t_value**2), freedom / 2, 0.5) / 2
    return 1 - beyond if t_value > 0 else beyond


@lru_cache(maxsize=256)  # tables ask for the same few again and again
def t_quantile(probability: float, freedom: float) -> float:
    """Return the value below which a t-distributed one is with a probability.

    The probability is from 1/2 up to 1, exclusive; ``freedom``, the degrees of freedom, is above 0.

    Raises:
        ValueError: the probability is out of range.
    """
    if not 0.5 <= probability < 1:
        raise ValueError(f"probability {probability}: expected 0.5 up to 1, exclusive")
    value = NormalDist().inv_cdf(probability)
    if freedom >= _NORMAL_FREEDOM:
        return value
    # The distribution function is concave above 0 and the normal quantile is below the root, so that no step of
    # Newton's method goes past the root.
    for _ in range(_NEWTON_STEPS):
        step = (probability - t_distribution(value, freedom)) / _density(value, freedom)
        value += step
        if abs(step) <= 1e-12 * max(value, 1.0):
            break
    return value


def _density(value: float, freedom: float) -> float:
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(scale - (freedom + 1) / 2 * log1p(value**2 / freedom))


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8, evaluated by the method of W. Lentz (Applied
    Optics 15, 1976, 668-671).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction would converge slowly
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    numerator, denominator, value = 1.0, 0.0, 1.0
    for step in range(_FRACTION_STEPS):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        else:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        denominator = 1 / _not_zero(1 + term * denominator)
        numerator = _not_zero(1 + term / numerator)
        value *= numerator * denominator
        if step and abs(numerator * denominator - 1) < _FRACTION_TOLERANCE:
            break
    return front * (value - 1)


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
