"""Play games on this machine or on a Dask cluster: tasks, results, the engine pool, workers and executors."""

import asyncio
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import (
    EngineCrashError,
    EngineStallError,
    EngineStartError,
    OperationError,
    SettingsError,
)
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, start_position
from latrones_uci.game import Position, quoted, reason
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.game import OnTurn, Player, Turn, play_game
from latrones_uci.match.record import (
    PlayedGame,
    PlyRecord,
    game_from_data,
    game_to_data,
    ply_from_row,
    ply_to_row,
)
from latrones_uci.match.serialize import deserialize, serialize


@dataclass(frozen=True)
class GameTask:
    """Everything needed to play a game on any machine.

    Attributes:
        game_number: number of the game in the tournament; 0 without a game.
        engines: White and Black.
        variant: the variant and its board.
        variant_file: the variant file, None for none.
        fen: the position after the opening; empty to identify the engines without a game.
        limits: what the referee applies in addition to the rules.
        timeouts: engine timeouts.
        numbers: the numbers of the engines in the tournament, from 0, for their logs.
        options: for each engine the names and values of options to set before this game; empty for none.
    """

    game_number: int
    engines: tuple[EngineSettings, ...]
    variant: VariantSettings
    variant_file: VariantFile | None = None
    fen: str = ""
    limits: GameLimits = field(default_factory=GameLimits)
    timeouts: Timeouts = field(default_factory=Timeouts)
    numbers: tuple[int, ...] = ()
    options: tuple[tuple[tuple[str, str], ...], ...] = ()


@dataclass(frozen=True)
class Identity:
    """The name of an engine in tables, ``id name``, ``id author`` and kernel, and without a game its options."""

    name: str
    id_name: str
    id_author: str
    options: tuple[OptionDeclaration, ...] = ()
    kernel: str = ""


@dataclass(frozen=True)
class TaskResult:
    """The result of a task.

    Attributes:
        identities: the identities of the engines.
        started: start of the game in UTC; empty if there was no game.
        game: the game, None if there was none.
    """

    identities: tuple[Identity, ...]
    started: str = ""
    game: PlayedGame | None = None


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


_REPORT_INTERVAL_S = 0.5
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
        report: Report | None = None,
    ) -> None:
        """Start without engines.

        Args:
            interrupted: polled during every wait; once it returns True, running games end at once as interrupted.
            most_idle_engines: number of idle engines to keep.
            log: log for the traffic of the engines, None for no log.
            engine_logs: the log of each engine by its number, instead of ``log``; empty for none.
            report: receives the state of each game when it begins and after each ply; None for no reports.
        """
        self._interrupted = interrupted
        self._pool = EnginePool(most_idle_engines)
        self._log, self._engine_logs = log, engine_logs
        self._report = report

    def play(self, task: GameTask) -> TaskResult:
        """Play the game of a task; without a position, only identify its engines.

        Raises:
            EngineStartError: an engine does not start in several attempts.
            WaitInterruptedError: the start of an engine was interrupted.
            SettingsError: the variant or the board does not exist.
        """
        start = start_position(task.variant, task.variant_file)
        with self._engines(task, start) as engines:
            identities = tuple(_identity(engine) for engine in engines)
            if not task.fen:
                return TaskResult(tuple(
                    replace(identity, options=engine.controller.options)
                    for identity, engine in zip(identities, engines, strict=True)
                ))  # fmt: skip
            started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            white, black = (
                Player(engine.controller, own.control) for engine, own in zip(engines, task.engines, strict=True)
            )
            on_turn: OnTurn | None = None if self._report is None else partial(self._report, task.game_number)
            game = play_game(Position.from_fen(start.ruleset, task.fen), (white, black), task.limits, on_turn)
            return TaskResult(identities, started, game)

    def close(self) -> None:
        """Close all idle engines."""
        self._pool.close()

    @contextmanager
    def _engines(self, task: GameTask, start: Position) -> Iterator[list[Engine]]:
        taken: list[tuple[EngineSettings, Engine]] = []
        try:
            for place, settings in enumerate(task.engines):
                key = (settings, task.variant)
                log = self._engine_logs[task.numbers[place]] if self._engine_logs else self._log
                taken.append((settings, self._pool.take(key, partial(self._start, settings, task, start, log))))
                if task.options:
                    self._configure(taken[-1][1], dict(task.options[place]), start)
            yield [engine for _, engine in taken]
        finally:
            for settings, engine in taken:
                self._pool.give_back((settings, task.variant), engine, keep=not settings.restart)

    def _start(self, settings: EngineSettings, task: GameTask, start: Position, log: TrafficLog | None) -> Engine:
        """Start an engine, in several attempts: a temporary lack of memory or processes must not end a tournament."""
        path = None if task.variant_file is None else task.variant_file.local_path()
        engine = Engine(
            settings, variant_path=path, timeouts=task.timeouts, interrupted=self._interrupted, log=log
        )
        _start_process(engine, start, _START_ATTEMPTS if task.fen else 1)
        return engine

    def _configure(self, engine: Engine, options: Mapping[str, str], start: Position) -> None:
        """Set options before a game; an engine that has ended since its last game is started again with them."""
        try:
            engine.configure(options)
        except (EngineCrashError, EngineStallError):
            engine.configure(options)  # for the start of the process
            _start_process(engine, start, _START_ATTEMPTS)


