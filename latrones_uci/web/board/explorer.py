"""The moves that were played in a position: in kept games, PGN files and databases of matches; and the book."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from latrones_uci.client.errors import SettingsError
from latrones_uci.game import LatronesError, Position, canonical_key
from latrones_uci.match.openings import BOOK, ListedOpenings, has_book, parse_openings
from latrones_uci.records.database import distinct, stored_games, stored_settings
from latrones_uci.records.pgn_read import PgnError, read_file
from latrones_uci.records.pgn_verify import verified_games
from latrones_uci.records.store import Store, StoreError
from latrones_uci.text.files import is_database
from latrones_uci.text.messages import counted, quoted, reason
from latrones_uci.web.board.config import GuiConfig, parse_game
from latrones_uci.web.board.game_store import GameStore
from latrones_uci.web.lib.notation import Json
from latrones_uci.web.lib.page_server import RefusedError

MAX_GAMES = 100_000
"""The games of a source that are counted, so that they fit in memory."""
MAX_PLIES = 40
"""The plies of a game that are counted: openings, at most."""
OWN_GAMES = "Your games"


class CountedGame(NamedTuple):
    record: str
    """Its key in the source."""
    start: Position
    moves: Sequence[str]
    result: str


class GameSource:
    """Where games are counted from, by default the kept games."""

    def __init__(self, name: str, store: GameStore | None, config: GuiConfig) -> None:
        self.name, self._store, self._config = name, store, config

    def stamps(self) -> dict[str, float]:
        return {} if self._store is None else self._store.stamps()

    def games(self, records: Iterable[str]) -> Iterator[CountedGame]:
        """Yield the games with these keys; those of a variant that is not offered are left out."""
        for kept in () if self._store is None else self._store.find_all(records):
            with suppress(RefusedError):
                start = parse_game(kept.settings, self._config).start
                yield CountedGame(kept.record, start, [ply[0] for ply in kept.plies], kept.result)


class FileSource(GameSource):
    """The games of a PGN file, or of the database of a match, as they are when they are first counted."""

    def __init__(self, path: Path, name: str, config: GuiConfig) -> None:
        """Create the source.

        Raises:
            SettingsError: the file cannot be read.
        """
        super().__init__(name, None, config)
        self._path = path
        try:
            self._is_database = is_database(path)
            with path.open("rb"):
                pass
        except OSError as error:
            raise SettingsError(f"--explore {quoted(str(path))}: {reason(error)}") from error

    def stamps(self) -> dict[str, float]:
        return {"": 0.0}

    def games(self, records: Iterable[str]) -> Iterator[CountedGame]:
        """Yield the games of the file; those that are bad, or of a variant that is not offered, are left out.

        Raises:
            RefusedError: the file cannot be read on; or, at its end, games of it are left out.
        """
        if not list(records):
            return
        errors = list[PgnError]()
        try:
            if self._is_database:
                with Store(self._path, writing=False) as store:
                    for record in stored_games(store, stored_settings(store)):
                        game = record.game
                        if game.start.ruleset.name not in self._config.variants:
                            unknown = f"the variant {quoted(game.start.ruleset.name)} is not offered"
                            errors.append(PgnError(unknown, record.fixture.number))
                        elif record.counts:
                            moves = [ply.text for ply in game.plies]
                            yield CountedGame("", game.start, moves, game.outcome.result)
            else:
                for recorded, replayed in verified_games(read_file(self._path), self._config.variants, errors.append):
                    moves = [move.text for move in recorded.moves]
                    yield CountedGame("", replayed.start, moves, recorded.result)
        except (OSError, PgnError, SettingsError, StoreError) as error:
            raise RefusedError(f"{self._path}: {error}") from error
        if errors:
            raise RefusedError(f"{counted(len(errors), 'game')} left out ({errors[0]})")


class MoveCounts:
    """The counted games of a source, in a database in memory that a thread brings up to date.

    Attributes:
        problem: why not all games could be counted; empty if they could.
    """

    def __init__(self, source: GameSource) -> None:
        self.source, self.problem = source, ""
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.executescript(
            "CREATE TABLE game (id INTEGER PRIMARY KEY, record TEXT NOT NULL, result TEXT NOT NULL);"
            "CREATE INDEX game_by_record ON game (record);"
            "CREATE TABLE move (position BLOB NOT NULL, game INTEGER NOT NULL, text TEXT NOT NULL,"
            " PRIMARY KEY (position, game, text)) WITHOUT ROWID;"
            "CREATE INDEX move_by_game ON move (game);")
        self._stamps: dict[str, float] = {}
        self._thread: threading.Thread | None = None
        self._closed = False
        self.games = 0
        """The number of games counted so far."""

    def update(self, wait: bool = False) -> bool:
        """Begin to count what has changed in the source, and return whether that is still going on."""
        stamps = self.source.stamps()
        with self._lock:
            if (self._thread is None or not self._thread.is_alive()) and stamps != self._stamps and not self._closed:
                self._thread = threading.Thread(target=self._count, args=(stamps,), name="explorer", daemon=True)
                self._thread.start()
            thread = self._thread
        if wait and thread is not None:
            thread.join()
        return thread is not None and thread.is_alive()

    def close(self) -> None:
        self._closed = True
        if self._thread is not None:
            self._thread.join()
        self._connection.close()

    def _count(self, stamps: dict[str, float]) -> None:
        changed = [record for record, stamp in stamps.items() if self._stamps.get(record) != stamp]
        gone = [record for record in self._stamps if record not in stamps]
        try:
            with self._lock:
                for record in (*changed, *gone):
                    self._remove(record)
            for game in self.source.games(changed):
                if self._closed:
                    return
                if self.games >= MAX_GAMES:
                    raise RefusedError(f"only {MAX_GAMES} games are counted")
                rows = list(_rows_of(game))
                with self._lock:
                    self._add(game, rows)
            problem = ""
        except RefusedError as error:
            problem = str(error)
        self.problem, self._stamps = problem, stamps

    def _remove(self, record: str) -> None:
        for number, in self._connection.execute("SELECT id FROM game WHERE record = ?", (record,)).fetchall():
            self._connection.execute("DELETE FROM move WHERE game = ?", (number,))
            self._connection.execute("DELETE FROM game WHERE id = ?", (number,))
            self.games -= 1

    def _add(self, game: CountedGame, rows: list[tuple[bytes, str]]) -> None:
        self._connection.execute("BEGIN")
        number = self._connection.execute("INSERT INTO game (record, result) VALUES (?, ?)",
                                          (game.record, game.result)).lastrowid
        self._connection.executemany("INSERT OR IGNORE INTO move VALUES (?, ?, ?)",
                                     [(key, number, text) for key, text in rows])
        self._connection.execute("COMMIT")
        self.games += 1

    def count(self, position: Position) -> int:
        query = "SELECT COUNT(DISTINCT game) FROM move WHERE position = ?"
        with self._lock:
            number, = self._connection.execute(query, (_key(position),)).fetchone()
        return int(number)

    def moves(self, position: Position) -> dict[str, tuple[int, int, int, int]]:
        """Return the moves played in a position: the games of each, the wins of White, the draws, those of Black."""
        query = ("SELECT text, COUNT(*), SUM(result = '1-0'), SUM(result = '1/2-1/2'), SUM(result = '0-1') FROM move"
                 " JOIN game ON game.id = move.game WHERE position = ? GROUP BY text ORDER BY COUNT(*) DESC, text")
        with self._lock:
            return {text: (count, *results)
                    for text, count, *results in self._connection.execute(query, (_key(position),))}


def _rows_of(game: CountedGame) -> Iterator[tuple[bytes, str]]:
    """Yield the positions of a game with the moves played there, as far as they are legal."""
    position = game.start
    try:
        for text in game.moves[:MAX_PLIES]:
            move = position.parse_move(text)
            yield _key(position), move
            position = position.after(move)
    except LatronesError:
        return


def _key(position: Position) -> bytes:
    """Return what positions of a game have in common that only differ in their counters and history."""
    held = " ".join(f"{piece}{count}" for piece, count in position.hand.items())
    return f"{position.ruleset.name} {position.geometry.name} {position.key:x} {held}".encode()


@lru_cache(maxsize=16)
def _book(start: Position) -> frozenset[str]:
    """Return the positions of the package's book for a variant, without regard to symmetry."""
    if not has_book(start):
        return frozenset()
    openings = parse_openings(BOOK, start)
    assert isinstance(openings, ListedOpenings)
    return frozenset(map(canonical_key, openings.positions))


