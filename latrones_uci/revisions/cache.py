"""The cache of built versions: a directory with a place for each, and what tells that one is complete."""

import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from latrones_uci.records.files import exclusive_lock
from latrones_uci.revisions.bench import BenchCheck
from latrones_uci.revisions.build import environment_python

_MARKER = "complete.json"
_MARKER_FORMAT = 1
_SOURCE_HEX_DIGITS = 20
_MACHINE_HEX_DIGITS = 12
_PLACE_NAME = re.compile(rf"[0-9a-f]{{{_SOURCE_HEX_DIGITS}}}-[0-9a-f]{{{_MACHINE_HEX_DIGITS}}}")


@dataclass(frozen=True)
class Marker:
    """What is written down of a complete version.

    Attributes:
        label: what it was called when it was built.
        commit: its full hash; for a directory, that of its files' contents.
        checked: what it said of itself.
    """

    label: str
    commit: str
    checked: BenchCheck


@dataclass(frozen=True)
class CachedRevision:
    """A place of the cache.

    Attributes:
        place: its directory.
        marker: of the version there, None if its build was not completed.
        used_at: when it was built or asked for last, in seconds of ``time.time()``.
    """

    place: Path
    marker: Marker | None
    used_at: float


def default_cache() -> Path:
    """The user's own cache."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # which the XDG Base Directory Specification tells us to ignore
            base = str(Path.home() / ".cache")
    return Path(base, "latrones-uci", "revisions")


def cache_place(cache: Path, commit: str, machine_hash: str) -> Path:
    """The absolute place of a version in a cache, by the hashes of its source and of what builds it."""
    return cache.absolute() / f"{commit[:_SOURCE_HEX_DIGITS]}-{machine_hash[:_MACHINE_HEX_DIGITS]}"


def lock_cache(cache: Path, on_wait: Callable[[], None]) -> AbstractContextManager[int]:
    """Holds the cache for a change; makes it if it is not there. See ``exclusive_lock``."""
    cache.mkdir(parents=True, exist_ok=True)
    return exclusive_lock(cache / "lock", on_wait)


def environment_of(place: Path) -> Path:
    """The virtual environment of a place; environments cannot be moved, so it is built there."""
    return place / "environment"


def read_marker(place: Path) -> Marker | None:
    """The marker of a complete version, None where there is one to be built."""
    try:
        content = json.loads((place / _MARKER).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if content["format"] != _MARKER_FORMAT:
        return None  # of another release of this program
    if not environment_python(environment_of(place)).exists():
        return None  # the Python that it was made with has been removed
    return Marker(content["label"], content["commit"], BenchCheck(**content["checked"]))


def write_marker(place: Path, marker: Marker) -> None:
    """Marks a version as complete, in one step: the last of its build."""
    unfinished = place / f"{_MARKER}.new"
    unfinished.write_text(json.dumps({"format": _MARKER_FORMAT, **asdict(marker)}, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(place / _MARKER)


def note_use(place: Path) -> None:
    """Notes that a complete version is used now."""
    (place / _MARKER).touch()


def remove_place(place: Path) -> None:
    """Removes a place, if it is there: its marker first, so that it never seems complete when it is not."""
    (place / _MARKER).unlink(missing_ok=True)
    if place.exists():
        shutil.rmtree(place)


def cached_revisions(cache: Path) -> list[CachedRevision]:
    """What a cache holds, the last used first."""
    found = []
    for place in cache.absolute().iterdir() if cache.is_dir() else ():
        # What is not named so is not ours, and must never be removed.
        if _PLACE_NAME.fullmatch(place.name) and place.is_dir():
            marker = read_marker(place)
            used_at = (place / _MARKER if marker else place).stat().st_mtime
            found.append(CachedRevision(place, marker, used_at))
    return sorted(found, key=lambda cached: cached.used_at, reverse=True)


def clean(cache: Path, keep: int = 0) -> list[CachedRevision]:
    """Removes all from a cache but the ``keep`` complete versions used last; waits for a build that is running.

    A version that a match plays with at the moment is not spared.

    Returns:
        What was removed.
    """
    if not cache.is_dir():
        return []
    with lock_cache(cache, lambda: None):
        cached = cached_revisions(cache)
        kept = [revision for revision in cached if revision.marker is not None][:keep]
        removed = [revision for revision in cached if revision not in kept]
        for revision in removed:
            remove_place(revision.place)
    return removed
