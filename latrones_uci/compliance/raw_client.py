"""A conversation with an engine under test, in which every wait has a deadline."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from latrones_uci.client.output import parse_best_move, parse_error_line
from latrones_uci.client.process import EngineProcess, OutputLine
from latrones_uci.protocol import BestMove

_LINES_KEPT = 1000
_UNDER_WAY_S = 0.01
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Reply:
    """What an engine said in some time, the last thousand lines of it.

    Attributes:
        lines: in the order in which they came.
        complete: whether the line that was waited for is there; then it is the last.
        asked_at_ns: ``time.monotonic_ns()`` when the waiting began.
    """

    lines: tuple[OutputLine, ...]
    complete: bool
    asked_at_ns: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The lines without their times."""
        return tuple(line.text for line in self.lines)

    @property
    def elapsed_ms(self) -> float:
        """From the beginning of the waiting to the reading of the last line, 0 if there is none."""
        return max(self.lines[-1].read_at_ns - self.asked_at_ns, 0) / 1e6 if self.lines else 0.0

    def best_moves(self) -> list[BestMove]:
        """The ``bestmove`` lines, read."""
        return [best for text in self.texts if (best := parse_best_move(text)) is not None]

    def errors(self) -> list[str]:
        """The messages of the ``info string error`` lines, their codes before them."""
        return [error for text in self.texts if (error := parse_error_line(text)) is not None]


class RawClient:
    """Speaks with one process. ``EngineCrashError`` and ``EngineStallError`` go through to the caller."""

    def __init__(self, process: EngineProcess, timeout_s: float) -> None:
        self.process = process
        self._timeout_s = timeout_s

    def send(self, *lines: str) -> None:
        """Sends lines, one at a time and without waiting between them."""
        for line in lines:
            self.process.write_line(line, self._timeout_s)

    def listen(self, until: Callable[[str], bool], timeout_s: float | None = None) -> Reply:
        """Reads up to the first line that fits, or until the time (None: the usual one) is over."""
        asked_at_ns = time.monotonic_ns()
        deadline_ns = asked_at_ns + int((self._timeout_s if timeout_s is None else timeout_s) * _NS_PER_S)
        lines: deque[OutputLine] = deque(maxlen=_LINES_KEPT)
        while (left_ns := deadline_ns - time.monotonic_ns()) > 0:
            line = self.process.read_line(left_ns / _NS_PER_S)
            if line is not None:
                lines.append(line)
                if until(line.text):
                    return Reply(tuple(lines), True, asked_at_ns)
        return Reply(tuple(lines), False, asked_at_ns)

    def collect(self, seconds: float) -> Reply:
        """All that is said in so many seconds."""
        return self.listen(lambda text: False, seconds)

    def expect(self, word: str, timeout_s: float | None = None) -> Reply:
        """Reads up to the first line that begins with a word.

        Raises:
            FaultError: it did not come.
        """
        reply = self.listen(lambda text: text.split()[:1] == [word], timeout_s)
        if not reply.complete:
            seconds = self._timeout_s if timeout_s is None else timeout_s
            raise FaultError(f"no {word} within {seconds:g} s")
        return reply

    def ready(self, timeout_s: float | None = None) -> Reply:
        """Asks whether the engine is ready, and reads up to its answer: all that it said before lies behind."""
        self.send("isready")
        return self.expect("readyok", timeout_s)

    def answer(self, *lines: str) -> Reply:
        """All that is said between some lines and the ``readyok`` behind them."""
        self.send(*lines)
        return self.ready()

    def search(self, position: str, go: str, timeout_s: float | None = None) -> Reply:
        """Sets a position and searches; reads up to the first ``bestmove``, counted from ``go``.

        Raises:
            FaultError: no answer, whether or not a ``stop`` that follows helps.
        """
        self.answer(position)
        return self.go(go, timeout_s)

    def go(self, go: str, timeout_s: float | None = None) -> Reply:
        """Searches the position that is set, as ``search`` does."""
        self.send(go)
        try:
            return self.expect("bestmove", timeout_s)
        except FaultError as fault:
            raise FaultError(f"{fault} of {go!r}") from None

    def begin(self, position: str, go: str) -> None:
        """Begins a search that ends only when it is told to, and lets it come under way; nothing is read."""
        self.answer(position)
        self.send(go)
        time.sleep(_UNDER_WAY_S)

    def stop(self) -> Reply:
        """Stops a search, and reads up to its ``bestmove``.

        Raises:
            FaultError: none came.
        """
        self.send("stop")
        try:
            return self.expect("bestmove")
        except FaultError as fault:
            raise FaultError(f"{fault} of 'stop'") from None


# ---------------------------------------------------------------- faults
# How a check says that something is not as it should be. Every message is one line.


class FaultError(Exception):
    """The engine did something wrong; the message says what was seen."""


class NotOfferedError(Exception):
    """The engine lacks something that it need not have; the message says how it was noticed."""


class NoHandshakeError(Exception):
    """The engine does not come as far as the check needs it."""
