"""Moves in the notation of Latrunculi XXI, and the data of positions for the page."""

from __future__ import annotations

import pytest

from latrones_uci.game import Game, Position, find_variant
from latrones_uci.web.notation import immobile, legal_move_data, pieces_of, render_notation, surrounded


@pytest.mark.parametrize(
    ("variant", "fen", "moves", "written"),
    [
        ("latrones", "", ["e2e5"], ["De2-e5"]),
        ("latrunculi-classical", "5d4/10/2s7/1s2S5/SS8/10/10/5D2s1 b 0 1", ["c6c5"], ["c6-c5"]),
        ("latrunculi-classical", "5d4/10/10/1Ss7/10/10/10/3S1D2s1 w 0 1", ["d1d5"], ["d1-d5xc5"]),
        ("latrunculi-xxi", "5d4/2S7/10/SsS7/10/10/10/5D2s1 w 0 1", ["c7c6"], ["c7-c6"]),
        ("latrunculi-xxi", "2S2d4/10/Ss8/1s8/10/10/10/5D2s1 w 0 1", ["c8c6"], ["c8-c6xb6"]),
        ("latrunculi-xxi", "2S2d4/10/10/1s8/10/10/10/5D2s1 w 0 1", ["c8c5"], ["c8-c5*"]),
        ("latrunculi-classical", "2S2d4/10/10/1s8/10/10/10/5D2s1 w 0 1", ["c8c5"], ["c8-c5"]),
        ("latrunculi-xxi", "5d4/4S5/10/10/10/10/10/3D4s1 w 0 1", ["e7e8"], ["e7-e8+"]),
        ("latrunculi-classical", "4ds4/4S5/3S6/10/10/10/10/3D6 w 0 1", ["d6d8"], ["d6-d8#"]),
        ("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1", ["c6c8"], ["c6-c8xDd8#"]),
        ("bell", "", ["S@a1", "S@b1"], ["@a1", "@b1"]),
        ("bell", "8/8/8/8/8/8/8[1D1d] w 0 17", ["D@a1", "D@b1"], ["D@a1", "D@b1"]),
        ("schaedler", "8/8/8/8/1SbS4/6ss/8/8[-] w 0 1", ["xc4"], ["xc4"]),
        ("schaedler", "8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1", ["c3e3e1"], ["c3-e3-e1"]),
    ],
)
def test_notation(variant: str, fen: str, moves: list[str], written: list[str]) -> None:
    ruleset = find_variant(variant)
    game = Game(Position.from_fen(ruleset, fen) if fen else Position.start(ruleset))
    for text in moves:
        game.push(game.position.parse_move(text))
    assert [render_notation(game, ply) for ply in range(len(moves))] == written


def test_move_data_contains_captures_and_jumps() -> None:
    position = Position.from_fen(find_variant("latrones"), "3d4/8/5S2/5s2/3Ds3/8/8/8 w 0 1")
    figures = {figure["text"]: figure for figure in legal_move_data(position)}
    assert set(figures) == {position.move_text(move) for move in position.legal_moves()}
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
