"""Invalid arguments of the compiled core raise exceptions and never crash the process."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from folders import TESTS
from latrones_uci.engine import native
from latrones_uci.engine.kernels import NOT_IN_CORE, make_core, wire
from latrones_uci.engine.python.evaluation import weights_of
from latrones_uci.engine.types import TABLE_PROVEN
from latrones_uci.game import Position, find_variant
from net_help import random_net

pytestmark = pytest.mark.usefixtures("native_core")
START = Position.start(find_variant("latrones"))
BOARD = wire(START.geometry, START.board)
MOVE = START.packed_moves[0]


def board(**changes: object) -> Any:
    return BOARD._replace(**changes)  # type: ignore[arg-type]


def described(**changes: object) -> tuple[dict[str, object], dict[str, object]]:
    """Return ruleset and weights as the core takes them, with changes."""
    weights = dataclasses.asdict(weights_of(START.ruleset))
    ruleset = {each.name: getattr(START.ruleset, each.name) for each in dataclasses.fields(START.ruleset)
               if each.name not in NOT_IN_CORE}
    for values in (ruleset, weights):
        values |= {name: value for name, value in changes.items() if name in values}
    return ruleset, weights


def listener(info: Any = print) -> Any:
    return native.core().Listener(
        info=info, current_move=print, should_stop=lambda: False, wants_depth=lambda *progress: True)


def search(core: Any, moves: list[int], info: Callable[..., None] = print, **limits: int) -> Any:
    task = native.core().Task(root_moves=moves, game_keys=[], past=[], **{"depth": 1} | limits)
    return core.search(BOARD, task, native.core().Table(1), listener(info))


CASES: dict[str, tuple[Callable[[Any], object], type[Exception]]] = {
    "a dux off the board": (lambda core: core.moves(board(own_dux=64)), ValueError),
    "a dux on an empty square": (lambda core: core.decided(board(own_dux=30)), ValueError),
    "a dux on a negative square": (lambda core: core.evaluate(board(opp_dux=-2)), ValueError),
    "two pieces on a square": (lambda core: core.moves(board(opp=BOARD[0])), ValueError),
    "bound empty squares": (lambda core: core.tactical_moves(board(bound=b"\xff" * 9)), ValueError),
    "random games on an invalid board": (
        lambda core: core.playouts(board(side=2), [], 1, 0, 9, lambda: False), ValueError),
    "an invalid side": (lambda core: core.moves(board(side=2)), ValueError),
    "a negative count": (lambda core: core.moves(board(nocapture=-1)), ValueError),
    "too many pieces in hand": (lambda core: core.moves(board(hand=0xFFFFFFFF)), ValueError),
    "an illegal move": (lambda core: core.play(BOARD, MOVE ^ 1), ValueError),
    "a move off the board": (lambda core: core.play(BOARD, 0xFFFF), ValueError),
    "a path of 300 squares": (lambda core: core.play(BOARD, 1 << 2400), ValueError),
    "a move of an unknown kind": (lambda core: core.play(BOARD, 9 << 16), ValueError),
    "a negative move": (lambda core: core.play(BOARD, -1), OverflowError),
    "a perft too deep": (lambda core: core.perft(BOARD, 10**6, True, lambda: False), ValueError),
    "a perft of negative depth": (lambda core: core.perft(BOARD, -1, True, lambda: False), ValueError),
    "a search without moves": (lambda core: search(core, []), ValueError),
    "a search of an illegal move": (lambda core: search(core, [0x0101]), ValueError),
    "a search too deep": (lambda core: search(core, [MOVE], depth=101), ValueError),
    "no threads": (lambda core: search(core, [MOVE], threads=0), ValueError),
    "too many threads": (lambda core: search(core, [MOVE], threads=10**6), ValueError),
    "a search of a move that is a text": (lambda core: search(core, ["a1a2"]), TypeError),
    "a listener without a function": (lambda core: search(core, [MOVE], info=None), TypeError),  # type: ignore[arg-type]
    "a board that is too short": (lambda core: core.moves(BOARD[:7]), TypeError),
    "no lines": (lambda core: search(core, [MOVE], multipv=0), ValueError),
    "a win in no turns": (lambda core: search(core, [MOVE], mate=0), ValueError),
    "a second search": (lambda core: search(core, [MOVE], info=lambda *_: search(core, [MOVE])), RuntimeError),
    "clearing during a search": (lambda core: search(core, [MOVE], info=lambda *_: core.clear()), RuntimeError),
    "a weight out of range": (lambda core: native.core().Core(*described(soldier=2**31 - 1), 8, 8), ValueError),
    "an edge weight out of range": (lambda core: native.core().Core(*described(edge=-(2**31)), 8, 8), ValueError),
    "a pursued edge weight out of range": (
        lambda core: native.core().Core(*described(pursued_edge=10_001), 8, 8), ValueError),
    "a pursuit weight out of range": (lambda core: native.core().Core(*described(pursuit=2**31 - 1), 8, 8), ValueError),
    "an unknown constant": (lambda core: native.core().Core(*described(), 8, 8, {"futility": 3}), ValueError),
    "a constant out of range": (
        lambda core: native.core().Core(*described(), 8, 8, {"reduction_depth": 1}), ValueError),
    "a divisor of 0": (lambda core: native.core().Core(*described(), 8, 8, {"reduction_divisor": 0}), ValueError),
    "a constant that is a text": (
        lambda core: native.core().Core(*described(), 8, 8, {"futility_base": "3"}), RuntimeError),
    "an invalid placement turn": (lambda core: native.core().Core(*described(placement_turn=0), 8, 8), ValueError),
    "missing keys": (lambda core: native.core().Core({}, {}, 8, 8), ValueError),
    "an empty table": (lambda core: native.core().Table(0), ValueError),
    "a table larger than the address space": (lambda core: native.core().Table(2**44), MemoryError),
}


@pytest.mark.parametrize(("call", "error"), CASES.values(), ids=CASES)
def test_invalid_arguments_are_rejected(call: Callable[[Any], object], error: type[Exception]) -> None:
    core = make_core(START.ruleset, 8, 8)
    with pytest.raises(error):
        call(core)
    assert sorted(core.moves(BOARD)) == sorted(START.packed_moves)


def test_evaluation_is_never_a_win() -> None:
    """A score beyond that of a win would make the aspiration window grow forever."""
    position = Position.from_fen(START.ruleset, "3d3s/8/8/8/8/8/8/SSSD3S w 0 1")
    core = native.core().Core(*described(soldier=10_000), 8, 8)
    scores = []
    task = native.core().Task(root_moves=position.packed_moves, game_keys=[], past=[], depth=4, plain=True)
    core.search(wire(position.geometry, position.board), task, native.core().Table(1),
                listener(lambda info: scores.append(info.score)))
    assert len(scores) >= 4
    assert {abs(score) < TABLE_PROVEN for score in scores} == {True}


def changed(**changes: object) -> dict[str, Any]:
    return {name: changes.get(name, value) for name, value in random_net(START.ruleset).wire.items()}


PLACES, TURNS = changed()["places"], changed()["turns"]
WRONG_NETS: dict[str, Callable[[], object]] = {
    "no width": lambda: changed(hidden=0),
    "a negative width": lambda: changed(hidden=-32),
    "a width between blocks": lambda: changed(hidden=33),
    "too wide": lambda: changed(hidden=288),
    "another width": lambda: changed(hidden=64),
    "no clip": lambda: changed(clip=0),
    "a large clip": lambda: changed(clip=256),
    "no multiplier": lambda: changed(multiplier=0),
    "rows of duces that are not there": lambda: changed(dux_row=-1),
    "overlapping rows": lambda: changed(dux_row=64),
    "rows beyond the end": lambda: changed(bound_row=256),
    "hands that are not there": lambda: changed(hand_row=256, hand=9),
    "too many hands": lambda: changed(hand_row=256, hand=10**9),
    "men below zero": lambda: changed(least_men=-1),
    "too many men": lambda: changed(least_men=1000),
    "limits out of order": lambda: changed(limits=[17, 9]),
    "too many limits": lambda: changed(limits=list(range(20))),
    "too few biases": lambda: changed(output_biases=[0]),
    "no symmetry": lambda: changed(places=[]),
    "too many symmetries": lambda: changed(places=PLACES * 2),
    "a short symmetry": lambda: changed(places=[PLACES[0][1:], *PLACES[1:]]),
    "a square twice": lambda: changed(places=[bytes(64), *PLACES[1:]]),
    "a square off the board": lambda: changed(places=[bytes(range(1, 65)), *PLACES[1:]]),
    "short turns": lambda: changed(turns=TURNS[1:]),
    "unknown turns": lambda: changed(turns=b"\x08" * len(TURNS)),
    "no weights": lambda: changed(weights=b""),
    "half a weight": lambda: changed(weights=bytes(256 * 64 - 1)),
    "weights too large": lambda: changed(weights=b"\xff\x7f" * (256 * 32)),
    "weights too small": lambda: changed(weights=b"\x00\x80" * (256 * 32)),
    "outputs too large": lambda: changed(outputs=b"\x00\x80" * (6 * 32)),
    "an output bias too large": lambda: changed(output_biases=[2**31 - 1, 0, 0]),
    "no entries": dict,
    "an unknown entry": lambda: {**changed(), "more": 1},
}


@pytest.mark.long
@pytest.mark.parametrize("wire_of", WRONG_NETS.values(), ids=WRONG_NETS)
def test_wrong_nets_are_refused(wire_of: Callable[[], Any]) -> None:
    core = make_core(START.ruleset, 8, 8)
    core.use_net(random_net(START.ruleset, seed=5).wire)
    before = core.value(BOARD)
    with pytest.raises(ValueError, match="invalid net|key"):
        core.use_net(wire_of())
    assert core.value(BOARD) == before, "a rejected net changes nothing"


# In its own process, so that a crash is detected.
NONSENSE = """
import sys
from random import Random
sys.path.insert(0, sys.argv[1])
from fuzz import binding_target
for seed in range(150):
    binding_target.run(Random(seed).randbytes(300))
"""


@pytest.mark.process
def test_random_input_does_not_crash_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", NONSENSE, TESTS], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
