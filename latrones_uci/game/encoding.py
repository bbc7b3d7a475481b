"""Boards, their keys, and moves as the rules represent them.

A board is a plain tuple, because a search creates millions of them:

    (own, opp, own_dux, opp_dux, side, key, nocapture, bound, hand)

``own`` and ``opp`` are wide sets (see ``geometry``) of all pieces of the player to move and of the opponent, duces
included. ``own_dux`` and ``opp_dux`` are the squares of the duces (-1: not on the board), ``side`` is the side to move
(0 White), ``key`` the Zobrist key, ``nocapture`` the number of plies since the last capture, ``bound`` the wide set of
the bound soldiers of both sides, and ``hand`` the pieces in hand of both sides.

A move is an integer. A path of two squares is ``origin | to << 8``. A longer path has one byte per square, in the same
order, and a 1 above them. Placements and kills are a code above the 16 bits of a two-square path, and a square; a pass
is a code alone.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from latrones_uci.game.geometry import Geometry

Board = tuple[int, int, int, int, int, int, int, int, int]
Arrangement = tuple[int, ...]
"""What must not occur again in games where repetition is illegal: see ``Rules.arrangement``."""
WHITE, BLACK = 0, 1
SIDE_NAMES = ("White", "Black")

# The pieces in hand are one integer: a byte each for the soldiers of White and Black, then a bit for each dux.
SOLDIERS_IN_HAND = 0xFFFF


def soldiers_in_hand(hand: int, side: int) -> int:
    return hand >> 8 * side & 255


def dux_in_hand(hand: int, side: int) -> int:
    return hand >> 16 + side & 1


def pieces_in_hand(hand: int, side: int) -> int:
    """Return the number of pieces that a side has in hand, the dux included."""
    return soldiers_in_hand(hand, side) + dux_in_hand(hand, side)


def pack_hand(soldiers: tuple[int, int], duces: tuple[int, int]) -> int:
    return soldiers[0] | soldiers[1] << 8 | duces[0] << 16 | duces[1] << 17


def men_of(board: Board, geometry: Geometry) -> int:
    """Return the number of pieces of both sides, on the board and in hand."""
    in_hand = pieces_in_hand(board[8], 0) + pieces_in_hand(board[8], 1) if board[8] else 0
    return ((board[0] | board[1]) & geometry.base).bit_count() + in_hand


# ---------------------------------------------------------------- moves

PackedMove = int


MoveKind = Literal["move", "chain", "placement", "kill", "pass"]


class Move(str):
    """A move: its text, such as ``d1d5``, with the integer that the rules use for it.

    Positions create moves: ``legal_moves`` lists them, ``parse_move`` reads one. Moves are strings: they are equal, and
    sorted, as their texts are. A position with a board of another size reads the text. What a move captures depends on
    the position: see ``Position.captures``.
    """

    __slots__ = ("files", "packed")

    packed: PackedMove
    """The integer that rules and searches use. It means the same move on each board with ``files`` files."""
    files: int
    """The number of files of the board that the move was made for."""

    def __new__(cls, text: str, packed: PackedMove, files: int) -> "Move":
        move = super().__new__(cls, text)
        move.packed, move.files = packed, files
        return move

    def __reduce__(self) -> tuple[Any, ...]:
        return Move, (str(self), self.packed, self.files)

    @property
    def squares(self) -> tuple[int, ...]:
        """The numbers of the squares in its text, in order: none for a pass, one for a placement or kill."""
        return tuple(squares_of_move(self.packed))

    @property
    def kind(self) -> MoveKind:
        """The kind of its text; a ``move`` is a slide, step or jump, a ``chain`` has several legs."""
        if is_path(self.packed):
            return "move" if self.packed < ONE_LEG else "chain"
        return _KIND_NAMES[kind_of(self.packed)]


ONE_LEG = 1 << 16
"""Moves below this value are paths of two squares."""
PLACE_SOLDIER, PLACE_DUX, KILL, PASS = 1 << 16, 2 << 16, 3 << 16, 4 << 16
_KINDS = 7 << 16
_KIND_NAMES: dict[int, MoveKind] = {PLACE_SOLDIER: "placement", PLACE_DUX: "placement", KILL: "kill", PASS: "pass"}
CHAIN = 1 << 24
"""Moves from this value on are paths of three or more squares."""
MAX_CHAINS = 10_000
"""The maximum number of chains of hops, or of captures, in a position. If there are more, only those with the fewest
legs are legal: as many legs as keep the number within this limit. This limit is our choice, not a rule of a source: the
number of chains grows exponentially with their length, and some boards have too many to list."""


def path_move(squares: Sequence[int]) -> PackedMove:
    if len(squares) == 2:
        return squares[0] | squares[1] << 8
    return int.from_bytes([*squares, 1], "little")


def path_of(move: PackedMove) -> list[int]:
    """Return the squares of a path, its origin first."""
    if move < ONE_LEG:
        return [move & 255, move >> 8]
    return list(move.to_bytes((move.bit_length() + 7) // 8, "little")[:-1])


def last_square(move: PackedMove) -> int:
    """Return the last square of a path."""
    return move >> 8 if move < ONE_LEG else path_of(move)[-1]


def is_path(move: PackedMove) -> bool:
    """Return whether a move is a path; otherwise it is a placement, a kill or a pass."""
    return move < ONE_LEG or move >= CHAIN


def kind_of(move: PackedMove) -> int:
    """Return ``PLACE_SOLDIER``, ``PLACE_DUX``, ``KILL`` or ``PASS`` for a move that is not a path."""
    return move & _KINDS


def legs_of(move: PackedMove) -> list[PackedMove]:
    """Return a path cut off after each of its legs, the whole of it last; any other move alone."""
    if move < CHAIN:
        return [move]
    squares = path_of(move)
    return [path_move(squares[:size]) for size in range(2, len(squares) + 1)]


def squares_of_move(move: PackedMove) -> list[int]:
    """Return the squares of a path, the one square of a placement or kill, and none for a pass."""
    if is_path(move):
        return path_of(move)
    return [] if kind_of(move) == PASS else [square_of(move)]


def square_of(move: PackedMove) -> int:
    return move & 255


# ---------------------------------------------------------------- Zobrist keys

# Fixed 64-bit numbers that are combined by exclusive or into the key of a position.
#
# The numbers are the outputs of splitmix64 (S. Vigna, public domain; G. L. Steele et al., OOPSLA 2014) from the seed
# below, in this order: for each piece of ``S s D d B b``, the 256 squares of a 16x16 board (``rank * 16 + file``);
# Black to move; for each of ``S s D d``, the numbers 0 to 255 of such pieces in hand (0 is not used, so an empty hand
# does not change the key). The keys are observable (``Key:`` of the command ``d``) and the same in every kernel.

_KEY_SEED = 0x4C6174726F6E6573  # "Latrones"
_KEY_MASK = (1 << 64) - 1
_PIECE_KINDS = 6
SOLDIER, DUX, BOUND = 0, 2, 4
"""Offsets into ``piece_keys``, to which the side is added."""


def splitmix64(seed: int) -> Iterator[int]:
    """Generate the numbers of splitmix64, from 0 to 2**64 - 1, from a seed in the same range; they never end."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _KEY_MASK
        mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _KEY_MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _KEY_MASK
        yield mixed ^ mixed >> 31


_NUMBERS = list(islice(splitmix64(_KEY_SEED), (_PIECE_KINDS + 4) * 256 + 1))
BLACK_TO_MOVE = _NUMBERS[_PIECE_KINDS * 256]
_IN_HAND = [_NUMBERS[start:start + 256] for start in range(_PIECE_KINDS * 256 + 1, len(_NUMBERS), 256)]


@lru_cache(maxsize=32)
def piece_keys(files: int, ranks: int) -> tuple[tuple[int, ...], ...]:
    """Return the keys of the pieces on a board: ``piece_keys(...)[kind + side][square]``."""
    return tuple(
        tuple(_NUMBERS[piece * 256 + rank * 16 + file] for rank in range(ranks) for file in range(files))
        for piece in range(_PIECE_KINDS)
    )


def hand_key(hand: int) -> int:
    key = 0
    for side in (0, 1):
        if soldiers := soldiers_in_hand(hand, side):
            key ^= _IN_HAND[SOLDIER + side][soldiers]
        if dux_in_hand(hand, side):
            key ^= _IN_HAND[DUX + side][1]
    return key
