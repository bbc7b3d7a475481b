"""Games on a real Dask cluster: a scheduler and two workers on loopback, one of them killed in mid-match."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.records.store import Store

pytestmark = pytest.mark.process

Command = Callable[..., tuple[str, ...]]
GAMES = 16


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address and the workers."""
    address_file = tmp_path / "scheduler.json"
    common = ["--host", "127.0.0.1", "--no-dashboard"]
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", *common, "--port", "0"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", *common, "--nthreads", "1", "--no-nanny"]
    started: list[subprocess.Popen[bytes]] = []
    try:
        with (tmp_path / "cluster.log").open("wb") as log:
            for command in (scheduler, worker, worker):
                words = [*command, "--scheduler-file", str(address_file)]
                started.append(subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path))
                await_that(lambda: address_file.exists() and address_file.stat().st_size > 0)
        yield str(address_file), started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def await_that(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def games_of(path: Path) -> dict[int, list[str]]:
    if not path.exists():
        return {}
    with Store(path, writing=False) as store:
        return {
            record.fixture.number: [ply.text for ply in record.game.plies]
            for record in stored_games(store, stored_settings(store))
        }


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
def test_no_game_is_lost_with_its_worker(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], fake_command: Command, tmp_path: Path
) -> None:
    import json

    address_file, workers = cluster
    address = json.loads(Path(address_file).read_text(encoding="utf-8"))["address"]
    engines = [
        word for name in "AB" for word in ("--engine", f"cmd={shlex.join(fake_command('good'))}", f"name={name}")
    ]
    words = [*engines, "--each", "depth=1", "--board", "6x6", "--games", str(GAMES), "--seed", "3"]
    local, remote = tmp_path / "local.db", tmp_path / "remote.db"
    assert main([*words, "--database", str(local)]) == 0
    runner = subprocess.Popen(
        [sys.executable, "-m", "latrones_uci", "match", *words, "--database", str(remote), "--concurrency", "2",
         "--executor", "dask", "--scheduler", address], stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert runner.stdout is not None
    assert runner.stdout.readline().startswith("game ")  # both have begun by then
    workers[0].send_signal(signal.SIGKILL)
    out, _ = runner.communicate(timeout=120)
    assert (runner.returncode, f"{GAMES} games" in out) == (0, True)
    assert games_of(remote) == games_of(local)
    assert len(games_of(remote)) == GAMES
