"""Whole games in a real browser, with every human move made by the pointer."""

from __future__ import annotations

import random
from typing import Any

import pytest

from browser import Page, waited
from cases import VARIANTS
from latrones_uci.game.encoding import is_path, path_of
from latrones_uci.match.pgn_read import read_games
from latrones_uci.web.board.state import render_state
from serving import serving

pytestmark = pytest.mark.gui

SIZES = {"latrunculi-xxi": "8x8", "petteia-xxi": "6x6", "single-stone-xxi": "8x8", "schaedler": "6x6", "bell": "6x6"}
MAX_PLIES = 400
# The default run has one of each kind: a dux that jumps, binding, capture chains, the wheel.
GAMES = [
    pytest.param(variant, marks=() if variant in ("latrones", "schaedler", "bell", "rota") else pytest.mark.slow)
    for variant in VARIANTS
]


@pytest.mark.parametrize("variant", GAMES)
def test_a_game_from_start_to_end(driver: Any, variant: str) -> None:
    """White plays at random, by dragging and clicking in turn; Black is our engine, which wins soon."""
    play_to_the_end(driver, variant, {"player": "0", "limit": "depth", "depth": "2"})


@pytest.mark.slow
@pytest.mark.parametrize("level", ["0", "full"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_at_a_level(driver: Any, variant: str, level: str) -> None:
    """Against Tiro, the lowest level, and at full strength, on the default board of each game."""
    play_to_the_end(driver, variant, {"player": "0", "level": level, "limit": "time", "seconds": "0.1"}, size="")


def play_to_the_end(driver: Any, variant: str, engine: dict[str, str], size: str | None = None) -> None:
    chance = random.Random(variant)
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game(variant, SIZES.get(variant, "") if size is None else size, ({}, engine))
        live, turn = page.live, 0
        while live.outcome is None and len(live.plies) < MAX_PLIES:
            moves = live.game.legal_moves()
            chains = [move for move in moves if is_path(move) and len(path_of(move)) > 2]
            page.play(chance.choice(chains or moves), dragged=turn % 2 == 0)
            page.wait_shown()
            assert page.pieces_shown() == page.pieces_standing()
            turn += 1
        if live.outcome is None:  # a random mover and Tiro may wander about for long
            assert engine.get("level") == "0"
            page.do("resign")
            page.do("resign")
            waited(lambda: live.outcome is not None)
            page.wait_shown()
        assert f": {render_state(live, server.registry.config)['outcome']['reason']} (" in page.text(".status")
        assert page.plies_shown() == len(live.game.moves)
        notes = page.texts(".moves [data-ply]")
        assert [note.split()[0] for note in notes] == [ply.notation for ply in live.plies]
        game, = read_games(page.saved(page.one("[data-pgn]").get_attribute("href")).splitlines())
        assert [move.text for move in game.moves] == [
            live.game.positions[ply].move_text(move) for ply, move in enumerate(live.game.moves)]
        page.do("first")
        page.wait_for_pieces(page.pieces_of(live.game.start))
