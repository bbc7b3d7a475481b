"""The destinations of a piece with one leg, legal or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from naive.board import DIRECTIONS, Board, Square, other, owner, step


def walks(board: Board, square: Square, how: str, directions: Iterable[Square] = DIRECTIONS) -> list[Square]:
    """Return the empty squares to which a piece slides or steps."""
    found = []
    for direction in directions:
        target = step(square, direction)
        while board.is_empty(target):
            found.append(target)
            if how == "step":
                break
            target = step(target, direction)
    return found


def hops(
    board: Board, square: Square, over: str = "enemies", directions: Iterable[Square] = DIRECTIONS
) -> list[Square]:
    """Return the empty squares right behind an adjacent enemy, or any adjacent piece."""
    sides = [other(owner(board.at(square)))] if over == "enemies" else ["w", "b"]
    return [
        step(step(square, direction), direction)
        for direction in directions
        if owner(board.at(step(square, direction))) in sides
        and board.is_empty(step(step(square, direction), direction))
    ]


def leaps(board: Board, square: Square) -> list[Square]:
    """Return the first empty squares behind the unbroken runs of pieces next to the square."""
    found = []
    for direction in DIRECTIONS:
        target = step(square, direction)
        if not board.at(target):
            continue
        while board.at(target):
            target = step(target, direction)
        if board.has(target):
            found.append(target)
    return found


def hop_chains(
    board: Board, path: list[Square], over: str, hopped: Callable[[Board, Square, Square], Board | None]
) -> list[list[Square]]:
    """Return the paths that extend `path` by hops and never land on the same square twice.

    `hopped` returns the board after a hop, None if it is not legal.
    """
    found = []
    for target in hops(board, path[-1], over):
        after = hopped(board, path[-1], target)
        if target not in path and after is not None:
            longer = [*path, target]
            found.append(longer)
            found += hop_chains(after, longer, over, hopped)
    return found
