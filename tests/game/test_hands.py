"""Hands in FENs: reading, writing, and impossible hands."""

import re

import pytest

import cases
import naive
from grouped import grouped, product
from latrones_uci.game import FenError, Position, find_variant
from strategies import placing_moments

EMPTY = {"schaedler": "4/4/4/4", "bell": "6/6/6/6/6/6", "rota": "3/3/3"}

# Malformed in any variant.
BAD_FORMS = {
    "no hand": ("", "hand"),
    "nothing": ("[]", "hand"),
    "not closed": ("[1S1s", "hand"),
    "not opened": ("1S1s]", "hand|'\\]'"),
    "closed twice": ("[1S1s]]", "hand"),
    "opened twice": ("[[1S1s]", "hand"),
    "two hands": ("[1S][1s]", "hand"),
    "round brackets": ("(1S1s)", "'\\('|hand"),
    "letter twice": ("[1S1S1s]", "duplicate S"),
    "letter twice, apart": ("[s1S1s]", "duplicate s"),
    "count of zero": ("[0S1s]", "0"),
    "only zero": ("[0S0s]", "0"),
    "leading zero": ("[01S1s]", "01"),
    "leading zero of many": ("[1S0000001s]", "0000001"),
    "count without letter": ("[1S1]", "hand"),
    "count alone": ("[2]", "hand"),
    "minus": ("[-1S1s]", "hand"),
    "plus": ("[+1S1s]", "hand|'\\+'"),
    "dash after pieces": ("[1S1s-]", "hand|'-'"),
    "two dashes": ("[--]", "hand|'-'"),
    "comma": ("[1S,1s]", "hand|','"),
    "slash": ("[1S/1s]", "hand|'/'"),
    "arabic digit": ("[\u0661S1s]", "hand|\u0661"),
    "full-width letter": ("[1\uff331s]", "hand|\uff33"),
    "other letter": ("[1S1s1x]", "x"),
    "mark": ("[1S1s1B]", "B"),
    "white space": ("[1S 1s]", "field|hand"),
    "white space before": (" [1S1s]", "field|hand"),
}

BAD_HANDS = [
    # more than at the start, or not in this variant
    ("schaedler", "4/4/4/4[9S8s] w", "9|more"),
    ("schaedler", "4/4/4/4[8S9s] w", "9|more"),
    ("schaedler", f"4/4/4/4[{'9' * 300}S8s] w", "more|hand"),
    ("schaedler", "4/4/4/4[8S8s1D] w", "D|dux"),
    ("schaedler", "4/4/4/4[1d] w", "d|dux"),
    ("bell", "6/6/6/6/6/6[17S1D16s1d] w", "17|more"),
    ("bell", "6/6/6/6/6/6[16S2D16s1d] w", "D|dux"),
    ("bell", "6/6/6/6/6/6[2D1d] w", "D|dux"),
    ("rota", "3/3/3[4S4s] w", "4|more"),
    ("rota", "3/3/3[3S3s1D] w", "D|dux"),
    # marks during placement
    ("schaedler", "B3/4/4/4[7S7s] w", "bound|mark|B"),
    ("schaedler", "b3/4/4/4[1s] b", "bound|mark|b"),
    # a dux on the board and another in hand
    ("bell", "6/6/6/6/6/D5[1D1d] w", "D|dux|White"),
    ("bell", "6/6/6/6/6/Dd4[1d] b", "d|dux|Black"),
    # the side to move
    ("schaedler", "4/4/4/4[8S8s] b", "side|order"),
    ("schaedler", "4/4/4/4[7S8s] w", "side|order"),
    ("schaedler", "4/4/4/4[1s] w", "side|order"),
    ("bell", "6/6/6/6/6/6[16S1D16s1d] b", "side|order"),
    ("bell", "6/6/6/6/6/6[15S1D16s1d] b", "side|order"),
    ("bell", "6/6/6/6/6/6[14S1D16s1d] w", "side|order"),
    ("bell", "6/6/6/6/6/6[14S1D15s1d] w", "side|order"),
    ("bell", "6/6/6/6/6/6[2s] w", "side|order"),
    ("bell", "6/6/6/6/6/6[1D1d] b", "side|order|before"),
    ("bell", "6/6/6/6/6/D5[1d] w", "to move"),
    ("rota", "3/3/3[3S3s] b", "side|order"),
    ("rota", "3/3/3[2S2s] b", "side|order"),
    ("rota", "3/3/3[2S3s] w", "side|order"),
    # the order of placement
    ("schaedler", "4/4/4/4[8S7s] w", "order"),
    ("schaedler", "4/4/4/4[8S7s] b", "order"),
    ("schaedler", "4/4/4/4[6S8s] b", "order"),
    ("schaedler", "4/4/4/4[8S] w", "order"),
    ("schaedler", "4/4/4/4[1S] w", "order"),
    ("bell", "6/6/6/6/6/6[15S1D15s1d] w", "order"),
    ("bell", "6/6/6/6/6/6[13S1D16s1d] w", "order"),
    ("bell", "6/6/6/6/6/6[16S1D14s1d] w", "order"),
    ("bell", "6/6/6/6/6/D5[2S2s1d] w", "order|before|dux"),
    ("bell", "6/6/6/6/6/d5[2S1D2s] w", "order|before|dux"),
    ("bell", "6/6/6/6/6/d5[1D] w", "order|before"),
    ("bell", "6/6/6/6/6/d5[1D] b", "order|before|side"),
    ("rota", "3/3/3[3S2s] w", "order"),
    ("rota", "3/3/3[1S3s] b", "order"),
]


def rejection(variant: str, fen: str) -> str:
    with pytest.raises(FenError) as caught:
        Position.from_fen(find_variant(variant), fen)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 1_000
    return message


