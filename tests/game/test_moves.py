"""A ``Move`` is its text, on every board, wherever a move is taken."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable

import pytest

import cases
from latrones_uci import Game, IllegalMoveError, Move, PgnMove, Position, Score, SearchInfo, draw_board
from latrones_uci.client.arguments import checked_root_moves

START = Position.start("latrones")
ALLIGATI = cases.ruleset("alligati")
WIDE = Position.start("latrones", board="12x8")
NOT_ANY_MOVE = {"integer": 3340, "bool": True, "none": None, "bytes": b"d1d5", "list": ["d1d5"]}

TAKING: dict[str, Callable[[Position, str], object]] = {
    "play": lambda position, move: position.play(move).fen(),
    "is_legal": lambda position, move: position.is_legal(move),
    "captures": lambda position, move: position.captures(move),
    "parse_move": lambda position, move: position.parse_move(move),
    "algebraic": lambda position, move: position.algebraic(move),
    "after": lambda position, move: position.after(move).fen(),  # type: ignore[arg-type]
    "Game.push": lambda position, move: played(position, move),
    "Game.is_legal": lambda position, move: Game(position).is_legal(move),
    "root_moves": lambda position, move: checked_root_moves(position, [move]),
    "last_move": lambda position, move: draw_board(position, last_move=move),
    "arrows": lambda position, move: draw_board(position, arrows=[move]),
}
"""Everything that takes a move of a position."""


def played(position: Position, move: str) -> tuple[str, ...]:
    game = Game(position)
    game.push(move)
    return (*game.moves, game.position.fen())


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
def test_a_move_of_another_board_means_the_squares_in_its_text(take: Callable[[Position, str], object]) -> None:
    for text in ("a1a3", "h1h2", "d1d5"):
        foreign = WIDE.parse_move(text)
        assert take(START, foreign) == take(START, text) == take(START, START.parse_move(text))


@pytest.mark.parametrize("take", [take for name, take in TAKING.items() if "is_legal" not in name])
def test_a_move_of_another_board_that_this_one_does_not_have_is_refused(
    take: Callable[[Position, str], object]
) -> None:
    with pytest.raises(IllegalMoveError, match="move 'l1l2': l1 is not on the 8x8 board"):
        take(START, WIDE.parse_move("l1l2"))
    assert not START.is_legal(WIDE.parse_move("l1l2"))


@pytest.mark.parametrize("given", NOT_ANY_MOVE.values(), ids=NOT_ANY_MOVE)
@pytest.mark.parametrize("take", [take for name, take in TAKING.items() if name not in ("after", "last_move")])
def test_what_is_neither_a_move_nor_a_text_is_refused(
    take: Callable[[Position, str], object], given: str
) -> None:
    with pytest.raises(TypeError, match="expected a Move, or its text such as 'd1d5'|expected a string"):
        take(START, given)


@pytest.mark.parametrize("given", [given for given in NOT_ANY_MOVE.values() if given is not None])
def test_a_picture_refuses_what_is_not_a_move(given: str) -> None:
    with pytest.raises(TypeError, match="expected a Move, or its text"):
        draw_board(START, last_move=given)


def test_a_picture_takes_squares_by_name_or_number() -> None:
    assert draw_board(START, ringed=["e2"], captured=["d7"]) == draw_board(START, ringed=[12], captured=[51])


def test_arrows_are_several_moves() -> None:
    with pytest.raises(TypeError, match=r"expected several moves, such as \['d1d5'\]"):
        draw_board(START, arrows="d1d5")


def test_moves_and_their_texts_are_equal() -> None:
    move, foreign = START.parse_move("d1d5"), WIDE.parse_move("d1d5")
    assert move == foreign == "d1d5"
    assert len({move, foreign, "d1d5"}) == 1
    assert "d1d5" in START.legal_moves()
    assert foreign in START.legal_moves()
    assert move != WIDE.parse_move("d1d4")
    assert START.legal_moves().index("d1d5") == START.legal_moves().index(move)  # type: ignore[arg-type]
    assert {move: 1}["d1d5"] == 1  # type: ignore[index]


@pytest.mark.parametrize("position", [
    START, WIDE, Position.from_fen("bell", "8/8/8/8/8/8/8/8[2SD2sd] w 0 1"),
    Position.from_fen(ALLIGATI, "d9/10/10/10/2DbS5/10/10/S9 w 0 1"),
], ids=["8x8", "12x8", "placements", "kills"])
def test_a_move_keeps_its_integer_in_every_copy(position: Position) -> None:
    moves = position.legal_moves()
    assert [move.packed for move in moves] == list(position.packed_moves)
    for move in moves:
        copies = [copy.copy(move), copy.deepcopy(move), *(pickle.loads(pickle.dumps(move, protocol))
                  for protocol in range(pickle.HIGHEST_PROTOCOL + 1))]
        for same in copies:
            assert (type(same), same, same.packed, same.files) == (Move, move, move.packed, position.geometry.files)
            assert position.play(same) == position.play(str(move))


def test_a_move_is_shown_as_its_text() -> None:
    move = START.parse_move("d1d5")
    assert (str(move), f"{move:>6}", repr(move), json.dumps([move])) == ("d1d5", "  d1d5", "'d1d5'", '["d1d5"]')
    assert type(str(move)) is str
    assert eval(repr(START.legal_moves())) == START.legal_moves()


def test_a_position_is_shown_as_the_call_that_makes_it() -> None:
    assert repr(START) == "Position.from_fen('latrones', 'ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1')"
    assert eval(repr(WIDE)) == WIDE
    assert repr(Position.from_fen(ALLIGATI, "d9/10/10/10/2DbS5/10/10/S9 w 0 1")) == (
        "<Position of alligati: d9/10/10/10/2DbS5/10/10/S9 w 0 1>")


def test_lines_and_moves_fit_together() -> None:
    """The texts of a search, of a file and of a position are the same values."""
    move = START.legal_moves()[0]
    info = SearchInfo(score=Score(3), pv=(move, "d8d6"))
    assert info.pv[0] == move
    assert info == SearchInfo(score=Score(3), pv=(str(move), "d8d6"))
    assert "<path" in draw_board(START.play(move), last_move=info.pv[0])
    assert PgnMove(move) == PgnMove(str(move))


def test_the_game_keeps_moves_of_its_own_board() -> None:
    game = Game("latrones")
    game.push(WIDE.parse_move("a1a3"))
    (move,) = game.moves
    assert (move, move.files, move.squares) == ("a1a3", 8, (0, 16))
