"""Search limits, and time management as arithmetic: with a fake clock, not in real time."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from latrones_uci.engine import limits as limits_module
from latrones_uci.engine.errors import LimitsError
from latrones_uci.engine.limits import FALLEN_SCORE, Limits, TimeManager
from latrones_uci.search.types import MAX_PLY, Progress

MS = 1_000_000
UNSTEADY = Progress(steady=0, settled=False)
STEADY = Progress(steady=9, settled=False)
SETTLED = Progress(steady=0, settled=True)
FALLING = Progress(steady=9, settled=False, fallen=FALLEN_SCORE)


class Clock:
    def __init__(self) -> None:
        self.now_ms = 5_000_000.0

    def monotonic_ns(self) -> int:
        return int(self.now_ms * MS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(limits_module, "time", SimpleNamespace(monotonic_ns=made.monotonic_ns))
    return made


def manager(clock: Clock, limits: Limits, side: int = 0, overhead_ms: int = 20, choices: int = 30) -> TimeManager:
    return TimeManager(limits, side, overhead_ms, clock.monotonic_ns(), choices)


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"depth": 0}, "depth must be at least 1, not '0'"),
        ({"nodes": -1}, "nodes must be at least 1, not '-1'"),
        ({"moves_to_go": 0}, "movestogo must be at least 1, not '0'"),
        ({"mate": 0}, "mate must be at least 1, not '0'"),
        ({"movetime_ms": -1}, "movetime must be at least 0, not '-1'"),
        ({"increment_ms": (0, -5)}, "increment must be at least 0, not '-5'"),
        ({"increment_ms": (-5, 0)}, "increment must be at least 0, not '-5'"),
    ],
)
def test_numbers_out_of_range_are_rejected(bad: dict[str, int], message: str) -> None:
    with pytest.raises(LimitsError, match=message):
        Limits(**bad)  # type: ignore[arg-type]


def test_clock_may_be_zero_or_negative() -> None:
    assert Limits(time_ms=(-100, 0), movetime_ms=0).time_ms == (-100, 0)


def test_depth_is_capped_at_the_maximum() -> None:
    assert Limits().search_depth == MAX_PLY
    assert Limits(depth=7).search_depth == 7
    assert Limits(depth=10**9).search_depth == MAX_PLY


# ---------------------------------------------------------------- plans

clocks = st.integers(-1_000, 10_000_000)
increments = st.integers(0, 100_000)
to_go = st.none() | st.integers(1, 60)
overheads = st.integers(0, 5_000)


@given(clocks, increments, to_go, overheads)
def test_a_plan_stays_within_the_clock(clock_ms: int, increment_ms: int, moves: int | None, overhead_ms: int) -> None:
    limits = Limits(time_ms=(clock_ms, None), increment_ms=(increment_ms, 0), moves_to_go=moves)
    plan = TimeManager(limits, 0, overhead_ms, 0, 30)
    assert plan.soft_ms is not None
    assert plan.hard_ms is not None
    assert plan.soft_ms >= 0
    assert 0 <= plan.hard_ms <= max(0, clock_ms - overhead_ms)


@given(st.integers(1_000, 1_000_000), increments, overheads, st.integers(1, 27))
def test_more_time_never_shortens_the_plan(clock_ms: int, increment_ms: int, overhead_ms: int, moves: int) -> None:
    def soft(clock_ms: int, increment_ms: int, moves: int) -> float:
        limits = Limits(time_ms=(None, clock_ms), increment_ms=(0, increment_ms), moves_to_go=moves)
        return TimeManager(limits, 1, overhead_ms, 0, 30).soft_ms or 0.0

    plan = soft(clock_ms, increment_ms, moves)
    assert soft(clock_ms + 1_000, increment_ms, moves) >= plan
    assert soft(clock_ms, increment_ms + 1_000, moves) >= plan
    if moves > 1:
        assert soft(clock_ms, increment_ms, moves + 1) <= plan


@pytest.mark.parametrize("clock_ms", [10_000, 1_000, 400, 180, 100, 20])
@pytest.mark.parametrize("moves", [1, 2, None])
def test_eight_overheads_are_kept_in_reserve(clock_ms: int, moves: int | None) -> None:
    """Below the reserve a move takes next to nothing, even the last one of its time control."""
    plan = TimeManager(Limits(time_ms=(clock_ms, None), moves_to_go=moves), 0, 20, 0, 30)
    assert plan.hard_ms is not None
    assert plan.hard_ms <= 0.6 * max(clock_ms - 20 - 8 * 20, 0.01 * clock_ms)


@given(st.lists(st.floats(0, 1), min_size=60, max_size=60), st.integers(200, 60_000), st.integers(20, 1_000))
def test_plans_never_run_out_of_time(lateness: list[float], clock_ms: int, increment_ms: int) -> None:
    """Every move uses its hard limit and is late by up to the overhead; the increment makes up for it."""
    overhead_ms, left = 20, float(clock_ms)
    for late in lateness:
        plan = TimeManager(Limits(time_ms=(int(left), None), increment_ms=(increment_ms, 0)), 0, overhead_ms, 0, 30)
        assert plan.hard_ms is not None
        left -= plan.hard_ms + late * overhead_ms
        assert left > 0
        left += increment_ms


@given(st.lists(st.floats(0, 1), min_size=90, max_size=90), st.integers(1, 45), st.integers(21, 5_000))
@example([1.0] * 90, 45, 100)
@example([1.0] * 90, 40, 21)
def test_plans_keep_to_periods_of_moves(lateness: list[float], moves: int, per_move_ms: int) -> None:
    """Every move uses its hard limit and is late by up to the overhead; time is added after each period."""
    overhead_ms, left = 20, float(moves * per_move_ms)
    for number, late in enumerate(lateness):
        to_go = moves - number % moves
        plan = TimeManager(Limits(time_ms=(int(left), None), moves_to_go=to_go), 0, overhead_ms, 0, 30)
        assert plan.hard_ms is not None
        left -= plan.hard_ms + late * overhead_ms
        assert left > 0
        left += moves * per_move_ms if to_go == 1 else 0


def test_the_time_of_a_period_is_used_in_it() -> None:
    """Moves that take their soft limit leave little but the reserve."""
    left = 40_000.0
    for to_go in range(40, 0, -1):
        plan = TimeManager(Limits(time_ms=(int(left), None), moves_to_go=to_go), 0, 20, 0, 30)
        assert plan.soft_ms is not None
        left -= plan.soft_ms
    assert 160 < left < 2_000


@given(st.integers(0, 1_000_000), overheads)
def test_movetime_is_used_up_to_the_overhead(movetime_ms: int, overhead_ms: int) -> None:
    plan = TimeManager(Limits(movetime_ms=movetime_ms), 0, overhead_ms, 0, 30)
    assert plan.soft_ms == plan.hard_ms
    assert plan.hard_ms is not None
    assert movetime_ms / 2 <= plan.hard_ms <= movetime_ms
    if overhead_ms * 4 < movetime_ms:
        assert plan.hard_ms == movetime_ms - overhead_ms


def test_the_clock_of_the_player_to_move_counts(clock: Clock) -> None:
    limits = Limits(time_ms=(1_000, 500_000), increment_ms=(0, 0))
    white, black = manager(clock, limits, 0), manager(clock, limits, 1)
    assert white.hard_ms is not None
    assert black.hard_ms is not None
    assert white.hard_ms < 1_000 < black.hard_ms


def test_without_its_own_clock_a_player_has_as_much_time_as_the_opponent(clock: Clock) -> None:
    own = manager(clock, Limits(time_ms=(1_000, None), increment_ms=(50, 0)), 0)
    other = manager(clock, Limits(time_ms=(1_000, None), increment_ms=(50, 0)), 1)
    assert own.hard_ms is not None
    assert (other.soft_ms, other.hard_ms) == (own.soft_ms, own.hard_ms)


def test_clock_and_movetime_both_apply(clock: Clock) -> None:
    for movetime_ms, clock_ms in ((100, 600_000), (600_000, 100)):
        plan = manager(clock, Limits(movetime_ms=movetime_ms, time_ms=(clock_ms, None)))
        assert plan.hard_ms is not None
        assert plan.hard_ms <= 100


@pytest.mark.parametrize("limits", [Limits(), Limits(depth=3), Limits(nodes=5), Limits(mate=2),
                                    Limits(infinite=True, movetime_ms=5, time_ms=(5, 5))])  # fmt: skip
def test_search_without_time_limit_never_stops(clock: Clock, limits: Limits) -> None:
    plan = manager(clock, limits)
    clock.now_ms += 1e9
    assert not plan.should_stop()
    assert plan.wants_depth(SETTLED)


# ---------------------------------------------------------------- decisions


def test_search_stops_at_the_hard_limit(clock: Clock) -> None:
    plan = manager(clock, Limits(movetime_ms=1_000))
    clock.now_ms += 979
    assert not plan.should_stop()
    clock.now_ms += 1.01
    assert plan.should_stop()
    assert not plan.wants_depth(UNSTEADY)


def test_time_is_measured_from_reading_the_command(clock: Clock) -> None:
    plan = TimeManager(Limits(movetime_ms=1_000), 0, 0, clock.monotonic_ns() - 400 * MS, 30)
    assert plan.elapsed_ms() == 400
    clock.now_ms += 600
    assert plan.should_stop()


def test_no_iteration_starts_that_would_not_finish_in_time(clock: Clock) -> None:
    plan = manager(clock, Limits(time_ms=(60_000, 60_000)))
    assert plan.soft_ms is not None
    assert plan.wants_depth(UNSTEADY)
    clock.now_ms += plan.soft_ms
    assert not plan.wants_depth(UNSTEADY)
    assert not plan.should_stop()


def test_settled_forced_and_steady_moves_take_less_time(clock: Clock) -> None:
    plan = manager(clock, Limits(time_ms=(60_000, 60_000)))
    assert not plan.wants_depth(SETTLED)
    assert not manager(clock, Limits(time_ms=(60_000, 60_000)), choices=1).wants_depth(UNSTEADY)
    assert manager(clock, Limits(movetime_ms=1_000)).wants_depth(SETTLED)  # a shorter win may be found
    assert not manager(clock, Limits(movetime_ms=1_000), choices=1).wants_depth(UNSTEADY)
    assert plan.soft_ms is not None
    clock.now_ms += plan.soft_ms / 2
    assert plan.wants_depth(UNSTEADY)
    assert not plan.wants_depth(STEADY)


def test_a_falling_score_takes_more_time(clock: Clock) -> None:
    plan = manager(clock, Limits(time_ms=(60_000, 60_000)))
    assert plan.soft_ms is not None
    clock.now_ms += plan.soft_ms * 0.9
    assert not plan.wants_depth(UNSTEADY)
    assert not plan.wants_depth(Progress(steady=9, settled=False, fallen=FALLEN_SCORE - 1))
    assert plan.wants_depth(FALLING)
    clock.now_ms += plan.soft_ms * 0.11
    assert not plan.wants_depth(FALLING)


def test_movetime_is_used_in_full(clock: Clock) -> None:
    plan = manager(clock, Limits(movetime_ms=1_000))
    clock.now_ms += 900
    assert plan.wants_depth(STEADY)


def test_stop_ends_the_search(clock: Clock) -> None:
    plan = manager(clock, Limits(infinite=True))
    assert not plan.stopped
    plan.stop()
    assert plan.stopped
    assert plan.should_stop()
    assert not plan.wants_depth(UNSTEADY)


def test_pondering_does_not_use_the_clock(clock: Clock) -> None:
    plan = manager(clock, Limits(ponder=True, movetime_ms=1_000))
    clock.now_ms += 100_000
    assert plan.pondering
    assert not plan.should_stop()
    assert plan.wants_depth(SETTLED)
    plan.ponderhit()
    assert not plan.pondering
    assert not plan.should_stop()
    clock.now_ms += 999
    assert plan.should_stop()


def test_ponderhit_can_change_the_limits(clock: Clock) -> None:
    plan = manager(clock, Limits(ponder=True, movetime_ms=1_000))
    clock.now_ms += 5_000
    plan.ponderhit(Limits(time_ms=(60_000, 1)))
    other = manager(clock, Limits(time_ms=(60_000, 1)))
    assert (plan.soft_ms, plan.hard_ms) == (other.soft_ms, other.hard_ms)
    assert plan.hard_ms is not None
    clock.now_ms += plan.hard_ms - 1
    assert not plan.should_stop()
    clock.now_ms += 2
    assert plan.should_stop()


def test_stop_ends_pondering(clock: Clock) -> None:
    plan = manager(clock, Limits(ponder=True, movetime_ms=1_000))
    plan.stop()
    assert plan.should_stop()
    plan.hold(infinite=False)


# ---------------------------------------------------------------- holding back the best move


@pytest.mark.parametrize("infinite", [False, True])
def test_hold_waits_for_stop(infinite: bool) -> None:
    plan = TimeManager(Limits(ponder=not infinite, infinite=infinite), 0, 20, 0, 30)
    holder = threading.Thread(target=plan.hold, args=(infinite,))
    holder.start()
    holder.join(0.02)
    assert holder.is_alive()
    plan.stop()
    holder.join(20)
    assert not holder.is_alive()


def test_hold_waits_for_ponderhit() -> None:
    plan = TimeManager(Limits(ponder=True), 0, 20, 0, 30)
    holder = threading.Thread(target=plan.hold, args=(False,))
    holder.start()
    holder.join(0.02)
    assert holder.is_alive()
    plan.ponderhit()
    holder.join(20)
    assert not holder.is_alive()


def test_hold_does_not_delay_other_searches() -> None:
    TimeManager(Limits(), 0, 20, 0, 30).hold(infinite=False)


def test_an_interruptible_search_uses_all_of_the_planned_time(clock: Clock) -> None:
    timer = manager(clock, Limits(time_ms=(60_000, 60_000)))
    assert timer.soft_ms is not None
    interruptible = Progress(steady=9, settled=False, interruptible=True)
    clock.now_ms += 0.99 * timer.soft_ms
    assert not timer.wants_depth(UNSTEADY)
    assert timer.wants_depth(interruptible)
    clock.now_ms += 0.02 * timer.soft_ms
    assert not timer.wants_depth(interruptible)
