"""A search run to its end, for the tests."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from latrones_uci import native
from latrones_uci.engine.native_kernel import NativeKernel
from latrones_uci.game import Game
from latrones_uci.search.alphabeta import Search
from latrones_uci.search.report import CurrentMove, Info, Outcome, Progress, Task
from latrones_uci.search.table import TranspositionTable


@dataclass
class Run:
    outcome: Outcome
    infos: list[Info] = field(default_factory=list)

    @property
    def last(self) -> Info:
        return self.infos[-1]


def search(
    game: Game, task: Task | None = None, *, backend: str = "python", selective: bool = True, megabytes: int = 4,
    **bounds: int,
) -> Run:  # fmt: skip
    """Searches all moves of a game within `bounds` (those of Task) with an empty table; keeps what is reported."""
    infos: list[Info] = []

    def report(item: Info | CurrentMove) -> None:
        if isinstance(item, Info):
            infos.append(item)

    def never() -> bool:
        return False

    def always(progress: Progress) -> bool:
        return True

    task = task or Task(tuple(game.legal_moves()), **bounds)
    if backend == "native":
        kernel = native_kernel(megabytes, selective)
        kernel.clear_hash()
        return Run(kernel.search(game, task, report, never, always), infos)
    table = TranspositionTable(megabytes)
    outcome = Search(game, table, task, report, never, always, selective=selective).run()
    return Run(outcome, infos)


@functools.cache
def native_kernel(megabytes: int, selective: bool) -> NativeKernel:
    return NativeKernel(megabytes, () if selective else native.core().TECHNIQUES)
