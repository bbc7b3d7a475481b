"""Where games are played: by threads of this process, or on a cluster."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module

from latrones_uci.match.engines.traffic_log import TrafficLog
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.tournament.worker import GameWorker, play_alone

Workplace = tuple[Executor, Callable[[str], str]]


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
        yield client.get_executor(pure=False, retries=10), play_alone
