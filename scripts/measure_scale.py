"""Measure how many games one runner, one Dask scheduler and one database carry, with simulated workers on loopback.

    measure.py scale                                # 1,000 games at a time, a worker killed every second
    measure.py scale --slots 300 --games 5000       # fewer
    measure.py scale --recorded games.db            # with games that were recorded before

First it records real games at ``--tc``: a match of this engine against itself. Then it starts a scheduler and simulated
workers, and runs ``latrones-match --executor dask``. Everything is real but the playing: tasks, results, scheduler,
runner and database. Every ``--kill-every`` seconds the oldest worker process is killed with SIGKILL and replaced.

At the end it checks that every game was stored once and reported once, with the moves that a worker returned, that
``latrones-uci verify`` accepts all of them, and that the memory of runner and scheduler is bounded. The exit status is
1 if not. Needs Linux and the extra ``cluster``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import multiprocessing
import os
import pickle
import re
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from base import ROOT, children, command_of, percentile, print_rows, processor_time, status_of
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.match import cluster
from latrones_uci.match.remote import remote_data
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.record import GameTask, Identity, TaskResult
from latrones_uci.records.store import Store

BOOK = ROOT / "latrones_uci" / "openings" / "latrones.fen"
SAMPLE_S = 0.5
START_S = 60.0
GROWTH_MB = 64
_GAME_LINE = re.compile(rb"game (\d+)/")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--slots", type=int, default=1000, help="games at a time (default: 1000)")
    add("--workers", type=int, default=40, help="Dask workers, which share the slots (default: 40)")
    add("--processes", type=int, help="processes that share the workers (default: one a worker)")
    add("--games", type=int, default=20_000, help="number of games (default: 20000)")
    add("--kill-every", type=float, default=1.0, metavar="S",
        help="seconds after which a worker process is killed; 0 for never (default: 1)")
    add("--tc", default="1+0.01", help="time control of the recorded games (default: 1+0.01)")
    add("--recorded", type=Path, metavar="FILE.db", help="database of recorded games; made if it does not exist")
    add("--record", type=int, default=48, metavar="N", help="number of games to record (default: 48)")
    add("--max-plies", type=int, help="length of the recorded games (default: unlimited)")
    add("--game-seconds", type=float, help="duration of a simulated game (default: as recorded)")
    add("--database", type=Path, help="database of the match (default: a temporary one)")
    add("--no-verify", action="store_true", help="do not replay the games by the rules at the end")
    add("arguments", nargs="*", help="further arguments of latrones-match, after --")


def run(arguments: argparse.Namespace) -> int:
    import distributed

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latrones-scale-")))
        openings = folder / "openings.fen"
        write_openings(openings, arguments.record // 2)
        recorded = arguments.recorded or folder / "recorded.db"
        if not recorded.exists():
            print(f"recording {arguments.record} games at {arguments.tc}", file=sys.stderr, flush=True)
            words = ["--games", str(arguments.record), "--database", str(recorded), "--quiet"]
            subprocess.run(match_command(openings, arguments, *words), check=True, stdout=subprocess.DEVNULL)
        games = read_recorded(recorded, arguments.game_seconds)
        database = arguments.database or folder / "match.db"
        address = stack.enter_context(scheduler(folder))
        processes = arguments.processes or arguments.workers
        pool = worker_pool(address, arguments.workers // processes, arguments.slots // arguments.workers, games, folder)
        stack.callback(pool.close)
        for _ in range(processes):
            pool.add()
        with distributed.Client(address, timeout="10s") as client:
            client.wait_for_workers(arguments.workers, timeout=START_S)
        words = ["--database", str(database), "--games", str(arguments.games), "--executor", "dask", "--scheduler",
                 address, "--concurrency", str(arguments.slots), *arguments.arguments]
        match = play(match_command(openings, arguments, *words), pool, arguments.kill_every)
        problems = check(match, database, games, arguments)
        report(match, pool, database, games, arguments)
    for problem in problems:
        print(f"  PROBLEM {problem}")
    return 1 if problems else 0


def write_openings(path: Path, count: int) -> None:
    lines = [line for line in BOOK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    path.write_text("\n".join(lines[: max(count, 1)]) + "\n", encoding="utf-8")


def match_command(openings: Path, arguments: argparse.Namespace, *words: str) -> list[str]:
    engine = shlex.join(OWN_ENGINE)
    engines = [word for name in ("A", "B") for word in ("--engine", f"cmd={engine}", f"name={name}")]
    limit = [] if arguments.max_plies is None else ["--max-plies", str(arguments.max_plies)]
    return [*OWN_ENGINE, "match", *engines, "--each", f"tc={arguments.tc}", "--openings", str(openings), *limit, *words]


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """Run a scheduler, and return its address."""
    file = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
               "--no-dashboard", "--scheduler-file", str(file)]
    with (folder / "scheduler.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder)
        try:
            deadline = time.monotonic() + START_S
            while not file.exists() or not file.stat().st_size:
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"the scheduler does not start: {(folder / 'scheduler.log').read_text()}")
                time.sleep(0.05)
            yield json.loads(file.read_text(encoding="utf-8"))["address"]
        finally:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Sample:
    """The state at one time: games reported, and for runner, scheduler and workers the processor time and memory."""

    at_s: float
    games: int
    cpu_s: tuple[float, float, float]
    memory_mb: tuple[float, float]
    wire_bytes: int


@dataclass
class Run:
    """What was observed: the times at which games were reported by number, the samples, the status."""

    reported_ns: dict[int, list[int]] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    status: int = -1
    kills: int = 0
    loads: list[float] = field(default_factory=lambda: [os.getloadavg()[0]])

    @property
    def games(self) -> int:
        return len(self.reported_ns)

    def steady(self) -> tuple[Sample, Sample]:
        """Return the samples between which all slots were in use: from a fifth to four fifths of the games."""
        inner = [each for each in self.samples if 0.2 * self.games <= each.games <= 0.8 * self.games]
        return (inner[0], inner[-1]) if len(inner) > 1 else (self.samples[0], self.samples[-1])

    def halves(self) -> tuple[Sample, Sample]:
        """Return the samples at half time and at the end."""
        return self.samples[len(self.samples) // 2], self.samples[-1]


def play(command: list[str], pool: WorkerPool, kill_every_s: float) -> Run:
    """Run the match, and kill workers meanwhile."""
    run = Run()
    runner = subprocess.Popen(command, stdout=subprocess.PIPE)
    reader = threading.Thread(target=read_lines, args=(runner, run))
    reader.start()
    meter = Meter(runner.pid, pool)
    next_kill_s = None
    while reader.is_alive():
        if run.games and next_kill_s is None:
            next_kill_s = time.monotonic() + kill_every_s
        if kill_every_s and next_kill_s is not None and time.monotonic() >= next_kill_s:
            next_kill_s += kill_every_s
            meter.before_kill(pool.alive[0].process.pid)
            pool.replace_oldest()
            run.kills += 1
        if run.games and runner.poll() is None:
            meter.sample(run)
        reader.join(0.05)
    run.status = runner.wait()
    run.loads.append(os.getloadavg()[0])
    return run


def read_lines(runner: subprocess.Popen[bytes], run: Run) -> None:
    """Note when each game is reported: it is stored by then."""
    assert runner.stdout is not None
    for line in runner.stdout:
        if found := _GAME_LINE.match(line):
            run.reported_ns.setdefault(int(found[1]), []).append(time.monotonic_ns())


class Meter:
    """Takes samples of processor time, memory and traffic."""

    def __init__(self, runner: int, pool: WorkerPool) -> None:
        self._runner, self._pool = runner, pool
        self._scheduler = next(each for each in children() if "dask_scheduler" in command_of(each))
        self._of_killed_s = 0.0

    def before_kill(self, process_id: int | None) -> None:
        self._of_killed_s += processor_time(process_id or 0)

    def sample(self, run: Run) -> None:
        """Take a sample, unless the last one is recent."""
        now_s = time.monotonic()
        if run.samples and now_s - run.samples[-1].at_s < SAMPLE_S:
            return
        workers_s = self._of_killed_s + sum(processor_time(each.process.pid or 0) for each in self._pool.alive)
        try:
            cpu_s = processor_time(self._runner), processor_time(self._scheduler), workers_s
            memory_mb = status_of(self._runner)[0] / 1024, status_of(self._scheduler)[0] / 1024
        except (OSError, KeyError):  # the runner has just ended
            return
        run.samples.append(Sample(now_s, run.games, cpu_s, memory_mb, loopback_bytes()))


def loopback_bytes() -> int:
    for line in Path("/proc/net/dev").read_text(encoding="utf-8").splitlines():
        if line.strip().startswith("lo:"):
            return int(line.partition(":")[2].split()[0])
    return 0


def check(run: Run, database: Path, games: RecordedGames, arguments: argparse.Namespace) -> list[str]:
    problems = []
    if run.status != 0:
        problems.append(f"the match ended with status {run.status}")
    expected = set(range(1, arguments.games + 1))
    counted = Counter({number: len(times) for number, times in run.reported_ns.items()})
    problems += [f"games not reported: {len(expected - counted.keys())}"] * (expected != counted.keys())
    problems += [f"game {number} was reported {times} times" for number, times in counted.items() if times > 1]
    with Store(database, writing=False) as store:
        stored = Counter(store.game_numbers())
        problems += [f"games not stored: {len(expected - stored.keys())}"] * (expected != stored.keys())
        problems += [f"game {number} is stored {times} times" for number, times in stored.items() if times > 1]
        moves = {key: moves_of(result) for key, (result, _) in games.results.items()}
        for record in stored_games(store, stored_settings(store)):
            key = record.game.start.fen(), record.names[0]
            if moves[key] != [ply.text for ply in record.game.plies]:
                problems.append(f"game {record.fixture.number} is not the game that its worker returned")
    if not arguments.no_verify:
        pgn = database.with_suffix(".pgn")
        with pgn.open("wb") as file:
            subprocess.run([*OWN_ENGINE, "pgn", str(database)], stdout=file, check=True)
        done = subprocess.run([*OWN_ENGINE, "verify", str(pgn)], capture_output=True, text=True)
        pgn.unlink()
        if done.returncode:
            problems.append(f"verify: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
    half, end = run.halves()
    for name, before_mb, after_mb in zip(("runner", "scheduler"), half.memory_mb, end.memory_mb, strict=True):
        if after_mb - before_mb > GROWTH_MB:
            problems.append(f"memory of the {name}: {before_mb:.0f} MB at half time, {after_mb:.0f} MB at the end")
    return problems


def moves_of(result: dict[str, Any]) -> list[str]:
    return [row[2] for row in result["game"]["plies"]]


def report(run: Run, pool: WorkerPool, database: Path, games: RecordedGames, arguments: argparse.Namespace) -> None:
    first, last = run.steady()
    seconds, count = max(last.at_s - first.at_s, 1e-9), max(last.games - first.games, 1)
    cpu = [(after - before) / count * 1000 for before, after in zip(first.cpu_s, last.cpu_s, strict=True)]
    shares = [(after - before) / seconds for before, after in zip(first.cpu_s, last.cpu_s, strict=True)]
    ended_ns, replays = trace(pool)
    stored_ms = [(times[0] - ended_ns[number]) / 1e6 for number, times in run.reported_ns.items() if number in ended_ns]
    half, end = run.halves()
    plies = sum(len(moves_of(result)) for result, _ in games.results.values()) / len(games.results)
    result_bytes = sum(len(pickle.dumps(result)) for result, _ in games.results.values()) / len(games.results)
    before, after = run.loads
    rows = {
        "machine": f"{os.cpu_count()} cores; load average {before:.1f} before the match, {after:.1f} after it",
        "games": f"{run.games} of {arguments.games}, {plies:.1f} plies and {games.mean_s:.2f} s on average",
        "workers": f"{arguments.workers} with {arguments.slots // arguments.workers} slots each; {run.kills} processes"
                   " killed",
        "speed": f"{count / seconds:.0f} games/s ({arguments.slots / games.mean_s:.0f} if nothing held up the workers)",
        "CPU per game": f"runner {cpu[0]:.2f} ms, scheduler {cpu[1]:.2f} ms, simulated workers {cpu[2]:.2f} ms",
        "CPU in use": f"runner {shares[0]:.0%}, scheduler {shares[1]:.0%}, simulated workers {shares[2]:.0%} of a core",
        "memory": f"runner {half.memory_mb[0]:.0f} MB at half time, {end.memory_mb[0]:.0f} MB at the end;"
                  f" scheduler {half.memory_mb[1]:.0f}, {end.memory_mb[1]:.0f}",
        "database": f"{database.stat().st_size / run.games:.0f} bytes per game",
        "loopback": f"{(last.wire_bytes - first.wire_bytes) / count:.0f} bytes per game; result"
                    f" {result_bytes:.0f} bytes",
        "end to report": percentiles(stored_ms, "ms"),
        "lost games": render_replays(replays),
    }
    print_rows(rows, 14)


def percentiles(values: list[float], unit: str) -> str:
    if not values:
        return "none"
    return (f"median {percentile(values, 50):.1f} {unit}, 99% within {percentile(values, 99):.1f} {unit},"
            f" at most {max(values):.1f} {unit}")


def render_replays(replays: Replays) -> str:
    text = f"{replays.lost} ended with their worker and {replays.begun_twice} after it, before the runner had them"
    return f"{text}; begun again after: {percentiles(replays.waited_s, 's')}" if replays.waited_s else text


# ---------------------------------------------------------------- simulated workers

# A worker is a real worker of Dask in a process of its own. Only ``cluster.play_remotely``, which plays a game, is
# replaced: it waits as long as a recorded game lasted, without using the processor, and returns what a real worker
# would return. Each process writes what it begins and finishes to a journal, so that what a killed one had begun is
# known.
_ENTRY = struct.Struct("<qqq")
_BEGUN, _ENDED = 0, 1


@dataclass(frozen=True)
class RecordedGames:
    identities: dict[str, Identity]
    """The identity of each engine by its name."""
    results: dict[tuple[str, str], tuple[dict[str, Any], float]]
    """By the position after the opening and the name of White: the result as data, and the duration."""

    @property
    def mean_s(self) -> float:
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
            results[record.game.start.fen(), record.names[0]] = remote_data(result), seconds
    return RecordedGames(identities, results)


class Journal:
    """What one process begins and finishes: fixed entries of game, kind and monotonic time in nanoseconds."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(self, number: int, kind: int) -> None:
        os.write(self._file, _ENTRY.pack(number, kind, time.monotonic_ns()))


