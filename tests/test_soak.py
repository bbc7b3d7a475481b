"""The soak test plays games and finds leaks; it needs /proc."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import base
import measure_soak as soak

SCRIPTS = Path(__file__).parent.parent / "scripts"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def test_growth_after_the_warm_up_is_found() -> None:
    watch = soak.Watch()
    watch.samples[11] = [(min(50_000 + 10_000 * at, 100_000) + at % 3, 7, 3) for at in range(40)]
    watch.samples[12] = [(50_000 + 2_000 * at, 7 + at // 30, 3) for at in range(40)]
    assert watch.findings() == ["memory of engine 12 grew by 30000 kB", "open files of engine 12 grew by 1"]


@pytest.mark.process
def test_zombies_and_orphaned_processes_are_found() -> None:
    watch = soak.Watch()
    child = subprocess.Popen([sys.executable, "-c", ""])
    while base.children().get(child.pid) != "Z":
        time.sleep(0.01)
    watch.sample()
    assert watch.findings() == [f"zombie: process {child.pid}"]
    assert f"orphaned process {child.pid}, state Z" in watch.leftovers()
    child.wait()
    assert f"orphaned process {child.pid}, state Z" not in watch.leftovers()


@pytest.mark.slow
def test_short_soak(native_core: None, tmp_path: Path) -> None:
    """Late answers may occur on a busy machine; nothing else may be found."""
    command = [sys.executable, str(SCRIPTS / "measure.py"), "soak", "--minutes", "0.1", "--margin-ms", "5000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
                          env=os.environ)  # fmt: skip
    assert done.stderr == ""
    findings = [line for line in done.stdout.splitlines() if "FINDING" in line]
    assert [line for line in findings if "clock below zero" not in line and "time loss" not in line] == []
    assert done.returncode == bool(findings)
    assert "games, plies" in done.stdout
