"""The engine session as a state machine, in this process; ``tests/transcripts`` has what a controller sees of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import EndlessKernel, QuickKernel
from latrones_uci.engine.errors import BusyError, NoPositionError
from latrones_uci.engine.events import PerftCount
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.protocol import BestMove, Score, SearchInfo
from latrones_uci.search.types import CurrentMove, Report, SearchResult, Task

START = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> tuple[Session, EndlessKernel]:
    fake_kernels.use(monkeypatch, EndlessKernel)
    session = Session(listener)
    return session, session._kernel  # type: ignore[return-value]


def go(session: Session, **limits: object) -> None:
    session.go(Limits(**limits), time.monotonic_ns())  # type: ignore[arg-type]


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


@pytest.mark.parametrize(
    ("name", "value"),
    [("UCI_Variant", "latrones"), ("BoardSize", "default"), ("BoardSize", "8x8"), ("MultiPV", "3"), ("Ponder", "true"),
     ("Hash", "2"), ("Move Overhead", "0"), ("UCI_AnalyseMode", "true"), ("Backend", "python"), ("Backend", "AUTO"),
     ("Threads", "1"), ("Threads", "256"), ("VariantPath", "")],
)  # fmt: skip
def test_options_that_keep_the_game(session: Session, name: str, value: str) -> None:
    session.set_position(None, ["d1d5"])
    session.set_option(name, value)
    assert len(session.game.moves) == 1


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
    assert session.game.moves == []
    assert (session.game.position.fen() == START) == (option is None)
    assert kernel.cleared == 1


def test_limits_and_options_reach_the_kernel(scripted: tuple[Session, EndlessKernel]) -> None:
    session, kernel = scripted
    session.set_option("MultiPV", "4")
    go(session, depth=7, nodes=500, mate=3, search_moves=("b1b2", "a1a2", "b1b2"), movetime_ms=0)
    session.wait()
    (task,) = kernel.tasks
    assert (task.depth, task.nodes, task.mate, task.multipv) == (7, 500, 3, 4)
    assert [kernel.games[0].position.move_text(move) for move in task.root_moves] == ["b1b2", "a1a2"]
    assert kernel.games[0] is not session.game, "the search works on a copy"
    assert kernel.games[0].positions == session.game.positions


def test_commands_are_rejected_during_a_search(scripted: tuple[Session, EndlessKernel], listener: Listener) -> None:
    session, _ = scripted
    go(session, infinite=True)
    assert session.searching
    calls: list[Callable[[], object]] = [
        lambda: go(session), lambda: session.perft(1), lambda: session.bench(1), session.new_game,
        lambda: session.set_option("Hash", "1"), lambda: session.set_option("Nothing", "1"), session.ponderhit,
        lambda: session.set_position(None, ["d1d5"]),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(BusyError):
            call()
    with pytest.raises(NoPositionError):
        _ = session.game
    session.stop()
    assert not session.searching
    session.set_position(None, [])
    assert len(listener.take_all(BestMove)) == 1


@pytest.mark.parametrize("limits", [{"nodes": 700}, {"nodes": 7000}, {"movetime_ms": 60}, {"depth": 3}])
def test_last_info_has_the_totals_of_the_search(
    session: Session, listener: Listener, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
) -> None:
    results: list[SearchResult] = []
    search = session._kernel.search

    def recorded(*arguments: Any) -> SearchResult:
        results.append(search(*arguments))
        return results[-1]

    monkeypatch.setattr(session._kernel, "search", recorded)
    go(session, **limits)
    session.wait()
    *infos, best = listener.take()
    infos = [info for info in infos if isinstance(info, SearchInfo)]
    assert isinstance(best, BestMove)
    assert infos[-1].nodes == results[0].nodes >= limits.get("nodes", 1)
    assert infos[-1].pv[0] == best.move
    times = [info.time_ms for info in infos]
    assert times == sorted(times)


def test_stopped_search_reports_its_totals(session: Session, listener: Listener) -> None:
    go(session, infinite=True)
    while not any(isinstance(event, SearchInfo) and event.nodes > 2000 for event in listener.events):
        time.sleep(0.001)
    session.stop()
    session.wait()
    *infos, best = listener.take()
    assert isinstance(best, BestMove)
    last = infos[-1]
    assert isinstance(last, SearchInfo)
    assert last.nodes > 2000
    assert last.pv[0] == best.move


def test_long_searches_report_the_current_move(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    class Reporting(QuickKernel):
        def answer(self, task: Task, report: Report, should_stop: Callable[[], bool]) -> SearchResult:
            report(CurrentMove(4, "a1a3", 2))
            report(SearchInfo(4, 5, 1, Score(7, None), 10, 0, ("a1a2",)))
            return SearchResult(task.root_moves[0], None, 0)

    fake_kernels.use(monkeypatch, Reporting)
    session = Session(listener)
    for begun_ago_ms in (-10_000, 3_100):
        session.go(Limits(), time.monotonic_ns() - begun_ago_ms * 10**6)
        session.wait()
        assert listener.take_all(CurrentMove) == ([CurrentMove(4, "a1a3", 2)] if begun_ago_ms > 3_000 else [])


def test_perft_counts_by_move(session: Session, listener: Listener) -> None:
    session.set_position("ssss/1d2/2D1/SSSS w 0 1", [])
    for depth in (1, 2, 3, 4):
        session.perft(depth)
        session.wait()
        (count,) = listener.take()
        assert isinstance(count, PerftCount)
        assert count.total == session.game.position.perft(depth)
        assert dict(count.counts) == session.game.position.divide(depth)
        assert list(count.counts) == sorted(count.counts)
