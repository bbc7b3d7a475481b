"""The estimates of a match: score, Elo, normalised Elo and likelihood of superiority, which must agree."""

from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from latrones_uci.stats import Estimate, Pentanomial, elo_from_score, estimate_from_games, estimate_from_pairs
from latrones_uci.stats.student import t_distribution, t_quantile

COUNTS = st.integers(0, 400)
PAIRS = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS, COUNTS).filter(any)
SMALL = st.tuples(*[st.integers(0, 6)] * 5).filter(any)


# From the tables of Student's distribution in NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 10, 2.228), (0.975, 100, 1.984), (0.90, 5, 1.476),
     (0.999, 3, 10.215), (0.95, 40, 1.684)],
)  # fmt: skip
def test_quantiles_of_the_tables(probability: float, freedom: float, value: float) -> None:
    assert t_quantile(probability, freedom) == pytest.approx(value, abs=5e-4)
    assert t_distribution(value, freedom) == pytest.approx(probability, abs=5e-5)
    assert t_distribution(-value, freedom) == pytest.approx(1 - probability, abs=5e-5)


def test_many_degrees_of_freedom_are_the_normal_distribution() -> None:
    assert t_quantile(0.975, 9e6) == pytest.approx(1.959964, abs=1e-6)
    assert t_quantile(0.975, 1e9) == pytest.approx(1.959964, abs=1e-6)
    with pytest.raises(ValueError, match=r"probability 0\.4"):
        t_quantile(0.4, 3)


def test_an_estimate_by_hand() -> None:
    # 0.2 pairs lost, 2 even, 1.2 won: 3.4 pairs with mean 2.2 / 3.4 and mean square 1.7 / 3.4.
    found = estimate_from_pairs((0, 0, 2, 0, 1))
    mean = 2.2 / 3.4
    error = sqrt((1.7 / 3.4 - mean**2) / 3.4)
    assert found.score.value == 2 / 3
    assert found.score.low == pytest.approx(mean - 3.182446 * error)
    assert found.score.high == 1.0
    assert (found.elo.value, found.elo.high) == (elo_from_score(2 / 3), inf)
    assert found.los == pytest.approx(t_distribution((mean - 0.5) / error, 3))
    assert (found.trials, found.paired) == (3, True)


@pytest.mark.parametrize("draw", [PAIRS, SMALL])
@examples(300)
@given(data=st.data())
def test_all_figures_agree(draw: st.SearchStrategy[Pentanomial], data: st.DataObject) -> None:
    pairs = data.draw(draw)
    found = estimate_from_pairs(pairs)
    above = [found.score.low > 0.5, found.elo.low > 0, found.normalized_elo.low > 0, found.los > 0.975]
    below = [found.score.high < 0.5, found.elo.high < 0, found.normalized_elo.high < 0, found.los < 0.025]
    assert len(set(above)) == len(set(below)) == 1
    for interval in (found.score, found.elo, found.normalized_elo):
        assert interval.low <= interval.value <= interval.high
        assert interval.low < interval.high
    assert (found.elo.low, found.elo.high) == (elo_from_score(found.score.low), elo_from_score(found.score.high))


@examples(200)
@given(pairs=PAIRS)
def test_the_opponent_gets_the_mirror_image(pairs: Pentanomial) -> None:
    own, other = estimate_from_pairs(pairs), estimate_from_pairs(pairs[::-1])
    assert other.los == pytest.approx(1 - own.los, abs=1e-9)
    assert (other.score.low, other.score.high) == pytest.approx((1 - own.score.high, 1 - own.score.low))
    assert (other.elo.low, other.elo.high) == pytest.approx((-own.elo.high, -own.elo.low), abs=1e-6)


@pytest.mark.parametrize("pairs", [2, 3, 5, 10, 40])
@pytest.mark.parametrize("better", [3, 4])
def test_every_pair_won_instead_of_even_makes_superiority_more_likely(pairs: int, better: int) -> None:
    found = []
    for won in range(pairs + 1):
        counts = [0, 0, pairs - won, 0, 0]
        counts[better] += won
        found.append(estimate_from_pairs((*counts,)).los)  # type: ignore[arg-type]
    assert found == sorted(found)
    assert found[0] == pytest.approx(0.5)
    assert found[-1] > 0.85


