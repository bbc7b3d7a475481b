"""How the program ends: without a message, with status 0, and after the pending best move."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from protocols.client import PATIENCE_S, PROGRAM, Client

pytestmark = pytest.mark.process


def fed(folder: Path, data: bytes) -> list[str]:
    done = subprocess.run(PROGRAM, input=data, capture_output=True, cwd=folder, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode("utf-8").splitlines()


@pytest.mark.parametrize("limits", ["", " infinite", " ponder", " depth 50", " wtime 100000000"])
@pytest.mark.parametrize("end", ["quit\nisready\n", ""])
def test_the_end_during_a_search(engine: Client, limits: str, end: str) -> None:
    engine.ask(f"go{limits}", until="info depth 1 ")
    engine.send_bytes(end.encode())
    said = engine.finish()
    assert said[-1].startswith("bestmove ")
    assert said[-1] != "bestmove 0000"
    assert len([line for line in said if line.startswith("bestmove ")]) == 1


def test_end_of_input_during_a_count(engine: Client) -> None:
    engine.send("go perft 5", "isready")
    engine.read_until("readyok")
    assert engine.finish() == ["info string perft stopped"]


PIPED = (
    "position startpos moves d1d5", "go nodes 3000", "setoption name BoardSize value 12x8", "position startpos", "d",
    "go depth 3", "go perft 1", "bench 1", "go nodes 10", "wait", "query p1turn", "go infinite",
)


@pytest.mark.slow
def test_commands_in_a_row_are_answered_as_one_by_one(engine: Client, tmp_path: Path) -> None:
    def shown(lines: list[str]) -> list[str]:
        return [line for line in lines if line.startswith(("bestmove", "Fen", "response", "Nodes searched"))]

    piped = shown(fed(tmp_path, "\n".join(PIPED).encode()))
    one_by_one = []
    for line in PIPED[:-1]:
        one_by_one += shown(engine.ask(line, "wait", "nothing", until="info string error unknown-command: 'nothing'"))
    assert piped[:-1] == one_by_one
    assert len([line for line in piped if line.startswith("bestmove")]) == 4  # the last when the input ends


@pytest.mark.slow
@pytest.mark.parametrize("limits", ["", " infinite", " ponder", " ponder depth 50", " infinite depth 3"])
def test_the_end_of_input_stops_a_search_without_a_limit_that_commands_wait_for(tmp_path: Path, limits: str) -> None:
    said = fed(tmp_path, f"go nodes 100\ngo{limits}\nwait\nquery p1turn\ngo depth 1".encode())
    answers = [line.split()[0] for line in said if not line.startswith("info")]
    assert answers == ["bestmove", "bestmove", "response", "bestmove"]


@pytest.mark.parametrize("script", ["go depth 6\nwait\nquit\nd", "go depth 6\nposition startpos\nwait\nquit\nd"])
def test_quit_after_wait_does_not_cut_the_search_short(tmp_path: Path, script: str) -> None:
    said = fed(tmp_path, script.encode())
    assert (said[-2].split()[:3], said[-1].split()[0]) == (["info", "depth", "6"], "bestmove")


def test_quit_after_wait_ends_a_search_without_a_limit(engine: Client) -> None:
    engine.send("go infinite", "wait", "quit")
    assert engine.rest()[-1].startswith("bestmove ")


def test_a_stopped_search_answers_before_what_waits_for_it(engine: Client) -> None:
    for _ in range(20):
        said = engine.ask("go infinite", "wait", "query p1turn", "stop", until="response")
        assert said[-2].startswith("bestmove ")
        said = engine.ask("go infinite", "stop", "wait", "query p1turn", until="response")
        assert said[-2].startswith("bestmove ")


def test_commands_wait_for_searches_with_a_limit_only(engine: Client) -> None:
    waiting = engine.ask("go nodes 100000000", "position startpos moves d1d5", "go depth 1", "isready", until="readyok")
    assert not any(line.startswith("bestmove") for line in waiting)
    first = engine.ask("stop", until="bestmove")[-1]
    second = engine.read_until("bestmove")[-1]
    assert (first.split()[1][1] < "3", second.split()[1][1] > "6") == (True, True)  # a piece of White, and of Black
    engine.send("go infinite")
    assert engine.ask("go depth 1", until="info string error")[-1].startswith("info string error busy: ")


def test_end_of_input_in_the_middle_of_a_line(tmp_path: Path) -> None:
    assert fed(tmp_path, b"") == []
    assert fed(tmp_path, b"isready\nisready") == ["readyok", "readyok"]
    assert fed(tmp_path, b"isready\nisrea")[1].startswith("info string error unknown-command: 'isrea'")
    assert fed(tmp_path, b"go depth 1 searchmoves a1a2")[-1] == "bestmove a1a2"
    assert fed(tmp_path, b"position startpos moves a1")[0].startswith("info string error malformed-move: ")


@pytest.mark.parametrize("command", ["go infinite", "uci", "bench", "go perft 1"])
def test_closed_output_ends_the_program_quietly(tmp_path: Path, command: str) -> None:
    """If its output is closed, the program ends when it writes, although its input is open."""
    with subprocess.Popen(
        PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(f"{command}\n".encode())
        process.stdin.flush()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == b""


@pytest.mark.posix
@pytest.mark.parametrize("stream", ["0<&-", "1>&-", "0<&- 1>&-"])
def test_started_without_a_stream(tmp_path: Path, stream: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$@" --log log.txt {stream}', "sh", *PROGRAM],
        input=b"uci\n", capture_output=True, cwd=tmp_path, timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.linux  # /dev/full is Linux's
@pytest.mark.parametrize("words", [(), ("--log", "/dev/full")])
def test_full_disk(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A full disk ends the program like a closed output, but a full disk for the log does not."""
    with open("/dev/full" if not words else tmp_path / "out", "wb") as output:
        done = subprocess.run(
            [*PROGRAM, *words], input=b"isready\ngo depth 1\nisready\n", stdout=output, stderr=subprocess.PIPE,
            cwd=tmp_path, timeout=PATIENCE_S,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    if words:
        assert (tmp_path / "out").read_bytes().count(b"readyok") == 2
