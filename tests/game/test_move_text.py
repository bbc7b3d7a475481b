"""Move text: what is malformed, what is of a right form but illegal, and what is read back."""

import pytest
from hypothesis import given

import cases
import naive
from latrones_uci.game import IllegalMoveError, LatronesError, MalformedMoveError
from naive import Board
from strategies import boards

MALFORMED = [
    "", " ", "e", "e2", "e2e", "22", "e22e", "2e4e", "e2-e4", "e2xe4", "e2 e4", "e2,e4", "e2e4q", "e2e4+", "e2e4=D",
    "E2e4", "e2E4", "E2E4", "Se2e4", "De2e3",
    "e02e4", "e2e04", "e0e4", "e2e0", "a17a1", "a1a17", "a1a100", "q1q2", "a1q1", "z9z9", "e-2e4", "e+2e4",
    " e2e4", "e2e4 ", "e2e4\n", "\te2e4", "e2e4\0", "e2e4\r\n",
    "e\u0662e4", "e2e\uff14", "\uff452e4", "\u04352e4", "e\u00b2e4", "e2e4\udcff",
    "000", "00000", "0000 ", "(none)", "null", "pass", "--", "@@@@",
    "s@d4", "d@d4", "S@", "S@D4", "S@d04", "S@d0", "S@q1", "@d4", "B@d4", "S@d4d5", "Sd4",
    "x", "X", "xx", "Xd5", "xd", "x5", "xd05", "xd17", "xq1", "xd5d6", "d4x",
]  # fmt: skip

# Of a right form, legal in no position of these games on 8x8.
ILLEGAL_FORMS = [
    "0000", "S@d4", "D@e1", "S@a16", "xd5", "xp16", "a10a7", "a1a9", "i1i2", "h8i8", "p16p15",
    "c3c5e5", "d1d5d6", "a1a2a3a4",
]  # fmt: skip

ILLEGAL_AT_START = {
    "no piece there": "e4e5",
    "the enemy's soldier": "a8a7",
    "the enemy's dux": "d7d6",
    "stays where it is": "a1a1",
    "diagonal": "a1b2",
    "knight's move": "b1c3",
    "onto a friend": "e1e2",
    "onto an enemy": "a1a8",
    "over a friend, a soldier": "e1e3",
    "over an enemy": "d1d8",
}


def errors_of(variant: str, fen: str, text: str, error: type[LatronesError]) -> str:
    position = cases.position(variant, fen)
    with pytest.raises(error) as caught:
        position.parse_move(text)
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 1_000
    assert position.fen() == fen
    return message


@pytest.mark.parametrize("variant", cases.VARIANTS)
@pytest.mark.parametrize("text", MALFORMED, ids=ascii)
def test_malformed(variant: str, text: str) -> None:
    message = errors_of(variant, cases.START_8X8, text, MalformedMoveError)
    assert repr(text) in message
    assert MalformedMoveError.code == "malformed-move"


@pytest.mark.parametrize("variant", cases.VARIANTS)
@pytest.mark.parametrize("text", ILLEGAL_FORMS)
def test_form_that_is_never_legal(variant: str, text: str) -> None:
    assert repr(text) in errors_of(variant, cases.START_8X8, text, IllegalMoveError)
    assert IllegalMoveError.code == "illegal-move"


@pytest.mark.parametrize("variant", cases.VARIANTS)
@pytest.mark.parametrize("why", ILLEGAL_AT_START)
def test_illegal_at_the_start(variant: str, why: str) -> None:
    text = ILLEGAL_AT_START[why]
    assert repr(text) in errors_of(variant, cases.START_8X8, text, IllegalMoveError)


@pytest.mark.parametrize("variant", cases.VARIANTS)
@pytest.mark.parametrize("text", ["a1" * 500_000, "e2e4" + " " * 1_000_000, "9" * 1_000_000], ids=["a1", "blank", "9"])
def test_refused_at_any_length(variant: str, text: str) -> None:
    with pytest.raises((MalformedMoveError, IllegalMoveError)) as caught:
        cases.position(variant, cases.START_8X8).parse_move(text)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_two_digit_ranks(variant: str) -> None:
    position = cases.position(variant, "/".join(["sssd", *["4"] * 10, "SSDS"]) + " w 0 1")
    assert position.move_text(position.parse_move("a1a11")) == "a1a11"
    after = position.play(position.parse_move("a1a10"))
    assert after.fen() == "/".join(["sssd", "4", "S3", *["4"] * 8, "1SDS"]) + " b 1 1"


@pytest.mark.parametrize("variant", cases.VARIANTS)
@given(board=boards())
def test_round_trip(variant: str, board: Board) -> None:
    position = cases.position(variant, naive.render(board))
    texts = {position.move_text(move): move for move in position.legal_moves()}
    assert len(texts) == len(position.legal_moves())
    for text, move in texts.items():
        assert position.parse_move(text) == move
