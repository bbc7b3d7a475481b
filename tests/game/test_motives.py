"""What a move does, in words."""

from __future__ import annotations

import random

import pytest

from cases import VARIANTS
from latrones_uci.game import Game, Position
from latrones_uci.words.motives import fault_of, reason_for

WINNING = "3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1"


@pytest.mark.parametrize(("variant", "fen", "move", "reason"), [
    ("latrones", WINNING, "c6c8", "captures the black dux"),
    ("latrones", WINNING, "e1e2", ""),  # it could have won: what it still threatens is no reason
    ("petteia-xxi", "sss1s1s1/ss2sss1/S3s3/2s4s/2s5/2SS1S1s/S1SSSS1S/1SSSS1SS b 0 19", "c5a5",
     "captures the white soldier on a6"),
    ("petteia-xxi", "sssssss1/s3s1s1/S2s1s2/3S3s/1ss5/2S2SSs/1S1S3S/SSSSSSSS w 14 8", "f3f4",
     "threatens the black soldier on h3"),
    ("petteia-xxi", "ss3s1s/1s2ss1s/s1sS1ss1/2SS1S2/3ss1sS/1S1S4/S1S5/3SS1S1 w 6 29", "c5b5",
     "saves the white soldier on c5"),
    ("latrones", "ss2Ds2/1ssdssS1/8/3S1S2/s6S/8/S7/4SS2 w 36 30", "g7g8",
     "captures the black soldier on f8 and keeps the white dux from being captured"),
    ("latrunculi-xxi", "1s3Ds1s1/8s1/1s2d5/S3s5/2S2sSS2/5s1sS1/3s6/1S1S3S1S b 5 21", "f4f7",
     "threatens to shut in the white dux and saves the black soldier on f4"),
    ("rota", "sSS/2s/1Ss[-] b 49 28", "a3b2", "keeps White from winning at once"),
    ("schaedler", "ss1s3S/3s1S1s/sS6/2SS4/2s5/3S2S1/8/4sS2[-] w 4 11", "d3c3", "binds the black soldier on c4"),
    ("schaedler", "8/8/8/8/1SbS4/8/8/s7[-] w 0 1", "xc4", "captures the black bound soldier on c4"),
    ("rota", "s2/1S1/S1s[1S1s] w 0 3", "S@c3", "makes three in a line"),
])
def test_reasons(variant: str, fen: str, move: str, reason: str) -> None:
    position = Position.from_fen(variant, fen)
    assert reason_for(position, position.parse_move(move)) == reason


@pytest.mark.parametrize(("variant", "fen", "move", "reply", "fault"), [
    ("petteia-xxi", "1ss2sss/ss2s1s1/sS1S1ss1/2S2S2/s3sS1S/3S2s1/1S2S1S1/SS2S1S1 b 3 19", "c8c6", "f4g4",
     "leaves the black soldier on g3 en prise"),
    ("latrunculi-classical", "1ss1sssss1/3sdD4/7S2/4s5/1S7s/10/2S7/SS1SSS2SS b 15 8", "i8i3", "h6i6",
     "lets White threaten to shut in the black dux"),
    ("latrones", WINNING.replace(" w ", " b "), "a2a3", "c6c8", "lets White capture the black dux"),
    ("rota", "SS1/1sS/ss1[-] w 4 6", "c2c1", "b2c3", "lets Black threaten to make three in a line"),
    ("latrones", "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1", "a1a2", "a8a7", ""),
])
def test_faults(variant: str, fen: str, move: str, reply: str, fault: str) -> None:
    position = Position.from_fen(variant, fen)
    made = position.parse_move(move)
    assert fault_of(position, made, position.after(made).parse_move(reply)) == fault


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_legal_move_and_reply_can_be_described(variant: str) -> None:
    chance, game = random.Random(7), Game(variant)
    found = set()
    while (moves := game.legal_moves()) and game.outcome() is None and len(game.moves) < 80:
        before, move = game.position, chance.choice(moves)
        found.add(reason_for(before, move))
        game.push(move)
        if replies := game.position.legal_moves():
            found.add(fault_of(before, move, chance.choice(replies)))
    assert len(found) > 2
    assert not any(words.startswith(" ") or words.endswith(" ") for words in found)
