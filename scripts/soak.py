"""A soak: very fast games without end between both kernels, in all games, with everything watched that could wear out.

    python3 scripts/soak.py --minutes 1440                  # a day
    python3 scripts/soak.py --minutes 10 --load 1           # with one more process that wants a processor all the time

Two games at a time, each between two engines of four: the native and the Python kernel, with 10 ms a move (in UGI)
and with a clock of 1 s + 0.01 s (in UCI). The engines stay the same processes all the time; between games their game,
board and options change, and only before some are they told of a new game.

Any time loss, illegal move, crash, stall, violation of the protocol or error is a finding, any zombie or process left
behind, and any growth of memory, threads or open files; with one the exit status is 1. With 10 ms a move some lateness
is the machine's, whose slices of time are as long: so much as ``--margin-ms`` is no loss, but counted. With a clock
every flag that falls is a finding, margin or not.
"""

import argparse
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from busy_processes import busy_processes
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import EngineSettings, Protocol
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantSettings, setup_options, start_position
from latrones_uci.game import Outcome, Position, Termination, builtin_variants
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.database import begin
from latrones_uci.match.events import Event, GameFinished, Warned
from latrones_uci.match.game import Player, play_game
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.summary import render_summary
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import GameTask, Identity, TaskResult
from latrones_uci.records.plan import Format
from latrones_uci.records.record import PlyRecord
from latrones_uci.records.store import Store
from process_watch import Watch

CONTROLS = {"10ms": TimeControl(movetime_ms=10), "clock": TimeControl(base_ms=1000, increment_ms=10)}
OTHER_BOARDS = ("latrones:12x8", "latrones:6x6", "petteia-xxi:10x10", "schaedler:10x8")
CHANGES = ({}, {"Hash": "1"}, {"Hash": "4"}, {"MultiPV": "3"}, {"MultiPV": "1"}, {"Clear Hash": ""}, {"Ponder": "true"},
           {"UCI_AnalyseMode": "true"})  # fmt: skip
ENDLESS = 10**9
REPORT_EVERY_S = 60.0
LONGEST_LIST = 20


class SoakEngine(EngineController):
    """An engine that is told of a new game only when it is asked to."""

    tell_new_game = True

    def new_game(self) -> None:
        if self.tell_new_game:
            super().new_game()


class SoakWorker:
    """Plays tasks; every thread has engines of its own, which it keeps."""

    def __init__(self, seed: int) -> None:
        self._local = threading.local()
        self._seed = seed
        self.engines: list[SoakEngine] = []
        self.told = Counter[str]()

    def play(self, task: GameTask) -> TaskResult:
        variant_start = start_position(task.variant, None)
        options = setup_options(variant_start, None)
        own: dict[EngineSettings, SoakEngine] = self._local.__dict__.setdefault("engines", {})
        players = []
        chance = random.Random(f"{self._seed}:{task.label}")
        for settings in task.engines:
            if settings not in own or not own[settings].usable:
                own[settings] = SoakEngine(settings, options, task.timeouts, lambda: False)
                self.engines.append(own[settings])
            engine = own[settings]
            engine.tell_new_game = chance.random() < 0.5
            engine.change_options(options | chance.choice(CHANGES))
            self.told["with ucinewgame" if engine.tell_new_game else "without"] += 1
            players.append(Player(engine, settings.control))
        if not task.fen:
            engines = [player.controller for player in players]
            return TaskResult(tuple(Identity(each.name, each.id_name, each.id_author) for each in engines))
        start = Position.from_fen(variant_start.ruleset, task.fen)
        game = play_game(start, (players[0], players[1]), task.limits)
        return TaskResult((), "2024-01-01T00:00:00Z", game)


@dataclass
class Lateness:
    """Answers after the time allowed, whatever the margin."""

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
        return f"{self.late} of {self.moves} moves ({share:.2%}), at worst {self.worst_ms:.1f} ms over the time"


