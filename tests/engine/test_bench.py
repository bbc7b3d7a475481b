from __future__ import annotations

import pytest

import cases
from latrones_uci.engine import bench
from latrones_uci.engine.bench_positions import BENCH_POSITIONS
from latrones_uci.engine.events import BenchLine, BenchTotal, Event
from latrones_uci.game import find_variant


def run(depth: int | None) -> tuple[list[Event], BenchTotal | None]:
    events: list[Event] = []
    total = bench.run(depth, events.append, lambda: False)
    return events, total


def test_positions_are_of_games_that_go_on_and_none_twice() -> None:
    assert len(set(BENCH_POSITIONS)) == len(BENCH_POSITIONS)
    for variant, fen in BENCH_POSITIONS:
        position = cases.position(variant, fen)
        assert position.fen() == fen
        assert position.result() is None
    for variant in cases.VARIANTS:
        width, height = find_variant(variant).default_size
        least = 2 if variant == "rota" else 20  # rota is solved: its positions are there for the signature
        assert sum(name == variant and cases.position(name, fen).geometry.name == f"{width}x{height}"
                   for name, fen in BENCH_POSITIONS) >= least  # fmt: skip


def test_signature_is_the_same_each_time() -> None:
    (first, total), (again, total_again) = run(2), run(2)
    assert total is not None
    assert total_again is not None
    assert total.nodes == total_again.nodes == sum(line.nodes for line in first if isinstance(line, BenchLine))
    assert [strip(line) for line in first] == [strip(line) for line in again]


def strip(line: Event) -> tuple[object, ...]:
    assert isinstance(line, BenchLine)
    return (line.number, line.of, line.board, line.fen, line.move, line.nodes)


def test_deeper_is_more() -> None:
    totals = [run(depth)[1] for depth in (1, 2)]
    assert totals[0] is not None
    assert totals[1] is not None
    assert totals[0].nodes < totals[1].nodes


@pytest.mark.parametrize("after", [0, 1])
def test_stopped(after: int) -> None:
    events: list[Event] = []
    assert bench.run(1, events.append, lambda: len(events) >= after) is None
    assert len(events) == after
