"""A lock between processes, which ends with its holder, however that ends."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

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
def exclusive_lock(path: Path, on_wait: Callable[[], None]) -> Iterator[int]:
    """Holds the lock that a file stands for; waits while another process or thread does.

    On POSIX a child that inherits the descriptor holds the lock as well, and keeps it if we are killed.

    Args:
        path: the file; it is made, and stays.
        on_wait: called once if there is somebody to wait for.

    Yields:
        The descriptor of the lock.
    """
    with path.open("ab") as file:
        if not _try_to_lock(file):
            on_wait()
            _lock(file)
        yield file.fileno()
