"""Runs a command to its end, or to that of our patience."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from latrones_uci.client.errors import OperationError


class RevisionError(OperationError):
    """A version of this project that cannot be found, built or run; the message quotes its name."""


_POSIX = os.name == "posix"
_QUOTED_LINES = 3
_QUOTED_LENGTH = 160
_LEADS_ELSEWHERE = {
    "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV",
    # Set in git's hooks, from where a match may be started.
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
}  # fmt: skip


def run_command(
    command: Sequence[str],
    output: Path,
    *,
    directory: Path,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
    held: Sequence[int] = (),
) -> int:
    """Runs a command without input; returns its exit status.

    If it takes too long, or we are interrupted, it is killed with all that it started.

    Args:
        command: program and arguments; no shell is involved.
        output: the file to which is appended what it prints, errors too.
        directory: where it runs.
        timeout_s: how many seconds it may take.
        environment: its environment, None for ours.
        held: file descriptors that it keeps open until it ends, whatever becomes of us; not on Windows.

    Raises:
        subprocess.TimeoutExpired: it took longer.
        OSError: it cannot be started.
    """
    with output.open("ab") as sink:
        process = subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, cwd=directory,
            env=environment, start_new_session=_POSIX, pass_fds=held if _POSIX else (),
        )  # fmt: skip
    try:
        return process.wait(timeout_s)
    except BaseException:
        if _POSIX:
            with suppress(ProcessLookupError, PermissionError):  # neither hides anyone alive
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        raise


def clean_environment() -> dict[str, str]:
    """Our environment without what makes a Python look for modules elsewhere, or for another repository."""
    return {name: value for name, value in os.environ.items() if name not in _LEADS_ELSEWHERE}


def last_lines(output: str) -> str:
    """The last lines of what a program printed, as one line of a length that can be read."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(line[:_QUOTED_LENGTH] for line in lines[-_QUOTED_LINES:]) or "it prints nothing"
