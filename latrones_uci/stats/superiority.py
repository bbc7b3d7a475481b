"""The likelihood of superiority (LOS): the confidence that one player is stronger than the other.

It is ``Phi(z)``, with ``Phi`` the normal distribution function and ``z`` the score above 1/2 in standard errors (Chess
Programming Wiki, "Match Statistics"). The standard error is the one expected for equal players, as in the intervals of
the score. So the LOS is above 97.5% exactly if the 95% interval of the score is above 1/2, and it is not 1 if all games
had the same result. For single games this is the formula of the wiki and of cutechess,
``Phi((wins - losses) / sqrt(wins + losses))``; fishtest and fastchess use the observed standard error instead.
"""

from math import sqrt
from statistics import NormalDist

from latrones_uci.stats.multinomial import mean_of, most_likely_with_mean, variance_of
from latrones_uci.stats.pentanomial import Pentanomial, pair_count, pair_shares
from latrones_uci.stats.score import game_count


def likelihood_of_superiority(pairs: Pentanomial) -> float:
    """Return the LOS from pairs, 0 to 1; 1/2 if all pairs were even.

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs.
    """
    shares = pair_shares(pairs)
    variance = variance_of(most_likely_with_mean(shares, 0.5))
    if variance == 0:
        return 0.5
    return NormalDist().cdf((mean_of(shares) - 0.5) * sqrt(pair_count(pairs) / variance))


def game_likelihood_of_superiority(wins: int, draws: int, losses: int) -> float:
    """Return the LOS from unpaired games, 0 to 1; draws do not matter, and without decided games it is 1/2.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    game_count(wins, draws, losses)
    if wins + losses == 0:
        return 0.5
    return NormalDist().cdf((wins - losses) / sqrt(wins + losses))
