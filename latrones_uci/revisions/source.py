"""Find the source of a version by name: a commit, or a directory as it is now."""

import hashlib
import io
import os
import shutil
import signal
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from latrones_uci.client.errors import OperationError
from latrones_uci.game import quoted, reason


class RevisionError(OperationError):
    """A version of this project cannot be found, built or run; the message quotes its name."""


_POSIX = os.name == "posix"
_QUOTED_LINES = 3
_QUOTED_LENGTH = 160
_UNSAFE_VARIABLES = {
    "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV",
    # Git sets these for its hooks, which may start a match.
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
}  # fmt: skip


def run_command(
    command: Sequence[str],
    output: Path,
    *,
    directory: Path,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> int:
    """Run a command with empty input, and return its exit status.

    On a timeout or an interrupt, the command is killed with all processes that it started.

    Args:
        command: program and arguments; no shell is run.
        output: the file to which stdout and stderr are appended.
        directory: the working directory.
        timeout_s: timeout in seconds.
        environment: environment of the command, None for that of this process.
        descriptors: file descriptors that the command keeps open until it ends, even if this process is killed; not
            on Windows.

    Raises:
        subprocess.TimeoutExpired: the timeout has passed.
        OSError: the command cannot be started.
    """
    with output.open("ab") as sink:
        process = subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, cwd=directory,
            env=environment, start_new_session=_POSIX, pass_fds=descriptors if _POSIX else (),
        )  # fmt: skip
    try:
        return process.wait(timeout_s)
    except BaseException:
        if _POSIX:
            with suppress(ProcessLookupError, PermissionError):  # both mean that no process of the group is left
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        raise


def clean_environment() -> dict[str, str]:
    """Return the environment without variables that make Python import other modules, or git use another repository."""
    return {name: value for name, value in os.environ.items() if name not in _UNSAFE_VARIABLES}


