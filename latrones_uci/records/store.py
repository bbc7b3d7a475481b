"""The database of a tournament: one SQLite file, to which every finished game goes at once."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from latrones_uci.client.errors import OperationError
from latrones_uci.game import quoted
from latrones_uci.records.files import exclusive_lock
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import PLY_COLUMNS, GameRecord, ply_to_row, termination_text
from latrones_uci.records.serialize import serialize


class StoreError(OperationError):
    """A database of a tournament that cannot be used; the message quotes its path."""

APPLICATION_ID = 0x4C617472  # "Latr": tells our files from other programs' databases
FORMAT = 1
MOST_VALUE_BYTES = 64 * 2**20

_SCHEMA = f"""
CREATE TABLE match (id INTEGER PRIMARY KEY CHECK (id = 1), created TEXT NOT NULL, program TEXT NOT NULL,
    settings TEXT NOT NULL, verdict TEXT NOT NULL) STRICT;
CREATE TABLE engine (id INTEGER PRIMARY KEY, name TEXT NOT NULL, id_name TEXT NOT NULL, id_author TEXT NOT NULL,
    command TEXT NOT NULL, command_hash TEXT NOT NULL, signature TEXT NOT NULL) STRICT;
CREATE TABLE opening (variant INTEGER NOT NULL, number INTEGER NOT NULL, fen TEXT NOT NULL, moves TEXT,
    PRIMARY KEY (variant, number)) STRICT;
CREATE TABLE game (number INTEGER PRIMARY KEY, pair INTEGER NOT NULL, round INTEGER NOT NULL,
    variant INTEGER NOT NULL, opening INTEGER NOT NULL, white INTEGER NOT NULL, black INTEGER NOT NULL,
    started TEXT NOT NULL, result TEXT NOT NULL, winner INTEGER, termination TEXT NOT NULL, details TEXT NOT NULL,
    fault TEXT, violations TEXT NOT NULL) STRICT;
CREATE TABLE ply (game INTEGER NOT NULL REFERENCES game, ply INTEGER NOT NULL, offence INTEGER NOT NULL,
    side INTEGER NOT NULL, movenumber INTEGER NOT NULL, move TEXT NOT NULL, elapsed_ns INTEGER NOT NULL,
    allowed_ns INTEGER, clock_left_ns INTEGER, score_centi INTEGER, mate INTEGER, depth INTEGER, nodes INTEGER,
    time_ms INTEGER, pv TEXT NOT NULL, PRIMARY KEY (game, ply)) STRICT, WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
