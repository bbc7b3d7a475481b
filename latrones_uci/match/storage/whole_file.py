"""Text files that are there whole or not at all."""

import os
import secrets
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes a file; one that is there already stays as it is until the new one is complete.

    What is no file, such as a device or a pipe, is written to directly.

    Raises:
        OSError: it cannot be written; the message names it.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()
    part = _part_of(target)
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def check_writable(path: Path) -> None:
    """Makes sure that a file could be written now.

    Raises:
        OSError: it could not; the message names it.
    """
    if path.is_dir():
        raise IsADirectoryError(None, "is a directory", str(path))
    if not path.exists() or path.is_file():
        part = _part_of(path.resolve())
        try:
            part.touch(exist_ok=False)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        part.unlink()


def _part_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
