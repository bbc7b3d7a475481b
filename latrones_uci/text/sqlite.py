"""Open SQLite files: to write them, or to read them without leaving anything behind, also where nothing can be written.

A writer keeps a database in WAL mode, so that others can read while it writes. Reading such a file needs a second file
beside it, which SQLite cannot create on a read-only medium; ``leave_wal`` and ``reading_connection`` deal with that.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

from latrones_uci.text.clock import now_s
from latrones_uci.text.files import beside
from latrones_uci.text.messages import reason

SIDE_FILES = ("-wal", "-shm")
"""The endings of the files that SQLite keeps beside a database in WAL mode."""
LOCKED = "locked by another program, such as a database browser, a backup or a virus scanner"
"""What is wrong with a database that another program than one of these has locked."""
LOCK_WAIT_S = 60.0
"""How long ``patiently`` waits for another program that has locked a database."""
_WAIT_S = 5.0
_BEGIN_BYTES = 100
_Result = TypeVar("_Result")


def connect(path: Path, mode: str = "rwc", *, wait_s: float = _WAIT_S, shared: bool = False) -> sqlite3.Connection:
    """Open a database; a statement outside of a ``transaction`` is one of its own.

    Args:
        path: the file.
        mode: ``ro`` to read, ``rwc`` to read and write, and to create the file if missing.
        wait_s: how long a statement waits for another program that has locked the database.
        shared: whether several threads use the connection, one at a time.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    return _connect(path, f"mode={mode}", wait_s, shared)


def _connect(path: Path, words: str, wait_s: float, shared: bool) -> sqlite3.Connection:
    address = f"{database_address(path.resolve())}?{words}"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=wait_s, check_same_thread=not shared)


def database_address(path: PurePath) -> str:
    """Return the address of an absolute path for SQLite, which takes no computer in one: it is a part of the path."""
    address = path.as_uri()
    return address if address.startswith("file:///") else f"file://{address.removeprefix('file:')}"


# ---------------------------------------------------------------- reading


@contextmanager
def reading_connection(
    path: Path, *, wait_s: float = _WAIT_S, shared: bool = False
) -> Iterator[sqlite3.Connection]:
    """Open a database to read it, and leave no file beside it that was not there before.

    A program that writes to the database meanwhile is followed, unless nothing can be written in the folder of the
    file: then it is read as it is, from a temporary copy if it has a WAL file that SQLite cannot read there.

    Args:
        path: the file.
        wait_s: see ``connect``.
        shared: see ``connect``.

    Raises:
        sqlite3.Error: the file cannot be opened, or is not a database.
    """
    with ExitStack() as stack:
        yield stack.enter_context(closing(_open_to_read(path, wait_s, shared, stack)))


def _open_to_read(path: Path, wait_s: float, shared: bool, stack: ExitStack) -> sqlite3.Connection:
    # Mode rw removes the side files when it is closed; ro leaves those of a program that writes, or was killed, alone.
    in_use = _has(path, "-wal")
    if in_use or not is_read_only(path):
        try:
            return _opened(path, "mode=ro" if in_use else "mode=rw", wait_s, shared)
        except sqlite3.OperationalError as error:
            if _code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
    if not in_use and not _has(path, "-journal"):
        return _opened(path, "mode=ro&immutable=1", wait_s, shared)
    copy = Path(stack.enter_context(TemporaryDirectory(prefix="latrones-uci-")), path.name)
    for ending in filter(partial(_has, path), ("", "-wal", "-journal")):
        shutil.copyfile(beside(path, ending), beside(copy, ending))
    return _opened(copy, "mode=rw", wait_s, shared)


