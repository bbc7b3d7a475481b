"""No time of a game or a search is taken from a clock that can be set, or is charged while the runner was suspended."""

from __future__ import annotations

import ast
import itertools
import re
from collections import deque
from dataclasses import dataclass, field

import pytest

from folders import ROOT
from latrones_uci.client.connection import Connection
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.process import OutputLine
from latrones_uci.client.time_control import TimeControl

SOURCE = ROOT / "latrones_uci"
CLOCKS_THAT_CAN_BE_SET = {"time", "time_ns", "now", "utcnow", "today", "gmtime", "localtime", "strftime", "ctime",
                          "clock_gettime", "clock_gettime_ns"}
STAMPS = {
    "web/board/state.py": "the date of a game, for its PGN",
    "web/board/live_game.py": "when a game began, for the list of games",
    "web/board/game_store.py": "when a game was last kept, for the list of games",
    "client/traffic_log.py": "the first line of a log says when it begins",
    "studies/train/trainer.py": "the date of a net, for its card",
    "match/worker.py": "when a match or a game began, for its record",
    "protocols/channel.py": "every line of the engine's log has its time",
}
"""Files that may read such a clock, and what for; they never subtract two times of it."""
CPP_CLOCKS = re.compile(r"\b(system_clock|high_resolution_clock|gettimeofday|time\s*\(\s*(NULL|nullptr|0)\s*\))")


