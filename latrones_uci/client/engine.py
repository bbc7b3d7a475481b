"""An engine as a subprocess: start a command, and ask for moves and analysis."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from reprlib import repr as shorten
from typing import Self, get_args, overload

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
from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine_host import EngineHost
from latrones_uci.client.engine_rules import read_move
from latrones_uci.client.engine_spec import EngineSettings, Protocol, Timeouts
from latrones_uci.client.errors import EngineError, EngineProtocolError, SettingsError
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.client.time_control import NS_PER_S, Limit, TimeControl
from latrones_uci.client.variant_setup import start_of
from latrones_uci.game import Game, LatronesError, Move, Position, Ruleset
from latrones_uci.text.messages import quoted, wrong_type
from latrones_uci.text.protocol import RESIGNATION, SearchInfo

_STOP_DELAY_NS = NS_PER_S
"""How much longer than its time limit a search may take before ``stop`` is sent."""
ENDLESS_NS = 24 * 3600 * NS_PER_S
"""The limit of a search that runs until it is stopped."""
_NO_CONTROL = TimeControl()


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


class Engine(EngineHost):
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

    @classmethod
    def popen(
        cls,
        command: str | Sequence[str | PathLike[str]] | None = None,
        *,
        variant: str | Ruleset = "latrones",
        board: tuple[int, int] | str | None = None,
        options: Options | None = None,
        variant_path: str | PathLike[str] | None = None,
        protocol: Protocol = "auto",
        directory: str | PathLike[str] | None = None,
        timeouts: Timeouts | None = None,
        strict: bool = False,
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
        if protocol not in get_args(Protocol):
            raise SettingsError(f"protocol {shorten(protocol)}: unknown; expected {', '.join(get_args(Protocol))}")
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

    # ---------------------------------------------------------------- searches

    def play(
        self,
        game: Game | Position,
        limit: Limit,
        *,
        root_moves: RootMoves = None,
        ponder: bool = False,
        on_info: Callable[[SearchInfo], None] | None = None,
        options: Options | None = None,
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
        self,
        game: Game | Position,
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: RootMoves = None,
        options: Options | None = None,
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
        self,
        game: Game | Position,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: RootMoves = None,
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
        self,
        game: Game | str,
        limit: Limit | Callable[[], Limit],
        *,
        limit_ns: int | None = None,
        on_info: Callable[[SearchInfo], None] | None = None,
        on_line: Callable[[str], None] | None = None,
        stopped: Callable[[], bool] | None = None,
        root_moves: Sequence[Move] = (),
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
        with self._in_search():
            go = now.render_go(self.controller.dialect, root_moves=root_moves)
            answer = self.controller.search(
                position, go, limit_ns, on_info, on_line=on_line, stopped=self._stop_or(stopped)
            )
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

    def _stop_or(self, stopped: Callable[[], bool] | None) -> Callable[[], bool]:
        is_set = self._stop.is_set
        return is_set if stopped is None else lambda: is_set() or stopped()

    def _judged(self, game: Game, limit: Limit, answer: SearchAnswer) -> SearchAnswer:
        """Judge a search, and return its answer with the move in the standard form."""
        if limit != Limit():
            self.controller.judge(game, answer)
        with suppress(LatronesError):
            move = read_move(game.position, answer.best.move)
            return replace(answer, best=replace(answer.best, move=move))
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
