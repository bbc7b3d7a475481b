"""Openings: random ones, those of files in every form, the books of the package, and how many a match needs;
and their screen.
"""

import dataclasses
import os
import random
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import resources
from itertools import islice
from pathlib import Path

import pytest

from engine_fixtures import QUICK
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError, WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.game import (
    Game,
    Outcome,
    Position,
    Termination,
    builtin_variants,
    canonical_key,
    find_variant,
    parse_board_size,
)
from latrones_uci.game.geometry import geometry_of
from latrones_uci.game.rules import rules_of
from latrones_uci.match.opening_book import OpeningBook
from latrones_uci.match.openings import (
    ListedOpenings,
    Opening,
    RandomOpenings,
    count_random_openings,
    is_pgn,
    name_of_file,
    opening_sequence,
    parse_openings,
)
from latrones_uci.match.screen import OpeningScreen, ScreenError, prints_scores
from latrones_uci.records.pgn_read import PgnMove
from latrones_uci.records.pgn_write import render_pgn
from latrones_uci.records.settings import BookSettings, ScreenSettings, TournamentSettings, parse_screen
from latrones_uci.records.store import Store
from latrones_uci.stats import Sprt

SMALL = Position.start(find_variant("latrones"), (4, 4))
BOOK = Path("book.txt")
OVER = Position.from_fen(find_variant("latrones"), "1sssss/1sdD2/6/6/5S/SSSSS1 w 4 3")  # after c1c4


def write(text: str) -> None:
    BOOK.write_text(text, encoding="utf-8")


def read(position: Position, /, path: Path = BOOK, **book: object) -> ListedOpenings:
    found = parse_openings(f"file:{path}", position, BookSettings(**book))  # type: ignore[arg-type]
    assert isinstance(found, ListedOpenings)
    return found


# ---------------------------------------------------------------- random openings


def test_random_openings_are_distinct_unfinished_and_tell_their_moves() -> None:
    found = list(islice(opening_sequence(SMALL, RandomOpenings(6), seed=3), 60))
    assert len({canonical_key(opening.position) for opening in found}) == 60
    for opening in found:
        game = Game(SMALL)
        for text in opening.moves or ():
            game.push(text)
        assert (game.position, game.outcome(), len(game.moves)) == (opening.position, None, 6)
    assert list(islice(opening_sequence(SMALL, RandomOpenings(6), 3), 20)) == found[:20]
    assert list(islice(opening_sequence(SMALL, RandomOpenings(6), 4), 20)) != found[:20]


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "size", "plies"),
    [("latrones", (4, 4), 0), ("latrones", (4, 4), 1), ("petteia-xxi", (5, 5), 1), ("bell", (6, 6), 2),
     ("rota", (3, 3), 1), ("rota", (3, 3), 3), ("rota", (3, 3), 4)],
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
    if variant != "bell":
        assert count_random_openings(start, plies) == len(every)


def test_few_random_openings_are_counted_and_many_are_not(start: Position) -> None:
    assert count_random_openings(start, 4) is None
    assert count_random_openings(Position.start(find_variant("rota"), (3, 3)), 1000) == 102


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


def test_stored_openings_are_continued_where_positions_remember_their_games() -> None:
    start = Position.start("ludii-museum-quintana")  # repetition is illegal
    found = list(islice(opening_sequence(start, RandomOpenings(4), 1), 4))
    known = [Opening(Position.from_fen(start.ruleset, opening.position.fen())) for opening in found[:2]]
    again = islice(opening_sequence(start, RandomOpenings(4), 1, known=known), 4)
    assert [opening.position.fen() for opening in again] == [opening.position.fen() for opening in found]


def test_no_opening_at_all_and_foreign_ones_are_errors() -> None:
    over = Position.from_fen(find_variant("latrones"), "ssss/1d2/2D1/SSSS w 98 50")
    with pytest.raises(SettingsError, match="no opening of 9 random plies found that leaves the game unfinished$"):
        next(opening_sequence(over, RandomOpenings(9), 1))
    with pytest.raises(SettingsError, match="no opening of 1 random plies .* and passes the screen$"):
        next(opening_sequence(SMALL, RandomOpenings(1), 1, lambda position: False))
    foreign = list(islice(opening_sequence(SMALL, RandomOpenings(2), 1), 1))
    message = f"stored opening 1, '{foreign[0].position.fen()}', does not belong to these settings"
    with pytest.raises(SettingsError, match=message):
        next(opening_sequence(SMALL, RandomOpenings(1), 1, known=foreign))


