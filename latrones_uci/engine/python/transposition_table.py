"""The transposition table."""

from array import array

ENTRY_BYTES = 24
EXACT, LOWER, UPPER = 0, 1, 2

_SCORE_SHIFT, _DEPTH_SHIFT, _AGE_SHIFT = 32_768, 16, 26
_AGES = 64


class TranspositionTable:
    """A transposition table: a fixed number of slots, one position each, in three flat arrays.

    The arrays are allocated at once and occupy ``megabytes`` (2**20 bytes), to within one slot of ``ENTRY_BYTES``. A
    new result replaces the old one in its slot unless the old one is from the same search and deeper: by any amount for
    the same position, by more than two plies for another position. An exact score of the same position always replaces
    the old one.

    A slot contains the key of the position, the move, and one number with score, depth, bound and age.
    """

    def __init__(self, megabytes: int) -> None:
        """Allocate an empty table. Raises MemoryError: not enough memory."""
        self._slots = megabytes * 2**20 // ENTRY_BYTES
        self._age = 1
        try:
            self._keys, self._moves, self._data = (array("Q", [0]) * self._slots for _ in range(3))
        except MemoryError:
            raise MemoryError(f"cannot allocate {megabytes} MB of hash: out of memory") from None

    def clear(self) -> None:
        zeros = bytes(2**20)
        for column in (self._keys, self._moves, self._data):
            view = memoryview(column).cast("B")
            for start in range(0, len(view), len(zeros)):
                part = view[start:start + len(zeros)]
                part[:] = zeros[:len(part)]
        self._age = 1

    def new_search(self) -> None:
        """Start a new search: mark all entries as old."""
        self._age = self._age % (_AGES - 1) + 1

    def probe(self, key: int) -> tuple[int, int, int, int] | None:
        """Return the stored (move, score, depth, bound) of a position, None if there is none."""
        slot = key % self._slots
        if self._keys[slot] != key or not (data := self._data[slot]):
            return None
        return self._moves[slot], (data & 0xFFFF) - _SCORE_SHIFT, data >> _DEPTH_SHIFT & 0xFF, data >> 24 & 3

    def store(self, key: int, move: int, score: int, depth: int, bound: int) -> None:
        """Store a result; ``move`` 0 keeps the stored move of the position."""
        slot = key % self._slots
        data = self._data[slot]
        if self._keys[slot] == key:
            if data >> _AGE_SHIFT == self._age and data >> _DEPTH_SHIFT & 0xFF > depth and bound != EXACT:
                return
            move = move or self._moves[slot]
        elif data >> _AGE_SHIFT == self._age and data >> _DEPTH_SHIFT & 0xFF > depth + 2:
            return
        self._keys[slot] = key
        self._moves[slot] = move
        self._data[slot] = score + _SCORE_SHIFT | depth << _DEPTH_SHIFT | bound << 24 | self._age << _AGE_SHIFT

    def hashfull(self) -> int:
        """Return the entries written by the current search, per mille, measured on the first thousand slots."""
        sample = self._data[:1000]
        return sum(data >> _AGE_SHIFT == self._age for data in sample) * 1000 // max(1, len(sample))
