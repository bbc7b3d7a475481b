"""Build a version of this project as an engine that is ready to play, or take it from the cache."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.game import quoted, reason
from latrones_uci.revisions.build import (
    Install,
    Marker,
    check_bench,
    command_runner,
    entry_path,
    environment_of,
    environment_python,
    find_compiler,
    install_with_pip,
    lock_cache,
    machine_hash,
    note_use,
    read_marker,
    remove_entry,
    write_marker,
)
from latrones_uci.revisions.source import RevisionError, Source, find_source

_BENCH_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class BuiltRevision:
    """A version that is ready to play."""

    label: str
    """Short unique name: a tag, an abbreviated hash, or the name and the content hash of a directory."""
    commit: str
    """Full hash of the commit; for a directory, hash of the contents of its files."""
    command: tuple[str, ...]
    """Command of the engine; it works in any directory and any environment."""
    version: str
    """The line printed for ``--version``."""
    bench: str
    """Node count of the bench, the signature of its play."""
    kernel: str
    """Kernel that plays, ``unknown`` if the engine does not print it."""


def build_revision(
    name: str,
    repository: Path,
    cache: Path,
    on_message: Callable[[str], None],
    *,
    install: Install = install_with_pip,
    bench_timeout_s: float = _BENCH_TIMEOUT_S,
) -> BuiltRevision:
    """Return a version from the cache; if it is not there, build it and run its bench.

    The repository and its working tree are not changed. One build runs in a cache at a time; others wait for it.
    An interrupted build is started again from the beginning.

    Args:
        name: a git revision, or a directory; ``.`` is the working tree as it is now.
        repository: a directory of a checkout of this project, in which revisions are looked up.
        cache: the directory of the cache; it is created if needed. Its entries cannot be moved.
        on_message: called with progress messages, and with a warning if the engine plays without the compiled core
            although there is a compiler.
        install: the function that builds and installs.
        bench_timeout_s: timeout for the bench in seconds.

    Raises:
        RevisionError: there is no such version, it cannot be built, or its bench fails.
    """
    source = find_source(name, repository, on_message)
    entry = entry_path(cache, source.commit, machine_hash())
    try:
        marker = read_marker(entry) or _build(source, entry, on_message, install, bench_timeout_s)
        note_use(entry)
    except RevisionError as error:
        raise RevisionError(f"{quoted(name)}: {error}") from error
    except OSError as error:
        raise RevisionError(f"{quoted(name)}: cannot build in {quoted(str(entry))}: {reason(error)}") from error
    checked = marker.checked
    if checked.kernel != "native" and find_compiler() is not None:
        on_message(f"warning: {source.label} plays with the {checked.kernel} kernel although there is a C++ compiler")
    command = _command(entry)
    return BuiltRevision(source.label, source.commit, command, checked.version, checked.bench, checked.kernel)


def _build(
    source: Source, entry: Path, on_message: Callable[[str], None], install: Install, bench_timeout_s: float
) -> Marker:
    """Complete an entry of the cache, unless another process has done so in the meantime."""
    cache = entry.parent
    with lock_cache(cache, lambda: on_message(f"waiting for another build in {cache}")) as lock:
        if (marker := read_marker(entry)) is not None:
            return marker
        on_message(f"building {source.label}")
        started = time.monotonic()
        remove_entry(entry)
        entry.mkdir()
        copy = entry / "source"
        source.copy_to(copy)
        # The build commands hold the lock too: if this process is killed, the next build waits until they have ended.
        install(copy, environment_of(entry), command_runner(entry / "build.log", (lock,)))
        shutil.rmtree(copy)
        built = time.monotonic()
        checked = check_bench(_command(entry), bench_timeout_s)
        marker = Marker(source.label, source.commit, checked)
        write_marker(entry, marker)
        on_message(
            f"built {source.label} in {built - started:.1f} s; bench in {time.monotonic() - built:.1f} s:"
            f" {checked.bench} nodes, {checked.kernel} kernel"
        )
        return marker


def _command(entry: Path) -> tuple[str, ...]:
    # Isolated mode, so that a package in the working directory or on PYTHONPATH is not imported instead.
    return (str(environment_python(environment_of(entry))), "-I", "-m", "latrones_uci")
