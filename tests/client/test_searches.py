"""What ``Engine`` searches: chosen moves, on the opponent's time, with reports, and in one thread at a time."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from latrones_uci import (
    Engine,
    EngineBusyError,
    EngineCrashError,
    EngineOptionError,
    EngineProtocolError,
    Game,
    IllegalMoveError,
    Limit,
    Position,
    SearchInfo,
    Timeouts,
)
from latrones_uci.client.connection import Connection
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import WaitInterruptedError
from latrones_uci.client.time_control import TimeControl
from match_play import Listening
from memory_engine import ScriptedEngine

SHALLOW = Limit(depth=2)
CLOCKS = Limit(white_clock=10, black_clock=20, white_inc=0.5, black_inc=0.5, moves_to_go=2)
START = "position fen ssssss/2d3/6/6/3D2/SSSSSS w 0 1"


def new_game(*moves: str) -> Game:
    game = Game("latrones", "6x6")
    for move in moves:
        game.push(move)
    return game


@pytest.fixture
def script() -> ScriptedEngine:
    """An engine that has been greeted and has begun a game."""
    return ScriptedEngine().greet("name Ponder type check default false").expect("isready", "readyok")


@pytest.fixture
def engine(script: ScriptedEngine) -> Iterator[Engine]:
    Connection.connect = staticmethod(script.start)  # put back before the next test
    engine = Engine(EngineSettings(("scripted",), TimeControl()), timeouts=Timeouts(stop_grace_s=1))
    engine.start(new_game().start)
    yield engine
    assert script.finished()
    engine.kill()


def new_games(script: ScriptedEngine) -> ScriptedEngine:
    return script.expect("ucinewgame").expect("isready", "readyok")


def searches(script: ScriptedEngine, position: str, go: str, *answers: str) -> ScriptedEngine:
    return script.expect(position).expect("isready", "readyok").expect(go, *answers)


# ---------------------------------------------------------------- root moves and reports


def test_root_moves(script: ScriptedEngine, engine: Engine) -> None:
    game = new_game()
    searches(new_games(script), START, "go depth 2 searchmoves a1a2 b1b2", "bestmove B1B2")
    assert str(engine.play(game, SHALLOW, root_moves=["a1a2", game.position.parse_move("b1b2")]).move) == "b1b2"
    searches(script, START, "go depth 2 searchmoves a1a2", "info depth 2 score cp 5 pv a1a2", "bestmove a1a2")
    assert engine.analyse(game, SHALLOW, root_moves={"a1a2"}).pv == ("a1a2",)
    searches(script, START, "go infinite searchmoves a1a2", "bestmove a1a2")
    assert str(engine.analysis(game, root_moves=iter(["a1a2"])).wait()) == "a1a2"


def test_an_engine_that_ignores_root_moves_is_noticed(script: ScriptedEngine, engine: Engine) -> None:
    game = new_game()
    new_games(script)
    for search in (engine.play, engine.analyse, lambda *words, **moves: engine.analysis(*words, **moves).wait()):
        searches(script, START, "go depth 2 searchmoves a1a2 a1a3", "bestmove b1b2")
        with pytest.raises(EngineProtocolError, match="bestmove 'b1b2': not one of the root moves a1a2 a1a3"):
            search(game, SHALLOW, root_moves=["a1a2", "a1a3"])
    assert engine.running


def test_wrong_root_moves_search_nothing(engine: Engine) -> None:
    wrong: list[tuple[Any, type[Exception], str]] = [
        (["a1c2"], IllegalMoveError, "move 'a1c2' is not legal"), ([], ValueError, "root_moves: empty; expected at"),
        ("a1a2", TypeError, "root_moves 'a1a2': wrong type; expected a list of moves"), (5, TypeError, "root_moves 5"),
        ([None], TypeError, "move None: wrong type"),
    ]
    for moves, error, message in wrong:
        for search in (engine.play, engine.analyse, engine.analysis):
            with pytest.raises(error, match=message):
                search(new_game(), SHALLOW, root_moves=moves)


def test_reports_of_a_search_for_a_move(script: ScriptedEngine, engine: Engine) -> None:
    lines = ["info depth 1 score cp 5", "info string hello", "info depth 1 score cp 5", "info depth 2 score mate 3"]
    searches(new_games(script), START, "go depth 2", *lines, "bestmove a1a2")
    reports: list[SearchInfo] = []
    result = engine.play(new_game(), SHALLOW, on_info=reports.append)
    assert [(info.depth, str(info.score)) for info in reports] == [(1, "+0.05"), (2, "+M3")]
    assert reports[-1] == result.info


def test_a_carriage_return_is_not_part_of_a_line() -> None:
    """As Windows programs end them: nowhere in names, options, errors, moves and replies."""
    script = ScriptedEngine().expect("uci", *(f"{line}\r" for line in (
        "id name Window", "option name Style type combo default a var a var b",
        "option name File type string default x", "uciok")))
    script.expect("isready", "readyok\r")
    Connection.connect = staticmethod(script.start)  # put back before the next test
    engine = Engine(EngineSettings(("scripted",), TimeControl(), strict=True))
    engine.start(new_game().start)
    assert (engine.name, engine.options["Style"].choices, engine.options["File"].default) == ("Window", ("a", "b"), "x")
    script.expect("setoption name Style value b").expect("isready", "info string error option: no\r", "readyok\r")
    with pytest.raises(EngineOptionError, match=r"'Window' rejects an option: option: no\n") as raised:
        engine.configure({"Style": "b"})
    assert raised.value.last_lines[-2:] == ("info string error option: no", "readyok")
    searches(new_games(script), START, "go depth 2", "info depth 2 score cp 5 pv a1a2 a6a5\r",
             "bestmove a1a2 ponder a6a5\r")
    lines: list[str] = []
    engine.new_game()
    answer = engine.search(new_game(), SHALLOW, on_line=lines.append)
    assert lines == ["info depth 2 score cp 5 pv a1a2 a6a5"]
    assert (answer.best.move, answer.best.ponder, answer.info.pv) == ("a1a2", "a6a5", ("a1a2", "a6a5"))
    assert [line.partition(":")[0] for line in engine.take_violations()] == ["carriage-return"]
    engine.kill()


def test_the_time_in_a_callback_counts(script: ScriptedEngine, engine: Engine) -> None:
    """The engine goes on meanwhile: nothing is subtracted from the time of its answer, and no wait is called late."""
    lines = [f"info depth {depth} score cp 5" for depth in (1, 2, 3)]
    go = "go wtime 10000 btime 10000"
    script.expect("setoption name Ponder value true")
    searches(new_games(script), START, go, *lines, 0.9, "bestmove a1a2 ponder a6a5")  # type: ignore[arg-type]
    searches(script, f"{START} moves a1a2 a6a5", "go ponder wtime 9100 btime 10000", "info depth 1")
    result = engine.play(new_game(), Limit(white_clock=10, black_clock=10), ponder=True,
                         on_info=lambda info: script.sleep(0.3))
    assert round(result.elapsed, 3) == 0.9
    assert engine.take_violations() == ()


def test_a_slow_callback_does_not_postpone_the_end_of_a_search(script: ScriptedEngine, engine: Engine) -> None:
    """Nor does it make an answer to ``stop`` late."""
    lines = [f"info depth {depth} score cp 5" for depth in range(1, 9)]
    searches(new_games(script), START, "go movetime 100", *lines)
    script.expect("stop", *lines, "bestmove a1a2")
    result = engine.play(new_game(), Limit(time=0.1), on_info=lambda info: script.sleep(0.7))
    assert str(result.move) == "a1a2"
    assert engine.take_violations() == ()


def test_a_callback_stops_its_search() -> None:
    with Engine.popen(OWN_ENGINE, board="6x6") as engine:

        def stop(info: SearchInfo) -> None:
            with pytest.raises(EngineBusyError, match=r"engine 'latrones-uci .*': it is searching; expected one call"):
                engine.ping()
            if info.depth is not None and info.depth >= 3:
                engine.stop()

        assert (engine.play(new_game(), Limit(), on_info=stop).info.depth or 0) >= 3
        engine.stop()  # without a search it does nothing
        assert engine.play(new_game(), SHALLOW).info.depth == 2


def test_an_exception_of_a_callback_ends_the_search() -> None:
    with Engine.popen(OWN_ENGINE, board="6x6") as engine:
        with pytest.raises(ZeroDivisionError):
            engine.play(new_game(), Limit(), on_info=lambda info: 1 // 0)  # type: ignore[arg-type, return-value]
        assert not engine.running
        assert engine.play(new_game(), SHALLOW).move is not None


# ---------------------------------------------------------------- the opponent's time


def test_pondering_is_continued_after_the_expected_reply(script: ScriptedEngine, engine: Engine) -> None:
    script.expect("setoption name Ponder value true")
    go = "wtime 10000 btime 20000 winc 500 binc 500 movestogo 2"
    searches(new_games(script), START, f"go {go}", 1.0, "bestmove a1a2 ponder a6a5")  # type: ignore[arg-type]
    ponder = f"{START} moves a1a2 a6a5"
    searches(script, ponder, "go ponder wtime 9500 btime 20000 winc 500 binc 500 movestogo 1",
             "info depth 7 score cp 5")
    game = new_game()
    result = engine.play(game, CLOCKS, ponder=True)
    assert str(result.ponder) == "a6a5"
    game.push("a1a2")
    game.push("a6a5")
    script.expect("ponderhit", "info depth 8 score cp 6", "bestmove b1b2")
    reports: list[SearchInfo] = []
    hit = engine.play(game, Limit(white_clock=9, black_clock=3), ponder=True, on_info=reports.append)
    assert (str(hit.move), hit.ponder, hit.info.depth) == ("b1b2", None, 8)
    assert [info.depth for info in reports] == [8]
    searches(script, ponder, "go depth 2", "bestmove b1b3")
    assert engine.play(game, SHALLOW).move is not None


def ponders(script: ScriptedEngine, engine: Engine) -> Game:
    """Let an engine ponder on the reply a6a5 to a1a2, and return the game before."""
    script.expect("setoption name Ponder value true")
    searches(new_games(script), START, "go depth 2", "bestmove a1a2 ponder a6a5")
    searches(script, f"{START} moves a1a2 a6a5", "go ponder depth 2")
    engine.play(new_game(), SHALLOW, ponder=True)
    return new_game()


@pytest.mark.parametrize(("reply", "limit", "go", "moves"), [
    ("b6b5", SHALLOW, "go depth 2", None), ("a6a5", Limit(depth=3), "go depth 3", None),
    ("a6a5", SHALLOW, "go depth 2 searchmoves b1b2", ["b1b2"]),
])
def test_a_miss_begins_a_new_search(
    script: ScriptedEngine, engine: Engine, reply: str, limit: Limit, go: str, moves: list[str] | None
) -> None:
    ponders(script, engine)
    script.expect("stop", "bestmove c1c2")
    searches(script, f"{START} moves a1a2 {reply}", go, "bestmove b1b2")
    assert str(engine.play(new_game("a1a2", reply), limit, root_moves=moves).move) == "b1b2"


@pytest.mark.parametrize("call", [Engine.ping, lambda engine: engine.configure({}), Engine.new_game])
def test_any_other_call_stops_pondering(
    script: ScriptedEngine, engine: Engine, call: Callable[[Engine], object]
) -> None:
    ponders(script, engine)
    script.expect("stop", "bestmove c1c2")
    if call is Engine.new_game:
        script.expect("ucinewgame")
    script.expect("isready", "readyok")
    call(engine)
    assert not [thread for thread in threading.enumerate() if thread.name == "ponder"]


def test_an_engine_that_answers_too_early_while_pondering(script: ScriptedEngine, engine: Engine) -> None:
    script.expect("setoption name Ponder value true")
    searches(new_games(script), START, "go depth 2", "bestmove a1a2 ponder a6a5")
    searches(script, f"{START} moves a1a2 a6a5", "go ponder depth 2", "bestmove b1b2")
    engine.play(new_game(), SHALLOW, ponder=True)
    with pytest.raises(EngineProtocolError, match="'bestmove b1b2' while pondering, before 'ponderhit'"):
        engine.play(new_game("a1a2", "a6a5"), SHALLOW)
    assert engine.running


def test_nothing_to_ponder_on(script: ScriptedEngine, engine: Engine) -> None:
    for number, answer in enumerate(("bestmove a1a2", "bestmove a1a2 ponder a1a1", "bestmove resign ponder a6a5")):
        new_games(script)
        engine.new_game(new_game())
        if number == 0:
            script.expect("setoption name Ponder value true")
        searches(script, START, "go depth 2", answer)
        engine.play(new_game(), SHALLOW, ponder=True)


@pytest.mark.long
@pytest.mark.parametrize("end", [Engine.close, Engine.kill])
def test_the_own_engine_ponders(end: Callable[[Engine], None]) -> None:
    sent: list[str] = []
    log = Listening(sent.append)
    engine = Engine(EngineSettings(OWN_ENGINE, TimeControl()), log=log)
    game = new_game()
    limit = Limit(white_clock=5, black_clock=5, white_inc=0.1, black_inc=0.1)
    for _ in range(3):
        result = engine.play(game, limit, ponder=True)
        assert result.move in game.legal_moves()
        game.push(result.move)
        if result.ponder is not None:
            game.push(result.ponder)
    assert sent.count("setoption name Ponder value true") == 1
    assert "ponderhit" in sent
    end(engine)
    assert not engine.running
    assert not [thread for thread in threading.enumerate() if thread.name == "ponder"]


def test_a_reply_that_ends_the_game_is_not_pondered_on() -> None:
    position = Position.from_fen("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1")
    sent: list[str] = []
    engine = Engine(EngineSettings(OWN_ENGINE, TimeControl()), log=Listening(sent.append))
    assert str(engine.play(position, SHALLOW, ponder=True).move) == "c6c8"
    assert not [line for line in sent if line.startswith("go ponder")]
    engine.close()


# ---------------------------------------------------------------- threads


def begun(engine: Engine, call: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """Make a call in another thread, and wait until its search is running."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(call())
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while not engine._searching.locked():
        thread.join(0.001)
    return thread, outcome


