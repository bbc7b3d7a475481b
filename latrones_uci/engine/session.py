"""The engine session, a state machine: options, a game, and at most one search at a time."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from latrones_uci.engine import backend, bench
from latrones_uci.engine.calibration import result_model_of, shares
from latrones_uci.engine.errors import NoPositionError
from latrones_uci.engine.events import BenchComparison, BenchTotal, EngineEvent, Note, PerftCount, Refusal
from latrones_uci.engine.kernels import Kernel, perft_by_move
from latrones_uci.engine.levels import LevelKernel
from latrones_uci.engine.limits import Limits, TimeManager
from latrones_uci.engine.nets.find import Found
from latrones_uci.engine.nets.python import NetEvaluation
from latrones_uci.engine.options import FUNCTION_OPTIONS, Option, Settings, tunable_options
from latrones_uci.engine.python.evaluation import Terms
from latrones_uci.engine.search_thread import SearchThread
from latrones_uci.engine.searcher import Searcher
from latrones_uci.engine.types import TABLE_WIN, CurrentMove, Task, TimeBudget, to_score
from latrones_uci.game import Game, Outcome, Position, Ruleset
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import BestMove, Score, SearchInfo

CURRENT_MOVE_AFTER_MS = 3000
"""Time after which a search reports the current root move."""
CACHED_TABLES_MS = 1000
"""Least time for a move in which tables may be read from the cache, which may take some tenths of a second."""
STOP_PATIENCE_S = 2.0
"""How long to wait at the end for a kernel that was passed in."""


class Session:
    """An engine session for all games.

    Methods reject a request by raising a ``LatronesError`` and then change nothing, except for ``set_position``.
    The search thread passes the events of a search to ``emit``.
    """

    def __init__(
        self, emit: Callable[[EngineEvent], None], backend_name: str = "auto", kernel: Kernel | None = None,
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
        self._searcher = Searcher(emit, backend_name, kernel, tune)
        self._settings = Settings(self._searcher, None if kernel is None else FUNCTION_OPTIONS,
                                  tunable_options() if tune else (), emit)
        if kernel is None:
            self._settings.set("Backend", backend_name)
        self._seed = _random_seed()  # for the errors below full strength, if the options set no seed
        self._thread = SearchThread(emit)
        self._game: Game | None = Game(self._settings.start())
        self._sent_game: Game | None = None  # of the last `set_position`, and its moves as they were sent
        self._sent_moves: tuple[str, ...] = ()
        self.debug = False
        """Whether to explain more in notes."""

    # ---------------------------------------------------------------- options

    @property
    def options(self) -> list[Option]:
        return self._settings.options

    def find_option(self, name: str) -> Option:
        return self._settings.find(name)

    def option_value(self, name: str) -> str:
        return self._settings.shown(name)

    def set_option(self, name: str, text: str | None) -> None:
        """Set an option by its name, ignoring case; ``text`` is None if no value was given.

        Raises:
            OptionError: unknown option, or invalid value.
            BusyError: a search is running.
        """
        self._thread.settle()
        before = self._settings.start()
        self._settings.set(name, text)
        if self._settings.start() != before:
            self._searcher.use_game(self._settings.ruleset)
            self.new_game()

    @property
    def rulesets(self) -> Mapping[str, Ruleset]:
        """The games that ``UCI_Variant`` accepts."""
        return self._settings.rulesets

    @property
    def kernel_text(self) -> str:
        return self._searcher.kernel_text

    @property
    def net(self) -> Found | None:
        """The net that plays: no net below full strength, None if the game is solved or the kernel was passed in.

        Raises:
            NoPositionError: there is no position.
        """
        position = self.game.position
        found = self._searcher.net_of(position)
        return found if found is None or self._settings.strength_in(position.ruleset) is None else Found(None)

    @property
    def ratings(self) -> tuple[int, int] | None:
        """The lowest and highest rating of the levels, None unless they were measured as they are played now."""
        return self._settings.ratings if self._searcher.kernel.name == "native" else None

    # ---------------------------------------------------------------- the game

    @property
    def game(self) -> Game:
        """The game so far. Raises NoPositionError: the last ``set_position`` was rejected."""
        if self._game is None:
            raise NoPositionError("no position: the last 'position' command was rejected")
        return self._game

    def new_game(self) -> None:
        """Discard the previous game and set up the start position. Raises BusyError: a search is running."""
        self._thread.settle()
        self._searcher.clear_hash()
        self._seed = _random_seed()
        self._game = Game(self._settings.start())
        self._searcher.find_data(self._game.position)

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
        self._searcher.use_game(start.ruleset)
        self._game = game
        self._searcher.find_data(game.position)

    def set_game(self, game: Game) -> None:
        """Set a game of any ruleset, whatever the options say, and discard everything learned in earlier searches.

        Raises:
            BusyError: a search is running.
        """
        self._thread.settle()
        self._searcher.clear_hash()
        self._searcher.use_game(game.start.ruleset)
        self._game = game
        self._searcher.find_data(game.position)

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

        ``started_ns`` is ``now_ns()`` when the command was read.

        Raises:
            BusyError: a search is running.
            NoPositionError: there is no position.
            IllegalMoveError, MalformedMoveError: invalid moves to search.
        """
        self._thread.settle()
        self._searcher.interrupt_idle_work()
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
        strength, level = settings.strength_in(position.ruleset), None
        if strength is not None:
            level = self._searcher.at_level(strength, settings.number("Skill Seed") or self._seed)
        report = _Reporter(self._emit, timer, position, settings.on("UCI_ShowWDL"), self._searcher.choice is None)
        self._thread.start(timer, lambda: self._search(game, task, level, report, timer, limits),
                           fallback=BestMove(position.named_move(moves[0])))

    def _search(
        self, game: Game, task: Task, level: LevelKernel | None, report: "_Reporter", timer: TimeManager,
        limits: Limits,
    ) -> EngineEvent:
        searcher, position, infinite = self._searcher, game.position, limits.infinite
        with_cache = not limits.fixed and (timer.soft_ms is None or timer.soft_ms >= CACHED_TABLES_MS)
        if level is None:
            result = searcher.search(game, task, report, timer, with_cache)
        else:
            shown = (lambda item: None) if infinite else report  # in an analysis, the level chooses only the final move
            result = level.search(game, task, shown, timer.should_stop, timer.wants_depth)
            if infinite:
                searcher.search(game, task, report, timer, with_cache)
        if result.failure:
            self._emit(Refusal("internal", result.failure))
        text = position.named_move(result.move)
        if not report.shown and searcher.choice is not None:  # stopped before the first move was searched
            score = to_score(searcher.kernel.value(position))
            report(SearchInfo(0, 0, 1, score, result.nodes, 0, (text,)))
        timer.hold(infinite)
        if infinite or self._settings.on("UCI_AnalyseMode"):  # otherwise an opponent may be thinking
            searcher.start_idle_work(position)
        after = position.after(result.move)
        return BestMove(text, after.named_move(result.ponder) if result.ponder else None)

    def perft(self, depth: int) -> None:
        """Start a perft; it ends with a ``PerftCount``, or a note if stopped.

        Raises:
            BusyError: a search is running.
            NoPositionError: there is no position.
        """
        self._thread.settle()
        self._searcher.interrupt_idle_work()
        position, timer = self.game.position, _untimed()

        def count() -> EngineEvent:
            counts = perft_by_move(self._searcher.kernel, position, depth, timer.should_stop)
            return Note("perft stopped") if counts is None else PerftCount(counts, sum(n for _, n in counts))

        self._thread.start(timer, count)

    def bench(self, depth: int | None, positions: str = bench.CORE, compare: bool = False) -> None:
        """Start a bench of one of ``BENCH_SETS``; it ends with a ``BenchTotal``, or a note if stopped.

        With ``compare``, both kernels are measured, and it ends with a ``BenchComparison``.

        Raises:
            OptionError: there is no native kernel to compare.
            BusyError: a search is running.
        """
        choices = [backend.choose(name) for name in ("python", "native")] if compare else [self._searcher.choice]
        self._thread.settle()
        self._searcher.interrupt_idle_work()
        timer = _untimed()

        def run() -> EngineEvent:
            totals: list[BenchTotal] = []
            for choice in choices:
                assert choice is not None  # the loop offers no bench for a kernel that was passed in
                kernel = self._searcher.make_bench_kernel(choice, bench.BENCH_HASH_MEGABYTES)
                total = bench.run(kernel, depth, self._emit, timer.should_stop, positions)
                if total is None:
                    return Note("bench stopped")
                totals.append(total)
            return BenchComparison(*totals) if compare else totals[0]

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
        self._thread.wait()

    def close(self) -> None:
        """Stop the search and wait for its end; a kernel that was passed in may ignore the stop for some seconds."""
        self._thread.close(STOP_PATIENCE_S if self._searcher.choice is None else None)
        self._searcher.close()

    # ---------------------------------------------------------------- for people

    def evaluate(self) -> Terms | NetEvaluation | None:
        """Return the static evaluation of the position, for the player to move; None if the game is solved.

        Raises:
            NoPositionError: there is no position.
        """
        return self._searcher.evaluate(self.game.position)


