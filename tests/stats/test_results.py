from math import inf

import pytest

from latrones_uci.stats import (
    Pentanomial,
    elo_from_score,
    game_draw_ratio,
    pair_count,
    pair_draw_ratio,
    pair_ratio,
    pentanomial_of,
    reversed_pairs,
    score_from_elo,
)


def test_pairs_are_counted_by_their_points() -> None:
    assert pentanomial_of([2, 0.5, 1, 1.0, 1.5, 0.5, 0]) == (1, 2, 2, 1, 1)
    assert pentanomial_of([]) == (0, 0, 0, 0, 0)
    assert pair_count((1, 2, 2, 1, 1)) == 7
    assert reversed_pairs((1, 2, 3, 4, 5)) == (5, 4, 3, 2, 1)


@pytest.mark.parametrize("score", [0.25, -0.5, 2.5, float("nan")])
def test_impossible_pair_score(score: float) -> None:
    with pytest.raises(ValueError, match=f"pair score {score}"):
        pentanomial_of([1.0, score])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [((1, 2, -3, 4, 5), r"-3, 4, 5\): negative count"), ((1, 2, 3), "3 counts; expected five")],
)
def test_impossible_counts(pairs: Pentanomial, message: str) -> None:
    for function in (pair_ratio, pair_draw_ratio, pair_count):
        with pytest.raises(ValueError, match=message):
            function(pairs)


# From tables of matches of users of fastchess: PairsRatio and DrawRatio.
@pytest.mark.parametrize(
    ("pairs", "ratio", "draw_percent"), [((40, 67, 295, 123, 54), 1.65, 50.95), ((19, 23, 269, 81, 108), 4.50, 53.8)]
)
def test_published_ratios(pairs: Pentanomial, ratio: float, draw_percent: float) -> None:
    assert pair_ratio(pairs) == pytest.approx(ratio, abs=0.005)
    assert 100 * pair_draw_ratio(pairs) == pytest.approx(draw_percent, abs=0.005)


def test_pair_ratio_without_lost_pairs() -> None:
    assert pair_ratio((0, 0, 4, 1, 0)) == inf
    assert pair_ratio((0, 0, 4, 0, 0)) is None
    assert pair_ratio((1, 0, 4, 0, 0)) == 0


def test_draw_ratios() -> None:
    assert game_draw_ratio(3, 4, 1) == 0.5
    with pytest.raises(ValueError, match="no games"):
        game_draw_ratio(0, 0, 0)
    with pytest.raises(ValueError, match="no pairs"):
        pair_draw_ratio((0, 0, 0, 0, 0))
    with pytest.raises(ValueError, match="-1 draws"):
        game_draw_ratio(3, -1, 1)


@pytest.mark.parametrize(
    ("score", "difference"), [(0.5, 0.0), (0.75, 190.848), (10 / 11, 400.0), (1 / 11, -400.0), (1.0, inf), (0.0, -inf)]
)
def test_logistic_curve(score: float, difference: float) -> None:
    assert elo_from_score(score) == pytest.approx(difference, abs=1e-3)
    assert score_from_elo(difference) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("difference", [-1e6, 1e6])
def test_huge_differences_do_not_overflow(difference: float) -> None:
    assert score_from_elo(difference) == (1.0 if difference > 0 else 0.0)


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan")])
def test_impossible_score(score: float) -> None:
    with pytest.raises(ValueError, match="score"):
        elo_from_score(score)
