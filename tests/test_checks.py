"""scripts/checks.py: expected signatures from the history, and the limits of coverage."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import checks

SIGNATURES = {"python": 100, "native": 2000}


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


@pytest.mark.process
@pytest.mark.parametrize(("messages", "equal"), [
    (["a\n\nBench: 100 2000"], True),
    (["a\n\nBench: 1 2", "b\n\nBench: 100 2000", "c\n\nNo functional change"], True),
    (["a\n\nBench: 100"], True),  # before the native kernel
    (["a\n\nBench: 100 2000", "b\n\nBench: 101 2000"], False),
    (["a\n\nBench: 100 2001"], False),
    (["a\n\nBench: 100 2000", "b\n\nMentions Bench: 7 8 in a sentence"], True),
])  # fmt: skip
def test_last_bench_line_is_expected(tmp_path: Path, messages: list[str], equal: bool) -> None:
    assert checks.check_signatures(history(tmp_path / "repository", *messages), SIGNATURES.__getitem__) is equal


@pytest.mark.process
def test_histories_without_a_bench_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    history(tmp_path / "without", "a\n\nNo functional change")
    whole = history(tmp_path / "whole", "a\n\nBench: 100 2000", "b\n\nNo functional change")
    git(tmp_path, "clone", "--depth", "1", whole.as_uri(), "shallow")
    for folder, message in (
        ("without", "no commit with a line"), ("shallow", "the history is shallow; fetch all of it"),
        ("", "git rev-parse: fatal: not a git repository"),
    ):  # fmt: skip
        with pytest.raises(checks.UnknownError, match=message):
            checks.check_signatures(tmp_path / folder)


@pytest.mark.parametrize(("covered", "passed"), [(95, True), (94, False)])
def test_every_gated_room_needs_its_branches(covered: int, passed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    full = dict.fromkeys(checks.KEYS, 100)
    files = {f"x/latrones_uci/{room}/a.py": full for room in checks.GATED} | {
        "x/latrones_uci/web/board/b.py": {**full, "covered_branches": 0},
        "x/latrones_uci/match/c.py": {**full, "covered_branches": 2 * covered - 100},
    }
    assert checks.print_coverage(files) is passed
    assert ("not reached: match" in capsys.readouterr().out) is not passed
