"""Whole games of games.json, replayed."""

from typing import Any

import pytest

import cases
from latrones_uci.game import Game, IllegalMoveError


@pytest.mark.parametrize("played", cases.game_params())
def test_replay(played: dict[str, Any]) -> None:
    game = Game(cases.position(played["variant"], played["start"]))
    for index, text in enumerate(played["moves"]):
        assert game.position.fen() == played["fens"][index]
        assert len(game.legal_moves()) == played["legal"][index]
        assert game.outcome() is None
        game.play(game.position.parse_move(text))
    assert game.position.fen() == played["fens"][-1]
    assert [position.fen() for position in game.positions] == played["fens"]
    assert [p.move_text(m) for p, m in zip(game.positions, game.moves, strict=False)] == played["moves"]

    result = game.outcome()
    if played["result"] == "none":
        assert result is None
        return
    assert result is not None
    assert (result.name, result.termination.value) == (played["result"], played["reason"])
    assert len(game.legal_moves()) == played["legal"][-1] == 0
    last_but_one = game.positions[-2]
    for move in last_but_one.legal_moves():
        with pytest.raises(IllegalMoveError):
            game.play(move)
    assert len(game.moves) == len(played["moves"])
