"""Without selective techniques, the score is the plain minimax value; with them, forced wins are found."""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import Any

import pytest

import cases
from cases import SEARCHED
from effort import amount
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.engine.types import WIN, Task, to_score
from latrones_uci.game import Game, Position, Ruleset, builtin_variants, find_variant, parse_variants
from latrones_uci.game.ruleset import problems
from latrones_uci.text.protocol import SearchInfo
from rulesets import BLOCKING
from search_help.driver import search
from search_help.minimax import minimax
from search_help.positions import random_positions
from search_help.prover import shortest_win

over_games = pytest.mark.parametrize(("backend", "variant"), SEARCHED, indirect=["backend"])


@functools.cache
def valued(variant: str | Ruleset, count: int, seed: int, depth: int) -> list[tuple[Position, int]]:
    """Return random positions with their values, which both kernels are compared with."""
    return [(position, minimax(position, depth)) for position in random_positions(variant, count, seed)]


def check(backend: str, position: Position, depth: int, value: int) -> None:
    run = search(Game(position), backend=backend, selective=False, depth=depth)
    assert run.last.score == to_score(value), position


@over_games
@pytest.mark.parametrize("depth", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_score_is_the_minimax_value(backend: str, variant: str, depth: int) -> None:
    for position, value in valued(variant, amount(25), 2, depth):
        check(backend, position, depth, value)


def small(name: str, **changes: Any) -> Ruleset:
    ruleset = dataclasses.replace(cases.ruleset(name), name=f"small-{name}-{len(changes)}", **changes)
    assert problems(ruleset) == []
    return ruleset


STEPS = {"soldier_move": "step", "soldier_jump": "chain", "dux_move": "step"}
# Rules that no game of the package has, or only together with many others.
RULES = [
    small("alligati"), small("alligati", marks="kept", enter_between="illegal", dux_jump="line"),
    small("alligati", **STEPS, blocking_own_dux="allowed"),
    small("alligati", **STEPS, jump_over="all", marks="kept", dux_fate="safe"),
    small("mak-yek", start="ssss/4/s2S/4/SSSS", default_size=(4, 5), enter_between="illegal"),
    small("rek", start="s1d1s/ss1ss/5/SS1SS/S1D1S", default_size=(5, 5)),
    small("dablot", start="ssdss/s3s/5/S3S/SSDSS", default_size=(5, 5)),
]


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=lambda ruleset: ruleset.name)
def test_score_is_the_minimax_value_with_rules_of_files(backend: str, rules: Ruleset) -> None:
    for depth in (1, 2):
        for position, value in valued(rules, amount(12) if depth == 1 else amount(4), 2, depth):
            check(backend, position, depth, value)


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("variant", [variant for backend, variant in SEARCHED if backend == "native"])
def test_both_kernels_give_the_same_score_at_depth_4(variant: str) -> None:
    """Compares the kernels at a depth that is too slow for plain minimax."""
    for position in random_positions(variant, amount(10), seed=8):
        expected = search(Game(position), selective=False, depth=4).last.score
        assert search(Game(position), backend="native", selective=False, depth=4).last.score == expected, position


@over_games
def test_multipv_lines_are_the_best_moves_in_order(backend: str, variant: str) -> None:
    for position in random_positions(variant, amount(10), seed=3):
        values = []
        for _, child in position.children():
            outcome = position.rules.decided(child.board)
            sign = 1 if child.side == position.side else -1
            values.append(sign * (outcome * (WIN - 1) if outcome else minimax(child, 1, 1)))
        best = sorted(values, reverse=True)[:3]
        infos = search(Game(position), backend=backend, selective=False, depth=2, multipv=3).infos
        lines = infos[-len(best) :]
        assert [line.score for line in lines] == [to_score(value) for value in best], position
        assert [line.multipv for line in lines] == list(range(1, len(best) + 1))
        assert len({line.pv[0] for line in lines}) == len(best)


@pytest.mark.parametrize(
    ("fen", "depth"),
    [("s2s/ss2/1SS1/1d1S/D1S1 b 23 12", 2), ("ssss/1d2/D1S1/SS1S b 5 3", 2), ("sSss/2dS/SsD1/3S b 9 5", 3)],
)
def test_shutting_in_the_own_dux_is_detected_below_the_root(fen: str, depth: int, backend: str) -> None:
    variants = parse_variants(BLOCKING.format(fate="immobilised"), builtin_variants())
    position = Position.from_fen(variants["blocking"], fen)
    value = minimax(position, depth)
    check(backend, position, depth, value)
    assert to_score(value).mate is not None


@pytest.mark.long
@pytest.mark.parametrize("placed", [0, 1, *(pytest.param(placed, marks=pytest.mark.long) for placed in (2, 5))])
def test_a_side_that_places_twice_is_not_its_own_opponent(placed: int, backend: str) -> None:
    """In bell a turn is two placements, so that the side to move may stay the same."""
    position = Position.start(find_variant("bell"), (6, 6))
    for _ in range(placed):
        position = position.play(position.legal_moves()[7 * len(position.hand)])
    check(backend, position, 2, minimax(position, 2))


# ---------------------------------------------------------------- forced wins

WINS: list[dict[str, Any]] = json.loads((cases.DATA / "forced_wins.json").read_text(encoding="utf-8"))


over_wins = pytest.mark.parametrize("win", WINS, ids=lambda win: f"{win['variant']}-in-{win['mate']}")


@pytest.mark.long
@over_wins
def test_the_win_is_forced_and_the_shortest(win: dict[str, Any]) -> None:
    assert shortest_win(cases.position(win["variant"], win["fen"]), win["mate"]) == win["mate"]


@over_wins
def test_the_search_finds_the_win(backend: str, win: dict[str, Any]) -> None:
    run = search(
        Game(cases.position(win["variant"], win["fen"])), backend=backend, mate=win["mate"], nodes=win["nodes"]
    )
    assert run.last.score.mate == win["mate"]
    assert run.result.nodes <= win["nodes"]


@pytest.mark.parametrize("win", [win for win in WINS if win["mate"] == 3], ids=lambda win: win["variant"])
def test_a_win_that_the_table_knows_is_counted_from_the_position(backend: str, win: dict[str, Any]) -> None:
    """Searches follow each other as in a game, so that the second finds the first one's scores in the table."""
    game, kernel = Game(cases.position(win["variant"], win["fen"])), make_kernel(choose(backend), 4)
    for turns in (3, 2, 1):
        found: list[SearchInfo] = []
        task = Task(game.position.packed_moves, mate=turns)
        kernel.search(game, task, lambda item, found=found: found.append(item), lambda: False, lambda progress: True)
        last = [item for item in found if isinstance(item, SearchInfo)][-1]
        assert last.score.mate == turns
        for move in last.pv[:2]:
            game.push(move)
