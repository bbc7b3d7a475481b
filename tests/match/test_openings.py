from pathlib import Path

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import Position
from latrones_uci.match.openings import ListedOpenings, RandomOpenings, parse_openings


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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a1a9", "line 2: move 'a1a9'"),
        ("zz", "line 2: move 'zz'"),
        ("8/8 w", "line 2: FEN '8/8 w'"),
        ("moves a1a2 f6f7", "line 2: move 'f6f7'"),
        ("ssss/4/1D2/SSSS w 0 1", r"line 2: opening '.*': the game is over \(p1win, dux captured\)"),
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
