"""Evaluate positions with a net in Python; the result equals that of the C++ core.

Each unit is a 16-bit lane of one large integer, so that one addition adds an input to all units. Sums over the pieces
of one side are cached: most moves change one piece, so the sum of the other side is usually in the cache.
"""

import struct
from array import array
from collections.abc import Callable
from functools import lru_cache
from operator import mul
from typing import NamedTuple

from latrones_uci.engine.nets.file import DUX_SIDES, Net, places_and_turns, to_bytes, turned_directions
from latrones_uci.engine.python.evaluation import Evaluate, evaluator
from latrones_uci.engine.types import TABLE_PROVEN
from latrones_uci.game import Position
from latrones_uci.game.encoding import Board, dux_in_hand, pieces_in_hand, soldiers_in_hand
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.rules import Rules

_MAX_KEPT = 20_000
"""Number of cached sums over the pieces of a side."""
_OFFSET = 1 << 15
"""Added to each unit, so that lanes are never negative."""


def men_of(board: Board, geometry: Geometry) -> int:
    """Return the number of pieces of both sides, on the board and in hand."""
    in_hand = pieces_in_hand(board[8], 0) + pieces_in_hand(board[8], 1) if board[8] else 0
    return ((board[0] | board[1]) & geometry.base).bit_count() + in_hand


def net_evaluator(rules: Rules, net: Net, hand_written: Evaluate) -> Evaluate:
    """Return a function from boards to their evaluation with a net, in centi-soldiers for the player to move.

    It corrects the evaluation ``hand_written``.
    """
    correct, least_men, geometry = net_corrector(rules, net), net.least_men, rules.geometry

    def evaluate(board: Board) -> int:
        value = hand_written(board)
        if men_of(board, geometry) < least_men:
            return value
        return _clamped(value + correct(board))

    return evaluate


def _clamped(value: int) -> int:
    """Return a value that cannot be mistaken for a proven win."""
    return min(max(value, 1 - TABLE_PROVEN), TABLE_PROVEN - 1)


def threats(rules: Rules, own: int, opp: int, own_dux: int, opp_dux: int, empty: int) -> int:
    """Return the squares where a slide or step of ``own`` flanks enemies between two pieces, as single orientations.

    The arguments are wide sets of pieces that are not bound, both duces, and the empty squares.
    """
    landings = rules.captures.landings(own, opp, opp_dux, empty)
    if not landings:
        return 0
    reach, wide_at, found = rules.movement.reach(own, own_dux, empty), rules.geometry.wide_at, 0
    while landings:
        bit = landings & -landings
        landings ^= bit
        if wide_at[bit.bit_length() - 1] & reach:
            found |= bit
    return found


def net_corrector(rules: Rules, net: Net) -> Evaluate:
    """Return a function from boards to what a net adds to their evaluation, even with fewer men than its least."""
    geometry = rules.geometry
    hidden, layout, base = net.hidden, net.layout, geometry.base
    unpack = struct.Struct(f"<{hidden}H").unpack
    lane_bytes = 2 * hidden
    start = _lanes(net.biases, hidden)[0] + int.from_bytes(struct.pack("<H", _OFFSET) * hidden, "little")
    rows = _lanes(net.weights, hidden)
    activations = _activations(net.clip).__getitem__
    outputs = [
        [list(net.outputs[first : first + hidden]) for first in (2 * bucket * hidden, (2 * bucket + 1) * hidden)]
        for bucket in range(len(net.output_biases))
    ]
    buckets = [net.bucket_of(men) for men in range(2 * layout.squares + 1024)]
    pieces_sum = _sums_of_pieces(geometry, net, rows)
    _, turns = places_and_turns(layout.files, layout.ranks, net.orientation)
    turn_of = [turns[: layout.squares + 1], turns[layout.squares + 1 :]]

    def hands(hand: int, side: int) -> int:
        total = 0
        for other, colour in enumerate((side, side ^ 1)):
            if soldiers := min(soldiers_in_hand(hand, colour), layout.hand):
                total += rows[layout.hand_row + other * layout.hand + soldiers - 1]
            if layout.hand_dux_row >= 0 and dux_in_hand(hand, colour):
                total += rows[layout.hand_dux_row + other]
        return total

    def dux_sides(dux: int, other_dux: int, pieces: int) -> int:
        total, first = 0, layout.dux_sides_row
        for square in (dux, other_dux):
            if square >= 0:
                total += rows[first + (rules.near[square] & ~pieces).bit_count()]
            first += DUX_SIDES
        return total

    threat_rows = _rows_of_threats(geometry, net, rows) if layout.threat_row >= 0 else None

    def threats_sums(board: Board, turn: int, other_turn: int) -> tuple[int, int]:
        """Return the sums of the threats of both sides in both views."""
        assert threat_rows is not None
        own, opp, own_dux, opp_dux, _, _, _, bound, _ = board
        own_free, opp_free, empty = own & ~bound, opp & ~bound, rules.full ^ (own | opp)
        total = other_total = 0
        for owner, found in (
            (0, threats(rules, own_free, opp_free, own_dux, opp_dux, empty)),
            (1, threats(rules, opp_free, own_free, opp_dux, own_dux, empty)),
        ):
            rows_of_view, rows_of_other = threat_rows[turn][owner], threat_rows[other_turn][1 - owner]
            while found:
                bit = found & -found
                found ^= bit
                at = bit.bit_length() - 1
                total += rows_of_view[at]
                other_total += rows_of_other[at]
        return total, other_total

    def correct(board: Board) -> int:
        own, opp, own_dux, opp_dux, side, _, _, bound, hand = board
        own, opp, bound = own & base, opp & base, bound & base
        bucket = buckets[men_of(board, geometry)]
        turn, other_turn = turn_of[side][own_dux + 1], turn_of[side ^ 1][opp_dux + 1]
        view = start + pieces_sum(turn, 0, own, own_dux, bound) + pieces_sum(turn, 1, opp, opp_dux, bound)
        other_view = (
            start + pieces_sum(other_turn, 0, opp, opp_dux, bound) + pieces_sum(other_turn, 1, own, own_dux, bound))
        if hand:
            view += hands(hand, side)
            other_view += hands(hand, side ^ 1)
        if layout.dux_sides_row >= 0:
            view += dux_sides(own_dux, opp_dux, own | opp)
            other_view += dux_sides(opp_dux, own_dux, own | opp)
        if threat_rows is not None:
            sums = threats_sums(board, turn, other_turn)
            view += sums[0]
            other_view += sums[1]
        total = net.output_biases[bucket]
        for units, output in zip((view, other_view), outputs[bucket], strict=True):
            total += sum(map(mul, map(activations, unpack(units.to_bytes(lane_bytes, "little"))), output))
        return _clamped(total * net.multiplier >> 32)

    return correct


