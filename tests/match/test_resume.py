"""A match whose runner is killed, again and again: no game is lost, none is played twice, no engine is left."""

import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import match_main as main
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.pgn_read import read_file
from latrones_uci.match.store import Store, StoreError
from match_play import match_words
from serving import waited

GAMES = 16

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's"), pytest.mark.process]


def engines_alive(mark: str) -> list[str]:
    """Return the processes whose command bears the mark, runners aside."""
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return [
        line for line in listed.splitlines()
        if mark in line and "fake_engine" in line and "--engine" not in line and not line.startswith("Z")
    ]  # fmt: skip


def count_of(path: Path) -> int:
    try:
        with Store(path, writing=False) as store:
            return len(store.game_numbers())
    except StoreError:  # not there yet, or not begun
        return 0


def games_of(path: Path) -> list[tuple[object, ...]]:
    with Store(path, writing=False) as store:
        return [
            (each.fixture, each.game.start, each.game.outcome, [(ply.text, ply.info) for ply in each.game.plies])
            for each in stored_games(store, stored_settings(store))
        ]


def test_killed_again_and_again(fake_command: Callable[..., tuple[str, ...]]) -> None:
    mark, chance = f"mark-{os.getpid()}", random.Random(1)
    match = [*match_words(*[(*fake_command("good"), mark)] * 2), "--games", str(GAMES), "--concurrency", "2", "--force"]
    whole, parts, pgn = Path("whole.db"), Path("parts.db"), Path("parts.pgn")
    assert main([*match, "--database", str(whole)]) == 0
    words = [*match, "--database", str(parts), "--pgn", str(pgn)]
    for kill in range(6):
        runner = subprocess.Popen([*OWN_ENGINE, "match", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The first is killed whenever; the others after another game or two, so that all fall into the match.
        waited(lambda games=2 * kill: count_of(parts) >= games)
        time.sleep(chance.uniform(0.0, 0.3))
        runner.send_signal(signal.SIGKILL)
        runner.wait()
    waited(lambda: not engines_alive(mark), "engines are left")
    assert main(words) == 0
    assert len(games_of(parts)) == GAMES
    assert games_of(parts) == games_of(whole)
    rounds = [game.tags["Round"] for game in read_file(pgn)]
    assert sorted(map(int, rounds)) == list(range(1, GAMES + 1))
    with sqlite3.connect(parts) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
