"""Invalid FENs: every rule of the format is violated in turn, and the error is one line with the reason."""

import re
from collections.abc import Callable

import pytest

import cases
from grouped import grouped, product
from latrones_uci.game import FenError, LatronesError, Position, find_variant

BOARD = "ssss/1d2/1D2/SSSS"

# Id, text, and a pattern for the message.
BAD_FENS = [
    # fields
    ("nothing", "", "field"),
    ("white-space", " \t ", "field"),
    ("board-only", BOARD, "field"),
    ("one-counter", f"{BOARD} w 0", "field"),
    ("extra-field", f"{BOARD} w 0 1 1", "field"),
    ("chess-fields", f"{BOARD} w KQkq - 0 1", "field"),
    ("startpos", "startpos", "field"),
    # width and size
    ("ragged-short", "ssss/1d1/1D2/SSSS w 0 1", "width|ragged"),
    ("ragged-long", "ssss/1d3/1D2/SSSS w 0 1", "width|ragged"),
    ("ragged-last", "ssss/1d2/1D2/SSSSS w 0 1", "width|ragged"),
    ("no-rank-at-first", f"/{BOARD} w 0 1", "empty"),
    ("no-rank-at-last", f"{BOARD}/ w 0 1", "empty"),
    ("no-rank-between", "ssss/1d2//1D2/SSSS w 0 1", "empty"),
    ("slashes-only", "/// w 0 1", "empty"),
    ("three-files", "sss/1d1/1D1/SSS w 0 1", "board|size"),
    ("three-ranks", "ssss/dD2/SSSS w 0 1", "board|size"),
    ("one-rank", "sdDS w 0 1", "board|size"),
    ("seventeen-ranks", "/".join(["dD2", *["4"] * 16]) + " w 0 1", "board|size"),
    ("seventeen-files", "/".join(["s16"] * 4) + " w 0 1", "wide|width|board|size"),
    ("seventeen-empty", "/".join(["17"] * 4) + " w 0 1", "number|wide|board|size"),
    # numbers on the board
    ("leading-zero", "ssss/01d2/1D2/SSSS w 0 1", "number"),
    ("leading-zero-of-ten", "10s/d010/11/10D w 0 1", "number"),
    ("zero", "ssss/0d3/1D2/SSSS w 0 1", "number"),
    ("zero-alone", "ssss/1d2/1D2/0SSSS w 0 1", "number"),
    ("adjoining-numbers", "ssss/11d1/1D2/SSSS w 0 1", "width|ragged|number"),
    ("adjoining-numbers-of-a-line", "ssss/22/1D2/SSSd w 0 1", "number|wide|width"),
    ("minus", "ssss/-1d2/1D2/SSSS w 0 1", "'-'"),
    ("plus", "ssss/+1d2/1D2/SSSS w 0 1", r"'\+'"),
    ("arabic-digit", "ssss/\u0661d2/1D2/SSSS w 0 1", "\u0661|number|man|piece"),
    ("full-width-digit", "ssss/1d\uff12/1D2/SSSS w 0 1", "\uff12|number|man|piece"),
    ("superscript-digit", "ssss/1d\u00b2/1D2/SSSS w 0 1", "\u00b2|number|man|piece"),
    ("number-beyond-any-size", "9" * 700 + " w 0 1", "number"),
    # pieces
    ("chess-piece", "sssk/1d2/1D2/SSSS w 0 1", "'k'"),
    ("bound-mark", "sssb/1d2/1D2/SSSS w 0 1", "'b'"),
    ("white-bound-mark", "ssss/1d2/1D2/SSSB w 0 1", "'B'"),
    ("cyrillic-letter", "\u0455sss/1d2/1D2/SSSS w 0 1", "\u0455|man|piece"),
    ("dot", "ssss/.d2/1D2/SSSS w 0 1", r"'\.'"),
    ("star", "ssss/*d2/1D2/SSSS w 0 1", r"'\*'"),
    ("comma", "ssss,1d2/1D2/SSSS w 0 1", "','"),
    ("two-white-duces", "ssss/1d2/1DD1/SSSS w 0 1", "D"),
    ("two-black-duces", "dsss/1d2/1D2/SSSS w 0 1", "d"),
    ("nul", "ssss/1d2/1D2/SSS\0 w 0 1", "x00"),
    ("lone-surrogate", "ssss/1d2/1D2/SSS\udcff w 0 1", "udcff"),
    # hand
    ("empty-hand", f"{BOARD}[-] w 0 1", "hand"),
    ("hand", f"{BOARD}[8S8s] w 0 1", "hand"),
    ("hand-of-nothing", f"{BOARD}[] w 0 1", "hand"),
    ("half-a-hand", f"{BOARD}[8S8s w 0 1", "hand|'\\['"),
    ("other-half-of-a-hand", f"{BOARD}] w 0 1", "hand|'\\]'"),
    # side
    ("capital-side", f"{BOARD} W 0 1", "side"),
    ("side-in-full", f"{BOARD} white 0 1", "side"),
    ("side-dash", f"{BOARD} - 0 1", "side"),
    ("both-sides", f"{BOARD} wb 0 1", "side"),
    ("side-number", f"{BOARD} 0 1", "field|side"),
    # counters
    ("nocapture-below", f"{BOARD} w -1 1", "nocapture"),
    ("nocapture-above", f"{BOARD} w 10000 1", "nocapture"),
    ("nocapture-plus", f"{BOARD} w +5 1", "nocapture"),
    ("nocapture-dash", f"{BOARD} w - 1", "nocapture"),
    ("nocapture-fraction", f"{BOARD} w 1.0 1", "nocapture"),
    ("nocapture-underscore", f"{BOARD} w 1_0 1", "nocapture"),
    ("nocapture-arabic", f"{BOARD} w \u0661 1", "nocapture"),
    ("nocapture-endless", f"{BOARD} w {'9' * 500} 1", "nocapture"),
    ("movenumber-zero", f"{BOARD} w 0 0", "movenumber"),
    ("movenumber-below", f"{BOARD} w 0 -1", "movenumber"),
    ("movenumber-above", f"{BOARD} w 0 10000", "movenumber"),
    ("movenumber-word", f"{BOARD} w 0 one", "movenumber"),
    ("movenumber-full-width", f"{BOARD} w 0 \uff11", "movenumber"),
]

