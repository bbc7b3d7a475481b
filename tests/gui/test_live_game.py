"""A game at a table: moves, clocks, engines, undo; without a browser."""

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
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Outcome, Termination, builtin_variants
from latrones_uci.gui.analyst import white_score
from latrones_uci.gui.config import GuiConfig, RefusedError, parse_game
from latrones_uci.gui.live_game import LiveGame
from latrones_uci.gui.notation import render_notation
from latrones_uci.gui.state import render_state, render_table_pgn
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.records.pgn_read import read_games
from serving import fake_engine, waited

PERSON = {"kind": "person"}
ENGINE = {"kind": "engine", "limit": "depth", "depth": 1}
Tables = Callable[..., LiveGame]


def config(behaviour: str = "good", after: int = 0) -> GuiConfig:
    return gui_config([fake_engine(behaviour, after)])


@pytest.fixture
def tables() -> Iterator[Tables]:
    """Sets tables, awake, and clears them away after the test."""
    made: list[LiveGame] = []

    def table(white: dict[str, Any] = PERSON, black: dict[str, Any] = PERSON, engines: GuiConfig | None = None,
              **more: Any) -> LiveGame:  # fmt: skip
        own = engines or config()
        game = {"variant": "latrones", "size": "6x6", "players": [white, black], **more}
        made.append(LiveGame("a", parse_game(game, own), own, lambda *shown: None))
        made[-1].wake()
        return made[-1]

    yield table
    for each in made:
        each.sleep(wait=True)


def test_two_people_play_and_take_back(tables: Tables) -> None:
    table = tables()
    table.move("a1a3", 0)
    table.move("a6a4", 1)
    with pytest.raises(RefusedError, match="not legal"):
        table.move("a3a4", 2)
    with pytest.raises(RefusedError, match="gone on meanwhile"):
        table.move("b1b2", 1)
    assert [note.notation for note in table.plies] == ["a1-a3", "a6-a4"]
    table.undo()
    assert [table.game.position.move_text(move) for move in table.game.moves] == ["a1a3"]
    table.undo()
    with pytest.raises(RefusedError, match="nothing to take back"):
        table.undo()


@pytest.mark.process
def test_an_engine_answers_and_both_plies_are_taken_back(tables: Tables) -> None:
    table = tables(PERSON, ENGINE)
    table.move("a1a3", 0)
    waited(lambda: len(table.plies) == 2)
    assert table.plies[1].info.nodes == 7
    table.undo()
    assert table.plies == []
    assert not table.thinking


@pytest.mark.process
def test_a_person_cannot_move_for_an_engine(tables: Tables) -> None:
    table = tables(ENGINE, PERSON, config("late"))
    with pytest.raises(RefusedError, match="White is played by an engine"):
        table.move("a1a3", 0)
    with pytest.raises(RefusedError, match="nothing to take back"):
        table.undo()


@pytest.mark.process
def test_an_engine_can_be_told_to_move_at_once(tables: Tables) -> None:
    table = tables(ENGINE, PERSON, config("late"))
    waited(lambda: bool(table.process_ids()))
    table.move_now()
    waited(lambda: len(table.plies) == 1)


@pytest.mark.process
def test_two_engines_play_a_game_to_its_end_and_pause(tables: Tables) -> None:
    table = tables(ENGINE, ENGINE)
    waited(lambda: len(table.plies) > 4)
    table.pause(True)
    plies = len(table.plies)
    table.undo()
    assert (len(table.plies), table.paused) == (plies - 1, True)
    table.pause(False)
    waited(lambda: table.outcome is not None)
    state = render_state(table, config())
    assert state["outcome"]["result"] in ("1-0", "0-1", "1/2-1/2")
    assert state["legal"] == []
    text = render_table_pgn(table, config())
    game, = read_games(text.splitlines())
    assert len(game.moves) == len(table.plies)


def test_a_flag_ends_the_game(tables: Tables) -> None:
    table = tables({**PERSON, "base_s": 0.05}, {**PERSON, "base_s": 60, "increment_s": 2})
    waited(lambda: table.outcome is not None)
    assert table.outcome is not None
    assert table.outcome == Outcome(Termination.TIME_LOSS, 1, "White ran out of time")
    with pytest.raises(RefusedError, match="over"):
        table.move("a1a3", 0)


def test_clocks_go_on_with_increment_and_back_with_undo(tables: Tables) -> None:
    table = tables({**PERSON, "base_s": 100, "increment_s": 5}, {**PERSON, "base_s": 100})
    table.move("a1a3", 0)
    left = table.clocks.left()
    assert left[0] is not None
    assert 104e9 < left[0] <= 105e9
    assert table.clocks.running == 1
    table.undo()
    left = table.clocks.left()
    assert left[0] is not None
    assert 99e9 < left[0] <= 100e9
    assert table.clocks.running == 0
    table.pause(True)
    assert table.clocks.running is None