class _Reporter:
    """Passes the reports of a search on as events, with their time and the chances."""

    def __init__(
        self, emit: Callable[[EngineEvent], None], timer: TimeManager, position: Position, wdl: bool, as_given: bool
    ) -> None:
        """With ``wdl``, reports get chances; without, they have none unless they are to go ``as_given``."""
        self._emit, self._timer, self._as_given = emit, timer, as_given
        self._model = result_model_of(position.ruleset) if wdl else None
        self._shares = (0.0, 0.0) if self._model is None else shares(position)
        self.shown = False
        """Whether a line was reported."""

    def __call__(self, item: SearchInfo | CurrentMove) -> None:
        elapsed_ms = int(self._timer.elapsed_ms())
        if isinstance(item, SearchInfo):
            self.shown = True
            wdl = item.wdl if self._as_given or self._model is not None else None
            if wdl is None and self._model is not None:
                wdl = self._model.per_mille(item.score, *self._shares)
            self._emit(replace(item, time_ms=elapsed_ms, wdl=wdl))
        elif elapsed_ms >= CURRENT_MOVE_AFTER_MS:
            self._emit(item)


def _final_score(outcome: Outcome, side: int) -> Score:
    if outcome.winner is None:
        return Score(cp=0)
    return Score(cp=TABLE_WIN) if outcome.winner == side else Score(mate=0)


def _random_seed() -> int:
    return int.from_bytes(os.urandom(8), "big")


def _untimed() -> TimeManager:
    return TimeManager(Limits(), 0, 0, now_ns(), 0)


def _shared_plies(texts: Sequence[str], others: Sequence[str]) -> int:
    shared = 0
    for text, other in zip(texts, others, strict=False):
        if text != other:
            break
        shared += 1
    return shared
