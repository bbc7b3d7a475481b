"""The arguments of ``latrones-uci train``: one clear error for each wrong word."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.commands.main import main

pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")
pytestmark = pytest.mark.usefixtures("native_core")
SEEGA = Path(__file__).parent.parent.parent / "docs" / "examples" / "seega.toml"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "the following arguments are required: GAME"),
        (["chess"], "unknown variant 'chess'"),
        (["rota"], "rota: the game is solved and has no net; expected a game on a grid"),
        (["missing.toml"], "missing.toml"),
        (["latrones", "--variant", "bell"], "--variant bell: given without a TOML file"),
        ([str(SEEGA), "--variant", "nine"], "unknown variant 'nine'"),
        (["latrones", "--board", "2x2"], "board size '2x2'"),
        (["latrones", "--hours", "0"], "'0' is not a number of hours above 0"),
        (["latrones", "--hours", "soon"], "'soon' is not a number of hours above 0"),
        (["latrones", "--hours", "nan"], "'nan' is not a number of hours above 0"),
        (["latrones", "--hidden", "40"], "--hidden 40: expected a multiple of 32 up to 256"),
        (["latrones", "--hidden", "512"], "--hidden 512: expected a multiple of 32 up to 256"),
        (["latrones", "--buckets", "17"], "--buckets 17: expected 1 to 16"),
        (["latrones", "--endgames", "101"], "--endgames 101: expected 0 to 100"),
        (["latrones", "--least-men", "19"], "--least-men 19: expected at most 18, the men of the start"),
        (["latrones", "--executor", "dask"], "'--executor dask' and '--scheduler ADDRESS' must be given together"),
        (["latrones", "--net", "none"], "'none': No such file or directory"),
        (["latrones", "--data", "none"], "'none': no positions; expected the folder of a training of latrones 8x8"),
        (["latrones", "--tables", "none"], "--tables: 'none'"),
        (["latrones", "--seed", "-1"], "'-1' is not an integer from 0"),
        (["latrones", "--positions", "0"], "'0' is not an integer from 1"),
        (["latrones", "--hour", "1"], "unknown argument '--hour'"),
        (["latrones", "12x8"], "unknown argument '12x8'"),
    ],
)
def test_wrong_arguments(words: list[str], problem: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                         monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["train", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert problem in printed.err
    assert printed.err.startswith("latrones-uci train: ")
    assert printed.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
