"""The endings of the variants without a decisive dux, on constructed positions, and the order of the endings."""

import pytest

import cases
from agreement import outcome
from latrones_uci.game import Game

W, B, DRAW = "p1win", "p2win", "draw"
DECIDED, NOCAPTURE, NOMOVE = "decided", "nocapture", "nomove"

# Variant, board and hand, the ending with White to move, and the ending with Black to move.
BOARDS = {
    # too few soldiers
    "petteia: white has one soldier": ("petteia-xxi", "ssss/4/4/4/S3", (B, DECIDED), (B, DECIDED)),
    "petteia: black has one soldier": ("petteia-xxi", "s3/4/4/4/SSSS", (W, DECIDED), (W, DECIDED)),
    "petteia: both have one soldier": ("petteia-xxi", "s3/4/4/4/S3", (B, DECIDED), (W, DECIDED)),
    "petteia: an empty board": ("petteia-xxi", "4/4/4/4/4", (B, DECIDED), (W, DECIDED)),
    "petteia: two soldiers are enough": ("petteia-xxi", "ss2/4/4/4/SS2", None, None),
    "single stone: white has none": ("single-stone-xxi", "ss2/4/4/4", (B, DECIDED), (B, DECIDED)),
    "single stone: two soldiers are enough": ("single-stone-xxi", "ss2/4/4/SS2", None, None),
    "schaedler: white has one soldier": ("schaedler", "s2s/4/4/S3[-]", (B, DECIDED), (B, DECIDED)),
    "schaedler: a bound soldier counts": ("schaedler", "s2s/4/4/S2B[-]", None, None),
    "schaedler: both have one": ("schaedler", "s3/4/4/S3[-]", (B, DECIDED), (W, DECIDED)),
    "bell: white has nothing": ("bell", "d5/6/6/6/6/6[-]", (B, DECIDED), (B, DECIDED)),
    "bell: black has nothing": ("bell", "6/6/6/6/6/S5[-]", (W, DECIDED), (W, DECIDED)),
    "bell: an empty board": ("bell", "6/6/6/6/6/6[-]", (B, DECIDED), (W, DECIDED)),
    "bell: a dux is enough": ("bell", "d5/6/6/6/6/5D[-]", None, None),
    "bell: a soldier without a dux is enough": ("bell", "s5/6/6/6/6/5S[-]", None, None),
    # a line on the wheel
    "rota: white's line up the middle": ("rota", "sS1/sS1/1Ss[-]", (W, DECIDED), (W, DECIDED)),
    "rota: black's line from corner to corner": ("rota", "s1S/Ss1/1Ss[-]", (B, DECIDED), (B, DECIDED)),
    "rota: black's line from side to side": ("rota", "1S1/sss/S1S[-]", (B, DECIDED), (B, DECIDED)),
    "rota: three along the rim are not a line": ("rota", "sss/3/SSS[-]", None, None),
    # no legal move
    "petteia: white is blocked": ("petteia-xxi", "4/4/s3/Ss2/SSs1", (B, NOMOVE), None),
    "petteia: black is blocked": ("petteia-xxi", "4/4/S3/sS2/ssS1", None, (W, NOMOVE)),
    "petteia: white is locked": ("petteia-xxi", "4/1ss1/1Ss1/sSss/2s1", (B, NOMOVE), None),
    "petteia: a full board": ("petteia-xxi", "sSsS/SsSs/sSsS/SsSs/sSsS", (B, NOMOVE), (W, NOMOVE)),
    "schaedler: all of white's soldiers are bound": ("schaedler", "4/s3/BsB1/sss1[-]", (B, NOMOVE), None),
    "schaedler: a kill is left": ("schaedler", "4/s3/BsB1/sbs1[-]", None, None),
    "schaedler: a full board": ("schaedler", "sSsS/SsSs/sSsS/SsSs[-]", (B, NOMOVE), (W, NOMOVE)),
    "bell: a full board, equal numbers": (
        "bell", "SSSsss/SSSsss/SSDdss/SSSsss/SSSsss/SSSsss[-]", (DRAW, NOMOVE), (DRAW, NOMOVE),
    ),
    "bell: a full board, more white pieces": (
        "bell", "SSSsss/SSSsss/SSDdss/SSSsss/SSSsss/SSSSss[-]", (W, NOMOVE), (W, NOMOVE),
    ),
    "bell: a full board, one more with the dux": ("bell", "SSSsss/SSSsss/SSSdss/SSSsss/SSSsss/SSs1DS[-]", None, None),
    "bell: no dux to place": ("bell", "SSs3/6/6/6/6/6[1d]", (W, NOMOVE), None),
    "bell: the dux in hand is not on the board": ("bell", "Ss4/6/6/6/6/6[1d]", (DRAW, NOMOVE), None),
    "bell: an empty board while a dux is in hand": ("bell", "6/6/6/6/6/6[1d]", (DRAW, NOMOVE), None),
    "rota: one move is left": ("rota", "1ss/Ss1/SSs[-]", None, None),
    "rota: a full board": ("rota", "SSs/SsS/SsS[-]", (B, NOMOVE), (W, NOMOVE)),
}


