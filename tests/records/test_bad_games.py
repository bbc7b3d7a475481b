"""One bad game costs one game: wherever games are read, the others are there, and the error names game and line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from latrones_uci import PgnError, Position, read_pgn
from latrones_uci.commands.main import main
from latrones_uci.match.openings import ListedOpenings, parse_openings
from latrones_uci.records.pgn_read import PgnGame, PgnReader, read_games

TAGS = '[White "A"]\n[Black "B"]\n[Variant "latrones"]\n[Result "1-0"]\n'


def game(moves: str, tags: str = TAGS) -> str:
    return f"{tags}\n{moves}\n\n"


GOOD = game("1. d1d5 e8e4 1-0")
BAD = {
    "illegal move": ("1. d1d9 1-0", "game 2, line 13: move 'd1d9': d9 is not on the 8x8 board"),
    "open variation": ("1. d1d4 (1. d1d5 1-0", "game 2, line 13: unterminated variation before: '1-0'"),
    "open comment": ("1. d1d4 {no end", "game 2, line 13: unterminated comment: '{no end"),
    "no result": ("1. d1d4 e8e5", "game 2, line 15: missing result before a tag: "),
    "odd character": ("1. d1d4 ] e8e5\n2. d4d5 1-0", "game 2, line 13: unexpected text: '] e8e5'"),
    "tag between moves": ("1. d1d4 [%clk 1:00] e8e5 1-0", "game 2, line 13: malformed tag: '[%clk 1:00] e8e5 1-0'"),
    "text after": ("1. d1d4 ) e8e5 1-0 ) 2. d4d5\n1-0", "game 2, line 13: unexpected text: ') e8e5 1-0 ) 2. d4d5'"),
    "not UTF-8": ("1. d1d4 {M\udcfcller} 1-0", "game 2, line 13: not UTF-8: invalid byte 0xfc"),
}
BAD_TAGS = {
    "malformed tag": (TAGS.replace('"A"', '"A'), "game 2, line 8: malformed tag: "),
    "duplicate tag": (TAGS + '[White "C"]\n', "game 2, line 12: duplicate tag: "),
    "unknown variant": (TAGS.replace("latrones", "chess"), "game 2, line 8: tag Variant is 'chess', but known"),
    "no variant": (TAGS.replace('[Variant "latrones"]\n', ""), "game 2, line 8: missing tag 'Variant'"),
}
CASES = {name: (game(moves), message) for name, (moves, message) in BAD.items()} | {
    name: (game("1. d1d4 1-0", tags), message) for name, (tags, message) in BAD_TAGS.items()}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Return a file of four games, the second of which is bad, and the beginning of its error."""
    text, message = CASES[request.param]
    path = tmp_path / "games.pgn"
    path.write_text(GOOD + text + game("1. d1d6 {third} 1-0") + game("1. d1d3 1-0"), "utf-8", "surrogateescape")
    return path, message


def test_the_reader_goes_on_after_it(case: tuple[Path, str]) -> None:
    path, message = case
    errors = list[PgnError]()
    games = list(read_pgn(path, on_error=errors.append))
    assert [str(each.moves[0].text) for each in games] == ["d1d5", "d1d6", "d1d3"]
    assert [(str(error).startswith(message), error.game) for error in errors] == [(True, 2)], errors
    assert f", line {errors[0].line}: " in message
    iterator = read_pgn(path)
    assert next(iterator).moves[0].text == "d1d5"
    with pytest.raises(PgnError, match="^game 2, line "):
        next(iterator)
    assert [each.moves[0].text for each in iterator] == ["d1d6", "d1d3"]


def test_it_does_not_matter_how_a_text_is_cut_into_parts(case: tuple[Path, str]) -> None:
    path, _ = case
    lines = path.read_text("utf-8", "surrogateescape").splitlines(keepends=True)
    reader = PgnReader()
    pieces = [each for line in lines for each in reader.read(line)]
    assert list(map(str, (*pieces, *reader.end()))) == list(map(str, read_games(lines)))


def test_openings_without_it(case: tuple[Path, str]) -> None:
    path, message = case
    found = parse_openings(str(path), Position.start("latrones"))
    assert isinstance(found, ListedOpenings)
    others = [("d1d4",)] if "missing tag" in message else []  # openings need no tag
    assert sorted(found.lines) == sorted([("d1d5", "e8e4"), ("d1d6",), ("d1d3",), *others])
    expected = [] if "Variant" in message else [True]  # of another game: skipped without a word
    assert [line.startswith(f"{path}: {message}") for line in found.left_out] == expected


