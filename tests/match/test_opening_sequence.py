import math
import random
from itertools import islice
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.game import Game, Position, canonical_key, find_variant
from latrones_uci.match.opening_book import OpeningBook, likely_pairs
from latrones_uci.match.openings import (
    ListedOpenings,
    Opening,
    RandomOpenings,
    count_random_openings,
    opening_sequence,
    render_shortage,
)
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store
from latrones_uci.stats import Sprt


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


@pytest.mark.parametrize(
    ("variant", "size", "plies", "count"),
    [("latrones", (4, 4), 0, 1), ("rota", (3, 3), 1, 2), ("rota", (3, 3), 4, 57), ("rota", (3, 3), 1000, 102)],
)
def test_random_openings_are_counted(variant: str, size: tuple[int, int], plies: int, count: int) -> None:
    start = Position.start(find_variant(variant), size)
    assert count_random_openings(start, plies) == count
    if plies < 6:
        assert len(list(opening_sequence(start, RandomOpenings(plies), seed=1))) == count


def test_many_random_openings_are_not_counted(start: Position) -> None:
    assert count_random_openings(start, 4) is None


@pytest.mark.parametrize("sprt", [Sprt(0, 5), Sprt(-5, 0, alpha=0.01, beta=0.2), Sprt(0, 40, model="logistic")])
def test_the_likely_length_of_a_test_is_that_of_a_random_walk(sprt: Sprt) -> None:
    """Of steps with the mean and variance that pairs add to the LLR; within 10%, because steps overshoot."""
    distance = (sprt.elo1 - sprt.elo0) * math.log(10) / 800 * math.sqrt(2)
    chance, step = random.Random(1), max(1, round(likely_pairs(sprt) / 200))

    def length(trend: float) -> int:
        ratio, pairs = 0.0, 0
        while sprt.lower < ratio < sprt.upper:
            pairs += step
            ratio += step * trend + distance * chance.gauss(0, math.sqrt(step))
        return pairs

    means = [sum(length(sign * distance**2 / 2) for _ in range(400)) / 400 for sign in (1, -1)]
    assert likely_pairs(sprt) == pytest.approx(max(means), rel=0.1)


def warnings_at_the_start(sprt: Sprt, openings: str, games: int, *variants: str) -> list[str]:
    engine = EngineSettings(("never-started",), TimeControl(depth=1))
    settings = TournamentSettings(
        (engine, engine), tuple(map(VariantSettings.from_text, variants)), games=games, openings=openings, sprt=sprt
    )
    warnings: list[str] = []
    with Store(Path("match.db"), writing=True, fresh=True) as store:
        OpeningBook(settings, store, lambda: False, warnings.append)
    return warnings


def test_a_sequential_test_with_too_few_openings_is_warned_of() -> None:
    Path("book.txt").write_text("startpos\nstartpos moves a1a2\n", encoding="utf-8")
    gainer = Sprt(0, 5)
    assert warnings_at_the_start(gainer, "file:book.txt", 100_000, "latrones:6x6") == [
        "latrones:6x6: only 2 openings, but the sequential test probably needs about 12800 pairs; repeated openings add"
        " little evidence: use '--openings random:6', or make a longer book with 'latrones-uci book'"
    ]
    [warning] = warnings_at_the_start(gainer, "random:1", 100_000, "latrones:6x6")
    assert warning.startswith("latrones:6x6: only 27 openings, but")
    assert warning.endswith("use random openings of more plies")
    two = warnings_at_the_start(gainer, "book", 100_000, "latrones", "rota")
    assert [text.partition(" pairs")[0] for text in two] == [
        "latrones: only 500 openings, but the sequential test probably needs about 6400",
        "rota: only 36 openings, but the sequential test probably needs about 6400",
    ]
    # If the games allowed end the match, their number is the one that matters.
    assert warnings_at_the_start(gainer, "file:book.txt", 4, "latrones:6x6") == []
    assert warnings_at_the_start(gainer, "file:book.txt", 5, "latrones:6x6") == [
        "latrones:6x6: only 2 openings for 3 pairs; openings are repeated"
    ]
    # Not if the test ends before the openings do.
    assert warnings_at_the_start(Sprt(-2000, 2000), "file:book.txt", 100_000, "latrones:6x6") == []
    assert warnings_at_the_start(Sprt(0, 100), "book", 100_000, "latrones") == []
    assert warnings_at_the_start(gainer, "random:6", 100_000, "latrones:6x6") == []


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
