"""Play games in worker processes of this machine, each of which has an interpreter of its own.

The main process keeps schedule, database and events. A worker process has one connection for each game that it plays
at a time: tasks go one way, and messages with the states of the running game, then its result, the other way.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Pipe
from pathlib import Path
from types import FrameType
from typing import Any

from latrones_uci.client.child import status_text
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import OperationError, SettingsError, WaitInterruptedError
from latrones_uci.client.processors import can_pin, core_of, pin_to, processors, usable_processors
from latrones_uci.client.programs import Connection, start_connected
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.match.events import LiveGames
from latrones_uci.match.remote import play_as_data, read_remote, receive_turn
from latrones_uci.match.worker import GameWorker, Place
from latrones_uci.records.record import GameTask, TaskResult
from latrones_uci.text.messages import counted
from latrones_uci.text.signals import INTERRUPTS, unblock_signals

_MAX_LOSSES = 5
"""How often a game is played again after the loss of its process."""
_LOSS_PAUSE_S = 0.2
_REPORT_INTERVAL_S = 0.1
_POLL_S = 0.05
_SWITCH_INTERVAL_S = 0.0005
"""How long a thread of a worker process lets the others wait that measure times."""
_PROGRAM = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
import latrones_uci
sys.path.append(sys.path.pop(0))
from latrones_uci.match.processes import serve
serve(sys.argv[1:])
"""
"""A worker process. Its arguments are the folder of this package, which it looks for before others and does not prefer
to the standard library, and the descriptors of its connections."""


class WorkerError(OperationError):
    """The worker processes cannot play a game."""


def core_sets(games: int, threads: int) -> list[frozenset[int]]:
    """Return for each game at a time the processors of its engines, of those that this process may use.

    Processors of different cores come first, then those that share a core with one of them.

    Args:
        games: the number of games at a time.
        threads: the number of threads that compute at the same time in a game.

    Raises:
        SettingsError: the system cannot pin processes, or there are too few processors.
    """
    if not can_pin():
        raise SettingsError("--affinity: this system cannot pin programs to processors; expected Linux or Windows, or"
                            " no '--affinity'")
    usable = sorted(usable_processors(), key=lambda cpu: (sum(other < cpu for other in core_of(cpu)), cpu))
    if games * threads > len(usable):
        each = f" with {threads} threads each" if threads > 1 else ""
        raise SettingsError(f"--affinity: {counted(games, 'game')} at a time{each}: too many for {len(usable)}"
                            " processor(s); expected fewer games at a time, or no '--affinity'")
    return [frozenset(usable[game * threads : (game + 1) * threads]) for game in range(games)]


class ProcessPlace(Place):
    """Plays games in processes of this machine.

    There are at most as many processes as processors; if more games run at a time, each process has several. If a
    process is lost, its running games are played again; a task raises ``WorkerError`` if each of several processes that
    played it was lost. All processes and engines end with this process, however it ends.
    """

    def __init__(
        self, concurrency: int, interrupted: Callable[[], bool], log: TrafficLog | None = None,
        engine_logs: Sequence[TrafficLog] = (), live: LiveGames | None = None,
        warn: Callable[[str], None] = lambda text: None, cores: Sequence[frozenset[int]] = (),
    ) -> None:
        """Start without processes.

        Args:
            concurrency: the greatest number of games at a time.
            interrupted: polled; once it returns True, running games end at once as interrupted.
            log: see ``GameWorker``.
            engine_logs: see ``GameWorker``.
            live: receives the states of the games, at most ten times a second; None for no reports.
            warn: called with a message, in another thread, when a process can no longer write a log; the same message
                may come from each process.
            cores: for each game at a time the processors of its engines, at most as many games as processors; empty to
                leave that to the system.
        """
        super().__init__(ThreadPoolExecutor(concurrency, thread_name_prefix="game"), self._play_remotely, live)
        self._interrupted, self._warn = interrupted, warn
        number = min(concurrency, processors())
        self._processes = [
            _WorkerProcess(len(range(first, concurrency, number)), log, engine_logs, live is not None,
                           cores[first] if cores else frozenset(), self.losses.put)
            for first in range(number)
        ]
        self._idle = [_Slot(process, number) for process in self._processes for number in range(process.slots)]
        self._lock = threading.Lock()
        self._left = threading.Event()
        self._watching = threading.Thread(target=self._watch, name="workers", daemon=True)
        self._watching.start()

    def _play_remotely(self, task: GameTask) -> TaskResult:
        """Play a task in a slot that is idle; see ``GameWorker.play``."""
        players = frozenset(task.engines)
        with self._lock:  # there are as many slots as threads
            slot = max(self._idle, key=lambda slot: len(slot.players & players))
            self._idle.remove(slot)
        try:
            slot.players = players
            return read_remote(self._play_in(slot, task), task)
        finally:
            with self._lock:
                self._idle.append(slot)

    def _play_in(self, slot: "_Slot", task: GameTask) -> dict[str, Any]:
        connection: Connection | None = None
        for _ in range(_MAX_LOSSES + 1):
            try:
                connection = slot.process.connection(slot.number, connection)
                connection.send(task)
                while isinstance(answer := connection.recv(), str):
                    if self.live is not None:
                        receive_turn(self.live, answer)
            except (EOFError, OSError):  # the process has ended, or could not be started
                if self._interrupted():
                    raise WaitInterruptedError from None
                time.sleep(_LOSS_PAUSE_S)
                continue
            if isinstance(answer, Exception):
                raise answer
            result: dict[str, Any] = answer
            return result
        what = f"game {task.game_number}" if task.game_number else "the start of an engine"
        raise WorkerError(f"{what}: {_MAX_LOSSES + 1} worker processes ended before it; rerun the command to resume")

    def _watch(self) -> None:
        """Pass on interruptions to the processes, and their warnings from them."""
        while not self._left.wait(_POLL_S):
            self._pass_on_warnings()
            if self._interrupted():
                self._interrupt()

    def _pass_on_warnings(self) -> None:
        for process in self._processes:
            for text in process.take_warnings():
                self._warn(text)

    def _interrupt(self) -> None:
        for process in self._processes:
            process.interrupt()

    def close(self) -> None:
        self._left.set()
        self._watching.join()
        self._pass_on_warnings()
        self._interrupt()
        try:
            super().close()
        finally:
            for process in self._processes:
                process.close()
            for process in self._processes:
                process.join()


