"""The values in tables are those of a plain solver, for all games and for random rulesets, at every counter."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
import naive
from effort import examples
from latrones_uci.engine.kernels import wire
from latrones_uci.engine.root_tables import best_move
from latrones_uci.engine.tables import Tables, TableValue
from latrones_uci.engine.tables.material import splits_of
from latrones_uci.game import Game, Position, Ruleset, canonical_key, find_variant, parse_variants
from latrones_uci.game.ruleset import keys_of
from naive import Described
from naive.fields import Fields
from plain_solver import Solver, fen_of
from rulesets import as_toml, rulesets
from tables_help import make, position_on, shrunk

pytestmark = pytest.mark.usefixtures("native_core")


def letters(ruleset: Ruleset, files: int, ranks: int, men: int) -> Iterable[str]:
    """Yield the pieces of each split, White's first, with every number of bound soldiers."""
    for split in splits_of(ruleset, files, ranks, men):
        for half in split.halves:
            own, opp = half.own, half.opp
            marks = ruleset.capture_effect == "bind"
            for mine in range(own.soldiers + 1 if marks else 1):
                for theirs in range(opp.soldiers + 1 if marks else 1):
                    white = "D" * own.dux + "B" * mine + "S" * (own.soldiers - mine)
                    black = "D" * opp.dux + "B" * theirs + "S" * (opp.soldiers - theirs)
                    yield white + black.lower()


def compare(ruleset: Ruleset, game: naive.Game, files: int, ranks: int, men: int, folder: Path) -> int:
    """Compare the tables with the plain solver; return the number of wins among the values."""
    like = position_on(ruleset, files, ranks)
    core, plan = make(like, men, folder)
    solver = Solver(game, files, ranks, letters(ruleset, files, ranks, men))
    tables = Tables(folder, like)
    limit, wins, chance = ruleset.nocapture_limit, 0, Random(f"{ruleset.name}{files}x{ranks}")
    compared = 0
    for place, node in solver.nodes.items():
        if node.over is not None or not place:  # a side without pieces may have killed the last one
            continue
        # Counters around the distance, where a value may change, and one at random.
        near = limit - (solver.distance(place) or 0)
        counters = {0, near - 1, near, near + 1, limit - 1, chance.randrange(limit)} if limit else {0, 1000}
        for counter in sorted(counters):
            if counter < 0 or (limit and counter >= limit):
                continue
            expected = solver.value(place, counter)
            fen = fen_of(solver, place, counter, black=chance.random() < 0.5)
            position = Position.from_fen(ruleset, fen)
            found = core.ending_value(wire(position.geometry, position.board))
            assert found is not None, f"{ruleset.name} {fen}"
            outcome, plies, by_limit = found
            assert outcome == expected, f"{ruleset.name} {fen}: {found}, expected {expected}"
            if outcome and not by_limit and limit:
                assert plies == solver.distance(place), f"{ruleset.name} {fen}"
            if chance.random() < 0.1:
                assert tables.value(position.board) == TableValue(outcome, plies, by_limit), f"{ruleset.name} {fen}"
            wins += expected > 0
            compared += 1
    assert compared
    assert plan.tables
    return wins


GAMES = [
    *(pytest.param(*game, marks=pytest.mark.long) for game in [
        ("latrones", 3, 3, 4), ("single-stone-xxi", 3, 3, 4), ("bell", 3, 3, 3),
    ]),
    *(pytest.param(*game, marks=pytest.mark.slow) for game in [
        ("latrones", 4, 3, 4), ("latrunculi-classical", 3, 3, 4), ("latrunculi-xxi", 3, 3, 4),
        ("petteia-xxi", 4, 3, 5), ("schaedler", 3, 3, 4), ("bell", 3, 4, 3), ("bell", 3, 3, 4),
        ("kowalski-12x8", 3, 3, 4), ("museum-quintana", 3, 3, 4), ("seega-5x5", 3, 3, 4),
    ]),
]


