"""Standard output and error of a command, as the system has them."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from latrones_uci.text.messages import VISIBLE_BYTES


def prepare_output() -> None:
    """Let standard output and error show what they cannot encode as escape sequences, as errors do.

    On Windows, pipes and files get UTF-8 instead of the code page of the system, and a console obeys the escape
    sequences of terminals.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if sys.platform == "win32" and stream.isatty():
                _obey_escape_sequences(stream.fileno())
            elif sys.platform == "win32":
                stream.reconfigure(encoding="utf-8")
            stream.reconfigure(errors=VISIBLE_BYTES)


@contextmanager
def without_waiting(descriptor: int) -> Iterator[None]:
    """Let a descriptor refuse what it cannot take now, with ``BlockingIOError``; Windows has no such thing."""
    if sys.platform == "win32":
        yield
        return
    before = os.get_blocking(descriptor)
    os.set_blocking(descriptor, False)
    try:
        yield
    finally:
        os.set_blocking(descriptor, before)


def is_reader_gone(error: BaseException) -> bool:
    """Return whether an error says that a stream is closed at its other end."""
    if sys.platform == "win32" and isinstance(error, OSError) and error.errno == errno.EINVAL:
        return error.filename is None  # what Windows says about a closed pipe
    return isinstance(error, BrokenPipeError)


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _ENABLE_VIRTUAL_TERMINAL_PROCESSING = 4

    def _obey_escape_sequences(descriptor: int) -> None:
        kernel, mode = ctypes.WinDLL("kernel32"), wintypes.DWORD()
        console = wintypes.HANDLE(msvcrt.get_osfhandle(descriptor))
        if kernel.GetConsoleMode(console, ctypes.byref(mode)):  # not the null device
            kernel.SetConsoleMode(console, mode.value | _ENABLE_VIRTUAL_TERMINAL_PROCESSING)
