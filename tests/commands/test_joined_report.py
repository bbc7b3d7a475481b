"""One report of several databases."""

import shutil
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.match.joining import JoinedMatches
from latrones_uci.records.store import Store
from latrones_uci.web.match.collect import joined_report_data, report_data
from latrones_uci.web.match.data import ReportData

# In the first opening the move of the fakes is legal, and the game is drawn after it; in the second, White has lost.
OPENINGS = "startpos\nb1b2 a6a5\na1a2 a6a5\nc1c2 a6a5\na1a3 a6a5\nc1c3 a6a5\n"


def play(database: str, names: str, *words: str, limit: str = "nodes=1") -> None:
    """Play games of one ply."""
    Path("book.txt").write_text(OPENINGS, encoding="utf-8")
    engines = [word for name in names for word in ("--engine", "cmd=instant_engine.py b1b3", f"name={name}", limit)]
    board = [] if "--variant" in words else ["--board", "6x6"]
    match = ["--max-plies", "1", "--games", "4", "--quiet", "--openings", "book.txt", "--database", database]
    assert main([*engines, *match, *board, *words]) in (0, 4)


def joined(*paths: str) -> ReportData:
    stores = [Store(Path(path), writing=False) for path in paths]
    try:
        return joined_report_data(JoinedMatches(stores))
    finally:
        for store in stores:
            store.close()


def alone(path: str) -> ReportData:
    with Store(Path(path), writing=False) as store:
        return report_data(store)


def test_games_of_several_databases_are_one_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    play("one.db", "AB", "--seed", "1")
    variants = ("--variant", "latrones:6x6", "--variant", "latrunculi-classical:6x6")
    play("two.db", "CAB", "--seed", "2", "--format", "gauntlet", *variants)
    one, two, both = alone("one.db"), alone("two.db"), joined("one.db", "two.db")
    assert [engine.name for engine in both.engines] == ["A", "B", "C"]
    assert [game.number for game in both.games] == list(range(1, 13))
    assert both.games[:4] == one.games
    for game, own in zip(both.games[4:], two.games, strict=True):
        assert [both.engines[side].name for side in (game.white, game.black)] == [
            two.engines[side].name for side in (own.white, own.black)
        ]
        assert (game.start_fen, game.plies, game.result) == (own.start_fen, own.plies, own.result)
    # Each engine has the sum of its games, and each opening has its own number.
    counts: dict[str, tuple[int, int, int]] = {}
    for data in (one, two):
        for line in data.standings:
            name, before = data.engines[line.engine].name, counts.get(data.engines[line.engine].name, (0, 0, 0))
            wins, draws, losses = line.results.counts
            counts[name] = (before[0] + wins, before[1] + draws, before[2] + losses)
    assert {both.engines[each.engine].name: each.results.counts for each in both.standings} == counts
    openings = {(game.variant, game.opening, game.start_fen) for game in both.games}
    assert len({(variant, number) for variant, number, _ in openings}) == len(openings)
    assert len({(variant, fen) for variant, _, fen in openings}) == len(openings)
    assert any(line.results.losses for line in both.standings)
    assert any(line.results.draws for line in both.standings)
    assert set(both.rulesets) == {"latrones", "latrunculi-classical"}
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
    assert [game.number for game in both.games] == [1, 2, 3, 4, 5, 6]
    assert both.sprt is None
    assert dict(both.settings)["one.db"].endswith(", no verdict yet")
    stores = [Store(Path(path), writing=False) for path in ("one.db", "two.db")]
    pairs = [record.fixture.pair for record in JoinedMatches(stores).records]
    assert pairs == [0, 0, 1, 2, 2, 3]
    for store in stores:
        store.close()


def test_a_game_in_several_databases_is_one_game(capsys: pytest.CaptureFixture[str]) -> None:
    """A copy was resumed; another match has the same settings, and the same moves."""
    play("one.db", "AB")
    play("same.db", "AB")
    shutil.copy("one.db", "copy.db")
    assert main(["resume", "copy.db", "--games", "6", "--quiet"]) == 0
    both = joined("one.db", "copy.db", "one.db")
    assert [game.plies for game in both.games] == [game.plies for game in alone("copy.db").games]
    settings = dict(both.settings)
    assert settings["copy.db"].startswith("games 9 to 10, without 4 duplicate games, started 2")
    assert len(joined("one.db", "same.db").games) == 8
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
