"""Board geometry: square numbers, wide bitboards, and the tables that depend on the board size alone.

Squares are numbered ``rank * files + file`` from 0 (``a1``).

A set of squares is a *wide* integer that contains the board four times, once for each direction of travel (east, west,
north, south). In each copy (*orientation*) the squares of a line are adjacent bits in the direction of travel, and the
line ends with a guard bit that is never set in a set of squares. One shift and one addition therefore move every piece
in all four directions at once. Let ``empty`` be the empty squares, and ``starts = (pieces << 1) & empty`` the square in
front of each piece. Then the carries of ``empty + starts`` run through the empty squares of each line up to the next
blocker. A *run* is such a stretch ``[start, end)`` of bits of one line; ``end - start`` is its mask and its key in the
tables.

The first orientation alone (``base``: east, ``files + 1`` bits per rank) is a plain bitboard. It is used to count
neighbours.
"""

from functools import lru_cache

from latrones_uci.game.errors import BoardSizeError, LatronesError
from latrones_uci.text.messages import quoted

MIN_SIDE, MAX_SIDE = 3, 16
FILE_LETTERS = "abcdefghijklmnop"


class Geometry:
    """A board of ``files`` x ``ranks`` squares with its tables."""

    def __init__(self, files: int, ranks: int) -> None:
        """Build the tables.

        Raises:
            BoardSizeError: a side is not within 3..16.
        """
        if not (MIN_SIDE <= files <= MAX_SIDE and MIN_SIDE <= ranks <= MAX_SIDE):
            raise BoardSizeError(f"board size '{files}x{ranks}': expected 3x3 to 16x16")
        self.files, self.ranks, self.squares = files, ranks, files * ranks
        """Numbers of files, ranks and squares."""
        self.row = files + 1
        """The distance between two ranks in the first orientation, in bits."""
        rank_block, file_block = ranks * (files + 1), files * (ranks + 1)
        offsets = (0, rank_block, 2 * rank_block, 2 * rank_block + file_block)
        self.width = 2 * rank_block + 2 * file_block
        self.base = (1 << rank_block) - 1
        """Mask of the first orientation."""
        masks = [(1 << size) - 1 << offset
                 for size, offset in zip((rank_block, rank_block, file_block, file_block), offsets, strict=True)]
        self.lines = tuple(masks)
        """Masks of the four orientations: east, west, north, south."""
        self.axes = ((masks[0], masks[1]), (masks[2], masks[3]))
        """The same masks in pairs, one pair per axis."""
        self.centre = self.squares // 2 if files % 2 and ranks % 2 else -1
        """The central square, -1 if a side is even."""
        self.middle = (ranks - 1) // 2 * files + (files - 1) // 2
        """The central square, or the lower and left one of the two or four middle squares."""
        self.diagonals = (self.row + 1, self.row - 1, -self.row - 1, 1 - self.row)
        """By how many bits a set of the first orientation is shifted for a step in each diagonal direction."""

        self.wide: list[int] = []
        """``wide[square]`` is the wide set of that square; an additional last entry 0 makes the index -1 ("no square")
        an empty set."""
        self.square_at = [-1] * self.width
        """The square of a bit of a wide set, by bit number (-1 for a guard bit)."""
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
        """All squares, wide."""
        self._plain_full = self.full & self.base
        self._half = self.base.bit_length() + self.row
        self._full_halves = self._plain_full | self._plain_full << self._half
        self.wide_at = [self.wide[square] if square >= 0 else 0 for square in self.square_at]
        """The wide set of that square, by bit number (0 for a guard bit)."""

        line: list[int] = []
        for bit, square in enumerate(self.square_at):
            if square >= 0:
                line.append(bit)
            else:
                lines.append(line)
                line = []
        self.run_moves: dict[int, tuple[int, ...]] = {}
        """By the key of a run, the moves of the piece in front of it to each of its squares."""
        self.run_squares: dict[int, int] = {}
        """By the key of a run, its squares as a wide set."""
        for line in lines:
            self._add_runs(line)

        self._square_numbers = {self.square_name(square): square for square in range(self.squares)}
        self.near = [self._neighbours(square) for square in range(self.squares)] + [0]
        """``near[square]`` is the set of its neighbours, first orientation only; 0 at -1."""
        self.edges = self.base & sum(
            self.wide[square] for square in range(self.squares) if self.near[square].bit_count() < 4)
        """The squares along the edges, first orientation only."""
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
        return f"{self.files}x{self.ranks}"

    def squares_of(self, squares: int) -> list[int]:
        """Return the numbers of the squares of a set, wide or of the first orientation, in ascending order."""
        squares &= self.base
        found = []
        while squares:
            low = squares & -squares
            found.append(self.square_at[low.bit_length() - 1])
            squares ^= low
        return found

    def widen(self, squares: int) -> int:
        return sum(self.wide[square] for square in self.squares_of(squares))

    def around(self, squares: int) -> int:
        return (squares << 1 | squares >> 1 | squares << self.row | squares >> self.row) & self._plain_full

    def nearness(self, one: int, other: int, steps: int) -> int:
        """Return for how many squares of either set the other is within 1 step, plus within 2 steps, ... ``steps``.

        The sets are disjoint, in the first orientation.
        """
        # The sets are halves of one integer, a rank apart, so that both spread at once.
        row, shift, full, found = self.row, self._half, self._full_halves, 0
        near, far = one | other << shift, other | one << shift
        for _ in range(steps):
            near |= (near << 1 | near >> 1 | near << row | near >> row) & full
            found += (near & far).bit_count()
        return found

    def between(self, pieces: int) -> int:
        """Return the squares with a piece of a set on both sides along a rank or file (in the first orientation)."""
        pieces, row = pieces & self.base, self.row
        return (pieces << 1 & pieces >> 1 | pieces << row & pieces >> row) & self._plain_full

    def pockets(self, squares: int) -> int:
        """Return the squares of a set that have no neighbour in it (in the first orientation)."""
        squares &= self.base
        return squares & ~(squares << 1 | squares >> 1 | squares << self.row | squares >> self.row)

    def shifted(self, squares: int, distance: int) -> int:
        """Return a set moved by one step of ``diagonals`` (both in the first orientation)."""
        return (squares << distance if distance > 0 else squares >> -distance) & self._plain_full

    def travel(self, origin: int, to: int) -> int:
        """Return the direction (index into ``lines``) from ``origin`` to ``to``, which are on the same line."""
        if origin // self.files == to // self.files:
            return 0 if to > origin else 1
        return 2 if to > origin else 3

    def ray(self, square: int, direction: int) -> list[int]:
        """Return the squares from ``square`` (not included) to the edge in a direction (index into ``lines``)."""
        rank, file = divmod(square, self.files)
        return [
            [square + 1 + step for step in range(self.files - 1 - file)],
            [square - 1 - step for step in range(file)],
            [square + (step + 1) * self.files for step in range(self.ranks - 1 - rank)],
            [square - (step + 1) * self.files for step in range(rank)],
        ][direction]

    def square_name(self, square: int) -> str:
        """Return the name of a square, such as ``e2``.

        Raises:
            IndexError: this board has no square of that number.
        """
        if not 0 <= square < self.squares:
            raise IndexError(f"square {square}: not on the {self.name} board")
        rank, file = divmod(square, self.files)
        return f"{FILE_LETTERS[file]}{rank + 1}"

    def parse_square(self, text: str) -> int:
        """Return the number of the square with a name.

        Raises:
            LatronesError: this board has no such square.
        """
        square = self._square_numbers.get(text)
        if square is None:
            raise LatronesError(f"square {quoted(text)}: not on the {self.name} board")
        return square

    def parse_short_path(self, text: str) -> int | None:
        """Return the move between two squares, as in ``d1d5``; None for other texts, and beyond rank 9."""
        origin, to = self._square_numbers.get(text[:2]), self._square_numbers.get(text[2:4])
        return None if origin is None or to is None or len(text) != 4 else origin | to << 8


@lru_cache(maxsize=32)
def geometry_of(files: int, ranks: int) -> Geometry:
    """Return the shared geometry of a board size; callers must not change it."""
    return Geometry(files, ranks)
