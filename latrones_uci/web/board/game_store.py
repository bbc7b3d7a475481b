"""A SQLite database of the games played on the page."""

import json
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from latrones_uci.game import Termination
from latrones_uci.game.outcome import DUX_CAPTURED, DUX_IMMOBILISED
from latrones_uci.text.files import check_name
from latrones_uci.text.sqlite import (
    connect,
    contents,
    error_text,
    is_read_only,
    reading_connection,
    transaction,
)
from latrones_uci.web.lib.page_server import RefusedError

_SCHEMA = 3
_WAIT_S = 10.0
_RETRY_S = 1.0
_STEP_S = 1e-6  # between games that are kept at once, so that they stay in order
_ROWS_AT_ONCE = 100
PAGE_GAMES = 50
"""Number of games on a page of the list."""
MAX_NAME = 100
_COLUMNS = {"game": "variant", "opponent": "opponent"}
_TERM = re.compile(r'(?P<key>game|opponent):(?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"]+))|\S+')
_SEARCHED_TAGS = frozenset({"event", "site", "date", "round", "white", "black", "annotator", "opening", "eco"})
_RATING = re.compile(r" \([0-9]+\)$", re.ASCII)


class StoreUnusableError(RefusedError):
    """The database cannot be used; the message is one line."""


PlyRow = Sequence[Any]
"""A ply as JSON data: the move as text; centi-soldiers, mate, depth, nodes and milliseconds of its search; the measured
nanoseconds, and those on the clocks of White and Black before it."""
_PLY_VALUES = 9


@dataclass(frozen=True)
class KeptGame:
    record: str
    settings: dict[str, Any]
    """The settings in the format of ``config.parse_game``."""
    players: tuple[str, str]
    title: str
    plies: tuple[PlyRow, ...]
    fen: str
    """The last position, for a small picture."""
    outcome: tuple[str, str, str, int | None] | None
    """Result, termination, details and winner; None for an unfinished game."""
    clocks: tuple[int | None, int | None]
    """Nanoseconds left to White and Black, None without a clock."""
    name: str = ""
    """A name that the user gave; empty for none."""
    created_s: float = field(default_factory=time.time)
    updated_s: float = 0.0
    """Seconds since the epoch."""
    movetext: str = ""
    """The moves with variations and notes as PGN; empty without any."""
    review: Any = None
    """The data of ``analyst.review_data``; None for a game that was not reviewed."""

    @property
    def result(self) -> str:
        return "*" if self.outcome is None else self.outcome[0]

    @property
    def date(self) -> str:
        """The local time of the last change, such as ``2026-11-25 18:30``."""
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(self.updated_s))

    @property
    def words(self) -> str:
        """What a search looks through besides the name: players, ruleset, result, and the dates of the game."""
        result = {"*": "* unfinished", "1/2-1/2": "1/2-1/2 \u00bd-\u00bd draw"}.get(self.result, self.result)
        tags = (str(value) for name, value in dict(self.settings.get("tags") or {}).items()
                if name.lower() in _SEARCHED_TAGS)
        return "\n".join((*self.players, self.title, str(self.settings["variant"]), result, self.date,
                          *tags)).casefold()

    @property
    def opponent(self) -> str:
        """The engine that a human played, without the rating of its level; empty for other games."""
        kinds = [player["kind"] for player in self.settings.get("players", ())]  # not in the first games
        return _RATING.sub("", self.players[kinds.index("engine")]) if set(kinds) == {"person", "engine"} else ""

    @property
    def points(self) -> float | None:
        """What the human has scored against the opponent: 1, 0.5 or 0; None while the game is not over."""
        if self.outcome is None or not self.opponent:
            return None
        winner = self.outcome[3]
        return 0.5 if winner is None else float(self.settings["players"][winner]["kind"] == "person")

    def to_text(self) -> str:
        return json.dumps({
            "settings": self.settings, "players": self.players, "title": self.title,
            "plies": self.plies, "fen": self.fen, "outcome": self.outcome,
            "clocks": self.clocks, **({"movetext": self.movetext} if self.movetext else {}),
            **({"review": self.review} if self.review else {})})


_ENDINGS = {
    "won": "points = 1", "lost": "points = 0", "drawn": "result = '1/2-1/2'",
    **{word: " OR ".join(f"""instr(data, '"{value}"')""" for value in values)
       for word, values in (("resigned", (Termination.RESIGNATION.value,)), ("time", (Termination.TIME_LOSS.value,)),
                            ("mate", (DUX_CAPTURED, DUX_IMMOBILISED)))},
}
"""Words for the ending of a game, as conditions of SQL."""


