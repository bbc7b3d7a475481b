"""Checks of ``stop`` and ``ponderhit``, and of commands during a search."""

import statistics

from latrones_uci.check.raw_client import FaultError, NotOfferedError
from latrones_uci.check.workbench import Check, Workbench
from latrones_uci.client.engine import render_position
from latrones_uci.game import counted, quoted

_STOPS = 10


def check_infinite(bench: Workbench) -> str:
    """Check that ``go infinite`` continues until ``stop``."""
    client = bench.client()
    client.begin(render_position(bench.game), "go infinite")
    reply = client.collect(bench.target.quiet_s)
    if reply.errors():
        raise FaultError(f"reports an error in the search: {reply.errors()[0]}")
    if reply.best_moves():
        raise FaultError("bestmove before stop")
    client.stop()
    return f"no bestmove for {bench.target.quiet_s:g} s, then one after stop"


def check_ready_while_searching(bench: Workbench) -> str:
    """Check that the engine answers ``isready`` during a search."""
    client = bench.client()
    client.begin(render_position(bench.game), "go infinite")
    reply = client.ready()
    if not reply.best_moves():
        client.stop()
    if reply.elapsed_ms > bench.target.latency_ms:
        raise FaultError(f"readyok after {reply.elapsed_ms:.0f} ms")
    return f"{reply.elapsed_ms:.1f} ms"


def check_stop_latency(bench: Workbench) -> str:
    """Check that the engine answers ``stop`` at once, every time."""
    client, elapsed_ms = bench.client(), []
    for _ in range(_STOPS):
        client.begin(render_position(bench.game), "go infinite")
        elapsed_ms.append(client.stop().elapsed_ms)
    seen = f"{_STOPS} stops: p50 {statistics.median(elapsed_ms):.1f} ms, max {max(elapsed_ms):.1f} ms"
    if max(elapsed_ms) > bench.target.latency_ms:
        raise FaultError(seen)
    return seen


def check_one_best_move_after_stop(bench: Workbench) -> str:
    """Check that there is one ``bestmove`` after one ``stop``, and after two."""
    client = bench.client()
    for stops in (1, 2):
        client.begin(render_position(bench.game), "go infinite")
        client.send(*["stop"] * stops)
        client.expect("bestmove")
        later = [*client.ready().texts, *client.collect(bench.target.quiet_s / 4).texts]
        if any(text.startswith("bestmove") for text in later):
            raise FaultError(f"a second bestmove after {'1 stop' if stops == 1 else '2 stops'}")
    return "1 bestmove after stop, 1 after two of them"


def check_idle_stop(bench: Workbench) -> str:
    """Check that ``stop`` without a search is ignored."""
    client = bench.client()
    reply = client.answer("stop", "stop")
    if best := reply.best_moves():
        raise FaultError(f"{quoted(f'bestmove {best[0].move}')} without a search")
    return "ignored"


def check_quick_commands(bench: Workbench) -> str:
    """Check that commands sent right after ``stop`` are executed after the ``bestmove``."""
    client, position = bench.client(), render_position(bench.game)
    client.answer(position)
    client.send("go infinite", "stop", bench.target.dialect.new_game, position, "go depth 1")
    reply = client.listen(_Countdown("bestmove", 2))
    if not reply.complete:
        raise FaultError(f"{counted(len(reply.best_moves()), 'bestmove')} for two searches without a pause; expected 2")
    return "2 searches without a pause, 2 bestmoves"


def check_busy(bench: Workbench) -> str:
    """Check that the engine survives ``go`` and ``position`` during a search."""
    client = bench.client()
    client.begin(render_position(bench.game), "go infinite")
    client.send("go depth 1", render_position(bench.game), "stop")
    client.expect("bestmove")
    more = [*client.ready().best_moves(), *client.collect(bench.target.quiet_s).best_moves()]
    if more:
        raise FaultError(f"{1 + len(more)} bestmoves; a go during a search gets none")
    client.search(render_position(bench.game), "go depth 1")
    return "1 bestmove, still plays"


def check_ponder(bench: Workbench) -> str:
    """Check that pondering prints no ``bestmove`` before ``ponderhit`` or ``stop``, and one soon after."""
    if "ponder" not in bench.options():
        raise NotOfferedError("no option Ponder")
    client, seen = bench.client(), []
    client.send("setoption name Ponder value true")
    for end in ("ponderhit", "stop"):
        client.begin(render_position(bench.game), "go ponder movetime 50")
        if client.collect(bench.target.quiet_s).best_moves():
            raise FaultError(f"bestmove before {end}")
        client.send(end)
        elapsed_ms = client.expect("bestmove").elapsed_ms
        if elapsed_ms > 50 + bench.target.latency_ms:
            raise FaultError(f"{end}: bestmove after {elapsed_ms:.0f} ms")
        seen.append(f"{end} {elapsed_ms:.1f} ms")
    return ", ".join(seen)


class _Countdown:
    """A predicate on lines that is true once ``count`` lines have started with a word."""

    def __init__(self, word: str, count: int) -> None:
        self._word, self._remaining = word, count

    def __call__(self, text: str) -> bool:
        self._remaining -= text.split()[:1] == [self._word]
        return self._remaining <= 0


CHECKS = (
    Check("infinite", "prints no bestmove in an infinite search before stop", check_infinite),
    Check("ready-in-search", "answers isready during a search", check_ready_while_searching),
    Check("stop-latency", "answers stop at once", check_stop_latency),
    Check("one-stop", "prints one bestmove after stop, also after two of them", check_one_best_move_after_stop),
    Check("idle-stop", "ignores stop while not searching", check_idle_stop),
    Check("quick-commands", "executes commands sent right after stop", check_quick_commands),
    Check("busy", "survives go and position during a search", check_busy),
    Check("ponder", "prints no bestmove while pondering, before ponderhit or stop", check_ponder),
)
