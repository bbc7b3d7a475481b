"""A child process on Windows: a job, and pipes with overlapped reads and writes. See ``child`` for the contract."""

import _winapi
import errno
import itertools
import math
import msvcrt
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress

from latrones_uci.client.windows_job import JobProcess
from latrones_uci.text.messages import quoted, reason

_READ_BYTES = 32768
_PIPE_BYTES = 65536
_PIPE_ACCESS_OUTBOUND = 2
# With the right to ask for its state and to set it, as the ends of anonymous pipes have it.
_READ, _WRITE = _winapi.GENERIC_READ | 0x100, _winapi.GENERIC_WRITE | 0x80
_ABORTED = 995
_BAD_PROGRAM = 193
_LONGEST_WAIT_MS = 0x7FFFFFFF
_numbers = itertools.count()


class _Output:
    """Our end of an output. One read is always under way, so that at most one piece waits here and not in the pipe."""

    def __init__(self, handle: int, is_error: bool) -> None:
        self._handle, self.is_error = handle, is_error
        self.open = True
        self._read: _winapi.Overlapped | None = None
        self._begin()

    def _begin(self) -> None:
        try:
            self._read, _ = _winapi.ReadFile(self._handle, _READ_BYTES, True)
        except BrokenPipeError:
            self._read = None  # the next piece is the end

    @property
    def event(self) -> int | None:
        """What is set when ``take`` has something to return; None if it has now."""
        return self._read.event if self._read is not None else None

    def take(self) -> bytes | None:
        """Return what has been read, nothing at the end; None if the read was lost, and has begun again."""
        if self._read is not None:
            try:
                count, _ = self._read.GetOverlappedResult(True)
                data = memoryview(self._read.getbuffer() or b"")[:count].tobytes()
                self._begin()
                return data or None
            except BrokenPipeError:
                pass
            except OSError as error:
                if error.winerror != _ABORTED:
                    raise
                self._begin()  # Windows aborts a read when the thread that began it ends
                return None
        self.open = False
        return b""

    def close(self) -> None:
        self.open = False
        _close(self._handle, self._read)


class SystemChild:
    """The child and what it starts are in a job, which ends with this program."""

    def __init__(self, command: Sequence[str], directory: str | None, environment: Mapping[str, str] | None) -> None:
        if directory is not None and os.path.dirname(command[0]):  # Windows would look in this program's directory
            command = [os.path.join(directory, command[0]), *command[1:]]
        with ExitStack() as failed, ExitStack() as theirs:
            ours, descriptors = [], []
            for read in (False, True, True):
                handle, descriptor = _pipe(read=read)
                failed.callback(_winapi.CloseHandle, handle)
                theirs.callback(os.close, descriptor)
                ours.append(handle)
                descriptors.append(descriptor)
            self._process = JobProcess(
                command, stdin=descriptors[0], stdout=descriptors[1], stderr=descriptors[2], cwd=directory,
                env=None if environment is None else dict(environment),
            )
            failed.pop_all()
        self._stdin: int | None = ours[0]
        self._writing: _winapi.Overlapped | None = None
        self._written = b""
        self._output, self._errors = _Output(ours[1], False), _Output(ours[2], True)

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        return self._process.exit_status

    @property
    def output_open(self) -> bool:
        return self._output.open

    @property
    def errors_open(self) -> bool:
        return self._errors.open

    @property
    def suspended(self) -> bool:
        return False

    def write(self, data: bytes | memoryview) -> int:
        if self._stdin is None:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        if self._writing is None:
            self._written = bytes(data)
            writing, error = _winapi.WriteFile(self._stdin, self._written, True)
            if error == _winapi.ERROR_IO_PENDING:
                self._writing = writing
                return 0
        elif _winapi.WaitForSingleObject(self._writing.event, 0) != _winapi.WAIT_OBJECT_0:
            return 0
        else:
            writing, self._writing = self._writing, None
        count, _ = writing.GetOverlappedResult(True)
        return count if data == self._written else 0  # that was the rest of a line which was not read in time

    def read(self, timeout_ms: float) -> list[tuple[bool, bytes]]:
        return self._wait(timeout_ms, (self._errors, self._output), None)

    def exchange(self, timeout_ms: float, *, write: bool, output: bool) -> list[tuple[bool, bytes]]:
        outputs = (self._errors, self._output) if output else (self._errors,)
        return self._wait(timeout_ms, outputs, self._writing if write else None)

    def _wait(
        self, timeout_ms: float, outputs: Sequence[_Output], writing: "_winapi.Overlapped | None"
    ) -> list[tuple[bool, bytes]]:
        outputs = [each for each in outputs if each.open]
        pieces = [(each.is_error, b"") for each in outputs if each.event is None and each.take() == b""]
        if pieces:
            return pieces
        events = [each.event for each in outputs if each.event is not None]
        if writing is not None:
            events.append(writing.event)
        wait_ms = min(max(math.ceil(timeout_ms), 0), _LONGEST_WAIT_MS)
        if not events:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait_ms / 1000)
            return []
        try:
            if _winapi.WaitForMultipleObjects(events, False, wait_ms) == _winapi.WAIT_TIMEOUT:
                return []
        except InterruptedError:  # by Ctrl+C; its handler runs when this returns
            return []
        for each, event in zip(outputs, events, strict=False):
            if _winapi.WaitForSingleObject(event, 0) == _winapi.WAIT_OBJECT_0 and (data := each.take()) is not None:
                pieces.append((each.is_error, data))
        return pieces

    def close_input(self) -> None:
        if self._stdin is not None:
            _close(self._stdin, self._writing)
            self._stdin = self._writing = None

    def kill(self, wait_s: float) -> None:
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(wait_s)

    def close(self) -> None:
        self.close_input()
        self._output.close()
        self._errors.close()

    def usage(self) -> tuple[int, float] | None:
        return self._process.usage()

    def end_problem(self) -> str:
        return ""


