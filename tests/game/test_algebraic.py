"""Moves in the notation for people, which is that of Latrunculi XXI, written and read."""

from __future__ import annotations

import re
from random import Random

import pytest

from cases import VARIANTS
from latrones_uci.game import Game, IllegalMoveError, LatronesError, MalformedMoveError, Position

CASES = [
    # Diagram 7 of the author's page.
    ("latrunculi-xxi", "4s5/10/7d2/10/10/10/2D7/8S1 w 0 1", "i1i6", "i1-i6*"),
    ("latrunculi-xxi", "2s1s5/10/10/10/1S1S6/10/5D4/9d b 0 1", "c8c4", "c8-c4"),
    # The author's moves with captures, in positions of ours.
    ("latrunculi-xxi", "9d/10/10/1Ss7/10/10/10/3S1D2s1 w 0 1", "d1d5", "d1-d5xc5"),
    ("latrunculi-xxi", "8S1/8s1/4D5/10/10/10/10/d8s w 0 1", "e6i6", "De6-i6xi7"),
    ("petteia-xxi", "ss6/8/3S4/7s/7S/8/8/8 w 0 25", "d6h6", "d6-h6xh5"),
    # Signs: a threat without a hit, with one, and a hit that leaves two open sides.
    ("latrunculi-xxi", "dS8/10/10/10/10/10/8D1/2S6s w 0 1", "c1c7", "c1-c7+"),
    ("latrunculi-xxi", "9s/4d5/3S6/4S5/10/10/10/S2S1D4 w 0 1", "d6d7", "d6-d7*"),
    ("latrunculi-xxi", "4d4s/4S5/10/10/10/10/10/D2S6 w 0 1", "d1d8", "d1-d8(+)"),
    ("latrunculi-classical", "4d4s/4S5/10/10/10/5S4/10/3S1D4 w 0 1", "d1d8", "d1-d8+"),
    ("latrunculi-classical", "4ds4/4S5/3S6/10/10/10/10/3D6 w 0 1", "d6d8", "d6-d8#"),
    ("latrunculi-xxi", "5d4/4S5/10/10/10/10/10/3D4s1 w 0 1", "e7e8", "e7-e8(+)"),
    ("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1", "c6c8", "c6-c8xDd8#"),
    # A soldier that locks another one has no sign.
    ("latrunculi-xxi", "2S2d4/10/10/1s8/10/10/10/5D2s1 w 0 1", "c8c5", "c8-c5"),
    # Where a dux cannot be shut in, only hits are written; without a dux, only what decides the game.
    ("bell", "8/8/3d4/8/3S4/6s1/s2D4[-] w 0 17", "d3d4", "d3-d4*"),
    ("petteia-xxi", "7s/8/8/1Ss5/8/8/8/3S4 w 0 1", "d1d5", "d1-d5xc5#"),
    # A player left without a legal move loses.
    ("ludii-kowalski-12x8", "s11/SS10/12/12/12/D11/12/11d w 0 1", "b7b8", "b7-b8xa8"),
    ("latrones", "", "e2e5", "De2-e5"),
    ("bell", "", "S@a1", "@a1"),
    ("bell", "8/8/8/8/8/8/8[1D1d] w 0 17", "D@a1", "D@a1"),
    ("schaedler", "8/8/8/8/1SbS4/6ss/8/8[-] w 0 1", "xc4", "xc4"),
    ("schaedler", "8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1", "c3e3e1", "c3-e3-e1"),
]


def position_of(variant: str, fen: str) -> Position:
    return Position.from_fen(variant, fen) if fen else Position.start(variant)


@pytest.mark.parametrize(("variant", "fen", "move", "written"), CASES)
def test_written_and_read(variant: str, fen: str, move: str, written: str) -> None:
    position = position_of(variant, fen)
    assert position.algebraic(move) == position.algebraic(position.parse_move(move)) == written
    bare = re.sub(r"[#+*]$|\(\+\)$", "", written)
    for text in (written, move, bare, f"{bare}+", f"{bare}(+)", bare.replace("x", " x "), re.sub("^D(?!@)", "", bare)):
        assert str(position.parse_algebraic(text)) == move


def test_captures_may_be_left_out_but_not_wrong() -> None:
    position = Position.from_fen("latrunculi-xxi", "9d/10/10/1Ss7/10/10/10/3S1D2s1 w 0 1")
    assert str(position.parse_algebraic("d1-d5")) == "d1d5"
    for text, words in (("d1-d5xc4", "wrong captures"), ("d1-d4xc4", "wrong captures"), ("d1-d5xc5xd6", "captures"),
                        ("d1-d5xDc5", "wrong captures"), ("Dd1-d5xc5", "wrong piece"), ("Dd1-d5", "wrong piece")):
        with pytest.raises(IllegalMoveError) as raised:
            position.parse_algebraic(text)
        assert str(raised.value).startswith(f"move '{text}': ")
        assert words in str(raised.value)
        assert str(raised.value).endswith("; expected 'd1-d4'" if "d4x" in text else "; expected 'd1-d5xc5'")


@pytest.mark.parametrize("text", ["", "d1", "d1-", "-d1-d5", "d1-d5x", "d1-d5++", "d1--d5", "Xd1-d5", "d1-d5xc5d5",
                                  "(+)", "\uff44\uff11-d5"])
def test_malformed_text_is_quoted(text: str) -> None:
    with pytest.raises(MalformedMoveError, match=re.escape(f"move {text!r}: malformed; expected")):
        Position.start("latrones").parse_algebraic(text)


def test_illegal_moves_are_quoted_as_they_are_written() -> None:
    for text in ("d1-d9", "d1-e2", "@d4", "xd5", "d1-d3-d5"):
        with pytest.raises(IllegalMoveError, match=re.escape(f"move '{text}'")):
            Position.start("latrones").parse_algebraic(text)
    with pytest.raises(TypeError):
        Position.start("latrones").parse_algebraic(1)  # type: ignore[arg-type]


def test_parse_move_reads_the_protocol_only() -> None:
    """Engines are judged by it."""
    with pytest.raises(MalformedMoveError):
        Position.start("latrones").parse_move("d1-d5")


def threatened(before: Position, after: Position) -> bool:
    """Return whether the side that moved could shut in the dux if the other one passed, by the rules alone."""
    passed = after.passed()
    if passed is None or not after.ruleset.dux_needs_open_side or after.outcome() is not None:
        return False
    wins = (child.decided() for _, child in passed.children())
    return any(won is not None and won.winner == before.side and "dux" in won.details for won in wins)


@pytest.mark.slow
@pytest.mark.parametrize("variant", [*VARIANTS, "ludii-kowalski-12x8", "ludii-piso"])
def test_every_move_is_read_back_and_its_threat_is_one(variant: str) -> None:
    checks = 0
    for seed in range(6):
        game, chance = Game(Position.start(variant)), Random(seed)
        while game.outcome() is None and len(game.moves) < 150:
            before = game.position
            game.push(chance.choice(before.legal_moves()))
            written = before.algebraic(game.moves[-1])
            assert before.parse_algebraic(written) == game.moves[-1]
            if not written.endswith("#") and before.side != game.position.side:
                assert (written[-1] == "+") == threatened(before, game.position), (before.fen(), written)
                checks += written[-1] == "+"
    assert checks or not Position.start(variant).ruleset.dux_needs_open_side


def test_the_error_is_one_of_the_library() -> None:
    assert issubclass(MalformedMoveError, LatronesError)
