"""The kernel in plain Python."""

from collections.abc import Callable

from latrones_uci.engine import perft
from latrones_uci.engine.memory import check_available
from latrones_uci.game import Game, Position
from latrones_uci.search.alphabeta import Search
from latrones_uci.search.evaluation import Terms, terms
from latrones_uci.search.report import Outcome, Progress, Report, Task
from latrones_uci.search.table import TranspositionTable


class PythonKernel:
    """``search`` behind the interface of ``engine.interface.Kernel``."""

    name = "python"

    def __init__(self, hash_megabytes: int) -> None:
        """Makes a kernel with an empty table."""
        self._table = TranspositionTable(hash_megabytes)

    def resize_hash(self, megabytes: int) -> None:
        """See ``Kernel``."""
        check_available(megabytes)
        self._table = TranspositionTable(megabytes)

    def clear_hash(self) -> None:
        """See ``Kernel``."""
        self._table.clear()

    def use_threads(self, threads: int) -> int:
        """See ``Kernel``: one."""
        return 1

    def search(
        self,
        game: Game,
        task: Task,
        report: Report,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
    ) -> Outcome:
        """See ``Kernel``."""
        return Search(game, self._table, task, report, should_stop, wants_depth).run()

    def evaluate(self, position: Position) -> Terms:
        """See ``Kernel``."""
        return terms(position.rules, position.board)

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        """See ``Kernel``."""
        return perft.count(position, depth, should_stop)
