"""Moves as text: malformed moves, well-formed but illegal moves, and reading back."""

import pytest

import cases
from latrones_uci.game import Game, IllegalMoveError, LatronesError, MalformedMoveError, Move, Position, find_variant
from latrones_uci.game.geometry import geometry_of
from latrones_uci.game.notation import parse_move
from latrones_uci.text.messages import quoted

SIZES = [(8, 8), (12, 9), (3, 16), (16, 10)]
MALFORMED = [
    "", " ", "e", "e2", "e2e", "22", "e22e", "2e4e", "e2-e4", "e2xe4", "e2 e4", "e2,e4", "e2e4q", "e2e4+", "e2e4=D",
    "E2e4", "e2E4", "E2E4", "Se2e4", "De2e3",
    "e02e4", "e2e04", "e0e4", "e2e0", "a17a1", "a1a17", "a1a100", "q1q2", "a1q1", "z9z9", "e-2e4", "e+2e4",
    " e2e4", "e2e4 ", "e2e4\n", "\te2e4", "e2e4\0", "e2e4\r\n",
    "e\u0662e4", "e2e\uff14", "\uff452e4", "\u04352e4", "e\u00b2e4", "e2e4\udcff",
    "000", "00000", "0000 ", "(none)", "null", "passes", "--", "@@@@",
    "s@d4", "d@d4", "S@", "S@D4", "S@d04", "S@d0", "S@q1", "@d4", "B@d4", "S@d4d5", "Sd4",
    "x", "X", "xx", "Xd5", "xd", "x5", "xd05", "xd17", "xq1", "xd5d6", "d4x",
]

# Well-formed, but never legal: off the usual boards, or of a form that the variant does not use.
NOWHERE = ["0000", "S@a16", "D@p16", "xp16", "a10a7", "a1a9", "k1k2", "h8k8", "p16p15", "c3c5c16"]
PLACE_SOLDIER, PLACE_DUX, KILLS = ["S@d4", "S@a1"], ["D@e1", "D@d4"], ["xd5", "xa1"]
CHAINS = ["c3c5e5", "d1d5d6", "a1a2a3a4"]
LACKING = dict.fromkeys(cases.VARIANTS, PLACE_SOLDIER + PLACE_DUX + KILLS + CHAINS) | {
    "schaedler": PLACE_DUX,
    "bell": KILLS,
    "rota": PLACE_DUX + KILLS + CHAINS,
}

