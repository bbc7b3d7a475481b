"""Scripts: signatures, coverage, simulations, releases and the soak test; the workflows run only the code they name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import checks
import measure
import release
import windows_wheel
from folders import ROOT
from latrones_uci import __version__

SIGNATURES = {"python": 100, "native": 2000}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder, check=True, capture_output=True,
    )


def history(folder: Path, *messages: str) -> Path:
    folder.mkdir()
    git(folder, "init")
    for message in messages:
        git(folder, "commit", "--allow-empty", "-m", message)
    return folder


@pytest.mark.process
@pytest.mark.parametrize(("messages", "equal"), [
    (["a\n\nBench: 100 2000"], True),
    (["a\n\nBench: 1 2", "b\n\nBench: 100 2000", "c\n\nNo functional change"], True),
    (["a\n\nBench: 100"], True),  # before the native kernel
    (["a\n\nBench: 100 2000", "b\n\nBench: 101 2000"], False),
    (["a\n\nBench: 100 2001"], False),
    (["a\n\nBench: 100 2000", "b\n\nMentions Bench: 7 8 in a sentence"], True),
])
def test_last_bench_line_is_expected(tmp_path: Path, messages: list[str], equal: bool) -> None:
    assert checks.check_signatures(checkout=history(tmp_path / "repository", *messages),
                                   measure=SIGNATURES.__getitem__) is equal


@pytest.mark.process
def test_histories_without_a_bench_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    history(tmp_path / "without", "a\n\nNo functional change")
    whole = history(tmp_path / "whole", "a\n\nBench: 100 2000", "b\n\nNo functional change")
    git(tmp_path, "clone", "--depth", "1", whole.as_uri(), "shallow")
    for folder, message in (
        ("without", "no commit with a line"), ("shallow", "the history is shallow; fetch all of it"),
        ("", "git rev-parse: fatal: not a git repository"),
    ):
        with pytest.raises(checks.UnknownError, match=message):
            checks.check_signatures(checkout=tmp_path / folder)


@pytest.mark.parametrize(("covered", "passed"), [(95, True), (94, False)])
def test_every_gated_room_needs_its_branches(covered: int, passed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    full = dict.fromkeys(checks.KEYS, 100)
    files = {f"x/latrones_uci/{room}/a.py": full for room in checks.GATED} | {
        "x/latrones_uci/web/board/b.py": {**full, "covered_branches": 0},
        "x/latrones_uci/match/c.py": {**full, "covered_branches": 2 * covered - 100},
    }
    assert checks.print_coverage(files) is passed
    assert ("not reached: match" in capsys.readouterr().out) is not passed


@pytest.mark.process
@pytest.mark.parametrize(("words", "rows"), [(["gate", "--games", "4", "--runs", "1"], 12),
                                             (["ratings", "--lists", "1"], 12),
                                             (["bisect", "--commits", "3", "--runs", "1"], 5)])
def test_a_small_table_is_simulated(words: list[str], rows: int) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "simulate.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 2 + rows


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_actions_are_those_of_a_commit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+(; .*)?", each) for each in used)
    checkouts = re.findall(r"uses: actions/checkout@.*\n((?: {8,}.*\n)+)", text)
    assert len(checkouts) == sum(each.startswith("actions/checkout@") for each in used)
    assert all("persist-credentials: false" in each for each in checkouts)


# ---------------------------------------------------------------- releases

CHANGE = "### Fixed\n\n- Fix a bug."
FILES = ("README.md", "CHANGELOG.md", "pyproject.toml", "latrones_uci/version.py", "scripts/released.sha256")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a checkout with only the files that name the version, and an unreleased change."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    change(tmp_path, "CHANGELOG.md", "## [Unreleased]\n", f"## [Unreleased]\n\n{CHANGE}\n\n")
    return tmp_path


def change(root: Path, name: str, old: str, new: str) -> None:
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_texts_agree() -> None:
    assert release.problems(ROOT) == []
    assert release.version_of(ROOT) == __version__


def test_an_edit_of_a_released_section_is_found(copy: Path) -> None:
    assert release.late_edits(ROOT) == release.late_edits(copy) == []
    change(copy, "CHANGELOG.md", CHANGE, f"{CHANGE}\n- Fix another.")
    assert release.late_edits(copy) == []
    released = (copy / "CHANGELOG.md").read_bytes()
    wanted = f"CHANGELOG.md: the section of {__version__} differs from its release"
    for old, new in ((" - 2026-", " - 2027-"), (f"## [{__version__}]", "## [0.0.0]")):
        change(copy, "CHANGELOG.md", old, new)
        assert any(each.startswith(wanted) for each in release.late_edits(copy))
        (copy / "CHANGELOG.md").write_bytes(released)
    release.bump(copy, "7.8.9", "2030-01-02")
    assert release.late_edits(copy) == []
    change(copy, "CHANGELOG.md", CHANGE, f"{CHANGE}\n- Fix a third.")
    (found,) = release.late_edits(copy)
    assert "the section of 7.8.9 differs" in found


@pytest.mark.process
def test_tag(copy: Path) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(copy), *words], check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    for key, value in (("user.name", "A"), ("user.email", "a@example.org"), ("commit.gpgsign", "false")):
        git("config", key, value)
    release.bump(copy, "7.8.9", "2030-01-02")
    git("add", ".")
    git("commit", "-qm", "Prepare")
    with pytest.raises(release.ReleaseError, match="the last commit is 'Prepare'; expected 'Release 7.8.9'"):
        release.tag(copy)
    git("commit", "-qm", "Release 7.8.9", "--amend")
    change(copy, "README.md", "Install", "Installation")
    with pytest.raises(release.ReleaseError, match=r"uncommitted changes; expected none\nM README.md"):
        release.tag(copy)
    git("checkout", "-q", "README.md")
    assert release.tag(copy) == "v7.8.9"
    assert git("for-each-ref", "--format=%(objecttype) %(contents:subject)", "refs/tags") == "tag latrones-uci 7.8.9\n"
    assert "### Fixed\n\n- Fix a bug." in git("tag", "--list", "--format=%(contents)")
    with pytest.raises(release.ReleaseError, match="git tag: .*already exists"):
        release.tag(copy)


def test_the_address_of_the_repository(copy: Path) -> None:
    with pytest.raises(release.ReleaseError, match="--repository 'example.org': not an address"):
        release.bump(copy, "7.8.9", "2030-01-02", "example.org")
    assert release.version_of(copy) == __version__
    for version in ("7.8.9", "7.9.0"):
        release.bump(copy, version, "2030-01-02", "https://example.org/a/latrones-uci")
        project = tomllib.loads((copy / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert project["urls"]["Source"] == "https://example.org/a/latrones-uci"
        assert project["urls"]["Changelog"] == f"https://example.org/a/latrones-uci/blob/v{version}/CHANGELOG.md"
        assert project["scripts"]
        change(copy, "CHANGELOG.md", "## [Unreleased]\n", f"## [Unreleased]\n\n{CHANGE}\n")


@pytest.mark.parametrize(("name", "old", "new", "what"), [
    ("pyproject.toml", "4 - Beta", "3 - Alpha", "pyproject.toml: classifiers"),
    ("pyproject.toml", 'dynamic = ["version", "readme"]', 'dynamic = []\nversion = "1"', "a version of its own"),
    ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n## [7.0.0] - 2030-01-01\n", "newest version is 7.0.0"),
    ("CHANGELOG.md", "## [Unreleased]\n", f"## [Unreleased]\n\n## [{__version__}]\n", "has no date"),
    ("README.md", "Python 3.11", "Python 3.9", "README.md: no 'Python 3.11'"),
    ("README.md", "# latrones-uci\n", "# latrones-uci 9.8.7\n", "README.md: version 9.8.7"),
    ("README.md", "# latrones-uci\n", "# latrones-uci-v10.2.3\n", "README.md: version 10.2.3"),
])
def test_disagreement_is_found(copy: Path, name: str, old: str, new: str, what: str) -> None:
    change(copy, name, old, new)
    (found,) = release.problems(copy)
    assert what in found


def test_bump(copy: Path) -> None:
    before = release.sections((copy / "CHANGELOG.md").read_text(encoding="utf-8"))["Unreleased"]
    assert before.startswith(CHANGE)
    release.bump(copy, "7.8.9", "2030-01-02")
    assert release.version_of(copy) == "7.8.9"
    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]\n\n## [7.8.9] - 2030-01-02\n" in text
    found = release.sections(text)
    assert (list(found)[:2], found["Unreleased"], found["7.8.9"]) == (["Unreleased", "7.8.9"], "", before)
    assert release.problems(copy) == []
    notes = release.notes(copy, [copy / "README.md"])
    assert notes.startswith(f"# latrones-uci 7.8.9\n\n{before}\n\n## Files\n")
    assert notes.rstrip("`\n").endswith("  README.md")
    with pytest.raises(release.ReleaseError, match="nothing below '## "):
        release.bump(copy, "7.9.0", "2030-01-03")


@pytest.mark.parametrize(("version", "what"), [
    ("0.2", "expected MAJOR.MINOR.PATCH"), ("v0.2.0", "not a version"), ("01.2.0", "not a version"),
    ("0.0.9", "not newer than"), (__version__, "not newer than"),
])
def test_a_wrong_version_changes_nothing(copy: Path, version: str, what: str) -> None:
    before = [(copy / name).read_bytes() for name in FILES]
    with pytest.raises(release.ReleaseError, match=what):
        release.bump(copy, version, "2030-01-02")
    assert [(copy / name).read_bytes() for name in FILES] == before


def test_notes_of_a_checkout_say_that_it_is_not_released(copy: Path) -> None:
    assert release.notes(copy, []).startswith(f"# latrones-uci {__version__} (not released)\n\n{CHANGE}\n")


@pytest.mark.process
def test_a_wheel_for_windows_needs_its_python_and_headers(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no Python for Windows; expected a folder with python3XX\.dll"):
        windows_wheel.make(tmp_path, tmp_path)
    (tmp_path / "python3.dll").touch()
    (tmp_path / "python399.dll").touch()
    with pytest.raises(ValueError, match=r"no headers of Python 3\.99; expected an installed python3\.99"):
        windows_wheel.make(tmp_path, tmp_path)
    assert list(tmp_path.glob("*.whl")) == []


# ---------------------------------------------------------------- the soak test

needs_proc = pytest.mark.linux  # needs /proc


def test_growth_after_the_warm_up_is_found() -> None:
    grown = [(50_000 + 2_000 * at, 7 + at // 30, 3) for at in range(40)]
    assert measure.growths(grown) == ["30000 kB of memory more", "1 open files more"]
    assert measure.growths([(min(50_000 + 10_000 * at, 100_000) + at % 3, 7, 3) for at in range(40)]) == []


@needs_proc
@pytest.mark.process
def test_zombies_and_orphaned_processes_are_found() -> None:
    soak = measure.Soak(1, 1)
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        while measure.children().get(child.pid) != "Z":
            time.sleep(0.01)
        soak.sample()
        soak.close()
    own = [each for each in soak.findings if f" {child.pid}" in each]  # tests before may have left others
    assert own == [f"zombie: process {child.pid}", f"orphaned process {child.pid}, state Z"]


@needs_proc
@pytest.mark.slow
def test_short_soak(native_core: None, tmp_path: Path) -> None:
    """Late answers may occur on a busy machine; nothing else may be found."""
    command = [sys.executable, str(ROOT / "scripts" / "measure.py"), "soak", "--minutes", "0.1", "--margin-ms", "5000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
                          env=os.environ)
    assert done.stderr == ""
    findings = [line for line in done.stdout.splitlines() if "FINDING" in line]
    assert [line for line in findings if "clock below zero" not in line and "time loss" not in line] == []
    assert done.returncode == bool(findings)
    assert " plies, " in done.stdout
