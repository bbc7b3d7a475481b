"""A screen that nobody sees, for windows under test, with a pointer and keys."""

from __future__ import annotations

import os
import shutil
import subprocess

PATIENCE_S = 60.0
NEEDED = ("Xvfb", "xdotool")


def what_is_missing(*more: str) -> list[str]:
    """The programs that a screen needs, and others, as far as they are not installed."""
    return [name for name in (*NEEDED, *more) if shutil.which(name) is None]


class Screen:
    """An X server of its own; ``environment`` is for programs that are to be shown on it."""

    def __init__(self) -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x720x24", "-nolisten", "tcp"], pass_fds=[write],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        with os.fdopen(read) as numbers:
            self.environment = {**os.environ, "DISPLAY": f":{numbers.readline().strip()}"}

    def run(self, *words: str) -> str:
        """Runs a program there; returns what it prints, which is nothing where it finds nothing."""
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S).stdout

    def close(self) -> None:
        self._server.kill()
        self._server.wait(PATIENCE_S)
