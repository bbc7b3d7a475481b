"""A child process with three pipes: the contract, and the implementation for this system."""

import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

if sys.platform == "win32":
    from latrones_uci.client.windows_child import SystemChild, start_problem
else:
    from latrones_uci.client.posix_child import SystemChild, start_problem

__all__ = ["ENDS_LINES_WITH_CRLF", "Child", "start_child", "start_problem", "status_text"]

ENDS_LINES_WITH_CRLF = sys.platform == "win32"
"""Whether programs end lines with a carriage return and a line feed, unless they write bytes."""
_ENDS = {
    0xC0000005: "access violation",
    0xC000001D: "illegal instruction",
    0xC0000094: "integer division by zero",
    0xC00000FD: "stack overflow",
    0xC0000135: "a DLL was not found",
    0xC0000139: "a DLL lacks a function",
    0xC000013A: "Ctrl+C",
    0xC0000142: "a DLL could not be initialized",
    0xC0000374: "heap corruption",
    0xC0000409: "abort or overrun of a stack buffer",
}
_FIRST_NAMED = 0x80000000


class Child(Protocol):
    """A running program and all that it starts: its group. All work is done in the calling thread.

    An output is read in pieces: whether they are of the error output, and their bytes, which are empty once, at its
    end. What is not read stays in the pipe, so that a program that floods its output is held up.
    """

    @property
    def process_id(self) -> int: ...
    @property
    def exit_status(self) -> int | None:
        """The exit status, or minus the number of the signal that killed it; None while it runs."""
    @property
    def output_open(self) -> bool:
        """Whether the end of the standard output has not been read."""
    @property
    def errors_open(self) -> bool:
        """Whether the end of the error output has not been read."""
    @property
    def suspended(self) -> bool:
        """Whether the program is stopped by a signal or a debugger; False if the system does not say."""

    def write(self, data: bytes | memoryview) -> int:
        """Write what the input accepts now, and return how many bytes; 0 if it is full.

        After 0, call ``exchange``, and ``write`` again with the same bytes, which may be accepted already.

        Raises:
            OSError: the input is closed.
        """
    def read(self, timeout_ms: float) -> list[tuple[bool, bytes]]:
        """Wait for a piece of an output, and return those that are there; none after the timeout."""
    def exchange(self, timeout_ms: float, *, write: bool, output: bool) -> list[tuple[bool, bytes]]:
        """Like ``read``, but with ``write``, also end when the input accepts more; without ``output``, read errors."""
    def close_input(self) -> None:
        """Close the input; the program sees its end."""
    def kill(self, wait_s: float) -> None:
        """Kill the group, and wait for the end of the program."""
    def close(self) -> None:
        """Close the pipes, after ``kill``; or in a fork of the process that started the program."""
    def usage(self) -> tuple[int, float] | None:
        """Return resident bytes and runnable seconds of the group (see ``Usage``); None if the system does not say."""
    def end_problem(self) -> str:
        """Return what may have ended the program, empty if that is not known."""


def start_child(command: Sequence[str], directory: str | None, environment: Mapping[str, str] | None) -> Child:
    """Start a program; no shell is run. The group ends with this process, however that ends.

    ``directory`` and ``environment`` are those of this process if they are None.

    Raises:
        OSError, ValueError: it cannot be started; see ``start_problem``.
    """
    return SystemChild(command, directory, environment)


def status_text(status: int | None) -> str:
    """Return an exit status as text: a number, and the meaning of one with which Windows ends programs."""
    if status is None or status < _FIRST_NAMED:
        return str(status)
    return f"0x{status:08X}" + (f" ({_ENDS[status]})" if status in _ENDS else "")
