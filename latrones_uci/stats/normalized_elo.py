"""Normalised Elo: the difference of two players measured by how many games it takes to show it.

``800 / ln 10 * (score - 1/2) / sigma``, with ``sigma`` the standard deviation of one game: for pairs, that of a pair's
points per game times the root of 2 (M. Van den Bergh, "Normalized Elo", https://www.cantate.be/Fishtest/normalized_elo.pdf;
``stats/sprt.py`` and ``LLRcalc.py`` of fishtest). Unlike Elo it hardly depends on how many games are drawn and how
lopsided the openings are: after n games, its error bar is near ``1.96 * 347.4 / sqrt(n)`` for every game. For close
players without draws and pairs the two are the same.
"""

from collections.abc import Sequence
from math import copysign, inf, log, sqrt

from latrones_uci.stats.elo import EloEstimate
from latrones_uci.stats.interval import crossing, normal_quantile, rejected_departure, relative_departure
from latrones_uci.stats.multinomial import (
    mean_of,
    most_likely_with_t_value,
    radius_of,
    shares_of,
    t_value_deviations,
    variance_of,
)
from latrones_uci.stats.pentanomial import Pentanomial, pair_shares
from latrones_uci.stats.score import game_count

NORMALIZED_ELO_UNIT = 800 / log(10)
"""The normalised Elo at which the score of a game is one standard deviation above 1/2."""


def normalized_elo_estimate(pairs: Pentanomial) -> EloEstimate:
    """The difference in normalised Elo with its 95% error bar, from pairs.

    ``difference`` is infinite where all pairs scored the same, but 0 where all were even. ``error_bar`` is that of
    fastchess, ``1.96 * 800 / ln 10 / sqrt(games)``, which takes the standard deviation for known; that is right for
    small differences. ``lower`` and ``upper`` hold every difference that a score test (C. R. Rao, Proceedings of the
    Cambridge Philosophical Society 44, 1948) does not reject at the most likely pentanomial with that difference.

    Raises:
        ValueError: not five counts, a negative one, or no pairs.
    """
    return _estimate(pair_shares(pairs), sum(pairs), games_per_trial=2)


def game_normalized_elo_estimate(wins: int, draws: int, losses: int) -> EloEstimate:
    """The same from unpaired games.

    Raises:
        ValueError: a negative count, or no games.
    """
    games = game_count(wins, draws, losses)
    return _estimate(shares_of((losses, draws, wins)), games, games_per_trial=1)


def t_value_of_normalized_elo(difference: float, games_per_trial: int) -> float:
    """``(score - 1/2) / standard deviation`` of one game, or of one pair's points per game, at that difference."""
    return difference / NORMALIZED_ELO_UNIT * sqrt(games_per_trial)


def _estimate(shares: Sequence[float], trials: int, games_per_trial: int) -> EloEstimate:
    unit = NORMALIZED_ELO_UNIT / sqrt(games_per_trial)
    lower, upper = _t_value_interval(shares, trials)
    t_value = _t_value(mean_of(shares) - 0.5, sqrt(variance_of(shares)))
    error_bar = normal_quantile(0.95) * unit / sqrt(trials) if abs(t_value) < inf else inf
    return EloEstimate(unit * t_value, error_bar, unit * lower, unit * upper)


def _t_value_interval(shares: Sequence[float], trials: int) -> tuple[float, float]:
    """The t-values of one trial that are not rejected, sought by their slopes ``t / sqrt(1 + t^2)`` from -1 to 1."""

    def departure(slope: float) -> float:
        t_value = _t_value_at(slope)
        likely = most_likely_with_t_value(shares, t_value)
        deviations = t_value_deviations(shares, t_value, radius_of(likely))
        excess = sum(share * deviation for share, deviation in zip(shares, deviations, strict=True))
        variance = sum(chance * deviation**2 for chance, deviation in zip(likely, deviations, strict=True))
        return relative_departure(excess, variance)

    radius = radius_of(shares)
    slope = (mean_of(shares) - 0.5) / radius if radius > 0 else 0.0
    limit = rejected_departure(trials, 0.95)
    return _t_value_at(crossing(departure, limit, -1.0, slope)), _t_value_at(crossing(departure, limit, 1.0, slope))


def _t_value_at(slope: float) -> float:
    return _t_value(slope, sqrt(max(1 - slope**2, 0.0)))


def _t_value(mean: float, deviation: float) -> float:
    if deviation > 0:
        return mean / deviation
    return copysign(inf, mean) if mean else 0.0
