"""The script of a release: the texts that must agree, a new version, and the notes. Building is its own test."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import release
from latrones_uci import __version__

ROOT = Path(__file__).resolve().parent.parent
CHANGE = "### Fixed\n\n- Fix a bug."
FILES = ("README.md", "CHANGELOG.md", "pyproject.toml", "latrones_uci/version.py")


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


@pytest.mark.process
def test_an_edit_of_a_released_section_is_found(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, "-C", str(copy), *words], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", f"Release {__version__}")
    assert release.late_edits(copy) == []
    assert f"release {__version__} has no tag" in capsys.readouterr().err
    git("tag", f"v{__version__}")
    change(copy, "CHANGELOG.md", CHANGE, f"{CHANGE}\n- Fix another.")
    assert release.late_edits(copy) == []
    change(copy, "CHANGELOG.md", f"## [{__version__}]", f"## [{__version__}] - 2001-01-01\n\n## [0.0.0]")
    assert any(f"the section of {__version__} differs from its release" in each for each in release.late_edits(copy))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("name", "old", "new", "what"), [
    ("pyproject.toml", "4 - Beta", "3 - Alpha", "pyproject.toml: classifiers"),
    ("pyproject.toml", 'dynamic = ["version", "readme"]', 'dynamic = []\nversion = "1"', "a version of its own"),
    ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n## [7.0.0] - 2030-01-01\n", "newest version is 7.0.0"),
    ("CHANGELOG.md", "## [Unreleased]\n", f"## [Unreleased]\n\n## [{__version__}]\n", "has no date"),
    ("README.md", "Python 3.11", "Python 3.9", "README.md: no 'Python 3.11'"),
    ("README.md", "# latrones-uci\n", "# latrones-uci 9.8.7\n", "README.md: version 9.8.7"),
    ("README.md", "# latrones-uci\n", "# latrones-uci-v10.2.3\n", "README.md: version 10.2.3"),
])  # fmt: skip
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
])  # fmt: skip
def test_a_wrong_version_changes_nothing(copy: Path, version: str, what: str) -> None:
    before = [(copy / name).read_bytes() for name in FILES]
    with pytest.raises(release.ReleaseError, match=what):
        release.bump(copy, version, "2030-01-02")
    assert [(copy / name).read_bytes() for name in FILES] == before


def test_notes_of_a_checkout_say_that_it_is_not_released(copy: Path) -> None:
    assert release.notes(copy, []).startswith(f"# latrones-uci {__version__} (not released)\n\n{CHANGE}\n")
