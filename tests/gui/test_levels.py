"""Levels over the strengths that an engine offers, and its answers to draw offers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from latrones_uci.client.engine_spec import parse_engine
from latrones_uci.commands.gui import gui_config
from latrones_uci.game import Position, find_variant
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.web.board import live_game as live_game_module
from latrones_uci.web.board.config import game_data, parse_game
from latrones_uci.web.board.engine_catalog import LEVEL_NAMES, Ladder
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.page_server import RefusedError
from serving import fake_engine, fake_engine_words, waited

PERSON = {"kind": "person"}
ENGINE = {"kind": "engine", "limit": "depth", "depth": 1}


def live_game(white: dict[str, Any], black: dict[str, Any], **more: Any) -> LiveGame:
    config = more.pop("config", None) or gui_config([fake_engine()])
    game = {"variant": "latrones", "size": "6x6", "players": [white, black], **more}
    live = LiveGame("a", parse_game(game, config), config, lambda *shown: None)
    live.wake()
    return live


def test_the_steps_are_equal() -> None:
    by_rating, by_skill = Ladder(True, 60, 1460, measured=True), Ladder(False, 0, 19)
    assert [by_rating.value(level) for level in range(8)] == list(range(60, 1461, 200))
    assert by_rating.options(2) == {"UCI_LimitStrength": "true", "UCI_Elo": "460"}
    assert by_rating.rating(7) == 1460
    assert [by_skill.value(level) for level in range(8)] == [0, 3, 5, 8, 11, 14, 16, 19]
    assert by_skill.options(0) == {"Skill Level": "0"}
    assert by_skill.rating(0) is None
    assert Ladder(True, 60, 1460).rating(0) is None  # an engine's range that nobody has measured in this game


@pytest.mark.process
def test_our_engine_has_the_ratings_of_each_game() -> None:
    config = gui_config([])
    start = Position.start("petteia-xxi")
    choices = config.catalog.levels(0, start)
    assert [choice["name"] for choice in choices] == list(LEVEL_NAMES)
    ladder = config.catalog.known(0, start)
    assert ladder is not None
    assert 0 <= ladder.low < ladder.high < 4000  # narrower than the range of the option
    assert [choice["elo"] for choice in choices] == [ladder.rating(level) for level in range(8)]
    other = config.catalog.levels(0, Position.start("latrones"))
    assert [choice["elo"] for choice in other] != [choice["elo"] for choice in choices]


@pytest.mark.process
@pytest.mark.parametrize(("variant", "size"), [("rota", None), ("latrunculi-xxi", (16, 16))])
def test_a_rating_is_shown_only_where_it_was_measured(variant: str, size: tuple[int, int] | None) -> None:
    config = gui_config([])
    choices = config.catalog.levels(0, Position.start(find_variant(variant), size))
    assert [(choice["name"], choice["elo"]) for choice in choices] == [(name, None) for name in LEVEL_NAMES]


@pytest.mark.process
def test_the_level_is_known_before_the_engine_moves() -> None:
    """A page shows the rating and the kernel as soon as the engine has been asked, also after a restart."""
    config, shown = gui_config([]), list[str]()
    game = {"variant": "latrones", "players": [PERSON, {**ENGINE, "level": 0}]}
    live = LiveGame("a", parse_game(game, config), config, lambda name, kind, data: shown.append(kind))
    live.wake()
    waited(lambda: "(71)" in render_state(live, config)["players"][1]["level"])
    waited(lambda: shown.count("state") >= 2)
    assert render_state(live, config)["players"][1]["kernel"].startswith(("native", "python"))
    assert live._workers == {}
    live.sleep(wait=True)


@pytest.mark.process
def test_an_engine_without_levels_plays_at_full_strength() -> None:
    config = gui_config([fake_engine()])
    assert config.catalog.levels(0, Position.start("latrones")) == []
    live = live_game(PERSON, {**ENGINE, "level": 0}, config=config)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    black = render_state(live, config)["players"][1]
    assert (black["level"], black["rank"]) == ("depth 1", "")  # the page does not claim a level
    live.sleep(wait=True)


@pytest.mark.process
def test_an_engine_that_does_not_start_has_no_levels() -> None:
    config = gui_config([parse_engine(("cmd=/nonexistent/engine", "depth=1"), ())])
    assert config.catalog.levels(0, Position.start("latrones")) == []


@pytest.mark.process
def test_a_level_is_set_and_named() -> None:
    config = gui_config([])
    live = live_game(PERSON, {**ENGINE, "level": 1, "limit": "time", "movetime_ms": 100}, config=config, size="8x8")
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    ladder = config.catalog.known(0, live.game.start)
    assert ladder is not None
    black = render_state(live, config)["players"][1]
    assert black["level"] == f"Miles ({ladder.rating(1)})"
    assert f'[Black "latrones-uci Miles ({ladder.rating(1)})"]' in render_game_pgn(live, config)
    engine = live._workers[1]._engine
    assert ("UCI_Elo", str(ladder.value(1))) in engine.settings.options
    worker = live._workers[1]
    live.restart(parse_game({**game_data(live.settings), "players": [PERSON, {**ENGINE, "level": 2}]}, config))
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert live._workers[1] is not worker  # another level is another engine
    live.sleep(wait=True)


@pytest.mark.parametrize("level", [-1, 8, "0", True])
def test_invalid_levels_are_rejected(level: object) -> None:
    config = gui_config([fake_engine()])
    game = {"variant": "rota", "players": [PERSON, {**ENGINE, "level": level}]}
    with pytest.raises(RefusedError, match="level"):
        parse_game(game, config)


def test_settings_survive_a_round_trip() -> None:
    config = gui_config([fake_engine()])
    player = {**ENGINE, "level": 3, "base_s": 300, "increment_s": 2.5, "movetime_ms": 700}
    game = {"variant": "bell", "size": "6x6", "fen": "", "players": [{**PERSON, "name": "Anna"}, player]}
    settings = parse_game(game, config)
    assert parse_game(game_data(settings), config) == settings
    assert game_data(settings)["fen"] == ""
    placed = replace(settings, start=settings.start.play("S@a1"))
    assert parse_game(game_data(placed), config).start == placed.start


@pytest.mark.parametrize(("score", "accepts"), [
    (Score(cp=0), True), (Score(cp=-300), True), (Score(cp=10), True), (Score(cp=11), False), (Score(mate=3), False),
    (Score(mate=-2), True), (Score(), False)])  # fmt: skip
def test_an_engine_accepts_a_draw_unless_it_is_better(
    score: Score, accepts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_game_module, "_MIN_PLIES_FOR_DRAW", 2)
    live = live_game(PERSON, PERSON)
    for ply, text in enumerate(("a1a3", "a6a4")):
        live.move(text, ply)
    white, black = live.settings.players
    live.settings = replace(live.settings, players=(white, replace(black, kind="engine")))
    if score != Score():
        live.plies[-1] = replace(live.plies[-1], info=SearchInfo(score=score))
    answer = live.offer_draw()
    assert (live.outcome is not None) == accepts
    assert answer == "The draw is agreed." if accepts else "declines" in answer
    if accepts:
        with pytest.raises(RefusedError, match="the game is over"):
            live.offer_draw()


def test_who_can_offer_a_draw() -> None:
    live = live_game(PERSON, PERSON)
    live.move("a1a3", 0)
    assert live.offer_draw() == "The draw is agreed."
    assert live.outcome is not None
    assert live.outcome.winner is None
    engines = live_game(ENGINE, ENGINE, config=gui_config([parse_engine(fake_engine_words("late"), ())]))
    with pytest.raises(RefusedError, match="two engines play"):
        engines.offer_draw()
    engines.sleep(wait=True)
