"""Nets in the compiled core: the same integers as in Python, searches that use them, and every argument checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from effort import amount, examples, sample
from grouped import grouped
from latrones_uci.engine.kernels import NativeKernel, make_core, wire
from latrones_uci.engine.nets import Nets
from latrones_uci.game import Game, Position, builtin_variants, find_variant, parse_variants
from latrones_uci.search.evaluation import evaluator
from latrones_uci.search.net import Net, Orientation
from latrones_uci.search.net_evaluation import NetEvaluation, men_of, net_evaluator
from latrones_uci.search.types import Task
from native.test_agreement import GAMES, sizes, without_rota
from net_help import random_net
from rulesets import as_toml, rulesets
from strategies import boards

pytestmark = pytest.mark.usefixtures("native_core")
LATRONES = find_variant("latrones")


def compare(positions: list[Position], net: Net) -> None:
    """Check that both kernels evaluate positions of one game and board alike."""
    geometry = positions[0].geometry
    core = make_core(positions[0].ruleset, geometry.files, geometry.ranks)
    core.use_net(net.wire)
    evaluate = net_evaluator(geometry, net, evaluator(positions[0].rules))
    for position in positions:
        assert core.value(wire(geometry, position.board)) == evaluate(position.board), position


@grouped("played", without_rota(cases.game_params()))
def test_games(played: dict[str, Any]) -> None:
    positions = [cases.position(played["variant"], fen) for fen in sample(played["fens"])]
    geometry = positions[0].geometry
    compare(positions, random_net(positions[0].ruleset, (geometry.files, geometry.ranks)))


@pytest.mark.parametrize("variant", GAMES)
def test_boards_of_all_sizes(variant: str) -> None:
    chance = Random(variant)
    ruleset = find_variant(variant)
    for number in range(amount(5)):
        size = chance.choice(sizes(variant))
        position, seen = Position.start(ruleset, size), []
        few = men_of(position.board, position.geometry) - 2
        net = random_net(ruleset, size, number, 32 * chance.randint(1, 4), orientation=chance.choice(list(Orientation)),
                         least_men=chance.choice((0, few)))  # fmt: skip
        for _ in range(30):
            if not (moves := position.legal_moves()):
                break
            position = position.play(chance.choice(moves))
            seen.append(position)
        compare(seen, net)


@pytest.mark.parametrize("hidden", [32, 64, 96, 128, 256])
def test_all_widths(hidden: int) -> None:
    position = Position.start(LATRONES)
    compare([position, *(child for _, child in position.children())], random_net(LATRONES, hidden=hidden))


@examples(30)
@given(data=st.data())
def test_random_rulesets(data: st.DataObject) -> None:
    fields = data.draw(rulesets())
    ruleset = parse_variants(as_toml("drawn", fields), builtin_variants())["drawn"]
    if ruleset.board != "grid":
        return
    drawn = [data.draw(boards(naive.Described("drawn", fields), size=fields["default_size"])) for _ in range(4)]
    net = random_net(ruleset, orientation=data.draw(st.sampled_from(list(Orientation))))
    compare([Position.from_fen(ruleset, naive.render(board)) for board in drawn], net)


# ---------------------------------------------------------------- searches


def search(kernel: NativeKernel, position: Position) -> tuple[int, list[Any]]:
    game, reports = Game(position), []
    task = Task(tuple(game.legal_moves()), depth=6)
    result = kernel.search(game, task, reports.append, lambda: False, lambda progress: True)
    return result.nodes, [line.score for line in reports if hasattr(line, "score")]


def test_searches_use_the_net(tmp_path: Path) -> None:
    """And forget it with ``none``, together with what they learned by it."""
    path = tmp_path / "a.net"
    net = random_net(LATRONES)
    net.write(path)
    start = Position.start(LATRONES)
    kernel = NativeKernel(1)
    without = search(kernel, start)
    kernel.use_nets(Nets(str(path)))
    used = search(kernel, start)
    assert used != without
    found = kernel.evaluate(start)
    assert isinstance(found, NetEvaluation)
    assert found.total == net_evaluator(start.geometry, net, evaluator(start.rules))(start.board)
    kernel.clear_hash()
    assert search(kernel, start) == used
    kernel.use_nets(Nets())
    assert search(kernel, start) == without


def test_a_net_of_one_game_is_not_used_in_another(tmp_path: Path) -> None:
    path = tmp_path / "a.net"
    random_net(LATRONES).write(path)
    with_net, without = NativeKernel(1), NativeKernel(1)
    with_net.use_nets(Nets(str(path)))
    for variant, size in (("latrones", (10, 8)), ("petteia-xxi", (8, 8))):
        start = Position.start(variant, size)
        assert search(with_net, start) == search(without, start)
    assert search(with_net, Position.start(LATRONES)) != search(without, Position.start(LATRONES))


# ---------------------------------------------------------------- arguments


def changed(**changes: object) -> dict[str, Any]:
    return {name: changes.get(name, value) for name, value in random_net(LATRONES).wire.items()}


PLACES, TURNS = random_net(LATRONES).wire["places"], random_net(LATRONES).wire["turns"]
WRONG: dict[str, Callable[[], object]] = {
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
    "no dictionary entry": dict,
    "an unknown entry": lambda: {**changed(), "more": 1},
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments_are_refused(what: str) -> None:
    core = make_core(LATRONES, 8, 8)
    start = Position.start(LATRONES)
    board = wire(start.geometry, start.board)
    core.use_net(random_net(LATRONES, seed=5).wire)
    before = core.value(board)
    with pytest.raises(ValueError, match="invalid net|key"):
        core.use_net(WRONG[what]())  # type: ignore[arg-type]
    assert core.value(board) == before, "a rejected net changes nothing"