@pytest.mark.parametrize(("name", "files", "ranks", "men"), GAMES)
def test_games(name: str, files: int, ranks: int, men: int, tmp_path: Path) -> None:
    rules = (naive.GAMES | naive.EXAMPLE_GAMES)[name]
    assert compare(shrunk(cases.ruleset(name)), rules, files, ranks, men, tmp_path / "tables") > 0


# What games with tables may have instead of rules that exclude them.
WITH_TABLES = {
    "repetition": ("illegal", "draw"), "no_move": ("pass", "loss"), "marks": ("kept", "judged"),
    "capture_chain": ("forced", "none"), "equal_men": ("black", "draw"),
}


def compare_described(name: str, fields: Fields, folder: Path) -> int | None:
    """Compare the tables of rules on the 3x3 board, with other rules for those that have no tables; see ``compare``.

    Return None if the rules end the game with so few men.
    """
    fields = fields | {key: other for key, (value, other) in WITH_TABLES.items() if fields[key] == value}
    ruleset = shrunk(parse_variants(as_toml(name, fields))[name])
    men = 4 if ruleset.dux_fate in ("captured", "immobilised", "safe") or ruleset.jump_over == "all" else 3
    if not list(splits_of(ruleset, 3, 3, men)):
        return None
    return compare(ruleset, Described(name, fields), 3, 3, men, folder)


@pytest.mark.long
@examples(5)
@given(data=st.data())
def test_random_rulesets(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("drawn") / "tables"
    assume(compare_described("drawn", data.draw(rulesets()), folder) is not None)


@pytest.mark.parametrize("name", [
    *(pytest.param(name, marks=pytest.mark.long) for name in ("ludii-falkener", "alligati", "dablot")),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("ludii-schadler-1994", "ludii-schadler-2001", "mak-yek")),
])
def test_diagonals_jumps_and_bound_soldiers(name: str, tmp_path: Path) -> None:
    fields = dataclasses.asdict(cases.ruleset(name) if name in naive.EXAMPLE_GAMES else find_variant(name))
    given = {key: value for key, value in fields.items() if key not in keys_of("words")}
    assert compare_described(name, given, tmp_path / "tables")


# ---------------------------------------------------------------- the smallest board of docs/lab/endings.md

START = Position.start("single-stone-xxi", "4x4")


class Prover:
    """Proves that a player wins within a number of plies, by looking at all moves; repetition is not tested."""

    def __init__(self) -> None:
        self.proved: dict[tuple[str, bool], int] = {}
        self.refuted: dict[tuple[str, bool], int] = {}

    def wins(self, position: Position, plies: int, to_move: bool = True) -> bool:
        """Return whether the player to move wins, or its opponent, within so many plies."""
        if (decided := position.decided()) is not None:
            return (decided.winner == position.side) == to_move
        children = position.children()
        if not children or plies == 0:
            return not children and not to_move
        name = canonical_key(position), to_move
        if plies >= self.proved.get(name, plies + 1):
            return True
        if plies <= self.refuted.get(name, -1):
            return False
        found = (any if to_move else all)(self.wins(after, plies - 1, not to_move) for _, after in children)
        (self.proved if found else self.refuted)[name] = plies
        return found


@pytest.mark.slow
def test_white_wins_single_stone_on_4x4(tmp_path: Path) -> None:
    make(START, 8, tmp_path)
    tables = Tables(tmp_path, START)
    assert tables.probe(START) == TableValue(1, 5)
    game = Game(START)
    while (move := best_move(game.position, tables)) is not None:
        game.push(game.position.named_move(move))
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winner == 0
    line = "a1a3 c4c3 b1a1 c3d3 a1a2 d3c3 a3b3 d4d3 a2a4 c3c4 c1b1 c4d4 b1b2 d4c4 b2d2 c4d4 a4c4"
    assert " ".join(map(str, game.moves)) == line
    assert Prover().wins(START, 15)
