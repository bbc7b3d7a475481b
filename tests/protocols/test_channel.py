import io
import os
import re
import threading
import time
from collections.abc import Iterator

import pytest

from latrones_uci.protocols import channel
from latrones_uci.protocols.channel import MAX_LINE_BYTES, Channel, ChannelClosedError


class Pipes:
    """A channel between two pipes, with the other ends of the pipes."""

    def __init__(self, log: io.RawIOBase | None = None) -> None:
        read_end, self.to_engine = os.pipe()
        self.from_engine, write_end = os.pipe()
        self.channel = Channel(read_end, write_end, log)
        self.open = [self.to_engine, self.from_engine, write_end]

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.to_engine, data) :]

    def close(self, end: int) -> None:
        self.open.remove(end)
        os.close(end)

    def close_all(self) -> None:
        for end in self.open:
            os.close(end)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    made = Pipes()
    yield made
    made.close_all()


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"uci\nisready\r\n\n  go  \r\nd", ["uci", "isready", "", "  go  ", "d"]),
        (b"\xff\xfe go\x00\n\xc3\xa9\xed\xa0\x80\n", ["\udcff\udcfe go\x00", "\u00e9\udced\udca0\udc80"]),
        (b"\xef\xbb\xbfuci\n\xef\xbb\xbfuci\n", ["uci", "\ufeffuci"]),  # a byte order mark
    ],
)
def test_lines(pipes: Pipes, data: bytes, lines: list[str]) -> None:
    pipes.write(data)
    pipes.close(pipes.to_engine)
    assert [pipes.channel.receive().text for _ in lines] == lines
    with pytest.raises(ChannelClosedError):
        pipes.channel.receive()


@pytest.mark.parametrize("excess", [-1, 0, 1, 70_000, MAX_LINE_BYTES])
def test_long_lines(pipes: Pipes, excess: int) -> None:
    pipes.write(b"x" * (MAX_LINE_BYTES + excess) + b"\nisready\n")
    line = pipes.channel.receive()
    assert (len(line.text), line.cut_bytes) == (MAX_LINE_BYTES + min(excess, 0), max(excess, 0))
    assert line.problem == (excess > 0) * (
        f"'{'x' * 120}'... ({MAX_LINE_BYTES + excess} bytes): line too long; expected at most {MAX_LINE_BYTES} bytes")
    following = pipes.channel.receive()
    assert (following.text, following.cut_bytes) == ("isready", 0)


@pytest.mark.long
def test_waiting_lines_do_not_fill_the_memory(pipes: Pipes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A controller that sends too fast, or does not read, has to wait; no line is lost."""
    monkeypatch.setattr(channel, "MAX_WAITING_BYTES", 4_000_000)
    sent, enough = 0, threading.Event()

    def send() -> None:
        nonlocal sent
        while not enough.is_set():
            os.write(pipes.to_engine, b"isready\n" * 500)
            sent += 500

    writer = threading.Thread(target=send)
    writer.start()
    before = -1
    while before != sent:
        before = sent
        assert sent < 125_000
        time.sleep(0.5)
    enough.set()
    assert {pipes.channel.receive().text for _ in range(sent + 500)} == {"isready"}  # with those that had to wait
    writer.join()
    pipes.write(b"last\n")
    assert pipes.channel.receive().text == "last"


def test_blocks_of_lines_are_written_whole(pipes: Pipes) -> None:
    pipes.channel.send(["a", "", "\u00e9"])
    assert os.read(pipes.from_engine, 100) == "a\n\n\u00e9\n".encode()


def test_closed_output_closes_the_channel(pipes: Pipes) -> None:
    pipes.close(pipes.from_engine)
    pipes.channel.send(["a"])
    pipes.channel.send(["b"])
    with pytest.raises(ChannelClosedError):
        pipes.channel.receive()


def test_log() -> None:
    log = io.BytesIO()
    pipes = Pipes(log)  # type: ignore[arg-type]
    pipes.write(b"d\n\xff\n")
    pipes.channel.receive()
    pipes.channel.send(["two\nlines", "more"])
    pipes.channel.receive()
    lines = log.getvalue().decode().splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == [">> d", "<< two", "<< lines", "<< more", ">> \\xff"]
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00 ", line) for line in lines)
    pipes.close_all()


def test_log_that_cannot_be_written_ends_alone() -> None:
    class Full(io.RawIOBase):
        attempts = 0

        def write(self, data: object) -> int:
            self.attempts += 1
            raise OSError(28, "No space left on device")

    log = Full()
    pipes = Pipes(log)
    pipes.write(b"d\n")
    assert pipes.channel.receive().text == "d"
    pipes.channel.send(["a"])
    assert os.read(pipes.from_engine, 100) == b"a\n"
    assert log.attempts == 1
    pipes.close_all()
