"""Positions and games are values: comparable, hashable, and changed by nothing but `Game.push`."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import cases
from latrones_uci.game import FenError, Game, IllegalMoveError, Outcome, Position, Termination

FEN = "dS3/5/5/S1D2/4s w 9 30"
ATTRIBUTES = ["ruleset", "geometry", "side", "nocapture", "movenumber", "key", "repetition_key", "hand"]


def test_equality_and_hash() -> None:
    position, twin = cases.position("latrones", FEN), cases.position("latrones", FEN)
    assert position == twin
    assert hash(position) == hash(twin)
    assert position != FEN
    for other in (
        FEN.replace("w", "b"), FEN.replace("9", "8"), FEN.replace("30", "31"), FEN.replace("4s", "3s1"),
        FEN.replace("dS", "sS"), "dS4/6/6/S1D3/4s1 w 9 30",
    ):
        assert position != cases.position("latrones", other), other
    assert len({cases.position(variant, FEN) for variant in cases.DUX_GAMES}) == len(cases.DUX_GAMES)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_no_method_changes_a_position(variant: str) -> None:
    fen = cases.MIDGAMES[variant]
    position, twin = cases.position(variant, fen), cases.position(variant, fen)
    before = hash(position)
    for attribute in ATTRIBUTES:
        with pytest.raises(AttributeError):
            setattr(position, attribute, getattr(position, attribute))
    for move in position.legal_moves():
        position.play(move)
        position.captures(move)
        position.parse_move(str(move))
    position.legal_moves().clear()
    position.hand.clear()
    position.outcome()
    position.perft(3)
    position.divide(2).clear()
    position.diagram()
    with pytest.raises(IllegalMoveError):
        position.parse_move("a1a1")
    assert (position, hash(position), position.fen()) == (twin, before, fen)
    assert position.legal_moves() == twin.legal_moves() != []
    start = Position.start(variant)
    start.hand["S"] = 99
    assert start == Position.start(variant)
    assert start.hand == Position.start(variant).hand


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_moves_of_the_other_side_are_illegal(variant: str) -> None:
    position = cases.position(variant, cases.MIDGAMES[variant])
    after = position.play(position.legal_moves()[0])
    refused = set(position.legal_moves()) - set(after.legal_moves())
    assert refused
    for move in refused:
        with pytest.raises(IllegalMoveError) as caught:
            after.play(move)
        assert move in str(caught.value)
        with pytest.raises(IllegalMoveError):
            after.captures(move)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_a_pass_gives_the_turn_to_the_other_player(variant: str) -> None:
    position = cases.position(variant, cases.MIDGAMES[variant])
    board, side, *counters = position.fen().split()
    try:
        turned = Position.from_fen(variant, " ".join([board, "b" if side == "w" else "w", *counters]))
    except FenError:
        assert position.passed() is None
    else:
        passed = position.passed()
        assert passed == turned
        assert passed is not None
        assert (passed.key, passed.passed()) == (turned.key, position)


def test_different_positions_have_different_keys() -> None:
    """And the same position has the same key in any order of moves."""
    start = cases.position("latrones", cases.START_8X8)
    seen = {}
    for first in start.legal_moves():
        for second in start.play(first).legal_moves():
            position = start.play(first).play(second)
            assert 0 <= position.key < 2**64
            assert seen.setdefault(position.key, position.repetition_key) == position.repetition_key
    assert len(set(seen.values())) == len(seen)
    ends = [Game(start), Game(start)]
    for game, line in zip(ends, ("a1a3 h8h6 c1c4 b8b7", "c1c4 b8b7 a1a3 h8h6"), strict=True):
        for text in line.split():
            game.push(text)
    assert ends[0].position == ends[1].position == Position.from_fen("latrones", ends[0].position.fen())
    assert ends[0].position.key == ends[1].position.key == Position.from_fen("latrones", ends[0].position.fen()).key


@pytest.mark.parametrize(("variant", "fen", "letters"), [
    ("latrones", "4d/2s2/S4/4s/D4 w 0 1", "dsSsD"), ("schaedler", "3b1/2s2/S4/B4/5[-] w 0 1", "bsSB"),
])
def test_diagram_shows_every_piece(variant: str, fen: str, letters: str) -> None:
    diagram = cases.position(variant, fen).diagram()
    rows = [line for line in diagram.splitlines() if line.split() and line.split()[0].isdigit()]
    assert [row.split()[0] for row in rows] == ["5", "4", "3", "2", "1"]
    assert [letter for row in rows for letter in row if letter in "SsDdBb"] == list(letters)


@pytest.mark.parametrize("variant", [*cases.VARIANTS, "ludii-schadler-1994"])
def test_pickles_are_small_and_share_the_compiled_rules(variant: str) -> None:
    position = Position.start(variant)
    position = position.play(position.legal_moves()[0])
    data = pickle.dumps(position)
    assert len(data) < 1000
    restored = pickle.loads(data)
    assert (restored, restored.past_arrangements()) == (position, position.past_arrangements())
    assert restored.rules is position.rules
    assert copy.copy(position) is copy.deepcopy([position])[0] is position
    for value in (position.legal_moves()[0], position.ruleset, Outcome(Termination.DECIDED, 1, "dux captured")):
        assert pickled(value) == value


def test_a_pickle_keeps_a_changed_ruleset_of_a_built_in_name() -> None:
    changed = dataclasses.replace(Position.start("latrones").ruleset, nocapture_limit=7)
    assert pickled(Position.start(changed)).ruleset == changed


# ---------------------------------------------------------------- games


@pytest.fixture
def game() -> Game:
    game = Game(cases.position("latrones", cases.START_8X8))
    for text in ("a1a3", "h8h6", "b1b3"):
        game.push(text)
    return game


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_a_game_keeps_its_positions_and_moves(game: Game) -> None:
    assert (game.start, game.position) == (game.positions[0], game.positions[-1])
    assert len(game.positions) == len(game.moves) + 1 == 4
    for before, move, after in zip(game.positions, game.moves, game.positions[1:], strict=False):
        assert before.play(move) == after
    assert game.position.fen() == "sssssss1/3d4/7s/8/8/SS6/4D3/2SSSSSS b 3 2"
    positions, moves = game.positions, game.moves
    with pytest.raises(IllegalMoveError):
        game.push(game.moves[-1])  # White's move, but Black is to move
    assert (game.positions, game.moves, game.outcome()) == (positions, moves, None)


def test_only_push_and_pop_change_a_game(game: Game) -> None:
    position, moves = game.position, game.moves
    with pytest.raises(AttributeError):
        game.moves.append(moves[0])  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        game.moves = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        game.positions.clear()  # type: ignore[attr-defined]
    assert (game.position, game.moves, game.positions[0]) == (position, moves, game.start)


@pytest.mark.parametrize("copied", [Game.copy, copy.copy, copy.deepcopy, pickled])
def test_copies_are_independent_and_equal(game: Game, copied: Callable[[Game], Game]) -> None:
    twin = copied(game)
    assert twin == game
    twin.push(twin.legal_moves()[0])
    assert (len(twin.moves), len(game.moves)) == (4, 3)
    assert twin.positions[:-1] == game.positions
    game.push(game.legal_moves()[-1])
    assert twin.position != game.position
    assert twin != game
    assert game != Game(game.position)


def test_copies_remember_occurrences(game: Game) -> None:
    shuttle = ["h6h7", "c1c2", "h7h6", "c2c1"]
    for text in shuttle:
        game.push(text)
    twin = game.copy()
    for text in shuttle:
        twin.push(text)
    assert game.outcome() is None
    for text in shuttle:
        game.push(text)
    assert game.outcome() == twin.outcome() is not None


def test_one_side_can_move_twice() -> None:
    game = Game(cases.position("bell", "6/6/6/6/6/6[2S1D2s1d] w 0 1"))
    for text in ("S@a1", "S@b1", "S@a6", "S@b6", "D@c1", "D@c6", "c1d1"):
        game.push(text)
    assert [(position.side, position.movenumber, position.nocapture) for position in game.positions] == [
        (0, 1, 0), (0, 1, 0), (1, 1, 0), (1, 1, 0), (0, 2, 0), (1, 2, 0), (0, 3, 0), (1, 3, 1),
    ]
    assert game.position.fen() == "ssd3/6/6/6/6/SS1D2[-] b 1 3"
    assert game.copy().positions == game.positions
