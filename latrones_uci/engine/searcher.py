"""What plays in a session: the kernel in use, its nets, and its endgame tables."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from latrones_uci.engine import backend
from latrones_uci.engine.backend import KernelChoice
from latrones_uci.engine.errors import OptionError
from latrones_uci.engine.events import EngineEvent, Note
from latrones_uci.engine.idle_tables import IdleTableMaker
from latrones_uci.engine.kernels import Kernel, NativeKernel, SolverKernel
from latrones_uci.engine.levels import TABLE_MEGABYTES, LevelKernel
from latrones_uci.engine.limits import TimeManager
from latrones_uci.engine.nets.find import AUTO, Found, Nets
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.engine.root_tables import choose_at_root
from latrones_uci.engine.tables import Tables, TablesError
from latrones_uci.engine.tables.find import AUTO as AUTO_TABLES
from latrones_uci.engine.tables.find import TableChoice, find_in_cache
from latrones_uci.engine.types import Reporter, SearchResult, Task
from latrones_uci.game import Game, Position, Ruleset
from latrones_uci.text.messages import quoted

HASH_MEGABYTES = 16
"""Size of the transposition table until the option ``Hash`` is set."""


class Searcher:
    """Searches with one kernel for all games that are not solved, and with the solver for the others.

    No search may run during a method that changes something. One that raises changes nothing.
    """

    def __init__(
        self, emit: Callable[[EngineEvent], None], backend_name: str = "auto", kernel: Kernel | None = None,
        tune: bool = False,
    ) -> None:
        """Choose the kernel; the arguments are as for ``Session``, of which ``emit`` receives notes."""
        self._emit, self._tune = emit, tune
        self._choice: KernelChoice | None = None
        self._megabytes, self._threads = HASH_MEGABYTES, 1
        self._solver: SolverKernel | None = None
        self._solver_of: Ruleset | None = None  # key of the last choice of the solver
        self._level_kernel: Kernel | None = None  # created when needed
        self._table_choice = TableChoice(AUTO_TABLES)
        self._tables: Tables | None = None
        self._cached: Tables | None = None
        self._cached_of: tuple[Ruleset, str] | None = None  # key of the last lookup of `_cached`
        self._tables_of: tuple[Ruleset, str] | None = None  # key of the last lookup of `_tables`
        self._nets = Nets(AUTO)
        self._net_of: tuple[Ruleset, str] | None = None  # key of the last lookup of the net
        if kernel is None:
            self._choice = backend.choose(backend_name, tune)
            kernel = backend.make_kernel(self._choice, HASH_MEGABYTES)
            kernel.use_nets(self._nets)
        self._table_maker = IdleTableMaker()
        self._main = kernel  # keeps its table while the solver plays

    @property
    def choice(self) -> KernelChoice | None:
        """The kernel of this project that was chosen; None if one was passed in."""
        return self._choice

    @property
    def kernel(self) -> Kernel:
        return self._solver or self._main

    @property
    def kernel_text(self) -> str:
        """The kernel in use, with the reason; empty if it is not one of this project's kernels."""
        if self._solver:
            assert self._solver_of is not None
            return f"solver, because {self._solver_of.name} is solved"
        return "" if self._choice is None else str(self._choice)

    @property
    def tuned(self) -> Mapping[str, int]:
        """The constants of the native kernel that were set."""
        return getattr(self._main, "tuned", {})

    # ---------------------------------------------------------------- what options change

    def clear_hash(self) -> None:
        self._main.clear_hash()

    def resize_hash(self, megabytes: int) -> None:
        try:
            self._main.resize_hash(megabytes)
        except MemoryError as error:
            raise OptionError(f"option Hash: keeping the old table: {error}") from None
        self._megabytes = megabytes

    def use_threads(self, wanted: int) -> None:
        """Set the number of threads, capped at what the kernel supports, with a note."""
        self._threads = wanted
        used = self._main.use_threads(wanted)
        if used != wanted:
            self._emit(Note(f"the {self._main.name} kernel uses {used} of {wanted} threads"))

    def use_backend(self, name: str) -> None:
        """Change the kernel to that for a value of the option ``Backend``."""
        assert self._choice is not None  # without a choice, the option does not exist
        choice = backend.choose(name, self._tune)
        if choice.kernel != self._choice.kernel:
            try:
                self._main = backend.make_kernel(choice, self._megabytes)
            except MemoryError as error:
                raise OptionError(f"option Backend: keeping the {self._choice.kernel} kernel: {error}") from None
            self._main.use_nets(self._nets)
            self._level_kernel = None
            self.use_threads(self._threads)
            self._choice = choice
            self._emit(Note(f"kernel {self.kernel_text}"))
        self._choice = choice

    def use_tables(self, setting: str, start: Position) -> str:
        """Use the endgame tables for a value of the option ``TablePath``, and return the value as it is kept.

        ``start`` is the position to find them for first.
        """
        try:
            self._table_choice = TableChoice(setting)
        except TablesError as error:
            raise OptionError(f"option TablePath: {error}") from None
        self._tables_of = self._cached_of = None
        if self._tables is not None or self._cached is not None:
            self._cached = None
            self._tables = self._load_tables(start, None, shown=False)  # frees those in memory
        self._find_tables(start)
        return self._table_choice.setting

    def use_net_file(self, setting: str, start: Position) -> str:
        """Use the nets for a value of the option ``EvalFile``, and return the value as it is kept."""
        self._nets = Nets(setting)
        self._main.use_nets(self._nets)
        self._net_of = None
        self._find_net(start)
        return self._nets.setting

    def tune(self, name: str, value: int) -> None:
        assert isinstance(self._main, NativeKernel)  # these options require the native kernel
        self._main.tune(name, value)
        self._level_kernel = None

    # ---------------------------------------------------------------- the game

    def use_game(self, ruleset: Ruleset) -> None:
        """Use the solver if the game can be solved, with a note."""
        if ruleset == self._solver_of:
            return
        before, self._solver_of = self._solver, ruleset
        solved = ruleset.board == "wheel" and self._choice is not None
        self._solver = SolverKernel(Position.start(ruleset)) if solved else None
        if before or solved:
            self._emit(Note(f"kernel {self.kernel_text}"))

    def find_data(self, position: Position) -> None:
        """Find the tables and the net for the game and board of a position, so that no search has to."""
        if self._choice is not None:  # a kernel that was passed in uses neither
            self._find_tables(position)
            self._find_net(position)

    def _find_tables(self, position: Position) -> None:
        """Find the tables for the game and board of a position if they changed, and emit a note."""
        wanted = (position.ruleset, position.geometry.name)
        if wanted == self._tables_of or not self._table_choice.is_used(position):
            return
        self._tables_of = wanted
        found, problem = self._table_choice.find(position)
        self._tables = self._load_tables(position, found, shown=self._table_choice.named)
        if problem:
            self._emit(Note(f"no tables used: {problem}"))

    def _load_tables(self, position: Position, tables: Tables | None, shown: bool) -> Tables | None:
        """Load tables into the kernel and return them, None if they do not fit; a note says that, or what is shown."""
        try:
            if isinstance(self._main, NativeKernel) and position.ruleset.board == "grid":
                self._main.load_tables(position, tables)
        except (TablesError, MemoryError) as error:
            self._emit(Note(f"no tables used: {error}"))
            return None
        if tables is not None and shown:
            self._emit(Note(f"tables: {tables}"))
        return tables

    def _tables_for(self, position: Position, with_cache: bool) -> Tables | None:
        if not self._table_choice.is_used(position):
            return None
        wanted = (position.ruleset, position.geometry.name)
        if wanted == self._tables_of and self._tables is not None:
            return self._tables
        if not with_cache or self._table_choice.named:
            return None
        if wanted != self._cached_of or self._table_maker.has_made.is_set():
            self._table_maker.has_made.clear()
            found, before = find_in_cache(position), self._cached if wanted == self._cached_of else None
            self._cached_of = wanted
            if found is None or before is None or len(found.files) > len(before.files):
                self._cached = self._load_tables(position, found, shown=True)
        return self._cached

    def start_idle_work(self, position: Position) -> None:
        """Make tables for the game and board of a position, if there are none, until ``interrupt_idle_work``."""
        if self._choice is not None and self._table_choice.setting == AUTO_TABLES:
            self._table_maker.start(position)

    def interrupt_idle_work(self) -> None:
        """End the idle work without waiting for that."""
        self._table_maker.interrupt()

    def close(self) -> None:
        """End the idle work, and wait for its end."""
        self._table_maker.close()

    def _find_net(self, position: Position) -> None:
        """Read the net if the game or board has changed, and emit a note if it was named."""
        wanted = (position.ruleset, position.geometry.name)
        if wanted == self._net_of:
            return
        self._net_of = wanted
        net, problem, _ = self._nets.find(position)
        if self._nets.named:
            self._emit(Note(f"net: {net}" if net else f"{quoted(self._nets.setting)} not used: {problem}"))

    def net_of(self, position: Position) -> Found | None:
        """Return the net for a position at full strength, None if the kernel in use has no nets."""
        return None if self._solver or self._choice is None else self._nets.find(position)

    # ---------------------------------------------------------------- searching

    def search(
        self, game: Game, task: Task, report: Reporter, timer: TimeManager, with_cache: bool
    ) -> SearchResult:
        """Search at full strength, with the endgame tables if there are any, ``with_cache`` also those of the cache."""
        if self._choice is not None:
            task = replace(task, tables=self._tables_for(game.position, with_cache))
        choice = choose_at_root(game, task, report)
        if choice is not None:
            if choice.answer is not None:
                return choice.answer
            task, report = choice.task, choice.report
        return self.kernel.search(game, task, report, timer.should_stop, timer.wants_depth)

    def at_level(self, strength: float, seed: int) -> LevelKernel:
        """Return what searches at a strength below the full one."""
        kernel = self._solver or self._level_kernel
        if kernel is None:
            assert self._choice is not None  # without a choice, there are no levels
            kernel = self._level_kernel = backend.make_kernel(self._choice, TABLE_MEGABYTES, self.tuned)
        return LevelKernel(kernel, strength, seed)

    def evaluate(self, position: Position) -> Terms | NetEvaluation | None:
        return None if self._solver else self._main.evaluate(position)

    def make_bench_kernel(self, choice: KernelChoice, hash_megabytes: int) -> Kernel:
        """Create a kernel of its own for a bench, with the nets and the constants in use."""
        kernel = backend.make_kernel(choice, hash_megabytes, self.tuned)
        kernel.use_nets(self._nets)
        return kernel
