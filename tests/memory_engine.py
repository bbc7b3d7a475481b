"""Engines in memory: what a test controls them with instead of starting a process.

A test without the mark ``process`` gets these whenever the package starts an engine: fakes answer on a clock of their
own, on which a wait takes no time; the engine of this project runs in a thread. ``scripted`` makes an engine from the
lines that a test expects and answers.
"""

from __future__ import annotations

import itertools
import os
import queue
import shutil
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Protocol

from fakes import fake_engine
from fakes.hostile_engine import HostileEngine
from fakes.strict_engine import StrictEngine
from fakes.tuned_engine import TunedEngine
from latrones_uci.client.connection import Connection
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.errors import EngineCrashError, EngineStartError
from latrones_uci.client.process import OutputLine, Transport
from latrones_uci.client.time_control import TimeControl
from latrones_uci.protocols.channel import Channel
from latrones_uci.protocols.serve import Loop
from latrones_uci.text.clock import now_ns
from latrones_uci.text.command import join_command
from latrones_uci.text.messages import printable

NS_PER_S = 1_000_000_000
TICK_NS = 1000
KILLED = -9
_process_ids = itertools.count(1_000_000_000)


class Player(Protocol):
    """An engine that is given lines; it answers to a console."""

    def begin(self) -> None: ...
    def read(self, line: str) -> None: ...


class EndedError(Exception):
    """The engine in memory has ended itself."""


class MemoryProcess(fake_engine.Console):
    """Stands in for an ``EngineProcess``, on a clock that moves a microsecond a look, and by waits."""

    def __init__(self, player: Callable[[MemoryProcess], Player], on_error_line: Callable[[str], None] | None = None
                 ) -> None:
        self.process_id = next(_process_ids)
        self.exit_status: int | None = None
        self.closed = self._begun = False
        self._now_ns = self._busy_until_ns = now_ns()
        self._lines: deque[OutputLine] = deque()
        self._read: deque[OutputLine] = deque()
        self._errors: list[str] = []
        self._on_error_line = on_error_line
        self._player = player(self)

    # ---------------------------------------------------------------- for the engine

    def say(self, *lines: str) -> None:
        self._lines.extend(OutputLine.of(line, self._busy_until_ns) for text in lines for line in text.split("\n"))

    def error(self, text: str) -> None:
        self.error_bytes += len(text)
        self._errors.append(text)
        if self._on_error_line is not None:
            self._on_error_line(text)

    def wait(self, seconds: float) -> None:
        self._busy_until_ns += int(seconds * NS_PER_S)

    def exit(self, status: int) -> NoReturn:
        self.exit_status = status
        raise EndedError

    # ---------------------------------------------------------------- for the controller

    @property
    def running(self) -> bool:
        return self.exit_status is None

    @property
    def lines(self) -> deque[OutputLine]:
        """The lines that have been printed by now."""
        while self._lines and self._lines[0].read_at_ns <= self._now_ns:
            self._read.append(self._lines.popleft()._replace(read_at_ns=self._now_ns))
        return self._read

    def now_ns(self) -> int:
        self._now_ns += TICK_NS
        return self._now_ns

    error_bytes, unfinished_line, suspended, usage = 0, "", False, None

    def stderr_tail(self) -> list[str]:
        return self._errors[-20:]

    def write_line(self, text: str, timeout_s: float) -> None:
        if self.closed or not self.running:
            raise self._crash()
        self._busy_until_ns = max(self._busy_until_ns, self.now_ns())
        try:
            if not self._begun:
                self._begun = True
                self._player.begin()
            for line in text.split("\n"):
                self._player.read(line)
        except EndedError:
            pass

    def read_line(self, timeout_s: float) -> OutputLine | None:
        end_ns = self._now_ns + int(max(timeout_s, 0) * NS_PER_S)
        if self.lines:
            return self._read.popleft()
        if self._lines and self._lines[0].read_at_ns <= end_ns:
            line = self._lines.popleft()
            self._now_ns = max(self._now_ns, line.read_at_ns)
            return line._replace(read_at_ns=self._now_ns)
        if not self._lines and not self.running:
            raise self._crash()
        self._now_ns = end_ns
        return None

    def read_available(self) -> None:
        pass

    def close(self, grace_s: float) -> None:
        self.closed = True
        if self.exit_status is None:
            self.exit_status = KILLED

    def _crash(self) -> EngineCrashError:
        if self.closed:
            return EngineCrashError("was closed")
        tail = f": {printable(self._errors[-1])}" if self._errors else ""
        return EngineCrashError(f"ended with status {self.exit_status}{tail}")


class ScriptedEngine:
    """Expects lines in their order and answers them; any other line fails the test (see ``expect``)."""

    def __init__(self) -> None:
        self._script: deque[tuple[str, tuple[str | float, ...]]] = deque()
        self.sent: list[str] = []

    def expect(self, line: str, *answers: str | float) -> ScriptedEngine:
        """Expect a line, or the first words of one before ``...``.

        Args:
            line: the line.
            answers: the lines to answer, and numbers: seconds to wait on the clock of the engine.
        """
        self._script.append((line, answers))
        return self

    def greet(self, *options: str) -> ScriptedEngine:
        """Expect the handshake in UCI; ``options`` are ``option`` lines without that word."""
        return self.expect("uci", "id name Scripted", *(f"option {text}" for text in options), "uciok")

    def sleep(self, seconds: float) -> None:
        """Let time pass in the program that controls it."""
        self._process._now_ns += int(seconds * NS_PER_S)

    def end(self) -> None:
        """End its process."""
        self._process.close(0)

    def finished(self) -> bool:
        """Whether all expected lines have come."""
        return not self._script

    def start(self, *_: object, on_error_line: Callable[[str], None] | None = None, **__: object) -> Transport:
        """Start it in the place of a process; see ``Connection.connect``."""
        return MemoryProcess(self._bind, on_error_line)

    def _bind(self, process: MemoryProcess) -> Player:
        self._process = process
        return self

    def begin(self) -> None:
        pass

    def read(self, line: str) -> None:
        self.sent.append(line)
        if line == "quit" and not self._script:
            self._process.exit(0)
        assert self._script, f"the engine expects nothing more, but got {line!r}"
        expected, answers = self._script.popleft()
        whole = not expected.endswith("...")
        assert line == expected or not whole and line.startswith(expected[:-3]), f"expected {expected!r}, got {line!r}"
        for answer in answers:
            if isinstance(answer, str):
                self._process.say(answer)
            else:
                self._process.wait(answer)