# A change to a valid FEN of any variant, and a pattern for the message.
EVERYWHERE: dict[str, tuple[Callable[[str], str], str]] = {
    "no side": (lambda fen: fen.replace(" w", "", 1), "field"),
    "capital side": (lambda fen: fen.replace(" w", " W", 1), "side"),
    "one counter": (lambda fen: fen.rsplit(" ", 1)[0], "field"),
    "endless counter": (lambda fen: fen + "0000", "movenumber"),
    "leading zero": (lambda fen: re.sub("[1-9]", r"0\g<0>", fen, count=1), "number"),
    "zero": (lambda fen: fen.replace("/", "/0", 1), "number"),
    "two numbers": (lambda fen: re.sub("[1-9]", r"\g<0>1", fen, count=1), "number|wid"),
    "ragged": (lambda fen: "s" + fen, "wid|ragged"),
    "empty rank": (lambda fen: "/" + fen, "empty"),
    "chess piece": (lambda fen: fen.replace("s", "k", 1), "'k'"),
    "cyrillic letter": (lambda fen: fen.replace("s", "\u0455", 1), "\u0455|man|piece"),
    "two ranks more than any board": (lambda fen: (fen.split("/")[0] + "/") * 16 + fen, "board|size"),
    "hand as a field": (lambda fen: fen.replace(" w", " [-] w", 1), "field|hand"),
    "two hands": (lambda fen: fen.replace(" w", "[-][-] w", 1), "hand"),
    "hand amid the board": (lambda fen: fen.replace("/", "[-]/", 1), "hand"),
}

