"""The data of positions and moves for the page."""

from __future__ import annotations

from latrones_uci.game import Position, find_variant
from latrones_uci.web.lib.notation import immobile, legal_move_data, pieces_of, surrounded


def test_move_data_contains_captures_and_jumps() -> None:
    position = Position.from_fen(find_variant("latrones"), "3d4/8/5S2/5s2/3Ds3/8/8/8 w 0 1")
    figures = {figure["text"]: figure for figure in legal_move_data(position)}
    assert set(figures) == set(position.legal_moves())
    jump = figures["d4f4"]
    assert (jump["path"], jump["captures"], jump["jump"]) == ([27, 29], [37], True)
    assert figures["d4d7"] == {"text": "d4d7", "path": [27, 51]}


def test_move_data_of_placements_and_kills() -> None:
    bell = legal_move_data(Position.start(find_variant("bell")))
    assert len(bell) == 56
    assert bell[0] == {"text": "S@a1", "place": "S", "square": 0}
    kills = legal_move_data(Position.from_fen(find_variant("schaedler"), "8/8/8/8/1SbS4/6ss/8/8[-] w 0 1"))
    assert [figure for figure in kills if "kill" in figure] == [{"text": "xc4", "kill": 26, "captures": [26]}]


def test_finished_positions_have_no_move_data() -> None:
    assert legal_move_data(Position.from_fen(find_variant("rota"), "s1S/sS1/S1s[-] w 0 1")) == []


def test_surrounded_and_immobile_pieces() -> None:
    position = Position.start(find_variant("petteia-xxi"))
    first_ranks = [*range(8), *range(56, 64)]
    assert surrounded(position) == immobile(position) == first_ranks
    wheel = Position.from_fen(find_variant("rota"), "3/ssS/SsS[-] w 0 1")
    assert pieces_of(wheel) == "SsSssS..."
    assert surrounded(wheel) == [0, 1, 2]  # a1 b1 c1: each with neighbours on the rim and at the centre
    assert immobile(wheel) == [0, 1, 2]
    locked = Position.from_fen(find_variant("latrunculi-xxi"), "5d4/10/10/2Ss6/10/10/10/4D5 w 0 1")
    assert immobile(locked) == [42]  # the black soldier can go next to the white dux