@pytest.mark.slow
def test_clocks_that_can_be_set_are_read_for_stamps_alone() -> None:
    """Nor are they imported by name; and the core takes the steady clock."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                assert CLOCKS_THAT_CAN_BE_SET.isdisjoint(alias.name for alias in node.names), path
            function = node.func if isinstance(node, ast.Call) else None
            if (isinstance(function, ast.Attribute) and function.attr in CLOCKS_THAT_CAN_BE_SET
                    and ast.unparse(function.value).split(".")[-1] in {"time", "datetime", "date"}):
                found.add(str(path.relative_to(SOURCE)))
    assert found == set(STAMPS)
    sources = [path for path in (SOURCE / "engine" / "native").rglob("*") if path.suffix in {".cpp", ".hpp"}]
    assert sources
    assert [path for path in sources if CPP_CLOCKS.search(path.read_text(encoding="utf-8"))] == []


MS = 1_000_000
LIMIT_MS = 300


@dataclass
class Machine:
    """A machine on which the runner, or everything, is suspended once, and on which time passes only in waits.

    It stands in for the process of an engine that is ready at once, and answers ``think_ms`` after ``go``.
    """

    think_ms: float
    begin_ms: float = 1e9  # of the suspension, after go
    length_ms: float = 0
    everything: bool = False
    jitter_ms: float = 0  # how late each wait ends
    time_ns: int = 10**12
    lines: deque[OutputLine] = field(default_factory=deque)  # never any, as none is read before it is wanted
    printed: list[tuple[int, str]] = field(default_factory=list)  # and when
    go_ns: int | None = None
    ready_ns: int = 0  # when it was seen that the engine was ready
    sent: bool = False
    stopped: bool = False  # it was told to stop
    running: bool = True
    closed: bool = False
    exit_status: int | None = None
    process_id: int = 1

    def write_line(self, text: str, timeout_s: float) -> None:
        answers = {"uci": "uciok", "isready": "readyok"}
        self.printed += [(self.time_ns, answers[word]) for word in text.split("\n") if word in answers]
        self.stopped = self.stopped or text == "stop"
        if "\ngo" in text:
            self.go_ns = self.time_ns
            shift_ms = self.length_ms if self.everything and self.think_ms > self.begin_ms else 0
            self.printed.append((self.time_ns + round((self.think_ms + shift_ms) * MS), "bestmove a1a2"))

    def read_available(self) -> None:
        pass

    def now_ns(self) -> int:
        """Return the time; the runner may be suspended after it has asked for the time of go."""
        if self.sent:
            self.pass_time(self.time_ns)
        self.sent = self.go_ns is not None
        return self.time_ns

    def pass_time(self, until_ns: int) -> None:
        """Let the runner wake at a time, or when it is continued if it is suspended then."""
        if self.go_ns is not None:
            begin_ns = self.go_ns + round(self.begin_ms * MS)
            if begin_ns <= until_ns and self.time_ns <= begin_ns:
                until_ns = max(until_ns, begin_ns + round(self.length_ms * MS))
        self.time_ns = until_ns

    def read_line(self, timeout_s: float) -> OutputLine | None:
        end_ns = self.time_ns + round(timeout_s * 1e9)
        if self.printed and self.printed[0][0] <= end_ns:
            self.pass_time(max(self.printed[0][0], self.time_ns))
        else:
            self.pass_time(end_ns + (round(self.jitter_ms * MS) if timeout_s else 0))
        if self.printed and self.printed[0][0] <= self.time_ns:
            if (line := self.printed.pop(0)[1]) == "readyok":
                self.ready_ns = self.time_ns
            return OutputLine(line, self.time_ns)
        return None

    error_bytes, unfinished_line, suspended, usage = 0, "", False, None

    def stderr_tail(self) -> list[str]:
        return []

    def close(self, grace_s: float) -> None:
        self.closed = True

    def search(self, limit_ms: int = LIMIT_MS) -> tuple[bool, float, tuple[str, ...]]:
        """Return whether the answer was late, the time charged in ms, and the violations."""
        Connection.connect = lambda *command, **options: self  # put back before the next test
        settings = EngineSettings(("engine",), TimeControl(movetime_ms=limit_ms))
        engine = EngineController(settings, {}, Timeouts(), lambda: False)
        answer = engine.search("position startpos", f"go movetime {limit_ms}", limit_ms * MS)
        return answer.overdue, answer.elapsed_ns / MS, engine.take_violations()


@pytest.mark.posix  # on Windows waits end at ticks of 16 ms, and more is forgiven
@pytest.mark.parametrize("everything", [False, True])
def test_a_suspended_runner_charges_no_engine(everything: bool) -> None:
    """The engine needs 10 ms less than it has. It thinks on while the runner alone is suspended.

    A suspension of everything is noticed if it is longer than a wait, and an engine is used to shorter ones.
    """
    lengths_ms = [1, 10 if everything else 11, 31, 50, 120, 299, 301, 450, 499, 501, 2500, 3_600_000]
    for begin_ms, length_ms in itertools.product([0, 1, 60, 99, 100, 150, 199.9, 250, 285], lengths_ms):
        machine = Machine(LIMIT_MS - 10, begin_ms, length_ms, everything)
        overdue, elapsed_ms, violations = machine.search()
        case = f"suspended after {begin_ms} ms for {length_ms} ms"
        assert (overdue, elapsed_ms <= LIMIT_MS, machine.stopped) == (False, True, False), case
        late = machine.time_ns - machine.ready_ns > LIMIT_MS * MS
        assert bool(violations) == (late or length_ms > 500), case
        assert all(violation.startswith("not the engine's fault: the controller") for violation in violations), case


@pytest.mark.parametrize(("machine", "limit_ms", "overdue", "least_ms", "most_ms"), [
    # A runner suspended for a moment charges no engine that has answered.
    *((Machine(LIMIT_MS - 0.5, LIMIT_MS - 0.7, length_ms), LIMIT_MS, False, LIMIT_MS, LIMIT_MS)
      for length_ms in (1, 5, 10)),
    # An engine that is late pays although each wait ends a little late.
    *((Machine(LIMIT_MS + late_ms, jitter_ms=jitter_ms), LIMIT_MS, True, LIMIT_MS + late_ms, LIMIT_MS + late_ms)
      for late_ms in (6, 50, 150) for jitter_ms in (0, 0.1, 5)),
    # A suspension long before the answer forgives no more than its length and a wait.
    (Machine(LIMIT_MS + 500, begin_ms=20, length_ms=50), LIMIT_MS, True, LIMIT_MS + 500 - 50 - 20, LIMIT_MS + 500),
    # A suspension takes nothing from the clock although there is time enough.
    (Machine(250, 60, 400, everything=True), 10_000, False, 250, 250 + 20),
])
def test_what_is_charged(machine: Machine, limit_ms: int, overdue: bool, least_ms: float, most_ms: float) -> None:
    is_overdue, elapsed_ms, violations = machine.search(limit_ms)
    assert (is_overdue, violations) == (overdue, ())
    assert least_ms <= elapsed_ms <= most_ms
