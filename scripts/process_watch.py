"""Watches this process and its engines through ``/proc``: memory, open files, threads, zombies. Linux only."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low

LOOK_EVERY_S = 2.0
WARM_SHARE = 0.25
"""Of the samples those at the beginning in which caches fill; what follows must not grow."""
RUNNER_GROWTH_KB = 24 * 1024
ENGINE_GROWTH_KB = 16 * 1024
FEWEST_SAMPLES = 12


@dataclass
class Series:
    """Samples of one process."""

    memory_kb: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)

    def add(self, process_id: int) -> None:
        status = dict(line.split(":", 1) for line in
                      Path(f"/proc/{process_id}/status").read_text(encoding="utf-8").splitlines())  # fmt: skip
        self.memory_kb.append(int(status["VmRSS"].split()[0]))
        self.threads.append(int(status["Threads"]))
        self.files.append(len(os.listdir(f"/proc/{process_id}/fd")))

    def grown_kb(self) -> int:
        """By how much the highest of the last part is above the highest of the part after the warm one."""
        warm = int(len(self.memory_kb) * WARM_SHARE)
        rest = self.memory_kb[warm:]
        middle = len(rest) // 2
        return max(rest[middle:]) - max(rest[:middle]) if middle else 0

    def more(self, counts: list[int]) -> int:
        """The same of the usual number of files or threads; for a moment there may be one more."""
        rest = counts[int(len(counts) * WARM_SHARE) :]
        middle = len(rest) // 2
        return int(median_low(rest[middle:]) - median_low(rest[:middle])) if middle else 0


class Watch:
    """Looks every few seconds, when asked; tells at the end what has grown."""

    def __init__(self) -> None:
        self.engines: Callable[[], list[int]] = list
        self._runner = Series()
        self._series: dict[int, Series] = {}
        self._looked = 0.0
        self._zombies: set[int] = set()

    def look(self) -> None:
        if time.monotonic() - self._looked < LOOK_EVERY_S:
            return
        self._looked = time.monotonic()
        self._runner.add(os.getpid())
        for process_id in self.engines():
            try:
                self._series.setdefault(process_id, Series()).add(process_id)
            except (OSError, KeyError):  # it has ended this instant, of which the game tells
                continue
        self._zombies |= {process_id for process_id, state in children() if state == "Z"}

    def findings(self) -> list[str]:
        found = [f"zombie: process {process_id}" for process_id in sorted(self._zombies)]
        for name, series, most in [("the runner", self._runner, RUNNER_GROWTH_KB),
                                   *((f"engine {number}", each, ENGINE_GROWTH_KB)
                                     for number, each in self._series.items())]:  # fmt: skip
            if len(series.memory_kb) < FEWEST_SAMPLES:
                continue
            if (grown := series.grown_kb()) > most:
                found.append(f"memory of {name} grew by {grown} kB")
            if (more := series.more(series.files)) > 0:
                found.append(f"open files of {name} grew by {more}")
            if (more := series.more(series.threads)) > 0:
                found.append(f"threads of {name} grew by {more}")
        return found

    def leftovers(self) -> list[str]:
        """Children that should have ended, the guard of the engines apart, which ends with this process."""
        left = [child for child in children() if "guard.py" not in command_of(child[0])]
        return [f"process {process_id} is left, state {state}" for process_id, state in left]

    def rows(self) -> dict[str, str]:
        engines = list(self._series.values())
        rows = {"runner": _render(self._runner), "engines": f"{len(engines)} processes"}
        if engines:
            worst = max(engines, key=Series.grown_kb)
            rows["engine, worst"] = _render(worst)
        return rows

    def render_now(self) -> str:
        memory = [series.memory_kb[-1] // 1024 for series in (self._runner, *self._series.values()) if series.memory_kb]
        return f"MB {memory}, files {self._runner.files[-1] if self._runner.files else 0}"


def _render(series: Series) -> str:
    if not series.memory_kb:
        return "not looked at"
    return (f"{len(series.memory_kb)} samples; memory at most {max(series.memory_kb) // 1024} MB, growth"
            f" {series.grown_kb()} kB; files {series.files[-1]}, growth {series.more(series.files)};"
            f" threads {series.threads[-1]}, growth {series.more(series.threads)}")


def children() -> list[tuple[int, str]]:
    """Ids and states of the children of this process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        state, parent = stat.rpartition(")")[2].split()[:2]
        if int(parent) == os.getpid():
            found.append((int(folder.name), state))
    return found


def command_of(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
    except OSError:
        return ""
