"""Checks of the processor, the memory and the end of an engine."""

import time
from collections.abc import Callable

from latrones_uci.client.check.engine import Checks, FaultError, Probe, Workbench
from latrones_uci.client.errors import EngineCrashError
from latrones_uci.game import Game, LatronesError
from latrones_uci.text.clock import now_ns, now_s
from latrones_uci.text.messages import counted

CHECKS = Checks()

_NOT_MEASURED = "not measured: the system has no /proc"
_IDLE_SHARE = 0.25
_IDLE_S = 0.4
_MB = 1 << 20


@CHECKS.shared("idle", "uses next to no processor time while idle")
def _idle(engine: Probe) -> str:
    engine.ready()
    before = engine.process.usage
    engine.collect(_IDLE_S)
    after = engine.process.usage
    if before is None or after is None:
        return _NOT_MEASURED
    share = max(after.runnable_s - before.runnable_s, 0) / _IDLE_S
    if share > _IDLE_SHARE:
        raise FaultError(f"needs {share:.0%} of a processor")
    return f"{share:.0%} of a processor"


@CHECKS.alone("memory", "does not use more and more memory over many games")
def _memory(bench: Workbench) -> str:
    with bench.own(ready=True) as engine:
        games, growth_from = bench.target.games, max(bench.target.games // 5, 1)
        before = None
        for number in range(games):
            if number == growth_from:  # by now the engine has allocated what it needs permanently
                before = engine.process.usage
            _play_a_little(engine)
        after = engine.process.usage
    if after is None:
        return f"{counted(games, 'game')}; {_NOT_MEASURED}"
    if before is None:
        return f"{counted(games, 'game')}, too few to measure"
    growth_mb = (after.resident_bytes - before.resident_bytes) / _MB
    seen = f"{games} games: {growth_mb:+.1f} MB since game {growth_from}, now {after.resident_bytes / _MB:.0f} MB"
    if growth_mb > bench.target.growth_mb:
        raise FaultError(seen)
    return seen


def _play_a_little(engine: Probe) -> None:
    """Play the first plies of a new game; stop at an illegal move, which another check reports."""
    engine.new_game()
    game = Game(engine.target.start)
    for _ in range(8):
        text = engine.best(game, "go nodes 50")
        try:
            game.push(game.position.parse_move(text))
        except LatronesError:
            return
        if game.outcome() is not None:
            return


def _exits(bench: Workbench, end: Callable[[Probe], bool], *, searching: bool = False) -> str:
    """Check that the engine exits after ``end``, which returns whether it did so in time."""
    with bench.own(ready=True) as engine:
        if searching:
            engine.begin("go infinite")
        begun_ns = now_ns()
        if not end(engine):
            raise FaultError(f"still running after {bench.target.timeout_s:g} s")
        return f"exited after {(now_ns() - begun_ns) / 1e6:.0f} ms"


def _send_quit(engine: Probe) -> bool:
    deadline = now_s() + engine.target.timeout_s
    engine.send("quit")
    try:
        engine.collect(engine.target.timeout_s)
    except EngineCrashError:  # its output has ended, but the process may still be exiting
        while engine.process.running and now_s() < deadline:
            time.sleep(0.001)
    return not engine.process.running


def _close_input(engine: Probe) -> bool:
    begun = now_s()
    engine.process.close(engine.target.timeout_s)  # waits for that long, then kills the process
    return now_s() - begun < engine.target.timeout_s


CHECKS.alone("quit", "exits on quit")(lambda bench: _exits(bench, _send_quit))
CHECKS.alone("quit-in-search", "exits on quit during a search")(
    lambda bench: _exits(bench, _send_quit, searching=True))
CHECKS.alone("end-of-input", "exits at the end of its input")(lambda bench: _exits(bench, _close_input))
CHECKS.alone("end-in-search", "exits at the end of its input during a search")(
    lambda bench: _exits(bench, _close_input, searching=True))
