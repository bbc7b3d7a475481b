import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError, WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position
from match_play import Listening
from memory_engine import ScriptedEngine, scripted

FakeController = Callable[..., EngineController]
SECOND_NS = 1_000_000_000
DEPTH = TimeControl(depth=1)
IMPATIENT = Timeouts(start_s=0.3, ready_s=0.3, search_s=0.3, stop_grace_s=0.3, quit_s=0.3)


def position_line(start: Position) -> str:
    return f"position fen {start.fen()}"


def test_handshake_takes_the_engines_name(fake_controller: FakeController) -> None:
    engine = fake_controller("good")
    assert engine.name == "Fake good"
    assert engine.usable


@pytest.mark.parametrize(("options", "variant", "expected"), [
    ((), "latrones", ("native, the fastest", "python, because")),
    ((("Backend", "python"),), "latrones", "python, set by Backend"),
    ((), "rota", "solver, because rota is solved"),
])  # fmt: skip
def test_the_kernel_that_plays(
    options: tuple[tuple[str, str], ...], variant: str, expected: str | tuple[str, ...]
) -> None:
    settings = EngineSettings(OWN_ENGINE, DEPTH, options=options)
    engine = EngineController(settings, {"UCI_Variant": variant}, Timeouts(), lambda: False)
    assert engine.kernel.startswith(expected)
    engine.quit()


def test_answer_with_time_and_info(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("good")
    engine.new_game()
    answer = engine.search(position_line(start), "go depth 1", None)
    assert 0 < answer.elapsed_ns < 1_000_000
    assert start.parse_move(answer.best.move) in start.legal_moves()
    assert (answer.info.depth, answer.info.score_centi, answer.info.nodes) == (1, 5, 7)


def test_carriage_returns_blanks_and_ponder_moves(fake_controller: FakeController, start: Position) -> None:
    answer = fake_controller("carriage-returns").search(position_line(start), "go depth 1", None)
    assert start.parse_move(answer.best.move) in start.legal_moves()
    assert (answer.best.ponder, answer.info.mate, answer.info.depth) == ("a1a2", -3, 2)


def test_an_answer_too_many_is_not_taken_for_the_next(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("stale-answer")
    moves = [engine.search(position_line(start), "go depth 1", None).best.move for _ in range(3)]
    assert "0000" not in moves


def test_an_answer_right_after_readyok_is_not_taken_for_the_next() -> None:
    script = ScriptedEngine().greet().expect("isready", "readyok").expect("position startpos")
    script.expect("isready", "readyok", "bestmove 0000").expect("go depth 1", "bestmove a1a2")
    engine = scripted(script)
    assert engine.search("position startpos", "go depth 1", None).best.move == "a1a2"
    assert engine.take_violations()[0].startswith("unexpected-bestmove: 'bestmove 0000'")
    assert script.finished()


def test_a_late_answer_is_returned_with_its_time(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("late", timeouts=Timeouts())
    answer = engine.search(position_line(start), "go movetime 50", SECOND_NS // 20)
    assert answer.elapsed_ns > SECOND_NS // 20
    assert engine.usable


def test_a_search_without_an_answer_ends(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("stall")
    with pytest.raises(EngineStallError, match="no bestmove within") as raised:
        engine.search(position_line(start), "go movetime 100", SECOND_NS // 10)
    assert raised.value.elapsed_ns >= 0.4 * SECOND_NS  # the limit and the grace
    assert not engine.usable


def test_a_crash_in_the_search(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("crash")
    with pytest.raises(EngineCrashError, match="ended with status 3: the fake falls over"):
        engine.search(position_line(start), "go depth 1", None)
    assert not engine.usable
    with pytest.raises(EngineCrashError):
        engine.new_game()


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [("silent", "no uciok within 0.3 s; the engine runs, but has printed nothing: does it flush"),
     ("dead", "does not even start")],
)  # fmt: skip
def test_failed_handshakes(fake_controller: FakeController, behaviour: str, message: str) -> None:
    timeouts = IMPATIENT if behaviour != "dead" else Timeouts()
    with pytest.raises(EngineStartError, match=message):
        fake_controller(behaviour, timeouts=timeouts)


@pytest.mark.parametrize("options", [(("skill", "3"), ("Clear Hash", "")), ()])
def test_options(fake_controller: FakeController, options: tuple[tuple[str, str], ...]) -> None:
    assert fake_controller("good", options=options).usable


def test_an_option_that_the_engine_lacks(fake_controller: FakeController) -> None:
    with pytest.raises(EngineStartError, match="no option 'Hsah'"):
        fake_controller("good", options=(("Hsah", "16"),))


def test_so_many_options_are_known_and_no_more(fake_controller: FakeController) -> None:
    assert fake_controller("many-options", options=(("O900", ""),)).usable
    with pytest.raises(EngineStartError, match="no option 'O1100'"):
        fake_controller("many-options", options=(("O1100", ""),))


def test_an_option_that_the_engine_rejects(fake_controller: FakeController) -> None:
    with pytest.raises(EngineStartError, match="rejects its options: option: value 'wide'"):
        fake_controller("good", options=(("BoardSize", "wide"),))


def test_a_game_that_the_engine_does_not_play(fake_settings: Callable[..., EngineSettings]) -> None:
    with pytest.raises(EngineStartError, match="option 'UCI_Variant': value 'bell': expected one of latrones, "):
        EngineController(fake_settings("good"), {"UCI_Variant": "bell"}, Timeouts(), threading.Event().is_set)


def test_interruption_of_a_search(fake_controller: FakeController, start: Position) -> None:
    interrupt = threading.Event()
    log = Listening(lambda text: interrupt.set() if text.startswith("go") else None)
    engine = fake_controller("stall", interrupt=interrupt, log=log)
    with pytest.raises(WaitInterruptedError):
        engine.search(position_line(start), "go depth 1", 60 * SECOND_NS)
    assert not engine.usable


def test_quit_ends_the_process(fake_controller: FakeController) -> None:
    engine = fake_controller("good", timeouts=replace(Timeouts(), quit_s=20.0))
    engine.quit()
    assert not engine.usable


def test_an_engine_that_left_after_its_answer_is_not_usable(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("answer-and-exit")
    answer = engine.search(position_line(start), "go depth 1", None)
    assert start.parse_move(answer.best.move) in start.legal_moves()
    assert not engine.usable


def test_a_search_can_be_told_to_stop_and_its_lines_be_heard(fake_controller: FakeController, start: Position) -> None:
    engine = fake_controller("late")
    lines: list[str] = []
    asked = threading.Event()

    def stopped() -> bool:
        asked.set()
        return True

    answer = engine.search(position_line(start), "go infinite", None, on_line=lines.append, stopped=stopped)
    assert asked.is_set()
    assert start.parse_move(answer.best.move) in start.legal_moves()
    assert lines == ["info string searching", "info depth 1 score cp 5 nodes 7 time 0 pv d2e2"]
    assert not answer.overdue


def test_an_option_is_set_between_searches_if_there_is_one(fake_controller: FakeController) -> None:
    engine = fake_controller("good")
    assert engine.set_option("Skill", "3")
    assert not engine.set_option("MultiPV", "3")
    engine.new_game()
