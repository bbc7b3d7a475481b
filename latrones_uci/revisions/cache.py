"""The cache of built versions: a directory with one entry per version; a marker file says that an entry is complete."""

import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from latrones_uci.match.files import exclusive_lock
from latrones_uci.revisions.build import BenchCheck, environment_python

_MARKER = "complete.json"
_MARKER_FORMAT = 1
_SOURCE_HEX_DIGITS = 20
_MACHINE_HEX_DIGITS = 12
_ENTRY_NAME = re.compile(rf"[0-9a-f]{{{_SOURCE_HEX_DIGITS}}}-[0-9a-f]{{{_MACHINE_HEX_DIGITS}}}")


@dataclass(frozen=True)
class Marker:
    """The contents of the marker file of a complete entry."""

    label: str
    """Label of the version when it was built."""
    commit: str
    """Full hash of the commit; for a directory, hash of the contents of its files."""
    checked: BenchCheck
    """Version and bench signature of the built engine."""


@dataclass(frozen=True)
class CachedRevision:
    """An entry of the cache."""

    entry: Path
    """The directory of the entry."""
    marker: Marker | None
    """Its marker, None if the build was not completed."""
    used_at: float
    """Time of the last build or use, in seconds as from ``time.time()``."""


def default_cache() -> Path:
    """Return the cache directory of the user."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # the XDG Base Directory Specification says to ignore relative paths
            base = str(Path.home() / ".cache")
    return Path(base, "latrones-uci", "revisions")


def entry_path(cache: Path, commit: str, machine_hash: str) -> Path:
    """Return the absolute directory of a version in a cache, named by the hashes of its source and of the machine."""
    return cache.absolute() / f"{commit[:_SOURCE_HEX_DIGITS]}-{machine_hash[:_MACHINE_HEX_DIGITS]}"


def lock_cache(cache: Path, on_wait: Callable[[], None]) -> AbstractContextManager[int]:
    """Lock the cache for a change, and create it if needed. See ``exclusive_lock``."""
    cache.mkdir(parents=True, exist_ok=True)
    return exclusive_lock(cache / "lock", on_wait)


def environment_of(entry: Path) -> Path:
    """Return the directory of an entry's virtual environment. Environments cannot be moved, so it is built there."""
    return entry / "environment"


def read_marker(entry: Path) -> Marker | None:
    """Return the marker of a complete entry, None if the version has to be built."""
    try:
        content = json.loads((entry / _MARKER).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if content["format"] != _MARKER_FORMAT:
        return None  # written by another release of this program
    if not environment_python(environment_of(entry)).exists():
        return None  # the Python of the environment has been removed
    return Marker(content["label"], content["commit"], BenchCheck(**content["checked"]))


def write_marker(entry: Path, marker: Marker) -> None:
    """Mark an entry as complete, atomically. This is the last step of a build."""
    unfinished = entry / f"{_MARKER}.new"
    unfinished.write_text(json.dumps({"format": _MARKER_FORMAT, **asdict(marker)}, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(entry / _MARKER)


def note_use(entry: Path) -> None:
    """Set the last use of a complete entry to now."""
    (entry / _MARKER).touch()


def remove_entry(entry: Path) -> None:
    """Remove an entry, if it exists: the marker first, so that a partly removed entry is not taken for complete."""
    (entry / _MARKER).unlink(missing_ok=True)
    if entry.exists():
        shutil.rmtree(entry)


def cached_revisions(cache: Path) -> list[CachedRevision]:
    """Return the entries of a cache, the most recently used first."""
    found = []
    for entry in cache.absolute().iterdir() if cache.is_dir() else ():
        # Other names are not from this program, and must never be removed.
        if _ENTRY_NAME.fullmatch(entry.name) and entry.is_dir():
            marker = read_marker(entry)
            used_at = (entry / _MARKER if marker else entry).stat().st_mtime
            found.append(CachedRevision(entry, marker, used_at))
    return sorted(found, key=lambda cached: cached.used_at, reverse=True)


def clean(cache: Path, keep: int = 0) -> list[CachedRevision]:
    """Remove all entries of a cache but the ``keep`` most recently used complete ones; wait for a running build.

    Entries that a running match uses are removed as well.

    Returns:
        The removed entries.
    """
    if not cache.is_dir():
        return []
    with lock_cache(cache, lambda: None):
        cached = cached_revisions(cache)
        kept = [revision for revision in cached if revision.marker is not None][:keep]
        removed = [revision for revision in cached if revision not in kept]
        for revision in removed:
            remove_entry(revision.entry)
    return removed
