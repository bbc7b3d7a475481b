"""Checks of processor and memory use, and of shutdown."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from latrones_uci.check.raw_client import FaultError, RawClient
from latrones_uci.check.workbench import Check, Workbench
from latrones_uci.client.engine import render_position
from latrones_uci.client.errors import EngineCrashError
from latrones_uci.game import Game, LatronesError, counted

_NOT_MEASURED = "not measured: the system has no /proc"
_IDLE_SHARE = 0.25
_IDLE_S = 0.4
_PLIES = 8
_MB = 1 << 20


def check_idle(bench: Workbench) -> str:
    """Check that an idle engine uses next to no processor time."""
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
    """Check that memory use does not grow over many games."""
    with bench.own_ready_client() as client:
        games, growth_from = bench.target.games, max(bench.target.games // 5, 1)
        before = None
        for number in range(games):
            if number == growth_from:  # by now the engine has allocated what it needs permanently
                before = measure_group(client.process.process_id)
            _play_a_little(bench, client)
        after = measure_group(client.process.process_id)
    if after is None:
        return f"{counted(games, 'game')}; {_NOT_MEASURED}"
    if before is None:
        return f"{counted(games, 'game')}, too few to measure"
    growth_mb = (after.resident_bytes - before.resident_bytes) / _MB
    seen = f"{games} games: {growth_mb:+.1f} MB since game {growth_from}, now {after.resident_bytes / _MB:.0f} MB"
    if growth_mb > bench.target.growth_mb:
        raise FaultError(seen)
    return seen


def _play_a_little(bench: Workbench, client: RawClient) -> None:
    """Play the first plies of a new game; stop at an illegal move, which another check reports."""
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

_PROC = Path("/proc")


@dataclass(frozen=True)
class Resources:
    """The resources that a process group uses.

    Attributes:
        resident_bytes: resident memory, including shared memory.
        processor_s: processor time used so far, in seconds.
    """

    resident_bytes: int
    processor_s: float


def measure_group(group_id: int) -> Resources | None:
    """Return the resources that the processes of a group use together; None if the system has no ``/proc``."""
    pages = ticks = found = 0
    for entry in _PROC.glob("[0-9]*/stat"):
        try:
            # The program name, in brackets, may contain blanks and brackets: see proc(5).
            fields = entry.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended in the meantime
        if len(fields) > 21 and int(fields[2]) == group_id:
            found += 1
            ticks += int(fields[11]) + int(fields[12])
            pages += int(fields[21])
    if not found:
        return None
    return Resources(pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))


# ---------------------------------------------------------------- shutdown


def check_quit(bench: Workbench) -> str:
    """Check that an idle engine exits on ``quit``."""
    return _ended(bench, _send_quit, searching=False)


def check_quit_in_search(bench: Workbench) -> str:
    """Check that a searching engine exits on ``quit``."""
    return _ended(bench, _send_quit, searching=True)


def check_end_of_input(bench: Workbench) -> str:
    """Check that an idle engine exits at the end of its input."""
    return _ended(bench, _close_input, searching=False)


def check_end_of_input_in_search(bench: Workbench) -> str:
    """Check that a searching engine exits at the end of its input."""
    return _ended(bench, _close_input, searching=True)


def _ended(bench: Workbench, end: Callable[[RawClient, float], bool], *, searching: bool) -> str:
    with bench.own_ready_client() as client:
        if searching:
            client.begin(render_position(bench.game), "go infinite")
        begun_ns = time.monotonic_ns()
        if not end(client, bench.target.timeout_s):
            raise FaultError(f"still running after {bench.target.timeout_s:g} s")
        return f"exited after {(time.monotonic_ns() - begun_ns) / 1e6:.0f} ms"


def _send_quit(client: RawClient, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    client.send("quit")
    try:
        client.listen(lambda text: False, timeout_s)
    except EngineCrashError:  # its output has ended, but the process may still be exiting
        while client.process.running and time.monotonic() < deadline:
            time.sleep(0.001)
    return not client.process.running


def _close_input(client: RawClient, timeout_s: float) -> bool:
    begun = time.monotonic()
    client.process.close(timeout_s)  # waits for that long, then kills the process
    return time.monotonic() - begun < timeout_s


CHECKS = (
    Check("idle", "uses next to no processor time while idle", check_idle),
    Check("memory", "does not use more and more memory over many games", check_memory),
    Check("quit", "exits on quit", check_quit),
    Check("quit-in-search", "exits on quit during a search", check_quit_in_search),
    Check("end-of-input", "exits at the end of its input", check_end_of_input),
    Check("end-in-search", "exits at the end of its input during a search", check_end_of_input_in_search),
)