class GameStore:
    """Keeps games in a database. A separate thread writes, so that no move waits for the disk.

    A write that fails is repeated until it succeeds; meanwhile the games are kept in memory, where they are found, too.
    A method that cannot read or change the database raises ``StoreUnusableError``, and nothing has changed. Games on a
    read-only medium can be read.

    Attributes:
        problem: why the last write failed, or why nothing can be written; empty if it succeeded.
    """

    def __init__(self, path: Path, wait_s: float = _WAIT_S) -> None:
        """Open the database; create it and its folder if missing.

        Args:
            path: the file.
            wait_s: how long to wait for another program that has locked the database.

        Raises:
            StoreUnusableError: the database cannot be opened, or is not a database of games.
        """
        self.path, self.problem = path, ""
        self._wait_s = wait_s
        self._changed = threading.Condition()
        self._waiting: dict[str, KeptGame] = {}
        self._writing: dict[str, KeptGame] = {}
        self._closed = False
        self._tell: Callable[[], None] = lambda: None
        self._read_only = is_read_only(path)
        try:
            if not self._read_only:
                check_name(path)
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._connected() as connection:
                _check_kind(connection)
                if self._read_only:
                    _check_current(connection)
                    self.problem = "the file, or its folder, is read-only"
                else:
                    connection.execute("PRAGMA journal_mode = WAL")
                    with transaction(connection):
                        _prepare(connection)
        except (OSError, sqlite3.Error) as error:
            raise StoreUnusableError(f"{path}: cannot keep games there: {error_text(error, path)}") from error
        self._thread = threading.Thread(target=self._write_all, name="games", daemon=True)
        self._thread.start()

    def on_problem(self, tell: Callable[[], None]) -> None:
        """Set what is called, in the thread that writes, when ``problem`` has changed."""
        self._tell = tell

    # ---------------------------------------------------------------- writing

    def save(self, *games: KeptGame) -> None:
        """Keep the current state of games; the thread writes the latest state."""
        with self._changed:
            if not self._closed:
                now = time.time()
                self._waiting |= {game.record: replace(game, updated_s=now + at * _STEP_S)
                                  for at, game in enumerate(games)}
                self._changed.notify_all()

    def flush(self) -> None:
        """Wait until everything is written, or a write has failed."""
        with self._changed:
            self._changed.wait_for(lambda: self.problem or not self._unwritten, 2 * self._wait_s)

    def close(self) -> None:
        """Write pending games and close the database; what cannot be written now is lost, and ``problem`` says why."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join(2 * self._wait_s + _RETRY_S)

    @property
    def unwritten(self) -> int:
        with self._changed:
            return len(self._unwritten)

    @property
    def _unwritten(self) -> dict[str, KeptGame]:
        return self._writing | self._waiting

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                self._writing, self._waiting = self._waiting, {}
            problem = self._write(list(self._writing.values()))
            with self._changed:
                if problem:
                    self._waiting = self._unwritten
                self._writing = {}
                is_news, self.problem = problem != self.problem, problem
                self._changed.notify_all()
            if is_news:
                self._tell()
            with self._changed:
                if problem and self._closed:
                    return
                if problem:
                    self._changed.wait_for(lambda: self._closed, _RETRY_S)

    def _write(self, games: list[KeptGame]) -> str:
        """Write games in one transaction; return why that failed, or an empty string."""
        if self._read_only:
            return self.problem
        try:
            with self._connected() as connection, transaction(connection):
                _insert(connection, games)
        except sqlite3.Error as error:
            return str(error)
        return ""

    # ---------------------------------------------------------------- reading and changing

    def games(self, search: str = "", page: int = 0) -> list[KeptGame]:
        """Return a page of the games that match a search, the most recently changed game first.

        Args:
            search: words, each of which must be part of the game's ``words`` or name, or say how it ended, such as
                ``won`` and ``resigned``; ``game:latrones`` and ``opponent:"latrones-uci Tiro"`` select by the whole
                name, ``opponent:tiro`` by a part of it; empty for all games.
            page: the number of the page from 0; each has ``PAGE_GAMES`` games.
        """
        condition, values = _matching(search)
        found = self._read(f"WHERE {condition} ORDER BY updated DESC, record LIMIT ? OFFSET ?",
                           (*values, PAGE_GAMES, page * PAGE_GAMES))
        if page == 0:
            return [*(game for game in self._found_unwritten(search) if not any(each.record == game.record
                                                                                for each in found)), *found]
        return found

    def count(self, search: str = "") -> int:
        return len(self.records(search))

    def records(self, search: str = "") -> list[str]:
        """Return the keys of all games that match a search (see ``games``)."""
        self.flush()
        condition, values = _matching(search)
        with self._opened("read") as connection:
            rows = connection.execute(f"SELECT record FROM games WHERE {condition} ORDER BY updated DESC, record",
                                      values).fetchall()
        return list(dict.fromkeys((*(game.record for game in self._found_unwritten(search)),
                                   *(record for record, in rows))))

    def stamps(self) -> dict[str, float]:
        with self._opened("read") as connection:
            stamps = dict(connection.execute("SELECT record, updated FROM games").fetchall())
        with self._changed:
            return stamps | {record: game.updated_s for record, game in self._unwritten.items()}

    def statistics(self, search: str = "") -> list[tuple[str, str, int, int, int]]:
        """Return what humans have scored against engines in the finished games that match a search (see ``games``).

        Returns:
            For each variant and opponent: their names, and the human's wins, draws and losses.
        """
        self.flush()
        condition, values = _matching(search)
        with self._opened("read") as connection:
            return connection.execute(
                "SELECT variant, opponent, SUM(points = 1), SUM(points = 0.5), SUM(points = 0) FROM games"
                f" WHERE points IS NOT NULL AND {condition} GROUP BY variant, opponent", values).fetchall()

    def find(self, record: str) -> KeptGame | None:
        with self._changed:
            if record in self._unwritten:
                return self._unwritten[record]
        found = self._read("WHERE record = ?", (record,))
        return found[0] if found else None

    def find_all(self, records: Iterable[str]) -> Iterator[KeptGame]:
        """Yield the games with these keys in this order; those that have been deleted are left out."""
        rest = iter(records)
        while keys := tuple(islice(rest, _ROWS_AT_ONCE)):
            found = {game.record: game for game in
                     self._read(f"WHERE record IN ({', '.join('?' * len(keys))})", keys)}
            with self._changed:
                found |= {key: game for key, game in self._unwritten.items() if key not in found}
            yield from (found[key] for key in keys if key in found)

    def rename(self, record: str, name: str) -> bool:
        with self._changing() as connection, transaction(connection):
            return connection.execute("UPDATE games SET name = ? WHERE record = ?",
                                      (name[:MAX_NAME], record)).rowcount > 0

    def delete(self, records: Iterable[str]) -> int:
        with self._changing() as connection, transaction(connection):
            return sum(connection.execute("DELETE FROM games WHERE record = ?", (record,)).rowcount
                       for record in records)

    def _found_unwritten(self, search: str) -> list[KeptGame]:
        """Return the games that match a search and are not in the database, the last first."""
        with self._changed:
            games = self._unwritten
        if not games:
            return []
        condition, values = _matching(search)
        with closing(_with_functions(sqlite3.connect(":memory:"))) as connection:
            _prepare(connection)
            _insert(connection, games.values())
            return [games[record] for record, in connection.execute(
                f"SELECT record FROM games WHERE {condition} ORDER BY rowid DESC", values)]

    def _read(self, condition: str, values: tuple[Any, ...]) -> list[KeptGame]:
        self.flush()
        with self._opened("read") as connection:
            rows = connection.execute(f"SELECT record, created, updated, name, data FROM games {condition}",
                                      values).fetchall()
        with self._changed:
            newer = self._unwritten
        games = (replace(newer[row[0]], name=row[3]) if row[0] in newer else _from_row(row) for row in rows)
        return [game for game in games if game is not None]

    def _changing(self) -> AbstractContextManager[sqlite3.Connection]:
        self.flush()
        if self.problem:
            raise StoreUnusableError(f"{self.path}: cannot change the games: {self.problem}")
        return self._opened("change")

    @contextmanager
    def _opened(self, what: str) -> Iterator[sqlite3.Connection]:
        try:
            with self._connected() as connection:
                yield connection
        except sqlite3.Error as error:
            raise StoreUnusableError(f"{self.path}: cannot {what} the games: {error}") from error

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with (reading_connection(self.path, wait_s=self._wait_s) if self._read_only
              else closing(connect(self.path, wait_s=self._wait_s))) as connection:
            yield _with_functions(connection)


def _with_functions(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    return connection


def _insert(connection: sqlite3.Connection, games: Iterable[KeptGame]) -> None:
    connection.executemany(
        "INSERT INTO games (record, created, updated, name, variant, result, plies, data, words, opponent,"
        " points) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (record) DO UPDATE SET"
        " updated = excluded.updated, result = excluded.result, plies = excluded.plies,"
        " data = excluded.data, words = excluded.words, opponent = excluded.opponent,"
        " points = excluded.points",
        [(game.record, game.created_s, game.updated_s, game.name, str(game.settings["variant"]),
          game.result, len(game.plies), game.to_text(), game.words, game.opponent, game.points)
         for game in games])


def _matching(search: str) -> tuple[str, tuple[str, ...]]:
    """Return the condition that selects the games with all words of a search, and its values."""
    conditions, values = list[str](), list[str]()
    for key, value, whole in _terms(search):
        ending = f" OR {_ENDINGS[value]}" if value in _ENDINGS else ""
        named = f"folded({key}) = ?" if whole else f"instr(folded({key}), ?)"
        conditions.append(named if key else f"(instr(words, ?) OR instr(folded(name), ?){ending})")
        values += [value] if key else [value, value]
    return " AND ".join(conditions) or "TRUE", tuple(values)


def _terms(search: str) -> list[tuple[str, str, bool]]:
    """Return the terms of a search: a column, its value, and whether that is the whole value; no column for a word."""
    return [(_COLUMNS.get(term["key"] or "", ""), term["quoted"] or term["value"] or term[0],
             term["key"] == "game" or term["quoted"] is not None)
            for term in _TERM.finditer(search.casefold())]


def _check_kind(connection: sqlite3.Connection) -> None:
    _, version, objects = contents(connection)
    if version not in range(_SCHEMA + 1):
        raise sqlite3.DatabaseError(f"version {version} is newer than this program")
    tables = {name for kind, name, _ in objects if kind == "table"}
    if tables - {"games"} or (version == 0 and tables):
        raise sqlite3.DatabaseError("it is another database, such as that of a match; expected a new file, or one made"
                                    " by 'latrones-uci gui'")


def _check_current(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != _SCHEMA:
        raise sqlite3.DatabaseError("it is read-only, and of an earlier version; expected a copy that can be written")


def _prepare(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(
        "CREATE TABLE IF NOT EXISTS games (record TEXT PRIMARY KEY, created REAL NOT NULL, updated REAL NOT NULL,"
        " name TEXT NOT NULL, variant TEXT NOT NULL, result TEXT NOT NULL, plies INTEGER NOT NULL, data TEXT NOT NULL,"
        " words TEXT NOT NULL DEFAULT '', opponent TEXT NOT NULL DEFAULT '', points REAL)")
    if 0 < version < _SCHEMA:  # a database of an earlier version cannot be searched, or has no statistics
        for column in ("words TEXT NOT NULL DEFAULT ''",) * (version == 1) + (
                "opponent TEXT NOT NULL DEFAULT ''", "points REAL"):
            connection.execute(f"ALTER TABLE games ADD COLUMN {column}")
        rows = connection.execute("SELECT record, created, updated, name, data FROM games")
        connection.executemany("UPDATE games SET words = ?, opponent = ?, points = ? WHERE record = ?", [
            (game.words, game.opponent, game.points, game.record)
            for row in rows if (game := _from_row(row)) is not None])
    for index in ("games_by_time", "games_by_words"):
        connection.execute(f"DROP INDEX IF EXISTS {index}")
    connection.execute("CREATE INDEX IF NOT EXISTS games_listed ON games"
                       " (updated DESC, record, name, words, variant, opponent, points)")
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
        settings = data["settings"]
        kinds = [settings["variant"], *(player["kind"] for player in settings.get("players", ()))]
        if any(len(ply) != _PLY_VALUES for ply in data["plies"]) or len(kinds) not in (1, 3):
            return None
        return KeptGame(
            record, settings, (str(white), str(black)), str(data["title"]),
            tuple(data["plies"]), str(data["fen"]),
            None if outcome is None else (outcome[0], outcome[1], outcome[2], outcome[3]), (white_ns, black_ns), name,
            created_s, updated_s, str(data.get("movetext", "")),
            review if isinstance(review, dict) else None)
    except (ValueError, TypeError, LookupError):
        return None
