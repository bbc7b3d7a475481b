"""Run the process of an engine: start it, set up its variant and options, restart and close it."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from latrones_uci.client.analysis import Analysis, Pondering
from latrones_uci.client.arguments import checked_options
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import EngineBusyError, EngineError, EngineOptionError
from latrones_uci.client.output import OptionDeclaration, option_text
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import file_for, setup_options
from latrones_uci.game import Game, Position
from latrones_uci.text.messages import quoted, wrong_type

_STOP_AGAIN_S = 0.02
"""How often ``stop`` is repeated for a search in another thread, which might only be beginning."""


class EngineHost:
    """The process of an engine and what it is set up for; ``Engine`` adds the searches."""

    def __init__(
        self,
        settings: EngineSettings,
        *,
        variant_path: str | None = None,
        timeouts: Timeouts | None = None,
        interrupted: Callable[[], bool] = lambda: False,
        environment: Mapping[str, str] | None = None,
        log: TrafficLog | None = None,
    ) -> None:
        """Describe an engine without starting it.

        Args:
            settings: the engine.
            variant_path: a file with more variants, loaded by engines that have the option ``VariantPath``.
            timeouts: how long to wait for answers; None for the defaults.
            interrupted: polled during every wait; once it returns True, the wait ends with ``WaitInterruptedError``.
            environment: environment of the process, None for that of this program.
            log: log for the traffic, None for no log.
        """
        if not isinstance(settings, EngineSettings):
            raise wrong_type("engine", settings, "EngineSettings; Engine.popen starts a command")
        self.settings = settings
        """The command, options and other settings."""
        self.name = settings.name or settings.command[0]
        """The name in the settings, else the name that the engine reports, else its program."""
        self._variant_path = variant_path
        self._timeouts = timeouts or Timeouts()
        self._interrupted = interrupted
        self._environment = environment
        self._log = log
        self._controller: EngineController | None = None
        self._owner = os.getpid()  # the process that started the controller
        self._setup: dict[str, str] = {}
        self._start: Position | None = None
        self._game_start: Position | None = None
        self._lines = 1
        self._analysis: Analysis | None = None
        self._pondering: Pondering | None = None
        self._abandoned = False
        self._calls = threading.RLock()  # held during each call that needs the engine for itself
        self._searching = threading.Lock()
        self._stop = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """Return the name and the state."""
        return f"<{type(self).__name__} {self.name!r} {'running' if self.running else 'not running'}>"

    # ---------------------------------------------------------------- lifecycle

    @property
    def running(self) -> bool:
        """Whether the process runs and accepts another command."""
        return self._controller is not None and self._controller.usable

    @property
    def process_id(self) -> int | None:
        """The id of the process, None before it is started."""
        return None if self._controller is None else self._controller.process_id

    @property
    def controller(self) -> EngineController:
        """The protocol connection to the running process.

        Raises:
            EngineError: the engine has not been started.
        """
        if self._controller is None:
            raise EngineError(f"engine {quoted(self.name)} is not running")
        return self._controller

    def start(self, start: Position) -> None:
        """Start the process for games from a position, or set up the running process for its variant and board.

        Raises:
            EngineStartError: the engine cannot be started, or does not play this variant on this board.
            SettingsError: the ruleset has the name of a built-in variant, but differs from it.
            WaitInterruptedError: see ``interrupted``.
        """
        with self._alone():
            path = None if self.settings.loads_variants else file_for(start.ruleset, self._variant_path)
            needs_file = path != self._variant_path and not self.settings.loads_variants
            setup = setup_options(start, path, self.settings.variant_names)
            if self.running and setup != self._setup:
                try:
                    self.controller.change_options(setup, needs_file=needs_file)
                except EngineError:  # some engines accept these options only right after the handshake
                    pass
                else:
                    self._setup = setup
                    self._lines = _lines_of(self.settings.options) or self._lines  # all options have been set again
            if not self.running or setup != self._setup:
                self.close()
                self._setup, self._game_start = setup, None
                self._lines = _lines_of(self.settings.options) or 1
                self._owner = os.getpid()
                self._controller = EngineController(
                    self.settings, setup, self._timeouts, self._wait_ends, self._environment, self._log,
                    needs_file=needs_file,
                )
                self.name = self._controller.name
            self._start = start

    def new_game(self, start: Position | Game | None = None) -> None:
        """Announce a new game; with the setting ``restart``, start a new process for it.

        Args:
            start: the start of the game, None for the same start as before.

        Raises:
            EngineError: the engine fails, or ``start`` is None and the engine was never started.
            WaitInterruptedError: see ``interrupted``.
        """
        if start is not None and not isinstance(start, Game | Position):
            raise wrong_type("start", start, "a Game or a Position")
        position = start.start if isinstance(start, Game) else start or self._game_start or self._start
        if position is None:
            raise EngineError(f"engine {quoted(self.name)}: the first new game needs a start position")
        with self._alone(), self._adding_last_lines():
            if self.settings.restart and self._game_start is not None:
                self.close()
            self.start(position)
            self.controller.new_game()
            self._game_start = position

    def restart(self) -> None:
        """Kill the process and start it again for the current game.

        Raises:
            EngineError: the engine does not start, or was never started.
        """
        position = self._game_start
        self.kill()
        self.new_game(position)

    def close(self) -> None:
        """Send ``quit`` and kill the process if it does not end. The next search starts it again.

        A search in another thread is stopped first; its call returns what it has found. In a fork of the process that
        started the engine, this only lets go of it.
        """
        if self._is_forked:
            self._let_go()
        while not self._calls.acquire(timeout=_STOP_AGAIN_S):
            self.stop()
        try:
            self._finish_analysis()
            self._take_pondering()
            if self._controller is not None:
                if self._controller.usable:
                    self._controller.quit()
                else:
                    self._controller.kill()
                self._controller = None
        finally:
            self._calls.release()

    def kill(self) -> None:
        """Kill the process at once; a call in another thread fails. The next search starts it again."""
        if self._is_forked:
            self._let_go()
        self._abandoned = True  # ends every wait
        try:
            with self._calls:
                self._finish_analysis()
                self._take_pondering()
                if self._controller is not None:
                    self._controller.kill()
                    self._controller = None
        finally:
            self._abandoned = False

    def stop(self) -> None:
        """Stop the search of a call that is running in another thread, or whose callback this is.

        That call returns what the engine has found. Without a running search, this does nothing.
        """
        self._stop.set()

    # ---------------------------------------------------------------- options

    def ping(self) -> float:
        """Return the seconds that the engine takes to answer ``isready``.

        Raises:
            EngineError: the engine does not answer, or is not running.
        """
        with self._alone(), self._adding_last_lines():
            return self.controller.ping()

    def configure(self, options: Mapping[str, str | int | bool]) -> None:
        """Set options; they are kept after a restart.

        Raises:
            EngineOptionError: the engine lacks an option or rejects a value; or an option is one that ``Engine`` itself
                sets. The process keeps the options that it accepted before.
            EngineError: the engine fails.
            TypeError: a name or a value has the wrong type.
        """
        values = checked_options(options)
        with self._alone():
            if self.running:
                with self._adding_last_lines():
                    self.controller.configure(values)
            changed = {name.lower() for name in values}
            kept = tuple((name, value) for name, value in self.settings.options if name.lower() not in changed)
            self._set_settings(options=(*kept, *values.items()))

    @contextmanager
    def _overriding(self, options: Mapping[str, str]) -> Iterator[None]:
        """Set options of the running process for the time of a block; afterwards they have their former values.

        Raises:
            EngineOptionError: the engine lacks an option, rejects a value, or declares no value to go back to.
            EngineError: the engine fails.
        """
        if not options:
            yield
            return
        with self._adding_last_lines():
            self.controller.check_options(options)
            before = self._values_of(options)
            try:
                self.controller.configure(options)
                yield
            finally:
                if self.running:
                    self._put_back(before)

    def _values_of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the values of options of the running process."""
        given = {name.lower(): value for name, value in self.settings.options}
        declared = {option.name.lower(): option.default for option in self.controller.options}
        values: dict[str, str] = {}
        for name in names:
            default = declared[name.lower()]
            if name.lower() in given:
                values[name] = given[name.lower()]
            elif default is not None:
                values[name] = option_text(default)
            else:
                raise EngineOptionError(f"engine {quoted(self.name)}: option {quoted(name)}: has no default to go back"
                                        " to; expected another option for one search")
        return values

    def _put_back(self, values: Mapping[str, str]) -> None:
        try:
            self.controller.configure(values)
        except EngineError:
            self.controller.kill()  # the next search starts it again, with its own options
            raise

    def _set_settings(self, **changes: Any) -> None:
        self.settings = replace(self.settings, **changes)
        if self._controller is not None:
            self._controller.settings = self.settings

    @property
    def options(self) -> Mapping[str, OptionDeclaration]:
        """The options that the engine has declared, by name.

        Raises:
            EngineError: the engine is not running.
        """
        return {option.name: option for option in self.controller.options}

    def set_lines(self, lines: int) -> None:
        """Set the option ``MultiPV``, if the engine has it and the value changes.

        Raises:
            EngineError: the engine fails, or is not running.
        """
        if lines != self._lines:
            with self._adding_last_lines():
                self.controller.set_option("MultiPV", str(lines))
            self._lines = lines

    def take_violations(self) -> tuple[str, ...]:
        """Return what the engine did against the protocol since the last call, although its answers could be used.

        Each line is ``RULE: [PROBLEM: ]'EXAMPLE'[ (N times)]``; the table in protocol.md lists the rules. Those that
        are tolerated otherwise are reported if the settings are ``strict``.

        Raises:
            EngineError: the engine is not running.
        """
        return self.controller.take_violations()

    # ---------------------------------------------------------------- one call at a time

    @property
    def _is_forked(self) -> bool:
        return self._controller is not None and self._owner != os.getpid()

    def _let_go(self) -> None:
        """Forget the process of the parent, and what its threads did when it was forked."""
        self._calls, self._searching = threading.RLock(), threading.Lock()
        self._analysis = self._pondering = None
        controller, self._controller = self._controller, None
        if controller is not None:
            controller.kill()

    def _finish_analysis(self) -> None:
        """Stop the search in the background, if there is one."""
        if self._analysis is not None:
            self._analysis.finish()
            self._analysis = None

    @contextmanager
    def _alone(self, *, keep_pondering: bool = False) -> Iterator[None]:
        """Keep other threads out, after the search in the background has been stopped; calls may be nested.

        Raises:
            EngineBusyError: another thread makes a call, or this is a callback of a search.
            EngineError: this is a fork of the process that started the engine.
        """
        if self._is_forked:
            raise EngineError(f"engine {quoted(self.name)}: started by process {self._owner}, of which this one is a"
                              " fork; expected an engine that this process started")
        if not self._calls.acquire(blocking=False):
            raise self._busy("another thread uses it")
        try:
            self._finish_analysis()
            if self._searching.locked():
                raise self._busy("it is searching")
            if not keep_pondering:
                self._stop_pondering()
            yield
        finally:
            self._calls.release()

    def _busy(self, why: str) -> EngineBusyError:
        return EngineBusyError(f"engine {quoted(self.name)}: {why}; expected one call at a time")

    def _wait_ends(self) -> bool:
        return self._abandoned or self._interrupted()

    def _stop_pondering(self) -> None:
        if self._take_pondering() and self.running:
            with self._adding_last_lines():
                self.controller.stop_pondering()

    def _take_pondering(self) -> bool:
        """Forget the search on the opponent's time, and return whether there is one; the engine continues it."""
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            pondering.end()
        return pondering is not None

    @contextmanager
    def _adding_last_lines(self) -> Iterator[None]:
        """Add the engine's last lines to an error."""
        try:
            yield
        except EngineError as error:
            if self._controller is not None and not error.last_lines:
                error.quote(self._controller.last_lines)
            raise


def _lines_of(options: Iterable[tuple[str, str]]) -> int | None:
    """Return the value of the option ``MultiPV``, None if it is not among these."""
    values = [value for name, value in options if name.lower() == "multipv" and value.isdecimal()]
    return int(values[-1]) if values else None
