"""Simulated workers of a Dask cluster: they return recorded games, each after as long as it lasted.

A worker is a real worker of Dask in a process of its own. Only ``worker.play_text``, the function that plays a game, is
replaced: it waits without using the processor, and returns the text that a real worker would return. Each process
writes what it begins and finishes to a journal, so that what a killed process had begun is known.
"""

import asyncio
import json
import logging
import multiprocessing
import os
import signal
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from latrones_uci.match import worker
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.store import Store
from latrones_uci.match.worker import Identity, TaskResult, render_result

_ENTRY = struct.Struct("<qqq")
_BEGUN, _ENDED = 0, 1


@dataclass(frozen=True)
class RecordedGames:
    """Games to return.

    Attributes:
        identities: the identity of each engine by its name.
        results: by the position after the opening and the name of White: the text of the result, and the duration.
    """

    identities: dict[str, Identity]
    results: dict[tuple[str, str], tuple[str, float]]

    @property
    def mean_s(self) -> float:
        """The mean duration of a game."""
        durations = [seconds for _, seconds in self.results.values()]
        return sum(durations) / len(durations)


def read_recorded(path: Path, game_seconds: float | None) -> RecordedGames:
    """Read the games of a match from its database; each lasts as long as its moves took, or ``game_seconds``."""
    results = {}
    with Store(path, writing=False) as store:
        identities = {each.name: Identity(each.name, each.id_name, each.id_author) for each in store.engines()}
        for record in stored_games(store, stored_settings(store)):
            result = TaskResult(tuple(identities[name] for name in record.names), record.started, record.game)
            seconds = sum(ply.elapsed_ns for ply in record.game.plies) / 1e9 if game_seconds is None else game_seconds
            results[record.game.start.fen(), record.names[0]] = render_result(result), seconds
    return RecordedGames(identities, results)


class Journal:
    """What one process begins and finishes: fixed entries of game, kind and monotonic time in nanoseconds."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(self, number: int, kind: int) -> None:
        os.write(self._file, _ENTRY.pack(number, kind, time.monotonic_ns()))


async def simulated_play(games: RecordedGames, journal: Journal, text: str, topic: str = "") -> str:
    """Take the place of ``worker.play_text``; a coroutine needs no thread."""
    task = json.loads(text)
    names = [engine["name"] for engine in task["engines"]]
    if "fen" not in task:
        return render_result(TaskResult(tuple(games.identities[name] for name in names)))
    result, seconds = games.results[task["fen"], names[0]]
    journal.note(task["game_number"], _BEGUN)
    await asyncio.sleep(seconds)
    journal.note(task["game_number"], _ENDED)
    return result


def serve(address: str, workers: int, slots: int, games: RecordedGames, journal: Path) -> None:
    """Run workers with a number of slots each in this process until it is killed."""
    import dask
    import distributed

    # What a worker does besides playing is not measured.
    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "5s",
                     "distributed.admin.system-monitor.interval": "10s"})  # fmt: skip
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed").setLevel(logging.ERROR)
    # The runner names the function by its module.
    replaced: Any = partial(simulated_play, games, Journal(journal))
    worker.play_text = replaced

    async def run() -> None:
        running = [
            distributed.Worker(address, nthreads=slots, host="127.0.0.1", memory_limit=0,
                               local_directory=journal.parent)
            for _ in range(workers)
        ]  # fmt: skip
        await asyncio.gather(*running)
        await asyncio.gather(*(each.finished() for each in running))

    asyncio.run(run())


@dataclass
class WorkerProcess:
    """A process with workers; ``killed_ns`` is the time at which it was killed, 0 while it lives."""

    process: BaseProcess
    journal: Path
    killed_ns: int = 0


@dataclass
class WorkerPool:
    """The processes; those that are killed are replaced at once.

    Attributes:
        start: starts a process that writes a journal to a path.
        folder: where the journals are.
    """

    start: Callable[[Path], BaseProcess]
    folder: Path
    alive: list[WorkerProcess] = field(default_factory=list)
    killed: list[WorkerProcess] = field(default_factory=list)

    def add(self) -> None:
        """Start a process."""
        journal = self.folder / f"journal-{len(self.alive) + len(self.killed)}"
        journal.touch()
        self.alive.append(WorkerProcess(self.start(journal), journal))

    def replace_oldest(self) -> None:
        """Kill the oldest process with SIGKILL, and start another one."""
        oldest = self.alive.pop(0)
        oldest.process.kill()
        oldest.killed_ns = time.monotonic_ns()
        oldest.process.join()
        self.killed.append(oldest)
        self.add()

    def close(self) -> None:
        """Kill all processes."""
        for each in self.alive:
            each.process.kill()
        for each in self.alive:
            each.process.join()

    def journals(self) -> Iterator[tuple[WorkerProcess, list[tuple[int, int, int]]]]:
        """Yield each process and its entries."""
        for each in (*self.killed, *self.alive):
            content = each.journal.read_bytes()
            whole = len(content) - len(content) % _ENTRY.size
            yield each, list(_ENTRY.iter_unpack(content[:whole]))


def worker_pool(address: str, workers: int, slots: int, games: RecordedGames, folder: Path) -> WorkerPool:
    """Return a pool without processes; its processes are forked from one that has loaded Dask."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", "simulated_workers"])

    def start(journal: Path) -> BaseProcess:
        process = context.Process(target=serve, args=(address, workers, slots, games, journal), daemon=True)
        process.start()
        return process

    return WorkerPool(start, folder)


@dataclass(frozen=True)
class Replays:
    """What became of the games that were running when their worker was killed.

    Attributes:
        lost: number of games begun and not finished by a killed worker.
        waited_s: for each of them, the seconds until it began again.
        begun_twice: number of games begun more than once for another reason, such as a result lost with its worker.
    """

    lost: int
    waited_s: list[float]
    begun_twice: int


def trace(pool: WorkerPool) -> tuple[dict[int, int], Replays]:
    """Return the time at which each game ended last, in nanoseconds, and what became of lost games."""
    begun: dict[int, list[int]] = {}
    ended: dict[int, int] = {}
    lost: list[tuple[int, int]] = []
    for process, entries in pool.journals():
        running = set()
        for number, kind, at_ns in entries:
            if kind == _BEGUN:
                begun.setdefault(number, []).append(at_ns)
                running.add(number)
            else:
                running.discard(number)
                ended[number] = max(at_ns, ended.get(number, 0))
        if process.killed_ns:
            lost += [(number, process.killed_ns) for number in running]
    waited = []
    for number, killed_ns in lost:
        if later := [at_ns for at_ns in begun[number] if at_ns > killed_ns]:
            waited.append((min(later) - killed_ns) / 1e9)
    again = sum(len(times) - 1 for times in begun.values()) - len(waited)
    return ended, Replays(len(lost), waited, again)
