"""Moves as integers.

A path of two squares is ``origin | to << 8``; a longer one has its squares in the same order, a byte each, and a 1
above them. The other kinds are a code above the 16 bits that a path of two squares takes, and a square.
"""

from collections.abc import Sequence

Move = int

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


def path_move(squares: Sequence[int]) -> Move:
    """The move along two or more squares."""
    if len(squares) == 2:
        return squares[0] | squares[1] << 8
    return int.from_bytes([*squares, 1], "little")


def path_of(move: Move) -> list[int]:
    """The squares of a path, its origin first."""
    if move < ONE_LEG:
        return [move & 255, move >> 8]
    return list(move.to_bytes((move.bit_length() + 7) // 8, "little")[:-1])


def is_path(move: Move) -> bool:
    """Whether a move goes along squares; else it is a placement or a kill."""
    return move < ONE_LEG or move >= CHAIN


def kind_of(move: Move) -> int:
    """``PLACE_SOLDIER``, ``PLACE_DUX`` or ``KILL``, for a move that is no path."""
    return move & _KINDS


def square_of(move: Move) -> int:
    """The square of a placement or kill."""
    return move & 255
