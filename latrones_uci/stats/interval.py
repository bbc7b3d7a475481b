"""Confidence intervals of values that a test does not reject."""

from collections.abc import Callable
from math import hypot, isfinite, sqrt
from statistics import NormalDist

_CROSSING_STEPS = 100
_CROSSING_TOLERANCE = 1e-11


def score_interval_under(
    score: float, trials: int, variance_under: Callable[[float], float], confidence: float
) -> tuple[float, float]:
    """Return the interval of scores ``m`` within 0..1 with ``|score - m| <= z sqrt(variance_under(m) / trials)``.

    Args:
        score: the mean score of the trials, 0..1.
        trials: the number of trials.
        variance_under: the variance of one trial for an expected score ``m``.
        confidence: between 0 and 1, exclusive; ``z`` is its ``normal_quantile``.

    Raises:
        ValueError: the confidence is out of range.
    """
    if not (isfinite(confidence) and 0 < confidence < 1):
        raise ValueError(f"confidence {confidence}: expected a value between 0 and 1")

    def departure(candidate: float) -> float:
        return relative_departure(score - candidate, variance_under(candidate))

    limit = rejected_departure(trials, confidence)
    return crossing(departure, limit, 0.0, score), crossing(departure, limit, 1.0, score)


def relative_departure(distance: float, variance: float) -> float:
    """Return ``|distance| / sqrt(distance^2 + variance)``: 0 without a distance, 1 without variance.

    It equals ``rejected_departure`` if the distance is ``z`` standard errors.
    """
    return abs(distance) / hypot(sqrt(variance), distance) if distance else 0.0


def rejected_departure(trials: int, confidence: float) -> float:
    """Return ``z / sqrt(trials + z^2)``, the ``relative_departure`` of a distance of ``z`` standard errors."""
    quantile = normal_quantile(confidence)
    return quantile / sqrt(trials + quantile**2)


def crossing(departure: Callable[[float], float], limit: float, outside: float, inside: float) -> float:
    """Return where a departure that grows from 0 at ``inside`` to 1 at ``outside`` crosses the limit.

    The method is the Illinois variant of regula falsi (M. Dowell, P. Jarratt, BIT 11, 1971, 168-174).
    """
    if outside == inside:
        return inside
    above, below = 1 - limit, -limit
    kept_inside = kept_outside = False
    for _ in range(_CROSSING_STEPS):
        candidate = (outside * below - inside * above) / (below - above)
        excess = departure(candidate) - limit
        if abs(excess) <= _CROSSING_TOLERANCE or candidate in (outside, inside):
            return candidate
        # Halve the weight of an end that was kept twice; otherwise it could be kept in every step.
        if excess > 0:
            outside, above, below = candidate, excess, below / 2 if kept_inside else below
        else:
            inside, below, above = candidate, excess, above / 2 if kept_outside else above
        kept_inside, kept_outside = excess > 0, excess <= 0
    return inside


def normal_quantile(confidence: float) -> float:
    """Return the number of standard deviations on each side that enclose a share of a normal distribution."""
    return NormalDist().inv_cdf((1 + confidence) / 2)
