"""Write text files atomically, render TOML, and lock files between processes."""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from latrones_uci.text.toml import part_of, whole_file

Report = Callable[[str], None]
"""Called often with a text that says how far long reading has come."""


def report_nothing(text: str) -> None:
    """Ignore a report."""


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: an existing file is replaced only when the new one is complete.

    A device or a pipe is written to directly.

    Raises:
        OSError: the file cannot be written; the message names it.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    try:
        with whole_file(path.resolve(), "x", "utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_private(path: Path, text: str) -> None:
    """Write a small file that only this user can read, atomically and without waiting for the disk.

    If the path is a symbolic link, the link itself is replaced.

    Raises:
        OSError: the file cannot be written.
    """
    part = part_of(path)
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def check_writable(path: Path) -> None:
    """Check that a file can be written now.

    Raises:
        OSError: it cannot be written; the message names it.
    """
    if path.is_dir():
        raise IsADirectoryError(None, "is a directory", str(path))
    if not path.exists() or path.is_file():
        part = part_of(path.resolve())
        try:
            part.touch(exist_ok=False)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        part.unlink()


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def render_toml(data: Mapping[str, Any]) -> str:
    """Render a TOML document: values first, then tables, then lists of tables. ``tomllib`` can only read TOML."""
    return "\n".join(_lines(data, ())).strip() + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        where = ".".join(map(_key, (*path, key)))
        if isinstance(value, Mapping):
            yield f"\n[{where}]"
            yield from _lines(value, (*path, key))
        elif _is_tables(value):
            for item in value:
                yield f"\n[[{where}]]"
                yield from _lines(item, (*path, key))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        # A JSON string is a TOML string, except that TOML forbids this character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)


if sys.platform == "win32":
    import msvcrt

    _POLL_S = 0.1

    def _try_to_lock(file: IO[bytes]) -> bool:
        with suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False

    def _lock(file: IO[bytes]) -> None:
        while not _try_to_lock(file):
            time.sleep(_POLL_S)

else:
    import fcntl

    def _try_to_lock(file: IO[bytes]) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def exclusive_lock(path: Path, on_wait: Callable[[], None], *, temporary: bool = False) -> Iterator[int]:
    """Hold an exclusive lock on a file, and wait while another process or thread holds it.

    The lock ends with its holder, even if that is killed. On POSIX, a child that inherits the descriptor holds the lock
    as well, and keeps it if this process is killed. ``on_wait`` is called once if the lock is held; a ``temporary``
    file is removed at the end.

    Yields:
        The file descriptor of the lock.
    """
    while True:
        with path.open("ab") as file:
            if not _try_to_lock(file):
                on_wait()
                _lock(file)
            if not _is_at(file, path):
                continue  # the holder removed the file after it was opened here
            try:
                yield file.fileno()
            finally:
                if temporary and _is_at(file, path):
                    with suppress(OSError):  # Windows does not remove open files
                        path.unlink()
            return


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Return whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


_SQLITE = b"SQLite format 3\0"


def is_database(path: str | Path) -> bool:
    """Return whether a regular file is an SQLite database, of whatever kind; not if it cannot be read."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def beside(path: Path, ending: str) -> Path:
    """Return the file with the same name and an ending after it."""
    return path.with_name(path.name + ending)
