"""Repetition and passes: the third occurrence of a position, positions that must not occur again, and two passes."""

from random import Random

import pytest

import cases
from latrones_uci.game import (
    Game,
    IllegalMoveError,
    MalformedMoveError,
    Position,
    Termination,
    find_variant,
    ludii_variants,
)
from latrones_uci.game.encoding import Arrangement

LOSS = ["latrunculi-classical", "latrunculi-xxi", "petteia-xxi", "single-stone-xxi"]
QUINTANA = find_variant("ludii-museum-quintana")
# Neither player can move.
LOCKED = "SsSsSsSs/sSsSsSsS/SsSsSsSs/sSsSsSsS/SsSsSsSs/sSsSsSsS/SsSsSsSs/sSsSsSsS w 0 1"


def play(game: Game, texts: list[str]) -> None:
    for text in texts:
        assert game.outcome() is None, text
        game.push(text)


def outcome(game: Game) -> tuple[str, str]:
    result = game.outcome()
    assert result is not None
    return result.name, result.termination.value


def by(repeater: str, variant: str) -> tuple[str, str]:
    """Return the result if a player's move makes the third occurrence: a loss for that player, or a draw."""
    winner = {"white": "p2win", "black": "p1win"}[repeater]
    return winner if variant in LOSS else "draw", "repetition"


def new_game(variant: str, old: str = "", new: str = "") -> Game:
    """Return a game from the position of the shuttle, with a part of its FEN replaced."""
    return Game(cases.position(variant, cases.SHUTTLES[variant][0].replace(old, new)))


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_third_occurrence(variant: str) -> None:
    """At the no-capture limit, before which it comes."""
    limit = find_variant(variant).nocapture_limit or 50
    game, shuttle = new_game(variant, "w 0 1", f"w {limit - 8} 60"), cases.SHUTTLES[variant][1]
    play(game, shuttle * 2)
    assert game.position.nocapture == limit
    assert outcome(game) == by("black", variant)
    assert game.legal_moves() == []
    game, later = new_game(variant), new_game(variant, "0 1", "17 40").position
    assert game.position.repetition_key == later.repetition_key
    assert game.position.key == later.key
    play(game, shuttle * 2)
    assert game.position.outcome() is None, "a position does not know its repetitions"
    before = game.positions, game.moves
    for move in game.position.legal_moves():
        with pytest.raises(IllegalMoveError):
            game.push(move)
    assert (game.positions, game.moves) == before
    white, black, white_back, black_back = shuttle
    game = new_game(variant, " w ", " b ")
    play(game, [black, white, black_back, white_back] * 2)
    assert outcome(game) == by("white", variant)


def test_third_occurrence_after_other_moves() -> None:
    game = new_game("latrunculi-classical")
    play(game, ["h1h3", "h8h6", "h3h2", "h6h7", "h2h3", "h7h6", "a1a2", "a8a7", "a2a1", "a7a8"])
    assert outcome(game) == by("black", "latrunculi-classical")
    # After an odd number of plies, with the other player to move.
    game = new_game("single-stone-xxi")
    play(game, ["b1b2", *["a8a7", "a1a2", "a7a8", "a2a1"] * 2])
    assert outcome(game) == by("white", "single-stone-xxi")


