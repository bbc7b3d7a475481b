from math import inf, log, nan
from typing import Any

import pytest

from latrones_uci.stats import (
    EloModel,
    Pentanomial,
    Sprt,
    Verdict,
    game_log_likelihood_ratio,
    log_likelihood_ratio,
    score_from_elo,
    sprt_verdict,
)

MODELS: tuple[EloModel, ...] = ("logistic", "normalized")


def ratio(results: tuple[int, ...], elo0: float, elo1: float, model: EloModel = "normalized") -> float:
    """Return the ratio of five counts of pairs, or of wins, draws and losses of games."""
    test = Sprt(elo0, elo1, model=model)
    if len(results) == 3:
        return game_log_likelihood_ratio(test, *results)
    return log_likelihood_ratio(test, results)  # type: ignore[arg-type]


# Results of fishtest's LLRcalc.py (LLR_logistic and LLR_normalized), as quoted with all digits by the tests of another
# project; the first two rows of counts are those of the self-test in fishtest's stat_util.py.
FISHTEST = [
    ((10789, 19328, 33806, 19402, 10543), -3, 1, "logistic", 2.1310678117855),
    ((10789, 19328, 33806, 19402, 10543), -3, 1, "normalized", 0.3008697855030),
    ((39, 2226, 31451, 2412, 40), 0.2, 0.9, "logistic", 2.1625425800491),
    ((39, 2226, 31451, 2412, 40), 0.764, 3.439, "normalized", 2.1629408695842),
    ((0, 10, 20, 50, 20), 0, 5, "logistic", 1.4286861064745),
    ((0, 10, 20, 50, 20), 0, 5, "normalized", 1.2688964039771),
    ((3, 20, 45, 25, 7), 0, 10, "logistic", 0.6959726064981),
    ((3, 20, 45, 25, 7), 0, 10, "normalized", 0.4949702786679),
    ((0, 0, 50, 0, 0), 0, 5, "logistic", -0.7176058361125),
    ((0, 0, 50, 0, 0), 0, 5, "normalized", -0.0175612485718),
    ((0, 0, 40, 10, 0), 0, 5, "normalized", 0.3125543594995),
]
# Pairs or wins, draws and losses from fastchess, app/tests/sprt_test.cpp, whose tolerance is 1%.
FASTCHESS = [
    ((365, 16618, 36229, 16974, 390), 0, 2, "normalized", 2.25),
    ((0, 0, 0, 0, 5550), 0, 5, "normalized", 111.82),
    ((223, 9863, 21279, 10037, 246), 0.5, 2.5, "logistic", -3.07),
    ((36433, 68692, 36027), 0, 2, "normalized", 0.92),
    ((4250, 0, 0), 0, 10, "normalized", 120.56),
    ((57433, 106593, 57030), 0, 2, "logistic", -2.59),
]
# Found by a pattern search over all distributions of pairs, and by a search over the share of draws in games.
SEARCHED = [
    ((3, 20, 45, 25, 7), -10, 60, "logistic", -0.53381),
    ((3, 20, 45, 25, 7), -10, 60, "normalized", 1.152645),
    ((9, 4, 2, 30, 60), -10, 60, "logistic", 14.840092),
    ((9, 4, 2, 30, 60), -10, 60, "normalized", 17.618833),
    # A normalised Elo of -220 is far from the observed one, and there are two local maxima: more pairs with half a
    # point, or more with none. The first is higher, but the search may start near the second.
    ((2, 5, 56, 2, 1), -220, -35.039134, "normalized", 26.271939),
    ((30, 40, 20), -400, 600, "normalized", -1.304358),
    ((5, 200, 3), 0, 150, "normalized", -23.913968),
    ((80, 10, 2), -5, 5, "normalized", 2.3779),
    ((80, 10, 2), -400, 600, "normalized", 167.597629),
]


@pytest.mark.parametrize(("arguments", "expected"), [
    *((row[:4], pytest.approx(row[4], abs=1e-8)) for row in FISHTEST),
    *((row[:4], pytest.approx(row[4], rel=4e-3)) for row in FASTCHESS),
    *((row[:4], pytest.approx(row[4], abs=1e-5)) for row in SEARCHED),
])
def test_known_ratios(arguments: tuple[Any, ...], expected: object) -> None:
    assert ratio(*arguments) == expected


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pairs", [(3, 20, 45, 25, 7), (0, 1, 2, 30, 40), (0, 0, 9, 0, 0), (1, 0, 0, 0, 0)])
def test_invariances(pairs: Pentanomial, model: EloModel) -> None:
    value = ratio(pairs, -5, 20, model)
    assert ratio(pairs[::-1], -20, 5, model) == pytest.approx(-value, abs=1e-9)
    double = tuple(2 * count for count in pairs)
    assert ratio(double, -5, 20, model) == pytest.approx(2 * value, rel=0.05)
    assert ratio(pairs, -5, 6, model) + ratio(pairs, 6, 20, model) == pytest.approx(value, abs=1e-9)
    for index in range(4):
        if pairs[index]:
            better = [count + (position == index + 1) - (position == index) for position, count in enumerate(pairs)]
            assert ratio(tuple(better), -5, 20, model) > value


