"""Distributions over equally spaced outcomes, and the most likely ones under a condition.

A game has three outcomes, 0, 1/2 and 1; a pair of games has five, here 0, 1/4, 1/2, 3/4 and 1 points per game. The
functions below work for any number of outcomes: ``shares[i]`` is the share of trials that scored
``i / (len(shares) - 1)``. For observed shares, the likelihood of a distribution ``p`` grows with
``sum(share_i * log(p_i))``; the most likely distribution under a condition maximises this sum. It may give weight to
an outcome that was not observed, if the condition cannot be met otherwise.
"""

from collections.abc import Sequence
from math import copysign, hypot, log, sqrt

_NEWTON_STEPS = 200
_NEWTON_TOLERANCE = 1e-14
_ASCENT_STEPS = 20_000  # ten are enough unless two local maxima are about to merge
_ASCENT_TOLERANCE = 1e-10
_FIRST_RADII = (1 / 16, 1 / 8, 1 / 4, 1 / 2)


def shares_of(counts: Sequence[float]) -> list[float]:
    """Return the counts divided by their sum, which must not be 0."""
    total = sum(counts)
    return [count / total for count in counts]


def scores_of(shares: Sequence[float]) -> list[float]:
    """Return the scores of the outcomes, from 0 to 1."""
    return [index / (len(shares) - 1) for index in range(len(shares))]


def mean_of(shares: Sequence[float]) -> float:
    """Return the expected score, 0 to 1."""
    return sum(share * score for share, score in zip(shares, scores_of(shares), strict=True))


def variance_of(shares: Sequence[float]) -> float:
    """Return the variance of the score of one trial."""
    mean = mean_of(shares)
    return sum(share * (score - mean) ** 2 for share, score in zip(shares, scores_of(shares), strict=True))


def radius_of(shares: Sequence[float]) -> float:
    """Return the root mean square distance of the score from 1/2."""
    return sqrt(sum(share * (score - 0.5) ** 2 for share, score in zip(shares, scores_of(shares), strict=True)))


def most_likely_with_mean(shares: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution with the expected score ``mean``, 0 to 1, for observed shares."""
    if mean in (0, 1):
        return [float(score == mean) for score in scores_of(shares)]
    return _most_likely_balanced(shares, [score - mean for score in scores_of(shares)])


def most_likely_with_t_value(shares: Sequence[float], t_value: float) -> list[float]:
    """Return the most likely distribution with ``(mean - 1/2) / standard deviation`` equal to ``t_value``.

    It is the most likely distribution under which the ``t_value_deviations`` for its own radius average 0. M. Van den
    Bergh (https://www.cantate.be/Fishtest/normalized_elo_practical.pdf, section 4.1) iterates: mean and standard
    deviation of one distribution give the next, until they converge. Here the radius replaces both.
    If the t-value is larger than the observed one, each step increases the likelihood, but there may be several local
    maxima, so the iteration starts from several radii (our choice) and the likeliest result is returned. Otherwise
    there is one maximum, and the iteration from the observed radius converges to it.
    """
    if t_value == 0:
        return most_likely_with_mean(shares, 0.5)
    observed_radius = radius_of(shares)
    observed_lead = copysign(1, t_value) * (mean_of(shares) - 0.5)
    larger_asked = abs(t_value) / hypot(1, t_value) * observed_radius >= observed_lead
    radii = (observed_radius, *_FIRST_RADII) if larger_asked else (observed_radius,)
    ends = [_ascend(shares, t_value, radius) for radius in radii if _is_attainable(shares, t_value, radius)]
    return max(ends, key=lambda end: _log_likelihood(shares, end))


def t_value_deviations(shares: Sequence[float], t_value: float, radius: float) -> list[float]:
    """Return each outcome's contribution to a t-value above the given one.

    The contributions average 0 under a distribution with this t-value and radius. With ``b`` the distance of a score
    from 1/2, ``r`` the radius and ``u = t / sqrt(1 + t^2)``, the mean of ``b`` over the radius, they are
    ``b - u (r + b^2 / r) / 2``.
    """
    slope = t_value / hypot(1, t_value)
    distances = [score - 0.5 for score in scores_of(shares)]
    if slope == 0:
        return distances
    return [distance - slope * (radius + distance**2 / radius) / 2 for distance in distances]


def _is_attainable(shares: Sequence[float], t_value: float, radius: float) -> bool:
    if radius == 0:
        return False
    deviations = t_value_deviations(shares, t_value, radius)
    return min(deviations) < 0 < max(deviations)


def _ascend(shares: Sequence[float], t_value: float, radius: float) -> list[float]:
    for _ in range(_ASCENT_STEPS):
        likely = _most_likely_balanced(shares, t_value_deviations(shares, t_value, radius))
        previous, radius = radius, radius_of(likely)
        if abs(radius - previous) <= _ASCENT_TOLERANCE * radius:
            return likely
    raise ArithmeticError(f"no distribution found with t-value {t_value} for the shares {list(shares)}")


def _log_likelihood(shares: Sequence[float], likely: Sequence[float]) -> float:
    return sum(share * log(chance) for share, chance in zip(shares, likely, strict=True) if share > 0)


def _most_likely_balanced(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the most likely distribution under which ``values``, some negative and some positive, average 0.

    It is ``share_i / (1 + x value_i)``, where ``x`` solves ``sum(share_i value_i / (1 + x value_i)) = 0`` between the
    poles of the extreme values (M. Van den Bergh, https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf,
    proposition 1.1). If the extreme outcome was not observed and there is no such ``x`` up to its pole, ``x`` is at the
    pole, and that outcome gets the remaining probability.
    """
    if sum(share * value for share, value in zip(shares, values, strict=True)) > 0:
        values = [-value for value in values]
    # Now x is between the pole of the greatest value and 0. It may be very close to the pole, so solve for its
    # distance from the pole: 1 + x value = base + distance * value then loses no digits.
    greatest = max(values)
    bases = [1 - value / greatest for value in values]
    terms = [(share, value, base) for share, value, base in zip(shares, values, bases, strict=True) if share > 0]
    if all(base > 0 for _, _, base in terms) and sum(share * value / base for share, value, base in terms) <= 0:
        likely = [share / base if share > 0 else 0.0 for share, base in zip(shares, bases, strict=True)]
        # Compute the remaining probability from the balance; a difference from 1 would lose more digits.
        deficit = -sum(chance * value for chance, value in zip(likely, values, strict=True))
        likely[values.index(greatest)] = deficit / greatest
        return likely
    low, high = 0.0, 1 / greatest
    distance = high
    for _ in range(_NEWTON_STEPS):
        ratios = [(share, value / (base + distance * value)) for share, value, base in terms]
        excess = sum(share * ratio for share, ratio in ratios)
        low, high = (distance, high) if excess > 0 else (low, distance)
        newton = distance + excess / sum(share * ratio**2 for share, ratio in ratios)
        if abs(newton - distance) <= _NEWTON_TOLERANCE * distance:
            break
        distance = newton if low < newton < high else (low + high) / 2
    return [share / (base + distance * value) for share, value, base in zip(shares, values, bases, strict=True)]
