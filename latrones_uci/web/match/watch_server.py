"""The server of the page that shows a match: it follows the match as long as a page is open."""

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import OperationError, SettingsError
from latrones_uci.game import Position, draw_board
from latrones_uci.records.pgn_write import render_game
from latrones_uci.records.record import GameRecord
from latrones_uci.text.clock import now_s
from latrones_uci.web.lib.notation import Json
from latrones_uci.web.lib.page_server import (
    SHARED_FILES,
    Answer,
    Broadcaster,
    PageServer,
    RefusedError,
    json_answer,
    pgn_answer,
    svg_answer,
)
from latrones_uci.web.lib.replay import replay_data
from latrones_uci.web.match.running import RunningGames
from latrones_uci.web.match.scoreboard import FinishedGame, Scoreboard, row_data

TABLE = "match"
"""The name under which pages follow the match."""
POLL_S = 0.5
_MAX_ROWS = 100
_MAX_NAMES = 100
_SHARE_OF_TIME = 0.02  # of a core, to read the database


class Watcher:
    """Follows a match and sends what changes to the pages; thread-safe.

    Two kinds of events are sent at most twice a second: ``boards`` (the running games) and ``match`` (everything else).
    While no page is open, nothing is read. A request for a game or stream that is not there raises ``RefusedError``.
    """

    def __init__(self, database: Path, *, live: bool = False) -> None:
        """Read the database; ``live`` says that the runner reports its games to ``take``.

        Raises:
            StoreError: it cannot be read, or contains no match.
            SettingsError: its settings are damaged.
        """
        self.broadcaster = Broadcaster()
        self._lock = threading.RLock()
        self._scoreboard = Scoreboard(database)
        self._running = RunningGames(self._scoreboard.settings)
        self._live = live
        self.boards: list[Json] = []
        """The running games at the last refresh."""
        self._sent_boards: list[tuple[Any, ...]] | None = None
        self._sent_match: Json | None = None
        self._problem = ""
        self._next_read_s = 0.0

    def take(self, event: bytes) -> None:
        """Take an event of the runner (see ``RunningGames``)."""
        with self._lock:
            self._running.take(event)

    def end(self) -> None:
        """The runner reports no more games."""
        with self._lock:
            self._running, self._live = RunningGames(self._scoreboard.settings), False

    def refresh(self) -> None:
        """Read what is new, and send it. If reading the database takes long, it is read less often."""
        with self._lock:
            self.boards = self._running.render()  # first, so that a game is never missing from both
            self._send_boards()
            started_s = now_s()
            if started_s >= self._next_read_s or self._sent_match is None:
                self._send_match(self._read_database())
                ended_s = now_s()
                self._next_read_s = ended_s + (ended_s - started_s) / _SHARE_OF_TIME

    def _read_database(self) -> bool:
        try:
            changed = self._scoreboard.refresh()
            self._problem = ""
        except (OperationError, SettingsError) as error:
            changed, self._problem = False, str(error)
        return changed

    def _send_boards(self) -> None:
        turns = [(board["game"], board["begun"], board["plies"], board["clocks"]) for board in self.boards]
        if turns != self._sent_boards:  # the pages keep the clocks running
            self._sent_boards = turns
            self.broadcaster.show(TABLE, "boards", self.boards)

    def _send_match(self, changed: bool) -> None:
        head = {"live": self._live, "running": len(self.boards), "problem": self._problem}
        before = self._sent_match
        if before is None or changed or any(before[key] != value for key, value in head.items()):
            summary = self._scoreboard.summary() if before is None or changed else before
            self._sent_match = {**summary, **head}
            self.broadcaster.show(TABLE, "match", self._sent_match)

    def show_all(self, stream: str, tables: Iterable[str]) -> None:
        with self._lock:
            if self.broadcaster.follow(stream, tables) is None:
                raise RefusedError("unknown stream")
            self._sent_boards = self._sent_match = None
            self.refresh()

    def close(self) -> None:
        with self._lock:
            self._scoreboard.close()

    # ---------------------------------------------------------------- requests

    def start(self, number: int) -> Position:
        with self._lock:
            found = self._running.start(number)
            if found is None and (record := self._find(number)) is not None:
                found = record.game.start
        if found is None:
            raise RefusedError(f"no game {number}")
        return found

    def replay(self, number: int) -> Json:
        with self._lock:
            if (record := self._find(number)) is not None:
                row = self._scoreboard.games.get(number)
                board = self._scoreboard.board_name(record.fixture.variant)
                data = {} if row is None else row_data(row, board)
                return data | replay_data(record.game.start, record.game.plies) | {"finished": True}
            if (running := self._running.replay(number)) is None:
                raise RefusedError(f"no game {number}")
            return running

    def pgn(self, number: int) -> str:
        with self._lock:
            record = self._find(number)
        if record is None:
            raise RefusedError(f"no finished game {number}")
        return render_game(record)

    def list_games(self, query: Mapping[str, str]) -> Json:
        """Return finished games, the latest first; the query chooses by engine, result and termination."""
        with self._lock:
            board = self._scoreboard
            count, found = board.list_games(_natural(query, "skip"), _MAX_ROWS, _choice(query))
            rows = [row_data(game, board.board_name(game.variant)) for game in found]
            endings = sorted({game.termination for game in board.games.values()})
        return {"count": count, "games": rows, "endings": endings[:_MAX_NAMES]}

    def llr_drawing(self) -> str:
        with self._lock:
            return self._scoreboard.llr_drawing()

    def _find(self, number: int) -> GameRecord | None:
        try:
            return self._scoreboard.find(number)
        except (OperationError, SettingsError) as error:
            raise RefusedError(str(error)) from error


