"""Engines that are added to a tournament: the games played before stay, and only the missing pairings are played."""

import json
import shlex
import sys
from collections import Counter
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.plan import Format, Growth
from latrones_uci.match.record import GameRecord
from latrones_uci.match.store import Store
from latrones_uci.web.report.collect import report_data

pytestmark = pytest.mark.process

# In the first opening the move of the fakes is legal, and the game is drawn after it; in the second, White has lost.
OPENINGS = "startpos\nb1b2 a6a5\na1a2 a6a5\nc1c2 a6a5\na1a3 a6a5\nc1c3 a6a5\n"
INSTANT = Path(__file__).parent.parent / "fakes" / "instant_engine.py"


def engine(name: str) -> list[str]:
    """An engine that starts fast and makes one move."""
    command = shlex.join((sys.executable, "-I", "-S", str(INSTANT), "b1b3"))
    return [f"cmd={command}", *([f"name={name}"] if name else [])]


@pytest.fixture(autouse=True)
def _openings() -> None:
    Path("book.txt").write_text(OPENINGS, encoding="utf-8")


def play(names: str, *words: str) -> int:
    engines = [word for name in names for word in ("--engine", *engine(name))]
    return main([*engines, "--each", "nodes=1", "--board", "6x6", "--database", "match.db", "--quiet",
                 "--max-plies", "1", "--concurrency", "1", "--openings", "book.txt", *words])  # fmt: skip


