"""Measure how many games one runner, one Dask scheduler and one database carry, with simulated workers on loopback.

    python3 scripts/scale.py                                # 1,000 games at a time, a worker killed every second
    python3 scripts/scale.py --slots 300 --games 5000       # fewer
    python3 scripts/scale.py --recorded games.db            # with games that were recorded before

First the script records real games at ``--tc``: a match of this engine against itself. Then it starts a scheduler and
the simulated workers of ``simulated_workers.py``, and runs ``latrones-match --executor dask``. Everything is real but
the playing: tasks, results, scheduler, runner and database. Every ``--kill-every`` seconds the oldest worker process is
killed with SIGKILL and replaced.

At the end it checks that every game was stored once and reported once, with the moves that a worker returned, that
``latrones-uci verify`` accepts all of them, and that the memory of runner and scheduler is bounded. The exit status is
1 if not. Needs Linux and the extra ``cluster``.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # after an installed package

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.store import Store
from simulated_workers import RecordedGames, Replays, WorkerPool, read_recorded, trace, worker_pool

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "latrones_uci" / "openings" / "latrones.fen"
ENGINES = ("A", "B")
SAMPLE_S = 0.5
START_S = 60.0
GROWTH_MB = 64
_GAME_LINE = re.compile(rb"game (\d+)/")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--slots", type=int, default=1000, help="games at a time (default: 1000)")
    add("--workers", type=int, default=40, help="Dask workers, which share the slots (default: 40)")
    add("--processes", type=int, help="processes that share the workers (default: one a worker)")
    add("--games", type=int, default=20_000, help="number of games (default: 20000)")
    add("--kill-every", type=float, default=1.0, metavar="S",
        help="seconds after which a worker process is killed; 0 for never (default: 1)")  # fmt: skip
    add("--tc", default="1+0.01", help="time control of the recorded games (default: 1+0.01)")
    add("--recorded", type=Path, metavar="FILE.db", help="database of recorded games; made if it does not exist")
    add("--record", type=int, default=48, metavar="N", help="number of games to record (default: 48)")
    add("--max-plies", type=int, help="length of the recorded games (default: unlimited)")
    add("--game-seconds", type=float, help="duration of a simulated game (default: as recorded)")
    add("--database", type=Path, help="database of the match (default: a temporary one)")
    add("--no-verify", action="store_true", help="do not replay the games by the rules at the end")
    add("arguments", nargs="*", help="further arguments of latrones-match, after --")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latrones-scale-")))
        openings = folder / "openings.fen"
        write_openings(openings, arguments.record // 2)
        recorded = arguments.recorded or folder / "recorded.db"
        if not recorded.exists():
            record(recorded, openings, arguments)
        games = read_recorded(recorded, arguments.game_seconds)
        database = arguments.database or folder / "match.db"
        address = stack.enter_context(scheduler(folder))
        processes = arguments.processes or arguments.workers
        pool = worker_pool(address, arguments.workers // processes, arguments.slots // arguments.workers, games, folder)
        stack.callback(pool.close)
        for _ in range(processes):
            pool.add()
        await_workers(address, arguments.workers)
        cluster = ["--executor", "dask", "--scheduler", address, "--concurrency", str(arguments.slots)]
        words = ["--database", str(database), "--games", str(arguments.games), *cluster, *arguments.arguments]
        run = play(match_command(openings, arguments, words), pool, arguments.kill_every)
        problems = check(run, database, games, arguments)
        report(run, pool, database, games, arguments)
    for problem in problems:
        print(f"  PROBLEM {problem}")
    return 1 if problems else 0


def write_openings(path: Path, count: int) -> None:
    """Write the first positions of the book of this package."""
    lines = [line for line in BOOK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    path.write_text("\n".join(lines[: max(count, 1)]) + "\n", encoding="utf-8")


def match_command(openings: Path, arguments: argparse.Namespace, words: Sequence[str]) -> list[str]:
    engine = shlex.join(OWN_ENGINE)
    engines = [word for name in ENGINES for word in ("--engine", f"cmd={engine}", f"name={name}")]
    limit = [] if arguments.max_plies is None else ["--max-plies", str(arguments.max_plies)]
    return [*OWN_ENGINE, "match", *engines, "--each", f"tc={arguments.tc}",
            "--openings", str(openings), *limit, *words]  # fmt: skip


def record(path: Path, openings: Path, arguments: argparse.Namespace) -> None:
    """Record real games."""
    print(f"recording {arguments.record} games at {arguments.tc}", file=sys.stderr, flush=True)
    words = ["--games", str(arguments.record), "--database", str(path), "--quiet"]
    command = match_command(openings, arguments, words)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """Run a scheduler, and return its address."""
    file = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
               "--no-dashboard", "--scheduler-file", str(file)]  # fmt: skip
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


def await_workers(address: str, count: int) -> None:
    import distributed

    with distributed.Client(address, timeout="10s") as client:
        client.wait_for_workers(count, timeout=START_S)


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
    lines: list[str] = field(default_factory=list)
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


def read_lines(runner: "subprocess.Popen[bytes]", run: Run) -> None:
    """Note when each game is reported: it is stored by then."""
    assert runner.stdout is not None
    for line in runner.stdout:
        if found := _GAME_LINE.match(line):
            run.reported_ns.setdefault(int(found[1]), []).append(time.monotonic_ns())
        else:
            run.lines.append(line.decode().rstrip())


class Meter:
    """Takes samples of processor time, memory and traffic."""

    def __init__(self, runner: int, pool: WorkerPool) -> None:
        self._runner, self._pool = runner, pool
        self._scheduler = next(each for each in children() if "dask_scheduler" in command_of(each))
        self._of_killed_s = 0.0

    def before_kill(self, process_id: int | None) -> None:
        self._of_killed_s += processor_time(process_id)

    def sample(self, run: Run) -> None:
        """Take a sample, unless the last one is recent."""
        now_s = time.monotonic()
        if run.samples and now_s - run.samples[-1].at_s < SAMPLE_S:
            return
        workers_s = self._of_killed_s + sum(processor_time(each.process.pid) for each in self._pool.alive)
        try:
            cpu_s = processor_time(self._runner), processor_time(self._scheduler), workers_s
            memory_mb = resident_mb(self._runner), resident_mb(self._scheduler)
        except (OSError, KeyError):  # the runner has just ended
            return
        run.samples.append(Sample(now_s, run.games, cpu_s, memory_mb, loopback_bytes()))


def children() -> Iterator[int]:
    for folder in Path(f"/proc/{os.getpid()}/task").iterdir():
        yield from map(int, (folder / "children").read_text(encoding="utf-8").split())


def command_of(process_id: int) -> str:
    return Path(f"/proc/{process_id}/cmdline").read_text(encoding="utf-8")


def processor_time(process_id: int | None) -> float:
    """Return the processor time of another process in seconds; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(process_id: int) -> float:
    status = Path(f"/proc/{process_id}/status").read_text(encoding="utf-8").splitlines()
    return int(dict(line.split(":", 1) for line in status)["VmRSS"].split()[0]) / 1024


