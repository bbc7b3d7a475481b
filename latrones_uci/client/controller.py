"""The controller's side of the protocol: one engine, commanded in UCI or UGI."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from typing import TypeVar

from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import (
    EngineCrashError,
    EngineError,
    EngineOptionError,
    EngineStallError,
    EngineStartError,
    WaitInterruptedError,
)
from latrones_uci.client.output import (
    BestMove,
    Claims,
    OptionDeclaration,
    SearchInfo,
    Violations,
    is_of_the_protocol,
    parse_best_move,
    parse_error_line,
    parse_id_author,
    parse_id_name,
    parse_option,
    parse_response,
    update_info,
)
from latrones_uci.client.process import EngineFault, EngineProcess, OutputLine, printable
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.game import quoted
from latrones_uci.protocol import Dialect

_INTERRUPT_POLL_NS = 100_000_000
_HELD_UP_NS = 500_000_000
_NS_PER_S = 1_000_000_000
_MOST_OPTIONS = 1000
_LATEST_LINES = 1000
_LONGEST_INFO = 4096
_LINES_QUOTED = 5
_LONGEST_QUOTE = 200

T = TypeVar("T")


@dataclass(frozen=True)
class SearchAnswer:
    """The answer to a ``go``.

    Attributes:
        best: what the engine chose; its text is not judged here.
        elapsed_ns: from the moment the ``go`` line was written to the moment the ``bestmove`` line was read, less the
            time in which this program did not run.
        info: the engine's last words on its search.
        overdue: whether the answer came only after the limit of ``search`` or, where there was none, the timeout of
            untimed searches.
    """

    best: BestMove
    elapsed_ns: int
    info: SearchInfo
    overdue: bool


class EngineController:
    """A started engine.

    One that crashes or stalls is killed at once; after a ``WaitInterruptedError`` it only can be killed. Every wait
    ends at one absolute time of the monotonic clock, whatever the engine prints meanwhile. Only a time of more than
    half a second in which this program itself did not run (stopped by a signal, say, and continued) is not charged to
    the engine, as nobody knows when it answered, but told as a violation.

    Attributes:
        name: from the settings, else as the engine reports it, else its program.
        id_name: as the engine reports it, empty if it does not.
        id_author: likewise.
        dialect: what is spoken.
        fault: what was left of the engine when it crashed or stalled, None before.
        settings: the engine's settings.
    """

    def __init__(
        self,
        settings: EngineSettings,
        game_options: Mapping[str, str],
        timeouts: Timeouts,
        interrupted: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
        log: TrafficLog | None = None,
    ) -> None:
        """Starts the engine, shakes hands and sets its options.

        Args:
            settings: the engine.
            game_options: names and values of the options that tell it the game, such as ``UCI_Variant``; those that
                it does not declare are left out.
            timeouts: how long to wait for answers.
            interrupted: asked while waiting; once it says so, waits end with ``WaitInterruptedError``.
            environment: of the engine's process, None for that of this program.
            log: where the traffic is noted, None for nowhere.

        Raises:
            EngineStartError: it does not start, does not answer, lacks an option that the settings name, or
                reports an error after its options were set.
            WaitInterruptedError: the match was told to stop.
        """
        self.name = settings.name or settings.command[0]
        self.id_name = self.id_author = ""
        self.dialect = Dialect.UGI if settings.protocol == "ugi" else Dialect.UCI
        self.fault: EngineFault | None = None
        self.settings = settings
        self._timeouts = timeouts
        self._interrupted = interrupted
        self._environment = environment
        self._log = log
        self._fit = True
        self._answers_queries = True
        self._held_up_ns = 0
        self._violations = Violations()
        self._heard: deque[str] = deque(maxlen=_LINES_QUOTED)
        self._options: dict[str, OptionDeclaration] = {}
        self._process = self._started()
        try:
            self._greet()
            self._set_options(game_options)
        except (EngineCrashError, EngineStallError) as error:
            self.kill()
            raise EngineStartError(f"engine {quoted(self.name)}: {error}") from error
        except BaseException:
            self.kill()
            raise

    @property
    def process_id(self) -> int:
        """The id of the engine's process and of its process group."""
        return self._process.process_id

    @property
    def usable(self) -> bool:
        """Whether it can play another game."""
        return self._fit and self._process.running

    @property
    def last_lines(self) -> list[str]:
        """The last lines that the engine printed on standard output, then those on standard error, all cut."""
        lines = [*self._heard, *self._process.stderr_tail()[-_LINES_QUOTED:]]
        return [printable(line.rstrip()[:_LONGEST_QUOTE]) for line in lines]

    def ping(self) -> float:
        """Return the seconds from ``isready`` to ``readyok``.

        Raises:
            EngineCrashError: it ended.
            EngineStallError: it does not answer.
            WaitInterruptedError: see ``interrupted``.
        """
        sent = time.monotonic()
        with self._ending_on_faults():
            self._ask(("isready",), "readyok", self._read_ready, self._timeouts.ready_s)
        return time.monotonic() - sent

    def configure(self, options: Mapping[str, str]) -> None:
        """Set options between searches and wait until the engine has read them.

        Args:
            options: names and values; all are checked before the first is set.

        Raises:
            EngineOptionError: there is no such option, or the engine rejects a value; it remains usable.
            EngineCrashError: it ended.
            EngineStallError: it does not answer.
            WaitInterruptedError: see ``interrupted``.
        """
        declared = [(self._declared(name), value) for name, value in options.items()]
        for option, value in declared:
            self._check_choice(option, value)
        with self._ending_on_faults():
            for option, value in declared:
                self._set_option(option, value)
            error = self._option_error()
        if error is not None:
            raise EngineOptionError(f"engine {quoted(self.name)} rejects an option: {error}")

    def change_options(self, options: Mapping[str, str]) -> None:
        """Sets options between games; those that the engine does not declare are left out.

        Args:
            options: names and values, in this order.

        Raises:
            EngineStartError: it rejects one, or it cannot be.
            EngineCrashError: it ended.
            EngineStallError: it does not answer.
            WaitInterruptedError: the match was told to stop.
        """
        with self._ending_on_faults():
            self._set_options(options)

    def new_game(self) -> None:
        """Tells the engine that a new game begins, and waits until it is ready.

        Raises:
            EngineCrashError: it ended.
            EngineStallError: it does not answer.
            WaitInterruptedError: the match was told to stop.
        """
        with self._ending_on_faults():
            self._wait_ready(self.dialect.new_game)

    def set_option(self, name: str, value: str) -> bool:
        """Sets an option between two searches; whether the engine has it.

        Raises:
            EngineStartError: a value that the option does not list.
            EngineCrashError: it ended.
            EngineStallError: it does not read.
        """
        option = self._options.get(name.lower())
        if option is not None:
            self._check_choice(option, value)
            with self._ending_on_faults():
                self._set_option(option, value)
        return option is not None

    def search(
        self, position: str, go: str, limit_ns: int | None, on_info: Callable[[SearchInfo], None] | None = None, *,
        on_line: Callable[[str], None] | None = None, stopped: Callable[[], bool] | None = None,
    ) -> SearchAnswer:
        """Lets the engine search and returns its answer, however late.

        The engine confirms with ``readyok`` that it has read the position before ``go`` is sent: reading is not
        charged, and no line of an earlier search can be taken for an answer to this one. When ``limit_ns`` has
        passed, ``stop`` is sent and the answer waited for during a short grace.

        Args:
            position: the ``position`` line.
            go: the ``go`` line.
            limit_ns: nanoseconds until ``stop``, None for the timeout of untimed searches.
            on_info: called with what is known of the search each time that the engine tells more.
            on_line: called with each line but the ``bestmove``, cut if it is very long.
            stopped: asked while waiting; once it says so, ``stop`` is sent as if the limit had passed.

        Raises:
            EngineCrashError: it ended.
            EngineStallError: no answer, not even after ``stop``.
            WaitInterruptedError: the match was told to stop.
        """
        with self._ending_on_faults():
            self._wait_ready(position)
            self._send(self._timeouts.ready_s, go)
            sent_ns = time.monotonic_ns()
            self._held_up_ns = 0
            infos = _InfoCollector(on_info, on_line)
            if limit_ns is None:
                limit_ns = int(self._timeouts.search_s * _NS_PER_S)
            found = self._wait_for(infos.read, sent_ns + limit_ns, stopped) or self._stop(infos)
            if found is None:
                elapsed_ns = time.monotonic_ns() - sent_ns - self._held_up_ns
                raise EngineStallError(f"no bestmove within {elapsed_ns / _NS_PER_S:.3f} s of {quoted(go)}", elapsed_ns)
            best, line = found
            elapsed_ns = max(line.read_at_ns - sent_ns - self._held_up_ns, 0)
            return SearchAnswer(best, elapsed_ns, infos.info, elapsed_ns > limit_ns)

    def claims(self, position: str) -> Claims | None:
        """What the engine thinks of a position: whether the game is over, and its result; None if it does not tell.

        Args:
            position: the ``position`` line.

        Raises:
            EngineCrashError: it ended.
            EngineStallError: it does not answer.
            WaitInterruptedError: the match was told to stop.
        """
        if not self._answers_queries:
            return None
        responses: list[str] = []

        def read(text: str) -> bool | None:
            if (response := parse_response(text)) is not None:
                if len(responses) < 3:
                    responses.append(response)
                return None
            return self._read_ready(text)

        with self._ending_on_faults():
            commands = (position, "query gameover", "query result", "isready")
            self._ask(commands, "readyok", read, self._timeouts.ready_s)
        if not responses and self.dialect is Dialect.UCI:
            self._answers_queries = False
            return None
        if len(responses) != 2:
            self._violations.add("not one response to each query", " ".join(responses))
        return Claims(*(*responses, "", "")[:2])

    def take_violations(self) -> tuple[str, ...]:
        """What the engine did against the protocol since this was last asked."""
        return self._violations.take()

    def add_violation(self, kind: str, example: str) -> None:
        """Notes what the referee found."""
        self._violations.add(kind, example)

    def add_tolerance(self, kind: str, example: str) -> None:
        """Notes something unusual, if the engine is strict."""
        if self.settings.strict:
            self._violations.add(kind, example)

    def quit(self) -> None:
        """Asks the engine to end, and kills its process group."""
        self._fit = False
        deadline = time.monotonic() + self._timeouts.quit_s
        with suppress(EngineError):  # it is about to be killed
            self._send(self._timeouts.quit_s, "quit")
        self._end(max(deadline - time.monotonic(), 0))

    def kill(self) -> None:
        """Kills the engine's process group at once."""
        self._fit = False
        self._end(0)

    def _end(self, grace_s: float) -> None:
        if not self._process.closed:
            self._process.close(grace_s)
            if self._log is not None:
                self._log.ended(self.name, self._process.process_id, f"ended, status {self._process.exit_status}")

    def _started(self) -> EngineProcess:
        return EngineProcess(
            self.settings.command, directory=self.settings.directory, environment=self._environment
        )

    def _greet(self) -> None:
        start_s = self._timeouts.start_s
        if self.settings.protocol != "auto":
            self._shake_hands(start_s)
            return
        try:
            self._shake_hands(start_s / 2)
        except (EngineCrashError, EngineStallError):
            self._end(0)
            self.dialect = Dialect.UGI
            self._options.clear()
            self._process = self._started()
            self._shake_hands(start_s)

    def _shake_hands(self, timeout_s: float) -> None:
        answer = self.dialect.greeted

        def read(text: str) -> bool | None:
            if (id_name := parse_id_name(text)) is not None:
                self.id_name = id_name
                self.name = self.settings.name or id_name
            if (id_author := parse_id_author(text)) is not None:
                self.id_author = id_author
            if (option := parse_option(text)) is not None and len(self._options) < _MOST_OPTIONS:
                self._options[option.name.lower()] = option
            return True if text.strip() == answer else None

        self._ask((self.dialect.value,), answer, read, timeout_s)

    def _set_options(self, match_options: Mapping[str, str]) -> None:
        for name, value in match_options.items():
            option = self._options.get(name.lower())
            if option is not None:
                # With a file of variants loaded, the declared choices are no longer all.
                if "VariantPath" not in match_options:
                    self._check_choice(option, value)
                self._set_option(option, value)
        for name, value in self.settings.options:
            option = self._declared(name)
            self._check_choice(option, value)
            self._set_option(option, value)
        if (error := self._option_error()) is not None:
            raise EngineOptionError(f"engine {quoted(self.name)} rejects its options: {error}")

    def _option_error(self) -> str | None:
        """Wait for ``readyok`` and return the first error that the engine reports before it."""
        errors: list[str] = []

        def read(text: str) -> bool | None:
            if (message := parse_error_line(text)) is not None and not errors:
                errors.append(message)
            return True if text.strip() == "readyok" else None

        self._ask(("isready",), "readyok", read, self._timeouts.start_s)
        return printable(errors[0]) if errors else None

    def _declared(self, name: str) -> OptionDeclaration:
        option = self._options.get(name.lower())
        if option is None:
            raise EngineOptionError(f"engine {quoted(self.name)} has no option {quoted(name)}")
        return option

    def _check_choice(self, option: OptionDeclaration, value: str) -> None:
        if option.kind == "combo" and value.lower() not in map(str.lower, option.choices):
            what = f"option {quoted(option.name)} cannot be {quoted(value)}"
            raise EngineOptionError(f"engine {quoted(self.name)}: {what}")

    def _set_option(self, option: OptionDeclaration, value: str) -> None:
        suffix = "" if option.kind == "button" else f" value {value}"
        self._send(self._timeouts.start_s, f"setoption name {option.name}{suffix}")

    def _wait_ready(self, command: str) -> None:
        self._ask((command, "isready"), "readyok", self._read_ready, self._timeouts.ready_s)
        while self._process.unread and (line := self._process.read_line(0)) is not None:
            self._note(line)
            self._read_ready(line.text)

    def _read_ready(self, text: str) -> bool | None:
        """Reads a line of an engine that has nothing to say but ``readyok`` and remarks."""
        stripped = text.strip()
        if stripped == "readyok":
            return True
        if stripped.startswith("bestmove"):
            self._violations.add("a bestmove too many", text)
        elif stripped.startswith("info") and not stripped.startswith("info string"):
            self._violations.add("a line of a search that is over", text)
        return None

    def _stop(self, infos: "_InfoCollector") -> tuple[BestMove, OutputLine] | None:
        grace_s = self._timeouts.stop_grace_s
        deadline_ns = time.monotonic_ns() + int(grace_s * _NS_PER_S)
        # What an engine wrote before it ended, or stopped reading, is its answer all the same.
        with suppress(EngineCrashError, EngineStallError):
            self._send(grace_s, "stop")
        return self._wait_for(infos.read, deadline_ns)

    def _send(self, timeout_s: float, *lines: str) -> None:
        if self._log is not None:
            for line in lines:
                self._log.sent(self.name, self._process.process_id, line)
        self._process.write_line("\n".join(lines), timeout_s)

    def _ask(self, commands: Sequence[str], word: str, read: Callable[[str], T | None], timeout_s: float) -> None:
        """Sends commands and waits for what ``read`` waits for, called ``word`` in the error if it does not come."""
        deadline_ns = time.monotonic_ns() + int(timeout_s * _NS_PER_S)
        self._send(timeout_s, *commands)
        if self._wait_for(read, deadline_ns) is None:
            raise EngineStallError(f"no {word} within {timeout_s:g} s", int(timeout_s * _NS_PER_S))

    def _wait_for(
        self, read: Callable[[str], T | None], deadline_ns: int, stopped: Callable[[], bool] | None = None
    ) -> tuple[T, OutputLine] | None:
        """The first line of which ``read`` makes something.

        None once all that came by the deadline has been read, or when ``stopped`` says so.
        """
        awake_until_ns = 0
        while True:
            if self._interrupted():
                raise WaitInterruptedError
            if stopped is not None and stopped():
                return None
            now_ns = time.monotonic_ns()
            if awake_until_ns and now_ns > awake_until_ns + _HELD_UP_NS:
                deadline_ns += self._note_hold_up(now_ns - awake_until_ns)
            left_ns = deadline_ns - now_ns
            wait_ns = max(min(left_ns, _INTERRUPT_POLL_NS), 0)
            awake_until_ns = now_ns + wait_ns
            line = self._process.read_line(wait_ns / _NS_PER_S)
            if line is not None and line.read_at_ns > awake_until_ns + _HELD_UP_NS:
                held_up_ns = self._note_hold_up(line.read_at_ns - awake_until_ns)
                deadline_ns, awake_until_ns = deadline_ns + held_up_ns, line.read_at_ns
            if line is None:
                if left_ns <= 0:
                    return None
                continue
            self._note(line)
            if (value := read(line.text)) is not None:
                return value, line
            if line.read_at_ns > deadline_ns:
                return None

    def _note_hold_up(self, held_up_ns: int) -> int:
        """Notes that this program did not run for a while, which was asked to wait but a moment; returns the time."""
        self._held_up_ns += held_up_ns
        self._violations.add("no fault of its own: the match runner was held up", f"{held_up_ns / _NS_PER_S:.3f} s")
        return held_up_ns

    def _note(self, line: OutputLine) -> None:
        self._heard.append(line.text)
        if self._log is not None:
            self._log.received(self.name, self._process.process_id, line.text, line.read_at_ns)
        if self.settings.strict:
            self._check_strict(line.text)

    def _check_strict(self, text: str) -> None:
        if text.endswith("\r"):
            self._violations.add("a carriage return", text)
        if text.removesuffix("\r") != text.strip():
            self._violations.add("blanks around a line", text)
        if not is_of_the_protocol(text):
            self._violations.add("a line that is not of the protocol", text)
        elif text.lstrip().startswith("bestmove") and len(text.split()) != 2:
            self._violations.add("a bestmove of other than two words", text)

    @contextmanager
    def _ending_on_faults(self) -> Iterator[None]:
        try:
            yield
        except EngineError:
            self.fault = EngineFault(self._process.exit_status, tuple(self._process.stderr_tail()))
            self.kill()
            raise
        except BaseException:
            self._fit = False
            raise


class _InfoCollector:
    """Gathers the lines of a search and gives out the ``bestmove``.

    They are understood only when the search is over: lines are read no slower than an engine prints them, or a good
    answer behind a thousand of them would seem to come late.
    """

    def __init__(
        self, on_info: Callable[[SearchInfo], None] | None, on_line: Callable[[str], None] | None = None
    ) -> None:
        self._lines: deque[str] = deque(maxlen=_LATEST_LINES)
        self._on_info, self._on_line = on_info, on_line
        self._told = SearchInfo()

    @property
    def info(self) -> SearchInfo:
        return reduce(update_info, self._lines, SearchInfo())

    def read(self, text: str) -> BestMove | None:
        if (best := parse_best_move(text)) is None:
            self._lines.append(text[:_LONGEST_INFO])
            if self._on_line is not None:
                self._on_line(text[:_LONGEST_INFO])
            if self._on_info is not None:
                self._tell(text, self._on_info)
        return best

    def _tell(self, text: str, on_info: Callable[[SearchInfo], None]) -> None:
        before, self._told = self._told, update_info(self._told, text)
        if self._told != before:
            on_info(self._told)