@pytest.mark.process
@pytest.mark.parametrize("limit", ["clock", "depth", "time"])
def test_an_engine_of_the_other_dialect_is_told_the_clocks_in_it(tables: Tables, limit: str) -> None:
    ugi = gui_config([replace(fake_engine("ugi"), protocol="ugi")])  # it falls over words of UCI's clocks
    table = tables(PERSON, {**ENGINE, "limit": limit, "movetime_ms": 60, "base_s": 60}, ugi)
    table.move("a1a3", 0)
    waited(lambda: len(table.plies) == 2)
    assert table.notices == []


@pytest.mark.process
def test_an_engine_flags_too(tables: Tables) -> None:
    table = tables({"kind": "engine", "limit": "clock", "base_s": 0.3}, PERSON, config("stall"))
    waited(lambda: table.outcome is not None)
    assert table.outcome is not None
    assert table.outcome == Outcome(Termination.TIME_LOSS, 1, "White ran out of time")


@pytest.mark.process
@pytest.mark.parametrize(("behaviour", "reason"), [
    ("illegal", "Black: illegal move"), ("malformed", "Black: protocol error"), ("resign", "Black: resignation"),
    ("no-move", "Black: stall")])
def test_an_engine_that_does_not_move_loses(tables: Tables, behaviour: str, reason: str) -> None:
    table = tables(PERSON, ENGINE, config(behaviour))
    table.move("a1a3", 0)
    waited(lambda: table.outcome is not None)
    assert table.outcome is not None
    assert table.outcome.winner == 0
    assert table.outcome.details.startswith(reason)
    assert table.outcome.termination.value in reason


@pytest.mark.process
def test_a_killed_engine_is_reported_and_started_again(tables: Tables) -> None:
    table = tables(PERSON, ENGINE)
    table.move("a1a3", 0)
    waited(lambda: len(table.plies) == 2)
    first, = table.process_ids()
    os.kill(first, signal.SIGKILL)
    waited(lambda: any("has ended; it is started again" in text for _, text in table.notices))
    waited(lambda: table.process_ids() not in ([], [first]))
    table.move("b1b2", 2)
    waited(lambda: len(table.plies) == 4)


@pytest.mark.process
def test_an_engine_that_always_crashes_pauses_the_game(tables: Tables) -> None:
    table = tables(PERSON, ENGINE, config("crash"))
    table.move("a1a3", 0)
    waited(lambda: table.paused)
    texts = [text for _, text in table.notices]
    assert sum("the fake falls over" in text for text in texts) == 3
    assert texts[-1] == "without an engine the game is paused; Go on tries again"
    table.pause(False)
    waited(lambda: table.paused)
    assert [text for _, text in table.notices] == texts * 2


@pytest.mark.process
def test_a_command_that_is_no_program_is_told(tables: Tables) -> None:
    table = tables(PERSON, ENGINE, gui_config([parse_engine(["cmd=/no/such/engine"], ("depth=1",))]))
    table.move("a1a3", 0)
    waited(lambda: table.paused)
    texts = [text for _, text in table.notices]
    assert len(texts) == 2
    assert "/no/such/engine" in texts[0]
    assert "No such file" in texts[0]


@pytest.mark.process
@pytest.mark.parametrize("behaviour", ["long-line", "junk", "carriage-returns", "upper-case", "stale-answer"])
def test_an_engine_that_writes_strangely_plays_on(tables: Tables, behaviour: str) -> None:
    table = tables(PERSON, ENGINE, config(behaviour))
    for ply, text in ((0, "a1a3"), (2, "b1b2")):
        table.move(text, ply)
        waited(lambda ply=ply: len(table.plies) == ply + 2)
    assert table.notices == []
    assert len(json.dumps(render_state(table, config()))) < 20_000


@pytest.mark.process
def test_an_engine_that_does_not_know_the_game_is_told(tables: Tables) -> None:
    table = tables(ENGINE, PERSON, variant="bell", size="6x6")
    waited(lambda: table.paused)
    assert "option 'UCI_Variant' cannot be 'bell'" in table.notices[0][1]
    assert len(table.notices) == 2


@pytest.mark.process
def test_a_new_game_keeps_the_engines_that_play_on(tables: Tables) -> None:
    offered = gui_config([fake_engine(), fake_engine("random")])
    table = tables(PERSON, ENGINE, offered)
    table.move("a1a3", 0)
    waited(lambda: len(table.plies) == 2)
    table.ask_hint()
    waited(lambda: table.hint is not None)
    first, adviser = table.process_ids()
    game = {"variant": "rota", "players": [ENGINE, PERSON]}
    table.restart(parse_game(game, offered))  # the same engine, for the other side of another game
    waited(lambda: len(table.plies) == 1)
    table.ask_hint()
    waited(lambda: table.hint is not None)
    assert table.process_ids() == [first, adviser]
    game["players"] = [PERSON, {**ENGINE, "engine": 1}]
    table.restart(parse_game(game, offered))
    table.move("S@b2", 0)
    waited(lambda: len(table.plies) == 2)
    assert first not in table.process_ids()
    assert adviser in table.process_ids()
    with pytest.raises(ProcessLookupError):
        waited(lambda: os.kill(first, 0))
    assert table.notices == []


