"""A game in progress: its players, clocks and engines, and the actions on it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import ENDLESS_NS, render_position
from latrones_uci.game import SIDE_NAMES, Game, LatronesError, Outcome, Position, Termination
from latrones_uci.gui.analyst import MOST_LINES, Analyst, Hint
from latrones_uci.gui.clocks import Clocks, Left
from latrones_uci.gui.config import GameSettings, GuiConfig
from latrones_uci.gui.engine_thread import EngineThread, Job
from latrones_uci.match.referee import judge_move
from latrones_uci.protocol import SearchInfo
from latrones_uci.web.notation import Json, ply_data, render_notation
from latrones_uci.web.page_server import RefusedError

_NS_PER_S = 1_000_000_000
_NS_PER_MS = 1_000_000
_MOST_NOTICES = 20


@dataclass(frozen=True)
class PlyNote:
    """The data of a ply besides the move: notation, drawing data, both clocks before it, and its search."""

    side: int
    movenumber: int
    notation: str
    figure: Json
    clocks_before: Left
    elapsed_ns: int
    info: SearchInfo


class LiveGame:
    """A game in progress; its methods can be called from any thread.

    Every change is announced by ``show(name, kind, data)`` with the kinds ``state`` (without data: see
    ``state.render_state``) and ``analysis``. While a game sleeps, its engines are stopped, and so are its clocks.

    Attributes:
        name: the name of the game.
        lock: held during changes; hold it to read several attributes consistently.
        settings, game, plies, clocks, outcome: the settings and the state of the game.
        paused: whether engines and clocks are stopped until the game is resumed.
        hint: the requested hint, None after the game has changed.
        notices: numbered error messages, the latest last.
    """

    def __init__(
        self, name: str, settings: GameSettings, config: GuiConfig, show: Callable[[str, str, Any], None]
    ) -> None:
        """Set up a game, which starts when ``wake`` is called."""
        self.name, self.lock = name, threading.RLock()
        self._config, self._show = config, show
        self._workers: dict[int, EngineThread] = {}
        self.analyst: Analyst | None = None
        self._timer: threading.Timer | None = None
        self._awake = False
        self._notice_count = 0
        self.notices: list[tuple[int, str]] = []
        self._set_up(settings)

    def _set_up(self, settings: GameSettings) -> None:
        self.settings = settings
        self.game = Game(settings.start)
        self.clocks = Clocks((settings.players[0].clock, settings.players[1].clock))
        self._turn_start = self.clocks.left()
        self.plies: list[PlyNote] = []
        self.outcome: Outcome | None = None
        self.paused = False
        self.hint: Hint | None = None
        self.analysis: dict[str, Any] = {"lines": [], "wanted": 0}

    @property
    def thinking(self) -> bool:
        """Whether an engine is to move and is searching."""
        return self._awake and not self.paused and self.outcome is None and self._is_engine(self.game.position.side)

    def process_ids(self) -> list[int]:
        """Return the process ids of the running engines."""
        with self.lock:
            workers = [*self._workers.values(), *([] if self.analyst is None else [self.analyst.worker])]
            return [worker.process_id for worker in workers if worker.process_id is not None]

    # ---------------------------------------------------------------- actions

    def restart(self, settings: GameSettings) -> None:
        """Replace this game by a new one."""
        with self.lock:
            self._keep_engines(settings)
            self._set_up(settings)
            self._continue()

    def set_position(self, fen: str) -> None:
        """Replace this game by a new one from a position, with the same variant and players.

        Raises:
            RefusedError: the FEN is malformed, or not possible in this variant.
        """
        with self.lock:
            try:
                start = Position.from_fen(self.settings.start.ruleset, fen)
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self.restart(replace(self.settings, start=start))

    def move(self, text: str, ply: int) -> None:
        """Play a human's move as ply number ``ply``, counted from 0.

        Raises:
            RefusedError: the game is over or at another ply, an engine is to move, or the move is not legal.
        """
        with self.lock:
            side = self.game.position.side
            if self.outcome is None and self.clocks.flagged() is not None:
                self._end_on_time()
            if self.outcome is not None:
                raise RefusedError("the game is over")
            if ply != len(self.game.moves):
                raise RefusedError("the position has changed in the meantime")
            if self._is_engine(side):
                raise RefusedError(f"an engine plays {SIDE_NAMES[side]}")
            try:
                move = self.game.position.parse_move(text)
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self.paused = False
            self._play(move, SearchInfo(), None)

    def undo(self) -> None:
        """Undo moves until a human is to move; with two engines, undo one move and pause.

        Raises:
            RefusedError: there is no move to undo.
        """
        with self.lock:
            mine = [ply for ply in range(len(self.plies)) if not self._is_engine(self.plies[ply].side)]
            only_engines = all(self._is_engine(side) for side in (0, 1))
            if only_engines and self.plies:
                mine, self.paused = [len(self.plies) - 1], True
            if not mine:
                raise RefusedError("no move to undo")
            self._cancel_searches()
            self.clocks.set_left(self.plies[mine[-1]].clocks_before)
            self._turn_start = self.clocks.left()
            self.game = self.game.up_to(mine[-1])
            del self.plies[mine[-1]:]
            self.outcome = None
            self._continue()

    def resign(self) -> None:
        """Resign for the player to move, or for the human if an engine is to move.

        Raises:
            RefusedError: the game is over.
        """
        with self.lock:
            if self.outcome is not None:
                raise RefusedError("the game is over")
            side = self.game.position.side
            if self._is_engine(side) and not self._is_engine(1 - side):
                side = 1 - side
            self._end(Outcome(Termination.RESIGNATION, 1 - side, f"{SIDE_NAMES[side]} resigned"))

    def pause(self, paused: bool) -> None:
        """Pause or resume engines and clocks."""
        with self.lock:
            self.paused = paused
            if paused:
                self._cancel_searches()
                self.clocks.stop()
            self._continue()

    def move_now(self) -> None:
        """Make the searching engine play its best move so far."""
        with self.lock:
            if self.thinking and (worker := self._workers.get(self.game.position.side)) is not None:
                worker.finish()

    def ask_hint(self) -> None:
        """Search for a hint for the player to move; it is shown when found.

        Raises:
            RefusedError: the game is over.
        """
        with self.lock:
            if self.outcome is not None:
                raise RefusedError("the game is over")
            self._analyst().hint(self.game)

    def analyse(self, lines: int) -> None:
        """Start live analysis with a number of lines, or stop it with 0.

        Raises:
            RefusedError: the number of lines is out of range.
        """
        with self.lock:
            if not 0 <= lines <= MOST_LINES:
                raise RefusedError(f"{lines} lines: expected 0..{MOST_LINES}")
            self._analyst().set_lines(lines, self.game)

    def wake(self) -> None:
        """Start or continue the game, because a page shows it."""
        with self.lock:
            if not self._awake:
                self._awake = True
                self._continue()

    def sleep(self, wait: bool = False) -> None:
        """Stop engines and clocks, because no page shows the game; with ``wait``, wait for the engines to end."""
        with self.lock:
            self._awake = False
            self.clocks.stop()
            self._stop_timer()
            ended = self._end_engines()
            self.analysis = {"lines": [], "wanted": 0}
        if wait:
            for worker in ended:
                worker.close(wait=True)

    def show_state(self) -> None:
        """Announce the state and the analysis."""
        self._show(self.name, "state", None)
        self._show(self.name, "analysis", self.analysis)

    # ---------------------------------------------------------------- the game loop

    def _continue(self) -> None:
        """Start the clock and engine of the side to move; called after each change."""
        self.hint = None
        self._stop_timer()
        self.outcome = self.outcome or self.game.outcome()
        if self.outcome is not None or self.paused or not self._awake:
            self.clocks.stop()
        else:
            self._start_turn(self.game.position.side)
        if self.analyst is not None and self._awake:
            self.analyst.follow(self.game)
        self._show(self.name, "state", None)

    def _start_turn(self, side: int) -> None:
        if self._is_engine(side):
            self._ask_engine(side)
        self.clocks.start(side)
        if (left_ms := self.clocks.left_ms(side)) is not None:
            self._timer = threading.Timer(left_ms / 1000 + 0.002, self._check_flag)
            self._timer.daemon = True
            self._timer.start()

    def _ask_engine(self, side: int) -> None:
        player, ply = self.settings.players[side], len(self.game.moves)
        if side not in self._workers:
            self._workers[side] = self._worker(player.engine)
        control = player.search_control
        limit_ns = ENDLESS_NS if control.movetime_ms is None else control.movetime_ms * _NS_PER_MS + _NS_PER_S
        self._workers[side].start(Job(
            self.game.start, render_position(self.game),
            lambda: self.clocks.limit(side, control), limit_ns,
            partial(self._take_answer, self.game, ply), partial(self._pause_without_engine, self.game, ply)))

    def _take_answer(self, game: Game, ply: int, answer: SearchAnswer) -> None:
        with self.lock:
            if self._expects(game, ply):
                result = judge_move(game.position, answer.best.move)
                if isinstance(result, Outcome):
                    side = game.position.side
                    reason = f"{SIDE_NAMES[side]}: {result.termination.value}, {result.details}"
                    self._end(replace(result, details=reason))
                else:
                    self._play(result.move, answer.info, answer.elapsed_ns)

    def _expects(self, game: Game, ply: int) -> bool:
        """Return whether an engine's answer is still needed; end the game first if time has run out."""
        if self.game is not game or len(game.moves) != ply or not self.thinking:
            return False
        if self.clocks.flagged() is not None:
            self._end_on_time()
            return False
        return True

    def _pause_without_engine(self, game: Game, ply: int) -> None:
        with self.lock:
            if self.game is game and len(game.moves) == ply:
                self._notice("the engine does not run, so the game is paused; Resume tries again")
                self.pause(True)

    def _play(self, move: int, info: SearchInfo, elapsed_ns: int | None) -> None:
        position = self.game.position
        before, left_ns = self._turn_start, self.clocks.left()[position.side]
        start_ns = before[position.side]
        if elapsed_ns is None:
            elapsed_ns = 0 if start_ns is None or left_ns is None else start_ns - left_ns
        self.clocks.stop()
        self.clocks.add_increment(position.side)
        self._turn_start = self.clocks.left()
        self.game.play(move)
        notation = render_notation(self.game, len(self.game.moves) - 1)
        figure = ply_data(position, self.game.position, move)
        self.plies.append(PlyNote(position.side, position.movenumber, notation, figure, before, elapsed_ns, info))
        self._continue()

    def _check_flag(self) -> None:
        with self.lock:
            if self._awake and self.outcome is None and self.clocks.flagged() is not None:
                self._end_on_time()

    def _end_on_time(self) -> None:
        side = self.clocks.flagged()
        assert side is not None  # callers have checked
        self._end(Outcome(Termination.TIME_LOSS, 1 - side, f"{SIDE_NAMES[side]} ran out of time"))

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._cancel_searches()
        self._continue()

    # ---------------------------------------------------------------- engines

    def _is_engine(self, side: int) -> bool:
        return self.settings.players[side].kind == "engine"

    def _worker(self, engine: int) -> EngineThread:
        return EngineThread(self._config, engine, self._report_problem)

    def _analyst(self) -> Analyst:
        if self.analyst is None:
            self.analyst = Analyst(self._worker(0), self._show_analysis, self._show_hint)
        return self.analyst

    def _show_analysis(self, data: dict[str, Any]) -> None:
        if self.analyst is not None:  # otherwise this is the last output of a closed analyst
            self.analysis = data
            self._show(self.name, "analysis", data)

    def _show_hint(self, hint: Hint | None) -> None:
        with self.lock:
            if hint is None:
                self._report_problem("the engine suggests no legal move")
            elif hint.ply == len(self.game.moves):
                self.hint = hint
                self._show(self.name, "state", None)

    def _report_problem(self, text: str) -> None:
        with self.lock:
            if self._awake:  # otherwise no page shows the game
                self._notice(text)
                self._show(self.name, "state", None)

    def _notice(self, text: str) -> None:
        self._notice_count += 1
        self.notices = [*self.notices, (self._notice_count, text)][-_MOST_NOTICES:]

    def _cancel_searches(self) -> None:
        for worker in self._workers.values():
            worker.cancel()

    def _keep_engines(self, settings: GameSettings) -> None:
        """Keep the engines that also play the next game, close the others, and switch the analysis off."""
        self._cancel_searches()
        spare, self._workers = list(self._workers.values()), {}
        for side, player in enumerate(settings.players):
            same = next((worker for worker in spare if worker.number == player.engine), None)
            if player.kind == "engine" and same is not None:
                self._workers[side] = same
                spare.remove(same)
        for worker in spare:
            worker.close()
        if self.analyst is not None:
            self.analyst.lines = 0

    def _end_engines(self) -> list[EngineThread]:
        ended = [*self._workers.values(), *([] if self.analyst is None else [self.analyst.worker])]
        self._workers, self.analyst = {}, None
        for worker in ended:
            worker.close()
        return ended

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
