"""The bench: a fixed search of fixed positions, whose node count is a signature of behaviour."""

import statistics
import time
from collections.abc import Callable

from latrones_uci.engine.bench_positions import BENCH_POSITIONS
from latrones_uci.engine.events import BenchLine, BenchTotal, Event
from latrones_uci.engine.interface import Kernel
from latrones_uci.engine.python_kernel import PythonKernel
from latrones_uci.engine.solver_kernel import SolverKernel
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.search.report import CurrentMove, Info, Progress, Task

BENCH_DEPTH = 3
BENCH_HASH_MEGABYTES = 16


def run(
    depth: int | None,
    emit: Callable[[Event], None],
    should_stop: Callable[[], bool],
) -> BenchTotal | None:
    """Searches each position to ``depth`` with an empty table.

    Args:
        depth: plies, None for ``BENCH_DEPTH``.
        emit: told of each position when it is done.
        should_stop: asked in the search.

    Returns:
        The total; None when stopped.
    """
    python: Kernel = PythonKernel(BENCH_HASH_MEGABYTES)
    nodes, spent_ns = 0, 0
    speeds: dict[str, list[int]] = {}
    for number, (variant, fen) in enumerate(BENCH_POSITIONS, start=1):
        game = Game(Position.from_fen(find_variant(variant), fen))
        kernel = SolverKernel(game.start) if game.position.ruleset.board == "wheel" else python
        kernel.clear_hash()
        task = Task(tuple(game.legal_moves()), depth or BENCH_DEPTH)
        begun_ns = time.perf_counter_ns()
        outcome = kernel.search(game, task, _ignore, should_stop, _always)
        took_ns = time.perf_counter_ns() - begun_ns
        if should_stop():
            return None
        nodes, spent_ns = nodes + outcome.nodes, spent_ns + took_ns
        speed = outcome.nodes * 10**9 // max(1, took_ns)
        board = f"{variant} {game.position.geometry.name}"
        speeds.setdefault(board, []).append(speed)
        move = game.position.move_text(outcome.move)
        emit(BenchLine(number, len(BENCH_POSITIONS), board, fen, move, outcome.nodes, took_ns // 1000, speed))
    medians = tuple((board, int(statistics.median(values))) for board, values in speeds.items())
    return BenchTotal(medians, nodes, nodes * 10**9 // max(1, spent_ns))


def _ignore(item: Info | CurrentMove) -> None:
    """A bench reports positions, not iterations."""


def _always(progress: Progress) -> bool:
    return True