"""
_TABLES = ("match", "engine", "opening", "game", "ply")
_GAME_COLUMNS = ("number", "pair", "round", "variant", "opening", "white", "black")
_PLY_INSERT = f"INSERT INTO ply VALUES ({', '.join('?' * (3 + len(PLY_COLUMNS)))})"
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class StoredEngine:
    """What is known of an engine of the tournament.

    Attributes:
        name: in tables and records.
        id_name: what it calls itself.
        id_author: its author, as it says.
        command: program and arguments.
        command_hash: of the command and the files that it names (see ``command_hash``).
        signature: of its bench, empty if unknown.
    """

    name: str
    id_name: str
    id_author: str
    command: tuple[str, ...]
    command_hash: str
    signature: str = ""


@dataclass(frozen=True)
class StoredOpening:
    """An opening of the tournament.

    Attributes:
        variant: its place among the variants.
        number: its place among the openings of the variant.
        fen: the position.
        moves: from the start of the game, None where they are not known.
    """

    variant: int
    number: int
    fen: str
    moves: tuple[str, ...] | None = None


@dataclass(frozen=True)
class StoredGame:
    """A finished game as it lies in the database; ``game`` is what ``record_data.game_from_data`` reads."""

    fixture: Fixture
    started: str
    game: dict[str, Any]


class Store:
    """An open database. Whoever plays holds it alone; any number may read it meanwhile."""

    def __init__(self, path: Path, *, writing: bool, fresh: bool = False) -> None:
        """Opens the database; a new one where there is none and it is to be written.

        Args:
            path: its file.
            writing: whether it is to be written.
            fresh: whether an old one is removed first, unless it is being played.

        Raises:
            StoreError: it cannot be opened, is no database of a tournament or damaged, or is being played by
                another runner.
        """
        self.path = path
        self._closing = ExitStack()
        with self._errors(), ExitStack() as stack:
            if writing:
                stack.enter_context(exclusive_lock(path.with_name(path.name + ".lock"), self._refuse))
                if fresh:
                    for end in ("", "-wal", "-shm"):
                        path.with_name(path.name + end).unlink(missing_ok=True)
            self._connection = self._connect(writing)
            stack.callback(self._connection.close)
            self._closing = stack.pop_all()

    def _refuse(self) -> None:
        raise StoreError(f"{quoted(str(self.path))} is in use by another match runner")

    def _connect(self, writing: bool) -> sqlite3.Connection:
        if not writing and not self.path.exists():
            raise StoreError(f"there is no match in {quoted(str(self.path))}: no such file")
        new = not self.path.exists() or self.path.stat().st_size == 0
        if new and not writing:
            raise StoreError(f"no match has begun in {quoted(str(self.path))}: it is empty")
        mode = "rwc" if writing else "ro"
        connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
        try:
            if writing:
                if new:
                    # One transaction: a runner killed here leaves an empty file or a whole one.
                    connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
                self._check_kind(connection)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA foreign_keys = ON")
            else:
                self._check_kind(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_kind(self, connection: sqlite3.Connection) -> None:
        (kind,) = connection.execute("PRAGMA application_id").fetchone()
        (form,) = connection.execute("PRAGMA user_version").fetchone()
        if kind != APPLICATION_ID:
            raise StoreError(f"{quoted(str(self.path))} is a database of another program")
        if form != FORMAT:
            raise StoreError(f"{quoted(str(self.path))} has format {form}; this program reads format {FORMAT}")
        # A view in place of a table could have rows without end, and a trigger write what nobody asked for.
        with self.reading():
            found = set(connection.execute(
                "SELECT type, name, rootpage > 0 FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"))
        if found != {("table", name, True) for name in _TABLES}:
            raise StoreError(f"database {quoted(str(self.path))} is damaged: its tables are not those of a match")

    def close(self) -> None:
        """Closes the database and lets others play it."""
        self._closing.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- what the tournament is

    def settings(self) -> dict[str, Any] | None:
        """The settings as plain data, None in a new database."""
        with self.reading():
            row = self._connection.execute("SELECT settings FROM match").fetchone()
            return None if row is None else dict(json.loads(row[0]))

    def created(self) -> str:
        """When the tournament began, in UTC."""
        with self.reading():
            (created,) = self._connection.execute("SELECT created FROM match").fetchone()
            return str(created)

    def begin(self, settings: dict[str, Any], engines: Sequence[StoredEngine], created: str, program: str) -> None:
        """Writes what the tournament is; once."""
        with self._transaction() as execute:
            execute("INSERT INTO match VALUES (1, ?, ?, ?, '')", (created, program, json.dumps(settings)))
            for number, engine in enumerate(engines):
                execute(
                    "INSERT INTO engine VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (number, engine.name, engine.id_name, engine.id_author, json.dumps(engine.command),
                     engine.command_hash, engine.signature),
                )  # fmt: skip

    def change_settings(self, settings: dict[str, Any]) -> None:
        """Replaces the settings, for a tournament that is made longer."""
        with self._transaction() as execute:
            execute("UPDATE match SET settings = ?", (json.dumps(settings),))

    def verdict(self) -> str:
        """What the sequential test came to, empty while it has come to nothing."""
        with self.reading():
            (verdict,) = self._connection.execute("SELECT verdict FROM match").fetchone()
            return str(verdict)

    def decide(self, verdict: str) -> None:
        """Writes what the sequential test came to: it is over, whatever games still under way bring."""
        with self._transaction() as execute:
            execute("UPDATE match SET verdict = ?", (verdict,))

    def engines(self) -> list[StoredEngine]:
        """The engines in their order."""
        with self.reading():
            rows = self._connection.execute(
                "SELECT name, id_name, id_author, command, command_hash, signature FROM engine ORDER BY id"
            )
            return [
                StoredEngine(name, id_name, author, tuple(json.loads(command)), digest, signature)
                for name, id_name, author, command, digest, signature in rows
            ]

    def add_openings(self, openings: Iterable[StoredOpening]) -> None:
        """Keeps openings, so that a tournament that goes on need not look for them again."""
        with self._transaction() as execute:
            for opening in openings:
                moves = None if opening.moves is None else " ".join(opening.moves)
                row = (opening.variant, opening.number, opening.fen, moves)
                execute("INSERT INTO opening VALUES (?, ?, ?, ?)", row)

    def openings(self) -> list[StoredOpening]:
        """The openings by variant and number."""
        with self.reading():
            rows = self._connection.execute("SELECT variant, number, fen, moves FROM opening ORDER BY 1, 2")
            return [
                StoredOpening(variant, number, fen, None if moves is None else tuple(moves.split()))
                for variant, number, fen, moves in rows
            ]

    # ---------------------------------------------------------------- its games

    def add_game(self, record: GameRecord) -> None:
        """Writes a finished game; when this returns it is on the disk, whole."""
        fixture, game = record.fixture, record.game
        rows = [(fixture.number, index, 0, *ply_to_row(ply)) for index, ply in enumerate(game.plies)]
        if game.offence is not None:
            rows.append((fixture.number, len(rows), 1, *ply_to_row(game.offence)))
        fault = None if game.fault is None else json.dumps(serialize(game.fault))
        with self._transaction() as execute:
            execute(
                "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (fixture.number, fixture.pair, fixture.round, fixture.variant, fixture.opening, fixture.white,
                 fixture.black, record.started, game.outcome.result, game.outcome.winner, *termination_text(game.outcome), fault,
                 json.dumps(game.violations)),
            )  # fmt: skip
            self._connection.executemany(_PLY_INSERT, (tuple(map(_storable, row)) for row in rows))

    def games(self, *, with_plies: bool = True) -> Iterator[StoredGame]:
        """The games by number; without their plies on demand."""
        with self.reading():
            columns = ", ".join(_GAME_COLUMNS)
            rows = self._connection.execute(
                f"SELECT {columns}, started, winner, termination, details, fault, violations FROM game ORDER BY number"
            ).fetchall()
            for *fixture, started, winner, termination, details, fault, violations in rows:
                plies, offence = self._plies(fixture[0]) if with_plies else ([], None)
                yield StoredGame(
                    Fixture(*fixture),
                    started,
                    {
                        "plies": plies,
                        "winner": winner,
                        "termination": termination,
                        "details": details,
                        "offence": offence,
                        "fault": None if fault is None else json.loads(fault),
                        "violations": json.loads(violations),
                    },
                )

    def _plies(self, number: int) -> tuple[list[tuple[Any, ...]], tuple[Any, ...] | None]:
        offence = None
        plies = []
        columns = ", ".join(PLY_COLUMNS)
        for is_offence, *row in self._connection.execute(
            f"SELECT offence, {columns} FROM ply WHERE game = ? ORDER BY ply", (number,)
        ):
            if is_offence:
                offence = tuple(row)
            else:
                plies.append(tuple(row))
        return plies, offence

    # ---------------------------------------------------------------- how it is done

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
                self._connection.execute("COMMIT")
            except BaseException:
                # On a full disk SQLite may have rolled back by itself; what it said then is what counts.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"database {quoted(str(self.path))}: {error}") from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While rows are made values: what no runner can have written is told as damage, not as a fault of ours."""
        with self._errors():
            try:
                yield
            except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
                what = f"{type(error).__name__}: {error}"
                raise StoreError(f"database {quoted(str(self.path))} is damaged: {what}") from error


def _storable(value: Any) -> Any:
    """Engines print any number; SQLite's have 64 bits."""
    return max(-_LARGEST, min(value, _LARGEST)) if isinstance(value, int) else value
