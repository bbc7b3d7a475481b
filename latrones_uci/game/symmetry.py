"""Symmetries of positions.

The rules of all variants on a grid are symmetric: they do not depend on left and right, near and far, or files and
ranks. Only the start position fixes where a side sits; a barred or safe centre is its own image. A barred middle square
of a board without a centre is not, while pieces are placed. The wheel can start at any square of its rim. The rules
treat White and Black alike, except that White places first, and that Black may win if equal numbers decide.
"""

from collections.abc import Iterator
from functools import lru_cache

from latrones_uci.game.encoding import BLACK
from latrones_uci.game.geometry import geometry_of
from latrones_uci.game.position import Position
from latrones_uci.game.rules import CENTRE, RIM

Symmetry = tuple[int, ...]
"""For each square of the image, the square from which its piece comes."""


def canonical_key(position: Position) -> str:
    """Return a string that two positions of a variant share if they are images of each other, and only then.

    Rotating and mirroring the board gives an image of a position; so does exchanging the colours together with the
    side to move, if no pieces are in hand. Counters are ignored, so repeated positions have the same key.
    """
    geometry = position.geometry
    pieces = "".join(position.piece_at(square) or "." for square in range(geometry.squares))
    ruleset, symmetries = position.ruleset, symmetries_of(position.ruleset.board, geometry.files, geometry.ranks)
    if position.hand and ruleset.barred == "middle":
        symmetries = tuple(each for each in symmetries if each[geometry.middle] == geometry.middle)
    if position.hand or ruleset.equal_men == "black":
        view = f"{'wb'[position.side]} {''.join(f'{count}{piece}' for piece, count in position.hand.items())}"
    else:
        view = "-"  # from the point of view of the player to move, whose pieces are the capital letters
        pieces = pieces.swapcase() if position.side == BLACK else pieces
    images = ("".join([pieces[square] for square in symmetry]) for symmetry in symmetries)
    return f"{geometry.name} {view} {min(images)}"


@lru_cache(maxsize=32)
def symmetries_of(board: str, files: int, ranks: int) -> tuple[Symmetry, ...]:
    """Return all symmetries of a board (``Ruleset.board``) that keep its size, including the identity."""
    return tuple(_of_wheel() if board == "wheel" else _of_grid(files, ranks))


def _of_grid(files: int, ranks: int) -> Iterator[Symmetry]:
    grid = [tuple(range(rank * files, (rank + 1) * files)) for rank in range(ranks)]
    for turned in (grid, list(zip(*grid, strict=True))) if files == ranks else (grid,):
        for rows in (turned, turned[::-1]):
            for step in (1, -1):
                yield tuple(square for row in rows for square in row[::step])


def _of_wheel() -> Iterator[Symmetry]:
    geometry = geometry_of(3, 3)
    rim, centre = [geometry.parse_square(name) for name in RIM], geometry.parse_square(CENTRE)
    for first in range(len(rim)):
        turned = rim[first:] + rim[:first]
        for order in (turned, turned[::-1]):
            comes_from = {centre: centre, **dict(zip(rim, order, strict=True))}
            yield tuple(comes_from[square] for square in range(geometry.squares))
