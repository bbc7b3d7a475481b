"""Random positions for the property tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

import naive
from naive import BLACK, WHITE, Board, Described, Game, Hand, Square

# Percentage of squares with a soldier. On crowded boards, several capture rules apply at once.
CROWDED = st.integers(5, 95) | st.integers(40, 80)


def allowed_sizes(game: Game) -> list[tuple[int, int]]:
    return [(files, ranks) for files in range(3, 17) for ranks in range(3, 17) if game.allows(files, ranks)]


def sizes(game: Game, longest: int = 16) -> st.SearchStrategy[tuple[int, int]]:
    """Return allowed board sizes, small ones more often; all of them if none is so small."""
    allowed = allowed_sizes(game)
    near = [size for size in allowed if max(size) <= longest] or allowed
    small = [size for size in near if max(size) <= 8] or near
    return st.sampled_from(small) | st.sampled_from(near)


@st.composite
def boards(draw: st.DrawFn, game: Game, longest: int = 16, size: tuple[int, int] | None = None) -> Board:
    """Draw a position with any number of soldiers, on a board of `size` or of at most `longest` squares per side.

    If the variant has duces, mostly both are on the board with an empty neighbour, so that the game is not over. Random
    soldiers are bound. In a variant with placement, the hands are empty or those of some point during placement.
    """
    files, ranks = size or draw(sizes(game, longest))
    crowded, chance = draw(CROWDED), Random(draw(st.integers(0, 2**32 - 1)))
    side, counter = draw(st.sampled_from([WHITE, BLACK])), draw(st.sampled_from(counters(game.nocapture_limit)))
    board = Board(files, ranks, {}, side, counter, draw(st.integers(1, 9000)))
    board.pieces.update({square: chance.choice("Ss") for square in board.squares() if chance.randrange(100) < crowded})
    hand, absent = None, ""
    moments = list(placing_moments(game))
    if moments:
        hand, to_move = draw(st.sampled_from([({}, board.side), *moments]) | st.just(({}, board.side)))
        absent = "".join(letter for letter in hand if letter in "Dd" and not chance.randrange(20))
        hand = {letter: count for letter, count in hand.items() if letter not in absent}
        board = replace(board, side=to_move, hand=hand)
    if isinstance(game, Described):
        if game.rules.dux != "none" and not {"S", "s"} & set(hand or {}):
            for letter in "Dd":
                if letter not in (hand or {}) and letter not in absent and chance.randrange(40):
                    put_dux(board, letter, chance.choice(board.squares()), chance)
        if game.rules.capture_effect == "bind" and not hand:
            put_marks(board, chance)
    return board


def counters(limit: int) -> list[int]:
    """Return numbers of plies without a capture, mostly below the limit."""
    if not limit:
        return [0, 1, 50, 100, 9000]
    below = [0, limit // 3, limit // 2, max(limit - 3, 0), max(limit - 2, 0), limit - 1]
    return [*below, *below, limit, limit + 1, 9999]


def placing_moments(game: Game) -> Iterator[tuple[Hand, str]]:
    """Yield hands and side to move before each placement; nothing for variants without placement."""
    hand, side = dict(game.start(8, 8).hand or {}), WHITE
    while hand:
        yield dict(hand), side
        letter = "S" if {"S", "s"} & set(hand) else "D"
        piece = letter if side == WHITE else letter.lower()
        hand[piece] -= 1
        if letter == "D" or not game.places_again(hand[piece]):
            side = naive.other(side)
        hand = {each: count for each, count in hand.items() if count}


def put_marks(board: Board, chance: Random) -> None:
    share = chance.choice([0, 10, 50, 100])
    for square, piece in board.pieces.items():
        if chance.randrange(100) < share:
            board.pieces[square] = {"S": "B", "s": "b"}.get(piece, piece)


def put_dux(board: Board, letter: str, square: Square, chance: Random) -> None:
    board.pieces[square] = letter
    if board.has_no_liberty(square) and chance.randrange(20):
        near = [near for near in board.neighbours(square) if board.at(near) in "Ss"]
        if near:
            del board.pieces[chance.choice(near)]
