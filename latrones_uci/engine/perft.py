"""Perft by first move, in steps between which it can be stopped."""

from collections.abc import Callable

from latrones_uci.engine.interface import Kernel
from latrones_uci.game import Position


def count_by_move(
    kernel: Kernel, position: Position, depth: int, should_stop: Callable[[], bool]
) -> tuple[tuple[str, int], ...] | None:
    """The counts of ``perft(depth)`` by first move, sorted by its text; None when stopped.

    Repetition and the no-capture limit are not applied.
    """
    counts = []
    for move, child in sorted(((position.move_text(move), child) for move, child in position.children()),
                              key=lambda pair: pair[0]):
        count = None if should_stop() else kernel.perft(child, depth - 1, should_stop)
        if count is None:
            return None
        counts.append((move, count))
    return tuple(counts)


def count(position: Position, depth: int, should_stop: Callable[[], bool]) -> int | None:
    """``Kernel.perft`` by the rules in Python. ``should_stop`` is asked before each count of two plies."""
    if should_stop():
        return None
    if depth <= 2:
        return position.perft(depth)
    total = 0
    for _, child in position.children():
        part = count(child, depth - 1, should_stop)
        if part is None:
            return None
        total += part
    return total