class Explorer:
    """The sources of a server, and what the page shows of a position."""

    def __init__(self, config: GuiConfig, store: GameStore | None, files: Sequence[Path] = ()) -> None:
        """Create an explorer of the kept games and of files, which are read when they are first asked for.

        Raises:
            SettingsError: a file cannot be read.
        """
        names = distinct([OWN_GAMES, *(path.name for path in files)])
        own = GameSource(names[0], store, config)
        files_ = [FileSource(path, name, config) for path, name in zip(files, names[1:], strict=True)]
        self._counts = [MoveCounts(source) for source in (own, *files_)]

    def explore(self, position: Position, source: int) -> Json:
        """Return the moves that were played in a position, or lead to a position of the book, as JSON data.

        ``sources`` are the names of all sources; ``reading`` is whether games of this one are still being counted;
        ``games`` is the number of its games, and ``here`` of those in which a move was played in the position.
        """
        if not 0 <= source < len(self._counts):
            raise RefusedError(f"source {source}: expected 0..{len(self._counts) - 1}")
        counts = self._counts[source]
        reading = counts.update()
        played = {text: count for text, count in counts.moves(position).items() if position.is_legal(text)}
        book = _book(Position.start(position.ruleset, (position.geometry.files, position.geometry.ranks)))
        in_book = [move for move, after in position.children()
                   if book and canonical_key(after) in book]
        return {"sources": [each.source.name for each in self._counts], "games": counts.games,
                "here": counts.count(position), "reading": reading,
                "problem": counts.problem, "fen": position.fen(), "moves": [
                    {"text": text, "note": position.algebraic(text), "book": text in in_book,
                     "counts": list(played.get(text, (0, 0, 0, 0)))}
                    for text in (*played, *(text for text in in_book if text not in played))]}

    def close(self) -> None:
        for counts in self._counts:
            counts.close()