# ---------------------------------------------------------------- how many a match needs


GAINER = Sprt(0, 5)


@pytest.mark.parametrize(("sprt", "openings", "games", "variants", "warnings"), [
    (GAINER, "file:book.txt", 100_000, "latrones:6x6", [
        "latrones:6x6: only 2 openings, but the sequential test probably needs about 12900 pairs; repeated openings add"
        " little evidence: use '--openings random:6', or make a longer book with 'latrones-uci book'"]),
    (GAINER, "random:1", 100_000, "latrones:6x6", [
        "latrones:6x6: only 27 openings, but the sequential test probably needs about 12900 pairs; repeated openings"
        " add little evidence: use random openings of more plies"]),
    (GAINER, "book", 100_000, "latrones rota", [
        "latrones: only 500 openings, but the sequential test probably needs about 6440 pairs",
        "rota: only 36 openings, but the sequential test probably needs about 6440 pairs"]),
    # If the games allowed end the match, their number is the one that matters.
    (GAINER, "file:book.txt", 4, "latrones:6x6", []),
    (GAINER, "file:book.txt", 5, "latrones:6x6", ["latrones:6x6: only 2 openings for 3 pairs; openings are repeated"]),
    (None, "file:one.txt", 3, "latrones:6x6", ["latrones:6x6: only 1 opening for 2 pairs; openings are repeated"]),
    # Not if the test ends before the openings do.
    (Sprt(-2000, 2000), "file:book.txt", 100_000, "latrones:6x6", []),
    (Sprt(0, 100), "book", 100_000, "latrones", []),
    (GAINER, "random:6", 100_000, "latrones:6x6", []),
])
def test_a_sequential_test_with_too_few_openings_is_warned_of(
    sprt: Sprt | None, openings: str, games: int, variants: str, warnings: list[str]
) -> None:
    write("startpos\nstartpos moves a1a2\n")
    Path("one.txt").write_text("startpos\n", encoding="utf-8")
    engine = EngineSettings(("never-started",), TimeControl(depth=1))
    names = tuple(map(VariantSettings.from_text, variants.split()))
    settings = TournamentSettings((engine, engine), names, games=games, openings=openings, sprt=sprt)
    found: list[str] = []
    with Store(Path("match.db"), writing=True, fresh=True) as store:
        OpeningBook(settings, store, lambda: False, found.append)
    assert len(found) == len(warnings)
    assert all(text.startswith(warning) for text, warning in zip(found, warnings, strict=True))


# ---------------------------------------------------------------- lists of positions and moves


@pytest.mark.parametrize("comment", ["#", ";", "%", "  ; "])
def test_a_file_has_fens_moves_and_comments(start: Position, comment: str) -> None:
    write(
        f"\ufeff{comment} openings\n\n{start.fen()}\na1a2 f6f5  # two plies\nstartpos moves a1a3\n"
        f"{comment} more\n{start.fen()} moves b1b2\nstartpos\n6/dssss1/6/6/6/DSSSS1 w 3 9 moves a1a2\n"
    )
    openings = read(start)
    assert [position.movenumber for position in openings.positions] == [1, 2, 1, 1, 1, 9]
    assert [position.side for position in openings.positions] == [0, 0, 1, 1, 0, 1]
    assert openings.positions[2] == start.play(start.parse_move("a1a3"))
    assert openings.lines == ((), ("a1a2", "f6f5"), ("a1a3",), ("b1b2",), (), None)
    assert openings.duplicates == 1
    assert read(start, plies=1).lines == ((), ("a1a2",), ("a1a3",), ("b1b2",), (), None)
    # They are played in this order, without a screen, unless the order or the first one are given.
    played = list(opening_sequence(start, openings, 1, lambda position: False))
    assert played == [Opening(*each) for each in zip(openings.positions, openings.lines, strict=True)]


