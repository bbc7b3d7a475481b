"""The database of a tournament: one SQLite file, to which every finished game is written at once."""

import errno
import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from latrones_uci.client.errors import OperationError
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import PLY_COLUMNS, GameRecord, ply_to_row, termination_text
from latrones_uci.records.serialize import serialize
from latrones_uci.text.files import beside, check_name, exclusive_lock, remove_file, report_nothing
from latrones_uci.text.messages import quoted
from latrones_uci.text.sqlite import (
    LOCKED,
    SIDE_FILES,
    connect,
    contents,
    error_text,
    is_foreign,
    is_passing,
    leave_wal,
    patiently,
    reading_connection,
    transaction,
)


class StoreError(OperationError):
    """The database cannot be used; the message quotes its path."""


class NoMatchError(StoreError):
    """No match has been started in the database."""


class StoreBlockedError(StoreError):
    """The database cannot be used at present: another program has locked it, or the disk is full. It is intact."""


class DisplacedError(StoreError):
    """The database was removed or replaced while it was open. Nothing can be done with its ``Store`` any more."""

    exit_status = 5


APPLICATION_ID = 0x4C617472  # "Latr": distinguishes these files from databases of other programs
FORMAT = 1
MAX_VALUE_BYTES = 64 * 2**20

_SCHEMA = f"""
CREATE TABLE match (id INTEGER PRIMARY KEY CHECK (id = 1), created TEXT NOT NULL, program TEXT NOT NULL,
    settings TEXT NOT NULL, verdict TEXT NOT NULL, run TEXT NOT NULL DEFAULT '') STRICT;
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
# Databases made before engines could change do not have this table.
_CHANGES_SCHEMA = """CREATE TABLE IF NOT EXISTS engine_change (engine INTEGER NOT NULL REFERENCES engine,
    accepted TEXT NOT NULL, what TEXT NOT NULL, was TEXT NOT NULL, is_now TEXT NOT NULL) STRICT"""
# Only databases of tunings have these tables.
_TUNING_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS tuning_trial (pair INTEGER NOT NULL, parameter TEXT NOT NULL,
    plus INTEGER NOT NULL, minus INTEGER NOT NULL, gain REAL NOT NULL, PRIMARY KEY (pair, parameter)) STRICT,
    WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS tuning_update (number INTEGER NOT NULL, pair INTEGER NOT NULL,
    result INTEGER NOT NULL, parameter TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (number, parameter)) STRICT,
    WITHOUT ROWID""",
)
_TABLES = {"match", "engine", "opening", "game", "ply"}
_LATER_TABLES = {"engine_change", "tuning_trial", "tuning_update"}
_GAME_COLUMNS = ("number", "pair", "round", "variant", "opening", "white", "black")
_PLIES_AT_ONCE = 50  # fewer than 1,000 values, the limit of some builds of SQLite
_LARGEST = 2**63 - 1


@dataclass(frozen=True)
class StoredEngine:
    name: str
    """Name in tables and records."""
    id_name: str
    id_author: str
    command: tuple[str, ...]
    """Program and arguments."""
    files: str
    """The files of which it is made, and their hashes (see ``engine_files``)."""
    signature: str = ""
    """Bench signature, empty if unknown."""


@dataclass(frozen=True)
class EngineChange:
    """A change of an engine that was accepted when the tournament was resumed."""

    engine: int
    what: str
    """What has changed, such as ``id name``."""
    was: str
    is_now: str


@dataclass(frozen=True)
class StoredOpening:
    variant: int
    number: int
    """Index among the openings of the variant."""
    fen: str
    moves: tuple[str, ...] | None = None
    """Moves from the start position, None if unknown."""


@dataclass(frozen=True)
class StoredTrial:
    """The values of a tuned parameter in a pair of games."""

    parameter: str
    plus: int
    """The value of the first engine."""
    minus: int
    """The value of the second engine."""
    gain: float
    """The change of the parameter for each point that the first engine wins."""


@dataclass(frozen=True)
class StoredUpdate:
    """The tuned parameters after a pair of games."""

    pair: int
    result: int
    """Wins less losses of the first engine."""
    values: dict[str, float]
    """The values by the names of the parameters."""


@dataclass(frozen=True)
class StoredGame:
    """A finished game as stored; ``game`` is the argument of ``record.game_from_data``."""

    fixture: Fixture
    started: str
    game: dict[str, Any]


