"""A search run to its end, for the tests."""

from __future__ import annotations

from dataclasses import dataclass, field

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


def search(game: Game, task: Task | None = None, *, selective: bool = True, megabytes: int = 4, **bounds: int) -> Run:
    """Searches all moves of a game within `bounds` (those of Task) and keeps what was reported."""
    infos: list[Info] = []

    def report(item: Info | CurrentMove) -> None:
        if isinstance(item, Info):
            infos.append(item)

    def never() -> bool:
        return False

    def always(progress: Progress) -> bool:
        return True

    task = task or Task(tuple(game.legal_moves()), **bounds)
    table = TranspositionTable(megabytes)
    outcome = Search(game, table, task, report, never, always, selective=selective).run()
    return Run(outcome, infos)
