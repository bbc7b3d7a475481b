"""The command that makes books; the screen itself is tested in tests/match/test_openings.py."""

from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Position, canonical_key, find_variant
from latrones_uci.match.openings import ListedOpenings, parse_openings
from latrones_uci.text.command import join_command

Command = Callable[..., tuple[str, ...]]
Make = Callable[..., int]
START = Position.start(find_variant("latrones"), (6, 6))


@pytest.fixture
def make(fake_command: Command) -> Make:
    """Run the command with an engine whose score is the difference in pieces."""

    def run(*words: str, engine: str = "count-men", score: str = "score=0") -> int:
        screen = ["--screen-engine", join_command(fake_command(engine)), "depth=1", score]
        return main(["book", "--variant", "latrones:6x6", "--plies", "8", "--output", "book.fen", *words, *screen])

    return run


def openings_of(path: str) -> ListedOpenings:
    found = parse_openings(path, START)
    assert isinstance(found, ListedOpenings)
    return found


def test_a_book_is_balanced_distinct_and_the_same_each_time(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    assert make("--count", "30", "--seed", "1", "--pgn", "book.pgn") == 0
    first, *_ = capsys.readouterr().out.splitlines()
    searched = int(first.removeprefix("latrones-6x6: 30 openings after 8 random plies, ").split()[0])
    assert searched > 30  # some were rejected
    book, text = openings_of("book.fen"), Path("book.fen").read_text(encoding="utf-8")
    assert len({canonical_key(position) for position in book.positions}) == 30
    for position in book.positions:
        fen = position.fen().split()[0]
        assert sum(map(str.isupper, fen)) == sum(map(str.islower, fen))
        assert (position.movenumber, position.outcome()) == (5, None)
    assert "# Screened by: Fake count-men\n" in text
    assert "--variant latrones:6x6 --plies 8 --seed 1 --screen-engine" in text
    assert "depth=1 score=0 --count 30\n" in text
    # The PGN has the same openings, with their moves.
    assert openings_of("book.pgn").positions == book.positions
    assert all(line is not None and len(line) == 8 for line in openings_of("book.pgn").lines)
    assert main(["verify", "book.pgn"]) == 0
    Path("book.fen").unlink()
    assert make("--count", "30", "--seed", "1") == 0
    assert Path("book.fen").read_text(encoding="utf-8") == text
    assert make("--count", "30", "--seed", "2", "--output", "other.fen") == 0
    assert openings_of("other.fen").positions != book.positions


@pytest.mark.long
def test_a_book_in_which_one_side_has_an_advantage(make: Make) -> None:
    assert make("--count", "20", score="score=100..200") == 0
    advantages = set()
    for position in openings_of("book.fen").positions:
        fen = position.fen().split()[0]
        advantages.add(sum(map(str.isupper, fen)) - sum(map(str.islower, fen)))
    assert advantages <= {-2, -1, 1, 2}
    assert min(advantages) < 0 < max(advantages)
    text = Path("book.fen").read_text(encoding="utf-8")
    assert "without a forced win and with a score of 100 to 200 for one side.\n" in text
    assert "depth=1 score=100..200 --count 20\n" in text
    assert make("--count", "21", score="score=100..200") == 0  # resumed


def test_an_interrupted_book_is_resumed_and_a_finished_one_extended(
    make: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make("--count", "20", "--pgn", "book.pgn") == 0
    whole, pgn = Path("book.fen").read_bytes(), Path("book.pgn").read_bytes()
    lines = whole.splitlines(keepends=True)
    Path("book.fen").write_bytes(b"".join(lines[:-7]) + lines[-7][:9])  # killed while it wrote a line
    Path("book.pgn").unlink()
    capsys.readouterr()
    assert make("--count", "20", "--pgn", "book.pgn") == 0
    assert (Path("book.fen").read_bytes(), Path("book.pgn").read_bytes()) == (whole, pgn)
    searched = int(capsys.readouterr().out.split(" positions searched")[0].split()[-1])
    assert 7 <= searched < 20
    assert make("--count", "20") == 0  # complete already
    assert "0 positions searched" in capsys.readouterr().out
    assert make("--count", "25") == 0
    assert openings_of("book.fen").positions[:20] == tuple(
        Position.from_fen("latrones", line.decode()) for line in lines if not line.startswith(b"#")
    )
    assert len(openings_of("book.fen").positions) == 25


@pytest.mark.parametrize("edited", [
    lambda text: text.replace("\n", "\r\n"), lambda text: f"\ufeff{text}",
], ids=["CRLF", "byte order mark"])
def test_a_book_that_an_editor_on_windows_has_written_is_extended(make: Make, edited: Callable[[str], str]) -> None:
    book = Path("book.fen")
    assert make("--count", "4") == 0
    whole = book.read_bytes()
    book.unlink()
    assert make("--count", "2") == 0
    book.write_bytes(edited(book.read_text(encoding="utf-8")).encode())
    assert make("--count", "4") == 0
    assert book.read_bytes() == whole


def test_openings_found_before_a_failure_are_kept(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    assert make("--count", "5") == 0
    text = Path("book.fen").read_text(encoding="utf-8")
    Path("book.fen").write_text(text.replace("count-men", "crash"), encoding="utf-8", newline="\n")
    assert make("--count", "9", engine="crash") == 1
    assert "ended with status 3" in capsys.readouterr().err
    assert len(openings_of("book.fen").positions) == 5


def test_a_game_with_few_openings(fake_command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--screen-engine", join_command(fake_command("count-men")), "depth=1"]
    assert main(["book", "--variant", "rota", "--plies", "2", "--count", "50", "--pgn", "rota.pgn", *words]) == 0
    assert "no other found in 1000 attempts (50 requested)" in capsys.readouterr().out
    text = Path("rota-3x3.fen").read_text(encoding="utf-8")
    assert "# No other was found in 1000 attempts: 6 of 50 openings.\n" in text
    book = parse_openings("rota.pgn", Position.start(find_variant("rota")))
    assert isinstance(book, ListedOpenings)
    assert len(book.positions) == 6


def test_another_book_is_not_overwritten(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    assert make("--count", "3") == 0
    before = Path("book.fen").read_bytes()
    capsys.readouterr()
    for words, message in (
        (["--seed", "2"], "'book.fen' is another book, with the line '# Made by: "),
        (["--count", "2"], "'book.fen' has 3 openings; expected --count 3 or more"),
    ):
        assert make("--count", "3", *words) == 2
        assert capsys.readouterr().err.startswith(f"latrones-uci book: {message}")
    assert Path("book.fen").read_bytes() == before
