"""Searches of the real program, as a controller sees them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from latrones_uci.game import Position, find_variant
from protocol.client import Client, LocalClient

INFO = re.compile(
    r"info depth (?P<depth>\d+) seldepth (?P<seldepth>\d+) multipv (?P<multipv>\d+)"
    r" score (?P<score>(?:cp|mate) -?\d+)(?P<bound> lowerbound| upperbound)?"
    r" nodes (?P<nodes>\d+) nps \d+ hashfull (?P<hashfull>\d+) time \d+ pv (?P<pv>.+)"
)
MIDDLEGAME = "ssss2ss/4s3/8/D4s2/2d3SS/1S1S4/4S3/S1S2S2 w 18 10"


# What makes a program that has been used like one that has just been started.
RESET = (
    "stop", "debug off", "setoption name UCI_Variant value latrones", "setoption name BoardSize value default",
    "setoption name MultiPV value 1", "ucinewgame", "position startpos",
)  # fmt: skip


@pytest.fixture(scope="module")
def idle() -> Iterator[dict[str, Client]]:
    """Return the programs that wait for the next test, by kernel: starting one for each test would take longer."""
    programs: dict[str, Client] = {}
    yield programs
    for client in programs.values():
        with client:
            assert client.finish() == []


@pytest.fixture
def engine(
    idle: dict[str, Client], backend: str, request: pytest.FixtureRequest
) -> Iterator[Client]:
    """Return the program, with each kernel; a test that fails leaves its own behind to nobody."""
    client, failed = idle.pop(backend, None) or LocalClient("--backend", backend), request.session.testsfailed
    with ExitStack() as stack:
        stack.enter_context(client)
        yield client
        if request.session.testsfailed == failed:
            client.send("stop")
            client.answer()
            assert [line for line in client.answer(*RESET) if "error" in line] == []
            stack.pop_all()
            idle[backend] = client


def infos(lines: list[str]) -> list[re.Match[str]]:
    found = [INFO.fullmatch(line) for line in lines if line.startswith("info depth") and " currmove " not in line]
    assert all(found), lines
    return [match for match in found if match]


# ---------------------------------------------------------------- info


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


def test_multipv_above_the_number_of_moves(engine: Client) -> None:
    engine.send("setoption name MultiPV value 256", "position fen ssss/1d2/2D1/SSSS w 0 1")
    moves = engine.shown()[-2].split()[1:]
    found = infos(engine.ask("go depth 1", until="bestmove"))
    assert sorted(info["pv"].split()[0] for info in found) == moves


@pytest.mark.parametrize(
    ("variant", "fen", "score"),
    [
        ("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1", "mate 1"),
        ("latrones", "2D1/1dss/4/1S1S b 0 1", "mate 2"),
        ("latrones", "dS2/1D2/sS2/S1Ss b 0 1", "mate -1"),
        ("latrones", "SDss/3d/4/s1ss w 0 1", "mate -2"),
        ("latrunculi-classical", "4/S2S/s1sd/D1S1 b 0 1", "mate 2"),
        ("latrunculi-classical", "s1D1/3s/ss1S/s1ds w 0 1", "mate -2"),
    ],
)
def test_mate_scores_count_the_turns_of_the_winner(engine: Client, variant: str, fen: str, score: str) -> None:
    """An exhaustive search found the distances."""
    engine.send(f"setoption name UCI_Variant value {variant}", f"position fen {fen}")
    assert infos(engine.ask("go depth 5", until="bestmove"))[-1]["score"] == score


def test_same_search_has_same_nodes(engine: Client) -> None:
    runs = []
    for _ in range(2):
        engine.send("ucinewgame", f"position fen {MIDDLEGAME}")
        runs.append([(info["nodes"], info["score"], info["pv"])
                     for info in infos(engine.ask("go depth 4", until="bestmove"))])  # fmt: skip
    assert runs[0] == runs[1]


# ---------------------------------------------------------------- limits


def test_node_limit_is_deterministic(engine: Client) -> None:
    said = []
    for _ in range(2):
        engine.send("ucinewgame", f"position fen {MIDDLEGAME}")
        lines = engine.ask("go nodes 3000", until="bestmove")
        said.append([re.sub(r"(nps|time) \d+", "", line) for line in lines])
    assert said[0] == said[1]


def test_search_without_a_limit_runs_until_stop(engine: Client) -> None:
    engine.ask("go", until="info depth 3 ")
    assert engine.ask("stop", until="bestmove")[-1] != "bestmove 0000"


def test_move_despite_tiny_limits(engine: Client) -> None:
    for limits in ("movetime 0", "wtime 0", "wtime -1000 winc 0", "nodes 1", "movetime 1 nodes 1", "wtime 1"):
        move = engine.ask(f"go {limits} movestogo 1", until="bestmove")[-1].split()[1]
        assert move in engine.shown()[-2].split()


def test_each_of_several_searches_has_a_best_move(engine: Client) -> None:
    for _ in range(5):
        engine.send("go infinite", "isready", "stop", "go depth 1", "isready")
        first_words = Counter[str]()
        while first_words["bestmove"] < 2 or first_words["readyok"] < 2:  # in any order
            line = engine.read_line()
            assert line is not None
            first_words[line.split()[0]] += 1
    assert [line for line in engine.answer() if line.startswith("bestmove")] == []


def test_a_solved_game_has_no_evaluation(engine: Client) -> None:
    engine.answer("setoption name UCI_Variant value rota")
    assert engine.answer("eval") == ["Evaluation: none, the game is solved; 'go' prints the exact value"]


# ---------------------------------------------------------------- during a search


def test_answers_during_a_search(engine: Client) -> None:
    engine.ask("position startpos", "go infinite", until="info depth 1 ")
    for _ in range(20):
        engine.ask("isready", until="readyok")
    engine.ask("d", until="Result: none")
    engine.ask("eval", until="Evaluation: ")
    engine.ask("uci", until="uciok")
    engine.ask("help", until="  help | quit")
    assert engine.ask("query gameover", until="response")[-1] == "response false"
    assert engine.ask("stop", until="bestmove")[-1] != "bestmove 0000"


# ---------------------------------------------------------------- perft and bench


def test_perft_is_stopped(engine: Client) -> None:
    engine.send("go perft 5", "isready")
    assert engine.read_line() == "readyok"
    assert engine.ask("stop", until="info string")[-1] == "info string perft stopped"
    assert engine.ask("go depth 1", until="bestmove")[-1] != "bestmove 0000"


def test_bench_is_stopped(engine: Client) -> None:
    engine.send("bench 20", "isready")
    engine.read_until("readyok")
    assert engine.ask("stop", until="info string")[-1] == "info string bench stopped"


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
