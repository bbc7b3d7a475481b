"""``latrones-uci tables``: make, summarize and probe; wrong words get one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.commands import tables as command
from latrones_uci.commands.main import main

pytestmark = pytest.mark.usefixtures("native_core")
GAME = ("tables", "single-stone-xxi", "--board", "4x4")


def run(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    assert main(words) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_make_summarize_probe(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, *GAME, "--men", "5", "--threads", "2")
    assert [line.split()[0] for line in out.splitlines()] == ["SSvSS", "SSSvSS"]
    assert "2 tables, 2 to make" in err
    assert "MB available" in err
    files = {path.name: path.read_bytes() for path in Path("tables").iterdir()}
    assert set(files) == {
        "single-stone-xxi-4x4-SSvSS.ltb", "single-stone-xxi-4x4-SSSvSS.ltb", "SHA256SUMS"}
    for name, data in files.items():
        assert name == "SHA256SUMS" or f"  {name}\n".encode() in files["SHA256SUMS"], data
    out, err = run(capsys, *GAME, "--men", "5")
    assert out == ""
    assert "2 tables, 0 to make" in err
    out, _ = run(capsys, *GAME, "--summary")
    rows = [line.split() for line in out.splitlines()[2:5]]
    assert [row[0] for row in rows] == ["SSvSS", "SSSvSS", "SSvSSS"]
    for row in rows:
        assert sum(float(share.strip("<>%")) for share in row[2:5]) == pytest.approx(100, abs=0.3)
    assert "sha256 " in out
    out, _ = run(capsys, *GAME, "--probe", "s2s/4/4/S2S w 0 1")
    assert "Value: " in out
    moves = [line for line in out.splitlines() if line[:1] in "ad" and line[2:4].isalnum()]
    assert len(moves) == 8


@pytest.mark.parametrize("words", [
    ["my.toml"], ["my.toml", "--variant", "tiny"], ["tiny", "--variant-path", "my.toml"],
])
def test_the_game_of_a_file(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    Path("my.toml").write_text('[tiny]\nparent = "single-stone-xxi"\ntitle = "T"\ndefault_size = "4x4"\n')
    out, _ = run(capsys, "tables", *words, "--men", "4")
    assert out.startswith("SSvSS ")
    assert Path("tables", "tiny-4x4-SSvSS.ltb").is_file()


def test_a_position_outside_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, *GAME, "--men", "4")
    out, err = run(capsys, *GAME, "--probe", "ss1s/4/4/S2S w 0 1", status=2)
    assert "in no table (5 men); tables has 1 of single-stone-xxi 4x4, up to 4 men" in err
    out, _ = run(capsys, *GAME, "--probe", "s3/4/4/S2S w 0 1")
    assert "the game is over: White wins (too few pieces)" in out


def test_memory_that_does_not_fit_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "available_bytes", lambda: 1000)
    out, err = run(capsys, *GAME, "--men", "5", status=2)
    assert out == ""
    assert "--men 5: needs 1 MB of memory, only 0 MB available; expected fewer men or a smaller board" in err
    assert not list(Path("tables").glob("*.ltb"))


def test_without_a_compiled_core(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latrones_uci.engine.native.is_compiled", lambda: False)
    _, err = run(capsys, *GAME, "--men", "4", status=2)
    assert "there is no compiled core" in err
