"""The lines to and from one engine: send them, wait for answers, and keep what errors quote.

An engine is not charged for the time in which this program was suspended.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

from latrones_uci.client.child import status_text
from latrones_uci.client.engine_rules import HELD_UP, Violations
from latrones_uci.client.engine_spec import reading_s
from latrones_uci.client.errors import EngineStallError, WaitInterruptedError
from latrones_uci.client.hints import SILENT_HINT
from latrones_uci.client.process import EngineProcess, OutputLine, Transport
from latrones_uci.client.time_control import NS_PER_S
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.text.clock import WAIT_STEP_NS
from latrones_uci.text.messages import counted, printable, quoted

_LINES_QUOTED = 5
_MAX_QUOTE = 200
_MAX_EXCERPT = 40
_MEGABYTE = 1_000_000
_POLL_NS = 20_000_000
"""How long to wait at a time: a suspension is noticed by a wait that ends late."""
_HELD_UP_NS = 10_000_000 + WAIT_STEP_NS
"""How late a wait usually ends at most while this program runs."""
_CHARGED_HOLD_UP_NS = 50_000_000
_REPORTED_HOLD_UP_NS = 500_000_000

T = TypeVar("T")


class Connection:
    """A running engine as lines; every wait has a fixed deadline, which output of the engine does not extend.

    Attributes:
        process: the process.
        name: name of the engine in the log.
        violations: gets each long suspension of this program.
        unanswered: characters sent since the engine last answered; set it to 0 at an answer.
        held_up_ns: how late waits have ended since ``begin_search``, where that is more than a busy machine explains.
    """

    connect: ClassVar[Callable[..., Transport]] = EngineProcess
    """Starts an engine; takes the arguments of ``EngineProcess``. Tests put engines in memory in its place."""

    def __init__(
        self, name: str, command: Sequence[str], *, directory: str | None = None,
        environment: Mapping[str, str] | None = None, log: TrafficLog | None = None,
        interrupted: Callable[[], bool] = lambda: False, on_line: Callable[[OutputLine], None] | None = None,
        on_error_line: Callable[[str], None] | None = None
    ) -> None:
        """Start the engine; errors and other arguments are those of ``EngineProcess``.

        Args:
            name: see above.
            interrupted: polled during every wait; once it returns True, the wait ends with ``WaitInterruptedError``.
            on_line: called with each line of the engine.
        """
        self.name, self._command, self._directory, self._environment = name, command, directory, environment
        self._log, self._interrupted, self._on_line, self._on_error_line = log, interrupted, on_line, on_error_line
        self.violations = Violations()
        self.unanswered = 0
        self._latest: deque[str] = deque(maxlen=_LINES_QUOTED)
        self._lines_since = self._error_bytes_before = 0  # of the last command that the engine has to answer
        self.held_up_ns = self._spared_ns = 0
        self.start()

    def start(self) -> None:
        """Start the engine again, after ``close``."""
        self.process = self.connect(
            self._command, directory=self._directory, environment=self._environment,
            on_error_line=self._on_error_line if self._log is None else self._note_error,
        )

    def close(self, grace_s: float) -> None:
        """Close the engine's input, and kill it if it still runs after ``grace_s`` seconds."""
        if not self.process.closed:
            self.process.close(grace_s)
            if self._log is not None:
                ended = f"ended, status {status_text(self.process.exit_status)}"
                self._log.ended(self.name, self.process.process_id, ended)

    def send(self, timeout_s: float, *lines: str) -> None:
        """Send lines at once; errors as in ``EngineProcess.write_line``.

        The engine has a longer timeout if it has much to read.
        """
        if self._log is not None:
            for line in lines:
                self._log.sent(self.name, self.process.process_id, line)
        text = "\n".join(lines)
        self.unanswered += len(text)
        self.process.write_line(text, timeout_s + reading_s(self.unanswered))

    def command(self, timeout_s: float, *lines: str) -> None:
        """Send commands that the engine has to answer; ``output_since`` begins here."""
        self._lines_since, self._error_bytes_before = 0, self.process.error_bytes
        self.send(timeout_s, *lines)

    def ask(
        self, commands: Sequence[str], expected: str, read: Callable[[str], T | None], timeout_s: float,
        meanwhile: Callable[[], None] | None = None,
    ) -> OutputLine:
        """Send commands and return the first line for which ``read`` returns a value; errors name it ``expected``."""
        start_ns = self.process.now_ns()
        self.command(timeout_s, *commands)
        if meanwhile is not None:
            meanwhile()
        seconds = timeout_s + reading_s(self.unanswered)
        if (found := self.wait_for(read, start_ns + int(seconds * NS_PER_S))) is None:
            raise EngineStallError(f"no {expected} within {seconds:g} s", int(seconds * NS_PER_S))
        self.unanswered = self._lines_since = 0
        return found[1]

    def drain(self, read: Callable[[str], object]) -> None:
        """Read the lines that have come already."""
        while self.process.lines:
            self._note(line := self.process.lines.popleft())
            read(line.text)

    def wait_for(
        self, read: Callable[[str], T | None], deadline_ns: int, stopped: Callable[[], bool] | None = None,
        begun_ns: int | None = None, *, slow_read: bool = False, spares_reading: bool = False,
    ) -> tuple[T, OutputLine] | None:
        """Return the first line for which ``read`` returns a value, with that value.

        Return None when all lines up to the deadline have been read, or when ``stopped`` returns True. The deadline is
        later by the time in which this program was suspended since ``begun_ns``, None for now.

        With ``slow_read``, ``read`` may take its time: the engine goes on meanwhile, so that is no suspension. With
        ``spares_reading``, the deadline is later by that time.
        """
        process = self.process
        looked_ns = expected_wake_ns = process.now_ns() if begun_ns is None else begun_ns
        while True:
            line: OutputLine | None
            if process.lines:  # engines print many lines at once; what has been read needs no look at the clock
                line = process.lines.popleft()
            else:
                if self._interrupted():
                    raise WaitInterruptedError
                if stopped is not None and stopped():
                    return None
                now_ns = process.now_ns()
                if now_ns > expected_wake_ns + _HELD_UP_NS:
                    # The engine may have been suspended as well, and from the beginning of the wait on.
                    deadline_ns += now_ns - looked_ns
                    self._note_hold_up(now_ns - expected_wake_ns, now_ns - looked_ns)
                remaining_ns = deadline_ns - now_ns
                wait_ns = max(min(remaining_ns, _POLL_NS), 0)
                looked_ns, expected_wake_ns = now_ns, now_ns + wait_ns
                line = process.read_line(wait_ns / NS_PER_S)
                if line is None and remaining_ns <= 0:
                    return None
                if line is not None and line.read_at_ns > expected_wake_ns:  # it came earlier than it was read
                    late_ns = line.read_at_ns - expected_wake_ns
                    deadline_ns += late_ns
                    self._note_hold_up(late_ns, late_ns)
                    looked_ns = expected_wake_ns = line.read_at_ns
            if line is None:
                continue
            self._note(line)
            read_ns = process.now_ns() if slow_read else 0
            if (value := read(line.text)) is not None:
                return value, line
            if slow_read:
                looked_ns = expected_wake_ns = process.now_ns()
                deadline_ns += spares_reading * (expected_wake_ns - read_ns)
                process.read_available()  # to know when the lines came
            if line.read_at_ns > deadline_ns:
                return None

    def begin_search(self) -> None:
        self.held_up_ns = self._spared_ns = 0

    def charged_ns(self, taken_ns: int, limit_ns: int) -> int:
        """Return the time to charge for an answer: at most the limit, if a suspension may have made it late."""
        elapsed_ns = max(taken_ns - self.held_up_ns, 0)
        if taken_ns > limit_ns >= taken_ns - self._spared_ns:
            elapsed_ns = min(elapsed_ns, limit_ns)
            if self._spared_ns > _HELD_UP_NS and self.held_up_ns <= _REPORTED_HOLD_UP_NS:
                self._report_hold_up(self._spared_ns)
        return elapsed_ns

    @property
    def silent_hint(self) -> str:
        """The end of an error about a missing greeting, empty if the engine has printed a line."""
        return "" if self._latest else SILENT_HINT

    @property
    def last_lines(self) -> list[str]:
        """The last lines that the engine printed on standard output, then those on standard error, each truncated."""
        lines = [*self._latest, *self.process.stderr_tail()[-_LINES_QUOTED:]]
        return [printable(line.rstrip()[:_MAX_QUOTE]) for line in lines]

    @property
    def error_output(self) -> str:
        """How much the engine has written to its standard error since the last command, empty if that is little."""
        written = self.process.error_bytes - self._error_bytes_before
        return f"{written // _MEGABYTE:,} MB to standard error" if written >= _MEGABYTE else ""

    def output_since(self) -> str:
        printed = []
        if self._lines_since:
            lines = counted(self._lines_since, "line") if self._lines_since < 1000 else f"{self._lines_since:,} lines"
            printed.append(f"{lines} since, the last {_excerpt(self._latest[-1])}")
        if line := self.process.unfinished_line:
            printed.append(f"a line without an end, {_excerpt(line)}")
        if self.error_output:
            printed.append(self.error_output)
        stopped = "; the process is stopped" if self.process.suspended else ""
        return f"it printed {', and '.join(printed) or 'nothing'}{stopped}"

    def _note(self, line: OutputLine) -> None:
        self._latest.append(line.text)
        self._lines_since += 1
        if self._log is not None:
            self._log.received(self.name, self.process.process_id, line.text, line.read_at_ns)
        if self._on_line is not None:
            self._on_line(line)

    def _note_error(self, text: str) -> None:
        if self._log is not None:
            self._log.received_error(self.name, self.process.process_id, text, self.process.now_ns())
        if self._on_error_line is not None:
            self._on_error_line(text)

    def _note_hold_up(self, late_ns: int, spared_ns: int) -> None:
        """Note that a wait ended late.

        Args:
            late_ns: how late; it is not charged if it is more than a busy machine explains.
            spared_ns: how long this program may have been suspended; it costs no engine the game.
        """
        self._spared_ns += spared_ns
        if late_ns > _CHARGED_HOLD_UP_NS:
            self.held_up_ns += late_ns
        if late_ns > _REPORTED_HOLD_UP_NS:
            self._report_hold_up(late_ns)

    def _report_hold_up(self, held_up_ns: int) -> None:
        self.violations.add(HELD_UP, f"{held_up_ns / NS_PER_S:.3f} s")


def _excerpt(line: str) -> str:
    return quoted(line if len(line) <= _MAX_EXCERPT else f"{line[:_MAX_EXCERPT]}...")
