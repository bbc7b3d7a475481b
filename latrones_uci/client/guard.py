"""The guard: a small process that kills the engines when the runner has ended, even after a crash or SIGKILL.

The runner reports through a pipe which engines it starts and ends. The pipe closes when the runner ends, however it
ends; the guard then kills the process groups that are left. The guard is this file, run as a program.

The runner may also end after it has started an engine and before it has reported the process id. Therefore each engine
has a mark in its environment, each start is announced in advance, and the guard searches ``/proc`` (on Linux) for
marked processes. The search also finds processes that an engine moved to another process group.
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
_SEARCH_TIMEOUT_S = 10.0
_KILL_POLL_S = 0.02
_SHUTDOWN_TIMEOUT_S = 5.0


class Guard:
    """The runner's side of the guard. One instance serves all threads of a process; see ``process_guard``."""

    def __init__(self) -> None:
        """Start the guard process.

        Raises:
            OSError: the guard does not start.
        """
        self._mark = f"{os.getpid()}-{os.urandom(8).hex()}"
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._left = False
        self._start()

    def start(self, command: Sequence[str], directory: str | None, environment: Mapping[str, str] | None
              ) -> subprocess.Popen[bytes]:
        """Start an engine in its own process group, with three unbuffered pipes, and report it to the guard.

        Raises:
            OSError, ValueError: see ``subprocess.Popen``; or this program is ending.
        """
        marked = {**(os.environ if environment is None else environment), MARK_VARIABLE: self._mark}
        self._send("start")
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
            self._send("failed")
            raise
        with self._lock:
            self._groups.add(process.pid)
            self._write(f"started {process.pid}")
        return process

    def forget(self, process_id: int) -> None:
        """Report that a group has been killed. Call this before waiting for the child, which frees its id for reuse."""
        with self._lock:
            self._groups.discard(process_id)
            if not self._left:
                self._write(f"ended {process_id}")

    def leave(self, wait: bool) -> None:
        """Close the pipe; with ``wait``, wait until the guard has ended. Only its parent process can wait for it."""
        self._left = True
        os.close(self._pipe)
        if wait:
            try:
                self._process.wait(_SHUTDOWN_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                print("latrones-uci: the engine guard is still killing engines", file=sys.stderr)
        else:
            self._process.returncode = 0  # its parent waits for it

    def _start(self) -> None:
        self._left = False
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
                raise OSError("the engine guard does not start")

    def _send(self, line: str) -> None:
        with self._lock:
            self._write(line)

    def _write(self, line: str) -> None:
        if self._left:  # another file may have the number of the pipe
            raise OSError("this program is ending")
        data = f"{line}\n".encode()
        try:
            os.write(self._pipe, data)
        except BrokenPipeError:
            # The guard was killed. Start another one and report all running engines to it.
            self.leave(wait=True)
            self._start()
            groups = "".join(f"start\nstarted {group}\n" for group in sorted(self._groups))
            os.write(self._pipe, groups.encode() + data)


def process_guard() -> Guard:
    """Return the guard of this process, and start it on the first call. A forked child gets its own guard."""
    global _guard
    with _guard_lock:
        if _guard is None:
            _guard = Guard()
        return _guard


def watch(lines: Iterator[str], mark: str, unfinished_start_s: float = _UNFINISHED_START_S) -> None:
    """Run the guard: read the runner's lines until end of file, then kill the engines that are left.

    Args:
        lines: ``start`` before an engine is started, then ``failed`` or ``started GROUP``; ``ended GROUP``.
        mark: value of ``MARK_VARIABLE`` in the engines' environment.
        unfinished_start_s: how long to search for an engine of which only ``start`` was reported.
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
        with suppress(OSError):  # the group has ended
            os.killpg(group, signal.SIGKILL)
    start = time.monotonic()
    least_s = unfinished_start_s if starting > 0 else 0.0
    while (_kill_marked(mark) or time.monotonic() - start < least_s) and time.monotonic() - start < _SEARCH_TIMEOUT_S:
        time.sleep(_KILL_POLL_S)


def _kill_marked(mark: str) -> bool:
    """Kill all processes with the mark in their environment, and return whether there were any."""
    found = False
    marked = f"{MARK_VARIABLE}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if marked in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
                found = True
        except OSError:
            continue  # the process belongs to another user, or has ended
    return found


_guard: Guard | None = None
_guard_lock = threading.Lock()


def _leave() -> None:
    if _guard is not None:
        with _guard._lock:
            _guard.leave(wait=True)


def _forget_parent() -> None:
    global _guard, _guard_lock
    if _guard is not None:
        _guard.leave(wait=False)  # an open pipe in the child would hide the end of the parent from the guard
    _guard, _guard_lock = None, threading.Lock()


atexit.register(_leave)
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_parent)

if __name__ == "__main__":
    for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(_number, signal.SIG_IGN)
    print("ready", flush=True)
    watch(iter(sys.stdin.readline, ""), sys.argv[1])
