"""Build a version of an engine by its recipe, and get its bench signature.

The cache of built versions is a directory with one entry per version; a marker file says that an entry is complete.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from latrones_uci.client.child import status_text
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import start_position
from latrones_uci.match.screen import prints_scores
from latrones_uci.records.settings import TournamentSettings, parse_screen
from latrones_uci.studies.revisions.recipe import (
    DIRECTORY,
    PYTHON,
    RECIPE_NAME,
    SOURCE,
    Recipe,
    filled,
    filled_command,
    read_recipe,
)
from latrones_uci.studies.revisions.source import (
    Commit,
    RevisionError,
    Source,
    clean_environment,
    commits_between,
    find_source,
    last_lines,
    run_command,
    top_of,
)
from latrones_uci.text.clock import now_s
from latrones_uci.text.command import join_command, split_command
from latrones_uci.text.files import exclusive_lock, open_text, remove_file, remove_folder, write_whole
from latrones_uci.text.folders import user_folder
from latrones_uci.text.messages import quoted, reason
from latrones_uci.text.signals import result_of

_COMPILERS = ("cc", "c++", "clang", "clang++", "rustc")
_COMPILER_VARIABLES = (
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "ARCHFLAGS", "RUSTC", "RUSTFLAGS"
)
_ERROR = re.compile(r"error: (?!subprocess-exited-with-error)", re.IGNORECASE)  # pip prints this for any failure
_FIRST_ERRORS, _LAST_LINES, _LINE_LENGTH = 3, 8, 200
_NODES = re.compile(r"^nodes searched *: *([0-9]+)\s*$", re.ASCII | re.IGNORECASE | re.MULTILINE)


def machine_hash() -> str:
    """Return a hash of everything but source and recipe that a build depends on: Python, platform, compilers, flags."""
    compilers = {*_COMPILERS, *filter(None, map(os.environ.get, ("CC", "CXX", "RUSTC")))}
    identity = [
        sys.version, sys.implementation.name, sys.base_prefix, sysconfig.get_platform(), " ".join(platform.libc_ver()),
        *map(_describe, sorted(compilers)), *map(os.environ.get, _COMPILER_VARIABLES),
    ]
    return hashlib.sha256(repr(identity).encode()).hexdigest()


def _describe(compiler: str) -> str | None:
    """Return the version line of a compiler, None if it does not exist."""
    try:
        words = [*split_command(compiler), "--version"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except (OSError, ValueError):
        return None
    return done.stdout.decode(errors="replace").partition("\n")[0]


def _important_lines(output: str) -> str:
    """Return the first errors, which name the cause, and the last lines of a build, on indented lines."""
    lines = [line.rstrip()[:_LINE_LENGTH] for line in output.splitlines() if line.strip()]
    last = max(0, len(lines) - _LAST_LINES)
    errors = [line for line in lines[:last] if _ERROR.search(line)][:_FIRST_ERRORS]
    shown = [*errors, *(["..."] if errors else []), *lines[last:]] or ["no output"]
    return "\n".join(f"    {line}" for line in shown)


def run_bench(command: Sequence[str], environment: Mapping[str, str], timeout_s: float) -> str:
    """Run the bench of an engine, and return its node count, the signature of its play.

    Raises:
        RevisionError: it fails, exceeds its timeout, or prints no signature.
    """
    with tempfile.TemporaryDirectory(prefix="latrones-bench-") as folder:
        output_file = Path(folder, "output")
        try:
            status = run_command(
                command, output_file, directory=Path(folder), timeout_s=timeout_s,
                environment=clean_environment() | dict(environment),
            )
        except subprocess.TimeoutExpired:
            raise RevisionError(f"bench: timeout after {timeout_s:g} s") from None
        except OSError as error:
            raise RevisionError(f"bench: cannot start {join_command(command)}: {reason(error)}") from None
        output = output_file.read_text(encoding="utf-8", errors="replace")
    if status:
        raise RevisionError(f"bench: exit status {status_text(status)}: {last_lines(output)}")
    nodes = _NODES.findall(output)
    if not nodes:
        raise RevisionError(f"bench: no line 'Nodes searched: N' in the output: {last_lines(output)}")
    return str(nodes[-1])


# ---------------------------------------------------------------- the cache

_MARKER = "complete.json"
_MARKER_FORMAT = 2
_SOURCE_HEX_DIGITS = 20
_BUILD_HEX_DIGITS = 12
_ENTRY_NAME = re.compile(rf"[0-9a-f]{{{_SOURCE_HEX_DIGITS}}}-[0-9a-f]{{{_BUILD_HEX_DIGITS}}}")


@dataclass(frozen=True)
class Marker:
    """The contents of the marker file of a complete entry."""

    label: str
    """Label of the version when it was built."""
    commit: str
    """Full hash of the commit; for a directory, hash of the contents of its files."""
    program: str
    bench: str
    """Its bench signature, empty if it has no bench."""


@dataclass(frozen=True)
class CachedRevision:
    """An entry of the cache."""

    entry: Path
    marker: Marker | None
    """Its marker, None if the build was not completed."""
    used_at: float
    """Time of the last build or use, in seconds as from ``time.time()``."""


def default_cache() -> Path:
    """Return the cache directory of the user."""
    return user_folder("cache") / "revisions"


def entry_path(cache: Path, contents: str, build_hash: str) -> Path:
    """Return the absolute directory of a version in a cache, named by the hashes of its source and of its build."""
    return cache.absolute() / f"{contents[:_SOURCE_HEX_DIGITS]}-{build_hash[:_BUILD_HEX_DIGITS]}"


def lock_entry(entry: Path, on_wait: Callable[[], None]) -> AbstractContextManager[int]:
    """Lock an entry for a change, and create the cache if needed. See ``exclusive_lock``."""
    locks = entry.parent / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    return exclusive_lock(locks / entry.name, on_wait, temporary=True)


def read_marker(entry: Path) -> Marker | None:
    """Return the marker of a complete entry, None if the version has to be built."""
    try:
        content = json.loads((entry / _MARKER).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if content["format"] != _MARKER_FORMAT:
        return None  # written by another release of this program
    marker = Marker(content["label"], content["commit"], content["program"], content["bench"])
    return marker if _is_program(marker.program) else None  # it, or its interpreter, has been removed


def _is_program(name: str) -> bool:
    """Return whether there is a program with a name or a path; on Windows they may leave out ``.exe``."""
    return any(map(shutil.which, (name, f"{name}.exe")))  # before Python 3.12, it adds nothing to a path itself


def write_marker(entry: Path, marker: Marker) -> None:
    """Mark an entry as complete, atomically. This is the last step of a build."""
    write_whole(entry / _MARKER, json.dumps({"format": _MARKER_FORMAT, **asdict(marker)}, indent=1) + "\n")


def note_use(entry: Path) -> None:
    """Set the last use of a complete entry to now."""
    (entry / _MARKER).touch()


def remove_entry(entry: Path) -> None:
    """Remove an entry, if it exists: the marker first, so that a partly removed entry is not taken for complete."""
    remove_file(entry / _MARKER)
    if entry.exists():
        remove_folder(entry)


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
    """Remove all entries of a cache but the ``keep`` most recently used complete ones; wait for running builds.

    Entries that a running match uses are removed as well.

    Returns:
        The removed entries.
    """
    cached = cached_revisions(cache)
    kept = [revision for revision in cached if revision.marker is not None][:keep]
    removed = [revision for revision in cached if revision not in kept]
    for revision in removed:
        with lock_entry(revision.entry, lambda: None):
            remove_entry(revision.entry)
    return removed


# ---------------------------------------------------------------- a version that is ready to play


@dataclass(frozen=True)
class BuiltRevision:
    """A version that is ready to play."""

    label: str
    """Short unique name: a tag, an abbreviated hash, or the name and the content hash of a directory."""
    commit: str
    """Full hash of the commit; for a directory, hash of the contents of its files."""
    contents: str
    """Hash of what the paths of the recipe contain; versions with the same contents are one engine."""
    command: tuple[str, ...]
    """Command of the engine; it works in any directory and any environment."""
    bench: str
    """Node count of the bench, the signature of its play; empty if the engine has no bench."""
    recipe: Recipe
    """How it was built."""
    places: tuple[tuple[str, str], ...] = ()
    """The placeholders of the recipe and their values."""

    def engine(self, name: str, each: Sequence[str]) -> EngineSettings:
        """Return the engine's settings for a match, with the options of the recipe.

        Args:
            name: its name in tables and records.
            each: ``KEY=VALUE`` words, which override those of the recipe.

        Raises:
            SettingsError: a word is invalid.
        """
        signature = self.bench or self.contents[:_SOURCE_HEX_DIGITS]
        return self.recipe.engine(name, self.command, dict(self.places), each, signature)


def screened(
    settings: TournamentSettings, base: BuiltRevision, report: Callable[[str], None]
) -> TournamentSettings:
    """Return the settings with a version as the engine that screens random openings, unless they have a screen.

    If it prints no scores, openings are not screened, as in a match; ``report`` is called with a message.

    Raises:
        ScreenError: the version cannot be started, or does not play the first variant.
    """
    if settings.screen is not None or not settings.openings.startswith("random:"):
        return settings
    screen, own = parse_screen([join_command(base.command)]), base.engine("screen", ("tc=inf",))
    engine = replace(screen.engine, options=own.options, environment=own.environment, protocol=own.protocol)
    screen = replace(screen, engine=engine)
    path = None if settings.variant_file is None else settings.variant_file.local_path()
    if not prints_scores(screen, start_position(settings.variants[0], settings.variant_file), path, settings.timeouts):
        report(f"{base.label} prints no scores, so random openings are not screened")
        return settings
    return replace(settings, screen=screen)


def find_recipe(repository: Path) -> Recipe:
    """Read the recipe at the top of the checkout that a directory is in.

    Raises:
        SettingsError: there is none, or it is invalid.
    """
    path = top_of(repository) / RECIPE_NAME
    if not path.exists():
        raise SettingsError(
            f"{quoted(str(path))}: no such file; expected how the engine is built (docs/ci.md), or --recipe FILE"
        )
    return read_recipe(path)


def build_revision(
    name: str,
    repository: Path,
    cache: Path,
    on_message: Callable[[str], None],
    recipe: Recipe | None = None,
    stop: threading.Event | None = None,
) -> BuiltRevision:
    """Return a version from the cache; if it is not there, build it and run its bench.

    The repository and its working tree are not changed. Different versions may be built at the same time; of two builds
    of one version, the second waits for the first. An interrupted build is started again from the beginning.

    Args:
        name: a git revision, or a directory; ``.`` is the working tree as it is now.
        repository: a directory of a checkout of the engine, in which revisions are looked up.
        cache: the directory of the cache; it is created if needed. Its entries cannot be moved.
        on_message: called with progress messages.
        recipe: how versions are built, None for that of the repository.
        stop: when it is set, a running command is killed.

    Raises:
        SettingsError: the recipe is missing or invalid.
        RevisionError: there is no such version, it cannot be built, or its bench fails.
    """
    recipe = recipe or find_recipe(repository)
    return _build_source(name, find_source(name, repository, recipe.paths, on_message), cache, on_message, recipe, stop)


def _build_source(
    name: str, source: Source, cache: Path, on_message: Callable[[str], None], recipe: Recipe,
    stop: threading.Event | None,
) -> BuiltRevision:
    build_hash = hashlib.sha256(f"{machine_hash()} {recipe.build_hash}".encode()).hexdigest()
    entry = entry_path(cache, source.contents, build_hash)
    places = {SOURCE: str(entry / "source"), DIRECTORY: str(entry / "built"), PYTHON: sys.executable}
    command = filled_command(recipe.command, places)
    try:
        marker = read_marker(entry) or _Build(source, entry, recipe, places, on_message, stop)()
        note_use(entry)
    except RevisionError as error:
        raise RevisionError(f"{quoted(name)}: {error}") from error
    except OSError as error:
        raise RevisionError(f"{quoted(name)}: cannot build in {quoted(str(entry))}: {reason(error)}") from error
    return BuiltRevision(
        source.label, source.commit, source.contents, command, marker.bench, recipe, tuple(places.items())
    )


def build_revisions(
    names: Sequence[str],
    repository: Path,
    cache: Path,
    on_message: Callable[[str], None],
    recipe: Recipe | None = None,
    *,
    at_a_time: int = 2,
    on_failure: Callable[[str, RevisionError], None] | None = None,
    check: Callable[[Mapping[str, Source]], None] = lambda sources: None,
) -> dict[str, BuiltRevision]:
    """Build several versions side by side; see ``build_revision``.

    Args:
        names: the names of the versions.
        repository: see ``build_revision``; so are the next three.
        cache: see there.
        on_message: see there.
        recipe: see there.
        at_a_time: the number of builds at a time.
        on_failure: called with the name and the error of each version that cannot be built; None to end with the first
            such error.
        check: called with the sources of the versions by their names before the first build; it may raise an error.

    Returns:
        The built versions by their names, in the given order.

    Raises:
        SettingsError: the recipe is missing or invalid.
        RevisionError: a version cannot be built.
    """
    recipe, stop = recipe or find_recipe(repository), threading.Event()

    @contextmanager
    def failing(name: str) -> Iterator[None]:
        try:
            yield
        except RevisionError as error:
            if on_failure is None:
                raise
            on_failure(name, error)

    sources, built = dict[str, Source](), dict[str, BuiltRevision]()
    for name in names:
        with failing(name):
            sources[name] = find_source(name, repository, recipe.paths, on_message)
    check(sources)
    with ThreadPoolExecutor(at_a_time) as pool:
        try:
            firsts = {source.contents: name for name, source in reversed(sources.items())}
            jobs = {name: pool.submit(_build_source, name, sources[name], cache, on_message, recipe, stop)
                    for name in reversed(firsts.values())}
            for name, source in sources.items():
                with failing(name):
                    first = result_of(jobs[firsts[source.contents]])
                    built[name] = replace(first, label=source.label, commit=source.commit)
            return built
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


@dataclass(frozen=True)
class Repository:
    """A checkout of an engine whose versions play; see ``build_revision`` for the fields."""

    directory: Path
    cache: Path
    recipe: Recipe
    report: Callable[[str], None]

    def commits(self, first: str, last: str) -> list[Commit]:
        return commits_between(first, last, self.directory, self.recipe.paths)

    def build(self, name: str) -> BuiltRevision:
        return build_revision(name, self.directory, self.cache, self.report, self.recipe)

    def build_all(
        self, names: Sequence[str], on_failure: Callable[[str, RevisionError], None] | None = None,
        check: Callable[[Mapping[str, Source]], None] = lambda sources: None,
    ) -> dict[str, BuiltRevision]:
        return build_revisions(list(dict.fromkeys(names)), self.directory, self.cache, self.report, self.recipe,
                               on_failure=on_failure, check=check)


@dataclass(frozen=True)
class _Build:
    """The build of one version."""

    source: Source
    entry: Path
    recipe: Recipe
    places: Mapping[str, str]
    on_message: Callable[[str], None]
    stop: threading.Event | None

    def __call__(self) -> Marker:
        """Complete the entry, unless another process has done so in the meantime."""
        label = self.source.label
        with lock_entry(self.entry, lambda: self.on_message(f"waiting for another build of {label}")) as lock:
            if (marker := read_marker(self.entry)) is not None:
                return marker
            self.on_message(f"building {label}")
            started = now_s()
            remove_entry(self.entry)
            checkout, directory = Path(self.places[SOURCE]), Path(self.places[DIRECTORY])
            directory.mkdir(parents=True)
            self.source.copy_to(checkout)
            for line in self.recipe.build:
                self._run(filled_command(line, self.places), lock)
            text = f"built {label} in {now_s() - started:.1f} s"
            bench = ""
            if self.recipe.bench:
                started = now_s()
                bench = self._bench()
                text += f"; bench in {now_s() - started:.1f} s: {bench} nodes"
            if not self.recipe.uses_source:
                remove_folder(checkout)
            program = filled_command(self.recipe.command, self.places)[0]
            if not _is_program(program):
                written = split_command(self.recipe.command)[0]
                raise RevisionError(f"build: {quoted(written)} does not exist afterwards; expected the program")
            marker = Marker(label, self.source.commit, program, bench)
            write_marker(self.entry, marker)
            self.on_message(text)
            return marker

    def _run(self, command: Sequence[str], lock: int) -> None:
        """Run a command of the build. It holds the lock too: if this process is killed, the next build waits for it."""
        log, timeout_s = self.entry / "build.log", self.recipe.build_timeout_s
        with open_text(log, append=True) as file:
            print(f"$ {join_command(command)}", file=file)
        begin = log.stat().st_size
        try:
            status = run_command(
                command, log, directory=Path(self.places[SOURCE]), timeout_s=timeout_s, environment=clean_environment(),
                descriptors=(lock,), stop=self.stop,
            )
        except subprocess.TimeoutExpired:
            problem = f"timeout after {timeout_s:g} s"
        except OSError as error:
            raise RevisionError(f"build: cannot run {join_command(command)}: {reason(error)}") from None
        else:
            if not status:
                return
            problem = f"exit status {status_text(status)}"
        output = log.read_bytes()[begin:].decode(errors="replace")
        lines = _important_lines(output)
        raise RevisionError(f"build: {problem}: {join_command(command)}\n{lines}\nThe whole output is in {log}")

    def _bench(self) -> str:
        command = filled_command(f"{self.recipe.command} {self.recipe.bench}", self.places)
        environment = {name: filled(value, self.places) for name, value in self.recipe.environment}
        return run_bench(command, environment, self.recipe.build_timeout_s)
