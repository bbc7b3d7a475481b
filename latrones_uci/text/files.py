"""Read untrusted text files with a limit, write files atomically, and lock files between processes."""

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from typing import IO, Any, TypeVar

MAX_BYTES = 64 * 2**20
OnReading = Callable[[str], None]
"""Called often with a text that says how far long reading has come."""
_Result = TypeVar("_Result")
_BINARY = getattr(os, "O_BINARY", 0)
_ATTEMPTS = 20 if sys.platform == "win32" else 1
_PAUSE_S = 0.1


def report_nothing(text: str) -> None:
    """Ignore a report."""


def read_text_file(path: str | Path, most_bytes: int = MAX_BYTES, *, regular: bool = False) -> str:
    """Return the contents of a UTF-8 file, without a byte order mark, and with LF for CRLF.

    Args:
        path: the file.
        most_bytes: the maximum length; no more is read, even if the file is endless.
        regular: whether to refuse everything but a regular file, and never to wait for data: a pipe or a device might
            never end.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is too long, not UTF-8 or not regular, or the path is invalid.
    """
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | _BINARY
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
    return data.decode("utf-8-sig").replace("\r\n", "\n")


@contextmanager
def whole_file(path: Path, encoding: str | None = None) -> Iterator[IO[Any]]:
    """Yield a file to write to; it replaces the one at the path when it is complete and on the disk.

    Args:
        path: the file to replace.
        encoding: encoding of a text file, whose lines end with LF on all systems; None for a binary file.

    Raises:
        OSError: the file cannot be written; the message names it.
    """
    check_name(path)
    part = part_of(path)
    try:
        with part.open("x" if encoding else "xb", encoding=encoding, newline="\n" if encoding else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        replace_file(part, path)
    except BaseException as error:  # also an interrupt
        remove_file(part)
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
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    try:
        with whole_file(path.resolve(), "utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def open_text(path: str | Path, *, append: bool = False) -> IO[str]:
    """Open a UTF-8 file to write it part by part, or append to it; its lines end with LF on all systems.

    Raises:
        OSError: it cannot be opened; the message names it.
    """
    check_name(path)
    return open(path, "a" if append else "w", encoding="utf-8", newline="\n")


def write_private(path: Path, text: str) -> None:
    """Write a small file that only this user can read, atomically and without waiting for the disk.

    If the path is a symbolic link, the link itself is replaced.

    Raises:
        OSError: the file cannot be written.
    """
    part = part_of(path)
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        replace_file(part, path)
    except OSError:
        remove_file(part)
        raise


def is_private(path: Path) -> bool:
    """Return whether only this user can read a file; on Windows, where its folder decides, it is taken for granted.

    Raises:
        OSError: there is no such file.
    """
    return not path.stat().st_mode & 0o077 or sys.platform == "win32"


def check_writable(path: Path) -> None:
    """Check that a file can be written now.

    Raises:
        OSError: it cannot be written; the message names it.
    """
    check_name(path)
    if path.is_dir():
        raise IsADirectoryError(None, "is a directory", str(path))
    if not path.exists() or path.is_file():
        part = part_of(path.resolve())
        try:
            part.touch(exist_ok=False)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        remove_file(part)


_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]')


def check_name(path: str | Path, *, windows: bool = sys.platform == "win32") -> None:
    """Check that Windows, if this is the system, takes the path for that of a file to be made; ``NUL`` is none, too.

    Raises:
        OSError: it does not; the message names the path.
    """
    if not windows or str(path).lower() == "nul":
        return
    whole = PureWindowsPath(path)
    for name in whole.parts[bool(whole.anchor) :]:
        if _RESERVED.fullmatch(name):
            problem = "Windows reserves this name for a device; expected another"
        elif found := _FORBIDDEN.search(name):
            problem = f"{found[0]!r} in a file name; expected none of <>:\"|?*"
        elif name.endswith((" ", ".")) and name != "..":
            problem = "ends in a space or a dot, which Windows removes; expected another name"
        else:
            continue
        raise OSError(errno.EINVAL, problem, str(path))


def retried(action: Callable[[], _Result], *, attempts: int = _ATTEMPTS) -> _Result:
    """Do something with a file, on Windows again for two seconds while another program may have it open.

    Virus scanners and indexers open a new file, which then cannot be replaced or removed.

    Raises:
        OSError: it is still not possible.
    """
    for _ in range(attempts - 1):
        try:
            return action()
        except PermissionError:
            time.sleep(_PAUSE_S)
    return action()


def replace_file(path: Path, target: Path) -> None:
    """Move a file to a path of the same folder, in place of the one there.

    Raises:
        OSError: it cannot be moved.
    """
    retried(lambda: path.replace(target))


def remove_file(path: Path) -> None:
    """Remove a file, if it exists.

    Raises:
        OSError: it cannot be removed.
    """
    retried(lambda: path.unlink(missing_ok=True))


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it, also what is marked as read-only.

    Raises:
        OSError: something cannot be removed.
    """
    if sys.platform == "win32":
        for name in path.rglob("*"):
            with suppress(OSError):
                name.chmod(stat.S_IREAD | stat.S_IWRITE)
    from shutil import rmtree  # an engine starts sooner without it

    retried(lambda: rmtree(path))


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
    flag = getattr(os, "O_TEMPORARY", 0) if temporary else 0  # Windows removes the file when nobody has it open

    def opened() -> IO[bytes]:
        return open(path, "ab", opener=lambda name, flags: os.open(name, flags | flag, 0o666))

    waits = False

    def report() -> None:
        nonlocal waits
        if not waits:
            on_wait()
        waits = True

    while True:
        try:
            opened_file = retried(opened)
        except PermissionError:
            if not (flag and path.exists()):
                raise
            report()  # Windows lets nobody else open a temporary file
            continue
        with opened_file as file:
            if not _try_to_lock(file):
                report()
                _lock(file)
            if not _is_at(file, path):
                continue  # the holder removed the file after it was opened here
            try:
                yield file.fileno()
            finally:
                if temporary and not flag and _is_at(file, path):
                    with suppress(OSError):  # the folder has become read-only
                        path.unlink()
            return


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Return whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except (FileNotFoundError, PermissionError):  # the latter on Windows, until it is closed
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