def test_order_and_first_opening(start: Position) -> None:
    moves = start.legal_moves()
    write("\n".join(moves))

    def sequence(seed: int, **book: object) -> list[str]:
        return [" ".join(opening.moves or ()) for opening in opening_sequence(start, read(start, **book), seed)]

    assert sequence(1) == sequence(2) == moves
    assert sequence(1, start=3) == [*moves[2:], *moves[:2]]
    shuffled = sequence(1, order="random")
    assert shuffled != moves
    assert sorted(shuffled) == sorted(moves)
    assert shuffled == sequence(1, order="random") != sequence(2, order="random")
    assert sequence(1, order="random", start=4) == [*shuffled[3:], *shuffled[:3]]


def test_a_pipe_is_refused_at_once_and_a_long_line_shortened(start: Position) -> None:
    """Other errors are in tests/commands/errors.txt."""
    if sys.platform != "win32":
        os.mkfifo("pipe")
        with pytest.raises(SettingsError, match="'pipe': not a regular file$"):
            parse_openings("pipe", start)
    write("8/" * 1_000_000)
    with pytest.raises(SettingsError, match=r"line 1: .*\.\.\. \(2000000 characters\)"):
        read(start)


def test_a_book_is_read_once_and_reports_how_far(start: Position) -> None:
    told = list[str]()
    write("startpos\n" * 250)
    for _ in range(2):
        found = parse_openings(str(BOOK), start, report=told.append)
        assert told == [f"{BOOK}: line 100, 40%", f"{BOOK}: line 200, 80%"]
    assert isinstance(found, ListedOpenings)
    assert (found.positions[249], found.positions[-250:2]) == (start, (start, start))
    write("a1a2\n" * 300)
    parse_openings(str(BOOK), start, report=told.append)
    assert told[-1] == f"{BOOK}: line 300, 100%"


def test_both_names_of_a_file_are_one_setting() -> None:
    Path("a.pgn").touch()
    assert name_of_file("a.pgn") == name_of_file("file:a.pgn") == "file:a.pgn"
    assert [name_of_file(text) for text in ("book", "random:4", "none.pgn")] == ["book", "random:4", "none.pgn"]


# ---------------------------------------------------------------- games in PGN


@pytest.mark.parametrize(("text", "expected"), [
    ('[Event "x"]', True), ("\ufeff\n [", True), ("{c}", True), ("; c\n% c\n\n[", True), ("1. a1a2", True),
    ("; c", False), ("% c\n8/8 w 0 1", False), ("; 1. a book\n8/8 w 0 1", False),
    ("1 . a1a2", True), ("", False), ("# c", False), ("8/8 w 0 1", False), ("a1a2 a6a5", False), ("S@a1", False),
])
def test_pgn_is_recognised(text: str, expected: bool) -> None:
    assert is_pgn(text) == expected


def pgn_of(start: Position, plies: int, seed: int, **tags: str) -> str:
    """A game of random moves as PGN, without its result if it has not ended."""
    game, chooser = Game(start), random.Random(seed)
    moves = []
    while len(moves) < plies and game.outcome() is None:
        move = chooser.choice(game.legal_moves())
        position = game.position
        moves.append(PgnMove(move, comment="0.00/1 0.1s", side=position.side, movenumber=position.movenumber))
        game.push(move)
    return render_pgn(tags, moves, "*")


