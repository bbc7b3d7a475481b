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
from latrones_uci.protocol import Dialect

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
])  # fmt: skip
def test_time_controls(text: str, control: TimeControl, pgn: str) -> None:
    assert parse(text) == control
    assert control.pgn_tag() == pgn
    assert parse(control.to_text()) == control


@pytest.mark.parametrize("text", [
    "st=0", "st=-1", "st=0.0005", "st=x", "st=nan", "st=1e99999999", "st=inf", "st=１", "tc=0", "tc=0+0", "tc=1+",
    "tc=+1", "tc=1+x", "tc=40/", "tc=/60", "tc=x/60", "tc=-1/60", "tc=40/0", "tc=40/20/60", "tc=4²/60", "tc=40/60+",
    "tc=:5", "tc=1:1:1:1", "tc=Inf", "tc=inf+1", "tc=40/inf", "st=1 tc=inf", "depth=0", "depth=1.5", "nodes=-3",
    "nodes=²", "st=1 tc=1+1",
])  # fmt: skip
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
    clocks = (Clock(parse("tc=inf")), Clock(parse("tc=2/1 depth=3")))
    assert render_go(0, clocks, Dialect.UCI) == "go"
    assert render_go(0, clocks, Dialect.UGI, ponder=True) == "go ponder"
    assert render_go(1, clocks, Dialect.UCI, ponder=True) == "go ponder btime 1000 binc 0 movestogo 2 depth 3"


def test_the_increment_comes_after_each_ply_of_its_player() -> None:
    clock = Clock(parse("tc=1+0.01"))
    for _ in range(2):  # two plies in a row, as in games whose sides do not alternate
        clock.spend(100 * MS)
        clock.add_increment()
    assert clock.left_ns == clock.allowed_ns() == 820 * MS


def test_time_is_added_after_each_period() -> None:
    clock = Clock(parse("tc=3/1+0.01"))
    to_go, left_ms = [], []
    for _ in range(7):
        to_go.append(clock.moves_to_go)
        clock.spend(100 * MS)
        clock.add_increment()
        left_ms.append((clock.left_ns or 0) // MS)
    assert to_go == [3, 2, 1, 3, 2, 1, 3]
    assert left_ms == [910, 820, 1730, 1640, 1550, 2460, 2370]


def test_a_clock_overdrawn_within_the_margin_stays_overdrawn() -> None:
    clock = Clock(parse("tc=0.1"))
    clock.spend(103 * MS)
    assert clock.left_ns == -3 * MS
    assert go_line(0, (clock, clock)) == "go wtime 1 btime 1 winc 0 binc 0"


def test_a_clock_of_increments_alone_starts_with_one() -> None:
    clock = Clock(parse("tc=0+0.1"))
    assert (clock.control.start_ms, parse("tc=60+1").start_ms, parse("st=1").start_ms) == (100, 60_000, None)
    assert go_line(0, (clock, clock)) == "go wtime 100 btime 100 winc 100 binc 100"
    clock.spend(30 * MS)
    clock.add_increment()
    assert (clock.left_ns, clock.allowed_ns()) == (170 * MS, 170 * MS)


def test_movetime_and_untimed_have_no_clock() -> None:
    movetime, untimed = Clock(parse("st=0.1")), Clock(parse("depth=1"))
    for clock in (movetime, untimed):
        clock.spend(50 * MS)
        clock.add_increment()
        assert clock.left_ns is None
    assert movetime.allowed_ns() == 100 * MS
    assert untimed.allowed_ns() is None


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
])  # fmt: skip
def test_limits_as_go_lines(limit: Limit, line: str) -> None:
    assert limit.render_go() == line
