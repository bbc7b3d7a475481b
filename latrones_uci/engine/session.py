"""The engine as a state machine: options, a game, and at most one search at a time."""

import time
from collections.abc import Callable, Mapping, Sequence

from latrones_uci.engine import backend, bench
from latrones_uci.engine.errors import NoPositionError, OptionError
from latrones_uci.engine.events import BestMove, Event, Note, PerftCount, SearchInfo, SearchingMove
from latrones_uci.engine.interface import Kernel
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.options import Option
from latrones_uci.engine.perft import count_by_move
from latrones_uci.engine.settings import Settings
from latrones_uci.engine.solver_kernel import SolverKernel
from latrones_uci.engine.timing import TimeManager
from latrones_uci.engine.worker import Worker
from latrones_uci.game import Game, Move, Position, Ruleset
from latrones_uci.search.evaluation import Terms
from latrones_uci.search.report import CurrentMove, Info, Task

CURRENT_MOVE_AFTER_MS = 3000


class Engine:
    """An engine for all the games.

    Methods refuse by raising a ``LatronesError`` and then have changed nothing, but for
    ``set_position``. What happens in the course of a search is told to ``emit``, from its thread.

    Attributes:
        debug: whether to explain more in notes.
    """

    def __init__(
        self, emit: Callable[[Event], None], backend_name: str = "auto", without: Sequence[str] = ()
    ) -> None:
        """Makes an engine at the start of the default game, its option ``Backend`` as given.

        ``without`` names techniques that the native search is to do without; see ``backend.choose``.

        Raises:
            OptionError: there is no such kernel.
            MemoryError: there is not even memory for the table of the default size.
        """
        self._emit = emit
        self._settings = Settings()
        self._settings.put(self._settings.find("Backend"), backend_name)
        self._without = without
        self._choice = backend.choose(backend_name, without)
        # What plays all games but those that are solved; it keeps its table while the solver plays.
        self._searcher = backend.make_kernel(self._choice, self._settings.number("Hash"))
        self._solver: SolverKernel | None = None
        self._worker = Worker(emit)
        self._game: Game | None = Game(self._settings.start())
        self.debug = False

    # ---------------------------------------------------------------- options

    @property
    def options(self) -> list[Option]:
        """The options, as now declared."""
        return self._settings.options

    def find_option(self, name: str) -> Option:
        """The option of that name, in any case.

        Raises:
            OptionError: there is none.
        """
        return self._settings.find(name)

    @property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The games that ``UCI_Variant`` may name."""
        return self._settings.rulesets

    @property
    def kernel_text(self) -> str:
        """Which kernel plays, and why."""
        return f"solver, for {self._settings.ruleset.name} is solved outright" if self._solver else str(self._choice)

    @property
    def _kernel(self) -> Kernel:
        return self._solver or self._searcher

    def set_option(self, name: str, text: str | None) -> None:
        """Sets an option by its name, in any case; ``text`` is None where no value was given.

        Raises:
            OptionError: unknown option, or not a value of it.
            BusyError: a search is running.
        """
        self._worker.settle()
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
            case "VariantPath":
                settings.load_variants(str(value))
            case "Clear Hash":
                self._searcher.clear_hash()
            case "Hash":
                self._resize_hash(int(value))
                settings.put(option, value)
            case "Threads":
                settings.put(option, value)
                self._use_threads()
            case "Backend":
                self._change_backend(str(value))
                settings.put(option, value)
            case _:
                settings.put(option, value)
        if settings.start() != before:
            if settings.ruleset != before.ruleset:
                self._choose_solver()
            self.new_game()

    def _choose_solver(self) -> None:
        """Lets the solver play a new game that it can solve."""
        solved = self._settings.ruleset.board == "wheel"
        self._solver = SolverKernel(self._settings.start()) if solved else None
        if solved:
            self._emit(Note(f"{self._settings.ruleset.name} is solved outright: the solver plays"))

    def _change_backend(self, name: str) -> None:
        choice = backend.choose(name, self._without)
        if choice.kernel != self._choice.kernel:
            try:
                self._searcher = backend.make_kernel(choice, self._settings.number("Hash"))
            except MemoryError as error:
                raise OptionError(f"option Backend: '{name}' is refused, the old kernel stays: {error}") from None
            self._use_threads()
        self._choice = choice

    def _use_threads(self) -> None:
        wanted = self._settings.number("Threads")
        used = self._searcher.use_threads(wanted)
        if used != wanted:
            self._emit(Note(f"the {self._searcher.name} kernel uses {used} of {wanted} threads"))

    def _resize_hash(self, megabytes: int) -> None:
        try:
            self._searcher.resize_hash(megabytes)
        except MemoryError as error:
            why = str(error).replace("std::bad_alloc", "") or "the system does not give so much memory"
            raise OptionError(f"option Hash: '{megabytes}' is refused, the old table stays: {why}") from None

    # ---------------------------------------------------------------- the game

    @property
    def game(self) -> Game:
        """The game so far.

        Raises:
            NoPositionError: the last ``set_position`` was rejected.
        """
        if self._game is None:
            raise NoPositionError("there is no position: the last 'position' was rejected")
        return self._game

    def new_game(self) -> None:
        """Forgets the game before and sets up the start.

        Raises:
            BusyError: a search is running.
        """
        self._worker.settle()
        self._searcher.clear_hash()
        self._game = Game(self._settings.start())

    def set_position(self, fen: str | None, moves: Sequence[str]) -> None:
        """Sets the game to a start (None: the usual one) and moves from it.

        A rejected position leaves none, so that no stale game is played on.

        Raises:
            LatronesError: a bad FEN or move; the moves before it are not played either.
            BusyError: a search is running; that search goes on.
        """
        previous, self._game = self._game, None
        self._worker.settle()
        start = self._settings.start() if fen is None else Position.from_fen(self._settings.ruleset, fen)
        game = Game(start)
        if previous is not None and previous.start == start:
            # Controllers send the whole game again for every ply: what is known is not judged again.
            game = previous.up_to(_shared_plies(previous, moves))
        for text in moves[len(game.moves):]:
            game.play(game.position.parse_move(text))
        self._game = game

    def clear_position(self) -> None:
        """Leaves no position, after a ``position`` that could not be read."""
        self._game = None

    # ---------------------------------------------------------------- searching

    @property
    def searching(self) -> bool:
        """Whether a search, perft or bench is running that was not told to stop."""
        return self._worker.busy

    def go(self, limits: Limits, started_ns: int) -> None:
        """Begins a search; it ends with exactly one ``BestMove``.

        Args:
            limits: of the search.
            started_ns: ``time.monotonic_ns()`` when the command was read.

        Raises:
            BusyError: a search is running.
            NoPositionError: there is no position.
            IllegalMoveError, MalformedMoveError: bad moves to search.
        """
        self._worker.settle()
        game = self.game.copy()
        position = game.position
        chosen = dict.fromkeys(position.parse_move(text) for text in limits.search_moves)
        moves = tuple(chosen or game.legal_moves())
        if game.outcome() is not None:
            self._emit(BestMove(None))
            return
        settings = self._settings
        timer = TimeManager(limits, position.side, settings.number("Move Overhead"), started_ns, len(moves))
        if self.debug and timer.soft_ms is not None and timer.hard_ms is not None:
            self._emit(Note(f"time planned: {timer.soft_ms:.0f} ms, at most {timer.hard_ms:.0f} ms"))
        task = Task(moves, limits.search_depth, limits.nodes, limits.search_mate, settings.number("MultiPV"))

        def search() -> Event:
            outcome = self._kernel.search(
                game, task, self._reporter(position, timer), timer.should_stop, timer.wants_depth
            )
            timer.hold(limits.infinite)
            after = position.play(outcome.move)
            return BestMove(
                position.move_text(outcome.move), after.move_text(outcome.ponder) if outcome.ponder else None
            )

        self._worker.start(timer, search, otherwise=BestMove(position.move_text(moves[0])))

    def _reporter(self, position: Position, timer: TimeManager) -> Callable[[Info | CurrentMove], None]:
        def report(item: Info | CurrentMove) -> None:
            elapsed = int(timer.elapsed_ms())
            if isinstance(item, Info):
                self._emit(SearchInfo(item.depth, item.seldepth, item.multipv, item.score, item.nodes,
                                      item.hashfull, elapsed, _line_text(position, item.pv)))
            elif elapsed >= CURRENT_MOVE_AFTER_MS:
                self._emit(SearchingMove(item.depth, position.move_text(item.move), item.number))

        return report

    def perft(self, depth: int) -> None:
        """Begins a count; it ends with a ``PerftCount``, or a note when stopped.

        Raises:
            BusyError: a search is running.
            NoPositionError: there is no position.
        """
        self._worker.settle()
        position, timer = self.game.position, _untimed()

        def count() -> Event:
            counts = count_by_move(self._kernel, position, depth, timer.should_stop)
            return Note("perft stopped") if counts is None else PerftCount(counts, sum(n for _, n in counts))

        self._worker.start(timer, count)

    def bench(self, depth: int | None) -> None:
        """Begins a bench; it ends with a ``BenchTotal``, or a note when stopped.

        Raises:
            BusyError: a search is running.
        """
        self._worker.settle()
        timer = _untimed()

        def run() -> Event:
            kernel = backend.make_kernel(self._choice, bench.BENCH_HASH_MEGABYTES)
            total = bench.run(kernel, depth, self._emit, timer.should_stop)
            return total or Note("bench stopped")

        self._worker.start(timer, run)

    def compare_kernels(self, depth: int | None) -> None:
        """Begins a bench of the Python kernel and then of the native one.

        Raises:
            OptionError: there is no native kernel.
            BusyError: a search is running.
        """
        choices = (backend.choose("python"), backend.choose("native", self._without))
        self._worker.settle()
        timer = _untimed()

        def run() -> Event:
            first, second = (backend.make_kernel(choice, bench.BENCH_HASH_MEGABYTES) for choice in choices)
            return bench.compare((first, second), depth, self._emit, timer.should_stop) or Note("bench stopped")

        self._worker.start(timer, run)

    def stop(self) -> None:
        """Ends the search, if there is one; its best move follows."""
        self._worker.stop()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """The move pondered on was played; ``limits`` by time, if given, take the place of those of ``go``.

        Raises:
            BusyError: no search is pondering.
        """
        self._worker.ponderhit(limits)

    def wait(self) -> None:
        """Waits until nothing is running."""
        self._worker.wait()

    def close(self) -> None:
        """Ends the search and waits for it."""
        self._worker.close()

    # ---------------------------------------------------------------- for people

    def evaluate(self) -> Terms:
        """The static evaluation of the position, from the player to move.

        Raises:
            NoPositionError: there is no position.
        """
        return self._kernel.evaluate(self.game.position)


def _untimed() -> TimeManager:
    return TimeManager(Limits(), 0, 0, time.monotonic_ns(), 0)


def _shared_plies(game: Game, texts: Sequence[str]) -> int:
    """How many of a game's moves a list of texts begins with."""
    shared = 0
    for position, move, text in zip(game.positions, game.moves, texts, strict=False):
        if position.move_text(move) != text:
            break
        shared += 1
    return shared


def _line_text(position: Position, line: tuple[Move, ...]) -> tuple[str, ...]:
    texts = []
    for move in line:
        texts.append(position.move_text(move))
        position = position.play(move)
    return tuple(texts)
