"""An engine as a subprocess: start a command, set up its variant and options, and ask for moves and analysis."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from reprlib import repr as shorten
from types import TracebackType
from typing import Any, Self, get_args, overload

from latrones_uci.client.analysis import Analysis, Pondering
from latrones_uci.client.arguments import (
    Options,
    RootMoves,
    check_own_engine,
    checked_board,
    checked_command,
    checked_lines,
    checked_options,
    checked_path,
    checked_search,
)
from latrones_uci.client.controller import EngineController, SearchAnswer
from latrones_uci.client.engine_rules import read_move
from latrones_uci.client.engine_spec import EngineSettings, ProtocolName, Timeouts
from latrones_uci.client.errors import (
    EngineBusyError,
    EngineError,
    EngineOptionError,
    EngineProtocolError,
    SettingsError,
)
from latrones_uci.client.output import OptionDeclaration, option_text, parse_ranked_line
from latrones_uci.client.time_control import NS_PER_S, Limit, TimeControl
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import file_for, setup_options, start_of
from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset
from latrones_uci.text.messages import quoted, wrong_type
from latrones_uci.text.protocol import RESIGNATION, SearchInfo

_STOP_DELAY_NS = NS_PER_S
"""How much longer than its time limit a search may take before ``stop`` is sent."""
ENDLESS_NS = 24 * 3600 * NS_PER_S
"""The limit of a search that runs until it is stopped."""
_NO_CONTROL = TimeControl()
_STOP_AGAIN_S = 0.02
"""How often ``stop`` is repeated for a search in another thread, which might only be beginning."""


@dataclass(frozen=True)
class PlayResult:
    """The result of ``Engine.play``."""

    move: Move | None
    """A legal move, None if the engine resigns."""
    ponder: Move | None
    """The reply that the engine expects, None if it names none or an illegal one."""
    info: SearchInfo
    """What the engine reported of its search."""
    elapsed: float
    """Seconds from the ``go`` command to the answer."""

    @property
    def resigned(self) -> bool:
        """Whether the engine resigns."""
        return self.move is None


class Engine:
    """A UCI or UGI engine that runs as a subprocess.

    Use it as a context manager, or call ``close``. Use it in one thread at a time: a call during that of another thread
    raises ``EngineBusyError``, but ``stop``, ``close`` and ``kill`` end the other call. ``analysis`` runs in a
    background thread until it is stopped, which any other call does, too. Every wait has a timeout (see ``Timeouts``).
    After a crash or a timeout the process has ended; the next search starts it again.

    Example:
        >>> from latrones_uci import Engine, Game, Limit
        >>> with Engine.popen(variant="latrones") as engine:
        ...     print(engine.play(Game("latrones"), Limit(depth=1)).move)  # doctest: +SKIP
    """

    def __init__(
        self, settings: EngineSettings, *, variant_path: str | None = None, timeouts: Timeouts | None = None,
        interrupted: Callable[[], bool] = lambda: False, environment: Mapping[str, str] | None = None,
        log: TrafficLog | None = None
    ) -> None:
        """Describe an engine without starting it.

        Args:
            settings: the engine.
            variant_path: a file with more variants, loaded by engines that have the option ``VariantPath``.
            timeouts: how long to wait for answers; None for the defaults.
            interrupted: polled during every wait; once it returns True, the wait ends with ``WaitInterruptedError``.
            environment: environment of the process, None for that of this program.
            log: log for the traffic, None for no log.
        """
        if not isinstance(settings, EngineSettings):
            raise wrong_type("engine", settings, "EngineSettings; Engine.popen starts a command")
        self.settings = settings
        """The command, options and other settings."""
        self.name = settings.name or settings.command[0]
        """The name in the settings, else the name that the engine reports, else its program."""
        self._variant_path = variant_path
        self._timeouts = timeouts or Timeouts()
        self._interrupted = interrupted
        self._environment = environment
        self._log = log
        self._controller: EngineController | None = None
        self._owner = os.getpid()  # the process that started the controller
        self._setup: dict[str, str] = {}
        self._start: Position | None = None
        self._game_start: Position | None = None
        self._analysis: Analysis | None = None
        self._pondering: Pondering | None = None
        self._abandoned = False
        self._calls = threading.RLock()  # held during each call that needs the engine for itself
        self._searching = threading.Lock()
        self._stop = threading.Event()

    @classmethod
    def popen(
        cls, command: str | Sequence[str | PathLike[str]] | None = None, *, variant: str | Ruleset = "latrones",
        board: tuple[int, int] | str | None = None, options: Options | None = None,
        variant_path: str | PathLike[str] | None = None, protocol: ProtocolName = "auto",
        directory: str | PathLike[str] | None = None, timeouts: Timeouts | None = None, strict: bool = False
    ) -> Self:
        """Start an engine and set it up for a variant.

        Args:
            command: program and arguments; a string is split as a shell would, but no shell is run. None for the
                engine of this package.
            variant: the variant to set up, by name or as a ruleset; a later game of another variant switches it. A
                ruleset that is neither built in nor in ``variant_path`` needs an engine with the option
                ``VariantPath``, which gets it as a temporary file.
            board: files and ranks, or a text such as ``12x8``; None for the variant's own.
            options: further options to set, by name; not those that ``Engine`` sets: ``UCI_Variant``, ``BoardSize``,
                ``VariantSet``, ``VariantPath``, ``MultiPV`` and ``Ponder``.
            variant_path: a file with more variants.
            protocol: ``uci``, ``ugi``, or ``auto`` to try both in this order.
            directory: the engine's working directory, None for that of this program.
            timeouts: how long to wait for answers; None for the defaults.
            strict: whether ``take_violations`` reports what is tolerated otherwise.

        Raises:
            EngineStartError: the engine cannot be started, does not answer, or rejects its options.
            EngineOptionError: an option is one that ``Engine`` itself sets, or that the engine lacks.
            SettingsError: the command is malformed, the variant or board does not exist, or the protocol is unknown.
            TypeError: an argument has the wrong type.
        """
        if protocol not in get_args(ProtocolName):
            raise SettingsError(f"protocol {shorten(protocol)}: unknown; expected {', '.join(get_args(ProtocolName))}")
        if not isinstance(variant, str | Ruleset):
            raise wrong_type("variant", variant, "a name or a Ruleset")
        if timeouts is not None and not isinstance(timeouts, Timeouts):
            raise wrong_type("timeouts", timeouts, "Timeouts, such as Timeouts(search_s=60)")
        words, values = checked_command(command), tuple(checked_options(options).items())
        path, folder = checked_path("variant_path", variant_path), checked_path("directory", directory)
        start = start_of(variant, checked_board(board), path)
        check_own_engine(words[0])
        settings = EngineSettings(
            words, _NO_CONTROL, options=values, directory=folder, protocol=protocol, strict=strict
        )
        engine = cls(settings, variant_path=path, timeouts=timeouts)
        engine.start(start)
        return engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {'running' if self.running else 'not running'}>"

    # ---------------------------------------------------------------- lifecycle

    @property
    def running(self) -> bool:
        """Whether the process runs and accepts another command."""
        return self._controller is not None and self._controller.usable

    @property
    def process_id(self) -> int | None:
        """The id of the process, None before it is started."""
        return None if self._controller is None else self._controller.process_id

    @property
    def controller(self) -> EngineController:
        """The protocol connection to the running process.

        Raises:
            EngineError: the engine has not been started.
        """
        if self._controller is None:
            raise EngineError(f"engine {quoted(self.name)} is not running")
        return self._controller

    def start(self, start: Position) -> None:
        """Start the process for games from a position, or set up the running process for its variant and board.

        Raises:
            EngineStartError: the engine cannot be started, or does not play this variant on this board.
            SettingsError: the ruleset has the name of a built-in variant, but differs from it.
            WaitInterruptedError: see ``interrupted``.
        """
        with self._alone():
            path = None if self.settings.loads_variants else file_for(start.ruleset, self._variant_path)
            needs_file = path != self._variant_path and not self.settings.loads_variants
            setup = setup_options(start, path, self.settings.variant_names)
            if self.running and setup != self._setup:
                try:
                    self.controller.change_options(setup, needs_file=needs_file)
                except EngineError:  # some engines accept these options only right after the handshake
                    pass
                else:
                    self._setup = setup
            if not self.running or setup != self._setup:
                self.close()
                self._setup, self._game_start = setup, None
                self._owner = os.getpid()
                self._controller = EngineController(
                    self.settings, setup, self._timeouts, lambda: self._abandoned or self._interrupted(),
                    self._environment, self._log, needs_file=needs_file,
                )
                self.name = self._controller.name
            self._start = start

    def new_game(self, start: Position | Game | None = None) -> None:
        """Announce a new game; with the setting ``restart``, start a new process for it.

        Args:
            start: the start of the game, None for the same start as before.

        Raises:
            EngineError: the engine fails, or ``start`` is None and the engine was never started.
            WaitInterruptedError: see ``interrupted``.
        """
        if start is not None and not isinstance(start, Game | Position):
            raise wrong_type("start", start, "a Game or a Position")
        position = start.start if isinstance(start, Game) else start or self._game_start or self._start
        if position is None:
            raise EngineError(f"engine {quoted(self.name)}: the first new game needs a start position")
        with self._alone(), self._adding_last_lines():
            if self.settings.restart and self._game_start is not None:
                self.close()
            self.start(position)
            self.controller.new_game()
            self._game_start = position

    def restart(self) -> None:
        """Kill the process and start it again for the current game.

        Raises:
            EngineError: the engine does not start, or was never started.
        """
        position = self._game_start
        self.kill()
        self.new_game(position)

    def close(self) -> None:
        """Send ``quit`` and kill the process if it does not end. The next search starts it again.

        A search in another thread is stopped first; its call returns what it has found. In a fork of the process that
        started the engine, this only lets go of it.
        """
        if self._is_forked:
            self._let_go()
        while not self._calls.acquire(timeout=_STOP_AGAIN_S):
            self.stop()
        try:
            self._end(quits=True)
        finally:
            self._calls.release()

    def kill(self) -> None:
        """Kill the process at once; a call in another thread fails. The next search starts it again."""
        if self._is_forked:
            self._let_go()
        self._abandoned = True  # ends every wait
        try:
            with self._calls:
                self._end(quits=False)
        finally:
            self._abandoned = False

    def _end(self, *, quits: bool) -> None:
        self._finish_analysis()
        self._take_pondering()
        if (controller := self._controller) is not None:
            if quits and controller.usable:
                controller.quit()
            else:
                controller.kill()
            self._controller = None

    def stop(self) -> None:
        """Stop the search of a call that is running in another thread, or whose callback this is.

        That call returns what the engine has found. Without a running search, this does nothing.
        """
        self._stop.set()

    # ---------------------------------------------------------------- options

    def ping(self) -> float:
        """Return the seconds that the engine takes to answer ``isready``.

        Raises:
            EngineError: the engine does not answer, or is not running.
        """
        with self._alone(), self._adding_last_lines():
            return self.controller.ping()

    def configure(self, options: Mapping[str, str | int | bool]) -> None:
        """Set options; they are kept after a restart.

        Raises:
            EngineOptionError: the engine lacks an option or rejects a value; or an option is one that ``Engine`` itself
                sets. The process keeps the options that it accepted before.
            EngineError: the engine fails.
            TypeError: a name or a value has the wrong type.
        """
        values = checked_options(options)
        with self._alone():
            if self.running:
                with self._adding_last_lines():
                    self.controller.configure(values)
            changed = {name.lower() for name in values}
            kept = tuple((name, value) for name, value in self.settings.options if name.lower() not in changed)
            self._set_settings(options=(*kept, *values.items()))

    @contextmanager
    def _overriding(self, options: Mapping[str, str]) -> Iterator[None]:
        """Set options of the running process for the time of a block; afterwards they have their former values.

        Raises:
            EngineOptionError: the engine lacks an option, rejects a value, or declares no value to go back to.
            EngineError: the engine fails.
        """
        if not options:
            yield
            return
        with self._adding_last_lines():
            given = {name.lower(): value for name, value in self.settings.options}
            before: dict[str, str] = {}
            for name, (declared, _) in zip(options, self.controller.check_options(options), strict=True):
                if (value := given.get(name.lower(), declared.default)) is None:
                    raise EngineOptionError(f"engine {quoted(self.name)}: option {quoted(name)}: has no default to go"
                                            " back to; expected another option for one search")
                before[name] = option_text(value)
            try:
                self.controller.configure(options)
                yield
            finally:
                if self.running:
                    try:
                        self.controller.configure(before)
                    except EngineError:
                        self.controller.kill()  # the next search starts it again, with its own options
                        raise

    def _set_settings(self, **changes: Any) -> None:
        self.settings = replace(self.settings, **changes)
        if self._controller is not None:
            self._controller.settings = self.settings

    @property
    def options(self) -> Mapping[str, OptionDeclaration]:
        """The options that the engine has declared, by name.

        Raises:
            EngineError: the engine is not running.
        """
        return {option.name: option for option in self.controller.options}

    def set_lines(self, lines: int) -> None:
        """Set the option ``MultiPV``, if the engine has it and the value changes.

        Raises:
            EngineError: the engine fails, or is not running.
        """
        if lines != self.controller.multipv:
            with self._adding_last_lines():
                self.controller.set_option("MultiPV", str(lines))

    def take_violations(self) -> tuple[str, ...]:
        """Return what the engine did against the protocol since the last call, although its answers could be used.

        Each line is ``RULE: [PROBLEM: ]'EXAMPLE'[ (N times)]``; the table in protocol.md lists the rules. Those that
        are tolerated otherwise are reported if the settings are ``strict``.

        Raises:
            EngineError: the engine is not running.
        """
        return self.controller.take_violations()

    # ---------------------------------------------------------------- searches

    def play(
        self, game: Game | Position, limit: Limit, *, root_moves: RootMoves = None, ponder: bool = False,
        on_info: Callable[[SearchInfo], None] | None = None, options: Options | None = None
    ) -> PlayResult:
        """Let the engine choose a move.

        Args:
            game: the game, or a position without history. A start other than that of the last call begins a new game.
            limit: limits of the search.
            root_moves: the moves to choose from, None for all legal moves.
            ponder: whether the engine searches on during the opponent's time if it names the reply that it expects. If
                the next call is ``play`` after that reply, with the same limits but for clocks and without
                ``root_moves`` and ``options``, the engine continues that search with the clocks that it has calculated.
                Any other call stops it.
            on_info: called with the search information each time that it changes. It may call ``stop``, but must not
                use the engine otherwise. An exception in it ends the search and the use of the process.
            options: options for this search only, by name; afterwards they have their former values, also after an
                error. The engine ponders without them.

        Raises:
            EngineProtocolError: the answer is not a legal move, or not one of ``root_moves``.
            EngineOptionError: one of ``options`` cannot be set, or has no former value; it is not searched.
            EngineError: the engine does not start, crashes, or does not answer.
            LatronesError: one of ``root_moves`` is malformed or not legal.
            ValueError: the game is over, or ``root_moves`` is empty.
        """
        game, moves = checked_search(game, limit, root_moves)
        values = checked_options(options)
        with self._alone(keep_pondering=True):
            pondering = self._pondering if self.running and not moves and not values else None
            if pondering is not None and pondering.is_of(game, limit):
                answer = self._continue_pondering(game, limit, on_info)
            else:
                self._stop_pondering()
                self._set_up(game, 1, ponder=ponder)
                with self._overriding(values):
                    answer = self.search(game, limit, on_info=on_info, root_moves=moves)
            move = None if answer.best.move == RESIGNATION else self.legal_move(game, answer.best.move, moves)
            reply = _ponder_move(game, move, answer.best.ponder)
            result = PlayResult(move, reply, answer.info, answer.elapsed_ns / NS_PER_S)
            if ponder and move is not None and reply is not None:
                self._ponder(game, (move, reply), limit.after(game.position.side, result.elapsed))
        return result

    @overload
    def analyse(
        self, game: Game | Position, limit: Limit, *, multipv: None = None, root_moves: RootMoves = None,
        options: Options | None = None,
    ) -> SearchInfo: ...

    @overload
    def analyse(
        self, game: Game | Position, limit: Limit, *, multipv: int, root_moves: RootMoves = None,
        options: Options | None = None,
    ) -> list[SearchInfo]: ...

    def analyse(
        self, game: Game | Position, limit: Limit, *, multipv: int | None = None, root_moves: RootMoves = None,
        options: Options | None = None
    ) -> SearchInfo | list[SearchInfo]:
        """Search a position and return the engine's last report.

        Args:
            game: as in ``play``.
            limit: limits of the search.
            multipv: number of lines to return as a list, best first; None for a single report.
            root_moves: the moves to consider, None for all legal moves.
            options: options for this search only, as in ``play``.

        Raises:
            EngineProtocolError: the engine prefers another move than one of ``root_moves``.
            EngineError: as in ``play``.
            LatronesError: as in ``play``.
            ValueError: the game is over, ``multipv`` is below 1, or ``root_moves`` is empty.
        """
        lines = checked_lines(multipv)
        game, moves = checked_search(game, limit, root_moves)
        values = checked_options(options)
        found: dict[int, SearchInfo] = {}

        def read(text: str) -> None:
            if (info := parse_ranked_line(text)) is not None and info.multipv <= lines:
                found[info.multipv] = info

        with self._alone():
            self._set_up(game, lines)
            with self._overriding(values):
                answer = self.search(game, limit, on_line=read, root_moves=moves)
        if moves and answer.best.move != RESIGNATION:
            self.legal_move(game, answer.best.move, moves)
        if multipv is None:
            return answer.info
        return [info for _, info in sorted(found.items())] or [answer.info]

    def analysis(
        self, game: Game | Position, limit: Limit | None = None, *, multipv: int | None = None,
        root_moves: RootMoves = None
    ) -> Analysis:
        """Search in the background and stream the engine's reports.

        Args:
            game: as in ``play``.
            limit: limits of the search, None to search until stopped.
            multipv: number of lines; ``Analysis.lines`` has the latest report of each.
            root_moves: the moves to consider, None for all legal moves.

        Returns:
            An iterator over reports, and a context manager that stops the search. Any other call of the engine stops
            it, too.

        Raises:
            EngineError: as in ``play``; failures of the search are raised by the iterator.
            LatronesError: as in ``play``.
            ValueError: the game is over, ``multipv`` is below 1, or ``root_moves`` is empty.
        """
        limit = Limit() if limit is None else limit
        lines = checked_lines(multipv)
        game, moves = checked_search(game, limit, root_moves)
        game = game.copy()  # the caller's game may go on meanwhile
        limit_ns = ENDLESS_NS if limit == Limit() else None
        search = partial(self.search, game, limit, limit_ns=limit_ns, root_moves=moves)
        with self._alone():
            self._set_up(game, lines)
            self._analysis = Analysis(search, partial(self.legal_move, game, root_moves=moves), lines)
            return self._analysis

    def search(
        self, game: Game | str, limit: Limit | Callable[[], Limit], *, limit_ns: int | None = None,
        on_info: Callable[[SearchInfo], None] | None = None, on_line: Callable[[str], None] | None = None,
        stopped: Callable[[], bool] | None = None, root_moves: Sequence[Move] = ()
    ) -> SearchAnswer:
        """Search a position of the current game; the answer is not checked for legality.

        For a ``Game``, a legal move in another form than the standard one is converted, and the search is judged (see
        ``take_violations``).

        Args:
            game: the game, or its ``position`` line.
            limit: limits of the search, or a function that returns them and is called right before the search.
            limit_ns: nanoseconds after which ``stop`` is sent; None for the time limit plus one second.
            on_info: called with the search information each time that it changes.
            on_line: called with each line except ``bestmove``.
            stopped: polled during the search; once it returns True, ``stop`` is sent.
            root_moves: the moves to search, empty for all.

        Raises:
            EngineError: the engine crashes, does not answer, or is searching already.
            WaitInterruptedError: see ``interrupted``.
        """
        position = render_position(game) if isinstance(game, Game) else game
        now = limit() if callable(limit) else limit
        if limit_ns is None:
            limit_ns = _stop_after_ns(now, game.position.side if isinstance(game, Game) else None)
        is_set = self._stop.is_set
        ends = is_set if stopped is None else lambda: is_set() or stopped()
        with self._in_search():
            go = now.render_go(self.controller.dialect, root_moves=root_moves)
            answer = self.controller.search(position, go, limit_ns, on_info, on_line=on_line, stopped=ends)
        return self._judged(game, now, answer) if isinstance(game, Game) else answer

    @contextmanager
    def _in_search(self) -> Iterator[None]:
        if not self._searching.acquire(blocking=False):
            raise self._busy("it is searching")
        try:
            with self._adding_last_lines():
                yield
        finally:
            self._searching.release()

    def _judged(self, game: Game, limit: Limit, answer: SearchAnswer) -> SearchAnswer:
        """Judge a search, and return its answer with the move in the standard form."""
        if limit != Limit():
            self.controller.judge(game, answer)
        with suppress(LatronesError):
            move = read_move(game.position, answer.best.move)
            return answer._replace(best=answer.best._replace(move=move))
        return answer

    # ---------------------------------------------------------------- the opponent's time

    def _ponder(self, game: Game, expected: Iterable[Move], limit: Limit) -> None:
        """Search on after the moves that are expected, unless they end the game or the opponent moves on."""
        ahead = game.copy()
        for move in expected:
            if ahead.outcome() is None:
                ahead.push(move)
        if ahead.outcome() is not None or ahead.position.side != game.position.side:
            return
        go = limit.render_go(self.controller.dialect, ponder=True)
        with suppress(EngineError):  # the move still counts; the next search starts the engine again
            self.controller.ponder(render_position(ahead), go)
            self._pondering = Pondering(ahead, limit, self.controller.read_pondering)

    def _continue_pondering(
        self, game: Game, limit: Limit, on_info: Callable[[SearchInfo], None] | None
    ) -> SearchAnswer:
        self._stop.clear()
        self._take_pondering()
        with self._in_search():
            limit_ns = _stop_after_ns(limit, game.position.side)
            answer = self.controller.ponderhit(limit_ns, on_info, stopped=self._stop.is_set)
        return self._judged(game, limit, answer)

    # ---------------------------------------------------------------- answers

    def legal_move(self, game: Game, text: str, root_moves: Sequence[Move] = ()) -> Move:
        """Parse an answer as a legal move, also one in the wrong case or with hyphens.

        Raises:
            EngineProtocolError: the answer is not a legal move, or not one of ``root_moves``, if there are any.
        """
        said = f"engine {quoted(self.name)}: bestmove {quoted(text)}"
        with self._adding_last_lines():
            try:
                move = read_move(game.position, text)
            except LatronesError as error:
                raise EngineProtocolError(f"{said}: {error}") from error
            if root_moves and move not in root_moves:
                raise EngineProtocolError(f"{said}: not one of the root moves {' '.join(root_moves)}")
        return move

    def _set_up(self, game: Game, lines: int, *, ponder: bool = False) -> None:
        """Set up the engine for a search of a game."""
        self._stop.clear()
        if ponder and not self.settings.ponder:
            self._set_settings(ponder=True)
            if self.running and not self.settings.has_option("Ponder"):
                self.controller.set_option("Ponder", "true")
        if not self.running or game.start != self._game_start:
            self.new_game(game)
        self.set_lines(lines)

    # ---------------------------------------------------------------- one call at a time

    @property
    def _is_forked(self) -> bool:
        return self._controller is not None and self._owner != os.getpid()

    def _let_go(self) -> None:
        """Forget the process of the parent, and what its threads did when it was forked."""
        self._calls, self._searching = threading.RLock(), threading.Lock()
        self._analysis = self._pondering = None
        controller, self._controller = self._controller, None
        if controller is not None:
            controller.kill()

    def _finish_analysis(self) -> None:
        """Stop the search in the background, if there is one."""
        if self._analysis is not None:
            self._analysis.finish()
            self._analysis = None

    @contextmanager
    def _alone(self, *, keep_pondering: bool = False) -> Iterator[None]:
        """Keep other threads out, after the search in the background has been stopped; calls may be nested.

        Raises:
            EngineBusyError: another thread makes a call, or this is a callback of a search.
            EngineError: this is a fork of the process that started the engine.
        """
        if self._is_forked:
            raise EngineError(f"engine {quoted(self.name)}: started by process {self._owner}, of which this one is a"
                              " fork; expected an engine that this process started")
        if not self._calls.acquire(blocking=False):
            raise self._busy("another thread uses it")
        try:
            self._finish_analysis()
            if self._searching.locked():
                raise self._busy("it is searching")
            if not keep_pondering:
                self._stop_pondering()
            yield
        finally:
            self._calls.release()

    def _busy(self, why: str) -> EngineBusyError:
        return EngineBusyError(f"engine {quoted(self.name)}: {why}; expected one call at a time")

    def _stop_pondering(self) -> None:
        if self._take_pondering() and self.running:
            with self._adding_last_lines():
                self.controller.stop_pondering()

    def _take_pondering(self) -> bool:
        """Forget the search on the opponent's time, and return whether there is one; the engine continues it."""
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            pondering.end()
        return pondering is not None

    @contextmanager
    def _adding_last_lines(self) -> Iterator[None]:
        """Add the engine's last lines to an error."""
        try:
            yield
        except EngineError as error:
            if self._controller is not None and not error.last_lines:
                error.quote(self._controller.last_lines)
            raise


def render_position(game: Game) -> str:
    """Render a game as a ``position`` line."""
    line = f"position fen {game.start.fen()}"
    return f"{line} moves {' '.join(game.moves)}" if game.moves else line


def _stop_after_ns(limit: Limit, side: int | None) -> int | None:
    """Return the time after which to send ``stop``: the time limit and a delay, None without a time limit.

    The clock is that of the player to move, or the one with more time if that player is not known.
    """
    clocks = (limit.white_clock, limit.black_clock)
    given = [seconds for seconds in (clocks if side is None else (clocks[side],)) if seconds is not None]
    seconds = max(given, default=None) if limit.time is None else limit.time
    return None if seconds is None else int(seconds * NS_PER_S) + _STOP_DELAY_NS


def _ponder_move(game: Game, move: Move | None, text: str | None) -> Move | None:
    if move is None or text is None:
        return None
    try:
        return read_move(game.position.play(move), text)
    except LatronesError:
        return None
