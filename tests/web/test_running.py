"""The running games, from the runner to the process of the page."""

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import pytest

from latrones_uci.game import Game
from latrones_uci.match.events import GameFinished, MovePlayed
from latrones_uci.match.progress import render_event
from latrones_uci.match.standings import Standings
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import PlyRecord
from latrones_uci.web.match.running import RunningGames, write_running_games
from match_records import CLOCK, MS, NAMES, SETTINGS, START, fixture, played_record
from serving import waited
from watched import live_games, men_after, reporting, started, turn

PLIES = played_record(1).game.plies


def test_running_games_are_reported() -> None:
    live, games = live_games((3, PLIES[:5]), (4, []), (7, None)), RunningGames(SETTINGS)
    with reporting(live, games.take):
        waited(lambda: len(games.render()) == 3 and all(board["begun"] for board in games.render()[:2]))
        third, fourth, seventh = games.render()
        assert [board["game"] for board in (third, fourth, seventh)] == [3, 4, 7]
        assert (third["men"], third["plies"], third["path"] is not None) == (men_after(PLIES[:5]), 5, True)
        assert (third["score"], third["depth"], third["elapsed"]) == (-20, 3, 1)
        assert (third["clocks"], third["ticks"]) == ([None, 990], [False, True])
        assert third["age"] > 0
        assert (fourth["plies"], fourth["path"], fourth["score"], fourth["clocks"]) == (0, None, None, [None, 990])
        assert (seventh["begun"], seventh["clocks"]) == (False, [None, CLOCK.base_ms])
        assert games.start(7) == START
        replay = games.replay(3)
        assert replay is not None
        assert [ply["text"] for ply in replay["plies"]] == [ply.text for ply in PLIES[:5]]
        assert (replay["game"], replay["finished"]) == (3, False)
        live.report(3, turn(PLIES[:6]))
        live(GameFinished(played_record(4), Standings(NAMES), None))
        waited(lambda: [board["plies"] for board in games.render()] == [6, 0])
        assert games.start(4) is games.replay(4) is None


def other_plies(count: int) -> list[PlyRecord]:
    """Return the plies of another game."""
    game = Game(START)
    for number in range(count):
        game.push(game.legal_moves()[-1])
        assert game.moves[number] != PLIES[number].text
    return [replace(ply, text=move) for ply, move in zip(PLIES, game.moves, strict=False)]


@pytest.mark.parametrize("again", [[], PLIES[:2], other_plies(3), other_plies(5), PLIES[:9]])
def test_a_game_whose_worker_was_lost_begins_again(again: Sequence[PlyRecord]) -> None:
    live, games = live_games((1, PLIES[:5])), RunningGames(SETTINGS)
    with reporting(live, games.take):
        waited(lambda: games.render() and games.render()[0]["plies"] == 5)
        live.report(1, turn(again))
        waited(lambda: (games.render()[0]["plies"], games.render()[0]["men"]) == (len(again), men_after(again)))


def test_the_events_of_json_moves_are_enough() -> None:
    games = RunningGames(SETTINGS)
    games.take(render_event(started(fixture(1))))
    assert not games.render()[0]["begun"]
    for number, ply in enumerate(PLIES[:3], start=1):
        games.take(render_event(MovePlayed(fixture(1), number, ply)))
    [board] = games.render()
    assert (board["begun"], board["men"]) == (True, men_after(PLIES[:3]))
    assert board["clocks"][1] == (PLIES[1].clock_left_ns or 0) // MS
    games.take(render_event(GameFinished(played_record(1), Standings(NAMES), None)))
    assert games.render() == []


def event(kind: str, of: Fixture, **more: Any) -> str:
    places = asdict(of)
    return json.dumps({"event": kind, "game": places.pop("number"), **places, **more})


@pytest.mark.parametrize("line", [
    "", "{", "[]", "5", "[" * 100_000, '{"event": "warning", "text": "?"}', '{"event": "game_finished", "game": 9}',
    event("game_started", replace(fixture(5), white=9), fen=START.fen()), event("game_started", fixture(5)),
    event("game_started", fixture(5), fen="nonsense"), event("move_played", fixture(1), ply=1, move="a1a2"),
    event("turn_started", fixture(1), plies=0, clocks_ns=[1], age_ns=0),
])
def test_other_lines_change_nothing(line: str) -> None:
    games = RunningGames(SETTINGS)
    games.take(render_event(started(fixture(1))))
    games.take(render_event(MovePlayed(fixture(1), 1, PLIES[0])))
    games.take(line)
    assert [(board["game"], board["plies"]) for board in games.render()] == [(1, 1)]


def test_a_game_is_shown_up_to_the_first_move_that_is_not_legal() -> None:
    games = RunningGames(SETTINGS)
    games.take(render_event(started(fixture(1))))
    for number, ply in enumerate((*PLIES[:2], replace(PLIES[2], text="<img>")), start=1):
        games.take(render_event(MovePlayed(fixture(1), number, ply)))
    assert games.render()[0]["plies"] == 2
    replay = games.replay(1) or {}
    assert len(replay["plies"]) == 2
    assert "<img>" in replay["problem"]


def test_a_page_that_reads_nothing_or_is_closed_blocks_only_its_own_thread() -> None:
    read, write = os.pipe()
    live = live_games(*((number, PLIES) for number in range(1, 200)))  # more than the pipe holds
    writing = threading.Thread(target=write_running_games, args=(live, os.fdopen(write, "w"), threading.Event(), 0))
    writing.start()
    for _ in range(100):
        live.report(1, turn(PLIES[:3]))
    assert writing.is_alive()
    os.close(read)
    writing.join(20)
    assert not writing.is_alive()
