"""Build a version from its source in a virtual environment of its own, and get its version and bench signature.

The cache of built versions is a directory with one entry per version; a marker file says that an entry is complete.
"""

import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from latrones_uci.game import quoted, reason
from latrones_uci.match.files import exclusive_lock
from latrones_uci.revisions.source import RevisionError, Source, clean_environment, find_source, last_lines, run_command

_BUILD_TIMEOUT_S = 3600.0
_COMPILER_VARIABLES = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "ARCHFLAGS")
_ERROR = re.compile(r"error: (?!subprocess-exited-with-error)", re.IGNORECASE)  # pip prints this for any failure
_VERSION_TIMEOUT_S = 60.0
_NODES = re.compile(r"^nodes searched *: *([0-9]+)\s*$", re.ASCII | re.IGNORECASE | re.MULTILINE)
_BENCH_KERNEL = re.compile(r"^kernel: *(\w+)", re.ASCII | re.IGNORECASE | re.MULTILINE)
_VERSION_KERNEL = re.compile(r"\(kernel:? (\w+)")  # early versions print a colon

Run = Callable[[Sequence[str]], None]
"""Run a build command; raise ``RevisionError`` if it fails."""

Install = Callable[[Path, Path, Run], None]
"""Create a virtual environment and install a version in it.

Arguments: the directory of the source, the directory of the environment (created by the call), and the function that
runs commands.
"""


def environment_python(environment: Path) -> Path:
    """Return the path of the interpreter of a virtual environment."""
    return environment / "Scripts" / "python.exe" if os.name == "nt" else environment / "bin" / "python"


def install_with_pip(source: Path, environment: Path, run: Run) -> None:
    """Build and install a version with pip, as its ``pyproject.toml`` says. Build requirements need a package index.

    Raises:
        RevisionError: a command fails.
    """
    run([sys.executable, "-I", "-m", "venv", str(environment)])
    pip = [str(environment_python(environment)), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    run([*pip, "install", "--no-deps", str(source)])


def command_runner(log: Path, descriptors: Sequence[int]) -> Run:
    """Return a function that runs the commands of one build.

    ``log`` receives their output; each command keeps the ``descriptors`` open until it ends.
    """

    def run(command: Sequence[str]) -> None:
        try:
            status = run_command(
                command, log, directory=log.parent, timeout_s=_BUILD_TIMEOUT_S, environment=clean_environment(),
                descriptors=descriptors,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RevisionError(f"build: timeout after {_BUILD_TIMEOUT_S:g} s; see {log}") from None
        except OSError as error:
            raise RevisionError(f"build: cannot run {shlex.join(command)}: {reason(error)}") from None
        if status:
            errors = _first_errors(log.read_text(encoding="utf-8", errors="replace"))
            raise RevisionError(f"build: exit status {status}: {errors} (full output: {log})")

    return run


def _first_errors(output: str) -> str:
    """Return the first lines with an error, which name the cause; later errors are consequences."""
    errors = [line for line in output.splitlines() if _ERROR.search(line)]
    return last_lines("\n".join(errors[:2]) if errors else output)


def find_compiler() -> str | None:
    """Return the C++ compiler that a build uses, None if there is none or the core is not compiled on this system."""
    if os.name == "nt":
        return None  # the core is not built there
    for command in (os.environ.get("CXX"), sysconfig.get_config_var("CXX"), "c++", "g++", "clang++"):
        if command and shutil.which(shlex.split(command)[0]) is not None:
            return str(command)
    return None


def machine_hash() -> str:
    """Return a hash of everything but the source that a build depends on: Python, platform, compiler, and its flags."""
    compiler = find_compiler()
    identity = [
        sys.version, sys.implementation.name, sys.base_prefix, sysconfig.get_platform(), " ".join(platform.libc_ver()),
        compiler, _describe(compiler) if compiler else None,
        *(os.environ.get(name) for name in _COMPILER_VARIABLES),
    ]  # fmt: skip
    return hashlib.sha256(repr(identity).encode()).hexdigest()


def _describe(compiler: str) -> str:
    """Return the version line of a compiler. A compiler that fails here fails in the build, which quotes its output."""
    done = subprocess.run(
        [*shlex.split(compiler), "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    return done.stdout.decode(errors="replace").partition("\n")[0]


@dataclass(frozen=True)
class BenchCheck:
    """The version and the signature that an engine prints."""

    version: str
    """The line printed for ``--version``."""
    bench: str
    """The node count of ``bench``, the signature of its play."""
    kernel: str
    """The kernel that ran the bench, ``unknown`` if the engine does not print it."""


def check_bench(command: Sequence[str], timeout_s: float) -> BenchCheck:
    """Run an engine's ``--version``, and its ``bench`` to the default depth.

    ``timeout_s`` is that of the bench.

    Raises:
        RevisionError: one of the two fails or exceeds its timeout, or the bench prints no signature.
    """
    version = next(iter(_output_of(command, "--version", _VERSION_TIMEOUT_S).splitlines()), "unknown version").strip()
    output = _output_of(command, "bench", timeout_s)
    nodes = _NODES.findall(output)
    if not nodes:
        raise RevisionError(f"bench: no line 'Nodes searched: N' in the output: {last_lines(output)}")
    kernel = _BENCH_KERNEL.search(output) or _VERSION_KERNEL.search(version)
    return BenchCheck(version, nodes[-1], kernel[1] if kernel else "unknown")


def _output_of(command: Sequence[str], argument: str, timeout_s: float) -> str:
    with tempfile.TemporaryDirectory(prefix="latrones-bench-") as folder:
        output_file = Path(folder, "output")
        try:
            status = run_command(
                [*command, argument], output_file, directory=Path(folder), timeout_s=timeout_s,
                environment=clean_environment(),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise RevisionError(f"{argument}: timeout after {timeout_s:g} s") from None
        except OSError as error:
            raise RevisionError(f"{argument}: cannot start the engine: {reason(error)}") from None
        output = output_file.read_text(encoding="utf-8", errors="replace")
    if status:
        raise RevisionError(f"{argument}: exit status {status}: {last_lines(output)}")
    return output


# ---------------------------------------------------------------- the cache

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


# ---------------------------------------------------------------- a version that is ready to play


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
