"""Fake kernels for sessions in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import pytest

from latrones_uci.engine import backend
from latrones_uci.engine.backend import KernelChoice
from latrones_uci.engine.kernels import Kernel
from latrones_uci.engine.nets.find import Nets
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.engine.types import IterationProgress, Reporter, SearchResult, Task
from latrones_uci.game import Game, PackedMove, Position
from latrones_uci.text.protocol import Score, SearchInfo


class QuickKernel:
    """Plays the first move, expects the first reply, reports a line per move; records its tasks."""

    name = "python"
    endless = failing = False

    def __init__(self, hash_megabytes: int) -> None:
        self.hash_megabytes = hash_megabytes
        self.threads = 1
        self.cleared = 0
        self.tasks: list[Task] = []
        self.games: list[Game] = []

    def resize_hash(self, megabytes: int) -> None:
        self.hash_megabytes = megabytes

    def clear_hash(self) -> None:
        self.cleared += 1

    def use_threads(self, threads: int) -> int:
        self.threads = threads
        return threads

    def use_nets(self, nets: Nets) -> None:
        pass

    def search(
        self,
        game: Game,
        task: Task,
        report: Reporter,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        self.tasks.append(task)
        self.games.append(game)
        return self.answer(task, report, should_stop)

    def answer(self, task: Task, report: Reporter, should_stop: Callable[[], bool]) -> SearchResult:
        if self.failing:
            raise ZeroDivisionError("of the\nkernel")
        for number, move in enumerate(task.root_moves[: task.multipv], start=1):
            report(SearchInfo(1, 1, number, Score(0, None), 1, 0, self.line(move)))
        while self.endless and not should_stop():
            time.sleep(0.001)
        replies = self.games[-1].position.after(task.root_moves[0]).legal_moves()
        return SearchResult(task.root_moves[0], replies[0].packed if replies else None, 1)

    def line(self, move: PackedMove) -> tuple[str]:
        """Return a line of one move of the last game."""
        return (self.games[-1].position.named_move(move),)

    def evaluate(self, position: Position) -> Terms:
        return Terms(0, 0, 0, 0, 0, 0)

    def value(self, position: Position) -> int:
        return 0

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        return position.perft(depth)


class EndlessKernel(QuickKernel):
    endless = True


class FailingKernel(QuickKernel):
    failing = True

    def evaluate(self, position: Position) -> Terms:
        raise RuntimeError("evaluation")

    def clear_hash(self) -> None:
        raise MemoryError

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        raise OverflowError("count")


def use(patch: pytest.MonkeyPatch, kernel: Callable[[int], Kernel]) -> None:
    """Make later sessions use this kernel, regardless of their ``Backend``."""

    def make(choice: KernelChoice, hash_megabytes: int, tuned: Mapping[str, int] | None = None) -> Kernel:
        return kernel(hash_megabytes)

    patch.setattr(backend, "make_kernel", make)
