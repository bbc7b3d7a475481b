"""Other processes during a measurement: their processor time and memory, leaks, and processes that keep cores busy.

Except for ``busy_processes`` and ``percentile``, this needs ``/proc``, so Linux.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low

SAMPLE_INTERVAL_S = 2.0
WARMUP_SHARE = 0.25
"""Share of the samples at the beginning in which caches fill. Later samples must not grow."""
RUNNER_GROWTH_KB = 24 * 1024
ENGINE_GROWTH_KB = 16 * 1024
MIN_SAMPLES = 12


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep processors busy."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the value below which this percentage of the values lies."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def children() -> dict[int, str]:
    """Return the states of the children of this process by their process ids."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = _stat(int(folder.name))[:2]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found[int(folder.name)] = state
    return found


def _stat(process_id: int) -> list[str]:
    """Return the fields of ``/proc/ID/stat`` after the name of the program."""
    return Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def command_of(process_id: int) -> str:
    """Return the command line of a process, empty if it has ended."""
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    except OSError:
        return ""


def processor_time(process_id: int) -> float:
    """Return the processor time of a process in seconds; 0 if it has ended."""
    try:
        fields = _stat(process_id)
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status_of(process_id: int) -> tuple[int, int]:
    """Return the resident memory of a process in kilobytes, and the number of its threads."""
    lines = Path(f"/proc/{process_id}/status").read_text(encoding="utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return int(status["VmRSS"].split()[0]), int(status["Threads"])


# ---------------------------------------------------------------- leaks


@dataclass
class Series:
    """Samples of one process."""

    memory_kb: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)

    def add(self, process_id: int) -> None:
        memory_kb, threads = status_of(process_id)
        self.memory_kb.append(memory_kb)
        self.threads.append(threads)
        self.files.append(len(os.listdir(f"/proc/{process_id}/fd")))

    def growth_kb(self) -> int:
        """Return the growth of peak memory from the first to the second half of the samples after the warm-up."""
        warmup = int(len(self.memory_kb) * WARMUP_SHARE)
        rest = self.memory_kb[warmup:]
        middle = len(rest) // 2
        return max(rest[middle:]) - max(rest[:middle]) if middle else 0

    def count_growth(self, counts: list[int]) -> int:
        """Return the same growth for files or threads, by the median: for a moment there may be one more."""
        rest = counts[int(len(counts) * WARMUP_SHARE) :]
        middle = len(rest) // 2
        return int(median_low(rest[middle:]) - median_low(rest[:middle])) if middle else 0


class Watch:
    """Take samples every few seconds, and report growth at the end."""

    def __init__(self) -> None:
        self.engines: Callable[[], list[int]] = list
        self._runner = Series()
        self._series: dict[int, Series] = {}
        self._sampled_at = 0.0
        self._zombies: set[int] = set()

    def sample(self) -> None:
        """Take a sample, unless the last one is recent."""
        if time.monotonic() - self._sampled_at < SAMPLE_INTERVAL_S:
            return
        self._sampled_at = time.monotonic()
        self._runner.add(os.getpid())
        for process_id in self.engines():
            try:
                self._series.setdefault(process_id, Series()).add(process_id)
            except (OSError, KeyError):  # the engine has just exited, which its game reports
                continue
        self._zombies |= {process_id for process_id, state in children().items() if state == "Z"}

    def findings(self) -> list[str]:
        """Return zombies and growth beyond the limits, one line each."""
        found = [f"zombie: process {process_id}" for process_id in sorted(self._zombies)]
        for name, series, limit in [("the runner", self._runner, RUNNER_GROWTH_KB),
                                    *((f"engine {number}", each, ENGINE_GROWTH_KB)
                                      for number, each in self._series.items())]:  # fmt: skip
            if len(series.memory_kb) < MIN_SAMPLES:
                continue
            if (growth := series.growth_kb()) > limit:
                found.append(f"memory of {name} grew by {growth} kB")
            if (growth := series.count_growth(series.files)) > 0:
                found.append(f"open files of {name} grew by {growth}")
            if (growth := series.count_growth(series.threads)) > 0:
                found.append(f"threads of {name} grew by {growth}")
        return found

    def leftovers(self) -> list[str]:
        """Return child processes that should have exited, without the engine guard, which exits with this process."""
        return [f"orphaned process {process_id}, state {state}" for process_id, state in children().items()
                if "guard.py" not in command_of(process_id)]  # fmt: skip

    def rows(self) -> dict[str, str]:
        engines = list(self._series.values())
        rows = {"runner": _render(self._runner), "engines": f"{len(engines)} processes"}
        if engines:
            worst = max(engines, key=Series.growth_kb)
            rows["engine, worst"] = _render(worst)
        return rows

    def render_now(self) -> str:
        memory = [series.memory_kb[-1] // 1024 for series in (self._runner, *self._series.values()) if series.memory_kb]
        return f"MB {memory}, files {self._runner.files[-1] if self._runner.files else 0}"


def _render(series: Series) -> str:
    if not series.memory_kb:
        return "no samples"
    return (f"{len(series.memory_kb)} samples; peak memory {max(series.memory_kb) // 1024} MB, growth"
            f" {series.growth_kb()} kB; files {series.files[-1]}, growth {series.count_growth(series.files)};"
            f" threads {series.threads[-1]}, growth {series.count_growth(series.threads)}")
