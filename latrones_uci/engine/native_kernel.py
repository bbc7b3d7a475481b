"""The compiled kernel behind the interface of ``engine.interface.Kernel``."""

import dataclasses
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Literal

from latrones_uci import native
from latrones_uci.engine.memory import check_available
from latrones_uci.game import Game, Position, Ruleset
from latrones_uci.game.encoding import Board
from latrones_uci.game.geometry import Geometry
from latrones_uci.search.evaluation import Terms, weights_of
from latrones_uci.search.report import CurrentMove, Info, Outcome, Progress, Report, Task
from latrones_uci.search.scores import to_score

if TYPE_CHECKING:
    from latrones_uci.native._core import BoardTuple, Core

_BOUNDS: tuple[Literal["", "lower", "upper"], ...] = ("", "lower", "upper")
# What the start position alone depends on, or people, is not handed over.
_NOT_HANDED_OVER = {
    "name", "title", "source", "board", "default_size", "min_size", "max_size", "min_squares", "setup",
    "soldier_ranks", "dux", "hand", "goal",
}


class NativeKernel:
    """``native`` behind the interface of ``Kernel``."""

    name = "native"

    def __init__(self, hash_megabytes: int, without: Collection[str] = ()) -> None:
        """Makes a kernel with an empty table.

        Args:
            hash_megabytes: of the table.
            without: names of ``TECHNIQUES`` that the search does without; without any, scores are plain minimax values.
        """
        self._table = native.core().Table(hash_megabytes)
        self._techniques = sum(bit for name, bit in native.core().TECHNIQUES.items() if name not in without)
        self._cores: dict[tuple[Ruleset, int, int], Core] = {}
        self.threads = 1

    def resize_hash(self, megabytes: int) -> None:
        """See ``Kernel``."""
        check_available(megabytes)
        self._table = native.core().Table(megabytes)

    def clear_hash(self) -> None:
        """See ``Kernel``."""
        self._table.clear()
        for core in self._cores.values():
            core.clear()

    def use_threads(self, threads: int) -> int:
        """See ``Kernel``."""
        self.threads = threads
        return threads

    def _core_of(self, position: Position) -> "Core":
        geometry = position.geometry
        name = (position.ruleset, geometry.files, geometry.ranks)
        if name not in self._cores:
            # What searches have taught is kept for one game at a time.
            self._cores = {name: make_core(*name)}
        return self._cores[name]

    def search(
        self,
        game: Game,
        task: Task,
        report: Report,
        should_stop: Callable[[], bool],
        wants_depth: Callable[[Progress], bool],
    ) -> Outcome:
        """See ``Kernel``."""

        def info(
            depth: int, seldepth: int, multipv: int, score: int, bound: int, nodes: int, hashfull: int, pv: list[int]
        ) -> None:
            value = dataclasses.replace(to_score(score), bound=_BOUNDS[bound])
            report(Info(depth, seldepth, multipv, value, nodes, hashfull, tuple(pv)))

        def current_move(depth: int, move: int, number: int) -> None:
            report(CurrentMove(depth, move, number))

        position = game.position
        move, ponder, nodes = self._core_of(position).search(
            wire(position.geometry, position.board), [past.key for past in game.positions], task.root_moves,
            task.depth, task.nodes, task.mate, task.multipv, self.threads, self._techniques, self._table,
            info, current_move, should_stop, lambda steady, settled: wants_depth(Progress(steady, settled)))
        return Outcome(move, ponder, nodes)

    def evaluate(self, position: Position) -> Terms:
        """See ``Kernel``."""
        return Terms(*self._core_of(position).evaluate(wire(position.geometry, position.board)))

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        """See ``Kernel``."""
        board = wire(position.geometry, position.board)
        return self._core_of(position).perft(board, depth, True, should_stop)


def make_core(ruleset: Ruleset, files: int, ranks: int) -> "Core":
    """The compiled rules of a game on a board."""
    values = {each.name: getattr(ruleset, each.name) for each in dataclasses.fields(ruleset)
              if each.name not in _NOT_HANDED_OVER}
    core: Core = native.core().Core(values, dataclasses.asdict(weights_of(ruleset)), files, ranks)
    return core


def wire(geometry: Geometry, board: Board) -> "BoardTuple":
    """A board as it is handed over."""
    own, opp, own_dux, opp_dux, side, _, nocapture, bound, hand = board
    size = (geometry.base.bit_length() + 7) // 8
    sets = [(squares & geometry.base).to_bytes(size, "little") for squares in (own, opp, bound)]
    return (*sets, own_dux, opp_dux, side, nocapture, hand)  # type: ignore[return-value]
