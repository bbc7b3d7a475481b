"""Why a move is not legal: the reasons that the page shows."""

from __future__ import annotations

import random

import pytest

from cases import VARIANTS
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.words.reasons import reason_against

# The variant, a position ("" for the start), the squares pressed, and the reason.
HELD = "5d4/10/10/2Ss6/10/10/10/4D5 w 0 1"
BINDING = "8/8/8/8/1SbS4/6ss/8/8[-] w 0 1"
IN_REACH = "The white soldier on c5 is held by d5 and may only capture or step next to the enemy dux."
SHUT_IN = "This would shut in the white dux: no square next to it would be empty."
CASES = [
    ("latrones", "", "a1 b4", "A soldier moves along a rank or file, and b4 is on neither."),
    ("latrones", "", "a1 a8", "Square a8 is occupied; a piece is captured by surrounding it, not by moving onto it."),
    ("latrones", "", "a1 b1", "Square b1 is occupied by a piece of the same side."),
    ("latrones", "", "e1 e3", "The white dux on e2 is in the way."),
    ("latrones", "", "e1", "The white soldier on e1 is blocked: there is no square that it can go to."),
    ("latrones", "", "d4", "Square d4 is empty; choose a piece of White first."),
    ("latrones", "", "a8", "It is White's turn, and the black soldier on a8 is Black's."),
    ("latrones", "3d4/7s/8/8/8/8/2S5/DS6 w 0 1", "c2 a2", SHUT_IN),
    ("latrones", "3d4/7s/8/8/8/8/S7/D1S5 w 0 1", "c1 b1", SHUT_IN),
    ("latrones", "3d4/7s/8/8/8/S7/1Ds5/8 w 0 1", "b2 d2",
     "The white dux on b2 may jump only if it captures where it lands."),
    ("latrunculi-xxi", HELD, "c5", IN_REACH),
    ("latrunculi-xxi", HELD, "c5 c4", IN_REACH),
    ("petteia-xxi", "8/8/8/2Ss4/3s4/S7/s7/8 w 0 1", "c5 c7",
     "The white soldier on c5 is held by d5 and may only capture."),
    ("latrunculi-xxi", "5d4/10/10/10/10/10/4Ds4/4sS4 w 0 1", "e2 a2",
     "The white dux on e2 is next to an enemy with 2 of its 4 sides covered, and may only capture or step next to the"
     " enemy dux."),
    ("schaedler", BINDING, "g3", "The black soldier on g3 is not bound, and only bound soldiers are captured."),
    ("schaedler", "8/8/8/8/1sBs4/6SS/8/8[-] w 0 1", "c4",
     "The white bound soldier on c4 cannot move: b4 and d4 bind it."),
    ("schaedler", BINDING, "b4 b7",
     "A soldier moves one square along a rank or file, or jumps over an adjacent enemy to the empty square behind it;"
     " b7 is out of its reach."),
    ("bell", "8/8/8/8/8/8/S7[14S16s1D1d] b 0 1", "a1",
     "Square a1 is occupied; place a soldier on an empty square."),
    ("rota", "sS1/ssS/S2[-] w 0 4", "a1 c1", "Squares a1 and c1 are not connected by a line of the wheel."),
    ("rota", "sS1/ssS/S2[-] w 0 4", "a1 a2", "Square a2 is occupied, and nothing is captured in this game."),
]


@pytest.mark.parametrize(("variant", "fen", "pressed", "reason"), CASES)
def test_reasons(variant: str, fen: str, pressed: str, reason: str) -> None:
    position = Position.from_fen(variant, fen) if fen else Position.start(variant)
    *origin, target = map(position.geometry.parse_square, pressed.split())
    assert reason_against(position, origin[0] if origin else None, target) == reason


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_impossible_press_has_a_reason_that_names_no_other_square(variant: str) -> None:
    """Press squares in positions of a random game: the reason is one sentence, about these squares."""
    chance, game = random.Random(variant), Game(find_variant(variant))
    for ply in range(40):
        if game.outcome() is not None:
            break
        position, legal = game.position, game.legal_moves()
        game.push(chance.choice(legal))
        if ply % 5:
            continue
        squares = range(position.geometry.squares)
        starts = {move.squares[0] for move in legal if move.squares}
        for target in chance.sample(squares, min(6, len(squares))):
            if target not in starts:
                reason = reason_against(position, None, target)
                assert reason.endswith(".")
                assert reason[0].isupper()
        ends = {(move.squares[0], square) for move in legal if len(move.squares) > 1 for square in move.squares}
        for origin in () if position.hand else chance.sample(sorted(starts), min(2, len(starts))):
            for target in chance.sample(squares, min(6, len(squares))):
                if (origin, target) not in ends and origin != target:
                    assert " now." not in reason_against(position, origin, target), (position.fen(), origin, target)
