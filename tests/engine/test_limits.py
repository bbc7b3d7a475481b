"""Search limits, and time management as arithmetic: with a fake clock, not in real time."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latrones_uci.engine import limits as limits_module
from latrones_uci.engine.limits import FALLEN_SCORE, Limits, TimeManager
from latrones_uci.engine.types import MAX_PLY, IterationProgress

MS = 1_000_000
UNSTEADY = IterationProgress(steady=0, settled=False)
STEADY = IterationProgress(steady=9, settled=False)
SETTLED = IterationProgress(steady=0, settled=True)
FALLING = IterationProgress(steady=9, settled=False, fallen=FALLEN_SCORE)


class Clock:
    def __init__(self) -> None:
        self.now_ms = 5_000_000.0

    def now_ns(self) -> int:
        return int(self.now_ms * MS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(limits_module, "now_ns", made.now_ns)
    return made


def manager(clock: Clock, limits: Limits, side: int = 0, choices: int = 30) -> TimeManager:
    return TimeManager(limits, side, 20, clock.now_ns(), choices)


def times(limits: Limits, side: int = 0, overhead_ms: int = 20) -> tuple[float, float]:
    plan = TimeManager(limits, side, overhead_ms, 0, 30)
    assert plan.soft_ms is not None
    assert plan.hard_ms is not None
    return plan.soft_ms, plan.hard_ms



def test_depth_is_capped_at_the_maximum() -> None:
    assert [Limits(depth=depth).search_depth for depth in (None, 7, 10**9)] == [MAX_PLY, 7, MAX_PLY]


# ---------------------------------------------------------------- plans

clocks = st.integers(-1_000, 10_000_000)
increments = st.integers(0, 100_000)
to_go = st.none() | st.integers(1, 60)
overheads = st.integers(0, 5_000)


@given(clocks, increments, to_go, overheads)
def test_a_plan_stays_within_the_clock(clock_ms: int, increment_ms: int, moves: int | None, overhead_ms: int) -> None:
    limits = Limits(time_ms=(clock_ms, None), increment_ms=(increment_ms, 0), moves_to_go=moves)
    soft_ms, hard_ms = times(limits, 0, overhead_ms)
    assert soft_ms >= 0
    assert 0 <= hard_ms <= max(0, clock_ms - overhead_ms)


@given(st.integers(1_000, 1_000_000), increments, overheads, st.integers(1, 27))
def test_more_time_never_shortens_the_plan(clock_ms: int, increment_ms: int, overhead_ms: int, moves: int) -> None:
    def soft(clock_ms: int, increment_ms: int, moves: int) -> float:
        limits = Limits(time_ms=(None, clock_ms), increment_ms=(0, increment_ms), moves_to_go=moves)
        return times(limits, 1, overhead_ms)[0]

    plan = soft(clock_ms, increment_ms, moves)
    assert soft(clock_ms + 1_000, increment_ms, moves) >= plan
    assert soft(clock_ms, increment_ms + 1_000, moves) >= plan
    assert moves == 1 or soft(clock_ms, increment_ms, moves + 1) <= plan


@pytest.mark.parametrize("clock_ms", [10_000, 1_000, 400, 180, 100, 20])
@pytest.mark.parametrize("moves", [1, 2, None])
def test_eight_overheads_are_kept_in_reserve(clock_ms: int, moves: int | None) -> None:
    """Below the reserve a move takes next to nothing, even the last one of its time control."""
    _, hard_ms = times(Limits(time_ms=(clock_ms, None), moves_to_go=moves))
    assert hard_ms <= 0.6 * max(clock_ms - 20 - 8 * 20, 0.01 * clock_ms)


@pytest.mark.long
@given(st.lists(st.floats(0, 1), min_size=60, max_size=60), st.integers(200, 60_000), st.integers(20, 1_000))
def test_plans_never_run_out_of_time(lateness: list[float], clock_ms: int, increment_ms: int) -> None:
    """Every move uses its hard limit and is late by up to the overhead; the increment makes up for it."""
    left = float(clock_ms)
    for late in lateness:
        left -= times(Limits(time_ms=(int(left), None), increment_ms=(increment_ms, 0)))[1] + late * 20
        assert left > 0
        left += increment_ms


@pytest.mark.long
@given(st.lists(st.floats(0, 1), min_size=90, max_size=90), st.integers(1, 45), st.integers(21, 5_000))
@example([1.0] * 90, 45, 100)
@example([1.0] * 90, 40, 21)
def test_plans_keep_to_periods_of_moves(lateness: list[float], moves: int, per_move_ms: int) -> None:
    """Every move uses its hard limit and is late by up to the overhead; time is added after each period."""
    left = float(moves * per_move_ms)
    for number, late in enumerate(lateness):
        to_go = moves - number % moves
        left -= times(Limits(time_ms=(int(left), None), moves_to_go=to_go))[1] + late * 20
        assert left > 0
        left += moves * per_move_ms if to_go == 1 else 0


def test_the_time_of_a_period_is_used_in_it() -> None:
    """Moves that take their soft limit leave little but the reserve."""
    left = 40_000.0
    for to_go in range(40, 0, -1):
        left -= times(Limits(time_ms=(int(left), None), moves_to_go=to_go))[0]
    assert 160 < left < 2_000


@given(st.integers(0, 1_000_000), overheads)
def test_movetime_is_used_up_to_the_overhead(movetime_ms: int, overhead_ms: int) -> None:
    soft_ms, hard_ms = times(Limits(movetime_ms=movetime_ms), 0, overhead_ms)
    assert soft_ms == hard_ms
    assert movetime_ms / 2 <= hard_ms <= movetime_ms
    if overhead_ms * 4 < movetime_ms:
        assert hard_ms == movetime_ms - overhead_ms


def test_which_clock_counts() -> None:
    """The one of the player to move, that of the opponent if there is no other, and movetime as well."""
    two, one = Limits(time_ms=(1_000, 500_000)), Limits(time_ms=(1_000, None), increment_ms=(50, 0))
    assert times(two, 0)[1] < 1_000 < times(two, 1)[1]
    assert times(one, 0) == times(one, 1)
    for movetime_ms, clock_ms in ((100, 600_000), (600_000, 100)):
        assert times(Limits(movetime_ms=movetime_ms, time_ms=(clock_ms, None)))[1] <= 100


@pytest.mark.parametrize("limits", [Limits(), Limits(depth=3), Limits(nodes=5), Limits(mate=2),
                                    Limits(infinite=True, movetime_ms=5, time_ms=(5, 5))])
def test_search_without_time_limit_never_stops(clock: Clock, limits: Limits) -> None:
    plan = manager(clock, limits)
    clock.now_ms += 1e9
    assert not plan.should_stop()
    assert plan.wants_depth(SETTLED)


# ---------------------------------------------------------------- decisions

MINUTE = Limits(time_ms=(60_000, 60_000))
SECOND = Limits(movetime_ms=1_000)
INTERRUPTIBLE = IterationProgress(steady=9, settled=False, interruptible=True)
ALMOST_FALLING = IterationProgress(steady=9, settled=False, fallen=FALLEN_SCORE - 1)


@pytest.mark.parametrize(
    ("limits", "choices", "used", "progress", "goes_on"),
    [
        (MINUTE, 30, 0.0, UNSTEADY, True),
        (MINUTE, 30, 0.5, UNSTEADY, True),
        (MINUTE, 30, 0.5, STEADY, False),
        (MINUTE, 30, 0.0, SETTLED, False),
        (MINUTE, 1, 0.0, UNSTEADY, False),  # a forced move
        # A falling score takes more time.
        (MINUTE, 30, 0.9, UNSTEADY, False),
        (MINUTE, 30, 0.9, ALMOST_FALLING, False),
        (MINUTE, 30, 0.9, FALLING, True),
        (MINUTE, 30, 1.01, FALLING, False),
        # A search that can be interrupted in an iteration uses all of the planned time.
        (MINUTE, 30, 0.99, INTERRUPTIBLE, True),
        (MINUTE, 30, 1.01, INTERRUPTIBLE, False),
        # A fixed time is used in full, also after a win, since a shorter one may be found.
        (SECOND, 30, 0.0, SETTLED, True),
        (SECOND, 1, 0.0, UNSTEADY, False),
        (SECOND, 30, 0.92, STEADY, True),
        (SECOND, 30, 1.01, UNSTEADY, False),
    ],
)
def test_which_iterations_are_begun(
    clock: Clock, limits: Limits, choices: int, used: float, progress: IterationProgress, goes_on: bool
) -> None:
    plan = manager(clock, limits, choices=choices)
    assert plan.soft_ms is not None
    clock.now_ms += used * plan.soft_ms
    assert plan.wants_depth(progress) == goes_on
    assert not plan.should_stop() or limits is SECOND


def test_search_stops_at_the_hard_limit_measured_from_reading_the_command(clock: Clock) -> None:
    plan = TimeManager(SECOND, 0, 20, clock.now_ns() - 400 * MS, 30)
    assert plan.elapsed_ms() == 400
    clock.now_ms += 579
    assert not plan.should_stop()
    clock.now_ms += 1.01
    assert plan.should_stop()


@pytest.mark.parametrize(("limits", "hard_ms"), [(None, 1000), (Limits(time_ms=(60_000, 1)), 6409)])
def test_pondering_does_not_use_the_clock(clock: Clock, limits: Limits | None, hard_ms: int) -> None:
    """The ponderhit starts it, and may bring other limits."""
    plan = manager(clock, Limits(ponder=True, movetime_ms=1_000))
    clock.now_ms += 100_000
    assert plan.pondering
    assert not plan.should_stop()
    assert plan.wants_depth(SETTLED)
    plan.ponderhit(limits)
    assert not plan.pondering
    clock.now_ms += hard_ms - 21
    assert not plan.should_stop()
    clock.now_ms += 22
    assert plan.should_stop()
