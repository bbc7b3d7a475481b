"""The third occurrence of a position."""

from random import Random

import pytest

import cases
from latrones_uci.game import Game, IllegalMoveError, Position
from latrones_uci.game.encoding import Arrangement

LOSS = ["latrunculi-classical", "latrunculi-xxi", "petteia-xxi", "single-stone-xxi"]

# The result if Black's move makes the third occurrence, and if White's move does: a loss for it, or a draw.
BY_BLACK = {variant: "p1win" if variant in LOSS else "draw" for variant in cases.VARIANTS}
BY_WHITE = {variant: "p2win" if variant in LOSS else "draw" for variant in cases.VARIANTS}


def play(game: Game, texts: list[str]) -> None:
    for text in texts:
        assert game.outcome() is None, text
        game.play(game.position.parse_move(text))


def outcome(game: Game) -> tuple[str, str]:
    result = game.outcome()
    assert result is not None
    return result.name, result.termination.value


def new_game(variant: str, old: str = "", new: str = "") -> Game:
    """Return a game from the position of the shuttle, with a part of its FEN replaced."""
    return Game(cases.position(variant, cases.SHUTTLES[variant][0].replace(old, new)))


def shuttle(variant: str) -> list[str]:
    return cases.SHUTTLES[variant][1]


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_third_occurrence_by_black(variant: str) -> None:
    game = new_game(variant)
    play(game, shuttle(variant) * 2)
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_third_occurrence_by_white(variant: str) -> None:
    game = new_game(variant, " w ", " b ")
    white, black, white_back, black_back = shuttle(variant)
    play(game, [black, white, black_back, white_back] * 2)
    assert outcome(game) == (BY_WHITE[variant], "repetition")


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_third_occurrence_after_other_moves(variant: str) -> None:
    game = new_game(variant)
    play(game, ["h1h3", "h8h6", "h3h2", "h6h7", "h2h3", "h7h6", "a1a2", "a8a7", "a2a1"])
    assert game.outcome() is None
    play(game, ["a7a8"])
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_the_game_is_over_after_the_third_occurrence(variant: str) -> None:
    game = new_game(variant)
    play(game, shuttle(variant) * 2)
    assert game.position.outcome() is None, "a position does not know its repetitions"
    assert game.position.legal_moves()
    assert game.legal_moves() == []
    positions, moves = list(game.positions), list(game.moves)
    with pytest.raises(IllegalMoveError):
        game.play(game.position.legal_moves()[0])
    assert (game.positions, game.moves) == (positions, moves)
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_same_pieces_with_the_other_side_to_move_is_another_position(variant: str) -> None:
    """White returns after three of its plies, Black after two, so the pieces are back after five plies."""
    game = new_game(variant)
    white, black = ["a1a2", "a2a3", "a3a1"], ["h8h7", "h7h8"]
    play(game, [(white, black)[ply % 2][ply // 2 % (3, 2)[ply % 2]] for ply in range(12)])
    by_pieces = [position.fen().split()[0] for position in game.positions]
    assert by_pieces.count(by_pieces[0]) == 3
    other_side = new_game(variant, " w ", " b ")
    assert other_side.position.repetition_key != game.start.repetition_key
    assert game.position.repetition_key == game.start.repetition_key
    assert game.outcome() is None


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_the_start_position_counts_as_an_occurrence(variant: str) -> None:
    game = new_game(variant)
    play(game, shuttle(variant))
    again = Game(cases.position(variant, game.position.fen()))
    play(again, shuttle(variant))
    assert again.outcome() is None
    play(again, shuttle(variant))
    assert outcome(again) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_it_comes_before_the_no_capture_limit(variant: str) -> None:
    limit = cases.find_variant(variant).nocapture_limit or 50
    game = new_game(variant, "w 0 1", f"w {limit - 8} 60")
    play(game, shuttle(variant) * 2)
    assert game.position.nocapture == limit
    assert outcome(game) == (BY_BLACK[variant], "repetition")


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_counters_do_not_distinguish_positions(variant: str) -> None:
    first, later = new_game(variant).position, new_game(variant, "0 1", "17 40").position
    assert first.repetition_key == later.repetition_key
    assert hash(first.repetition_key) == hash(later.repetition_key)
    assert first.key == later.key


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_colours_distinguish_positions(variant: str) -> None:
    """Even if both positions look the same to the player to move."""
    first = cases.position(variant, "ssss/1d2/1D2/SSSS w 0 1")
    later = cases.position(variant, "SSSS/1D2/1d2/ssss b 0 1")
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key
    assert first != later


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_soldier_and_dux_distinguish_positions(variant: str) -> None:
    first = cases.position(variant, "ssss/1d2/1D2/SSSS w 0 1")
    later = cases.position(variant, "ssss/1d2/1S2/SDSS w 0 1")
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key


def test_marks_distinguish_positions() -> None:
    """The same pieces three times, but the first time with a mark that only the FEN has set."""
    game = Game(cases.position("schaedler", "5/2B2/s4/5/s3S[-] w 0 1"))
    there_and_back = ["e1e2", "a1a2", "e2e1", "a2a1"]
    play(game, there_and_back)
    assert game.position.fen() == "5/2S2/s4/5/s3S[-] w 4 3"
    play(game, there_and_back)
    assert game.outcome() is None, "the pieces of the start for the third time, but without the mark for the second"
    play(game, there_and_back[:1])
    assert outcome(game) == ("draw", "repetition")


def test_the_last_mover_is_the_repeater() -> None:
    """Even after an odd number of plies: White's move repeats the position, with Black to move."""
    game = new_game("single-stone-xxi")
    play(game, ["b1b2", *["a8a7", "a1a2", "a7a8", "a2a1"] * 2])
    assert game.position.side == 1
    assert outcome(game) == ("p2win", "repetition")


def quiet_game(plies: int) -> Game:
    """Return a game of a variant in which repetition is illegal, with no capture in its last plies."""
    chance, game = Random(1), Game("ludii-falkener")
    while len(game.moves) < plies:
        moves = game.position.legal_moves()
        chance.shuffle(moves)
        after = [(move, game.position.after(move)) for move in moves[:8]]
        game.play(next((move for move, child in after if child.nocapture), moves[0]))
    return game


def test_positions_share_what_must_not_occur_again() -> None:
    game, made = quiet_game(1000), set[Arrangement]()
    sets = {id(each): each for position in game.positions for each in position.past}
    assert sum(map(len, sets.values())) < 12 * len(game.positions)
    before = None
    for position in game.positions:
        made = {position.rules.arrangement(position.board), *(made if position.nocapture or before is None else ())}
        before = position
        assert position.past_arrangements() == made
        assert sum(map(len, position.past)) == len(made)
        assert len(position.past) <= len(made).bit_length()


def test_positions_with_other_moves_differ() -> None:
    game = Game("ludii-falkener")
    for _ in range(2):
        game.play(next(move for move in game.legal_moves() if game.position.after(move).nocapture))
    game.play(str(game.moves[0])[2:] + str(game.moves[0])[:2])
    position, alone = game.position, Position.from_fen("ludii-falkener", game.position.fen())
    assert len(alone.legal_moves()) == len(position.legal_moves()) + 1
    assert position != alone
    twin = game.start
    for move in game.moves:
        twin = twin.play(move)
    assert (position, hash(position)) == (twin, hash(twin))
