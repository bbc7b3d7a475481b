from dataclasses import replace

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.time_control import (
    Clock,
    Limit,
    TimeControl,
    clock_limit,
    parse_time_control,
    render_go,
)
from latrones_uci.text.protocol import Dialect

MS = 1_000_000


def parse(text: str) -> TimeControl:
    return parse_time_control(dict(word.split("=", 1) for word in text.split()))


@pytest.mark.parametrize(("text", "control", "pgn"), [
    ("st=0.1", TimeControl(movetime_ms=100), "0.1/move"),
    ("st=2", TimeControl(movetime_ms=2000), "2/move"),
    ("tc=1+0.01", TimeControl(base_ms=1000, increment_ms=10), "1+0.01"),
    ("tc=60", TimeControl(base_ms=60_000), "60+0"),
    ("tc=0.005+1.5", TimeControl(base_ms=5, increment_ms=1500), "0.005+1.5"),
    ("tc=1:30+0.5", TimeControl(base_ms=90_000, increment_ms=500), "90+0.5"),
    ("depth=3", TimeControl(depth=3), "-"),
    ("nodes=1000", TimeControl(nodes=1000), "-"),
    ("tc=1+0.01 depth=6 nodes=10", TimeControl(base_ms=1000, increment_ms=10, depth=6, nodes=10), "1+0.01"),
    ("tc=40/60+0.1", TimeControl(base_ms=60_000, increment_ms=100, period_moves=40), "40/60+0.1"),
    ("tc=40/1:30.5", TimeControl(base_ms=90_500, period_moves=40), "40/90.5+0"),
    ("tc=1:30:00+30", TimeControl(base_ms=5_400_000, increment_ms=30_000), "5400+30"),
    ("tc=0/10+0.1", TimeControl(base_ms=10_000, increment_ms=100), "10+0.1"),
    ("tc=0+0.1", TimeControl(base_ms=0, increment_ms=100), "0+0.1"),
    ("tc=inf", TimeControl(unlimited=True), "-"),
    ("tc=inf depth=6", TimeControl(depth=6), "-"),
])
def test_time_controls(text: str, control: TimeControl, pgn: str) -> None:
    assert parse(text) == control
    assert control.pgn_tag() == pgn
    assert parse(control.to_text()) == control


