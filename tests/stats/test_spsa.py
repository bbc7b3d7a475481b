"""SPSA: bounds and distinctness by property, its sequences against known values, and that it finds a maximum."""

from __future__ import annotations

import random
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latrones_uci.stats.spsa import Parameter, Spsa, Trial, disturb, update

PAIRS = 5000


@st.composite
def parameters(draw: st.DrawFn, name: str = "a") -> Parameter:
    low = draw(st.integers(-10_000, 10_000))
    high = low + draw(st.integers(1, 2_000))
    step = draw(st.floats(0.001, high - low))
    return Parameter(name, draw(st.integers(low, high)), low, high, step)


@given(parameters(), st.floats(0, 1), st.integers(0, PAIRS - 1), st.integers(0, 99))
def test_both_values_lie_within_the_bounds_and_differ(parameter: Parameter, place: float, pair: int, seed: int) -> None:
    value = parameter.clamped(parameter.minimum + place * (parameter.maximum - parameter.minimum))
    (trial,) = disturb(Spsa((parameter,)), [value], pair, PAIRS, seed)
    assert parameter.minimum <= min(trial.plus, trial.minus) < max(trial.plus, trial.minus) <= parameter.maximum
    assert (trial.gain > 0) == (trial.plus > trial.minus)


@given(parameters(), st.integers(0, PAIRS - 1), st.integers(-2, 2), st.floats(0.001, 1), st.integers(0, 99))
def test_the_value_moves_towards_the_winner_and_stays_within_the_bounds(
    parameter: Parameter, pair: int, result: int, rate: float, seed: int
) -> None:
    spsa = Spsa((parameter,), rate)
    trials = disturb(spsa, spsa.start, pair, PAIRS, seed)
    (after,) = update(spsa, spsa.start, trials, result)
    assert parameter.minimum <= after <= parameter.maximum
    won = trials[0].plus if result > 0 else trials[0].minus
    lost = trials[0].minus if result > 0 else trials[0].plus
    if result and parameter.minimum < parameter.start < parameter.maximum:
        assert (after > parameter.start) == (won > lost)
    if not result:
        assert after == parameter.start


def test_the_sequences_are_those_of_fishtest() -> None:
    """Its own arithmetic, for a step of 10, 1000 pairs, and a rate of 0.002."""
    step, pairs, rate = 10.0, 1000, 0.002
    spsa = Spsa((Parameter("a", 500, 0, 1000, step),), rate)
    stability = 0.1 * pairs
    first_size = step * pairs**0.101
    first_a = rate * step**2 * (stability + pairs) ** 0.602
    for pair in (0, 1, 9, 500, 999):
        size = first_size / (pair + 1) ** 0.101
        expected = first_a / (stability + pair + 1) ** 0.602 / size**2 * size
        seen = [disturb(spsa, [500.0], pair, pairs, seed)[0] for seed in range(2000)]
        assert {round(abs(trial.gain), 12) for trial in seen} == {round(expected, 12)}
        # Rounding at random keeps the mean, of the distance and of the values.
        assert sum(abs(trial.plus - trial.minus) for trial in seen) / 2000 == pytest.approx(2 * size, abs=0.1)
        assert sum(trial.plus + trial.minus for trial in seen) / 4000 == pytest.approx(500, abs=0.1)
        assert sum(trial.plus > trial.minus for trial in seen) == pytest.approx(1000, abs=100)
    assert (first_size, size) == (pytest.approx(20.09, abs=0.01), step)


def test_a_step_below_a_half_still_compares_two_values() -> None:
    spsa = Spsa((Parameter("a", 3, 0, 9, 0.01), Parameter("b", 0, 0, 1, 1)), 0.1)
    for pair in range(50):
        small, bit = disturb(spsa, [3.2, 0.7], pair, 50, 0)
        assert {small.plus, small.minus} in ({2, 3}, {3, 4})
        assert {bit.plus, bit.minus} == {0, 1}


