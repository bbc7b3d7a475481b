"""The bench: a fixed search of fixed positions, whose node count is a signature of behaviour."""

import statistics
import time
from collections.abc import Callable, Sequence

from latrones_uci.engine.bench_positions import BENCH_POSITIONS
from latrones_uci.engine.events import BenchBoard, BenchComparison, BenchLine, BenchTotal, Event
from latrones_uci.engine.interface import Kernel
from latrones_uci.engine.solver_kernel import SolverKernel
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.search.report import CurrentMove, Info, Progress, Task

BENCH_DEPTHS = {"python": 3, "native": 7}
"""Plies to which each kernel searches, so that either takes some seconds."""
BENCH_HASH_MEGABYTES = 16


def run(
    kernel: Kernel,
    depth: int | None,
    emit: Callable[[Event], None],
    should_stop: Callable[[], bool],
) -> BenchTotal | None:
    """Searches each position to ``depth`` with an empty table.

    Args:
        kernel: with a table of ``BENCH_HASH_MEGABYTES``; the solver takes its place where a game is solved.
        depth: plies, None for that of ``BENCH_DEPTHS``.
        emit: told of each position when it is done.
        should_stop: asked in the search.

    Returns:
        The total; None when stopped.
    """
    depth = depth or BENCH_DEPTHS[kernel.name]
    lines: list[BenchLine] = []
    for number, (variant, fen) in enumerate(BENCH_POSITIONS, start=1):
        game = Game(Position.from_fen(find_variant(variant), fen))
        playing = SolverKernel(game.start) if game.position.ruleset.board == "wheel" else kernel
        playing.clear_hash()
        task = Task(tuple(game.legal_moves()), depth)
        begun_ns = time.perf_counter_ns()
        outcome = playing.search(game, task, _ignore, should_stop, _always)
        took_us = max(1, (time.perf_counter_ns() - begun_ns) // 1000)
        if should_stop():
            return None
        lines.append(BenchLine(
            number, len(BENCH_POSITIONS), f"{variant} {game.position.geometry.name}", fen,
            game.position.move_text(outcome.move), outcome.nodes, took_us))
        emit(lines[-1])
    return _total(kernel.name, depth, lines)


def compare(
    kernels: tuple[Kernel, Kernel],
    depth: int | None,
    emit: Callable[[Event], None],
    should_stop: Callable[[], bool],
) -> BenchComparison | None:
    """The benches of two kernels, one after the other, to ``depth`` or each to its own; None when stopped."""
    totals = []
    for kernel in kernels:
        total = run(kernel, depth, emit, should_stop)
        if total is None:
            return None
        totals.append(total)
    return BenchComparison(totals[0], totals[1])


def _total(kernel: str, depth: int, lines: Sequence[BenchLine]) -> BenchTotal:
    by_board: dict[str, list[BenchLine]] = {}
    for line in lines:
        by_board.setdefault(line.board, []).append(line)
    boards = tuple(
        BenchBoard(board, sum(line.nodes for line in of_board),
                   int(statistics.median(line.nodes_per_second for line in of_board)))
        for board, of_board in by_board.items())
    nodes = sum(line.nodes for line in lines)
    return BenchTotal(kernel, depth, boards, nodes, nodes * 10**6 // sum(line.time_us for line in lines))


def _ignore(item: Info | CurrentMove) -> None:
    """A bench reports positions, not iterations."""


def _always(progress: Progress) -> bool:
    return True
