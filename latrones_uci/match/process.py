"""An engine as a child process: lines out, timed lines in."""

import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from latrones_uci.match.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.match.line_splitter import LineSplitter

_POSIX = os.name == "posix"
_READ_BYTES = 65536
_QUEUE_LINES = 4096
_STDERR_LINES = 20
_STDERR_QUOTE = 160
_EXIT_STATUS_WAIT_S = 0.5
_LAST_OUTPUT_WAIT_S = 0.2
_THREAD_JOIN_S = 1.0


@dataclass(frozen=True)
class OutputLine:
    """A complete line of the engine.

    Attributes:
        text: the line without its end and trailing blanks; bytes that are not UTF-8 are replaced.
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
    """A running engine in a process group of its own.

    A thread reads each output pipe. At most a few thousand lines wait unread: an engine that floods is held up
    by its own full pipe. On Windows there are no process groups, and a write to an engine that does not read
    may block; all else is the same.
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
            environment: environment of the engine, None for that of this program.

        Raises:
            EngineStartError: it cannot be started.
        """
        try:
            self._popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory,
                env=environment,
                start_new_session=_POSIX,
            )
        except (OSError, ValueError) as error:
            raise EngineStartError(f"cannot start {shlex.join(command)!r}: {error}") from error
        self._stdin = _pipe(self._popen.stdin)
        self._stdout = _pipe(self._popen.stdout)
        self._stderr = _pipe(self._popen.stderr)
        if _POSIX:
            os.set_blocking(self._stdin.fileno(), False)
        self._lines: queue.Queue[OutputLine | None] = queue.Queue(_QUEUE_LINES)
        self._stderr_tail: deque[str] = deque(maxlen=_STDERR_LINES)
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=self._read_stdout, name="engine stdout", daemon=True),
            threading.Thread(target=self._read_stderr, name="engine stderr", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def process_id(self) -> int:
        """The id of the child, and on POSIX of its process group."""
        return self._popen.pid

    @property
    def running(self) -> bool:
        """Whether the child has not ended."""
        return self._popen.poll() is None

    def stderr_tail(self) -> list[str]:
        """The last lines that the engine wrote to its error output."""
        return list(self._stderr_tail)

    def write_line(self, text: str, timeout_s: float) -> None:
        """Sends a line; returns when the pipe has taken all of it.

        Raises:
            EngineCrashError: the engine has closed its input.
            EngineStallError: the pipe stayed full.
        """
        data = memoryview(text.encode() + b"\n")
        begun = time.monotonic_ns()
        while data:
            try:
                data = data[os.write(self._stdin.fileno(), data) :]
            except BlockingIOError:
                elapsed_ns = time.monotonic_ns() - begun
                if elapsed_ns > timeout_s * 1e9:
                    raise EngineStallError("does not read its input", elapsed_ns) from None
                time.sleep(0.001)
            except (OSError, ValueError):
                raise EngineCrashError(self._describe_end()) from None

    def read_line(self, timeout_s: float) -> OutputLine | None:
        """The next line, or None if none came within ``timeout_s`` seconds (0 or less: only what is there).

        Raises:
            EngineCrashError: every line was read, and the output or the process has ended.
        """
        try:
            line = self._lines.get(timeout=timeout_s) if timeout_s > 0 else self._lines.get_nowait()
        except queue.Empty:
            if timeout_s <= 0 or self.running:
                return None
            # Ended, but a process that it started holds its output open; what it wrote itself may be under way.
            try:
                line = self._lines.get(timeout=_LAST_OUTPUT_WAIT_S)
            except queue.Empty:
                line = None
        if line is None:
            self._lines.put(None)  # so that the next call finds the end as well
            raise EngineCrashError(self._describe_end())
        return line

    def close(self, grace_s: float) -> None:
        """Closes the engine's input, waits up to ``grace_s`` seconds for its end, then kills the whole group."""
        self._closing.set()
        with suppress(OSError):  # a broken pipe; it is closed all the same
            self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(max(grace_s, 0))
        self._kill_group()
        self._popen.wait()
        for thread, pipe in zip(self._threads, (self._stdout, self._stderr), strict=True):
            thread.join(_THREAD_JOIN_S)
            if not thread.is_alive():  # alive: some process outside the group holds the pipe open
                pipe.close()

    def _kill_group(self) -> None:
        if _POSIX:
            # Neither error hides anyone alive: all have ended (macOS: ended, but are not yet waited for).
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        else:
            self._popen.kill()

    def _describe_end(self) -> str:
        try:
            status = self._popen.wait(_EXIT_STATUS_WAIT_S)
        except subprocess.TimeoutExpired:
            end = "closed a pipe without ending"
        else:
            end = f"killed by signal {-status}" if status < 0 else f"ended with status {status}"
            self._threads[1].join(_EXIT_STATUS_WAIT_S)
        tail = self.stderr_tail()
        return f"{end}: {tail[-1][:_STDERR_QUOTE]}" if tail else end

    def _read_stdout(self) -> None:
        splitter = LineSplitter()
        while data := self._read(self._stdout):
            read_at_ns = time.monotonic_ns()
            for text in splitter.feed(data):
                self._enqueue(OutputLine(text, read_at_ns))
        self._enqueue(None)

    def _read_stderr(self) -> None:
        splitter = LineSplitter()
        while data := self._read(self._stderr):
            self._stderr_tail.extend(text for text in splitter.feed(data) if text)

    def _read(self, pipe: IO[bytes]) -> bytes:
        try:
            return os.read(pipe.fileno(), _READ_BYTES)
        except (OSError, ValueError):
            return b""

    def _enqueue(self, line: OutputLine | None) -> None:
        while not self._closing.is_set():
            try:
                self._lines.put(line, timeout=0.1)
            except queue.Full:
                continue
            return


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # Popen was asked for all three
    return pipe