def _sums_of_pieces(geometry: Geometry, net: Net, rows: list[int]) -> Callable[[int, int, int, int, int], int]:
    """Return a function that adds up the rows of the pieces of one side.

    Its arguments are the number of the symmetry, 0 for the side of the view or 1 for its opponent, all pieces of the
    side, its dux (-1: none on the board), and the bound soldiers of both sides.
    """
    layout = net.layout
    places, _ = places_and_turns(layout.files, layout.ranks, net.orientation)
    kept: dict[tuple[int, int, int, int, int], int] = {}

    def pieces_sum(turn: int, other: int, pieces: int, dux: int, bound: int) -> int:
        bound &= pieces
        key = (turn, other, pieces, dux, bound)
        total = kept.get(key)
        if total is not None:
            return total
        if len(kept) >= _MAX_KEPT:
            kept.clear()
        place, first = places[turn], other * layout.squares
        total = 0
        for square in geometry.squares_of(pieces):
            if square == dux and layout.dux_row >= 0:
                total += rows[layout.dux_row + first + place[square]]
            elif bound and layout.bound_row >= 0 and geometry.wide[square] & bound:
                total += rows[layout.bound_row + first + place[square]]
            else:
                total += rows[first + place[square]]
        kept[key] = total
        return total

    return pieces_sum


def _rows_of_threats(geometry: Geometry, net: Net, rows: list[int]) -> list[tuple[list[int], ...]]:
    """Return the rows of threats by symmetry, owner (the side of the view, its opponent) and bit of the landing."""
    layout, squares = net.layout, geometry.squares
    places, _ = places_and_turns(layout.files, layout.ranks, net.orientation)
    found = []
    for place in places:
        numbers = [0] * geometry.width  # by bit: the row within an owner's threats, 0 where nothing can land
        for mask, turned in zip(geometry.lines, turned_directions(geometry, place), strict=True):
            for bit in range(1, geometry.width):
                # The threatened piece is before the landing, in the direction of the orientation.
                if mask >> bit & 1 and (victim := geometry.square_at[bit - 1]) >= 0:
                    numbers[bit] = turned * squares + place[victim]
        found.append(tuple([rows[first + number] for number in numbers]
                           for first in (layout.threat_row, layout.threat_row + 4 * squares)))
    return found


def _lanes(numbers: "array[int]", hidden: int) -> list[int]:
    """Return each row of ``hidden`` signed numbers as one integer: the sum of the numbers shifted to 16-bit lanes."""
    data, offset = to_bytes(numbers), int.from_bytes(struct.pack("<H", _OFFSET) * hidden, "little")
    size = 2 * hidden
    # A number plus the offset is its two's complement with the highest bit flipped.
    return [(int.from_bytes(data[at : at + size], "little") ^ offset) - offset for at in range(0, len(data), size)]


@lru_cache(maxsize=4)
def _activations(clip: int) -> list[int]:
    """Return the activations, indexed by the value of a unit plus the offset."""
    return [min(max(unit, 0), clip) ** 2 >> 1 for unit in range(-_OFFSET, _OFFSET)]


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
