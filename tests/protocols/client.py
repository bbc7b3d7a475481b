"""The real program as a child process, and the replay of sessions written as text."""

from __future__ import annotations

import queue
import re
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import EngineCrashError
from memory_engine import OwnEngine

PROGRAM = OWN_ENGINE
PATIENCE_S = 60.0
"""Timeout for an answer, after which a test fails. It is not a requirement on speed."""


class Client:
    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: list[bytes] = []
        assert self.process.stdout
        assert self.process.stderr
        self._readers = (
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=lambda pipe: self._errors.append(pipe.read()), args=(self.process.stderr,)),
        )
        for reader in self._readers:
            reader.daemon = True
            reader.start()

    def _read(self, pipe: Iterable[bytes]) -> None:
        for line in pipe:
            assert line.endswith(b"\n"), line
            self._lines.put(line[:-1].decode("utf-8"))
        self._lines.put(None)

    def send(self, *lines: str) -> None:
        self.send_bytes("".join(f"{line}\n" for line in lines).encode("utf-8"))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read_line(self) -> str | None:
        """Return the next line; None at the end of the output."""
        try:
            return self._lines.get(timeout=PATIENCE_S)
        except queue.Empty:
            raise AssertionError(f"no answer in {PATIENCE_S} s") from None

    def read_until(self, start: str) -> list[str]:
        """Return the lines up to and including the first that begins with ``start``."""
        lines = []
        while True:
            line = self.read_line()
            assert line is not None, f"the output ended before {start!r}, after {lines}"
            lines.append(line)
            if line.startswith(start):
                return lines

    def ask(self, *lines: str, until: str) -> list[str]:
        self.send(*lines)
        return self.read_until(until)

    def answer(self, *lines: str) -> list[str]:
        """Return everything printed before ``readyok``, for commands that are answered at once."""
        return self.ask(*lines, "isready", until="readyok")[:-1]

    def shown(self) -> list[str]:
        return self.answer("d")

    def rest(self) -> list[str]:
        """Wait for the program to end, without an error, and return its remaining output."""
        lines = []
        while (line := self.read_line()) is not None:
            lines.append(line)
        for reader in self._readers:
            reader.join(PATIENCE_S)
        assert (self.process.wait(PATIENCE_S), b"".join(self._errors)) == (0, b"")
        return lines

    def finish(self) -> list[str]:
        """Close the input; see ``rest``."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.rest()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            with suppress(BrokenPipeError):
                pipe.close()


class LocalClient(Client):
    """The same engine in a thread of this process, in the current directory."""

    def __init__(self, *arguments: str) -> None:
        self._engine = OwnEngine(arguments)

    def send_bytes(self, data: bytes) -> None:
        self._engine.write(data)

    def read_line(self) -> str | None:
        try:
            line = self._engine.read_line(PATIENCE_S)
        except EngineCrashError:  # the end of the output
            return None
        assert line is not None, f"no answer in {PATIENCE_S} s"
        return line.text

    def rest(self) -> list[str]:
        return list(iter(self.read_line, None))

    def finish(self) -> list[str]:
        self._engine.close(0)
        return self.rest()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._engine.close(0)


# Placeholders in expected lines; see protocol.md, "How to read the sessions".
PLACEHOLDERS = {
    "<int>": r"-?[0-9]+",
    "<move>": r"[a-p][0-9]+[a-p][0-9]+",
    "<score>": r"(?:cp|mate) -?[0-9]+",
    "<text>": r".+",
}
ANY_LINES = "..."


@dataclass(frozen=True)
class Step:
    """A line to send, and the lines expected as answers."""

    sent: str
    answers: tuple[str, ...]


def parse_session(text: str) -> list[Step]:
    """Parse a session: ``> `` and a line to send, then the lines expected; ``#`` begins a remark, ``!`` a setting."""
    steps: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith(("# ", "! ")):
            continue
        if line == ">" or line.startswith("> "):
            steps.append((line[2:], []))
        else:
            assert steps, f"{line!r} is expected before anything is sent"
            steps[-1][1].append(line)
    for sent, answers in steps:
        assert not answers or answers[-1] != ANY_LINES, f"after {sent!r}: '...' needs a line after it"
    return [Step(sent, tuple(answers)) for sent, answers in steps]


def matches(expected: str, line: str) -> bool:
    pattern = re.escape(expected)
    for name, part in PLACEHOLDERS.items():
        pattern = pattern.replace(re.escape(name), part)
    return re.fullmatch(pattern, line) is not None


def replay(
    steps: Sequence[Step], send: Callable[[str], None], read_line: Callable[[], str | None],
    finish: Callable[[], list[str]] = list,
) -> None:
    """Replay a session; fail at the first line that differs, with what was said since the last line sent.

    Args:
        steps: the session.
        send: sends a line.
        read_line: returns the next answer, None at the end of the output.
        finish: called after the last step; returns the lines that are left, which are unexpected.
    """
    for step in steps:
        send(step.sent)
        said: list[str] = []
        skipping = False
        for expected in step.answers:
            if expected == ANY_LINES:
                skipping = True
                continue
            while True:
                line = read_line()
                said.append(str(line))
                if line is not None and matches(expected, line):
                    break
                if line is None or not skipping:
                    raise AssertionError("\n".join([f"after {step.sent!r}, expected {expected!r}:", *said]))
            skipping = False
    left = finish()
    assert left == [], f"after the end of the session: {left}"
