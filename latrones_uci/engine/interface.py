"""The interface that every kernel satisfies."""

from collections.abc import Callable
from typing import Protocol

from latrones_uci.game import Game, Position
from latrones_uci.search.evaluation import Terms
from latrones_uci.search.report import Outcome, Progress, Report, Task


class Kernel(Protocol):
    """A search with its transposition table. Not for two pieces of work at once."""

    @property
    def name(self) -> str:
        """``python``, ``native`` or ``solver``."""

    def resize_hash(self, megabytes: int) -> None:
        """Replaces the table by an empty one of ``megabytes`` (2**20 bytes).

        Raises:
            MemoryError: there is not so much; the old table stays.
        """

    def clear_hash(self) -> None:
        """Forgets everything learnt from earlier searches."""

    def use_threads(self, threads: int) -> int:
        """Lets later searches have so many threads, or as many as the kernel can use; returns how many."""

    def search(
        self,
        game: Game,
        task: Task,
        report: Report,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
    ) -> Outcome:
        """Searches; see ``search.alphabeta.Search`` for the arguments."""

    def evaluate(self, position: Position) -> Terms:
        """The static evaluation of a position, from the player to move."""

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        """The sequences of exactly ``depth`` plies, as ``Position.perft`` counts them; None when stopped."""