def test_same_pieces_with_the_other_side_to_move_is_another_position() -> None:
    """White returns after three of its plies, Black after two, so the pieces are back after five plies."""
    game = new_game("latrones")
    white, black = ["a1a2", "a2a3", "a3a1"], ["h8h7", "h7h8"]
    play(game, [(white, black)[ply % 2][ply // 2 % (3, 2)[ply % 2]] for ply in range(12)])
    by_pieces = [position.fen().split()[0] for position in game.positions]
    assert by_pieces.count(by_pieces[0]) == 3
    assert game.position.repetition_key == game.start.repetition_key
    assert game.outcome() is None


@pytest.mark.parametrize(("variant", "fen", "other"), [
    ("latrones", "ssss/1d2/1D2/SSSS w", "ssss/1d2/1D2/SSSS b"),
    ("latrones", "ssss/1d2/1D2/SSSS w", "SSSS/1D2/1d2/ssss b"),  # the same to the player to move
    ("latrones", "ssss/1d2/1D2/SSSS w", "ssss/1d2/1S2/SDSS w"),
    ("bell", "s5/6/6/6/6/S5[2S1D2s1d] w", "s5/6/6/6/6/S5[2S1D2s] w"),
    ("schaedler", "s3/4/4/SSs1[-] w", "b3/4/4/SSs1[-] w"),
])
def test_side_pieces_hands_and_marks_distinguish_positions(variant: str, fen: str, other: str) -> None:
    first, later = cases.position(variant, fen), cases.position(variant, other)
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key
    assert first != later


def test_a_mark_of_the_start_makes_another_position() -> None:
    """The same pieces three times, but the first time with a mark that only the FEN has set."""
    game = Game(cases.position("schaedler", "5/2B2/s4/5/s3S[-] w 0 1"))
    there_and_back = ["e1e2", "a1a2", "e2e1", "a2a1"]
    play(game, there_and_back)
    assert game.position.fen() == "5/2S2/s4/5/s3S[-] w 4 3"
    play(game, [*there_and_back, "e1e2"])
    assert outcome(game) == ("draw", "repetition")


# ---------------------------------------------------------------- illegal repetition


def quiet_game(plies: int) -> Game:
    """Return a game of a variant in which repetition is illegal, with no capture in its last plies."""
    chance, game = Random(1), Game("ludii-falkener")
    while len(game.moves) < plies:
        moves = game.position.legal_moves()
        chance.shuffle(moves)
        after = [(move, game.position.after(move)) for move in moves[:8]]
        game.push(next((move for move, child in after if child.nocapture), moves[0]))
    return game


@pytest.mark.slow
def test_positions_share_what_must_not_occur_again() -> None:
    game, made = quiet_game(1000), set[Arrangement]()
    sets = {id(each): each for position in game.positions for each in position.past}
    assert sum(map(len, sets.values())) < 12 * len(game.positions)
    for number, position in enumerate(game.positions):
        made = {position.rules.arrangement(position.board), *(made if position.nocapture or not number else ())}
        assert position.past_arrangements() == made
        assert sum(map(len, position.past)) == len(made)
        assert len(position.past) <= len(made).bit_length()


def test_positions_with_other_moves_differ() -> None:
    game = Game("ludii-falkener")
    for _ in range(2):
        game.push(next(move for move in game.legal_moves() if game.position.after(move).nocapture))
    game.push(str(game.moves[0])[2:] + str(game.moves[0])[:2])
    position, alone = game.position, Position.from_fen("ludii-falkener", game.position.fen())
    assert len(alone.legal_moves()) == len(position.legal_moves()) + 1
    assert position != alone
    twin = game.start
    for move in game.moves:
        twin = twin.play(move)
    assert (position, hash(position)) == (twin, hash(twin))


def test_a_move_back_is_illegal_when_the_other_player_has_gone_back_too() -> None:
    game = Game(Position.from_fen(QUINTANA, "8/8/8/8/8/8/s1s5/S1s4s w 0 1"))
    play(game, ["a1b1", "h1g1", "b1a1", "g1f1", "a1b1", "f1f2", "b1b2", "f2f1"])
    assert "b2b1" not in map(str, game.legal_moves())
    assert "b2b1" in map(str, Position.from_fen(QUINTANA, game.position.fen()).legal_moves())
    with pytest.raises(IllegalMoveError):
        game.push("b2b1")


def test_a_pass_keeps_what_must_not_occur_again() -> None:
    game = Game(Position.from_fen(QUINTANA, "8/8/8/8/8/8/s1s5/S1s4s w 0 1"))
    play(game, ["a1b1", "h1g1", "b1a1", "g1f1", "a1b1", "f1f2", "b1b2"])
    passed = game.position.passed()
    assert passed is not None
    assert "b2b1" not in passed.legal_moves()
    assert "b2b1" in Position.from_fen(QUINTANA, passed.fen()).legal_moves()
    assert passed.passed() == game.position


# ---------------------------------------------------------------- passes


def test_a_pass_is_the_only_move_of_a_player_without_another() -> None:
    position = Position.from_fen(QUINTANA, LOCKED)
    assert [str(move) for move in position.legal_moves()] == ["pass"]
    assert position.perft(1) == position.perft(3) == 1
    assert position.play("pass").fen() == LOCKED.replace(" w 0 1", " b 1 1")
    assert position.captures("pass") == []


def test_two_passes_are_a_draw() -> None:
    game = Game(Position.from_fen(QUINTANA, LOCKED))
    play(game, ["pass", "pass"])
    result = game.outcome()
    assert result is not None
    assert (result.name, result.termination) == ("draw", Termination.NO_MOVE)
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
    for name in ("ludii-kowalski-12x8", "ludii-piso"):
        assert not Position.start(ludii_variants()[name]).rules.passes
