"""Valid FENs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from effort import examples
from grouped import grouped
from latrones_uci.game import BLACK, WHITE
from naive import Board
from strategies import boards


@grouped("entry", cases.entry_params())
def test_round_trip(entry: dict[str, Any]) -> None:
    assert cases.position(entry["variant"], entry["fen"]).fen() == entry["fen"]


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(50)
@given(data=st.data())
def test_round_trip_of_any_board(variant: str, data: st.DataObject) -> None:
    board: Board = data.draw(boards(naive.GAMES[variant]))
    fen = naive.render(board)
    position = cases.position(variant, fen)
    assert position.fen() == fen
    assert cases.position(variant, position.fen()) == position
    assert (position.geometry.files, position.geometry.ranks) == (board.files, board.ranks)
    assert (position.side, position.nocapture, position.movenumber) == (
        WHITE if board.side == "w" else BLACK,
        board.nocapture,
        board.movenumber,
    )
    assert position.hand == (board.hand or {})
    for file in range(board.files):
        for rank in range(board.ranks):
            assert position.piece_at(rank * board.files + file) == board.at((file, rank))


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
@pytest.mark.parametrize(
    ("text", "fen"),
    [
        pytest.param("ssss/1d2/1D2/SSSS b", "ssss/1d2/1D2/SSSS b 0 1", id="no-counters"),
        pytest.param("  ssss/1d2/1D2/SSSS\t w  3\t\t7 ", "ssss/1d2/1D2/SSSS w 3 7", id="any-white-space"),
        pytest.param("ssss/1d2/1D2/SSSS w 9999 9999", "ssss/1d2/1D2/SSSS w 9999 9999", id="greatest-counters"),
        pytest.param("4/4/4/4 w 0 1", "4/4/4/4 w 0 1", id="empty-board"),
        pytest.param("SSSS/SSSS/SSSS/SSSD b 0 1", "SSSS/SSSS/SSSS/SSSD b 0 1", id="one-colour"),
        pytest.param("sSsS/SsSd/sSDS/SsSs b 0 1", "sSsS/SsSd/sSDS/SsSs b 0 1", id="full-board"),
        pytest.param("10s/d10/11/11/10D w 0 1", "10s/d10/11/11/10D w 0 1", id="two-digits"),
    ],
)
def test_accepted(variant: str, text: str, fen: str) -> None:
    assert cases.position(variant, text).fen() == fen


def test_counters_stop_at_their_maximum() -> None:
    """This matters in variants without a no-capture limit."""
    position = cases.position("rota", "sss/3/SSS[-] b 9998 9999")
    for text, fen in [("c3c2", "ss1/2s/SSS[-] w 9999 9999"), ("a1a2", "ss1/S1s/1SS[-] b 9999 9999")]:
        position = position.play(position.parse_move(text))
        assert position.fen() == fen
        assert cases.position("rota", fen) == position
