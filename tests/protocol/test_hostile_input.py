"""Long lines, invalid bytes, odd line ends."""

import os
import subprocess
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from protocol.client import PATIENCE_S, Client

MEGABYTE = 2**20


@pytest.mark.parametrize(
    ("line", "code", "follows"),
    [
        (b"x" * MEGABYTE, "unknown-command", []),
        (b"isready " + b"x" * MEGABYTE, "syntax", []),
        (b"isready " * (MEGABYTE // 8), "syntax", []),
        (b"position fen " + b"8/" * (MEGABYTE // 2) + b"8 w 0 1", "fen", []),
        (b"position startpos moves" + b" a1a2" * (MEGABYTE // 5), "illegal-move", []),
        (b"position startpos moves" + b" \xff" * (MEGABYTE // 2), "malformed-move", []),
        (b"setoption name " + b"Hash " * (MEGABYTE // 5), "option", []),
        (b"setoption name VariantPath value " + b"a" * MEGABYTE, "option", []),
        (b"go depth " + b"9" * MEGABYTE, "limits", ["bestmove 0000"]),
        (b"go depth 1 searchmoves" + b" a1a2" * (MEGABYTE // 5) + b" a1b2", "illegal-move", ["bestmove 0000"]),
        (b"\x00" * MEGABYTE, "unknown-command", []),
        (b"\xff" * MEGABYTE, "unknown-command", []),
        (b"x" * (5 * MEGABYTE), "syntax", []),
        (b"go depth 1" + b" " * (5 * MEGABYTE), "syntax", ["bestmove 0000"]),
    ],
    ids=lambda value: value[:12].decode("latin-1") + str(len(value)) if isinstance(value, bytes) else None,
)
def test_lines_of_megabytes(shared_engine: Client, line: bytes, code: str, follows: list[str]) -> None:
    shared_engine.send("position startpos")
    shared_engine.send_bytes(line + b"\n")
    error, *rest = shared_engine.answer()
    assert error.startswith(f"info string error {code}: ")
    assert len(error) < 1000
    assert rest == follows


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


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b" \r\n", b"\r\r\n"])
def test_line_ends(shared_engine: Client, end: bytes) -> None:
    shared_engine.send_bytes(end.join([b"position startpos moves a1a2", b"setoption name BoardSize value default",
                                b"go depth 1 searchmoves a8a7", b""]))  # fmt: skip
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
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("utf-8").splitlines() == [
        "info string error unknown-command: 'caf\u00e9': unknown command; 'help' lists the commands", "readyok"
    ]  # fmt: skip
