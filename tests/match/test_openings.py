import random
from itertools import islice

import pytest

from latrones_uci.game import Position, find_variant
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.openings import parse_openings, random_opening, schedule


def test_each_opening_is_played_twice_with_colours_swapped(start: Position) -> None:
    pairings = list(schedule(start, 7, 4, seed=1))
    assert [pairing.number for pairing in pairings] == [1, 2, 3, 4, 5, 6, 7]
    assert [pairing.first_is_white for pairing in pairings] == [True, False] * 3 + [True]
    starts = [pairing.start for pairing in pairings]
    assert starts[0] == starts[1]
    assert starts[2] == starts[3]
    assert len(set(starts[::2])) == 4


def test_the_seed_decides(start: Position) -> None:
    assert list(schedule(start, 6, 4, seed=5)) == list(schedule(start, 6, 4, seed=5))
    assert list(schedule(start, 6, 4, seed=5)) != list(schedule(start, 6, 4, seed=6))
    assert list(schedule(start, 6, 4, seed=5)) == list(islice(schedule(start, 100, 4, seed=5), 6))


def test_no_plies_is_the_start(start: Position) -> None:
    assert random_opening(start, 0, random.Random(1)) == start


def test_openings_are_never_finished_positions() -> None:
    start = Position.start(find_variant("latrones"), (4, 4))
    chooser = random.Random(1)
    for _ in range(100):
        opening = random_opening(start, 12, chooser)
        assert opening.legal_moves()
        assert opening.result() is None


def test_a_game_that_is_over_has_no_openings() -> None:
    over = Position.from_fen(find_variant("latrones"), "ssss/1d2/2D1/SSSS w 98 50")
    with pytest.raises(SettingsError, match="no opening of 9 random plies"):
        random_opening(over, 9, random.Random(1))


def test_openings_text() -> None:
    assert parse_openings("random:4") == 4
    assert parse_openings("random:0") == 0


@pytest.mark.parametrize("text", ["random", "random:", "random:-1", "random:1001", "random:x", "book.epd", "random:٣"])
def test_bad_openings_text_is_quoted(text: str) -> None:
    with pytest.raises(SettingsError, match="random:PLIES") as raised:
        parse_openings(text)
    assert repr(text) in str(raised.value)
