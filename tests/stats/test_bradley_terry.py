"""Joint ratings."""

from __future__ import annotations

from collections import Counter
from math import inf, log
from random import Random

import pytest

from effort import amount
from latrones_uci.stats import estimate_from_pairs, pentanomial_of, score_from_elo
from latrones_uci.stats.bradley_terry import Encounter, Rating, RatingsError, rate

# Wins of the row against the column: baseball's American League East in 1987, from A. Agresti, Categorical Data
# Analysis (2nd edition, 2002), table 10.10. The coefficients of the Bradley-Terry model are those that the R package
# BradleyTerry2 prints for it (H. Turner, D. Firth, Journal of Statistical Software 48, 2012, section 2.2), and its
# standard errors, which assume independent games.
BASEBALL = {
    "Milwaukee": (0, 7, 9, 7, 7, 9, 11), "Detroit": (6, 0, 7, 5, 11, 9, 9), "Toronto": (4, 6, 0, 7, 7, 8, 12),
    "New York": (6, 8, 6, 0, 6, 7, 10), "Boston": (6, 2, 6, 7, 0, 7, 12), "Cleveland": (4, 4, 5, 6, 6, 0, 6),
    "Baltimore": (2, 4, 1, 3, 1, 7, 0),
}
COEFFICIENTS = {
    "Milwaukee": (1.5814, 0.3433), "Detroit": (1.4364, 0.3396), "Toronto": (1.2945, 0.3367),
    "New York": (1.2476, 0.3359), "Boston": (1.1077, 0.3339), "Cleveland": (0.6839, 0.3319),
}
TEAMS = list(BASEBALL)
UNIT = 400 / log(10)
OTHERS = {(0, 1): Encounter((4, 16, 36, 14, 4))}


def baseball() -> dict[tuple[int, int], Encounter]:
    return {
        (one, other): Encounter(games=(BASEBALL[TEAMS[other]][one], 0, BASEBALL[TEAMS[one]][other]))
        for one in range(7)
        for other in range(one + 1, 7)
    }


def ratings_of(names: str | list[str], games: dict[tuple[int, int], Encounter], **anchors: float) -> dict[str, Rating]:
    return {rating.name: rating for rating in rate(list(names), games, anchors=anchors).ratings}


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
                  for name, own in zip(TEAMS, BASEBALL[rating.name], strict=True) if name != rating.name]
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


def test_one_anchor_shifts_the_whole_list_and_two_hold_both() -> None:
    free, anchored = ratings_of(TEAMS, baseball()), ratings_of(TEAMS, baseball(), Boston=1500)
    assert anchored["Boston"].elo == 1500
    for name in TEAMS:
        assert anchored[name].elo - 1500 == pytest.approx(free[name].elo - free["Boston"].elo)
    both = ratings_of(TEAMS, baseball(), Boston=0, Detroit=300)
    assert [(both[name].elo, both[name].margin) for name in ("Boston", "Detroit")] == [(0, 0), (300, 0)]
    assert 0 < both["New York"].elo < 300


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


@pytest.mark.long
def test_known_ratings_are_recovered() -> None:
    """In most simulated tournaments each rating is within its error bar: 95% of them, give or take."""
    truth = [0.0, 20.0, 40.0, 80.0, 120.0, 200.0, -60.0, -150.0]
    mean = sum(truth) / len(truth)
    names, inside = [str(number) for number in range(len(truth))], Counter[bool]()
    for seed in range(amount(60)):
        for rating in rate(names, simulated(truth, 25, Random(seed))).ratings:
            inside[abs(rating.elo - (truth[int(rating.name)] - mean)) <= rating.margin] += 1
    assert 0.9 < inside[True] / inside.total() < 0.985


def test_a_newcomer_has_the_error_of_its_own_games_and_does_not_touch_the_others() -> None:
    alone = ratings_of("AB", OTHERS)
    for pairs in ((0, 0, 0, 1, 0), (0, 1, 0, 0, 0), (1, 1, 1, 1, 1), (0, 0, 0, 0, 2)):
        found = rate(list("ABC"), OTHERS | {(0, 2): Encounter(pairs)})
        grown = {rating.name: rating for rating in found.ratings}
        assert found.regularised == (pairs[4] == 2)  # it has lost everything
        assert grown["A"].elo - grown["B"].elo == pytest.approx(alone["A"].elo - alone["B"].elo)
        if sum(pairs) == 1:
            for name in "AB":
                assert grown[name].margin == pytest.approx(alone[name].margin, rel=0.1)
            assert 0.6 < max(found.superiority["B", "C"], found.superiority["C", "B"]) < 0.9
        assert 150 < grown["C"].margin < 400 if sum(pairs) == 5 else grown["C"].margin == inf


def test_players_that_win_everything_get_finite_ratings() -> None:
    found = rate(["A", "B", "C"], {(0, 1): Encounter((0, 0, 0, 0, 5)), (1, 2): Encounter((1, 0, 3, 0, 2))})
    assert found.regularised
    assert found.ratings[0].name == "A"
    assert 100 < found.ratings[0].elo < 1000
    assert not rate(["A", "B"], {(0, 1): Encounter((0, 0, 0, 1, 5))}).regularised


def test_players_that_are_equal_in_sum_have_equal_ratings_and_no_negative_zero() -> None:
    """Also in a circle: A beats B, B beats C and C beats A, always."""
    won, lost, drawn = Encounter((0, 0, 0, 0, 5)), Encounter((5, 0, 0, 0, 0)), Encounter(games=(1, 2, 1))
    for games in ((won, lost, won), (drawn, drawn, drawn)):
        found = rate(["A", "B", "C"], dict(zip(((0, 1), (0, 2), (1, 2)), games, strict=True)))
        assert not found.regularised
        assert [rating.elo for rating in found.ratings] == pytest.approx([0, 0, 0], abs=1e-6)
    assert [(rating.name, str(rating.elo), str(rating.opponents)) for rating in found.ratings] == [
        (name, "0.0", "0.0") for name in "ABC"
    ]


def test_players_without_games_are_not_listed() -> None:
    found = rate(["A", "B", "C"], {(0, 2): Encounter((1, 0, 2, 0, 2)), (0, 1): Encounter()})
    assert {rating.name for rating in found.ratings} == {"A", "C"}
    with pytest.raises(RatingsError, match="no games to rate"):
        rate(["A", "B"], {(0, 1): Encounter()})
