"""The search thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import Event, Note, Refusal
from latrones_uci.engine.limits import Limits, TimeManager
from latrones_uci.engine.search_thread import SearchThread
from latrones_uci.protocol import BestMove

DONE = Note("done")


def timer(**limits: bool) -> TimeManager:
    return TimeManager(Limits(**limits), 0, 0, 0, 1)  # type: ignore[arg-type]


def until_stopped(stopwatch: TimeManager) -> Callable[[], Event]:
    def job() -> Event:
        while not stopwatch.should_stop():
            time.sleep(0.001)
        return DONE

    return job


def test_last_event_is_emitted_once() -> None:
    events: list[Event] = []
    thread = SearchThread(events.append)
    thread.start(timer(), lambda: DONE, fallback=BestMove())
    thread.wait()
    assert events == [DONE]


def test_thread_is_idle_before_the_last_event() -> None:
    busy: list[bool] = []
    thread = SearchThread(lambda event: busy.append(thread.busy))
    thread.start(timer(), lambda: DONE)
    thread.wait()
    assert busy == [False]


@pytest.mark.parametrize("fallback", [None, BestMove("a1a2")])
def test_error_is_reported_before_the_fallback(fallback: Event | None) -> None:
    def fail() -> Event:
        raise MemoryError("so much")

    events: list[Event] = []
    thread = SearchThread(events.append)
    thread.start(timer(), fail, fallback)
    thread.wait()
    assert events == [Refusal("memory", "the search failed: so much"), *([fallback] if fallback else [])]
    thread.settle()


def test_settle_raises_while_busy_and_waits_after_stop() -> None:
    events: list[Event] = []
    thread = SearchThread(events.append)
    thread.settle()
    stopwatch = timer()
    thread.start(stopwatch, until_stopped(stopwatch))
    assert thread.busy
    with pytest.raises(BusyError, match="send 'stop' first"):
        thread.settle()
    thread.stop()
    assert not thread.busy
    thread.settle()
    assert events == [DONE]


def test_stop_and_close_when_idle() -> None:
    thread = SearchThread(lambda event: None)
    thread.stop()
    thread.close()
    thread.wait()


def test_ponderhit_only_while_pondering() -> None:
    thread = SearchThread(lambda event: None)
    with pytest.raises(BusyError, match="ponderhit"):
        thread.ponderhit()
    stopwatch = timer(ponder=True)
    release = threading.Event()
    thread.start(stopwatch, lambda: Note(str(release.wait(20))))
    thread.ponderhit()
    with pytest.raises(BusyError, match="ponderhit"):
        thread.ponderhit()
    release.set()
    thread.wait()


def test_jobs_run_one_after_another() -> None:
    events: list[Event] = []
    thread = SearchThread(events.append)
    for _ in range(50):
        thread.settle()
        stopwatch = timer()
        thread.start(stopwatch, until_stopped(stopwatch))
        thread.stop()
    thread.close()
    assert events == [DONE] * 50
