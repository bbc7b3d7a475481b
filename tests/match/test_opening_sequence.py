from itertools import islice

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Game, Position, canonical_key, find_variant
from latrones_uci.match.openings import ListedOpenings, Opening, RandomOpenings, opening_sequence, render_shortage


@pytest.fixture
def small() -> Position:
    return Position.start(find_variant("latrones"), (4, 4))


def test_random_openings_are_distinct_unfinished_and_tell_their_moves(small: Position) -> None:
    found = list(islice(opening_sequence(small, RandomOpenings(6), seed=3), 60))
    assert len({canonical_key(opening.position) for opening in found}) == 60
    for opening in found:
        game = Game(small)
        for text in opening.moves or ():
            game.play(game.position.parse_move(text))
        assert (game.position, game.outcome(), len(game.moves)) == (opening.position, None, 6)


def test_the_seed_decides_and_more_are_the_same_first(start: Position) -> None:
    def first(count: int, seed: int) -> list[Opening]:
        return list(islice(opening_sequence(start, RandomOpenings(4), seed), count))

    assert first(20, 5) == first(40, 5)[:20]
    assert first(20, 5) != first(20, 6)


@pytest.mark.parametrize(
    ("variant", "size", "plies"),
    [
        ("latrones", (4, 4), 0),
        ("latrones", (4, 4), 1),
        ("petteia-xxi", (5, 5), 1),
        ("bell", (6, 6), 2),
        ("rota", (3, 3), 3),
    ],
)
def test_it_ends_when_every_opening_up_to_symmetry_is_found(variant: str, size: tuple[int, int], plies: int) -> None:
    start = Position.start(find_variant(variant), size)
    positions = [start]
    for _ in range(plies):
        positions = [after for position in positions for _, after in position.children()]
    every = {canonical_key(position) for position in positions if position.outcome() is None}
    found = [canonical_key(each.position) for each in opening_sequence(start, RandomOpenings(plies), seed=1)]
    assert len(found) == len(every)
    assert set(found) == every


def test_what_is_not_accepted_is_left_out_and_judged_once(start: Position) -> None:
    judged: list[Position] = []

    def accepts(position: Position) -> bool:
        judged.append(position)
        return position.key % 3 == 0

    four = RandomOpenings(4)
    found = list(islice(opening_sequence(start, four, 1, accepts), 10))
    assert all(opening.position.key % 3 == 0 for opening in found)
    assert len(set(judged)) == len(judged) > 10
    before = len(judged)
    known = [Opening(opening.position) for opening in found[:6]]  # their moves need not be known
    more = list(islice(opening_sequence(start, four, 1, accepts, known=known), 10))
    assert more == found
    assert judged[before:] == judged[judged.index(found[5].position) + 1 : before]


def test_no_opening_at_all_and_foreign_ones_are_errors(small: Position) -> None:
    over = Position.from_fen(find_variant("latrones"), "ssss/1d2/2D1/SSSS w 98 50")
    with pytest.raises(SettingsError, match="no opening of 9 random plies found that leaves the game unfinished$"):
        next(opening_sequence(over, RandomOpenings(9), 1))
    with pytest.raises(SettingsError, match="no opening of 1 random plies .* and passes the screen$"):
        next(opening_sequence(small, RandomOpenings(1), 1, lambda position: False))
    foreign = list(islice(opening_sequence(small, RandomOpenings(2), 1), 1))
    message = f"stored opening 1, '{foreign[0].position.fen()}', does not belong to these settings"
    with pytest.raises(SettingsError, match=message):
        next(opening_sequence(small, RandomOpenings(1), 1, known=foreign))


def test_listed_openings_are_taken_as_they_are(start: Position) -> None:
    after = start.play(start.parse_move("a1a2"))
    listed = ListedOpenings((after, start, after), (("a1a2",), None, None))
    found = list(opening_sequence(start, listed, 1, lambda position: False))
    assert found == [Opening(after, ("a1a2",)), Opening(start), Opening(after)]
    assert list(opening_sequence(start, ListedOpenings((after,)), 1)) == [Opening(after)]


def test_the_warning_of_too_few() -> None:
    assert render_shortage(1, 50) == "only 1 opening for 50 pairs"
    assert render_shortage(12, 50) == "only 12 openings for 50 pairs"
