"""FENs: reading and writing, and for every rule of the format an error of one line with the reason."""

import re

import pytest

import cases
import naive
from latrones_uci.game import FenError, Position, find_variant
from strategies import placing_moments

BOARD = "ssss/1d2/1D2/SSSS"
# What the message says, and the FENs of latrones that it rejects; those without white space end with " w 0 1".
REJECTED = {
    "field": [
        "\t", f"{BOARD} ", f"{BOARD} w 0", f"{BOARD} w 0 1 1", f"{BOARD} w KQkq - 0 1", "startpos ", f"{BOARD} 0 1",
        f"{BOARD} [-] w 0 1",
    ],
    "width|ragged": ["ssss/1d1/1D2/SSSS", "ssss/1d3/1D2/SSSS", "ssss/1d2/1D2/SSSSS", "ssss/11d1/1D2/SSSS"],
    "empty": [f"/{BOARD}", f"{BOARD}/", "ssss/1d2//1D2/SSSS", "///"],
    "board|size|wider": [
        "sss/1d1/1D1/SSS", "ssss/dD2/SSSS", "sdDS", "/".join(["dD2", *["4"] * 16]), "/".join(["s16"] * 4),
    ],
    "number": [
        "ssss/01d2/1D2/SSSS", "10s/d010/11/10D", "ssss/0d3/1D2/SSSS", "ssss/1d2/1D2/0SSSS", "ssss/22/1D2/SSSd",
        "/".join(["17"] * 4), "9" * 700,
    ],
    "piece": ["ssss/\u0661d2/1D2/SSSS", "ssss/1d\uff12/1D2/SSSS", "ssss/1d\u00b2/1D2/SSSS", "\u0455sss/1d2/1D2/SSSS"],
    "'-'|'\\+'": ["ssss/-1d2/1D2/SSSS", "ssss/+1d2/1D2/SSSS"],
    "'[kbB]'": ["sssk/1d2/1D2/SSSS", "sssb/1d2/1D2/SSSS", "ssss/1d2/1D2/SSSB"],
    "'[.*,\\]]'": ["ssss/.d2/1D2/SSSS", "ssss/*d2/1D2/SSSS", "ssss,1d2/1D2/SSSS", f"{BOARD}]"],
    "more than one [Dd]": ["ssss/1d2/1DD1/SSSS", "dsss/1d2/1D2/SSSS"],
    "x00|xff": ["ssss/1d2/1D2/SSS\0", "ssss/1d2/1D2/SSS\udcff"],
    "hand": [f"{BOARD}{hand}" for hand in ("[-]", "[8S8s]", "[]", "[8S8s", "[-][-]")] + ["ssss[-]/1d2/1D2/SSSS"],
    "side": [f"{BOARD} {side} 0 1" for side in ("W", "white", "-", "wb")],
    "nocapture": [
        f"{BOARD} w {count} 1" for count in (-1, 10000, "+5", "-", "1.0", "1_0", "01", "\u0661", "9" * 500)
    ],
    "movenumber": [f"{BOARD} w 0 {number}" for number in (0, -1, 10000, "one", "\uff11")],
}
# The same for hands, after an empty board of schaedler, which has eight soldiers in hand at the start.
REJECTED_HANDS = {
    "hand": [
        "", "[]", "[1S1s", "1S1s]", "[1S1s]]", "[[1S1s]", "[1S][1s]", "(1S1s)", "[1S1]", "[2]", "[-1S1s]", "[+1S1s]",
        "[1S1s-]", "[--]", "[1S,1s]", "[1S/1s]", "[\u0661S1s]", "[1\uff331s]", "[0S1s]", "[0S0s]", "[01S1s]",
        "[1S0000001s]", "[1S1s1x]", "[1S1s1B]",
    ],
    "duplicate S": ["[1S1S1s]"],
    "duplicate s": ["[s1S1s]"],
    "field": ["[1S 1s]", " [1S1s]"],
    "D|dux": ["[8S8s1D]", "[1d]"],
    "more|hand": [f"[{'9' * 300}S8s]"],
}
# Pieces and hands that a variant does not have, boards that it does not allow, and impossible placements.
IMPOSSIBLE = [
    ("petteia-xxi", "4/1d2/4/1SS1/1ss1 w", "'d'"),
    ("petteia-xxi", "4/4/4/1SSD/1ss1 w", "'D'"),
    ("petteia-xxi", "4/4/1b2/1SS1/1ss1 w", "'b'"),
    ("petteia-xxi", "4/4/4/1SS1/1ss1[-] w", "hand"),
    ("petteia-xxi", "ssss/1s2/1S2/SSSS w", "board|size"),
    ("schaedler", "ssss/1d2/4/SSSS[-] w", "'d'"),
    ("schaedler", "B3/4/4/4[7S7s] w", "bound soldiers"),
    ("schaedler", "b3/4/4/4[1s] b", "bound soldiers"),
    ("bell", "6/1sd3/6/6/6/2DB2[-] w", "'B'"),
    ("bell", "7/1sd4/7/7/2DS3[-] w", "board|size|squares"),
    ("bell", "6/1sd3/6/6/6/D1DS2[-] w", "D"),
    ("bell", "6/1sd1d1/6/6/6/2DS2[-] w", "d"),
    ("bell", "6/6/6/6/6/6[16S2D16s1d] w", "D|dux"),
    ("bell", "6/6/6/6/6/D5[1D1d] w", "D|dux|White"),
    ("bell", "6/6/6/6/6/Dd4[1d] b", "d|dux|Black"),
    ("bell", "6/6/6/6/6/6[16S1D16s1d] b", "side|order"),
    ("bell", "6/6/6/6/6/6[14S1D16s1d] w", "side|order"),
    ("bell", "6/6/6/6/6/6[1D1d] b", "side|order|before"),
    ("bell", "6/6/6/6/6/D5[1d] w", "to move"),
    ("bell", "6/6/6/6/6/D5[2S2s1d] w", "order|before|dux"),
    ("bell", "6/6/6/6/6/d5[2S1D2s] w", "order|before|dux"),
    ("bell", "6/6/6/6/6/d5[1D] w", "order|before"),
    ("bell", "6/6/6/6/6/d5[1D] b", "order|before|side"),
    ("rota", "s2/1s1/SSD[-] w", "'D'"),
    ("rota", "s3/1s2/SSS1/4[-] w", "board|size"),
    ("rota", "s2/SSS[-] w", "board|size"),
]
HUGE = [
    *(letters * 1_000_000 + " w 0 1" for letters in "s1/["),
    "ssss/" * 200_000 + "ssss w 0 1",
    f"{BOARD} " + "w " * 500_000,
    f"{BOARD} w {'9' * 1_000_000} 1",
    "3/3/3[" + "9" * 1_000_000 + "S] w 0 1",
]
ACCEPTED = [
    ("latrones", "ssss/1d2/1D2/SSSS b", "ssss/1d2/1D2/SSSS b 0 1"),
    ("latrones", "  ssss/1d2/1D2/SSSS\t w  3\t\t7 ", "ssss/1d2/1D2/SSSS w 3 7"),
    ("latrones", "ssss/1d2/1D2/SSSS w 9999 9999", "ssss/1d2/1D2/SSSS w 9999 9999"),
    ("latrones", "4/4/4/4 w", "4/4/4/4 w 0 1"),
    ("latrones", "sSsS/SsSd/sSDS/SsSs b", "sSsS/SsSd/sSDS/SsSs b 0 1"),
    ("latrones", "10s/d10/11/11/10D w", "10s/d10/11/11/10D w 0 1"),
    ("schaedler", "4/4/4/4[8s8S] w", "4/4/4/4[8S8s] w 0 1"),
    ("schaedler", "4/4/4/4[sS] w 7 9", "4/4/4/4[1S1s] w 7 9"),
    ("schaedler", "ssss/ssss/ssss/SSSS[7S8s] b", "ssss/ssss/ssss/SSSS[7S8s] b 0 1"),
    ("schaedler", "BbBb/bBbB/4/4[-] b", "BbBb/bBbB/4/4[-] b 0 1"),
    ("bell", "6/6/6/6/6/6[d14SD15s] b", "6/6/6/6/6/6[14S1D15s1d] b 0 1"),
    ("bell", "6/6/6/6/6/5D[d] b", "6/6/6/6/6/5D[1d] b 0 1"),
    # A dux can be missing both on the board and in hand.
    ("bell", "6/6/6/6/6/6[2S2s] w", "6/6/6/6/6/6[2S2s] w 0 1"),
    ("bell", "6/6/6/6/6/6[16SD16s] w", "6/6/6/6/6/6[16S1D16s] w 0 1"),
    ("bell", "6/6/6/6/6/6[D] w", "6/6/6/6/6/6[1D] w 0 1"),
    ("bell", "6/6/6/6/6/6[d] b", "6/6/6/6/6/6[1d] b 0 1"),
    ("bell", "6/6/6/6/6/6[d] w", "6/6/6/6/6/6[1d] w 0 1"),
    ("rota", "sss/3/SSS[Ss] w", "sss/3/SSS[1S1s] w 0 1"),
]


