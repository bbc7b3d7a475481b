"""The traffic between the runner and its engines as a file, from which a lost game can be played again."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from latrones_uci.client.process import printable
from latrones_uci.game import quoted

_LONGEST_LINE = 65536
_MOST_LINES_UNASKED = 10_000


class TrafficLog:
    """A text file with a line for each line sent and received; all engines and threads share it.

    ``   1.234567 >> NAME[PID]: TEXT``: seconds since the log was opened, by the monotonic clock; ``>>`` to the engine,
    ``<<`` from it, ``--`` for what the runner has to remark. Text that cannot be printed is escaped as in Python, long
    lines are cut, and of an engine that floods only so many lines are kept until it is next spoken to. Every line is
    written out at once. A file that cannot be written any more, on a full disk say, ends, and does not end the games.
    """

    def __init__(self, path: Path, complain: Callable[[str], None]) -> None:
        """Opens the file and appends to it.

        Args:
            path: of the file.
            complain: told, in whatever thread, when the file cannot be written any more.

        Raises:
            OSError: it cannot be opened.
        """
        self._path, self._complain, self._ended = path, complain, False
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()
        self._begun_ns = time.monotonic_ns()
        self._unasked: dict[int, int] = {}
        self._write(self._begun_ns, f"-- log begins at {time.strftime('%Y-%m-%dT%H:%M:%S%z')}")

    def sent(self, name: str, process_id: int, text: str) -> None:
        """Notes a line that was sent just now."""
        with self._lock:
            self._unasked[process_id] = 0
            self._write(time.monotonic_ns(), f">> {name}[{process_id}]: {_noted(text)}")

    def received(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        """Notes a line of an engine, with the time at which it was read."""
        with self._lock:
            unasked = self._unasked[process_id] = self._unasked.get(process_id, 0) + 1
            if unasked <= _MOST_LINES_UNASKED:
                self._write(read_at_ns, f"<< {name}[{process_id}]: {_noted(text)}")
            elif unasked == _MOST_LINES_UNASKED + 1:
                self._write(read_at_ns, f"-- {name}[{process_id}]: more lines, not noted")

    def ended(self, name: str, process_id: int, how: str) -> None:
        """Notes the end of an engine."""
        with self._lock:
            self._unasked.pop(process_id, None)
            self._write(time.monotonic_ns(), f"-- {name}[{process_id}]: {how}")

    def close(self) -> None:
        """Closes the file."""
        with suppress(OSError):  # complained of before
            self._file.close()

    def _write(self, at_ns: int, text: str) -> None:
        if self._ended:
            return
        try:
            self._file.write(f"{(at_ns - self._begun_ns) / 1e9:11.6f} {text}\n")
        except OSError as error:
            self._ended = True
            self._complain(f"the log {quoted(str(self._path))} ends: {error.strerror}; the games go on")


def _noted(text: str) -> str:
    if len(text) > _LONGEST_LINE:
        text = f"{text[:_LONGEST_LINE]}... ({len(text)} characters)"
    return printable(text)
