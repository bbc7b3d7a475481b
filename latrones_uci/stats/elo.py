"""Elo difference of two players from the counts of a match."""

from dataclasses import dataclass
from math import inf, log10

from latrones_uci.stats.interval import normal_quantile
from latrones_uci.stats.score import mean_score, score_interval, score_standard_error


@dataclass(frozen=True)
class EloEstimate:
    """The Elo difference seen from the player whose wins were counted.

    Attributes:
        difference: the estimate; infinite where all games were won or lost.
        error_bar: half the width of the 95% interval, as match tables print it after ``+/-``;
            infinite where the interval of the score reaches 0 or 1.
        lower: the lower end of the 95% interval as ``score_interval`` has it: finite if any game was not lost.
        upper: its upper end: finite if any game was not won.
    """

    difference: float
    error_bar: float
    lower: float
    upper: float


def elo_from_score(score: float) -> float:
    """The rating difference at which ``score`` is expected: ``-400 log10(1 / score - 1)``, infinite at 0 and 1.

    The logistic curve that chess federations and engine testers use in place of Arpad Elo's normal one
    (A. Elo, The Rating of Chessplayers, Past and Present, 1978, section 8.4).

    Raises:
        ValueError: a score outside 0..1.
    """
    if not 0 <= score <= 1:
        raise ValueError(f"score {score} is not between 0 and 1")
    if score in (0, 1):
        return inf if score else -inf
    return 400 * log10(score / (1 - score))


def score_from_elo(difference: float) -> float:
    """The score expected at a rating difference; the inverse of ``elo_from_score``."""
    # Either form alone overflows at one end.
    if difference < 0:
        odds = 10 ** (difference / 400)
        return odds / (1 + odds)
    return 1 / (1 + 10 ** (-difference / 400))


def elo_estimate(wins: int, draws: int, losses: int) -> EloEstimate:
    """The Elo difference with its 95% error bar.

    The error bar is the classical one of cutechess and fastchess: the ends of ``score +- 1.96 standard errors``
    mapped by the logistic curve, half their distance. Where all games ended alike the standard error is 0, which
    says nothing, so there the ends of ``score_interval`` are taken instead.

    Raises:
        ValueError: a negative count, or no games.
    """
    return estimate_of(
        mean_score(wins, draws, losses), score_standard_error(wins, draws, losses), score_interval(wins, draws, losses)
    )


def estimate_of(score: float, standard_error: float, interval: tuple[float, float]) -> EloEstimate:
    """The estimate that belongs to a mean score, its standard error and its 95% interval."""
    margin = normal_quantile(0.95) * standard_error
    low, high = (score - margin, score + margin) if margin > 0 else interval
    lower, upper = (elo_from_score(end) for end in interval)
    error_bar = (elo_from_score(high) - elo_from_score(low)) / 2 if low > 0 and high < 1 else inf
    return EloEstimate(elo_from_score(score), error_bar, lower, upper)