def is_read_only(path: Path) -> bool:
    """Return whether an existing database cannot be written, nor the files that a writer needs beside it."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _opened(path: Path, words: str, wait_s: float, shared: bool) -> sqlite3.Connection:
    connection = _connect(path, words, wait_s, shared)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()  # opens the files
    except BaseException:
        connection.close()
        raise
    return connection


def _has(path: Path, ending: str) -> bool:
    """Return whether there is a file with this ending that is not empty."""
    try:
        return beside(path, ending).stat().st_size > 0
    except OSError:
        return False


# ---------------------------------------------------------------- writing


def leave_wal(connection: sqlite3.Connection) -> None:
    """End WAL mode before a connection is closed, so that the file alone is complete and needs no others to be read.

    While other programs have the database open, the mode remains, but everything is moved into the file.
    """
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def is_locked(error: BaseException) -> bool:
    """Return whether an error says that another program has locked the database."""
    return _code(error) == sqlite3.SQLITE_BUSY


def is_foreign(error: BaseException) -> bool:
    """Return whether an error says that the file is not a database at all."""
    return _code(error) == sqlite3.SQLITE_NOTADB


def is_passing(error: BaseException) -> bool:
    """Return whether an error has a cause outside of the file: a lock of another program, or the disk."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


def _code(error: BaseException) -> int:
    """Return the primary error code of SQLite; 0 for errors that are not from SQLite itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def patiently(action: Callable[[], _Result], on_wait: Callable[[], object]) -> _Result:
    """Do something for which another program may have locked the database, and repeat it for a minute while that is so.

    Args:
        action: what to do; it changes nothing if it raises an error, and waits a few seconds for a lock itself.
        on_wait: called once, before the second attempt.

    Raises:
        sqlite3.OperationalError: the database is still locked (see ``is_locked``), or the action failed.
    """
    end_s, waiting = now_s() + LOCK_WAIT_S, False
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_locked(error) or now_s() >= end_s:
                raise
        if not waiting:
            waiting = True
            on_wait()


@contextmanager
def transaction(
    connection: sqlite3.Connection, on_wait: Callable[[], object] | None = None
) -> Iterator[sqlite3.Connection]:
    """Write all or nothing; what is written is in the file afterwards.

    If another program has locked the database for long, ``on_wait`` is called once, and it is waited for a minute;
    without it, only as long as the connection itself waits.
    """

    def begin() -> sqlite3.Cursor:
        return connection.execute("BEGIN IMMEDIATE")

    if on_wait is None:
        begin()
    else:
        patiently(begin, on_wait)
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # On a full disk SQLite may have rolled back already; the original error is the one to report.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# ---------------------------------------------------------------- the kind of a database


def error_text(error: Exception, path: Path) -> str:
    """Return what is wrong with a database: who has locked it, or what the file is instead."""
    match _code(error):
        case sqlite3.SQLITE_BUSY:
            return LOCKED
        case sqlite3.SQLITE_NOTADB:
            return _kind(path)
    return reason(error)


def _kind(path: Path) -> str:
    with path.open("rb") as file:
        begin = file.read(_BEGIN_BYTES).decode("utf-8", "replace").lstrip("\ufeff \r\n\t").lower()
    if begin.startswith(("[event ", "[site ", "[white ", "[variant ", "[fen ", "1. ")):
        return "a PGN file, not a database; 'latrones-uci ratings', 'analyse', 'puzzles' and 'verify' read PGN"
    return f"{'an HTML page, ' if begin.startswith(('<!doctype html', '<html')) else ''}not a database"


class Contents(NamedTuple):
    """What a database says of itself."""

    application: int
    """Its ``application_id``, 0 for none."""
    version: int
    """Its ``user_version``, 0 for none."""
    objects: set[tuple[str, str, bool]]
    """Type and name of each table, view, index and trigger, and whether it is stored as rows."""


def contents(connection: sqlite3.Connection) -> Contents:
    """Return the kind, version and schema of a database, without the objects of SQLite itself."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    objects = connection.execute(
        "SELECT type, name, rootpage > 0 FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'")
    return Contents(application, version, {(kind, name, bool(stored)) for kind, name, stored in objects})
