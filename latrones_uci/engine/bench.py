"""The bench: a fixed search of fixed positions; its node count is a signature of the engine's behaviour."""

import statistics
import time
from collections.abc import Callable, Sequence

from latrones_uci.engine.events import BenchBoard, BenchComparison, BenchLine, BenchTotal, Event
from latrones_uci.engine.kernels import Kernel, SolverKernel
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.protocol import SearchInfo
from latrones_uci.search.types import CurrentMove, Progress, Task

BENCH_DEPTHS = {"python": 3, "native": 7}
"""Default depth of each kernel, chosen so that both take a few seconds."""
BENCH_HASH_MEGABYTES = 16
CORE, LUDII, ALL = "core", "ludii", "all"
BENCH_SETS = (CORE, LUDII, ALL)
"""The sets of positions, named as in the option VariantSet. The first set's node count is the engine's signature."""


def run(
    kernel: Kernel,
    depth: int | None,
    emit: Callable[[Event], None],
    should_stop: Callable[[], bool],
    positions: str = CORE,
) -> BenchTotal | None:
    """Search each position to ``depth`` with an empty table.

    Args:
        kernel: a kernel with a table of ``BENCH_HASH_MEGABYTES``; solved games use the solver instead.
        depth: depth in plies, None for ``BENCH_DEPTHS``.
        emit: called with each finished position.
        should_stop: called during the search.
        positions: one of ``BENCH_SETS``.

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
        task = Task(tuple(game.legal_moves()), depth)
        begun_ns = time.perf_counter_ns()
        result = searcher.search(game, task, _ignore, should_stop, _always)
        took_us = max(1, (time.perf_counter_ns() - begun_ns) // 1000)
        if should_stop():
            return None
        lines.append(BenchLine(
            number, len(chosen), f"{variant} {game.position.geometry.name}", fen,
            game.position.move_text(result.move), result.nodes, took_us))
        emit(lines[-1])
    return _total(kernel.name, depth, lines)


def bench_positions(name: str) -> tuple[tuple[str, str], ...]:
    """Return a set of positions as pairs of variant and FEN; the name is one of ``BENCH_SETS``."""
    return {CORE: BENCH_POSITIONS, LUDII: LUDII_POSITIONS, ALL: BENCH_POSITIONS + LUDII_POSITIONS}[name]


def compare(
    kernels: tuple[Kernel, Kernel],
    depth: int | None,
    emit: Callable[[Event], None],
    should_stop: Callable[[], bool],
    positions: str = CORE,
) -> BenchComparison | None:
    """Run the bench with two kernels, one after the other; return None if stopped.

    Both search to ``depth``, or each to its default depth if ``depth`` is None.
    """
    totals = []
    for kernel in kernels:
        total = run(kernel, depth, emit, should_stop, positions)
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


def _ignore(item: SearchInfo | CurrentMove) -> None:
    """Ignore a report: the bench reports positions, not iterations."""


def _always(progress: Progress) -> bool:
    return True


BENCH_POSITIONS: tuple[tuple[str, str], ...] = (
    ("latrones", "ssssssss/3d4/8/8/8/8/4D3/SSSSSSSS w 0 1"),
    ("latrones", "1s6/8/2s5/6s1/1S1ss3/3S4/1S3dDs/5S2 w 1 25"),
    ("latrones", "6s1/4s3/1ss2S2/7S/2D1ss2/3d1S2/1S5S/6S1 b 9 25"),
    ("latrones", "1s1ss1s1/5s1s/S1s1D3/1S3s2/2Sd2SS/3S4/8/4S1S1 b 23 12"),
    ("latrones", "2ss2s1/s7/5s2/7s/S1Dd2S1/3S4/1S3S2/4S2S b 4 8"),
    ("latrones", "1s4s1/4ss2/3sD3/1s4S1/s3dS2/7S/3S4/1S6 w 2 14"),
    ("latrones", "1s5s/6s1/8/sS3s2/4s3/7D/5d2/S2SS2S w 1 19"),
    ("latrones", "3ss3/8/3s4/5s2/6s1/1sDSd1S1/3S1S2/SS2S3 b 12 24"),
    ("latrones", "s7/1s6/5s1s/S1s3s1/1S1d3D/2S1S1SS/2S5/4S3 b 6 20"),
    ("latrones", "2s4s/8/1S1sS2S/s1S3s1/3S4/d7/4s1D1/8 b 25 25"),
    ("latrones", "s5s1/1s3s2/3d1S2/2s1s3/6S1/S2S4/3D4/2S4S w 4 16"),
    ("latrones", "ss1ss1s1/2d4S/S5S1/3S1s2/4s3/1S1s2S1/4D3/2S3S1 b 15 8"),
    ("latrones", "1s4ss/4d3/3s4/1S3s2/2S1D1S1/s7/7S/S3SS2 w 3 10"),
    ("latrones", "ssss2ss/4s3/8/D4s2/2d3SS/1S1S4/4S3/S1S2S2 w 18 10"),
    ("latrones", "1s1s1s1s/2s5/6D1/4s3/3S2S1/5S1d/8/SSS4S w 1 10"),
    ("latrones", "s2s3s/2s5/3d4/2s2s1S/1s6/8/1D6/S2SS1S1 b 1 8"),
    ("latrones", "ss6/6s1/3sDd1s/1S3s2/S2S2S1/2s2S2/8/4S2S b 7 14"),
    ("latrones", "s5s1/5s2/8/4d1s1/1sD1S2s/s2S4/2S2S2/6S1 w 1 24"),
    ("latrones", "5s2/8/6s1/1S6/4d1s1/sSSsD3/S6S/3S1S2 b 0 21"),
    ("latrones", "4s3/s6s/3s2D1/S1s2d2/3S4/2S1s3/8/7S w 25 27"),
    ("latrones", "3s4/1s6/3dD3/7S/5s2/1S5s/4S3/3S4 b 3 29"),
    ("latrones", "ssssssssssss/5d6/12/12/12/12/6D5/SSSSSSSSSSSS w 0 1"),
    ("latrones", "s5s4s/5s6/Ss1s1S1s3D/3S5s2/2S3S4s/2d2S6/7S4/4S1S5 b 0 26"),
    ("latrones", "3sss5s/5d6/8s1s1/s10s/1s1SS3s3/1D5s4/2S9/SS3S1S1SS1 w 0 14"),
    ("latrones", "3s1sss2s1/3S3S3s/5dD5/2s1sS6/12/1sS1S3s3/sS6S1S1/S5S2S1S b 0 10"),
    ("latrones", "sssss1ssss2/12/7S4/5s2SSs1/11s/4S5dS/4D7/SSSS1SS3S1 b 15 8"),
    ("latrones", "1s3s2ss1s/6D3d1/5S1s4/1S6S1s1/4s4S2/2s4S3s/s1S6S2/3SS1S4S w 5 12"),
    ("latrones", "1ssssss3s1/1S9s/s11/1S7s2/7s1S2/8sD2/5d6/S1SS1SSSS1SS w 12 7"),
    ("latrones", "1s3ss1s1ss/2s2d6/s3s3S3/S1Ss1S3s2/1S1S2D1s3/8S3/12/6SS1SSS b 17 9"),
    ("latrones", "ss3s4ss/12/5d1s4/3sS7/2s2S5S/4S2S1S2/5s2D3/SSS3S5 w 5 12"),
    ("latrones", "sss2s5s/7ds3/8S3/4s1sS1S2/3s4S3/5sD4S/4S7/SSSS2S3S1 b 4 13"),
    ("latrones", "1s2ss3s1s/6s5/3s1dD1sS2/4S7/3s1S6/8S3/3s3S4/SS4S3S1 b 3 16"),
    ("latrones", "5ss1s1s1/7s3s/2s6d2/s1S1s1D3S1/3S1S5s/7S4/1S2S3S3/S2s5SS1 b 16 18"),
    ("latrones", "3s7s/2s9/1s2S1S3sS/2sD5s2/6s5/S4s4s1/8dS2/1S1S1S2S1S1 w 3 20"),
    ("latrones", "3s5s2/4d2sS3/2s1s1s3s1/4S1s2S1s/sSS1D5S1/7S4/1s2S7/1S4S4S b 7 22"),
    ("latrones", "1S8s1/S3s1s5/S3s1S5/7Ds3/2s2s3s2/7S3s/7dS3/9S1S w 0 24"),
    ("latrones", "1s2ss4ss/s8s1S/5S1D4/s8s1s/4S3SS2/2dsS1S5/2S9/3S3S4 b 11 25"),
    ("latrones", "12/2d4S4/1sS1D3s3/3S5s2/3S1s4sS/6s1s3/3S2S5/9SS1 b 7 26"),
    ("latrones", "11s/6s5/2s6Ds1/s2S4S3/1s5S2s1/2S1S1d4S/sS10/1S3S6 b 5 29"),
    ("latrones", "1s8s1/8s3/6D5/s7s3/2s4S2dS/5S3s2/2S7S1/S8S2 w 10 30"),
    ("latrones", "4s7/6dD3s/5S1s4/6S3s1/12/12/s7S3/2S7S1 b 12 32"),
    ("latrones", "ssssssssssssssss/7d8/16/16/16/16/16/16/16/16/16/16/16/16/8D7/SSSSSSSSSSSSSSSS w 0 1"),
    ("latrones", "3sssssssss1sss/6S1d7/2s2S10/16/2s13/16/13S2/16/16/16/9S2s3/16/16/1S14/s7D7/S2SS2SS1SSS1SS w 0 7"),
    ("latrones", "ssss4s1ssssss/6s3d5/6S9/2S1s11/10S3S1/11S4/3S12/16/16/4S11/16/7s8/5s10/8Ds6/16/SS3S1SSS2SS1S b 17 9"),
    ("latrones",
     "1s1sss1s1s1s2s1/16/2sS12/4S11/8s3s3/s4S10/16/16/16/16/11S1s2/10S5/6s5S2s/S6d2S5/12D3/2S2SSSS4SSS w 1 14"),
    ("latrones",
     "1s2s2s2s1s1ss/S15/2s7s5/S15/10s1S3/5s10/2S6s6/5S3S6/11S4/1S11S2/15s/8s7/6s9/7d8/14D1/3S2SSS4S1S b 3 17"),
    ("latrones", "1s1s2s3s3ss/5s3S6/s1sS6S5/4S11/s15/1S14/4S8s1s/16/16/16/16/8s2S1S2/16/7d8/8D7/5S1SS3S3 w 0 20"),
    ("latrones", "1s6s3s1S1/11s3S/6S9/2s1s3D7/s6s8/6d4S4/1S1s12/2S4s8/5S10/3S5s6/16/10s2S2/16/9S6/11S4/S12S2 w 6 23"),
    ("latrones", "1s12s1/12s3/2s7S2s2/s2S8s3/14S1/s10S4/16/16/6s9/5S1d8/7D1S6/2s13/5S9s/16/5S10/2S3S1S6S b 0 24"),
    ("latrones", "4s8s2/7s3S4/14s1/10S5/9s6/1s14/3s12/5s2D7/3S12/S5s5S3/7d5S2/16/s7s7/11S1s2/1s13S/S4S1SS7 w 14 28"),
    ("latrones", "ss1s3ss7/12d3/16/11s3D/2s13/5s6s2S/11S4/4S2S8/10s5/3S5s6/12Ss2/8s7/S4SS5s1S1/2S12S/6S9/1S8S5 b 8 30"),
    ("latrones", "2s7S3s1/16/13s2/6s9/12s2s/2S13/2s13/6Ss3S4/16/5S10/s3S11/1s2s3d7/1S3S10/3s12/1D14/S2SS3S7 b 10 33"),
    ("latrones", "1s1S12/2s13/4s11/2D13/11s4/3s12/s15/4S7Ss2/S1s4S2d5/11S2s1/4s2S8/13S2/1S7S6/16/2S11Ss/4S1s9 w 11 37"),
    ("latrones", "4sS7s2/15s/4s11/S2s12/5s4S2S2/9S6/13s1S/6s5S3/1s5S8/2s13/1S3S1d8/16/11S4/16/14D1/2S9S3 w 7 39"),
    ("latrones", "s12s2/16/16/8D1ss1S2/6S9/3s4d7/16/5s6S3/2sS5s6/4S11/15s/2S12S/8S7/13S2/S10S4/2S1s9S1 b 8 42"),
    ("latrones", "s12s2/15s/S4S5s4/9D6/8s2S2s1/4s10S/7S8/13S2/1s1S12/9s6/6s9/3s4S1s5/6S9/12d3/10S5/12S3 b 28 43"),
    ("latrones", "1s2S7s3/6D1s7/4s8S1s/5s10/12S3/14S1/2S8S4/16/2s7S5/16/10s5/s15/8S7/7d8/13S2/S5S9 b 8 47"),
    ("latrones", "4S5ss4/16/16/7s8/3S8s2D/6s1S1s3S1/2S6s6/10S5/4s11/2d4S8/5s10/16/S12s2/6S9/16/5S5s4 w 9 51"),
    ("latrones", "12s3/16/2s3S8s/8S7/5s10/9S1sD3/s15/7s3S4/8s7/5S4d5/7S1s6/6s9/1s11S2/16/16/1S9S4 b 20 52"),
    ("latrones", "7s6s1/3S1s6s3/14s1/13d2/16/4S1s8s/7S8/2s13/16/9D6/10s5/4s7S3/11s4/12s3/1S13S/12S3 w 0 56"),
    ("latrones", "16/s15/4s11/7s8/7S8/10s5/3s12/9s6/16/6S8s/4S6S4/13S1s/4s8dD1/16/13S1s/s4S10 w 4 60"),
    ("latrunculi-classical", "ssssssssss/4d5/10/10/10/10/5D4/SSSSSSSSSS w 0 1"),
    ("latrunculi-classical", "1s1s2s1ss/2s7/3S1s4/4s5/sS2D1d3/5S1s2/2S4SS1/S3S1S2S w 22 12"),
    ("latrunculi-classical", "s5s3/5D1s2/4d3s1/3s1s1S2/2s3S1Ss/1s3S4/3S3S2/1SS6S b 5 20"),
    ("latrunculi-classical", "ss3s4/5D3s/1S1s6/4S2s2/3S1d3S/10/2S7/5S2S1 w 2 19"),
    ("latrunculi-classical", "1s4s2s/2s1s3s1/10/1D1s1s4/4d4S/s1S4S2/S9/3S2S1S1 w 0 16"),
    ("latrunculi-classical", "s7S1/5s4/7s1S/4s5/3d5s/s5S3/2D7/SS1S6 b 10 24"),
    ("latrunculi-classical", "5D1S2/7d2/s6S2/2s1ssS3/10/9S/S2s6/10 b 2 29"),
    ("latrunculi-classical", "3s1s4/10/2s5D1/3d2S3/S4s2S1/3S2s2S/4s5/7s2 w 11 29"),
    ("latrunculi-classical", "10/3S2Ds2/4s5/1s6s1/7S2/sS3Sd2s/4S5/S4s3S w 6 24"),
    ("latrunculi-classical", "s6s2/4s2S2/S1s3S3/1s3D2d1/S2s2ss1S/10/1S6S1/1S1S2S3 w 17 20"),
    ("latrunculi-classical", "s8s/2d7/1s2s5/2S7/4s5/3S1s1s2/1D6s1/2S2SSS2 w 0 16"),
    ("latrunculi-classical", "5ssss1/s3sD3d/S6S2/4S5/S1s7/2s5Ss/7S2/5S3S w 7 15"),
    ("latrunculi-classical", "s4s4/3s1D3S/2sS6/s2S6/2S7/1S2d5/7sS1/4S5 w 9 30"),
    ("latrunculi-classical", "s9/1s8/S1s7/1S5s2/10/5sS1S1/4dD4/S9 w 1 29"),
    ("latrunculi-classical", "sss5ss/4S5/2S3d2S/4S5/7D1s/3S6/7s2/SS7S w 5 17"),
    ("latrunculi-classical", "8s1/4s4s/5sS1S1/1s1s6/4D5/1S1d6/5S4/7S2 b 3 21"),
    ("latrunculi-classical", "s3ss4/1d3D2s1/4S5/5S3s/1S2s1S3/2s4S2/3S6/S1S5S1 w 3 17"),
    ("latrunculi-classical", "2s2sS1ss/s5s3/3d2S3/4s5/5S2S1/10/2S4D2/SS3S3S b 2 13"),
    ("latrunculi-classical", "3s6/4s2Ss1/5d4/1S5s1S/2s7/2S4S2/6D3/6s1S1 w 10 28"),
    ("latrunculi-classical", "s4S4/8d1/5DssS1/4s3S1/4s1S3/1s2S5/2sS6/3s4S1 w 3 21"),
    ("latrunculi-classical", "s4s4/7s1S/S1s4S2/5D4/4Sd4/3S6/6S3/4s5 b 15 30"),
    ("latrunculi-xxi", "ssssssssss/4d5/10/10/10/10/5D4/SSSSSSSSSS w 0 1"),
    ("latrunculi-xxi", "s1s1ss3s/1s1s6/6s3/4S3s1/5Sd3/7s2/3D4S1/SS1S2SS2 b 1 8"),
    ("latrunculi-xxi", "1s7s/2d2Ds1sS/7s2/s3S5/3S6/2S7/10/S6S2 b 4 17"),
    ("latrunculi-xxi", "6s3/1S1s1s1S2/2s2D4/2SS1d4/10/4S5/sS8/8S1 b 8 23"),
    ("latrunculi-xxi", "1s2d5/1S2D5/10/10/s3s1S3/10/1S2s5/4S5 b 3 27"),
    ("latrunculi-xxi", "1s5Ds1/2s2s2s1/8S1/s1s3S3/10/4s1S3/1S2d2S2/9S w 2 18"),
    ("latrunculi-xxi", "1s1S5s/S3d5/s4s3s/6s3/2s2S4/1S4S1S1/9D/1S5S2 b 1 13"),
    ("latrunculi-xxi", "1S1Ss2s1s/10/10/s1S2s4/8S1/5s1S1s/S4Dd1S1/4S1S3 w 2 13"),
    ("latrunculi-xxi", "s1s3s3/4S1S3/3sSD1s2/2S2d3s/10/7S1S/2s7/1SS2S4 w 1 12"),
    ("latrunculi-xxi", "s3s4s/1Ss3d3/3s6/1S3s4/3S2sS1S/5s2S1/5D4/6S1S1 w 7 12"),
    ("latrunculi-xxi", "s1s1s4s/2S6S/5D4/10/2s7/5s4/Ss1Sd2s2/1S3S1S2 b 4 14"),
    ("latrunculi-xxi", "ss8/6s3/4s1S1s1/4s3Ss/7s2/S1s1dD4/1S2S5/4S2S1S w 0 13"),
    ("latrunculi-xxi", "2S3s3/1ss2s3S/3s3s2/2s2D4/3S1d4/4S5/7S2/2S7 b 3 17"),
    ("latrunculi-xxi", "2sssss1ss/10/1s3D4/1SSd5S/s3S1S1S1/10/10/S2S1S3S b 2 9"),
    ("latrunculi-xxi", "1s3s3s/4sD4/10/sS4S1S1/10/3s6/1s1d1S3S/1S5S2 b 2 15"),
    ("latrunculi-xxi", "2s7/2D4d2/10/4S4s/1SS2s4/3Ss5/7s1S/5S1S2 b 2 20"),
    ("latrunculi-xxi", "1sss5s/4d1s3/1S2S1s1sS/S5S3/s3S5/10/S4D4/3S4S1 b 7 12"),
    ("latrunculi-xxi", "s6s1s/5d4/s6s2/6S2S/2s5S1/5S4/3D6/4S5 b 1 19"),
    ("latrunculi-xxi", "1S2s3s1/S7s1/1s4Ds1S/3s6/4d5/1Ss2S4/4S5/2SS4S1 b 2 15"),
    ("latrunculi-xxi", "1s3s2s1/4dDs1S1/s1S7/4S1s3/1S8/3s1S4/10/S2S3SS1 b 6 14"),
    ("latrunculi-xxi", "5sssS1/5D3S/2s7/4S5/7d2/ss3s1S2/4s5/SS3S2S1 w 2 16"),
    ("petteia-xxi", "ssssssss/ssssssss/8/8/8/8/SSSSSSSS/SSSSSSSS w 0 1"),
    ("petteia-xxi", "s6s/4s3/2ss2s1/3s1s2/s1sSS1SS/S5SS/5S2/1S6 w 0 27"),
    ("petteia-xxi", "s1s3s1/1s2s2s/4s3/S1s1S1S1/1S1sS2s/2S2S1S/3S4/SS6 w 3 25"),
    ("petteia-xxi", "3sssss/1s5s/3s1s2/1Ss2s1S/sS2s3/2S1S3/S5S1/S2S1SSS b 5 16"),
    ("petteia-xxi", "ss1sss1s/2s1ss2/2s1SS2/s3SS2/1s1sS2s/3S2s1/SS4SS/SSS3SS w 0 11"),
    ("petteia-xxi", "s1s3ss/s7/1s6/1s6/SSss2sS/2SS1sS1/2S5/SS1S1S1S b 6 21"),
    ("petteia-xxi", "6ss/8/4s3/1s1Ss3/s1s3sS/4Ss2/2S2S2/SSS2SSS b 2 26"),
    ("petteia-xxi", "1s1ss2s/1s4s1/ss3s2/s1sS4/4S3/s7/2S2SSS/S1S3SS w 0 18"),
    ("petteia-xxi", "ss1ssss1/s4ss1/2s5/1ssssSSs/S2S3S/1S6/2S2S1S/SSSSSS1S w 7 10"),
    ("petteia-xxi", "sss1s1ss/s5ss/3s4/3S4/1ss5/2ssS1S1/1S1S1S2/SSSS1SSS w 2 11"),
    ("petteia-xxi", "s1ssssss/s5s1/1s5s/SS2s3/2s2s1S/2ss2S1/S1SS1SS1/SS1SSSS1 b 7 11"),
    ("petteia-xxi", "s1ssssss/2ssss2/7s/s1S4S/Ss2S1S1/1s6/1SS2S2/SSSSSSSS w 3 8"),
    ("petteia-xxi", "ss1ss1ss/1s6/2s5/s5s1/1SSss3/S3S1Ss/2S1SS1S/SS1SSS1S b 0 13"),
    ("petteia-xxi", "ss2ss1s/2s4s/5ss1/3sSS1S/1s2S3/s1sS2S1/S5S1/S4SSS w 2 15"),
    ("petteia-xxi", "1s5s/2s2s2/2S2S2/4s3/s2S4/S1S5/3S2S1/S7 w 1 24"),
    ("petteia-xxi", "sssss2s/s6s/5s2/3ss1ss/Ss2S3/1S1S2S1/4S1S1/SSS1SSSS b 0 11"),
    ("petteia-xxi", "3s1s1s/4s3/s5s1/3sSSS1/2s1SS1s/ss1S2S1/SS5S/S2S3S w 1 21"),
    ("petteia-xxi", "ssss1sss/1sss3s/8/2SSs1s1/4S1Ss/1S6/2S4S/S1SSS1SS w 0 10"),
    ("petteia-xxi", "s1s2ss1/s3s2s/3s2s1/Ssss1s1S/2SSs2S/1S2SSS1/S4SS1/1SSS3S w 13 17"),
    ("petteia-xxi", "ss1s1s1s/6s1/Sss1s3/2Ss4/2S1s3/1S2Ss2/3S2SS/S1SSS2S b 2 13"),
    ("petteia-xxi", "sss2s1s/s7/1s4s1/SSs1s2s/2S1Ss2/2S2S1S/6S1/S1SS2SS b 0 13"),
    ("single-stone-xxi", "ssssssssss/10/10/10/10/10/10/SSSSSSSSSS w 0 1"),
    ("single-stone-xxi", "6s3/10/S1s7/10/2S1s5/6sSSs/4S5/5SS3 w 5 19"),
    ("single-stone-xxi", "s5s2s/7s2/10/3s4s1/10/2S2s4/Ss8/1SS1SSSSSS w 1 8"),
    ("single-stone-xxi", "3s6/6s3/3S4S1/s5S3/3S1S4/3s6/3s6/1sSS5S w 5 17"),
    ("single-stone-xxi", "s5S1ss/2s5S1/s3sS4/5s4/7S1S/10/8S1/1S1s6 b 0 15"),
    ("single-stone-xxi", "3s6/10/8Ss/4Ss1s2/3S6/6S3/7S2/s6Ss1 w 5 19"),
    ("single-stone-xxi", "8s1/8S1/10/6Ss2/10/1S5s2/2S4s2/7S2 b 1 24"),
    ("single-stone-xxi", "8S1/9S/5s1s2/5s2s1/8S1/3S6/10/10 w 2 18"),
    ("single-stone-xxi", "6s3/10/3Ss5/2s5s1/s1S7/S7S1/7S2/4Ss3S w 6 21"),
    ("single-stone-xxi", "10/s6s2/10/10/S1sS6/s4S4/2sS6/3sS5 b 1 28"),
    ("single-stone-xxi", "4s2s2/1s2S5/5S1s2/10/s1S1s5/1S8/10/SS7S b 0 19"),
    ("single-stone-xxi", "3s5s/9s/3Ss2S2/4S5/1s1S5S/s1S5s1/S9/1S8 b 2 16"),
    ("single-stone-xxi", "4s2s2/2sS3S1s/S4S4/5s3S/s9/S5s1S1/1s2S5/1S4S3 b 8 13"),
    ("single-stone-xxi", "s3ss4/7s1S/S5s3/2S3S3/2s7/3s3S2/10/1S1S4SS w 5 12"),
    ("single-stone-xxi", "ss1s3s2/10/S5s1ss/10/5s2S1/2s1S5/3S6/2SSS1S2S w 2 9"),
    ("single-stone-xxi", "s8s/3s6/10/5S2s1/Ss1S2s3/2sS6/2S4s1S/1S2S3S1 b 6 11"),
    ("single-stone-xxi", "5s2s1/3s6/6S1sS/s2s6/6S3/S8S/1S8/7sS1 b 0 17"),
    ("single-stone-xxi", "s2ss5/5s4/3S1S1s2/4S2ss1/1S8/s1S3s3/S6S2/6S3 b 3 15"),
    ("single-stone-xxi", "s7s1/9s/1S4sS2/3s6/3S6/4s1S3/10/1S8 w 4 21"),
    ("single-stone-xxi", "6s1s1/2s7/2S6s/7s2/1S3s4/8S1/10/5S4 w 0 25"),
    ("single-stone-xxi", "1Ss3S1s1/2s6s/10/2s2s4/S6s2/4S4S/10/10 b 1 14"),
    ("schaedler", "8/8/8/8/8/8/8/8[8S8s] w 0 1"),
    ("schaedler", "8/5S2/8/8/s6s/1SSSs3/2s5/1S2s3[3S3s] w 0 6"),
    ("schaedler", "s7/5s1s/7S/2S3s1/1S2S3/8/3S4/6s1[3S3s] w 0 6"),
    ("schaedler", "2s5/2s3S1/4sS2/8/2s3S1/6S1/1ss5/1S1S4[2S2s] w 0 7"),
    ("schaedler", "8/1s1S1ss1/3SSs2/8/3S4/2S5/4S3/7s[2S3s] b 0 6"),
    ("schaedler", "1s2s3/3S2S1/1S6/3S1sS1/S7/b1s1S3/S3s2s/6s1[-] b 29 23"),
    ("schaedler", "2S5/3S1Ss1/8/3S1S2/1s2S1S1/3s1s2/s1s1s1s1/2S5[-] b 37 27"),
    ("schaedler", "3S4/1S2S3/1s1s1S2/s4b2/5SS1/3ss3/2S3S1/3s2s1[-] w 14 16"),
    ("schaedler", "6s1/1s2s3/2s2s1s/1S2S2s/3S2S1/6S1/2s2S2/6S1[-] w 6 30"),
    ("schaedler", "s3s3/S2s1s2/2S1s1s1/8/4S1Ss/6S1/2S1S3/5S2[-] w 5 24"),
    ("schaedler", "8/1S3s2/1b4Ss/1S2S2S/4s1S1/7S/1s2s1s1/2s4S[-] w 12 15"),
    ("schaedler", "6S1/S3s3/5s1S/Ss1s4/6s1/1s4S1/s4s1S/2S5[-] b 13 28"),
    ("schaedler", "2ss4/4SbS1/4Sss1/2S2s2/Ss6/8/2sS4/S1S5[-] b 7 12"),
    ("schaedler", "S2sS1sS/2s5/5SS1/6S1/s1S4S/5s2/5ss1/2s5[-] b 5 11"),
    ("schaedler", "8/6s1/8/2s1S2s/6s1/1s1S4/1S1s1s1S/1S6[-] w 2 23"),
    ("schaedler", "1S3sS1/2S3S1/1s1s1s2/4s3/8/2S4s/S2S1Ss1/1s6[-] w 16 17"),
    ("schaedler", "1SS1ss1s/Sb6/1S2S2s/2S5/6S1/4s1Ss/2s5/8[-] b 7 12"),
    ("schaedler", "1s6/2s3S1/S2S4/ssS3s1/8/2SbS2S/6s1/4S3[-] b 16 21"),
    ("schaedler", "4SbSs/1S1S4/1s6/4s2s/2S5/3S1S2/1s1s4/5Ss1[-] b 33 25"),
    ("schaedler", "1Ss3S1/7S/8/1s1s1S2/2s1sb2/5S2/1S1Ss3/5s2[-] b 9 14"),
    ("schaedler", "1S1s4/8/s2S4/1S5S/1ss1S2S/1s6/2s3S1/7S[-] b 4 16"),
    ("bell", "8/8/8/8/8/8/8[16S1D16s1d] w 0 1"),
    ("bell", "S3S3/3S4/8/1sS3s1/8/2s2S2/4sS2[10S1D12s1d] b 0 3"),
    ("bell", "1SSSs3/4s2s/S2S4/Ss2s1S1/2sS1sS1/2s3S1/ss1sS2S[4S1D5s1d] b 0 6"),
    ("bell", "6s1/8/Ss3SsS/S2SS3/2s3s1/3s4/S1s1S3[8S1D9s1d] b 0 4"),
    ("bell", "ssS5/S1S5/S4s1s/2sSS1SS/ssS4S/2ss2S1/2s1sS2[4S1D5s1d] b 0 6"),
    ("bell", "1S1S1S1s/1SS1S2s/1ssS1S2/2s1S1s1/1s1S1s2/4s1Ss/S2s1s2[-] b 3 25"),
    ("bell", "Ss4d1/s3s2s/2s1s2S/1S1D2S1/ss5S/ss1sSSSS/s3s1SS[-] w 2 18"),
    ("bell", "sSsS4/1S1sD1s1/ss3sSS/S2S2SS/S1S3sS/SsSss1Ss/1s1sdsSs[-] b 5 12"),
    ("bell", "s2S2s1/S1S4s/S3S1s1/sSS1s2d/s5s1/SSs1S1s1/1S1s1SSs[-] b 1 16"),
    ("bell", "S1s1S2s/SS3Ss1/DS1SS3/1ss2s1s/ss4SS/s3S2S/1d1sSSss[-] b 4 17"),
    ("bell", "1S2ss2/S1s4s/1s5s/1Ss1sS1S/1S2S2D/S1S2S2/s3s1s1[-] w 8 27"),
    ("bell", "1s3S2/s1sSS1S1/1s3S1S/s1s1S1S1/1s3S2/s2sS1S1/2d2S2[-] b 2 25"),
    ("bell", "sd3ssS/1s1s1S2/s2s1S1s/2sSS2D/s2S1S1s/1s2S1Ss/1S1S3S[-] b 1 17"),
    ("bell", "1Sss3s/S1ss1d1S/SSS3S1/2S2S1S/SSss1S1s/S2s1s1s/1s2s2D[-] b 3 23"),
    ("bell", "s1ssSs1S/1s3SS1/Ds1s1S1S/1S5s/S2d3s/1SS3s1/ss1SS3[-] w 0 21"),
    ("bell", "2S2Ss1/S3sssS/SsS1D1ds/Ss1S1Sss/1S2S2S/3s1sss/SS1sS1Ss[-] w 3 12"),
    ("bell", "2SSSs1s/s1SSss1S/3ssD1S/1s3SS1/2sd4/1s1s1sSS/s2S2S1[-] b 4 18"),
    ("bell", "sDSs1S1S/S1S2SS1/SS3ssS/1SSss1sS/s2s1s2/1s1S3s/s5s1[-] w 18 23"),
    ("bell", "2SSsS2/s1s2SS1/Ss1s1s1S/5s1s/S2s1ss1/DssSS1Ss/s3S1S1[-] b 11 20"),
    ("bell", "SSSSS1s1/s1S4s/ss1SsS2/S1sssSDS/sss1s1Ss/s1S1SS2/Sd6[-] w 1 13"),
    ("bell", "Ss1S1sss/3s1s2/1S2s2s/S1S3dS/1S2ssS1/S2s2S1/2SSs1sS[-] b 8 20"),
    ("rota", "3/3/3[3S3s] w 0 1"),
    ("rota", "s1S/1S1/s2[1S1s] w 0 3"),
)
"""The positions as pairs of variant and FEN: the start of each game, and positions from fast games of the engine.

