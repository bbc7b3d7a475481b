"""Games on a real Dask cluster: a scheduler and workers on loopback, which are killed in mid-match."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main, match_main
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.store import Store

pytestmark = pytest.mark.process

Command = Callable[..., tuple[str, ...]]
GAMES = 16


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's file with its address, and the processes: the scheduler and two workers."""
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
        yield str(address_file), started
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


def begin_match(address_file: str, *words: str) -> "subprocess.Popen[str]":
    """Start a match on the cluster, and wait for its first game; another one is running then."""
    address = json.loads(Path(address_file).read_text(encoding="utf-8"))["address"]
    runner = subprocess.Popen(
        [*OWN_ENGINE, "match", *words, "--concurrency", "2", "--executor", "dask",
         "--scheduler", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert runner.stdout is not None
    assert runner.stdout.readline().startswith("game ")
    return runner


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's")
def test_no_game_is_lost_with_its_worker(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], fake_command: Command, tmp_path: Path
) -> None:
    address_file, processes = cluster
    engines = [
        word for name in "AB" for word in ("--engine", f"cmd={shlex.join(fake_command('good'))}", f"name={name}")
    ]
    words = [*engines, "--each", "depth=1", "--board", "6x6", "--games", str(GAMES), "--seed", "3"]
    local, remote = tmp_path / "local.db", tmp_path / "remote.db"
    assert match_main([*words, "--database", str(local)]) == 0
    runner = begin_match(address_file, *words, "--database", str(remote))
    processes[1].send_signal(signal.SIGKILL)
    out, _ = runner.communicate(timeout=120)
    assert (runner.returncode, f"{GAMES} games" in out) == (0, True)
    assert games_of(remote) == games_of(local)
    assert len(games_of(remote)) == GAMES


@pytest.mark.slow
def test_a_lost_scheduler_leaves_no_game_out_in_silence(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], fake_command: Command, tmp_path: Path
) -> None:
    address_file, processes = cluster
    engine = ("--engine", f"cmd={shlex.join(fake_command('good'))}")
    path = tmp_path / "match.db"
    words = [*engine, "name=A", *engine, "name=B", "--each", "depth=1", "--board", "6x6", "--games", "400"]
    runner = begin_match(address_file, *words, "--database", str(path))
    processes[0].kill()
    _, errors = runner.communicate(timeout=120)
    assert runner.returncode == 1
    assert "latrones-uci match: connection to the Dask scheduler lost; rerun the command to resume" in errors
    assert "Traceback" not in errors
    assert 0 < len(games_of(path)) < 400


@pytest.mark.slow
def test_self_play_of_a_training(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], native_core: None, tmp_path: Path
) -> None:
    pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")
    address = json.loads(Path(cluster[0]).read_text(encoding="utf-8"))["address"]
    words = ["train", "latrones", "--board", "5x5", "--generations", "1", "--positions", "60", "--games", "2",
             "--nodes", "30", "--movetime", "1", "--passes", "1"]  # fmt: skip
    data = []
    for where in ((), ("--executor", "dask", "--scheduler", address)):
        folder = tmp_path / f"training{len(where)}"
        assert main([*words, "--out", str(folder), *where]) == 0
        data.append({path.name: path.read_bytes() for path in (folder / "data").iterdir()})
    assert data[0]
    assert data[0] == data[1]
