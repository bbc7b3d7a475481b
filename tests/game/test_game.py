"""The class Game."""

import copy
from collections.abc import Callable

import pytest

import cases
from latrones_uci.game import Game, IllegalMoveError


@pytest.fixture(params=cases.DUX_GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    game = Game(cases.position(request.param, cases.START_8X8))
    for text in ("a1a3", "h8h6", "b1b3"):
        game.play(game.position.parse_move(text))
    return game


def test_it_keeps_its_positions_and_moves(game: Game) -> None:
    assert game.start == game.positions[0]
    assert game.position == game.positions[-1]
    assert len(game.positions) == len(game.moves) + 1 == 4
    for before, move, after in zip(game.positions, game.moves, game.positions[1:], strict=False):
        assert before.play(move) == after
    assert game.position.fen() == "sssssss1/3d4/7s/8/8/SS6/4D3/2SSSSSS b 3 2"


def test_an_illegal_move_changes_nothing(game: Game) -> None:
    positions, moves, fen = list(game.positions), list(game.moves), game.position.fen()
    with pytest.raises(IllegalMoveError):
        game.play(game.moves[-1])  # White's move, but Black is to move
    assert (game.positions, game.moves, game.position.fen()) == (positions, moves, fen)
    assert game.outcome() is None


@pytest.mark.parametrize("copied", [Game.copy, copy.copy, copy.deepcopy])
def test_copies_are_independent_and_equal(game: Game, copied: Callable[[Game], Game]) -> None:
    twin = copied(game)
    assert twin == game
    twin.play(twin.legal_moves()[0])
    assert (len(twin.moves), len(game.moves)) == (4, 3)
    assert twin.positions[:-1] == game.positions
    game.play(game.legal_moves()[-1])
    assert twin.position != game.position
    assert twin != game
    assert game != Game(game.position)


def test_copies_remember_occurrences(game: Game) -> None:
    shuttle = ["h6h7", "c1c2", "h7h6", "c2c1"]
    for text in shuttle:
        game.play(game.position.parse_move(text))
    twin = game.copy()
    for text in shuttle:
        twin.play(twin.position.parse_move(text))
    result = twin.outcome()
    assert result is not None
    assert result.termination.value == "repetition"
    assert game.outcome() is None
    for text in shuttle:
        game.play(game.position.parse_move(text))
    assert game.outcome() == result


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_a_game_that_is_over_at_the_start(variant: str) -> None:
    game = Game(cases.position(variant, cases.DECIDED[variant]))
    result = game.outcome()
    assert result is not None
    assert (result.name, result.termination.value) == ("p1win", "decided")
    assert game.legal_moves() == []
    for move in cases.position(variant, cases.MIDGAMES[variant]).legal_moves():
        with pytest.raises(IllegalMoveError):
            game.play(move)
    assert game.moves == []


def test_one_side_can_move_twice() -> None:
    game = Game(cases.position("bell", "6/6/6/6/6/6[2S1D2s1d] w 0 1"))
    for text in ("S@a1", "S@b1", "S@a6", "S@b6", "D@c1", "D@c6", "c1d1"):
        game.play(game.position.parse_move(text))
    assert [(position.side, position.movenumber) for position in game.positions] == [
        (0, 1), (0, 1), (1, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3),
    ]  # fmt: skip
    assert [position.nocapture for position in game.positions] == [0, 0, 0, 0, 0, 0, 0, 1]
    assert game.position.fen() == "ssd3/6/6/6/6/SS1D2[-] b 1 3"
    assert game.copy().positions == game.positions
