"""The engine, tried with public reports about other engines. The sessions are in ``engine.txt``."""

from pathlib import Path

import pytest

from protocols.client import Client, parse_session, replay

SECTIONS = Path(__file__).with_name("engine.txt").read_text(encoding="utf-8").split("\n== ")[1:]
SESSIONS = {heading.partition(":")[0]: session for heading, _, session in (part.partition("\n") for part in SECTIONS)}


pytestmark = pytest.mark.process


@pytest.mark.parametrize("session", [pytest.param(text, id=report) for report, text in SESSIONS.items()])
def test_session(session: str, tmp_path: Path) -> None:
    with Client(tmp_path) as engine:
        replay(parse_session("\n".join(filter(None, session.splitlines()))), engine.send, engine.read_line)
        assert all(line.startswith(("info ", "bestmove ")) for line in engine.finish())


def test_headings_are_unique() -> None:
    assert len(SESSIONS) == len(SECTIONS)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \r\n"], ids=repr)
def test_python_chess_400_line_ends(end: bytes, tmp_path: Path) -> None:
    """A carriage return became part of a move."""
    with Client(tmp_path) as engine:
        engine.send_bytes(b"position startpos moves d1d5" + end + b"query p1turn" + end)
        assert engine.read_line() == "response false"
        assert engine.finish() == []


@pytest.mark.slow
def test_stockfish_5376_bench_twice(tmp_path: Path) -> None:
    """A second bench in one session visited other nodes than the first."""
    with Client(tmp_path) as engine:
        counts = [engine.ask("bench 2", until="Nodes searched")[-1] for _ in range(2)]
        assert counts[0] == counts[1]
        assert engine.finish()[-1].startswith("Nodes/second: ")
