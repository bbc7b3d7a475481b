"""Searches of the real program, as a controller sees them; the exact lines are in ``tests/transcripts``."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from latrones_uci.game import Position, find_variant
from protocol.client import Client

INFO = re.compile(
    r"info depth (?P<depth>\d+) seldepth (?P<seldepth>\d+) multipv (?P<multipv>\d+)"
    r" score (?P<score>(?:cp|mate) -?\d+)(?P<bound> lowerbound| upperbound)?"
    r" nodes (?P<nodes>\d+) nps \d+ hashfull (?P<hashfull>\d+) time \d+ pv (?P<pv>.+)"
)
MIDDLEGAME = "ssss2ss/4s3/8/D4s2/2d3SS/1S1S4/4S3/S1S2S2 w 18 10"


@pytest.fixture
def engine(backend: str, start_engine: Callable[..., Client]) -> Client:
    """Return the program, with each kernel."""
    return start_engine("--backend", backend)


def infos(lines: list[str]) -> list[re.Match[str]]:
    found = [INFO.fullmatch(line) for line in lines if line.startswith("info depth") and " currmove " not in line]
    assert all(found), lines
    return [match for match in found if match]


@pytest.mark.parametrize(("variant", "lines_wanted"), [("latrones", 1), ("latrones", 3), ("bell", 3)])
def test_info_lines(engine: Client, variant: str, lines_wanted: int) -> None:
    engine.send(f"setoption name UCI_Variant value {variant}", f"setoption name MultiPV value {lines_wanted}")
    start = Position.start(find_variant(variant))
    start = start.play(start.legal_moves()[0])
    engine.send(f"position fen {start.fen()}")
    said = engine.ask("go depth 3", until="bestmove")
    found = infos(said)
    assert [int(info["depth"]) for info in found] == sorted(int(info["depth"]) for info in found)
    for info in found:
        assert int(info["depth"]) <= int(info["seldepth"])
        assert 0 <= int(info["hashfull"]) <= 1000
        play_all(start, info["pv"].split())
    # The exact lines of the last iteration: ranks in order, best first; the engine plays the first.
    last = [info for info in found if info["depth"] == "3" and not info["bound"]]
    assert [int(info["multipv"]) for info in last] == list(range(1, lines_wanted + 1))
    scores = [int(info["score"].split()[1]) for info in last]
    assert scores == sorted(scores, reverse=True)
    assert len({info["pv"].split()[0] for info in last}) == lines_wanted
    assert said[-1].split() == ["bestmove", last[0]["pv"].split()[0], "ponder", last[0]["pv"].split()[1]]


def play_all(position: Position, texts: list[str]) -> None:
    for text in texts:
        position = position.play(position.parse_move(text))


@pytest.mark.parametrize("limits", ["depth 4", "nodes 3000"])
def test_same_search_has_same_lines(engine: Client, limits: str) -> None:
    runs = []
    for _ in range(2):
        engine.send("ucinewgame", f"position fen {MIDDLEGAME}")
        lines = engine.ask(f"go {limits}", until="bestmove")
        runs.append([re.sub(r"(nps|time) \d+", "", line) for line in lines if " currmove " not in line])
    assert runs[0] == runs[1]


def test_move_despite_tiny_limits(engine: Client) -> None:
    for limits in ("movetime 0", "wtime 0", "wtime -1000 winc 0", "nodes 1", "movetime 1 nodes 1", "wtime 1"):
        move = engine.ask(f"go {limits} movestogo 1", until="bestmove")[-1].split()[1]
        assert move in engine.shown()[-2].split()


@pytest.mark.parametrize("backend", ["native", pytest.param("python", marks=pytest.mark.slow)], indirect=True)
def test_bench_changes_neither_position_nor_search(engine: Client) -> None:
    engine.send(f"position fen {MIDDLEGAME}")
    before = engine.shown()
    first = engine.ask("go depth 3", until="bestmove")
    signature = engine.ask("bench 1", until="Nodes/second: ")[-2]
    assert engine.shown() == before
    engine.send("ucinewgame", f"position fen {MIDDLEGAME}")
    again = engine.ask("go depth 3", until="bestmove")
    assert [INFO.sub(r"\g<nodes>", line) for line in again] == [INFO.sub(r"\g<nodes>", line) for line in first]
    assert engine.ask("bench 1", until="Nodes/second: ")[-2] == signature