@pytest.mark.process
def test_an_engine_that_is_told_its_game_only_at_the_start_is_started_again(tables: Tables) -> None:
    offered = config("set-once")
    table = tables(PERSON, ENGINE, offered)
    table.move("a1a3", 0)
    waited(lambda: len(table.plies) == 2)
    first = table.process_ids()
    table.restart(parse_game({"variant": "rota", "players": [ENGINE, PERSON]}, offered))
    waited(lambda: len(table.plies) == 1)
    assert table.process_ids() not in ([], first)
    assert table.notices == []


@pytest.mark.process
def test_a_hint_is_a_legal_move(tables: Tables) -> None:
    table = tables()
    table.ask_hint()
    waited(lambda: table.hint is not None)
    assert table.hint is not None
    table.move(table.hint.move, 0)
    assert table.hint is None


@pytest.mark.process
def test_analysis_follows_the_game(tables: Tables) -> None:
    table = tables(engines=gui_config([]), variant="rota", size="3x3")
    table.analyse(2)
    waited(lambda: len(table.analysis["lines"]) == 2)
    assert table.analysis["ply"] == 0
    table.move("S@b2", 0)
    waited(lambda: table.analysis.get("ply") == 1 and len(table.analysis["lines"]) == 2)
    line = table.analysis["lines"][0]
    assert line["notes"][0] == "@" + line["moves"][0].removeprefix("S@")
    table.analyse(0)
    assert table.analysis["lines"] == []
    with pytest.raises(RefusedError, match=r"99 is not a number of lines 0\.\.5"):
        table.analyse(99)


@pytest.mark.process
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_lines_of_an_analysis_are_legal_and_written_as_on_the_page(tables: Tables, variant: str) -> None:
    table = tables(engines=gui_config([]), variant=variant, size="")
    first = table.game.legal_moves()[0]
    table.move(table.game.position.move_text(first), 0)
    table.analyse(3)
    waited(lambda: len(table.analysis["lines"]) == 3 and table.analysis["depth"] > 1)
    for line in table.analysis["lines"]:
        assert line["moves"]
        game = table.game.copy()
        for text in line["moves"]:
            game.play(game.position.parse_move(text))
        assert line["notes"] == [render_notation(game, ply) for ply in range(1, len(game.moves))]


@pytest.mark.parametrize(("info", "side", "shown"), [
    (SearchInfo(score=Score(120)), 0, 120), (SearchInfo(score=Score(120)), 1, -120), (SearchInfo(score=Score(mate=3)), 0, "#3"),
    (SearchInfo(score=Score(mate=3)), 1, "#-3"), (SearchInfo(score=Score(mate=-2)), 0, "#-2"), (SearchInfo(score=Score(mate=-2)), 1, "#2"),
    (SearchInfo(score=Score(mate=0)), 0, "#-0"), (SearchInfo(score=Score(mate=0)), 1, "#0"), (SearchInfo(), 1, None)])  # fmt: skip
def test_scores_are_whites(info: SearchInfo, side: int, shown: object) -> None:
    assert white_score(info, side) == shown


@pytest.mark.process
def test_a_sleeping_table_has_no_engine_and_no_running_clock(tables: Tables) -> None:
    table = tables({**PERSON, "base_s": 60}, {**ENGINE, "base_s": 60})
    table.move("a1a3", 0)
    waited(lambda: len(table.plies) == 2)
    process, = table.process_ids()
    table.sleep(wait=True)
    assert (table.process_ids(), table.clocks.running) == ([], None)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    table.wake()
    assert table.clocks.running == 0
    table.move("b1b2", 2)
    waited(lambda: len(table.plies) == 4)


def test_resigning_is_for_the_person(tables: Tables) -> None:
    table = tables(PERSON, ENGINE, config("late"))
    table.move("a1a3", 0)
    table.resign()
    assert table.outcome is not None
    assert table.outcome == Outcome(Termination.RESIGNATION, 1, "White resigned")
    with pytest.raises(RefusedError):
        table.resign()


@pytest.mark.parametrize(("game", "complaint"), [
    (None, "two players"), ({"players": [PERSON]}, "two players"),
    ({"variant": "chess", "players": [PERSON, PERSON]}, "unknown game 'chess'"),
    ({"variant": "rota", "size": "4x4", "players": [PERSON, PERSON]}, "4x4"),
    ({"variant": "rota", "fen": "x w", "players": [PERSON, PERSON]}, "'x w'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "ghost"}]}, "kind 'ghost'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "engine": 7}]}, "engine '7'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "movetime_ms": True}]}, "movetime_ms 'True'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "movetime_ms": float("nan")}]}, "movetime_ms 'nan'"),
    ({"variant": "rota", "players": [PERSON, {"kind": "engine", "limit": "clock"}]}, "needs one"),
    ({"variant": 5, "players": [PERSON, PERSON]}, "variant '5'"),
])  # fmt: skip
def test_settings_that_cannot_be(game: object, complaint: str) -> None:
    with pytest.raises(RefusedError, match=complaint):
        parse_game(game, config())


def test_the_house_offers_all_games() -> None:
    assert list(config().variants) == list(builtin_variants())
