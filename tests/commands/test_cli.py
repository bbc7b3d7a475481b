"""A match, its reports and its verification from the command line; the help of subcommands."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.command_line import COMMANDS
from latrones_uci.commands.main import main, match_main
from latrones_uci.match.store import Store
from latrones_uci.web.report.collect import report_data

Engines = Callable[[str, str], list[str]]


@pytest.fixture
def engines(fake_command: Callable[..., tuple[str, ...]]) -> Engines:
    def words(first: str, second: str) -> list[str]:
        behaviours = zip("AB", (first, second), strict=True)
        both = [["--engine", f"cmd={shlex.join(fake_command(each, 2))}", f"name={name}"] for name, each in behaviours]
        return [*both[0], *both[1], "--each", "st=5", "--board", "6x6"]

    return words


def test_a_match_and_its_verification(engines: Engines, capsys: pytest.CaptureFixture[str]) -> None:
    assert match_main([*engines("good", "crash"), "--games", "3", "--pgn", "out.pgn"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("game 1/3: A - B 1-0 in 5 plies, crash (Black: ended with status 3")
    assert lines[1].startswith("game 2/3: B - A 0-1 in ")
    assert lines[2].endswith("| A 3-0-0, 3/3")
    assert "W-D-L:          3-0-0" in lines
    assert "Score:          100.00% (0.00% to 100.00%; 95%, from 1 pair)" in lines
    assert "Pairs:          0: 0, ½: 0, 1: 0, 1½: 0, 2: 1 (by points, of 1; none lost)" in lines
    assert "Elo difference: +inf (no bounds yet)" in lines
    assert "Not paired yet: 1 game, in W-D-L and draw ratio only" in lines
    assert "      3 crash of B" in lines
    assert lines[-1] == f"PGN: {Path('out.pgn').resolve()}"
    assert main(["verify", "out.pgn"]) == 0
    out = capsys.readouterr().out
    assert "3 games (1 0-1, 2 1-0)" in out
    assert "0 disagreements" in out
    assert "terminations: 3 crash" in out


def test_the_same_command_resumes(engines: Engines, capsys: pytest.CaptureFixture[str]) -> None:
    for games, resumed in [(2, False), (2, True), (5, True)]:
        assert match_main([*engines("good", "good"), "--games", str(games)]) == 0
        out = capsys.readouterr().out
        assert ("games already played" in out) == resumed
        assert f"latrones:6x6, {games} games" in out
    (database,) = Path().glob("latrones-match-*.db")
    assert main(["pgn", str(database)]) == 0
    assert capsys.readouterr().out.count("[Event ") == 5


def test_a_report_tells_what_the_database_holds(engines: Engines, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--games", "4", "--database", "match.db", "--sprt", "large-gainer", "--report", "first.html", "--quiet"]
    assert match_main([*engines("good", "crash"), *words]) == 4  # a sequential test without a verdict
    assert f"Report: {Path('first.html').resolve()}" in capsys.readouterr().out.splitlines()
    with Store(Path("match.db"), writing=False) as store:
        data = report_data(store)
    assert data.title == "A against B"
    standings = [(line.engine, *line.results.counts) for line in data.standings]
    assert standings == [(0, 4, 0, 0), (1, 0, 0, 4)]
    games = [(game.number, game.white, game.result, game.culprit) for game in data.games]
    assert games == [(1, 0, "1-0", 1), (2, 1, "0-1", 1), (3, 0, "1-0", 1), (4, 1, "0-1", 1)]
    assert data.games[0].stderr == "the fake falls over"
    assert "ended with status 3" in data.games[0].fault
    assert all(ply.elapsed_ns and ply.info.score.cp == 5 for ply in data.games[0].plies)
    assert data.sprt is not None
    assert [games for games, _ in data.sprt.llr] == [0, 2, 4]
    assert data.sprt.llr[2][1] > data.sprt.llr[1][1] > 0
    assert ("faults", "4 crash of B") in data.summary
    assert ("variants", "latrones:6x6") in data.settings
    assert main(["report", "match.db", "--output", "second.html"]) == 0
    assert Path("first.html").read_text(encoding="utf-8") == Path("second.html").read_text(encoding="utf-8")


@pytest.mark.process
def test_a_reader_that_leaves(engines: Engines) -> None:
    command = [*OWN_ENGINE, "match", *engines("good", "good")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        assert match.stderr is not None
        match.stdout.close()
        errors = match.stderr.read()
        assert match.wait(30) == 1
    assert "Elo difference: " in errors or "0 games" in errors
    assert "latrones-uci match: standard output is closed; to resume: latrones-uci resume latrones-match-" in errors


def help_of(program: Callable[[list[str]], int], words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        program([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_subcommands_follow_either_name_of_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    """The texts of the help are frozen in tests/golden."""
    for command in COMMANDS:
        usage = f"usage: latrones-uci {command} " if command != "match" else "usage: latrones-match "
        assert help_of(match_main, [command], capsys).startswith(usage)
        if command != "match":
            assert help_of(main, ["match", command], capsys).startswith(usage)
    assert help_of(main, ["variants", "show"], capsys).startswith("usage: latrones-uci variants show [-h]")