def _pipe(*, read: bool) -> tuple[int, int]:
    """Return a handle of our end of a new pipe, which is overlapped, and a descriptor of the child's, which is not."""
    name = rf"\\.\pipe\latrones-{os.getpid()}-{next(_numbers)}-{os.urandom(8).hex()}"
    ours = _winapi.CreateNamedPipe(
        name, (_winapi.PIPE_ACCESS_INBOUND if read else _PIPE_ACCESS_OUTBOUND)
        | _winapi.FILE_FLAG_FIRST_PIPE_INSTANCE | _winapi.FILE_FLAG_OVERLAPPED,
        _winapi.PIPE_WAIT, 1, _PIPE_BYTES, _PIPE_BYTES, _winapi.NMPWAIT_WAIT_FOREVER, _winapi.NULL,
    )
    try:
        theirs = _winapi.CreateFile(
            name, _WRITE if read else _READ, 0, _winapi.NULL, _winapi.OPEN_EXISTING, 0, _winapi.NULL,
        )
        try:
            return ours, msvcrt.open_osfhandle(theirs, os.O_WRONLY if read else os.O_RDONLY)
        except BaseException:
            _winapi.CloseHandle(theirs)
            raise
    except BaseException:
        _winapi.CloseHandle(ours)
        raise


def _close(handle: int, pending: "_winapi.Overlapped | None") -> None:
    """Close our end of a pipe, and end the read or write that is under way, whose buffer would be overwritten later."""
    if pending is not None:
        with suppress(OSError):
            pending.cancel()
            pending.GetOverlappedResult(True)
    _winapi.CloseHandle(handle)


def start_problem(error: Exception, command: Sequence[str], directory: str | None) -> str:
    """Return why a program could not be started."""
    if directory is not None and not os.path.isdir(directory):
        return f"directory {quoted(directory)}: {reason(error)}"
    if os.path.isdir(os.path.join(directory or "", command[0])):
        return "is a directory; expected a program"
    if isinstance(error, OSError) and error.winerror == _BAD_PROGRAM:
        return f"not a program; a script needs its interpreter before it, such as {quoted('python engine.py')}"
    return reason(error)
