"""A game in progress: its players, clocks and engines, and the actions on it."""

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import ENDLESS_NS, render_position
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.time_control import NS_PER_MS, NS_PER_S
from latrones_uci.game import SIDE_NAMES, Game, LatronesError, Move, Outcome, Position, Termination
from latrones_uci.game.notation import PASS_TEXT
from latrones_uci.match.adjudication import adjudicate_by_length, judge_move, limits_of_game
from latrones_uci.records.record import PlyRecord
from latrones_uci.records.settings import GameLimits
from latrones_uci.text.messages import printable
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.board.analyst import Hint, annotated_review
from latrones_uci.web.board.clocks import ClockPair, Left
from latrones_uci.web.board.config import MAX_PLAYER_NAME, GameSettings, GuiConfig
from latrones_uci.web.board.engine_thread import EngineThread, Job
from latrones_uci.web.board.studied_game import StudiedGame
from latrones_uci.web.board.variations import GameNode, Variations
from latrones_uci.web.lib.notation import Json, ply_data, render_notation
from latrones_uci.web.lib.page_server import RefusedError

_FAULTS = {Termination.ILLEGAL_MOVE: "made an illegal move", Termination.RESIGNATION: "resigned",
           Termination.STALL: "made no move", Termination.PROTOCOL_ERROR: "sent a malformed move"}
_MIN_PLIES_FOR_DRAW = 20
_DRAW_CENTI = 10  # an engine that thinks it is better by more than this declines a draw


@dataclass(frozen=True)
class PlyNote(PlyRecord):
    """A ply with its notation, its drawing data (empty for a game that is not shown) and both clocks before it."""

    notation: str = ""
    figure: Json = field(default_factory=dict)
    clocks_before: Left = (None, None)


