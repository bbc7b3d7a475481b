"""The search thread of the engine."""

import queue
import threading
from collections.abc import Callable

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import EngineEvent, Refusal
from latrones_uci.engine.limits import Limits, TimeManager


class SearchThread:
    """Runs one job at a time and reports its last event.

    The thread counts as idle just before it reports that event, so that the controller can send the next command as
    soon as it reads the event.
    """

    def __init__(self, emit: Callable[[EngineEvent], None]) -> None:
        self._emit = emit
        # One thread for all jobs: to start one takes as long as a search of a few hundred nodes.
        self._thread: threading.Thread | None = None
        self._jobs: queue.SimpleQueue[tuple[Callable[[], EngineEvent], EngineEvent | None] | None] = queue.SimpleQueue()
        self._idle = threading.Event()
        self._idle.set()
        self._timer: TimeManager | None = None
        self._busy = False

    @property
    def busy(self) -> bool:
        """Whether a job is running that was not stopped and has not reported its last event."""
        return self._busy and self._timer is not None and not self._timer.stopped

    def start(self, timer: TimeManager, job: Callable[[], EngineEvent], fallback: EngineEvent | None = None) -> None:
        """Start ``job`` and emit its return value when it ends.

        Args:
            timer: stops the job.
            job: called in the thread.
            fallback: emitted after a ``Refusal``, instead of the return value, if the job raises.
        """
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="search", daemon=True)
            self._thread.start()
        self._timer, self._busy = timer, True
        self._idle.clear()
        self._jobs.put((job, fallback))

    def _run(self) -> None:
        while job := self._jobs.get():
            try:
                self._run_job(*job)
            finally:
                self._idle.set()

    def _run_job(self, job: Callable[[], EngineEvent], fallback: EngineEvent | None) -> None:
        last = fallback
        try:
            last = job()
        except Exception as error:  # the controller waits for an answer even after a failure
            self._emit(Refusal.of_failure("the search failed", error))
        self._busy = False
        if last is not None:
            self._emit(last)

    def settle(self) -> None:
        """Wait for a stopped job to end; return at once if no job is running.

        Raises:
            BusyError: a job is running that was not stopped.
        """
        if self.busy:
            raise BusyError("a search is running; send 'stop' first")
        self.wait()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Tell the search that the expected move was played; see ``TimeManager.ponderhit``.

        Raises:
            BusyError: no search is pondering.
        """
        if not self._busy or self._timer is None or not self._timer.pondering:
            raise BusyError("ponderhit: not pondering")
        self._timer.ponderhit(limits)

    def close(self, patience_s: float | None = None) -> None:
        """Stop the job and wait for its end, at most ``patience_s`` seconds if given; then end the thread."""
        self.stop()
        if self._thread is not None:
            self._jobs.put(None)
            self._thread = None  # a later job gets a new one
        self._idle.wait(patience_s)

    def wait(self) -> None:
        self._idle.wait()
