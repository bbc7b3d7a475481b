"""The board as the rules hold it: a plain tuple, so that a search can make one in a fraction of a microsecond.

    (own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand)

``own`` and ``opp`` are wide sets (see ``geometry``) of all men of the player to move and of the other, duces included;
the duces' squares follow (-1: none on the board), the side to move (0 White), the Zobrist key, the number of plies
since the last capture, the wide set of the bound soldiers of both sides, and what is in hand.
"""

from collections.abc import Sequence

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


# ---------------------------------------------------------------- moves
# Moves as integers.
#
# A path of two squares is ``origin | to << 8``; a longer one has its squares in the same order, a byte each, and a 1
# above them. The other kinds are a code above the 16 bits that a path of two squares takes, and a square.

PackedMove = int


class Move(int):
    """A move of a position: ``str(move)`` is its text, such as ``d1d5``.

    Positions make moves; read one with ``Position.parse_move``. Inside, a move is a packed integer (see below), so
    that rules and searches handle it at full speed; moves are equal if these are.
    """

    text: str

    def __new__(cls, packed: PackedMove, text: str) -> "Move":
        """Give a packed move its text."""
        move = super().__new__(cls, packed)
        move.text = text
        return move

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        """Return what a copy is made of."""
        return int(self), self.text

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)

    def __repr__(self) -> str:
        return f"Move({self.text!r})"


ONE_LEG = 1 << 16
"""Moves below this are paths of two squares."""
PLACE_SOLDIER, PLACE_DUX, KILL = 1 << 16, 2 << 16, 3 << 16
_KINDS = 3 << 16
CHAIN = 1 << 24
"""Moves from here on are paths of three squares and more."""
MOST_CHAINS = 10_000
"""If a position has more chains of hops, or of captures, only those with the fewest legs are legal: as many legs as
leave no more than this. We chose: with each leg chains multiply, and boards can be set up on which they could never all
be listed."""


def path_move(squares: Sequence[int]) -> PackedMove:
    """The move along two or more squares."""
    if len(squares) == 2:
        return squares[0] | squares[1] << 8
    return int.from_bytes([*squares, 1], "little")


def path_of(move: PackedMove) -> list[int]:
    """The squares of a path, its origin first."""
    if move < ONE_LEG:
        return [move & 255, move >> 8]
    return list(move.to_bytes((move.bit_length() + 7) // 8, "little")[:-1])


def is_path(move: PackedMove) -> bool:
    """Whether a move goes along squares; else it is a placement or a kill."""
    return move < ONE_LEG or move >= CHAIN


def kind_of(move: PackedMove) -> int:
    """``PLACE_SOLDIER``, ``PLACE_DUX`` or ``KILL``, for a move that is no path."""
    return move & _KINDS


def square_of(move: PackedMove) -> int:
    """The square of a placement or kill."""
    return move & 255
