"""An engine as a child process: write lines, read timestamped lines. Requires POSIX process groups and ``poll``."""

import errno
import os
import select
import shlex
import shutil
import signal
import subprocess
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.client.guard import process_guard
from latrones_uci.client.time_control import NS_PER_MS, NS_PER_S
from latrones_uci.text.clock import now_ns, now_s
from latrones_uci.text.messages import printable, quoted, reason, with_byte_escapes


def processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@dataclass(frozen=True)
class EngineFault:
    """The state of an engine after a crash or stall."""

    exit_status: int | None
    """Exit status of the process, or minus the number of the signal that killed it; None if it was still running and
    the runner had to kill it."""
    stderr: tuple[str, ...]
    """The last lines of its error output, each truncated."""

_READ_BYTES = 32768
_UNREAD_LINES = 100
_STAT_BYTES = 4096
_STDERR_LINES = 20
_STDERR_LINE_BYTES = 1000
_STDERR_QUOTE = 160
_LAST_READS = 4  # enough to empty a full pipe
_END_WAIT_S = 0.5
_END_POLL_MS = 2.0
_REAP_WAIT_S = 5.0
_FIRST_LINE_BYTES = 256
_NOT_FOUND_STATUS = 127  # of env, for an interpreter that it does not find


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
    def unread(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    @property
    def error_bytes(self) -> int: ...
    @property
    def unfinished_line(self) -> str: ...
    @property
    def suspended(self) -> bool: ...
    def now_ns(self) -> int: ...
    def stderr_tail(self) -> list[str]: ...
    def write_line(self, text: str, timeout_s: float) -> None: ...
    def read_line(self, timeout_s: float) -> OutputLine | None: ...
    def read_available(self) -> None: ...
    def close(self, grace_s: float) -> None: ...


def parse_command(command: str | Sequence[str]) -> tuple[str, ...]:
    """Return the argument list of a command. A string is split as a shell would, but no shell is run.

    Raises:
        ValueError: the command is empty, or a quotation mark is not closed.
    """
    words = tuple(shlex.split(command) if isinstance(command, str) else command)
    if not words or not words[0]:
        raise ValueError("empty; expected a program")
    return words


class EngineProcess:
    """A running engine in its own process group, which ends with this program at the latest (see ``guard``).

    All work is done in the calling thread; use one thread at a time. Output is read only during calls, and in bounded
    amounts: an engine that floods its output blocks on a full pipe.
    """

    def __init__(
        self, command: Sequence[str], *, directory: str | None = None, environment: Mapping[str, str] | None = None,
        on_error_line: Callable[[str], None] | None = None
    ) -> None:
        """Start the engine; no shell is run, and the guard's mark is added to the environment.

        ``directory`` and ``environment`` are those of this program if they are None. ``on_error_line`` is called with
        each line of the error output when it is read, truncated if it is very long.

        Raises:
            EngineStartError: the engine cannot be started.
        """
        try:
            self._guard = process_guard()
            self._popen = self._guard.start(command, directory, environment)
        except (OSError, ValueError) as error:
            problem = _start_problem(error, command, directory)
            raise EngineStartError(f"cannot start {with_byte_escapes(repr(shlex.join(command)))}: {problem}") from error
        self._pipes = [_open_pipe(pipe) for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr)]
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self._outputs = select.poll()
        self._open_outputs = {self._stdout, self._stderr}
        for descriptor in self._open_outputs:
            self._outputs.register(descriptor, select.POLLIN)
        self._splitter = LineSplitter()
        self._lines: deque[OutputLine] = deque()
        self._stderr_splitter = LineSplitter(_STDERR_LINE_BYTES)
        self._command, self._directory = command, directory
        self._stderr_tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self._on_error_line = on_error_line
        self.closed = False
        """Whether ``close`` has been called."""
        self.error_bytes = 0
        """The number of bytes that have been read from the error output."""
        self._owner = os.getpid()
        self._named = f"engine {quoted(shlex.join(command))} (process {self.process_id})"  # nothing is imported at exit

    def __del__(self) -> None:
        if not getattr(self, "closed", True):
            if self._owner == os.getpid():
                warnings.warn(f"{self._named} was not closed", ResourceWarning, stacklevel=1, source=self)
            self.close(0)

    @property
    def process_id(self) -> int:
        return self._popen.pid

    @property
    def exit_status(self) -> int | None:
        """The exit status of the child, or minus the number of the signal that killed it; None while it runs.

        This does not reap the child, so the system cannot reuse its id, which is also that of its process group.
        """
        if self._popen.returncode is not None or not hasattr(os, "waitid"):
            return self._popen.poll()
        try:
            ended = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # SIGCHLD is ignored, so the system reaps the children
            return self._popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    @property
    def running(self) -> bool:
        return self.exit_status is None

    @property
    def unread(self) -> bool:
        """Whether lines have been read from the pipe that ``read_line`` has not returned yet."""
        return bool(self._lines)

    @property
    def unfinished_line(self) -> str:
        """The beginning of the last line of the output if it has no line feed yet, else an empty string."""
        return self._splitter.partial

    @property
    def suspended(self) -> bool:
        """Whether the child is stopped by a signal or a debugger; False if the system does not say."""
        with suppress(OSError), open(f"/proc/{self._popen.pid}/stat", "rb") as file:
            return file.read(_STAT_BYTES).rpartition(b") ")[2][:1] in (b"T", b"t")
        return False

    def now_ns(self) -> int:
        """Return the time on the clock of ``OutputLine.read_at_ns``, on which all deadlines are."""
        return now_ns()

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
        if not self._lines:
            deadline_ns = now_ns() + int(timeout_s * NS_PER_S)
            left_ms = max(timeout_s * 1000, 0)
            while not self._lines:
                if self._stdout not in self._open_outputs:
                    raise EngineCrashError(self._describe_end())
                if not self._read_outputs(left_ms) and not self.running and not self._read_outputs(0):
                    # The engine has ended and all its output has been read, but a child of it keeps the pipe open.
                    raise EngineCrashError(self._describe_end())
                left_ms = (deadline_ns - now_ns()) / NS_PER_MS
                if left_ms <= 0 and not self._lines:
                    return None
        return self._lines.popleft()

    def read_available(self) -> None:
        """Read some output without waiting; ``unread`` then says if there are lines, and ``read_line`` returns them."""
        if len(self._lines) < _UNREAD_LINES:
            self._read_outputs(0)

    def close(self, grace_s: float) -> None:
        """Close the engine's input, wait up to ``grace_s`` seconds for its end, then kill the whole process group.

        In a fork of the process that started the engine, only close the fork's copies of the pipes.
        """
        if self.closed:
            return
        self.closed = True
        if self._owner != os.getpid():
            for pipe in self._pipes:
                pipe.close()
            self._open_outputs.clear()
            self._popen.returncode = 0  # the process that started it waits for it
            return
        with suppress(OSError):  # closing a broken pipe raises an error, but closes it
            self._pipes[0].close()
        deadline = now_s() + grace_s
        while self.running and (left_s := deadline - now_s()) > 0:
            self._read_outputs(min(left_s * 1000, _END_POLL_MS))  # a full pipe would block the engine
            self._lines.clear()
        # Both errors mean that all processes of the group have ended (on macOS, that they have not been reaped yet).
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._guard.forget(self._popen.pid)
        with suppress(subprocess.TimeoutExpired):  # killed, but blocked in the kernel
            self._popen.wait(_REAP_WAIT_S)
        self._read_last_errors()
        for pipe in self._pipes[1:]:
            pipe.close()
        self._open_outputs.clear()

    def _read_last_errors(self) -> None:
        """Read what the killed processes have left in the pipe, and report a last line without a line feed."""
        for _ in range(_LAST_READS):
            with suppress(BlockingIOError):
                if self._stderr in self._open_outputs:
                    self._read_output(self._stderr)
        if self._stderr_splitter.partial.strip() and self._on_error_line is not None:
            self._on_error_line(self._stderr_splitter.partial.rstrip())

    def _write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0
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
            ready = select.poll()
            ready.register(self._stdin, select.POLLOUT)
            if len(self._lines) < _UNREAD_LINES:
                for descriptor in self._open_outputs:
                    ready.register(descriptor, select.POLLIN)
            for descriptor, _ in ready.poll((deadline_ns - looked_ns) / NS_PER_MS):
                if descriptor == self._stdin:
                    data = data[self._write(data) :]
                else:
                    self._read_output(descriptor)

    def _read_outputs(self, timeout_ms: float) -> bool:
        """Wait for output and read some of it; return whether there was output or an end of file."""
        ready = self._outputs.poll(timeout_ms)
        for descriptor, _ in ready:
            self._read_output(descriptor)
        return bool(ready)

    def _read_output(self, descriptor: int) -> None:
        data = os.read(descriptor, _READ_BYTES)
        if not data:
            self._open_outputs.discard(descriptor)
            self._outputs.unregister(descriptor)
        elif descriptor == self._stdout:
            read_at_ns = now_ns()
            self._lines.extend([OutputLine.of(text, read_at_ns) for text in self._splitter.feed(data)])
        else:
            self.error_bytes += len(data)
            for text in self._stderr_splitter.feed(data):
                if text.strip():
                    self._stderr_tail.append(text.rstrip())
                    if self._on_error_line is not None:
                        self._on_error_line(text.rstrip())

    def _describe_end(self) -> str:
        if self.closed:
            return "was closed"
        errors = select.poll()
        if self._stderr in self._open_outputs:
            errors.register(self._stderr, select.POLLIN)
        deadline = now_s() + _END_WAIT_S
        while (self.running or self._stderr in self._open_outputs) and now_s() < deadline:
            for descriptor, _ in errors.poll(_END_POLL_MS):
                self._read_output(descriptor)
                if descriptor not in self._open_outputs:
                    errors.unregister(descriptor)
        status = self.exit_status
        if status is None:
            end = "closed a pipe without ending"
        else:
            end = f"killed by signal {-status}" if status < 0 else f"ended with status {status}"
        tail = self.stderr_tail()
        end += f": {printable(tail[-1][:_STDERR_QUOTE])}" if tail else ""
        if status == _NOT_FOUND_STATUS and (problem := _script_problem(self._command[0], self._directory)):
            end += f" ({problem})"
        return end


