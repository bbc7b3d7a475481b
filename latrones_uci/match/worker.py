"""Play games on this machine: tasks, results, the engine pool, the worker, and the place of its games."""

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Any, Self

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import start_position
from latrones_uci.game import Position
from latrones_uci.match.events import LiveGames
from latrones_uci.match.game import OnTurn, Player, Turn, play_game
from latrones_uci.records.engine_files import engine_files
from latrones_uci.records.record import GameTask, Identity, TaskResult


class EnginePool:
    """A pool of idle engines by key; thread-safe.

    An engine plays one game at a time. Only the most recently used idle engines are kept.
    """

    def __init__(self, most_idle: int) -> None:
        """Start empty; keep at most ``most_idle`` engines."""
        self._most_idle = most_idle
        self._idle: list[tuple[Hashable, Engine]] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self, key: Hashable, start: Callable[[], Engine]) -> Engine:
        """Return an idle engine of the key, or a new one from ``start``."""
        with self._lock:
            for index in range(len(self._idle) - 1, -1, -1):
                if self._idle[index][0] == key:
                    return self._idle.pop(index)[1]
        return start()

    def give_back(self, key: Hashable, engine: Engine, keep: bool) -> None:
        """Keep an engine for another game; close it if ``keep`` is False or it has failed."""
        if not engine.running:
            engine.close()
            return
        surplus: list[Engine] = []
        with self._lock:
            if keep and not self._closed:
                self._idle.append((key, engine))
                while len(self._idle) > self._most_idle:
                    surplus.append(self._idle.pop(0)[1])
            else:
                surplus.append(engine)
        for old in surplus:
            old.close()

    def close(self) -> None:
        """Close all idle engines; engines given back later are closed at once."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, engine in idle:
            engine.close()


_START_ATTEMPTS = 3
_START_PAUSE_S = 0.5


Report = Callable[[int, Turn], None]
"""Called with the number of a game and its state (see ``game.OnTurn``)."""


class GameWorker:
    """Plays games, one in each calling thread; engines are kept from game to game."""

    def __init__(
        self,
        interrupted: Callable[[], bool],
        most_idle_engines: int,
        log: TrafficLog | None = None,
        engine_logs: Sequence[TrafficLog] = (),
    ) -> None:
        """Start without engines.

        Args:
            interrupted: polled during every wait; once it returns True, running games end at once as interrupted.
            most_idle_engines: number of idle engines to keep.
            log: log for the traffic of the engines, None for no log.
            engine_logs: the log of each engine by its number, instead of ``log``; empty for none.
        """
        self._interrupted = interrupted
        self._pool = EnginePool(most_idle_engines)
        self._log, self._engine_logs = log, engine_logs

    def play(self, task: GameTask, report: Report | None = None) -> TaskResult:
        """Play the game of a task; without a position, only identify its engines.

        Args:
            task: the task.
            report: receives the state of the game when it begins and after each ply; None for no reports.

        Raises:
            EngineStartError: an engine does not start in several attempts.
            WaitInterruptedError: the start of an engine was interrupted.
            SettingsError: the variant or the board does not exist.
        """
        start, notes = start_position(task.variant, task.variant_file), list[str]()
        with self._engines(task, start, notes) as engines:
            identities = tuple(_identity(engine) for engine in engines)
            if not task.fen:
                return TaskResult(tuple(
                    replace(identity, options=engine.controller.options, files=tuple(engine_files(own).items()))
                    for identity, engine, own in zip(identities, engines, task.engines, strict=True)
                ))
            started = utc_now()
            white, black = (
                Player(engine.controller, own.control) for engine, own in zip(engines, task.engines, strict=True)
            )
            on_turn: OnTurn | None = None if report is None else partial(report, task.game_number)
            game = play_game(Position.from_fen(start.ruleset, task.fen), (white, black), task.limits, on_turn)
            return TaskResult(identities, started, game, tuple(notes))

    def close(self) -> None:
        """Close all idle engines."""
        self._pool.close()

    @contextmanager
    def _engines(self, task: GameTask, start: Position, notes: list[str]) -> Iterator[list[Engine]]:
        taken: list[tuple[EngineSettings, Engine]] = []
        try:
            for place, settings in enumerate(task.engines):
                key = (settings, task.variant)
                log = self._engine_logs[task.numbers[place]] if self._engine_logs else self._log
                taken.append((settings, self._pool.take(key, partial(self._start, settings, task, start, log, notes))))
                if task.options:
                    self._configure(taken[-1][1], dict(task.options[place]), start, notes)
            yield [engine for _, engine in taken]
        finally:
            for settings, engine in taken:
                self._pool.give_back((settings, task.variant), engine, keep=not settings.restart)

    def _start(
        self, settings: EngineSettings, task: GameTask, start: Position, log: TrafficLog | None, notes: list[str]
    ) -> Engine:
        """Start an engine, in several attempts: a temporary lack of memory or processes must not end a tournament."""
        path = None if task.variant_file is None else task.variant_file.local_path()
        engine = Engine(
            settings, variant_path=path, timeouts=task.timeouts, interrupted=self._interrupted, log=log
        )
        _start_process(engine, start, _START_ATTEMPTS if task.fen else 1, notes)
        return engine

    def _configure(self, engine: Engine, options: Mapping[str, str], start: Position, notes: list[str]) -> None:
        """Set options before a game; an engine that has ended since its last game is started again with them."""
        try:
            engine.configure(options)
        except (EngineCrashError, EngineStallError):
            engine.configure(options)  # for the start of the process
            _start_process(engine, start, _START_ATTEMPTS, notes)


def _start_process(engine: Engine, start: Position, attempts: int, notes: list[str]) -> None:
    """Start an engine in several attempts; ``notes`` gets a line for each one that fails."""
    for attempt in range(1, attempts + 1):
        try:
            engine.start(start)
            return
        except EngineStartError as error:
            if attempt == attempts:
                raise
            notes.append(f"{error}; started again")
            time.sleep(_START_PAUSE_S)


def utc_now() -> str:
    """Return the time as databases have it, such as ``2024-05-31T12:00:00Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _identity(engine: Engine) -> Identity:
    controller = engine.controller
    return Identity(controller.name, controller.id_name, controller.id_author, kernel=controller.kernel)


