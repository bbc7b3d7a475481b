"""An engine as a child process: lines out, timed lines in. It needs POSIX: process groups, and ``poll`` on pipes."""

import os
import select
import shlex
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, NamedTuple

from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.client.guard import process_guard


@dataclass(frozen=True)
class EngineFault:
    """What was left of an engine that crashed or stalled.

    Attributes:
        exit_status: of its process, the negative number of the signal that killed it; None if it still ran, and had
            to be killed by the runner.
        stderr: the last lines that it wrote to its error output, each cut to some length.
    """

    exit_status: int | None
    stderr: tuple[str, ...]

_READ_BYTES = 32768
_UNREAD_LINES = 100
_STDERR_LINES = 20
_STDERR_LINE_BYTES = 1000
_STDERR_QUOTE = 160
_END_WAIT_S = 0.5
_END_POLL_MS = 2.0
_REAP_WAIT_S = 5.0
_NS_PER_S = 1_000_000_000
_NS_PER_MS = 1_000_000


class OutputLine(NamedTuple):
    """A complete line of the engine.

    Attributes:
        text: the line without its line feed, but with a carriage return or blanks; cut if it is very long, and bytes
            that are not UTF-8 are replaced.
        read_at_ns: ``time.monotonic_ns()`` when its last byte was read.
    """

    text: str
    read_at_ns: int


def parse_command(command: str | Sequence[str]) -> tuple[str, ...]:
    """The argument list of a command; a string is split as a shell would, but no shell is run.

    Raises:
        ValueError: an empty command, or quotes that do not close.
    """
    words = tuple(shlex.split(command) if isinstance(command, str) else command)
    if not words or not words[0]:
        raise ValueError("the command is empty")
    return words


