"""One game: its players, clocks and engines, and everything that can be done to it."""

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
from latrones_uci.gui.config import GameSettings, GuiConfig, RefusedError
from latrones_uci.gui.engine_thread import EngineThread, Job
from latrones_uci.gui.notation import Plain, ply_figure, render_notation
from latrones_uci.match.referee import judge_move
from latrones_uci.protocol import SearchInfo

_NS_PER_S = 1_000_000_000
_NS_PER_MS = 1_000_000
_MOST_NOTICES = 20


@dataclass(frozen=True)
class PlyNote:
    """What is kept of a ply beside the move: how it is written and drawn, both clocks before it, and its search."""

    side: int
    movenumber: int
    notation: str
    figure: Plain
    clocks_before: Left
    elapsed_ns: int
    info: SearchInfo


class LiveGame:
    """A game in play; its methods may be called from any thread.

    Every change is shown by ``show(name, kind, data)`` with the kinds ``state`` (no data: ask ``state``), and
    ``analysis``. While a table sleeps its engines are ended and its clocks stand.

    Attributes:
        name: the table's.
        lock: held while anything changes; readers of several attributes hold it too.
        settings, game, plies, clocks, outcome: of the game.
        paused: whether engines wait and clocks stand until somebody goes on.
        hint: the last one asked for, None when the game has changed.
        notices: lines on what went wrong, the latest last, with their numbers.
    """

    def __init__(self, name: str, settings: GameSettings, config: GuiConfig, show: Callable[[str, str, Any], None]) -> None:
        """Sets the table for a game, which begins when it is woken."""
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
        self._turn_began = self.clocks.left()
        self.plies: list[PlyNote] = []
        self.outcome: Outcome | None = None
        self.paused = False
        self.hint: Hint | None = None
        self.analysis: dict[str, Any] = {"lines": [], "wanted": 0}

    @property
    def thinking(self) -> bool:
        """Whether an engine is to move, and moves."""
        return self._awake and not self.paused and self.outcome is None and self._is_engine(self.game.position.side)

    def process_ids(self) -> list[int]:
        """Those of the engines that run."""
        with self.lock:
            workers = [*self._workers.values(), *([] if self.analyst is None else [self.analyst.worker])]
            return [worker.process_id for worker in workers if worker.process_id is not None]

    # ---------------------------------------------------------------- what a page may do

    def restart(self, settings: GameSettings) -> None:
        """Begins another game in place of this one."""
        with self.lock:
            self._hand_over(settings)
            self._set_up(settings)
            self._go_on()

    def set_position(self, fen: str) -> None:
        """Begins another game of the same kind and players from a position.

        Raises:
            RefusedError: it is not one of this game.
        """
        with self.lock:
            try:
                start = Position.from_fen(self.settings.start.ruleset, fen)
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self.restart(replace(self.settings, start=start))

    def move(self, text: str, ply: int) -> None:
        """Makes a person's move, as the ``ply``-th from 0.

        Raises:
            RefusedError: the game is over or elsewhere, an engine is to move, or the move is not legal.
        """
        with self.lock:
            side = self.game.position.side
            if self.outcome is None and self.clocks.flagged() is not None:
                self._flag_falls()
            if self.outcome is not None:
                raise RefusedError("the game is over")
            if ply != len(self.game.moves):
                raise RefusedError("the game has gone on meanwhile")
            if self._is_engine(side):
                raise RefusedError(f"{SIDE_NAMES[side]} is played by an engine")
            try:
                move = self.game.position.parse_move(text)
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self.paused = False
            self._play(move, SearchInfo(), None)

    def undo(self) -> None:
        """Takes moves back to where a person was last to move, or one move where nobody is a person.

        Raises:
            RefusedError: there is nothing to take back.
        """
        with self.lock:
            mine = [ply for ply in range(len(self.plies)) if not self._is_engine(self.plies[ply].side)]
            nobody = all(self._is_engine(side) for side in (0, 1))
            if nobody and self.plies:
                mine, self.paused = [len(self.plies) - 1], True
            if not mine:
                raise RefusedError("there is nothing to take back")
            self._drop_searches()
            self.clocks.set_left(self.plies[mine[-1]].clocks_before)
            self._turn_began = self.clocks.left()
            self.game = self.game.up_to(mine[-1])
            del self.plies[mine[-1]:]
            self.outcome = None
            self._go_on()

    def resign(self) -> None:
        """Gives the game up for the player to move, or for the person where an engine is.

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
        """Stops engines and clocks, or lets them go on."""
        with self.lock:
            self.paused = paused
            if paused:
                self._drop_searches()
                self.clocks.stop()
            self._go_on()

    def move_now(self) -> None:
        """Lets the engine that thinks play what it has found."""
        with self.lock:
            if self.thinking and (worker := self._workers.get(self.game.position.side)) is not None:
                worker.finish()

    def ask_hint(self) -> None:
        """Has a move proposed to the player to move; it is shown when it is found.

        Raises:
            RefusedError: the game is over.
        """
        with self.lock:
            if self.outcome is not None:
                raise RefusedError("the game is over")
            self._analyst().hint(self.game)

    def analyse(self, lines: int) -> None:
        """Begins live analysis with so many lines, or ends it with 0.

        Raises:
            RefusedError: more lines than can be shown.
        """
        with self.lock:
            if not 0 <= lines <= MOST_LINES:
                raise RefusedError(f"{lines} is not a number of lines 0..{MOST_LINES}")
            self._analyst().set_lines(lines, self.game)

    def wake(self) -> None:
        """Somebody looks on: the game goes on."""
        with self.lock:
            if not self._awake:
                self._awake = True
                self._go_on()

    def sleep(self, wait: bool = False) -> None:
        """Nobody looks on any more: ends the engines, and stops the clocks; ``wait`` for the engines' end."""
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
        """Shows the state, and the analysis."""
        self._show(self.name, "state", None)
        self._show(self.name, "analysis", self.analysis)

    # ---------------------------------------------------------------- how the game goes on

    def _go_on(self) -> None:
        """Starts what has to run now; called after each change."""
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
        self._workers[side].ask(Job(
            self.game.start, render_position(self.game),
            lambda: self.clocks.limit(side, control), limit_ns,
            partial(self._take_answer, self.game, ply), partial(self._give_up, self.game, ply)))

    def _take_answer(self, game: Game, ply: int, answer: SearchAnswer) -> None:
        with self.lock:
            if self._expects(game, ply):
                judged = judge_move(game.position, answer.best.move)
                if isinstance(judged, Outcome):
                    side = game.position.side
                    reason = f"{SIDE_NAMES[side]}: {judged.termination.value}, {judged.details}"
                    self._end(replace(judged, details=reason))
                else:
                    self._play(judged.move, answer.info, answer.elapsed_ns)

    def _expects(self, game: Game, ply: int) -> bool:
        """Whether an engine's answer is still wanted; if its flag has fallen meanwhile, that comes first."""
        if self.game is not game or len(game.moves) != ply or not self.thinking:
            return False
        if self.clocks.flagged() is not None:
            self._flag_falls()
            return False
        return True

    def _give_up(self, game: Game, ply: int) -> None:
        with self.lock:
            if self.game is game and len(game.moves) == ply:
                self._notice("without an engine the game is paused; Go on tries again")
                self.pause(True)

    def _play(self, move: int, info: SearchInfo, elapsed_ns: int | None) -> None:
        position = self.game.position
        before, left_ns = self._turn_began, self.clocks.left()[position.side]
        begun_ns = before[position.side]
        if elapsed_ns is None:
            elapsed_ns = 0 if begun_ns is None or left_ns is None else begun_ns - left_ns
        self.clocks.stop()
        self.clocks.add_increment(position.side)
        self._turn_began = self.clocks.left()
        self.game.play(move)
        notation = render_notation(self.game, len(self.game.moves) - 1)
        figure = ply_figure(position, self.game.position, move)
        self.plies.append(PlyNote(position.side, position.movenumber, notation, figure, before, elapsed_ns, info))
        self._go_on()

    def _check_flag(self) -> None:
        with self.lock:
            if self._awake and self.outcome is None and self.clocks.flagged() is not None:
                self._flag_falls()

    def _flag_falls(self) -> None:
        side = self.clocks.flagged()
        assert side is not None  # asked by those who call
        self._end(Outcome(Termination.TIME_LOSS, 1 - side, f"{SIDE_NAMES[side]} ran out of time"))

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._drop_searches()
        self._go_on()

    # ---------------------------------------------------------------- engines

    def _is_engine(self, side: int) -> bool:
        return self.settings.players[side].kind == "engine"

    def _worker(self, engine: int) -> EngineThread:
        return EngineThread(self._config, engine, self._tell)

    def _analyst(self) -> Analyst:
        if self.analyst is None:
            self.analyst = Analyst(self._worker(0), self._show_analysis, self._show_hint)
        return self.analyst

    def _show_analysis(self, data: dict[str, Any]) -> None:
        if self.analyst is not None:  # else these are the last words of one that has been ended
            self.analysis = data
            self._show(self.name, "analysis", data)

    def _show_hint(self, hint: Hint | None) -> None:
        with self.lock:
            if hint is None:
                self._tell("the engine proposes no legal move")
            elif hint.ply == len(self.game.moves):
                self.hint = hint
                self._show(self.name, "state", None)

    def _tell(self, text: str) -> None:
        with self.lock:
            if self._awake:  # else nobody is there to be told
                self._notice(text)
                self._show(self.name, "state", None)

    def _notice(self, text: str) -> None:
        self._notice_count += 1
        self.notices = [*self.notices, (self._notice_count, text)][-_MOST_NOTICES:]

    def _drop_searches(self) -> None:
        for worker in self._workers.values():
            worker.drop()

    def _hand_over(self, settings: GameSettings) -> None:
        """Keeps the engines that play in the next game too, and ends the others; there is no analysis at first."""
        self._drop_searches()
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
