"""Log the traffic between the runner and the engines to files, from which a game can be replayed."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from latrones_uci.text.clock import now_ns
from latrones_uci.text.files import check_name
from latrones_uci.text.messages import printable, quoted, reason

_MAX_LINE = 65536
_MAX_LINES_PER_COMMAND = 10_000


class TrafficLog:
    """A text file with one line for each line sent or received. All engines, threads and processes share it.

    ``   1.234567 >> NAME[PID]: TEXT``: seconds since the log was opened, on the monotonic clock; ``>>`` to the engine,
    ``<<`` from its standard output, ``!!`` from its standard error, ``--`` for a note of the runner. Unprintable
    characters are escaped as in Python, long lines are truncated, and the number of lines that an engine prints between
    two commands is limited. Every line is written at once, in one piece. If the file can no longer be written, for
    example on a full disk, logging stops and the games continue.

    A pickled log becomes one of another process with the same file and the same clock; call ``reopen`` there.
    """

    def __init__(self, path: Path, warn: Callable[[str], None], common: "TrafficLog | None" = None) -> None:
        """Open the file for appending.

        Args:
            path: path of the file.
            warn: called with a message, in any thread, when the file can no longer be written.
            common: a log of several engines that also gets every line, None for none.
        """
        self._path, self._common, self._start_ns = path, common, now_ns()
        self._open(warn)
        self._write(self._start_ns, f"-- log opened at {time.strftime('%Y-%m-%dT%H:%M:%S%z')}")

    def _open(self, warn: Callable[[str], None]) -> None:
        self._warn, self._ended = warn, False
        self._lock = threading.Lock()
        self._line_counts: dict[int, int] = {}
        check_name(self._path)
        self._file = self._path.open("ab", buffering=0)

    def reopen(self, warn: Callable[[str], None]) -> None:
        """Open the file of a log that was pickled; if that fails, it is as if the file could not be written."""
        try:
            self._open(warn)
        except OSError as error:
            self._end(error)

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("_path", "_common", "_start_ns")}

    def sent(self, name: str, process_id: int, text: str) -> None:
        if self._common is not None:
            self._common.sent(name, process_id, text)
        with self._lock:
            self._line_counts[process_id] = 0
            self._write(now_ns(), f">> {name}[{process_id}]: {_render(text)}")

    def received(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        """Log a line from an engine, with the time at which it was read."""
        self._log_output("<<", name, process_id, text, read_at_ns)

    def received_error(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        self._log_output("!!", name, process_id, text, read_at_ns)

    def _log_output(self, mark: str, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        if self._common is not None:
            self._common._log_output(mark, name, process_id, text, read_at_ns)
        with self._lock:
            line_count = self._line_counts[process_id] = self._line_counts.get(process_id, 0) + 1
            if line_count <= _MAX_LINES_PER_COMMAND:
                self._write(read_at_ns, f"{mark} {name}[{process_id}]: {_render(text)}")
            elif line_count == _MAX_LINES_PER_COMMAND + 1:
                self._write(read_at_ns, f"-- {name}[{process_id}]: further lines not logged")

    def ended(self, name: str, process_id: int, how: str) -> None:
        if self._common is not None:
            self._common.ended(name, process_id, how)
        with self._lock:
            self._line_counts.pop(process_id, None)
            self._write(now_ns(), f"-- {name}[{process_id}]: {how}")

    def close(self) -> None:
        with suppress(OSError):  # already reported
            self._file.close()

    def _write(self, at_ns: int, text: str) -> None:
        if self._ended:
            return
        data = f"{(at_ns - self._start_ns) / 1e9:11.6f} {text}\n".encode()
        try:
            while data:  # once, unless the disk is full or a signal comes
                data = data[self._file.write(data) :]
        except OSError as error:
            self._end(error)

    def _end(self, error: OSError) -> None:
        self._ended = True
        self._warn(f"cannot write the log {quoted(str(self._path))}: {reason(error)}; the games continue without it")


def open_engine_logs(
    directory: Path, engines: int, warn: Callable[[str], None], common: TrafficLog | None = None
) -> list[TrafficLog]:
    """Open a log for each engine, ``engine-1.log`` and so on: no text of an engine becomes part of a file name.

    The directory is made if it does not exist; other arguments are those of ``TrafficLog``.
    """
    directory.mkdir(parents=True, exist_ok=True)
    logs: list[TrafficLog] = []
    try:
        for number in range(1, engines + 1):
            logs.append(TrafficLog(directory / f"engine-{number}.log", warn, common))
    except OSError:
        for log in logs:
            log.close()
        raise
    return logs


def _render(text: str) -> str:
    if len(text) > _MAX_LINE:
        text = f"{text[:_MAX_LINE]}... ({len(text)} characters)"
    return printable(text)
