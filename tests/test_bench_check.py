"""scripts/bench_check.py: expected signatures from the history, and messages."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "bench_check.py"
SIGNATURES = {"python": 100, "native": 2000}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_check", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


def history(folder: Path, *messages: str) -> Path:
    folder.mkdir()
    git(folder, "init")
    for message in messages:
        git(folder, "commit", "--allow-empty", "-m", message)
    return folder


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        (["a\n\nBench: 100 2000"], 0),
        (["a\n\nBench: 1 2", "b\n\nBench: 100 2000", "c\n\nNo functional change"], 0),
        (["a\n\nBench: 100"], 0),  # before the native kernel
        (["a\n\nBench: 100 2000", "b\n\nBench: 101 2000"], 1),
        (["a\n\nBench: 100 2001"], 1),
        (["a\n\nBench: 100 2000", "b\n\nMentions Bench: 7 8 in a sentence"], 0),
    ],
)
def test_last_bench_line_is_expected(script: ModuleType, tmp_path: Path, messages: list[str], status: int) -> None:
    assert script.check(history(tmp_path / "repository", *messages), SIGNATURES, SIGNATURES.__getitem__) == status


def test_history_without_a_bench_line(script: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(script.UnknownError, match="no commit with a line"):
        script.expected_signatures(history(tmp_path / "repository", "a\n\nNo functional change"))


def test_shallow_history_gets_a_hint(script: ModuleType, tmp_path: Path) -> None:
    whole = history(tmp_path / "repository", "a\n\nBench: 100 2000", "b\n\nNo functional change")
    git(tmp_path, "clone", "--depth", "1", whole.as_uri(), "shallow")
    with pytest.raises(script.UnknownError, match="the history is shallow; fetch all of it"):
        script.expected_signatures(tmp_path / "shallow")


def test_no_history(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str],
                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "copy").mkdir()
    monkeypatch.setattr("sys.argv", ["bench_check.py", "--checkout", str(tmp_path / "copy")])
    assert script.main() == 2
    assert "bench_check: git rev-parse: fatal: not a git repository" in capsys.readouterr().err
