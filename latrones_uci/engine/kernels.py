"""The kernels: one interface, and its implementations in Python, in C++, and by solving the game."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from latrones_uci.engine import native
from latrones_uci.engine.memory import check_available
from latrones_uci.engine.nets.find import Nets
from latrones_uci.engine.nets.python import NetEvaluation, net_evaluation, net_evaluator
from latrones_uci.engine.python.alphabeta import Search
from latrones_uci.engine.python.evaluation import Evaluate, Terms, Weights, evaluator, terms, weights_of
from latrones_uci.engine.python.solver import Solution
from latrones_uci.engine.python.transposition_table import TranspositionTable
from latrones_uci.engine.tables import Tables
from latrones_uci.engine.types import (
    MAX_PLY,
    WIN,
    CurrentMove,
    IterationProgress,
    Reporter,
    SearchResult,
    Task,
    to_score,
)
from latrones_uci.game import Game, PackedMove, Position, Ruleset
from latrones_uci.game.encoding import Board, men_of
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.history import REPETITION_COUNT
from latrones_uci.game.ruleset import keys_of
from latrones_uci.text.protocol import Bound, SearchInfo

if TYPE_CHECKING:
    from latrones_uci.engine.native import _core
    from latrones_uci.engine.native._core import Core


class Kernel(Protocol):
    """A search with its transposition table. Calls must not overlap."""

    @property
    def name(self) -> str:
        """``python``, ``native`` or ``solver``."""

    def resize_hash(self, megabytes: int) -> None:
        """Replace the table by an empty one of ``megabytes`` (2**20 bytes).

        Raises:
            MemoryError: not enough memory; the old table is kept.
        """

    def clear_hash(self) -> None:
        """Discard everything learned in earlier searches."""

    def use_threads(self, threads: int) -> int:
        """Set the number of threads of later searches, capped at what the kernel supports; return that number."""

    def search(
        self, game: Game, task: Task, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        """Search; see ``search.alphabeta.Search`` for the arguments.

        The last report of each line has the totals of the whole search. Nothing is reported if the search is stopped
        before the first root move is searched.
        """

    def use_nets(self, nets: Nets) -> None:
        """Use these nets in later searches; until then, no nets are used."""

    def evaluate(self, position: Position) -> Terms | NetEvaluation:
        """Return the static evaluation of a position, for the player to move, in its parts."""

    def value(self, position: Position) -> int:
        """Return the static evaluation as searches use it, in centi-soldiers for the player to move."""

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        """Return the result of ``Position.perft``; None if stopped."""


# ---------------------------------------------------------------- Python


class PythonRulesKernel:
    """Base of the kernels in Python: one thread, no transposition table, evaluation and perft by the Python rules."""

    def resize_hash(self, megabytes: int) -> None:
        """Do nothing: there is no transposition table."""

    def clear_hash(self) -> None:
        """Do nothing: there is no transposition table."""

    def use_threads(self, threads: int) -> int:
        """See ``Kernel``; always one thread."""
        return 1

    def use_nets(self, nets: Nets) -> None:
        """Do nothing: there are no nets."""

    def evaluate(self, position: Position) -> Terms | NetEvaluation:
        return terms(position.rules, position.board)

    def value(self, position: Position) -> int:
        return evaluator(position.rules)(position.board)

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        return python_perft(position, depth, should_stop)


def _evaluation_with_net(position: Position, nets: Nets) -> NetEvaluation | None:
    """Return the evaluation with a net; None if there is no net for the position, or the position has too few men."""
    found = nets.find(position)
    if found.net is None or men_of(position.board, position.geometry) < found.net.least_men:
        return None
    return net_evaluation(position, found.net, found.card)


class PythonKernel(PythonRulesKernel):
    """The kernel in plain Python."""

    name = "python"

    def __init__(self, hash_megabytes: int) -> None:
        """Create a kernel with an empty table."""
        self._table = TranspositionTable(hash_megabytes)
        self._searched = False  # emptying a new table would touch all its memory
        self._nets = Nets()
        self._evaluators: dict[tuple[Ruleset, int, int], Evaluate] = {}

    def resize_hash(self, megabytes: int) -> None:
        check_available(megabytes)
        self._table = TranspositionTable(megabytes)

    def clear_hash(self) -> None:
        self._table.clear()

    def search(
        self, game: Game, task: Task, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        evaluate = self._evaluator_of(game.position)
        self._searched = True
        return Search(game, self._table, task, report, should_stop, wants_depth, evaluate=evaluate).run()

    def use_nets(self, nets: Nets) -> None:
        if self._searched:
            self._table.clear()  # it has scores of another evaluation
        self._nets = nets
        self._evaluators = {}

    def _evaluator_of(self, position: Position) -> Evaluate | None:
        """Return the evaluation with a net, None without a net. It is cached for one game at a time."""
        net = self._nets.find(position).net
        if net is None:
            return None
        name = (position.ruleset, position.geometry.files, position.geometry.ranks)
        if name not in self._evaluators:
            self._evaluators = {name: net_evaluator(position.rules, net, evaluator(position.rules))}
        return self._evaluators[name]

    def evaluate(self, position: Position) -> Terms | NetEvaluation:
        if (found := _evaluation_with_net(position, self._nets)) is not None:
            return found
        return super().evaluate(position)

    def value(self, position: Position) -> int:
        evaluate = self._evaluator_of(position)
        return super().value(position) if evaluate is None else evaluate(position.board)


# ---------------------------------------------------------------- C++

_BOUNDS: tuple[Bound, ...] = ("", "lower", "upper")
NOT_IN_CORE = keys_of("words", "size", "start", "wheel")
"""Ruleset fields that the C++ core does not need: they describe the game, or only matter for the start position."""
WEIGHT_PREFIX = "weight_"
"""Prefix of the names of tuned evaluation weights; see ``flat_weights`` for the rest."""
_DUX_SIDES = "dux_sides"
_DECIDING_MB = 16  # table of the search that decides whether there is a win in so many turns


class NativeKernel:
    """The compiled kernel."""

    name = "native"

    def __init__(self, hash_megabytes: int, plain: bool = False) -> None:
        """Create a kernel with an empty table.

        Args:
            hash_megabytes: size of the table.
            plain: search without selective techniques, for comparisons: scores are minimax values.
        """
        self._table = native.core().Table(hash_megabytes)
        self._plain = plain
        self._cores: dict[tuple[Ruleset, int, int], Core] = {}
        self._tables: Tables | None = None  # the tables loaded in the core
        self._nets = Nets()
        self._outdated = False
        self.threads = 1
        self.tuned: dict[str, int] = {}
        """Values set by ``tune``, by name."""

    def resize_hash(self, megabytes: int) -> None:
        check_available(megabytes)
        self._table = native.core().Table(megabytes, self.threads)

    def clear_hash(self) -> None:
        self._outdated = False
        self._table.clear(self.threads)
        for core in self._cores.values():
            core.clear()

    def use_threads(self, threads: int) -> int:
        self.threads = threads
        return threads

    def tune(self, name: str, value: int) -> None:
        """Set a constant of the search or a weight of the evaluation (see ``options.tunable_options``)."""
        if self.tuned.get(name) != value:
            self.tuned[name] = value
            self._cores = {}
            self._outdated = True  # the table has scores with other values

    def use_nets(self, nets: Nets) -> None:
        self._nets = nets
        self._outdated = self._outdated or bool(self._cores)
        self._cores = {}

    def _core_of(self, position: Position) -> "Core":
        geometry = position.geometry
        name = (position.ruleset, geometry.files, geometry.ranks)
        if name not in self._cores:
            # The learned move ordering is kept for one game at a time.
            core = make_core(*name, self.tuned)
            if (net := self._nets.find(position).net) is not None:
                core.use_net(net.wire)
            self._cores = {name: core}
            self._tables = None
        return self._cores[name]

    def load_tables(self, position: Position, tables: Tables | None) -> None:
        """Load endgame tables for a game now instead of in its first search; None drops them.

        Raises:
            MemoryError: not enough memory.
            TablesError: a file has been damaged since it was checked.
        """
        core = self._core_of(position)
        if tables is not self._tables:
            core.drop_endings()
            self._tables = None
            if tables is not None:
                load_tables(core, tables)
            self._tables = tables

    def search(
        self, game: Game, task: Task, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        if self._outdated:
            self.clear_hash()
        if task.tables is not None:
            self.load_tables(game.position, task.tables)
        last: dict[int, SearchInfo] = {}

        def keep(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo):
                last[item.multipv] = item
            report(item)

        result = self._run(game, task, self._table, keep, should_stop, wants_depth, plain=self._plain)
        if self._plain or not _is_undecided(task, last) or should_stop():
            return result
        # A selective search may have missed the win; a plain search of a table of its own does not.
        found: list[SearchInfo] = []

        def find(item: SearchInfo | CurrentMove) -> None:
            if isinstance(item, SearchInfo) and _wins_in(task, item):
                found.append(dataclasses.replace(item, depth=task.depth, seldepth=max(item.seldepth or 0, task.depth)))

        decided = self._run(game, dataclasses.replace(task, multipv=1, tables=None), native.core().Table(_DECIDING_MB),
                            find, should_stop, lambda progress: not should_stop(), plain=True)
        total = result.nodes + decided.nodes
        if found:
            last[1], result = found[-1], decided
        for info in last.values():
            report(dataclasses.replace(info, nodes=total))
        return result._replace(nodes=total)

    def _run(
        self, game: Game, task: Task, table: "_core.Table", report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool], *, plain: bool,
    ) -> SearchResult:
        position = game.position

        def info(found: "_core.SearchInfo") -> None:
            report(SearchInfo(
                found.depth, found.seldepth, found.multipv, to_score(found.score, _BOUNDS[found.bound]), found.nodes,
                found.hashfull, tuple(map(position.named_move, found.pv)),
                tbhits=found.table_hits or None))

        def current_move(current: "_core.CurrentMove") -> None:
            report(CurrentMove(current.depth, position.named_move(current.move), current.number))

        core = native.core()
        # A position before the last capture cannot occur again.
        reversible = game.positions[-1 - position.nocapture:]
        result = self._core_of(position).search(
            wire(position.geometry, position.board),
            core.Task(
                root_moves=task.root_moves, game_keys=[each.key for each in reversible],
                past=[arrangement[0] for arrangement in position.past_arrangements()], depth=task.depth,
                nodes=task.nodes, mate=task.mate, multipv=task.multipv, threads=self.threads,
                endings=task.tables is not None, final_men=0 if task.tables is None else task.tables.final_men,
                plain=plain),
            table,
            core.Listener(
                info=info, current_move=current_move, should_stop=should_stop,
                wants_depth=lambda *progress: wants_depth(IterationProgress(*progress))))
        failure = ""
        if result.threads < self.threads:
            later = max(1, result.threads * 7 // 8)  # the same number might just not fit the next time
            failure = f"only {result.threads} of {self.threads} threads could be started; later searches use {later}"
            self.threads = later
        return SearchResult(result.move, result.ponder, result.nodes, failure)

    def evaluate(self, position: Position) -> Terms | NetEvaluation:
        if (found := _evaluation_with_net(position, self._nets)) is not None:
            return found
        return Terms(*self._core_of(position).evaluate(wire(position.geometry, position.board)))

    def value(self, position: Position) -> int:
        return self._core_of(position).value(wire(position.geometry, position.board))

    def perft(self, position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
        board = wire(position.geometry, position.board)
        return self._core_of(position).perft(board, depth, True, should_stop)


def _is_undecided(task: Task, lines: Mapping[int, SearchInfo]) -> bool:
    """Return whether a search has reached the depth of its ``mate`` without such a win."""
    decides = task.mate is not None and task.depth == 2 * task.mate and task.nodes is None
    return decides and 1 in lines and not _wins_in(task, lines[1])


def _wins_in(task: Task, line: SearchInfo) -> bool:
    return task.mate is not None and line.score.mate is not None and 0 < line.score.mate <= task.mate


def load_tables(core: "Core", tables: Tables) -> None:
    """Load all tables into a core.

    Raises:
        MemoryError: not enough memory.
        TablesError: a file has been damaged since it was checked.
    """
    check_available(-(-tables.code_bytes // 2**20), "endgame tables")
    for file in tables.files:
        for ending in file.endings():
            core.load_ending(*ending)


def make_core(ruleset: Ruleset, files: int, ranks: int, tuned: Mapping[str, int] | None = None) -> "Core":
    """Return the compiled rules and search of a game on a board.

    ``tuned`` are values of ``options.tunable_options`` by name; all others have the defaults of this game.
    """
    values = {each.name: getattr(ruleset, each.name) for each in dataclasses.fields(ruleset)
              if each.name not in NOT_IN_CORE}
    constants = dict(tuned or {})
    weights = flat_weights(weights_of(ruleset))
    weights |= {name: constants.pop(WEIGHT_PREFIX + name) for name in weights if WEIGHT_PREFIX + name in constants}
    sides = tuple(weights.pop(f"{_DUX_SIDES}_{count}") for count in range(5))
    core: Core = native.core().Core(values, weights | {_DUX_SIDES: sides}, files, ranks, constants)
    return core


def flat_weights(weights: Weights) -> dict[str, Any]:
    """Return weights by name; ``dux_sides`` becomes ``dux_sides_0`` to ``dux_sides_4``."""
    values = dataclasses.asdict(weights)
    sides = values.pop(_DUX_SIDES)
    return values | {f"{_DUX_SIDES}_{count}": value for count, value in enumerate(sides)}


class WireBoard(NamedTuple):
    """A board in the form that the C++ core reads.

    The sets of squares are bytes, lowest bit first, in the first orientation of ``game.geometry``.
    """

    own: bytes
    opp: bytes
    bound: bytes
    own_dux: int
    opp_dux: int
    side: int
    nocapture: int
    hand: int


def wire(geometry: Geometry, board: Board) -> WireBoard:
    own, opp, own_dux, opp_dux, side, _, nocapture, bound, hand = board
    size = (geometry.base.bit_length() + 7) // 8
    own_squares, opp_squares, bound_squares = (
        (squares & geometry.base).to_bytes(size, "little") for squares in (own, opp, bound))
    return WireBoard(own_squares, opp_squares, bound_squares, own_dux, opp_dux, side, nocapture, hand)


# ---------------------------------------------------------------- solved games

MAX_SOLVED_LINE = 12
"""Maximum number of moves in a line of the solver."""


class SolverKernel(PythonRulesKernel):
    """The kernel for solved games: perfect play with the exact distance to the end.

    The game is solved from its start when the kernel is created, which takes a fraction of a second, so that a search
    never exceeds its time. A position outside that solution is solved when it is first searched.
    """

    name = "solver"

    def __init__(self, start: Position) -> None:
        """Solve the game from its start."""
        self._solution = self._other = Solution(start.rules, start.board)

    def search(
        self, game: Game, task: Task, report: Reporter, should_stop: Callable[[], bool],
        wants_depth: Callable[[IterationProgress], bool],
    ) -> SearchResult:
        """See ``Kernel``; the value is exact for any limits. Nodes are the positions solved."""
        position = game.position
        board = position.board
        if not self._solution.knows(board) and not self._other.knows(board):
            self._other = Solution(position.rules, board)
        solution = self._solution if self._solution.knows(board) else self._other
        drawn = [past.board for past in game.positions
                 if past.repetition_key != position.repetition_key and game.count(past) >= REPETITION_COUNT - 1]
        if drawn:
            solution = solution.with_draws(drawn)
        nodes = solution.positions
        ranked = solution.ranked(board, task.root_moves)
        for rank, move in enumerate(ranked[:task.multipv], start=1):
            value = solution.after(board, move)
            line = _line_of(solution, game, move)
            depth = max(1, min(value.plies or len(line), MAX_PLY))
            score = to_score(value.outcome * (WIN - value.plies))
            report(SearchInfo(depth, depth, rank, score, nodes, 0, tuple(map(position.named_move, line))))
        best_line = _line_of(solution, game, ranked[0])
        return SearchResult(ranked[0], best_line[1] if len(best_line) > 1 else None, nodes)


def _line_of(solution: Solution, game: Game, move: PackedMove) -> list[PackedMove]:
    """Return best play for both sides after a move, to the end of the game or ``MAX_SOLVED_LINE`` moves."""
    ahead, line = game.copy(), [move]
    ahead.push(ahead.position.named_move(move))
    while len(line) < MAX_SOLVED_LINE and ahead.outcome() is None:
        position = ahead.position
        line.append(solution.ranked(position.board, position.packed_moves)[0])
        ahead.push(position.named_move(line[-1]))
    return line


# ---------------------------------------------------------------- perft


def perft_by_move(
    kernel: Kernel, position: Position, depth: int, should_stop: Callable[[], bool]
) -> tuple[tuple[str, int], ...] | None:
    """Return the counts of ``perft(depth)`` by first move, sorted by the move's text; None if stopped.

    Repetition and the no-capture limit are not applied.
    """
    position = dataclasses.replace(position, past=())
    counts = []
    for move, child in sorted(position.children(), key=lambda pair: pair[0]):
        count = None if should_stop() else kernel.perft(child, depth - 1, should_stop)
        if count is None:
            return None
        counts.append((move, count))
    return tuple(counts)


def python_perft(position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
    """Return ``Kernel.perft`` by the Python rules; ``should_stop`` is called before each count of two plies."""
    if should_stop():
        return None
    if depth <= 2:
        return position.perft(depth)
    if position.past:
        position = dataclasses.replace(position, past=())
    total = 0
    for _, child in position.children():
        count = python_perft(child, depth - 1, should_stop)
        if count is None:
            return None
        total += count
    return total
