"""The one thread in which the engine searches."""

import threading
from collections.abc import Callable

from latrones_uci.engine.errors import BusyError
from latrones_uci.engine.events import Event, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.timing import TimeManager


class Worker:
    """Runs one piece of work at a time and tells its last event.

    The worker counts as idle from just before that event is told, so that whoever reads it may give
    the next command at once.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        """Makes an idle worker; ``emit`` is called from its thread."""
        self._emit = emit
        self._thread: threading.Thread | None = None
        self._timer: TimeManager | None = None
        self._busy = False

    @property
    def busy(self) -> bool:
        """Whether work is going on that was not told to stop, and whose last event has not been told."""
        return self._busy and self._timer is not None and not self._timer.stopped

    def start(self, timer: TimeManager, work: Callable[[], Event], otherwise: Event | None = None) -> None:
        """Begins ``work``, whose value is told at its end.

        Args:
            timer: stops the work.
            work: called in the thread.
            otherwise: told in place of the value, after a ``Refusal``, when the work fails.
        """
        self._timer, self._busy = timer, True
        self._thread = threading.Thread(target=self._run, args=(work, otherwise), name="search", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], Event], otherwise: Event | None) -> None:
        last = otherwise
        try:
            last = work()
        except Exception as error:  # any fault at all: the controller waits for an answer
            self._emit(Refusal("internal", f"the search failed: {type(error).__name__}: {error}"))
        self._busy = False
        if last is not None:
            self._emit(last)

    def settle(self) -> None:
        """Returns when nothing runs; work that was told to stop is waited for.

        Raises:
            BusyError: work is going on that was not told to stop.
        """
        if self.busy:
            raise BusyError("a search is running; send 'stop' first")
        self.wait()

    def stop(self) -> None:
        """Tells the work to end."""
        if self._timer is not None:
            self._timer.stop()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Tells the search that the move pondered on was played, and the limits by time that hold from now on.

        Raises:
            BusyError: no search is pondering.
        """
        if not self._busy or self._timer is None or not self._timer.pondering:
            raise BusyError("'ponderhit' without a search that ponders")
        self._timer.ponderhit(limits)

    def close(self) -> None:
        """Tells the work to end and waits for it."""
        self.stop()
        self.wait()

    def wait(self) -> None:
        """Waits for the end of the work."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
