"""Checks of what an engine uses: processors while it is idle, and memory over many games."""

from latrones_uci.game import Game, LatronesError
from latrones_uci.match.tools.compliance.client import Client
from latrones_uci.match.tools.compliance.faults import FaultError
from latrones_uci.match.tools.compliance.resources import measure_group
from latrones_uci.match.tools.compliance.verdicts import Check
from latrones_uci.match.tools.compliance.workbench import Workbench
from latrones_uci.match.tools.position_text import render_position

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
    client.overhear(seconds)
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
        games, growth_from = bench.subject.games, max(bench.subject.games // 5, 1)
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
    if growth_mb > bench.subject.growth_mb:
        raise FaultError(seen)
    return seen


def _play_a_little(bench: Workbench, client: Client) -> None:
    """A new game's first plies; what cannot be played ends them, and is for another check to blame."""
    client.answer(bench.subject.dialect.new_game)
    game = Game(bench.subject.start)
    for _ in range(_PLIES):
        text = client.search(render_position(game), "go nodes 50").best_moves()[0].move
        try:
            game.play(game.position.parse_move(text))
        except LatronesError:
            return
        if game.result() is not None:
            return


CHECKS = (
    Check("idle", "uses next to no processor time while it is idle", check_idle),
    Check("memory", "does not grow over many games", check_memory),
)
