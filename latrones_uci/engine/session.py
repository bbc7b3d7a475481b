"""The engine session, a state machine: options, a game, and at most one search at a time."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from latrones_uci.engine import backend, bench
from latrones_uci.engine.backend import Choice
from latrones_uci.engine.calibration import result_model_of, shares
from latrones_uci.engine.errors import NoPositionError, OptionError
from latrones_uci.engine.events import Event, Note, PerftCount, Refusal
from latrones_uci.engine.kernels import Kernel, NativeKernel, SolverKernel, perft_by_move
from latrones_uci.engine.levels import TABLE_MEGABYTES, LevelKernel
from latrones_uci.engine.limits import Limits, TimeManager
from latrones_uci.engine.nets.find import AUTO, Nets
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.options import FUNCTION_OPTIONS, Option, Settings, tunable_options
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.engine.root_tables import choose_at_root
from latrones_uci.engine.search_thread import SearchThread
from latrones_uci.engine.tables import Tables, TablesError
from latrones_uci.engine.tables.directory import table_headers
from latrones_uci.engine.types import TABLE_WIN, CurrentMove, Report, SearchResult, Task, TimeBudget, to_score
from latrones_uci.game import Game, Outcome, Position, Ruleset
from latrones_uci.text.messages import quoted
from latrones_uci.text.protocol import BestMove, Score, SearchInfo

CURRENT_MOVE_AFTER_MS = 3000
"""Time after which a search reports the current root move."""
_RATING_OPTIONS = frozenset({"UCI_LimitStrength", "UCI_Elo", "UCI_Variant", "VariantPath"})
STOP_PATIENCE_S = 2.0
"""How long to wait at the end for a kernel that was passed in."""


class Session:
    """An engine session for all games.

    Methods reject a request by raising a ``LatronesError`` and then change nothing, except for ``set_position``.
    The search thread passes the events of a search to ``emit``.
    """

    def __init__(
        self, emit: Callable[[Event], None], backend_name: str = "auto", kernel: Kernel | None = None,
        tune: bool = False,
    ) -> None:
        """Create a session at the start of the default game.

        Args:
            emit: receives the events.
            backend_name: value of the option ``Backend``.
            kernel: plays all games instead of this project's kernels; their options and the bench are then left out.
            tune: whether the constants of the native search become options; see ``options.tunable_options``.

        Raises:
            OptionError: there is no such kernel, or no native kernel to tune.
            MemoryError: not enough memory for a table of the default size.
        """
        self._emit = emit
        self._tune = tune
        self._choice: Choice | None = None
        # This kernel plays all games that are not solved; it keeps its table while the solver plays.
        if kernel is None:
            self._choice = backend.choose(backend_name, tune)
            self._settings = Settings(further=tunable_options() if tune else ())
            self._settings.put(self._settings.find("Backend"), backend_name)
            self._searcher = backend.make_kernel(self._choice, self._settings.number("Hash"))
        else:
            self._settings = Settings(FUNCTION_OPTIONS)
            self._searcher = kernel
        self._solver: SolverKernel | None = None
        self._solver_of = self._settings.ruleset  # key of the last choice of the solver
        self._level_searcher: Kernel | None = None  # created when needed
        self._seed = _random_seed()  # for the errors below full strength, if the options set no seed
        self._tables: Tables | None = None
        self._tables_of: tuple[str, Ruleset, str] | None = None  # key of the last lookup of `_tables`
        self._nets = Nets(AUTO)
        self._net_of: tuple[Ruleset, str] | None = None  # key of the last lookup of the net
        if kernel is None:
            self._searcher.use_nets(self._nets)
        self._thread = SearchThread(emit)
        self._game: Game | None = Game(self._settings.start())
        self._sent_game: Game | None = None  # of the last `set_position`, and its moves as they were sent
        self._sent_moves: tuple[str, ...] = ()
        self.debug = False
        """Whether to explain more in notes."""

    # ---------------------------------------------------------------- options

    @property
    def options(self) -> list[Option]:
        """The options as currently declared."""
        return self._settings.options

    def find_option(self, name: str) -> Option:
        """Return an option by its name, ignoring case.

        Raises:
            OptionError: unknown option.
        """
        return self._settings.find(name)

    def option_value(self, name: str) -> str:
        """Return the value of an option as text; empty if it is a button or not declared."""
        return self._settings.shown(name)

    @property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The games that ``UCI_Variant`` accepts."""
        return self._settings.rulesets

    @property
    def kernel_text(self) -> str:
        """The kernel in use, with the reason; empty if it is not one of this project's kernels."""
        if self._solver:
            return f"solver, because {self._solver_of.name} is solved"
        return "" if self._choice is None else str(self._choice)

    @property
    def ratings(self) -> tuple[int, int] | None:
        """The lowest and highest rating of the levels, None unless they were measured as they are played now."""
        measured = self._choice is not None and self._searcher.name == "native" and not self._solver
        return self._settings.ratings if measured else None

    @property
    def _kernel(self) -> Kernel:
        return self._solver or self._searcher

    def set_option(self, name: str, text: str | None) -> None:
        """Set an option by its name, ignoring case; ``text`` is None if no value was given.

        Raises:
            OptionError: unknown option, or invalid value.
            BusyError: a search is running.
        """
        self._thread.settle()
        settings = self._settings
        option = settings.find(name)
        value = option.parse(text)
        before = settings.start()
        match option.name:
            case "UCI_Variant":
                if remark := settings.choose_variant(str(value)):
                    self._emit(Note(remark))
            case "BoardSize":
                settings.choose_board_size(str(value))
            case "VariantSet":
                if remark := settings.choose_set(str(value)):
                    self._emit(Note(remark))
            case "VariantPath":
                settings.load_variants(str(value))
            case "Clear Hash":
                self._searcher.clear_hash()
            case "Hash":
                self._resize_hash(int(value))
                settings.put(option, value)
            case "TablePath":
                self._check_table_path(str(value))
                settings.put(option, value)
                self._find_tables(settings.start())
            case "EvalFile":
                self._nets = Nets(str(value))
                settings.put(option, self._nets.setting)
                self._searcher.use_nets(self._nets)
                self._net_of = None
                self._find_net(settings.start())
            case "Threads":
                settings.put(option, value)
                self._use_threads()
            case "Backend":
                self._change_backend(str(value))
                settings.put(option, value)
            case name if settings.is_tunable(name):
                assert isinstance(self._searcher, NativeKernel)  # these options require the native kernel
                self._searcher.tune(name, int(value))
                self._level_searcher = None
                settings.put(option, value)
            case _:
                settings.put(option, value)
        if option.name in _RATING_OPTIONS and (remark := settings.rating_remark()):
            self._emit(Note(remark))
        if settings.start() != before:
            self._choose_solver(settings.ruleset)
            self.new_game()

    def _choose_solver(self, ruleset: Ruleset) -> None:
        """Use the solver if a game can be solved."""
        if ruleset == self._solver_of:
            return
        before, self._solver_of = self._solver, ruleset
        solved = ruleset.board == "wheel" and self._choice is not None
        self._solver = SolverKernel(Position.start(ruleset)) if solved else None
        if before or solved:
            self._emit(Note(f"kernel {self.kernel_text}"))

    def _change_backend(self, name: str) -> None:
        assert self._choice is not None  # without a choice, the option Backend does not exist
        choice = backend.choose(name, self._tune)
        if choice.kernel != self._choice.kernel:
            try:
                self._searcher = backend.make_kernel(choice, self._settings.number("Hash"))
            except MemoryError as error:
                raise OptionError(f"option Backend: keeping the {self._choice.kernel} kernel: {error}") from None
            self._searcher.use_nets(self._nets)
            self._level_searcher = None
            self._use_threads()
            self._choice = choice
            self._emit(Note(f"kernel {self.kernel_text}"))
        self._choice = choice

    def _use_threads(self) -> None:
        wanted = self._settings.number("Threads")
        used = self._searcher.use_threads(wanted)
        if used != wanted:
            self._emit(Note(f"the {self._searcher.name} kernel uses {used} of {wanted} threads"))

    def _check_table_path(self, path: str) -> None:
        """Raise OptionError if a value of ``TablePath`` is not a folder of tables."""
        try:
            if path and not list(table_headers(Path(path))):
                raise TablesError(f"{quoted(path)}: no tables; expected a folder made by 'latrones-uci tables'")
        except TablesError as error:
            raise OptionError(f"option TablePath: {error}") from None

    def _find_data(self, position: Position) -> None:
        """Find the tables and the net for the game and board of a position, so that no search has to."""
        if self._choice is not None:  # a kernel that was passed in uses neither
            self._find_tables(position)
            self._find_net(position)

    def _find_tables(self, position: Position) -> None:
        """Find the tables for the game and board of a position if they changed, and emit a note."""
        path = self._settings.text("TablePath")
        wanted = (path, position.ruleset, position.geometry.name)
        if wanted == self._tables_of or (not path and self._tables_of is None):
            return
        self._tables, self._tables_of = None, wanted
        if not path:
            self._load_tables(position)
            return
        try:
            self._tables = Tables(path, position)
            self._load_tables(position)
        except (TablesError, MemoryError) as error:
            self._tables = None
            self._emit(Note(f"no tables used: {error}"))
        else:
            self._emit(Note(f"tables: {self._tables}"))

    def _load_tables(self, position: Position) -> None:
        if isinstance(self._searcher, NativeKernel) and position.ruleset.board == "grid":
            self._searcher.load_tables(position, self._tables)

    def _find_net(self, position: Position) -> None:
        """Read the net if the game or board has changed, and emit a note if it was named."""
        wanted = (position.ruleset, position.geometry.name)
        if wanted == self._net_of:
            return
        self._net_of = wanted
        net, problem = self._nets.find(position)
        if self._nets.named:
            self._emit(Note(f"net: {net}" if net else f"{quoted(self._nets.setting)} not used: {problem}"))

    def _resize_hash(self, megabytes: int) -> None:
        try:
            self._searcher.resize_hash(megabytes)
        except MemoryError as error:
            raise OptionError(f"option Hash: keeping the old table: {error}") from None

    # ---------------------------------------------------------------- the game

    @property
    def game(self) -> Game:
        """The game so far.

        Raises:
            NoPositionError: the last ``set_position`` was rejected.
        """
        if self._game is None:
            raise NoPositionError("no position: the last 'position' command was rejected")
        return self._game

    def new_game(self) -> None:
        """Discard the previous game and set up the start position.

        Raises:
            BusyError: a search is running.
        """
        self._thread.settle()
        self._searcher.clear_hash()
        self._seed = _random_seed()
        self._game = Game(self._settings.start())
        self._find_data(self._game.position)

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Set the game to a start position (None: the game's start position) and play moves from there.

        After a rejected position, the session has no position, so that the engine does not play from an outdated one.

        Raises:
            LatronesError: invalid FEN or move; no move is played.
            BusyError: a search is running; it continues.
        """
        previous, self._game = self._game, None
        self._thread.settle()
        start = self._settings.start() if fen is None else Position.from_fen(self._settings.ruleset, fen)
        game = Game(start)
        if previous is self._sent_game and previous is not None and previous.start == start:
            # Controllers send the whole game before every move: replay only what is new.
            game = previous.up_to(_shared_plies(self._sent_moves, moves))
        for text in moves[len(game.moves):]:
            game.push(text)
        self._sent_game, self._sent_moves = game, tuple(moves)
        self._choose_solver(start.ruleset)
        self._game = game
        self._find_data(game.position)

    def set_game(self, game: Game) -> None:
        """Set a game of any ruleset, whatever the options say, and discard everything learned in earlier searches.

        Raises:
            BusyError: a search is running.
        """
        self._thread.settle()
        self._searcher.clear_hash()
        self._choose_solver(game.start.ruleset)
        self._game = game
        self._find_data(game.position)

    def clear_position(self) -> None:
        """Discard the position, after a ``position`` command that could not be parsed."""
        self._game = None

    # ---------------------------------------------------------------- searching

    @property
    def searching(self) -> bool:
        """Whether a search, perft or bench is running and was not stopped."""
        return self._thread.busy

    def go(self, limits: Limits, started_ns: int) -> None:
        """Start a search; it ends with exactly one ``BestMove``.

        ``started_ns`` is ``time.monotonic_ns()`` when the command was read.

        Raises:
            BusyError: a search is running.
            NoPositionError: there is no position.
            IllegalMoveError, MalformedMoveError: invalid moves to search.
        """
        self._thread.settle()
        game = self.game.copy()
        position = game.position
        chosen = dict.fromkeys(position.parse_move(text) for text in limits.search_moves)
        moves = tuple(move.packed for move in chosen or game.legal_moves())
        if (outcome := game.outcome()) is not None:
            self._emit(SearchInfo(depth=0, score=_final_score(outcome, position.side)))
            self._emit(Note(f"the game is over: {outcome.name}, {outcome.reason}"))
            self._emit(BestMove())
            return
        settings = self._settings
        timer = TimeManager(limits, position.side, settings.number("Move Overhead"), started_ns, len(moves))
        if self.debug and timer.soft_ms is not None and timer.hard_ms is not None:
            self._emit(Note(f"time planned: {timer.soft_ms:.0f} ms, at most {timer.hard_ms:.0f} ms"))
        budget = TimeBudget(timer.soft_ms, limits.time_ms, limits.increment_ms, limits.moves_to_go)
        task = Task(moves, limits.search_depth, limits.nodes, limits.search_mate, settings.number("MultiPV"), budget)
        send, level, shown = self._reporter(timer, position), self._level(position.ruleset), False

        def report(item: SearchInfo | CurrentMove) -> None:
            nonlocal shown
            shown = shown or isinstance(item, SearchInfo)
            send(item)

        def search() -> Event:
            if level is None:
                result = self._search(game, task, report, timer)
            elif not limits.infinite:
                result = level.search(game, task, report, timer.should_stop, timer.wants_depth)
            else:  # analysis: only the final move is chosen by the level
                result = level.search(game, task, _ignore, timer.should_stop, timer.wants_depth)
                self._search(game, task, report, timer)
            if result.failure:
                self._emit(Refusal("internal", result.failure))
            text = position.named_move(result.move)
            if not shown and self._choice is not None:  # stopped before the first move was searched
                score = to_score(self._kernel.value(position))
                report(SearchInfo(0, 0, 1, score, result.nodes, 0, (text,)))
            timer.hold(limits.infinite)
            after = position.after(result.move)
            return BestMove(text, after.named_move(result.ponder) if result.ponder else None)

        self._thread.start(timer, search, fallback=BestMove(position.named_move(moves[0])))

    def _level(self, ruleset: Ruleset) -> LevelKernel | None:
        """Return the search of a game at the level set in the options, None for full strength."""
        strength = self._settings.strength_in(ruleset) if self._choice is not None else None
        if strength is None:
            return None
        kernel = self._solver or self._level_searcher
        if kernel is None:
            assert self._choice is not None
            tuned = getattr(self._searcher, "tuned", {})
            kernel = self._level_searcher = backend.make_kernel(self._choice, TABLE_MEGABYTES, tuned)
        return LevelKernel(kernel, strength, self._settings.number("Skill Seed") or self._seed)

    def _search(self, game: Game, task: Task, report: Report, timer: TimeManager) -> SearchResult:
        """Search at full strength, with the endgame tables if there are any."""
        task = replace(task, tables=self._tables)
        choice = choose_at_root(game, task, report)
        if choice is not None:
            if choice.answer is not None:
                return choice.answer
            task, report = choice.task, choice.report
        return self._kernel.search(game, task, report, timer.should_stop, timer.wants_depth)

    def _reporter(self, timer: TimeManager, position: Position) -> Callable[[SearchInfo | CurrentMove], None]:
        model = result_model_of(position.ruleset) if self._settings.on("UCI_ShowWDL") else None
        men, nocapture = (0.0, 0.0) if model is None else shares(position)

        def report(item: SearchInfo | CurrentMove) -> None:
            elapsed_ms = int(timer.elapsed_ms())
            if isinstance(item, SearchInfo):
                wdl = item.wdl if model is None else model.per_mille(item.score, men, nocapture)
                self._emit(replace(item, time_ms=elapsed_ms, wdl=wdl))
            elif elapsed_ms >= CURRENT_MOVE_AFTER_MS:
                self._emit(item)

        return report

    def perft(self, depth: int) -> None:
        """Start a perft; it ends with a ``PerftCount``, or a note if stopped.

        Raises:
            BusyError: a search is running.
            NoPositionError: there is no position.
        """
        self._thread.settle()
        position, timer = self.game.position, _untimed()

        def count() -> Event:
            counts = perft_by_move(self._kernel, position, depth, timer.should_stop)
            return Note("perft stopped") if counts is None else PerftCount(counts, sum(n for _, n in counts))

        self._thread.start(timer, count)

    def bench(self, depth: int | None, positions: str = "core") -> None:
        """Start a bench of one of ``BENCH_SETS``; it ends with a ``BenchTotal``, or a note if stopped.

        Raises:
            BusyError: a search is running.
        """
        self._thread.settle()
        timer, choice, tuned = _untimed(), self._choice, getattr(self._searcher, "tuned", {})
        assert choice is not None  # the loop offers no bench for a kernel that was passed in

        def run() -> Event:
            kernel = backend.make_kernel(choice, bench.BENCH_HASH_MEGABYTES, tuned)
            kernel.use_nets(self._nets)
            total = bench.run(kernel, depth, self._emit, timer.should_stop, positions)
            return total or Note("bench stopped")

        self._thread.start(timer, run)

    def compare_kernels(self, depth: int | None, positions: str = "core") -> None:
        """Start a bench of the Python kernel and then of the native one.

        Raises:
            OptionError: there is no native kernel.
            BusyError: a search is running.
        """
        choices = (backend.choose("python"), backend.choose("native"))
        self._thread.settle()
        timer = _untimed()

        def run() -> Event:
            first, second = (backend.make_kernel(choice, bench.BENCH_HASH_MEGABYTES) for choice in choices)
            for kernel in (first, second):
                kernel.use_nets(self._nets)
            compared = bench.compare((first, second), depth, self._emit, timer.should_stop, positions)
            return compared or Note("bench stopped")

        self._thread.start(timer, run)

    def stop(self) -> None:
        """Stop the search, if one is running; its best move follows."""
        self._thread.stop()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Start the clock, because the expected move was played; new ``limits``, if given, replace the time limits.

        Raises:
            BusyError: no search is pondering.
        """
        self._thread.ponderhit(limits)

    def wait(self) -> None:
        """Wait until nothing is running."""
        self._thread.wait()

    def close(self) -> None:
        """Stop the search and wait for its end; a kernel that was passed in may ignore the stop for some seconds."""
        self._thread.close(STOP_PATIENCE_S if self._choice is None else None)

    # ---------------------------------------------------------------- for people

    def evaluate(self) -> Terms | NetEvaluation | None:
        """Return the static evaluation of the position, for the player to move; None if the game is solved.

        Raises:
            NoPositionError: there is no position.
        """
        position = self.game.position
        return None if self._solver is not None else self._searcher.evaluate(position)


def _final_score(outcome: Outcome, side: int) -> Score:
    """Return the score of a finished game for the side to move."""
    if outcome.winner is None:
        return Score(cp=0)
    return Score(cp=TABLE_WIN) if outcome.winner == side else Score(mate=0)


def _random_seed() -> int:
    return int.from_bytes(os.urandom(8), "big")


def _ignore(item: SearchInfo | CurrentMove) -> None:
    """Ignore a report."""


def _untimed() -> TimeManager:
    return TimeManager(Limits(), 0, 0, time.monotonic_ns(), 0)


def _shared_plies(texts: Sequence[str], others: Sequence[str]) -> int:
    """Return the number of texts that two lists have in common at the start."""
    shared = 0
    for text, other in zip(texts, others, strict=False):
        if text != other:
            break
        shared += 1
    return shared
