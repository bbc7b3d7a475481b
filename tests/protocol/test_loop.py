"""The loop in this process, with fake kernels: the answer to every ``go``, whatever happens."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fake_kernels
from effort import examples
from fake_kernels import EndlessKernel, QuickKernel
from latrones_uci.engine import session
from latrones_uci.engine.events import Refusal
from latrones_uci.protocols.channel import ChannelClosedError, Line
from latrones_uci.protocols.serve import Loop
from latrones_uci.protocols.uci.session import UciSession

NO_POSITION = "info string error no-position: no position: the last 'position' command was rejected"


class Script:
    """A channel with scripted lines. By default each waits until the previous search is over."""

    def __init__(self, lines: Iterable[str], wait: bool = True) -> None:
        self._lines = iter(lines)
        self._wait = wait
        self.loop: Loop | None = None
        self.answers: list[list[str]] = [[]]

    def receive(self) -> Line:
        if self._wait and self.loop and len(self.answers) > 1:
            self.loop._engine.stop()
            self.loop._engine.wait()
        text = next(self._lines, None)
        if text is None:
            raise ChannelClosedError
        self.answers.append([])
        return Line(text, time.monotonic_ns())

    def send(self, lines: Iterable[str]) -> None:
        self.answers[-1] += lines


@pytest.fixture(autouse=True)
def switch_interval() -> Iterator[None]:
    """Restore the switch interval, which the loop changes for the whole process."""
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


def run(kernel: type[QuickKernel], lines: Iterable[str], wait: bool = True) -> list[list[str]]:
    """Return the answers to each line; those at the end of input belong to the last line."""
    script = Script(lines, wait)
    with pytest.MonkeyPatch.context() as patch:
        fake_kernels.use(patch, kernel)
        script.loop = Loop(script)  # type: ignore[arg-type]
        script.loop.run()
    assert script.answers[0] == []
    return script.answers[1:]


def test_failing_go_and_position_are_answered_like_rejected_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("fault")

    monkeypatch.setattr(session.Session, "go", fail)
    monkeypatch.setattr(session.Session, "set_position", fail)
    assert run(QuickKernel, ["go depth 3", "position startpos", "query result"]) == [
        ["info string error internal: 'go depth 3': RuntimeError: fault", "bestmove 0000"],
        ["info string error internal: 'position startpos': RuntimeError: fault"],
        ["info string error no-position: no position: the last 'position' command was rejected", "response none"],
    ]


def test_busy_go_has_no_best_move_even_if_the_search_ends_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search may end between the rejection and its answer."""
    refuse = UciSession.refuse

    def refuse_slowly(session: UciSession, refusal: Refusal, line: Line) -> None:
        session._engine.stop()
        session._engine.wait()
        refuse(session, refusal, line)

    monkeypatch.setattr(UciSession, "refuse", refuse_slowly)
    said = [line for lines in run(EndlessKernel, ["go", "go"], wait=False) for line in lines]
    assert [line.split()[0] for line in said if " depth " not in line] == ["bestmove", "info"]


# ---------------------------------------------------------------- any sequence of lines

LINES = (
    "uci", "ugi", "isready", "ucinewgame", "stop", "ponderhit", "d", "eval", "debug on", "bench 1", "help", "",
    "position startpos", "position startpos moves d1d5 e8e4", "position startpos moves d1d5 d1d5",
    "position fen 4/4/4/4 w", "position fen 3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1 moves c6c8", "position fen", "position",
    "go", "go depth 1", "go infinite", "go ponder", "go ponder infinite", "go wtime 1 btime 1", "go depth 0",
    "go nonsense", "go perft 1", "go perft 2", "go perft", "go searchmoves a1a2", "go searchmoves xx",
    "query p1turn", "query gameover", "query result", "query", "nonsense", "quit now", "\x00",
    "setoption name Hash value 1", "setoption name Hash value 0", "setoption name MultiPV value 2",
    "setoption name UCI_Variant value latrunculi-classical", "setoption name UCI_Variant value latrones",
    "setoption name BoardSize value 5x4", "setoption name BoardSize value 5x3", "setoption name BoardSize",
)  # fmt: skip


@examples(100)
@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_every_line_gets_its_answer(lines: list[str]) -> None:
    # After each line, `d` shows what it changed.
    watched = ["d"] + [text for line in lines for text in (line, "d")]
    answers = run(QuickKernel, watched)
    assert len(answers) == len(watched)
    for index in range(1, len(watched), 2):
        check_answer(watched[index], answers[index], answers[index - 1], answers[index + 1])


def check_answer(line: str, answer: list[str], before: list[str], after: list[str]) -> None:
    errors = [text for text in answer if text.startswith("info string error")]
    moves = [text for text in answer if text.startswith("bestmove")]
    assert len(errors) <= 1
    is_count = line.startswith("go perft") and not errors
    assert len(moves) == (1 if line.startswith("go") and not is_count else 0)
    if errors:
        if line.startswith("go"):
            assert answer == [errors[0], "bestmove 0000"]
        elif line in ("query p1turn", "query gameover"):
            assert answer == [errors[0], "response true"]
        elif line == "query result":
            assert answer == [errors[0], "response none"]
        else:
            assert answer == errors
        assert after == ([NO_POSITION] if line.startswith("position") else before)
    elif not line.startswith(("position", "setoption", "ucinewgame")):
        assert after == before


# Rejected when idle; accepted, and ends only at `stop`; rejected during a search.
BAD_GO = ("go depth 0", "go nonsense", "go perft", "go searchmoves xx")
GOOD_GO = ("go", "go infinite", "go ponder", "go searchmoves a1a2")
GOOD_POSITION = ("position startpos", "position startpos moves d1d5 e8e4")
BAD_POSITION = ("position startpos moves d1d5 d1d5", "position fen 4/4/4/4", "position")
NEW_GAME = ("ucinewgame", "newgame")
OTHER = ("stop", "isready", "d", "uci", "query result", "nonsense", "")


@examples(100)
@given(st.lists(st.sampled_from(BAD_GO + GOOD_GO + GOOD_POSITION + BAD_POSITION + NEW_GAME + OTHER * 2), max_size=15))
def test_number_of_best_moves_without_waiting(lines: list[str]) -> None:
    said = [line for lines in run(EndlessKernel, lines, wait=False) for line in lines]
    assert len([line for line in said if line.startswith("bestmove")]) == expected_best_moves(lines)


def expected_best_moves(lines: Iterable[str]) -> int:
    """Return the number of best moves that the contract requires, if no search ends by itself."""
    owed, searching, has_position = 0, False, True
    for line in lines:
        if line == "stop":
            searching = False
        elif line in GOOD_POSITION + BAD_POSITION:
            has_position = line in GOOD_POSITION and not searching
        elif line in NEW_GAME:
            has_position = has_position or not searching
        elif line in GOOD_GO + BAD_GO and not searching:
            owed += 1
            searching = has_position and line in GOOD_GO
    return owed
