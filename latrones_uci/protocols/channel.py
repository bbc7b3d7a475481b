"""Read and write lines: the engine's ends of its pipes."""

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from io import RawIOBase
from typing import NamedTuple

from latrones_uci.text.clock import now_ns
from latrones_uci.text.messages import VISIBLE_BYTES, quoted

MAX_LINE_BYTES = 4 * 2**20
MAX_WAITING_BYTES = 16 * 2**20
"""Limit on the memory of lines that wait to be obeyed; above it, reading pauses."""
_CHUNK = 1 << 16
_LINE_BYTES = 300  # memory of a line in addition to its text


class Line(NamedTuple):
    """A line that was read."""

    text: str
    """The line without its end, at most its first ``MAX_LINE_BYTES``; bytes that are not UTF-8 are lone surrogates,
    as in file names.
    """
    read_ns: int
    """``now_ns()`` when the end of the line was read."""
    cut_bytes: int = 0
    """Number of bytes beyond ``MAX_LINE_BYTES``, which are dropped."""

    @property
    def problem(self) -> str:
        """What is wrong with a line that was cut; empty for any other."""
        if not self.cut_bytes:
            return ""
        length = f"{MAX_LINE_BYTES + self.cut_bytes} bytes"
        return f"{quoted(self.text, length)}: line too long; expected at most {MAX_LINE_BYTES} bytes"

    @property
    def size(self) -> int:
        """Approximate memory of the line, in bytes."""
        return len(self.text) + _LINE_BYTES


class WaitingLines(deque[Line]):
    """Lines that wait for the end of a search."""

    waiting_bytes = 0
    """Memory of the lines, at most ``MAX_WAITING_BYTES``."""

    def put(self, line: Line) -> bool:
        """Add a line, unless there is too little memory; return whether it was added."""
        if self.waiting_bytes + line.size > MAX_WAITING_BYTES:
            return False
        self.append(line)
        self.waiting_bytes += line.size
        return True

    def take(self) -> Line:
        """Remove the first line and return it, as if it was read now."""
        line = self.popleft()
        self.waiting_bytes -= line.size
        return line._replace(read_ns=now_ns())


class ChannelClosedError(Exception):
    """The controller is gone: end of input, or the output is closed."""


class Channel:
    """Reads lines in its own thread and writes whole blocks of lines from any thread."""

    def __init__(self, input_fd: int, output_fd: int, log: RawIOBase | None = None) -> None:
        """Use two file descriptors, and an unbuffered file for a log of the traffic with timestamps."""
        self._input_fd, self._output_fd, self._log = input_fd, output_fd, log
        self._lines: queue.SimpleQueue[Line | Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._begun = False
        self.failure: OSError | None = None
        """Why nothing can be written any more; None while it can."""
        self._room, self._waiting_bytes = threading.Condition(), 0
        # A daemon thread. It reads the descriptor, not `sys.stdin`, whose lock the interpreter needs at exit.
        threading.Thread(target=self._read, name="input", daemon=True).start()

    def receive(self) -> Line:
        """Wait for a line; run the actions that are posted meanwhile.

        Raises:
            ChannelClosedError: end of input, or the output was closed.
        """
        while callable(line := self._lines.get()):
            line()
        if line is None:
            raise ChannelClosedError
        with self._room:
            self._waiting_bytes -= line.size
            self._room.notify()
        with self._lock:
            self._record(">>", [line.text])
        return line

    def run_posted(self) -> None:
        """Wait for the next posted action and run it; for the end of input, when no lines follow.

        Raises:
            ChannelClosedError: the output was closed.
        """
        action = None if self.failure else self._lines.get()
        if not callable(action):
            raise ChannelClosedError
        action()

    def post(self, action: Callable[[], None]) -> None:
        """Queue an action for the receiving thread, which runs it in order with the lines. Thread-safe."""
        self._lines.put(action)

    def send(self, lines: Iterable[str]) -> None:
        """Write lines at once. If the reader is gone, write nothing and close the channel."""
        lines = list(lines)
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", VISIBLE_BYTES)
        with self._lock:
            if self.failure:
                return
            try:
                while data:
                    data = data[os.write(self._output_fd, data):]
            except OSError as error:
                self.failure = error
                self._lines.put(None)
                return
            self._record("<<", lines)

    def _record(self, arrow: str, texts: Iterable[str]) -> None:
        """Log lines. An error, such as a full disk, ends the log, not the engine."""
        if self._log is None:
            return
        from datetime import UTC, datetime  # only for a log, so that the engine starts faster

        stamp = datetime.now(UTC).isoformat(timespec="microseconds")
        lines = "".join(f"{stamp} {arrow} {line}\n" for text in texts for line in text.split("\n"))
        try:
            self._log.write(lines.encode("utf-8", VISIBLE_BYTES))
        except OSError:
            self._log = None

    def _read(self) -> None:
        pending, dropped = bytearray(), 0
        while chunk := self._read_chunk():
            now = now_ns()
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                pending += end
                self._put(pending, now, dropped)
                pending, dropped = bytearray(), 0
            pending += rest
            dropped += _cut(pending)
        if pending:
            self._put(pending, now_ns(), dropped)
        self._lines.put(None)

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._input_fd, _CHUNK)
        except OSError:
            return b""  # treat a closed descriptor or terminal as the end of input

    def _put(self, data: bytearray, now: int, dropped: int) -> None:
        dropped += _cut(data)
        text = data.decode("utf-8", "surrogateescape").rstrip("\r")
        if not self._begun:
            text, self._begun = text.removeprefix("\ufeff"), True  # some tools begin a file with a byte order mark
        line = Line(text, now, dropped)
        with self._room:
            self._room.wait_for(lambda: self._waiting_bytes < MAX_WAITING_BYTES)
            self._waiting_bytes += line.size
        self._lines.put(line)


def _cut(data: bytearray) -> int:
    """Cut a line to its maximum length, and return how many bytes that dropped."""
    excess = max(0, len(data) - MAX_LINE_BYTES)
    del data[len(data) - excess:]
    return excess
