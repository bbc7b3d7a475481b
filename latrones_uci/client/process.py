"""An engine as a child process: write lines, read timestamped lines."""

import os
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from latrones_uci.client.child import ENDS_LINES_WITH_CRLF, start_child, start_problem, status_text
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.client.time_control import NS_PER_MS, NS_PER_S
from latrones_uci.text.clock import now_ns, now_s
from latrones_uci.text.command import join_command, split_command
from latrones_uci.text.messages import printable, quoted, with_byte_escapes


@dataclass(frozen=True)
class EngineFault:
    """The state of an engine after a crash or stall."""

    exit_status: int | None
    """Exit status of the process, or minus the number of the signal that killed it; None if it was still running and
    the runner had to kill it."""
    stderr: tuple[str, ...]
    """The last lines of its error output, each truncated."""

_UNREAD_LINES = 100
_STDERR_LINES = 20
_STDERR_LINE_BYTES = 1000
_STDERR_QUOTE = 160
_LAST_READS = 4  # enough to empty a full pipe
_END_WAIT_S = 0.5
_END_POLL_MS = 2.0
_REAP_WAIT_S = 5.0


class OutputLine(NamedTuple):
    """A complete line from the engine."""

    text: str
    """The line without its line feed and a carriage return before that, as Windows programs end lines; blanks are kept,
    invalid UTF-8 is replaced, and a very long line is truncated."""
    read_at_ns: int
    """``now_ns()`` when its last byte was read."""
    has_carriage_return: bool = False
    """Whether there was a carriage return."""

    @classmethod
    def of(cls, written: str, read_at_ns: int) -> "OutputLine":
        return cls(written.removesuffix("\r"), read_at_ns, written.endswith("\r"))

    @property
    def written(self) -> str:
        """The line as it was written, for judging its form."""
        return self.text + "\r" * self.has_carriage_return


class Transport(Protocol):
    """What a controller needs of a running engine; ``EngineProcess`` has the contracts."""

    @property
    def process_id(self) -> int: ...
    @property
    def exit_status(self) -> int | None: ...
    @property
    def running(self) -> bool: ...
    @property
    def lines(self) -> deque[OutputLine]: ...
    @property
    def closed(self) -> bool: ...
    @property
    def error_bytes(self) -> int: ...
    @property
    def unfinished_line(self) -> str: ...
    @property
    def suspended(self) -> bool: ...
    @property
    def usage(self) -> "Usage | None": ...
    def now_ns(self) -> int: ...
    def stderr_tail(self) -> list[str]: ...
    def write_line(self, text: str, timeout_s: float) -> None: ...
    def read_line(self, timeout_s: float) -> OutputLine | None: ...
    def read_available(self) -> None: ...
    def close(self, grace_s: float) -> None: ...


def parse_command(command: str | Sequence[str]) -> tuple[str, ...]:
    """Return the argument list of a command. A string is split as by ``split_command``; no shell is run.

    Raises:
        ValueError: the command is empty, or a quotation mark is not closed.
    """
    words = tuple(split_command(command) if isinstance(command, str) else command)
    if not words or not words[0]:
        raise ValueError("empty; expected a program")
    return words