def loopback_bytes() -> int:
    """Return the bytes sent on loopback by all processes of this machine."""
    for line in Path("/proc/net/dev").read_text(encoding="utf-8").splitlines():
        if line.strip().startswith("lo:"):
            return int(line.partition(":")[2].split()[0])
    return 0


def check(run: Run, database: Path, games: RecordedGames, arguments: argparse.Namespace) -> list[str]:
    """Return what is wrong, one line each."""
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
        moves = {key: moves_of(text) for key, (text, _) in games.results.items()}
        for record in stored_games(store, stored_settings(store)):
            key = record.game.start.fen(), record.names[0]
            if moves[key] != [ply.text for ply in record.game.plies]:
                problems.append(f"game {record.fixture.number} is not the game that its worker returned")
    if not arguments.no_verify:
        problems += verify(database)
    half, end = run.samples[len(run.samples) // 2], run.samples[-1]
    for name, before_mb, after_mb in zip(("runner", "scheduler"), half.memory_mb, end.memory_mb, strict=True):
        if after_mb - before_mb > GROWTH_MB:
            problems.append(f"memory of the {name}: {before_mb:.0f} MB at half time, {after_mb:.0f} MB at the end")
    return problems


def moves_of(text: str) -> list[str]:
    return [row[2] for row in json.loads(text)["game"]["plies"]]


def verify(database: Path) -> list[str]:
    """Replay all games by the rules."""
    pgn = database.with_suffix(".pgn")
    program = list(OWN_ENGINE)
    with pgn.open("wb") as file:
        subprocess.run([*program, "pgn", str(database)], stdout=file, check=True)
    done = subprocess.run([*program, "verify", str(pgn)], capture_output=True, text=True)
    pgn.unlink()
    return [] if done.returncode == 0 else [f"verify: {(done.stdout + done.stderr).strip().splitlines()[-1]}"]


def report(run: Run, pool: WorkerPool, database: Path, games: RecordedGames, arguments: argparse.Namespace) -> None:
    """Print the figures."""
    first, last = run.steady()
    seconds, count = max(last.at_s - first.at_s, 1e-9), max(last.games - first.games, 1)
    cpu = [(after - before) / count * 1000 for before, after in zip(first.cpu_s, last.cpu_s, strict=True)]
    shares = [(after - before) / seconds for before, after in zip(first.cpu_s, last.cpu_s, strict=True)]
    ended_ns, replays = trace(pool)
    stored_ms = [(times[0] - ended_ns[number]) / 1e6 for number, times in run.reported_ns.items() if number in ended_ns]
    half = run.samples[len(run.samples) // 2]
    plies = sum(len(moves_of(text)) for text, _ in games.results.values()) / len(games.results)
    result_bytes = sum(len(text) for text, _ in games.results.values()) / len(games.results)
    before, after = run.loads[0], run.loads[-1]
    rows = {
        "machine": f"{os.cpu_count()} cores; load average {before:.1f} before the match, {after:.1f} after it",
        "games": f"{run.games} of {arguments.games}, {plies:.1f} plies and {games.mean_s:.2f} s on average",
        "workers": f"{arguments.workers} with {arguments.slots // arguments.workers} slots each; {run.kills} processes"
                   " killed",
        "speed": f"{count / seconds:.0f} games/s ({arguments.slots / games.mean_s:.0f} if nothing held up the workers)",
        "CPU per game": f"runner {cpu[0]:.2f} ms, scheduler {cpu[1]:.2f} ms, simulated workers {cpu[2]:.2f} ms",
        "CPU in use": f"runner {shares[0]:.0%}, scheduler {shares[1]:.0%}, simulated workers {shares[2]:.0%} of a core",
        "memory": f"runner {half.memory_mb[0]:.0f} MB at half time, {run.samples[-1].memory_mb[0]:.0f} MB at the end;"
                  f" scheduler {half.memory_mb[1]:.0f}, {run.samples[-1].memory_mb[1]:.0f}",
        "database": f"{database.stat().st_size / run.games:.0f} bytes per game",
        "loopback": f"{(last.wire_bytes - first.wire_bytes) / count:.0f} bytes per game; result"
                    f" {result_bytes:.0f} bytes",
        "end to report": percentiles(stored_ms, "ms"),
        "lost games": render_replays(replays),
    }  # fmt: skip
    for name, text in rows.items():
        print(f"{name:<14} {text}")


def percentiles(values: list[float], unit: str) -> str:
    if not values:
        return "none"
    ordered = sorted(values)
    half, most = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return f"median {half:.1f} {unit}, 99% within {most:.1f} {unit}, at most {ordered[-1]:.1f} {unit}"


def render_replays(replays: Replays) -> str:
    text = f"{replays.lost} ended with their worker and {replays.begun_twice} after it, before the runner had them"
    return f"{text}; begun again after: {percentiles(replays.waited_s, 's')}" if replays.waited_s else text


if __name__ == "__main__":
    sys.exit(main())
