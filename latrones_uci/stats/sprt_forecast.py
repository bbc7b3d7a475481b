"""How a sequential test will probably end, and in how many pairs, if the difference of the players is known.

The LLR is a random walk: each pair adds to it the jump of its points (``likelihood_jumps``). It is modelled as a
Brownian motion with the mean and the variance of these jumps, between the two bounds of the test, until a given number
of pairs. Each bound is moved outwards by the mean overshoot of the last jump (D. Siegmund, Sequential Analysis, 1985,
chapters 3 and 10); as in fishtest, that is half the mean square of the jumps towards the bound divided by their mean,
here of a walk without a trend. A bound against the trend is moved further, because jumps are not symmetric. The
probabilities are sums over mirror images of the bounds (D. R. Cox and H. D. Miller, The Theory of Stochastic Processes,
1965, section 5.7).

``scripts/simulate.py gate`` compares the results with simulated tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, copysign, erfc, exp, isfinite, log, pi, sqrt

from latrones_uci.stats.estimate import CONFIDENCE, estimate_from_pairs, t_quantile
from latrones_uci.stats.multinomial import shares_of
from latrones_uci.stats.results import Pentanomial, pair_count
from latrones_uci.stats.sprt import (
    MAX_HYPOTHESIS_ELO,
    Sprt,
    Verdict,
    likelihood_jumps,
    log_likelihood_ratio,
    most_likely_under,
)

_LEAST_SHARE = 1e-6
_NO_TREND = 1e-3
_LONG = 0.95  # of the tests end within ``long_pairs``
_LONGEST = 1 - 1e-9
_LAST_WIDTHS = 10.0  # after so many squares of the width of the bounds, no motion is left between them
_SIMPSON_STEPS = 200
_BISECTIONS = 60
_FAR = 8.0  # standard deviations, beyond which nothing is left of a normal distribution
_ASYMPTOTIC = -30.0


@dataclass(frozen=True)
class SprtForecast:
    """How a test of at most a given number of pairs ends; the four probabilities add up to 1."""

    accept_h0: float
    """Probability that the test accepts H0."""
    accept_h1: float
    """Probability that it accepts H1."""
    below_h0: float
    """Probability of no verdict in all pairs, with a 95% interval below ``elo0``, which counts as H0."""
    no_verdict: float
    """Probability of no verdict otherwise."""
    mean_pairs: float
    """The expected number of pairs."""
    long_pairs: float
    """The number of pairs that 95% of such tests do not exceed."""


def independent_pairs(wins: float, draws: float, losses: float) -> list[float]:
    """Return the shares of pairs with 0, 1/2, 1, 3/2 and 2 points if their games are independent.

    The arguments are shares or counts of games; at least one is above 0.
    """
    total = wins + draws + losses
    game = (losses / total, draws / total, wins / total)
    return [sum(game[first] * game[points - first] for first in range(3) if 0 <= points - first < 3)
            for points in range(5)]


USUAL_DRAW_RATIO = 0.65
"""The share of drawn games where no counts are known: that of two near versions in latrones."""
USUAL_PAIRS = tuple(independent_pairs(1 - USUAL_DRAW_RATIO, 2 * USUAL_DRAW_RATIO, 1 - USUAL_DRAW_RATIO))
"""The shares of pairs by points between equal players with these draws."""


def forecast_rest(sprt: Sprt, pairs: Pentanomial, most_pairs: int) -> SprtForecast | None:
    """Return how the rest of a running test ends if the true difference is the measured one.

    Args:
        sprt: the test.
        pairs: the pairs played.
        most_pairs: the number of pairs, with these, after which the test ends without a verdict.

    Returns:
        The forecast of the pairs to come; None if there are none, or if the difference has no bounds yet.
    """
    played, ratio = pair_count(pairs), log_likelihood_ratio(sprt, pairs)
    if played == 0 or played >= most_pairs or sprt.verdict(ratio) is not Verdict.CONTINUE:
        return None
    found = estimate_from_pairs(pairs)
    measured = found.normalized_elo if sprt.model == "normalized" else found.elo
    if not (isfinite(measured.low) and isfinite(measured.high)):
        return None
    elo = min(max(measured.value, -MAX_HYPOTHESIS_ELO), MAX_HYPOTHESIS_ELO)
    return forecast_sprt(sprt, elo, shares_of(pairs), most_pairs - played, ratio, played)


def forecast_sprt(
    sprt: Sprt, elo: float, shares: Sequence[float], most_pairs: int, ratio: float = 0.0, played: int = 0
) -> SprtForecast:
    """Return how a test ends if the true difference is ``elo``.

    Args:
        sprt: the test; ``elo`` is in the kind of Elo of its hypotheses.
        elo: the true difference, from -2000 to 2000.
        shares: the shares of pairs with 0, 1/2, 1, 3/2 and 2 points for players with any difference; the pairs of the
            test have the most likely distribution with the true one. Not all are alike.
        most_pairs: the number of pairs to come after which the test ends without a verdict; at least 1.
        ratio: the LLR of the pairs played, between the bounds.
        played: their number. The forecast is that of the pairs to come.
    """
    shares = shares_of([max(share, _LEAST_SHARE) for share in shares])
    chances = most_likely_under(sprt.model, elo, shares, games_per_trial=2)
    jumps = likelihood_jumps(sprt, chances, games_per_trial=2)
    trend = sum(chance * jump for chance, jump in zip(chances, jumps, strict=True))
    variance = sum(chance * (jump - trend) ** 2 for chance, jump in zip(chances, jumps, strict=True))
    deviation, stretch = sqrt(variance), _stretch(chances, jumps, trend, variance)
    middle = most_likely_under(sprt.model, (sprt.elo0 + sprt.elo1) / 2, shares, games_per_trial=2)
    steady = likelihood_jumps(sprt, middle, games_per_trial=2)
    below = (_overshoot(middle, [-jump for jump in steady]) - sprt.lower + ratio) / deviation
    above = (_overshoot(middle, steady) + sprt.upper - ratio) / deviation
    walk = _Walk(trend / deviation, below * stretch if trend > 0 else below, above * stretch if trend < 0 else above)
    accept_h0, accept_h1 = walk.ended_below(most_pairs), walk.ended_above(most_pairs)
    # The LLR of a match with exactly the difference elo0, and below it by the half of an interval.
    under_h0 = most_likely_under(sprt.model, sprt.elo0, shares, games_per_trial=2)
    level = sum(chance * jump for chance, jump in zip(under_h0, jumps, strict=True)) / deviation
    all_pairs = played + most_pairs
    margin = t_quantile((1 + CONFIDENCE) / 2, all_pairs)
    below_h0 = walk.left_below(all_pairs * level - sqrt(all_pairs) * margin - ratio / deviation, most_pairs)
    return SprtForecast(
        accept_h0, accept_h1, below_h0, max(0.0, 1 - accept_h0 - accept_h1 - below_h0),
        walk.mean_time(most_pairs), min(float(most_pairs), walk.time_of(_LONG)),
    )


def _stretch(chances: Sequence[float], jumps: Sequence[float], trend: float, variance: float) -> float:
    """Return how many times further away a bound against the trend is for the motion than for the walk.

    A walk passes it with a probability of ``exp(-x * bound)``, with the ``x`` for which ``exp(x * jump)`` averages 1
    (A. Wald, Sequential Analysis, 1947, appendix A.2). For the motion it is ``x = -2 * trend / variance``.
    """
    low = high = motion = -2 * trend / variance
    if abs(motion) < _NO_TREND:
        return 1.0
    while _grows(low, chances, jumps):
        low /= 2
    while not _grows(high, chances, jumps):
        high *= 2
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if _grows(middle, chances, jumps) else (middle, high)
    return high / motion


def _grows(tilt: float, chances: Sequence[float], jumps: Sequence[float]) -> bool:
    """Return whether ``exp(tilt * jump)`` averages more than 1."""
    most = max(tilt * jump for jump in jumps)  # so that no power is too large
    return most + log(sum(chance * exp(tilt * jump - most) for chance, jump in zip(chances, jumps, strict=True))) > 0


def _overshoot(chances: Sequence[float], jumps: Sequence[float]) -> float:
    """Return by how much a walk passes a bound above it on average."""
    upwards = [(chance, jump) for chance, jump in zip(chances, jumps, strict=True) if jump > 0]
    return sum(chance * jump**2 for chance, jump in upwards) / sum(chance * jump for chance, jump in upwards) / 2


@dataclass(frozen=True)
class _Walk:
    """A Brownian motion from 0 with variance 1 in a unit of time, until it leaves an interval."""

    trend: float
    """Its mean in a unit of time."""
    below: float
    """The distance of the lower bound, above 0."""
    above: float
    """The distance of the upper bound, above 0."""

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.below + self.above

    def ended_above(self, time: float) -> float:
        """Return the probability that it has left the interval at the top by some time, above 0."""
        return self._ended(self.trend, self.above, time)

    def ended_below(self, time: float) -> float:
        """Return the probability that it has left the interval at the bottom."""
        return self._ended(-self.trend, self.below, time)

    def _ended(self, trend: float, bound: float, time: float) -> float:
        time = min(time, _LAST_WIDTHS * self.width**2)
        root, speed, found = sqrt(time), abs(trend), 0.0
        for image in self._images(time):
            place = bound + 2 * image * self.width
            distance = abs(place)
            found += copysign(1, place) * (
                _weighted(trend * bound - speed * distance, (speed * time - distance) / root)
                + _weighted(trend * bound + speed * distance, (-speed * time - distance) / root)
            )
        return min(max(found, 0.0), 1.0)

    def left_below(self, level: float, time: float) -> float:
        """Return the probability that it has not left the interval and is below a level."""
        if level <= -self.below or time >= _LAST_WIDTHS * self.width**2:
            return 0.0
        root, found = sqrt(time), 0.0
        for image in self._images(time):
            shift = 2 * image * self.width
            for sign, place in ((1, shift), (-1, 2 * self.above - shift)):
                low, high = ((end - place - self.trend * time) / root for end in (-self.below, min(level, self.above)))
                low, high = (-high, -low) if low > 0 else (low, high)  # where no digits are lost
                found += sign * (_weighted(self.trend * place, high) - _weighted(self.trend * place, low))
        return min(max(found, 0.0), 1.0)

    def _images(self, time: float) -> range:
        """Return the images of the interval that are near enough to count."""
        most = 1 + ceil(_FAR * sqrt(time) / self.width / 2)
        return range(-most, most + 1)

    def time_of(self, share: float) -> float:
        """Return the time by which it has left the interval with some probability."""
        low, high = 0.0, _LAST_WIDTHS * self.width**2
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.ended_above(middle) + self.ended_below(middle) < share else (low, middle)
        return high

    def mean_time(self, most: float) -> float:
        """Return the mean of the time at which it leaves the interval, or ``most`` if that is earlier."""
        step = min(most, self.time_of(_LONGEST)) / _SIMPSON_STEPS
        left = [1 - self.ended_above(step * index) - self.ended_below(step * index)
                for index in range(1, _SIMPSON_STEPS + 1)]
        return step / 3 * (1 + 4 * sum(left[0::2]) + 2 * sum(left[1:-1:2]) + left[-1])


def _weighted(exponent: float, value: float) -> float:
    """Return ``exp(exponent)`` times the probability that a normal variable is below a value.

    Either factor may be too large or too small for a number.
    """
    if value > _ASYMPTOTIC:
        return exp(exponent + log(erfc(-value / sqrt(2)) / 2))
    return exp(exponent - value**2 / 2) / (-value * sqrt(2 * pi))