# The first two from fastchess, app/tests/elo_test.cpp; the last from a table of one of its users: Elo and
# normalised Elo with half the widths of their intervals, which assume a normal distribution.
@pytest.mark.parametrize(
    ("pairs", "elo", "elo_margin", "normalized", "normalized_margin"),
    [
        ((34, 54, 63, 64, 75), 55.58, 27.65, 57.94, 28.28),
        ((332, 433, 498, 333, 334), -8.64, 10.33, -9.17, 10.96),
        ((40, 67, 295, 123, 54), 25.25, 13.92, 36.44, 20.01),
    ],
)
def test_long_matches_agree_with_fastchess(
    pairs: Pentanomial, elo: float, elo_margin: float, normalized: float, normalized_margin: float
) -> None:
    found = estimate_from_pairs(pairs)
    assert found.elo.value == pytest.approx(elo, abs=0.006)
    assert (found.elo.high - found.elo.low) / 2 == pytest.approx(elo_margin, rel=0.01)
    assert found.normalized_elo.value == pytest.approx(normalized, abs=0.006)
    width = found.normalized_elo.high - found.normalized_elo.low
    assert width / 2 == pytest.approx(normalized_margin, rel=0.02)


# From the same file: wins, losses and draws of unpaired games.
@pytest.mark.parametrize(
    ("wins", "losses", "draws", "normalized", "margin"),
    [(76, 89, 123, -20.76, 40.13), (136, 96, 111, 49.77, 36.77)],
)
def test_unpaired_games_agree_with_fastchess(
    wins: int, losses: int, draws: int, normalized: float, margin: float
) -> None:
    found = estimate_from_games(wins, draws, losses)
    assert found.normalized_elo.value == pytest.approx(normalized, abs=0.006)
    assert (found.normalized_elo.high - found.normalized_elo.low) / 2 == pytest.approx(margin, rel=0.01)


def test_unpaired_games_agree_with_cutechess() -> None:
    found = estimate_from_games(45, 18, 37)
    assert found.elo.value == pytest.approx(27.9, abs=0.05)
    assert (found.elo.high - found.elo.low) / 2 == pytest.approx(62.4, rel=0.02)
    assert not found.paired


@pytest.mark.parametrize("trials", [1, 2, 4, 10, 100])
def test_unanimous_results_have_an_interval(trials: int) -> None:
    won, even = estimate_from_pairs((0, 0, 0, 0, trials)), estimate_from_pairs((0, 0, trials, 0, 0))
    assert (won.score.value, won.score.high, won.elo.value, won.elo.high) == (1.0, 1.0, inf, inf)
    # As Elo: no finite value beside infinite bounds.
    assert (won.normalized_elo.value, won.normalized_elo.high) == (inf, inf)
    assert (won.normalized_elo.low == -inf) == (won.elo.low == -inf)
    assert even.elo.value == even.normalized_elo.value == 0
    assert even.los == pytest.approx(0.5)
    assert even.elo.low == pytest.approx(-even.elo.high)


def test_one_pair_decides_nothing() -> None:
    found = estimate_from_pairs((0, 0, 0, 0, 1))
    assert found.score.low < 0.5 < found.los < 0.9


def test_the_interval_of_long_matches_shrinks_with_the_root_of_their_length() -> None:
    def width(found: Estimate) -> float:
        return found.score.high - found.score.low

    short, long = estimate_from_pairs((10, 20, 40, 20, 10)), estimate_from_pairs((1000, 2000, 4000, 2000, 1000))
    assert width(short) / width(long) == pytest.approx(10, rel=0.03)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [((0, 0, 0, 0, 0), "no pairs"), ((1, 2, -3, 4, 5), r"-3, 4, 5\): negative count"), ((1, 2, 3), "3 counts")],
)
def test_impossible_pairs(pairs: Pentanomial, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_from_pairs(pairs)


@pytest.mark.parametrize("counts", [(0, 0, 0), (-1, 2, 3), (1, -1, 0), (1, 1, -1)])
def test_impossible_games(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no games|negative count"):
        estimate_from_games(*counts)
