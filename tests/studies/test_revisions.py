"""Builds, benches and cache of versions of a small engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.studies.revisions.build import (
    BuiltRevision,
    build_revision,
    build_revisions,
    cached_revisions,
    clean,
    default_cache,
    run_bench,
)
from latrones_uci.studies.revisions.recipe import Recipe, read_recipe
from latrones_uci.studies.revisions.source import RevisionError, Source
from latrones_uci.text.files import exclusive_lock

pytestmark = pytest.mark.process

ENGINE = """
import sys
if sys.argv[1] == "bench":
    print("1/1 board: 1 nodes\\n")
    print("Kernel: native, depth 3\\nNodes searched: {nodes}\\nNodes/second: 5")
"""

COPY = """
import pathlib, shutil, subprocess, sys
source, directory = map(pathlib.Path, sys.argv[1:])
shutil.copytree(source / "engine", directory / "engine")
if (source / ".git").exists():
    described = subprocess.run(["git", "describe", "--tags", "--always", "--dirty"], cwd=source, capture_output=True)
    (directory / "described").write_bytes(described.stdout)
"""
RECIPE = Recipe(
    build=("{python} -I tools/copy.py {source} {directory}",),
    command="{python} -I {directory}/engine/main.py",
    bench="bench",
    paths=("engine", "tools"),
    build_timeout_s=60.0,
)


class Workshop:
    """A project, a cache, and the messages of the builds."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.cache = folder / "cache"
        self.messages: list[str] = []

    @property
    def builds(self) -> int:
        return sum(message.startswith("building ") for message in self.messages)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_engine(self, nodes: int) -> None:
        self.write("engine/main.py", ENGINE.replace("{nodes}", str(nodes)))

    def git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "-m", message)
        return self.git("rev-parse", "HEAD")

    def build(self, name: str, recipe: Recipe = RECIPE) -> BuiltRevision:
        return build_revision(name, self.root, self.cache, self.messages.append, recipe)


def described(built: BuiltRevision) -> str:
    """Return what ``git describe`` printed in the build."""
    return Path(dict(built.places)["{directory}"], "described").read_text().strip()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Return a project without a git repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    workshop = Workshop(tmp_path)
    workshop.write("tools/copy.py", COPY)
    workshop.write_engine(100)
    return workshop


@pytest.fixture
def repository(project: Workshop) -> Workshop:
    """Return a project with one commit."""
    project.git("init")
    project.write(".gitignore", "*.so\n__pycache__/\n")
    project.commit("first")
    return project


@pytest.mark.slow
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
    # A build has a repository of its own, which knows tags and changes.
    assert [*map(described, (old, new, tree))] == ["v1", f"v1-1-g{second[:7]}", f"v1-1-g{second[:7]}-dirty"]
    assert repository.git("status", "--porcelain") == before
    assert repository.git("worktree", "list").count("\n") == 0

    repository.messages.clear()
    assert [repository.build(name) for name in ("v1", second, ".")] == [old, new, tree]
    assert repository.messages == []
    assert not list(repository.cache.glob("*/source"))


@pytest.mark.slow
def test_commits_that_differ_elsewhere_are_one_version(repository: Workshop) -> None:
    first = repository.build("HEAD")
    repository.write("docs/news.md", "nothing that is built")
    commit = repository.commit("documents")
    second = repository.build("HEAD")
    assert (second.commit, second.label) == (commit, commit[:10])
    assert (second.contents, second.command) == (first.contents, first.command)
    assert repository.builds == 1
    everything = Recipe(RECIPE.command, RECIPE.build, RECIPE.bench)
    assert repository.build("HEAD", everything).contents != repository.build("HEAD~1", everything).contents
    # Another way to build is another build.
    assert repository.build("HEAD", Recipe(RECIPE.command, RECIPE.build, "bench --slow", RECIPE.paths)) != second
    assert repository.builds == 4


def test_a_checkout_that_the_engine_needs_is_kept(repository: Workshop) -> None:
    options = (("File", "{source}/net"), ("Hash", "9"))
    recipe = Recipe("{python} {source}/engine/main.py", bench="bench", options=options,
                    environment=(("HOME", "{directory}"),), protocol="ugi")
    built = repository.build("HEAD", recipe)
    assert built.bench == "100"
    assert Path(built.command[-1]).is_file()
    settings = built.engine("x", ["nodes=1", "option.Hash=1"])
    checkout = dict(built.places)["{source}"]
    assert settings.options == (("File", f"{checkout}/net"), ("Hash", "1"))
    assert settings.environment == (("HOME", dict(built.places)["{directory}"]),)
    assert (settings.protocol, settings.name) == ("ugi", "x")
    assert (settings.command, settings.signature) == (built.command, "100")


