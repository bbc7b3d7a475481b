"""The score of a match of game pairs and its confidence interval, from a pentanomial distribution.

The two games of a pair start from the same opening with colours swapped, so they are not independent: with a biased
opening each player wins one game. Pairs are independent. That is why matches are counted in pairs, as in fishtest and
fastchess (wiki of fishtest, "Fishtest Mathematics"). All scores are points per game, 0 to 1.
"""

from collections.abc import Iterable
from math import sqrt
from typing import TypeAlias

from latrones_uci.stats.elo import EloEstimate, estimate_of
from latrones_uci.stats.interval import score_interval_under
from latrones_uci.stats.multinomial import mean_of, most_likely_with_mean, shares_of, variance_of

Pentanomial: TypeAlias = tuple[int, int, int, int, int]
"""The numbers of pairs with 0, 1/2, 1, 3/2 and 2 points for the player. Reversed, they are those of the opponent."""

_INDEX_OF_PAIR_SCORE = {0.0: 0, 0.5: 1, 1.0: 2, 1.5: 3, 2.0: 4}


def pentanomial_of(pair_scores: Iterable[float]) -> Pentanomial:
    """Count pairs by the points of both games together.

    Raises:
        ValueError: a score is not one of 0, 1/2, 1, 3/2 and 2.
    """
    counts = [0] * 5
    for score in pair_scores:
        if score not in _INDEX_OF_PAIR_SCORE:
            raise ValueError(f"pair score {score}: expected 0, 0.5, 1, 1.5 or 2")
        counts[_INDEX_OF_PAIR_SCORE[score]] += 1
    lost, half, even, one_and_half, won = counts
    return lost, half, even, one_and_half, won


def pair_count(pairs: Pentanomial) -> int:
    """Return the number of pairs, which may be 0; there are twice as many games.

    Raises:
        ValueError: there are not five counts, or a count is negative.
    """
    if len(pairs) != 5:
        raise ValueError(f"pentanomial {pairs}: {len(pairs)} counts; expected five")
    if min(pairs) < 0:
        raise ValueError(f"pentanomial {pairs}: negative count")
    return sum(pairs)


def pair_shares(pairs: Pentanomial) -> list[float]:
    """Return the counts divided by their sum.

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs. All functions below raise the
            same.
    """
    if pair_count(pairs) == 0:
        raise ValueError("no pairs: the score is undefined")
    return shares_of(pairs)


def pair_mean_score(pairs: Pentanomial) -> float:
    """Return the points per game, 0 to 1."""
    return mean_of(pair_shares(pairs))


def pair_score_variance(pairs: Pentanomial) -> float:
    """Return the variance of the points per game of one pair.

    Twice this is the variance per game of independent games with the same spread; fishtest calls its root ``sigma_pg``
    (``server/fishtest/stats/LLRcalc.py``).
    """
    return variance_of(pair_shares(pairs))


def pair_score_standard_error(pairs: Pentanomial) -> float:
    """Return the standard error of ``pair_mean_score``; 0 if all pairs scored the same."""
    return sqrt(pair_score_variance(pairs) / pair_count(pairs))


def pair_score_interval(pairs: Pentanomial, confidence: float = 0.95) -> tuple[float, float]:
    """Return the two-sided confidence interval of the score, within 0..1.

    Like ``score_interval`` for single games, it contains every score that is not rejected with the variance of the most
    likely pentanomial with that score. It remains valid if all pairs had the same result.

    Raises:
        ValueError: see ``pair_shares``; or the confidence is out of range.
    """
    shares = pair_shares(pairs)
    return score_interval_under(
        mean_of(shares), pair_count(pairs), lambda mean: variance_of(most_likely_with_mean(shares, mean)), confidence
    )


def pair_elo_estimate(pairs: Pentanomial) -> EloEstimate:
    """Estimate the Elo difference with its 95% error bar, like ``elo_estimate`` for single games.

    The error bar is that of fishtest (``stat_util.get_elo``) and fastchess, unless all pairs had the same result.
    """
    return estimate_of(pair_mean_score(pairs), pair_score_standard_error(pairs), pair_score_interval(pairs))
