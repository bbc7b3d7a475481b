"""Checks of searches that a controller ends, and of what may be asked while they run."""

import statistics

from latrones_uci.client.engine import render_position
from latrones_uci.compliance.raw_client import FaultError, NotOfferedError
from latrones_uci.compliance.workbench import Check, Workbench
from latrones_uci.game import quoted

_STOPS = 10


def check_infinite(bench: Workbench) -> str:
    """``go infinite`` goes on until ``stop``."""
    client = bench.client()
    client.begin(render_position(bench.game), "go infinite")
    if client.collect(bench.target.quiet_s).best_moves():
        raise FaultError("bestmove before stop")
    client.stop()
    return f"held back for {bench.target.quiet_s:g} s, then given"


def check_ready_while_searching(bench: Workbench) -> str:
    """``isready`` is answered during a search."""
    client = bench.client()
    client.begin(render_position(bench.game), "go infinite")
    reply = client.ready()
    if not reply.best_moves():
        client.stop()
    if reply.elapsed_ms > bench.target.latency_ms:
        raise FaultError(f"readyok after {reply.elapsed_ms:.0f} ms")
    return f"{reply.elapsed_ms:.1f} ms"


def check_stop_latency(bench: Workbench) -> str:
    """``stop`` is answered at once, every time."""
    client, elapsed_ms = bench.client(), []
    for _ in range(_STOPS):
        client.begin(render_position(bench.game), "go infinite")
        elapsed_ms.append(client.stop().elapsed_ms)
    seen = f"{_STOPS} stops: p50 {statistics.median(elapsed_ms):.1f} ms, max {max(elapsed_ms):.1f} ms"
    if max(elapsed_ms) > bench.target.latency_ms:
        raise FaultError(seen)
    return seen


def check_one_best_move_after_stop(bench: Workbench) -> str:
    """A search that is stopped, once or twice, has one ``bestmove``."""
    client = bench.client()
    for stops in (1, 2):
        client.begin(render_position(bench.game), "go infinite")
        client.send(*["stop"] * stops)
        client.expect("bestmove")
        behind = [*client.ready().texts, *client.collect(bench.target.quiet_s / 4).texts]
        if any(text.startswith("bestmove") for text in behind):
            raise FaultError(f"a second bestmove after {stops} stop")
    return "1 bestmove for stop, 1 for two of them"


def check_idle_stop(bench: Workbench) -> str:
    """``stop`` without a search is ignored."""
    client = bench.client()
    reply = client.answer("stop", "stop")
    if reply.best_moves():
        raise FaultError(f"{quoted(reply.texts[0])} without a search")
    return "ignored"


def check_quick_commands(bench: Workbench) -> str:
    """What is sent right behind ``stop`` waits for the ``bestmove`` and is then obeyed."""
    client, position = bench.client(), render_position(bench.game)
    client.answer(position)
    client.send("go infinite", "stop", bench.target.dialect.new_game, position, "go depth 1")
    reply = client.listen(_Countdown("bestmove", 2))
    if not reply.complete:
        raise FaultError(f"{len(reply.best_moves())} bestmoves for two searches sent without a pause")
    return "2 searches without a pause, 2 bestmoves"


def check_busy(bench: Workbench) -> str:
    """A second ``go`` and a ``position`` in a search do no harm."""
    client = bench.client()
    client.begin(render_position(bench.game), "go infinite")
    client.send("go depth 1", render_position(bench.game))
    client.stop()
    more = [*client.ready().best_moves(), *client.collect(bench.target.quiet_s).best_moves()]
    if len(more) > 1:
        raise FaultError(f"{1 + len(more)} bestmoves for two searches")
    client.search(render_position(bench.game), "go depth 1")
    return f"{1 + len(more)} bestmove, and it plays on"


def check_ponder(bench: Workbench) -> str:
    """While pondering ``bestmove`` is held back; ``ponderhit`` makes an ordinary search of it, ``stop`` ends it."""
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
    """Whether so many lines with a word at their beginning have come by now."""

    def __init__(self, word: str, count: int) -> None:
        self._word, self._left = word, count

    def __call__(self, text: str) -> bool:
        self._left -= text.split()[:1] == [self._word]
        return self._left <= 0


CHECKS = (
    Check("infinite", "gives no bestmove in an infinite search before stop", check_infinite),
    Check("ready-in-search", "answers isready while it searches", check_ready_while_searching),
    Check("stop-latency", "answers stop at once", check_stop_latency),
    Check("one-stop", "gives one bestmove after stop, also after two of them", check_one_best_move_after_stop),
    Check("idle-stop", "ignores stop when it does not search", check_idle_stop),
    Check("quick-commands", "obeys what is sent right behind stop", check_quick_commands),
    Check("busy", "survives go and position in a search", check_busy),
    Check("ponder", "holds bestmove back while it ponders, until ponderhit or stop", check_ponder),
)
