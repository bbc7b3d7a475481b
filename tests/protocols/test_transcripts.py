"""Exact transcripts of sessions with the engine, over pipes and in a terminal.

The files in ``transcripts`` are read as the sessions of ``protocol.md`` are. A line ``! start ARGUMENT ...``
gives the engine arguments, ``! kernel CLASS`` a kernel of ``fake_kernels``; the engine runs in a folder with the files
of ``transcripts/files`` and some nets.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

import fake_kernels
from latrones_uci.game import find_variant
from net_help import random_net
from protocols.client import PATIENCE_S, PROGRAM, Client, parse_session, replay

FOLDER = Path(__file__).with_name("transcripts")
TRANSCRIPTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}
PLAIN = {name: text for name, text in TRANSCRIPTS.items() if "\n! " not in text}


def make_files(folder: Path) -> None:
    shutil.copytree(FOLDER / "files", folder, dirs_exist_ok=True)
    net = folder / "random.net"
    random_net(find_variant("latrones"), dux_sides=False).write(net)  # as nets were first
    data = bytearray(net.read_bytes())
    data[1000] ^= 1
    (folder / "damaged.net").write_bytes(data)


@pytest.mark.long
@pytest.mark.parametrize("name", PLAIN)
def test_over_pipes(name: str, backend: str, start_engine: Callable[..., Client], tmp_path: Path) -> None:
    make_files(tmp_path)
    replay_whole(TRANSCRIPTS[name], start_engine("--backend", backend))


@pytest.mark.parametrize("name", sorted(TRANSCRIPTS.keys() - PLAIN.keys()))
def test_with_settings(
    name: str, start_engine: Callable[..., Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    make_files(tmp_path)
    settings = dict(re.findall(r"^! (\w+) (.*)$", TRANSCRIPTS[name], re.MULTILINE))
    if "native" in settings.get("start", ""):
        request.getfixturevalue("native_core")
    if "kernel" in settings:
        fake_kernels.use(monkeypatch, getattr(fake_kernels, settings["kernel"]))
    replay_whole(TRANSCRIPTS[name], start_engine(*settings.get("start", "").split()))


def replay_whole(text: str, engine: Client) -> None:
    replay(parse_session(text), engine.send, engine.read_line, engine.finish)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn]:
    make_files(tmp_path)
    child = pexpect.spawn(
        PROGRAM[0], list(PROGRAM[1:]), cwd=str(tmp_path), echo=False, encoding="utf-8", timeout=PATIENCE_S
    )
    child.delaybeforesend = None
    yield child
    child.close(force=True)


@pytest.mark.process
@pytest.mark.posix
@pytest.mark.parametrize("name", PLAIN)
def test_in_a_terminal(name: str, terminal: pexpect.spawn) -> None:
    def read_line() -> str | None:
        line = terminal.readline()
        return line.removesuffix("\r\n") if line else None

    steps = parse_session(TRANSCRIPTS[name])
    replay(steps, terminal.sendline, read_line)
    if steps[-1].sent != "quit":
        terminal.sendeof()
    assert terminal.read() == ""
    assert terminal.wait() == 0


@pytest.mark.process
@pytest.mark.posix
def test_control_c_prints_no_traceback(terminal: pexpect.spawn) -> None:
    terminal.sendline("go infinite")
    terminal.expect("info depth 1 ")
    terminal.sendintr()
    left = terminal.read()
    assert "Traceback" not in left
    assert left.splitlines()[-1].startswith("bestmove ")
    assert terminal.wait() == 130


@pytest.mark.parametrize(("text", "said"), [
    ("> isready\nreadyok!", "readyok"), ("> isready\n> query gameover\nresponse false\nreadyok", "readyok"),
    ("> query gameover\nresponse <int>", "response false"), ("> isready", "['readyok']"),
    ("> quit\n...\nuciok", "None"),
])
def test_a_wrong_transcript_fails_with_what_was_said(text: str, said: str, engine: Client) -> None:
    with pytest.raises(AssertionError) as caught:
        replay_whole(text, engine)
    assert str(caught.value).endswith(said)
