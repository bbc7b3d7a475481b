"""Which positions are the same but for how one looks at the board.

No rule of a game on squares tells right from left, near from far, or a file from a rank: only the start knows where a
side sits, and a centre that is barred or safe stays where it is. The wheel knows no beginning of its rim. Nor does a
rule tell White from Black, but that White is the first to place.
"""

from collections.abc import Iterator
from functools import lru_cache

from latrones_uci.game.encoding import BLACK
from latrones_uci.game.geometry import geometry_of
from latrones_uci.game.position import Position
from latrones_uci.game.rules import CENTRE, RIM

Symmetry = tuple[int, ...]
"""For each square of the image the one from which its man comes."""


def canonical_key(position: Position) -> str:
    """A text that two positions of a game share if they are images of each other, and only then.

    An image is made by turning and mirroring the board, and by exchanging the colours together with the side to move
    once nothing is in hand. The counters do not count, so positions that repeat each other share their key.
    """
    geometry = position.geometry
    men = "".join(position.piece_at(square) or "." for square in range(geometry.squares))
    if position.hand:
        view = f"{'wb'[position.side]} {''.join(f'{count}{man}' for man, count in position.hand.items())}"
    else:
        view = "-"  # as the player to move sees it: its own men are capitals
        men = men.swapcase() if position.side == BLACK else men
    images = ("".join([men[square] for square in symmetry])
              for symmetry in symmetries_of(position.ruleset.board, geometry.files, geometry.ranks))
    return f"{geometry.name} {view} {min(images)}"


@lru_cache(maxsize=32)
def symmetries_of(board: str, files: int, ranks: int) -> tuple[Symmetry, ...]:
    """All symmetries of a board (``Ruleset.board``) that keep its size, that which changes nothing among them."""
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
