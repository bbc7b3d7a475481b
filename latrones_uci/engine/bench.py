"""The bench: a fixed search of fixed positions; its node count is a signature of the engine's behaviour."""

from collections.abc import Callable, Sequence
from pathlib import Path

from latrones_uci.engine.events import BenchBoard, BenchLine, BenchTotal, EngineEvent
from latrones_uci.engine.kernels import Kernel, SolverKernel
from latrones_uci.engine.types import Task
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.text.clock import now_ns

BENCH_DEPTHS = {"python": 3, "native": 7}
"""Default depth of each kernel, chosen so that both take a few seconds."""
BENCH_HASH_MEGABYTES = 16
CORE, LUDII, ALL = "core", "ludii", "all"
BENCH_SETS = (CORE, LUDII, ALL)
"""The sets of positions, named as in the option VariantSet. The first set's node count is the engine's signature."""


def run(
    kernel: Kernel,
    depth: int | None,
    emit: Callable[[EngineEvent], None],
    should_stop: Callable[[], bool],
    positions: str = CORE,
) -> BenchTotal | None:
    """Search each position to ``depth`` with an empty table.

    ``kernel`` has a table of ``BENCH_HASH_MEGABYTES``; solved games use the solver instead. ``emit`` is called with
    each finished position.

    Returns:
        The totals; None if stopped.
    """
    chosen = bench_positions(positions)
    depth = depth or BENCH_DEPTHS[kernel.name]
    lines: list[BenchLine] = []
    for number, (variant, fen) in enumerate(chosen, start=1):
        game = Game(Position.from_fen(find_variant(variant), fen))
        searcher = SolverKernel(game.start) if game.position.ruleset.board == "wheel" else kernel
        searcher.clear_hash()
        task = Task(tuple(move.packed for move in game.legal_moves()), depth)
        begun_ns = now_ns()
        result = searcher.search(game, task, lambda item: None, should_stop, lambda progress: True)
        took_us = max(1, (now_ns() - begun_ns) // 1000)
        if should_stop():
            return None
        lines.append(BenchLine(
            number, len(chosen), f"{variant} {game.position.geometry.name}", fen,
            game.position.named_move(result.move), result.nodes, took_us))
        emit(lines[-1])
    return _total(kernel.name, depth, lines)


def bench_positions(name: str) -> tuple[tuple[str, str], ...]:
    """Return a set of positions as pairs of variant and FEN; the name is one of ``BENCH_SETS``."""
    lines = Path(__file__).with_name("bench.txt").read_text(encoding="utf-8").splitlines()
    pairs = [(variant, fen) for variant, _, fen in (line.partition(" ") for line in lines) if variant not in ("", "#")]
    return tuple(pair for pair in pairs if name == ALL or pair[0].startswith("ludii-") == (name == LUDII))


def _total(kernel: str, depth: int, lines: Sequence[BenchLine]) -> BenchTotal:
    by_board: dict[str, list[BenchLine]] = {}
    for line in lines:
        by_board.setdefault(line.board, []).append(line)
    boards = tuple(
        BenchBoard(board, sum(line.nodes for line in of_board),
                   _median([line.nodes_per_second for line in of_board]))
        for board, of_board in by_board.items())
    nodes = sum(line.nodes for line in lines)
    return BenchTotal(kernel, depth, boards, nodes, nodes * 10**6 // sum(line.time_us for line in lines))


def _median(speeds: Sequence[int]) -> int:
    """Return the median, rounded down; importing that of ``statistics`` would slow the start of the engine."""
    ordered, middle = sorted(speeds), len(speeds) // 2
    return ordered[middle] if len(speeds) % 2 else (ordered[middle - 1] + ordered[middle]) // 2