def rejection(variant: str, fen: str) -> str:
    """Return the message for an invalid FEN without the quoted text, and check what is common to all messages."""
    with pytest.raises(FenError) as caught:
        Position.from_fen(find_variant(variant), fen)
    message = str(caught.value)
    assert caught.value.code == "fen"
    assert len(message) < 1_000
    assert message.isprintable()
    shown = ascii(fen)[1:40].rstrip("'\"").replace(r"\udcff", r"\xff")
    assert shown in ascii(message).replace("\\\\", "\\"), "the message does not quote the text"
    return message.replace(fen, "", 1)


@pytest.mark.parametrize("words", REJECTED)
def test_rejected(words: str) -> None:
    for text in REJECTED[words]:
        assert re.search(words, rejection("latrones", text if re.search(r"\s", text) else f"{text} w 0 1")), text


@pytest.mark.parametrize("words", REJECTED_HANDS)
def test_rejected_hands(words: str) -> None:
    for text in REJECTED_HANDS[words]:
        for rest in (" w", " w 0 1"):
            assert re.search(words, rejection("schaedler", f"4/4/4/4{text}{rest}")), text


@pytest.mark.parametrize(("variant", "fen", "words"), IMPOSSIBLE)
def test_impossible(variant: str, fen: str, words: str) -> None:
    assert re.search(words, rejection(variant, fen))