class Observer:
    """Prints how it goes, ends it when the time is over, and keeps what is no fair end of a game."""

    def __init__(self, minutes: float, enough: threading.Event, watch: Watch) -> None:
        self._begun, self._told = time.monotonic(), time.monotonic()
        self._seconds, self._enough, self._watch = 60 * minutes, enough, watch
        self.games, self.plies = 0, 0
        self.by_variant = Counter[str]()
        self.foul: list[str] = []
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
        fair = is_fair(record.game.outcome)
        if not fair or record.game.violations:
            names = " - ".join(record.names)
            self.foul.append(f"game {record.fixture.number}, {record.game.start.ruleset.name}, {names}:"
                             f" {record.game.outcome} {record.game.violations or ''}")
        for ply in (*record.game.plies, *filter(None, [record.game.offence])):
            self.late[record.names[ply.side].partition("-")[2]].add(ply)
        flags = [ply for ply in record.game.plies if ply.clock_left_ns is not None and ply.clock_left_ns < 0]
        if flags and fair:
            self.foul.append(f"game {record.fixture.number}: a flag fell, within the margin")
        self._watch.look()
        if now - self._told > REPORT_EVERY_S:
            self._told = now
            print(f"{(now - self._begun) / 60:8.1f} min  {self.games} games, {self.plies} plies, {len(self.foul)} foul;"
                  f" {self._watch.render_now()}", flush=True)
        if now - self._begun > self._seconds:
            self._enough.set()


def is_fair(outcome: Outcome) -> bool:
    """Whether no engine is at fault."""
    return outcome.termination.by_rules or outcome.termination is Termination.ADJUDICATION


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--concurrency", type=int, default=2, help="games at a time")
    parser.add_argument("--load", type=int, default=0, help="processes beside that want a processor all the time")
    parser.add_argument("--margin-ms", type=int, default=100, help="lateness that is no loss with 10 ms a move")
    parser.add_argument("--overhead-ms", type=int, default=20, help="Move Overhead of the engines")
    parser.add_argument("--command", default=f"{sys.executable} -m latrones_uci", help="the engine")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    settings = soak_settings(arguments)
    enough, watch, worker = threading.Event(), Watch(), SoakWorker(arguments.seed)
    observer = Observer(arguments.minutes, enough, watch)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="latrones-soak-")))
        stack.enter_context(busy_processes(arguments.load))
        store = stack.enter_context(Store(folder / "soak.db", writing=True))
        executor = stack.enter_context(ThreadPoolExecutor(arguments.concurrency))
        sys.setswitchinterval(0.0005)  # as latrones-match has it
        named = begin(settings, store, executor, worker.play, "2024-01-01T00:00:00Z")
        watch.engines = lambda: [engine.process_id for engine in worker.engines if engine.usable]
        tournament = Tournament(named, store, observer, enough)
        try:
            tournament.run(executor, worker.play)
        finally:
            for engine in worker.engines:
                engine.quit()
        print(f"\n{render_summary(tournament.standings, named, '')}\n")
        stored = check_database(folder / "soak.db")
    findings = [*observer.foul, *observer.warnings, *watch.findings(), *watch.leftovers()]
    if stored != observer.games:
        findings.append(f"{observer.games} games were played, {stored} are in the database")
    print_table(arguments, observer, worker, watch, findings)
    return 1 if findings else 0


def soak_settings(arguments: argparse.Namespace) -> TournamentSettings:
    command = tuple(arguments.command.split())
    overhead = ("Move Overhead", str(arguments.overhead_ms))
    dialects: dict[str, Protocol] = {"10ms": "ugi", "clock": "uci"}  # the former always answers in two words
    engines = tuple(
        EngineSettings(command, control, f"{kernel}-{name}", (("Backend", kernel), overhead),
                       protocol=dialects[name], strict=name == "10ms")
        for name, control in CONTROLS.items()
        for kernel in ("native", "python")
    )  # fmt: skip
    variants = tuple(map(VariantSettings.from_text, (*builtin_variants(), *OTHER_BOARDS)))
    limits = GameLimits(margin_ms=arguments.margin_ms, max_plies=200)
    settings = TournamentSettings(engines, variants, format=Format.ROUND_ROBIN, games=ENDLESS, seed=arguments.seed)
    return replace(settings, limits=limits, concurrency=arguments.concurrency)


def check_database(path: Path) -> int:
    """The games in a database that is whole; -1 for one that is not."""
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
        "engines told": ", ".join(f"{count} {name}" for name, count in worker.told.most_common()),
        "setting": f"{arguments.concurrency} games at a time, {arguments.load} busy processes beside, margin"
                   f" {arguments.margin_ms} ms, Move Overhead {arguments.overhead_ms} ms",
        **{f"late, {name}": late.render() for name, late in observer.late.items()},
        **watch.rows(),
        "findings": str(len(findings)),
    }  # fmt: skip
    for name, text in rows.items():
        print(f"{name:<18} {text}")
    for finding in findings[:LONGEST_LIST]:
        print(f"  FINDING {finding}")
    if len(findings) > LONGEST_LIST:
        print(f"  ... and {len(findings) - LONGEST_LIST} more")


if __name__ == "__main__":
    sys.exit(main())
