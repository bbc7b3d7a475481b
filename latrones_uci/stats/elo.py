"""Convert scores to Elo differences and back, and normalised Elo to t-values.

Normalised Elo is ``800 / ln 10 * (score - 1/2) / sigma``, with ``sigma`` the standard deviation of one game; for pairs,
that of a pair's points per game times the root of 2 (M. Van den Bergh, "Normalized Elo",
https://www.cantate.be/Fishtest/normalized_elo.pdf). Unlike Elo it hardly depends on the draw rate and on the bias of
the openings, and so measures how many games are needed to detect a difference. For close players, without draws and
pairs, it equals Elo.
"""

from math import inf, log, log10, sqrt

NORMALIZED_ELO_UNIT = 800 / log(10)
"""Normalised Elo of a score that is one standard deviation of a game above 1/2."""


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
