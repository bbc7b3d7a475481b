"""The signals with which a user, a supervisor or the system ends a program."""

import signal
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

WAKE_S = 0.05 if sys.platform == "win32" else None
"""How long the main thread may wait at a time: on Windows it receives signals only between waits. None: for ever."""


def result_of(future: Future[Result]) -> Result:
    """Wait for the result of a future, and receive signals meanwhile; raise its error."""
    while not wait([future], WAKE_S).done:
        pass
    return future.result()



if sys.platform == "win32":
    INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGBREAK)
    """The last is Ctrl+Break, and that the console window is closed."""

    # Windows does not block signals; what must not get them has a console of its own.

    def block_signals(numbers: Iterable[signal.Signals]) -> None:
        pass

    def unblock_signals(numbers: Iterable[signal.Signals]) -> None:
        pass

    @contextmanager
    def signals_blocked(numbers: Iterable[signal.Signals]) -> Iterator[None]:
        yield

else:
    INTERRUPTS = (signal.SIGINT, signal.SIGTERM)

    def block_signals(numbers: Iterable[signal.Signals]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def unblock_signals(numbers: Iterable[signal.Signals]) -> None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)

    @contextmanager
    def signals_blocked(numbers: Iterable[signal.Signals]) -> Iterator[None]:
        """Block signals for this thread, and what it starts; those that come meanwhile are received afterwards."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