There are twenty for each game on its default board (in games with placement, some of them during placement), twenty
more of ``latrones`` on each of 12x8 and 16x16, and two of ``rota``, which is solved.
"""

LUDII_POSITIONS: tuple[tuple[str, str], ...] = (
    ("ludii-museum-quintana", "ssssssss/ssssssss/8/8/8/8/SSSSSSSS/SSSSSSSS w 0 1"),
    ("ludii-museum-quintana", "ssssssss/s1s3ss/3s3S/S3s2S/2S2s2/1s2SS2/S4SS1/SSSSSSS1 w 20 11"),
    ("ludii-museum-quintana", "ss1sssss/1s4s1/1s1SS3/3S1sSS/S1s1sS1s/4S2s/1S1S3S/5SSS w 27 26"),
    ("ludii-museum-quintana", "1s5s/s1ss3s/3ssSSs/S4s2/S1SSSs1S/5S2/S1S5/1SS1S1S1 w 3 46"),
    ("ludii-kowalski-11x10", "sssssdsssss/11/11/11/11/11/11/11/11/SSSSSDSSSSS w 0 1"),
    ("ludii-kowalski-11x10", "1s2s5s/9s1/5d5/sSS3s4/6Ss3/6D4/S2s3S3/4S3ssS/8S2/3S5S1 w 24 13"),
    ("ludii-kowalski-11x10", "2s6ss/2S1s6/5sS1S1S/S8s1/1Sd8/2s2S5/10D/1s2S1s4/7S3/3s6S w 70 36"),
    ("ludii-kowalski-12x8", "ssssssssssss/5d6/12/12/12/12/6D5/SSSSSSSSSSSS w 0 1"),
    ("ludii-kowalski-12x8", "1ss3sss1s1/9s1D/7S4/1d1s3S4/5s4S1/1s2S7/s1S9/SS3S3S1S w 14 16"),
    ("ludii-kowalski-12x8", "s2S2s5/4s5S1/S6s2s1/4S2s2S1/1ss4D4/9d2/2S9/1S4s1S2S w 39 41"),
    ("ludii-piso", "3s4/2s5/Sss5/2S2s2/2SSss2/2Ss1S2/1SsS1S2/8[11S11s] w 0 10"),
    ("ludii-piso", "7S/1S3SsS/s1s4s/Ss1sSssS/2ssSssS/SssSSS2/2s1sSS1/S2sss2[-] w 2 26"),
    ("ludii-piso", "6S1/1ss2s2/4s2s/6SS/s2ss3/ss1ssSS1/SssSS1S1/SSsSSssS[-] w 10 46"),
    ("ludii-piso", "1Ss5/3s1ss1/SSss1Ss1/3S2S1/1SSS1SS1/4S1S1/sSS1S1S1/5s1S[-] w 26 76"),
    ("ludii-seega-6x6", "6/3Sss/1S1s2/1S1ssS/SsSS2/s1S3[9S10s] b 0 4"),
    ("ludii-seega-6x6", "S1S2S/s4S/sSSs1s/S1SSSs/sSSSss/sssssS[-] w 0 15"),
    ("ludii-seega-6x6", "2S3/1Ss1S1/1ssS2/ss1SSs/s2s2/SssSSs[-] w 10 28"),
    ("ludii-kharebga-8x8", "4SssS/4S3/1ssS3s/2Ss1SSs/sSS1ss1S/2S2s1S/2s2S2/2sSSSss[15S16s] b 0 8"),
    ("ludii-kharebga-8x8", "sSSssSSS/SSSsss1S/SSss1sss/S1s2ssS/1s1S1ssS/s2SsSSs/1s1S1SSs/SsssSSsS[-] w 6 26"),
    ("ludii-kharebga-8x8", "SSss1s1s/3ssSS1/s2ssSSS/sSSS2SS/sSSS3S/SssSSSss/SsssSSss/sSssSssS[-] w 28 46"),
    ("ludii-bell-7x8", "7/3s3/2SsS2/3SSss/7/1ssSS2/1ssSS2/1SSss2[6S1D6s1d] w 0 6"),
    ("ludii-bell-7x8", "7/3DS1s/2SSsSs/2sssSS/sSS1Ss1/1SSsss1/1s1S1ss/dssSSSS[-] w 8 14"),
    ("ludii-bell-8x8", "3S4/8/sSS5/s4S2/S6s/3s4/1s1s4/3S4[10S1D10s1d] w 0 4"),
    ("ludii-bell-8x8", "3S4/1S1s4/3s4/2sD2s1/sSSdsss1/sSSssS1s/S1sSSSSs/S3SS1S[-] w 10 15"),
    ("ludii-bell-8x8", "s4s2/3s1S2/4S3/1S2s3/SSSdsSSs/1sSS1sSS/1ssSS2S/D2ssS1s[-] w 12 23"),
    ("ludii-schadler-1994", "4s3/8/5S2/4S3/2s5/2SsSsS1/1SsSs1s1/s4S2[8S8s] w 0 9"),
    ("ludii-schadler-1994", "3S4/sS1s1S1s/1bSSssS1/1S2Ss2/2sSsss1/1sBssSS1/1SssS3/6S1[-] w 2 21"),
    ("ludii-schadler-1994", "8/1sS1Ss2/sBbS2s1/1sSbsBs1/2SSssSs/4S1S1/1sSSbS2/6S1[-] w 1 31"),
    ("ludii-schadler-1994", "8/1s1sBs2/3B3s/1SSs1S2/1b1SsbS1/1SbSBSs1/1sSss1S1/2s5[-] w 4 46"),
    ("ludii-falkener",
     "1s1s1s1s1s1s/s1s1s1s1s1s1/1s1s1s1s1s1s/s1s1s1s1s1s1/1s1s1s1s1s1s/12/12/S1S1S1S1S1S1/1S1S1S1S1S1S/"
     "S1S1S1S1S1S1/1S1S1S1S1S1S/S1S1S1S1S1S1 w 0 1"),
    ("ludii-falkener",
     "1s1s1s1s1s1s/4s1s1s1s1/ssss1s1s1s1s/5ss1s1s1/sssss2s1s2/S10s/10S1/1SS1S1S1S3/3S1S1S1SSS/SSS1S1S1S3/"
     "3S1S1S1SSS/S1S1S1S1S3 w 14 8"),
    ("ludii-falkener",
     "1s1s1s1s1s1s/1s1s1s1ss1s1/1s1s1s1s1s1s/2s1ss4s1/1s1s1s1ss1sS/9s2/SsS9/3SS1S1S1S1/1S4S1S3/S1S1S1S1S1S1/"
     "2S1S1S1S1SS/S1S1S1S1S1S1 w 24 21"),
    ("ludii-falkener",
     "1s1s1s1s1s1s/s2s1s1s1s2/s1s2s1s1s1s/2s3s1s1s1/3s3s1s2/s3sS3s2/3s5S2/2S1SSS2S2/2S4S1S1S/4SSSS2S1/"
     "SSSS4S1SS/4S1S1S1S1 w 3 36"),
)
"""Positions of Ludii's rulesets, chosen in the same way. They cover all rules and are not part of the signature."""
