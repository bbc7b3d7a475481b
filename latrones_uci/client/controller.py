"""The controller's side of the protocol: send commands to one engine in UCI or UGI and read its answers."""

import os
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple

from latrones_uci.client.connection import Connection
from latrones_uci.client.engine_rules import MAX_INFO, judge_line, judge_search, search_errors
from latrones_uci.client.engine_spec import (
    VARIANT_FILE_OPTION,
    VARIANT_OPTION,
    VARIANT_SET_OPTION,
    EngineSettings,
    Timeouts,
)
from latrones_uci.client.errors import (
    EngineCrashError,
    EngineError,
    EngineOptionError,
    EngineProtocolError,
    EngineStallError,
    EngineStartError,
    EngineVariantError,
)
from latrones_uci.client.output import (
    Claims,
    OptionDeclaration,
    final_info,
    parse_best_move,
    parse_error_line,
    parse_id_author,
    parse_id_name,
    parse_kernel,
    parse_option,
    parse_ratings,
    parse_response,
    update_info,
)
from latrones_uci.client.process import EngineFault, OutputLine
from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.game import Game
from latrones_uci.text.messages import printable, quoted
from latrones_uci.text.protocol import BestMove, Dialect, SearchInfo

_MAX_OPTIONS = 1000
_PIPE_READS = 4  # enough to empty a full pipe
_LATEST_LINES = 1000
_LEAST_NS = 1
"""The time of an answer that was read together with ``readyok``; a record of 0 means that it was not measured."""
_NOTHING_REPORTED = SearchInfo()


class SearchAnswer(NamedTuple):
    """The answer to a ``go``."""

    best: BestMove
    """The engine's choice; it is not checked for legality."""
    elapsed_ns: int
    """Time from reading the ``readyok`` before ``go`` to reading the ``bestmove`` line, without the time in which this
    program was suspended."""
    overdue: bool
    """Whether the answer came after the limit given to ``search``, or without one after the timeout for searches
    without a time limit."""
    lines: tuple[str, ...] = ()
    """The lines before ``bestmove``, at most the last thousand, truncated if they are very long."""

    @property
    def info(self) -> SearchInfo:
        """What the engine last reported about its search; the lines are parsed each time that it is asked for."""
        return final_info(self.lines)


class _SearchLines:
    """The lines of a search until ``bestmove``.

    They are parsed only when the search is over. Reading must keep up with an engine that prints a lot; otherwise an
    answer in time behind a thousand lines would seem late.

    Attributes:
        on_info: called with the search information each time that it changes, None for nothing.
        early: an answer that came before it was asked for, None without one.
    """

    def __init__(
        self, on_info: Callable[[SearchInfo], None] | None, on_line: Callable[[str], None] | None = None
    ) -> None:
        self.lines: deque[str] = deque(maxlen=_LATEST_LINES)
        self.on_info, self._on_line = on_info, on_line
        self._reported = _NOTHING_REPORTED
        self.early: BestMove | None = None

    @property
    def calls_back(self) -> bool:
        return self.on_info is not None or self._on_line is not None

    def read(self, text: str) -> BestMove | None:
        if (best := parse_best_move(text)) is None:
            self.lines.append(text[:MAX_INFO])
            if self._on_line is not None:
                self._on_line(text[:MAX_INFO])
            if self.on_info is not None:
                before, self._reported = self._reported, update_info(self._reported, text)
                if self._reported != before:
                    self.on_info(self._reported)
        return best

    def read_early(self, text: str) -> None:
        best = self.read(text)
        self.early = self.early or best