def test_a_second_thread_is_refused() -> None:
    with Engine.popen(OWN_ENGINE, board="6x6") as engine:
        thread, outcome = begun(engine, lambda: engine.play(new_game(), Limit()))
        calls: list[Callable[[], object]] = [
            engine.ping, engine.new_game, lambda: engine.configure({}), lambda: engine.play(new_game(), SHALLOW),
            lambda: engine.analyse(new_game(), SHALLOW), lambda: engine.analysis(new_game()),
        ]
        for call in calls:
            with pytest.raises(EngineBusyError, match=r"engine 'latrones-uci .*': another thread uses it; expected"):
                call()
        with pytest.raises(EngineBusyError, match="it is searching"):
            engine.search(new_game(), SHALLOW)
        engine.stop()
        thread.join()
        assert outcome[0].move in new_game().legal_moves()
        assert engine.play(new_game(), SHALLOW).move is not None


@pytest.mark.parametrize(("end", "expected"), [
    (Engine.close, None), (Engine.kill, WaitInterruptedError),
])
def test_an_engine_is_ended_from_another_thread(
    end: Callable[[Engine], None], expected: type[Exception] | None
) -> None:
    engine = Engine.popen(OWN_ENGINE, board="6x6")
    thread, outcome = begun(engine, lambda: engine.play(new_game(), Limit()))
    end(engine)
    thread.join()
    assert not engine.running
    if expected is None:
        assert outcome[0].move in new_game().legal_moves()
    else:
        assert isinstance(outcome[0], expected)
    assert engine.play(new_game(), SHALLOW).move is not None
    engine.close()


def test_a_crash_while_pondering(script: ScriptedEngine, engine: Engine) -> None:
    ponders(script, engine)
    script.end()
    with pytest.raises(EngineCrashError):
        engine.ping()
