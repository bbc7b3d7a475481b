"""What one does with a game besides playing it: variations, notes, analysis and review."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Self

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.game import Game, LatronesError, Outcome, Position
from latrones_uci.game.history import push_parsed
from latrones_uci.records.annotation import Judgement, parse_judgement
from latrones_uci.text.protocol import SearchInfo
from latrones_uci.web.board.analyst import MAX_LINES, MAX_VALUES, Analyst, Review, Subject
from latrones_uci.web.board.config import GuiConfig
from latrones_uci.web.board.engine_thread import EngineThread
from latrones_uci.web.board.learning import Attempt, attempt_data
from latrones_uci.web.board.variations import Annotation, GameNode, Variations, read_note
from latrones_uci.web.lib.notation import Json, immobile, legal_move_data, surrounded
from latrones_uci.web.lib.page_server import RefusedError
from latrones_uci.words.reasons import reason_against

_MAX_NOTICES = 20
_MAX_LINE = 100  # maximum number of moves added to the variations at once


class StudiedGame:
    """A game with its variations, notes, analysis and review; ``LiveGame`` adds the players.

    Its methods can be called from any thread. An action that is not possible now, or has a value out of range, raises
    ``RefusedError``, which says why. Every change is announced by ``show(name, kind, data)`` with the kinds ``state``
    (see ``state.render_state``; the data are None, or ``anew`` for a new page), ``variations``, ``analysis``,
    ``review``, ``attempt`` and ``values``; what is kept is given to ``keep``.

    Attributes:
        name: the name of the table, which shows one game after another.
        lock: held during changes; hold it to read several attributes consistently.
        game, outcome: the game, and how it has ended, None if it has not.
        notices: numbered messages on faults of the engines in this game, the latest last.
    """

    def __init__(
        self, name: str, config: GuiConfig, show: Callable[[str, str, Any], None], keep: Callable[[Self], None]
    ) -> None:
        self.name, self.lock = name, threading.RLock()
        self._config, self._show, self._keep = config, partial(show, name), partial(keep, self)
        self.analyst: Analyst | None = None
        self._awake = False
        self._review: Review | None = None
        self._annotated: Json | None = None  # the review from a kept game or a file
        self._notice_count = 0

    def _begin(self, game: Game) -> None:
        """Set the game, without anything beside it."""
        self.game = game
        self.outcome: Outcome | None = None
        self.notices: list[tuple[int, str]] = []
        self.variations = Variations(game)
        self.analysis: Json = {"lines": [], "wanted": 0}
        self._analysed: GameNode | None = None  # None for the current position
        self._analyses_threat = False
        self._attempted: Attempt | None = None  # the last move that was tried instead of a reviewed one
        self._cancel_review()

    def show_state(self) -> None:
        """Announce the whole state and the analysis, because a new page shows them."""
        self._show("state", "anew")
        self._show_variations()
        self._show("analysis", self.analysis)
        self._show_review()

    # ---------------------------------------------------------------- places

    def _node_at(self, ply: int | None, node: int | None = None) -> GameNode:
        """Return a position of the game or its variations; without a ply and a node, the current position."""
        if node is not None:
            return self.variations.find(node)
        if ply is not None and not 0 <= ply <= len(self.game.moves):
            raise RefusedError(f"ply {ply}: expected 0..{len(self.game.moves)}")
        return self.variations.played[-1 if ply is None else ply]

    def _game_at(self, ply: int | None, node: int | None) -> Game:
        return self._node_at(ply, node).played_on(self.game)

    def position_at(self, ply: int | None, node: int | None) -> Position:
        with self.lock:
            return self._game_at(ply, node).position

    def moves_at(self, ply: int | None, node: int | None) -> Json:
        """Return the legal moves and the marked pieces of any position of the game and its variations."""
        with self.lock:
            part = self._game_at(ply, node)
            position = part.position
            return {"legal": [] if part.outcome() is not None else legal_move_data(position),
                    "surrounded": surrounded(position), "immobile": immobile(position)}

    def reason_against(self, origin: int | None, target: int, ply: int | None = None, node: int | None = None) -> str:
        """Return why the player to move cannot move from one square to another (see ``reasons``)."""
        with self.lock:
            part = self._game_at(ply, node)
            position, is_current = part.position, (ply, node) == (None, None)
            if part.outcome() is not None or self.outcome is not None and is_current:
                raise RefusedError("the game is over" if is_current else "the game is over here")
            for square in (target,) if origin is None else (origin, target):
                if not 0 <= square < position.geometry.squares:
                    raise RefusedError(f"square {square}: expected 0..{position.geometry.squares - 1}")
        return reason_against(position, origin, target)

    # ---------------------------------------------------------------- variations and notes

    def vary(self, text: str, ply: int | None, node: int | None) -> Json:
        """Play a move as a variation; return where it leads: a ``ply`` of the game and a ``node`` of a variation."""
        with self.lock:
            if self.outcome is None and self._node_at(ply, node) is self.variations.played[-1]:
                raise RefusedError("this is the current position; the move belongs to the game")
            return self.add_line([text], ply, node)

    def add_line(self, texts: Sequence[str], ply: int | None, node: int | None) -> Json:
        """Add moves as a variation, also in the current position, without changing the game; return where they lead."""
        with self.lock:
            last = self._node_at(ply, node)
            part = last.played_on(self.game)
            try:
                for text in texts[:_MAX_LINE]:
                    last = self.variations.add(part, last, part.position.parse_algebraic(text))
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            finally:
                self._variations_changed()
            return {"ply": last.root.ply, "node": last.number or None}

    def delete_variation(self, number: int) -> None:
        """Delete a move of a variation and all moves after it."""
        with self.lock:
            first = self.variations.find(number)
            self.variations.delete(first)
            if self._analysed is not None and self._analysed in first.family():
                self._analysed = None
            self._variations_changed()

    def annotate(self, ply: int | None, node: int | None, sign: str, comment: str, marks: str) -> None:
        """Set the note on a position: a sign such as ``?``, a comment, and marks such as ``Ga1a2 b3``."""
        with self.lock:
            annotated = self._node_at(ply, node)
            note, old = read_note(sign, comment, marks, self.game.start.geometry), annotated.note
            if note != Annotation():  # a note that is deleted takes what the page does not edit with it
                note = replace(note, lead=old.lead, others=old.others)
            annotated.note = replace(note, judgement=old.judgement)
            if "}" in comment:
                self._notice("the comment is saved with ( ) instead of { }, because } ends a comment in PGN")
                self._show("state", None)
            self._variations_changed()

    def _follow_with_variations(self) -> None:
        had_any = bool(self.variations)
        self.variations.follow(self.game)
        if self._analysed is not None and not self.variations.has(self._analysed):
            self._analysed = None
        if had_any:
            self._show_variations()

    def _variations_changed(self) -> None:
        self._show_variations()
        self._keep()

    def _show_variations(self) -> None:
        self._show("variations", self.variations.data())

    # ---------------------------------------------------------------- analysis and review

    def _subject(self) -> Subject:
        node = self._analysed or self.variations.played[-1]
        return Subject(node.played_on(self.game), node.number or None, self._analyses_threat)

    def analyse(
        self, lines: int, ply: int | None = None, node: int | None = None, threat: bool = False, longer: bool = False
    ) -> None:
        """Start live analysis with a number of lines, or stop it with 0.

        Without ``ply`` and ``node``, the analysis follows the game. With ``threat``, it is of what the other side would
        do if the player to move passed; ``longer`` raises its time limit.
        """
        with self.lock:
            if not 0 <= lines <= MAX_LINES:
                raise RefusedError(f"{lines} lines: expected 0..{MAX_LINES}")
            self._analysed = None if ply is None and node is None else self._node_at(ply, node)
            self._analyses_threat = threat
            self._analyst().set_lines(lines, self._subject(), longer)

    def evaluate_moves(self, texts: Sequence[str], ply: int | None, node: int | None) -> None:
        """Search the positions after moves, one after another, and announce White's scores so far as ``values``."""
        with self.lock:
            part = self._game_at(ply, node)
            if len(texts) > MAX_VALUES:
                raise RefusedError(f"{len(texts)} moves: expected at most {MAX_VALUES}")
            try:
                moves = [part.position.parse_algebraic(text) for text in texts]
            except LatronesError as error:
                raise RefusedError(str(error)) from error
            self._analyst().measure_moves(part, moves, partial(self._show, "values"))

    def review(self) -> None:
        """Review the game so far; the progress and the result are announced as ``review``, and the result is kept."""
        with self.lock:
            if not self.game.moves:
                raise RefusedError("no move to review")
            if self._review is not None and self._review.running:
                raise RefusedError("the review is running")
            self._review = Review(self._config, self.game.copy(), partial(self._show, "review"), self._reviewed)

    def attempt(self, text: str, ply: int) -> Json:
        """Try a move instead of a reviewed one, after ``ply`` plies of the game; return where it leads, as ``vary``.

        The move becomes a variation. Its verdict (see ``attempt_data``) is announced as ``attempt``, when it is found.
        """
        with self.lock:
            before, judgement = self._node_at(ply), self._judgement(ply)
            if judgement is None:
                raise RefusedError(f"ply {ply}: no review of the move played here; review the game first")
            reached = self.add_line([text], ply, None)
            part = before.played_on(self.game)
            tried = Attempt(ply, reached["node"], part.position.parse_algebraic(text))
            push_parsed(part, tried.move)
            following = self._judgement(ply + 1) if tried.node is None else None
            reply = "" if following is None else following.best
            self._attempted = tried
            data = attempt_data(self.game, tried, judgement, part.outcome(), reply=reply)
            self._show_attempt(data)
            if data["score"] is None:
                self._analyst().measure(part, partial(self._take_verdict, tried, judgement))
            return reached

    def _judgement(self, ply: int) -> Judgement | None:
        """Return what a finished review says of a move of the game, None if there is none."""
        note = None if self.finished_review is None else self.variations.notes.get(ply)
        return None if note is None else parse_judgement(note.judgement)[0]

    def _take_verdict(self, tried: Attempt, judgement: Judgement, answer: SearchAnswer | None) -> None:
        with self.lock:
            info, reply = (SearchInfo(), "") if answer is None else (answer.info, answer.best.move)
            with suppress(RefusedError):  # the variation has been deleted meanwhile
                if tried is self._attempted:
                    self._show_attempt(attempt_data(self.game, tried, judgement, None, info, reply))

    def _show_attempt(self, data: Json) -> None:
        node = None if data["node"] is None else self.variations.find(data["node"])
        if node is not None and data["score"] is not None:
            node.score = data["score"]
            node.note.sign = node.note.sign or data["mark"]
            self._variations_changed()
        self._show("attempt", data)

    def _reviewed(self, review: Review, judgements: list[tuple[str, str]]) -> None:
        with self.lock:
            if review is self._review:
                self.variations.judge(judgements)
                self._variations_changed()

    def _cancel_review(self) -> None:
        self._attempted = None
        if self._review is not None:
            self._review.cancel()
        if self._review is not None or self._annotated is not None:
            self._review = self._annotated = None
            self._show_review()

    def _show_review(self) -> None:
        self._show("review", self._review_data)

    @property
    def _review_data(self) -> Json | None:
        return self._annotated if self._review is None else self._review.data

    @property
    def finished_review(self) -> Json | None:
        """The data of the review of this game, None if there is no finished review."""
        data = self._review_data
        return data if data is not None and "moves" in data else None

    # ---------------------------------------------------------------- engines

    def _worker(self, engine: int, level: int | None = None, analyses: bool = False) -> EngineThread:
        worker = EngineThread(self._config, engine, lambda text: self._report_problem(text, worker), level,
                              analyses)
        return worker

    def _analyst(self) -> Analyst:
        if self.analyst is None:
            self.analyst = Analyst(self._worker(0, analyses=True), self._show_analysis)
        return self.analyst

    def _show_analysis(self, data: Json) -> None:
        if self.analyst is not None:  # otherwise this is the last output of a closed analyst
            self.analysis = data
            self._show("analysis", data)

    def _report_problem(self, text: str, worker: EngineThread | None = None) -> None:
        """Show a message on a fault, unless it is of an engine that does not play here any more."""
        with self.lock:
            if self._awake and not (worker and worker.closed):  # otherwise no page shows the game
                self._notice(text)
                self._show("state", None)

    def _notice(self, text: str) -> None:
        self._notice_count += 1
        self.notices = [*self.notices, (self._notice_count, text)][-_MAX_NOTICES:]

