"""Joint ratings."""

from __future__ import annotations

from collections import Counter
from math import inf, log
from random import Random

import pytest

from effort import amount
from latrones_uci.stats import estimate_from_pairs, pentanomial_of, score_from_elo
from latrones_uci.stats.bradley_terry import Encounter, RatingsError, rate

# Wins of the row against the column: baseball's American League East in 1987, from A. Agresti, Categorical Data
# Analysis (2nd edition, 2002), table 10.10. The coefficients of the Bradley-Terry model are those that the R package
# BradleyTerry2 prints for it (H. Turner, D. Firth, Journal of Statistical Software 48, 2012, section 2.2), and its
# standard errors, which assume independent games.
BASEBALL = {
    "Milwaukee": (0, 7, 9, 7, 7, 9, 11), "Detroit": (6, 0, 7, 5, 11, 9, 9), "Toronto": (4, 6, 0, 7, 7, 8, 12),
    "New York": (6, 8, 6, 0, 6, 7, 10), "Boston": (6, 2, 6, 7, 0, 7, 12), "Cleveland": (4, 4, 5, 6, 6, 0, 6),
    "Baltimore": (2, 4, 1, 3, 1, 7, 0),
}  # fmt: skip
COEFFICIENTS = {
    "Milwaukee": (1.5814, 0.3433), "Detroit": (1.4364, 0.3396), "Toronto": (1.2945, 0.3367),
    "New York": (1.2476, 0.3359), "Boston": (1.1077, 0.3339), "Cleveland": (0.6839, 0.3319),
}  # fmt: skip
TEAMS = list(BASEBALL)
UNIT = 400 / log(10)


def baseball() -> dict[tuple[int, int], Encounter]:
    return {
        (one, other): Encounter(games=(BASEBALL[TEAMS[other]][one], 0, BASEBALL[TEAMS[one]][other]))
        for one in range(7)
        for other in range(one + 1, 7)
    }


def test_a_published_example() -> None:
    found = rate(TEAMS, baseball(), anchors={"Baltimore": 0.0})
    assert [rating.name for rating in found.ratings] == [*COEFFICIENTS, "Baltimore"]
    for rating in found.ratings[:-1]:
        coefficient, error = COEFFICIENTS[rating.name]
        assert rating.elo / UNIT == pytest.approx(coefficient, abs=6e-5)
        assert rating.margin / UNIT / 1.97 == pytest.approx(error, rel=0.07)  # ours does not assume independence
    assert (found.ratings[-1].elo, found.ratings[-1].margin) == (0.0, 0.0)


def test_expected_points_equal_the_points_scored() -> None:
    found = rate(TEAMS, baseball())
    elo = {rating.name: rating.elo for rating in found.ratings}
    assert sum(elo.values()) == pytest.approx(0, abs=1e-6)
    for rating in found.ratings:
        others = [(name, own + BASEBALL[name][TEAMS.index(rating.name)])
                  for name, own in zip(TEAMS, BASEBALL[rating.name], strict=True) if name != rating.name]  # fmt: skip
        expected = sum(games * score_from_elo(rating.elo - elo[name]) for name, games in others)
        assert expected == pytest.approx(rating.points)
        assert rating.games == sum(games for _, games in others)
        assert rating.opponents == pytest.approx(sum(games * elo[name] for name, games in others) / rating.games)


@pytest.mark.parametrize("pairs", [(34, 54, 63, 64, 75), (0, 2, 24, 4, 0), (10, 20, 400, 30, 10)])
def test_two_players_differ_by_the_elo_of_their_match(pairs: tuple[int, int, int, int, int]) -> None:
    found = rate(["A", "B"], {(0, 1): Encounter(pairs)})
    alone = estimate_from_pairs(pairs)
    best, worst = found.ratings
    assert best.elo - worst.elo == pytest.approx(alone.elo.value)
    # The interval of a match is symmetric in the score, not in Elo, and adds more to its trials.
    assert 2 * best.margin == pytest.approx((alone.elo.high - alone.elo.low) / 2, rel=0.1)
    assert found.superiority["A", "B"] == pytest.approx(alone.los, abs=0.03)
    assert found.superiority["B", "A"] == pytest.approx(1 - found.superiority["A", "B"])


def test_anchors_shift_the_whole_list() -> None:
    free = {rating.name: rating.elo for rating in rate(TEAMS, baseball()).ratings}
    anchored = {rating.name: rating.elo for rating in rate(TEAMS, baseball(), anchors={"Boston": 1500}).ratings}
    assert anchored["Boston"] == 1500
    for name in TEAMS:
        assert anchored[name] - anchored["Boston"] == pytest.approx(free[name] - free["Boston"])


def test_two_anchors_hold_both() -> None:
    found = rate(TEAMS, baseball(), anchors={"Boston": 0, "Detroit": 300})
    elo = {rating.name: (rating.elo, rating.margin) for rating in found.ratings}
    assert (elo["Boston"], elo["Detroit"]) == ((0, 0), (300, 0))
    assert 0 < elo["New York"][0] < 300


