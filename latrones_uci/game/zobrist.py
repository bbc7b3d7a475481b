"""Zobrist keys: fixed 64-bit numbers that are combined by exclusive or into the key of a position.

The numbers are the outputs of splitmix64 (S. Vigna, public domain; G. L. Steele et al., OOPSLA 2014) from the seed
below, in this order: for each piece of ``S s D d B b``, the 256 squares of a 16x16 board (``rank * 16 + file``); Black
to move; for each of ``S s D d``, the numbers 0 to 255 of such pieces in hand (0 is not used, so an empty hand does not
change the key). The keys are observable (``Key:`` of the command ``d``) and the same in every kernel.
"""

from functools import lru_cache

from latrones_uci.game.encoding import dux_in_hand, soldiers_in_hand

_SEED = 0x4C6174726F6E6573  # "Latrones"
_MASK = (1 << 64) - 1
_PIECE_KINDS = 6
SOLDIER, DUX, BOUND = 0, 2, 4
"""Offsets into ``piece_keys``, to which the side is added."""


def _splitmix64(count: int) -> list[int]:
    state, numbers = _SEED, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
        numbers.append(mixed ^ mixed >> 31)
    return numbers


_NUMBERS = _splitmix64((_PIECE_KINDS + 4) * 256 + 1)
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
    """Return the key of the pieces in hand."""
    key = 0
    for side in (0, 1):
        if soldiers := soldiers_in_hand(hand, side):
            key ^= _IN_HAND[SOLDIER + side][soldiers]
        if dux_in_hand(hand, side):
            key ^= _IN_HAND[DUX + side][1]
    return key