def _start_process(engine: Engine, start: Position, attempts: int) -> None:
    for attempt in range(1, attempts + 1):
        try:
            engine.start(start)
            return
        except EngineStartError:
            if attempt == attempts:
                raise
            time.sleep(_START_PAUSE_S)


def _identity(engine: Engine) -> Identity:
    controller = engine.controller
    return Identity(controller.name, controller.id_name, controller.id_author, kernel=controller.kernel)


_COLLECTING_S = 0.01
_MOST_FETCHES = 32
_FETCH_S = 0.2
_LOST = "connection to the Dask scheduler lost; rerun the command to resume"
_MOST_LOSSES = 5
"""How often a game is submitted again after Dask has given it up, by default after the loss of four workers."""

Workplace = tuple[Executor, Callable[[GameTask], TaskResult]]


@contextmanager
def local_workplace(
    concurrency: int,
    interrupted: Callable[[], bool],
    log: TrafficLog | None = None,
    engine_logs: Sequence[TrafficLog] = (),
    report: Report | None = None,
) -> Iterator[Workplace]:
    """Run games in threads of this process; on exit, running games end at once, and all engines are closed.

    Args:
        concurrency: number of games at the same time.
        interrupted: polled during every wait; once it returns True, running games end as interrupted.
        log: log for the traffic of the engines, None for no log.
        engine_logs: see ``GameWorker``.
        report: receives the states of the games (see ``GameWorker``).

    Yields:
        The executor, and the function that plays a task.
    """
    leaving = threading.Event()
    worker = GameWorker(lambda: leaving.is_set() or interrupted(), 2 * concurrency, log, engine_logs, report)
    executor = ThreadPoolExecutor(concurrency, thread_name_prefix="game")
    try:
        yield executor, worker.play
    finally:
        leaving.set()
        executor.shutdown(wait=True, cancel_futures=True)
        worker.close()


@dataclass(frozen=True)
class RemoteWork:
    """What a cluster does with tasks of a kind: they and their results are sent as text, so no class is pickled.

    Attributes:
        function: does a task on a worker; takes its text and a topic (see ``play_text``), and returns the result's.
        render: renders a task.
        parse: parses a result for its task.
        name: names a task in messages.
    """

    function: Callable[[str, str], str]
    render: Callable[[Any], str]
    parse: Callable[[str, Any], Any]
    name: Callable[[Any], str]


@contextmanager
def cluster_workplace(scheduler: str, report: Report | None = None) -> Iterator[Workplace]:
    """Run games on the workers of a Dask cluster; see ``cluster_executor``.

    Engines are started for each game; their commands must work on the workers.

    Args:
        scheduler: address of the scheduler, such as ``tcp://host:8786``.
        report: receives the states of the games, at most twice a second, through the scheduler; None for no reports.

    Raises:
        SettingsError: see ``cluster_executor``.
    """
    with cluster_executor(scheduler, GAMES, report) as executor:
        yield executor, play_alone


