"""The kernel for games that are solved outright."""

from collections.abc import Callable

from latrones_uci.engine import perft
from latrones_uci.game import Game, Position
from latrones_uci.game.history import REPETITION_COUNT
from latrones_uci.search.evaluation import Terms, terms
from latrones_uci.search.report import MAX_PLY, Info, Outcome, Progress, Report, Score, Task
from latrones_uci.search.scores import WIN, to_score
from latrones_uci.search.solver import Solution, Value

LONGEST_LINE = 12


class SolverKernel:
    """Perfect play, with the exact distance to the end.

    All that can be reached from the start is solved when the kernel is made, in a fraction of a second, so that no
    search takes longer than its time; a position set up beside it when it is first searched. Nothing is kept beyond the
    kernel.
    """

    name = "solver"

    def __init__(self, start: Position) -> None:
        """Solves the game from its start."""
        self._solution = self._beside = Solution(start.rules, start.board)

    def resize_hash(self, megabytes: int) -> None:
        """Does nothing: a solver has no transposition table."""

    def clear_hash(self) -> None:
        """Does nothing, likewise."""

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
        """See ``Kernel``; the value is exact whatever the task's bounds. Nodes are the positions solved."""
        position = game.position
        board = position.board
        if not self._solution.knows(board) and not self._beside.knows(board):
            self._beside = Solution(position.rules, board)
        solution = self._solution if self._solution.knows(board) else self._beside
        drawn = [past.board for past in game.positions
                 if past.repetition_key != position.repetition_key and game.count(past) >= REPETITION_COUNT - 1]
        if drawn:
            solution = solution.with_draws(drawn)
        nodes = solution.positions
        ranked = solution.ranked(board, task.root_moves)
        for rank, move in enumerate(ranked[:task.multipv], start=1):
            value = solution.after(board, move)
            line = solution.line(board, move, LONGEST_LINE)
            depth = max(1, min(value.plies or len(line), MAX_PLY))
            report(Info(depth, depth, rank, _score(value), nodes, 0, line))
        best_line = solution.line(board, ranked[0], 2)
        return Outcome(ranked[0], best_line[1] if len(best_line) > 1 else None, nodes)

    def evaluate(self, position: Position) -> Terms:
        """See ``Kernel``."""
        return terms(position.rules, position.board)

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        """See ``Kernel``."""
        return perft.count(position, depth, should_stop)


def _score(value: Value) -> Score:
    return to_score(value.outcome * (WIN - value.plies))
