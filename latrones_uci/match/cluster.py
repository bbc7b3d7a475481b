"""Games on a Dask cluster. Its scheduler must be trusted, because Dask uses pickle."""

import logging
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from latrones_uci.client.errors import OperationError, SettingsError
from latrones_uci.match.events import LiveGames
from latrones_uci.match.remote import play_as_data, read_remote, receive_turn
from latrones_uci.match.worker import Place, play_alone
from latrones_uci.records.record import GameTask
from latrones_uci.text.messages import quoted, reason

_RETRIES = 10  # an engine may fail to start
_MAX_LOSSES = 5
"""How often a task is submitted again after Dask has given it up, by default after the loss of four workers."""
_REPORT_INTERVAL_S = 0.5
_LOST = "connection to the Dask scheduler lost; rerun the command to resume"


class ClusterError(OperationError):
    """The cluster cannot do a task."""


class ClusterPlace(Place):
    """Plays games on the workers of a Dask cluster; see ``cluster_executor``.

    Engines are started for each game; their commands must work on the workers. The states of games come at most twice
    a second, through the scheduler. When Dask gives up a game with its lost workers, it is played again.
    """

    def __init__(self, scheduler: str, live: LiveGames | None = None) -> None:
        """Connect to a scheduler by its address, such as ``tcp://host:8786``.

        Raises:
            SettingsError: see ``cluster_executor``.
        """
        with ExitStack() as stack:
            client, topic = stack.enter_context(_connected(scheduler)), ""
            if live is not None:
                topic = f"latrones-match-{secrets.token_hex(8)}"
                client.subscribe_topic(topic, lambda event: receive_turn(live, event[1]))
            executor = _ClusterExecutor(client, read_remote, lambda text: self.losses.put(text))
            super().__init__(executor, partial(play_remotely, topic=topic), live)
            self._closing = stack.pop_all()

    def close(self) -> None:
        self._closing.close()


@contextmanager
def cluster_executor(scheduler: str) -> Iterator[Executor]:
    """Do tasks on the workers of a Dask cluster. If a worker fails, another one does its task again.

    Raises:
        SettingsError: the package ``distributed`` (extra ``cluster``) is missing, or the scheduler does not answer.
    """
    with _connected(scheduler) as client:
        yield _ClusterExecutor(client, lambda result, task: result)


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
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
        yield client


class _ClusterExecutor(Executor):
    """Submits tasks to a Dask client, with our errors: no task that Dask gives up is left out in silence."""

    def __init__(
        self, client: Any, read: Callable[[Any, Any], Any], on_loss: Callable[[str], None] = lambda text: None
    ) -> None:
        """Use a client; ``read`` converts the result of a task, its first argument."""
        self._client, self._read, self._on_loss = client, read, on_loss

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._submit(future, partial(function, **named), arguments[0], _MAX_LOSSES)
        return future

    def _submit(self, future: Future[Any], function: Callable[[Any], Any], task: Any, losses: int) -> None:
        # pure=False: the same task submitted twice is done twice.
        done = self._client.submit(function, task, pure=False, retries=_RETRIES)
        done.add_done_callback(lambda done: self._pass_on(done, future, function, task, losses))

    def _pass_on(
        self, done: Any, future: Future[Any], function: Callable[[Any], Any], task: Any, losses: int
    ) -> None:
        """Pass on the result of a task, in the thread in which Dask calls back."""
        result: Any
        try:
            result = self._read(done.result(), task)
        except BaseException as error:  # Dask cancels with an exception that is no Exception
            result = error
            kind = type(error).__name__  # a class of Dask, which is not always installed
            if kind == "KilledWorker" and losses and not future.cancelled():
                self._on_loss("Dask lost the workers that had a game; the game is played again")
                self._submit(future, function, task, losses - 1)
                return
            if kind == "KilledWorker":
                result = ClusterError(f"every worker that had a task was lost; {error}")
            elif kind == "CommClosedError" or kind.endswith("CancelledError"):
                result = ClusterError(_LOST)
        if not future.set_running_or_notify_cancel():
            return
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)


def play_remotely(task: GameTask, topic: str = "") -> dict[str, Any]:
    """Play a task with ``play_alone`` on a worker, and return the result as plain data for ``read_remote``.

    The states of the game are sent to ``topic`` of the scheduler, if there is one.
    """
    send = partial(import_module("distributed").get_worker().log_event, topic) if topic else None
    return play_as_data(play_alone, task, send, _REPORT_INTERVAL_S)
