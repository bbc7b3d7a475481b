"""The rounds in which `schaedler` updates the marks of bound soldiers: at most four."""

import pytest

import cases
import naive


@pytest.mark.parametrize(
    ("fen", "move", "after"),
    [
        pytest.param(
            "BsS1S/1Ss1b/ssSb1/1BS2[-] w 0 1", "c1d1", "SbS1S/1Sb1s/sbSs1/1S1S1[-] b 1 1", id="the fourth is the last"
        ),
        pytest.param(
            "1S1Ss/sbSss/SssBs/b1SbS[-] w 0 1", "a2a4", "SS1Ss/ssSbs/1ssBs/s1SbS[-] b 1 1", id="marks that never settle"
        ),
    ],
)
def test_at_most_four_rounds(fen: str, move: str, after: str) -> None:
    position = cases.position("schaedler", fen)
    assert position.play(position.parse_move(move)).fen() == after
    assert naive.render(naive.GAMES["schaedler"].moves(naive.parse(fen))[move]) == after
