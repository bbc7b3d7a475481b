"""An in-process engine that speaks CECP; each line is obeyed before the next one is sent."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

import fake_kernels
from fake_kernels import QuickKernel
from latrones_uci.engine.events import Event
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.game import Game
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.protocols.channel import Line
from latrones_uci.protocols.xboard.session import CecpSession
from latrones_uci.search.types import Report, SearchResult, Task

PATIENCE_S = 60.0


class PatientKernel(QuickKernel):
    """Plays the first move and expects the first reply; searches until stopped if ``endless``, or fails.

    It reports one line per move, in the order of the moves.
    """

    endless = failing = False

    def answer(self, task: Task, report: Report, should_stop: Callable[[], bool]) -> SearchResult:
        if self.failing:
            raise ZeroDivisionError
        outcome = super().answer(task, report, should_stop)
        for number in range(2, task.multipv + 1):
            report(SearchInfo(2, 2, number, Score(0, None), 1, 0, self.line(task.root_moves[number - 1])))
        while self.endless and not should_stop():
            time.sleep(0.001)
        replies = self.games[-1].position.play(outcome.move).legal_moves()
        return replace(outcome, ponder=replies[0] if replies else None)


class Table:
    """Engine and controller."""

    def __init__(self, patch: pytest.MonkeyPatch, kernel: type[PatientKernel] = PatientKernel) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.said: list[str] = []
        """Lines from the engine since the last look."""
        self.limits: list[Limits] = []
        """The limits of all searches started."""
        self.kernel = kernel(1)
        """The kernel of the engine."""
        fake_kernels.use(patch, lambda megabytes: self.kernel)
        begin = Session.go

        def go(engine: Session, limits: Limits, started_ns: int) -> None:
            self.limits.append(limits)
            begin(engine, limits, started_ns)

        patch.setattr(Session, "go", go)
        self.engine = Session(self._events.put)
        self.session = CecpSession(self.engine, self.said.extend)
        self.say("rejected debug")

    def say(self, *lines: str) -> list[str]:
        """Send lines; return the answers since the last look, without those of running searches."""
        for line in lines:
            assert self.session.serve(Line(line, time.monotonic_ns()))
        while not self._events.empty():
            self.session.handle_event(self._events.get())
        said, self.said[:] = list(self.said), []
        return said

    def play(self, *lines: str, until: str = "move ") -> list[str]:
        """Send lines and wait for an answer that starts with ``until``."""
        said = self.say(*lines)
        while not [line for line in said if line.startswith(until)]:
            self.session.handle_event(self._events.get(timeout=PATIENCE_S))
            said += self.say()
        return said

    def searched(self) -> Game:
        """Return the game of the last search."""
        return self.kernel.games[-1]
