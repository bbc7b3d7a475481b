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
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.page_server import RefusedError
from serving import ENGINE, PERSON, NewGame, fakes, waited


def test_the_steps_are_equal() -> None:
    by_rating, by_skill = Ladder(True, 60, 1460, measured=True), Ladder(False, 0, 19)
    assert [by_rating.value(level) for level in range(8)] == list(range(60, 1461, 200))
    assert by_rating.options(2) == {"UCI_LimitStrength": "true", "UCI_Elo": "460"}
    assert by_rating.rating(7) == 1460
    assert [by_skill.value(level) for level in range(8)] == [0, 3, 5, 8, 11, 14, 16, 19]
    assert by_skill.options(0) == {"Skill Level": "0"}
    assert by_skill.rating(0) is None
    assert Ladder(True, 60, 1460).rating(0) is None  # an engine's range that nobody has measured in this game


def test_ratings_are_shown_only_where_they_were_measured() -> None:
    catalog = gui_config([]).catalog

    def ratings(variant: str, size: tuple[int, int] | None = None) -> list[Any]:
        levels = catalog.levels(0, Position.start(find_variant(variant), size))
        assert [level["name"] for level in levels] == list(LEVEL_NAMES)
        return [level["elo"] for level in levels]

    latrones, petteia = ratings("latrones"), ratings("petteia-xxi")
    for measured in (latrones, petteia):
        assert measured == sorted(measured)
        assert 0 <= measured[0] < measured[-1] < 4000  # narrower than the range of the option
    assert latrones != petteia
    assert {*ratings("rota"), *ratings("latrunculi-xxi", (16, 16))} == {None}


def test_engines_without_levels(new_game: NewGame) -> None:
    """The page does not claim a level for what plays at its full strength."""
    missing = gui_config([parse_engine(("cmd=/nonexistent/engine", "depth=1"), ())])
    for config in (missing, fakes()):
        assert config.catalog.levels(0, Position.start("latrones")) == []
    live = new_game(PERSON, {**ENGINE, "level": 0}, config)
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    black = render_state(live, config)["players"][1]
    assert (black["level"], black["rank"]) == ("depth 1", "")


def test_a_level_is_known_before_the_engine_moves_then_set_and_named(new_game: NewGame) -> None:
    """A page shows the rating and the kernel as soon as the engine has been asked, also after a restart."""
    config, shown = gui_config([]), list[Any]()
    level = {**ENGINE, "level": 1, "limit": "time", "movetime_ms": 100}
    live = new_game(PERSON, level, config, shown, size="8x8")
    rating = config.catalog.levels(0, live.game.start)[1]["elo"]
    named = f"Miles ({rating})"
    waited(lambda: render_state(live, config)["players"][1]["level"] == named)
    waited(lambda: [kind for kind, _ in shown].count("state") >= 2)
    assert render_state(live, config)["players"][1]["kernel"].startswith(("native", "python"))
    assert live.process_ids() == []
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert f'[Black "latrones-uci {named}"]' in render_game_pgn(live, config)
    assert ("UCI_Elo", str(rating)) in live.engine_settings(1).options
    process = live.process_ids()
    live.restart(parse_game({**game_data(live.settings), "players": [PERSON, {**level, "level": 2}]}, config))
    live.move("a1a3", 0)
    waited(lambda: len(live.plies) == 2)
    assert live.process_ids() != process  # another level is another engine


def test_settings_survive_a_round_trip() -> None:
    player = {**ENGINE, "level": 3, "base_s": 300, "increment_s": 2.5, "movetime_ms": 700}
    game = {"variant": "bell", "size": "6x6", "fen": "", "players": [{**PERSON, "name": "Anna"}, player]}
    settings = parse_game(game, fakes())
    assert parse_game(game_data(settings), fakes()) == settings
    assert game_data(settings)["fen"] == ""
    placed = replace(settings, start=settings.start.play("S@a1"))
    assert parse_game(game_data(placed), fakes()).start == placed.start


@pytest.mark.parametrize(("score", "accepts"), [
    (Score(cp=0), True), (Score(cp=-300), True), (Score(cp=10), True), (Score(cp=11), False), (Score(mate=3), False),
    (Score(mate=-2), True), (Score(), False)])  # fmt: skip
def test_an_engine_accepts_a_draw_unless_it_is_better(
    new_game: NewGame, score: Score, accepts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_game_module, "_MIN_PLIES_FOR_DRAW", 2)
    live = new_game()
    for ply, text in enumerate(("a1a3", "a6a4")):
        live.move(text, ply)
    white, black = live.settings.players
    live.settings = replace(live.settings, players=(white, replace(black, kind="engine")))
    live.plies[-1] = replace(live.plies[-1], info=SearchInfo(score=score))
    answer = live.offer_draw()
    assert (live.outcome is not None) == accepts
    assert answer == "The draw is agreed." if accepts else "declines" in answer


def test_who_can_offer_a_draw(new_game: NewGame) -> None:
    live = new_game()
    live.move("a1a3", 0)
    assert live.offer_draw() == "The draw is agreed."
    assert live.outcome is not None
    assert live.outcome.winner is None
    with pytest.raises(RefusedError, match="the game is over"):
        live.offer_draw()
    engines = new_game(ENGINE, ENGINE)
    engines.pause(True)
    with pytest.raises(RefusedError, match="two engines play"):
        engines.offer_draw()
