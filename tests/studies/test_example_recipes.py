"""The recipes of this project and of docs/examples; ``revs`` builds the C engine there from its history, and plays."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from folders import EXAMPLES, ROOT
from latrones_uci.commands.main import match_main as main
from latrones_uci.studies.revisions.recipe import read_recipe


@pytest.mark.parametrize(
    "path", [ROOT / "revs.toml", *sorted(EXAMPLES.glob("*/revs.toml"))], ids=lambda path: path.parent.name
)
def test_recipes_are_valid(path: Path) -> None:
    read_recipe(path)


def test_what_makes_a_version_of_this_project() -> None:
    recipe = read_recipe(ROOT / "revs.toml")
    paths = recipe.paths
    assert recipe.command == "{directory}/bin/latrones-uci"  # where pip puts it on all systems
    assert all((ROOT / path).exists() for path in paths)
    assert not {"docs", "tests", "scripts", "CHANGELOG.md"} & set(paths)


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.check_output(["git", *identity, *words], cwd=folder, text=True)


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """Return a repository with two versions of the C engine; the second cannot count its soldiers."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: cc")
    folder = tmp_path / "engine"
    shutil.copytree(EXAMPLES / "c_engine", folder)
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    git(folder, "tag", "v1")
    source = folder / "engine.c"
    text = source.read_text(encoding="utf-8")
    assert "SOLDIER = 100" in text
    source.write_text(text.replace("SOLDIER = 100", "SOLDIER = 1"), encoding="utf-8")
    git(folder, "commit", "-am", "second")
    return folder


SUBSTANTIAL = ("finished-game", "searchmoves", "infinite", "ready-in-search", "busy", "bad-position", "end-in-search")


