"""Databases that are damaged, foreign, or in use: one line that says so, and nothing is changed."""

import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import match_main as main

Command = Callable[..., tuple[str, ...]]


def words_of(fake_command: Command, games: int, *, behaviour: str = "good") -> list[str]:
    engine = ["--engine", f"cmd={shlex.join(fake_command(behaviour))}"]
    return [*engine, "name=A", *engine, "name=B", "--each", "nodes=1", "--board", "6x6", "--games", str(games)]


@pytest.fixture
def database(fake_command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "match.db"
    assert main([*words_of(fake_command, 2), "--database", str(path)]) == 0
    capsys.readouterr()
    return path


def is_told(command: str, status: int, capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether all went well, or an error was told in one line."""
    errors = capsys.readouterr().err.splitlines()
    if status == 0:
        return errors == []
    return status in (1, 2) and len(errors) == 1 and errors[0].startswith(f"latrones-uci {command}: ")


def test_cut_or_changed_bytes(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At a hundred places each: whatever is read of such a file, it is data, or an error of one line."""
    whole = database.read_bytes()
    chance = random.Random(1)
    for number in range(200):
        data = bytearray(whole)
        if number % 2:
            del data[chance.randrange(1, len(data)):]
        else:
            for _ in range(chance.choice((1, 3, 300))):
                data[chance.randrange(100, len(data))] = chance.randrange(256)
        damaged = database.with_name(f"damaged-{number}.db")
        damaged.write_bytes(data)
        for command in (["pgn", str(damaged)], ["report", str(damaged)]):
            assert is_told(command[0], main(command), capsys), (number, command)
        assert damaged.read_bytes() == data


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE match SET settings = '{'", "UPDATE match SET settings = '[1, 2]'", "UPDATE match SET settings = '7'",
        "UPDATE match SET settings = '" + "[" * 100_000 + "'", "DELETE FROM engine", "DELETE FROM engine WHERE id = 1",
        "UPDATE engine SET command = '7'", "UPDATE opening SET fen = 'x'", "UPDATE opening SET variant = 9",
        "DELETE FROM opening", "UPDATE game SET termination = 'boredom'", "UPDATE game SET white = 7",
        "UPDATE game SET white = -1", "UPDATE game SET winner = 7", "UPDATE game SET variant = -1",
        "UPDATE game SET violations = '7'", "UPDATE game SET fault = '7'", "UPDATE ply SET side = 9",
        "UPDATE game SET opening = 1000000000000", "DROP TABLE ply", "DELETE FROM match",
        "UPDATE ply SET move = zeroblob(10000)", "UPDATE game SET details = CAST(x'ff' AS TEXT)",
    ],
)  # fmt: skip
def test_rows_that_no_runner_wrote(database: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        try:
            connection.execute(change)
        except sqlite3.IntegrityError:
            return  # the table itself refuses it
    connection.close()
    for command in (["pgn"], ["report"], ["resume", "--games", "3"]):
        status = main([command[0], str(database), *command[1:]])
        errors = capsys.readouterr().err.splitlines()
        harmless = "opening SET variant" in change or "opening = 1000000000000" in change or "DELETE FROM" in change
        assert len(errors) == (status != 0), errors
        assert harmless or command[0] == "resume" or status in (1, 2), (command, status)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE ply; CREATE VIEW ply AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n)"
        " SELECT 1 game, x ply, 0 offence, 0 side, 1 movenumber, 'a1a2' move, 0 elapsed_ns, 0 allowed_ns,"
        " 0 clock_left_ns, 0 score_centi, 0 mate, 0 depth, 0 nodes, 0 time_ms, '' pv FROM n;",
        "CREATE TRIGGER evil AFTER INSERT ON game BEGIN DELETE FROM game; END;",
        "CREATE TABLE more (x);",
    ],
)
def test_tables_that_are_none_of_ours(
    database: Path, fake_command: Command, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A view could have rows without end."""
    with sqlite3.connect(database) as connection:
        connection.executescript(change)
    connection.close()
    before = database.read_bytes()
    for command in (["pgn", str(database)], ["report", str(database)], ["resume", str(database)],
                    [*words_of(fake_command, 4), "--database", str(database)]):  # fmt: skip
        assert main(command) == 1
        [line] = capsys.readouterr().err.splitlines()
        program = "latrones-match" if command[0].startswith("--") else f"latrones-uci {command[0]}"
        assert line == f"{program}: database '{database}' is damaged: unexpected tables"
    assert database.read_bytes() == before


def test_a_text_longer_than_any_of_ours(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE game SET details = hex(zeroblob(40000000))")
    connection.close()
    assert main(["pgn", str(database)]) == 1
    assert "too big" in capsys.readouterr().err


def test_a_second_runner_is_refused(fake_command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether it asks for the same match, to go on with it, or for a new one in its place."""
    database = tmp_path / "demo.db"
    words = [*words_of(fake_command, 1000), "--database", str(database)]
    command = [*OWN_ENGINE, "match", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        for other in (words, ["resume", str(database)], ["--demo"]):
            assert main(other) == 1
            [line] = capsys.readouterr().err.splitlines()
            assert "demo.db' is in use by another match runner" in line
        assert runner.poll() is None
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=60)
    assert runner.returncode == 130
    assert main(["report", str(database)]) == 0
    # A lock that nobody holds any more locks nothing, whatever file is left of it.
    shutil.copy(database, tmp_path / "other.db")
    (tmp_path / "other.db.lock").touch()
    assert main(["resume", str(tmp_path / "other.db"), "--games", "1000", "--concurrency", "9"]) == 2
