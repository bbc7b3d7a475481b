"""No engine survives the runner: a small process that ends the engines when the runner is gone, however it went.

The guard reads from a pipe which engines the runner starts and ends. At the end of the file, which the kernel sends
also when the runner is killed, it kills the process groups that are left. It is this file, run as a program.

Between the birth of an engine and the line that tells its id the runner may die as well. Therefore each engine has a
mark in its environment, each start is announced before it happens, and the guard looks (on Linux, in ``/proc``) for
marked processes; there it also finds those that an engine moved to a group of their own.
"""

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

MARK_VARIABLE = "LATRONES_MATCH_RUNNER"

_UNFINISHED_START_S = 2.0
_LONGEST_HUNT_S = 10.0
_KILL_POLL_S = 0.02
_SHUTDOWN_TIMEOUT_S = 5.0


class Guard:
    """The runner's end of the guard. One serves all threads of a process; see ``process_guard``."""

    def __init__(self) -> None:
        """Starts the guard.

        Raises:
            OSError: it does not start.
        """
        self._mark = f"{os.getpid()}-{os.urandom(8).hex()}"
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._start()

    def start(self, command: Sequence[str], directory: str | None, environment: Mapping[str, str] | None
              ) -> subprocess.Popen[bytes]:  # fmt: skip
        """Starts an engine, with three unbuffered pipes, in a process group of its own that the guard knows.

        Raises:
            OSError, ValueError: as ``subprocess.Popen`` does.
        """
        marked = {**(os.environ if environment is None else environment), MARK_VARIABLE: self._mark}
        self._tell("start")
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory,
                env=marked,
                start_new_session=True,
            )
        except BaseException:
            self._tell("failed")
            raise
        with self._lock:
            self._groups.add(process.pid)
            self._write(f"started {process.pid}")
        return process

    def forget(self, process_id: int) -> None:
        """Takes a killed group off the list; call it before the child is waited for, and its id free for others."""
        with self._lock:
            self._groups.discard(process_id)
            self._write(f"ended {process_id}")

    def leave(self, wait: bool) -> None:
        """Closes the pipe; ``wait`` for the guard's own end if it is a child of this process."""
        os.close(self._pipe)
        if wait:
            try:
                self._process.wait(_SHUTDOWN_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                print("latrones-match: the guard of the engines still has some to kill", file=sys.stderr)
        else:
            self._process.returncode = 0  # its parent waits for it

    def _start(self) -> None:
        reading, self._pipe = os.pipe()
        environment = {name: value for name, value in os.environ.items() if name != MARK_VARIABLE}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(__file__).resolve()), self._mark],
                stdin=reading,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(reading)
        assert self._process.stdout is not None
        with self._process.stdout as ready:
            if not ready.readline():
                self.leave(wait=True)
                raise OSError("the guard of the engines does not start")

    def _tell(self, line: str) -> None:
        with self._lock:
            self._write(line)

    def _write(self, line: str) -> None:
        data = f"{line}\n".encode()
        try:
            os.write(self._pipe, data)
        except BrokenPipeError:
            # Somebody killed the guard. The next one is told of all that live.
            self.leave(wait=True)
            self._start()
            groups = "".join(f"start\nstarted {group}\n" for group in sorted(self._groups))
            os.write(self._pipe, groups.encode() + data)


def process_guard() -> Guard:
    """The guard of this process, started when it is first asked for. A forked child gets its own."""
    global _guard
    with _guard_lock:
        if _guard is None:
            _guard = Guard()
        return _guard


def watch(lines: Iterator[str], mark: str, unfinished_start_s: float = _UNFINISHED_START_S) -> None:
    """What the guard does: reads the runner's lines to their end, then kills what is left of the engines.

    Args:
        lines: ``start`` before an engine is started, then ``failed`` or ``started GROUP``; ``ended GROUP``.
        mark: what engines have in their environment.
        unfinished_start_s: how long to look for an engine of which only the ``start`` was told.
    """
    groups: set[int] = set()
    starting = 0
    for line in lines:
        match line.split():
            case ["start"]:
                starting += 1
            case ["failed"]:
                starting -= 1
            case ["started", number]:
                starting -= 1
                groups.add(int(number))
            case ["ended", number]:
                groups.discard(int(number))
    for group in groups:
        _kill_group(group)
    begun = time.monotonic()
    least_s = unfinished_start_s if starting > 0 else 0.0
    while (_kill_marked(mark) or time.monotonic() - begun < least_s) and time.monotonic() - begun < _LONGEST_HUNT_S:
        time.sleep(_KILL_POLL_S)


def _kill_group(group: int) -> None:
    with suppress(OSError):  # it has ended
        os.killpg(group, signal.SIGKILL)


def _kill_marked(mark: str) -> bool:
    """Kills the processes that have the mark in their environment; whether there were any."""
    found = False
    marked = f"{MARK_VARIABLE}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marked in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
                found = True
        except OSError:
            continue  # another user's, or it has ended
    return found


_guard: Guard | None = None
_guard_lock = threading.Lock()


def _leave() -> None:
    if _guard is not None:
        _guard.leave(wait=True)


def _forget_parent() -> None:
    global _guard, _guard_lock
    if _guard is not None:
        _guard.leave(wait=False)  # else the child would keep the pipe open, and its parent's death go unnoticed
    _guard, _guard_lock = None, threading.Lock()


atexit.register(_leave)
os.register_at_fork(after_in_child=_forget_parent)

if __name__ == "__main__":
    for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(_number, signal.SIG_IGN)
    print("ready", flush=True)
    watch(iter(sys.stdin.readline, ""), sys.argv[1])
