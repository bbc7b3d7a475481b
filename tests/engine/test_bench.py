"""The bench: its positions and its signature."""

from __future__ import annotations

import dataclasses

import pytest

import cases
import fake_kernels
from engine.listener import Listener
from fake_kernels import QuickKernel
from latrones_uci.engine import bench
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.engine.events import BenchComparison, BenchLine, EngineEvent
from latrones_uci.engine.kernels import PythonKernel
from latrones_uci.engine.session import Session
from latrones_uci.game import Ruleset, find_variant, ludii_variants
from latrones_uci.game.ruleset import keys_of

CORE, LUDII = (bench.bench_positions(name) for name in ("core", "ludii"))

both = pytest.mark.parametrize("backend", ["native", pytest.param("python", marks=pytest.mark.slow)], indirect=True)


def test_positions_are_distinct_and_not_finished() -> None:
    positions = bench.bench_positions("all")
    assert len(set(positions)) == len(positions) == len(CORE) + len(LUDII)
    for variant, fen in positions:
        position = cases.position(variant, fen)
        assert position.fen() == fen
        assert position.outcome() is None
    for variant in cases.VARIANTS:
        width, height = find_variant(variant).default_size
        least = 2 if variant == "rota" else 20  # rota is solved: a few positions suffice
        assert sum(name == variant and cases.position(name, fen).geometry.name == f"{width}x{height}"
                   for name, fen in CORE) >= least
    for board in ("12x8", "16x16"):
        assert sum(cases.position(name, fen).geometry.name == board for name, fen in CORE) == 20


def test_positions_of_ludii_have_all_kinds_of_rules() -> None:
    """Every value of a key that a ruleset of Ludii has comes up, but for its name, titles and sizes."""
    named = {variant for variant, _ in LUDII}
    assert named <= set(ludii_variants())
    for key in (each.name for each in dataclasses.fields(Ruleset)):
        if key not in keys_of("words") | {"default_size", "hand"}:
            wanted = {getattr(ruleset, key) for ruleset in ludii_variants().values()}
            assert {getattr(ludii_variants()[name], key) for name in named} == wanted, key


@both
@pytest.mark.long
def test_sets_of_positions(backend: str) -> None:
    nodes = {}
    for positions in bench.BENCH_SETS:
        events: list[EngineEvent] = []
        total = bench.run(make_kernel(choose(backend), 4), 1, events.append, lambda: False, positions)
        assert total is not None
        assert (total.kernel, total.depth) == (backend, 1)
        lines = [event for event in events if isinstance(event, BenchLine)]
        assert [(line.board.split()[0], line.fen) for line in lines] == list(bench.bench_positions(positions))
        assert total.nodes == sum(line.nodes for line in lines) == sum(board.nodes for board in total.boards)
        nodes[positions] = total.nodes
        if positions == "core":
            assert [board.board for board in total.boards][:3] == ["latrones 8x8", "latrones 12x8", "latrones 16x16"]
            assert len(total.boards) == len(cases.VARIANTS) + 2
    assert nodes["all"] == nodes["core"] + nodes["ludii"]
    deeper = bench.run(make_kernel(choose(backend), 4), 2, lambda _: None, lambda: False)
    assert deeper is not None
    assert deeper.nodes > nodes["core"]


@pytest.mark.long
@pytest.mark.usefixtures("native_core")
def test_compare_runs_both_kernels(monkeypatch: pytest.MonkeyPatch, listener: Listener) -> None:
    fake_kernels.use(monkeypatch, QuickKernel)
    session = Session(listener)
    session.bench(1, compare=True)
    session.wait()
    *lines, compared = listener.events
    assert isinstance(compared, BenchComparison)
    assert compared.first.nodes + compared.second.nodes == sum(line.nodes for line in lines
                                                               if isinstance(line, BenchLine))
    assert len(lines) == 2 * len(CORE)


@pytest.mark.parametrize("after", [0, 1])
def test_bench_can_be_stopped(after: int) -> None:
    events: list[EngineEvent] = []
    assert bench.run(PythonKernel(1), 1, events.append, lambda: len(events) >= after) is None
    assert len(events) == after
