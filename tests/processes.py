"""Processes that tests watch and end, on every system."""

import os
import signal
import subprocess
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
    import ctypes
    from ctypes import wintypes

    class Entry(ctypes.Structure):
        """``PROCESSENTRY32``."""

        _fields_ = (("size", wintypes.DWORD), ("usage", wintypes.DWORD), ("process_id", wintypes.DWORD),
                    ("heap", ctypes.c_void_p), ("module", wintypes.DWORD), ("threads", wintypes.DWORD),
                    ("parent", wintypes.DWORD), ("priority", wintypes.LONG), ("flags", wintypes.DWORD),
                    ("program", ctypes.c_char * 260))

    def children(process_id: int) -> list[int]:
        kernel = ctypes.WinDLL("kernel32")
        kernel.CreateToolhelp32Snapshot.restype = wintypes.HANDLE
        snapshot, found = wintypes.HANDLE(kernel.CreateToolhelp32Snapshot(2, 0)), []
        entry = Entry(size=ctypes.sizeof(Entry))
        more = kernel.Process32First(snapshot, ctypes.byref(entry))
        while more:
            if entry.parent == process_id and entry.program.lower().startswith(b"python"):
                found.append(entry.process_id)
            more = kernel.Process32Next(snapshot, ctypes.byref(entry))
        kernel.CloseHandle(snapshot)
        return found

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

    def children(process_id: int) -> list[int]:
        listed = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
        rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
        return [int(child) for child, parent, _ in rows if parent == str(process_id)]

    def is_alive(process_id: int) -> bool:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return False
        try:  # a zombie, for which its new parent has not waited yet?
            return "\nState:\tZ" not in Path(f"/proc/{process_id}/status").read_text()
        except OSError:
            return True
