"""The likelihood of superiority: how sure it is that one player is the stronger, whatever the distance.

It is ``Phi(z)``, with ``Phi`` the normal distribution and ``z`` the score above 1/2 in standard errors (Chess
Programming Wiki, "Match Statistics"). The standard error is the one expected of equal players, as in the intervals of
the score: so the likelihood is above 97.5% just where the 95% interval of the score lies above 1/2, and a match in
which all games ended alike does not make it 1. For single games that is the formula of the wiki and of cutechess,
``Phi((wins - losses) / sqrt(wins + losses))``; fishtest and fastchess take the observed standard error in its place.
"""

from math import sqrt
from statistics import NormalDist

from latrones_uci.stats.multinomial import mean_of, most_likely_with_mean, variance_of
from latrones_uci.stats.pentanomial import Pentanomial, pair_count, pair_shares
from latrones_uci.stats.score import game_count


def likelihood_of_superiority(pairs: Pentanomial) -> float:
    """From pairs, 0 to 1; 1/2 where all were even.

    Raises:
        ValueError: not five counts, a negative one, or no pairs.
    """
    shares = pair_shares(pairs)
    variance = variance_of(most_likely_with_mean(shares, 0.5))
    if variance == 0:
        return 0.5
    return NormalDist().cdf((mean_of(shares) - 0.5) * sqrt(pair_count(pairs) / variance))


def game_likelihood_of_superiority(wins: int, draws: int, losses: int) -> float:
    """From unpaired games, 0 to 1; draws do not matter, and without decided games it is 1/2.

    Raises:
        ValueError: a negative count, or no games.
    """
    game_count(wins, draws, losses)
    if wins + losses == 0:
        return 0.5
    return NormalDist().cdf((wins - losses) / sqrt(wins + losses))
