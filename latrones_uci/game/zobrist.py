"""Zobrist keys: fixed 64-bit numbers whose exclusive or names a position.

The numbers are the outputs of splitmix64 (S. Vigna, public domain; G. L. Steele et al., OOPSLA
2014) from the seed below, in this order: for each man of ``S s D d`` the 256 squares of a
16x16 board (``rank * 16 + file``), then Black to move. They are part of the engine's observable
behaviour (``Key:`` of the command ``d``) and the same in every kernel.
"""

from functools import lru_cache

_SEED = 0x4C6174726F6E6573  # "Latrones"
_MASK = (1 << 64) - 1
MEN = "SsDd"


def _splitmix64(count: int) -> list[int]:
    state, numbers = _SEED, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _MASK
        numbers.append(mixed ^ mixed >> 31)
    return numbers


_NUMBERS = _splitmix64(len(MEN) * 256 + 1)
BLACK_TO_MOVE = _NUMBERS[-1]


@lru_cache(maxsize=32)
def man_keys(files: int, ranks: int) -> tuple[tuple[int, ...], ...]:
    """The numbers for a board: ``man_keys(...)[man][square]``, men in the order of ``MEN``."""
    return tuple(
        tuple(_NUMBERS[man * 256 + rank * 16 + file] for rank in range(ranks) for file in range(files))
        for man in range(len(MEN))
    )
