"""Student's t distribution, which the standard library lacks."""

from functools import lru_cache
from math import exp, lgamma, log, log1p, pi
from statistics import NormalDist

_FRACTION_STEPS = 500
_FRACTION_TOLERANCE = 1e-15
_TINY = 1e-300
_NEWTON_STEPS = 200
_NORMAL_FREEDOM = 1e7  # from here on the difference from the normal distribution is below 1e-7


def t_distribution(t_value: float, freedom: float) -> float:
    """Return the probability that a t-distributed value is below ``t_value``, 0 to 1.

    Args:
        t_value: any number.
        freedom: the degrees of freedom, above 0.
    """
    if freedom >= _NORMAL_FREEDOM:
        return NormalDist().cdf(t_value)
    beyond = _incomplete_beta(freedom / (freedom + t_value**2), freedom / 2, 0.5) / 2
    return 1 - beyond if t_value > 0 else beyond


@lru_cache(maxsize=256)  # tables ask for the same few again and again
def t_quantile(probability: float, freedom: float) -> float:
    """Return the value below which a t-distributed one is with a probability.

    Args:
        probability: from 1/2 up to 1, exclusive.
        freedom: the degrees of freedom, above 0.

    Raises:
        ValueError: the probability is out of range.
    """
    if not 0.5 <= probability < 1:
        raise ValueError(f"probability {probability}: expected 0.5 up to 1, exclusive")
    value = NormalDist().inv_cdf(probability)
    if freedom >= _NORMAL_FREEDOM:
        return value
    # The distribution function is concave above 0 and the normal quantile is below the root, so that no step of
    # Newton's method goes past the root.
    for _ in range(_NEWTON_STEPS):
        step = (probability - t_distribution(value, freedom)) / _density(value, freedom)
        value += step
        if abs(step) <= 1e-12 * max(value, 1.0):
            break
    return value


def _density(value: float, freedom: float) -> float:
    scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(scale - (freedom + 1) / 2 * log1p(value**2 / freedom))


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8, evaluated by the method of W. Lentz (Applied
    Optics 15, 1976, 668-671).
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction would converge slowly
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    numerator, denominator, value = 1.0, 0.0, 1.0
    for step in range(_FRACTION_STEPS):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        else:
            term = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        denominator = 1 / _not_zero(1 + term * denominator)
        numerator = _not_zero(1 + term / numerator)
        value *= numerator * denominator
        if step and abs(numerator * denominator - 1) < _FRACTION_TOLERANCE:
            break
    return front * (value - 1)


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
