from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import BestMove, Event, Note, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.timing import TimeManager
from latrones_uci.engine.worker import Worker

DONE = Note("done")


def timer(**limits: bool) -> TimeManager:
    return TimeManager(Limits(**limits), 0, 0, 0, 1)  # type: ignore[arg-type]


def until_stopped(stopwatch: TimeManager) -> Callable[[], Event]:
    def work() -> Event:
        while not stopwatch.should_stop():
            time.sleep(0.001)
        return DONE

    return work


def test_last_event_is_told_once() -> None:
    told: list[Event] = []
    worker = Worker(told.append)
    worker.start(timer(), lambda: DONE, otherwise=BestMove(None))
    worker.wait()
    assert told == [DONE]


def test_it_is_idle_before_the_last_event_is_told() -> None:
    busy: list[bool] = []
    worker = Worker(lambda event: busy.append(worker.busy))
    worker.start(timer(), lambda: DONE)
    worker.wait()
    assert busy == [False]


@pytest.mark.parametrize("otherwise", [None, BestMove("a1a2")])
def test_fault(otherwise: Event | None) -> None:
    def fail() -> Event:
        raise MemoryError("so much")

    told: list[Event] = []
    worker = Worker(told.append)
    worker.start(timer(), fail, otherwise)
    worker.wait()
    assert told == [Refusal("internal", "the search failed: MemoryError: so much"), *([otherwise] if otherwise else [])]
    worker.settle()


def test_settle_refuses_while_work_goes_on_and_waits_once_it_was_told_to_stop() -> None:
    told: list[Event] = []
    worker = Worker(told.append)
    worker.settle()
    stopwatch = timer()
    worker.start(stopwatch, until_stopped(stopwatch))
    assert worker.busy
    with pytest.raises(BusyError, match="send 'stop' first"):
        worker.settle()
    worker.stop()
    assert not worker.busy
    worker.settle()
    assert told == [DONE]


def test_stop_and_close_without_work() -> None:
    worker = Worker(lambda event: None)
    worker.stop()
    worker.close()
    worker.wait()


def test_ponderhit_only_while_pondering() -> None:
    worker = Worker(lambda event: None)
    with pytest.raises(BusyError, match="ponderhit"):
        worker.ponderhit()
    stopwatch = timer(ponder=True)
    release = threading.Event()
    worker.start(stopwatch, lambda: Note(str(release.wait(20))))
    worker.ponderhit()
    with pytest.raises(BusyError, match="ponderhit"):
        worker.ponderhit()
    release.set()
    worker.wait()


def test_one_piece_of_work_after_another() -> None:
    told: list[Event] = []
    worker = Worker(told.append)
    for _ in range(50):
        worker.settle()
        stopwatch = timer()
        worker.start(stopwatch, until_stopped(stopwatch))
        worker.stop()
    worker.close()
    assert told == [DONE] * 50