@contextmanager
def cluster_executor(scheduler: str, work: RemoteWork, report: Report | None = None) -> Iterator[Executor]:
    """Do tasks on the workers of a Dask cluster. The scheduler must be trusted, because Dask uses pickle.

    If a worker fails, another one does its task again. The executor ignores the function that it is given, and all
    arguments but the task, which is the first one.

    Raises:
        SettingsError: the package ``distributed`` (extra ``cluster``) is missing, or the scheduler does not answer.
    """
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        raise SettingsError(f"'--executor dask' needs the extra 'cluster': {error}") from error
    for name in ("distributed", "distributed.client"):  # they print tracebacks of what is handled here
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = distributed.Client(scheduler, timeout="10s", name="latrones")
    except (OSError, ValueError) as error:
        raise SettingsError(f"no answer from the Dask scheduler {quoted(scheduler)}: {reason(error)}") from error
    with client:
        turns = None
        if report is not None:
            turns = RemoteTurns(report)
            client.subscribe_topic(turns.topic, turns.receive)
        yield _ClusterExecutor(client, work, turns)


def play_alone(task: GameTask, report: Report | None = None) -> TaskResult:
    """Play a game with engines that are started for it and closed afterwards; for workers on other machines.

    See ``GameWorker.play``.
    """
    worker = GameWorker(lambda: False, most_idle_engines=0, report=report)
    try:
        return worker.play(task)
    finally:
        worker.close()


class ClusterError(OperationError):
    """The cluster cannot play the games."""


@dataclass
class _Order:
    """A task on the cluster; ``losses`` counts how often Dask has given it up because its workers were lost."""

    task: Any
    topic: str
    future: Future[Any] = field(default_factory=Future)
    losses: int = 0


class _ClusterExecutor(Executor):
    """Does tasks on other machines.

    Tasks submitted within a few milliseconds are one message: that costs client and scheduler half as much.
    """

    def __init__(self, client: Any, work: RemoteWork, turns: "RemoteTurns | None") -> None:
        self._client, self._work, self._turns = client, work, turns
        self._lock = threading.Lock()
        self._waiting: list[_Order] = []
        self._fetches = asyncio.Semaphore(_MOST_FETCHES)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        task = arguments[0]
        order = _Order(task, "" if self._turns is None else self._turns.expect(task.game_number))
        self._send(order)
        return order.future

    def _send(self, order: _Order) -> None:
        with self._lock:
            self._waiting.append(order)
            first = len(self._waiting) == 1
        if first:
            self._client.loop.add_callback(self._send_soon)

    async def _send_soon(self) -> None:
        await asyncio.sleep(_COLLECTING_S)
        with self._lock:
            waiting, self._waiting = self._waiting, []
        orders = [order for order in waiting if not order.future.cancelled()]
        texts, topics = [self._work.render(order.task) for order in orders], [order.topic for order in orders]
        try:
            # pure=False: the same task submitted twice is played twice. retries: an engine may fail to start.
            played = self._client.map(self._work.function, texts, topics, pure=False, retries=10) if orders else []
        except Exception as error:
            for order in orders:
                self._end(order, error)
            return
        for order, each in zip(orders, played, strict=True):
            each.add_done_callback(partial(self._client.loop.add_callback, self._take_over, order))

    async def _fetch(self, played: Any) -> str:
        """Return the result of a game that has ended.

        Dask joins fetches, and the time that each of them takes is in proportion to their number. The result of a
        worker that has just been lost takes as long as the game, and must not hold up others.
        """
        async with self._fetches:
            fetched = asyncio.ensure_future(_result_of(played))
            await asyncio.wait([fetched], timeout=_FETCH_S)
        return await fetched

    async def _take_over(self, order: _Order, played: Any) -> None:
        """Pass on the result of a game that has ended."""
        try:
            result = self._work.parse(await self._fetch(played), order.task)
        except CancelledError:
            result = ClusterError(_LOST)
        except Exception as error:
            result = error
            # Names of classes of Dask, which is not always installed.
            if type(error).__name__ == "CommClosedError":
                result = ClusterError(_LOST)
            elif type(error).__name__ == "KilledWorker":
                if order.losses < _MOST_LOSSES:
                    order.losses += 1
                    self._send(order)
                    return
                result = ClusterError(f"{self._work.name(order.task)}: every worker that had it was lost; {error}")
        self._end(order, result)

    def _end(self, order: _Order, result: Any) -> None:
        if self._turns is not None:
            self._turns.forget(order.task.game_number)
        if not order.future.set_running_or_notify_cancel():
            return
        if isinstance(result, Exception):
            order.future.set_exception(result)
        else:
            order.future.set_result(result)


