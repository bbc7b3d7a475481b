"""Exact transcripts of sessions with the real program, over pipes and in a terminal."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from protocol.client import PATIENCE_S, PROGRAM, Client, parse_session, replay

FOLDER = Path(__file__).resolve().parent.parent / "transcripts"
TRANSCRIPTS = sorted(FOLDER.glob("*.txt"))


@pytest.fixture(params=TRANSCRIPTS, ids=lambda path: path.stem)
def transcript(request: pytest.FixtureRequest) -> str:
    return request.param.read_text(encoding="utf-8")


def test_transcripts_exist() -> None:
    assert len(TRANSCRIPTS) >= 8


def test_over_pipes(transcript: str, engine: Client) -> None:
    replay_and_finish(transcript, engine)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn]:
    """Return the program in a terminal of its own."""
    child = pexpect.spawn(
        PROGRAM[0], list(PROGRAM[1:]), cwd=str(tmp_path), echo=False, encoding="utf-8", timeout=PATIENCE_S
    )
    child.delaybeforesend = None
    yield child
    child.close(force=True)


@pytest.mark.process
def test_in_a_terminal(transcript: str, terminal: pexpect.spawn) -> None:
    def read_line() -> str | None:
        line = terminal.readline()
        return line.removesuffix("\r\n") if line else None

    steps = parse_session(transcript)
    replay(steps, terminal.sendline, read_line)
    if steps[-1].sent != "quit":
        terminal.sendeof()
    assert terminal.read() == ""
    assert terminal.wait() == 0


@pytest.mark.process
def test_control_c_prints_no_traceback(terminal: pexpect.spawn) -> None:
    terminal.sendline("go infinite")
    terminal.expect("info depth 1 ")
    terminal.sendintr()
    left = terminal.read()
    assert "Traceback" not in left
    assert left.splitlines()[-1].startswith("bestmove ")
    assert terminal.wait() == 130


def test_wrong_transcripts_fail(start_engine: Callable[..., Client]) -> None:
    for text in ("> isready\nreadyok!", "> isready", "> isready\n> query gameover\nresponse false\nreadyok",
                 "> query gameover\nresponse <int>"):  # fmt: skip
        engine = start_engine()
        with pytest.raises(AssertionError):
            replay_and_finish(text, engine)


def replay_and_finish(text: str, engine: Client) -> None:
    replay(parse_session(text), engine.send, engine.read_line)
    assert engine.finish() == []
