from collections import Counter
from itertools import islice

import pytest

from latrones_uci.match.plan import Fixture, Format, fixtures, openings_needed, pairings


def test_a_match_swaps_colours_and_changes_openings() -> None:
    assert list(fixtures(Format.MATCH, 2, 1, 5, seed=1)) == [
        Fixture(1, 0, 0, 0, 0, 0, 1),
        Fixture(2, 0, 0, 0, 0, 1, 0),
        Fixture(3, 1, 1, 0, 1, 0, 1),
        Fixture(4, 1, 1, 0, 1, 1, 0),
        Fixture(5, 2, 2, 0, 2, 0, 1),
    ]


def test_variants_take_turns_each_with_openings_of_its_own() -> None:
    plan = list(fixtures(Format.MATCH, 2, 3, 14, seed=1))
    played = [(each.variant, each.opening) for each in plan[::2]]
    assert played == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2)]
    assert openings_needed(14, 3) == 3


@pytest.mark.parametrize(
    ("form", "meetings"),
    [
        (Format.ROUND_ROBIN, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        (Format.GAUNTLET, [(0, 1), (0, 2), (0, 3)]),
    ],
)
def test_everyone_meets_as_often_and_has_white_as_often(form: Format, meetings: list[tuple[int, int]]) -> None:
    assert pairings(form, 4) == meetings
    plan = list(fixtures(form, 4, 2, 6, seed=3))
    assert Counter((each.white, each.black) for each in plan) == {
        colours: 3 for meeting in meetings for colours in (meeting, meeting[::-1])
    }
    for pair in {each.pair for each in plan}:
        first, second = [each for each in plan if each.pair == pair]
        assert (first.variant, first.opening, first.white) == (second.variant, second.opening, second.black)
    # In a round all play from the same opening.
    assert {(each.round, each.variant, each.opening) for each in plan} == {(0, 0, 0), (1, 1, 0), (2, 0, 1)}


def test_a_longer_tournament_keeps_the_games_of_a_shorter() -> None:
    for games in range(1, 9):
        short = list(fixtures(Format.ROUND_ROBIN, 4, 2, games, seed=5))
        long = list(fixtures(Format.ROUND_ROBIN, 4, 2, 12, seed=5))
        assert len({each.number for each in long}) == len(long)
        assert set(short) <= set(long)
        if games % 2 == 0:
            assert short == list(islice(long, len(short)))


def test_the_seed_orders_the_meetings_of_a_round() -> None:
    orders = {
        tuple((each.white, each.black) for each in fixtures(Format.ROUND_ROBIN, 4, 1, 2, seed)) for seed in range(10)
    }
    assert len(orders) > 5