def last_lines(output: str) -> str:
    """Return the last lines of a program's output, shortened and joined to one line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return " | ".join(line[:_QUOTED_LENGTH] for line in lines[-_QUOTED_LINES:]) or "no output"


# ---------------------------------------------------------------- sources

_LABEL_HEX_DIGITS = 10
_BUILD_SCRIPTS = ("pyproject.toml", "setup.py")

# The files at the top level that a build reads. Notes and results there do not matter, and change often.
_TOP_FILES = (*_BUILD_SCRIPTS, "setup.cfg", "MANIFEST.in", "README*", "LICENSE*")
_OTHER_TOP_FOLDERS = ("tests", "docs", ".*")

# Files that builds and checks leave behind, for directories where git cannot say what to ignore.
_LEFT_BEHIND = (".*", "build", "dist", "*.egg-info", "__pycache__", "*.py[cod]", "*.so", "*.pyd", "not_built.txt")


@dataclass(frozen=True)
class CommittedSource:
    """The source of a commit."""

    label: str
    """A tag of the commit, or its abbreviated hash."""
    commit: str
    """Full hash of the commit."""
    git_directory: Path
    """Git directory of its repository."""

    def copy_to(self, target: Path) -> None:
        """Write the files to a new directory; no working tree is changed.

        Raises:
            RevisionError: git fails.
        """
        archive = _git(f"--git-dir={self.git_directory}", "archive", "--format=tar", self.commit)
        target.mkdir()
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            # The first releases of Python 3.11 have no filters.
            tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            tar.extractall(target)


@dataclass(frozen=True)
class DirectorySource:
    """The source in a directory, with uncommitted changes."""

    label: str
    """Name of the directory and the first digits of the hash."""
    commit: str
    """Hash of the files that a build reads."""
    root: Path
    """The directory."""
    files: tuple[PurePosixPath, ...]
    """The files that a build reads, relative to the directory, sorted."""

    def copy_to(self, target: Path) -> None:
        """Copy the files to a new directory.

        Raises:
            RevisionError: the files have changed since the hash was computed.
        """
        target.mkdir()
        try:
            for file in self.files:
                copy = target / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / file, copy)
        except FileNotFoundError:
            raise self._changed() from None
        if _content_hash(target, self.files) != self.commit:
            raise self._changed()

    def _changed(self) -> RevisionError:
        return RevisionError(f"directory {quoted(str(self.root))}: changed while it was copied")


Source = CommittedSource | DirectorySource


def find_source(name: str, repository: Path, on_message: Callable[[str], None]) -> Source:
    """Return the source with a name: a revision of the repository if it exists, otherwise a directory.

    A checkout in which no file that a build reads differs from its commit is that commit, so that it is built once.

    Args:
        name: a git revision, or a directory relative to the current one.
        repository: a directory of the repository.
        on_message: called with a message if the name is both a revision and a directory.

    Raises:
        RevisionError: the name is neither, or the source cannot be built.
    """
    directory = Path(name)
    is_directory = bool(name) and directory.is_dir()
    try:
        git_directory = Path(_git("-C", str(repository), "rev-parse", "--absolute-git-dir").decode().strip())
    except RevisionError as error:
        if is_directory:
            return _directory_source(directory)
        raise RevisionError(
            f"{quoted(name)}: not a directory, and no git repository in {quoted(str(repository))}: {error}"
        ) from None
    try:
        command = (f"--git-dir={git_directory}", "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        commit = _git(*command).decode().strip()
    except RevisionError:
        if is_directory:
            return _directory_source(directory)
        raise RevisionError(
            f"{quoted(name)}: neither a revision in {quoted(str(repository))} nor a directory"
        ) from None
    if is_directory:
        on_message(f"{name} is a revision and a directory: using the revision; use ./{name} for the directory")
    return _committed_source(name, commit, git_directory)


def _committed_source(name: str, commit: str, git_directory: Path) -> CommittedSource:
    git_option = f"--git-dir={git_directory}"
    top = _git(git_option, "ls-tree", "-z", "--name-only", commit).decode(errors="surrogateescape").split("\0")
    _check_build_scripts(f"revision {quoted(name)} ({commit[:_LABEL_HEX_DIGITS]})", top)
    tags = _git(git_option, "tag", "--points-at", commit).decode().split()
    if name in tags:
        label = name
    elif tags:
        label = tags[0]
    else:
        label = _git(git_option, "rev-parse", f"--short={_LABEL_HEX_DIGITS}", commit).decode().strip()
    return CommittedSource(label, commit, git_directory)


def _directory_source(directory: Path) -> Source:
    root = directory.resolve()
    _check_build_scripts(f"directory {quoted(str(root))}", os.listdir(root))
    in_checkout = any((folder / ".git").exists() for folder in (root, *root.parents))
    if (root / ".git").exists() and _is_unchanged(root):
        git_directory = _git("-C", str(root), "rev-parse", "--absolute-git-dir").decode().strip()
        commit = _git("-C", str(root), "rev-parse", "HEAD").decode().strip()
        return _committed_source(str(directory), commit, Path(git_directory))
    listed = _listed_by_git(root) if in_checkout else ()
    # The list is empty if a repository around the directory ignores all of it.
    files = tuple(sorted(file for file in listed or _found(root) if _may_be_built(file) and (root / file).is_file()))
    commit = _content_hash(root, files)
    return DirectorySource(f"{root.name}-{commit[:_LABEL_HEX_DIGITS]}", commit, root, files)


def _is_unchanged(root: Path) -> bool:
    """Return whether a build reads the same files from a checkout as from its commit."""
    try:
        changed = _git("-C", str(root), "diff", "-z", "--name-only", "--no-renames", "HEAD")
    except RevisionError:
        return False  # there is no commit yet
    others = _git("-C", str(root), "ls-files", "-z", "--others", "--exclude-standard")
    return not any(map(_may_be_built, _paths(changed) | _paths(others)))


def _paths(output: bytes) -> set[PurePosixPath]:
    """Parse the paths that git prints with ``-z``."""
    return {PurePosixPath(os.fsdecode(name)) for name in output.split(b"\0") if name}


def _check_build_scripts(what: str, names: Iterable[str]) -> None:
    if not set(names).intersection(_BUILD_SCRIPTS):
        raise RevisionError(f"{what}: cannot be built: no {' or '.join(_BUILD_SCRIPTS)}")


def _may_be_built(file: PurePosixPath) -> bool:
    """Return whether a build may read a file."""
    if len(file.parts) == 1:
        return any(fnmatchcase(file.name, pattern) for pattern in _TOP_FILES)
    return not any(fnmatchcase(file.parts[0], pattern) for pattern in _OTHER_TOP_FOLDERS)


def _listed_by_git(root: Path) -> set[PurePosixPath]:
    """Return the files that git tracks, and those that it neither tracks nor ignores."""
    return _paths(_git("-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"))


def _found(root: Path) -> Iterator[PurePosixPath]:
    """Yield the files below a directory, without those that builds and checks leave behind."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not _is_left_behind(Path(folder, name))]
        for name in names:
            if not _is_left_behind(Path(folder, name)):
                yield PurePosixPath(Path(folder, name).relative_to(root).as_posix())


def _is_left_behind(path: Path) -> bool:
    is_environment = (path / "pyvenv.cfg").exists()
    return is_environment or any(fnmatchcase(path.name, pattern) for pattern in _LEFT_BEHIND)


def _content_hash(root: Path, files: Iterable[PurePosixPath]) -> str:
    """Return a SHA-256 hash of names and contents as hexadecimal digits."""
    digest = hashlib.sha256()
    for file in files:
        content = hashlib.sha256((root / file).read_bytes()).hexdigest()
        digest.update(f"{content} {file}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _git(*arguments: str) -> bytes:
    """Run git, and return its output.

    Raises:
        RevisionError: git cannot be started, or fails; the message is one line.
    """
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, env=clean_environment() | {"LC_ALL": "C"})
    except OSError as error:
        raise RevisionError(f"cannot run git: {reason(error)}") from None
    if done.returncode:
        message = " ".join(done.stderr.decode(errors="replace").split())
        raise RevisionError(f"git: {message or f'exit status {done.returncode}'}")
    return done.stdout
