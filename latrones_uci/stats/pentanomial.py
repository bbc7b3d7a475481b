"""The score of a match of game pairs and how sure it is: a pentanomial.

The two games of a pair begin from one opening with sides changed, so they are not independent: a lopsided opening gives
each player a game. Pairs are. That is why a match is counted in pairs, as fishtest and fastchess do it (wiki of
fishtest, "Fishtest Mathematics"). Scores are points per game, 0 to 1, throughout.
"""

from collections.abc import Iterable
from math import sqrt
from typing import TypeAlias

from latrones_uci.stats.elo import EloEstimate, estimate_of
from latrones_uci.stats.interval import score_interval_under
from latrones_uci.stats.multinomial import mean_of, most_likely_with_mean, shares_of, variance_of

Pentanomial: TypeAlias = tuple[int, int, int, int, int]
"""How many pairs gave the player 0, 1/2, 1, 3/2 and 2 points. Reversed, it is what the opponent got."""

_INDEX_OF_PAIR_SCORE = {0.0: 0, 0.5: 1, 1.0: 2, 1.5: 3, 2.0: 4}


def pentanomial_of(pair_scores: Iterable[float]) -> Pentanomial:
    """Counts pairs by the points of both games together; in which of the two they were won is not asked.

    Raises:
        ValueError: a score other than 0, 1/2, 1, 3/2 and 2.
    """
    counts = [0] * 5
    for score in pair_scores:
        if score not in _INDEX_OF_PAIR_SCORE:
            raise ValueError(f"pair score {score} is not one of 0, 0.5, 1, 1.5, 2")
        counts[_INDEX_OF_PAIR_SCORE[score]] += 1
    lost, half, even, one_and_half, won = counts
    return lost, half, even, one_and_half, won


def pair_count(pairs: Pentanomial) -> int:
    """The number of pairs, which may be 0; there are twice as many games.

    Raises:
        ValueError: not five counts, or a negative one.
    """
    if len(pairs) != 5:
        raise ValueError(f"a pentanomial has five counts, not {len(pairs)}: {pairs}")
    if min(pairs) < 0:
        raise ValueError(f"negative count of pairs in {pairs}")
    return sum(pairs)


def pair_shares(pairs: Pentanomial) -> list[float]:
    """The counts divided by their sum.

    Raises:
        ValueError: not five counts, a negative one, or no pairs. All functions below raise the same.
    """
    if pair_count(pairs) == 0:
        raise ValueError("no pairs: the score is not defined")
    return shares_of(pairs)


def pair_mean_score(pairs: Pentanomial) -> float:
    """The points won per game, 0 to 1."""
    return mean_of(pair_shares(pairs))


def pair_score_variance(pairs: Pentanomial) -> float:
    """The variance of the points per game of one pair.

    Twice this is the variance per game that independent games would have to have to be spread as much; fishtest calls
    its root ``sigma_pg`` (``server/fishtest/stats/LLRcalc.py``).
    """
    return variance_of(pair_shares(pairs))


def pair_score_standard_error(pairs: Pentanomial) -> float:
    """The standard error of ``pair_mean_score``; 0 when all pairs scored the same."""
    return sqrt(pair_score_variance(pairs) / pair_count(pairs))


def pair_score_interval(pairs: Pentanomial, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided confidence interval of the score, both ends within 0..1.

    As ``score_interval`` for single games: it holds every score that is not rejected with the variance that belongs
    to the most likely pentanomial with that score. It stays sound when all pairs ended alike.

    Raises:
        ValueError: as ``pair_shares``, or a confidence out of range.
    """
    shares = pair_shares(pairs)
    return score_interval_under(
        mean_of(shares), pair_count(pairs), lambda mean: variance_of(most_likely_with_mean(shares, mean)), confidence
    )


def pair_elo_estimate(pairs: Pentanomial) -> EloEstimate:
    """The Elo difference with its 95% error bar, as ``elo_estimate`` gives it for single games.

    Its error bar is that of fishtest (``stat_util.get_elo``) and fastchess, where not all pairs ended alike.
    """
    return estimate_of(pair_mean_score(pairs), pair_score_standard_error(pairs), pair_score_interval(pairs))
