"""What an engine that does not play says of a game: live analysis, hints, and the review of the whole game."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import render_position
from latrones_uci.client.engine_rules import read_move
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.client.time_control import NS_PER_MS, NS_PER_S, Limit
from latrones_uci.game import SIDE_NAMES, Game, LatronesError, Move
from latrones_uci.game.history import push_parsed
from latrones_uci.records.annotation import (
    AnalysedMove,
    Evaluation,
    Judgement,
    accuracy,
    analyse_game,
    evaluations,
    fortress,
    judged_moves,
    parse_judgement,
    render_judgement,
)
from latrones_uci.text.protocol import Score, SearchInfo, WhiteScore
from latrones_uci.web.board.config import GuiConfig
from latrones_uci.web.board.engine_thread import EngineThread, Job
from latrones_uci.web.board.learning import mistake_data, reason_along
from latrones_uci.web.board.variations import Annotation
from latrones_uci.web.lib.notation import Json, ply_data, render_notation

MAX_LINES = 5
MAX_VALUES = 12  # moves that are searched one after another
_MAX_LINE = 12
_REPORT_INTERVAL_S = 0.1
_HINT_MS = 1000
_MEASURE_MS = 2000  # after which a search with the limit of a review is stopped
_MIN_MS_FOR_SPEED = 20
ANALYSIS_S = 60
"""Seconds after which the analysis of a position stops, unless the user continues it."""
_LONGER = 5


@dataclass(frozen=True)
class Hint:
    """A suggested legal move after ``ply`` plies, with its score for the player who makes it, and why it is good."""

    ply: int
    move: str
    score: Score
    why: str


@dataclass(frozen=True, eq=False)
class Subject:
    """What is analysed: the position after the last move of ``game``."""

    game: Game
    node: int | None = None
    """The number of the move of a variation that leads there, None for a position of the game itself."""
    threat: bool = False
    """Analyse what the other side would do if the player to move passed."""

    def searched(self) -> Game | str:
        """Return the game to search, or the reason in words why there is none."""
        if self.game.outcome() is not None:
            return "the game is over here"
        if not self.threat:
            return self.game
        position = self.game.position
        passed = position.passed()
        if passed is None:
            why = ("while pieces are in hand, no side can pass" if position.hand
                   else f"with {SIDE_NAMES[1 - position.side]} to move, this position is not possible")
            return f"no threat: {why}"
        game = Game(passed)
        outcome = game.outcome()
        return game if outcome is None else f"no threat: {SIDE_NAMES[passed.side]} could not move ({outcome.reason})"


class Analyst:
    """Analyses the displayed position of a game."""

    def __init__(self, worker: EngineThread, show: Callable[[Json], None]) -> None:
        """Create an analyst that is off; ``show`` is called with JSON data, in the worker's thread or the caller's."""
        self.worker, self._show = worker, show
        self._lock = threading.Lock()
        self._subject: Subject | None = None
        self._found: dict[int, SearchInfo] = {}
        self._report_is_due = False
        self._limit_s, self._stopped = ANALYSIS_S, False
        self.lines = 0
        """The number of variations, 0 while analysis is off."""

    def set_lines(self, lines: int, subject: Subject, longer: bool = False) -> None:
        """Start the analysis, change the number of lines, raise its limit, or stop the analysis with ``lines`` 0."""
        if lines and not self.lines:  # the engine may need time to start
            self._show(_data(subject, lines, []))
        self.lines = lines
        self.follow(subject, self._limit_s * _LONGER if longer else ANALYSIS_S)

    def follow(self, subject: Subject, limit_s: int = ANALYSIS_S) -> None:
        """Analyse the new position after the game has changed; a search for a hint is cancelled."""
        subject = replace(subject, game=subject.game.copy())
        with self._lock:
            self._subject, self._found = subject, {}
            self._limit_s, self._stopped = limit_s, False
        game = subject.searched()
        if not self.lines or isinstance(game, str):
            self.worker.cancel()
            self._show(_data(subject, self.lines, []))
            return
        self.worker.start(Job(
            game.start, render_position(game), Limit, limit_s * NS_PER_S, partial(self._end, subject, limit_s),
            lambda: None, self.lines, lambda text: self._read(subject, text)))

    def _end(self, subject: Subject, limit_s: int, answer: SearchAnswer) -> None:
        """Show that the analysis has ended; most engines go on until they are stopped at the limit."""
        with self._lock:
            if self._subject is subject:
                self._stopped = answer.elapsed_ns >= limit_s * NS_PER_S
        self._report()

    def hint(self, game: Game, show: Callable[[Hint | None], None]) -> None:
        """Suggest a move for the player to move: the best move of the analysis, or of a new search.

        ``show`` is called with the hint, or with None if there is none, in the worker's thread or the caller's.
        """
        with self._lock:
            followed = self._subject
            same = followed is not None and not followed.threat and followed.game.moves == game.moves
            best = self._found.get(1) if same else None
        if best is not None and best.pv:
            show(hint_of(game, best.pv[0], best))
            return
        game = game.copy()

        def answer(found: SearchAnswer) -> None:
            show(hint_of(game, found.best.move, found.info))
            with self._lock:
                unchanged = self._subject is followed
            if self.lines and unchanged:
                self.follow(followed or Subject(game))

        self.worker.start(Job(
            game.start, render_position(game), lambda: Limit(time=_HINT_MS / 1000), 2 * _HINT_MS * NS_PER_MS, answer,
            lambda: show(None)))

    def measure(self, game: Game, answer: Callable[[SearchAnswer | None], None]) -> None:
        """Search the position after the last move of a game as a review does; ``answer(None)`` if that fails."""
        self.worker.start(Job(game.start, render_position(game), lambda: REVIEW_LIMIT, _MEASURE_MS * NS_PER_MS, answer,
                              lambda: answer(None)))

    def measure_moves(self, game: Game, moves: Sequence[Move], show: Callable[[Json], None]) -> None:
        """Search the positions after moves, one after another, until another search; ``show`` White's scores so far."""
        values: dict[str, WhiteScore] = {}

        def go_on(waiting: Sequence[Move]) -> None:
            for at, move in enumerate(waiting):
                part = game.copy()
                push_parsed(part, move)
                outcome = part.outcome()
                if outcome is None:
                    self.measure(part, partial(take, part, waiting[at:]))
                    return
                winner = outcome.winner
                values[move] = 0 if winner is None else "#0" if winner == 0 else "#-0"
                show({"fen": game.position.fen(), "values": dict(values)})

        def take(part: Game, waiting: Sequence[Move], answer: SearchAnswer | None) -> None:
            if answer is not None:  # otherwise the engine does not run
                values[str(waiting[0])] = answer.info.score.for_white(part.position.side)
                show({"fen": game.position.fen(), "values": dict(values)})
                go_on(waiting[1:])

        go_on(moves)

    def _read(self, subject: Subject, text: str) -> None:
        if (info := parse_ranked_line(text)) is None or not 1 <= info.multipv <= self.lines:
            return
        with self._lock:
            if self._subject is not subject:
                return
            self._found[info.multipv] = info
            if self._report_is_due:
                return
            self._report_is_due = True
        timer = threading.Timer(_REPORT_INTERVAL_S, self._report)  # collects the lines until it fires
        timer.daemon = True
        timer.start()

    def _report(self) -> None:
        """Show the lines found so far; if the analysis changed meanwhile, show the new state again after them."""
        while True:
            with self._lock:
                self._report_is_due = False
                subject, lines, stopped = self._subject, self.lines, self._stopped
                more = {"kernel": self.worker.kernel, "limit": self._limit_s, "stopped": stopped}
                found = [info for _, info in sorted(self._found.items())]
            if subject is None:
                return
            self._show(_data(subject, lines, found) | more)
            with self._lock:
                if self._subject is subject and self.lines == lines and self._stopped == stopped:
                    return


