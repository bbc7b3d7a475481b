"""Builds, benches and cache of versions of a small project that stands in for this one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from latrones_uci.match.files import exclusive_lock
from latrones_uci.revisions import build as revisions
from latrones_uci.revisions.build import (
    BuiltRevision,
    Run,
    build_revision,
    cached_revisions,
    check_bench,
    clean,
    default_cache,
    install_with_pip,
)
from latrones_uci.revisions.source import RevisionError

pytestmark = pytest.mark.process

ENGINE = """
import sys
if sys.argv[1] == "bench":
    print("1/1 board: 1 nodes\\n")
    print("Kernel: native, depth 3\\nNodes searched: {nodes}\\nNodes/second: 5")
elif sys.argv[1] == "--version":
    print("latrones-uci 0.0.1 (kernel native, the faster one)")
"""

# A build backend of its own lets pip build without an index.
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["scripts"]\n'
BACKEND = """
import pathlib, zipfile
def build_wheel(directory, config_settings=None, metadata_directory=None):
    name, info = "latrones_uci-0.0.1-py3-none-any.whl", "latrones_uci-0.0.1.dist-info/"
    with zipfile.ZipFile(pathlib.Path(directory, name), "w") as wheel:
        for path in pathlib.Path("latrones_uci").glob("*.py"):
            wheel.write(path)
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: latrones-uci\\nVersion: 0.0.1\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""


class Installer:
    """Copy the package into an environment, and count the calls."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, source: Path, environment: Path, run: Run) -> None:
        self.count += 1
        run([sys.executable, "-I", "-m", "venv", "--without-pip", str(environment)])
        packages = sysconfig.get_path("purelib", "venv", {"base": str(environment)})
        shutil.copytree(source / "latrones_uci", Path(packages, "latrones_uci"))


class Workshop:
    """A project, a cache, and the messages of the builds."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.cache = folder / "cache"
        self.install = Installer()
        self.messages: list[str] = []

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_engine(self, nodes: int) -> None:
        self.write("latrones_uci/__main__.py", ENGINE.replace("{nodes}", str(nodes)))

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "-m", message)
        return self.git("rev-parse", "HEAD")

    def build(
        self, name: str, install: Callable[[Path, Path, Run], None] | None = None, timeout_s: float = 60
    ) -> BuiltRevision:
        return build_revision(
            name, self.root, self.cache, self.messages.append,
            install=install or self.install, bench_timeout_s=timeout_s,
        )  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Return a project without a git repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    workshop = Workshop(tmp_path)
    workshop.write("pyproject.toml", PYPROJECT)
    workshop.write("scripts/backend.py", BACKEND)
    workshop.write("latrones_uci/__init__.py", "")
    workshop.write_engine(100)
    return workshop


@pytest.fixture
def repository(project: Workshop) -> Workshop:
    """Return a project with one commit."""
    project.git("init")
    project.write(".gitignore", "*.so\n__pycache__/\n")
    project.commit("first")
    return project