async def simulated_play(
    games: RecordedGames, journal: Journal, task: GameTask, topic: str = ""
) -> dict[str, Any]:
    """Take the place of ``cluster.play_remotely``; a coroutine needs no thread."""
    names = [engine.name or "" for engine in task.engines]
    if not task.fen:
        return remote_data(TaskResult(tuple(games.identities[name] for name in names)))
    result, seconds = games.results[task.fen, names[0]]
    journal.note(task.game_number, _BEGUN)
    await asyncio.sleep(seconds)
    journal.note(task.game_number, _ENDED)
    return result


def serve(address: str, workers: int, slots: int, games: RecordedGames, journal: Path) -> None:
    """Run workers with a number of slots each in this process until it is killed."""
    import dask
    import distributed

    # What a worker does besides playing is not measured.
    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "5s",
                     "distributed.admin.system-monitor.interval": "10s"})
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("distributed").setLevel(logging.ERROR)
    # The runner names the function by its module.
    replaced: Any = partial(simulated_play, games, Journal(journal))
    cluster.play_remotely = replaced

    async def run() -> None:
        running = [
            distributed.Worker(address, nthreads=slots, host="127.0.0.1", memory_limit=0,
                               local_directory=str(journal.parent))
            for _ in range(workers)
        ]
        await asyncio.gather(*running)
        await asyncio.gather(*(each.finished() for each in running))

    asyncio.run(run())