@pytest.mark.parametrize("text", [
    "st=0", "st=-1", "st=0.0005", "st=x", "st=nan", "st=1e99999999", "st=inf", "st=１", "tc=0", "tc=0+0", "tc=1+",
    "tc=+1", "tc=1+x", "tc=40/", "tc=/60", "tc=x/60", "tc=-1/60", "tc=40/0", "tc=40/20/60", "tc=4²/60", "tc=40/60+",
    "tc=:5", "tc=1:1:1:1", "tc=Inf", "tc=inf+1", "tc=40/inf", "st=1 tc=inf", "depth=0", "depth=1.5", "nodes=-3",
    "nodes=²", "st=1 tc=1+1",
])
def test_bad_time_controls_are_quoted(text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse(text)
    assert all(word in str(raised.value) for word in text.split())


def go_line(side: int, clocks: tuple[Clock, Clock], dialect: Dialect = Dialect.UCI) -> str:
    return clock_limit(side, clocks).render_go(dialect)


def test_go_with_clocks() -> None:
    clocks = (Clock(parse("tc=1+0.01")), Clock(parse("tc=2")))
    assert go_line(0, clocks) == go_line(1, clocks) == "go wtime 1000 btime 2000 winc 10 binc 0"
    in_ugi = go_line(0, clocks, Dialect.UGI)
    assert in_ugi == go_line(1, clocks, Dialect.UGI) == "go p1time 1000 p2time 2000 p1inc 10 p2inc 0"
    clocks = (Clock(parse("tc=1+0.01 depth=4")), Clock(parse("st=0.25 nodes=9")))
    assert go_line(0, clocks) == "go wtime 1000 winc 10 depth 4"  # the clock of the opponent only if there is one
    assert go_line(1, clocks) == "go movetime 250 nodes 9"
    clocks = (Clock(parse("tc=2/1+0.01")), Clock(parse("tc=5")))
    assert go_line(0, clocks) == "go wtime 1000 btime 5000 winc 10 binc 0 movestogo 2"
    assert go_line(1, clocks) == "go wtime 1000 btime 5000 winc 10 binc 0"
    clocks[0].add_increment()
    assert go_line(0, clocks, Dialect.UGI) == "go p1time 1010 p2time 5000 p1inc 10 p2inc 0 movestogo 1"
    clocks[0].add_increment()
    assert go_line(0, clocks) == "go wtime 2020 btime 5000 winc 10 binc 0 movestogo 2"
    clocks = (Clock(parse("tc=inf")), Clock(parse("tc=2/1 depth=3")))
    assert render_go(0, clocks, Dialect.UCI) == "go"
    assert render_go(0, clocks, Dialect.UGI, ponder=True) == "go ponder"
    assert render_go(1, clocks, Dialect.UCI, ponder=True) == "go ponder btime 1000 binc 0 movestogo 2 depth 3"


@pytest.mark.parametrize(("text", "start_ms", "spent_ms", "left_ms", "allowed_ms", "go"), [
    # The increment comes after each ply of its player, also after two in a row where sides do not alternate.
    ("tc=1+0.01", 1000, [100] * 2, [910, 820], 820, "wtime 820 btime 820 winc 10 binc 10"),
    # Time is added after each period.
    ("tc=3/1+0.01", 1000, [100] * 7, [910, 820, 1730, 1640, 1550, 2460, 2370], 2370,
     "wtime 2370 btime 2370 winc 10 binc 10 movestogo 2"),
    # A clock overdrawn within the margin stays overdrawn.
    ("tc=0.1", 100, [103], [-3], -3, "wtime 1 btime 1 winc 0 binc 0"),
    # A clock of increments alone starts with one.
    ("tc=0+0.1", 100, [], [], 100, "wtime 100 btime 100 winc 100 binc 100"),
    ("tc=0+0.1", 100, [30], [170], 170, "wtime 170 btime 170 winc 100 binc 100"),
    ("st=0.1", None, [50], [None], 100, "movetime 100"),
    ("depth=1", None, [50], [None], None, "depth 1"),
])
def test_clocks(text: str, start_ms: int | None, spent_ms: list[int], left_ms: list[int | None],
                allowed_ms: int | None, go: str) -> None:
    clock, left = Clock(parse(text)), []
    for each in spent_ms:
        clock.spend(each * MS)
        clock.add_increment()
        left.append(clock.left_ns)
    assert left == [None if each is None else each * MS for each in left_ms]
    assert clock.allowed_ns() == (None if allowed_ms is None else allowed_ms * MS)
    assert go_line(0, (clock, clock)) == f"go {go}"
    assert clock.control.start_ms == start_ms


@pytest.mark.parametrize(("limit", "line"), [
    (Limit(), "go infinite"),
    (Limit(time=0.1), "go movetime 100"),
    (Limit(time=0.0001), "go movetime 1"),
    (Limit(time=0), "go movetime 1"),
    (Limit(depth=4, nodes=1000, mate=2), "go depth 4 nodes 1000 mate 2"),
    (Limit(time=1, depth=3), "go movetime 1000 depth 3"),
    (Limit(white_clock=60, black_clock=0), "go wtime 60000 btime 1"),
    (Limit(black_clock=2.5, black_inc=0.0004), "go btime 2500 binc 0"),
    (Limit(white_clock=1, moves_to_go=9, depth=2), "go wtime 1000 movestogo 9 depth 2"),
])
def test_limits_as_go_lines(limit: Limit, line: str) -> None:
    assert limit.render_go() == line


def test_limits_after_a_ply() -> None:
    limit = Limit(white_clock=10, black_clock=20, white_inc=0.5, moves_to_go=2, depth=3)
    assert limit.after(0, 4.0) == replace(limit, white_clock=6.5, moves_to_go=1)
    assert limit.after(1, 30.0).after(1, 1.0) == replace(limit, black_clock=0.0, moves_to_go=None)
    assert Limit(time=1, depth=3).after(0, 4.0) == Limit(time=1, depth=3)