@dataclass(frozen=True)
class Usage:
    """What a process group uses: resident memory, including shared memory, and processor time so far."""

    resident_bytes: int
    processor_s: float


def group_usage(group_id: int) -> Usage | None:
    """Return what the processes of a group use together; None if the system has no ``/proc``."""
    pages = ticks = found = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The program name, in brackets, may contain blanks and brackets: see proc(5).
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended in the meantime
        if len(fields) > 21 and int(fields[2]) == group_id:
            found += 1
            ticks += int(fields[11]) + int(fields[12])
            pages += int(fields[21])
    if not found:
        return None
    return Usage(pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))


def _start_problem(error: Exception, command: Sequence[str], directory: str | None) -> str:
    if isinstance(error, OSError) and directory is not None and error.filename == directory:
        return f"directory {quoted(directory)}: {reason(error)}"
    problem = ""
    if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOEXEC):
        problem = _script_problem(command[0], directory)
    return problem or reason(error)


def _script_problem(program: str, directory: str | None) -> str:
    """Return why the system cannot run a file that exists, empty if that is not known."""
    path = os.path.join(directory or "", program) if os.sep in program else shutil.which(program)
    try:
        with open(path or "", "rb") as file:
            first = file.read(_FIRST_LINE_BYTES).partition(b"\n")[0].decode(errors="replace")
    except OSError:
        return ""
    if not first.startswith("#!"):
        return f"not a program; a script needs a first line such as {quoted('#!/usr/bin/env python3')}"
    if first.endswith("\r"):
        return f"its first line, {quoted(first)}, ends in a carriage return; expected a line feed alone"
    interpreter = first[2:].split()[:1]
    if not interpreter or not os.path.exists(interpreter[0]):
        return f"its interpreter, in the first line {quoted(first)}, does not exist"
    return ""


def _open_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # the guard opens all three pipes
    os.set_blocking(pipe.fileno(), False)
    return pipe


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
        *complete, rest = (self._partial + data).split(b"\n")
        self._partial = rest[:limit]
        return [line[:limit].decode(errors="replace") for line in complete]
