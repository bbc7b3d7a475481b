"""The engine session as a state machine, in this process; ``protocols/transcripts`` has what a controller sees."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import EndlessKernel, QuickKernel
from latrones_uci.engine.errors import NoPositionError
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.engine.types import CurrentMove, Reporter, SearchResult, Task
from latrones_uci.game import IllegalMoveError
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import BestMove, Score, SearchInfo

START = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> tuple[Session, EndlessKernel]:
    fake_kernels.use(monkeypatch, EndlessKernel)
    session = Session(listener)
    return session, session._searcher.kernel  # type: ignore[return-value]


def go(session: Session, **limits: object) -> None:
    session.go(Limits(**limits), now_ns())  # type: ignore[arg-type]


@pytest.mark.long
def test_sending_a_game_repeatedly_gives_the_same_game(session: Session) -> None:
    moves = ["h1h2", "a8a7", "h2h1", "a7a8", "h1h2", "a8a7", "h2h1", "a7a8"]
    for plies in (*range(len(moves) + 1), 3, 5, 0, 8):
        session.set_position(None, moves[:plies])
        fresh = Session(lambda event: None)
        fresh.set_position(None, moves[:plies])
        assert session.game.positions == fresh.game.positions
        assert session.game.moves == fresh.game.moves
        assert session.game.outcome() == fresh.game.outcome()
        assert (session.game.outcome() is not None) == (plies == 8)
    session.set_position(None, ["h1h3"])
    assert [position.fen() for position in session.game.positions][1:] == ["ssssssss/3d4/8/8/8/7S/4D3/SSSSSSS1 b 1 1"]


@pytest.mark.parametrize("option", [("uci_variant", "LATRUNCULI-CLASSICAL"), ("BoardSize", "5x6"), None])
def test_a_new_game_clears_the_position_and_the_hash(
    scripted: tuple[Session, EndlessKernel], option: tuple[str, str] | None
) -> None:
    session, kernel = scripted
    session.set_position(None, ["d1d5"])
    if option:
        session.set_option(*option)
    else:
        session.new_game()
    assert session.game.moves == ()
    assert (session.game.position.fen() == START) == (option is None)
    assert kernel.cleared == 1


def test_a_rejected_position_leaves_no_position(session: Session) -> None:
    with pytest.raises(IllegalMoveError):
        session.set_position(None, ["d1d5", "d1d5"])
    with pytest.raises(NoPositionError):
        _ = session.game


def test_limits_and_options_reach_the_kernel(scripted: tuple[Session, EndlessKernel]) -> None:
    session, kernel = scripted
    session.set_option("MultiPV", "4")
    go(session, depth=7, nodes=500, mate=3, search_moves=("b1b2", "a1a2", "b1b2"), movetime_ms=0)
    session.wait()
    (task,) = kernel.tasks
    assert (task.depth, task.nodes, task.mate, task.multipv) == (7, 500, 3, 4)
    assert [kernel.games[0].position.named_move(move) for move in task.root_moves] == ["b1b2", "a1a2"]
    assert kernel.games[0] is not session.game, "the search works on a copy"
    assert kernel.games[0].positions == session.game.positions


@pytest.mark.parametrize(("limits", "depth"), [
    (Limits(mate=1), 2), (Limits(mate=3), 6), (Limits(mate=10**9), 100), (Limits(mate=3, depth=4), 4),
    (Limits(mate=3, nodes=50), 100), (Limits(mate=3, movetime_ms=50), 100), (Limits(mate=3, time_ms=(50, None)), 100),
    (Limits(mate=3, infinite=True), 100),
])
def test_mate_alone_ends_at_the_depth_that_decides_it(limits: Limits, depth: int) -> None:
    """Another limit ends the search by itself."""
    assert limits.search_depth == depth


@pytest.mark.parametrize(("fen", "turns"), [
    ("sSS3/SS3S/sss3/sSS2S/sD1SSs/dSSSs1[-] w 0 22", 2), ("2SSs1/2S3/SSSS1S/3S1S/4SD/1S3S[-] w 17 64", 2),
])
def test_a_search_for_a_win_decides_whether_there_is_one(backend: str, fen: str, turns: int) -> None:
    """Although a selective search of that depth overlooks these. Before, it ends without a win."""
    listener = Listener()
    session = Session(listener, backend)
    for name, value in (("UCI_Variant", "bell"), ("BoardSize", "6x6"), ("MultiPV", "2")):
        session.set_option(name, value)
    session.set_position(fen, [])
    for mate, score in ((turns - 1, None), (turns, turns)):
        session.new_game()
        session.set_position(fen, [])
        listener.events.clear()
        go(session, mate=mate)
        session.wait()
        *_, line, _, best = (event for event in listener.events if isinstance(event, SearchInfo | BestMove))
        assert isinstance(line, SearchInfo)
        assert (line.score.mate, line.pv[0]) == (score, best.move if isinstance(best, BestMove) else "")
        assert line.depth is not None
        assert line.depth <= 2 * mate


def test_stopped_search_reports_its_totals(session: Session, listener: Listener) -> None:
    go(session, infinite=True)
    while not any(isinstance(event, SearchInfo) and event.nodes > 2000 for event in listener.events):
        time.sleep(0.001)
    session.stop()
    session.wait()
    *_, last, best = listener.take()
    assert isinstance(best, BestMove)
    assert isinstance(last, SearchInfo)
    assert last.nodes > 2000
    assert last.pv[0] == best.move


def test_a_session_searches_again_after_it_was_closed(session: Session, listener: Listener) -> None:
    for _ in range(2):
        session.close()
        session.close()
        assert listener.search(session, nodes=1)[0] is not None


def test_a_session_is_idle_when_it_reports_the_best_move() -> None:
    """A controller may send the next command at once."""
    idle: list[bool] = []
    session = Session(lambda event: idle.append(not session.searching) if isinstance(event, BestMove) else None)
    for _ in range(20):
        go(session, nodes=1)
        session.wait()
    assert idle == [True] * 20


def test_long_searches_report_the_current_move(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    class Reporting(QuickKernel):
        def answer(self, task: Task, report: Reporter, should_stop: Callable[[], bool]) -> SearchResult:
            report(CurrentMove(4, "a1a3", 2))
            report(SearchInfo(4, 5, 1, Score(7, None), 10, 0, ("a1a2",)))
            return SearchResult(task.root_moves[0], None, 0)

    fake_kernels.use(monkeypatch, Reporting)
    session = Session(listener)
    for begun_ago_ms in (-10_000, 3_100):
        session.go(Limits(), now_ns() - begun_ago_ms * 10**6)
        session.wait()
        assert listener.take_all(CurrentMove) == ([CurrentMove(4, "a1a3", 2)] if begun_ago_ms > 3_000 else [])
