"""Read untrusted text files with a limit, write files atomically, and lock files between processes."""

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

MAX_BYTES = 64 * 2**20
OnReading = Callable[[str], None]
"""Called often with a text that says how far long reading has come."""


def report_nothing(text: str) -> None:
    """Ignore a report."""


def read_text_file(path: str | Path, most_bytes: int = MAX_BYTES, *, regular: bool = False) -> str:
    """Return the contents of a UTF-8 file, without a byte order mark.

    Args:
        path: the file.
        most_bytes: the maximum length; no more is read, even if the file is endless.
        regular: whether to refuse everything but a regular file, and never to wait for data: a pipe or a device might
            never end.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is too long, not UTF-8 or not regular, or the path is invalid.
    """
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    if regular:  # opening a pipe would wait for a writer, and reading /proc/kmsg, a regular file, for a message
        flags |= getattr(os, "O_NONBLOCK", 0)
    descriptor, data = os.open(path, flags), bytearray()
    try:
        if regular and not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
        while len(data) <= most_bytes and (chunk := os.read(descriptor, most_bytes + 1 - len(data))):
            data += chunk
    except BlockingIOError:  # only with O_NONBLOCK
        raise ValueError("not a regular file") from None
    finally:
        os.close(descriptor)
    if len(data) > most_bytes:
        raise ValueError(f"longer than {most_bytes} bytes")
    return data.decode("utf-8-sig")


@contextmanager
def whole_file(path: Path, mode: str = "xb", encoding: str | None = None) -> Iterator[IO[Any]]:
    """Yield a file to write to, binary by default; it replaces the one at the path when it is complete and on the disk.

    Args:
        path: the file to replace.
        mode: how the new file is created, ``xb`` or ``x``.
        encoding: encoding of a text file.

    Raises:
        OSError: the file cannot be written; the message names it.
    """
    part = part_of(path)
    try:
        with part.open(mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:  # also an interrupt
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def part_of(path: Path) -> Path:
    """Return a new name in the same folder, for a file that is written before it replaces the one at the path."""
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")


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