class LiveGame(StudiedGame):
    """A game that humans and engines play. While it sleeps, its engines and clocks are stopped.

    Attributes:
        record: the key under which the game is kept; ``created_s`` is its start time.
        begun: whether a move has been played, even if it was undone; only then is the game kept.
        settings, plies, clocks: the settings and the state of the game.
        paused: whether engines and clocks are stopped until the game is resumed.
        hint: the requested hint, None after the game has changed.
    """

    def __init__(
        self, name: str, settings: GameSettings, config: GuiConfig, show: Callable[[str, str, Any], None],
        keep: Callable[["LiveGame"], None] = lambda live: None,
    ) -> None:
        """Set up a game, which starts when ``wake`` is called; ``keep`` is called after each move, undo and end."""
        self._workers: dict[int, EngineThread] = {}
        self._timer: threading.Timer | None = None
        super().__init__(name, config, show, keep)
        self._set_up(Game(settings.start), settings)

    def _set_up(self, game: Game, settings: GameSettings) -> None:
        self._begin(game)
        self.record, self.created_s, self.begun = secrets.token_urlsafe(9), time.time(), False
        self.settings = settings
        self.clocks = ClockPair((settings.players[0].clock, settings.players[1].clock))
        self._turn_start = self.clocks.left()
        self.plies: list[PlyNote] = []
        self.paused = False
        self.hint: Hint | None = None
        if any(player.level is not None for player in settings.players):
            threading.Thread(target=self._find_levels, args=(settings,), daemon=True).start()

    def _find_levels(self, settings: GameSettings) -> None:
        """Query the engines for their levels, so that these are shown before the first search."""
        for player in settings.players:
            if player.level is not None:
                with suppress(EngineError, WaitInterruptedError):
                    self._config.catalog.find(player.engine, settings.start)
        with self.lock:
            if self.settings.start is settings.start and self._awake:
                self._show("state", None)
                self._keep()

    @property
    def thinking(self) -> bool:
        """Whether an engine is to move and is searching."""
        return self._awake and not self.paused and self.outcome is None and self._is_engine(self.game.position.side)

    @property
    def _engines(self) -> list[EngineThread]:
        return [*self._workers.values(), *([] if self.analyst is None else [self.analyst.worker])]

    def process_ids(self) -> list[int]:
        with self.lock:
            return [worker.process_id for worker in self._engines if worker.process_id is not None]

    def engine_settings(self, side: int) -> EngineSettings:
        return self._workers[side].settings

    # ---------------------------------------------------------------- actions

    def restart(self, settings: GameSettings) -> None:
        with self.lock:
            self._keep_engines(settings)
            self._set_up(Game(settings.start), settings)
            self._show_variations()
            self._continue()

    def resume(self, record: str, created_s: float, game: Game, settings: GameSettings, plies: list[PlyNote],
               left: Left, outcome: Outcome | None, variations: Variations, review: Json | None) -> None:
        """Replace this game with a kept game; pause it if a clock or an engine would run."""
        with self.lock:
            self._keep_engines(settings)
            self._set_up(game, settings)
            self.record, self.created_s, self.begun, self.plies = record, created_s, True, plies
            self.outcome, self.variations = outcome, variations
            self.clocks.set_left(left)
            self._turn_start = self.clocks.left()
            self._annotated = review or annotated_review(game, variations.notes)
            runs = self._is_engine(game.position.side) or any(one is not None for one in left)
            self.paused = outcome is None and runs
            self._show_variations()
            self._show_review()
            self._continue()

    def set_position(self, fen: str) -> None:
        """Replace this game with a new one from a position, with the same variant and players."""
        with self.lock:
            try:
                start = Position.from_fen(self.settings.start.ruleset, fen)
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self.restart(replace(self.settings, start=start, tags=()))

    def move(self, text: str, ply: int) -> None:
        """Play a human's move as ply number ``ply``, counted from 0."""
        with self.lock:
            side = self.game.position.side
            self._check_flag()
            if self.outcome is not None:
                raise RefusedError("the game is over")
            if ply != len(self.game.moves):
                raise RefusedError("the position has changed in the meantime")
            if self._is_engine(side):
                raise RefusedError(f"an engine plays {SIDE_NAMES[side]}")
            try:
                move = self.game.position.parse_algebraic(text)
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self.paused = False
            self._play(move, SearchInfo(), None)

    @property
    def undo_target(self) -> int | None:
        """The number of plies that are left by ``undo``, None if there is nothing to undo."""
        if self._is_declared:
            return len(self.plies)
        if all(self._is_engine(side) for side in (0, 1)):
            return len(self.plies) - 1 if self.plies else None
        mine = (ply for ply in reversed(range(len(self.plies))) if not self._is_engine(self.plies[ply].side))
        return next(mine, None)

    @property
    def _is_declared(self) -> bool:
        """Whether the players ended the game, by an agreed draw or by the resignation of any but a human's opponent."""
        if self.outcome is None or self.outcome.termination is not Termination.RESIGNATION:
            return self.outcome is not None and self.outcome.termination is Termination.ADJUDICATION
        winner = self.outcome.winner or 0
        return self._is_engine(winner) or not self._is_engine(1 - winner)

    def undo(self) -> None:
        """Undo a resignation or an agreed draw, or else moves until a human is to move; with two engines, one move.

        A game of two engines is paused.
        """
        with self.lock:
            target = self.undo_target
            if target is None:
                raise RefusedError("no move to undo")
            self.paused = self.paused or all(self._is_engine(side) for side in (0, 1))
            self._cancel_searches()
            self._cancel_review()
            self.outcome = None
            if target < len(self.plies):
                self.clocks.set_left(self.plies[target].clocks_before)
                self._turn_start = self.clocks.left()
                self.game = self.game.up_to(target)
                self._analysed = None
                del self.plies[target:]
                self._follow_with_variations()
            self._continue()
            self._keep()

    def resign(self) -> None:
        """Resign for the player to move, or for the human if an engine is to move."""
        with self.lock:
            if self.outcome is not None:
                raise RefusedError("the game is over")
            side = self.game.position.side
            if self._is_engine(side) and not self._is_engine(1 - side):
                side = 1 - side
            self._end(Outcome(Termination.RESIGNATION, 1 - side, f"{SIDE_NAMES[side]} resigned"))

    def name_human(self, name: str) -> None:
        """Name the human who plays an engine; in other games, nothing changes."""
        with self.lock:
            kinds = [player.kind for player in self.settings.players]
            if kinds.count("person") == 1:
                name = printable(name, " ").strip()[:MAX_PLAYER_NAME]
                white, black = (replace(player, name=name) if player.kind == "person" else player
                                for player in self.settings.players)
                self.settings = replace(self.settings, players=(white, black))
                self._show("state", None)
                self._keep()

    def offer_draw(self) -> str:
        """Offer a draw for the human, and return the answer in words.

        An engine accepts after some moves, unless its last score favours it. Two humans agree at the board, so an offer
        ends the game.
        """
        with self.lock:
            if self.outcome is not None:
                raise RefusedError("the game is over")
            engines = [side for side in (0, 1) if self._is_engine(side)]
            if len(engines) == 2:
                raise RefusedError("two engines play; nobody can offer a draw")
            if engines:
                name = self._config.names[self.settings.players[engines[0]].engine]
                scores = [note.info.score for note in self.plies if note.side == engines[0]]
                known = [score for score in scores if score != Score()]
                if len(self.plies) < _MIN_PLIES_FOR_DRAW or not known:
                    return f"{name} declines: it is too early for a draw."
                if known[-1].mate is not None and known[-1].mate > 0 or (known[-1].cp or 0) > _DRAW_CENTI:
                    return f"{name} declines the draw."
            self._end(Outcome(Termination.ADJUDICATION, None, "draw agreed"))
            return "The draw is agreed."

    def pause(self, paused: bool) -> None:
        with self.lock:
            self.paused = paused
            if paused:
                self._cancel_searches()
                self.clocks.stop()
            self._continue()

    def move_now(self) -> None:
        with self.lock:
            if self.thinking and (worker := self._workers.get(self.game.position.side)) is not None:
                worker.finish()

    def ask_hint(self) -> None:
        """Search for a hint for the player to move; it is shown when found."""
        with self.lock:
            if self.outcome is not None:
                raise RefusedError("the game is over")
            if self.thinking:
                raise RefusedError(f"{SIDE_NAMES[self.game.position.side]} is thinking; ask when it is your move")
            self._analyst().hint(self.game, self._show_hint)

    def promote_variation(self, number: int) -> None:
        """Move a variation ahead of the line that it leaves.

        The first variation that leaves the game replaces the played moves only in an unfinished game of two humans
        without clocks.
        """
        with self.lock:
            node = self.variations.find(number)
            if not self.variations.promote(node):
                self._make_game(node.line()[0])
            self._variations_changed()

    def _make_game(self, first: GameNode) -> None:
        left = self.clocks.left()
        if self.outcome is not None or any(map(self._is_engine, (0, 1))) or left != (None, None):
            raise RefusedError("this is the first variation already; the moves that were played stay the game")
        at = first.root.ply
        moves, self._analysed = self.variations.exchange(first), None
        self._cancel_review()
        self.game = self.game.up_to(at)
        del self.plies[at:]
        for move in moves:
            self._append(move, SearchInfo(), 0, left)
        self._continue()

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
            ended, review = self._engines, self._review
            self._workers, self.analyst = {}, None
            for worker in ended:
                worker.close()
            if review is not None and review.running:
                self._review = None
                review.cancel()
            self.analysis = {"lines": [], "wanted": 0}
        if wait:
            for worker in ended:
                worker.close(wait=True)
            if review is not None:
                review.cancel(wait=True)

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
            self.analyst.follow(self._subject())
        self._show("state", None)

    def _start_turn(self, side: int) -> None:
        if self._is_engine(side):
            self._ask_engine(side)
        elif (moves := self.game.legal_moves()) == [PASS_TEXT]:
            self._play(moves[0], SearchInfo(), 0)  # a player without another move passes
            return
        elif not self.plies:
            return  # a human's clock starts with the first move
        self.clocks.start(side)
        if (left_ms := self.clocks.left_ms(side)) is not None:
            self._timer = threading.Timer(left_ms / 1000 + 0.002, self._check_flag)
            self._timer.daemon = True
            self._timer.start()

    def _ask_engine(self, side: int) -> None:
        player, ply = self.settings.players[side], len(self.game.moves)
        if side not in self._workers:
            self._workers[side] = self._worker(player.engine, player.level)
        control = player.search_control
        limit_ns = ENDLESS_NS if control.movetime_ms is None else control.movetime_ms * NS_PER_MS + NS_PER_S
        self._workers[side].start(Job(
            self.game.start, render_position(self.game),
            lambda: self.clocks.limit(side, control), limit_ns,
            partial(self._take_answer, self.game, ply), partial(self._pause_without_engine, self.game, ply)))

    def _take_answer(self, game: Game, ply: int, answer: SearchAnswer) -> None:
        with self.lock:
            if self.game is not game or len(game.moves) != ply or not self.thinking:
                return  # the answer is not needed any more
            self._check_flag()
            if self.outcome is not None:
                return
            result = judge_move(game.position, answer.best.move)
            if isinstance(result, Outcome):
                side = game.position.side
                reason = f"{SIDE_NAMES[side]}'s engine {_FAULTS[result.termination]} ({result.details})"
                self._end(replace(result, details=reason))
            else:
                self._play(result, answer.info, answer.elapsed_ns)

    def _pause_without_engine(self, game: Game, ply: int) -> None:
        with self.lock:
            if self.game is game and len(game.moves) == ply:
                self._notice("the engine does not run, so the game is paused; Resume tries again")
                self.pause(True)

    def _play(self, move: Move, info: SearchInfo, elapsed_ns: int | None) -> None:
        position = self.game.position
        before, left_ns = self._turn_start, self.clocks.left()[position.side]
        start_ns = before[position.side]
        if elapsed_ns is None:
            elapsed_ns = 0 if start_ns is None or left_ns is None else start_ns - left_ns
        self.clocks.stop()
        self.clocks.add_increment(position.side)
        self._turn_start = self.clocks.left()
        self._cancel_review()
        self._append(move, info, elapsed_ns, before)
        self._follow_with_variations()
        limits = limits_of_game(GameLimits(), position.ruleset)
        self.outcome = self.game.outcome() or adjudicate_by_length(len(self.plies), limits)
        self._continue()
        self._keep()

    def _append(self, move: Move, info: SearchInfo, elapsed_ns: int, clocks_before: Left) -> None:
        position = self.game.position
        self.game.push(move)
        self.begun = True
        self.plies.append(PlyNote(
            position.side, position.movenumber, move, elapsed_ns, info=info,
            notation=render_notation(self.game, len(self.game.moves) - 1),
            figure=ply_data(position, self.game.position, move), clocks_before=clocks_before))

    def _check_flag(self) -> None:
        with self.lock:
            side = self.clocks.flagged()
            if self.outcome is None and side is not None:
                self._end(Outcome(Termination.TIME_LOSS, 1 - side, f"{SIDE_NAMES[side]} ran out of time"))

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._cancel_searches()
        self._continue()
        self._keep()

    # ---------------------------------------------------------------- engines

    def _is_engine(self, side: int) -> bool:
        return self.settings.players[side].kind == "engine"

    def _show_hint(self, hint: Hint | None) -> None:
        with self.lock:
            if hint is None:
                self._report_problem("the engine suggests no legal move")
            elif hint.ply == len(self.game.moves):
                self.hint = hint
                self._show("state", None)

    def _cancel_searches(self) -> None:
        for worker in self._workers.values():
            worker.cancel()

    def _keep_engines(self, settings: GameSettings) -> None:
        """Keep the engines that also play the next game, close the others, and switch the analysis off."""
        self._cancel_searches()
        spare, self._workers = list(self._workers.values()), {}
        for side, player in enumerate(settings.players):
            same = next((worker for worker in spare if (worker.number, worker.level) == (player.engine, player.level)),
                        None)
            if player.kind == "engine" and same is not None:
                self._workers[side] = same
                spare.remove(same)
        for worker in spare:
            worker.close()
        if self.analyst is not None:
            self.analyst.lines = 0

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
