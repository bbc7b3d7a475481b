"""A screen that nobody sees, for windows under test, and a pointer to click with."""

from __future__ import annotations

import os
import subprocess
from contextlib import AbstractContextManager

PATIENCE_S = 60.0
NEEDED = ("Xvfb", "xdotool")


class Screen(AbstractContextManager["Screen"]):
    """One X server; ``environment`` is for programs that are to be shown on it."""

    def __init__(self, size: str = "1000x720x24") -> None:
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"], pass_fds=[write],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        with os.fdopen(read) as numbers:
            self.environment = {**os.environ, "DISPLAY": f":{numbers.readline().strip()}"}

    def xdotool(self, *words: str) -> str:
        """Runs xdotool; returns what it prints, which is nothing where it finds nothing."""
        command = ["xdotool", *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S).stdout

    def __exit__(self, *error: object) -> None:
        self._server.terminate()
        self._server.wait(PATIENCE_S)
