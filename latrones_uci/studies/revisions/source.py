"""Find the source of a version by name: a commit, or a directory as it is now."""

import hashlib
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath

from latrones_uci.client.errors import OperationError
from latrones_uci.client.programs import kill_group, start_group
from latrones_uci.text.clock import now_s
from latrones_uci.text.messages import quoted, reason


class RevisionError(OperationError):
    """A version cannot be found, built or run; the message quotes its name, and the last lines of a failed build."""


class UnknownRevisionError(RevisionError):
    """There is no such revision, or not in this place of the history."""

    exit_status = 2  # a bad argument


_POLL_S = 0.2
_QUOTED_LINES = 3
_QUOTED_LENGTH = 160
_UNSAFE_VARIABLES = {
    "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV",
    # Git sets these for its hooks, which may start a match.
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
}


def run_command(
    command: Sequence[str],
    output: Path,
    *,
    directory: Path,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
    stop: threading.Event | None = None,
) -> int:
    """Run a command with empty input, and return its exit status.

    On a timeout, an interrupt or ``stop``, the command is killed with all processes that it started.

    Args:
        command: program and arguments; no shell is run.
        output: the file to which stdout and stderr are appended.
        directory: the working directory.
        timeout_s: timeout in seconds.
        environment: environment of the command, None for that of this process.
        descriptors: file descriptors that the command keeps open until it ends, even if this process is killed; not
            on Windows.
        stop: when it is set, the command is killed.

    Raises:
        RevisionError: ``stop`` is set.
        subprocess.TimeoutExpired: the timeout has passed.
        OSError: the command cannot be started.
    """
    with output.open("ab") as sink:
        process = start_group(
            command, keeps=descriptors, stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT, cwd=directory,
            env=environment,
        )
    try:
        return _wait(process, timeout_s, stop)
    except BaseException:
        kill_group(process)
        process.wait()
        raise


def _wait(process: "subprocess.Popen[bytes]", timeout_s: float, stop: threading.Event | None) -> int:
    end = now_s() + timeout_s
    while True:
        left_s = end - now_s()
        try:
            return process.wait(min(left_s, _POLL_S))
        except subprocess.TimeoutExpired:
            if stop is not None and stop.is_set():
                raise RevisionError("interrupted") from None
            if left_s <= _POLL_S:
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

# Files that builds and checks leave behind, for directories where git cannot say what to ignore.
_LEFT_BEHIND = (".*", "build", "dist", "*.egg-info", "__pycache__", "*.py[cod]", "*.so", "*.pyd", "not_built.txt")


@dataclass(frozen=True)
class CommittedSource:
    """The source of a commit."""

    label: str
    """A tag of the commit, or its abbreviated hash."""
    commit: str
    """Full hash of the commit."""
    contents: str
    """Hash of what the paths of the recipe contain."""
    git_directory: Path
    """Git directory of its repository."""

    def copy_to(self, target: Path) -> None:
        """Check the commit out to a new directory, which is a repository of its own.

        Raises:
            RevisionError: git fails.
        """
        _clone(self.git_directory, target)
        _git(*_NO_HOOKS, "-C", str(target), "checkout", "--quiet", "--detach", self.commit)


@dataclass(frozen=True)
class DirectorySource:
    """The source in a directory, with uncommitted changes."""

    label: str
    """Name of the directory and the first digits of the hash."""
    contents: str
    """Hash of the files in the paths of the recipe."""
    root: Path
    """The directory."""
    hashed: tuple[PurePosixPath, ...]
    """The files in these paths, relative to the directory, sorted."""
    others: tuple[PurePosixPath, ...]
    """Other files that git tracks, which a build may read."""
    git_directory: Path | None
    """Git directory of the checkout, None if the directory is not the top of one that has a commit."""

    @property
    def commit(self) -> str:
        """The hash of the files: there is no commit."""
        return self.contents

    def copy_to(self, target: Path) -> None:
        """Copy the files to a new directory; that of a checkout is a repository whose commit they differ from.

        Raises:
            RevisionError: the files have changed since the hash was computed, or git fails.
        """
        if self.git_directory is None:
            target.mkdir()
        else:
            commit = _git(f"--git-dir={self.git_directory}", "rev-parse", "HEAD").decode().strip()
            _clone(self.git_directory, target)
            _git(*_NO_HOOKS, "-C", str(target), "update-ref", "--no-deref", "HEAD", commit)
            _git(*_NO_HOOKS, "-C", str(target), "read-tree", "HEAD")
        try:
            for file in (*self.hashed, *self.others):
                copy = target / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / file, copy)
        except FileNotFoundError:
            raise self._changed() from None
        if _content_hash(target, self.hashed) != self.contents:
            raise self._changed()

    def _changed(self) -> RevisionError:
        return RevisionError(f"directory {quoted(str(self.root))}: changed while it was copied")


