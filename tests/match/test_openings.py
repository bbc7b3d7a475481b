import dataclasses
import os
import random
import re
from importlib import resources
from itertools import islice
from pathlib import Path

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Game, Position, builtin_variants, canonical_key, find_variant
from latrones_uci.game.geometry import geometry_of
from latrones_uci.game.rules import rules_of
from latrones_uci.match.opening_file import is_pgn, name_of_file, parse_openings
from latrones_uci.match.openings import BookSettings, ListedOpenings, Opening, RandomOpenings, opening_sequence
from latrones_uci.match.pgn_write import WrittenMove, render_pgn


def test_openings_text(start: Position) -> None:
    assert parse_openings("random:4", start) == RandomOpenings(4)
    assert parse_openings("random:0", start) == RandomOpenings(0)


@pytest.mark.parametrize("text", ["random", "random:", "random:-1", "random:1001", "random:x", "book.epd", "random:٣"])
def test_bad_openings_text_is_quoted(text: str, start: Position) -> None:
    with pytest.raises(SettingsError, match="random:PLIES") as raised:
        parse_openings(text, start)
    assert repr(text) in str(raised.value)


def test_a_file_has_fens_moves_and_comments(start: Position, tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text(
        f"# openings\n\n{start.fen()}\na1a2 f6f5  # two plies\nstartpos moves a1a3\n{start.fen()} moves b1b2\n"
        "startpos\n6/dssss1/6/6/6/DSSSS1 w 3 9 moves a1a2\n",
        encoding="utf-8",
    )
    openings = parse_openings(f"file:{file}", start)
    assert isinstance(openings, ListedOpenings)
    assert [position.movenumber for position in openings.positions] == [1, 2, 1, 1, 1, 9]
    assert [position.side for position in openings.positions] == [0, 0, 1, 1, 0, 1]
    assert openings.positions[2] == start.play(start.parse_move("a1a3"))
    assert openings.lines == ((), ("a1a2", "f6f5"), ("a1a3",), ("b1b2",), (), None)


def test_a_board_is_known_by_its_size_whatever_is_cached(start: Position, tmp_path: Path) -> None:
    lines, games = tmp_path / "book.txt", tmp_path / "book.pgn"
    lines.write_text(f"{start.fen()}\n", encoding="utf-8")
    games.write_text(f'[FEN "{start.fen()}"]\n\n1. a1a2 *\n', encoding="utf-8")
    rules_of.cache_clear()
    geometry_of.cache_clear()
    for file in (lines, games):
        openings = parse_openings(f"file:{file}", start)
        assert isinstance(openings, ListedOpenings)
        assert len(openings.positions) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a1a9", "line 2: move 'a1a9'"),
        ("zz", "line 2: move 'zz'"),
        ("8/8 w", "line 2: FEN '8/8 w'"),
        ("moves a1a2 f6f7", "line 2: move 'f6f7'"),
        ("ssss/4/1D2/SSSS w 0 1", r"line 2: opening '.*': the game is over \(p1win, dux captured\)"),
        ("ssss/1d2/1D2/SSSS w 0 1", r"line 2: opening '.*': the board is 4x4; expected 6x6"),
        ("ssss1s/1Sd1s1/6/3D2/S1SSSS w 0 1", r"line 2: opening '.*': the board is 6x5; expected 6x6"),
        ("# nothing", "empty"),
    ],
)
def test_a_bad_line_of_a_file_is_named(start: Position, tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "book.txt"
    file.write_text(f"# one\n{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        parse_openings(f"file:{file}", start)


def test_a_missing_file_is_named(start: Position, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read the openings '.*none\.txt': No such file or directory$"):
        parse_openings(f"file:{tmp_path / 'none.txt'}", start)


def pgn_of(start: Position, plies: int, seed: int, **tags: str) -> str:
    """A game of random moves as PGN, without its result if it has not ended."""
    game, chooser = Game(start), random.Random(seed)
    moves = []
    while len(moves) < plies and game.outcome() is None:
        move = chooser.choice(game.legal_moves())
        position = game.position
        moves.append(WrittenMove(position.side, position.movenumber, position.move_text(move), "0.00/1 0.1s"))
        game.play(move)
    return render_pgn(tags, moves, "*")


def read(path: Path, position: Position, /, **book: object) -> ListedOpenings:
    found = parse_openings(f"file:{path}", position, BookSettings(**book))  # type: ignore[arg-type]
    assert isinstance(found, ListedOpenings)
    return found


def test_games_in_pgn_are_cut_after_some_plies(start: Position, tmp_path: Path) -> None:
    file = tmp_path / "games"  # recognised by its contents
    file.write_text("".join(pgn_of(start, 12, seed, Variant="latrones", Round=str(seed)) for seed in range(5)))
    whole, cut = read(file, start), read(file, start, plies=5)
    assert [position.movenumber for position in whole.positions] == [7] * 5
    assert [len(line or ()) for line in cut.lines] == [5] * 5
    for position, line, longer in zip(cut.positions, cut.lines, whole.lines, strict=True):
        assert line is not None
        assert longer is not None
        assert line == longer[:5]
        game = Game(start)
        for text in line:
            game.play(game.position.parse_move(text))
        assert game.position == position
    assert parse_openings(str(file), start) == whole  # the prefix file: is optional


def test_games_in_pgn_from_another_position(start: Position, tmp_path: Path) -> None:
    """As the match runner writes them: the tag FEN is the position after the opening."""
    after = start.play(start.parse_move("a1a2"))
    file = tmp_path / "games.pgn"
    file.write_text(pgn_of(after, 3, 1, variant="latrones", fen=after.fen()))  # tags in lower case, too
    assert read(file, start, plies=0) == ListedOpenings((after,), (None,))
    assert read(file, start, plies=1).positions[0] in [child for _, child in after.children()]


def test_what_is_skipped_in_pgn(start: Position, tmp_path: Path) -> None:
    image = Position.from_fen(start.ruleset, "sssss1/2d2s/6/6/3D2/SSSSSS w 1 2")  # of a1a2, with colours exchanged
    other_board = Position.start(find_variant("latrones"), (8, 8))
    games = [
        pgn_of(Position.start(find_variant("bell")), 4, 1, Variant="bell"),
        pgn_of(other_board, 4, 1, Variant="latrones", FEN=other_board.fen()),
        "1. a1a2 {a game without tags} *\n\n",
        pgn_of(image, 0, 1, FEN=image.fen()),
        "1. a1a3 *\n",
    ]
    file = tmp_path / "games.pgn"
    file.write_text("".join(games))
    assert read(file, start).lines == (("a1a2",), ("a1a3",))
    file.write_text("".join(games[:2]))
    message = "have no game of latrones 6x6; found 1 of 'bell', 1 of 'latrones 8x8'$"
    with pytest.raises(SettingsError, match=message):
        read(file, start)


def test_games_that_end_early(start: Position, tmp_path: Path) -> None:
    won = Position.from_fen(start.ruleset, "1sssss/1sdD2/6/6/5S/SSSSS1 w 4 3")
    file = tmp_path / "games.pgn"
    file.write_text(f'[FEN "{won.fen()}"]\n\n3. c1c4 1-0\n\n1. a1a2 f6f5 *\n')
    with pytest.raises(SettingsError, match=r"line 1: the game is over \(p1win, dux captured\); expected plies=N"):
        read(file, start)
    assert read(file, start, plies=0).positions == (won, start)
    assert read(file, start, plies=1).lines == (("a1a2",),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. a1a2\nf6f1 *\n", "games.pgn, line 2: move 'f6f1'"),
        ("1. a1a2 f6f5\n", "games.pgn, line 1: missing result"),
        ('[FEN "8/8"]\n*\n', "games.pgn, line 1: FEN '8/8'"),
        ("[Event bad]\n", "games.pgn, line 1: malformed tag"),
        ("{nothing}\n", r"games.pgn' have no game of latrones 6x6; found none$"),
    ],
)
def test_an_error_in_pgn_is_named_with_its_line(start: Position, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        read(file, start)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[Event "x"]', True), ("\ufeff\n [", True), ("{c}", True), ("; c\n% c\n\n[", True), ("1. a1a2", True),
        ("; c", False), ("% c\n8/8 w 0 1", False), ("; 1. a book\n8/8 w 0 1", False),
        ("1 . a1a2", True), ("", False), ("# c", False), ("8/8 w 0 1", False), ("a1a2 a6a5", False), ("S@a1", False),
    ],
)  # fmt: skip
def test_pgn_is_recognised(text: str, expected: bool) -> None:
    assert is_pgn(text) == expected


@pytest.mark.parametrize("comment", ["#", ";", "%", "  ; "])
def test_a_book_may_begin_with_a_comment(start: Position, tmp_path: Path, comment: str) -> None:
    file = tmp_path / "book.txt"
    file.write_text(f"{comment} my openings\n{start.fen()}\n\n{comment} more\na1a2", encoding="utf-8")
    assert read(file, start).lines == ((), ("a1a2",))


def test_duplicates_are_counted_and_kept(start: Position, tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text(f"startpos\na1a2 f6f5\n{start.fen()}\na1a2\nf1f2\n{start.fen()}\n", encoding="utf-8")
    assert (len(read(file, start).positions), read(file, start).duplicates) == (6, 2)


def test_a_book_is_read_once_and_reports_how_far(start: Position, tmp_path: Path) -> None:
    file, told = tmp_path / "book.txt", list[str]()
    file.write_text("startpos\n" * 250, encoding="utf-8")
    for _ in range(2):
        found = parse_openings(str(file), start, report=told.append)
        assert told == [f"{file}: line 100, 40%", f"{file}: line 200, 80%"]
    assert isinstance(found, ListedOpenings)
    assert (found.positions[249], found.positions[-250:2]) == (start, (start, start))
    file.write_text("a1a2\n" * 300, encoding="utf-8")
    parse_openings(str(file), start, report=told.append)
    assert told[-1] == f"{file}: line 300, 100%"


def test_lines_are_cut_too(start: Position, tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("\ufeffa1a2 f6f5 a2a3\nstartpos moves b1b2\n" + start.fen() + "\n", encoding="utf-8")
    assert read(file, start, plies=2).lines == (("a1a2", "f6f5"), ("b1b2",), ())


def test_order_and_first_opening(start: Position, tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    moves = [start.move_text(move) for move in start.legal_moves()]
    file.write_text("\n".join(moves))

    def sequence(seed: int, **book: object) -> list[str]:
        found = opening_sequence(start, read(file, start, **book), seed)
        return [" ".join(opening.moves or ()) for opening in found]

    assert sequence(1) == sequence(2) == moves
    assert sequence(1, start=3) == [*moves[2:], *moves[:2]]
    shuffled = sequence(1, order="random")
    assert shuffled != moves
    assert sorted(shuffled) == sorted(moves)
    assert shuffled == sequence(1, order="random") != sequence(2, order="random")
    assert sequence(1, order="random", start=4) == [*shuffled[3:], *shuffled[:3]]
    with pytest.raises(SettingsError, match=rf"start=99 is after the last opening; expected 1 to {len(moves)}$"):
        read(file, start, start=99)


@pytest.mark.parametrize(
    ("book", "message"),
    [({"start": 0}, "start=0: expected an integer from 1"), ({"plies": -1}, "plies=-1: expected an integer from 0")],
)
def test_bad_book_settings(book: dict[str, int], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        BookSettings(**book)  # type: ignore[arg-type]


def test_random_openings_have_no_order(start: Position) -> None:
    with pytest.raises(SettingsError, match=r"'random:4': plies=, order= and start= need a file or 'book'"):
        parse_openings("random:4", start, BookSettings(start=2))


def test_both_names_of_a_file_are_one_setting(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").touch()
    assert name_of_file("a.pgn") == name_of_file("file:a.pgn") == "file:a.pgn"
    assert [name_of_file(text) for text in ("book", "random:4", "none.pgn")] == ["book", "random:4", "none.pgn"]


@pytest.mark.skipif(os.name != "posix", reason="named pipes are POSIX's")
def test_a_pipe_is_refused_at_once(start: Position, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SettingsError, match="'pipe': not a regular file$"):
        parse_openings("pipe", start)


SHIPPED = {name: 36 if name == "rota" else 500 for name in builtin_variants()}  # rota has no more that are drawn


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


def test_no_book_for_other_boards_and_rules(start: Position) -> None:
    message = (
        "openings 'book': none for latrones 6x6, only for the built-in games on their default boards; expected"
        " 'random:PLIES', or a file that 'latrones-uci book --variant latrones:6x6' has made"
    )
    with pytest.raises(SettingsError, match=message):
        parse_openings("book", start)
    changed = dataclasses.replace(find_variant("latrones"), nocapture_limit=50)
    with pytest.raises(SettingsError, match="none for latrones 8x8"):
        parse_openings("book", Position.start(changed))
