"""The posterior of a noisy bisection against numbers integrated step by step, and what it says of plain cases."""

from math import exp, pi, sqrt

import pytest

from latrones_uci.stats.bisection import LOSS_SCALE, credible_set, inseparable, next_version, posterior
from latrones_uci.stats.estimate import NORMALIZED_ELO_UNIT
from latrones_uci.stats.results import Pentanomial

EVEN: Pentanomial = (10, 20, 40, 20, 10)
LOST: Pentanomial = (20, 30, 30, 15, 5)
NONE: Pentanomial = (0, 0, 0, 0, 0)


def integrated(pairs: list[Pentanomial], suspects: list[int]) -> tuple[list[float], float, float]:
    """Return chances, that of no loss and the expected loss, by sums over a fine grid of losses."""
    squares = [sum(count * (points / 4 - mean) ** 2 for points, count in enumerate(each))
               for each in pairs if sum(each)
               for mean in [sum(points / 4 * count for points, count in enumerate(each)) / sum(each)]]
    deviation = sqrt((sum(squares) + 0.5) / (sum(map(sum, pairs)) + 2))
    scale = LOSS_SCALE / NORMALIZED_ELO_UNIT * sqrt(2)
    step = scale / 2000
    weights, moments = [], []
    for commit in suspects:
        weight = moment = 0.0
        for number in range(20_000):
            loss = (number + 0.5) * step
            likelihood = 2 / (sqrt(2 * pi) * scale) * exp(-((loss / scale) ** 2) / 2)
            for each in pairs[commit:]:
                for points, count in enumerate(each):
                    result = (points / 4 - 0.5) / deviation
                    likelihood *= exp(-count * (loss * result + loss**2 / 2))
            weight += likelihood * step
            moment += likelihood * step * loss
        weights.append(weight / len(suspects) / 2)
        moments.append(moment / len(suspects) / 2)
    total = sum(weights) + 0.5
    unit = NORMALIZED_ELO_UNIT / sqrt(2)
    return [weight / total for weight in weights], 0.5 / total, unit * sum(moments) / sum(weights)


@pytest.mark.long
@pytest.mark.parametrize(("pairs", "suspects"), [
    ([EVEN, LOST], [0, 1]),
    ([NONE, EVEN, LOST, NONE, LOST], [0, 1, 2, 3, 4]),
    ([EVEN, LOST, NONE, LOST], [1, 3]),
    ([NONE, NONE, (2, 4, 30, 8, 6)], [0, 1, 2]),
    ([NONE, (1, 3, 20, 30, 25)], [0, 1]),  # far stronger than the base
])
def test_the_closed_form_is_the_integral(pairs: list[Pentanomial], suspects: list[int]) -> None:
    found = posterior(pairs, suspects)
    chances, no_loss, loss = integrated(pairs, suspects)
    assert [found.chances[commit] for commit in suspects] == pytest.approx(chances, rel=1e-4)
    assert (found.no_loss, found.loss) == pytest.approx((no_loss, loss), rel=1e-4)
    assert sum(found.chances) + found.no_loss == pytest.approx(1)
    assert all(found.chances[commit] == 0 for commit in range(len(pairs)) if commit not in suspects)


def test_without_games_all_commits_are_alike() -> None:
    found = posterior([NONE] * 4)
    assert found.no_loss == 0.5
    assert found.chances == (0.125,) * 4
    assert next_version(found, range(4), (), 0.95) == 3


def test_the_commit_between_even_and_lost_games_is_found() -> None:
    found = posterior([EVEN, NONE, EVEN, LOST, NONE, LOST])
    assert max(found.chances) == found.chances[3] > 0.9
    assert found.loss == pytest.approx(115, abs=20)
    assert 10 < found.loss_error < 40


def test_many_games_make_certain_and_never_overflow() -> None:
    many = [tuple(1000 * count for count in each) for each in (EVEN, LOST)]
    for pairs, commit in ((many, 1), (many[1:], 0)):
        found = posterior(pairs)  # type: ignore[arg-type]
        assert found.chances[commit] == pytest.approx(1)
    stronger = posterior([many[1][::-1]])  # type: ignore[list-item]
    assert stronger.no_loss > 0.999
    assert stronger.loss < 1


def test_the_next_version_is_where_the_chances_part() -> None:
    pairs = [NONE] * 8 + [tuple(20 * count for count in LOST)]
    found = posterior(pairs)  # type: ignore[arg-type]
    assert found.no_loss < 0.05
    assert next_version(found, range(9), (), 0.95) in (3, 4)  # which of the two, rounding decides
    assert next_version(found, range(9), {3, 8}, 0.95) == 3  # tells nearly as much, and is built
    assert next_version(found, [0, 8], {8}, 0.95) == 0
    assert found.information[8] == pytest.approx(0, abs=1e-3)


def test_commits_without_a_version_of_their_own_are_one() -> None:
    assert inseparable(6, [0, 3, 5]) == [range(1), range(1, 4), range(4, 6)]
    found = posterior([EVEN, NONE, NONE, LOST])
    assert found.chances[1] == found.chances[2] == found.chances[3]


def test_a_credible_set_has_the_fewest_commits() -> None:
    assert credible_set([0.1, 0.6, 0.0, 0.3], 0.85) == [1, 3]
    assert credible_set([0.1, 0.6, 0.0, 0.1], 0.95) == [0, 1, 3]
