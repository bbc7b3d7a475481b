"""The endings of the variants with a decisive dux, on constructed positions."""

import pytest

import cases
from grouped import grouped, product
from latrones_uci.game import BLACK, DECISIONS, WHITE, Game, IllegalMoveError, Outcome, Position, Termination

W, B = "p1win", "p2win"

# Board, the winner with White to move, and the winner with Black to move.
DECIDED_BOARDS = {
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
    "no duces": ("ssss/4/4/SSSS", B, W),
    "no soldiers": ("4/1d2/1D2/4", B, W),
    "no white dux, no black soldier": ("d3/4/4/SSSS", B, W),
    "no white soldier, black's dux blocked": ("ds2/s3/4/2D1", B, W),
    "both duces blocked": ("ds2/S3/3s/2SD", B, W),
    "a full board": ("ssss/sdss/SSDS/SSSS", B, W),
}


def outcome(position: Position) -> tuple[str, str] | None:
    """Return name and reason of the result, and check that position and game agree on it."""
    result, game = position.outcome(), Game(position)
    assert game.outcome() == result
    assert game.legal_moves() == position.legal_moves()
    if result is None:
        assert position.legal_moves()
        return None
    assert position.legal_moves() == []
    with pytest.raises(IllegalMoveError):
        position.parse_move("a1a2")
    return result.name, result.termination.value


@grouped("variant, what, counters", product(cases.DUX_GAMES, DECIDED_BOARDS, ["0 1", "99 60", "100 60", "9999 9999"]))
def test_decided_positions(variant: str, what: str, counters: str) -> None:
    board, white_to_move, black_to_move = DECIDED_BOARDS[what]
    assert outcome(cases.position(variant, f"{board} w {counters}")) == (white_to_move, "decided")
    assert outcome(cases.position(variant, f"{board} b {counters}")) == (black_to_move, "decided")


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
@pytest.mark.parametrize("board", ["ssss/1d2/1D2/SSSS", "d3s/5/5/5/S3D", "3Sd/5/5/S4/D1s2", "dS2/4/1sSS/DS1s"])
def test_undecided_positions(variant: str, board: str) -> None:
    for side in "wb":
        assert outcome(cases.position(variant, f"{board} {side} 0 1")) is None


# Variant, position, move, position after it, result.
PLAYED = {
    "the dux is captured": ("latrones", "dS3/5/5/S1D2/4s w 99 1", "a2a4", "1S3/S4/5/2D2/4s b 0 1", (W, "decided")),
    "the dux is immobilised": (
        "latrunculi-classical", "dS3/5/5/S1D2/4s w 99 1", "a2a4", "dS3/S4/5/2D2/4s b 100 1", (W, "decided"),
    ),
    "black captures the dux": ("latrones", "3sD/5/4d/5/2s1S b 7 1", "c1c4", "3sD/2s2/4d/5/4S w 8 2", None),
    "black immobilises the dux": (
        "latrunculi-classical", "3sD/5/4d/5/2s1S b 7 1", "e3e4", "3sD/4d/5/5/2s1S w 8 2", (B, "decided"),
    ),
    "the last soldier is captured": (
        "latrones", "d4/5/5/1D3/S1sS1 w 99 1", "a1b1", "d4/5/5/1D3/1S1S1 b 0 1", (W, "decided"),
    ),
    "the last soldier is captured, classical": (
        "latrunculi-classical", "d4/5/5/1D3/S1sS1 w 99 1", "a1b1", "d4/5/5/1D3/1S1S1 b 0 1", (W, "decided"),
    ),
    "the second-last soldier is captured": (
        "latrones", "d3s/5/5/1D3/S1sS1 w 99 1", "a1b1", "d3s/5/5/1D3/1S1S1 b 0 1", None,
    ),
    "a hundred plies without a capture": (
        "latrones", "d3s/5/5/1D3/S1sS1 w 99 80", "a1a2", "d3s/5/5/SD3/2sS1 b 100 80", ("draw", "nocapture"),
    ),
    "a hundred plies without a capture, classical": (
        "latrunculi-classical", "d3s/5/5/1D3/S1sS1 b 99 80", "e5e4", "d4/4s/5/1D3/S1sS1 w 100 81",
        ("draw", "nocapture"),
    ),
    "ninety-nine plies without a capture": (
        "latrones", "d3s/5/5/1D3/S1sS1 w 98 80", "a1a2", "d3s/5/5/SD3/2sS1 b 99 80", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", PLAYED)
def test_ending_by_a_move(what: str) -> None:
    variant, fen, move, after, expected = PLAYED[what]
    game = Game(cases.position(variant, fen))
    game.play(game.position.parse_move(move))
    assert game.position.fen() == after
    assert outcome(game.position) == expected
    result = game.outcome()
    assert (result and (result.name, result.termination.value)) == expected


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_blocking_ones_own_dux_is_illegal_even_to_win(variant: str) -> None:
    """Landing on a4 occupies the last empty neighbour of both duces."""
    position = cases.position(variant, "dS3/4S/DS3/S4/4s w 0 1")
    with pytest.raises(IllegalMoveError, match="e4a4"):
        position.parse_move("e4a4")
    assert position.parse_move("e4b4") in position.legal_moves()


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
@pytest.mark.parametrize("nocapture", [100, 101, 9999])
def test_counter_at_or_above_the_limit(variant: str, nocapture: int) -> None:
    for side in "wb":
        fen = cases.START_8X8.replace("w 0 1", f"{side} {nocapture} 60")
        assert outcome(cases.position(variant, fen)) == ("draw", "nocapture")


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
])  # fmt: skip
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
])  # fmt: skip
def test_outcome_as_text(
    termination: Termination, winner: int | None, details: str, name: str, result: str, text: str
) -> None:
    outcome = Outcome(termination, winner, details)
    assert (outcome.name, outcome.result, str(outcome)) == (name, result, text)


def test_terminations_by_the_rules() -> None:
    by_rules = {each for each in Termination if each.by_rules}
    assert by_rules == {Termination.DECIDED, Termination.REPETITION, Termination.NO_CAPTURE, Termination.NO_MOVE}