@pytest.mark.posix  # of a script, git for Windows finds no interpreter here
def test_no_program_of_the_user_runs_in_a_checkout(
    repository: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook, ran = tmp_path / "hooks" / "post-checkout", tmp_path / "ran"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\necho \"$0\" >> '{ran}'\n", encoding="utf-8")
    hook.chmod(0o755)
    settings = tmp_path / "settings"
    settings.write_text(f"[core]\nhooksPath = {hook.parent}\nfsmonitor = {hook}\n", encoding="utf-8")
    repository.git("-c", f"core.hooksPath={hook.parent}", "checkout", "HEAD~0")
    assert ran.exists()  # so much for this test
    ran.unlink()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    built = repository.build("HEAD", Recipe("{python} {source}/engine/main.py", bench="bench"))
    assert (built.bench, ran.exists()) == ("100", False)


@pytest.mark.slow
def test_linked_worktrees_and_shallow_repositories(repository: Workshop, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--detach", str(tmp_path / "linked"))
    repository.write_engine(200)
    commit = repository.commit("second")
    repository.git("clone", "--depth", "1", repository.root.as_uri(), str(tmp_path / "shallow"))
    for folder, nodes in (("linked", "100"), ("shallow", "200")):
        built = build_revision("HEAD", tmp_path / folder, repository.cache, repository.messages.append, RECIPE)
        assert built.bench == nodes
    assert built.commit == commit
    repository.git("checkout", "--detach")
    repository.write_engine(300)
    lost = repository.commit("on no branch")
    repository.git("checkout", "main")
    assert repository.build(lost).bench == "300"


@pytest.mark.slow
def test_files_that_change_a_directory(repository: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    name = str(repository.root)
    clean_tree = repository.build(name)
    assert clean_tree == repository.build("HEAD")  # the same files under another name
    for file in ("engine/core.so", "notes.txt", "match.db", "tests/test_new.py", ".idea/x"):
        repository.write(file, "not read by a build")
    assert repository.build(name) == clean_tree
    repository.write("engine/new.py", "")  # neither tracked nor ignored
    with_new = repository.build(name)
    assert with_new.commit != clean_tree.commit
    repository.write_engine(101)
    assert repository.build(name).bench == "101"
    repository.write_engine(100)
    assert repository.build(name) == with_new
    (repository.root / "engine" / "new.py").unlink()
    assert repository.build(name) == clean_tree
    assert repository.builds == 3
    monkeypatch.setenv("CXXFLAGS", "-O0")  # another build of the same source
    assert repository.build(name).command != clean_tree.command


def test_directory_without_git(project: Workshop) -> None:
    first = project.build(str(project.root))
    for file in ("engine/build/x.py", "engine/__pycache__/x.pyc", "engine/core.x.so", "engine/env/pyvenv.cfg", "notes"):
        project.write(file, "left behind")
    assert project.build(str(project.root)) == first
    project.write("engine/new.py", "")
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


def test_directory_changed_while_copied(repository: Workshop) -> None:
    repository.write_engine(200)
    with pytest.raises(RevisionError, match="changed while it was copied"):
        build_revision(
            str(repository.root), repository.root, repository.cache, lambda text: repository.write_engine(500), RECIPE
        )


def test_what_cannot_be_built(repository: Workshop) -> None:
    for name in ("v9", "", "-h", "HEAD..HEAD"):
        with pytest.raises(RevisionError, match=f"'{name}': neither a revision in '.*project' nor a directory"):
            repository.build(name)
    repository.git("rm", "-r", "engine", "tools")
    repository.write("notes", "")
    repository.commit("cannot be built")
    for name in ("HEAD", str(repository.root)):
        with pytest.raises(RevisionError, match=r"cannot be built: it has none of the paths .* engine, tools"):
            repository.build(name)


def failing(*printed: str) -> Recipe:
    """Return a recipe whose build prints lines and fails."""
    code = "import sys; print(*sys.argv[1:], sep='\\n'); sys.exit(3)"
    quoted = " ".join(f'"{line}"' for line in printed)
    return Recipe("{directory}/engine", (f'{{python}} -c "{code}" {quoted}',))


@pytest.mark.slow
def test_failed_build_shows_its_first_errors_and_its_last_lines(repository: Workshop) -> None:
    many = [f"line {number}" for number in range(20)]
    for printed, shown in (
        # The first error is the cause.
        (["clear", "x.cpp:7: error: no such thing", *many, "ERROR: Failed building wheel"],
         ["x.cpp:7: error: no such thing", "...", *many[-7:], "ERROR: Failed building wheel"]),
        (["error: subprocess-exited-with-error", "", *many], many[-8:]),
        (["ERROR: No match: " + "1.0, " * 100], [("ERROR: No match: " + "1.0, " * 100)[:200]]),
        (["one", "two"], ["one", "two"]),
    ):
        with pytest.raises(RevisionError) as raised:
            repository.build("HEAD", failing(*printed))
        first, *quoted, last = str(raised.value).splitlines()
        assert first.startswith("'HEAD': build: exit status 3: ")
        assert quoted == [f"    {line}" for line in shown]
        log = Path(last.removeprefix("The whole output is in "))
        assert log.read_text().startswith(f"$ {sys.executable}")
    for line, message in (("no-such-tool", "build: cannot run no-such-tool: "),
                          ("{python} -c pass", "build: '{directory}/engine' does not exist afterwards")):
        with pytest.raises(RevisionError, match=f"'HEAD': {message}"):
            repository.build("HEAD", Recipe("{directory}/engine", (line,)))


def test_timeout_of_a_build(repository: Workshop) -> None:
    code = "print('still busy', flush=True); import time; time.sleep(60)"
    recipe = Recipe("{directory}/engine", (f'{{python}} -c "{code}"',), build_timeout_s=0.5)
    with pytest.raises(RevisionError, match=r"build: timeout after 0.5 s: .*\n    still busy\n"):
        repository.build("HEAD", recipe)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "timeout_s", "message"), [
    ("raise SystemExit('out of memory')", 60, "bench: exit status 1: out of memory"),
    ("print('something else')", 60, "bench: no line 'Nodes searched: N' in the output: something else"),
    ("import sys\nwhile 'bench' in sys.argv: pass", 0.5, "bench: timeout after 0.5 s"),
])
def test_failed_bench(repository: Workshop, engine: str, timeout_s: float, message: str) -> None:
    repository.write("engine/main.py", engine)
    repository.commit("broken")
    recipe = Recipe("{python} {source}/engine/main.py", bench="bench", build_timeout_s=timeout_s)
    for _ in range(2):  # a failed build is not taken from the cache
        with pytest.raises(RevisionError, match=f"'HEAD': {message}"):
            repository.build("HEAD", recipe)
    assert repository.build("HEAD", Recipe(recipe.command)).bench == ""  # an engine may have none


