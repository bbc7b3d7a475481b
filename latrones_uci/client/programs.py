"""Programs that this one starts and ends, other than engines, together with what they start in turn."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import connection
from typing import Any

from latrones_uci.text.signals import INTERRUPTS, signals_blocked

if sys.platform == "win32":
    from latrones_uci.client.windows_job import JobProcess

    Connection = connection.PipeConnection

    def start_group(command: Sequence[str], *, keeps: Sequence[int] = (), **options: Any) -> subprocess.Popen[Any]:
        return JobProcess(command, **options)

    def kill_group(process: subprocess.Popen[Any]) -> None:
        process.kill()

    def start_connected(command: Sequence[str], ends: Sequence[int]) -> subprocess.Popen[bytes]:
        for end in ends:
            os.set_handle_inheritable(end, True)
        return JobProcess(command, handles=ends, stdin=subprocess.DEVNULL)

    def run_in_place(command: Sequence[str]) -> int:
        return JobProcess(command, stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr).wait()

else:
    Connection = connection.Connection
    """One end of ``multiprocessing.connection.Pipe``."""

    def start_group(command: Sequence[str], *, keeps: Sequence[int] = (), **options: Any) -> subprocess.Popen[Any]:
        """Start a program that Ctrl+C at this terminal does not reach; on Windows, it ends with this one.

        Args:
            command: program and arguments.
            keeps: file descriptors that it keeps open until it ends; not on Windows.
            options: see ``subprocess.Popen``.

        Raises:
            OSError: it cannot be started.
        """
        return subprocess.Popen(list(command), start_new_session=True, pass_fds=keeps, **options)

    def kill_group(process: subprocess.Popen[Any]) -> None:
        """Kill a program of ``start_group``, and all that it started."""
        with suppress(ProcessLookupError, PermissionError):  # both mean that no process of the group is left
            os.killpg(process.pid, signal.SIGKILL)

    def start_connected(command: Sequence[str], ends: Sequence[int]) -> subprocess.Popen[bytes]:
        """Start a program that has ends of connections, given by their ``fileno``; close them here afterwards.

        Signals that end programs are blocked in it (see ``signals``), until it handles them.
        """
        with signals_blocked(INTERRUPTS):
            return subprocess.Popen(command, pass_fds=ends, stdin=subprocess.DEVNULL)

    def run_in_place(command: Sequence[str]) -> int:
        """Run a program with the standard streams of this one, in place of it, and return its exit status.

        On Windows it ends with this one.

        Raises:
            OSError: it cannot be started.
        """
        os.execv(command[0], list(command))
