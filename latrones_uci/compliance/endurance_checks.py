"""Checks of what an engine uses: processors while it is idle, and memory over many games."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.client.engine import render_position
from latrones_uci.client.errors import EngineCrashError
from latrones_uci.compliance.raw_client import FaultError, RawClient
from latrones_uci.compliance.workbench import Check, Workbench
from latrones_uci.game import Game, LatronesError

_NOT_MEASURED = "not measured: the system has no /proc"
_IDLE_SHARE = 0.25
_IDLE_S = 0.4
_PLIES = 8
_MB = 1 << 20


def check_idle(bench: Workbench) -> str:
    """An idle engine leaves the processors alone."""
    client, seconds = bench.client(), _IDLE_S
    client.ready()
    before = measure_group(client.process.process_id)
    client.collect(seconds)
    after = measure_group(client.process.process_id)
    if before is None or after is None:
        return _NOT_MEASURED
    share = (after.processor_s - before.processor_s) / seconds
    if share > _IDLE_SHARE:
        raise FaultError(f"uses {share:.0%} of a processor")
    return f"{share:.0%} of a processor"


def check_memory(bench: Workbench) -> str:
    """Many games do not make an engine grow."""
    with bench.own_ready_client() as client:
        games, growth_from = bench.target.games, max(bench.target.games // 5, 1)
        before = None
        for number in range(games):
            if number == growth_from:  # by then it has taken what it needs anyway
                before = measure_group(client.process.process_id)
            _play_a_little(bench, client)
        after = measure_group(client.process.process_id)
    if after is None:
        return f"{games} games; {_NOT_MEASURED}"
    if before is None:
        return f"{games} games, too few to measure"
    growth_mb = (after.resident_bytes - before.resident_bytes) / _MB
    seen = f"{games} games: {growth_mb:+.1f} MB from game {growth_from} on, to {after.resident_bytes / _MB:.0f} MB"
    if growth_mb > bench.target.growth_mb:
        raise FaultError(seen)
    return seen


def _play_a_little(bench: Workbench, client: RawClient) -> None:
    """A new game's first plies; what cannot be played ends them, and is for another check to blame."""
    client.answer(bench.target.dialect.new_game)
    game = Game(bench.target.start)
    for _ in range(_PLIES):
        text = client.search(render_position(game), "go nodes 50").best_moves()[0].move
        try:
            game.play(game.position.parse_move(text))
        except LatronesError:
            return
        if game.outcome() is not None:
            return




# ---------------------------------------------------------------- resources
# Memory and processor time of an engine and its children, as far as the system tells.

_PROC = Path("/proc")


@dataclass(frozen=True)
class Resources:
    """What a process group holds and has used.

    Attributes:
        resident_bytes: memory in use, resident, that shared with others included.
        processor_s: processor seconds used so far.
    """

    resident_bytes: int
    processor_s: float


def measure_group(group_id: int) -> Resources | None:
    """What the processes of a group use together; None where there is no ``/proc`` that tells it."""
    pages = ticks = found = 0
    for entry in _PROC.glob("[0-9]*/stat"):
        try:
            # The name of the program, in brackets, may hold blanks and brackets: see proc(5).
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended since
        if len(fields) > 21 and int(fields[2]) == group_id:
            found += 1
            ticks += int(fields[11]) + int(fields[12])
            pages += int(fields[21])
    if not found:
        return None
    return Resources(pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))


# ---------------------------------------------------------------- ending checks
# Checks of how an engine ends: when it is told to, and when nobody is there any more.


def check_quit(bench: Workbench) -> str:
    """``quit`` ends an idle engine."""
    return _ended(bench, _say_quit, searching=False)


def check_quit_in_search(bench: Workbench) -> str:
    """``quit`` ends a searching engine."""
    return _ended(bench, _say_quit, searching=True)


def check_end_of_input(bench: Workbench) -> str:
    """The end of its input ends an idle engine."""
    return _ended(bench, _close_input, searching=False)


def check_end_of_input_in_search(bench: Workbench) -> str:
    """The end of its input ends a searching engine."""
    return _ended(bench, _close_input, searching=True)


def _ended(bench: Workbench, end: Callable[[RawClient, float], bool], *, searching: bool) -> str:
    with bench.own_ready_client() as client:
        if searching:
            client.begin(render_position(bench.game), "go infinite")
        begun_ns = time.monotonic_ns()
        if not end(client, bench.target.timeout_s):
            raise FaultError(f"still there after {bench.target.timeout_s:g} s")
        return f"ended after {(time.monotonic_ns() - begun_ns) / 1e6:.0f} ms"


def _say_quit(client: RawClient, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    client.send("quit")
    try:
        client.listen(lambda text: False, timeout_s)
    except EngineCrashError:  # the end of its output: the process may need another moment
        while client.process.running and time.monotonic() < deadline:
            time.sleep(0.001)
    return not client.process.running


def _close_input(client: RawClient, timeout_s: float) -> bool:
    begun = time.monotonic()
    client.process.close(timeout_s)  # it waits so long, and then kills
    return time.monotonic() - begun < timeout_s


CHECKS = (
    Check("idle", "uses next to no processor time while it is idle", check_idle),
    Check("memory", "does not grow over many games", check_memory),
    Check("quit", "ends at quit", check_quit),
    Check("quit-in-search", "ends at quit while it searches", check_quit_in_search),
    Check("end-of-input", "ends when its input does", check_end_of_input),
    Check("end-in-search", "ends when its input does while it searches", check_end_of_input_in_search),
)
