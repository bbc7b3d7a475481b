"""The static evaluation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cases import VARIANTS
from effort import at_most
from latrones_uci.engine.python.evaluation import LAST_MEN_FACTOR, Weights, evaluator, terms, weights_of
from latrones_uci.game import Position, find_variant
from search_help.positions import random_positions


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_evaluation_is_the_antisymmetric_sum_of_the_terms(variant: str) -> None:
    for position in random_positions(variant, at_most(200), seed=4):
        evaluate = evaluator(position.rules)
        assert evaluate(position.board) == terms(position.rules, position.board).total
        own, opp, own_dux, opp_dux, side, *rest = position.board
        assert evaluate((opp, own, opp_dux, own_dux, side ^ 1, *rest)) == -evaluate(position.board)


# Variant, FEN, and its terms calculated by hand from the weights.
CALCULATED: dict[str, tuple[str, str, Callable[[Weights], dict[str, int]]]] = {
    # White slides: a1: a2 a3 a4 b1 c1 d1; c2: a2 b2 d2 c1 c3. Black: c4: a4 b4 d4 c3. The dux on c2 has four open
    # sides, the one on c4 three.
    "a soldier more": ("latrones", "2d1/4/2D1/S3 w 0 1", lambda w: {
        "material": w.soldier, "mobility": w.slide * (6 + 5 - 4), "threats": 0,
        "dux_safety": w.dux_sides[4] - w.dux_sides[3],
    }),
    # Nearest enemies: d4 and d6 are 2 steps apart, e4 and d6 are 3 steps apart, a1 and h8 are too far away to count;
    # their weights for the edge cancel out.
    "pursuit": ("schaedler", "7s/8/3s4/8/3SS3/8/8/S7[-] w 0 1", lambda w: {
        "pursuit": w.pursuit * (2 + 2 + 1) + w.pursued_edge}),
    "equal numbers": ("schaedler", "8/8/3s4/4s3/3S4/8/8/S7[-] w 0 1", lambda w: {"pursuit": w.edge}),
    # Black has two men on the edge, White three. Steps nearer than four: d1 2; b2 1, b1 2, a1 1. On this board a piece
    # has at most 6 slides; d4 has 5 (a4 b4 c4 d3 d2), d1 has 3 (c1 d2 d3).
    "the last sliding pieces are driven": ("latrones", "3d/4/1D2/SS1s w 0 1", lambda w: {
        "pursuit": w.pursuit * 6 + LAST_MEN_FACTOR * (w.pursued_edge * 2 + w.hemmed * (12 - 8) // 2)}),
    "to move": ("latrones", "3d/4/1D2/SS1s b 0 1", lambda w: {
        "pursuit": -w.pursuit * 6 - LAST_MEN_FACTOR * (w.pursued_edge * 2 + w.hemmed * (12 - 8) // 2)}),
    # On this board a piece has at most 18 slides; the dux on l8 has 7 (k8 and l7 to l2), 2 steps away from j8.
    "the last two men are driven harder": ("ludii-kowalski-12x8", "9S1d/12/12/12/12/12/12/D10S w 0 1", lambda w: {
        "pursuit": w.pursuit * 4 + LAST_MEN_FACTOR * (w.pursued_edge + w.hemmed * (18 - 7))}),
    # With soldiers on a8 and d8, which have 8 and 14 slides and are too far away, they are three.
    "than three": ("ludii-kowalski-12x8", "s2s5S1d/12/12/12/12/12/12/D4S5S w 0 1", lambda w: {
        "pursuit": w.pursuit * 4 + w.pursued_edge * 3 + w.hemmed * (3 * 18 - 7 - 8 - 14) // 3}),
    # Black has two men of the eight up to which it is pursued. Steps nearer than four: d4 3, e4 2 and f4 1 to c4; c4 3
    # and a4 1 to d4. Both sides have one man on the edge, f4 and a4.
    "hunted pieces": ("ludii-seega-6x6", "6/6/s1sSSS/6/6/6[-] w 0 40", lambda w: {
        "pursuit": w.pursuit * (3 + 2 + 1 + 3 + 1) + w.pursued_edge + w.captured * (8 - 2)}),
}


@pytest.mark.parametrize(("variant", "fen", "expected"), CALCULATED.values(), ids=CALCULATED)
def test_terms_calculated_by_hand(variant: str, fen: str, expected: Callable[[Weights], dict[str, int]]) -> None:
    position = Position.from_fen(variant, fen)
    found, weights = terms(position.rules, position.board), weights_of(position.ruleset)
    for term, value in expected(weights).items():
        assert getattr(found, term) == value


def test_more_men_are_hunted_on_large_boards() -> None:
    # 176 squares: 22 men are pursued, 23 are not.
    game = find_variant("ludii-seega-16x11")
    ranks = "/".join(["16"] * 7)
    pursued, free = (
        Position.from_fen(game, f"1SSSSSSSSSSSSSS1/1SSSSSSSSSSSSSS1/{ranks}/1ssssssssss5/1{last}[-] w 0 200")
        for last in ("ssssssssssss3", "sssssssssssss2")
    )
    weights = weights_of(game)
    assert terms(pursued.rules, pursued.board).pursuit > 0
    assert terms(free.rules, free.board).pursuit == weights.edge * (14 - 13)


@pytest.mark.parametrize("fen", [
    # c1-d1 captures e1
    "4ss7s2/3ss1sss2sss2/2s1sSss2ssS1ss/s2s1ss4sss2/ss3s6ss2/"
    "Ssss12/Sss7s1s3/ss7s1s1s2/s2ss2s4s1s1/3ss3s4s1s/1ss1Sss9 b",
    # f10-f11 captures e11
    "2SSs1SS1SSssSS1/4SSS3SSSS1S/S2S1S5SS1S1/SS9S1S2/sSS9S1S1/1SS5S4S2/SS8S3S1/S8S3S2/8S3S1S1/4S2S1S1S1S2/16 w",
])
def test_capturing_pays_where_many_men_are_near(fen: str) -> None:
    position = Position.from_fen(find_variant("ludii-seega-16x11"), fen.replace(" ", "[-] ") + " 0 200")
    evaluate = evaluator(position.rules)
    now = evaluate(position.board)
    captures = [move for move in position.legal_moves() if position.captures(move)]
    assert captures
    assert all(-evaluate(position.after(move).board) > now for move in captures)


def test_weights_of_games_without_pursuit() -> None:
    """Sliding pieces that lock are not driven; where most men win at the limit, moves do not count."""
    assert weights_of(find_variant("latrones")).hemmed > 0
    assert weights_of(find_variant("ludii-seega-6x6")).captured > 0
    for variant in ("latrunculi-xxi", "petteia-xxi", "single-stone-xxi"):
        assert not weights_of(find_variant(variant)).pursues
    for variant in ("bell", "ludii-bell-7x8"):
        weights = weights_of(find_variant(variant))
        assert weights.threat > weights_of(find_variant("ludii-piso")).threat
        assert (weights.step, weights.pursued_edge, weights.pursuit, weights.hemmed) == (0, 0, 0, 0)
