"""The files that an engine is made of, by which a resumed tournament notices that an engine has changed."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings

PROGRAM = "program"
"""The name of an engine's program among its files."""
_DIGITS = 16
_MAX_HASHED_BYTES = 200_000_000
_WRITTEN = re.compile("log", re.IGNORECASE)


def engine_files(engine: EngineSettings) -> dict[str, str]:
    """Return the files of an engine, as seen where it runs: their names in messages, and hashes of their contents.

    They are its program, and the files that its arguments, options and variables name: a script, a net, a variant file.
    Relative paths begin in its working directory. Not known are modules that a script imports, and files that an engine
    finds by itself. What has ``log`` in its name is left out, as the engine itself may write it.
    """
    files = {}
    for name, path in _named(engine):
        if (found := _hash(path)) is not None:
            files[name] = found
    return files


def _named(engine: EngineSettings) -> Iterator[tuple[str, Path]]:
    """Yield the names and paths of what may be a file."""
    folder = Path(engine.directory or ".")
    program, *words = engine.command
    found = program if os.path.dirname(program) else shutil.which(program, path=dict(engine.environment).get("PATH"))
    yield PROGRAM, folder / (found or program)
    for before, word in zip(engine.command, words, strict=False):
        if not _WRITTEN.search(f"{before} {word}" if before.startswith("-") else word):
            yield f"file {word}", folder / (word.partition("=")[2] if word.startswith("-") else word)
    for kind, values in (("option", engine.all_options), ("variable", engine.environment)):
        for name, value in values:
            if not _WRITTEN.search(name):
                yield f"file of {kind} {name}", folder / value


def _hash(path: Path) -> str | None:
    """Return a hash of a file, of its size if it is very large; None if it is no file that can be read."""
    try:
        if not path.is_file():
            return None
        if (size := path.stat().st_size) > _MAX_HASHED_BYTES:
            return f"{size} bytes"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
    except (OSError, ValueError):  # a value that is no path is not a file either
        return None


# ---------------------------------------------------------------- in the database


def files_to_text(files: Mapping[str, str]) -> str:
    """Return the files as they are stored."""
    return json.dumps(files)


def files_from_text(text: str) -> dict[str, str] | None:
    """Return stored files; None for the hash that versions up to 0.3.0 stored instead (see ``first_hash``).

    Raises:
        ValueError: the text is damaged.
    """
    if not text.startswith("{"):
        return None
    return {str(name): str(found) for name, found in json.loads(text).items()}


def first_hash(engine: EngineSettings) -> str:
    """Return the hash that versions up to 0.3.0 stored: of the words of a command, and of the files of these names."""
    digest = hashlib.sha256()
    for word in engine.command:
        digest.update(word.encode(errors="surrogateescape") + b"\0")
        path = Path(shutil.which(word) or word)
        try:
            if path.is_file() and path.stat().st_size <= _MAX_HASHED_BYTES:
                digest.update(path.read_bytes())
        except (OSError, ValueError):  # the word is not a path, or the file cannot be read: hash only the word
            continue
    return digest.hexdigest()
