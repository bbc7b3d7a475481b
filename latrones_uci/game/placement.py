"""Placement of pieces from the hand."""

from collections.abc import Iterator

from latrones_uci.game.encoding import (
    BLACK,
    PLACE_DUX,
    PLACE_SOLDIER,
    SIDE_NAMES,
    SOLDIERS_IN_HAND,
    WHITE,
    PackedMove,
    dux_in_hand,
    pack_hand,
    soldiers_in_hand,
)
from latrones_uci.game.geometry import Geometry
from latrones_uci.game.ruleset import Ruleset


class Placement:
    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        self._ruleset, self._geometry = ruleset, geometry
        self._allowed = geometry.full
        if ruleset.barred != "none":
            self._allowed &= ~geometry.wide[geometry.middle]
        self._order = frozenset(self._soldier_order())

    def start(self) -> int:
        duces = int(self._ruleset.dux == "hand")
        return pack_hand((self._ruleset.hand, self._ruleset.hand), (duces, duces))

    def moves(self, occupied: int, hand: int, side: int) -> list[PackedMove]:
        if hand & SOLDIERS_IN_HAND:
            kind, count = PLACE_SOLDIER, soldiers_in_hand(hand, side)
        else:
            kind, count = PLACE_DUX, dux_in_hand(hand, side)
        if not count:
            return []
        return [kind | square for square in self._geometry.squares_of(self._allowed & ~occupied)]

    def hand_after(self, hand: int, side: int, kind: PackedMove) -> int:
        return hand - (1 << 8 * side if kind == PLACE_SOLDIER else 1 << 16 + side)

    def passes(self, hand: int, side: int, kind: PackedMove) -> bool:
        """Return whether the turn passes to the opponent after a placement that left ``hand``."""
        return kind == PLACE_DUX or self._ends_turn(soldiers_in_hand(hand, side))

    def _ends_turn(self, left: int) -> bool:
        """Return whether a turn of placements ends when a player has so many soldiers left."""
        return not left or (self._ruleset.hand - left) % self._ruleset.placement_turn == 0

    def problem(self, hand: int, side: int, duces: tuple[int, int]) -> str | None:
        """Return why a hand is not possible, or None. A dux may be neither in hand nor on the board.

        Args:
            hand: the pieces in hand.
            side: the player to move.
            duces: the squares of the duces on the board, -1 for none.
        """
        for colour, name in enumerate(SIDE_NAMES):
            if soldiers_in_hand(hand, colour) > self._ruleset.hand:
                return f"{name} has more than {self._ruleset.hand} soldiers in hand"
            if dux_in_hand(hand, colour) and self._ruleset.dux != "hand":
                return f"{name} has a dux in hand, but this variant places no dux"
            if dux_in_hand(hand, colour) and duces[colour] >= 0:
                return f"{name} has a dux on the board and another in hand"
        if hand & SOLDIERS_IN_HAND:
            if (soldiers_in_hand(hand, WHITE), soldiers_in_hand(hand, BLACK), side) not in self._order:
                return "the soldiers in hand do not match the side to move or the order of placement"
            if max(duces) >= 0:
                return "a dux is on the board while soldiers are in hand"
        elif dux_in_hand(hand, WHITE) and (side == BLACK or duces[BLACK] >= 0):
            return "White's dux is in hand, but White places its dux before Black"
        elif hand and side == WHITE and duces[WHITE] >= 0:
            return "White is to move, but only Black has a dux in hand"
        return None

    def _soldier_order(self) -> Iterator[tuple[int, int, int]]:
        """Yield White's and Black's soldiers in hand and the side to move, before each placement of a soldier."""
        remaining = [self._ruleset.hand, self._ruleset.hand]
        side = WHITE
        while remaining[side]:
            yield remaining[WHITE], remaining[BLACK], side
            remaining[side] -= 1
            if self._ends_turn(remaining[side]):
                side ^= 1
