"""Run a command with a timeout."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from latrones_uci.client.errors import OperationError


class RevisionError(OperationError):
    """A version of this project cannot be found, built or run; the message quotes its name."""


_POSIX = os.name == "posix"
_QUOTED_LINES = 3
_QUOTED_LENGTH = 160
_UNSAFE_VARIABLES = {
    "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV",
    # Git sets these for its hooks, which may start a match.
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
}  # fmt: skip


def run_command(
    command: Sequence[str],
    output: Path,
    *,
    directory: Path,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> int:
    """Run a command with empty input, and return its exit status.

    On a timeout or an interrupt, the command is killed with all processes that it started.

    Args:
        command: program and arguments; no shell is run.
        output: the file to which stdout and stderr are appended.
        directory: the working directory.
        timeout_s: timeout in seconds.
        environment: environment of the command, None for that of this process.
        descriptors: file descriptors that the command keeps open until it ends, even if this process is killed; not
            on Windows.

    Raises:
        subprocess.TimeoutExpired: the timeout has passed.
        OSError: the command cannot be started.
    """
    with output.open("ab") as sink:
        process = subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, cwd=directory,
            env=environment, start_new_session=_POSIX, pass_fds=descriptors if _POSIX else (),
        )  # fmt: skip
    try:
        return process.wait(timeout_s)
    except BaseException:
        if _POSIX:
            with suppress(ProcessLookupError, PermissionError):  # both mean that no process of the group is left
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        raise


def clean_environment() -> dict[str, str]:
    """Return the environment without variables that make Python import other modules, or git use another repository."""
    return {name: value for name, value in os.environ.items() if name not in _UNSAFE_VARIABLES}


def last_lines(output: str) -> str:
    """Return the last lines of a program's output, shortened and joined to one line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(line[:_QUOTED_LENGTH] for line in lines[-_QUOTED_LINES:]) or "no output"