@pytest.mark.parametrize("variant", ["latrones", "schaedler"])
@pytest.mark.parametrize("fen", HUGE, ids=range(len(HUGE)))
def test_rejected_at_any_length(variant: str, fen: str) -> None:
    rejection(variant, fen)


@pytest.mark.parametrize(("text", "found"), [("", "0 fields"), ("x", "1 field"), ("x w 1", "3 fields")])
def test_the_number_of_fields_is_given(text: str, found: str) -> None:
    with pytest.raises(FenError, match=f"found {found}; expected two or four: board, side, nocapture, movenumber"):
        Position.from_fen("latrones", text)


@pytest.mark.parametrize(("variant", "text", "fen"), ACCEPTED)
def test_accepted(variant: str, text: str, fen: str) -> None:
    position = cases.position(variant, text)
    assert position.fen() == fen
    assert cases.position(variant, fen) == position
    assert position.hand == (naive.parse(fen).hand or {})


@pytest.mark.parametrize(
    ("variant", "empty", "moments"), [("schaedler", "4/4/4/4", 16), ("bell", "6/6/6/6/6/6", 34), ("rota", "3/3/3", 6)]
)
def test_exactly_the_hands_of_a_placement_can_be_set_up(variant: str, empty: str, moments: int) -> None:
    found = list(placing_moments(naive.GAMES[variant]))
    assert len(found) == moments
    for hand, side in found:
        position = cases.position(variant, f"{empty}{naive.board.render_hand(hand)} {side} 0 1")
        assert (position.hand, "wb"[position.side]) == (hand, side)
    good = {(hand.get("S", 0), hand.get("s", 0), side) for hand, side in found}
    most = max(white for white, _, _ in good)
    for white in range(most + 2):
        for black in range(most + 2):
            hand_text = f"{white}S" * (white > 0) + f"{black}s" * (black > 0)
            for side in "wb" if hand_text else "":
                if (white, black, side) not in good:
                    rejection(variant, f"{empty}[{hand_text}] {side} 0 1")


def test_counters_stop_at_their_maximum() -> None:
    """This matters in variants without a no-capture limit."""
    position = cases.position("rota", "sss/3/SSS[-] b 9998 9999")
    for text, fen in [("c3c2", "ss1/2s/SSS[-] w 9999 9999"), ("a1a2", "ss1/S1s/1SS[-] b 9999 9999")]:
        position = position.play(position.parse_move(text))
        assert position.fen() == fen
        assert cases.position("rota", fen) == position
