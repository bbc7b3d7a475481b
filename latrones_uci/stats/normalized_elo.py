"""Normalised Elo: the difference of two players on a scale that determines the number of games needed to detect it.

It is ``800 / ln 10 * (score - 1/2) / sigma``, with ``sigma`` the standard deviation of one game; for pairs, that of a
pair's points per game times the root of 2 (M. Van den Bergh, "Normalized Elo",
https://www.cantate.be/Fishtest/normalized_elo.pdf; ``stats/sprt.py`` and ``LLRcalc.py`` of fishtest). Unlike Elo it
hardly depends on the draw rate and on the bias of the openings: after n games, the error bar is about
``1.96 * 347.4 / sqrt(n)`` for every variant. For close players, without draws and pairs, it equals Elo.
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
"""Normalised Elo of a score that is one standard deviation of a game above 1/2."""


def normalized_elo_estimate(pairs: Pentanomial) -> EloEstimate:
    """Estimate the difference in normalised Elo with its 95% error bar, from pairs.

    ``difference`` is infinite if all pairs scored the same, and 0 if all were even. ``error_bar`` is that of fastchess,
    ``1.96 * 800 / ln 10 / sqrt(games)``, which assumes a known standard deviation and is valid for small differences.
    ``lower`` and ``upper`` enclose the differences that a score test (C. R. Rao, Proceedings of the Cambridge
    Philosophical Society 44, 1948) does not reject, at the most likely pentanomial with each difference.

    Raises:
        ValueError: there are not five counts, a count is negative, or there are no pairs.
    """
    return _estimate(pair_shares(pairs), sum(pairs), games_per_trial=2)


def game_normalized_elo_estimate(wins: int, draws: int, losses: int) -> EloEstimate:
    """Estimate the same from unpaired games.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    games = game_count(wins, draws, losses)
    return _estimate(shares_of((losses, draws, wins)), games, games_per_trial=1)


def t_value_of_normalized_elo(difference: float, games_per_trial: int) -> float:
    """Return ``(score - 1/2) / standard deviation`` of one game, or of a pair's points per game, for a difference."""
    return difference / NORMALIZED_ELO_UNIT * sqrt(games_per_trial)


def _estimate(shares: Sequence[float], trials: int, games_per_trial: int) -> EloEstimate:
    unit = NORMALIZED_ELO_UNIT / sqrt(games_per_trial)
    lower, upper = _t_value_interval(shares, trials)
    t_value = _t_value(mean_of(shares) - 0.5, sqrt(variance_of(shares)))
    error_bar = normal_quantile(0.95) * unit / sqrt(trials) if abs(t_value) < inf else inf
    return EloEstimate(unit * t_value, error_bar, unit * lower, unit * upper)


def _t_value_interval(shares: Sequence[float], trials: int) -> tuple[float, float]:
    """Return the interval of t-values of one trial that are not rejected, by their slopes ``t / sqrt(1 + t^2)``."""

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
