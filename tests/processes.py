"""Processes that tests watch and end, on every system."""

import os
import signal
import sys
import time
from pathlib import Path


def kill(process_id: int) -> None:
    """End a process without letting it do anything."""
    os.kill(process_id, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def await_end(process_id: int) -> None:
    """Wait for the end of a process that need not be a child of this one.

    Those whose parent was killed, too, are waited for by another process, in its own time.
    """
    deadline = time.monotonic() + 20
    while is_alive(process_id):
        assert time.monotonic() < deadline
        time.sleep(0.01)


if sys.platform == "win32":
    import _winapi

    def is_alive(process_id: int) -> bool:
        try:
            handle = _winapi.OpenProcess(0x100000, False, process_id)  # SYNCHRONIZE
        except OSError:
            return False
        try:
            return _winapi.WaitForSingleObject(handle, 0) == _winapi.WAIT_TIMEOUT
        finally:
            _winapi.CloseHandle(handle)

else:

    def is_alive(process_id: int) -> bool:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return False
        try:  # a zombie, for which its new parent has not waited yet?
            return "\nState:\tZ" not in Path(f"/proc/{process_id}/status").read_text()
        except OSError:
            return True
