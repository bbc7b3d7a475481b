"""The engine as a state machine, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import fake_kernels
from engine.listener import Listener
from fake_kernels import EndlessKernel, FailingKernel, QuickKernel
from latrones_uci.engine.errors import BusyError, NoPositionError, OptionError
from latrones_uci.engine.events import BestMove, Note, PerftCount, Refusal, SearchInfo, SearchingMove
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Engine
from latrones_uci.game import FenError, IllegalMoveError, LatronesError, MalformedMoveError
from latrones_uci.search.report import CurrentMove, Info, Outcome, Report, Score, Task

START = "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"
WON = "2S1s3/3S4/8/8/8/8/8/4D3 b 0 1"


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> tuple[Engine, EndlessKernel]:
    fake_kernels.use(monkeypatch, EndlessKernel)
    engine = Engine(listener)
    return engine, engine._kernel  # type: ignore[return-value]


def go(engine: Engine, **limits: object) -> None:
    engine.go(Limits(**limits), time.monotonic_ns())  # type: ignore[arg-type]


# ---------------------------------------------------------------- the position


def test_positions(engine: Engine) -> None:
    assert engine.game.position.fen() == START
    engine.set_position(None, ["d1d5", "e8e4"])
    assert engine.game.position.fen() == "ssss1sss/3d4/8/3S4/4s3/8/4D3/SSS1SSSS w 2 2"
    engine.set_position("ssss/1d2/2D1/SSSS b", [])
    assert engine.game.position.fen() == "ssss/1d2/2D1/SSSS b 0 1"


@pytest.mark.parametrize(
    ("fen", "moves", "error"),
    [
        ("8/8", [], FenError),
        (None, ["d1d5", "d1d5"], IllegalMoveError),
        (None, ["d1d5", "what"], MalformedMoveError),
    ],
)
def test_rejected_position_leaves_none(
    engine: Engine, fen: str | None, moves: list[str], error: type[LatronesError]
) -> None:
    with pytest.raises(error):
        engine.set_position(fen, moves)
    calls: list[Callable[[], object]] = [
        lambda: engine.game, engine.evaluate, lambda: go(engine), lambda: engine.perft(1)
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(NoPositionError):
            call()
    engine.new_game()
    assert engine.game.position.fen() == START


def test_a_game_sent_again_and_again_is_the_same_as_one_sent_once(engine: Engine) -> None:
    moves = ["h1h2", "a8a7", "h2h1", "a7a8", "h1h2", "a8a7", "h2h1", "a7a8"]
    for plies in (*range(len(moves) + 1), 3, 5, 0, 8):
        engine.set_position(None, moves[:plies])
        fresh = Engine(lambda event: None)
        fresh.set_position(None, moves[:plies])
        assert engine.game.positions == fresh.game.positions
        assert engine.game.moves == fresh.game.moves
        assert engine.game.outcome() == fresh.game.outcome()
        assert (engine.game.outcome() is not None) == (plies == 8)
    engine.set_position(None, ["h1h3"])
    assert [position.fen() for position in engine.game.positions][1:] == [
        "ssssssss/3d4/8/8/8/7S/4D3/SSSSSSS1 b 1 1"
    ]  # fmt: skip


def test_new_game_forgets(scripted: tuple[Engine, EndlessKernel]) -> None:
    engine, kernel = scripted
    engine.set_position(None, ["d1d5"])
    engine.new_game()
    assert engine.game.position.fen() == START
    assert kernel.cleared == 1


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("name", "value"),
    [("UCI_Variant", "latrunculi-classical"), ("uci_variant", "LATRUNCULI-CLASSICAL"), ("BoardSize", "5x6")],
)
def test_another_game_or_board_begins_anew(scripted: tuple[Engine, EndlessKernel], name: str, value: str) -> None:
    engine, kernel = scripted
    engine.set_position(None, ["d1d5"])
    engine.set_option(name, value)
    assert engine.game.moves == []
    assert engine.game.position.fen() != START
    assert kernel.cleared == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("UCI_Variant", "latrones"), ("BoardSize", "default"), ("BoardSize", "8x8"), ("MultiPV", "3"), ("Ponder", "true"),
     ("Hash", "2"), ("Move Overhead", "0"), ("UCI_AnalyseMode", "true"), ("Backend", "python"), ("Backend", "AUTO"),
     ("Threads", "1"), ("Threads", "256"), ("VariantPath", "")],
)  # fmt: skip
def test_other_options_leave_the_game_alone(engine: Engine, name: str, value: str) -> None:
    engine.set_position(None, ["d1d5"])
    engine.set_option(name, value)
    assert len(engine.game.moves) == 1


def test_a_new_board_sets_a_rejected_position_right(engine: Engine) -> None:
    with pytest.raises(FenError):
        engine.set_position("x", [])
    engine.set_option("Hash", "1")
    with pytest.raises(NoPositionError):
        _ = engine.game
    engine.set_option("BoardSize", "4x4")
    assert engine.game.position.fen() == "ssss/1d2/2D1/SSSS w 0 1"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("Hash", "0", "1..65536"), ("Nothing", "1", "'Nothing'"), ("Backend", "rust", "auto, python, native"),
     ("Threads", "257", "1..256"), ("Clear Hash", "now", "button"), ("BoardSize", "2x2", "'2x2'")],
)  # fmt: skip
def test_refused_options(engine: Engine, name: str, value: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        engine.set_option(name, value)


# ---------------------------------------------------------------- searches


def test_what_a_search_is_asked(scripted: tuple[Engine, EndlessKernel], listener: Listener) -> None:
    engine, kernel = scripted
    engine.set_option("MultiPV", "4")
    go(engine, depth=7, nodes=500, mate=3, search_moves=("b1b2", "a1a2", "b1b2"), movetime_ms=0)
    engine.wait()
    (task,) = kernel.tasks
    assert (task.depth, task.nodes, task.mate, task.multipv) == (7, 500, 3, 4)
    assert [kernel.games[0].position.move_text(move) for move in task.root_moves] == ["b1b2", "a1a2"]


def test_a_search_has_a_game_of_its_own(scripted: tuple[Engine, EndlessKernel]) -> None:
    engine, kernel = scripted
    go(engine, movetime_ms=0)
    engine.wait()
    assert kernel.games[0] is not engine.game
    assert kernel.games[0].positions == engine.game.positions


def test_everything_is_refused_during_a_search(scripted: tuple[Engine, EndlessKernel], listener: Listener) -> None:
    engine, _ = scripted
    go(engine, infinite=True)
    assert engine.searching
    calls: list[Callable[[], object]] = [
        lambda: go(engine), lambda: engine.perft(1), lambda: engine.bench(1), engine.new_game,
        lambda: engine.set_option("Hash", "1"), lambda: engine.set_option("Nothing", "1"), engine.ponderhit,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(BusyError):
            call()
    assert engine.game.position.fen() == START
    with pytest.raises(BusyError):
        engine.set_position(None, ["d1d5"])
    with pytest.raises(NoPositionError):
        _ = engine.game
    engine.stop()
    assert not engine.searching
    engine.set_position(None, [])
    assert len(listener.best_moves()) == 1


def test_finished_game_has_no_move(engine: Engine, listener: Listener) -> None:
    engine.set_position(WON, [])
    for limits in ({"depth": 3}, {"infinite": True}, {"ponder": True}, {"movetime_ms": 1000}):
        go(engine, **limits)
        assert listener.take() == [BestMove(None)]


def test_events_of_a_search(engine: Engine, listener: Listener) -> None:
    go(engine, depth=2)
    engine.wait()
    *infos, best = listener.take()
    assert all(isinstance(event, SearchInfo) for event in infos)
    assert isinstance(best, BestMove)
    assert (best.move, best.ponder) == infos[-1].pv[:2]


def test_long_searches_tell_the_move_they_are_at(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    class Telling(QuickKernel):
        def answer(self, task: Task, report: Report, should_stop: Callable[[], bool]) -> Outcome:
            report(CurrentMove(4, task.root_moves[1], 2))
            report(Info(4, 5, 1, Score(7, None), 10, 0, task.root_moves[:1]))
            return Outcome(task.root_moves[0], None, 0)

    fake_kernels.use(monkeypatch, Telling)
    engine = Engine(listener)
    game = engine.game
    second = game.position.move_text(game.legal_moves()[1])
    for begun_ago_ms in (-10_000, 3_100):
        engine.go(Limits(), time.monotonic_ns() - begun_ago_ms * 10**6)
        engine.wait()
        events = listener.take()
        told = [event for event in events if isinstance(event, SearchingMove)]
        assert told == ([SearchingMove(4, second, 2)] if begun_ago_ms > 3_000 else [])


def test_debug_tells_the_plan(engine: Engine, listener: Listener) -> None:
    engine.debug = True
    go(engine, depth=1, movetime_ms=1000)
    engine.wait()
    assert listener.take()[0] == Note("time planned: 980 ms, at most 980 ms")


def test_move_overhead_is_used(engine: Engine, listener: Listener) -> None:
    engine.debug = True
    engine.set_option("Move Overhead", "150")
    go(engine, depth=1, movetime_ms=1000)
    engine.wait()
    assert listener.take()[0] == Note("time planned: 850 ms, at most 850 ms")


def test_fault_of_a_kernel(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    fake_kernels.use(monkeypatch, FailingKernel)
    engine = Engine(listener)
    go(engine, search_moves=("c1c2",))
    engine.wait()
    assert listener.take() == [
        Refusal("internal", "the search failed: ZeroDivisionError: of the\nkernel"), BestMove("c1c2")
    ]  # fmt: skip
    assert not engine.searching
    engine.perft(2)
    engine.wait()
    assert listener.take() == [Refusal("internal", "the search failed: OverflowError: count")]


# ---------------------------------------------------------------- counts


def test_perft(engine: Engine, listener: Listener) -> None:
    engine.set_position("ssss/1d2/2D1/SSSS w 0 1", [])
    for depth in (1, 2, 3, 4):
        engine.perft(depth)
        engine.wait()
        (count,) = listener.take()
        assert isinstance(count, PerftCount)
        assert count.total == engine.game.position.perft(depth)
        assert dict(count.counts) == engine.game.position.divide(depth)
        assert list(count.counts) == sorted(count.counts)


def test_perft_of_finished_games(engine: Engine, listener: Listener) -> None:
    engine.set_position(WON, [])
    engine.perft(3)
    engine.wait()
    assert listener.take() == [PerftCount((), 0)]


def test_perft_is_stopped(engine: Engine, listener: Listener) -> None:
    engine.perft(5)
    engine.stop()
    engine.wait()
    assert listener.take() == [Note("perft stopped")]