class _WorkerProcess:
    """A process with a connection for each game at a time; it is started when it is needed first, and again if lost."""

    def __init__(
        self, slots: int, log: TrafficLog | None, engine_logs: Sequence[TrafficLog], reports: bool,
        cores: frozenset[int], on_loss: Callable[[str], None],
    ) -> None:
        self.slots, self._on_loss = slots, on_loss
        self._arguments = log, tuple(engine_logs), reports, cores
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Connection | None = None
        self._connections: list[Connection] = []
        self._left = False

    def connection(self, number: int, lost: Connection | None) -> Connection:
        """Return the connection of a slot.

        Start the process if it does not run, or if ``lost``, which has failed, is its present connection.

        Raises:
            WaitInterruptedError: the match has been interrupted.
        """
        with self._lock:
            if self._left:
                raise WaitInterruptedError
            if self._process is None or self._connections[number] is lost:
                self._start()
            return self._connections[number]

    def _start(self) -> None:
        if self._process is not None:
            status = self._process.poll()
            self._process.kill()
            self._process.wait()
            how = "without a connection" if status is None else f"by signal {-status}" if status < 0 else (
                f"with status {status_text(status)}")
            self._on_loss(f"a worker process ended {how}; its games are played again")
        ours, theirs = zip(*(Pipe() for _ in range(1 + self.slots)), strict=True)
        descriptors = [each.fileno() for each in theirs]
        folder = Path(__file__).absolute().parent.parent.parent
        try:
            self._process = start_connected(
                [sys.executable, "-P", "-c", _PROGRAM, str(folder), *map(str, descriptors)], descriptors)
        finally:
            for each in theirs:
                each.close()
        self._control, *self._connections = ours
        self._control.send(self._arguments)

    def take_warnings(self) -> list[str]:
        """Return the warnings that have come from the process."""
        warnings = []
        with self._lock, suppress(EOFError, OSError):
            while self._control is not None and self._control.poll():
                warnings.append(self._control.recv())
        return warnings

    def interrupt(self) -> None:
        """End the running games as interrupted, and start no process any more."""
        with self._lock:
            self._left = True
            if self._control is not None:
                self._control.close()
                self._control = None

    def close(self) -> None:
        self.interrupt()
        for each in self._connections:
            each.close()

    def join(self) -> None:
        if self._process is not None:
            self._process.wait()


class _Slot:
    """One game at a time in a process."""

    def __init__(self, process: _WorkerProcess, number: int) -> None:
        self.process, self.number = process, number
        self.players: frozenset[EngineSettings] = frozenset()
        """Those of its last game, whose engines may still run."""


# ---------------------------------------------------------------- in a worker process


def serve(descriptors: Sequence[str]) -> None:
    """Play the tasks that come over connections; when the first is closed, end the games, and then with the others.

    All are also closed when the main process ends, however it ends.
    """
    control, *connections = (Connection(int(descriptor)) for descriptor in descriptors)
    for number in INTERRUPTS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave_to_the_main_process)
    unblock_signals(INTERRUPTS)
    try:
        log, engine_logs, reports, cores = control.recv()
    except EOFError:
        return
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    if cores:
        pin_to(cores)  # inherited by all threads and engines
    warning = threading.Lock()

    def warn(text: str) -> None:
        with warning, suppress(OSError):
            control.send(text)

    for each in filter(None, (log, *engine_logs)):
        each.reopen(warn)
    leaving = threading.Event()
    worker = GameWorker(leaving.is_set, 2 * len(connections), log, engine_logs)
    threads = [
        threading.Thread(target=_play_tasks, args=(worker, connection, reports), name="game")
        for connection in connections
    ]
    for thread in threads:
        thread.start()
    with suppress(EOFError, OSError):
        control.recv()
    leaving.set()
    for thread in threads:
        thread.join()
    worker.close()


def _leave_to_the_main_process(number: int, frame: FrameType | None) -> None:
    """Do nothing: Ctrl+C interrupts the main process, too, and that ends the games.

    Engines do not inherit this, as they would inherit that a signal is ignored.
    """


def _play_tasks(worker: GameWorker, connection: Connection, reports: bool) -> None:
    """Play the tasks of one connection. If a result cannot be sent, the connection is closed."""
    with connection, suppress(EOFError, OSError):  # the main process has closed it, or has ended
        while True:
            task: GameTask = connection.recv()
            answer: dict[str, Any] | Exception
            try:
                answer = play_as_data(worker.play, task, connection.send if reports else None, _REPORT_INTERVAL_S)
            except Exception as error:
                answer = error
            connection.send(answer)
