"""Run a search to its end."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from latrones_uci.engine.kernels import NativeKernel
from latrones_uci.engine.python.alphabeta import Search
from latrones_uci.engine.python.transposition_table import TranspositionTable
from latrones_uci.engine.types import CurrentMove, IterationProgress, SearchResult, Task
from latrones_uci.game import Game
from latrones_uci.text.protocol import SearchInfo


@dataclass
class Run:
    result: SearchResult
    infos: list[SearchInfo] = field(default_factory=list)

    @property
    def last(self) -> SearchInfo:
        return self.infos[-1]


def search(
    game: Game, task: Task | None = None, *, backend: str = "python", selective: bool = True, megabytes: int = 4,
    **bounds: int,
) -> Run:
    """Search all moves of a game with limits `bounds` (fields of Task) and an empty table; keep all reports."""
    infos: list[SearchInfo] = []

    def report(item: SearchInfo | CurrentMove) -> None:
        if isinstance(item, SearchInfo):
            infos.append(item)

    def never() -> bool:
        return False

    def always(progress: IterationProgress) -> bool:
        return True

    task = task or Task(game.position.packed_moves, **bounds)
    if backend == "native":
        kernel = native_kernel(megabytes, selective)
        kernel.clear_hash()
        return Run(kernel.search(game, task, report, never, always), infos)
    table = TranspositionTable(megabytes)
    result = Search(game, table, task, report, never, always, selective=selective).run()
    return Run(result, infos)


@functools.cache
def native_kernel(megabytes: int, selective: bool) -> NativeKernel:
    return NativeKernel(megabytes, plain=not selective)
