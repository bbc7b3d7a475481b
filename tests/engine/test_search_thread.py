"""The search thread."""

from __future__ import annotations

import threading
import time

import pytest

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import Event, Note, Refusal
from latrones_uci.engine.limits import Limits, TimeManager
from latrones_uci.engine.search_thread import SearchThread
from latrones_uci.protocol import BestMove

DONE = Note("done")


def timer(**limits: bool) -> TimeManager:
    return TimeManager(Limits(**limits), 0, 0, 0, 1)  # type: ignore[arg-type]


def start(thread: SearchThread) -> None:
    """Start a job that ends when it is stopped."""
    stopwatch = timer()

    def job() -> Event:
        while not stopwatch.should_stop():
            time.sleep(0.001)
        return DONE

    thread.start(stopwatch, job)


def test_thread_is_idle_before_the_last_event_which_is_emitted_once() -> None:
    seen: list[tuple[Event, bool]] = []
    thread = SearchThread(lambda event: seen.append((event, thread.busy)))
    thread.start(timer(), lambda: DONE, fallback=BestMove())
    thread.wait()
    assert seen == [(DONE, False)]
    thread.stop()
    thread.close()
    thread.wait()


@pytest.mark.parametrize("fallback", [None, BestMove("a1a2")])
def test_error_is_reported_before_the_fallback(fallback: Event | None) -> None:
    def fail() -> Event:
        raise MemoryError("so much")

    events: list[Event] = []
    thread = SearchThread(events.append)
    thread.start(timer(), fail, fallback)
    thread.wait()
    assert events == [Refusal("memory", "the search failed: so much"), *([fallback] if fallback else [])]


def test_jobs_run_one_after_another() -> None:
    events: list[Event] = []
    thread = SearchThread(events.append)
    for _ in range(50):
        thread.settle()
        start(thread)
        assert thread.busy
        with pytest.raises(BusyError, match="send 'stop' first"):
            thread.settle()
        thread.stop()
        assert not thread.busy
    thread.close()
    assert events == [DONE] * 50


def test_ponderhit_only_while_pondering() -> None:
    thread = SearchThread(lambda event: None)
    release = threading.Event()
    with pytest.raises(BusyError, match="ponderhit"):
        thread.ponderhit()
    thread.start(timer(ponder=True), lambda: Note(str(release.wait(20))))
    thread.ponderhit()
    with pytest.raises(BusyError, match="ponderhit"):
        thread.ponderhit()
    release.set()
    thread.wait()
