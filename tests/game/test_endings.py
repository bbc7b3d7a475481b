"""The endings of the variants on constructed positions, their order, and results as values and text."""

import pytest

import cases
from latrones_uci.game import BLACK, DECISIONS, WHITE, Game, IllegalMoveError, Outcome, Position, Termination

W, B, DRAW = "p1win", "p2win", "draw"
DECIDED, NOCAPTURE, NOMOVE = "decided", "nocapture", "nomove"

# Board, the winner with White to move, and the winner with Black to move.
DUX_BOARDS = {
    "white has no dux": ("ssss/1d2/4/SSSS", B, B),
    "black has no dux": ("ssss/4/1D2/SSSS", W, W),
    "white has no soldier": ("ssss/1d2/1D2/4", B, B),
    "black has no soldier": ("4/1d2/1D2/SSSS", W, W),
    "white's dux is blocked by enemies": ("4d/2s2/1sDs1/2s2/4S", B, B),
    "white's dux is blocked by its own side": ("4d/2S2/1SDS1/2S2/4s", B, B),
    "white's dux is blocked at the edge": ("4d/5/5/s4/Ds2S", B, B),
    "black's dux is blocked by both sides": ("4D/2s2/1SdS1/2s2/5", W, W),
    "black's dux is blocked with the help of the other dux": ("4S/4s/2SSd/4D/5", W, W),
    # Both have lost: the player who is not to move wins.
    "an empty board": ("4/4/4/4", B, W),
    "no white dux, no black soldier": ("d3/4/4/SSSS", B, W),
    "no white soldier, black's dux blocked": ("ds2/s3/4/2D1", B, W),
    "both duces blocked": ("ds2/S3/3s/2SD", B, W),
}
UNDECIDED_BOARDS = ["ssss/1d2/1D2/SSSS", "d3s/5/5/5/S3D", "3Sd/5/5/S4/D1s2", "dS2/4/1sSS/DS1s"]

