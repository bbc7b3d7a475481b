"""The captures of a landing, with one function per rule.

`landing` is the board with the moved piece on `target`, before captured pieces are removed; `enemy` is the side that
did not move; `prey` is the letters of the pieces that the rule can capture.
"""

from __future__ import annotations

from collections.abc import Sequence

from naive.board import AXES, DIAGONAL_AXES, DIRECTIONS, Board, Square, other, step


def is_prey(landing: Board, square: Square, enemy: str, prey: str) -> bool:
    return landing.is_of(square, enemy) and landing.at(square).upper() in prey


def run_of_enemies(landing: Board, target: Square, direction: Square, enemy: str) -> tuple[list[Square], Square]:
    """Return the unbroken run of enemies that starts next to `target`, and the square behind it."""
    run, square = [], step(target, direction)
    while landing.is_of(square, enemy):
        run.append(square)
        square = step(square, direction)
    return run, square


def custodian(
    landing: Board, target: Square, enemy: str, prey: str, reach: str, void_when_flanked: bool, directions: str,
    hostile: Sequence[Square],
) -> set[Square]:
    """Return the captures between the piece on `target` and another one; `hostile` squares count as such pieces."""
    captured: set[Square] = set()
    for axis in AXES + (DIAGONAL_AXES if directions == "all" else ()):
        if void_when_flanked and all(landing.is_of(step(target, direction), enemy) for direction in axis):
            continue
        for direction in axis:
            run, behind = run_of_enemies(landing, target, direction, enemy)
            if reach == "one":
                run, behind = run[:1], step(step(target, direction), direction)
            for number, square in enumerate(run):
                if square in hostile:
                    run, behind = run[:number], square
                    break
            if run and (landing.is_of(behind, other(enemy)) or behind in hostile):
                captured.update(square for square in run if is_prey(landing, square, enemy, prey))
    return captured


def intervention(landing: Board, target: Square, enemy: str, prey: str) -> set[Square]:
    captured: set[Square] = set()
    for axis in AXES:
        sides = [step(target, direction) for direction in axis]
        if all(landing.is_of(side, enemy) for side in sides):
            captured.update(side for side in sides if is_prey(landing, side, enemy, prey))
    return captured


def jumped(landing: Board, origin: Square, target: Square, enemy: str, prey: str) -> set[Square]:
    """Return the enemy that a jump to the second square goes over."""
    across, up = target[0] - origin[0], target[1] - origin[1]
    if max(abs(across), abs(up)) != 2 or across % 2 or up % 2:
        return set()
    over = (origin[0] + across // 2, origin[1] + up // 2)
    return {over} if is_prey(landing, over, enemy, prey) else set()


def corner(landing: Board, target: Square, enemy: str, prey: str) -> set[Square]:
    captured = set()
    for file in (0, landing.files - 1):
        for rank in (0, landing.ranks - 1):
            if is_prey(landing, (file, rank), enemy, prey):
                sides = landing.neighbours((file, rank))
                if target in sides and all(landing.is_of(side, other(enemy)) for side in sides):
                    captured.add((file, rank))
    return captured


def enclosure(landing: Board, target: Square, enemy: str) -> set[Square]:
    captured: set[Square] = set()
    for near in landing.neighbours(target):
        if landing.is_of(near, enemy):
            group = landing.group(near)
            if all(landing.has_no_liberty(square) for square in group):
                captured |= group
    return captured


def push_and_crush(landing: Board, target: Square, direction: Square, enemy: str, prey: str) -> set[Square]:
    pushed = step(target, direction)
    crushed = step(pushed, direction)
    behind = step(crushed, direction)
    if (
        landing.is_of(pushed, other(enemy))
        and is_prey(landing, crushed, enemy, prey)
        and (not landing.has(behind) or landing.is_of(behind, other(enemy)))
    ):
        return {crushed}
    return set()


def flank_attack(landing: Board, target: Square, direction: Square, enemy: str, prey: str) -> set[Square]:
    run, behind = run_of_enemies(landing, target, direction, enemy)
    if len(run) >= 2 and is_prey(landing, run[0], enemy, prey) and landing.is_of(behind, other(enemy)):
        return {run[0]}
    return set()


def phalanx(landing: Board, target: Square, direction: Square, enemy: str, prey: str) -> set[Square]:
    column, square = [target], step(target, direction)
    while landing.is_of(square, other(enemy)):
        column.append(square)
        square = step(square, direction)
    if len(column) < 2 or not is_prey(landing, square, enemy, prey):
        return set()
    for beside in DIRECTIONS:
        if beside not in (direction, (-direction[0], -direction[1])) and all(
            landing.is_of(step(piece, beside), other(enemy)) for piece in column
        ):
            return {square}
    return set()


def duces_without_liberty(landing: Board, enemy: str) -> set[Square]:
    return {dux for dux in landing.squares_of(enemy, "D") if landing.has_no_liberty(dux)}
