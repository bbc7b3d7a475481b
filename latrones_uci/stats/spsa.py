"""SPSA: tune the integer parameters of an engine by pairs of games of two versions of it, one on either side.

In each pair of games all parameters are disturbed at once, each up or down at random. One version has the disturbed
values, the other one those disturbed the opposite way, and the result of the pair moves the values towards the winner's
(simultaneous perturbation stochastic approximation: Spall, "Multivariate Stochastic Approximation Using a Simultaneous
Perturbation Gradient Approximation", 1992). The sequences of disturbances and of rates, and their constants, are those
of fishtest, the test server of Stockfish (``spsa_handler.py`` at https://github.com/official-stockfish/fishtest).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite

MIN_DEFAULT_RATE, MAX_DEFAULT_RATE = 0.002, 0.1
"""The default rates of long tunings, which is that of fishtest, and of very short ones."""
_REACH = 20.0  # the default rate of others, times the number of pairs
_ALPHA, _GAMMA = 0.602, 0.101  # how the rates and the disturbances decrease: the least values that Spall allows
_STABILITY = 0.1  # part of all pairs that is added to the number of a pair, so that the first rates are not too large
_MIN_DISTURBANCE = 0.5  # with less, both versions could have the same integer


@dataclass(frozen=True)
class Parameter:
    """A parameter to tune.

    Raises:
        ValueError: the numbers do not fit together.
    """

    name: str
    """Its name, unique whatever the case."""
    start: int
    """The first value."""
    minimum: int
    """The least value."""
    maximum: int
    """The greatest value."""
    step: float
    """The disturbance of the last pair; earlier ones are larger."""

    def __post_init__(self) -> None:
        """Check the values."""
        if not self.name:
            raise ValueError("the name is missing")
        if not self.minimum < self.maximum:
            raise ValueError(f"minimum {self.minimum} is not below maximum {self.maximum}")
        span = f"{self.minimum} to {self.maximum}"
        if not self.minimum <= self.start <= self.maximum:
            raise ValueError(f"start {self.start} is not within {span}")
        if not (isfinite(self.step) and 0 < self.step <= self.maximum - self.minimum):
            raise ValueError(f"step {self.step:g} is not above 0 and at most the width of {span}")

    def clamped(self, value: float) -> float:
        """Return the nearest value between minimum and maximum."""
        return min(max(value, float(self.minimum)), float(self.maximum))


@dataclass(frozen=True)
class Spsa:
    """A tuning.

    Raises:
        ValueError: no parameter, a duplicate name, or a rate that is not above 0 and at most 1.
    """

    parameters: tuple[Parameter, ...]
    """The parameters."""
    rate: float | None = None
    """The rate of the last pair: the part of its step by which each point of the pair moves a parameter. None for a
    rate with which parameters can move by about 60 steps, from ``MIN_DEFAULT_RATE`` to ``MAX_DEFAULT_RATE``."""

    def __post_init__(self) -> None:
        """Check the values."""
        if not self.parameters:
            raise ValueError("parameters: none given; expected at least one")
        names = [parameter.name.lower() for parameter in self.parameters]
        for parameter in self.parameters:
            if names.count(parameter.name.lower()) > 1:
                raise ValueError(f"duplicate parameter {parameter.name!r}")
        if self.rate is not None and not 0 < self.rate <= 1:
            raise ValueError(f"rate: {self.rate:g} is not above 0 and at most 1")

    def rate_of(self, pairs: int) -> float:
        """Return the rate of the last of a number of pairs."""
        return self.rate or min(max(MIN_DEFAULT_RATE, _REACH / pairs), MAX_DEFAULT_RATE)

    @property
    def start(self) -> tuple[float, ...]:
        """The first values."""
        return tuple(float(parameter.start) for parameter in self.parameters)


@dataclass(frozen=True)
class Trial:
    """The values of a parameter in a pair of games."""

    plus: int
    """The value of the first version."""
    minus: int
    """The value of the second version, never the same."""
    gain: float
    """The change of the parameter for each point that the first version wins; negative if ``plus`` is below ``minus``.
    """


def disturb(spsa: Spsa, values: Sequence[float], pair: int, pairs: int, seed: int) -> tuple[Trial, ...]:
    """Return the trials of a pair of games; the same arguments give the same trials.

    Args:
        spsa: the tuning.
        values: the present value of each parameter.
        pair: number of the pair, from 0.
        pairs: number of pairs of the tuning.
        seed: random seed.
    """
    chance = random.Random(f"spsa:{seed}:{pair}")
    widening, rate = _sequences(pair + 1, pairs)
    trials = []
    for parameter, value in zip(spsa.parameters, values, strict=True):
        direction, fraction = (1 if chance.getrandbits(1) else -1), chance.random()
        # Both values lie within the bounds, at the same distance from the middle; at a bound the middle moves inwards.
        most = (parameter.maximum - parameter.minimum) / 2
        size = min(max(parameter.step * widening, _MIN_DISTURBANCE), most)
        middle = min(max(value, parameter.minimum + size), parameter.maximum - size)
        # One fraction rounds both up or down at random: on average to the middle and the size, and at least 1 apart.
        high, low = floor(middle + size + fraction), floor(middle - size + fraction)
        high, low = min(high, parameter.maximum), max(low, parameter.minimum)
        plus, minus = (high, low) if direction > 0 else (low, high)
        trials.append(Trial(plus, minus, direction * spsa.rate_of(pairs) * rate * size))
    return tuple(trials)


def update(spsa: Spsa, values: Sequence[float], trials: Sequence[Trial], result: int) -> tuple[float, ...]:
    """Return the values after a pair of games.

    ``result`` is wins less losses of the first version, -2 to 2.
    """
    return tuple(
        parameter.clamped(value + trial.gain * result)
        for parameter, value, trial in zip(spsa.parameters, values, trials, strict=True)
    )


def _sequences(number: int, pairs: int) -> tuple[float, float]:
    """Return the disturbance and the rate of a pair, in those of the last one; ``number`` counts from 1."""
    stability = _STABILITY * pairs
    widening = (pairs / number) ** _GAMMA
    return widening, ((stability + pairs) / (stability + number)) ** _ALPHA / widening**2