Source = CommittedSource | DirectorySource


def find_source(name: str, repository: Path, paths: Sequence[str], on_message: Callable[[str], None]) -> Source:
    """Return the source with a name: a revision of the repository if it exists, otherwise a directory.

    A checkout in which no file of the paths differs from its commit is that commit, so that it is built once.

    Args:
        name: a git revision, or a directory relative to the current one.
        repository: a directory of the repository.
        paths: the files and directories that make a version.
        on_message: called with a message if the name is both a revision and a directory.

    Raises:
        RevisionError: the name is neither, or the source has none of the paths.
    """
    directory = Path(name)
    is_directory = bool(name) and directory.is_dir()
    try:
        git_directory = Path(_git("-C", str(repository), "rev-parse", "--absolute-git-dir").decode().strip())
    except RevisionError as error:
        if is_directory:
            return _directory_source(directory, paths)
        raise UnknownRevisionError(
            f"{quoted(name)}: not a directory, and no git repository in {quoted(str(repository))}: {error}"
        ) from None
    try:
        command = (f"--git-dir={git_directory}", "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        commit = _git(*command).decode().strip()
    except RevisionError:
        if is_directory:
            return _directory_source(directory, paths)
        raise UnknownRevisionError(
            f"{quoted(name)}: neither a revision in {quoted(str(repository))} nor a directory"
        ) from None
    if is_directory:
        on_message(f"{name} is a revision and a directory: using the revision; use ./{name} for the directory")
    return _committed_source(name, commit, git_directory, paths)


KEY_DIGITS, LABEL_DIGITS = 16, 10
"""The first digits of a commit that name its version in a campaign, and in tables."""


@dataclass(frozen=True)
class Commit:
    """A commit of a history."""

    commit: str
    """Its full hash."""
    date: str
    """The date of the commit, such as ``2026-11-24``."""
    subject: str
    """The first line of its message."""
    contents: str
    """Hash of what the paths of the recipe contain, as that of its source; empty if it has none of them."""

    @property
    def key(self) -> str:
        """The name of its version in a campaign."""
        return self.commit[:KEY_DIGITS]

    @property
    def label(self) -> str:
        """The name of its version in tables."""
        return self.commit[:LABEL_DIGITS]


def commits_between(base: str, last: str, repository: Path, paths: Sequence[str]) -> list[Commit]:
    """Return two revisions with the commits between them, in a line from ``base`` to ``last``.

    A merge counts as one commit, for all that it merged: only first parents are followed, from ``last`` back to the
    first commit that contains ``base``.

    Raises:
        RevisionError: a revision does not exist, or ``base`` is not an ancestor of ``last``.
    """
    git_directory = Path(os.fsdecode(_git("-C", str(repository), "rev-parse", "--absolute-git-dir").strip()))
    git = partial(_git, f"--git-dir={git_directory}")
    ends = []
    for name in (base, last):
        try:
            ends.append(git("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().strip())
        except RevisionError:
            raise UnknownRevisionError(f"{quoted(name)}: no revision in {quoted(str(repository))}") from None
    try:
        git("merge-base", "--is-ancestor", *ends)
    except RevisionError:
        text = f"{quoted(base)} is not an ancestor of {quoted(last)}; expected the older one first"
        raise UnknownRevisionError(text) from None
    shown = ("--no-patch", "--encoding=UTF-8", "--format=%H%x00%cs%x00%s")
    # Not a list of all hashes: on Windows a command has 32,767 characters at most.
    after = git("log", *shown, "--reverse", "--first-parent", "--ancestry-path", f"{ends[0]}..{ends[1]}")
    commits = []
    for line in (git("show", *shown, ends[0]) + after).decode(errors="replace").splitlines():
        if "\0" in line:
            commit, date, subject = line.split("\0")
            commits.append(Commit(commit, date, subject, _contents(git_directory, commit, paths)))
    return commits


def top_of(repository: Path) -> Path:
    """Return the top of the checkout that a directory is in; the directory itself if it is in none."""
    try:
        return Path(os.fsdecode(_git("-C", str(repository), "rev-parse", "--show-toplevel").removesuffix(b"\n")))
    except RevisionError:
        return repository


def _committed_source(name: str, commit: str, git_directory: Path, paths: Sequence[str]) -> CommittedSource:
    git_option = f"--git-dir={git_directory}"
    contents = _contents(git_directory, commit, paths)
    if not contents:
        raise _nothing(f"revision {quoted(name)} ({commit[:_LABEL_HEX_DIGITS]})", paths)
    tags = _git(git_option, "tag", "--points-at", commit).decode().split()
    if name in tags:
        label = name
    elif tags:
        label = tags[0]
    else:
        label = _git(git_option, "rev-parse", f"--short={_LABEL_HEX_DIGITS}", commit).decode().strip()
    return CommittedSource(label, commit, contents, git_directory)


def _contents(git_directory: Path, commit: str, paths: Sequence[str]) -> str:
    """Return a hash of what the paths of a commit contain, empty if it has none of them."""
    chosen = [] if _is_all(paths) else [path.rstrip("/") for path in paths]
    listed = _git(f"--git-dir={git_directory}", "ls-tree", "-z", "--full-tree", commit, "--", *chosen)
    return hashlib.sha256(listed).hexdigest() if listed else ""


def _directory_source(directory: Path, paths: Sequence[str]) -> Source:
    root = directory.resolve()
    in_checkout = any((folder / ".git").exists() for folder in (root, *root.parents))
    git_directory = None
    if (root / ".git").exists() and _has_commit(root):
        git_directory = Path(_git("-C", str(root), "rev-parse", "--absolute-git-dir").decode().strip())
        if _is_unchanged(root, paths):
            commit = _git("-C", str(root), "rev-parse", "HEAD").decode().strip()
            return _committed_source(str(directory), commit, git_directory, paths)
    listed = _listed(root, "--cached", "--others", "--exclude-standard", "--", *paths) if in_checkout else set()
    # The list is empty if a repository around the directory ignores all of it.
    found = listed or {file for file in _found(root) if _is_all(paths) or any(map(file.is_relative_to, paths))}
    hashed = tuple(sorted(file for file in found if (root / file).is_file()))
    if not hashed:
        raise _nothing(f"directory {quoted(str(root))}", paths)
    tracked = _listed(root, "--cached") if listed else set()
    others = tuple(sorted(file for file in tracked - found if (root / file).is_file()))
    contents = _content_hash(root, hashed)
    label = f"{root.name}-{contents[:_LABEL_HEX_DIGITS]}"
    return DirectorySource(label, contents, root, hashed, others, git_directory)


def _nothing(what: str, paths: Sequence[str]) -> RevisionError:
    return RevisionError(f"{what}: cannot be built: it has none of the paths of the recipe, {', '.join(paths)}")


def _is_all(paths: Sequence[str]) -> bool:
    return PurePosixPath() in map(PurePosixPath, paths)


def _has_commit(root: Path) -> bool:
    try:
        _git("-C", str(root), "rev-parse", "--verify", "HEAD")
    except RevisionError:
        return False
    return True


def _is_unchanged(root: Path, paths: Sequence[str]) -> bool:
    """Return whether the paths of a checkout are those of its commit."""
    changed = _git("--literal-pathspecs", "-C", str(root), "diff", "-z", "--name-only", "HEAD", "--", *paths)
    return not changed and not _listed(root, "--others", "--exclude-standard", "--", *paths)


def _listed(root: Path, *arguments: str) -> set[PurePosixPath]:
    """Return the files that ``git ls-files`` lists."""
    output = _git("--literal-pathspecs", "-C", str(root), "ls-files", "-z", *arguments)
    return {PurePosixPath(os.fsdecode(name)) for name in output.split(b"\0") if name}


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


# A monitor of files is a program as well; that of git for Windows would keep the folder open.
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")


def _clone(git_directory: Path, target: Path) -> None:
    """Make a repository without files that reads the objects of another one, which it does not change."""
    _git(*_NO_HOOKS, "clone", "--quiet", "--shared", "--no-checkout", str(git_directory), str(target))


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
