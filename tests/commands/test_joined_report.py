"""One report of several databases."""

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.match.joining import JoinedMatches
from latrones_uci.records.store import Store
from latrones_uci.web.match.collect import ReportedMatch, joined_match, stored_match
from latrones_uci.web.match.figures import player_of

# In the first opening the move of the fakes is legal, and the game is drawn after it; in the second, White has lost.
OPENINGS = "startpos\nb1b2 a6a5\na1a2 a6a5\nc1c2 a6a5\na1a3 a6a5\nc1c3 a6a5\n"


def play(database: str, names: str, *words: str, limit: str = "nodes=1") -> None:
    """Play games of one ply."""
    Path("book.txt").write_text(OPENINGS, encoding="utf-8")
    engines = [word for name in names for word in ("--engine", "cmd=instant_engine.py b1b3", f"name={name}", limit)]
    board = [] if "--variant" in words else ["--board", "6x6"]
    match = ["--max-plies", "1", "--games", "4", "--quiet", "--openings", "book.txt", "--database", database]
    assert main([*engines, *match, *board, *words]) in (0, 4)


def joined(*paths: str) -> ReportedMatch:
    with ExitStack() as stack:
        return joined_match(JoinedMatches([stack.enter_context(Store(Path(path), writing=False)) for path in paths]))


def alone(path: str) -> ReportedMatch:
    with Store(Path(path), writing=False) as store:
        return stored_match(store)


def test_games_of_several_databases_are_one_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    play("one.db", "AB", "--seed", "1")
    variants = ("--variant", "latrones:6x6", "--variant", "latrunculi-classical:6x6")
    play("two.db", "CAB", "--seed", "2", "--format", "gauntlet", *variants)
    one, two, both = alone("one.db"), alone("two.db"), joined("one.db", "two.db")
    assert both.standings.names == ("A", "B", "C")
    assert [record.fixture.number for record in both.records] == list(range(1, 13))
    assert [record.game for record in both.records] == [record.game for record in (*one.records, *two.records)]
    names = [tuple(both.standings.names[player_of(record, side)] for side in (0, 1)) for record in both.records]
    assert names == [record.names for record in both.records]
    # Each engine has the sum of its games, and each opening has its own number.
    counts: dict[str, tuple[int, ...]] = {}
    for match in (one, two):
        for engine, name in enumerate(match.standings.names):
            before = counts.get(name, (0, 0, 0))
            counts[name] = tuple(map(sum, zip(before, match.standings.total(engine).counts, strict=True)))
    totals = [both.standings.total(engine) for engine in range(3)]
    assert {name: total.counts for name, total in zip(both.standings.names, totals, strict=True)} == counts
    openings = {(record.fixture.variant, record.fixture.opening, record.game.start.fen()) for record in both.records}
    assert len({(variant, number) for variant, number, _ in openings}) == len(openings)
    assert len({(variant, fen) for variant, _, fen in openings}) == len(openings)
    assert any(total.losses for total in totals)
    assert any(total.draws for total in totals)
    assert both.variants == ["latrones:6x6", "latrunculi-classical:6x6"]
    settings = dict(both.settings)
    assert settings["one.db"].startswith("games 1 to 4, started 2")
    assert settings["two.db"].startswith("games 5 to 12, started 2")
    assert (settings["games per pairing"], settings["one.db: seed"], settings["two.db: seed"]) == ("4", "1", "2")
    assert main(["report", "one.db", "two.db", "-o", "both.html"]) == 0
    assert f"report: {Path('both.html').resolve()}" in capsys.readouterr().out
    page = Path("both.html").read_text(encoding="utf-8")
    assert "Tournament of 3 engines" in page
    assert "Cross table" in page


def test_pairs_of_two_databases_are_not_mixed() -> None:
    """Both have pairs number 0 and 1 of the same engines, of which one is half played; one is a sequential test."""
    play("one.db", "AB", "--games", "3", "--sprt", "gainer")
    play("two.db", "AB", "--games", "3", "--seed", "2")
    both = joined("one.db", "two.db")
    fixtures = [(record.fixture.number, record.fixture.pair) for record in both.records]
    assert fixtures == [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2), (6, 3)]
    assert both.tournament is None
    assert dict(both.settings)["one.db"].endswith(", no verdict yet")


def test_a_game_in_several_databases_is_one_game(capsys: pytest.CaptureFixture[str]) -> None:
    """A copy was resumed; another match has the same settings, and the same moves."""
    play("one.db", "AB")
    play("same.db", "AB")
    shutil.copy("one.db", "copy.db")
    assert main(["resume", "copy.db", "--games", "6", "--quiet"]) == 0
    both = joined("one.db", "copy.db", "one.db")
    assert [record.game for record in both.records] == [record.game for record in alone("copy.db").records]
    settings = dict(both.settings)
    assert settings["copy.db"].startswith("games 9 to 10, without 4 duplicate games, started 2")
    assert len(joined("one.db", "same.db").records) == 8
    capsys.readouterr()
    assert main(["report", "one.db", "one.db", "-o", "page.html"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "left out: 4 duplicate games, in several databases"
    Path("page.html").unlink()
    assert main(["ratings", "one.db", "one.db", "copy.db", "same.db"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "8 duplicate games left out."


def test_what_cannot_be_joined(capsys: pytest.CaptureFixture[str]) -> None:
    play("one.db", "AB")
    play("limit.db", "AC", limit="nodes=2")
    play("ponder.db", "AD", "--each", "ponder=on")
    rules = "[{}]\nparent = 'latrones'\ndefault_size = '6x6'\nnocapture_limit = {}\n"
    for name, limit in (("mine", 50), ("mine2", 60)):
        Path(f"{name}.toml").write_text(rules.format("own", limit), encoding="utf-8")
        play(f"{name}.db", "AB", "--variant", "own", "--variant-path", f"{name}.toml")
    Path("empty.db").touch()
    capsys.readouterr()
    for words, status, message in (
        (["one.db", "limit.db"], 2, "database 'limit.db': 'A' is another engine than in the databases before it:"
         " its limit is 'nodes=2', not 'nodes=1'; expected different names"),
        (["one.db", "ponder.db"], 2, "database 'ponder.db': 'A' is another engine than in the databases before it:"
         " its pondering is 'on', not 'off'; expected different names"),
        (["mine.db", "mine2.db"], 2, "database 'mine2.db': the variant 'own' has other rules than"),
        (["one.db", "none.db"], 1, "database 'none.db': no such file"),
        (["one.db", "empty.db"], 1, "database 'empty.db' is empty"),
        (["one.db", "mine.db", "-o", "mine.db"], 2, "--output would overwrite the database 'mine.db'"),
    ):
        assert main(["report", *words, *([] if "-o" in words else ["-o", "page.html"])]) == status
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith(f"latrones-uci report: {message}")
    assert main(["report", "one.db", "limit.db"]) == 2
    assert "2 databases: no output file; expected --output FILE.html" in capsys.readouterr().err
    assert not Path("page.html").exists()
