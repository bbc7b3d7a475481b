"""The engine session as a state machine, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import EndlessKernel, FailingKernel, QuickKernel
from latrones_uci.engine.errors import BusyError, NoPositionError, OptionError
from latrones_uci.engine.events import Note, PerftCount, Refusal
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Session
from latrones_uci.game import FenError, IllegalMoveError, LatronesError, MalformedMoveError
from latrones_uci.protocol import BestMove, Score, SearchInfo
from latrones_uci.search.types import CurrentMove, Report, SearchResult, Task

START = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"
WON = "2S1s3/3S4/8/8/8/8/8/4D3 b 0 1"


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> tuple[Session, EndlessKernel]:
    fake_kernels.use(monkeypatch, EndlessKernel)
    session = Session(listener)
    return session, session._kernel  # type: ignore[return-value]


def go(session: Session, **limits: object) -> None:
    session.go(Limits(**limits), time.monotonic_ns())  # type: ignore[arg-type]


# ---------------------------------------------------------------- the position


def test_set_position(session: Session) -> None:
    assert session.game.position.fen() == START
    session.set_position(None, ["d1d5", "e8e4"])
    assert session.game.position.fen() == "ssss1sss/3d4/8/3S4/4s3/8/4D3/SSS1SSSS w 2 2"
    session.set_position("ssss/1d2/2D1/SSSS b", [])
    assert session.game.position.fen() == "ssss/1d2/2D1/SSSS b 0 1"


@pytest.mark.parametrize(
    ("fen", "moves", "error"),
    [
        ("8/8", [], FenError),
        (None, ["d1d5", "d1d5"], IllegalMoveError),
        (None, ["d1d5", "what"], MalformedMoveError),
    ],
)
def test_rejected_position_leaves_no_position(
    session: Session, fen: str | None, moves: list[str], error: type[LatronesError]
) -> None:
    with pytest.raises(error):
        session.set_position(fen, moves)
    calls: list[Callable[[], object]] = [
        lambda: session.game, session.evaluate, lambda: go(session), lambda: session.perft(1)
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(NoPositionError):
            call()
    session.new_game()
    assert session.game.position.fen() == START


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
    assert [position.fen() for position in session.game.positions][1:] == [
        "ssssssss/3d4/8/8/8/7S/4D3/SSSSSSS1 b 1 1"
    ]  # fmt: skip


def test_new_game_clears_position_and_hash(scripted: tuple[Session, EndlessKernel]) -> None:
    session, kernel = scripted
    session.set_position(None, ["d1d5"])
    session.new_game()
    assert session.game.position.fen() == START
    assert kernel.cleared == 1


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("name", "value"),
    [("UCI_Variant", "latrunculi-classical"), ("uci_variant", "LATRUNCULI-CLASSICAL"), ("BoardSize", "5x6")],
)
def test_new_game_or_board_sets_the_start(scripted: tuple[Session, EndlessKernel], name: str, value: str) -> None:
    session, kernel = scripted
    session.set_position(None, ["d1d5"])
    session.set_option(name, value)
    assert session.game.moves == []
    assert session.game.position.fen() != START
    assert kernel.cleared == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("UCI_Variant", "latrones"), ("BoardSize", "default"), ("BoardSize", "8x8"), ("MultiPV", "3"), ("Ponder", "true"),
     ("Hash", "2"), ("Move Overhead", "0"), ("UCI_AnalyseMode", "true"), ("Backend", "python"), ("Backend", "AUTO"),
     ("Threads", "1"), ("Threads", "256"), ("VariantPath", "")],
)  # fmt: skip
def test_other_options_keep_the_game(session: Session, name: str, value: str) -> None:
    session.set_position(None, ["d1d5"])
    session.set_option(name, value)
    assert len(session.game.moves) == 1


def test_new_board_replaces_a_rejected_position(session: Session) -> None:
    with pytest.raises(FenError):
        session.set_position("x", [])
    session.set_option("Hash", "1")
    with pytest.raises(NoPositionError):
        _ = session.game
    session.set_option("BoardSize", "4x4")
    assert session.game.position.fen() == "ssss/1d2/2D1/SSSS w 0 1"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("Hash", "0", "1..65536"), ("Nothing", "1", "'Nothing'"), ("Backend", "rust", "auto, python, native"),
     ("Threads", "257", "1..256"), ("Clear Hash", "now", "button"), ("BoardSize", "2x2", "'2x2'")],
)  # fmt: skip
def test_invalid_options_are_rejected(session: Session, name: str, value: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        session.set_option(name, value)


# ---------------------------------------------------------------- searches


def test_limits_and_options_reach_the_kernel(scripted: tuple[Session, EndlessKernel], listener: Listener) -> None:
    session, kernel = scripted
    session.set_option("MultiPV", "4")
    go(session, depth=7, nodes=500, mate=3, search_moves=("b1b2", "a1a2", "b1b2"), movetime_ms=0)
    session.wait()
    (task,) = kernel.tasks
    assert (task.depth, task.nodes, task.mate, task.multipv) == (7, 500, 3, 4)
    assert [kernel.games[0].position.move_text(move) for move in task.root_moves] == ["b1b2", "a1a2"]


def test_search_works_on_a_copy_of_the_game(scripted: tuple[Session, EndlessKernel]) -> None:
    session, kernel = scripted
    go(session, movetime_ms=0)
    session.wait()
    assert kernel.games[0] is not session.game
    assert kernel.games[0].positions == session.game.positions


def test_commands_are_rejected_during_a_search(scripted: tuple[Session, EndlessKernel], listener: Listener) -> None:
    session, _ = scripted
    go(session, infinite=True)
    assert session.searching
    calls: list[Callable[[], object]] = [
        lambda: go(session), lambda: session.perft(1), lambda: session.bench(1), session.new_game,
        lambda: session.set_option("Hash", "1"), lambda: session.set_option("Nothing", "1"), session.ponderhit,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(BusyError):
            call()
    assert session.game.position.fen() == START
    with pytest.raises(BusyError):
        session.set_position(None, ["d1d5"])
    with pytest.raises(NoPositionError):
        _ = session.game
    session.stop()
    assert not session.searching
    session.set_position(None, [])
    assert len(listener.best_moves()) == 1


def test_finished_game_has_no_best_move(session: Session, listener: Listener) -> None:
    session.set_position(WON, [])
    for limits in ({"depth": 3}, {"infinite": True}, {"ponder": True}, {"movetime_ms": 1000}):
        go(session, **limits)
        assert listener.take() == [
            SearchInfo(depth=0, score=Score(mate=0)), Note("the game is over: p1win, dux captured"), BestMove()
        ]  # fmt: skip


def test_search_emits_infos_and_the_best_move(session: Session, listener: Listener) -> None:
    go(session, depth=2)
    session.wait()
    *infos, best = listener.take()
    assert all(isinstance(event, SearchInfo) for event in infos)
    assert isinstance(best, BestMove)
    assert (best.move, best.ponder) == infos[-1].pv[:2]


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
            report(CurrentMove(4, second, 2))
            report(SearchInfo(4, 5, 1, Score(7, None), 10, 0, ("a1a2",)))
            return SearchResult(task.root_moves[0], None, 0)

    fake_kernels.use(monkeypatch, Reporting)
    session = Session(listener)
    game = session.game
    second = game.position.move_text(game.legal_moves()[1])
    for begun_ago_ms in (-10_000, 3_100):
        session.go(Limits(), time.monotonic_ns() - begun_ago_ms * 10**6)
        session.wait()
        events = listener.take()
        told = [event for event in events if isinstance(event, CurrentMove)]
        assert told == ([CurrentMove(4, second, 2)] if begun_ago_ms > 3_000 else [])


def test_debug_reports_the_planned_time(session: Session, listener: Listener) -> None:
    session.debug = True
    go(session, depth=1, movetime_ms=1000)
    session.wait()
    assert listener.take()[0] == Note("time planned: 980 ms, at most 980 ms")


def test_move_overhead_is_subtracted(session: Session, listener: Listener) -> None:
    session.debug = True
    session.set_option("Move Overhead", "150")
    go(session, depth=1, movetime_ms=1000)
    session.wait()
    assert listener.take()[0] == Note("time planned: 850 ms, at most 850 ms")


def test_kernel_error_is_reported_and_a_move_follows(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    fake_kernels.use(monkeypatch, FailingKernel)
    session = Session(listener)
    go(session, search_moves=("c1c2",))
    session.wait()
    assert listener.take() == [
        Refusal("internal", "the search failed: ZeroDivisionError: of the\nkernel"), BestMove("c1c2")
    ]  # fmt: skip
    assert not session.searching
    session.perft(2)
    session.wait()
    assert listener.take() == [Refusal("internal", "the search failed: OverflowError: count")]


@pytest.mark.parametrize("mate", [15_000, 2**31, 10**17])
def test_mate_limit_beyond_any_search_is_accepted(backend: str, mate: int) -> None:
    listener = Listener()
    session = Session(listener, backend)
    go(session, mate=mate, depth=2)
    session.wait()
    *told, last = listener.take()
    assert isinstance(last, BestMove)
    assert not [event for event in told if isinstance(event, Refusal)]
    assert [event.depth for event in told if isinstance(event, SearchInfo)][-1] == 2


# ---------------------------------------------------------------- counts


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


def test_perft_of_a_finished_game(session: Session, listener: Listener) -> None:
    session.set_position(WON, [])
    session.perft(3)
    session.wait()
    assert listener.take() == [PerftCount((), 0)]


def test_perft_can_be_stopped(session: Session, listener: Listener) -> None:
    session.perft(5)
    session.stop()
    session.wait()
    assert listener.take() == [Note("perft stopped")]


def test_a_move_that_was_not_searched_has_a_line_with_the_score_of_the_position(
    session: Session, listener: Listener
) -> None:
    for limits in ({"nodes": 1}, {"nodes": 1, "infinite": True}):
        go(session, **limits)
        session.stop()
        session.wait()
        *infos, best = listener.take()
        assert isinstance(best, BestMove)
        assert [info.pv for info in infos if isinstance(info, SearchInfo)] == [(best.move,)]
        assert [info.depth for info in infos if isinstance(info, SearchInfo)] == [0]