def test_output_and_environment_of_a_bench() -> None:
    code = "import os; print('Nodes searched: 7\\nNodes searched  :', os.environ['NODES'])"
    assert run_bench([sys.executable, "-c", code], {"NODES": "12"}, 60) == "12"


def test_interrupted_build_is_repeated(repository: Workshop) -> None:
    """Its first command ends at once only when there is the file ``go``."""
    stop, go = threading.Event(), repository.cache / "go"
    repository.write("tools/wait.py", "import pathlib, sys, time\ngo, half = map(pathlib.Path, sys.argv[1:])\n"
                     "if not go.exists():\n    half.touch()\n    time.sleep(60)\n")
    repository.commit("slow")
    wait = f"{{python}} tools/wait.py {go} {{directory}}/half"
    recipe = Recipe(RECIPE.command, (wait, *RECIPE.build), RECIPE.bench, RECIPE.paths)
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(build_revision, "HEAD", repository.root, repository.cache, print, recipe, stop)
        while not list(repository.cache.rglob("half")):
            assert not job.done()
        stop.set()
        with pytest.raises(RevisionError, match="interrupted"):
            job.result()
    (left,) = cached_revisions(repository.cache)
    assert left.marker is None
    go.touch()
    assert repository.build("HEAD", recipe).bench == "100"
    assert not list(repository.cache.rglob("half"))


def test_concurrent_builds_of_one_version(repository: Workshop) -> None:
    waits = threading.Event()

    def on_message(message: str) -> None:
        repository.messages.append(message)
        if message.startswith("waiting"):
            waits.set()
        else:
            assert not message.startswith("building") or waits.wait(60)

    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(build_revision, "HEAD", repository.root, repository.cache, on_message, RECIPE)
                for _ in range(2)]
        first, second = (job.result() for job in jobs)
    assert first == second
    assert repository.builds == 1


def test_builds_side_by_side(repository: Workshop) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.write_engine(200)
    repository.commit("second")
    repository.write("tools/copy.py", "raise SystemExit('broken')")
    repository.commit("broken")
    failures = {}
    names = ["HEAD", first, "HEAD~1", "HEAD~2"]
    built = build_revisions(names, repository.root, repository.cache, repository.messages.append, RECIPE,
                            on_failure=lambda name, error: failures.update({name: str(error)}))
    assert [(name, version.bench) for name, version in built.items()] == [
        (first, "100"), ("HEAD~1", "200"), ("HEAD~2", "100")
    ]
    assert "broken" in failures["HEAD"]
    assert repository.builds == 3  # two names of one version
    with pytest.raises(RevisionError, match="'HEAD': build: exit status 1"):
        build_revisions(names, repository.root, repository.cache, print, RECIPE)


