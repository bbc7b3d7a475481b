"""The traffic between the runner and its engines as a file, from which a lost game can be played again."""

import threading
import time
from pathlib import Path

_LONGEST_LINE = 65536
_MOST_LINES_UNASKED = 10_000


class TrafficLog:
    """A text file with a line for each line sent and received; all engines and threads share it.

    ``   1.234567 >> NAME[PID]: TEXT``: seconds since the log was opened, by the monotonic clock; ``>>`` to the engine,
    ``<<`` from it, ``--`` for what the runner has to remark. Text that cannot be printed is escaped as in Python, long
    lines are cut, and of an engine that floods only so many lines are kept until it is next spoken to. Every line is
    written out at once.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file and appends to it.

        Raises:
            OSError: it cannot be opened.
        """
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()
        self._begun_ns = time.monotonic_ns()
        self._unasked: dict[int, int] = {}
        self._write(self._begun_ns, f"-- log begins at {time.strftime('%Y-%m-%dT%H:%M:%S%z')}")

    def sent(self, name: str, process_id: int, text: str) -> None:
        """Notes a line that was sent just now.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock:
            self._unasked[process_id] = 0
            self._write(time.monotonic_ns(), f">> {name}[{process_id}]: {_printable(text)}")

    def received(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        """Notes a line of an engine, with the time at which it was read.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock:
            unasked = self._unasked[process_id] = self._unasked.get(process_id, 0) + 1
            if unasked <= _MOST_LINES_UNASKED:
                self._write(read_at_ns, f"<< {name}[{process_id}]: {_printable(text)}")
            elif unasked == _MOST_LINES_UNASKED + 1:
                self._write(read_at_ns, f"-- {name}[{process_id}]: more lines, not noted")

    def ended(self, name: str, process_id: int, how: str) -> None:
        """Notes the end of an engine.

        Raises:
            OSError: the file cannot be written.
        """
        with self._lock:
            self._unasked.pop(process_id, None)
            self._write(time.monotonic_ns(), f"-- {name}[{process_id}]: {how}")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _write(self, at_ns: int, text: str) -> None:
        self._file.write(f"{(at_ns - self._begun_ns) / 1e9:11.6f} {text}\n")


def _printable(text: str) -> str:
    if len(text) > _LONGEST_LINE:
        text = f"{text[:_LONGEST_LINE]}... ({len(text)} characters)"
    return text if text.isprintable() else text.encode("unicode_escape").decode()
