"""Open SQLite files, see what they contain, and write to them in transactions."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_SIGNATURE = b"SQLite format 3\0"
SIDE_FILES = ("-wal", "-shm")
"""The endings of the files that SQLite keeps beside a database in WAL mode."""


def is_database(path: str | Path) -> bool:
    """Return whether a regular file is a database, of whatever kind; not if it cannot be read."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(len(_SIGNATURE)) == _SIGNATURE
    except OSError:
        return False


def beside(path: Path, ending: str) -> Path:
    """Return the file with the same name and an ending after it."""
    return path.with_name(path.name + ending)


def connect(path: Path, mode: str = "rwc", *, wait_s: float = 5.0, shared: bool = False) -> sqlite3.Connection:
    """Open a database; a statement outside of a ``transaction`` is one of its own.

    Args:
        path: the file.
        mode: ``ro`` to read, ``rwc`` to read and write, and to create the file if missing.
        wait_s: how long a statement waits for another program that has locked the database.
        shared: whether several threads use the connection, one at a time.

    Raises:
        sqlite3.Error: the file cannot be opened.
    """
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=wait_s,
                           check_same_thread=not shared)  # fmt: skip


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


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Write all or nothing; what is written is in the file afterwards."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # On a full disk SQLite may have rolled back already; the original error is the one to report.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