@pytest.mark.parametrize("what", BOARDS)
def test_ending_of_a_position(what: str) -> None:
    variant, board, *expected = BOARDS[what]
    for side, ending in zip("wb", expected, strict=True):
        position = cases.position(variant, f"{board} {side} 0 1")
        assert outcome(position.outcome()) == outcome(Game(position).outcome()) == ending, side
        assert bool(position.legal_moves()) == (ending is None), side


# Variant, position, move, position after it, ending.
PLAYED = {
    "petteia: the second-last soldier is captured": (
        "petteia-xxi", "s3/4/4/S3/1sS1 w 7 9", "a2a1", "s3/4/4/4/S1S1 b 0 9", (W, DECIDED),
    ),
    "schaedler: a soldier of the last two is killed": (
        "schaedler", "s3/4/4/SbS1[-] w 7 9", "xb1", "s3/4/4/S1S1[-] b 0 9", (W, DECIDED),
    ),
    "schaedler: a soldier of the last three is killed": (
        "schaedler", "s2s/4/4/SbS1[-] w 7 9", "xb1", "s2s/4/4/S1S1[-] b 0 9", None,
    ),
    "schaedler: the last placement may bind, and so leave no move": (
        "schaedler", "4/s3/S2S/s2s[1s] b 0 8", "S@d3", "4/s2s/B2B/s2s[-] w 0 9", (B, NOMOVE),
    ),
    "bell: the dux is captured and the game continues": (
        "bell", "s5/6/6/6/5S/3Sd1[-] w 7 9", "f2f1", "s5/6/6/6/6/3S1S[-] b 0 9", None,
    ),
    "bell: the dux was last": ("bell", "6/6/6/6/5S/3Sd1[-] w 7 9", "f2f1", "6/6/6/6/6/3S1S[-] b 0 9", (W, DECIDED)),
    "bell: the dux captures": ("bell", "6/6/6/6/5D/3Ss1[-] w 29 9", "f2f1", "6/6/6/6/6/3S1D[-] b 0 9", (W, DECIDED)),
    "bell: thirty plies, more pieces": (
        "bell", "sd4/6/6/6/6/SSS3[-] w 29 9", "a1a2", "sd4/6/6/6/S5/1SS3[-] b 30 9", (W, NOCAPTURE),
    ),
    "bell: thirty plies, fewer pieces": (
        "bell", "sd4/6/6/6/6/S5[-] w 29 9", "a1a2", "sd4/6/6/6/S5/6[-] b 30 9", (B, NOCAPTURE),
    ),
    "bell: thirty plies, equal numbers": (
        "bell", "sd4/6/6/6/6/SS4[-] w 29 9", "a1a2", "sd4/6/6/6/S5/1S4[-] b 30 9", (DRAW, NOCAPTURE),
    ),
    "bell: twenty-nine plies": ("bell", "sd4/6/6/6/6/SSS3[-] w 28 9", "a1a2", "sd4/6/6/6/S5/1SS3[-] b 29 9", None),
    "schaedler: a hundred plies": (
        "schaedler", "s3/s3/4/SS2[-] b 99 9", "a4b4", "1s2/s3/4/SS2[-] w 100 10", (DRAW, NOCAPTURE),
    ),
    "schaedler: a hundred plies, the last one a kill": (
        "schaedler", "s3/s3/4/SbS1[-] w 99 9", "xb1", "s3/s3/4/S1S1[-] b 0 9", None,
    ),
    "rota: a line while placing": ("rota", "1S1/1Ss/s2[1S1s] w 0 3", "S@b1", "1S1/1Ss/sS1[1s] b 0 3", (W, DECIDED)),
    "rota: a line through the centre": ("rota", "s1s/S1S/Ss1[-] w 7 8", "a1b2", "s1s/SSS/1s1[-] b 8 8", (W, DECIDED)),
    "rota: no limit": ("rota", "sss/3/SSS[-] w 9990 8", "a1a2", "sss/S2/1SS[-] b 9991 8", None),
    # the order
    "the limit before no move": (
        "petteia-xxi", "4/s3/4/Ss2/SSs1 b 99 9", "a4a3", "4/4/s3/Ss2/SSs1 w 100 10", (DRAW, NOCAPTURE),
    ),
    "no move before the limit is reached": (
        "petteia-xxi", "4/s3/4/Ss2/SSs1 b 98 9", "a4a3", "4/4/s3/Ss2/SSs1 w 99 10", (B, NOMOVE),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", PLAYED)
def test_ending_by_a_move(what: str) -> None:
    variant, fen, move, after, ending = PLAYED[what]
    game = Game(cases.position(variant, fen))
    assert game.outcome() is None
    game.play(game.position.parse_move(move))
    assert game.position.fen() == after
    assert outcome(game.outcome()) == outcome(game.position.outcome()) == ending
    assert bool(game.legal_moves()) == (ending is None)


def test_no_empty_square_during_placement() -> None:
    assert outcome(cases.position("schaedler", "sSsS/SsSs/sSsS/SsSs[8S8s] w 0 1").outcome()) == (B, NOMOVE)
    assert outcome(cases.position("schaedler", "sSsS/SsSs/sSsS/SsSs[8s7S] b 0 1").outcome()) == (W, NOMOVE)
    assert outcome(cases.position("rota", "sSs/SsS/SsS[2S2s] w 0 1").outcome()) == (B, NOMOVE)
    full = "/".join(["SSSsss"] * 6)
    assert outcome(cases.position("bell", f"{full}[2S1D2s1d] w 0 1").outcome()) == (DRAW, NOMOVE)


def test_repetition_comes_before_the_no_capture_limit() -> None:
    game = Game(cases.position("bell", "ssssdsss/8/8/8/8/8/8/1SSDSSSS[-] w 22 9"))
    for text in ["b1b2", "a8a7", "b2b1", "a7a8"] * 2:
        assert game.outcome() is None
        game.play(game.position.parse_move(text))
    assert game.position.nocapture == 30
    assert outcome(game.outcome()) == (DRAW, "repetition")
    assert outcome(game.position.outcome()) == (B, NOCAPTURE)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_the_counter_of_a_fen_counts(variant: str) -> None:
    limit = {"bell": 30, "rota": 0}.get(variant, 100)
    midgame = cases.MIDGAMES[variant]
    assert cases.find_variant(variant).nocapture_limit == limit
    for nocapture in (29, 30, 31, 99, 100, 9998):
        result = cases.position(variant, midgame.replace(" 9 30", f" {nocapture} 60")).outcome()
        assert (result and result.termination.value) == (NOCAPTURE if limit and nocapture >= limit else None)


def test_the_counter_of_a_fen_counts_during_placement() -> None:
    assert outcome(cases.position("schaedler", "4/4/4/4[8S8s] w 100 1").outcome()) == (DRAW, NOCAPTURE)
    assert outcome(cases.position("bell", "S5/6/6/6/6/6[16S1D16s1d] w 30 1").outcome()) == (W, NOCAPTURE)
    assert cases.position("bell", "S5/6/6/6/6/6[16S1D16s1d] w 29 1").outcome() is None
