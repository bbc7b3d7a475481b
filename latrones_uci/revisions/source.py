"""What a name of a version stands for: a commit, or a directory as it is now; and its files."""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from latrones_uci.game import quoted
from latrones_uci.revisions.run_command import RevisionError, clean_environment

_LABEL_HEX_DIGITS = 10
_BUILD_SCRIPTS = ("pyproject.toml", "setup.py")

# Of the files at the top those that a build reads. Notes and results are left beside them, and change all the time.
_TOP_FILES = (*_BUILD_SCRIPTS, "setup.cfg", "MANIFEST.in", "README*", "LICENSE*")
_OTHER_TOP_FOLDERS = ("tests", "docs", ".*")

# What builds and checks leave behind, where no git tells what is to be ignored.
_LEFT_BEHIND = (".*", "build", "dist", "*.egg-info", "__pycache__", "*.py[cod]", "*.so", "*.pyd", "not_built.txt")


@dataclass(frozen=True)
class CommittedSource:
    """A commit.

    Attributes:
        label: its tag, else its abbreviated hash.
        commit: its full hash.
        git_directory: of its repository.
    """

    label: str
    commit: str
    git_directory: Path

    def copy_to(self, target: Path) -> None:
        """Writes its files to a directory that is not there yet; no working tree is touched.

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
    """A directory, with whatever is not committed in it.

    Attributes:
        label: its name and the beginning of the hash.
        commit: a hash of the files that matter to a build.
        root: the directory.
        files: those files, relative to it, in order.
    """

    label: str
    commit: str
    root: Path
    files: tuple[PurePosixPath, ...]

    def copy_to(self, target: Path) -> None:
        """Copies its files to a directory that is not there yet.

        Raises:
            RevisionError: they are no longer those of the hash.
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
        return RevisionError(f"the directory {quoted(str(self.root))} was changed while it was copied")


Source = CommittedSource | DirectorySource


def find_source(name: str, repository: Path, tell: Callable[[str], None]) -> Source:
    """What a name stands for: a revision of the repository if there is one, else a directory.

    Args:
        name: of the revision, as git understands it, or of the directory, seen from the current one.
        repository: a directory of the repository.
        tell: gets a line if the name stands for both.

    Raises:
        RevisionError: it is neither, or no source of this project.
    """
    directory = Path(name)
    is_directory = bool(name) and directory.is_dir()
    try:
        git_directory = Path(_git("-C", str(repository), "rev-parse", "--absolute-git-dir").decode().strip())
    except RevisionError as error:
        if is_directory:
            return _directory_source(directory)
        raise RevisionError(
            f"{quoted(name)} is no directory, and there is no git repository in {quoted(str(repository))}: {error}"
        ) from None
    try:
        command = (f"--git-dir={git_directory}", "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        commit = _git(*command).decode().strip()
    except RevisionError:
        if is_directory:
            return _directory_source(directory)
        raise RevisionError(
            f"{quoted(name)} is neither a revision in {quoted(str(repository))} nor a directory"
        ) from None
    if is_directory:
        tell(f"{name} is a revision and a directory: the revision is taken; the directory can be called ./{name}")
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


def _directory_source(directory: Path) -> DirectorySource:
    root = directory.resolve()
    _check_build_scripts(f"the directory {quoted(str(root))}", os.listdir(root))
    in_checkout = any((folder / ".git").exists() for folder in (root, *root.parents))
    listed = _listed_by_git(root) if in_checkout else ()
    # Nothing is listed where the whole directory is ignored by a repository around it.
    files = tuple(sorted(file for file in listed or _found(root) if _matters(file) and (root / file).is_file()))
    commit = _content_hash(root, files)
    return DirectorySource(f"{root.name}-{commit[:_LABEL_HEX_DIGITS]}", commit, root, files)


def _check_build_scripts(what: str, names: Iterable[str]) -> None:
    if not set(names).intersection(_BUILD_SCRIPTS):
        raise RevisionError(f"{what} cannot be built: it has no {' or '.join(_BUILD_SCRIPTS)}")


def _matters(file: PurePosixPath) -> bool:
    """Whether a file may be of use to a build."""
    if len(file.parts) == 1:
        return any(fnmatchcase(file.name, pattern) for pattern in _TOP_FILES)
    return not any(fnmatchcase(file.parts[0], pattern) for pattern in _OTHER_TOP_FOLDERS)


def _listed_by_git(root: Path) -> set[PurePosixPath]:
    """The files that git tracks, and those that it neither tracks nor ignores."""
    listed = _git("-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {PurePosixPath(os.fsdecode(name)) for name in listed.split(b"\0") if name}


def _found(root: Path) -> Iterator[PurePosixPath]:
    """The files below a directory, but for what is left behind there."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not _is_left_behind(Path(folder, name))]
        for name in names:
            if not _is_left_behind(Path(folder, name)):
                yield PurePosixPath(Path(folder, name).relative_to(root).as_posix())


def _is_left_behind(path: Path) -> bool:
    is_environment = (path / "pyvenv.cfg").exists()
    return is_environment or any(fnmatchcase(path.name, pattern) for pattern in _LEFT_BEHIND)


def _content_hash(root: Path, files: Iterable[PurePosixPath]) -> str:
    """A SHA-256 of names and contents, in hexadecimal digits."""
    whole = hashlib.sha256()
    for file in files:
        content = hashlib.sha256((root / file).read_bytes()).hexdigest()
        whole.update(f"{content} {file}\0".encode(errors="surrogateescape"))
    return whole.hexdigest()


def _git(*arguments: str) -> bytes:
    """What git prints.

    Raises:
        RevisionError: it cannot be run, or fails; in one line.
    """
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, env=clean_environment() | {"LC_ALL": "C"})
    except OSError as error:
        raise RevisionError(f"git cannot be run: {error}") from None
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise RevisionError(f"git: {said or f'exit status {done.returncode}'}")
    return done.stdout