@pytest.mark.process
@pytest.mark.parametrize("only", [
    pytest.param([word for name in SUBSTANTIAL for word in ("--only", name)], id="some"),
    pytest.param([], id="all", marks=pytest.mark.slow),
])
def test_the_c_engine_passes_the_check_in_its_head(
    engine: Path, only: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With patience, as the tests of a busy machine need it."""
    monkeypatch.chdir(engine)
    head = (engine / "engine.c").read_text(encoding="utf-8").partition("*/")[0]
    build, check = (shlex.split(line.removeprefix(" *")) for line in head.splitlines() if line.startswith(" *     "))
    subprocess.run(build, check=True)
    patience = ["--latency", "5000", "--timeout", "60"]
    assert check[:2] == ["latrones-uci", "check"]
    assert main(["check", *patience, *only, *check[2:]]) == 0
    assert "FAILED" not in capsys.readouterr().out


# ---------------------------------------------------------------- what to copy


def lines_to_copy(blocks: Iterable[str]) -> Iterator[list[str]]:
    for block in blocks:
        for line in block.replace("\\\n", " ").splitlines():
            yield shlex.split(line, comments=True)


@pytest.mark.process
@pytest.mark.slow
def test_what_to_copy_runs_in_a_fresh_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every line of the page, word by word; more words only make the matches short."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: cc")
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    section = page.partition("## What to copy\n")[2].partition("\n## ")[0]
    recipe = textwrap.dedent(re.findall(r"```toml\n(.*?)```", section, re.DOTALL)[0])
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}|   ){1,2} .*\n)+", section, re.MULTILINE)]
    commands = [words for words in lines_to_copy(blocks) if words and words[0].startswith("latrones-")]
    assert [words[0] for words in commands] == ["latrones-uci"] * 3 + ["latrones-match"] * 2 + ["latrones-uci"]
    origin, folder = tmp_path / "origin", tmp_path / "engine"
    origin.mkdir()
    shutil.copyfile(EXAMPLES / "c_engine" / "engine.c", origin / "engine.c")
    (origin / "revs.toml").write_text(recipe, encoding="utf-8")
    git(origin, "init")
    git(origin, "add", ".")
    git(origin, "commit", "-m", "first")
    git(tmp_path, "clone", "--quiet", str(origin), str(folder))
    source = folder / "engine.c"
    subprocess.run(["cc", "-O2", "-o", folder / "old", source], check=True)
    source.write_text(source.read_text(encoding="utf-8").replace("RANK = 2", "RANK = 3"), encoding="utf-8")
    subprocess.run(["cc", "-O2", "-o", folder / "new", source], check=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for words in commands:
        is_check = words[1] == "check"
        few = ["--only", "handshake", "--only", "searchmoves", "--only", "infinite"]
        typed = ["check", *few, *words[2:]] if is_check else words[words[0] == "latrones-uci":]
        short = [] if is_check else ["--games", "2", "--max-plies", "6", "--concurrency", "1"]
        command = typed if words[0] == "latrones-uci" else ["match", *words[1:]]
        assert main([*command, *short]) in (0, 4), (words, capsys.readouterr().err)  # 4: too few games for a verdict


@pytest.mark.slow
@pytest.mark.process
def test_versions_of_the_c_engine(engine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["revs", "v1", "main", "--repository", str(engine), "--cache", str(tmp_path / "cache")]
    played = [
        *words,
        "--games",
        "4",
        "--each",
        "nodes=60",
        "--database",
        str(tmp_path / "match.db"),
        "--fail-on",
        "fault",
    ]
    assert main([*played, "--json", "--concurrency", "1"]) == 0
    out, err = capfd.readouterr()
    finished = json.loads(out.splitlines()[-1])
    label = git(engine, "rev-parse", "--short=10", "main").strip()
    names = [each["name"] for each in json.loads(out.splitlines()[0])["settings"]["engines"]]
    assert names == [f"test {label}", "base v1"]
    assert sum(finished["meetings"][0][key] for key in ("wins", "draws", "losses")) == 4
    assert err.count("building ") == 2
    assert git(engine, "status", "--porcelain") == ""
    # The same again under another name is a version that was built.
    git(engine, "commit", "--allow-empty", "-m", "third")
    assert main(["revs", "main~1", *words[2:], "--non-regression"]) == 0
    out, err = capfd.readouterr()
    assert "which have the same files, with one thread and no clock. The test passes without a game" in out
    assert "building" not in err


@pytest.mark.slow
@pytest.mark.process
def test_the_history_of_the_c_engine(engine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (engine / "README").write_text("Nothing that is built.\n", encoding="utf-8")
    git(engine, "add", ".")
    git(engine, "commit", "-m", "third")
    (engine / "engine.c").write_text("int main(void) { return nothing; }\n", encoding="utf-8")
    git(engine, "commit", "-am", "broken")
    places = ["--repository", str(engine), "--cache", str(tmp_path / "cache"), "--folder", str(tmp_path / "games")]
    limits = ["--games", "2", "--each", "nodes=20", "--concurrency", "1"]
    words = ["revs", "history", "v1..main", *places, *limits, "--json"]
    assert main(words) == 0
    out = capfd.readouterr().out
    versions = json.loads(out.splitlines()[-1])["versions"]
    assert [(each["label"] == "v1", each["subject"], each["games"]) for each in versions] == [
        (True, "first", 2), (False, "second", 2), (False, "broken", 0)
    ]
    assert "build: exit status 1: cc" in versions[2]["note"]
    assert main(words) == 0
    assert json.loads(capfd.readouterr().out.splitlines()[-1])["versions"][:2] == versions[:2]


@pytest.mark.process
def test_a_build_that_fails(engine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (engine / "engine.c").write_text("int main(void) { return nothing; }\n", encoding="utf-8")
    words = ["revs", "main", str(engine), "--repository", str(engine), "--cache", str(tmp_path / "cache")]
    assert main(words) == 1
    error = capfd.readouterr().err
    assert f"'{engine}': build: exit status 1: cc -O2 -o " in error
    assert "\n    engine.c:1:25: error: " in error
    assert error.splitlines()[-1].endswith("build.log")