# Variant, board and hand, the ending with White to move, and the ending with Black to move.
BOARDS = {
    # too few soldiers
    "petteia: white has one soldier": ("petteia-xxi", "ssss/4/4/4/S3", (B, DECIDED), (B, DECIDED)),
    "petteia: two soldiers are enough": ("petteia-xxi", "ss2/4/4/4/SS2", None, None),
    "single stone: white has none": ("single-stone-xxi", "ss2/4/4/4", (B, DECIDED), (B, DECIDED)),
    "schaedler: white has one soldier": ("schaedler", "s2s/4/4/S3[-]", (B, DECIDED), (B, DECIDED)),
    "schaedler: a bound soldier counts": ("schaedler", "s2s/4/4/S2B[-]", None, None),
    "bell: white has nothing": ("bell", "d5/6/6/6/6/6[-]", (B, DECIDED), (B, DECIDED)),
    "bell: a dux is enough": ("bell", "d5/6/6/6/6/5D[-]", None, None),
    # a line on the wheel
    "rota: white's line up the middle": ("rota", "sS1/sS1/1Ss[-]", (W, DECIDED), (W, DECIDED)),
    "rota: black's line from side to side": ("rota", "1S1/sss/S1S[-]", (B, DECIDED), (B, DECIDED)),
    "rota: three along the rim are not a line": ("rota", "sss/3/SSS[-]", None, None),
    # no legal move
    "petteia: white is blocked": ("petteia-xxi", "4/4/s3/Ss2/SSs1", (B, NOMOVE), None),
    "petteia: white is locked": ("petteia-xxi", "4/1ss1/1Ss1/sSss/2s1", (B, NOMOVE), None),
    "petteia: a full board": ("petteia-xxi", "sSsS/SsSs/sSsS/SsSs/sSsS", (B, NOMOVE), (W, NOMOVE)),
    "schaedler: all of white's soldiers are bound": ("schaedler", "4/s3/BsB1/sss1[-]", (B, NOMOVE), None),
    "schaedler: a kill is left": ("schaedler", "4/s3/BsB1/sbs1[-]", None, None),
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

# Variant, position, move, position after it, ending.
PLAYED = {
    "petteia: the second-last soldier is captured": (
        "petteia-xxi", "s3/4/4/S3/1sS1 w 7 9", "a2a1", "s3/4/4/4/S1S1 b 0 9", (W, DECIDED),
    ),
    "schaedler: a soldier of the last two is killed": (
        "schaedler", "s3/4/4/SbS1[-] w 7 9", "xb1", "s3/4/4/S1S1[-] b 0 9", (W, DECIDED),
    ),
    "schaedler: the last placement may bind, and so leave no move": (
        "schaedler", "4/s3/S2S/s2s[1s] b 0 8", "S@d3", "4/s2s/B2B/s2s[-] w 0 9", (B, NOMOVE),
    ),
    "bell: the dux is captured and the game continues": (
        "bell", "s5/6/6/6/5S/3Sd1[-] w 7 9", "f2f1", "s5/6/6/6/6/3S1S[-] b 0 9", None,
    ),
    "bell: the dux was last": ("bell", "6/6/6/6/5S/3Sd1[-] w 7 9", "f2f1", "6/6/6/6/6/3S1S[-] b 0 9", (W, DECIDED)),
    "bell: thirty plies, more pieces": (
        "bell", "sd4/6/6/6/6/SSS3[-] w 29 9", "a1a2", "sd4/6/6/6/S5/1SS3[-] b 30 9", (W, NOCAPTURE),
    ),
    "bell: thirty plies, equal numbers": (
        "bell", "sd4/6/6/6/6/SS4[-] w 29 9", "a1a2", "sd4/6/6/6/S5/1S4[-] b 30 9", (DRAW, NOCAPTURE),
    ),
    "rota: a line while placing": ("rota", "1S1/1Ss/s2[1S1s] w 0 3", "S@b1", "1S1/1Ss/sS1[1s] b 0 3", (W, DECIDED)),
    "rota: a line through the centre": ("rota", "s1s/S1S/Ss1[-] w 7 8", "a1b2", "s1s/SSS/1s1[-] b 8 8", (W, DECIDED)),
    # the order
    "the limit before no move": (
        "petteia-xxi", "4/s3/4/Ss2/SSs1 b 99 9", "a4a3", "4/4/s3/Ss2/SSs1 w 100 10", (DRAW, NOCAPTURE),
    ),
    "no move before the limit is reached": (
        "petteia-xxi", "4/s3/4/Ss2/SSs1 b 98 9", "a4a3", "4/4/s3/Ss2/SSs1 w 99 10", (B, NOMOVE),
    ),
    "schaedler: the fourth round of marks is the last": (
        "schaedler", "BsS1S/1Ss1b/ssSb1/1BS2[-] w 0 1", "c1d1", "SbS1S/1Sb1s/sbSs1/1S1S1[-] b 1 1", None,
    ),
    "schaedler: marks that never settle": (
        "schaedler", "1S1Ss/sbSss/SssBs/b1SbS[-] w 0 1", "a2a4", "SS1Ss/ssSbs/1ssBs/s1SbS[-] b 1 1", None,
    ),
    # duces
    "the dux is captured": ("latrones", "dS3/5/5/S1D2/4s w 99 1", "a2a4", "1S3/S4/5/2D2/4s b 0 1", (W, DECIDED)),
    "the dux is immobilised": (
        "latrunculi-classical", "dS3/5/5/S1D2/4s w 99 1", "a2a4", "dS3/S4/5/2D2/4s b 100 1", (W, DECIDED),
    ),
    "black immobilises the dux": (
        "latrunculi-classical", "3sD/5/4d/5/2s1S b 7 1", "e3e4", "3sD/4d/5/5/2s1S w 8 2", (B, DECIDED),
    ),
    "the second-last soldier is captured": (
        "latrones", "d3s/5/5/1D3/S1sS1 w 99 1", "a1b1", "d3s/5/5/1D3/1S1S1 b 0 1", None,
    ),
    "a hundred plies without a capture": (
        "latrones", "d3s/5/5/1D3/S1sS1 w 99 80", "a1a2", "d3s/5/5/SD3/2sS1 b 100 80", (DRAW, NOCAPTURE),
    ),
}


def outcome(position: Position) -> tuple[str, str] | None:
    """Return name and reason of the result, and check that position and game agree on it."""
    result, game = position.outcome(), Game(position)
    assert game.outcome() == result
    assert game.legal_moves() == position.legal_moves()
    assert bool(position.legal_moves()) == (result is None)
    return result and (result.name, result.termination.value)


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_positions_with_duces(variant: str) -> None:
    for counters in ("0 1", "99 60", "100 60"):
        for board, *winners in DUX_BOARDS.values():
            for side, winner in zip("wb", winners, strict=True):
                position = cases.position(variant, f"{board} {side} {counters}")
                assert outcome(position) == (winner, DECIDED), position
                with pytest.raises(IllegalMoveError):
                    position.parse_move("a1a2")
    for board in UNDECIDED_BOARDS:
        for side in "wb":
            assert outcome(cases.position(variant, f"{board} {side} 0 1")) is None


@pytest.mark.parametrize(("variant", "board", "white_to_move", "black_to_move"), BOARDS.values(), ids=BOARDS)
def test_positions(
    variant: str, board: str, white_to_move: tuple[str, str] | None, black_to_move: tuple[str, str] | None
) -> None:
    assert outcome(cases.position(variant, f"{board} w 0 1")) == white_to_move
    assert outcome(cases.position(variant, f"{board} b 0 1")) == black_to_move


@pytest.mark.parametrize(("variant", "fen", "move", "after", "ending"), PLAYED.values(), ids=PLAYED)
def test_ending_by_a_move(variant: str, fen: str, move: str, after: str, ending: tuple[str, str] | None) -> None:
    game = Game(cases.position(variant, fen))
    assert game.outcome() is None
    game.push(move)
    assert game.position.fen() == after
    assert outcome(game.position) == ending
    assert game.outcome() == game.position.outcome()


@pytest.mark.parametrize(("variant", "fen", "ending"), [
    # no empty square
    ("schaedler", "sSsS/SsSs/sSsS/SsSs[8S8s] w 0 1", (B, NOMOVE)),
    ("schaedler", "sSsS/SsSs/sSsS/SsSs[8s7S] b 0 1", (W, NOMOVE)),
    ("rota", "sSs/SsS/SsS[2S2s] w 0 1", (B, NOMOVE)),
    ("bell", f"{'/'.join(['SSSsss'] * 6)}[2S1D2s1d] w 0 1", (DRAW, NOMOVE)),
    # the counter of the FEN
    ("schaedler", "4/4/4/4[8S8s] w 100 1", (DRAW, NOCAPTURE)),
    ("bell", "S5/6/6/6/6/6[16S1D16s1d] w 30 1", (W, NOCAPTURE)),
    ("bell", "S5/6/6/6/6/6[16S1D16s1d] w 29 1", None),
])
def test_during_placement(variant: str, fen: str, ending: tuple[str, str] | None) -> None:
    assert outcome(cases.position(variant, fen)) == ending


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_blocking_ones_own_dux_is_illegal_even_to_win(variant: str) -> None:
    """Landing on a4 occupies the last empty neighbour of both duces."""
    position = cases.position(variant, "dS3/4S/DS3/S4/4s w 0 1")
    with pytest.raises(IllegalMoveError, match="e4a4"):
        position.parse_move("e4a4")
    assert position.parse_move("e4b4") in position.legal_moves()


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_the_counter_of_a_fen_counts(variant: str) -> None:
    limit = {"bell": 30, "rota": 0}.get(variant, 100)
    midgame = cases.MIDGAMES[variant]
    assert cases.find_variant(variant).nocapture_limit == limit
    for nocapture in (29, 30, 31, 99, 100, 9998):
        result = cases.position(variant, midgame.replace(" 9 30", f" {nocapture} 60")).outcome()
        assert (result and result.termination.value) == (NOCAPTURE if limit and nocapture >= limit else None)


@pytest.mark.parametrize(("variant", "fen", "winner", "reason"), [
    ("latrones", "1S3/S4/5/2D2/4s b 0 1", WHITE, "dux captured"),
    ("latrones", "1S3/S4/5/2D2/4s w 0 1", WHITE, "dux captured"),
    ("latrones", "dS3/S4/5/2D2/4s b 0 1", WHITE, "dux immobilised"),
    ("latrunculi-classical", "dS3/S4/5/5/2D1s b 100 1", WHITE, "dux immobilised"),
    ("latrunculi-classical", "3sD/4d/5/5/2s1S w 8 2", BLACK, "dux immobilised"),
    ("latrones", "d4/5/5/1D3/1S1S1 b 0 1", WHITE, "too few pieces"),
    ("petteia-xxi", "ssss/4/4/4/S3 w 0 1", BLACK, "too few pieces"),
    ("bell", "6/6/6/6/6/S5[-] b 0 9", WHITE, "too few pieces"),
    ("rota", "sS1/sS1/1Ss[-] b 0 9", WHITE, "three in a line"),
])
def test_what_decides_a_game_is_named(variant: str, fen: str, winner: int, reason: str) -> None:
    result = Position.from_fen(variant, fen).outcome()
    assert result == Outcome(Termination.DECIDED, winner, reason)
    assert str(result) == f"{'White' if winner == WHITE else 'Black'} wins ({reason})"
    assert reason in DECISIONS


def test_outcome_is_a_value() -> None:
    white = Outcome(Termination.DECIDED, WHITE)
    assert white == Outcome(Termination.DECIDED, 0) != Outcome(Termination.DECIDED, BLACK)
    assert white != Outcome(Termination.NO_MOVE, WHITE)
    assert hash(white) == hash(Outcome(Termination.DECIDED, WHITE))
    with pytest.raises(AttributeError):
        white.winner = BLACK  # type: ignore[misc]


@pytest.mark.parametrize(("termination", "winner", "details", "name", "result", "text"), [
    (Termination.DECIDED, WHITE, "", "p1win", "1-0", "White wins (decided)"),
    (Termination.DECIDED, WHITE, "too few pieces", "p1win", "1-0", "White wins (too few pieces)"),
    (Termination.NO_MOVE, BLACK, "", "p2win", "0-1", "Black wins (nomove)"),
    (Termination.REPETITION, None, "", "draw", "1/2-1/2", "Draw (repetition)"),
    (Termination.NO_CAPTURE, None, "", "draw", "1/2-1/2", "Draw (nocapture)"),
    (Termination.CRASH, BLACK, "White: killed by signal 9", "p2win", "0-1",
     "Black wins (crash: White: killed by signal 9)"),
    (Termination.ADJUDICATION, None, "400 plies", "draw", "1/2-1/2", "Draw (adjudication: 400 plies)"),
    (Termination.INTERRUPTED, None, "", "draw", "*", "Unfinished (interrupted)"),
])
def test_outcome_as_text(
    termination: Termination, winner: int | None, details: str, name: str, result: str, text: str
) -> None:
    outcome = Outcome(termination, winner, details)
    assert (outcome.name, outcome.result, str(outcome)) == (name, result, text)


def test_terminations_by_the_rules() -> None:
    by_rules = {each for each in Termination if each.by_rules}
    assert by_rules == {Termination.DECIDED, Termination.REPETITION, Termination.NO_CAPTURE, Termination.NO_MOVE}
