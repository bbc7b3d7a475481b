"""The recipes of this project and of docs/examples; ``revs`` builds the C engine there from its history, and plays."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.revisions.recipe import read_recipe

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"


@pytest.mark.parametrize(
    "path", [ROOT / "revs.toml", *sorted(EXAMPLES.glob("*/revs.toml"))], ids=lambda path: path.parent.name
)
def test_recipes_are_valid(path: Path) -> None:
    read_recipe(path)


def test_what_makes_a_version_of_this_project() -> None:
    paths = read_recipe(ROOT / "revs.toml").paths
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
    ]  # fmt: skip
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
