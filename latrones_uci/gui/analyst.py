"""Live analysis and hints by an engine that does not play."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from latrones_uci.client.controller import SearchAnswer
from latrones_uci.client.engine import ENDLESS_NS, render_position
from latrones_uci.client.output import parse_ranked_line
from latrones_uci.client.time_control import Limit
from latrones_uci.game import Game, LatronesError
from latrones_uci.gui.engine_thread import EngineThread, Job
from latrones_uci.protocol import SearchInfo
from latrones_uci.web.notation import render_notation, white_score

MOST_LINES = 5
_LONGEST_LINE = 12
_REPORT_INTERVAL_S = 0.1
_HINT_MS = 1000
_NS_PER_MS = 1_000_000


@dataclass(frozen=True)
class Hint:
    """A suggested move after ``ply`` plies, which is legal there."""

    ply: int
    move: str


class Analyst:
    """Analyses the current position of a game.

    Attributes:
        lines: the number of variations, 0 while analysis is off.
    """

    def __init__(
        self, worker: EngineThread, show: Callable[[dict[str, Any]], None], show_hint: Callable[[Hint | None], None]
    ) -> None:
        """Create an analyst that is off.

        Args:
            worker: the thread of the engine; the game closes it.
            show: called with the analysis as JSON data, in the worker's thread or the caller's.
            show_hint: called with a hint, or with None if there is none, in the same threads.
        """
        self.worker, self._show, self._show_hint = worker, show, show_hint
        self._lock = threading.Lock()
        self._game: Game | None = None
        self._found: dict[int, SearchInfo] = {}
        self._report_is_due = False
        self.lines = 0

    def set_lines(self, lines: int, game: Game) -> None:
        """Start the analysis, change the number of lines, or stop the analysis with ``lines`` 0."""
        self.lines = lines
        self.follow(game)

    def follow(self, game: Game) -> None:
        """Analyse the new position after the game has changed; a search for a hint is cancelled."""
        game = game.copy()
        with self._lock:
            self._game, self._found = game, {}
        if not self.lines or game.outcome() is not None:
            self.worker.cancel()
            self._show({"lines": [], "wanted": self.lines})
            return
        self.worker.start(Job(
            game.start, render_position(game), Limit, ENDLESS_NS, lambda _: self._report(),
            lambda: None, self.lines, lambda text: self._read(game, text)))

    def hint(self, game: Game) -> None:
        """Suggest a move for the player to move: the best move of the analysis, or of a new search."""
        with self._lock:
            followed = self._game
            best = self._found.get(1) if self._game is not None and self._game.moves == game.moves else None
        if best is not None and best.pv:
            self._show_hint(hint_of(game, best.pv[0]))
            return
        game = game.copy()

        def answer(found: SearchAnswer) -> None:
            self._show_hint(hint_of(game, found.best.move))
            with self._lock:
                unchanged = self._game is followed
            if self.lines and unchanged:
                self.follow(game)

        self.worker.start(Job(
            game.start, render_position(game), lambda: Limit(time=_HINT_MS / 1000), 2 * _HINT_MS * _NS_PER_MS, answer,
            lambda: self._show_hint(None)))

    def _read(self, game: Game, text: str) -> None:
        if (info := parse_ranked_line(text)) is None or not 1 <= info.multipv <= self.lines:
            return
        with self._lock:
            if self._game is not game:
                return
            self._found[info.multipv] = info
            if self._report_is_due:
                return
            self._report_is_due = True
        timer = threading.Timer(_REPORT_INTERVAL_S, self._report)  # collects the lines that come until then
        timer.daemon = True
        timer.start()

    def _report(self) -> None:
        with self._lock:
            self._report_is_due = False
            game = self._game
            found = [info for _, info in sorted(self._found.items())]
        if game is None:
            return
        self._show({
            "ply": len(game.moves), "wanted": self.lines, "depth": found[0].depth if found else None,
            "nodes": found[0].nodes if found else None,
            "lines": [{"score": white_score(info, game.position.side), **_line(game, info.pv)} for info in found],
        })


def hint_of(game: Game, text: str) -> Hint | None:
    """Return the hint to play ``text``, or None if that is not a legal move."""
    try:
        game.position.parse_move(text)
    except LatronesError:
        return None
    return Hint(len(game.moves), text)


def _line(game: Game, moves: tuple[str, ...]) -> dict[str, list[str]]:
    """Return a variation in both notations, up to the first move that is not legal."""
    ahead = game.copy()
    notes: list[str] = []
    try:
        for text in moves[:_LONGEST_LINE]:
            ahead.play(ahead.position.parse_move(text))
            notes.append(render_notation(ahead, len(ahead.moves) - 1))
    except LatronesError:
        pass  # a pv is not refereed: show its legal part
    return {"moves": list(moves[:len(notes)]), "notes": notes}
