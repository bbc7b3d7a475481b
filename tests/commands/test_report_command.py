import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.match.store import Store
from latrones_uci.web.report.collect import report_data

Command = Callable[..., tuple[str, ...]]


def play(fake_command: Command, *words: str) -> None:
    engines = [
        word
        for name, behaviour in [("A", "good"), ("B", "crash")]
        for word in ("--engine", f"cmd={shlex.join(fake_command(behaviour, 2))}", f"name={name}")
    ]
    status = main([*engines, "--each", "st=5", "--board", "6x6", "--quiet", *words])
    assert status == (4 if "--sprt" in words else 0)  # 4: a sequential test without a verdict


def test_a_report_tells_what_the_database_holds(fake_command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    play(fake_command, "--games", "4", "--database", "match.db", "--sprt", "large-gainer", "--report", "first.html")
    assert f"Report: {Path('first.html').resolve()}" in capsys.readouterr().out.splitlines()
    with Store(Path("match.db"), writing=False) as store:
        data = report_data(store)
    assert data.title == "A against B"
    standings = [(line.engine, *line.results.counts) for line in data.standings]
    assert standings == [(0, 4, 0, 0), (1, 0, 0, 4)]
    assert [(game.number, game.white, game.result, game.culprit) for game in data.games] == [
        (1, 0, "1-0", 1), (2, 1, "0-1", 1), (3, 0, "1-0", 1), (4, 1, "0-1", 1),
    ]  # fmt: skip
    assert data.games[0].stderr == "the fake falls over"
    assert "ended with status 3" in data.games[0].fault
    assert all(ply.elapsed_ns and ply.info.score.cp == 5 for ply in data.games[0].plies)
    assert data.sprt is not None
    assert [games for games, _ in data.sprt.llr] == [0, 2, 4]
    assert data.sprt.llr[2][1] > data.sprt.llr[1][1] > 0
    assert ("faults", "4 crash of B") in data.summary
    assert ("variants", "latrones:6x6") in data.settings
    # The command writes the same page.
    assert main(["report", "match.db", "--output", "second.html"]) == 0
    assert Path("first.html").read_text(encoding="utf-8") == Path("second.html").read_text(encoding="utf-8")


def test_the_games_of_a_database_as_pgn(fake_command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    play(fake_command, "--games", "2", "--database", "match.db", "--pgn", "played.pgn")
    capsys.readouterr()
    assert main(["pgn", "match.db"]) == 0
    printed = capsys.readouterr().out
    Path("printed.pgn").write_text(printed, encoding="utf-8")
    assert main(["verify", "played.pgn", "printed.pgn"]) == 0
    assert printed.count("[Event ") == 2


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["report", "none.db"], 1, "database 'none.db': no such file"),
        (["report", "empty.db"], 1, "database 'empty.db' is empty: no match has been started"),
        (["report", "a.html"], 2, "--output would overwrite the database 'a.html'"),
        (["report"], 2, "FILE.db"),
        (["pgn"], 2, "FILE.db"),
        (["pgn", "none.db"], 1, "none.db"),
        (["resume", "none.db"], 1, "none.db"),
        (["resume"], 2, "FILE.db"),
        (["revs", "one"], 2, "a version is missing"),
        (["revs", "one", "two", "--control"], 2, "'control' plays one version against itself"),
        (["revs", "no-such-version", "."], 1, "'no-such-version'"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    words: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.db").touch()
    Store(Path("a.html"), writing=True).close()
    assert main(words) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.startswith(f"latrones-uci {words[0]}: ")
    assert message in line
