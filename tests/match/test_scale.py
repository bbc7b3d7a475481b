"""The measurement of a cluster with simulated workers finds games that are lost or doubled, and there are none."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

import measure_scale as scale
from latrones_uci.game import Termination
from latrones_uci.match.cluster import remote_data
from latrones_uci.match.store import Store
from latrones_uci.match.worker import TaskResult
from match_records import START, played_record, record
from watched import write_match

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@pytest.mark.process
@pytest.mark.slow
def test_killed_workers_lose_and_double_no_game(tmp_path: Path) -> None:
    simulated = ["--slots", "40", "--workers", "8", "--games", "200", "--kill-every", "0.5", "--game-seconds", "0.5"]
    recorded = ["--record", "4", "--tc", "1+0.01", "--max-plies", "4"]
    words = [*simulated, *recorded, "--database", str(tmp_path / "match.db")]
    command = [sys.executable, str(SCRIPTS / "measure.py"), "scale", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {name.strip(): text for name, text in ((line[:14], line[15:]) for line in done.stdout.splitlines())}
    assert rows["games"].startswith("200 of 200, 4.0 plies")
    assert int(rows["workers"].split()[-3]) >= 3  # processes killed
    assert int(rows["lost games"].split()[0]) > 0
    with Store(tmp_path / "match.db", writing=False) as store:
        assert store.game_numbers() == list(range(1, 201))


def test_lost_doubled_and_changed_games_are_found(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    games = [played_record(1), record(2, 0, Termination.RESIGNATION), played_record(3)]
    write_match(path, games)
    result = remote_data(TaskResult((), "", games[0].game))
    recorded = scale.RecordedGames({}, {(START.fen(), name): (result, 1.0) for name in "AB"})
    samples = [scale.Sample(float(at), 0, (0, 0, 0), memory_mb, 0) for at, memory_mb in [(0, (50, 50)), (1, (50, 150))]]
    samples.insert(0, samples[0])
    run = scale.Run({1: [1], 2: [1], 3: [1, 2], 5: [1]}, samples, status=0)
    found = scale.check(run, path, recorded, argparse.Namespace(games=4, no_verify=True))
    assert found == [
        "games not reported: 1",
        "game 3 was reported 2 times",
        "games not stored: 1",
        "game 2 is not the game that its worker returned",
        "memory of the scheduler: 50 MB at half time, 150 MB at the end",
    ]
