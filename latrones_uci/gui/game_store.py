"""A SQLite database of the games played on the page."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from latrones_uci.protocol import Score, SearchInfo

_SCHEMA = 1
_WAIT_S = 10.0
MOST_LISTED = 500
LONGEST_NAME = 100


class StoreUnusableError(Exception):
    """The database cannot be used; the message is one line."""


@dataclass(frozen=True)
class KeptPly:
    """A ply of a kept game: the move as text, its search, and the clock times before it."""

    text: str
    info: SearchInfo
    elapsed_ns: int
    clocks_before: tuple[int | None, int | None]

    def to_row(self) -> list[Any]:
        """Return the ply as JSON data."""
        info = self.info
        score = info.score
        return [self.text, score.cp, score.mate, info.depth, info.nodes, info.time_ms, self.elapsed_ns,
                *self.clocks_before]

    @classmethod
    def from_row(cls, row: list[Any]) -> "KeptPly":
        """Read the output of ``to_row``.

        Raises:
            ValueError: the row has another length.
        """
        text, points, mate, depth, nodes, time_ms, elapsed_ns, white_ns, black_ns = row
        info = SearchInfo(score=Score(cp=points, mate=mate), depth=depth, nodes=nodes, time_ms=time_ms)
        return cls(text, info, elapsed_ns, (white_ns, black_ns))


@dataclass(frozen=True)
class KeptGame:
    """A game as it is kept.

    Attributes:
        record: its key.
        settings: the settings in the format of ``config.parse_game``.
        players: the names of White and Black.
        title: the title of the variant.
        plies: the moves.
        fen: the last position, for a small picture.
        outcome: result, termination, details and winner; None for an unfinished game.
        clocks: nanoseconds left to White and Black, None without a clock.
        name: a name that the user gave; empty for none.
        movetext: the moves with variations and notes as PGN; empty without any.
        review: the data of ``review.review_data``; None for a game that was not reviewed.
        created_s, updated_s: seconds since the epoch.
    """

    record: str
    settings: dict[str, Any]
    players: tuple[str, str]
    title: str
    plies: tuple[KeptPly, ...]
    fen: str
    outcome: tuple[str, str, str, int | None] | None
    clocks: tuple[int | None, int | None]
    name: str = ""
    created_s: float = field(default_factory=time.time)
    updated_s: float = 0.0
    movetext: str = ""
    review: Any = None

    @property
    def result(self) -> str:
        """The PGN result, ``*`` for an unfinished game."""
        return "*" if self.outcome is None else self.outcome[0]

    def to_text(self) -> str:
        """Return everything that has no column of its own as JSON."""
        return json.dumps({
            "settings": self.settings, "players": self.players, "title": self.title,
            "plies": [ply.to_row() for ply in self.plies], "fen": self.fen, "outcome": self.outcome,
            "clocks": self.clocks, **({"movetext": self.movetext} if self.movetext else {}),
            **({"review": self.review} if self.review else {})})  # fmt: skip


class GameStore:
    """Keeps games in a database. A separate thread writes, so that no move waits for the disk."""

    def __init__(self, path: Path) -> None:
        """Open the database; create it and its folder if missing.

        Raises:
            StoreUnusableError: the database cannot be opened, or is not a database of games.
        """
        self.path = path
        self._changed = threading.Condition()
        self._waiting: dict[str, KeptGame] = {}
        self._writing = self._closed = False
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._connected() as connection:
                _prepare(connection)
        except (OSError, sqlite3.Error) as error:
            raise StoreUnusableError(f"{path}: cannot keep games there: {error}") from error
        self._thread = threading.Thread(target=self._write_all, name="games", daemon=True)
        self._thread.start()

    # ---------------------------------------------------------------- writing

    def save(self, game: KeptGame) -> None:
        """Keep the current state of a game; the thread writes the latest state."""
        with self._changed:
            if not self._closed:
                self._waiting[game.record] = replace(game, updated_s=time.time())
                self._changed.notify_all()

    def flush(self) -> None:
        """Wait until everything is written."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting and not self._writing, _WAIT_S)

    def close(self) -> None:
        """Write pending games and close the database."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(_WAIT_S)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._closed)
                games, self._waiting = list(self._waiting.values()), {}
                if not games:
                    return
                self._writing = True
            with suppress(sqlite3.Error), self._connected() as connection:  # the game continues without being kept
                connection.executemany(
                    "INSERT INTO games (record, created, updated, name, variant, result, plies, data)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (record) DO UPDATE SET updated = excluded.updated,"
                    " result = excluded.result, plies = excluded.plies, data = excluded.data",
                    [(game.record, game.created_s, game.updated_s, game.name, str(game.settings["variant"]),
                      game.result, len(game.plies), game.to_text()) for game in games])

    # ---------------------------------------------------------------- reading and changing

    def games(self) -> list[KeptGame]:
        """Return the most recently changed games, latest first."""
        return self._read("ORDER BY updated DESC, record LIMIT ?", (MOST_LISTED,))

    def find(self, record: str) -> KeptGame | None:
        """Return a game, None if there is no game with this key."""
        found = self._read("WHERE record = ?", (record,))
        return found[0] if found else None

    def rename(self, record: str, name: str) -> bool:
        """Give a game a name, and return whether there is such a game."""
        return self._change("UPDATE games SET name = ? WHERE record = ?", (name[:LONGEST_NAME], record))

    def delete(self, record: str) -> bool:
        """Delete a game, and return whether there was such a game."""
        with self._changed:
            self._waiting.pop(record, None)
        return self._change("DELETE FROM games WHERE record = ?", (record,))

    def _change(self, statement: str, values: tuple[Any, ...]) -> bool:
        self.flush()
        with suppress(sqlite3.Error), self._connected() as connection:
            return connection.execute(statement, values).rowcount > 0
        return False

    def _read(self, condition: str, values: tuple[Any, ...]) -> list[KeptGame]:
        self.flush()
        rows: list[tuple[Any, ...]] = []
        with suppress(sqlite3.Error), self._connected() as connection:
            rows = connection.execute(f"SELECT record, created, updated, name, data FROM games {condition}",
                                      values).fetchall()
        return [game for row in rows if (game := _from_row(row)) is not None]

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=_WAIT_S)) as connection, connection:
            yield connection


def _prepare(connection: sqlite3.Connection) -> None:
    version, = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, _SCHEMA):
        raise sqlite3.DatabaseError(f"version {version} is newer than this program")
    tables = {name for name, in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if tables - {"games"} or (version == 0 and tables):
        raise sqlite3.DatabaseError("it is another database, such as that of a match; expected a new file, or one made"
                                    " by 'latrones-uci gui'")  # fmt: skip
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS games (record TEXT PRIMARY KEY, created REAL NOT NULL, updated REAL NOT NULL,"
        " name TEXT NOT NULL, variant TEXT NOT NULL, result TEXT NOT NULL, plies INTEGER NOT NULL, data TEXT NOT NULL)")
    connection.execute("CREATE INDEX IF NOT EXISTS games_by_time ON games (updated DESC, record)")
    connection.execute(f"PRAGMA user_version = {_SCHEMA}")


def _from_row(row: tuple[Any, ...]) -> KeptGame | None:
    """Return a game of the database, None if it is damaged."""
    record, created_s, updated_s, name, text = row
    try:
        data = json.loads(text)
        outcome = data["outcome"]
        white, black = data["players"]
        white_ns, black_ns = data["clocks"]
        review = data.get("review")
        return KeptGame(
            record, data["settings"], (str(white), str(black)), str(data["title"]),
            tuple(KeptPly.from_row(ply) for ply in data["plies"]), str(data["fen"]),
            None if outcome is None else (outcome[0], outcome[1], outcome[2], outcome[3]), (white_ns, black_ns), name,
            created_s, updated_s, str(data.get("movetext", "")),
            review if isinstance(review, dict) else None)
    except (ValueError, TypeError, LookupError):
        return None