class EngineProcess:
    """A running engine, which ends with this program at the latest, as do all processes that it starts.

    All work is done in the calling thread; use one thread at a time. Output is read only during calls, and in bounded
    amounts: an engine that floods its output blocks on a full pipe.
    """

    def __init__(
        self, command: Sequence[str], *, directory: str | None = None, environment: Mapping[str, str] | None = None,
        on_error_line: Callable[[str], None] | None = None
    ) -> None:
        """Start the engine; no shell is run.

        ``directory`` and ``environment`` are those of this program if they are None. ``on_error_line`` is called with
        each line of the error output when it is read, truncated if it is very long.

        Raises:
            EngineStartError: the engine cannot be started.
        """
        try:
            self._child = start_child(command, directory, environment)
        except (OSError, ValueError) as error:
            named, problem = repr(join_command(command)), start_problem(error, command, directory)
            raise EngineStartError(f"cannot start {with_byte_escapes(named)}: {problem}") from error
        self._splitter = LineSplitter()
        self.lines: deque[OutputLine] = deque()
        """The lines that have been read from the pipe, and that ``read_line`` has not returned yet."""
        self._stderr_splitter = LineSplitter(_STDERR_LINE_BYTES)
        self._stderr_tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self._on_error_line = on_error_line
        self.closed = False
        """Whether ``close`` has been called."""
        self.error_bytes = 0
        """The number of bytes that have been read from the error output."""
        self._owner = os.getpid()
        # Now, as nothing can be imported at exit.
        self._named = f"engine {quoted(join_command(command))} (process {self.process_id})"

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            if self._owner == os.getpid():
                warnings.warn(f"{self._named} was not closed", ResourceWarning, stacklevel=1, source=self)
            self.close(0)

    @property
    def process_id(self) -> int:
        return self._child.process_id

    @property
    def exit_status(self) -> int | None:
        """The exit status of the child, or minus the number of the signal that killed it; None while it runs."""
        return self._child.exit_status

    @property
    def running(self) -> bool:
        return self.exit_status is None

    @property
    def unfinished_line(self) -> str:
        """The beginning of the last line of the output if it has no line feed yet, else an empty string."""
        return self._splitter.partial

    @property
    def suspended(self) -> bool:
        """Whether the child is stopped by a signal or a debugger; False if the system does not say."""
        return self._child.suspended

    @property
    def usage(self) -> "Usage | None":
        """What the engine and the processes that it started use together; None if the system does not say."""
        usage = self._child.usage()
        return Usage(*usage) if usage is not None else None

    now_ns = staticmethod(now_ns)
    """Returns the time on the clock of ``OutputLine.read_at_ns``, on which all deadlines are."""

    def stderr_tail(self) -> list[str]:
        """Return the last lines of the engine's error output, each truncated."""
        partial = [self._stderr_splitter.partial] if self._stderr_splitter.partial else []
        return [*self._stderr_tail, *partial][-_STDERR_LINES:]

    def write_line(self, text: str, timeout_s: float) -> None:
        """Write one or more lines, separated by line feeds; return when the pipe has accepted all of it.

        Raises:
            EngineCrashError: the engine has closed its input.
            EngineStallError: the pipe stays full.
        """
        if self.closed:
            raise EngineCrashError(self._describe_end())
        data = text.encode(errors="surrogateescape") + b"\n"
        if (written := self._write(data)) < len(data):
            self._write_slowly(memoryview(data)[written:], timeout_s)

    def read_line(self, timeout_s: float) -> OutputLine | None:
        """Return the next line, or None if there is none within ``timeout_s`` seconds (0 or less: do not wait).

        Raises:
            EngineCrashError: all lines have been read, and the output is closed or the process has ended.
        """
        if not self.lines:
            deadline_ns = now_ns() + int(timeout_s * NS_PER_S)
            left_ms = max(timeout_s * 1000, 0)
            read = self._child.read
            while not self.lines:
                if not self._child.output_open:
                    raise EngineCrashError(self._describe_end())
                if not self._take(read(left_ms)) and not self.running and not self._take(read(0)):
                    # The engine has ended and all its output has been read, but a child of it keeps the pipe open.
                    raise EngineCrashError(self._describe_end())
                left_ms = (deadline_ns - now_ns()) / NS_PER_MS
                if left_ms <= 0 and not self.lines:
                    return None
        return self.lines.popleft()

    def read_available(self) -> None:
        """Read some output without waiting, into ``lines``."""
        if len(self.lines) < _UNREAD_LINES:
            self._take(self._child.read(0))

    def close(self, grace_s: float) -> None:
        """Close the engine's input, wait up to ``grace_s`` seconds for its end, then kill all of its group.

        In a fork of the process that started the engine, only close the fork's copies of the pipes.
        """
        if self.closed:
            return
        self.closed = True
        if self._owner != os.getpid():
            self._child.close()
            return
        self._child.close_input()
        deadline = now_s() + grace_s
        while self.running and (left_s := deadline - now_s()) > 0:
            self._take(self._child.read(min(left_s * 1000, _END_POLL_MS)))  # a full pipe would block the engine
            self.lines.clear()
        self._child.kill(_REAP_WAIT_S)
        self._read_last_errors()
        self._child.close()

    def _read_last_errors(self) -> None:
        """Read what the killed processes have left in the pipe, and report a last line without a line feed."""
        for _ in range(_LAST_READS):
            if self._child.errors_open:
                self._take(self._child.exchange(0, write=False, output=False))
        if self._stderr_splitter.partial.strip() and self._on_error_line is not None:
            self._on_error_line(self._stderr_splitter.partial.rstrip())

    def _write(self, data: bytes | memoryview) -> int:
        try:
            return self._child.write(data)
        except OSError:
            raise EngineCrashError(self._describe_end()) from None

    def _write_slowly(self, data: memoryview, timeout_s: float) -> None:
        """Write to a full pipe, and read meanwhile: the engine may read its input only when its output is read."""
        start_ns = now_ns()
        deadline_ns = start_ns + int(timeout_s * NS_PER_S)
        while data:
            looked_ns = now_ns()
            if looked_ns >= deadline_ns:
                raise EngineStallError("does not read its input", looked_ns - start_ns)
            output = len(self.lines) < _UNREAD_LINES
            self._take(self._child.exchange((deadline_ns - looked_ns) / NS_PER_MS, write=True, output=output))
            data = data[self._write(data) :]

    def _take(self, pieces: list[tuple[bool, bytes]]) -> bool:
        """Take what was read; return whether there was output or an end of file."""
        for is_error, data in pieces:
            if not is_error:
                read_at_ns = now_ns()
                lines = self._splitter.feed(data)
                if ENDS_LINES_WITH_CRLF:  # then it is no peculiarity of this engine
                    lines = [text.removesuffix("\r") for text in lines]
                for text in lines:
                    self.lines.append(OutputLine.of(text, read_at_ns) if "\r" in text else OutputLine(text, read_at_ns))
                continue
            self.error_bytes += len(data)
            for text in self._stderr_splitter.feed(data):
                if text.strip():
                    self._stderr_tail.append(text.rstrip())
                    if self._on_error_line is not None:
                        self._on_error_line(text.rstrip())
        return bool(pieces)

    def _describe_end(self) -> str:
        if self.closed:
            return "was closed"
        deadline = now_s() + _END_WAIT_S
        while (self.running or self._child.errors_open) and now_s() < deadline:
            self._take(self._child.exchange(_END_POLL_MS, write=False, output=False))
        status = self.exit_status
        if status is None:
            end = "closed a pipe without ending"
        else:
            end = f"killed by signal {-status}" if status < 0 else f"ended with status {status_text(status)}"
        tail = self.stderr_tail()
        end += f": {printable(tail[-1][:_STDERR_QUOTE])}" if tail else ""
        if problem := self._child.end_problem():
            end += f" ({problem})"
        return end


