"""The third occurrence of a position."""

import pytest

import cases
from latrones_uci.game import Game, IllegalMoveError

SHUTTLE = ["a1a2", "a8a7", "a2a1", "a7a8"]

# What White's and Black's third occurrence is worth: the player who makes it loses, or it is a draw.
BY_BLACK = {"latrones": "draw", "latrunculi-classical": "p1win"}
BY_WHITE = {"latrones": "draw", "latrunculi-classical": "p2win"}


def play(game: Game, texts: list[str]) -> None:
    for text in texts:
        assert game.result() is None, text
        game.play(game.position.parse_move(text))


def outcome(game: Game) -> tuple[str, str]:
    result = game.result()
    assert result is not None
    return result.name, result.reason


def new_game(variant: str, fen: str = cases.START_8X8) -> Game:
    return Game(cases.position(variant, fen))


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_made_by_black(variant: str) -> None:
    game = new_game(variant)
    play(game, SHUTTLE * 2)
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_made_by_white(variant: str) -> None:
    game = new_game(variant, cases.START_8X8.replace(" w ", " b "))
    play(game, ["h8h7", "h1h2", "h7h8", "h2h1"] * 2)
    assert outcome(game) == (BY_WHITE[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_made_after_other_moves(variant: str) -> None:
    game = new_game(variant)
    play(game, ["h1h3", "h8h6", "h3h4", "h6h5", "h4h3", "h5h6", "a1a2", "a8a7", "a2a1"])
    assert game.result() is None
    play(game, ["a7a8"])
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_nothing_goes_on_after_it(variant: str) -> None:
    game = new_game(variant)
    play(game, SHUTTLE * 2)
    assert game.position.result() is None, "the position alone does not know"
    assert game.position.legal_moves()
    assert game.legal_moves() == []
    positions, moves = list(game.positions), list(game.moves)
    with pytest.raises(IllegalMoveError):
        game.play(game.position.legal_moves()[0])
    assert (game.positions, game.moves) == (positions, moves)
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_same_pieces_with_the_other_side_to_move_is_another_position(variant: str) -> None:
    """White comes round in three plies of its own, Black in two: after five plies the pieces stand as at first."""
    game = new_game(variant)
    white, black = ["a1a2", "a2a3", "a3a1"], ["h8h7", "h7h8"]
    play(game, [(white, black)[ply % 2][ply // 2 % (3, 2)[ply % 2]] for ply in range(12)])
    by_pieces = [position.fen().split()[0] for position in game.positions]
    assert by_pieces.count(by_pieces[0]) == 3
    other_side = new_game(variant, cases.START_8X8.replace(" w ", " b "))
    assert other_side.position.repetition_key != game.start.repetition_key
    assert game.position.repetition_key == game.start.repetition_key
    assert game.result() is None


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_position_of_a_fen_is_occurrence_one(variant: str) -> None:
    game = new_game(variant)
    play(game, SHUTTLE)
    again = Game(cases.position(variant, game.position.fen()))
    play(again, SHUTTLE)
    assert again.result() is None
    play(again, SHUTTLE)
    assert outcome(again) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_comes_before_the_limit_of_plies_without_capture(variant: str) -> None:
    game = new_game(variant, cases.START_8X8.replace("w 0 1", "w 92 60"))
    play(game, SHUTTLE * 2)
    assert game.position.nocapture == 100
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_counters_do_not_tell_positions_apart(variant: str) -> None:
    first = cases.position(variant, cases.START_8X8)
    later = cases.position(variant, cases.START_8X8.replace("0 1", "17 40"))
    assert first.repetition_key == later.repetition_key
    assert hash(first.repetition_key) == hash(later.repetition_key)
    assert first.key == later.key


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_colours_tell_positions_apart(variant: str) -> None:
    """Also where both positions look alike to the player to move."""
    first = cases.position(variant, "ssss/1d2/1D2/SSSS w 0 1")
    later = cases.position(variant, "SSSS/1D2/1d2/ssss b 0 1")
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key
    assert first != later


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_soldier_and_dux_tell_positions_apart(variant: str) -> None:
    first = cases.position(variant, "ssss/1d2/1D2/SSSS w 0 1")
    later = cases.position(variant, "ssss/1d2/1S2/SDSS w 0 1")
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key
