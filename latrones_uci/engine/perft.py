"""Perft by first move, in steps between which it can be stopped."""

from collections.abc import Callable

from latrones_uci.game import Position


def count_by_move(
    position: Position, depth: int, should_stop: Callable[[], bool]
) -> tuple[tuple[str, int], ...] | None:
    """The counts of ``perft(depth)`` by first move, sorted by its text; None when stopped.

    Repetition and the no-capture limit are not applied. ``should_stop`` is asked between the counts of the
    second move.
    """
    counts = []
    for move, child in sorted((position.move_text(move), child) for move, child in position.children()):
        total = 0
        for part in (child.perft(depth - 1),) if depth < 3 else (
                grandchild.perft(depth - 2) for _, grandchild in child.children()):
            if should_stop():
                return None
            total += part
        counts.append((move, total))
    return tuple(counts)