def test_games_in_pgn_are_cut_after_some_plies(start: Position) -> None:
    write("".join(pgn_of(start, 12, seed, Variant="latrones", Round=str(seed)) for seed in range(5)))
    whole, cut = read(start), read(start, plies=5)
    assert [position.movenumber for position in whole.positions] == [7] * 5
    for position, line, longer in zip(cut.positions, cut.lines, whole.lines, strict=True):
        assert line is not None
        assert longer is not None
        assert (len(line), line) == (5, longer[:5])
        game = Game(start)
        for text in line:
            game.push(text)
        assert game.position == position
    assert parse_openings(str(BOOK), start) == whole  # the prefix file: is optional
    # From another position, as the match runner writes games: the tag FEN is the position after the opening.
    after = start.play(start.parse_move("a1a2"))
    write(pgn_of(after, 3, 1, variant="latrones", fen=after.fen()))  # tags in lower case, too
    assert read(start, plies=0) == ListedOpenings((after,), (None,))
    assert read(start, plies=1).positions[0] in [child for _, child in after.children()]
    # Games that end early.
    write(f'[FEN "{OVER.fen()}"]\n\n3. c1c4 1-0\n\n1. a1a2 f6f5 *\n')
    with pytest.raises(SettingsError, match=r"line 1: the game is over \(p1win, dux captured\); expected plies=N"):
        read(start)
    assert read(start, plies=0).positions == (OVER, start)
    assert read(start, plies=1).lines == (("a1a2",),)


def test_what_is_skipped_in_pgn(start: Position) -> None:
    image = Position.from_fen(start.ruleset, "sssss1/2d2s/6/6/3D2/SSSSSS w 1 2")  # of a1a2, with colours exchanged
    other_board = Position.start(find_variant("latrones"), (8, 8))
    games = [
        pgn_of(Position.start(find_variant("bell")), 4, 1, Variant="bell"),
        pgn_of(other_board, 4, 1, Variant="latrones", FEN=other_board.fen()),
        "1. a1a2 {a game without tags} *\n\n",
        pgn_of(image, 0, 1, FEN=image.fen()),
        "1. a1a3 *\n",
    ]
    write("".join(games))
    assert read(start).lines == (("a1a2",), ("a1a3",))
    write("".join(games[:2]))
    with pytest.raises(SettingsError, match="have no game of latrones 6x6; found 1 of 'bell', 1 of 'latrones 8x8'$"):
        read(start)


def test_a_board_is_known_by_its_size_whatever_is_cached(start: Position) -> None:
    for text in (f"{start.fen()}\n", f'[FEN "{start.fen()}"]\n\n1. a1a2 *\n'):
        write(text)
        rules_of.cache_clear()
        geometry_of.cache_clear()
        assert len(read(start).positions) == 1


# ---------------------------------------------------------------- the books of the package

SHIPPED = {name: 36 if name == "rota" else 500 for name in builtin_variants()}  # rota has no more that are drawn


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), SHIPPED.items())
def test_the_package_has_a_book_for_every_built_in_game(name: str, count: int) -> None:
    start = Position.start(find_variant(name))
    book = parse_openings("book", start)
    assert isinstance(book, ListedOpenings)
    assert len({canonical_key(position) for position in book.positions}) == len(book.positions) == count
    text = resources.files("latrones_uci").joinpath("openings", f"{name}.fen").read_text(encoding="utf-8")
    made = re.search(r"^# Made by: latrones-uci book --variant (\S+) --plies 6 --seed 1 --screen-engine", text, re.M)
    assert made is not None
    assert made[1] == f"{name}:{start.geometry.name}"
    # Its positions are those of the random openings of that seed, in that order, without those that were rejected.
    known = [Opening(position) for position in book.positions[:40]]
    found = opening_sequence(start, RandomOpenings(6), 1, lambda position: False, known)
    assert [opening.position for opening in islice(found, len(known))] == [opening.position for opening in known]
    assert parse_openings("book", start, BookSettings(start=11, order="random")) == ListedOpenings(
        book.positions, book.lines, "random", 11
    )


def test_no_book_for_other_rules() -> None:
    changed = dataclasses.replace(find_variant("latrones"), nocapture_limit=50)
    with pytest.raises(SettingsError, match="openings 'book': none for latrones 8x8"):
        parse_openings("book", Position.start(changed))


# ---------------------------------------------------------------- the screen

NODES = TimeControl(nodes=2000)
LATRONES = find_variant("latrones")
BALANCED = Position.from_fen(LATRONES, "ssss/1d2/2D1/SSSS w 0 1")
TWO_MORE = Position.from_fen(LATRONES, "ss2/1d2/2D1/SSSS b 0 1")

StartScreen = Callable[..., OpeningScreen]


