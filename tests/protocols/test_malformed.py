"""Malformed, hostile and failing commands: each gets one error and the answer that is due, and changes nothing."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import fake_kernels
from fake_kernels import EndlessKernel
from folders import DATA
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.engine.events import Refusal
from latrones_uci.engine.session import Session
from latrones_uci.protocols.channel import Line
from latrones_uci.protocols.uci.session import UciSession
from protocols.client import PATIENCE_S, Client

CORPUS = DATA / "malformed.txt"
SET_UP = "position startpos moves a1a4 h8h5"
NO_POSITION = "info string error no-position: no position: the last 'position' command was rejected"
MEGABYTE = 2**20


def corpus() -> Iterator[tuple[str, bytes]]:
    for line in CORPUS.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            code, escaped = line.split("\t", 1)
            yield code, escaped.encode("ascii").decode("unicode_escape").encode("latin-1")


def reject(engine: Client, code: str, data: bytes) -> None:
    """Send a line, and check that its answer is an error and what must follow it."""
    engine.send_bytes(data + b"\n")
    error, *rest = engine.answer()
    assert re.fullmatch(rf"info string error {code}: .+", error), (data, error)
    assert rest == (["bestmove 0000"] if data.split()[:1] == [b"go"] else []), data
    assert len(error) < 1000
    assert error.isprintable()


def test_corpus(engine: Client) -> None:
    greeting = engine.ask("uci", until="uciok")
    start = engine.shown()
    lines = list(corpus())
    assert len(lines) > 200
    for code, data in lines:
        engine.send(SET_UP)
        before = engine.shown()
        reject(engine, code, data)
        assert engine.shown() == ([NO_POSITION] if data.split()[:1] == [b"position"] else before), data
        engine.answer("position nowhere")  # without a position, bad lines get the same errors
        reject(engine, "no-position" if data.split()[:1] == [b"go"] and code != "limits" else code, data)
    # Nothing has changed: neither the options nor the start position.
    assert engine.ask("uci", until="uciok") == greeting
    engine.send("position startpos")
    assert engine.shown() == start
    assert engine.finish() == []


def test_corpus_during_a_search(engine: Client) -> None:
    """No line stops the search or gets a best move of its own."""
    engine.ask("go infinite", until="info depth 1 ")
    lines = [data for _, data in corpus()]
    for data in lines:
        engine.send_bytes(data + b"\n")
    said = engine.ask("isready", until="readyok")
    assert len([line for line in said if line.startswith("info string error ")]) == len(lines)
    assert [line for line in said if line.startswith("bestmove")] == []
    assert engine.ask("stop", until="bestmove")[-1] != "bestmove 0000"
    assert engine.finish() == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"x" * MEGABYTE, "unknown-command"),
        (b"isready " + b"x" * MEGABYTE, "syntax"),
        (b"isready " * (MEGABYTE // 8), "syntax"),
        (b"position fen " + b"8/" * (MEGABYTE // 2) + b"8 w 0 1", "fen"),
        (b"position startpos moves" + b" a1a2" * (MEGABYTE // 5), "illegal-move"),
        (b"position startpos moves" + b" \xff" * (MEGABYTE // 2), "malformed-move"),
        (b"setoption name " + b"Hash " * (MEGABYTE // 5), "option"),
        (b"setoption name VariantPath value " + b"a" * MEGABYTE, "option"),
        (b"go depth " + b"9" * MEGABYTE, "limits"),
        (b"go depth 1 searchmoves" + b" a1a2" * (MEGABYTE // 5) + b" a1b2", "illegal-move"),
        (b"\x00" * MEGABYTE, "unknown-command"),
        (b"\xff" * MEGABYTE, "unknown-command"),
        (b"x" * (5 * MEGABYTE), "syntax"),
        (b"go depth 1" + b" " * (5 * MEGABYTE), "syntax"),
    ],
    ids=lambda value: value[:12].decode("latin-1") + str(len(value)) if isinstance(value, bytes) else None,
)
def test_lines_of_megabytes(shared_engine: Client, line: bytes, code: str) -> None:
    shared_engine.send("position startpos")
    reject(shared_engine, code, line)


def test_valid_long_line_is_obeyed(engine: Client) -> None:
    engine.send_bytes(b"go depth 1" + b" " * MEGABYTE + b"searchmoves" + b" a1a2" * 10_000 + b"\n")
    assert engine.read_until("bestmove")[-1] == "bestmove a1a2"
    engine.send_bytes(b"position startpos" + b" " * MEGABYTE + b"moves a1a2\n")
    assert engine.answer("query p1turn") == ["response false"]


def test_too_long_position_clears_the_position(shared_engine: Client) -> None:
    shared_engine.send("position startpos")
    shared_engine.send_bytes(b"position startpos moves a1a2" + b" " * (5 * MEGABYTE) + b"\n")
    assert shared_engine.answer()[0].startswith("info string error syntax: ")
    assert shared_engine.answer("query result")[1:] == ["response none"]


@pytest.mark.parametrize("blank", [b"", b" ", b"\t \t", b"\r", b"   \r", b"\x0b\x0c", b"\xe2\x80\x83", b"\x1c"])
def test_blank_lines_are_ignored(shared_engine: Client, blank: bytes) -> None:
    shared_engine.send_bytes(blank + b"\n" + blank + b"\n")
    assert shared_engine.answer() == []


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b" \r\n", b"\r\r\n"])
def test_line_ends(shared_engine: Client, end: bytes) -> None:
    shared_engine.send_bytes(end.join([b"position startpos moves a1a2", b"setoption name BoardSize value default",
                                b"go depth 1 searchmoves a8a7", b""]))
    assert shared_engine.read_until("bestmove")[-1] == "bestmove a8a7"


def test_writes_need_not_end_with_lines(engine: Client) -> None:
    for byte in b"position startpos moves a1a2\nquery p1turn\n":
        engine.send_bytes(bytes([byte]))
    assert engine.read_line() == "response false"
    engine.send(*["isready"] * 5_000)
    assert engine.finish() == ["readyok"] * 5_000


def test_nonsense_of_all_bytes(shared_engine: Client) -> None:
    data = bytes(byte for first in range(0, 256, 3) for byte in (first, *range(256)) if byte != 10)
    lines = [data[start : start + 40] for start in range(0, len(data), 40)]
    shared_engine.send_bytes(b"\n".join(lines) + b"\n")
    said = shared_engine.answer()
    assert len(said) == len(lines)
    assert all(line.startswith("info string error unknown-command: ") and line.isprintable() for line in said)


@pytest.mark.process
def test_locale_does_not_matter(tmp_path: Path) -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        list(OWN_ENGINE), input="caf\u00e9\nisready\n".encode(), capture_output=True,
        cwd=tmp_path, env=environment, timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8").splitlines() == [
        "info string error unknown-command: 'caf\u00e9': unknown command; 'help' lists the commands", "readyok"
    ]


# ---------------------------------------------------------------- faults of the program


def test_failing_go_and_position_are_answered_like_rejected_ones(
    engine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("fault")

    monkeypatch.setattr(Session, "go", fail)
    monkeypatch.setattr(Session, "set_position", fail)
    assert engine.answer("go depth 3", "position startpos", "query result") == [
        "info string error internal: 'go depth 3': RuntimeError: fault", "bestmove 0000",
        "info string error internal: 'position startpos': RuntimeError: fault", NO_POSITION, "response none",
    ]


def test_busy_go_has_no_best_move_even_if_the_search_ends_meanwhile(
    start_engine: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search may end between the rejection and its answer."""
    refuse = UciSession._refuse

    def refuse_slowly(session: UciSession, refusal: Refusal, line: Line) -> None:
        session._engine.stop()
        session._engine.wait()
        refuse(session, refusal, line)

    fake_kernels.use(monkeypatch, EndlessKernel)
    monkeypatch.setattr(UciSession, "_refuse", refuse_slowly)
    said = start_engine().answer("go", "go")
    assert [line.split()[0] for line in said if " depth " not in line] == ["bestmove", "info"]
