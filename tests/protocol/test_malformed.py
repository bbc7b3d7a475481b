"""The corpus of malformed lines: each gets one error and the answer that is due, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.client import Client

CORPUS = Path(__file__).resolve().parent.parent / "data" / "malformed.txt"
SET_UP = "position startpos moves a1a4 h8h5"
NO_POSITION = "info string error no-position: no position: the last 'position' command was rejected"


def corpus() -> Iterator[tuple[str, bytes]]:
    for line in CORPUS.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            code, escaped = line.split("\t", 1)
            yield code, escaped.encode("ascii").decode("unicode_escape").encode("latin-1")


def answers_of(data: bytes) -> list[str]:
    """Return the lines that must follow the error."""
    return ["bestmove 0000"] if data.split()[:1] == [b"go"] else []


def test_corpus_is_large_enough() -> None:
    lines = list(corpus())
    assert len(lines) > 200
    assert len(set(lines)) == len(lines)
    assert {code for code, _ in lines} == {
        "unknown-command", "syntax", "option", "fen", "malformed-move", "illegal-move", "limits"
    }  # fmt: skip


def test_corpus(engine: Client) -> None:
    greeting = engine.ask("uci", until="uciok")
    start = engine.shown()
    for code, data in corpus():
        engine.send(SET_UP)
        before = engine.shown()
        engine.send_bytes(data + b"\n")
        error, *rest = engine.answer()
        assert re.fullmatch(rf"info string error {code}: .+", error), (data, error)
        assert rest == answers_of(data), data
        assert len(error) < 1000
        assert error.isprintable()
        assert engine.shown() == ([NO_POSITION] if data.split()[:1] == [b"position"] else before), data
    # Nothing has changed: neither the options nor the start position.
    assert engine.ask("uci", until="uciok") == greeting
    engine.send("position startpos")
    assert engine.shown() == start
    assert engine.finish() == []


def test_corpus_without_a_position(engine: Client) -> None:
    """After a rejected position, bad lines get the same errors."""
    for code, data in corpus():
        engine.send("position nowhere")
        engine.answer()
        engine.send_bytes(data + b"\n")
        error, *rest = engine.answer()
        expected = "no-position" if data.split()[:1] == [b"go"] and code != "limits" else code
        assert error.startswith(f"info string error {expected}: "), (data, error)
        assert rest == answers_of(data)
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


@pytest.mark.parametrize("blank", [b"", b" ", b"\t \t", b"\r", b"   \r", b"\x0b\x0c", b"\xe2\x80\x83", b"\x1c"])
def test_blank_lines_are_ignored(shared_engine: Client, blank: bytes) -> None:
    shared_engine.send_bytes(blank + b"\n" + blank + b"\n")
    assert shared_engine.answer() == []
