"""A game to be played, as JSON text: what travels to wherever it is played, and what comes back."""

import json
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import EngineStartError, SettingsError
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, start_position
from latrones_uci.game import Position
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.game import Player, play_game
from latrones_uci.records.record import PlayedGame, game_from_data, game_to_data
from latrones_uci.records.serialize import deserialize, serialize


@dataclass(frozen=True)
class GameTask:
    """All that is needed to play a game, wherever.

    Attributes:
        label: of the game, for logs.
        engines: White and Black.
        variant: the game and its board.
        variant_file: file with more games, None for none.
        fen: the position after the opening; empty to greet the engines without a game.
        limits: what the referee applies beside the rules.
        timeouts: how long engines are waited for.
    """

    label: str
    engines: tuple[EngineSettings, ...]
    variant: VariantSettings
    variant_file: VariantFile | None = None
    fen: str = ""
    limits: GameLimits = field(default_factory=GameLimits)
    timeouts: Timeouts = field(default_factory=Timeouts)


@dataclass(frozen=True)
class Identity:
    """What an engine is called: by the settings or by itself, and what it says of itself."""

    name: str
    id_name: str
    id_author: str


@dataclass(frozen=True)
class TaskResult:
    """What became of a task.

    Attributes:
        identities: of the engines.
        started: when the game began, in UTC; empty if the engines were only greeted.
        game: the game, None likewise.
    """

    identities: tuple[Identity, ...]
    started: str = ""
    game: PlayedGame | None = None


# ---------------------------------------------------------------- engine pool
# Engines that run, kept from game to game.


