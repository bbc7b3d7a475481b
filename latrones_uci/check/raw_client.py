"""A client that sends and receives raw lines, with a timeout for every wait, and the errors of checks."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from latrones_uci.client.engine_spec import reading_s
from latrones_uci.client.output import parse_best_move, parse_error_line
from latrones_uci.client.process import EngineProcess, OutputLine, printable
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.game import counted, quoted
from latrones_uci.protocol import BestMove

_LINES_KEPT = 1000
_STEPS_KEPT, _ANSWERS_KEPT = 4, 3
_LONGEST_SHOWN = 150
_LOG_NAME = "engine"
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


@dataclass
class _Step:
    """A line that was sent, and the first and last answers to it; the first step has the output before any command."""

    sent: str
    answers: list[str] = field(default_factory=list)
    left_out: int = 0

    def add(self, answer: str) -> None:
        if len(self.answers) == _ANSWERS_KEPT:
            del self.answers[1]
            self.left_out += 1
        self.answers.append(answer)

    def lines(self) -> Iterator[str]:
        yield from [self.sent] * bool(self.sent)
        yield from self.answers[:1]
        if self.left_out:
            yield f"           ... {counted(self.left_out, 'line')} left out"
        yield from self.answers[1:]


class RawClient:
    """Exchanges lines with one process. ``EngineCrashError`` and ``EngineStallError`` propagate to the caller."""

    def __init__(
        self, command: tuple[str, ...], timeout_s: float, log: TrafficLog | None = None
    ) -> None:
        """Start the program.

        Raises:
            EngineStartError: it cannot be started.
        """
        self._timeout_s, self._log = timeout_s, log
        self._steps = deque([_Step("")], maxlen=_STEPS_KEPT)
        self._start_ns = time.monotonic_ns()
        self._unanswered = 0
        self._heard = False
        self.process = EngineProcess(command, on_error_line=self._note_error)

    @property
    def heard(self) -> bool:
        """Whether the engine has printed a line."""
        return self._heard

    def transcript(self) -> tuple[str, ...]:
        """Return the last lines of the traffic, ``SECONDS MARK TEXT`` as in a log, without answers in the middle."""
        return tuple(line for step in self._steps for line in step.lines())

    def _line(self, mark: str, text: str, at_ns: int) -> str:
        cut = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}... ({len(text)} characters)"
        return f"{(at_ns - self._start_ns) / _NS_PER_S:10.3f} {mark} {printable(cut)}"

    def _note_error(self, text: str) -> None:
        now_ns = time.monotonic_ns()
        self._steps[-1].add(self._line("!!", text, now_ns))
        if self._log is not None:
            self._log.received_error(_LOG_NAME, self.process.process_id, text, now_ns)

    def send(self, *lines: str) -> None:
        """Send lines one after the other, without waiting between them."""
        for line in lines:
            self._steps.append(_Step(self._line(">>", line, time.monotonic_ns())))
            if self._log is not None:
                self._log.sent(_LOG_NAME, self.process.process_id, line)
            self._unanswered += len(line)
            self.process.write_line(line, self._timeout_s + reading_s(self._unanswered))

    def listen(self, until: Callable[[str], bool], timeout_s: float | None = None) -> Reply:
        """Read until a line for which ``until`` is true, or until the timeout (None: the default timeout)."""
        asked_at_ns = time.monotonic_ns()
        deadline_ns = asked_at_ns + int((self._timeout_s if timeout_s is None else timeout_s) * _NS_PER_S)
        lines: deque[OutputLine] = deque(maxlen=_LINES_KEPT)
        while (remaining_ns := deadline_ns - time.monotonic_ns()) > 0:
            line = self.process.read_line(remaining_ns / _NS_PER_S)
            if line is not None:
                self._heard = True
                lines.append(line)
                self._steps[-1].add(self._line("<<", line.text, line.read_at_ns))
                if self._log is not None:
                    self._log.received(_LOG_NAME, self.process.process_id, line.text, line.read_at_ns)
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
        seconds = (self._timeout_s if timeout_s is None else timeout_s) + reading_s(self._unanswered)
        reply = self.listen(lambda text: text.split()[:1] == [word], seconds)
        if not reply.complete:
            raise FaultError(f"no {word} within {seconds:g} s")
        self._unanswered = 0
        return reply

    def ready(self, timeout_s: float | None = None) -> Reply:
        """Send ``isready`` and read up to ``readyok``, after which all earlier output has been read."""
        self.send("isready")
        return self.expect("readyok", timeout_s)

    def answer(self, *lines: str) -> Reply:
        """Send lines and ``isready``, and return the output up to ``readyok``."""
        self.send(*lines)
        return self.ready()

    def set_position(self, position: str) -> None:
        """Set a position.

        Raises:
            FaultError: the engine reports an error.
        """
        if errors := self.answer(position).errors():
            raise FaultError(f"rejects {quoted(position)}: {errors[0]}")

    def search(self, position: str, go: str, timeout_s: float | None = None) -> Reply:
        """Set a position, search it and read up to the first ``bestmove``; the wait starts at ``go``.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout, or the engine reports an error.
        """
        self.set_position(position)
        reply = self.go(go, timeout_s)
        if errors := reply.errors():
            raise FaultError(f"reports an error in the search after {go!r}: {errors[0]}")
        return reply

    def go(self, go: str, timeout_s: float | None = None) -> Reply:
        """Search the current position and read up to the first ``bestmove``, whatever the engine reports.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout.
        """
        self.send(go)
        try:
            return self.expect("bestmove", timeout_s)
        except FaultError as fault:
            raise FaultError(f"{fault} after {go!r}") from None

    def begin(self, position: str, go: str) -> None:
        """Start a search that runs until ``stop``, and wait until it is running; read nothing."""
        self.set_position(position)
        self.send(go)
        time.sleep(_SEARCH_START_S)

    def stop(self) -> Reply:
        """Stop a search and read up to its ``bestmove``.

        Raises:
            FaultError: there is no ``bestmove`` within the timeout, or the engine reported an error in the search.
        """
        self.send("stop")
        try:
            reply = self.expect("bestmove")
        except FaultError as fault:
            raise FaultError(f"{fault} after 'stop'") from None
        if errors := reply.errors():
            raise FaultError(f"reports an error in the search: {errors[0]}")
        return reply


# ---------------------------------------------------------------- errors
# Every message is one line.


class FaultError(Exception):
    """The engine did something wrong; the message says what was observed."""


class NotOfferedError(Exception):
    """The engine lacks an optional feature; the message says what was observed."""


class NoHandshakeError(Exception):
    """The engine does not start or does not complete the handshake, so the check cannot run."""