@pytest.fixture
def start_screen() -> Iterator[StartScreen]:
    with ExitStack() as started:

        def start(
            *command: str,
            most_centi: int = 150,
            least_centi: int = 0,
            board: str = "4x4",
            interrupted: Callable[[], bool] = lambda: False,
        ) -> OpeningScreen:
            settings = ScreenSettings(EngineSettings((sys.executable, *command), NODES), most_centi, least_centi)
            start_position = Position.start(LATRONES, parse_board_size(board))
            return started.enter_context(OpeningScreen(settings, start_position, None, QUICK, interrupted))

        yield start


@pytest.fixture
def fake_screen(start_screen: StartScreen, fake_command: Callable[..., tuple[str, ...]]) -> StartScreen:
    return lambda behaviour, **options: start_screen(*fake_command(behaviour)[1:], **options)


def test_a_score_outside_the_range_is_rejected_for_either_side(fake_screen: StartScreen) -> None:
    screen = fake_screen("count-men")
    two_less = Position.from_fen(LATRONES, "ss2/1d2/2D1/SSSS w 0 1")
    assert screen.accepts(BALANCED)
    assert not screen.accepts(TWO_MORE)
    assert not screen.accepts(two_less)
    assert fake_screen("count-men", most_centi=200).accepts(TWO_MORE)
    screen = fake_screen("count-men", least_centi=200, most_centi=200)
    assert [screen.accepts(each) for each in (BALANCED, TWO_MORE, two_less)] == [False, True, True]
    assert not fake_screen("count-men", least_centi=201, most_centi=300).accepts(TWO_MORE)
    assert not fake_screen("carriage-returns", most_centi=10**6).accepts(BALANCED)  # a mate score


def test_what_was_rejected_is_told(fake_screen: StartScreen) -> None:
    screen = fake_screen("count-men")
    for _ in range(2):
        screen.accepts(TWO_MORE)
    screen.accepts(BALANCED)
    assert screen.rejections().endswith(
        " (score=150 nodes=2000) rejected 2 of 3 positions: 2 with scores from 200 to 200")
    screen = fake_screen("carriage-returns")
    screen.accepts(BALANCED)
    assert screen.rejections().endswith("rejected 1 of 1 position: 1 with a forced win")


@pytest.mark.long
def test_a_screen_that_rejects_everything(fake_settings: Callable[..., EngineSettings]) -> None:
    """An engine whose values of pieces have other units, or a range that it never reaches."""
    screen = ScreenSettings(fake_settings("count-men", control=NODES), 900, 800)
    engine = fake_settings("good")
    settings = TournamentSettings((engine, engine), (VariantSettings("latrones", "6x6"),), openings="random:2",
                                  screen=screen)
    warned = list[str]()
    with (Store(Path("match.db"), writing=True) as store,
          OpeningBook(settings, store, lambda: False, warned.append) as book,
          pytest.raises(SettingsError) as raised):
        book.position(0, 0)
    rejected = r"screen engine '.*' \(score=800\.\.900 nodes=2000\) rejected {} of {} positions: {} with scores"
    (warning,) = warned
    assert re.match("latrones:6x6: " + rejected.format(*[100] * 3), warning)
    assert warning.endswith("; up to 1,000 in a row are tried")
    text = str(raised.value)
    assert re.match("no opening of 2 random plies found .* passes the screen: " + rejected.format(*[r"\d+"] * 3), text)
    assert text.endswith(
        "; expected --openings auto, or --screen-engine COMMAND score=CENTI with scores in the units of that engine")


def test_an_engine_without_scores_cannot_screen(fake_settings: Callable[..., EngineSettings]) -> None:
    for behaviour, scores in (("count-men", True), ("upper-case", False)):
        screen = ScreenSettings(fake_settings(behaviour, control=NODES))
        assert prints_scores(screen, BALANCED, None, QUICK) == scores