class EnginePool:
    """Idle engines by what they were started for; safe to be used by several threads.

    An engine is with one game at a time. Of the idle ones only the last few used stay.
    """

    def __init__(self, most_idle: int) -> None:
        """Begins empty; at most ``most_idle`` engines wait for another game."""
        self._most_idle = most_idle
        self._idle: list[tuple[Hashable, Engine]] = []
        self._lock = threading.Lock()
        self._closed = False

    def take(self, key: Hashable, start: Callable[[], Engine]) -> Engine:
        """An idle engine of that key, or one started now; what ``start`` raises is raised here."""
        with self._lock:
            for index in range(len(self._idle) - 1, -1, -1):
                if self._idle[index][0] == key:
                    return self._idle.pop(index)[1]
        return start()

    def give_back(self, key: Hashable, engine: Engine, keep: bool) -> None:
        """Keeps an engine for another game, or ends it if it is not to be kept or has failed."""
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
        """Ends all idle engines; what is given back later is ended then."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, engine in idle:
            engine.close()


# ---------------------------------------------------------------- worker
# Plays games given as JSON text: in this process, or wherever an executor runs it.

_START_ATTEMPTS = 3
_START_PAUSE_S = 0.5


class GameWorker:
    """Plays games, one in each thread that asks; engines are kept from game to game."""

    def __init__(
        self, interrupted: Callable[[], bool], most_idle_engines: int, log: TrafficLog | None = None
    ) -> None:
        """Begins without engines.

        Args:
            interrupted: asked all the time; once it says so, games end at once, as interrupted.
            most_idle_engines: how many wait for another game.
            log: where the traffic of the engines is noted, None for nowhere.
        """
        self._interrupted = interrupted
        self._pool = EnginePool(most_idle_engines)
        self._log = log

    def play(self, task: GameTask) -> TaskResult:
        """Play the game of a task; without a position, only greet its engines.

        Raises:
            EngineStartError: an engine does not start, even after several attempts.
            WaitInterruptedError: while an engine was being started.
            SettingsError: no such variant.
        """
        start = start_position(task.variant, task.variant_file)
        with self._engines(task, start) as engines:
            identities = tuple(_identity(engine) for engine in engines)
            if not task.fen:
                return TaskResult(identities)
            started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            white, black = (
                Player(engine.controller, own.control) for engine, own in zip(engines, task.engines, strict=True)
            )
            game = play_game(Position.from_fen(start.ruleset, task.fen), (white, black), task.limits)
            return TaskResult(identities, started, game)

    def close(self) -> None:
        """Ends all engines that wait."""
        self._pool.close()

    @contextmanager
    def _engines(self, task: GameTask, start: Position) -> Iterator[list[Engine]]:
        taken: list[tuple[EngineSettings, Engine]] = []
        try:
            for settings in task.engines:
                key = (settings, task.variant)
                taken.append((settings, self._pool.take(key, partial(self._start, settings, task, start))))
            yield [engine for _, engine in taken]
        finally:
            for settings, engine in taken:
                self._pool.give_back((settings, task.variant), engine, keep=not settings.restart)

    def _start(self, settings: EngineSettings, task: GameTask, start: Position) -> Engine:
        """Start an engine; a machine that is short of memory or processes for a moment must not end a tournament."""
        path = None if task.variant_file is None else task.variant_file.local_path()
        engine = Engine(settings, variant_path=path, timeouts=task.timeouts, interrupted=self._interrupted, log=self._log)
        for attempt in range(1, _START_ATTEMPTS + 1):
            try:
                engine.start(start)
                return engine
            except EngineStartError:
                if attempt == _START_ATTEMPTS or not task.fen:
                    raise
                time.sleep(_START_PAUSE_S)
        raise AssertionError("unreachable")


def _identity(engine: Engine) -> Identity:
    controller = engine.controller
    return Identity(controller.name, controller.id_name, controller.id_author)


# ---------------------------------------------------------------- workplace
# Where games are played: by threads of this process, or on a cluster.

Workplace = tuple[Executor, Callable[[GameTask], TaskResult]]


@contextmanager
def local_workplace(
    concurrency: int, interrupted: Callable[[], bool], log: TrafficLog | None = None
) -> Iterator[Workplace]:
    """Threads of this process; when it is left, games under way end at once and no engine is left.

    Args:
        concurrency: games at a time.
        interrupted: once it says so, games end, as interrupted.
        log: where the traffic of the engines is noted, None for nowhere.

    Yields:
        The executor, and the function that plays a task there.
    """
    leaving = threading.Event()
    worker = GameWorker(lambda: leaving.is_set() or interrupted(), 2 * concurrency, log)
    executor = ThreadPoolExecutor(concurrency, thread_name_prefix="game")
    try:
        yield executor, worker.play
    finally:
        leaving.set()
        executor.shutdown(wait=True, cancel_futures=True)
        worker.close()


@contextmanager
def cluster_workplace(scheduler: str) -> Iterator[Workplace]:
    """The workers of a Dask cluster. Its scheduler must be trusted: Dask pickles.

    A game whose worker dies is played again by another. Engines are started for each game; their commands must work
    on the workers.

    Args:
        scheduler: its address, ``tcp://host:8786``.

    Raises:
        SettingsError: the package ``distributed`` is missing (extra ``cluster``), or nobody answers there.
    """
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise SettingsError(f"'--executor dask' needs the extra 'cluster': {error}") from error
    try:
        client = distributed.Client(scheduler, timeout="10s", name="latrones-match")
    except (OSError, ValueError) as error:
        raise SettingsError(f"no Dask scheduler answers at {scheduler!r}: {error}") from error
    with client:
        # Impure: the same game twice is two games. Retries: the death of a worker is not the fault of a game.
        executor = client.get_executor(pure=False, retries=10)
        yield _ClusterExecutor(executor), play_alone


def play_alone(task: GameTask) -> TaskResult:
    """Play a game in a process of which nothing else is known: its engines are started for it and end with it.

    See ``GameWorker.play``.
    """
    worker = GameWorker(lambda: False, most_idle_engines=0)
    try:
        return worker.play(task)
    finally:
        worker.close()


class _ClusterExecutor(Executor):
    """Runs ``play_alone`` elsewhere; tasks and results travel as JSON text, so that no class of ours is pickled."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        (task,) = arguments
        future: Future[Any] = Future()

        def take_over(played: Future[str]) -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(parse_result(played.result(), task))
            except BaseException as error:
                future.set_exception(error)

        self._executor.submit(play_text, render_task(task)).add_done_callback(take_over)
        return future


def play_text(text: str) -> str:
    """``play_alone`` for a task as JSON text; the result is JSON text too."""
    return render_result(play_alone(parse_task(text)))


def render_task(task: GameTask) -> str:
    """Return a task as JSON text."""
    return json.dumps(serialize(task), separators=(",", ":"))


def parse_task(text: str) -> GameTask:
    """Read what ``render_task`` writes.

    Raises:
        ValueError: malformed text.
    """
    return deserialize(GameTask, json.loads(text))


def render_result(result: TaskResult) -> str:
    """Return a result as JSON text."""
    identities = [serialize(identity) for identity in result.identities]
    game = None if result.game is None else game_to_data(result.game)
    return json.dumps({"identities": identities, "started": result.started, "game": game}, separators=(",", ":"))


def parse_result(text: str, task: GameTask) -> TaskResult:
    """Read what ``render_result`` writes, for the task that it answers.

    Raises:
        ValueError: malformed text.
    """
    data = json.loads(text)
    identities = tuple(deserialize(Identity, identity) for identity in data["identities"])
    if data["game"] is None:
        return TaskResult(identities)
    start = Position.from_fen(start_position(task.variant, task.variant_file).ruleset, task.fen)
    return TaskResult(identities, data["started"], game_from_data(data["game"], start))
