"""The board as the rules hold it: a plain tuple, so that a search can make one in a fraction of a microsecond.

    (own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand)

``own`` and ``opp`` are wide sets (see ``geometry``) of all men of the player to move and of the other, duces included;
the duces' squares follow (-1: none on the board), the side to move (0 White), the Zobrist key, the number of plies
since the last capture, the wide set of the bound soldiers of both sides, and what is in hand.
"""

Board = tuple[int, int, int, int, int, int, int, int, int]
WHITE, BLACK = 0, 1
SIDE_NAMES = ("White", "Black")

# What is in hand, in one number: soldiers of White and of Black in a byte each, then a bit for each dux.
SOLDIERS_IN_HAND = 0xFFFF
DUCES_IN_HAND = 3 << 16


def soldiers_in_hand(hand: int, side: int) -> int:
    """Soldiers that a side still has to place."""
    return hand >> 8 * side & 255


def dux_in_hand(hand: int, side: int) -> int:
    """1 if a side still has to place its dux, else 0."""
    return hand >> 16 + side & 1


def men_in_hand(hand: int, side: int) -> int:
    """Men that a side still has to place, the dux included."""
    return soldiers_in_hand(hand, side) + dux_in_hand(hand, side)


def pack_hand(soldiers: tuple[int, int], duces: tuple[int, int]) -> int:
    """A hand from the numbers of White and of Black."""
    return soldiers[0] | soldiers[1] << 8 | duces[0] << 16 | duces[1] << 17