def test_two_revisions_and_the_working_tree(repository: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.git("tag", "v1")
    repository.write_engine(200)
    second = repository.commit("second")
    repository.write_engine(300)
    before = repository.git("status", "--porcelain")
    monkeypatch.chdir(repository.root)

    old, new, tree = (repository.build(name) for name in ("HEAD~1", "main", "."))
    assert (old.label, old.bench, new.bench, tree.bench) == ("v1", "100", "200", "300")
    assert (new.commit, new.label) == (second, second[:10])
    assert tree.label == f"project-{tree.commit[:10]}"
    assert (old.version, old.kernel) == ("latrones-uci 0.0.1 (kernel native, the faster one)", "native")
    assert repository.git("status", "--porcelain") == before
    # Neither the working directory nor PYTHONPATH replaces the built version.
    monkeypatch.setenv("PYTHONPATH", str(repository.root))
    assert "Nodes searched: 100\n" in subprocess.check_output([*old.command, "bench"], text=True)

    repository.messages.clear()
    assert [repository.build(name) for name in ("v1", second, ".")] == [old, new, tree]
    assert repository.install.count == 3
    assert repository.messages == []
    assert not list(repository.cache.glob("*/source"))


def test_files_that_change_a_directory(repository: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    name = str(repository.root)
    clean_tree = repository.build(name)
    assert clean_tree == repository.build("HEAD")  # the same files under another name
    for file in ("latrones_uci/_core.so", "notes.txt", "match.db", "tests/test_new.py", ".idea/x"):
        repository.write(file, "not read by a build")
    assert repository.build(name) == clean_tree
    repository.write("latrones_uci/new.py", "")  # neither tracked nor ignored
    with_new = repository.build(name)
    assert with_new.commit != clean_tree.commit
    repository.write_engine(101)
    assert repository.build(name).bench == "101"
    repository.write_engine(100)
    assert repository.build(name) == with_new
    (repository.root / "latrones_uci" / "new.py").unlink()
    assert repository.build(name) == clean_tree
    assert repository.install.count == 3
    monkeypatch.setenv("CXXFLAGS", "-O0")  # another build of the same source
    assert repository.build(name).command != clean_tree.command


def test_directory_without_git(project: Workshop) -> None:
    first = project.build(str(project.root))
    for file in ("build/lib/x.py", "latrones_uci/__pycache__/x.pyc", "latrones_uci/_core.x.so", "env/pyvenv.cfg"):
        project.write(file, "left behind")
    assert project.build(str(project.root)) == first
    project.write("latrones_uci/new.py", "")
    assert project.build(str(project.root)) != first
    with pytest.raises(RevisionError, match="'v1': not a directory, and no git repository in '.*project'"):
        project.build("v1")
    project.git("init")  # a checkout before its first commit is a directory, too
    assert project.build(str(project.root)).label.startswith("project-")


def test_revision_is_preferred_to_directory(repository: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository.root.parent)
    repository.git("branch", "project")
    assert repository.build("project").commit == repository.git("rev-parse", "HEAD")
    assert "./project" in repository.messages[0]
    assert repository.build("./project").commit == repository.git("rev-parse", "HEAD")
    repository.write_engine(200)
    assert repository.build("./project").label.startswith("project-")


def test_directory_changed_while_copied(repository: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write_engine(200)
    monkeypatch.setattr(revisions, "remove_entry", lambda entry: repository.write_engine(500))
    with pytest.raises(RevisionError, match="changed while it was copied"):
        repository.build(str(repository.root))


def test_what_cannot_be_built(repository: Workshop) -> None:
    for name in ("v9", "", "-h", "HEAD..HEAD"):
        with pytest.raises(RevisionError, match=f"'{name}': neither a revision in '.*project' nor a directory"):
            repository.build(name)
    repository.git("rm", "pyproject.toml")
    repository.commit("cannot be built")
    for name in ("HEAD", str(repository.root)):
        with pytest.raises(RevisionError, match=r"cannot be built: no pyproject.toml or setup.py"):
            repository.build(name)


def test_failed_build_quotes_its_errors(repository: Workshop) -> None:
    for printed, quoted in (
        # The first error is the cause.
        (["clear", "x.cpp:7: error: no such thing", "make", "ERROR: Failed building wheel", "ERROR: b", "note: above"],
         "x.cpp:7: error: no such thing | ERROR: Failed building wheel"),
        (["error: subprocess-exited-with-error", "ERROR: No match: " + "1.0, " * 100], "ERROR: No match: 1.0, 1.0"),
        (["one", "two", "three", "four"], "two | three | four"),
        ([], "no output"),
    ):  # fmt: skip
        failing = [sys.executable, "-c", "import sys; print(*sys.argv[1:], sep='\\n'); sys.exit(3)", *printed]
        with pytest.raises(RevisionError) as raised:
            repository.build("HEAD", lambda source, environment, run, failing=failing: run(failing))
        message = str(raised.value)
        assert message.startswith(f"'HEAD': build: exit status 3: {quoted}")
        assert message.endswith("build.log)")
        assert "\n" not in message
        assert len(message) < 700


@pytest.mark.parametrize(("engine", "timeout_s", "message"), [
    ("raise SystemExit('out of memory')", 60, "--version: exit status 1: out of memory"),
    ("print('something else')", 60, "bench: no line 'Nodes searched: N' in the output: something else"),
    ("import sys\nwhile 'bench' in sys.argv: pass", 0.2, "bench: timeout after 0.2 s"),
])  # fmt: skip
def test_failed_bench(repository: Workshop, engine: str, timeout_s: float, message: str) -> None:
    repository.write("latrones_uci/__main__.py", engine)
    repository.commit("broken")
    for _ in range(2):  # a failed build is not taken from the cache
        with pytest.raises(RevisionError, match=f"'HEAD': {message}"):
            repository.build("HEAD", timeout_s=timeout_s)


def test_bench_output_of_early_versions() -> None:
    engine = "import sys\nprint('x 0.1 (kernel: python)' if '-' in sys.argv[1] else 'Nodes searched  : 12')"
    checked = check_bench([sys.executable, "-c", engine], 60)
    assert (checked.version, checked.bench, checked.kernel) == ("x 0.1 (kernel: python)", "12", "python")


def test_missing_core_gives_a_warning(repository: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("latrones_uci/__main__.py", ENGINE.replace("{nodes}", "100").replace("native", "python"))
    revision = repository.commit("without the core")
    warning = f"warning: {revision[:10]} plays with the python kernel although there is a C++ compiler"
    for compiler in ("c++", "c++", None):  # built, then from the cache
        repository.messages.clear()
        monkeypatch.setattr(revisions, "find_compiler", lambda compiler=compiler: compiler)
        repository.build("HEAD")
        assert repository.messages.count(warning) == (1 if compiler else 0)


def test_interrupted_build_is_repeated(repository: Workshop) -> None:
    def interrupted(source: Path, environment: Path, run: Run) -> None:
        repository.install(source, environment, run)
        (environment / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        repository.build("HEAD", interrupted)
    (left,) = cached_revisions(repository.cache)
    assert left.marker is None
    assert repository.build("HEAD").bench == "100"
    assert repository.install.count == 2
    assert not list(repository.cache.rglob("half"))


def test_concurrent_builds_of_one_version(repository: Workshop) -> None:
    second_waits = threading.Event()

    def slow(source: Path, environment: Path, run: Run) -> None:
        assert second_waits.wait(60)
        repository.install(source, environment, run)

    def on_message(message: str) -> None:
        if message.startswith("waiting"):
            second_waits.set()

    with ThreadPoolExecutor(2) as pool:
        jobs = [
            pool.submit(build_revision, "HEAD", repository.root, repository.cache, on_message, install=slow)
            for _ in range(2)
        ]
        first, second = (job.result() for job in jobs)
    assert first == second
    assert repository.install.count == 1


def test_build_commands_hold_the_lock(tmp_path: Path) -> None:
    with exclusive_lock(tmp_path / "lock", pytest.fail) as descriptor:
        command = [sys.executable, "-c", "input()"]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=(descriptor,))
    ended = []

    def end() -> None:
        child.communicate()
        ended.append(child.returncode)

    with exclusive_lock(tmp_path / "lock", end):
        assert ended


def test_what_cannot_be_used_is_built_again(repository: Workshop) -> None:
    built = repository.build("HEAD")
    Path(built.command[0]).unlink()
    assert repository.build("HEAD") == built
    assert Path(built.command[0]).exists()
    (marker,) = repository.cache.glob("*/complete.json")
    marker.write_text(json.dumps({"format": 99}))  # of another release
    repository.build("HEAD")
    assert repository.install.count == 3


def test_clean(repository: Workshop) -> None:
    commits = [repository.git("rev-parse", "HEAD")]
    for nodes in (200, 300):
        repository.write_engine(nodes)
        commits.append(repository.commit("more"))
    for age, commit in enumerate(commits):
        repository.build(commit)
        (place,) = repository.cache.glob(f"{commit[:20]}-*")
        os.utime(place / "complete.json", (1000 + age, 1000 + age))
    (repository.cache / ("0" * 20 + "-" + "1" * 12)).mkdir()  # an interrupted build
    (repository.cache / "thesis").mkdir()
    repository.build(commits[0])  # now the most recently used

    removed = clean(repository.cache, keep=2)
    assert {cached.marker.commit if cached.marker else None for cached in removed} == {commits[1], None}
    left = cached_revisions(repository.cache)
    assert [cached.marker.commit for cached in left if cached.marker] == [commits[0], commits[2]]
    assert len(clean(repository.cache)) == 2
    assert sorted(path.name for path in repository.cache.iterdir()) == ["lock", "thesis"]
    assert clean(repository.cache / "none") == []


def test_default_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_cache() == Path("/somewhere/latrones-uci/revisions")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_cache() == Path.home() / ".cache/latrones-uci/revisions"


@pytest.mark.slow
def test_with_pip(repository: Workshop) -> None:
    assert repository.build("HEAD", install_with_pip).bench == "100"
