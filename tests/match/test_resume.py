"""A match whose runner is killed, again and again: no game is lost, none is played twice, no engine is left."""

import os
import random
import shlex
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import match_main as main
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.pgn_read import read_games
from latrones_uci.match.store import Store, StoreError

Command = Callable[..., tuple[str, ...]]

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's"), pytest.mark.process]


def words(fake_command: Command, mark: str, folder: Path, games: int) -> list[str]:
    engines = []
    for name in "AB":
        engines += ["--engine", f"cmd={shlex.join((*fake_command('good'), mark))}", f"name={name}"]
    return [
        *engines, "--each", "nodes=1", "--board", "6x6", "--games", str(games), "--concurrency", "2", "--force",
        "--database", str(folder / "match.db"), "--pgn", str(folder / "match.pgn"),
    ]  # fmt: skip


def engines_alive(mark: str) -> list[str]:
    """The processes whose command bears the mark, runners aside."""
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return [
        line for line in listed.splitlines()
        if mark in line and "fake_engine" in line and "--engine" not in line and not line.startswith("Z")
    ]  # fmt: skip


def await_games(path: Path, games: int) -> None:
    deadline = time.monotonic() + 60
    while games and count_of(path) < games:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def count_of(path: Path) -> int:
    try:
        with Store(path, writing=False) as store:
            return sum(1 for _ in store.games(with_plies=False))
    except StoreError:  # not there yet, or not begun
        return 0


def games_of(path: Path) -> dict[int, tuple[object, ...]]:
    with Store(path, writing=False) as store:
        return {
            record.fixture.number: (record.fixture, record.game.start, record.game.outcome,
                                    [(ply.text, ply.info) for ply in record.game.plies])
            for record in stored_games(store, stored_settings(store))
        }  # fmt: skip


def test_killed_again_and_again(fake_command: Command, tmp_path: Path) -> None:
    games = 16
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    mark = f"mark-{os.getpid()}"
    assert main(words(fake_command, mark, whole, games)) == 0
    command = [*OWN_ENGINE, "match", *words(fake_command, mark, parts, games)]
    chance = random.Random(1)
    for kill in range(6):
        runner = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The first is killed whenever; the others after another game or two, so that all fall into the match.
        await_games(parts / "match.db", 2 * kill)
        time.sleep(chance.uniform(0.0, 0.3))
        runner.send_signal(signal.SIGKILL)
        runner.wait()
    deadline = time.monotonic() + 60
    while engines_alive(mark):
        assert time.monotonic() < deadline, engines_alive(mark)
        time.sleep(0.05)
    assert main(words(fake_command, mark, parts, games)) == 0
    assert len(games_of(parts / "match.db")) == games
    assert games_of(parts / "match.db") == games_of(whole / "match.db")
    with (parts / "match.pgn").open(encoding="utf-8") as file:
        rounds = Counter(game.tags["Round"] for game in read_games(file))
    assert rounds == {str(number): 1 for number in range(1, games + 1)}
    with sqlite3.connect(parts / "match.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
