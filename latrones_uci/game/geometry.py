"""The board as bits: square numbers, the wide layout, and the tables over it.

Squares are numbered ``rank * files + file`` from 0 (``a1``).

A set of squares is held *wide*: one integer with the board in four orientations, one after the
other. In each, the squares of a line lie next to each other in the direction of travel (east,
west, north, south) and a guard bit, never set in a set of squares, closes the line. One shift
and one addition then move every piece in all four directions at once: with ``empty`` the empty
squares and ``starts = (pieces << 1) & empty`` the first square before each piece, the carries
of ``empty + starts`` run through each line of empty squares up to what blocks it. A *run* is
such a stretch ``[start, end)`` of bits of one line; ``end - start`` is both its mask and its
name in the tables.

The first orientation alone (``base``: east, ``files + 1`` bits a rank) is a plain bitboard, used
where neighbours are counted.
"""

import string
from functools import lru_cache

from latrones_uci.game.errors import BoardSizeError, LatronesError, quoted

MIN_SIDE, MAX_SIDE = 3, 16
FILE_LETTERS = string.ascii_lowercase[:MAX_SIDE]


class Geometry:
    """A board of ``files`` x ``ranks`` and every table that depends on its size alone.

    Attributes:
        files, ranks, squares: numbers of files, ranks and squares.
        wide: ``wide[square]`` is the square's bit in all four orientations; one more entry, 0,
            stands at the end so that the index -1 ("no square") is an empty set.
        full: all squares, wide.
        base: mask of the first orientation.
        row: the distance between two ranks in the first orientation, in bits.
        near: ``near[square]`` is the set of its neighbours, first orientation only; 0 at -1.
        square_at: square of a wide bit by its index (-1 for a guard bit).
        wide_at: wide set of the one square of a wide bit, by its index.
        run_moves: for the name of a run, the slides onto each of its squares by the piece that
            stands before it.
        run_squares: for the name of a run, its squares as a wide set.
        lines: masks of the four orientations: east, west, north, south.
        axes: the same in pairs, for the two axes.
        edges: the squares along the edges, first orientation only.
        centre: the middle square, -1 where a side is even.
    """

    def __init__(self, files: int, ranks: int) -> None:
        """Builds the tables.

        Raises:
            BoardSizeError: a side is not within 3..16.
        """
        if not (MIN_SIDE <= files <= MAX_SIDE and MIN_SIDE <= ranks <= MAX_SIDE):
            raise BoardSizeError(f"board size '{files}x{ranks}' is not within 3x3..16x16")
        self.files, self.ranks, self.squares = files, ranks, files * ranks
        self.row = files + 1
        rank_block, file_block = ranks * (files + 1), files * (ranks + 1)
        offsets = (0, rank_block, 2 * rank_block, 2 * rank_block + file_block)
        self.width = 2 * rank_block + 2 * file_block
        self.base = (1 << rank_block) - 1
        masks = [(1 << size) - 1 << offset
                 for size, offset in zip((rank_block, rank_block, file_block, file_block), offsets, strict=True)]
        self.lines = tuple(masks)
        self.axes = ((masks[0], masks[1]), (masks[2], masks[3]))
        self.centre = self.squares // 2 if files % 2 and ranks % 2 else -1

        self.wide: list[int] = []
        self.square_at = [-1] * self.width
        lines: list[list[int]] = []
        for square in range(self.squares):
            rank, file = divmod(square, files)
            bits = (offsets[0] + rank * (files + 1) + file,
                    offsets[1] + rank * (files + 1) + files - 1 - file,
                    offsets[2] + file * (ranks + 1) + rank,
                    offsets[3] + file * (ranks + 1) + ranks - 1 - rank)
            self.wide.append(sum(1 << bit for bit in bits))
            for bit in bits:
                self.square_at[bit] = square
        self.full = sum(self.wide)
        self._plain_full = self.full & self.base
        self.wide_at = [self.wide[square] if square >= 0 else 0 for square in self.square_at]

        line: list[int] = []
        for bit, square in enumerate(self.square_at):
            if square >= 0:
                line.append(bit)
            else:
                lines.append(line)
                line = []
        self.run_moves: dict[int, tuple[int, ...]] = {}
        self.run_squares: dict[int, int] = {}
        for line in lines:
            self._add_runs(line)

        self._square_numbers = {self.square_name(square): square for square in range(self.squares)}
        self.near = [self._neighbours(square) for square in range(self.squares)] + [0]
        self.edges = self.base & sum(
            self.wide[square] for square in range(self.squares) if self.near[square].bit_count() < 4)
        self.wide.append(0)

    def _add_runs(self, line: list[int]) -> None:
        for first, start in enumerate(line):
            squares = 0
            moves: tuple[int, ...] = ()
            origin = self.square_at[start - 1] if first else -1
            for bit in line[first:]:
                squares |= self.wide_at[bit]
                name = (2 << bit) - (1 << start)
                self.run_squares[name] = squares
                if origin >= 0:
                    moves += (origin | self.square_at[bit] << 8,)
                    self.run_moves[name] = moves

    def _neighbours(self, square: int) -> int:
        rank, file = divmod(square, self.files)
        return sum(
            1 << r * self.row + f
            for r, f in ((rank, file - 1), (rank, file + 1), (rank - 1, file), (rank + 1, file))
            if 0 <= r < self.ranks and 0 <= f < self.files
        )

    @property
    def name(self) -> str:
        """The size as text, files x ranks: ``8x8``."""
        return f"{self.files}x{self.ranks}"

    def squares_of(self, squares: int) -> list[int]:
        """The squares of a set, wide or of the first orientation, in rising order of number."""
        squares &= self.base
        found = []
        while squares:
            low = squares & -squares
            found.append(self.square_at[low.bit_length() - 1])
            squares ^= low
        return found

    def widen(self, squares: int) -> int:
        """The wide set of squares given in the first orientation."""
        return sum(self.wide[square] for square in self.squares_of(squares))

    def around(self, squares: int) -> int:
        """The neighbours of the squares of a set (both in the first orientation)."""
        return (squares << 1 | squares >> 1 | squares << self.row | squares >> self.row) & self._plain_full

    def pockets(self, squares: int) -> int:
        """Those of a set that touch no other of it (in the first orientation)."""
        squares &= self.base
        return squares & ~(squares << 1 | squares >> 1 | squares << self.row | squares >> self.row)

    def travel(self, origin: int, to: int) -> int:
        """The orientation (index into ``lines``) in which one goes from ``origin`` to ``to`` on the same line."""
        if origin // self.files == to // self.files:
            return 0 if to > origin else 1
        return 2 if to > origin else 3

    def ray(self, square: int, direction: int) -> list[int]:
        """The squares from ``square`` (not included) to the edge, in the direction of an orientation."""
        rank, file = divmod(square, self.files)
        return [
            [square + 1 + step for step in range(self.files - 1 - file)],
            [square - 1 - step for step in range(file)],
            [square + (step + 1) * self.files for step in range(self.ranks - 1 - rank)],
            [square - (step + 1) * self.files for step in range(rank)],
        ][direction]

    def square_name(self, square: int) -> str:
        """``e2`` for a square's number."""
        rank, file = divmod(square, self.files)
        return f"{FILE_LETTERS[file]}{rank + 1}"

    def parse_square(self, text: str) -> int:
        """The number of a square's name.

        Raises:
            LatronesError: not the name of a square of this board.
        """
        square = self._square_numbers.get(text)
        if square is None:
            raise LatronesError(f"{quoted(text)} is not a square of a {self.name} board")
        return square


@lru_cache(maxsize=32)
def geometry_of(files: int, ranks: int) -> Geometry:
    """The (shared, immutable by convention) geometry of a board size."""
    return Geometry(files, ranks)