START = cases.START_8X8
ILLEGAL = {
    # slides
    "no piece there": ("latrones", START, "e4e5"),
    "the enemy's soldier": ("latrones", START, "a8a7"),
    "the enemy's dux": ("latrones", START, "d7d6"),
    "stays where it is": ("latrones", START, "a1a1"),
    "diagonal": ("latrones", START, "a1b2"),
    "knight's move": ("latrones", START, "b1c3"),
    "onto a friend": ("latrones", START, "e1e2"),
    "onto an enemy": ("latrones", START, "a1a8"),
    "over a friend, a soldier": ("latrones", START, "e1e3"),
    "over an enemy": ("latrones", START, "d1d8"),
    # during placement
    "a step during placement": ("schaedler", "8/8/8/8/8/8/8/S7[7S8s] b 0 1", "a1a2"),
    "a kill during placement": ("schaedler", "4/4/4/sSs1[6S6s] w 0 1", "xa1"),
    "placed on a piece": ("schaedler", "4/4/4/S3[7S8s] b 0 1", "S@a1"),
    "a dux before the soldiers": ("bell", "6/6/6/6/6/6[2S1D2s1d] w 0 1", "D@a1"),
    "a soldier when only duces are in hand": ("bell", "6/6/6/6/6/6[1D1d] w 0 1", "S@a1"),
    "a move before the other's dux is placed": ("bell", "6/6/6/6/6/S4D[1d] b 0 1", "a1a2"),
    "placed on a piece, rota": ("rota", "3/1S1/3[2S3s] b 0 1", "S@b2"),
    "a move during placement, rota": ("rota", "3/1S1/s2[2S2s] w 0 1", "b2b1"),
    # with empty hands
    "placed with an empty hand": ("schaedler", "4/s1s1/4/S1S1[-] w 0 1", "S@d4"),
    "kills a free soldier": ("schaedler", "4/s1b1/4/S1S1[-] w 0 1", "xa3"),
    "kills its own bound soldier": ("schaedler", "4/s1b1/4/S1SB[-] w 0 1", "xd1"),
    "kills on an empty square": ("schaedler", "4/s1b1/4/S1SB[-] w 0 1", "xd4"),
    "moves a bound soldier": ("schaedler", "4/s1b1/4/S1SB[-] w 0 1", "d1d2"),
    "hops with a bound soldier": ("schaedler", "S2s/4/4/Bs2[-] w 0 1", "a1c1"),
    "hops over a friend": ("schaedler", "s3/4/4/SS1s[-] w 0 1", "a1c1"),
    "hops to an occupied square": ("schaedler", "S3/4/4/Sss1[-] w 0 1", "a1c1"),
    "two steps": ("schaedler", "4/s1s1/4/S1S1[-] w 0 1", "a1b1b2"),
    "a step, then a hop": ("schaedler", "S2s/4/4/S1s1[-] w 0 1", "a1b1d1"),
    "a hop, then a step": ("schaedler", "S2s/4/4/Ss2[-] w 0 1", "a1c1d1"),
    "slides two squares": ("schaedler", "4/s1s1/4/S1S1[-] w 0 1", "a1a3"),
    "ends where it started": ("schaedler", "S4/5/1s3/s1s2/Ss3[-] w 0 1", "a1c1c3a3a1"),
    "a pass in a game without passes": ("bell", "d5/6/6/6/6/S4D[-] w 0 1", "pass"),
    "two squares, bell": ("bell", "d5/6/6/6/6/S4D[-] w 0 1", "a1a3"),
    "a soldier jumps, bell": ("bell", "d5/6/6/s5/S5/5D[-] w 0 1", "a2a4"),
    "the dux jumps over a friend, bell": ("bell", "d5/6/6/6/6/4SD[-] w 0 1", "f1d1"),
    "continues without a capture, bell": ("bell", "d5/6/6/6/6/S4D[-] w 0 1", "a1a2a3"),
    "not along spoke or rim, rota": ("rota", "s1s/s2/SSS[-] w 0 1", "a1b3"),
    "from side to side, rota": ("rota", "sss/3/SSS[-] w 0 1", "b1b3"),
    "a2 and b1 are not neighbours, rota": ("rota", "sss/3/SSS[-] w 0 1", "b1a2"),
    "over the rim, rota": ("rota", "1ss/s2/SSS[-] w 0 1", "a1a3"),
}


def rejection(variant: str, fen: str, text: str, error: type[LatronesError]) -> str:
    position = cases.position(variant, fen)
    with pytest.raises(error) as caught:
        position.parse_move(text)
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 1_000
    assert position.fen() == fen
    return message


def test_malformed() -> None:
    assert MalformedMoveError.code == "malformed-move"
    for fen in (START, cases.DECIDED["latrones"]):
        for text in MALFORMED:
            assert quoted(text) in rejection("latrones", fen, text, MalformedMoveError)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_forms_that_are_never_legal(variant: str) -> None:
    assert IllegalMoveError.code == "illegal-move"
    for fen in (Position.start(find_variant(variant)).fen(), cases.MIDGAMES[variant], cases.DECIDED[variant]):
        for text in NOWHERE + LACKING[variant]:
            assert repr(text) in rejection(variant, fen, text, IllegalMoveError)


@pytest.mark.parametrize(("variant", "fen", "text"), ILLEGAL.values(), ids=ILLEGAL)
def test_illegal(variant: str, fen: str, text: str) -> None:
    assert repr(text) in rejection(variant, fen, text, IllegalMoveError)
    assert cases.position(variant, fen).legal_moves()


