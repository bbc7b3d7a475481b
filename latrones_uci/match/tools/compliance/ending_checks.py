"""Checks of how an engine ends: when it is told to, and when nobody is there any more."""

import time
from collections.abc import Callable

from latrones_uci.match.errors import EngineCrashError
from latrones_uci.match.tools.compliance.client import Client
from latrones_uci.match.tools.compliance.faults import FaultError
from latrones_uci.match.tools.compliance.verdicts import Check
from latrones_uci.match.tools.compliance.workbench import Workbench
from latrones_uci.match.tools.position_text import render_position


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


def _ended(bench: Workbench, end: Callable[[Client, float], bool], *, searching: bool) -> str:
    with bench.own_ready_client() as client:
        if searching:
            client.begin(render_position(bench.game), "go infinite")
        begun_ns = time.monotonic_ns()
        if not end(client, bench.subject.timeout_s):
            raise FaultError(f"still there after {bench.subject.timeout_s:g} s")
        return f"ended after {(time.monotonic_ns() - begun_ns) / 1e6:.0f} ms"


def _say_quit(client: Client, timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    client.send("quit")
    try:
        client.listen(lambda text: False, timeout_s)
    except EngineCrashError:  # the end of its output: the process may need another moment
        while client.process.running and time.monotonic() < deadline:
            time.sleep(0.001)
    return not client.process.running


def _close_input(client: Client, timeout_s: float) -> bool:
    begun = time.monotonic()
    client.process.close(timeout_s)  # it waits so long, and then kills
    return time.monotonic() - begun < timeout_s


CHECKS = (
    Check("quit", "ends at quit", check_quit),
    Check("quit-in-search", "ends at quit while it searches", check_quit_in_search),
    Check("end-of-input", "ends when its input does", check_end_of_input),
    Check("end-in-search", "ends when its input does while it searches", check_end_of_input_in_search),
)
