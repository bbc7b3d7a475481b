"""Passes: legal only for a player without another move, part of the notation, and a draw if both players pass."""

from __future__ import annotations

import pytest

from latrones_uci.game import (
    Game,
    IllegalMoveError,
    MalformedMoveError,
    Position,
    Termination,
    find_variant,
    ludii_variants,
)
from latrones_uci.match.pgn_read import read_games
from latrones_uci.match.pgn_verify import verify_game

QUINTANA = find_variant("ludii-museum-quintana")
# Neither player can move.
LOCKED = "SsSsSsSs/sSsSsSsS/SsSsSsSs/sSsSsSsS/SsSsSsSs/sSsSsSsS/SsSsSsSs/sSsSsSsS w 0 1"


def test_a_pass_is_the_only_move_of_a_player_without_another() -> None:
    position = Position.from_fen(QUINTANA, LOCKED)
    assert [str(move) for move in position.legal_moves()] == ["pass"]
    assert position.perft(1) == position.perft(3) == 1
    after = position.play("pass")
    assert after.fen() == LOCKED.replace(" w 0 1", " b 1 1")
    assert position.captures("pass") == []


def test_two_passes_are_a_draw() -> None:
    game = Game(Position.from_fen(QUINTANA, LOCKED))
    game.play("pass")
    assert game.outcome() is None
    game.play("pass")
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.name, outcome.termination) == ("draw", Termination.NO_MOVE)
    assert game.legal_moves() == []
    game.pop()
    assert game.outcome() is None


def test_a_player_with_a_move_may_not_pass() -> None:
    position = Position.start(QUINTANA)
    with pytest.raises(IllegalMoveError, match="move 'pass' is not legal in"):
        position.play("pass")
    with pytest.raises(IllegalMoveError, match="move 'pass': this variant has no passes"):
        Position.start("latrones").play("pass")
    with pytest.raises(MalformedMoveError):
        position.play("Pass")


def test_a_move_back_is_illegal_when_the_other_player_has_gone_back_too() -> None:
    game = Game(Position.from_fen(QUINTANA, "8/8/8/8/8/8/s1s5/S1s4s w 0 1"))
    for move in ("a1b1", "h1g1", "b1a1", "g1f1", "a1b1", "f1f2", "b1b2", "f2f1"):
        game.play(move)
    assert "b2b1" not in map(str, game.legal_moves())
    assert "b2b1" in map(str, Position.from_fen(QUINTANA, game.position.fen()).legal_moves())
    with pytest.raises(IllegalMoveError):
        game.play("b2b1")


@pytest.mark.parametrize("name", ["ludii-kowalski-12x8", "ludii-piso"])
def test_other_games_end_instead(name: str) -> None:
    assert not Position.start(ludii_variants()[name]).rules.passes


def test_a_pass_in_pgn() -> None:
    text = (f'[Variant "ludii-museum-quintana"]\n[SetUp "1"]\n[FEN "{LOCKED}"]\n[Result "1/2-1/2"]\n'
            '[Termination "normal"]\n\n1. pass pass 1/2-1/2\n')  # fmt: skip
    (recorded,) = read_games(text.splitlines(keepends=True))
    game = verify_game(recorded, ludii_variants())
    assert [str(move) for move in game.moves] == ["pass", "pass"]
