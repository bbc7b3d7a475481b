"""Where a man can go with one leg, whatever may forbid it."""

from __future__ import annotations

from naive.board import DIRECTIONS, Board, Square, other, owner, step


def walks(board: Board, square: Square, how: str) -> list[Square]:
    """The empty squares that a man slides to, or steps to."""
    found = []
    for direction in DIRECTIONS:
        target = step(square, direction)
        while board.is_empty(target):
            found.append(target)
            if how == "step":
                break
            target = step(target, direction)
    return found


def hops(board: Board, square: Square) -> list[Square]:
    """The empty squares right behind an adjacent enemy."""
    enemy = other(owner(board.at(square)))
    return [
        step(step(square, direction), direction)
        for direction in DIRECTIONS
        if board.is_of(step(square, direction), enemy) and board.is_empty(step(step(square, direction), direction))
    ]


def leaps(board: Board, square: Square) -> list[Square]:
    """The first empty square behind an unbroken run of men next to the square."""
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


def hop_chains(board: Board, path: list[Square]) -> list[list[Square]]:
    """The paths of one or more hops that begin with `path` and land on no square of it."""
    found = []
    for target in hops(board, path[-1]):
        if target not in path:
            longer = [*path, target]
            found.append(longer)
            found += hop_chains(board.moved(path[-1], target), longer)
    return found
