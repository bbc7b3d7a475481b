"""Games of the browser board without a browser: moves, clocks, engines, undo."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from cases import VARIANTS
from latrones_uci.client.engine_spec import parse_engine
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Outcome, Termination, all_variants
from latrones_uci.match.pgn_read import read_games
from latrones_uci.web.board import analyst
from latrones_uci.web.board.config import GuiConfig, parse_game
from latrones_uci.web.board.engine_thread import problem_text
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.notation import render_notation
from latrones_uci.web.page_server import RefusedError
from serving import fake_engine, fake_engine_words, waited

PERSON = {"kind": "person"}
ENGINE = {"kind": "engine", "limit": "depth", "depth": 1}
NewGame = Callable[..., LiveGame]


def config(behaviour: str = "good", after: int = 0) -> GuiConfig:
    return gui_config([fake_engine(behaviour, after)])


@pytest.fixture
def new_game() -> Iterator[NewGame]:
    """Start games, and close them after the test."""
    made: list[LiveGame] = []

    def start(white: dict[str, Any] = PERSON, black: dict[str, Any] = PERSON, engines: GuiConfig | None = None,
              **more: Any) -> LiveGame:  # fmt: skip
        own = engines or config()
        game = {"variant": "latrones", "size": "6x6", "players": [white, black], **more}
        made.append(LiveGame("a", parse_game(game, own), own, lambda *shown: None))
        made[-1].wake()
        return made[-1]

    yield start
    for each in made:
        each.sleep(wait=True)


def test_two_humans_play_and_undo(new_game: NewGame) -> None:
    live = new_game()
    live.move("a1a3", 0)
    live.move("a6a4", 1)
    with pytest.raises(RefusedError, match="not legal"):
        live.move("a3a4", 2)
    with pytest.raises(RefusedError, match="changed in the meantime"):
        live.move("b1b2", 1)
    assert [note.notation for note in live.plies] == ["a1-a3", "a6-a4"]
    live.undo()
    assert [live.game.position.move_text(move) for move in live.game.moves] == ["a1a3"]
    live.undo()
    with pytest.raises(RefusedError, match="no move to undo"):
        live.undo()


@pytest.mark.process
def test_undo_takes_back_the_engines_ply_too(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert live.plies[1].info.nodes == 7
    live.undo()
    assert live.plies == []
    assert not live.thinking


@pytest.mark.process
def test_a_human_cannot_move_for_an_engine(new_game: NewGame) -> None:
    live = new_game(ENGINE, PERSON, config("late"))
    with pytest.raises(RefusedError, match="an engine plays White"):
        live.move("a1a3", 0)
    with pytest.raises(RefusedError, match="no move to undo"):
        live.undo()


@pytest.mark.process
def test_an_engine_can_be_made_to_move_now(new_game: NewGame) -> None:
    live = new_game(ENGINE, PERSON, config("late"))
    waited(lambda: bool(live.process_ids()))
    live.move_now()
    waited(lambda: len(live.plies) == 1)


@pytest.mark.process
def test_two_engines_play_a_game_to_its_end_and_pause(new_game: NewGame) -> None:
    live = new_game(ENGINE, ENGINE)
    waited(lambda: len(live.plies) > 4)
    live.pause(True)
    plies = len(live.plies)
    live.undo()
    assert (len(live.plies), live.paused) == (plies - 1, True)
    live.pause(False)
    waited(lambda: live.outcome is not None)
    state = render_state(live, config())
    assert state["outcome"]["result"] in ("1-0", "0-1", "1/2-1/2")
    assert state["legal"] == []
    text = render_game_pgn(live, config())
    game, = read_games(text.splitlines())
    assert len(game.moves) == len(live.plies)


def test_running_out_of_time_ends_the_game(new_game: NewGame) -> None:
    live = new_game({**PERSON, "base_s": 0.05}, {**PERSON, "base_s": 60, "increment_s": 2})
    assert live.clocks.running is None  # the clocks start with the first move
    live.move("a1a3", 0)
    live.move("a6a4", 1)
    waited(lambda: live.outcome is not None)
    assert live.outcome is not None
    assert live.outcome == Outcome(Termination.TIME_LOSS, 1, "White ran out of time")
    with pytest.raises(RefusedError, match="over"):
        live.move("a1a3", 0)


def test_clocks_add_the_increment_and_go_back_with_undo(new_game: NewGame) -> None:
    live = new_game({**PERSON, "base_s": 100, "increment_s": 5}, {**PERSON, "base_s": 100})
    live.move("a1a3", 0)
    left = live.clocks.left()
    assert left[0] is not None
    assert 104e9 < left[0] <= 105e9
    assert live.clocks.running == 1
    live.undo()
    left = live.clocks.left()
    assert left[0] is not None
    assert 99e9 < left[0] <= 100e9
    assert live.clocks.running is None
    live.pause(True)
    assert live.clocks.running is None


@pytest.mark.process
@pytest.mark.parametrize("limit", ["clock", "depth", "time"])
def test_a_ugi_engine_receives_the_clocks_in_ugi(new_game: NewGame, limit: str) -> None:
    ugi = gui_config([replace(fake_engine("ugi"), protocol="ugi")])  # it crashes on the words for clocks of UCI
    live = new_game(PERSON, {**ENGINE, "limit": limit, "movetime_ms": 60, "base_s": 60}, ugi)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert live.notices == []


@pytest.mark.process
def test_an_engine_can_run_out_of_time(new_game: NewGame) -> None:
    live = new_game({"kind": "engine", "limit": "clock", "base_s": 0.3}, PERSON, config("stall"))
    waited(lambda: live.outcome is not None)
    assert live.outcome is not None
    assert live.outcome == Outcome(Termination.TIME_LOSS, 1, "White ran out of time")


@pytest.mark.process
@pytest.mark.parametrize(("behaviour", "reason"), [
    ("illegal", "Black's engine made an illegal move"), ("malformed", "Black's engine sent a malformed move"),
    ("resign", "Black's engine resigned"),
    ("no-move", "Black's engine made no move")])
def test_an_engine_that_does_not_move_loses(new_game: NewGame, behaviour: str, reason: str) -> None:
    live = new_game(PERSON, ENGINE, config(behaviour))
    live.move("a1a3", 0)
    waited(lambda: live.outcome is not None)
    assert live.outcome is not None
    assert live.outcome.winner == 0
    assert live.outcome.details.startswith(reason)


@pytest.mark.process
def test_a_killed_engine_is_reported_and_restarted(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    first, = live.process_ids()
    os.kill(first, signal.SIGKILL)
    waited(lambda: any("has exited; restarted" in text for _, text in live.notices))
    waited(lambda: live.process_ids() not in ([], [first]))
    live.move("b1b2", 2)
    waited(lambda: len(live.plies) == 4)


def test_problems_of_engines_are_told_in_words() -> None:
    slow = EngineStallError("no bestmove within 4.003 s of 'go movetime 1000'", 4_003_000_000)
    assert problem_text("Slow", slow) == "Slow did not answer in time"
    assert problem_text("Slow", EngineCrashError("exited with status 1")) == "Slow: exited with status 1"
    assert problem_text("", EngineStartError("cannot start 'x'")) == "cannot start 'x'"


@pytest.mark.process
def test_an_engine_that_always_crashes_pauses_the_game(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE, config("crash"))
    live.move("a1a3", 0)
    waited(lambda: live.paused)
    texts = [text for _, text in live.notices]
    assert sum("the fake falls over" in text for text in texts) == 3
    assert texts[-1] == "the engine does not run, so the game is paused; Resume tries again"
    live.pause(False)
    waited(lambda: live.paused)
    assert [text for _, text in live.notices] == texts * 2


@pytest.mark.process
def test_a_missing_program_is_reported(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE, gui_config([parse_engine(["cmd=/no/such/engine"], ("depth=1",))]))
    live.move("a1a3", 0)
    waited(lambda: live.paused)
    texts = [text for _, text in live.notices]
    assert len(texts) == 2
    assert "/no/such/engine" in texts[0]
    assert "No such file" in texts[0]


@pytest.mark.process
@pytest.mark.parametrize("behaviour", ["long-line", "junk", "carriage-returns", "upper-case", "stale-answer"])
def test_strange_output_does_not_stop_the_game(new_game: NewGame, behaviour: str) -> None:
    live = new_game(PERSON, ENGINE, config(behaviour))
    for ply, text in ((0, "a1a3"), (2, "b1b2")):
        live.move(text, ply)
        waited(lambda ply=ply: len(live.plies) == ply + 2)
    assert live.notices == []
    assert len(json.dumps(render_state(live, config()))) < 20_000


@pytest.mark.process
def test_an_engine_without_the_variant_is_reported(new_game: NewGame) -> None:
    live = new_game(ENGINE, PERSON, variant="bell", size="6x6")
    waited(lambda: live.paused)
    assert "option 'UCI_Variant': value 'bell': expected one of" in live.notices[0][1]
    assert len(live.notices) == 2


@pytest.mark.process
@pytest.mark.parametrize("words", [(), ("variant.latrones=ludus",)])
def test_names_of_variants_of_an_engine(new_game: NewGame, words: tuple[str, ...]) -> None:
    """``--engine`` maps them with ``variant.NAME=``; without that, the engine does not know the variant."""
    own = gui_config([parse_engine((*fake_engine_words("own-names"), *words), ())])
    live = new_game(ENGINE, PERSON, own)
    waited(lambda: live.plies or live.paused)
    assert bool(live.plies) == bool(words), live.notices
    assert ("'latrones'" in " ".join(text for _, text in live.notices)) != bool(words)


@pytest.mark.process
@pytest.mark.parametrize("restart", ["on", "off"])
def test_restart_of_an_engine_for_each_game(new_game: NewGame, restart: str) -> None:
    """With ``restart=on``; undoing moves begins no new game."""
    own = gui_config([parse_engine((*fake_engine_words(), f"restart={restart}"), ())])
    live = new_game(ENGINE, PERSON, own)
    processes = []
    for number in range(3):
        if number:
            live.restart(parse_game({"variant": "latrones", "size": "6x6", "players": [ENGINE, PERSON]}, own))
        waited(lambda: len(live.plies) == 1)
        process = live.process_ids()
        for _ in range(2):
            live.move(live.game.position.move_text(live.game.legal_moves()[0]), 1)
            waited(lambda: len(live.plies) == 3)
            assert live.process_ids() == process
            live.undo()
        processes += process
    assert len(set(processes)) == (3 if restart == "on" else 1)
    assert live.notices == []


@pytest.mark.process
def test_a_new_game_keeps_the_engines_that_still_play(new_game: NewGame) -> None:
    offered = gui_config([fake_engine(), fake_engine("random")])
    live = new_game(PERSON, ENGINE, offered)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    live.ask_hint()
    waited(lambda: live.hint is not None)
    first, adviser = live.process_ids()
    game = {"variant": "rota", "players": [ENGINE, PERSON]}
    live.restart(parse_game(game, offered))  # the same engine, for the other side of another game
    waited(lambda: len(live.plies) == 1)
    live.ask_hint()
    waited(lambda: live.hint is not None)
    assert live.process_ids() == [first, adviser]
    game["players"] = [PERSON, {**ENGINE, "engine": 1}]
    live.restart(parse_game(game, offered))
    live.move("S@b2", 0)
    waited(lambda: len(live.plies) == 2)
    assert first not in live.process_ids()
    assert adviser in live.process_ids()
    with pytest.raises(ProcessLookupError):
        waited(lambda: os.kill(first, 0))
    assert live.notices == []


@pytest.mark.process
def test_an_engine_that_cannot_change_its_variant_is_restarted(new_game: NewGame) -> None:
    offered = config("set-once")
    live = new_game(PERSON, ENGINE, offered)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    first = live.process_ids()
    live.restart(parse_game({"variant": "rota", "players": [ENGINE, PERSON]}, offered))
    waited(lambda: len(live.plies) == 1)
    assert live.process_ids() not in ([], first)
    assert live.notices == []


@pytest.mark.process
def test_a_hint_is_a_legal_move(new_game: NewGame) -> None:
    live = new_game()
    live.ask_hint()
    waited(lambda: live.hint is not None)
    assert live.hint is not None
    live.move(live.hint.move, 0)
    assert live.hint is None


@pytest.mark.process
def test_analysis_follows_the_game(new_game: NewGame) -> None:
    live = new_game(engines=gui_config([]), variant="rota", size="3x3")
    live.analyse(2)
    waited(lambda: len(live.analysis["lines"]) == 2)
    assert live.analysis["ply"] == 0
    live.move("S@b2", 0)
    waited(lambda: live.analysis.get("ply") == 1 and len(live.analysis["lines"]) == 2)
    line = live.analysis["lines"][0]
    assert line["notes"][0] == "@" + line["moves"][0].removeprefix("S@")
    live.analyse(2, 0)  # an earlier position, which it keeps to
    waited(lambda: live.analysis.get("ply") == 0 and len(live.analysis["lines"]) == 2)
    with pytest.raises(RefusedError, match=r"ply 9: expected 0\.\.1"):
        live.analyse(2, 9)
    live.analyse(0)
    assert live.analysis["lines"] == []
    with pytest.raises(RefusedError, match=r"99 lines: expected 0\.\.5"):
        live.analyse(99)


@pytest.mark.process
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_lines_of_an_analysis_are_legal_and_in_notation(new_game: NewGame, variant: str) -> None:
    live = new_game(engines=gui_config([]), variant=variant, size="")
    first = live.game.legal_moves()[0]
    live.move(live.game.position.move_text(first), 0)
    live.analyse(3)
    waited(lambda: len(live.analysis["lines"]) == 3 and live.analysis["depth"] > 1)
    for line in live.analysis["lines"]:
        assert line["moves"]
        game = live.game.copy()
        for text in line["moves"]:
            game.play(game.position.parse_move(text))
        assert line["notes"] == [render_notation(game, ply) for ply in range(1, len(game.moves))]


@pytest.mark.process
def test_a_sleeping_game_has_no_engine_and_no_running_clock(new_game: NewGame) -> None:
    live = new_game({**PERSON, "base_s": 60}, {**ENGINE, "base_s": 60})
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    process, = live.process_ids()
    live.sleep(wait=True)
    assert (live.process_ids(), live.clocks.running) == ([], None)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    live.wake()
    assert live.clocks.running == 0
    live.move("b1b2", 2)
    waited(lambda: len(live.plies) == 4)


def test_resigning_is_for_the_human(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE, config("late"))
    live.move("a1a3", 0)
    live.resign()
    assert live.outcome is not None
    assert live.outcome == Outcome(Termination.RESIGNATION, 1, "White resigned")
    with pytest.raises(RefusedError):
        live.resign()


@pytest.mark.parametrize(("game", "message"), [
    (None, "two players"), ({"players": [PERSON]}, "two players"),
    ({"variant": "chess", "players": [PERSON, PERSON]}, "unknown variant 'chess'"),
    ({"variant": "rota", "size": "4x4", "players": [PERSON, PERSON]}, "4x4"),
    ({"variant": "rota", "fen": "x w", "players": [PERSON, PERSON]}, "'x w'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "ghost"}]}, "kind 'ghost'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "engine": 7}]}, "engine '7'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "movetime_ms": True}]}, "movetime_ms 'True'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "movetime_ms": float("nan")}]}, "movetime_ms 'nan'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "limit": "clock"}]}, "needs one"),
    ({"variant": 5, "players": [PERSON, PERSON]}, "variant '5'"),
])  # fmt: skip
def test_invalid_settings_are_rejected(game: object, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        parse_game(game, config())


def test_all_built_in_variants_are_offered() -> None:
    assert list(config().variants) == list(all_variants())


@pytest.mark.process
def test_an_analysis_stops_at_its_limit_and_can_be_continued(
    new_game: NewGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyst, "ANALYSIS_S", 1)
    live = new_game(engines=gui_config([]))
    live.analyse(1)
    waited(lambda: live.analysis.get("stopped"))
    assert (live.analysis["limit"], live.analysis["wanted"], len(live.analysis["lines"])) == (1, 1, 1)
    assert live.analysis["kernel"]
    live.analyse(1, longer=True)
    waited(lambda: live.analysis["limit"] == 5 and not live.analysis["stopped"])
    live.move("a1a3", 0)  # another position has the usual limit
    assert live.analyst is not None
    assert live.analyst._limit_s == 60


@pytest.mark.process
def test_faults_of_an_engine_stay_in_their_game(new_game: NewGame) -> None:
    live = new_game(PERSON, ENGINE, config("crash"))
    live.move("a1a3", 0)
    waited(lambda: live.paused)
    worker = live._workers[1]
    assert live.notices
    live.restart(parse_game({"variant": "latrones", "players": [PERSON, PERSON]}, config()))
    assert live.notices == []
    worker._report_problem("an engine of an earlier game has exited")
    assert live.notices == []
