"""Tunings played with an engine whose strength depends on an option, and what is stored of them."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from command_line import parse_arguments
from html_page import Page
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.commands.main import match_main as main
from latrones_uci.commands.tune import configure, read_tune
from latrones_uci.match.events import GameFinished
from latrones_uci.match.tuner import ParameterWords, engine_of_tuning
from latrones_uci.records.record import Identity
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings, settings_from_data
from latrones_uci.records.store import Store
from latrones_uci.stats.spsa import Parameter, Spsa
from latrones_uci.text.command import join_command
from latrones_uci.web.match.collect import stored_match
from latrones_uci.web.match.report import render_report
from latrones_uci.web.match.scoreboard import Scoreboard
from match_play import Listening, run_tournament

OPTIONS = (
    OptionDeclaration("Aim", "spin", (), 20, 0, 100),
    OptionDeclaration("Idle", "spin", (), 500, -1000, 1000),
    OptionDeclaration("Style", "combo", ("calm", "wild")),
    OptionDeclaration("Wide", "spin", (), 5),
)


@pytest.fixture(autouse=True)
def _openings() -> None:
    """Positions that differ in a counter only, in which the moves of the engine are legal."""
    lines = (f"ssssss/3d2/6/6/2D3/SSSSSS w 0 {number}\n" for number in range(1, 400))
    Path("book.txt").write_text("".join(lines), encoding="utf-8")


def words(*changes: str, engine: Sequence[str] = (), database: str = "tune.db") -> list[str]:
    command = join_command(("tuned_engine.py", *engine))
    given = ["tune", "--engine", f"cmd={command}", "name=T", "nodes=1", "--board", "6x6", "--openings", "book.txt",
             "--max-plies", "2", "--concurrency", "1", "--database", database, *changes]
    return given if "--param" in given else [*given, "--param", "Aim,20,0,100,10"]


def settings(*changes: str) -> TournamentSettings:
    arguments = read_tune(parse_arguments(configure, words(*changes)[1:]))
    return arguments.tuning_of(Identity("T", "Tuned", "", OPTIONS))


def stored(path: str = "tune.db") -> tuple[object, ...]:
    with Store(Path(path), writing=False) as store:
        return store.trials(), store.updates()


# ---------------------------------------------------------------- playing


@pytest.mark.long
def test_tuning_finds_the_best_value(capsys: pytest.CaptureFixture[str]) -> None:
    """The best value of ``Aim`` is 70; ``Idle`` may go anywhere."""
    given = words("--games", "300", "--param", "aim,20,0,100,12", "--param", "Idle,auto,,,auto", "--concurrency", "2",
                  "--pgn", "t.pgn", "--report", "t.html")
    assert main(given) == 0
    lines = capsys.readouterr().out.splitlines()
    updates = stored()[1]
    assert len(updates) == 150
    value = updates[-1].values["Aim"]
    assert value == pytest.approx(70, abs=12)
    summary = lines[lines.index("Tuning of T: latrones:6x6, 300 of 300 games") :]
    assert summary[1].startswith("W-D-L: ")
    assert summary[3] == f"  Aim   20 -> {round(value)} ({value:.2f}; 0 to 100, step 12)"
    idle = updates[-1].values["Idle"]
    assert summary[4] == f"  Idle  500 -> {round(idle)} ({idle:.2f}; -1000 to 1000, step 100)"
    assert summary[5] == f"For an engine:  option.Aim={round(value)} option.Idle={round(idle)}"
    assert any(line.startswith("pair 150/150: ") and "Aim " in line for line in lines)
    assert main(["verify", "t.pgn"]) == 0
    assert "t.pgn: 300 games" in capsys.readouterr().out
    page = Path("t.html").read_text(encoding="utf-8")
    assert "<h1>Tuning of T</h1>" in page
    assert page.count('<polyline class="line"') >= 2


def test_each_game_has_the_values_of_its_pair() -> None:
    """White has those of its side, and both games of a pair have the same, whatever the order of the games."""
    sent: list[str] = []
    _, events = run_tournament(settings("--games", "6"), Path("tune.db"), log=Listening(sent.append))
    values = [line.split()[-1] for line in sent if line.startswith("setoption name Aim")]
    trials, updates = stored()
    assert list(trials) == [0, 1, 2]
    expected = []
    for pair in range(3):
        (trial,) = trials[pair]
        assert trial.parameter == "Aim"
        expected += [trial.plus, trial.minus, trial.minus, trial.plus]
    assert list(map(int, values)) == expected
    results = [0, 0, 0]
    for event in events:
        if isinstance(event, GameFinished) and event.record.game.outcome.winner is not None:
            fixture, winner = event.record.fixture, event.record.game.outcome.winner
            results[fixture.pair] += 1 if (fixture.white, fixture.black)[winner] == 0 else -1
    assert [update.result for update in updates] == results
    value = 20.0
    for pair, update in enumerate(updates):
        value = min(max(value + trials[pair][0].gain * update.result, 0), 100)
        assert update.values == {"Aim": value}


def test_an_interrupted_tuning_is_resumed_as_if_it_had_not_been() -> None:
    """After any number of games, also in the middle of a pair; and if it was killed before an update was stored."""
    whole = settings("--games", "16")
    run_tournament(whole, Path("whole.db"))
    expected = stored("whole.db")
    for games in (1, 2, 1, 3, 4, 1, None, None):
        run_tournament(whole, Path("parts.db"), interrupt_after=games)
    assert stored("parts.db") == expected
    with sqlite3.connect("parts.db") as connection:
        connection.execute("DELETE FROM tuning_update WHERE number = 8")
    connection.close()
    assert stored("parts.db") != expected
    run_tournament(whole, Path("parts.db"))
    assert stored("parts.db") == expected


def test_the_database_of_a_tuning(capsys: pytest.CaptureFixture[str]) -> None:
    """Other commands use it: resume, report, watch; but its games are no basis for ratings."""
    assert main(words("--games", "4", "--json")) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    updates = [event for event in events if event["event"] == "parameters_updated"]
    assert [event["pair"] for event in updates] == [0, 1]
    assert list(updates[0]["plus"]) == list(updates[0]["minus"]) == list(updates[0]["parameters"]) == ["Aim"]
    started = next(event for event in events if event["event"] == "tournament_started")
    assert (started["parameters"], events[-1]["parameters"]) == ({"Aim": 20.0}, updates[-1]["parameters"])
    assert main(["resume", "tune.db", "--games", "8", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "Tuning of T: latrones:6x6, 8 of 8 games" in out
    assert [update.pair for update in stored()[1]] == [0, 1, 2, 3]
    assert main(words("--games", "8", "--quiet")) == 0  # nothing is left to play
    assert capsys.readouterr().out == out
    for given, message in (
        (["resume", "tune.db", "--games", "9"], "games: 9 is odd; expected an even number"),
        (["ratings", "tune.db"], "database 'tune.db': a tuning, in which the engine changes from game to game"),
        (["report", "tune.db", "whole.db", "--output", "x.html"], "database 'tune.db': a tuning, in which the engine"),
        (words("--games", "8", "--param", "Aim,20,0,100,9"), "setting 'tuning.parameters[0].step' was 10.0 and is now"),
    ):
        Path("whole.db").write_bytes(Path("tune.db").read_bytes())
        assert main(given) in (1, 2)
        assert message in capsys.readouterr().err
    with Store(Path("tune.db"), writing=False) as store:
        tuned = stored_match(store)
    page = Page(render_report(tuned))
    assert page.text["h1"] == ["Tuning of T"]
    assert "Standings" not in page.text["h2"]
    assert any(text.startswith("4 of 4 pairs of games") for text in page.text["p"])
    assert [games for games, _ in tuned.tuned["Aim"]] == [0, 2, 4, 6, 8]
    assert f"option.Aim={round(tuned.tuned['Aim'][-1][1])}" in page.text["pre"]
    assert not any("tuning" in label for label, _ in tuned.settings)
    board = Scoreboard(Path("tune.db"))
    assert board.standings.games == 8
    board.close()


@pytest.mark.long
def test_an_engine_that_rejects_a_value_ends_the_tuning(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("--games", "4")) == 0
    plus = stored()[0][0][0].plus
    capsys.readouterr()
    assert main(words("--games", "4", engine=["70", "reject", str(plus)], database="other.db")) == 1
    assert "engine 'T (plus)' rejects an option: option: not this value" in capsys.readouterr().err
    assert main(words("--games", "4", engine=["70", "crash", str(plus)], database="third.db")) == 1
    error = capsys.readouterr().err
    assert "engine 'T (plus)': ended with status 1: the fake does not like this value" in error
    assert stored("third.db")[1] == []


@pytest.mark.slow
def test_the_native_engine_is_tuned(native_core: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of its constants, in a game almost without draws. So few games only show that the values change."""
    engine = f"cmd={join_command((*OWN_ENGINE, '--tune'))}"
    given = ["tune", "--engine", engine, "nodes=300", "--variant", "petteia-xxi", "--board", "6x6", "--games", "24",
             "--param", "reverse_futility_margin,50,10,150,20", "--param", "weight_slide,-10,-20,20,8",
             "--database", "native.db", "--report", "native.html"]
    assert main(given) == 0
    out = capsys.readouterr().out
    assert "Tuning of latrones-uci" in out
    assert "illegal" not in out
    updates = stored("native.db")[1]
    assert len(updates) == 12
    for name in ("reverse_futility_margin", "weight_slide"):
        assert len({update.values[name] for update in updates}) > 3
    assert main(["pgn", "native.db"]) == 0
    Path("native.pgn").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["verify", "native.pgn"]) == 0
    assert "option.reverse_futility_margin=" in Path("native.html").read_text(encoding="utf-8")


# ---------------------------------------------------------------- arguments and settings


def test_a_tuning_is_a_match_of_an_engine_with_itself() -> None:
    found = settings("--games", "20", "--rate", "0.05", "--param", "AIM,,10,auto,", "--param", "Wide,4,0,9,0.5")
    assert settings("--games", "20", "--param", "Aim") == settings("--games", "20", "--param", "Aim,,,,")
    assert [engine.name for engine in found.engines] == ["T (plus)", "T (minus)"]
    assert engine_of_tuning(found) == "T"
    assert found.tuning == Spsa((Parameter("Aim", 20, 10, 100, 4.5), Parameter("Wide", 4, 0, 9, 0.5)), 0.05)
    assert (found.games, found.seed) == (20, 0)
    assert settings_from_data(json.loads(json.dumps(serialize(found)))) == found
    assert ParameterWords.parse("Move Overhead,20,0,500,2.5") == ParameterWords(
        "Move Overhead,20,0,500,2.5", "Move Overhead", 20, 0, 500, 2.5
    )
