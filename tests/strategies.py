"""Random positions for the property tests."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from naive import BLACK, WHITE, Board, Square

# Percentage of squares with a soldier. Crowded boards are where the rules of capture meet.
CROWDED = st.integers(5, 95) | st.integers(40, 80)

# Plies without a capture, on both sides of the limit.
NOCAPTURE = [*range(0, 100, 11), 97, 98, 99, 100, 101, 9999]


@st.composite
def boards(draw: st.DrawFn, longest: int = 16) -> Board:
    """A board of 4..`longest` squares a side with any number of soldiers.

    Mostly there is a dux of each side with an empty neighbour, so that the game goes on.
    """
    side = st.integers(4, min(8, longest)) | st.integers(4, longest)
    files, ranks = draw(side), draw(side)
    crowded, chance = draw(CROWDED), Random(draw(st.integers(0, 2**32 - 1)))
    squares = [(file, rank) for rank in range(ranks) for file in range(files)]
    pieces = {square: chance.choice("Ss") for square in squares if chance.randrange(100) < crowded}
    board = Board(
        files,
        ranks,
        pieces,
        draw(st.sampled_from([WHITE, BLACK])),
        draw(st.sampled_from(NOCAPTURE)),
        draw(st.integers(1, 9998)),
    )
    for letter in "Dd":
        if chance.randrange(40):
            put_dux(board, letter, chance.choice(squares), chance)
    return board


def put_dux(board: Board, letter: str, square: Square, chance: Random) -> None:
    board.pieces[square] = letter
    if board.is_shut_in(square) and chance.randrange(20):
        near = [near for near in board.neighbours(square) if board.at(near) in "Ss"]
        if near:
            del board.pieces[chance.choice(near)]
