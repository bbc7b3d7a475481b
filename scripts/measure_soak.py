"""Soak test: play endless fast games between both kernels, in all variants, and watch for losses and leaks.

    measure.py soak --minutes 1440                  # a day
    measure.py soak --minutes 10 --load 1           # with one more busy process

Two games run at a time, each between two of four engines: the native and the Python kernel, with 10 ms per move (UGI)
and with a clock of 1 s + 0.01 s (UCI). The engine processes run from beginning to end. Between games, their variant,
board and options change; only half of the games begin with ``ucinewgame``.

Findings are time losses, illegal moves, crashes, stalls, protocol violations, errors, zombies, orphaned processes, and
growth of memory, threads or open files. The exit status is 1 if there are any. At 10 ms per move, the operating system
alone can cause delays of a time slice: moves within ``--margin-ms`` are counted as late, but do not lose. With a clock,
every overstepped time limit is a finding, whatever the margin.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median_low

from base import busy_processes, children, command_of, print_rows, status_of
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Protocol
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, setup_options, start_position
from latrones_uci.game import Outcome, Position, Termination, builtin_variants
from latrones_uci.match.events import Event, GameFinished, Warned
from latrones_uci.match.game import Player, play_game
from latrones_uci.match.summary import render_summary
from latrones_uci.match.tournament import Tournament
from latrones_uci.records.database import begin
from latrones_uci.records.plan import Format
from latrones_uci.records.record import GameTask, Identity, PlyRecord, TaskResult
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.records.store import Store

CONTROLS = {"10ms": TimeControl(movetime_ms=10), "clock": TimeControl(base_ms=1000, increment_ms=10)}
OTHER_BOARDS = ("latrones:12x8", "latrones:6x6", "petteia-xxi:10x10", "schaedler:10x8")
CHANGES: tuple[dict[str, str], ...] = (
    {}, {"Hash": "1"}, {"Hash": "4"}, {"MultiPV": "3"}, {"MultiPV": "1"}, {"Clear Hash": ""}, {"Ponder": "true"},
    {"UCI_AnalyseMode": "true"},
)
ENDLESS = 10**9
REPORT_EVERY_S = 60.0
MAX_LISTED = 20
SAMPLE_INTERVAL_S = 2.0
WARMUP_SHARE = 0.25
"""Share of the samples at the beginning in which caches fill. Later samples must not grow."""
RUNNER_GROWTH_KB = 24 * 1024
ENGINE_GROWTH_KB = 16 * 1024
MIN_SAMPLES = 12
Sample = tuple[int, int, int]
"""Memory in kilobytes, open files, and threads of a process."""


# ---------------------------------------------------------------- leaks


def sample_of(process_id: int) -> Sample:
    memory_kb, threads = status_of(process_id)
    return memory_kb, len(os.listdir(f"/proc/{process_id}/fd")), threads


def growths(samples: Sequence[Sample]) -> tuple[int, int, int]:
    """Return the growth from the first to the second half of the samples after the warm-up.

    Peaks of memory are compared, but medians of files and threads: for a moment there may be one more.
    """
    rest = samples[int(len(samples) * WARMUP_SHARE) :]
    middle = len(rest) // 2
    if not middle:
        return 0, 0, 0

    def growth(column: int, measure: Callable[[list[int]], float]) -> int:
        values = [sample[column] for sample in rest]
        return int(measure(values[middle:]) - measure(values[:middle]))

    return growth(0, max), growth(1, median_low), growth(2, median_low)


class Watch:
    """Take samples every few seconds, and report growth at the end."""

    def __init__(self) -> None:
        self.engines: Callable[[], list[int]] = list
        self.samples: dict[int, list[Sample]] = {os.getpid(): []}
        """The samples of this process, and of each engine by its process id."""
        self._sampled_at = 0.0
        self._zombies: set[int] = set()

    def sample(self) -> None:
        """Take a sample, unless the last one is recent."""
        if time.monotonic() - self._sampled_at < SAMPLE_INTERVAL_S:
            return
        self._sampled_at = time.monotonic()
        for process_id in (os.getpid(), *self.engines()):
            with suppress(OSError, KeyError):  # an engine that has just exited, which its game reports
                self.samples.setdefault(process_id, []).append(sample_of(process_id))
        self._zombies |= {process_id for process_id, state in children().items() if state == "Z"}

    def findings(self) -> list[str]:
        """Return zombies and growth beyond the limits, one line each."""
        found = [f"zombie: process {process_id}" for process_id in sorted(self._zombies)]
        for process_id, samples in self.samples.items():
            if len(samples) < MIN_SAMPLES:
                continue
            memory_kb, files, threads = growths(samples)
            name = "the runner" if process_id == os.getpid() else f"engine {process_id}"
            if memory_kb > (RUNNER_GROWTH_KB if process_id == os.getpid() else ENGINE_GROWTH_KB):
                found.append(f"memory of {name} grew by {memory_kb} kB")
            found += [f"open files of {name} grew by {files}"] * (files > 0)
            found += [f"threads of {name} grew by {threads}"] * (threads > 0)
        return found

    def leftovers(self) -> list[str]:
        """Return child processes that should have exited, without the engine guard, which exits with this process."""
        return [f"orphaned process {process_id}, state {state}" for process_id, state in children().items()
                if "guard.py" not in command_of(process_id)]

    def rows(self) -> dict[str, str]:
        runner, *engines = self.samples.values()
        rows = {"runner": render(runner), "engines": f"{len(engines)} processes"}
        return rows | ({"engine, worst": render(max(engines, key=growths))} if engines else {})

    def render_now(self) -> str:
        runner, *_ = self.samples.values()
        memory = [samples[-1][0] // 1024 for samples in self.samples.values() if samples]
        return f"MB {memory}, files {runner[-1][1] if runner else 0}"


def render(samples: Sequence[Sample]) -> str:
    if not samples:
        return "no samples"
    memory_kb, files, threads = growths(samples)
    return (f"{len(samples)} samples; peak memory {max(each[0] for each in samples) // 1024} MB, growth {memory_kb} kB;"
            f" files {samples[-1][1]}, growth {files}; threads {samples[-1][2]}, growth {threads}")


# ---------------------------------------------------------------- games


class SoakEngine(EngineController):
    """An engine that gets ``ucinewgame`` only if ``send_new_game`` is set."""

    send_new_game = True

    def new_game(self) -> None:
        if self.send_new_game:
            super().new_game()


class SoakWorker:
    """Play tasks; each thread keeps its own engines."""

    def __init__(self, seed: int) -> None:
        self._local = threading.local()
        self._seed = seed
        self.engines: list[SoakEngine] = []
        self.starts = Counter[str]()

    def play(self, task: GameTask) -> TaskResult:
        variant_start = start_position(task.variant, None)
        options = setup_options(variant_start, None)
        own: dict[EngineSettings, SoakEngine] = self._local.__dict__.setdefault("engines", {})
        players = []
        generator = random.Random(f"{self._seed}:{task.game_number}")
        for settings in task.engines:
            if settings not in own or not own[settings].usable:
                own[settings] = SoakEngine(settings, options, task.timeouts, lambda: False)
                self.engines.append(own[settings])
            engine = own[settings]
            engine.send_new_game = generator.random() < 0.5
            engine.change_options(options | generator.choice(CHANGES))
            self.starts["with ucinewgame" if engine.send_new_game else "without ucinewgame"] += 1
            players.append(Player(engine, settings.control))
        if not task.fen:
            engines = [player.controller for player in players]
            return TaskResult(tuple(Identity(each.name, each.id_name, each.id_author) for each in engines))
        start = Position.from_fen(variant_start.ruleset, task.fen)
        game = play_game(start, (players[0], players[1]), task.limits)
        return TaskResult((), "2024-01-01T00:00:00Z", game)


@dataclass
class Lateness:
    """Count the answers after the time limit, whatever the margin."""

    moves: int = 0
    late: int = 0
    worst_ms: float = 0.0

    def add(self, ply: PlyRecord) -> None:
        self.moves += 1
        over_ms = (ply.elapsed_ns - (ply.allowed_ns or 0)) / 1e6
        self.late += over_ms > 0
        self.worst_ms = max(self.worst_ms, over_ms)

    def render(self) -> str:
        share = self.late / max(self.moves, 1)
        return f"{self.late} of {self.moves} moves ({share:.2%}), at most {self.worst_ms:.1f} ms late"


class Observer:
    """Print the progress, stop the match at the end of the time, and collect the findings of games."""

    def __init__(self, minutes: float, stop: threading.Event, watch: Watch) -> None:
        self._started, self._reported = time.monotonic(), time.monotonic()
        self._seconds, self._stop, self._watch = 60 * minutes, stop, watch
        self.games, self.plies = 0, 0
        self.by_variant = Counter[str]()
        self.faults: list[str] = []
        self.late = {name: Lateness() for name in CONTROLS}
        self.warnings: list[str] = []

    def __call__(self, event: Event) -> None:
        if isinstance(event, Warned):
            self.warnings.append(f"warning: {event.text}")
        if not isinstance(event, GameFinished):
            return
        record, now = event.record, time.monotonic()
        self.games += 1
        self.plies += len(record.game.plies)
        self.by_variant[record.game.start.ruleset.name] += 1
        regular = is_regular(record.game.outcome)
        if not regular or record.game.violations:
            names = " - ".join(record.names)
            self.faults.append(f"game {record.fixture.number}, {record.game.start.ruleset.name}, {names}:"
                             f" {record.game.outcome} {record.game.violations or ''}")
        for ply in (*record.game.plies, *filter(None, [record.game.offence])):
            self.late[record.names[ply.side].partition("-")[2]].add(ply)
        flags = [ply for ply in record.game.plies if ply.clock_left_ns is not None and ply.clock_left_ns < 0]
        if flags and regular:
            self.faults.append(f"game {record.fixture.number}: clock below zero, within the time margin")
        self._watch.sample()
        if now - self._reported > REPORT_EVERY_S:
            self._reported = now
            print(f"{(now - self._started) / 60:8.1f} min  {self.games} games, {self.plies} plies,"
                  f" {len(self.faults)} faults; {self._watch.render_now()}", flush=True)
        if now - self._started > self._seconds:
            self._stop.set()


def is_regular(outcome: Outcome) -> bool:
    return outcome.termination.by_rules or outcome.termination is Termination.ADJUDICATION


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--minutes", type=float, default=10, help="duration in minutes (default: 10)")
    add("--concurrency", type=int, default=2, help="games at a time (default: 2)")
    add("--load", type=int, default=0, help="number of additional busy processes (default: 0)")
    add("--margin-ms", type=int, default=100,
        help="time margin before a loss on time in milliseconds (default: 100)")
    add("--overhead-ms", type=int, default=20,
        help="Move Overhead of the engines in milliseconds (default: 20)")
    add("--command", default=shlex.join(OWN_ENGINE), help="engine command (default: this project's engine)")
    add("--seed", type=int, default=1, help="random seed for openings and options (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    settings = soak_settings(arguments)
    stop, watch, worker = threading.Event(), Watch(), SoakWorker(arguments.seed)
    observer = Observer(arguments.minutes, stop, watch)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latrones-soak-")))
        stack.enter_context(busy_processes(arguments.load))
        store = stack.enter_context(Store(folder / "soak.db", writing=True))
        executor = stack.enter_context(ThreadPoolExecutor(arguments.concurrency))
        sys.setswitchinterval(0.0005)  # the same as in matches
        named = begin(settings, store, executor, worker.play, "2024-01-01T00:00:00Z")
        watch.engines = lambda: [engine.process_id for engine in worker.engines if engine.usable]
        tournament = Tournament(named, store, observer, stop)
        try:
            tournament.run(executor, worker.play)
        finally:
            for engine in worker.engines:
                engine.quit()
        print(f"\n{render_summary(tournament.standings, named, '')}\n")
        stored = check_database(folder / "soak.db")
    findings = [*observer.faults, *observer.warnings, *watch.findings(), *watch.leftovers()]
    if stored != observer.games:
        findings.append(f"{observer.games} games played, but {stored} in the database")
    print_table(arguments, observer, worker, watch, findings)
    return 1 if findings else 0


def soak_settings(arguments: argparse.Namespace) -> TournamentSettings:
    command = tuple(arguments.command.split())
    overhead = ("Move Overhead", str(arguments.overhead_ms))
    dialects: dict[str, Protocol] = {"10ms": "ugi", "clock": "uci"}  # UGI has no ponder move, which strict would report
    engines = tuple(
        EngineSettings(command, control, f"{kernel}-{name}", (("Backend", kernel), overhead),
                       protocol=dialects[name], strict=name == "10ms")
        for name, control in CONTROLS.items()
        for kernel in ("native", "python")
    )
    variants = tuple(map(VariantSettings.from_text, (*builtin_variants(), *OTHER_BOARDS)))
    limits = GameLimits(margin_ms=arguments.margin_ms, max_plies=200)
    settings = TournamentSettings(engines, variants, format=Format.ROUND_ROBIN, games=ENDLESS, seed=arguments.seed)
    return replace(settings, limits=limits, concurrency=arguments.concurrency)


def check_database(path: Path) -> int:
    """Return the number of games in a database, -1 if it is damaged."""
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as connection:
        if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
            return -1
        return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])


def print_table(
    arguments: argparse.Namespace, observer: Observer, worker: SoakWorker, watch: Watch, findings: list[str]
) -> None:
    rows = {
        "games, plies": f"{observer.games}, {observer.plies}",
        "by variant": ", ".join(f"{count} {name}" for name, count in observer.by_variant.most_common()),
        "game starts": ", ".join(f"{count} {name}" for name, count in worker.starts.most_common()),
        "settings": f"{arguments.concurrency} games at a time, {arguments.load} busy processes, time margin"
                    f" {arguments.margin_ms} ms, Move Overhead {arguments.overhead_ms} ms",
        **{f"late, {name}": late.render() for name, late in observer.late.items()},
        **watch.rows(),
        "findings": str(len(findings)),
    }
    print_rows(rows, 18)
    for finding in findings[:MAX_LISTED]:
        print(f"  FINDING {finding}")
    if len(findings) > MAX_LISTED:
        print(f"  ... and {len(findings) - MAX_LISTED} more")