def _name_of_task(task: GameTask) -> str:
    return f"game {task.game_number}" if task.game_number else "the start of an engine"


async def _result_of(played: Any) -> str:
    return str(await played)


def play_text(text: str, topic: str = "") -> str:
    """Play a task given as JSON text with ``play_alone``, and return the result as JSON text.

    Args:
        text: the task.
        topic: the topic of the scheduler to which the states of the game are sent; empty for none.
    """
    task = parse_task(text)
    if not topic:
        return render_result(play_alone(task))
    worker = import_module("distributed").get_worker()
    with sending_turns(partial(worker.log_event, topic)) as report:
        return render_result(play_alone(task, report))


class RemoteTurns:
    """The states of games that workers on other machines send through the scheduler.

    Messages are JSON text with the plies since the previous one. If one is lost, the game is not reported any more.

    Attributes:
        topic: the topic of the messages, a random one.
    """

    def __init__(self, report: Report) -> None:
        """Pass the states to ``report``."""
        self.topic = f"latrones-match-{secrets.token_hex(8)}"
        self._report = report
        self._plies: dict[int, list[PlyRecord]] = {}

    def expect(self, number: int) -> str:
        """Accept messages about a game, and return their topic; there are none about task 0, which plays no game."""
        if not number:
            return ""
        self._plies[number] = []
        return self.topic

    def forget(self, number: int) -> None:
        """Ignore further messages about a game, which is over."""
        self._plies.pop(number, None)

    def receive(self, event: tuple[float, str]) -> None:
        """Take a message; called by the client of the cluster with its time."""
        number, first, rows, clocks_ns, age_ns = json.loads(event[1])
        plies = self._plies.get(number)
        if plies is None:
            return
        if first == 0:  # the game begins, for the second time if its worker was lost
            plies = self._plies[number] = []
        if first == len(plies):
            plies += map(ply_from_row, rows)
            self._report(number, Turn(plies, len(plies), tuple(clocks_ns), time.monotonic_ns() - age_ns))


@contextmanager
def sending_turns(send: Callable[[str], None], interval_s: float = _REPORT_INTERVAL_S) -> Iterator[Report]:
    """Send the latest states of games as messages for ``RemoteTurns.receive``, each at most once in ``interval_s``.

    Yields:
        What is to be called with the states; it never waits.
    """
    latest: dict[int, Turn] = {}
    ended = threading.Event()

    def send_changes() -> None:
        sent: dict[int, int] = {}
        while not ended.wait(interval_s):
            for number, turn in list(latest.items()):
                first = sent.get(number, 0)
                if sent.get(number) != turn.played:
                    sent[number] = turn.played
                    rows = [ply_to_row(ply) for ply in turn.plies[first : turn.played]]
                    age_ns = time.monotonic_ns() - turn.since_ns
                    send(json.dumps([number, first, rows, turn.clocks_ns, age_ns], separators=(",", ":")))

    thread = threading.Thread(target=send_changes, name="turns", daemon=True)
    thread.start()
    try:
        yield latest.__setitem__
    finally:
        ended.set()
        thread.join()


def render_task(task: GameTask) -> str:
    """Render a task as JSON text."""
    return json.dumps(serialize(task), separators=(",", ":"))


def parse_task(text: str) -> GameTask:
    """Parse the output of ``render_task``.

    Raises:
        ValueError: the text is malformed.
    """
    return deserialize(GameTask, json.loads(text))


def render_result(result: TaskResult) -> str:
    """Render a result as JSON text."""
    identities = [serialize(identity) for identity in result.identities]
    game = None if result.game is None else game_to_data(result.game)
    return json.dumps({"identities": identities, "started": result.started, "game": game}, separators=(",", ":"))


def parse_result(text: str, task: GameTask) -> TaskResult:
    """Parse the output of ``render_result`` for a task.

    Raises:
        ValueError: the text is malformed.
    """
    data = json.loads(text)
    identities = tuple(deserialize(Identity, identity) for identity in data["identities"])
    if data["game"] is None:
        return TaskResult(identities)
    start = Position.from_fen(start_position(task.variant, task.variant_file).ruleset, task.fen)
    return TaskResult(identities, data["started"], game_from_data(data["game"], start, keep_rows=True))


GAMES = RemoteWork(play_text, render_task, parse_result, _name_of_task)
"""Games on a cluster."""