@grouped("variant, what", product(EMPTY, BAD_FORMS))
def test_malformed(variant: str, what: str) -> None:
    hand, words = BAD_FORMS[what]
    for rest in (" w", " w 0 1"):
        fen = EMPTY[variant] + hand + rest
        assert re.search(words, rejection(variant, fen).replace(fen, "", 1))


@grouped("variant, fen, words", BAD_HANDS)
def test_impossible_hands(variant: str, fen: str, words: str) -> None:
    assert re.search(words, rejection(variant, fen).replace(fen, "", 1))


@grouped(
    "variant, text, fen",
    [
        ("schaedler", "4/4/4/4[8s8S] w", "4/4/4/4[8S8s] w 0 1"),
        ("schaedler", "4/4/4/4[sS] w 7 9", "4/4/4/4[1S1s] w 7 9"),
        ("schaedler", "ssss/4/4/SSSS[s] b", "ssss/4/4/SSSS[1s] b 0 1"),
        ("schaedler", "ssss/ssss/ssss/SSSS[7S8s] b", "ssss/ssss/ssss/SSSS[7S8s] b 0 1"),
        ("schaedler", "ssss/4/4/SSSS[-] b", "ssss/4/4/SSSS[-] b 0 1"),
        ("schaedler", "BbBb/bBbB/4/4[-] b", "BbBb/bBbB/4/4[-] b 0 1"),
        ("bell", "6/6/6/6/6/6[d16sD16S] w", "6/6/6/6/6/6[16S1D16s1d] w 0 1"),
        ("bell", "6/6/6/6/6/6[15S1D16s1d] w", "6/6/6/6/6/6[15S1D16s1d] w 0 1"),
        ("bell", "6/6/6/6/6/6[d14SD15s] b", "6/6/6/6/6/6[14S1D15s1d] b 0 1"),
        ("bell", "6/6/6/6/6/6[dD] w", "6/6/6/6/6/6[1D1d] w 0 1"),
        ("bell", "6/6/6/6/6/5D[d] b", "6/6/6/6/6/5D[1d] b 0 1"),
        # A dux can be missing both on the board and in hand.
        ("bell", "6/6/6/6/6/6[2S2s] w", "6/6/6/6/6/6[2S2s] w 0 1"),
        ("bell", "6/6/6/6/6/6[16SD16s] w", "6/6/6/6/6/6[16S1D16s] w 0 1"),
        ("bell", "6/6/6/6/6/6[D] w", "6/6/6/6/6/6[1D] w 0 1"),
        ("bell", "6/6/6/6/6/6[d] b", "6/6/6/6/6/6[1d] b 0 1"),
        ("bell", "6/6/6/6/6/6[d] w", "6/6/6/6/6/6[1d] w 0 1"),
        ("bell", "6/6/6/6/6/5D[-] b", "6/6/6/6/6/5D[-] b 0 1"),
        ("rota", "3/3/3[3s3S] w", "3/3/3[3S3s] w 0 1"),
        ("rota", "sss/3/SSS[Ss] w", "sss/3/SSS[1S1s] w 0 1"),
        ("rota", "sss/sss/sss[s] b", "sss/sss/sss[1s] b 0 1"),
    ],
)
def test_accepted(variant: str, text: str, fen: str) -> None:
    position = cases.position(variant, text)
    assert position.fen() == fen
    assert cases.position(variant, fen) == position
    assert position.hand == naive.parse(fen).hand


@pytest.mark.parametrize("variant", cases.PLACEMENT_GAMES)
def test_every_point_of_the_placement_can_be_set_up(variant: str) -> None:
    moments = list(placing_moments(naive.GAMES[variant]))
    assert len(moments) == {"schaedler": 16, "bell": 34, "rota": 6}[variant]
    for hand, side in moments:
        position = cases.position(variant, f"{EMPTY[variant]}{naive.board.render_hand(hand)} {side} 0 1")
        assert position.hand == hand
        assert "wb"[position.side] == side
        expected = naive.GAMES[variant].moves(naive.parse(position.fen()))
        assert sorted(map(position.move_text, position.legal_moves())) == list(expected)


@pytest.mark.parametrize("variant", cases.PLACEMENT_GAMES)
def test_no_other_soldiers_in_hand_can_be_set_up(variant: str) -> None:
    most = {"schaedler": 8, "bell": 16, "rota": 3}[variant]
    good = {(hand.get("S", 0), hand.get("s", 0), side) for hand, side in placing_moments(naive.GAMES[variant])}
    for white in range(most + 2):
        for black in range(most + 2):
            for side in "wb" if white + black else "":
                hand = f"{white}S" * (white > 0) + f"{black}s" * (black > 0)
                fen = f"{EMPTY[variant]}[{hand}] {side} 0 1"
                if (white, black, side) in good:
                    cases.position(variant, fen)
                else:
                    rejection(variant, fen)


@pytest.mark.parametrize("variant", sorted(set(cases.VARIANTS) - set(cases.PLACEMENT_GAMES)))
def test_variants_without_placement_have_no_hand(variant: str) -> None:
    position = Position.start(find_variant(variant))
    assert position.hand == {}
    assert "[" not in position.fen()


def test_repetition_distinguishes_hands() -> None:
    first = cases.position("bell", "s5/6/6/6/6/S5[2S1D2s1d] w 0 1")
    later = cases.position("bell", "s5/6/6/6/6/S5[2S1D2s] w 0 1")
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key
    assert first != later


def test_repetition_distinguishes_marks() -> None:
    first = cases.position("schaedler", "s3/4/4/SSs1[-] w 0 1")
    later = cases.position("schaedler", "b3/4/4/SSs1[-] w 0 1")
    assert first.repetition_key != later.repetition_key
    assert first.key != later.key
    assert first != later
