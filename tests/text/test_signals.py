"""Waits of the main thread that signals end."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future

import pytest

from latrones_uci.text.signals import result_of


def test_a_result_and_an_error_are_waited_for() -> None:
    future: Future[int] = Future()
    threading.Timer(0.1, future.set_result, [3]).start()
    assert result_of(future) == 3
    failed: Future[int] = Future()
    failed.set_exception(LookupError("lost"))
    with pytest.raises(LookupError, match="lost"):
        result_of(failed)


def test_a_signal_ends_the_wait() -> None:
    """On Windows only because the wait is divided."""
    send = getattr(signal, "pthread_kill", lambda thread, number: signal.raise_signal(number))
    timer = threading.Timer(0.1, send, [threading.main_thread().ident, signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        result_of(Future[int]())
    timer.join()
