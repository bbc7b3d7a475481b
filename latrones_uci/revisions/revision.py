"""Versions of this project as engines that are ready to play: built once, checked once, and kept in a cache."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.game import quoted
from latrones_uci.revisions.bench import check_bench
from latrones_uci.revisions.build import (
    Install,
    command_runner,
    environment_python,
    find_compiler,
    install_with_pip,
    machine_hash,
)
from latrones_uci.revisions.cache import (
    Marker,
    cache_place,
    environment_of,
    lock_cache,
    note_use,
    read_marker,
    remove_place,
    write_marker,
)
from latrones_uci.revisions.run_command import RevisionError
from latrones_uci.revisions.source import Source, find_source

_BENCH_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class BuiltRevision:
    """A version that is ready to play.

    Attributes:
        label: a short name of its own: a tag, an abbreviated hash, or a directory's name and content hash.
        commit: its full hash; for a directory, that of its files' contents.
        command: runs its engine, whatever the working directory and the environment.
        version: what it prints for ``--version``.
        bench: the nodes of its bench, the signature of how it plays.
        kernel: the kernel that plays, ``unknown`` if it does not say.
    """

    label: str
    commit: str
    command: tuple[str, ...]
    version: str
    bench: str
    kernel: str


def build_revision(
    name: str,
    repository: Path,
    cache: Path,
    tell: Callable[[str], None],
    *,
    install: Install = install_with_pip,
    bench_timeout_s: float = _BENCH_TIMEOUT_S,
) -> BuiltRevision:
    """Finds a version, and unless the cache has it builds it and runs its bench.

    Neither the repository nor its working tree is touched. Only one build of a cache runs at a time; others wait.
    A build that was interrupted is begun anew.

    Args:
        name: a revision, as git understands it, or else a directory; ``.`` is the working tree as it is now.
        repository: where revisions are looked up: a directory of a checkout of this project.
        cache: the directory of the cache; it is made if it is not there. What it holds cannot be moved.
        tell: gets lines on what takes time, and a warning if the engine plays without the compiled core where
            there is a compiler.
        install: builds and installs.
        bench_timeout_s: how many seconds the bench may take.

    Raises:
        RevisionError: there is no such version, it cannot be built, or its bench does not run.
    """
    source = find_source(name, repository, tell)
    place = cache_place(cache, source.commit, machine_hash())
    try:
        marker = read_marker(place) or _build(source, place, tell, install, bench_timeout_s)
        note_use(place)
    except RevisionError as error:
        raise RevisionError(f"{quoted(name)}: {error}") from error
    except OSError as error:
        raise RevisionError(f"{quoted(name)} cannot be built in {quoted(str(place))}: {error}") from error
    checked = marker.checked
    if checked.kernel != "native" and find_compiler() is not None:
        tell(f"{source.label} plays with the {checked.kernel} kernel, though there is a C++ compiler")
    command = _command(place)
    return BuiltRevision(source.label, source.commit, command, checked.version, checked.bench, checked.kernel)


def _build(
    source: Source, place: Path, tell: Callable[[str], None], install: Install, bench_timeout_s: float
) -> Marker:
    """Makes a place of the cache complete, unless somebody else has done so meanwhile."""
    cache = place.parent
    with lock_cache(cache, lambda: tell(f"waiting for another build in {cache}")) as lock:
        if (marker := read_marker(place)) is not None:
            return marker
        tell(f"building {source.label}")
        begun = time.monotonic()
        remove_place(place)
        place.mkdir()
        copy = place / "source"
        source.copy_to(copy)
        # Its commands hold the lock too: if we are killed, whoever builds next waits until they have ended.
        install(copy, environment_of(place), command_runner(place / "build.log", (lock,)))
        shutil.rmtree(copy)
        built = time.monotonic()
        checked = check_bench(_command(place), bench_timeout_s)
        marker = Marker(source.label, source.commit, checked)
        write_marker(place, marker)
        tell(
            f"{source.label} is built in {built - begun:.1f} s; its bench, in {time.monotonic() - built:.1f} s:"
            f" {checked.bench} nodes, {checked.kernel} kernel"
        )
        return marker


def _command(place: Path) -> tuple[str, ...]:
    # Isolated: a package in the working directory, or on PYTHONPATH, must not take the place of this one.
    return (str(environment_python(environment_of(place))), "-I", "-m", "latrones_uci")