def test_a_fault_names_the_engine_and_it_can_be_interrupted(fake_screen: StartScreen) -> None:
    for behaviour, message in (("crash", "ended with status 3"), ("no-move", "no score for 'ssss/1d2")):
        screen = fake_screen(behaviour)
        with pytest.raises(ScreenError, match=f"^screen engine '.*{behaviour}.*{message}"):
            screen.accepts(BALANCED)
    with pytest.raises(ScreenError, match="^screen engine '.*dead.*does not even start"):
        fake_screen("dead")
    interrupt = threading.Event()
    screen = fake_screen("late", interrupted=interrupt.is_set)
    interrupt.set()
    with pytest.raises(WaitInterruptedError):
        screen.accepts(BALANCED)


def test_our_engine_screens_the_same_openings_each_time(start_screen: StartScreen) -> None:
    start = Position.start(LATRONES, (6, 6))
    rejected: list[Position] = []

    def openings(count: int) -> list[str]:
        with start_screen(*OWN_ENGINE[1:], board="6x6") as screen:

            def accepts(position: Position) -> bool:
                if not (accepted := screen.accepts(position)):
                    rejected.append(position)
                return accepted

            found = islice(opening_sequence(start, RandomOpenings(6), 2, accepts), count)
            return [opening.position.fen() for opening in found]

    more = openings(12)
    assert rejected
    assert openings(6) == more[:6]


def test_our_engine_rejects_what_is_won_at_once(start_screen: StartScreen) -> None:
    assert OVER.play(OVER.parse_move("c1c4")).outcome() == Outcome(Termination.DECIDED, 0, "dux captured")
    screen = start_screen(*OWN_ENGINE[1:], most_centi=10**6, board="6x6")
    assert not screen.accepts(OVER)
    assert screen.accepts(Position.start(LATRONES, (6, 6)))


@pytest.mark.long
def test_automatic_openings_have_scores_in_the_range_of_the_variant() -> None:
    bell = find_variant("bell")
    assert parse_openings("auto", Position.start(LATRONES)) == RandomOpenings(8, (200, 300))
    assert parse_openings("auto", Position.start(bell)) == RandomOpenings(28, (0, 80))
    for start in (Position.start(LATRONES, (6, 6)), Position.start(bell, (8, 8))):
        assert parse_openings("auto", start) == RandomOpenings(6, (0, 150))
    engine = EngineSettings(("never-started",), TimeControl(depth=1))
    names = tuple(map(VariantSettings, builtin_variants()))
    settings = TournamentSettings((engine, engine), names, openings="auto")
    with (
        Store(Path("match.db"), writing=True, fresh=True) as store,
        OpeningBook(settings, store, lambda: False, lambda text: None) as book,
    ):
        for number, name in enumerate(builtin_variants()):
            start = Position.start(find_variant(name))
            openings = parse_openings("auto", start)
            assert isinstance(openings, RandomOpenings)
            assert openings.score is not None
            least, most = openings.score
            screen = ScreenSettings(EngineSettings(OWN_ENGINE, TimeControl(nodes=20000)), most, least)
            with OpeningScreen(screen, start, None, QUICK, lambda: False) as running:
                assert running.accepts(book.position(number, 0))


def test_automatic_openings_have_no_other_settings() -> None:
    engine = EngineSettings(("never-started",), TimeControl(depth=1))
    with pytest.raises(SettingsError, match="^'--screen-engine' cannot be combined with '--openings auto'"):
        TournamentSettings((engine, engine), openings="auto", screen=ScreenSettings(engine))
    with pytest.raises(SettingsError, match="^openings 'auto': plies=, order= and start= need a file or 'book'"):
        parse_openings("auto", Position.start(LATRONES), BookSettings(start=2))


def test_words() -> None:
    assert parse_screen(["python3 -m engine"]) == ScreenSettings(
        EngineSettings(("python3", "-m", "engine"), TimeControl(nodes=20000)), 150
    )
    assert parse_screen(["cmd=engine", "depth=3", "score=90", "option.Hash=8"]) == ScreenSettings(
        EngineSettings(("engine",), TimeControl(depth=3), None, (("Hash", "8"),)), 90
    )
    engine = EngineSettings(("engine",), TimeControl(nodes=20000))
    assert parse_screen(["engine", "score=200..300"]) == ScreenSettings(engine, 300, 200)
    assert parse_screen(["engine", "score=0..300"]) == ScreenSettings(engine, 300)
