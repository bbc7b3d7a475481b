"""Placing men from the hand."""

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
    """What a ruleset says of placing."""

    def __init__(self, ruleset: Ruleset, geometry: Geometry) -> None:
        """Compiles it for a board."""
        self._ruleset, self._geometry = ruleset, geometry
        self._allowed = geometry.full
        if ruleset.barred == "centre":
            self._allowed &= ~geometry.wide[geometry.centre]
        self._order = frozenset(self._soldier_order())

    def start(self) -> int:
        """What is in hand before the first move."""
        duces = int(self._ruleset.dux == "hand")
        return pack_hand((self._ruleset.hand, self._ruleset.hand), (duces, duces))

    def moves(self, occupied: int, hand: int, side: int) -> list[PackedMove]:
        """The placements of a side while a hand is not empty."""
        if hand & SOLDIERS_IN_HAND:
            kind, count = PLACE_SOLDIER, soldiers_in_hand(hand, side)
        else:
            kind, count = PLACE_DUX, dux_in_hand(hand, side)
        if not count:
            return []
        return [kind | square for square in self._geometry.squares_of(self._allowed & ~occupied)]

    def hand_after(self, hand: int, side: int, kind: PackedMove) -> int:
        """What is in hand after a side has placed a soldier or its dux."""
        return hand - (1 << 8 * side if kind == PLACE_SOLDIER else 1 << 16 + side)

    def passes(self, hand: int, side: int, kind: PackedMove) -> bool:
        """Whether the turn passes after a placement that left ``hand``."""
        return kind == PLACE_DUX or soldiers_in_hand(hand, side) % self._ruleset.placement_turn == 0

    def problem(self, hand: int, side: int, duces: tuple[int, int]) -> str | None:
        """Why there cannot be this hand, None if there can; a dux may be lacking altogether.

        Args:
            hand: what is in hand.
            side: the player to move.
            duces: squares of the duces on the board, -1 for none.
        """
        for colour, name in enumerate(SIDE_NAMES):
            if soldiers_in_hand(hand, colour) > self._ruleset.hand:
                return f"{name} has more soldiers in hand than the {self._ruleset.hand} that it starts with"
            if dux_in_hand(hand, colour) and self._ruleset.dux != "hand":
                return f"{name} has a dux in hand, which this game has not"
            if dux_in_hand(hand, colour) and duces[colour] >= 0:
                return f"{name} has a dux on the board and one in hand"
        if hand & SOLDIERS_IN_HAND:
            if (soldiers_in_hand(hand, WHITE), soldiers_in_hand(hand, BLACK), side) not in self._order:
                return "the soldiers in hand contradict the side to move or the order of placement"
            if max(duces) >= 0:
                return "a dux is on the board before all soldiers are placed"
        elif dux_in_hand(hand, WHITE) and (side == BLACK or duces[BLACK] >= 0):
            return "White places its dux before Black"
        elif hand and side == WHITE and duces[WHITE] >= 0:
            return "the dux in hand contradicts the side to move: White has placed its own"
        return None

    def _soldier_order(self) -> Iterator[tuple[int, int, int]]:
        """What White and Black have in hand, and who is to move, from placement to placement of a soldier."""
        left = [self._ruleset.hand, self._ruleset.hand]
        side = WHITE
        while left[side]:
            yield left[WHITE], left[BLACK], side
            left[side] -= 1
            if left[side] % self._ruleset.placement_turn == 0:
                side ^= 1
