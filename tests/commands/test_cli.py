import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main as engine_main
from latrones_uci.commands.main import match_main as main

Command = Callable[..., tuple[str, ...]]


@pytest.fixture
def engines(fake_command: Command) -> Callable[..., list[str]]:
    def words(first: str, second: str) -> list[str]:
        commands = [shlex.join(fake_command(behaviour, 2)) for behaviour in (first, second)]
        first_words, second_words = (["--engine", f"cmd={command}"] for command in commands)
        return [*first_words, "name=A", *second_words, "name=B", "--each", "st=2"]

    return words


def test_a_match_and_its_verification(
    engines: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.pgn"
    assert main([*engines("good", "crash"), "--board", "6x6", "--games", "3", "--pgn", str(path)]) == 0
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
    assert lines[-1] == f"PGN: {path}"
    assert main(["verify", str(path)]) == 0
    out = capsys.readouterr().out
    assert "3 games (1 0-1, 2 1-0)" in out
    assert "0 disagreements" in out
    assert "terminations: 3 crash" in out


def test_verify_finds_a_wrong_result(
    engines: Callable[..., list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "out.pgn"
    assert main([*engines("good", "good"), "--board", "6x6", "--games", "1", "--pgn", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    won, lost = ("1-0", "0-1") if " 1-0\n" in text else ("0-1", "1-0")
    path.write_text(text.replace(won, lost), encoding="utf-8")
    capsys.readouterr()
    assert main(["verify", str(path)]) == 1
    captured = capsys.readouterr()
    assert f"tag Result is '{lost}', but by the rules it is" in captured.err
    assert "1 disagreement\n" in captured.out


def test_verify_of_what_is_no_pgn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text("[White]\n", encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    assert "line 1: malformed tag: '[White]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["verify", "none.pgn"], "cannot read 'none.pgn': No such file or directory"),
        (["analyse", "none.pgn"], "cannot read 'none.pgn': No such file or directory"),
        (["suite", "none.suite"], "cannot read 'none.suite': No such file or directory"),
        (["suite", "."], "cannot read '.': Is a directory"),
        (["suite", "latin-1.txt"], "cannot read 'latin-1.txt': not UTF-8: invalid byte 0xff"),
        (["verify", "latin-1.txt"], "cannot read 'latin-1.txt': not UTF-8: invalid byte 0xff"),
        (["match", "--config", "none.toml"], "cannot read the settings 'none.toml': No such file or directory"),
        (["match", "--variant-path", "none.toml"],
         "cannot read the variant file 'none.toml': No such file or directory"),
        (["match", "--demo", "--openings", "file:none.txt"],
         "cannot read the openings 'none.txt': No such file or directory"),
        (["gui", "--variant-path", "none.toml"], "cannot read the variant file 'none.toml': No such file or directory"),
        (["analyse", "game.pgn", "--output", "none/x.pgn"], "'none/x.pgn': No such file or directory"),
        (["analyse", "empty.pgn", "--output", "x.pgn"], "empty.pgn: no games; expected at least one"),
        (["resume", "."], "database '.': Is a directory"),
        (["report", "."], "database '.': Is a directory"),
        (["match", "--demo", "--database", "."], "database '.': Is a directory"),
        (["check", "no-such-engine"], "cannot start 'no-such-engine': No such file or directory"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_or_written(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.pgn").touch()
    tags = '[Variant "latrones"]\n[FEN "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"]\n[Result "1-0"]\n'
    Path("game.pgn").write_text(f"{tags}\n1. c6c8 1-0\n", encoding="utf-8")
    Path("latin-1.txt").write_bytes(b"\xff\n")
    before = sorted(os.listdir())
    assert engine_main(words) == (1 if message.startswith("database") else 2)
    assert capsys.readouterr().err == f"latrones-uci {words[0]}: {message}\n"
    assert sorted(os.listdir()) == before


def test_log_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert engine_main(["--log", "/none/x.log"]) == 2
    assert capsys.readouterr().err == "latrones-uci: '/none/x.log': No such file or directory\n"


@pytest.mark.parametrize("words", [["verify"], ["verify", "--fast"], ["verify", "/no/such/file.pgn"], ["--games", "x"]])
def test_bad_arguments_are_one_line_and_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.startswith("latrones-uci verify: " if words[0] == "verify" else "latrones-match: ")


@pytest.mark.parametrize(("words", "prefix"), [
    (["match", "--games", "x"], "latrones-uci match: "),
    (["match", "--engine", "cmd=x"], "latrones-uci match: "),
    (["verify"], "latrones-uci verify: "),
    (["match", "verify"], "latrones-uci verify: "),
    (["match", "report", "none.db"], "latrones-uci report: "),
    (["no-such-command"], "latrones-uci: "),
    (["--no-such-option"], "latrones-uci: "),
])  # fmt: skip
def test_errors_begin_with_the_name_of_the_subcommand(
    words: list[str], prefix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``latrones-match`` is short for ``latrones-uci match``, so its subcommands follow either."""
    assert engine_main(words) in (1, 2)
    captured = capsys.readouterr()
    assert captured.out == ""
    [line] = captured.err.splitlines()
    assert line.startswith(prefix)


@pytest.mark.process
def test_a_reader_that_leaves(engines: Callable[..., list[str]]) -> None:
    command = [*OWN_ENGINE, "match", *engines("good", "good"), "--board", "6x6"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as match:
        assert match.stdout is not None
        assert match.stderr is not None
        match.stdout.close()
        errors = match.stderr.read()
        assert match.wait(30) == 1
    assert "Elo difference: " in errors or "0 games" in errors
    assert "latrones-uci match: standard output is closed; to resume: latrones-uci resume latrones-match-" in errors


def test_an_engine_that_does_not_start(capsys: pytest.CaptureFixture[str]) -> None:
    engine = ["--engine", "cmd=/no/such/engine", "depth=1"]
    assert main([*engine, *engine]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "/no/such/engine" in line


def test_a_record_that_cannot_be_written(engines: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*engines("good", "good"), "--pgn", "/no/such/directory/out.pgn"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "/no/such/directory/out.pgn" in line


@pytest.mark.process
@pytest.mark.skipif(os.name != "posix", reason="no signals to send")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_match_with_its_summary(
    engines: Callable[..., list[str]], tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "out.pgn"
    words = [*engines("good", "good"), "--board", "6x6", "--games", "100000", "--pgn", str(path)]
    command = [*OWN_ENGINE, "match", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as match:
        assert match.stdout is not None
        assert match.stdout.readline().startswith("game 1/100000: ")
        match.send_signal(number)
        out, err = match.communicate(timeout=30)
    assert match.returncode == 130
    assert re.fullmatch(r"latrones-uci match: interrupted; to resume: latrones-uci resume latrones-match-\w+\.db --pgn"
                        f" {re.escape(str(path))}\n", err)  # fmt: skip
    assert "W-D-L: " in out
    assert main(["verify", str(path)]) == 0


def test_settings_saved_and_played(engines: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    words = [*engines("good", "good"), "--board", "6x6", "--max-plies", "6", "--openings", "random:2"]
    assert main([*words, "--save-config", "match.toml"]) == 0
    assert not list(Path().glob("*.db"))
    assert main(["--config", "match.toml", "--games", "4", "--database", "a.db"]) == 0
    assert main([*words, "--games", "4", "--database", "b.db"]) == 0
    capsys.readouterr()
    printed = []
    for database in ("a.db", "b.db"):
        assert main(["pgn", database]) == 0
        text = re.sub(r'\[MatchId "[0-9a-f]+"\]', "", capsys.readouterr().out)  # each run has its own
        printed.append(re.sub(r"\{[^}]*\}", "", text.replace("\n", " ")))
    assert printed[0] == printed[1]
    assert printed[0].count("[Event ") == 4


def test_events_as_json(engines: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*engines("good", "good"), "--board", "6x6", "--games", "2", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = [event["event"] for event in told]
    assert (kinds[0], kinds[-1]) == ("tournament_started", "tournament_finished")
    assert kinds.count("game_started") == kinds.count("game_finished") == 2


def test_the_same_command_goes_on(engines: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    words = [*engines("good", "good"), "--board", "6x6"]
    for games, resumed in [(2, False), (2, True), (5, True)]:
        assert main([*words, "--games", str(games)]) == 0
        out = capsys.readouterr().out
        assert ("games already played" in out) == resumed
        assert f"latrones:6x6, {games} games" in out
    assert len(list(Path().glob("latrones-match-*.db"))) == 1


def test_a_log_of_the_traffic(engines: Callable[..., list[str]]) -> None:
    assert main([*engines("good", "crash"), "--board", "6x6", "--games", "1", "--log", "traffic.log"]) == 0
    log = Path("traffic.log").read_text(encoding="utf-8")
    assert re.search(r"^ *[0-9]+\.[0-9]{6} >> A\[[0-9]+\]: go movetime 2000$", log, re.MULTILINE)
    assert re.search(r"^ *[0-9]+\.[0-9]{6} << A\[[0-9]+\]: bestmove ", log, re.MULTILINE)
    assert re.search(r"-- B\[[0-9]+\]: .*status 3", log)
    assert re.search(r"^ *[0-9]+\.[0-9]{6} !! B\[[0-9]+\]: the fake falls over$", log, re.MULTILINE)