def _data(subject: Subject, lines: int, found: list[SearchInfo]) -> Json:
    """Return an analysis as JSON data; ``wdl`` has White's win, the draw and Black's win, per mille."""
    data: Json = {"ply": len(subject.game.moves), "node": subject.node, "threat": subject.threat,
                            "wanted": lines}
    game = subject.searched() if lines else "off"
    if isinstance(game, str):
        return data | {"lines": [], "why": game if lines else ""}
    best = found[0] if found else SearchInfo()
    nps = best.nps if (best.time_ms or 0) >= _MIN_MS_FOR_SPEED else None
    return data | {
        "depth": best.depth, "seldepth": best.seldepth, "nodes": best.nodes, "nps": nps,
        "hash": best.hashfull, "wdl": None if best.wdl is None else list(best.wdl[:: -1 if game.position.side else 1]),
        "lines": [{"score": info.score.for_white(game.position.side), **_line(game, info.pv)} for info in found],
    }


def hint_of(game: Game, text: str, info: SearchInfo) -> Hint | None:
    """Return the hint to play ``text``, the result of a search, or None if it is not a legal move."""
    try:
        move = read_move(game.position, text)
    except LatronesError:
        return None
    line = info.pv if info.pv[:1] == (text,) else (text,)
    return Hint(len(game.moves), move, info.score, reason_along(game.position, line[:_MAX_LINE]))


