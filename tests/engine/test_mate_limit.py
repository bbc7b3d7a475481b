"""A win may be asked for in more turns than any search can see."""

from __future__ import annotations

import time

import pytest

from engine.listener import Listener
from latrones_uci.engine.events import BestMove, Refusal, SearchInfo
from latrones_uci.engine.limits import Limits
from latrones_uci.engine.session import Engine


@pytest.mark.parametrize("mate", [15_000, 2**31, 10**17])
def test_a_distant_win_is_no_fault_and_none_is_taken_for_found(backend: str, mate: int) -> None:
    listener = Listener()
    engine = Engine(listener, backend)
    engine.go(Limits(mate=mate, depth=2), time.monotonic_ns())
    engine.wait()
    *told, last = listener.take()
    assert isinstance(last, BestMove)
    assert not [event for event in told if isinstance(event, Refusal)]
    assert [event.depth for event in told if isinstance(event, SearchInfo)][-1] == 2