class WatchServer(PageServer):
    page = "match/watch.html"
    files = SHARED_FILES | {"match/watch.html", "match/watch.css", "match/watch.js", "match/tiles.js",
                            "match/tables.js", "lib/player.js"}
    command = "latrones-uci watch"

    def __init__(self, watcher: Watcher, port: int = 0) -> None:
        """Bind the port; 0 chooses a free one. ``follow_match`` then keeps the pages up to date.

        Raises:
            OSError: the port is not available.
        """
        super().__init__(watcher.broadcaster, port)
        self.watcher = watcher

    def follow_match(self, ended: threading.Event, poll_s: float = POLL_S) -> None:
        """Send changes to the pages, as long as there are any, until ``ended`` is set; then send the last ones."""
        while not ended.wait(poll_s):
            if self.broadcaster.count:
                self.watcher.refresh()
        if self.broadcaster.count:
            self.watcher.refresh()

    def get(self, path: str, query: Mapping[str, str]) -> Answer | None:
        watcher = self.watcher
        if path == "board.svg":
            start = watcher.start(_natural(query, "game"))
            flipped = query.get("flipped") == "1"
            return svg_answer(draw_board(start, flipped=flipped, bare=True, standalone=False))
        if path == "game.json":
            return json_answer(watcher.replay(_natural(query, "game")))
        if path == "game.pgn":
            return pgn_answer(watcher.pgn(_natural(query, "game")))
        if path == "games.json":
            return json_answer(watcher.list_games(query))
        if path == "llr.svg":
            return svg_answer(drawing) if (drawing := watcher.llr_drawing()) else None
        return None

    def do(self, data: Any) -> dict[str, Any]:
        """Carry out the only command, ``follow``; a page can change nothing else."""
        if not isinstance(data, dict) or data.get("do") != "follow" or not isinstance(data.get("stream"), str):
            raise RefusedError("unknown command")
        self.watcher.show_all(data["stream"], [TABLE])
        return {}

    def follow(self, stream: str, tables: Iterable[str]) -> None:
        self.watcher.show_all(stream, [TABLE])

    def close(self) -> None:
        super().close()
        self.watcher.close()


def _natural(query: Mapping[str, str], key: str) -> int:
    text = query.get(key, "0")
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise RefusedError(f"{key}: expected an integer from 0")
    return int(text)


def _choice(query: Mapping[str, str]) -> Callable[[FinishedGame], bool]:
    engine = _natural(query, "engine") if query.get("engine") else None
    result, ending = query.get("result", ""), query.get("ending", "")
    return lambda game: (
        (engine is None or engine in (game.white, game.black))
        and (not result or game.result == result)
        and (not ending or game.termination == ending)
    )
