"""XBoard in a window of its own, on a screen that nobody sees: clicked, typed at, and asked for its position."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import screen
from latrones_uci.client.engine_spec import OWN_ENGINE
from screen import PATIENCE_S, Screen

Found = TypeVar("Found")


def xboard_program() -> str | None:
    return shutil.which("xboard") or shutil.which("xboard", path="/usr/games")


def what_is_missing() -> list[str]:
    return [*([] if xboard_program() else ["xboard"]), *screen.what_is_missing("xclip")]


def wait_for(what: str, look: Callable[[], Found | None], patience_s: float = PATIENCE_S) -> Found:
    end = time.monotonic() + patience_s
    while (found := look()) is None:
        assert time.monotonic() < end, f"{what} did not happen in {patience_s} s"
        time.sleep(0.02)
    return found


class Traffic:
    """What an engine has read and said so far, by its log: ``>> line`` and ``<< line``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> list[str]:
        if not self.path.exists():
            return []
        whole = self.path.read_text(encoding="utf-8").rpartition("\n")[0]
        return [line.split(" ", 1)[1] for line in whole.split("\n") if line]

    def wait_for(self, pattern: str, after: int = 0) -> int:
        def look() -> int | None:
            found = [number for number, line in enumerate(self.lines()) if number >= after and re.match(pattern, line)]
            return found[0] + 1 if found else None

        return wait_for(f"{pattern!r} in {self.path.name}", look)


class Window:
    """XBoard with one engine or two, each with a log of its traffic."""

    def __init__(self, folder: Path, options: Sequence[str], engines: int = 1) -> None:
        """Opens it; a second engine is started by XBoard when both are to play.

        Raises:
            AssertionError: XBoard did not come up; nothing is left behind.
        """
        self._folder = folder
        self.traffic = [Traffic(folder / f"engine{number}.log") for number in range(engines)]
        """Of the engines."""
        self._screen = Screen()
        self._run = self._screen.run
        self._environment = {**self._screen.environment, "HOME": str(folder)}
        commands = [f"{shlex.join(OWN_ENGINE)} --log {traffic.path}" for traffic in self.traffic]
        arguments = ["-fcp", commands[0], *(["-scp", commands[1]] if engines == 2 else []), *options]
        with (folder / "xboard.out").open("w") as out:
            self._xboard = subprocess.Popen(
                [str(xboard_program()), *arguments, "-testLegality", "false", "-oneClickMove", "true",
                 "-animateMoving", "false", "-popupMoveErrors", "false", "-saveSettingsOnExit", "false"],
                env=self._environment, cwd=folder, stdout=out, stderr=out,
            )
        try:
            self.traffic[0].wait_for("<< pong 1$")
        except AssertionError:
            self.close()
            raise

    def close(self) -> None:
        self._xboard.kill()
        self._xboard.wait(PATIENCE_S)
        self._screen.close()

    def press(self, key: str) -> None:
        self._run("xdotool", "mousemove", "200", "14", "key", "--clearmodifiers", key)

    def click(self, square: str) -> None:
        """Clicks on a square of an 8x8 board, White below; the board is at the lower edge of the window."""
        width, height = wait_for("XBoard's window", self._size)
        pitch = (width - 20) // 8
        x = 2 + pitch * (ord(square[0]) - ord("a")) + pitch // 2
        y = height - 2 - pitch * (int(square[1:]) - 1) - pitch // 2
        self._run("xdotool", "mousemove", str(x), str(y), "click", "1")

    def _size(self) -> tuple[int, int] | None:
        told = self._run("xdotool", "search", "--onlyvisible", "--class", "xboard", "getwindowgeometry", "%@")
        sizes = [(int(width), int(height)) for width, height in re.findall(r"Geometry: (\d+)x(\d+)", told)]
        return max(sizes, default=None)

    def paste_position(self, fen: str) -> None:
        """Sets up a position; XBoard is in the mode to edit a game then.

        XBoard begins a new game first, does not wait for the engine's answer to ``variant``, and now and then obeys
        its ``setup`` after the position is there: then the position is pasted again.
        """
        wait_for("the position", lambda: self._paste(fen) or None)

    def _paste(self, fen: str) -> bool:
        """Pastes a position, and says whether XBoard has it."""
        with subprocess.Popen(["xclip", "-selection", "clipboard", "-quiet"], env=self._environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as clip:
            assert clip.stdin
            clip.stdin.write(fen)
            clip.stdin.close()
            seen = len(self.traffic[0].lines())
            wait_for("the clipboard", lambda: self._run("xclip", "-selection", "clipboard", "-o") == fen or None)
            self.press("ctrl+shift+v")
            self.traffic[0].wait_for(">> setboard ", self.traffic[0].wait_for("<< pong ", seen))
            clip.terminate()
        return self.position() == fen

    def position(self) -> str:
        def look() -> str | None:
            self.press("ctrl+shift+c")
            text = self._run("xclip", "-selection", "clipboard", "-o", "-t", "UTF8_STRING").strip()
            return text if re.fullmatch(r"\S+ [wb] - - \d+ \d+", text) else None

        return wait_for("a position in the clipboard", look)
