"""A child process on POSIX: a process group, ``poll``, and pipes that do not block. See ``child`` for the contract."""

import errno
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from latrones_uci.client.guard import process_guard
from latrones_uci.text.messages import quoted, reason

assert sys.platform != "win32"

_READ_BYTES = 32768
_STAT_BYTES = 4096
_FIRST_LINE_BYTES = 256
_NOT_FOUND_STATUS = 127  # of env, for an interpreter that it does not find


class SystemChild:
    """The child leads a process group, which ends with this program at the latest (see ``guard``)."""

    def __init__(self, command: Sequence[str], directory: str | None, environment: Mapping[str, str] | None) -> None:
        self._command, self._directory = command, directory
        self._guard = process_guard()
        self._popen = self._guard.start(command, directory, environment)
        self._pipes = [_open_pipe(pipe) for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr)]
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self._outputs = select.poll()
        self.output_open = self.errors_open = True
        for descriptor in (self._stderr, self._stdout):  # stdout is read last, as its lines have the time of reading
            self._outputs.register(descriptor, select.POLLIN)
        self._poll = self._outputs.poll
        self._owner = os.getpid()

    @property
    def process_id(self) -> int:
        return self._popen.pid

    @property
    def exit_status(self) -> int | None:
        """See ``Child``. This does not reap the child, so the system cannot reuse its id, which is also its group's."""
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
    def suspended(self) -> bool:
        with suppress(OSError), open(f"/proc/{self._popen.pid}/stat", "rb") as file:
            return file.read(_STAT_BYTES).rpartition(b") ")[2][:1] in (b"T", b"t")
        return False

    def write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._stdin, data)
        except BlockingIOError:
            return 0

    def read(self, timeout_ms: float) -> list[tuple[bool, bytes]]:
        return self._take(self._poll(timeout_ms))

    def exchange(self, timeout_ms: float, *, write: bool, output: bool) -> list[tuple[bool, bytes]]:
        ready = select.poll()
        if write:
            ready.register(self._stdin, select.POLLOUT)
        if self.errors_open:
            ready.register(self._stderr, select.POLLIN)
        if self.output_open and output:
            ready.register(self._stdout, select.POLLIN)
        return self._take([each for each in ready.poll(timeout_ms) if each[0] != self._stdin])

    def _take(self, ready: list[tuple[int, int]]) -> list[tuple[bool, bytes]]:
        pieces = []
        for descriptor, _ in ready:
            is_error, data = descriptor == self._stderr, os.read(descriptor, _READ_BYTES)
            if not data:
                self._outputs.unregister(descriptor)
                self.errors_open, self.output_open = self.errors_open and not is_error, self.output_open and is_error
            pieces.append((is_error, data))
        return pieces

    def close_input(self) -> None:
        with suppress(OSError):  # closing a broken pipe raises an error, but closes it
            self._pipes[0].close()

    def kill(self, wait_s: float) -> None:
        # Both errors mean that all processes of the group have ended (on macOS, that they have not been reaped yet).
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._guard.forget(self._popen.pid)
        with suppress(subprocess.TimeoutExpired):  # killed, but blocked in the kernel
            self._popen.wait(wait_s)

    def close(self) -> None:
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()
        self.output_open = self.errors_open = False
        if self._owner != os.getpid():
            self._popen.returncode = 0  # the process that started it waits for it

    def usage(self) -> tuple[int, float] | None:
        pages = ticks = waited_ns = found = 0
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                # The program name, in brackets, may contain blanks and brackets: see proc(5).
                fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # the process has ended in the meantime
            if len(fields) > 21 and int(fields[2]) == self._popen.pid:
                found += 1
                ticks += int(fields[11]) + int(fields[12])
                pages += int(fields[21])
                for thread in entry.parent.glob("task/*/schedstat"):
                    with suppress(OSError):  # the thread has ended
                        waited_ns += int(thread.read_text(encoding="ascii").split()[1])
        if not found:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK") + waited_ns / 1e9

    def end_problem(self) -> str:
        return _script_problem(self._command[0], self._directory) if self.exit_status == _NOT_FOUND_STATUS else ""


def _open_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # the guard opens all three pipes
    os.set_blocking(pipe.fileno(), False)
    return pipe


def start_problem(error: Exception, command: Sequence[str], directory: str | None) -> str:
    """Return why a program could not be started."""
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