class EngineProcess:
    """A running engine in a process group of its own, which ends at the latest with this program (see ``guard``).

    All is done in the calling thread, one at a time. Output is read only while an engine is written to or listened to,
    a bounded amount of it: one that floods is held up by its own full pipe.

    Attributes:
        closed: whether ``close`` has been called.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Starts the engine.

        Args:
            command: program and arguments; no shell is involved.
            directory: working directory of the engine, None for that of this program.
            environment: environment of the engine, None for that of this program; a mark is added to it.

        Raises:
            EngineStartError: it cannot be started.
        """
        try:
            self._guard = process_guard()
            self._popen = self._guard.start(command, directory, environment)
        except (OSError, ValueError) as error:
            raise EngineStartError(f"cannot start {shlex.join(command)!r}: {error}") from error
        self._pipes = [_open_pipe(pipe) for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr)]
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self._outputs = select.poll()
        self._open_outputs = {self._stdout, self._stderr}
        for descriptor in self._open_outputs:
            self._outputs.register(descriptor, select.POLLIN)
        self._splitter = LineSplitter()
        self._lines: deque[OutputLine] = deque()
        self._stderr_splitter = LineSplitter(_STDERR_LINE_BYTES)
        self._stderr_tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self.closed = False

    @property
    def process_id(self) -> int:
        """The id of the child and of its process group."""
        return self._popen.pid

    @property
    def exit_status(self) -> int | None:
        """How the child ended: its status, or the negative number of the signal; None while it runs.

        The child is not waited for by this, so that its id, and with it the group's, cannot be given to others.
        """
        if self._popen.returncode is not None or not hasattr(os, "waitid"):
            return self._popen.poll()
        try:
            ended = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # this program was started so that nobody waits for its children
            return self._popen.poll()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    @property
    def running(self) -> bool:
        """Whether the child has not ended."""
        return self.exit_status is None

    @property
    def unread(self) -> bool:
        """Whether lines have been taken from the pipe that ``read_line`` has not given out."""
        return bool(self._lines)

    def stderr_tail(self) -> list[str]:
        """The last lines that the engine wrote to its error output, each cut to some length."""
        partial = [self._stderr_splitter.partial] if self._stderr_splitter.partial else []
        return [*self._stderr_tail, *partial][-_STDERR_LINES:]

    def write_line(self, text: str, timeout_s: float) -> None:
        """Sends a line, or several with line feeds between them; returns when the pipe has taken all of it.

        Raises:
            EngineCrashError: the engine has closed its input.
            EngineStallError: the pipe stayed full.
        """
        if self.closed:
            raise EngineCrashError(self._describe_end())
        data = text.encode(errors="surrogateescape") + b"\n"
        if (written := self._write(data)) < len(data):
            self._write_slowly(memoryview(data)[written:], timeout_s)

    def read_line(self, timeout_s: float) -> OutputLine | None:
        """The next line, or None if none came within ``timeout_s`` seconds (0 or less: only what is there).

        Raises:
            EngineCrashError: every line was read, and the output or the process has ended.
        """
        if not self._lines:
            deadline_ns = time.monotonic_ns() + int(timeout_s * _NS_PER_S)
            left_ms = max(timeout_s * 1000, 0)
            while not self._lines:
                if self._stdout not in self._open_outputs:
                    raise EngineCrashError(self._describe_end())
                if not self._read_outputs(left_ms) and not self.running and not self._read_outputs(0):
                    # Ended, and all that it wrote has been read, though a process that it started holds its output.
                    raise EngineCrashError(self._describe_end())
                left_ms = (deadline_ns - time.monotonic_ns()) / _NS_PER_MS
                if left_ms <= 0 and not self._lines:
                    return None
        return self._lines.popleft()

    def close(self, grace_s: float) -> None:
        """Closes the engine's input, waits up to ``grace_s`` seconds for its end, then kills the whole group."""
        if self.closed:
            return
        self.closed = True
        with suppress(OSError):  # a broken pipe; it is closed all the same
            self._pipes[0].close()
        deadline = time.monotonic() + grace_s
        while self.running and (left_s := deadline - time.monotonic()) > 0:
            self._read_outputs(min(left_s * 1000, _END_POLL_MS))  # lest it be stuck on a full pipe
            self._lines.clear()
        # Neither error hides anyone alive: all have ended (macOS: ended, but are not yet waited for).
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._guard.forget(self._popen.pid)
        with suppress(subprocess.TimeoutExpired):  # killed, but stuck in the kernel: none of ours to wait for
            self._popen.wait(_REAP_WAIT_S)
        for pipe in self._pipes[1:]:
            pipe.close()
        self._open_outputs.clear()

    def _write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0
        except OSError:
            raise EngineCrashError(self._describe_end()) from None

    def _write_slowly(self, data: memoryview, timeout_s: float) -> None:
        """Writes to a full pipe; reads meanwhile, as the engine may not go on reading before it is read from."""
        begun_ns = time.monotonic_ns()
        deadline_ns = begun_ns + int(timeout_s * _NS_PER_S)
        while data:
            now_ns = time.monotonic_ns()
            if now_ns >= deadline_ns:
                raise EngineStallError("does not read its input", now_ns - begun_ns)
            waiting = select.poll()
            waiting.register(self._stdin, select.POLLOUT)
            if len(self._lines) < _UNREAD_LINES:
                for descriptor in self._open_outputs:
                    waiting.register(descriptor, select.POLLIN)
            for descriptor, _ in waiting.poll((deadline_ns - now_ns) / _NS_PER_MS):
                if descriptor == self._stdin:
                    data = data[self._write(data) :]
                else:
                    self._read_output(descriptor)

    def _read_outputs(self, timeout_ms: float) -> bool:
        """Waits for output and reads some; whether there was any, or the end of any."""
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
            read_at_ns = time.monotonic_ns()
            self._lines.extend([OutputLine(text, read_at_ns) for text in self._splitter.feed(data)])
        else:
            self._stderr_tail.extend(text.rstrip() for text in self._stderr_splitter.feed(data) if text.strip())

    def _describe_end(self) -> str:
        if self.closed:
            return "has been ended"
        errors = select.poll()
        if self._stderr in self._open_outputs:
            errors.register(self._stderr, select.POLLIN)
        deadline = time.monotonic() + _END_WAIT_S
        while (self.running or self._stderr in self._open_outputs) and time.monotonic() < deadline:
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
        return f"{end}: {printable(tail[-1][:_STDERR_QUOTE])}" if tail else end


def _open_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # the guard asks for all three
    os.set_blocking(pipe.fileno(), False)
    return pipe


# ---------------------------------------------------------------- line splitter
# Bytes as they arrive, cut into lines of bounded length.

LINE_LIMIT_BYTES = 65536


class LineSplitter:
    """Collects bytes and gives out complete lines.

    A line ends with a line feed, which is removed; a carriage return and blanks are kept. Of a line longer than the
    limit only the first ``limit_bytes`` bytes are kept, so that an engine cannot fill the memory. Bytes that are not
    UTF-8 become U+FFFD.
    """

    def __init__(self, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        """Begins with nothing collected."""
        self._limit_bytes = limit_bytes
        self._partial = b""

    @property
    def partial(self) -> str:
        """The line at the end that has no line feed yet, empty if there is none."""
        return self._partial.decode(errors="replace")

    def feed(self, data: bytes) -> list[str]:
        """The lines that ``data`` completes."""
        limit = self._limit_bytes
        if len(self._partial) >= limit:
            # Nothing is joined to a line that is full, or a flood without line feeds would cost a copy each time.
            full, self._partial = self._partial, b""
            if (end := data.find(b"\n")) < 0:
                self._partial = full
                return []
            data = full + data[end:]
        *complete, rest = (self._partial + data).split(b"\n")
        self._partial = rest[:limit]
        return [line[:limit].decode(errors="replace") for line in complete]


# ---------------------------------------------------------------- printable
# What engines say, made fit for terminals and files of lines.


def printable(text: str) -> str:
    """The text on one line, with an escape as Python writes it in place of each character that cannot be printed."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