class Place:
    """Where games are played. A context manager: at its end, running games end at once, and all engines are closed."""

    def __init__(self, executor: Executor, play: Callable[[GameTask], Any], live: LiveGames | None = None) -> None:
        """Submit tasks to an executor.

        Args:
            executor: runs as many tasks at a time as there are to be games.
            play: plays a task (see ``GameWorker.play``); the future of the executor has a ``TaskResult``.
            live: receives the states of the running games, None for no reports.
        """
        self._executor, self._play, self.live = executor, play, live
        self.losses = SimpleQueue[str]()
        """A message for each lost worker; its games are played again."""

    def submit(self, task: GameTask) -> Future[TaskResult]:
        return self._executor.submit(self._play, task)

    def close(self) -> None:
        """End the running games as interrupted, and close all engines."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class LocalPlace(Place):
    """Plays games in threads of this process; see ``ProcessPlace`` for several games at a time."""

    def __init__(
        self, concurrency: int, interrupted: Callable[[], bool], log: TrafficLog | None = None,
        engine_logs: Sequence[TrafficLog] = (), live: LiveGames | None = None,
    ) -> None:
        """Play at most ``concurrency`` games at a time; see ``GameWorker`` for the next three arguments."""
        self._leaving = threading.Event()
        self._worker = GameWorker(lambda: self._leaving.is_set() or interrupted(), 2 * concurrency, log, engine_logs)
        play = partial(self._worker.play, report=None if live is None else live.report)
        super().__init__(ThreadPoolExecutor(concurrency, thread_name_prefix="game"), play, live)

    def close(self) -> None:
        self._leaving.set()
        super().close()
        self._worker.close()


def play_alone(task: GameTask, report: Report | None = None) -> TaskResult:
    """Play a game with engines that are started for it and closed afterwards; for workers on other machines.

    See ``GameWorker.play``.
    """
    worker = GameWorker(lambda: False, most_idle_engines=0)
    try:
        return worker.play(task, report)
    finally:
        worker.close()
