"""The units of a net as lanes of a wide integer, and what is kept from one position to the next."""

from __future__ import annotations

import random
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

import cases
from effort import amount, at_most, sample
from latrones_uci.engine.kernels import make_core, wire
from latrones_uci.engine.nets import find, lanes
from latrones_uci.engine.nets import python as evaluation
from latrones_uci.engine.nets.file import Layout, Net, Orientation
from latrones_uci.engine.nets.python import net_corrector, net_evaluator
from latrones_uci.engine.python.evaluation import evaluator
from latrones_uci.game import Position, find_variant
from net_help import random_net
from search_help.positions import random_positions

GAMES = [variant for variant in cases.VARIANTS if variant != "rota"]
PACKAGED = sorted(path.stem for path in Path(find.__file__).parent.glob("*.net"))


def of_one_size(variant: str, count: int) -> list[Position]:
    positions = random_positions(variant, count, seed=7)
    return [position for position in positions if position.geometry == positions[0].geometry]


@pytest.mark.parametrize("variant", GAMES)
def test_what_was_evaluated_before_does_not_matter(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = of_one_size(variant, at_most(12))
    rules, geometry = positions[0].rules, positions[0].geometry
    net = random_net(rules.ruleset, (geometry.files, geometry.ranks))
    from_scratch = [net_corrector(rules, net)(position.board) for position in positions]
    by_hand = evaluator(rules)
    totals = [net_evaluator(rules, net, by_hand)(position.board) for position in positions]
    for most in (lanes._MAX_KEPT, 2):
        monkeypatch.setattr(lanes, "_MAX_KEPT", most)
        monkeypatch.setattr(evaluation, "_MAX_KEPT", most)
        correct, evaluate = net_corrector(rules, net), net_evaluator(rules, net, by_hand)
        order = 2 * list(range(len(positions)))
        random.Random(variant).shuffle(order)
        for number in order:
            assert correct(positions[number].board) == from_scratch[number]
            assert evaluate(positions[number].board) == totals[number]


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("name", sample(PACKAGED))
def test_the_nets_of_the_package_in_both_kernels(name: str) -> None:
    variant, _, board = name.rpartition("-")
    start, chance = Position.start(variant, board), random.Random(name)
    net = find.Nets("auto").find(start).net
    assert net is not None
    geometry, evaluate = start.geometry, net_evaluator(start.rules, net, evaluator(start.rules))
    core = make_core(start.ruleset, geometry.files, geometry.ranks)
    core.use_net(net.wire)
    for _ in range(amount(4)):
        position = start
        for _ in range(100):
            if not (moves := position.legal_moves()):
                break
            assert evaluate(position.board) == core.value(wire(geometry, position.board)), position
            position = position.play(chance.choice(moves))


def net_at_the_limits() -> Net:
    """Return a net of petteia-xxi: a soldier of the side on a1 makes even units 2**15 - 1, and odd ones -2**15."""
    ruleset = find_variant("petteia-xxi")
    layout, hidden = Layout.of(ruleset, 8, 8), 32
    weights = array("h", [0] * layout.inputs * hidden)
    weights[:hidden] = array("h", [1000, -1000] * (hidden // 2))
    return replace(
        random_net(ruleset, orientation=Orientation.SIDE), limits=(), output_biases=(0,), multiplier=1 << 19,
        weights=weights, biases=array("h", [2**15 - 1001, 1000 - 2**15] * (hidden // 2)),
        outputs=array("h", [100, 900] * hidden))


def test_units_at_the_limits_of_a_lane() -> None:
    """They do not change their neighbours."""
    net = net_at_the_limits()
    assert net.unit_range == (-(2**15), 2**15 - 1)
    start = Position.start("petteia-xxi")
    full_even_units = 2 * 16 * 100 * (255 * 255 >> 1) * net.multiplier >> 32
    for fen in (start.fen(), "8/8/8/8/8/8/8/S6s w 0 1", "s7/8/8/8/8/8/8/S7 w 0 1", "8/8/8/3s4/3S4/8/8/8 w 0 1"):
        assert net_corrector(start.rules, net)(Position.from_fen("petteia-xxi", fen).board) == full_even_units


@pytest.mark.parametrize("unit", [-(2**15), -1, 0, 1, 2, 254, 255, 256, 257, 2**15 - 1])
@pytest.mark.parametrize("clip", [1, 100, 255])
def test_activations(unit: int, clip: int) -> None:
    net = net_at_the_limits()
    for position in range(net.hidden):  # every lane in turn
        biases = array("h", [0] * net.hidden)
        biases[position] = unit
        outputs = array("h", [0] * 2 * net.hidden)
        outputs[position] = 1
        alone = replace(net, weights=array("h", [0] * len(net.weights)), biases=biases, outputs=outputs, clip=clip,
                        multiplier=2**31 - 1)
        start = Position.start("petteia-xxi")
        activation = min(max(unit, 0), clip) ** 2 >> 1
        assert net_corrector(start.rules, alone)(start.board) == min(activation * (2**31 - 1) >> 32, 18_999)
