"""``latrones-uci watch`` of a match that is just starting."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.commands import watch
from latrones_uci.records.store import NoMatchError
from watched import write_match


def test_watch_waits_for_a_match_that_is_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.db"
    path.touch()
    monkeypatch.setattr(watch.time, "sleep", lambda seconds: write_match(path))
    watch._watcher(path, "latrones-uci watch").close()
    assert capsys.readouterr().err == (
        f"latrones-uci watch: database '{path}' is empty: no match has been started; waiting 60 seconds for one\n")


def test_watch_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, now_s = tmp_path / "match.db", [0.0]
    path.touch()
    monkeypatch.setattr(watch.time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(watch.time, "sleep", lambda seconds: now_s.__setitem__(0, now_s[0] + 40))
    with pytest.raises(NoMatchError, match="is empty: no match has been started"):
        watch._watcher(path, "latrones-uci watch")
    assert now_s[0] == 80
