"""The command line of the program."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import latrones_uci
from latrones_uci.commands.main import main
from protocols.client import PATIENCE_S, PROGRAM, Client


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, cwd=folder, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.process
def test_version_prints_the_kernel_like_the_engine(
    tmp_path: Path, backend: str, start_engine: Callable[..., Client]
) -> None:
    for choice in (["--backend", backend], []):
        status, printed, errors = run(tmp_path, *choice, "--version")
        assert (status, errors) == (0, "")
        version, kernel = printed.rstrip("\n").removesuffix(")").split(" (kernel ")
        assert version == f"latrones-uci {latrones_uci.__version__}"
        assert not choice or kernel.startswith(f"{backend}, set by Backend")
        engine = start_engine(*choice)
        assert engine.ask("uci", until="uciok")[2] == f"info string kernel {kernel}"
        assert f"Kernel: {kernel}" in engine.shown()
        engine.send(f"setoption name Backend value {choice[1] if choice else 'auto'}")
        assert f"Kernel: {kernel}" in engine.shown()


@pytest.mark.parametrize("arguments", [["nonsense"], ["--backend", "rust"], ["bench", "--backend", "1"]])
def test_unknown_choices(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed, errors = capsys.readouterr()
    assert printed == ""
    assert f"invalid choice: '{arguments[-1]}' (choose from " in errors.splitlines()[-1]


def test_perft(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words, last, lines in (
        (["1", "--fen", "ssss/1d2/2D1/SSSS w 0 1"], "Nodes searched: 9", 11),
        (["2", "--variant", "latrunculi-classical", "--board", "8x8"], "", 53 + 2),
    ):
        assert main(["--backend", backend, "perft", *words]) == 0
        printed = capsys.readouterr().out.splitlines()
        assert last in printed[-1]
        assert len(printed) == lines


@pytest.mark.process
@pytest.mark.linux  # /dev/full is Linux's
@pytest.mark.parametrize("command", ["bench 1", "perft 2", "variants show bell", "draw", "--version"])
def test_full_disk_ends_a_command(tmp_path: Path, command: str) -> None:
    """One line reports it, and the running task ends."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, *command.split()], stdout=full, stderr=subprocess.PIPE,
                              cwd=tmp_path, timeout=PATIENCE_S)
    tool = "latrones-uci" if command.startswith("-") else f"latrones-uci {command.split()[0]}"
    assert (done.returncode, done.stderr.decode()) == (1, f"{tool}: standard output: No space left on device\n")


@pytest.mark.process
@pytest.mark.parametrize("backend", ["native", pytest.param("python", marks=pytest.mark.slow)], indirect=True)
def test_bench_is_the_same_everywhere_and_changes_nothing(
    tmp_path: Path, start_engine: Callable[..., Client], backend: str
) -> None:
    """As a command and over the protocol; searches before and after it are the same, too."""
    engine = start_engine("--backend", backend)

    def searched() -> list[str]:
        engine.send("ucinewgame", "position startpos moves d1d5")
        return [re.sub(r"(nps|time) \d+", "", line) for line in engine.ask("go depth 3", until="bestmove")]

    first = searched()
    lines = run(tmp_path, "bench", "1", "--backend", backend)[1].splitlines()
    runs = [lines, *(engine.ask("bench 1", until="Nodes/second: ") for _ in range(2))]
    assert engine.answer("query p1turn") == ["response false"]
    assert searched() == first
    speedless = [[re.sub(r", [0-9.]+ ms, .*|^(Median n|N)odes/second.*", "", line) for line in run] for run in runs]
    assert speedless[0] == speedless[1] == speedless[2]
    positions = [re.fullmatch(r"\d+/\d+ .+: .+: [a-zA-Z0-9@]+, (\d+) nodes, .*", line) for line in lines]
    assert lines[-3:-1] == [
        f"Kernel: {backend}, depth 1",
        f"Nodes searched: {sum(int(match[1]) for match in positions if match)}",
    ]
    assert re.fullmatch(r"Nodes/second: \d+", lines[-1])


@pytest.mark.process
def test_log(tmp_path: Path, start_engine: Callable[..., Client]) -> None:
    """The traffic of a second engine is appended to that of the first."""
    engine = start_engine("--log", "traffic.log")
    said = engine.ask("position startpos", "go depth 2", until="bestmove") + engine.shown() + ["readyok"]
    engine.finish()
    engine = start_engine("--log", "traffic.log")
    engine.send_bytes(b"nonsense \xff\n")
    said += engine.finish()
    logged = [line.split(" ", 2) for line in (tmp_path / "traffic.log").read_text(encoding="utf-8").splitlines()]
    assert [text for _, arrow, text in logged if arrow == "<<"] == said
    assert [text for _, arrow, text in logged if arrow == ">>"] == [
        "position startpos", "go depth 2", "d", "isready", "nonsense \\xff"
    ]
    stamps = [stamp for stamp, _, _ in logged]
    assert stamps == sorted(stamps)


@pytest.mark.process
@pytest.mark.linux  # other systems may have no such names
def test_a_variant_file_whose_name_is_not_utf_8(tmp_path: Path, start_engine: Callable[..., Client]) -> None:
    """The engine and ``variants`` read it, and name it in the same way."""
    engine = start_engine()
    path = tmp_path / "x\udcff.toml"
    for text, problem in (
        (None, "No such file or directory"),
        ('[mine]\nparent = "nothing"\n', "variant 'mine': parent: unknown variant 'nothing'"),
    ):
        if text is not None:
            path.write_text(text, encoding="utf-8")
        engine.send_bytes(b"setoption name VariantPath value x\xff.toml\n")
        [error] = engine.answer()
        assert error.startswith(r"info string error option: option VariantPath: 'x\xff.toml': " + problem)
        status, output, errors = run(tmp_path, "variants", "check", path.name)
        assert (status, output) == (1, "")
        assert errors.startswith(r"x\xff.toml: " + problem)
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    engine.send_bytes(b"setoption name VariantPath value x\xff.toml\n")
    assert engine.answer("setoption name UCI_Variant value mine") == []
    engine.finish()


@pytest.mark.long
@pytest.mark.parametrize("backend", ["python", "native"], indirect=True)
def test_one_search(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines are those of the protocol; as JSON, the last of each rank and the best move are one object."""
    words = ["--backend", backend, "go", "--fen", "2d1s3/3S4/2S5/8/8/8/8/4D3 b 0 1", "--moves", "c8d8", "--depth", "2"]
    assert main(words) == 0
    *infos, best = capsys.readouterr().out.splitlines()
    assert best.split()[:2] == ["bestmove", "c6c8"]
    assert all(line.startswith("info depth ") for line in infos)
    assert infos[-1].endswith(" pv c6c8")
    assert main([*words, "--multipv", "2", "--option", "UCI_ShowWDL=true", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["variant"], found["fen"]) == ("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 1 2")
    assert (found["bestmove"], [line["multipv"] for line in found["lines"]]) == ("c6c8", [1, 2])
    first = found["lines"][0]
    assert (first["score"], first["pv"], first["wdl"]) == ({"mate": 1}, ["c6c8"], [1000, 0, 0])
    assert main(["go", "--variant", "rota", "--movetime", "10"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("bestmove S@")


def test_a_search_of_a_finished_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["go", "--fen", "2S1s3/3S4/8/8/8/8/8/4D3 b 0 1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "info depth 0 score mate 0", "info string the game is over: p1win, dux captured", "bestmove 0000"
    ]