def test_verify_checks_the_others(case: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    path, message = case
    assert main(["verify", str(path)]) == 1
    output = capsys.readouterr()
    assert "3 1-0), " in output.out or "4 1-0), " in output.out
    assert "1 disagreement" in output.out
    assert message in output.err or "Variant" in message


def test_ratings_count_the_others(case: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    path, message = case
    assert main(["ratings", str(path), "--format", "csv"]) == 0
    output = capsys.readouterr()
    is_read = message.split(": ")[0] in output.err  # what is not legal is rated
    assert f",{3 if is_read else 4}," in output.out
    assert (f"{path}: {message}" in output.err and output.err.endswith("; left out\n")) == is_read
    assert is_read or "move" in message or "Variant" in message


def test_only_the_first_bad_games_of_a_file_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(GOOD + game("1. d1d4 ) 1-0") * 7 + game("1. d1d6 0-1"), encoding="utf-8")
    assert main(["ratings", str(path)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in lines[:5]] == [f"game {at}, line {7 * at - 1}" for at in range(2, 7)]
    assert lines[6:] == [f"{path}: 2 more games left out; 'latrones-uci verify' names all"]
    assert lines[5] == f"{path}: game 9, line 57: tag Result is '1-0', but the moves end with '0-1'; counted by the tag"


def test_comments_may_look_like_games() -> None:
    """Only a blank line, a tag and another opening brace show that a comment was not closed."""
    comment = '{see\n[Event "B"]\n[Result "*"]\n\n[Event "C"]\n1-0 there}'
    [one, two] = read_games((game(f"1. d1d5 {comment} e8e4 1-0") + GOOD).splitlines(keepends=True))
    assert isinstance(one, PgnGame)
    assert isinstance(two, PgnGame)
    assert one.moves[0].comment == 'see [Event "B"] [Result "*"] [Event "C"] 1-0 there'
    assert (len(one.moves), two.tags["White"], two.line) == (2, "A", 13)


def test_many_comments_without_end_cost_one_game_each() -> None:
    text = game("1. d1d5 {no end") * 50 + GOOD
    found = list(read_games(text.splitlines(keepends=True)))
    assert [isinstance(each, PgnGame) for each in found] == [False] * 50 + [True]
    assert [each.game for each in found[:-1] if isinstance(each, PgnError)] == list(range(1, 51))


@pytest.mark.parametrize(("moves", "read"), [
    ("1. d1d5 e8e4$2 *", "d1d5 e8e4$2"), ("1. d1d5 e8e4*", "d1d5 e8e4"), ("1. d1d5 $2*", "d1d5$2"),
    ("1. d1d5 () e8e4 *", "d1d5 e8e4"), ("1. d1d5 ({only} ) e8e4 *", "d1d5{only} e8e4"),
    ("1. d1d5 {a} ({b}) {c} *", "d1d5{a b c}"),
    ("1. d1d5 (1. -- e8e4 {why} (2. -- e8e5) *", None),
    ("1. d1d5 (1. -- e8e4 {why} (1... e8e5 $2)) *", "d1d5{(-- e8e4 why (1... e8e5 $2))}"),
    ("1. d1d5 (1. d1d4 -- 2. d4d5) *", "d1d5(d1d4{-- 2. d4d5})"),
    ("1. d1d5 (1. d1d4 Z0 2. d4d5) *", "d1d5(d1d4{Z0 2. d4d5})"),
    ("1. d1d5 += e8e4 -+ *", "d1d5$14 e8e4$19"), ("1. d1d5+= e8e4?! \u00b1 *", "d1d5$14 e8e4$6$16"),
    ("1. d1d5 ! e8e4 = *", "d1d5$1 e8e4$10"), ("1. d1-d5(+)!? e8-e4* *", "d1d5$5 e8e4"),
    ("1. d1d5 ({before} 1. d1d4 {after}) *", "d1d5({before} d1d4{after})"),
])
def test_what_other_programs_write_in_the_moves(moves: str, read: str | None) -> None:
    def words(line: object) -> str:
        assert isinstance(line, list)
        return " ".join(
            (f"{{{move.starting_comment}}} " if move.starting_comment else "") + move.text + "".join(move.glyphs)
            + (f"{{{move.comment}}}" if move.comment else "") + "".join(f"({words(each)})" for each in move.variations)
            for move in line)

    [found] = read_games([moves])
    assert (words(found.moves) if isinstance(found, PgnGame) else None) == read


@pytest.mark.parametrize(("line", "name", "value"), [
    ('[BlackType: "program"]', "BlackType:", "program"), ('[White-Elo "1"]', "White-Elo", "1"),
    ('[Elo+ "2"]', "Elo+", "2"), ('[a.b "3"]', "a.b", "3"), ('[Event "the "A" team"]', "Event", 'the "A" team'),
    (r'[Site "C:\games\"]', "Site", "C:\\games\\"), (r'[Site "a\"b\\c"]', "Site", 'a"b\\c'),
])
def test_tags_of_other_programs(line: str, name: str, value: str) -> None:
    [found] = read_pgn(io.StringIO(f'{line}\n[Variant "latrones"]\n\n1. d1d5 *\n'))
    assert found.tags[name] == value
