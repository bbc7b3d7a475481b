#!/usr/bin/env python3
"""Measure the response times of the engine: ``python3 scripts/latency.py``.

It starts the installed package, or that of the checkout if none is installed.

Prints p50, p99 and maximum of ``stop`` -> ``bestmove``, of ``stop`` during ``go perft``, and of ``isready`` ->
``readyok`` during a search, on an idle machine and with a busy process on every core. Then it prints the time from the
start of the program to ``uciok``, and the memory after ``isready``. It measures the default kernel, or those given with
``--backend``. It checks no limits, as times depend on the machine.
"""

import argparse
import contextlib
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))  # after an installed package

from busy_processes import busy_processes
from latrones_uci.client.engine_spec import OWN_ENGINE

POSITIONS = (
    ("latrones", "startpos"),
    ("latrones", "fen ssss2ss/4s3/8/D4s2/2d3SS/1S1S4/4S3/S1S2S2 w 18 10"),
    ("latrones", "fen ssssssssssss/5d6/12/12/12/12/6D5/SSSSSSSSSSSS w 0 1"),
    ("latrunculi-classical", "fen s5s3/5D1s2/4d3s1/3s1s1S2/2s3S1Ss/1s3S4/3S3S2/1SS6S b 5 20"),
    ("latrones", "fen 4S5ss4/16/16/7s8/3S8s2D/6s1S1s3S1/2S6s6/10S5/4s11/2d4S8/5s10/16/S12s2/6S9/16/5S5s4 w 9 51"),
    ("bell", "fen S1s1S2s/SS3Ss1/DS1SS3/1ss2s1s/ss4SS/s3S2S/1d1sSSss[-] b 4 17"),
)
SHORTEST_S, LONGEST_S = 0.005, 0.035
"""Range of the random pause before each measured command."""


class Engine:
    """The engine as a child process."""

    def __init__(self, backend: str) -> None:
        self.process = subprocess.Popen(
            [*OWN_ENGINE, "--backend", backend],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def send(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def wait_for(self, start: bytes) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            if line.startswith(start):
                return
        raise SystemExit(f"the engine exited before '{start.decode()}'")

    def time_of(self, line: str, start: bytes) -> float:
        """Send a line; return the milliseconds until the answer that begins with ``start`` has been read."""
        started = time.perf_counter()
        self.send(line)
        self.wait_for(start)
        return (time.perf_counter() - started) * 1000

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


@contextlib.contextmanager
def running_engine(backend: str) -> Iterator[Engine]:
    engine = Engine(backend)
    try:
        yield engine
    finally:
        engine.close()


def set_position(engine: Engine, number: int) -> None:
    variant, position = POSITIONS[number % len(POSITIONS)]
    engine.send(f"setoption name UCI_Variant value {variant}")
    engine.send(f"position {position}")
    engine.send("isready")
    engine.wait_for(b"readyok")


def stop_times(backend: str, count: int, command: str = "go infinite", answer: bytes = b"bestmove") -> list[float]:
    pauses = random.Random(1)
    times = []
    with running_engine(backend) as engine:
        for number in range(count):
            set_position(engine, number)
            engine.send(command)
            time.sleep(pauses.uniform(SHORTEST_S, LONGEST_S))
            times.append(engine.time_of("stop", answer))
    return times


def ready_times(backend: str, count: int) -> list[float]:
    pauses = random.Random(2)
    times = []
    with running_engine(backend) as engine:
        for number in range(len(POSITIONS)):
            set_position(engine, number)
            engine.send("go infinite")
            for _ in range(number, count, len(POSITIONS)):
                time.sleep(pauses.uniform(SHORTEST_S, LONGEST_S))
                times.append(engine.time_of("isready", b"readyok"))
            engine.send("stop")
            engine.wait_for(b"bestmove")
    return times


def start_times(backend: str, count: int) -> list[float]:
    times = []
    for _ in range(count):
        started = time.perf_counter()
        with running_engine(backend) as engine:
            engine.send("uci")
            engine.wait_for(b"uciok")
            times.append((time.perf_counter() - started) * 1000)
    return times


def memory_megabytes(backend: str) -> float | None:
    """Return the resident memory of the engine after ``isready`` in 10**6 bytes, None if ``ps`` cannot report it."""
    with running_engine(backend) as engine:
        engine.time_of("isready", b"readyok")
        try:
            done = subprocess.run(
                ["ps", "-o", "rss=", "-p", str(engine.process.pid)], capture_output=True, text=True, check=True
            )
            return int(done.stdout) * 1024 / 1e6
        except (OSError, subprocess.CalledProcessError, ValueError):
            return None


def print_row(name: str, load: str, times: list[float]) -> None:
    ordered = sorted(times)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    print(f"{name:<32} {load:<7} {len(times):>6} {statistics.median(ordered):>9.2f} {p99:>9.2f} {ordered[-1]:>9.2f}",
          flush=True)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=1000, help="number of measurements of each time (default: 1000)")
    parser.add_argument("--backend", choices=("python", "native"), action="append",
                        help="kernel to measure; may be repeated (default: the one that plays)")
    parser.add_argument("--starts", type=int, default=15, help="number of program starts (default: 15)")
    arguments = parser.parse_args()
    if arguments.n < 1 or arguments.starts < 1:
        parser.error("-n and --starts need a number from 1")
    cores = os.cpu_count() or 1
    print(f"{cores} cores, Python {sys.version.split()[0]}; loaded: with {cores} busy processes")
    print(f"{'milliseconds':<32} {'':<7} {'times':>6} {'p50':>9} {'p99':>9} {'max':>9}")
    for backend in arguments.backend or ["auto"]:
        measure(backend, arguments.n, arguments.starts, cores)
    return 0


def measure(backend: str, count: int, starts: int, cores: int) -> None:
    with running_engine(backend) as engine:
        engine.send("uci")
        engine.wait_for(b"id author")
        assert engine.process.stdout
        print(engine.process.stdout.readline().decode().removeprefix("info string ").strip())
    for load, busy in (("idle", 0), ("loaded", cores)):
        with busy_processes(busy):
            print_row("stop -> bestmove", load, stop_times(backend, count))
            print_row("stop -> perft stopped", load, stop_times(backend, count, "go perft 50", b"info string perft"))
            print_row("isready -> readyok, searching", load, ready_times(backend, count))
    print_row("start -> uciok", "idle", start_times(backend, starts))
    memory = memory_megabytes(backend)
    print(f"memory after isready: {'unknown' if memory is None else f'{memory:.1f} MB'} (Hash at its default)")


if __name__ == "__main__":
    sys.exit(main())
