import pytest

from latrones_uci.engine.errors import LimitsError
from latrones_uci.engine.limits import Limits
from latrones_uci.search.report import MAX_PLY


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"depth": 0}, "depth '0'"),
        ({"nodes": -1}, "nodes '-1'"),
        ({"moves_to_go": 0}, "movestogo '0'"),
        ({"mate": 0}, "mate '0'"),
        ({"movetime_ms": -1}, "movetime '-1'"),
        ({"increment_ms": (0, -5)}, "increment '-5'"),
        ({"increment_ms": (-5, 0)}, "increment '-5'"),
    ],
)
def test_out_of_range(bad: dict[str, int], message: str) -> None:
    with pytest.raises(LimitsError, match=message):
        Limits(**bad)  # type: ignore[arg-type]


def test_a_clock_may_have_run_out() -> None:
    assert Limits(time_ms=(-100, 0), movetime_ms=0).time_ms == (-100, 0)


def test_depth_is_kept_within_what_the_search_can() -> None:
    assert Limits().search_depth == MAX_PLY
    assert Limits(depth=7).search_depth == 7
    assert Limits(depth=10**9).search_depth == MAX_PLY
