"""Games on a Dask cluster: what its workers return and report, and on a real one."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import EngineStartError
from latrones_uci.commands.main import main, match_main
from latrones_uci.match import cluster
from latrones_uci.match.events import GameFinished, LiveGames
from latrones_uci.match.game import Turn
from latrones_uci.match.remote import read_remote, receive_turn, remote_data, sending_turns
from latrones_uci.match.standings import Standings
from latrones_uci.records.record import GameTask, Identity, TaskResult, ply_to_row
from match_play import match_words, texts
from match_records import NAMES, SETTINGS, START, played_record
from serving import waited

Command = Callable[..., tuple[str, ...]]
GAMES = 16
GAME = played_record(1).game
PLIES = GAME.plies
TASK = GameTask(1, SETTINGS.engines, SETTINGS.variants[0], fen=START.fen())
RESULT = TaskResult((Identity("A", "A 1.0", "me"),), "2024-05-31T12:00:00Z", GAME)


class KilledWorker(Exception):  # noqa: N818
    """Named like the exception of Dask."""


class CommClosedError(OSError):
    """Named like the exception of Dask."""


LOST = "connection to the Dask scheduler lost; rerun the command to resume"


@pytest.mark.parametrize(("answers", "expected"), [
    ([RESULT], RESULT),
    ([*[KilledWorker("gone")] * 5, RESULT], RESULT),  # a game that Dask gives up is submitted again
    ([KilledWorker("gone")] * 6, cluster.ClusterError("every worker that had a task was lost; gone")),
    ([CancelledError], cluster.ClusterError(LOST)),
    ([CommClosedError("closed")], cluster.ClusterError(LOST)),
    ([EngineStartError("no such program")], EngineStartError("no such program")),
])
def test_what_a_cluster_answers(answers: Sequence[Any], expected: TaskResult | Exception) -> None:
    tasks = []

    class FakeClient:
        def submit(self, function: Callable[..., Any], task: GameTask, **options: Any) -> Future[Any]:
            assert options == {"pure": False, "retries": 10}
            future: Future[Any] = Future()
            answer = answers[len(tasks)]
            tasks.append(task)
            if answer is CancelledError:
                future.cancel()
            elif isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(remote_data(answer))
            return future

    losses: list[str] = []
    executor = cluster._ClusterExecutor(FakeClient(), read_remote, losses.append)
    future = executor.submit(cluster.play_remotely, TASK)
    if isinstance(expected, Exception):
        with pytest.raises(type(expected)) as raised:
            future.result()
        assert str(raised.value) == str(expected)
    else:
        assert future.result() == expected
    assert tasks == [TASK] * len(answers)
    assert losses == ["Dask lost the workers that had a game; the game is played again"] * (len(answers) - 1)


def test_plies_from_a_cluster_are_those_that_were_played() -> None:
    identified = replace(RESULT, started="", game=None)
    assert read_remote(remote_data(identified), replace(TASK, game_number=0)) == identified
    data = remote_data(RESULT)
    game = read_remote(data, TASK).game
    assert game is not None
    assert hash(game.plies) == hash(PLIES)
    assert list(map(tuple, game.rows)) == [ply_to_row(ply) for ply in PLIES]
    assert (game.plies[0], game.plies[1:]) == (PLIES[0], PLIES[1:])
    data["game"]["plies"][0] += (1,)
    with pytest.raises(ValueError, match="expected rows of 12 columns"):
        read_remote(data, TASK)


def test_states_pass_through_messages() -> None:
    """Each message has the plies since the previous one, and only the latest state is sent."""
    live = LiveGames()
    messages: list[str] = []

    def send(message: str) -> None:
        messages.append(message)
        receive_turn(live, message)

    with sending_turns(send, 0.01) as report:
        report(7, Turn(PLIES, 0, (5, None), 0))
        waited(lambda: len(messages) == 1)
        for played in (1, 2, 3, 6):
            report(7, Turn(PLIES, played, (5, played), 0))
            if played >= 3:
                waited(lambda played=played: (turn := live.turn(7)) is not None and turn.played == played)
    turn = live.turn(7)
    assert turn is not None
    assert (list(turn.plies), turn.clocks_ns) == (list(PLIES[:6]), (5, 6))
    assert sum(len(json.loads(message)[2]) for message in messages) == 6


def test_lost_late_and_repeated_messages() -> None:
    live = LiveGames()

    def message(first: int, last: int) -> str:
        with_plies: list[str] = []
        with sending_turns(with_plies.append, 0.001) as report:
            for end in filter(None, (first, last)):
                report(7, Turn(PLIES, end, (None, None), 0))
                waited(lambda end=end: with_plies and sum(len(json.loads(one)[2]) for one in with_plies) == end)
        return with_plies[-1]

    for first, last, played in (
        (0, 2, 2),
        (4, 6, 2),  # the message before it was lost
        (0, 1, 1),  # its worker was lost, and another one plays the game
    ):
        receive_turn(live, message(first, last))
        turn = live.turn(7)
        assert turn is not None
        assert turn.played == played
    live(GameFinished(played_record(7), Standings(NAMES), None))
    receive_turn(live, message(1, 5))
    assert live.turn(7) is None  # too late


# ---------------------------------------------------------------- a real cluster: a scheduler and workers on loopback


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the processes: the scheduler and two workers."""
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
                waited(lambda: address_file.exists() and address_file.stat().st_size > 0)
        yield json.loads(address_file.read_text(encoding="utf-8"))["address"], started
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def begin_match(address: str, *words: str) -> "subprocess.Popen[str]":
    """Start a match on the cluster, and wait for its first game; another one is running then."""
    runner = subprocess.Popen(
        [*OWN_ENGINE, "match", *words, "--concurrency", "2", "--executor", "dask",
         "--scheduler", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    assert runner.stdout is not None
    assert runner.stdout.readline().startswith("game ")
    return runner


@pytest.mark.process
@pytest.mark.slow
def test_no_game_is_lost_with_its_worker(
    dask: tuple[str, list[subprocess.Popen[bytes]]], fake_command: Command, tmp_path: Path
) -> None:
    address, processes = dask
    words = [*match_words(*[fake_command("good")] * 2), "--games", str(GAMES)]
    local, remote = tmp_path / "local.db", tmp_path / "remote.db"
    assert match_main([*words, "--database", str(local)]) == 0
    runner = begin_match(address, *words, "--database", str(remote))
    processes[1].kill()
    out, _ = runner.communicate(timeout=120)
    assert (runner.returncode, f"{GAMES} games" in out) == (0, True)
    assert texts(remote) == texts(local)
    assert len(texts(remote)) == GAMES


@pytest.mark.process
@pytest.mark.slow
def test_a_lost_scheduler_leaves_no_game_out_in_silence(
    dask: tuple[str, list[subprocess.Popen[bytes]]], fake_command: Command, tmp_path: Path
) -> None:
    address, processes = dask
    path = tmp_path / "match.db"
    words = [*match_words(*[fake_command("good")] * 2), "--games", "400"]
    runner = begin_match(address, *words, "--database", str(path))
    processes[0].kill()
    _, errors = runner.communicate(timeout=120)
    assert runner.returncode == 1
    assert f"latrones-uci match: {LOST}" in errors
    assert "Traceback" not in errors
    assert 0 < len(texts(path)) < 400


@pytest.mark.process
@pytest.mark.slow
def test_self_play_of_a_training(
    dask: tuple[str, list[subprocess.Popen[bytes]]], native_core: None, tmp_path: Path
) -> None:
    pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")
    words = ["train", "latrones", "--board", "5x5", "--generations", "1", "--positions", "60", "--games", "2",
             "--nodes", "30", "--movetime", "1", "--passes", "1"]
    data = []
    for where in ((), ("--executor", "dask", "--scheduler", dask[0])):
        folder = tmp_path / f"training{len(where)}"
        assert main([*words, "--out", str(folder), *where]) == 0
        data.append({path.name: path.read_bytes() for path in (folder / "data").iterdir()})
    assert data[0]
    assert data[0] == data[1]