def simulated(elo: list[float], pairs: int, chance: Random) -> dict[tuple[int, int], Encounter]:
    """Return a round robin of players of known ratings; half the games are drawn if the ratings allow it."""
    found = {}
    for one in range(len(elo)):
        for other in range(one + 1, len(elo)):
            score = score_from_elo(elo[one] - elo[other])
            draw = min(0.5, 1.6 * min(score, 1 - score))
            weights = (1 - score - draw / 2, draw, score - draw / 2)
            results = [sum(chance.choices((0, 0.5, 1), weights, k=2)) for _ in range(pairs)]
            found[one, other] = Encounter(pentanomial_of(results))
    return found


def test_known_ratings_are_recovered() -> None:
    """In most simulated tournaments each rating is within its error bar: 95% of them, give or take."""
    truth = [0.0, 20.0, 40.0, 80.0, 120.0, 200.0, -60.0, -150.0]
    mean = sum(truth) / len(truth)
    names, inside = [str(number) for number in range(len(truth))], Counter[bool]()
    for seed in range(amount(60)):
        for rating in rate(names, simulated(truth, 25, Random(seed))).ratings:
            inside[abs(rating.elo - (truth[int(rating.name)] - mean)) <= rating.margin] += 1
    assert 0.9 < inside[True] / inside.total() < 0.985


def test_a_growing_list_keeps_old_differences_if_a_newcomer_plays_one_player_only() -> None:
    old = baseball()
    grown = rate([*TEAMS, "New"], old | {(6, 7): Encounter((1, 2, 5, 3, 1))})
    elo = {rating.name: rating.elo for rating in grown.ratings}
    before = {rating.name: rating.elo for rating in rate(TEAMS, old).ratings}
    assert elo["Boston"] - elo["Detroit"] == pytest.approx(before["Boston"] - before["Detroit"])


def test_a_newcomer_has_the_error_of_its_own_games() -> None:
    """It is not made small by the games of the others, and does not widen their error bars."""
    others = {(0, 1): Encounter((4, 16, 36, 14, 4))}
    alone = {rating.name: rating for rating in rate("AB", others).ratings}
    for pair in ((0, 0, 0, 1, 0), (0, 1, 0, 0, 0)):
        found = rate("ABC", others | {(0, 2): Encounter(pair)})
        by_name = {rating.name: rating for rating in found.ratings}
        assert by_name["C"].margin == inf
        assert 0.6 < max(found.superiority["B", "C"], found.superiority["C", "B"]) < 0.9
        for name in "AB":
            assert by_name[name].margin == pytest.approx(alone[name].margin, rel=0.1)
    five = rate("ABC", others | {(0, 2): Encounter((1, 1, 1, 1, 1))})
    assert 150 < next(rating.margin for rating in five.ratings if rating.name == "C") < 400


def test_one_whitewash_does_not_touch_the_others() -> None:
    others = {(0, 1): Encounter((4, 16, 36, 14, 4))}
    before = rate("AB", others).ratings
    found = rate("ABC", others | {(0, 2): Encounter((0, 0, 0, 0, 2))})
    elo = {rating.name: rating.elo for rating in found.ratings}
    assert found.regularised
    assert elo[before[0].name] - elo[before[1].name] == pytest.approx(before[0].elo - before[1].elo)
    assert [rating.name for rating in found.ratings if rating.margin == inf] == ["C"]


def test_players_that_win_everything_get_finite_ratings() -> None:
    found = rate(["A", "B", "C"], {(0, 1): Encounter((0, 0, 0, 0, 5)), (1, 2): Encounter((1, 0, 3, 0, 2))})
    assert found.regularised
    assert found.ratings[0].name == "A"
    assert 100 < found.ratings[0].elo < 1000
    assert not rate(["A", "B"], {(0, 1): Encounter((0, 0, 0, 1, 5))}).regularised


def test_a_circle_of_whitewashes_has_ratings() -> None:
    """A beats B, B beats C and C beats A, always: each scored against each other through the third."""
    won = Encounter((0, 0, 0, 0, 5))
    found = rate(["A", "B", "C"], {(0, 1): won, (1, 2): won, (0, 2): Encounter((5, 0, 0, 0, 0))})
    assert not found.regularised
    assert [rating.elo for rating in found.ratings] == pytest.approx([0, 0, 0], abs=1e-6)


def test_errors() -> None:
    with pytest.raises(RatingsError, match="no games to rate"):
        rate(["A", "B"], {(0, 1): Encounter()})
    apart = {(0, 1): Encounter((1, 0, 0, 0, 1)), (2, 3): Encounter((1, 0, 0, 0, 1))}
    with pytest.raises(RatingsError, match="no games connect 'A' with 'C'"):
        rate(["A", "B", "C", "D"], apart)
    with pytest.raises(RatingsError, match="anchor 'X': no games; expected one of A, B"):
        rate(["A", "B"], {(0, 1): Encounter((1, 0, 0, 0, 1))}, anchors={"X": 0})


def test_players_without_games_are_not_listed() -> None:
    found = rate(["A", "B", "C"], {(0, 2): Encounter((1, 0, 2, 0, 2)), (0, 1): Encounter()})
    assert {rating.name for rating in found.ratings} == {"A", "C"}


def test_equal_players_have_equal_ratings_and_no_negative_zero() -> None:
    drawn = Encounter(games=(1, 2, 1))
    found = rate(list("ABC"), {(0, 1): drawn, (0, 2): drawn, (1, 2): drawn})
    assert [(rating.name, str(rating.elo), str(rating.opponents)) for rating in found.ratings] == [
        (name, "0.0", "0.0") for name in "ABC"
    ]
