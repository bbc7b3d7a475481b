"""Evaluate positions with a net in Python; the result equals that of the C++ core."""

from itertools import compress, repeat
from operator import getitem, mul
from typing import NamedTuple

from latrones_uci.engine.nets.file import Net, places_and_turns
from latrones_uci.engine.nets.lanes import HandRows, Lanes, Pairs, dux_sides_rows
from latrones_uci.engine.python.evaluation import Evaluate, evaluator
from latrones_uci.engine.types import TABLE_PROVEN
from latrones_uci.game import Position
from latrones_uci.game.encoding import Board, men_of, pieces_in_hand
from latrones_uci.game.rules import Rules

_MAX_KEPT = 50_000
"""Maximum number of evaluations that are kept. A fifth of those that a search needs are of positions seen before."""


def net_evaluator(rules: Rules, net: Net, hand_written: Evaluate) -> Evaluate:
    """Return a function from boards to their evaluation with a net, in centi-soldiers for the player to move.

    It corrects the evaluation ``hand_written``. Boards with the same key have the same evaluation.
    """
    correct, least_men, geometry = net_corrector(rules, net), net.least_men, rules.geometry
    kept: dict[int, int] = {}

    def evaluate(board: Board) -> int:
        key = board[5]
        value = kept.get(key)
        if value is None:
            value = hand_written(board)
            if not least_men or men_of(board, geometry) >= least_men:
                value += correct(board)
                if not -TABLE_PROVEN < value < TABLE_PROVEN:
                    value = _clamped(value)
            if len(kept) >= _MAX_KEPT:
                kept.clear()
            kept[key] = value
        return value

    return evaluate


def _clamped(value: int) -> int:
    """Return a value that cannot be mistaken for a proven win."""
    return min(max(value, 1 - TABLE_PROVEN), TABLE_PROVEN - 1)


def net_corrector(rules: Rules, net: Net) -> Evaluate:
    """Return a function from boards to what a net adds to their evaluation, even with fewer men than its least."""
    layout, lanes = net.layout, Lanes(net)
    tops, room, size = lanes.tops, lanes.room, lanes.bytes
    pairs, hands = Pairs(rules.geometry, net, lanes), HandRows(layout, lanes)
    has_dux_sides, has_threats = layout.dux_sides_row >= 0, layout.threat_row >= 0
    own_sides, opp_sides = (dux_sides_rows(layout, lanes, owner) if has_dux_sides else [] for owner in (0, 1))
    buckets = [net.bucket_of(men) for men in range(2 * layout.squares + 1024)]
    output_biases, multiplier = net.output_biases, net.multiplier
    outputs = [list(net.outputs[first : first + size // 2]) for first in range(0, len(net.outputs), size // 2)]
    activation_of = [min(unit, net.clip) ** 2 >> 1 for unit in range(256)]
    _, turns = places_and_turns(layout.files, layout.ranks, net.orientation)
    turn_of = [turns[: layout.squares + 1], turns[layout.squares + 1 :]]
    near, full, landings_of, reach_of = rules.near, rules.full, rules.captures.landings, rules.movement.reach

    def correct(board: Board) -> int:
        own, opp, own_dux, opp_dux, side, _, _, bound, hand = board
        own_sums, opp_sums, own_threats, opp_threats = pairs[turn_of[side][own_dux + 1], turn_of[side ^ 1][opp_dux + 1]]
        units = own_sums[own, own_dux, own & bound] + opp_sums[opp, opp_dux, opp & bound]
        occupied = own | opp
        empty, men = full ^ occupied, occupied.bit_count() >> 2
        if hand:
            units += hands[hand, side]
            men += pieces_in_hand(hand, 0) + pieces_in_hand(hand, 1)
        if has_dux_sides:
            if own_dux >= 0:
                units += own_sides[(near[own_dux] & empty).bit_count()]
            if opp_dux >= 0:
                units += opp_sides[(near[opp_dux] & empty).bit_count()]
        if has_threats:
            if bound:
                own, opp = own & ~bound, opp & ~bound
            if landings := landings_of(own, opp, opp_dux, empty):
                reach = reach_of(own, own_dux, empty)
                for landing, row in own_threats[landings]:
                    if landing & reach:
                        units += row
            if landings := landings_of(opp, own, own_dux, empty):
                reach = reach_of(opp, opp_dux, empty)
                for landing, row in opp_threats[landings]:
                    if landing & reach:
                        units += row
        # Clip all lanes to bytes: to 0 those without the highest bit, which are negative, and to 255 those above it.
        positive = units & tops
        units &= positive - (positive >> 15)
        above = units + room & tops
        clipped = (units | (above >> 7) - (above >> 15)).to_bytes(size, "little")[::2]
        bucket = buckets[men]
        activations = map(getitem, repeat(activation_of), clipped.translate(None, b"\0"))
        total = output_biases[bucket] + sum(map(mul, activations, compress(outputs[bucket], clipped)))
        correction = total * multiplier >> 32
        return correction if -TABLE_PROVEN < correction < TABLE_PROVEN else _clamped(correction)

    return correct


# ---------------------------------------------------------------- for people


class NetEvaluation(NamedTuple):
    """The evaluation of a position with a net, for display."""

    title: str
    card: str
    """What is known about the net, see ``find.Found``."""
    hand_written: int
    """The hand-written evaluation in centi-soldiers, for the player to move."""
    correction: int
    """What the net adds to it."""
    total: int
    shares: tuple[tuple[int, str, int | None], ...]
    """For each piece, rank by rank from the top, its square, its letter, and the evaluation with it minus the
    evaluation without it; None for a dux that cannot be removed from the game."""
    files: int
    ranks: int


def net_evaluation(position: Position, net: Net, card: str = "") -> NetEvaluation:
    """Return the evaluation of a position with the share of each piece. It has at least ``net.least_men`` men."""
    geometry, board = position.geometry, position.board
    by_hand, correct = evaluator(position.rules), net_corrector(position.rules, net)

    def value(board: Board) -> int:  # whatever the number of men, also after a piece is removed
        return _clamped(by_hand(board) + correct(board))

    hand_written, correction = by_hand(board), correct(board)
    total = _clamped(hand_written + correction)
    own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand = board
    shares = []
    for square in range(geometry.squares):
        letter = position.piece_at(square)
        if not letter:
            continue
        bit = geometry.wide[square]
        share = None
        if square not in (own_dux, opp_dux) or position.ruleset.dux_fate == "ordinary":
            without = (own & ~bit, opp & ~bit, -1 if square == own_dux else own_dux,
                       -1 if square == opp_dux else opp_dux, side, key, nocapture, bound & ~bit, hand)
            share = total - value(without)
        shares.append((square, letter, share))
    return NetEvaluation(
        str(net), card, hand_written, correction, total, tuple(shares), geometry.files, geometry.ranks)