@dataclass(frozen=True)
class Usage:
    """What processes use."""

    resident_bytes: int
    """Resident memory, including shared memory."""
    runnable_s: float
    """The time so far for which their threads used a processor or, if the system says that, waited for one."""


LINE_LIMIT_BYTES = 65536


class LineSplitter:
    """Splits incoming bytes into complete lines.

    A line ends with a line feed, which is removed; carriage returns and blanks are kept. A line is truncated to
    ``limit_bytes`` bytes, so that an engine cannot exhaust the memory. Invalid UTF-8 becomes U+FFFD.
    """

    def __init__(self, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        """Start with no bytes."""
        self._limit_bytes = limit_bytes
        self._partial = b""

    @property
    def partial(self) -> str:
        """The last line if it has no line feed yet, else an empty string."""
        return self._partial.decode(errors="replace")

    def feed(self, data: bytes) -> list[str]:
        """Add bytes and return the lines that they complete."""
        limit = self._limit_bytes
        if len(self._partial) >= limit:
            # Discard the rest of a line that has reached the limit; appending to it would copy it each time.
            full, self._partial = self._partial, b""
            if (end := data.find(b"\n")) < 0:
                self._partial = full
                return []
            data = full + data[end:]
        if not self._partial and len(data) <= limit and data[-1:] == b"\n":  # nearly always
            return data[:-1].decode(errors="replace").split("\n")
        *complete, rest = (self._partial + data).split(b"\n")
        self._partial = rest[:limit]
        return [line[:limit].decode(errors="replace") for line in complete]
