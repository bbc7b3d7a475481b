"""A virtual X display for tests of windows, with pointer and keyboard."""

from __future__ import annotations

import os
import shutil
import subprocess

PATIENCE_S = 60.0
NEEDED = ("Xvfb", "xdotool")


def what_is_missing(*more: str) -> list[str]:
    """Return those of the programs for a display, and of some others, that are not installed."""
    return [name for name in (*NEEDED, *more) if shutil.which(name) is None]


class Screen:
    """A separate X server; ``environment`` is for the programs to show on it."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x720x24", "-nolisten", "tcp"], pass_fds=[write],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as numbers:
            self.environment = {**os.environ, "DISPLAY": f":{numbers.readline().strip()}"}

    def run(self, *words: str) -> str:
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S).stdout

    def close(self) -> None:
        self._server.kill()
        self._server.wait(PATIENCE_S)
