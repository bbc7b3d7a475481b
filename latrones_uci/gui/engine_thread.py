"""An engine in a thread of its own, which restarts it when it dies."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.errors import EngineError, EngineStartError, WaitInterruptedError
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Position
from latrones_uci.gui.config import GuiConfig

_MOST_ATTEMPTS = 3
_IDLE_LOOK_S = 0.5
_END_WAIT_S = 5.0


@dataclass(frozen=True)
class Job:
    """A search.

    Attributes:
        start: where the game begins; another value is another game, which the engine is told.
        position: the ``position`` line.
        limit: returns what bounds the search, right before it begins.
        limit_ns: after so many nanoseconds the engine is told to stop.
        on_answer: gets the answer, in the worker's thread; not called for a job that was dropped.
        on_failure: called instead when the engine does not start, or died at every attempt.
        lines: how many variations to report, if the engine can.
        on_line: gets each other line of the engine meanwhile.
    """

    start: Position
    position: str
    limit: Callable[[], Limit]
    limit_ns: int
    on_answer: Callable[[SearchAnswer], None]
    on_failure: Callable[[], None]
    lines: int = 1
    on_line: Callable[[str], None] | None = None


class EngineThread:
    """Does one search at a time. A new one, like ``drop``, cuts the one before short, whose answer nobody gets.

    An engine that ends, whether it searches or not, is reported and started again.

    Attributes:
        number: which of the config's engines it is.
    """

    def __init__(self, config: GuiConfig, number: int, tell: Callable[[str], None]) -> None:
        """Begins with a thread but without an engine, which is started for the first job.

        Args:
            config: starts the engine, and tells it of new games.
            number: which of the config's.
            tell: gets one line for people when something went wrong, in the worker's thread.
        """
        self.number = number
        self._config, self._tell = config, tell
        self._changed = threading.Condition()
        self._job: Job | None = None
        self._turn = 0  # grows with every job and drop; a search knows by it that it is no longer wanted
        self._finish = self._closed = False
        self._engine = config.engine(number, lambda: self._closed)
        self._game: Position | None = None  # the start of the one that the engine was last told of
        self._may_restart = True  # once between two jobs, lest one that ends at once be started for ever
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    @property
    def process_id(self) -> int | None:
        """The id of the engine's process, None while there is none."""
        return self._engine.process_id

    def ask(self, job: Job) -> None:
        """Begins a search, in place of the one that goes on."""
        with self._changed:
            self._job, self._finish = job, False
            self._turn += 1
            self._changed.notify_all()

    def finish(self) -> None:
        """Lets the search that goes on answer at once."""
        with self._changed:
            self._finish = True

    def drop(self) -> None:
        """Ends the search that goes on, if any; nobody gets its answer."""
        with self._changed:
            self._job = None
            self._turn += 1

    def close(self, wait: bool = False) -> None:
        """Ends the engine, and the thread; ``wait`` until that has happened."""
        with self._changed:
            self._closed = True
            self._turn += 1
            self._changed.notify_all()
        if wait:
            self._thread.join(_END_WAIT_S)

    # ---------------------------------------------------------------- in the thread

    def _run(self) -> None:
        try:
            while (taken := self._take()) is not None:
                self._do(*taken)
        except WaitInterruptedError:
            pass  # closed in the midst of a search
        finally:
            self._engine.close()

    def _take(self) -> tuple[Job, int] | None:
        """The next job with its turn; None once closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._job is not None, _IDLE_LOOK_S)
                if self._closed:
                    return None
                job, self._job = self._job, None
                if job is not None:
                    return job, self._turn
            if self._engine.process_id is not None and not self._engine.running:
                self._engine.kill()
                again = "; it is started again" if self._may_restart else ""
                self._tell(f"{self._engine.name} has ended{again}")
                if self._may_restart and self._game is not None:
                    self._restart(self._game)
                self._may_restart = False

    def _restart(self, start: Position) -> None:
        try:
            self._engine.new_game(start)
        except EngineError as error:
            self._tell(str(error))

    def _do(self, job: Job, turn: int) -> None:
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            try:
                answer = self._search(job, turn)
            except EngineError as error:
                name = self._engine.name if self._engine.process_id is not None else ""
                self._engine.kill()
                hopeless = attempt == _MOST_ATTEMPTS or isinstance(error, EngineStartError)
                self._tell(f"{name}{': ' if name else ''}{error}{'' if hopeless else '; it is started again'}")
                if hopeless:
                    break
            else:
                if turn == self._turn:
                    job.on_answer(answer)
                return
            if turn != self._turn:
                return
        job.on_failure()

    def _search(self, job: Job, turn: int) -> SearchAnswer:
        if self._game is not job.start or not self._engine.running:
            self._engine.new_game(job.start)
            self._game = job.start
        self._engine.set_lines(job.lines)
        self._may_restart = True
        return self._engine.search(
            job.position, job.limit, limit_ns=job.limit_ns, on_line=job.on_line,
            stopped=lambda: self._finish or turn != self._turn)