# Pieces and hands that a variant does not have, and board sizes that it does not allow.
FOREIGN = [
    ("petteia-xxi", "4/1d2/4/1SS1/1ss1 w 0 1", "'d'"),
    ("petteia-xxi", "4/4/4/1SSD/1ss1 w 0 1", "'D'"),
    ("petteia-xxi", "4/4/1b2/1SS1/1ss1 w 0 1", "'b'"),
    ("petteia-xxi", "4/4/4/1SS1/1ss1[-] w 0 1", "hand"),
    ("petteia-xxi", "ssss/1s2/1S2/SSSS w 0 1", "board|size"),
    ("single-stone-xxi", "ssss/1d2/4/SSSS w 0 1", "'d'"),
    ("single-stone-xxi", "ssss/4/4/SSSS[8S8s] w 0 1", "hand"),
    ("single-stone-xxi", "sss/3/3/SSS w 0 1", "board|size"),
    ("latrunculi-xxi", "ssss/1d2/1D2/SSSB w 0 1", "'B'"),
    ("schaedler", "ssss/1d2/4/SSSS[-] w 0 1", "'d'"),
    ("schaedler", "ssss/4/4/SSSS w 0 1", "hand"),
    ("schaedler", "sss/3/3/SSS[-] w 0 1", "board|size"),
    ("bell", "6/1sd3/6/6/6/2DB2[-] w 0 1", "'B'"),
    ("bell", "6/1sd3/6/6/6/2DS2 w 0 1", "hand"),
    ("bell", "7/1sd4/7/7/2DS3[-] w 0 1", "board|size|squares"),
    ("bell", "6/1sd3/6/6/6/D1DS2[-] w 0 1", "D"),
    ("bell", "6/1sd1d1/6/6/6/2DS2[-] w 0 1", "d"),
    ("rota", "s2/1s1/SSD[-] w 0 1", "'D'"),
    ("rota", "s2/1s1/SSB[-] w 0 1", "'B'"),
    ("rota", "s2/1s1/SSS w 0 1", "hand"),
    ("rota", "s3/1s2/SSS1[-] w 0 1", "board|size"),
    ("rota", "s3/1s2/SSS1/4[-] w 0 1", "board|size"),
    ("rota", "s2/SSS[-] w 0 1", "board|size"),
]

HUGE_FENS = [
    ("a-megabyte-of-letters", "s" * 1_000_000 + " w 0 1"),
    ("a-megabyte-of-digits", "1" * 1_000_000 + " w 0 1"),
    ("a-megabyte-of-slashes", "/" * 1_000_000 + " w 0 1"),
    ("a-megabyte-of-ranks", "ssss/" * 200_000 + "ssss w 0 1"),
    ("a-megabyte-of-fields", f"{BOARD} " + "w " * 500_000),
    ("an-endless-counter", f"{BOARD} w {'9' * 1_000_000} 1"),
    ("a-megabyte-of-brackets", "[" * 1_000_000 + " w 0 1"),
    ("a-megabyte-in-hand", "3/3/3[" + "9" * 1_000_000 + "S] w 0 1"),
]


def rejection(variant: str, fen: str) -> str:
    """Return the message for an invalid FEN, and check what is common to all messages."""
    with pytest.raises(FenError) as caught:
        Position.from_fen(find_variant(variant), fen)
    message = str(caught.value)
    assert isinstance(caught.value, LatronesError)
    assert caught.value.code == "fen"
    assert len(message) < 1_000
    assert message.isprintable()
    message.encode()
    return message


def check(variant: str, fen: str, words: str) -> None:
    message = rejection(variant, fen)
    assert re.search(words, message.replace(fen, "", 1))
    assert ascii(fen)[1:40].rstrip("'\"") in ascii(message).replace("\\\\", "\\"), "the message does not quote the text"


@grouped("variant, bad", product(cases.DUX_GAMES, BAD_FENS))
def test_rejected(variant: str, bad: tuple[str, str, str]) -> None:
    _, fen, words = bad
    check(variant, fen, words)


@grouped("variant, what", product(cases.VARIANTS, EVERYWHERE))
def test_rejected_in_every_variant(variant: str, what: str) -> None:
    good = cases.MIDGAMES[variant]
    cases.position(variant, good)
    change, words = EVERYWHERE[what]
    fen = change(good)
    assert fen != good
    check(variant, fen, words)


@grouped("variant, fen, words", FOREIGN)
def test_pieces_hands_and_boards_of_other_variants(variant: str, fen: str, words: str) -> None:
    check(variant, fen, words)


@grouped("variant, huge", product(cases.VARIANTS, HUGE_FENS))
def test_rejected_at_any_length(variant: str, huge: tuple[str, str]) -> None:
    rejection(variant, huge[1])


@pytest.mark.parametrize(("text", "found"), [("", "0 fields"), ("x", "1 field"), ("x w 1", "3 fields")])
def test_the_number_of_fields_is_told_in_good_english(text: str, found: str) -> None:
    with pytest.raises(FenError, match=f"found {found}; expected two or four: board, side, nocapture, movenumber"):
        Position.from_fen("latrones", text)