class OwnEngine:
    """Stands in for an ``EngineProcess``: the engine of this project in a thread, over pipes."""

    def __init__(self, arguments: Sequence[str], switch_interval_s: float | None = None) -> None:
        self.process_id = next(_process_ids)
        self.exit_status: int | None = None
        self.closed = False
        self.lines: deque[OutputLine] = deque()
        self._lines: queue.SimpleQueue[OutputLine | None] = queue.SimpleQueue()
        commands, self._commands = os.pipe()
        output, answers = os.pipe()
        options = dict(zip(arguments[::2], arguments[1::2], strict=False))
        self._interval_s = switch_interval_s or sys.getswitchinterval()

        def serve() -> None:
            try:
                Loop(Channel(commands, answers), options.get("--backend", "auto"), xboard="--xboard" in arguments,
                     tune="--tune" in arguments).run()
            finally:
                os.close(answers)

        def read() -> None:
            with open(output, encoding="utf-8") as lines:
                for line in lines:
                    self._lines.put(OutputLine(line.removesuffix("\n"), now_ns()))
            self.exit_status = 0
            self._lines.put(None)

        self._threads = [threading.Thread(target=target, daemon=True) for target in (serve, read)]
        for thread in self._threads:
            thread.start()

    @property
    def running(self) -> bool:
        return self.exit_status is None

    def now_ns(self) -> int:
        return now_ns()

    error_bytes, unfinished_line, suspended, usage = 0, "", False, None

    def stderr_tail(self) -> list[str]:
        return []

    def write_line(self, text: str, timeout_s: float) -> None:
        if self.closed:
            raise EngineCrashError("was closed")
        self.write(f"{text}\n".encode())

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._commands, data) :]

    def read_line(self, timeout_s: float) -> OutputLine | None:
        try:
            line = self._lines.get(timeout_s > 0, max(timeout_s, 0) or None)
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise EngineCrashError("was closed" if self.closed else "ended with status 0")
        return line

    def read_available(self) -> None:
        pass

    def close(self, grace_s: float) -> None:
        if not self.closed:
            self.closed = True
            os.close(self._commands)
            for thread in self._threads:
                thread.join()
            sys.setswitchinterval(self._interval_s)


class InstantEngine(fake_engine.FakeEngine):
    """Plays the moves of its command by the number of plies, and knows no game; see ``fakes/instant_engine.py``."""

    def __init__(self, console: MemoryProcess, *moves: str) -> None:
        super().__init__("good", console=console)
        self._moves, self._plies = moves, 0

    def read(self, line: str) -> None:
        if not line.startswith("setoption"):
            super().read(line)

    def set_position(self, words: list[str]) -> None:
        self._plies = len(words[5:])

    def go(self, limits: list[str]) -> None:
        move = self._moves[self._plies]
        self.say(f"info depth 1 score cp 0 nodes 1 time 0 pv {move}", f"bestmove {move}")


PLAYERS: dict[str, Callable[..., Player]] = {
    "fake_engine.py": lambda console, behaviour, after="0": fake_engine.FakeEngine(behaviour, int(after), console),
    "false": lambda console: fake_engine.FakeEngine("dead", 0, console),
    "hostile_engine.py": HostileEngine,
    "instant_engine.py": InstantEngine,
    "strict_engine.py": StrictEngine,
    "tuned_engine.py": TunedEngine,
}


def _play(player: Callable[..., Player], words: Sequence[str], process: MemoryProcess) -> Player:
    return player(process, *words)


def connect(command: Sequence[str], *, directory: str | None = None, environment: object = None,
            on_error_line: Callable[[str], None] | None = None) -> Transport:
    """Start a fake or the engine of this project in memory; see ``Connection.connect``."""
    if tuple(command[: len(OWN_ENGINE)]) == OWN_ENGINE:
        return OwnEngine(command[len(OWN_ENGINE) :])
    for number, word in enumerate(command):
        if (player := PLAYERS.get(Path(word).name)) is not None:
            words = command[number + 1 :]
            assert fake_engine.PROCESS_BEHAVIOURS.keys().isdisjoint(words), f"{words} needs a process"
            return MemoryProcess(partial(_play, player, words), on_error_line)
    if shutil.which(command[0]) is None:
        raise EngineStartError(f"cannot start {join_command(command)!r}: No such file or directory")
    raise AssertionError(f"{join_command(command)!r} starts a process; mark the test with @pytest.mark.process")


def scripted(script: ScriptedEngine, **changes: Any) -> EngineController:
    """Start a controller of a scripted engine, of which it sets no options."""
    settings = EngineSettings(("scripted",), TimeControl(depth=1), **changes)
    Connection.connect = staticmethod(script.start)  # put back before the next test
    return EngineController(settings, {}, Timeouts(), lambda: False)
