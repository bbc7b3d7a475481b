"""Estimate the Elo difference of two players from the results of a match."""

from dataclasses import dataclass
from math import inf, log10

from latrones_uci.stats.interval import normal_quantile
from latrones_uci.stats.score import mean_score, score_interval, score_standard_error


@dataclass(frozen=True)
class EloEstimate:
    """An Elo difference, from the point of view of the player whose wins are counted.

    Attributes:
        difference: the estimate; infinite if all games were won or all were lost.
        error_bar: half the width of the 95% interval, printed after ``+/-``; infinite if the interval of the score
            reaches 0 or 1.
        lower: the lower end of the 95% interval of ``score_interval``; finite unless all games were lost.
        upper: its upper end; finite unless all games were won.
    """

    difference: float
    error_bar: float
    lower: float
    upper: float


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


def elo_estimate(wins: int, draws: int, losses: int) -> EloEstimate:
    """Estimate the Elo difference with its 95% error bar.

    The error bar is that of cutechess and fastchess: half the distance between the ends of
    ``score +- 1.96 standard errors``, mapped by the logistic curve. If all games had the same result, the standard
    error is 0 and meaningless; the ends of ``score_interval`` are used instead.

    Raises:
        ValueError: a count is negative, or there are no games.
    """
    return estimate_of(
        mean_score(wins, draws, losses), score_standard_error(wins, draws, losses), score_interval(wins, draws, losses)
    )


def estimate_of(score: float, standard_error: float, interval: tuple[float, float]) -> EloEstimate:
    """Return the estimate for a mean score, its standard error and its 95% interval."""
    margin = normal_quantile(0.95) * standard_error
    low, high = (score - margin, score + margin) if margin > 0 else interval
    lower, upper = (elo_from_score(end) for end in interval)
    error_bar = (elo_from_score(high) - elo_from_score(low)) / 2 if low > 0 and high < 1 else inf
    return EloEstimate(elo_from_score(score), error_bar, lower, upper)
