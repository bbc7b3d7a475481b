"""A client that sends and receives raw lines, with a timeout for every wait, and the errors of checks."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from latrones_uci.client.output import parse_best_move, parse_error_line
from latrones_uci.client.process import EngineProcess, OutputLine
from latrones_uci.protocol import BestMove

_LINES_KEPT = 1000
_SEARCH_START_S = 0.01
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Reply:
    """The output of an engine during a wait, at most the last thousand lines.

    Attributes:
        lines: the lines in the order in which they came.
        complete: whether the awaited line came; it is then the last one.
        asked_at_ns: ``time.monotonic_ns()`` at the start of the wait.
    """

    lines: tuple[OutputLine, ...]
    complete: bool
    asked_at_ns: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the lines."""
        return tuple(line.text for line in self.lines)

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds from the start of the wait until the last line was read; 0 if there is none."""
        return max(self.lines[-1].read_at_ns - self.asked_at_ns, 0) / 1e6 if self.lines else 0.0

    def best_moves(self) -> list[BestMove]:
        """Return the parsed ``bestmove`` lines."""
        return [best for text in self.texts if (best := parse_best_move(text)) is not None]

    def errors(self) -> list[str]:
        """Return the ``info string error`` lines as ``CODE: MESSAGE``."""
        return [error for text in self.texts if (error := parse_error_line(text)) is not None]


class RawClient:
    """Exchanges lines with one process. ``EngineCrashError`` and ``EngineStallError`` propagate to the caller."""

    def __init__(self, process: EngineProcess, timeout_s: float) -> None:
        self.process = process
        self._timeout_s = timeout_s

    def send(self, *lines: str) -> None:
        """Send lines one after the other, without waiting between them."""
        for line in lines:
            self.process.write_line(line, self._timeout_s)

    def listen(self, until: Callable[[str], bool], timeout_s: float | None = None) -> Reply:
        """Read until a line for which ``until`` is true, or until the timeout (None: the default timeout)."""
        asked_at_ns = time.monotonic_ns()
        deadline_ns = asked_at_ns + int((self._timeout_s if timeout_s is None else timeout_s) * _NS_PER_S)
        lines: deque[OutputLine] = deque(maxlen=_LINES_KEPT)
        while (remaining_ns := deadline_ns - time.monotonic_ns()) > 0:
            line = self.process.read_line(remaining_ns / _NS_PER_S)
            if line is not None:
                lines.append(line)
                if until(line.text):
                    return Reply(tuple(lines), True, asked_at_ns)
        return Reply(tuple(lines), False, asked_at_ns)

    def collect(self, seconds: float) -> Reply:
        """Read all lines of the next ``seconds``."""
        return self.listen(lambda text: False, seconds)

    def expect(self, word: str, timeout_s: float | None = None) -> Reply:
        """Read up to the first line that starts with a word.

        Raises:
            FaultError: there is no such line within the timeout.
        """
        reply = self.listen(lambda text: text.split()[:1] == [word], timeout_s)
        if not reply.complete:
            seconds = self._timeout_s if timeout_s is None else timeout_s
            raise FaultError(f"no {word} within {seconds:g} s")
        return reply

    def ready(self, timeout_s: float | None = None) -> Reply:
        """Send ``isready`` and read up to ``readyok``, after which all earlier output has been read."""
        self.send("isready")
        return self.expect("readyok", timeout_s)

    def answer(self, *lines: str) -> Reply:
        """Send lines and ``isready``, and return the output up to ``readyok``."""
        self.send(*lines)
        return self.ready()

    def search(self, position: str, go: str, timeout_s: float | None = None) -> Reply:
        """Set a position, search it and read up to the first ``bestmove``; the wait starts at ``go``.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout.
        """
        self.answer(position)
        return self.go(go, timeout_s)

    def go(self, go: str, timeout_s: float | None = None) -> Reply:
        """Search the current position, like ``search``."""
        self.send(go)
        try:
            return self.expect("bestmove", timeout_s)
        except FaultError as fault:
            raise FaultError(f"{fault} after {go!r}") from None

    def begin(self, position: str, go: str) -> None:
        """Start a search that runs until ``stop``, and wait until it is running; read nothing."""
        self.answer(position)
        self.send(go)
        time.sleep(_SEARCH_START_S)

    def stop(self) -> Reply:
        """Stop a search and read up to its ``bestmove``.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout.
        """
        self.send("stop")
        try:
            return self.expect("bestmove")
        except FaultError as fault:
            raise FaultError(f"{fault} after 'stop'") from None


# ---------------------------------------------------------------- errors
# Every message is one line.


class FaultError(Exception):
    """The engine did something wrong; the message says what was observed."""


class NotOfferedError(Exception):
    """The engine lacks an optional feature; the message says what was observed."""


class NoHandshakeError(Exception):
    """The engine does not start or does not complete the handshake, so the check cannot run."""