def _line(game: Game, moves: tuple[str, ...]) -> Json:
    """Return a variation in both notations with its positions, up to the first move that is not legal."""
    ahead = game.copy()
    notes: list[str] = []
    steps: list[Json] = []
    try:
        for text in moves[:_MAX_LINE]:
            before = ahead.position
            ahead.push(before.parse_move(text))
            notes.append(render_notation(ahead, len(ahead.moves) - 1))
            steps.append(ply_data(before, ahead.position, ahead.moves[-1]))
    except LatronesError:
        pass  # a pv is not refereed: show its legal part
    path = list(ahead.moves[len(game.moves)].squares) if notes else []
    return {"moves": list(moves[:len(notes)]), "notes": notes, "path": path, "steps": steps}


_MISTAKES = ("?!", "?", "??")
REVIEW_LIMIT = Limit(time=0.15)
"""The limit of the search of each position."""


class Review:
    """Reviews a game in a separate thread with a separate engine."""

    def __init__(
        self, config: GuiConfig, game: Game, show: Callable[[Json], None],
        finished: Callable[["Review", list[tuple[str, str]]], None],
    ) -> None:
        """Start the review, with the first engine, of a game that must not change.

        In the thread of the review, ``show`` is called whenever ``data`` has changed, and ``finished`` at the end with
        the review and a sign and a judgement for each move.
        """
        self._config, self._game = config, game
        self._show, self._finished = show, finished
        self._cancelled = False
        self.data: Json = {"plies": len(game.moves), "done": 0}
        """The progress, and finally the review, as JSON data."""
        self._thread = threading.Thread(target=self._run, name="review", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive() and not self._cancelled

    def cancel(self, wait: bool = False) -> None:
        """Stop the review; with ``wait``, wait for its engine to end."""
        self._cancelled = True
        if wait:
            self._thread.join()

    def _run(self) -> None:
        engine = self._config.engine(0, lambda: self._cancelled)
        try:
            moves = analyse_game(self._game, engine, REVIEW_LIMIT,
                                 lambda done: self._tell({"plies": len(self._game.moves), "done": done}))
            self._tell(review_data(self._game, moves))
            self._finished(self, [(move.mark, render_judgement(move.judgement)) for move in moves])
        except EngineError as error:
            self._tell({"plies": len(self._game.moves), "problem": f"The review has failed: {error}"})
        except WaitInterruptedError:
            pass
        finally:
            engine.close()

    def _tell(self, data: Json) -> None:
        if not self._cancelled:
            self.data = data
            self._show(data)


def annotated_review(game: Game, notes: Mapping[int, Annotation]) -> Json | None:
    """Return the review contained in the notes on a game by ply, None if a move has no judgement."""
    judgements: list[Judgement] = []
    for ply, position in enumerate(game.positions[:-1]):
        judgement = parse_judgement(notes[ply].judgement)[0] if ply in notes else None
        if judgement is None:
            return None
        try:
            position.parse_move(judgement.best)
        except LatronesError:
            return None
        if judgements and not judgements[-1].after.known:  # a file from before version 0.3
            after = Evaluation(judgement.info.score, position.side)
            judgements[-1] = judgements[-1]._replace(after=after, after_depth=judgement.info.depth)
        judgements.append(judgement)
    if not judgements:
        return None
    return review_data(game, judged_moves(game, judgements), [notes[ply].sign for ply in range(len(judgements))])


def review_data(game: Game, moves: Sequence[AnalysedMove], signs: Sequence[str] | None = None) -> Json:
    """Return a review as JSON data; ``signs`` are the marks from a file, None to mark moves by their loss.

    ``scores`` has White's score at the start and after each ply, ``moves`` the mark, the loss and the best move of each
    ply, ``accuracy`` a percentage for White and for Black, None for a side without moves, and ``fortress`` a sentence,
    see ``annotation.fortress``.
    """
    return {
        "plies": len(game.moves), "done": len(game.moves),
        "scores": [score.for_white(side) for score, side in evaluations(moves)],
        "moves": [_move_data(game, ply, moves, move.mark if signs is None else signs[ply])
                  for ply, move in enumerate(moves)],
        "accuracy": [accuracy([move for move in moves if move.side == side]) for side in (0, 1)],
        **({"fortress": told} if (told := fortress(game, moves)) else {}),
    }


def _move_data(game: Game, ply: int, moves: Sequence[AnalysedMove], mark: str) -> Json:
    move, position = moves[ply], game.positions[ply]
    best = position.parse_move(move.judgement.best)
    reply = moves[ply + 1].judgement.best if ply + 1 < len(moves) else ""
    more = mistake_data(position, game.moves[ply], move.judgement, reply) if mark in _MISTAKES else {}
    return {"mark": mark, "lost": move.lost, "best": position.algebraic(move.judgement.best),
            "path": list(best.squares), "fen": position.fen(), **more}
