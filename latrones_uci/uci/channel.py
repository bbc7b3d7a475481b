"""Lines in, lines out: the engine's ends of its pipes."""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from io import RawIOBase

MOST_LINE_BYTES = 4 * 2**20
MOST_WAITING_BYTES = 16 * 2**20
"""So much of what lines take in memory may wait to be obeyed; of more nothing is read until some of them are."""
_CHUNK = 1 << 16
_LINE_BYTES = 300  # what a line takes beside its text


@dataclass(frozen=True)
class Line:
    """A line that was read.

    Attributes:
        text: without its end; bytes that are not UTF-8 stand as backslash escapes.
        read_ns: ``time.monotonic_ns()`` when its end had come.
        too_long: it was longer than ``MOST_LINE_BYTES``, and is cut.
    """

    text: str
    read_ns: int
    too_long: bool = False

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes, more or less."""
        return len(self.text) + _LINE_BYTES


class ChannelClosedError(Exception):
    """The other side has gone: end of input, or nobody reads the output."""


class Channel:
    """Reads lines in a thread of its own and writes whole blocks of lines from any thread."""

    def __init__(self, input_fd: int, output_fd: int, log: RawIOBase | None = None) -> None:
        """Takes two file descriptors, and an unbuffered file for a log of the traffic with timestamps."""
        self._input_fd, self._output_fd, self._log = input_fd, output_fd, log
        self._lines: queue.SimpleQueue[Line | Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._broken = False
        self._room, self._waiting_bytes = threading.Condition(), 0
        # A daemon that reads the descriptor, not `sys.stdin`, whose lock the interpreter would want at its exit.
        threading.Thread(target=self._read, name="input", daemon=True).start()

    def receive(self) -> Line:
        """Waits for a line, and meanwhile does what is posted.

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

    def post(self, action: Callable[[], None]) -> None:
        """Leaves something for the thread that receives, to be done in the order of the lines; from any thread."""
        self._lines.put(action)

    def send(self, lines: Iterable[str]) -> None:
        """Writes lines at once; after the reader has gone, writes nothing and closes the channel."""
        lines = list(lines)
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        with self._lock:
            if self._broken:
                return
            try:
                while data:
                    data = data[os.write(self._output_fd, data):]
            except OSError:
                self._broken = True
                self._lines.put(None)
                return
            self._record("<<", lines)

    def _record(self, arrow: str, texts: Iterable[str]) -> None:
        """Logs lines; a log that cannot be written, on a full disk say, ends and does not end the engine."""
        if self._log is None:
            return
        stamp = datetime.now(UTC).isoformat(timespec="microseconds")
        lines = "".join(f"{stamp} {arrow} {line}\n" for text in texts for line in text.split("\n"))
        try:
            self._log.write(lines.encode("utf-8", "backslashreplace"))
        except OSError:
            self._log = None

    def _read(self) -> None:
        pending = bytearray()
        skipping = False
        while chunk := self._read_chunk():
            now = time.monotonic_ns()
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                pending += end
                self._put(pending, now, skipping)
                pending, skipping = bytearray(), False
            pending += rest
            if len(pending) > MOST_LINE_BYTES:
                del pending[MOST_LINE_BYTES:]
                skipping = True
        if pending:
            self._put(pending, time.monotonic_ns(), skipping)
        self._lines.put(None)

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._input_fd, _CHUNK)
        except OSError:
            return b""  # a closed descriptor or terminal is the end of input

    def _put(self, data: bytearray, now: int, too_long: bool) -> None:
        text = data.decode("utf-8", "backslashreplace").rstrip("\r")
        line = Line(text, now, too_long or len(data) > MOST_LINE_BYTES)
        with self._room:
            self._room.wait_for(lambda: self._waiting_bytes < MOST_WAITING_BYTES)
            self._waiting_bytes += line.size
        self._lines.put(line)