def test_trials_depend_on_the_seed_and_the_pair_only() -> None:
    spsa = Spsa((Parameter("a", 500, 0, 1000, 10), Parameter("b", 500, 0, 1000, 10)))
    for pair in (0, 7):
        assert disturb(spsa, [10, 20], pair, 100, 1) == disturb(spsa, [10, 20], pair, 100, 1)
    signs = {
        tuple(trial.plus > trial.minus for trial in disturb(spsa, [500, 500], pair, 100, seed))
        for pair in range(8) for seed in range(2)
    }
    assert signs == {(True, True), (True, False), (False, True), (False, False)}


def test_an_update_is_the_gain_times_the_result_and_the_gain_depends_on_the_rate() -> None:
    spsa = Spsa((Parameter("a", 50, 0, 100, 5), Parameter("b", 50, 0, 52, 5)))
    trials = (Trial(55, 45, 0.25), Trial(45, 55, -1.5))
    assert update(spsa, (50.0, 50.0), trials, 2) == (50.5, 47.0)
    assert update(spsa, (50.0, 50.0), trials, -2) == (49.5, 52.0)  # at its maximum
    # The default rate is larger for few pairs.
    assert [spsa.rate_of(pairs) for pairs in (1, 200, 1000, 10_000, 50_000)] == [0.1, 0.1, 0.02, 0.002, 0.002]
    assert Spsa(spsa.parameters, 0.01).rate_of(1) == 0.01


def simulated(spsa: Spsa, best: tuple[float, ...], pairs: int, seed: int) -> tuple[float, ...]:
    """Tune against a model: 50 off the best value of each parameter 60 Elo are lost; half of the games are draws."""
    chance, values = random.Random(seed), spsa.start
    for pair in range(pairs):
        trials = disturb(spsa, values, pair, pairs, seed)
        lost = sum(
            60 * (((trial.plus - aim) / 50) ** 2 - ((trial.minus - aim) / 50) ** 2)
            for trial, aim in zip(trials, best, strict=True)
        )
        expected = 1 / (1 + 10 ** (lost / 400))
        drawn = 2 * expected * (1 - expected)
        weights = (expected - drawn / 2, drawn, 1 - expected - drawn / 2)
        values = update(spsa, values, trials, sum(chance.choices((1, 0, -1), weights, k=2)))
    return values


@pytest.mark.long
def test_tuning_finds_the_best_values() -> None:
    """Three parameters at a distance of 20 to 40 from the maximum come within 4 of it (root of the mean square)."""
    spsa = Spsa(tuple(Parameter(name, 50, 0, 150, 12) for name in "abc"))
    best = (90.0, 30.0, 75.0)
    found = [simulated(spsa, best, 3000, seed) for seed in range(8)]
    errors = [(value - aim) ** 2 for values in found for value, aim in zip(values, best, strict=True)]
    assert sqrt(sum(errors) / len(errors)) < 4


@pytest.mark.parametrize(("parameters", "rate", "message"), [
    ([("a", 5, 5, 5, 1)], 0.1, "minimum 5 is not below maximum 5"),
    ([("a", 5, 0, 9, float("nan"))], 0.1, "step nan is not above 0"),
    ([("", 5, 0, 9, 1)], 0.1, "the name is missing"),
    ([], 0.1, "parameters: none given; expected at least one"),
    ([("a", 5, 0, 9, 1), ("A", 5, 0, 9, 1)], 0.1, "duplicate parameter 'a'"),
    ([("a", 5, 0, 9, 1)], 0, "rate: 0 is not above 0 and at most 1"),
    ([("a", 5, 0, 9, 1)], 1.5, "rate: 1.5 is not above 0 and at most 1"),
])
def test_what_cannot_be_tuned(parameters: list[tuple[str, int, int, int, float]], rate: float, message: str) -> None:
    """See the tests of the tuner for what the command line can say wrong."""
    with pytest.raises(ValueError, match=message):
        Spsa(tuple(Parameter(*values) for values in parameters), rate)