@pytest.mark.parametrize("model", MODELS)
def test_ratio_is_finite_for_extreme_hypotheses_and_counts(model: EloModel) -> None:
    for index in range(5):
        for count in (1, 10**6):
            pairs = tuple(count * (position == index) for position in range(5))
            assert abs(ratio(pairs, -2000, 2000, model)) < inf


def test_verdicts() -> None:
    test = Sprt(0, 5, alpha=0.05, beta=0.1)
    assert (test.lower, test.upper) == pytest.approx((log(0.1 / 0.95), log(0.9 / 0.05)))  # those of Wald
    test = Sprt(0, 10)
    assert log_likelihood_ratio(test, (0, 0, 0, 0, 0)) == game_log_likelihood_ratio(test, 0, 0, 0) == 0
    for pairs, verdict in (
        ((0, 0, 0, 0, 0), Verdict.CONTINUE),
        ((3, 20, 45, 25, 7), Verdict.CONTINUE),
        ((30, 200, 450, 250, 70), Verdict.ACCEPT_H1),
        ((70, 250, 450, 200, 30), Verdict.ACCEPT_H0),
    ):
        assert sprt_verdict(test, pairs) is verdict


def test_error_rates_are_within_the_allowed_ones() -> None:
    # Exact probabilities of all paths, for pairs with 0 or 2 points; both rates are bounded by Wald's inequalities.
    test = Sprt(-100, 100, alpha=0.1, beta=0.2, model="logistic")
    accepted = {}
    for elo in (test.elo0, test.elo1):
        win = score_from_elo(elo)
        paths, accepted[elo] = {(0, 0): 1.0}, dict.fromkeys(Verdict, 0.0)
        for _ in range(100):
            reached: dict[tuple[int, int], float] = {}
            for (wins, losses), chance in paths.items():
                for state, part in (((wins + 1, losses), chance * win), ((wins, losses + 1), chance * (1 - win))):
                    reached[state] = reached.get(state, 0.0) + part
            paths = {}
            for (wins, losses), chance in reached.items():
                verdict = sprt_verdict(test, (losses, 0, 0, 0, wins))
                accepted[elo][verdict] += chance
                if verdict is Verdict.CONTINUE:
                    paths[wins, losses] = chance
                    accepted[elo][verdict] -= chance
    assert sum(paths.values()) < 1e-6
    false_h1, false_h0 = accepted[test.elo0][Verdict.ACCEPT_H1], accepted[test.elo1][Verdict.ACCEPT_H0]
    assert 0.02 < false_h1 <= test.alpha / (1 - test.beta)
    assert 0.05 < false_h0 <= test.beta / (1 - test.alpha)
    assert false_h1 + false_h0 <= test.alpha + test.beta


@pytest.mark.parametrize(("arguments", "message"), [
    ({"elo0": 5, "elo1": 0}, "elo0 5: expected a value below elo1 0"),
    ({"elo0": 3, "elo1": 3}, "elo0 3: expected a value below elo1 3"),
    ({"elo0": nan, "elo1": 5}, "elo0 nan: "),
    ({"elo0": 0, "elo1": inf}, "elo1 inf: "),
    ({"elo0": -2001, "elo1": 5}, "elo0 -2001: expected -2000 to 2000"),
    ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha 0: "),
    ({"elo0": 0, "elo1": 5, "beta": nan}, "beta nan: "),
    ({"elo0": 0, "elo1": 5, "alpha": 0.5, "beta": 0.5}, "alpha 0.5 and beta 0.5: "),
    ({"elo0": 0, "elo1": 5, "model": "bayesian"}, "model 'bayesian': "),
])
def test_impossible_tests(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(**arguments)  # type: ignore[arg-type]


def test_impossible_counts() -> None:
    test = Sprt(0, 5)
    for function in (log_likelihood_ratio, sprt_verdict):
        with pytest.raises(ValueError, match="negative count"):
            function(test, (1, 2, 3, 4, -5))
    with pytest.raises(ValueError, match="negative count"):
        game_log_likelihood_ratio(test, 1, 2, -3)
