"""Canonical keys, compared with the images of naive boards.

The rules on a grid do not depend on left and right, or on files and ranks. They treat White and Black alike, except
for the side to move and the first placement. The wheel can start at any square of its rim.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from effort import examples
from latrones_uci.game import Position, canonical_key, find_variant
from naive import Board, Game, Square, Wheel
from naive.wheel import CENTRE, RIM
from strategies import boards

Mapping = Callable[[Board, Square], Square]


def along_the_rim(turned: Callable[[int], int]) -> Mapping:
    return lambda _, square: CENTRE if square == CENTRE else RIM[turned(RIM.index(square)) % 8]


# Squares of a board to their images, whether the colours are exchanged, and whether files become ranks.
SYMMETRIES: list[tuple[Mapping, bool, bool]] = [
    (lambda board, square: (board.files - 1 - square[0], square[1]), False, False),
    (lambda board, square: (square[0], board.ranks - 1 - square[1]), True, False),
    (lambda _, square: (square[1], square[0]), False, True),
]
WHEEL_SYMMETRIES: list[tuple[Mapping, bool, bool]] = [
    (along_the_rim(lambda place: place + 1), False, False),
    (along_the_rim(lambda place: 1 - place), False, False),
    (along_the_rim(lambda place: place), True, False),
]


def images(game: Game, board: Board) -> Iterator[Board]:
    """Yield the images of a position; those with other colours only with empty hands."""
    for squares, swaps_sides, swaps_axes in WHEEL_SYMMETRIES if isinstance(game, Wheel) else SYMMETRIES:
        if (swaps_axes and not game.allows(board.ranks, board.files)) or (swaps_sides and board.hand):
            continue
        pieces = {squares(board, square): piece.swapcase() if swaps_sides else piece
                  for square, piece in board.pieces.items()}
        size = (board.ranks, board.files) if swaps_axes else (board.files, board.ranks)
        side = naive.other(board.side) if swaps_sides else board.side
        yield replace(board, files=size[0], ranks=size[1], pieces=pieces, side=side)


def orbit(variant: str, fen: str) -> set[str]:
    """Return the FENs of all images of a position on boards of its size, by applying symmetries repeatedly."""
    game = naive.GAMES[variant]
    waiting = [naive.parse(fen)]
    found = {fen: waiting[0]}
    while waiting:
        for image in images(game, waiting.pop()):
            if (text := naive.render(image)) not in found:
                found[text] = image
                waiting.append(image)
    size = (found[fen].files, found[fen].ranks)
    return {text for text, image in found.items() if (image.files, image.ranks) == size}


def positions_after(start: Position, plies: int) -> list[Position]:
    found = [start]
    for _ in range(plies):
        found = [after for position in found for _, after in position.children()]
    return found


# Square boards, an odd one, and a rectangular one whose rotation is allowed, too.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "size", "plies"),
    [
        ("latrones", (4, 4), 2),
        ("petteia-xxi", (5, 6), 2),
        ("schaedler", (5, 5), 2),
        ("bell", (7, 6), 2),
        pytest.param("rota", (3, 3), 4, marks=pytest.mark.long),
    ],
)
def test_two_positions_share_their_key_exactly_if_they_are_images(
    variant: str, size: tuple[int, int], plies: int
) -> None:
    texts = {position.fen() for position in positions_after(Position.start(find_variant(variant), size), plies)}
    keys = {text: canonical_key(cases.position(variant, text)) for text in texts}
    orbits = {text: frozenset(canonical_text(each) for each in orbit(variant, text)) for text in texts}
    assert len(texts) > len(set(keys.values())) > 1
    pairs = {(keys[text], orbits[text]) for text in texts}
    assert len(pairs) == len(set(keys.values())) == len(set(orbits.values()))


def canonical_text(fen: str) -> str:
    """Return a FEN without its counters."""
    return " ".join(fen.split()[:2])


@pytest.mark.parametrize("variant", cases.VARIANTS)
@examples(15)
@given(data=st.data())
def test_images_have_the_same_key_replies_and_result(variant: str, data: st.DataObject) -> None:
    """On any board, so that positions with the same key really play alike."""
    fen = naive.render(data.draw(boards(naive.GAMES[variant], 8)))
    position = cases.position(variant, fen)
    replies = Counter(canonical_key(after) for _, after in position.children())
    for text in orbit(variant, fen):
        image = cases.position(variant, text)
        assert canonical_key(image) == canonical_key(position)
        assert Counter(canonical_key(after) for _, after in image.children()) == replies
        assert (image.outcome() is None) == (position.outcome() is None)


def test_positions_that_are_not_images() -> None:
    latrones = find_variant("latrones")

    def key(fen: str) -> str:
        return canonical_key(Position.from_fen(latrones, fen))

    assert key("s3/d3/D3/S3 w 0 1") == key("s3/d3/D3/S3 b 40 9")  # colours exchanged, board rotated
    assert key("s3/d3/D3/SS2 w 0 1") != key("s3/d3/D3/SS2 b 0 1")  # another side to move
    assert key("s4/d4/D4/S4 w 0 1") != key("s3/d3/4/D3/S3 w 0 1")  # a longer board
