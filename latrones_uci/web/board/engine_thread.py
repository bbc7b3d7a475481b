"""An engine in a separate thread, which restarts the engine when it exits."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import (
    EngineError,
    EngineOptionError,
    EngineStallError,
    EngineStartError,
    WaitInterruptedError,
)
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Position
from latrones_uci.web.board.config import GuiConfig

_MAX_ATTEMPTS = 3
_IDLE_POLL_S = 0.5
_CLOSE_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Job:
    start: Position
    """The start position of the game; a different object means a new game for the engine."""
    position: str
    limit: Callable[[], Limit]
    """Returns the limits of the search; called right before it starts."""
    limit_ns: int
    """The time in nanoseconds after which the engine receives ``stop``."""
    on_answer: Callable[[SearchAnswer], None]
    """Called with the answer, in the engine's thread; not called for a cancelled job."""
    on_failure: Callable[[], None]
    """Called instead if the engine does not start, or exits at every attempt."""
    lines: int = 1
    on_line: Callable[[str], None] | None = None
    """Called with each other line of the engine's output during the search."""


class EngineThread:
    """Runs one search at a time. A new search, like ``cancel``, stops the current one and discards its answer.

    An engine that exits, during a search or not, is reported and restarted.

    Attributes:
        number: the index of the engine in ``GuiConfig.engines``.
        level: the index of the level at which it plays, None for its full strength.
        kernel: what the engine says it searches with, and why; empty if it does not say.
        closed: whether the thread has been told to end.
    """

    def __init__(
        self, config: GuiConfig, number: int, report: Callable[[str], None], level: int | None = None,
        analyses: bool = False,
    ) -> None:
        """Start the thread; the engine is started for the first job, and ``report`` is called with what goes wrong.

        With ``analyses``, the engine is told so: it reports the chances of a win, a draw and a loss, if it can, and may
        work while it is idle.
        """
        self.number, self.level, self.kernel, self._analyses = number, level, "", analyses
        self._config, self._report_problem = config, report
        self._changed = threading.Condition()
        self._job: Job | None = None
        self._turn = 0  # incremented by each job and `cancel`, so that a search notices that it is obsolete
        self._finish = self.closed = False
        self._options = config.catalog.values(number)  # the values that the engine has
        self._engine = config.engine(number, lambda: self.closed)
        self._game: Position | None = None  # the start position of the game that the engine knows
        self._may_restart = True  # only once between two jobs, in case the engine exits immediately every time
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    @property
    def process_id(self) -> int | None:
        return self._engine.process_id

    @property
    def settings(self) -> EngineSettings:
        """The settings of the engine, with all options that it has received."""
        return self._engine.settings

    def start(self, job: Job) -> None:
        """Start a search; it replaces the current one."""
        with self._changed:
            self._job, self._finish = job, False
            self._turn += 1
            self._changed.notify_all()

    def finish(self) -> None:
        """Stop the current search and use its answer."""
        with self._changed:
            self._finish = True

    def cancel(self) -> None:
        """Stop the current search, if any, and discard its answer."""
        with self._changed:
            self._job = None
            self._turn += 1

    def close(self, wait: bool = False) -> None:
        """Stop the engine and the thread; with ``wait``, wait for both to end."""
        with self._changed:
            self.closed = True
            self._turn += 1
            self._changed.notify_all()
        if wait:
            self._thread.join(_CLOSE_TIMEOUT_S)

    # ---------------------------------------------------------------- in the thread

    def _run(self) -> None:
        try:
            while (taken := self._next_job()) is not None:
                self._run_job(*taken)
        except WaitInterruptedError:
            pass  # closed during a search
        finally:
            self._engine.close()

    def _next_job(self) -> tuple[Job, int] | None:
        """Wait for the next job and return it with its turn; return None when closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.closed or self._job is not None, _IDLE_POLL_S)
                if self.closed:
                    return None
                job, self._job = self._job, None
                if job is not None:
                    return job, self._turn
            if self._engine.process_id is not None and not self._engine.running:
                self._engine.kill()
                again = "; restarted" if self._may_restart else ""
                self._report_problem(f"{self._engine.name} has exited{again}")
                if self._may_restart and self._game is not None:
                    try:
                        self._engine.new_game(self._game)
                    except EngineError as error:
                        self._report_problem(str(error))
                self._may_restart = False

    def _set_options(self) -> None:
        """Set the options that the user has changed since the last search."""
        values = self._config.catalog.values(self.number)
        changed = {name: value for name, value in values.items() if self._options.get(name) != value}
        self._options = values
        if changed:
            try:
                self._engine.configure(changed)
            except EngineOptionError as error:
                self._report_problem(str(error))

    def _run_job(self, job: Job, turn: int) -> None:
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            try:
                answer = self._search(job, turn)
            except EngineError as error:
                name = self._engine.name if self._engine.process_id is not None else ""
                self._engine.kill()
                final = attempt == _MAX_ATTEMPTS or isinstance(error, EngineStartError)
                self._report_problem(problem_text(name, error) + ("" if final else "; restarted"))
                if final:
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
            levels = None if self.level is None else self._config.catalog.find(self.number, job.start)
            if levels is not None and self.level is not None:  # otherwise it has no levels
                self._engine.configure(levels.options(self.level))
            if self._analyses:
                self._engine.controller.set_option("UCI_ShowWDL", "true")
                self._engine.controller.set_option("UCI_AnalyseMode", "true")
            self._game = job.start
        self._set_options()
        self.kernel = self._engine.controller.kernel
        self._config.catalog.kernels[self.number, job.start.ruleset.name] = self.kernel
        self._engine.set_lines(job.lines)
        self._may_restart = True
        return self._engine.search(
            job.position, job.limit, limit_ns=job.limit_ns, on_line=job.on_line,
            stopped=lambda: self._finish or turn != self._turn)


def problem_text(name: str, error: EngineError) -> str:
    """Return for people what went wrong with an engine; ``name`` is empty for one that has not started."""
    if isinstance(error, EngineStallError):
        return f"{name} did not answer in time"
    return f"{name}{': ' if name else ''}{error}"
