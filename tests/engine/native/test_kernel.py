"""The compiled kernel: exceptions, the transposition table, and threads."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

import cases
from engine.listener import Listener
from latrones_uci.engine import kernels, native
from latrones_uci.engine.bench import bench_positions
from latrones_uci.engine.events import Refusal
from latrones_uci.engine.kernels import WEIGHT_PREFIX, NativeKernel, PythonKernel
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.nets.find import AUTO, Nets
from latrones_uci.engine.options import tunable_options
from latrones_uci.engine.python.evaluation import terms, weights_of
from latrones_uci.engine.session import Session
from latrones_uci.engine.types import CurrentMove, IterationProgress, SearchResult, Task
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.text.clock import now_ns
from latrones_uci.text.protocol import BestMove, SearchInfo

pytestmark = pytest.mark.usefixtures("native_core")
MIDDLEGAME = "ssss2ss/4s3/8/D4s2/2d3SS/1S1S4/4S3/S1S2S2 w 18 10"


def middlegame() -> Game:
    return Game(Position.from_fen(find_variant("latrones"), MIDDLEGAME))


def always(progress: IterationProgress) -> bool:
    return True


def never() -> bool:
    return False


def search(
    kernel: NativeKernel, wants_depth: Callable[[IterationProgress], bool] = always, **bounds: int
) -> tuple[SearchResult, list[SearchInfo]]:
    infos: list[SearchInfo] = []

    def report(item: SearchInfo | CurrentMove) -> None:
        if isinstance(item, SearchInfo):
            infos.append(item)

    game = middlegame()
    return kernel.search(game, Task(game.position.packed_moves, **bounds), report, never, wants_depth), infos


def fail(*arguments: object) -> bool:
    raise ZeroDivisionError("in Python")


# ---------------------------------------------------------------- exceptions


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("report", "should_stop", "wants_depth"), [(fail, never, always), (print, fail, always), (print, never, fail)]
)
def test_exceptions_of_callbacks_propagate_and_the_kernel_stays_usable(
    report: Callable[..., None], should_stop: Callable[[], bool], wants_depth: Callable[..., bool], threads: int
) -> None:
    kernel, game = NativeKernel(1), middlegame()
    kernel.use_threads(threads)
    task = Task(game.position.packed_moves, depth=30)
    quiet = report if report is fail else lambda item: None
    with pytest.raises(ZeroDivisionError, match="in Python"):
        kernel.search(game, task, quiet, should_stop, wants_depth)
    outcome, _ = search(kernel, depth=3)
    assert outcome.move in game.position.packed_moves


def test_perft_can_be_stopped_and_propagates_exceptions() -> None:
    position = Position.start(find_variant("latrones"), (16, 16))
    assert NativeKernel(1).perft(position, 20, lambda: True) is None
    with pytest.raises(ZeroDivisionError, match="in Python"):
        NativeKernel(1).perft(position, 20, fail)


class FailingCore:
    """A core in which everything raises."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def search(self, *arguments: object) -> None:
        raise self.error

    perft = search

    def clear(self, *arguments: object) -> None:
        pass

    use_net = clear


@pytest.mark.parametrize("error", [MemoryError("bad_alloc"), ValueError("no such cell"), RuntimeError("out of range")])
def test_error_of_the_core_is_reported_and_a_move_follows(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    listener = Listener()
    session = Session(listener, "native")
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "make_core", lambda *name: FailingCore(error))
        session.go(Limits(depth=5), now_ns())
        session.wait()
    refusal = Refusal.of_failure("the search failed", error)
    assert refusal.code == ("memory" if isinstance(error, MemoryError) else "internal")
    assert refusal.message.endswith(str(error))
    first = session.game.legal_moves()[0]
    assert listener.take() == [refusal, BestMove(first)]
    session.perft(3)
    session.wait()
    assert listener.take() == [refusal]