def records() -> list[GameRecord]:
    with Store(Path("match.db"), writing=False) as store:
        return list(stored_games(store, stored_settings(store)))


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_only_the_missing_pairings_are_played(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert play("ABC", "--format", form, "--games", "4", "--pgn", "games.pgn") == 0
    before = records()
    capsys.readouterr()
    words = ["resume", "match.db", "--add-engine", *engine("D"), "--pgn", "games.pgn", "--json"]
    assert main(words) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    pairings = {"round-robin": ["AD", "BD", "CD"], "gauntlet": ["AD"]}[form]
    started = [event for event in events if event["event"] == "game_started"]
    assert Counter("".join(sorted(event["names"])) for event in started) == dict.fromkeys(pairings, 4)
    assert (events[0]["games_played"], events[0]["games"]) == (len(before), len(before) + 4 * len(pairings))
    after = records()
    assert after[: len(before)] == before
    assert [record.fixture.number for record in after] == list(range(1, len(after) + 1))
    openings = {record.fixture.opening: record.game.start for record in before}
    assert {record.fixture.opening: record.game.start for record in after} == openings
    # The limits are those of the others, and the growth is recorded.
    with Store(Path("match.db"), writing=False) as store:
        settings = stored_settings(store)
        assert [stored.name for stored in store.engines()] == ["A", "B", "C", "D"]
    assert [own.control.to_text() for own in settings.engines] == ["nodes=1"] * 4
    assert settings.growth == (Growth(3, 4, Format(form)),)
    # The PGN file goes on, with each game once.
    assert main(["verify", "games.pgn"]) == 0
    assert f"games.pgn: {len(after)} games" in capsys.readouterr().out
    # The same command resumes; so does one with more games.
    assert main(words) == 0
    assert records() == after
    assert main([*words, "--games", "6"]) == 0
    assert records()[: len(after)] == after
    assert Counter(frozenset(record.names) for record in records()) == {
        frozenset(pair): 6 for pair in (["AB", "AC", "BC"] if form == "round-robin" else ["AB", "AC"]) + pairings
    }
    assert main(["report", "match.db"]) == 0


def test_an_interrupted_growth_is_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    """Also if the tournament had not ended when the engine was added, and grows again."""
    assert play("ABC", "--format", "round-robin", "--games", "2") == 0
    whole = [*engine("D")], [*engine("E")]
    for words in whole:
        assert main(["resume", "match.db", "--quiet", "--add-engine", *words]) == 0
    expected = records()
    assert len(expected) == 2 * 10
    with Store(Path("match.db"), writing=False) as store:
        settings = report_data(store).settings
    assert ("engines added to", "3 engines, 2 games per pairing; 4 engines, 2 games per pairing") in settings
    with Store(Path("match.db"), writing=True) as store, store._transaction() as execute:  # as if they had not ended
        for number in (2, 5, 9, 15, 20):
            execute("DELETE FROM ply WHERE game = ?", (number,))
            execute("DELETE FROM game WHERE number = ?", (number,))
    capsys.readouterr()
    assert main(["resume", "match.db", "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["game"] for event in events if event["event"] == "game_started"] == [2, 5, 9, 15, 20]

    def played(each: list[GameRecord]) -> list[object]:
        return [(record.fixture, record.names, record.game.start, record.game.outcome) for record in each]

    assert played(records()) == played(expected)


@pytest.mark.parametrize(("words", "form"), [([], "round-robin"), (["--format", "gauntlet"], "gauntlet")])
def test_a_match_becomes_a_tournament(words: list[str], form: str) -> None:
    assert play("AB", "--games", "2") == 0
    before = records()
    assert main(["resume", "match.db", "--quiet", "--add-engine", *engine("C"), "depth=1", *words]) == 0
    assert records()[:2] == before
    names = {frozenset(record.names) for record in records()}
    assert names == {frozenset(pair) for pair in (("AB", "AC", "BC") if form == "round-robin" else ("AB", "AC"))}
    with Store(Path("match.db"), writing=False) as store:
        settings = stored_settings(store)
    assert (settings.format.value, settings.engines[2].control.to_text()) == (form, "depth=1")
    assert settings.growth == (Growth(2, 2, Format.MATCH),)


def test_names_stay_and_are_not_given_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """Engines without a name have the one that they report, with a number if there are several."""
    assert main(["--engine", *engine(""), "--engine", *engine(""), "--each", "nodes=1", "--games", "2", "--quiet",
                 "--board", "6x6", "--max-plies", "1", "--openings", "book.txt",
                 "--database", "match.db"]) == 0  # fmt: skip
    assert main(["resume", "match.db", "--quiet", "--add-engine", *engine("")]) == 0
    with Store(Path("match.db"), writing=False) as store:
        assert [stored.name for stored in store.engines()] == ["Instant (1)", "Instant (2)", "Instant"]
    capsys.readouterr()
    assert main(["resume", "match.db", "--quiet", "--add-engine", *engine(""), "restart=on"]) == 2
    assert "--add-engine: the name 'Instant' is taken; expected another name=" in capsys.readouterr().err
    assert len(records()) == 6


@pytest.mark.parametrize(
    ("match", "words", "message"),
    [
        (["--sprt", "gainer"], ["+D"], "--add-engine: the match has a sequential test, which compares two engines"),
        ([], ["+B"], "duplicate engine name 'B'"),
        ([], ["--format", "gauntlet"], "--format: expected --add-engine with it"),
        (["--format", "gauntlet"], ["+D", "--format", "round-robin"], "a gauntlet stays one"),
        ([], ["--add-engine", "name=D"], "engine 'name=D nodes=1': no command; expected cmd=COMMAND"),
        ([], ["--add-engine", "cmd=x", "speed=3"], "unknown key 'speed'"),
        ([], ["+D", "--games", "1"], "games: 1 is too few"),
    ],
)
def test_what_cannot_be_added(
    match: list[str],
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    play("AB", *match, "--games", "2")
    before = records()
    capsys.readouterr()
    given = [part for word in words for part in (["--add-engine", *engine(word[1])] if word[0] == "+" else [word])]
    assert main(["resume", "match.db", *given]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("latrones-uci resume: ")
    assert message in line
    assert records() == before


def test_the_first_command_refers_to_resume(capsys: pytest.CaptureFixture[str]) -> None:
    assert play("AB", "--games", "2") == 0
    assert main(["resume", "match.db", "--quiet", "--add-engine", *engine("C")]) == 0
    capsys.readouterr()
    assert play("AB", "--games", "2") == 2
    assert "engines have been added to this match; expected 'latrones-uci resume match.db'" in capsys.readouterr().err


def test_limits_that_differ_are_not_taken_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--engine", *engine("A"), "nodes=1", "--engine", *engine("B"), "depth=1", "--games", "1", "--quiet",
                 "--board", "6x6", "--max-plies", "1", "--openings", "book.txt",
                 "--database", "match.db"]) == 0  # fmt: skip
    capsys.readouterr()
    assert main(["resume", "match.db", "--add-engine", *engine("C")]) == 2
    assert "an engine has no limit" in capsys.readouterr().err


def test_an_added_engine_that_never_moves_leaves_the_other_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert play("AB", "--games", "4") == 0
    before = records()
    capsys.readouterr()
    words = [word.replace("b1b3", "a1a9") for word in engine("C")]
    assert main(["resume", "match.db", "--quiet", "--add-engine", *words]) == 1
    assert "engine 'C' failed at its first move in all of its" in capsys.readouterr().err
    assert records()[: len(before)] == before