@pytest.mark.parametrize(("variant", "fen", "text", "kind", "squares"), [
    ("latrones", START, "d1d5", "move", ["d1", "d5"]),
    ("schaedler", "S2s/4/4/Ss2[-] w 0 1", "a1c1", "move", ["a1", "c1"]),
    ("schaedler", "4/s1b1/4/S1SB[-] w 0 1", "xc3", "kill", ["c3"]),
    ("schaedler", "S2s/4/2s1/Ss2[-] w 0 1", "a1c1c3", "chain", ["a1", "c1", "c3"]),
    ("rota", "3/1S1/3[2S3s] b 0 1", "S@a1", "placement", ["a1"]),
    ("bell", "6/6/6/6/6/SS4[1D1d] w 0 1", "D@c1", "placement", ["c1"]),
    ("ludii-museum-quintana", "SsSsSsSs/sSsSsSsS/" * 3 + "SsSsSsSs/sSsSsSsS w 0 1", "pass", "pass", []),
])
def test_kinds_and_squares(variant: str, fen: str, text: str, kind: str, squares: list[str]) -> None:
    position = Position.from_fen(variant, fen)
    move = position.parse_move(text)
    assert (move.kind, [position.geometry.square_name(square) for square in move.squares]) == (kind, squares)
    assert {type(move)} | set(map(type, position.legal_moves())) == {Move}


def test_is_legal_answers_for_moves_and_texts() -> None:
    game = Game(Position.from_fen("latrones", START))
    for asked in (game, game.position):
        assert all(asked.is_legal(move) and asked.is_legal(str(move)) for move in game.legal_moves())
        for text in ("d1c5", "a8a7", "d1d9", "0000", "zz", ""):
            assert not asked.is_legal(text)
        with pytest.raises(TypeError, match="move None: wrong type"):
            asked.is_legal(None)  # type: ignore[arg-type]
    for text in ["h1h2", "h8h7", "h2h1", "h7h8"] * 2:
        game.push(text)
    assert game.position.is_legal("d1d5")
    assert not game.is_legal("d1d5")


@pytest.mark.long
@pytest.mark.parametrize("text", ["a1" * 500_000, "e2e4" + " " * 1_000_000, "9" * 1_000_000], ids=range(3))
def test_rejected_at_any_length(text: str) -> None:
    error = IllegalMoveError if text.startswith("a1") else MalformedMoveError
    for variant in ("latrones", "bell"):
        rejection(variant, cases.MIDGAMES[variant], text, error)


def test_two_digit_ranks() -> None:
    position = cases.position("latrones", "/".join(["sssd", *["4"] * 10, "SSDS"]) + " w 0 1")
    assert position.named_move(position.parse_move("a1a11").packed) == "a1a11"
    after = position.play(position.parse_move("a1a10"))
    assert after.fen() == "/".join(["sssd", "4", "S3", *["4"] * 8, "1SDS"]) + " b 1 1"


@pytest.mark.parametrize(("files", "ranks"), SIZES)
def test_short_paths_are_read_like_all_moves(files: int, ranks: int) -> None:
    geometry, ruleset = geometry_of(files, ranks), find_variant("latrones")
    squares = [geometry.square_name(square) for square in range(geometry.squares)]
    for origin in squares:
        for to in (*squares[:: 1 + len(squares) // 40], squares[-1]):
            short = geometry.parse_short_path(origin + to)
            if len(origin + to) == 4:
                assert short == parse_move(geometry, ruleset, origin + to)
            else:
                assert short is None
    for text in (*MALFORMED, *NOWHERE, *PLACE_SOLDIER, *PLACE_DUX, *KILLS, *CHAINS, f"{squares[0]}z9"):
        if text not in ("a1a9", "h8k8", "k1k2"):  # on some of these boards
            assert geometry.parse_short_path(text) is None, text