@dataclass
class WorkerProcess:
    """A process with workers; ``killed_ns`` is the time at which it was killed, 0 while it lives."""

    process: BaseProcess
    journal: Path
    killed_ns: int = 0


class WorkerPool:
    """The processes; those that are killed are replaced at once. ``start`` starts one with a journal in the folder."""

    def __init__(self, start: Callable[[Path], BaseProcess], folder: Path) -> None:
        self._start, self._folder = start, folder
        self.alive: list[WorkerProcess] = []
        self.killed: list[WorkerProcess] = []

    def add(self) -> None:
        journal = self._folder / f"journal-{len(self.alive) + len(self.killed)}"
        journal.touch()
        self.alive.append(WorkerProcess(self._start(journal), journal))

    def replace_oldest(self) -> None:
        """Kill the oldest process with SIGKILL, and start another one."""
        oldest = self.alive.pop(0)
        oldest.process.kill()
        oldest.killed_ns = time.monotonic_ns()
        oldest.process.join()
        self.killed.append(oldest)
        self.add()

    def close(self) -> None:
        for each in self.alive:
            each.process.kill()
        for each in self.alive:
            each.process.join()

    def journals(self) -> Iterator[tuple[WorkerProcess, list[tuple[int, int, int]]]]:
        for each in (*self.killed, *self.alive):
            content = each.journal.read_bytes()
            whole = len(content) - len(content) % _ENTRY.size
            yield each, list(_ENTRY.iter_unpack(content[:whole]))


def worker_pool(address: str, workers: int, slots: int, games: RecordedGames, folder: Path) -> WorkerPool:
    """Return a pool without processes; its processes are forked from one that has loaded Dask."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["distributed", "measure_scale"])

    def start(journal: Path) -> BaseProcess:
        process = context.Process(target=serve, args=(address, workers, slots, games, journal), daemon=True)
        process.start()
        return process

    return WorkerPool(start, folder)


@dataclass(frozen=True)
class Replays:
    """What became of the games that were running when their worker was killed."""

    lost: int
    """Number of games begun and not finished by a killed worker."""
    waited_s: list[float]
    """For each of them, the seconds until it began again."""
    begun_twice: int
    """Number of games begun more than once for another reason, such as a result lost with its worker."""


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