def test_sources_are_checked_before_the_first_build(repository: Workshop) -> None:
    """A commit that changes nothing, and one that changes other files only, have the contents of the one before."""
    repository.git("commit", "--quiet", "--allow-empty", "-m", "empty")
    repository.write("notes.txt", "not a part of the engine")
    repository.commit("notes")

    def refuse(sources: Mapping[str, Source]) -> None:
        assert len({source.contents for source in sources.values()}) == 1
        raise SettingsError("all the same")

    with pytest.raises(SettingsError, match="all the same"):
        build_revisions(["HEAD", "HEAD~1", "HEAD~2"], repository.root, repository.cache, repository.messages.append,
                        RECIPE, check=refuse)
    assert repository.builds == 0


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
    recipe = Recipe("{directory}/engine/main.py", ("{python} -I tools/copy.py {source} {directory}",))
    (repository.root / "engine" / "main.py").chmod(0o755)
    repository.commit("executable")
    built = repository.build("HEAD", recipe)
    Path(built.command[0]).unlink()
    assert repository.build("HEAD", recipe) == built
    assert Path(built.command[0]).exists()
    (marker,) = repository.cache.glob("*/complete.json")
    marker.write_text(json.dumps({"format": 99}))  # of another release
    repository.build("HEAD", recipe)
    assert repository.builds == 3


def test_clean(repository: Workshop) -> None:
    commits = [repository.git("rev-parse", "HEAD")]
    for nodes in (200, 300):
        repository.write_engine(nodes)
        commits.append(repository.commit("more"))
    for age, commit in enumerate(commits):
        place = Path(dict(repository.build(commit).places)["{directory}"]).parent
        os.utime(place / "complete.json", (1000 + age, 1000 + age))
    (repository.cache / ("0" * 20 + "-" + "1" * 12)).mkdir()  # an interrupted build
    (repository.cache / "thesis").mkdir()
    repository.build(commits[0])  # now the most recently used

    removed = clean(repository.cache, keep=2)
    assert {cached.marker.commit if cached.marker else None for cached in removed} == {commits[1], None}
    left = cached_revisions(repository.cache)
    assert [cached.marker.commit for cached in left if cached.marker] == [commits[0], commits[2]]
    assert len(clean(repository.cache)) == 2
    assert sorted(path.name for path in repository.cache.iterdir()) == ["locks", "thesis"]
    assert clean(repository.cache / "none") == []


def test_default_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_cache() == Path("/somewhere/latrones-uci/revisions")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_cache() == Path.home() / ".cache/latrones-uci/revisions"


# ---------------------------------------------------------------- recipes


@pytest.mark.parametrize(("text", "message"), [
    ("", "command is missing"),
    ("command = 3", "command: '3' is not a string"),
    ('command = "{directory}/x"\nbiuld = []', "unknown key 'biuld'; did you mean 'build"),
    ('command = "{directory}/x"\nbuild = "make"', "build: 'make' is not a list"),
    ('command = "{directory}/x"\nbuild = ["make \'"]', "build: \"make '\": No closing quotation"),
    ('command = "{dir}/x"', "'{dir}/x': unknown placeholder '{dir}'; expected {source}, {directory}, {python}"),
    ('command = "engine"', "command: 'engine' is the same for all versions; expected a path that begins with {source}"),
    ('command = "./x {source}"', "command: './x' is a relative path; expected {source}/... or {directory}/..."),
    ('command = "{directory}/x"\npaths = ["../y"]', "paths: '../y' is not a path inside the repository"),
    ('command = "{directory}/x"\npaths = []', "paths: empty"),
    ('command = "{directory}/x"\nbuild_timeout_s = 0', "build_timeout_s: 0 is not a positive time in seconds"),
    ('command = "{directory}/x"\nprotocol = "gtp"', "protocol: 'gtp' is not one of uci, ugi, auto"),
    ('command = "{directory}/x"\neach = ["node=1"]', "'node=1': unknown key 'node'; did you mean 'nodes"),
    ("command = ", "not a TOML file"),
])
def test_errors_of_recipes(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "revs.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as raised:
        read_recipe(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_recipe_of_the_working_tree_builds_every_version(repository: Workshop) -> None:
    with pytest.raises(SettingsError, match="revs.toml': no such file"):
        build_revision("HEAD", repository.root, repository.cache, print)
    repository.write("revs.toml", 'command = "{python} {source}/engine/main.py"\nbench = "bench"\npaths = ["engine"]\n')
    built = build_revision("HEAD", repository.root / "tools", repository.cache, print)
    assert built.bench == "100"
    assert built.command[0] == sys.executable