def test_table_larger_than_memory_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the available memory is unknown, the allocation fails cleanly."""
    monkeypatch.setattr(kernels, "check_available", lambda megabytes: None)
    kernel = NativeKernel(1)
    with pytest.raises(MemoryError, match=f"^cannot allocate {2**40} MB of hash: out of memory$"):
        kernel.resize_hash(2**40)
    assert search(kernel, depth=3)[0].nodes > 0


def test_the_value_is_that_of_the_evaluation() -> None:
    """With the net of the game, and without one; the core computes it."""
    positions = [Position.start(name) for name in ("latrones", "bell", "latrunculi-xxi")]
    for nets in (Nets(AUTO), Nets()):
        native, python = NativeKernel(1), PythonKernel(1)
        for kernel in (native, python):
            kernel.use_nets(nets)
        for position in positions:
            for each in (position, position.play(position.legal_moves()[-1])):
                assert native.value(each) == python.value(each) == native.evaluate(each).total


# ---------------------------------------------------------------- the table


@pytest.mark.long
def test_hashfull_counts_the_current_search() -> None:
    kernel = NativeKernel(1)
    _, infos = search(kernel, nodes=1_000_000)
    full = [info.hashfull for info in infos]
    assert full == sorted(full)
    assert full[0] < 50
    assert full[-1] > 800
    _, infos = search(kernel, depth=1)
    assert infos[-1].hashfull < 50
    for megabytes in (1, 8):
        kernel.resize_hash(megabytes)
        assert (search(kernel, nodes=200_000)[1][-1].hashfull > 500) == (megabytes == 1)


def test_clear_hash_forgets_everything() -> None:
    """Also what several threads have searched."""
    kernel = NativeKernel(2)
    first, _ = search(kernel, depth=8)
    second, _ = search(kernel, depth=8)
    assert second.nodes < first.nodes
    kernel.use_threads(3)
    search(kernel, depth=6)
    kernel.use_threads(1)
    kernel.clear_hash()
    assert search(kernel, depth=8)[0] == first


# ---------------------------------------------------------------- threads


@pytest.mark.parametrize("threads", [2, 7, 256])
def test_search_with_several_threads(threads: int) -> None:
    kernel, game = NativeKernel(4), middlegame()
    assert kernel.use_threads(threads) == threads
    outcome, infos = search(kernel, depth=4)
    assert outcome.move in game.position.packed_moves
    assert infos[-1].depth == 4
    for text in infos[-1].pv:
        game.push(text)
    if threads < 10:
        assert 100_000 <= search(kernel, nodes=100_000)[0].nodes < 120_000


@pytest.mark.long
@pytest.mark.parametrize(("bounds", "voted"), [({}, True), ({"depth": 60}, False), ({"multipv": 2}, False)])
def test_threads_vote_on_the_move(bounds: dict[str, int], voted: bool) -> None:
    """The first thread, held up after a ply, is overruled by two that search deeper; the last line is theirs."""
    kernel, position = NativeKernel(4), middlegame().position
    kernel.use_threads(3)

    def wait_and_end(progress: IterationProgress) -> bool:
        time.sleep(0.2)
        return False

    outcome, infos = search(kernel, wait_and_end, **bounds)
    best = [info for info in infos if info.multipv == 1]
    assert (best[0].depth, best[0].pv) == (1, ("b3b6",))
    assert (best[-1].nodes, best[-1].pv[0]) == (outcome.nodes, position.named_move(outcome.move))
    if voted:
        assert best[-1].depth > 2
        assert best[-1].pv[0] == "a5e5"
        assert position.named_move(outcome.ponder) == best[-1].pv[1]
    else:
        assert best[-1].pv == best[0].pv


# ---------------------------------------------------------------- constants


CONSTANTS = [option.name for option in (tunable_options() if native.is_compiled() else ())
             if not option.name.startswith(WEIGHT_PREFIX)] or ["none"]


def tuned(values: dict[str, int]) -> NativeKernel:
    kernel = NativeKernel(2)
    for name, value in values.items():
        kernel.tune(name, value)
    return kernel


def test_constants_set_to_their_defaults_change_nothing() -> None:
    expected = search(NativeKernel(2), depth=7)
    usual = {option.name: int(option.default or 0) for option in tunable_options()}
    assert search(tuned(usual), depth=7) == expected
    # This one matters from the second search on only, and selects the code with values that the compiler does not know.
    assert search(tuned(usual | {"history_fade": 3}), depth=7) == expected
    # A changed one forgets what was searched before.
    kernel = tuned(usual)
    search(kernel, depth=7)
    kernel.tune("futility_margin", 90)
    assert search(kernel, depth=7)[0] == search(tuned({"futility_margin": 90}), depth=7)[0] != expected[0]


def effort(kernel: NativeKernel) -> int:
    """Return the nodes of several searches, one after another."""
    nodes = 0
    for variant, fen in (bench_positions("core")[number] for number in (3, 8, 10, 11, 17, 93)):
        game = Game(Position.from_fen(find_variant(variant), fen))
        nodes += kernel.search(game, Task(game.position.packed_moves, 7), lambda item: None, never, always).nodes
    return nodes


def test_games_of_soldiers_only_have_values_of_their_own() -> None:
    game = Game(Position.start(find_variant("petteia-xxi")))

    def nodes(values: dict[str, int]) -> int:
        return tuned(values).search(game, Task(game.position.packed_moves, 6), lambda item: None, never, always).nodes

    usual, soldiers_only = ({name: entry[which] for name, entry in native.core().TUNING.items()} for which in (0, 1))
    assert nodes({}) == nodes(soldiers_only) != nodes(usual)


@pytest.mark.long
@pytest.mark.parametrize("name", CONSTANTS)
def test_every_constant_has_an_effect(name: str) -> None:
    """It changes the nodes of searches at one end of its range or the other."""
    [option] = (option for option in tunable_options() if option.name == name)
    narrow = {"aspiration_window": 2}  # so that windows fail often
    ends = [effort(tuned(narrow | {option.name: value})) for value in (option.minimum, option.maximum)]
    assert set(ends) != {effort(tuned(narrow))}


@pytest.mark.parametrize("end", ["minimum", "maximum"])
@pytest.mark.parametrize("variant", ["latrones", "schaedler", "bell"])
def test_search_with_all_constants_at_an_end_of_their_ranges(variant: str, end: str) -> None:
    kernel = tuned({option.name: getattr(option, end) for option in tunable_options()})
    game = Game(Position.start(find_variant(variant)))
    for _ in range(3):
        result = kernel.search(game, Task(game.position.packed_moves, nodes=20_000), lambda item: None, never, always)
        game.push(game.position.named_move(result.move))


def test_a_weight_changes_the_evaluation_of_every_game() -> None:
    for variant, fen in (bench_positions("core")[number] for number in (1, 90)):
        position = Position.from_fen(find_variant(variant), fen)
        usual, changed = NativeKernel(1).evaluate(position), tuned({"weight_slide": 10}).evaluate(position)
        slide = weights_of(position.ruleset).slide
        assert usual.mobility != 0, variant
        assert changed == usual._replace(mobility=usual.mobility * 10 // slide)
    # The dux of White has three open sides, that of Black four.
    position = Position.from_fen(find_variant("latrones"), "8/8/2d5/8/8/4D3/4S3/8 w 0 1")
    assert tuned({"weight_dux_sides_3": 7, "weight_dux_sides_4": 1}).evaluate(position).dux_safety == 6


def test_lone_duces_are_evaluated_as_in_python() -> None:
    kernel, found = NativeKernel(1), []
    for [fen, _] in json.loads((cases.DATA / "lone_dux.json").read_text(encoding="utf-8"))[0]["positions"]:
        position = Position.from_fen(find_variant("ludii-kowalski-12x8"), fen)
        found.append(kernel.evaluate(position))
        assert found[-1] == terms(position.rules, position.board), fen
    assert len({each.pursuit for each in found}) > 20
