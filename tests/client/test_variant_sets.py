"""Engines are set up for games outside of the core set."""

import pytest

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.time_control import Limit
from latrones_uci.client.variant_setup import setup_options, start_of
from latrones_uci.game import Game, Position, find_variant


def test_the_set_is_chosen_before_the_game() -> None:
    start = Position.start("ludii-piso")
    assert list(setup_options(start, None).items()) == [
        ("VariantSet", "all"), ("UCI_Variant", "ludii-piso"), ("BoardSize", "8x8")]  # fmt: skip
    assert "VariantSet" not in setup_options(Position.start("latrones"), None)
    assert start_of("ludii-piso").fen() == start.fen()


@pytest.mark.process
def test_our_engine_plays_a_game_of_the_family() -> None:
    """It knows the game before, in which the obvious move would repeat a position."""
    game = Game(Position.from_fen(find_variant("ludii-museum-quintana"), "8/8/8/8/8/8/s1s5/S1s4s w 0 1"))
    for move in ("a1b1", "h1g1", "b1a1", "g1f1", "a1b1", "f1f2", "b1b2", "f2f1"):
        game.play(move)
    with Engine.popen(OWN_ENGINE, variant="ludii-museum-quintana", options={"Hash": 1}) as engine:
        for _ in range(4):
            result = engine.play(game, Limit(depth=3))
            assert result.move in game.legal_moves()
            game.play(result.move)
    assert game.position.rules.forbids_repetition