class Store:
    """An open database. Only one runner can write at a time; any number of programs can read.

    A program that is no runner may lock the database. A runner waits a minute for it.
    """

    def __init__(self, path: Path, *, writing: bool, fresh: bool = False, shared: bool = False,
                 warn: Callable[[str], None] = report_nothing) -> None:
        """Open the database; for writing, create it if there is none.

        Args:
            path: the file.
            writing: whether to play the match; if not, the file is not changed, and may be on a read-only medium.
            fresh: whether to delete an existing database first, unless it is in use.
            shared: whether several threads use it, one at a time.
            warn: called with a line when another program has locked the database, and a runner waits for it.

        Raises:
            StoreError: the file cannot be opened, is not a tournament database, is damaged, or is in use by another
                runner.
        """
        self.path, self._shared, self._warn = path, shared, warn
        self.label = f"database {quoted(str(path))}"
        """The database in messages."""
        self._expected = f"expected {'a new file, or ' * writing}one made by 'latrones-uci match'"
        self._closing = ExitStack()
        self._file: tuple[int, int] | None = None
        with self._errors(), ExitStack() as stack:
            self._check_access(writing)
            if writing:
                check_name(path)
                stack.enter_context(exclusive_lock(beside(path, ".lock"), self._refuse, temporary=True))
                if fresh:
                    self._remove("", *SIDE_FILES)
            self._created = writing and not self.path.exists()
            if not writing:
                self._check_content()
                with self._damage():
                    self._connection = stack.enter_context(reading_connection(path, shared=shared))
                self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
                self._check_kind()
            else:
                self._connection = connect(path, shared=shared)
                stack.callback(self._leave)
                self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
                patiently(self._prepare, self._tell_waiting)
            self._file, self._journal = self._identity(), self._identity("-wal")
            self._known_content = self._content()
            (self._games,) = self._connection.execute("SELECT count(*) FROM game").fetchone()
            self._begun = self._connection.execute("SELECT created FROM match").fetchone()
            self._closing = stack.pop_all()

    def _refuse(self) -> None:
        raise StoreError(f"{self.label} is in use by another match runner")

    def _check_access(self, writing: bool) -> None:
        """Raise the OSError for a file that cannot be opened: SQLite does not say why it cannot."""
        number = 0
        if self.path.is_dir():
            number = errno.EISDIR
        elif self.path.exists() and not os.access(self.path, os.R_OK | (os.W_OK if writing else 0)):
            number = errno.EROFS if _is_read_only(self.path) else errno.EACCES
        if number:
            raise OSError(number, os.strerror(number))

    def _check_content(self) -> None:
        if not self.path.exists():
            raise StoreError(f"{self.label}: no such file")
        if self.path.stat().st_size == 0:
            raise NoMatchError(f"{self.label} is empty: no match has been started")

    def _prepare(self) -> None:
        """Create the tables of a new file, and begin WAL mode."""
        if self.path.stat().st_size == 0:
            # One transaction: a runner killed here leaves an empty file or a complete schema.
            with transaction(self._connection):
                for statement in _SCHEMA.split(";"):
                    self._connection.execute(statement)
        self._check_kind()
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA foreign_keys = ON")

    def _tell_waiting(self) -> None:
        self._warn(f"{self.label}: {LOCKED}; waiting for it")

    def _leave(self) -> None:
        """Close the connection of a runner; what it has written is in the file alone, without side files."""
        with suppress(sqlite3.Error):
            if self._identity() == self._file:
                leave_wal(self._connection)
        self._connection.close()

    def _check_kind(self) -> None:
        with self._damage():
            kind, form, found = contents(self._connection)
        if kind != APPLICATION_ID:
            raise StoreError(f"{self.label}: not the database of a match; {self._expected}")
        if form != FORMAT:
            raise StoreError(f"{self.label} has format {form}; expected {FORMAT}")
        # Accept nothing but these tables: a view could have endless rows, and a trigger could write anything.
        if found - {("table", name, True) for name in _LATER_TABLES} != {("table", name, True) for name in _TABLES}:
            raise StoreError(f"{self.label} is damaged: unexpected tables")
        if ("run",) not in self._connection.execute("SELECT name FROM pragma_table_info('match')").fetchall():
            raise StoreError(f"{self.label}: made by version 0.2 or earlier, which 0.3 is the last version to read;"
                             " expected a database of 0.3 or later")

    def close(self) -> None:
        """Close the database and release its lock. What a runner has written is in the file alone."""
        self._closing.close()

    def remove_unused(self) -> None:
        """Close the database, and remove it with its lock if it was created here and no match was begun in it."""
        with suppress(StoreError, OSError):
            if self._created and self._identity() == self._file and self.settings() is None:
                self._connection.close()
                self._remove("", *SIDE_FILES, ".lock")
        self.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---------------------------------------------------------------- the tournament

    def settings(self) -> dict[str, Any] | None:
        """Return the settings as plain data, None in a new database."""
        with self.reading():
            row = self._connection.execute("SELECT settings FROM match").fetchone()
            return None if row is None else dict(json.loads(row[0]))

    def created(self) -> str:
        """Return the time at which the tournament started, in UTC."""
        with self.reading():
            (created,) = self._connection.execute("SELECT created FROM match").fetchone()
            return str(created)

    def match_id(self) -> str:
        """Return the random id of the tournament, as in the tag ``MatchId`` of its games."""
        with self.reading():
            (run,) = self._connection.execute("SELECT run FROM match").fetchone()
            return str(run)

    def begin(self, settings: dict[str, Any], engines: Sequence[StoredEngine], created: str, program: str) -> None:
        """Store the tournament in a new database."""
        with self._transaction() as execute:
            execute("INSERT INTO match (id, created, program, settings, verdict, run) VALUES (1, ?, ?, ?, '', ?)",
                    (created, program, json.dumps(settings), secrets.token_hex(8)))
            for number, engine in enumerate(engines):
                row = (number, engine.name, engine.id_name, engine.id_author, json.dumps(engine.command),
                       engine.files, engine.signature)
                execute("INSERT INTO engine VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        self._begun = (created,)

    def change_settings(self, settings: dict[str, Any]) -> None:
        """Replace the settings, to add games to the tournament."""
        with self._transaction() as execute:
            execute("UPDATE match SET settings = ?", (json.dumps(settings),))

    def verdict(self) -> str:
        """Return the verdict of the sequential test, empty if there is none."""
        with self.reading():
            (verdict,) = self._connection.execute("SELECT verdict FROM match").fetchone()
            return str(verdict)

    def engines(self) -> list[StoredEngine]:
        """Return the engines in the order of the settings."""
        with self.reading():
            rows = self._connection.execute(
                "SELECT name, id_name, id_author, command, command_hash, signature FROM engine ORDER BY id"
            )
            return [
                StoredEngine(name, id_name, author, tuple(json.loads(command)), digest, signature)
                for name, id_name, author, command, digest, signature in rows
            ]

    def change_engines(self, engines: Sequence[StoredEngine], changes: Iterable[EngineChange], accepted: str) -> None:
        """Store the present state of the engines, and what has changed in them; ``accepted`` is the time in UTC."""
        changes = list(changes)
        if not changes:
            return
        with self._transaction() as execute:
            execute(_CHANGES_SCHEMA)
            for number, engine in enumerate(engines):
                execute(
                    "UPDATE engine SET id_name = ?, id_author = ?, command_hash = ?, signature = ? WHERE id = ?",
                    (engine.id_name, engine.id_author, engine.files, engine.signature, number),
                )
            for change in changes:
                row = (change.engine, accepted, change.what, change.was, change.is_now)
                execute("INSERT INTO engine_change VALUES (?, ?, ?, ?, ?)", row)

    def engine_changes(self) -> list[tuple[str, EngineChange]]:
        """Return the accepted changes of engines in order, each with the time at which it was accepted, in UTC."""
        with self.reading():
            if not self._has_table("engine_change"):
                return []
            rows = self._connection.execute(
                "SELECT accepted, engine, what, was, is_now FROM engine_change ORDER BY rowid")
            return [(accepted, EngineChange(*change)) for accepted, *change in rows]

    def add_openings(self, openings: Iterable[StoredOpening]) -> None:
        """Store openings, so that a resumed tournament need not search for them again."""
        with self._transaction() as execute:
            for opening in openings:
                moves = None if opening.moves is None else " ".join(opening.moves)
                row = (opening.variant, opening.number, opening.fen, moves)
                execute("INSERT INTO opening VALUES (?, ?, ?, ?)", row)

    def openings(self) -> list[StoredOpening]:
        """Return the openings, ordered by variant and number."""
        with self.reading():
            rows = self._connection.execute("SELECT variant, number, fen, moves FROM opening ORDER BY 1, 2")
            return [
                StoredOpening(variant, number, fen, None if moves is None else tuple(moves.split()))
                for variant, number, fen, moves in rows
            ]

    # ---------------------------------------------------------------- games

    def add_game(self, record: GameRecord) -> None:
        """Store a finished game; it is on disk when this returns."""
        self.add_games([record])

    def add_games(self, records: Sequence[GameRecord], verdict: str = "") -> None:
        """Store finished games, all or none; they are on disk when this returns.

        ``verdict`` is that of the sequential test if these games decide it. It is final: games that are still running
        do not change it.
        """
        with self._transaction() as execute:
            for record in records:
                self._insert_game(execute, record)
            if verdict:
                execute("UPDATE match SET verdict = ?", (verdict,))
        self._games += len(records)

    def _insert_game(self, execute: Callable[..., Any], record: GameRecord) -> None:
        fixture, game = record.fixture, record.game
        rows = [(fixture.number, index, 0, *row) for index, row in enumerate(game.rows)]
        if game.offence is not None:
            rows.append((fixture.number, len(rows), 1, *ply_to_row(game.offence)))
        fault = None if game.fault is None else json.dumps(serialize(game.fault))
        execute(
            "INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (fixture.number, fixture.pair, fixture.round, fixture.variant, fixture.opening, fixture.white,
             fixture.black, record.started, game.outcome.result, game.outcome.winner,
             *termination_text(game.outcome), fault, json.dumps(game.violations)),
        )
        try:
            self._insert_plies(execute, rows)
        except OverflowError:  # a number beyond 64 bits; no row has been inserted yet that has one
            execute("DELETE FROM ply WHERE game = ?", (fixture.number,))
            self._insert_plies(execute, [tuple(map(_storable, row)) for row in rows])

    @staticmethod
    def _insert_plies(execute: Callable[..., Any], rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert plies, several with each statement: other threads may run between two statements."""
        for first in range(0, len(rows), _PLIES_AT_ONCE):
            some = rows[first : first + _PLIES_AT_ONCE]
            values = f"({', '.join('?' * len(some[0]))})"
            execute(f"INSERT INTO ply VALUES {', '.join([values] * len(some))}", list(chain.from_iterable(some)))

    def change_count(self) -> int:
        """Return a number that changes when another program has written to the database."""
        with self.reading():
            (count,) = self._connection.execute("PRAGMA data_version").fetchone()
            return int(count)

    def game_numbers(self) -> list[int]:
        """Return the numbers of the games in ascending order."""
        with self.reading():
            return [int(number) for (number,) in self._connection.execute("SELECT number FROM game ORDER BY number")]

    def ply_count(self, number: int) -> int:
        """Return the number of plies played in a game."""
        with self.reading():
            query = "SELECT COUNT(*) FROM ply WHERE game = ? AND offence = 0"
            (count,) = self._connection.execute(query, (number,)).fetchone()
            return int(count)

    def games(self, *, with_plies: bool = True, numbers: Iterable[int] | None = None) -> Iterator[StoredGame]:
        """Yield games, with or without their plies.

        ``numbers`` are those of the games, in this order; those that do not exist are skipped. None stands for all
        games in the order of their numbers.
        """
        with self.reading():
            columns = ", ".join(_GAME_COLUMNS)
            query = f"SELECT {columns}, started, winner, termination, details, fault, violations FROM game"
            execute = self._connection.execute
            rows: Iterable[Any]
            if numbers is None:
                rows = execute(f"{query} ORDER BY number").fetchall()
            else:
                rows = (row for number in numbers for row in execute(f"{query} WHERE number = ?", (number,)))
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

    # ---------------------------------------------------------------- tuning

    def add_trials(self, pair: int, trials: Iterable[StoredTrial]) -> None:
        """Store the values of all parameters in a pair of games, before the first of its games starts."""
        with self._transaction() as execute:
            for table in _TUNING_SCHEMA:
                execute(table)
            for trial in trials:
                row = (pair, trial.parameter, trial.plus, trial.minus, trial.gain)
                execute("INSERT INTO tuning_trial VALUES (?, ?, ?, ?, ?)", row)

    def add_update(self, number: int, update: StoredUpdate) -> None:
        """Store the values of all parameters after a pair of games; ``number`` counts the updates from 1."""
        with self._transaction() as execute:
            for parameter, value in update.values.items():
                row = (number, update.pair, update.result, parameter, value)
                execute("INSERT INTO tuning_update VALUES (?, ?, ?, ?, ?)", row)

    def trials(self) -> dict[int, list[StoredTrial]]:
        """Return the trials of each pair of games that was started, by its number."""
        with self.reading():
            found: dict[int, list[StoredTrial]] = {}
            if self._has_table("tuning_trial"):
                columns = "pair, parameter, plus, minus, gain"
                for pair, *trial in self._connection.execute(f"SELECT {columns} FROM tuning_trial ORDER BY pair"):
                    found.setdefault(pair, []).append(StoredTrial(*trial))
            return found

    def updates(self) -> list[StoredUpdate]:
        """Return the updates of the parameters in their order."""
        with self.reading():
            found: dict[int, StoredUpdate] = {}
            if self._has_table("tuning_update"):
                columns = "number, pair, result, parameter, value"
                for number, pair, result, parameter, value in self._connection.execute(
                    f"SELECT {columns} FROM tuning_update ORDER BY number"
                ):
                    found.setdefault(number, StoredUpdate(pair, result, {})).values[parameter] = value
            return list(found.values())

    def _has_table(self, name: str) -> bool:
        return self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (name,)).fetchone() is not None

    # ---------------------------------------------------------------- transactions

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Run a transaction, unless the file is not ours any more."""
        with self._errors():
            if self._identity() != self._file or self._content() != self._known_content and not self._is_readable():
                raise self._displaced()
            with transaction(self._connection, self._tell_waiting):
                yield self._connection.execute
            self.check_file()
            self._journal, self._known_content = self._identity("-wal"), self._content()

    # ---------------------------------------------------------------- a file that was removed or replaced
    # SQLite keeps writing to a file that has been removed, or over what was copied into it, and reports no error.

    def check_file(self) -> None:
        """Check that the path still leads to the file that was opened.

        Raises:
            DisplacedError: the file was removed or replaced.
        """
        with self._errors():
            if self._identity() != self._file:
                raise self._displaced()

    def _displaced(self) -> "DisplacedError":
        self._connection.close()
        if self._identity("-wal") == self._journal:  # SQLite would apply it to the file that was put in place of ours
            self._remove(*SIDE_FILES)
        return DisplacedError(f"{self.label}: removed or replaced while the match was running")

    def _is_readable(self) -> bool:
        """Return whether others can read all that was stored: a program that copied our journal changes only the file.

        What was copied over the file hides games, belongs to another match, or does not fit our journal.
        """
        queries = ("PRAGMA quick_check(1)", "SELECT created FROM match", "SELECT count(*) FROM game")
        try:
            with closing(connect(self.path, "ro")) as reader:
                found = [reader.execute(query).fetchone() for query in queries]
            return found == [("ok",), self._begun, (self._games,)]
        except sqlite3.Error:
            return False

    def _identity(self, ending: str = "") -> tuple[int, int] | None:
        try:
            found = beside(self.path, ending).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _content(self) -> tuple[int, int]:
        found = self.path.stat()
        return found.st_size, found.st_mtime_ns

    def _remove(self, *endings: str) -> None:
        for ending in endings:
            remove_file(beside(self.path, ending))

    # ---------------------------------------------------------------- errors

    def empty(self) -> StoreError:
        """Return the error for a database in which no match has been started."""
        wal = quoted(beside(self.path, "-wal").name)
        return NoMatchError(f"{self.label} is empty: no match has been started, or a killed match has left its games in"
                            f" {wal}, which is missing; expected both files")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            kind = StoreBlockedError if is_passing(error) else StoreError
            expected = f"; {self._expected}" if is_foreign(error) else ""
            raise kind(f"{self.label}: {error_text(error, self.path)}{expected}") from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Report errors of parsing stored values as damage of the database."""
        with self._errors(), self._damage():
            yield

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError) as error:
            what = f"{type(error).__name__}: {error}"
            raise StoreError(f"{self.label} is damaged: {what}") from error


def _storable(value: Any) -> Any:
    """Clamp an integer to 64 bits, the range of SQLite: engines may print any number."""
    return max(-_LARGEST, min(value, _LARGEST)) if isinstance(value, int) else value


def _is_read_only(path: Path) -> bool:
    """Return whether a file is on a read-only medium."""
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & getattr(os, "ST_RDONLY", 0))
