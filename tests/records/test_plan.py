from collections import Counter
from itertools import islice

import pytest

from latrones_uci.match.plan import Fixture, Format, Growth, fixtures, openings_needed, pairings


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


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.GAUNTLET])
@pytest.mark.parametrize("played", [4, 5])
def test_a_tournament_that_grows_keeps_its_games(form: Format, played: int) -> None:
    before = list(fixtures(form, 3, 2, played, seed=5))
    growth = [Growth(3, played, form)]
    grown = list(fixtures(form, 4, 2, played, 5, growth))
    assert grown[: len(before)] == before
    new = grown[len(before) :]
    assert all(3 in (each.white, each.black) for each in new)
    # Each new pairing plays the openings of the old ones, in pairs with swapped colours.
    for other in range(3) if form is Format.ROUND_ROBIN else [0]:
        own = [each for each in new if other in (each.white, each.black)]
        old = [each for each in before if {each.white, each.black} == {0, 1}]
        assert [(each.round, each.variant, each.opening) for each in own] == [
            (each.round, each.variant, each.opening) for each in old
        ]
        assert [each.white == 3 for each in own] == [index % 2 == 1 for index in range(played)]
    assert len({each.number for each in grown}) == len(grown) == played * len(pairings(form, 4))
    assert {each.number for each in new[::2]} == {2 * each.pair + 1 for each in new[::2]}
    # More games, and another engine: all keep theirs again.
    longer = list(fixtures(form, 4, 2, 9, 5, growth))
    assert set(grown) <= set(longer)
    assert Counter(frozenset((each.white, each.black)) for each in longer) == {
        frozenset(meeting): 9 for meeting in pairings(form, 4)
    }
    largest = list(fixtures(form, 6, 2, 9, 5, [*growth, Growth(4, 9, form)]))
    assert largest[: len(longer)] == longer
    assert len({each.number for each in largest}) == len(largest) == 9 * len(pairings(form, 6))
    for pair in {each.pair for each in largest}:
        assert len({(each.round, *sorted((each.white, each.black))) for each in largest if each.pair == pair}) == 1


def test_a_match_that_grows_is_a_round_robin() -> None:
    before = list(fixtures(Format.MATCH, 2, 1, 4, seed=1))
    grown = list(fixtures(Format.ROUND_ROBIN, 3, 1, 4, 1, [Growth(2, 4, Format.MATCH)]))
    assert grown[:4] == before
    assert len(grown) == 12