class EngineController:
    """A running engine.

    An engine that crashes or stalls is killed at once; after a ``WaitInterruptedError`` it can only be killed. If this
    program was suspended (stopped by a signal and continued, for example), that time is not charged to the engine,
    because the time of its answer is unknown. It is recorded as a violation if it was more than half a second, or if
    the answer would have been late with it.

    Every method that exchanges lines raises ``EngineCrashError`` if the process ended, ``EngineStallError`` if the
    engine does not answer or read in time, and ``WaitInterruptedError`` if the wait was interrupted.

    Attributes:
        id_name: the engine's ``id name``, empty if it sends none.
        id_author: the engine's ``id author``, empty if it sends none.
        kernel: what the engine says it searches with, and why (``info string kernel``); empty if it does not say.
        dialect: the dialect in use.
        fault: exit status and error output after a crash or stall, None otherwise.
        settings: the engine's settings.
        multipv: the value of the option ``MultiPV``, 1 without one.
    """

    def __init__(
        self, settings: EngineSettings, game_options: Mapping[str, str], timeouts: Timeouts,
        interrupted: Callable[[], bool], environment: Mapping[str, str] | None = None, log: TrafficLog | None = None,
        needs_file: bool = False
    ) -> None:
        """Start the engine, perform the handshake and set its options.

        Args:
            settings: the engine.
            game_options: names and values of the options that select the variant, such as ``UCI_Variant``; those that
                the engine does not declare are skipped.
            timeouts: how long to wait for answers.
            interrupted: polled during every wait; once it returns True, the wait ends with ``WaitInterruptedError``.
            environment: environment of the process, None for that of this program.
            log: log for the traffic, None for no log.
            needs_file: whether the engine must have the option ``VariantPath``.

        Raises:
            EngineStartError: the engine does not start, does not answer, lacks an option that the settings name, or
                rejects its options.
        """
        self.id_name = self.id_author = self.kernel = ""
        self.dialect = Dialect.UGI if settings.protocol == "ugi" else Dialect.UCI
        self.fault: EngineFault | None = None
        self.settings = settings
        self._timeouts = timeouts
        self._usable = True
        self._answers_queries = True
        self._options: dict[str, OptionDeclaration] = {}
        self.multipv = 1
        self._pondering: _SearchLines | None = None
        self._ending_on_faults = _EndingOnFaults(self._end_after)
        inherited = os.environ if environment is None else environment
        self._connection = Connection(
            settings.name or settings.command[0], settings.command, directory=settings.directory,
            environment={**inherited, **dict(settings.environment)}, log=log, interrupted=interrupted,
            on_line=self._judge_line if settings.strict else None,
        )
        try:
            self._greet()
            self._set_options(game_options, needs_file)
        except (EngineCrashError, EngineStallError) as error:
            self.kill()
            failure = EngineStartError(f"engine {quoted(self.name)}: {error}")
            failure.quote(self.last_lines)
            raise failure from error
        except EngineStartError as error:
            self.kill()
            error.quote(self.last_lines)
            raise
        except BaseException:
            self.kill()
            raise

    @property
    def name(self) -> str:
        """The name in the settings, else ``id_name``, else the program."""
        return self._connection.name

    @property
    def process_id(self) -> int:
        return self._connection.process.process_id

    @property
    def usable(self) -> bool:
        return self._usable and self._connection.process.running

    @property
    def options(self) -> tuple[OptionDeclaration, ...]:
        return tuple(self._options.values())

    @property
    def last_lines(self) -> list[str]:
        return self._connection.last_lines

    @property
    def error_output(self) -> str:
        return self._connection.error_output

    def ping(self) -> float:
        """Return the seconds from ``isready`` to ``readyok``."""
        sent_ns = self._connection.process.now_ns()
        with self._ending_on_faults:
            self._connection.ask(("isready",), "readyok", self._read_ready, self._timeouts.ready_s)
        return (self._connection.process.now_ns() - sent_ns) / NS_PER_S

    def configure(self, options: Mapping[str, str]) -> None:
        """Set options between searches and wait until the engine has read them.

        Args:
            options: names and values; all names are checked before the first option is set.

        Raises:
            EngineOptionError: the engine lacks an option or rejects a value; it remains usable.
        """
        declared = self.check_options(options)
        with self._ending_on_faults:
            for option, value in declared:
                self._set_option(option, value)
            error = self._option_error()
        if error is not None:
            raise EngineOptionError(f"engine {quoted(self.name)} rejects an option: {error}")

    def check_options(self, options: Mapping[str, str]) -> list[tuple[OptionDeclaration, str]]:
        """Return options with their values, if the engine declares them so.

        Raises:
            EngineOptionError: the engine lacks an option, or its declaration does not allow a value.
        """
        declared = [(self._declared(name), value) for name, value in options.items()]
        for option, value in declared:
            self._check_value(option, value)
        return declared

    def change_options(self, options: Mapping[str, str], *, needs_file: bool = False) -> None:
        """Set options between games; those that the engine does not declare are skipped.

        Args:
            options: names and values, in the order in which to set them.
            needs_file: whether the engine must have the option ``VariantPath``.

        Raises:
            EngineStartError: the engine rejects a value.
        """
        with self._ending_on_faults:
            self._set_options(options, needs_file)

    def new_game(self) -> None:
        """Announce a new game and wait until the engine is ready."""
        with self._ending_on_faults:
            self._wait_ready(self.dialect.new_game)

    def set_option(self, name: str, value: str) -> bool:
        """Set an option between searches, and return whether the engine has it.

        Raises:
            EngineOptionError: the option cannot have the value.
        """
        option = self._options.get(name.lower())
        if option is not None:
            self._check_value(option, value)
            with self._ending_on_faults:
                self._set_option(option, value)
        return option is not None

    def search(
        self, position: str, go: str, limit_ns: int | None, on_info: Callable[[SearchInfo], None] | None = None, *,
        on_line: Callable[[str], None] | None = None, stopped: Callable[[], bool] | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> SearchAnswer:
        """Search a position and return the engine's answer, even if it is late.

        The engine's time begins when it has answered ``isready``, which is sent between the position and ``go``: the
        time to read the position is not charged, and no line before that can be mistaken for an answer. When
        ``limit_ns`` has passed, send ``stop`` and wait for the answer for a short grace period.

        Args:
            position: the ``position`` line.
            go: the ``go`` line.
            limit_ns: nanoseconds until ``stop``, None for the timeout for searches without a time limit.
            on_info: called with the search information each time that it changes.
            on_line: called with each line except ``bestmove``, truncated if it is very long.
            stopped: polled during the search; once it returns True, ``stop`` is sent as if the limit had passed.
            meanwhile: called while the engine reads the position, before its time runs; it must return at once.
        """
        with self._ending_on_faults:
            begun_ns = self._begin_search(position, go, meanwhile)
            return self._answer(go, begun_ns, _SearchLines(on_info, on_line), limit_ns, stopped)

    def ponder(self, position: str, go: str) -> None:
        """Start a search on the opponent's time, of a ``position`` line with the expected move.

        Call ``read_pondering`` now and then, and end it with ``ponderhit`` or ``stop_pondering``.
        """
        with self._ending_on_faults:
            self._begin_search(position, go)
        self._pondering = _SearchLines(None)

    @property
    def pondering(self) -> bool:
        return self._pondering is not None

    def read_pondering(self) -> None:
        """Read without waiting what a pondering engine has printed, so that it does not block on a full pipe.

        A failure is raised later, by ``ponderhit`` or ``stop_pondering``.
        """
        if self._pondering is not None:
            self._connection.process.read_available()
            self._connection.drain(self._pondering.read_early)

    def ponderhit(
        self, limit_ns: int | None, on_info: Callable[[SearchInfo], None] | None = None, *,
        stopped: Callable[[], bool] | None = None,
    ) -> SearchAnswer:
        """Announce that the expected move was played, and return the answer; its time runs from now.

        Args:
            limit_ns: see ``search``.
            on_info: see ``search``; what was reported before is left out.
            stopped: see ``search``.

        Raises:
            EngineProtocolError: the engine had already answered; it remains usable.
        """
        lines = self._end_pondering()
        lines.on_info = on_info
        with self._ending_on_faults:
            self._connection.command(self._timeouts.ready_s, "ponderhit")
            return self._answer("ponderhit", self._connection.process.now_ns(), lines, limit_ns, stopped)

    def stop_pondering(self) -> None:
        """Stop a search on the opponent's time, and discard its answer.

        Raises:
            EngineProtocolError: the engine had already answered; it remains usable.
        """
        lines = self._end_pondering()
        with self._ending_on_faults:
            if self._stop(lines) is None:
                grace_s = self._timeouts.stop_grace_s
                raise EngineStallError(f"no bestmove within {grace_s:g} s of 'stop' while pondering", 0)

    def claims(self, position: str) -> Claims | None:
        """Ask the engine whether the game is over, and with what result; return None if it does not support queries."""
        if not self._answers_queries:
            return None
        responses: list[str] = []

        def read(text: str) -> bool | None:
            if (response := parse_response(text)) is not None:
                if len(responses) < 3:
                    responses.append(response)
                return None
            return self._read_ready(text)

        with self._ending_on_faults:
            commands = (position, "query gameover", "query result", "isready")
            self._connection.ask(commands, "readyok", read, self._timeouts.ready_s)
        if not responses and self.dialect is Dialect.UCI:
            self._answers_queries = False
            return None
        if len(responses) != 2:
            self._connection.violations.add("no-response", " ".join(responses))
        return Claims(*(*responses, "", "")[:2])

    def ratings(self) -> tuple[int, int] | None:
        """Return the range of ``UCI_Elo`` that the engine says was measured for the game and board that are set up.

        Returns:
            The range; None if the engine does not say, or if nothing was measured.
        """
        found: list[tuple[int, int]] = []

        def read(text: str) -> bool | None:
            if (measured := parse_ratings(text)) is not None:
                found.append(measured)
            return self._read_ready(text)

        with self._ending_on_faults:
            self._connection.ask(("query ratings", "isready"), "readyok", read, self._timeouts.ready_s)
        return found[0] if found else None

    def take_violations(self) -> tuple[str, ...]:
        return self._connection.violations.take()

    def add_violation(self, kind: str, example: str) -> None:
        self._connection.violations.add(kind, example)

    def judge(self, game: Game, answer: SearchAnswer) -> None:
        """Record the errors that the engine reported in a search of a game and, if the settings are strict, all else.

        The search must not be an infinite one: the answer to that may differ from its lines.
        """
        offences = list(search_errors(answer.lines))
        if self.settings.strict:
            offences += judge_search(game, answer.lines, answer.best, self.multipv)
        self._connection.violations.add_all(offences)

    def quit(self) -> None:
        """Send ``quit``, wait a moment, and kill the engine's process group."""
        self._usable = False
        process = self._connection.process
        deadline_ns = process.now_ns() + int(self._timeouts.quit_s * NS_PER_S)
        with suppress(EngineError):  # it is about to be killed
            self._connection.send(self._timeouts.quit_s, "quit")
        self._connection.close(max(deadline_ns - process.now_ns(), 0) / NS_PER_S)

    def kill(self) -> None:
        self._usable = False
        self._connection.close(0)

    def _greet(self) -> None:
        start_s = self._timeouts.start_s
        if self.settings.protocol != "auto":
            self._handshake(start_s)
            return
        try:
            self._handshake(start_s / 2)
        except (EngineCrashError, EngineStallError):
            self._connection.close(0)
            self.dialect = Dialect.UGI
            self._options.clear()
            self._connection.start()
            self._handshake(start_s)

    def _handshake(self, timeout_s: float) -> None:
        answer = self.dialect.greeted

        def read(text: str) -> bool | None:
            if (id_name := parse_id_name(text)) is not None:
                self.id_name = id_name
                self._connection.name = self.settings.name or id_name
            if (id_author := parse_id_author(text)) is not None:
                self.id_author = id_author
            if (option := parse_option(text)) is not None and len(self._options) < _MAX_OPTIONS:
                self._options[option.name.lower()] = option
                if option.name.lower() == "multipv" and isinstance(option.default, int):
                    self.multipv = option.default
            self._note_kernel(text)
            return True if text.strip() == answer else None

        try:
            self._connection.ask((self.dialect.value,), answer, read, timeout_s)
        except EngineStallError as error:
            raise EngineStallError(f"{error}{self._connection.silent_hint}", error.elapsed_ns) from None

    def _set_options(self, match_options: Mapping[str, str], needs_file: bool) -> None:
        """Set the engine's own options, then those of the game: its own variant file may define the variant."""
        if needs_file and VARIANT_FILE_OPTION.lower() not in self._options:
            problem = f"has no option {quoted(VARIANT_FILE_OPTION)}; expected it, as the ruleset is not built in"
            raise EngineOptionError(f"engine {quoted(self.name)} {problem}")
        for name, value in self.settings.all_options:
            option = self._declared(name)
            self._check_value(option, value)
            self._set_option(option, value)
        if self.settings.ponder and not self.settings.has_option("Ponder") and "ponder" in self._options:
            self._set_option(self._options["ponder"], "true")
        # A loaded variant file, or another set of variants, adds choices that the engine did not declare.
        loads_variants = self.settings.loads_variants or VARIANT_FILE_OPTION in match_options or (
            VARIANT_SET_OPTION in match_options and VARIANT_SET_OPTION.lower() in self._options)
        for name, value in match_options.items():
            if (offered := self._options.get(name.lower())) is not None:
                if not loads_variants:
                    self._check_value(offered, value)
                self._set_option(offered, value)
        if (error := self._option_error()) is not None:
            raise EngineOptionError(f"engine {quoted(self.name)} rejects its options: {error}")

    def _option_error(self) -> str | None:
        errors: list[str] = []

        def read(text: str) -> bool | None:
            if (message := parse_error_line(text)) is not None and not errors:
                errors.append(message)
            self._note_kernel(text)
            return True if text.strip() == "readyok" else None

        self._connection.ask(("isready",), "readyok", read, self._timeouts.start_s)
        return printable(errors[0]) if errors else None

    def _declared(self, name: str) -> OptionDeclaration:
        option = self._options.get(name.lower())
        if option is None:
            raise EngineOptionError(f"engine {quoted(self.name)} has no option {quoted(name)}")
        return option

    def _check_value(self, option: OptionDeclaration, value: str) -> None:
        if expected := option.expected(value):
            problem = f"option {quoted(option.name)}: value {quoted(value)}: expected {expected}"
            if option.name.lower() != VARIANT_OPTION.lower():
                raise EngineOptionError(f"engine {quoted(self.name)}: {problem}")
            error = EngineVariantError(f"engine {quoted(self.name)}: {problem}")
            error.offered = option.choices
            raise error

    def _set_option(self, option: OptionDeclaration, value: str) -> None:
        if option.name.lower() == "multipv" and value.isdecimal():
            self.multipv = int(value)
        suffix = "" if option.kind == "button" else f" value {value}"
        self._connection.send(self._timeouts.start_s, f"setoption name {option.name}{suffix}")

    def _wait_ready(self, command: str) -> None:
        self._connection.ask((command, "isready"), "readyok", self._read_ready, self._timeouts.ready_s)
        self._connection.drain(self._read_ready)

    def _begin_search(self, position: str, go: str, meanwhile: Callable[[], None] | None = None) -> int:
        """Write a position and, at once, the ``go`` after it; return when the engine was ready, as its time runs then.

        One write and, if the engine is quick, one read are half the work of waiting before ``go``.
        """
        commands, ready_s = (position, "isready", go), self._timeouts.ready_s
        return self._connection.ask(commands, "readyok", self._read_ready, ready_s, meanwhile).read_at_ns

    def _read_ready(self, text: str) -> bool | None:
        """Read a line outside of a search, where only ``readyok`` and ``info string`` are expected."""
        if text == "readyok" or (stripped := text.strip()) == "readyok":
            return True
        if stripped.startswith("bestmove"):
            self._connection.violations.add("unexpected-bestmove", text)
        elif stripped.startswith("info") and not stripped.startswith("info string"):
            self._connection.violations.add("unexpected-info", text)
        else:
            self._note_kernel(text)
        return None

    def _note_kernel(self, text: str) -> None:
        if text.startswith("info string kernel "):
            self.kernel = parse_kernel(text) or self.kernel

    def _judge_line(self, line: OutputLine) -> None:
        self._connection.violations.add_all(judge_line(line.written, self.dialect))

    def _answer(
        self, command: str, begun_ns: int, lines: _SearchLines, limit_ns: int | None, stopped: Callable[[], bool] | None
    ) -> SearchAnswer:
        """Wait for the answer to a command; the engine's time has been running since ``begun_ns``."""
        connection = self._connection
        connection.begin_search()
        if limit_ns is None:
            limit_ns = int(self._timeouts.search_s * NS_PER_S)
        found = connection.wait_for(lines.read, begun_ns + limit_ns, stopped, begun_ns, slow_read=lines.calls_back)
        found = found or self._stop(lines)
        if found is None:
            elapsed_ns = connection.process.now_ns() - begun_ns - connection.held_up_ns
            raise EngineStallError(f"no bestmove within {elapsed_ns / NS_PER_S:.3f} s of {quoted(command)}", elapsed_ns)
        best, line = found
        elapsed_ns = max(connection.charged_ns(line.read_at_ns - begun_ns, limit_ns), _LEAST_NS)
        return SearchAnswer(best, elapsed_ns, elapsed_ns > limit_ns, tuple(lines.lines))

    def _end_pondering(self) -> _SearchLines:
        assert self._pondering is not None
        for _ in range(_PIPE_READS):
            self.read_pondering()
        lines, self._pondering = self._pondering, None
        if lines.early is not None:
            answer = quoted(f"bestmove {lines.early.move}")
            raise EngineProtocolError(f"{answer} while pondering, before 'ponderhit' or 'stop'")
        return lines

    def _stop(self, lines: _SearchLines) -> tuple[BestMove, OutputLine] | None:
        connection, grace_s = self._connection, self._timeouts.stop_grace_s
        deadline_ns = connection.process.now_ns() + int(grace_s * NS_PER_S)
        # What an engine wrote before it ended, or before it stopped reading, still counts as its answer.
        with suppress(EngineCrashError, EngineStallError):
            connection.send(grace_s, "stop")
        return connection.wait_for(lines.read, deadline_ns, slow_read=lines.calls_back, spares_reading=True)

    def _end_after(self, error: BaseException) -> None:
        """Kill the engine after a fault, and leave it unusable after any other error."""
        if isinstance(error, EngineError):
            if isinstance(error, EngineStallError):
                error.args = (f"{error}; {self._connection.output_since()}",)
            process = self._connection.process
            self.fault = EngineFault(process.exit_status, tuple(process.stderr_tail()))
            self.kill()
        else:
            self._usable = False


class _EndingOnFaults:
    """A context in which every error ends the use of an engine; faster than a generator, as each ply needs it."""

    def __init__(self, end: Callable[[BaseException], None]) -> None:
        self._end = end

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._end(error)
