"""The compiled rules agree with those in Python: on the test data, random walks, random boards and random rulesets.

Rota is only implemented in Python, where it is solved.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from effort import amount, examples, sample
from grouped import grouped
from latrones_uci.engine.kernels import NativeKernel
from latrones_uci.game import BoardSizeError, Position, builtin_variants, find_variant, parse_variants
from native_help import compare, compare_counts, core_for, never
from rulesets import as_toml, rulesets
from strategies import boards

pytestmark = pytest.mark.usefixtures("native_core")
GAMES = [variant for variant in cases.VARIANTS if variant != "rota"]
WALKS = amount(25)
MANY = 1_000_000_000  # larger counts are slow


def without_rota(params: list[Any]) -> list[Any]:
    return [param for param in params if param.values[0]["variant"] != "rota"]


# ---------------------------------------------------------------- the data


@grouped("entry", without_rota(cases.entry_params()))
def test_perft_counts(entry: dict[str, Any]) -> None:
    """Includes counts that are too large for Python."""
    position = cases.position(entry["variant"], entry["fen"])
    compare(position)
    kernel = NativeKernel(1)
    for depth, count in enumerate(entry["perft"], start=1):
        if count < MANY:
            assert kernel.perft(position, depth, never) == count, f"{position}: {depth} plies"


@pytest.mark.slow
def test_very_large_counts() -> None:
    counted = 0
    for entry in cases.perft_entries():
        for depth, count in enumerate(entry["perft"], start=1):
            if count >= MANY:
                position = cases.position(entry["variant"], entry["fen"])
                assert NativeKernel(1).perft(position, depth, never) == count, f"{position}: {depth} plies"
                counted += count
    assert counted > 10**10


@grouped("played", without_rota(cases.game_params()))
def test_games(played: dict[str, Any]) -> None:
    for fen in sample(played["fens"]):
        compare(cases.position(played["variant"], fen))


# ---------------------------------------------------------------- random walks


@pytest.mark.parametrize("variant", GAMES)
def test_random_walks(variant: str) -> None:
    """Walks start on boards of all sizes, and prefer captures at times to make progress."""
    chance = Random(variant)
    ruleset = find_variant(variant)
    for number in range(WALKS):
        position = Position.start(ruleset, chance.choice(sizes(variant)) if number % 2 else None)
        for ply in range(chance.choice([20, 60, 120])):
            moves = position.legal_moves()
            if not moves:
                break
            # Compare some of the positions in full.
            if ply % 6 == number % 6:
                compare(position)
            seeks = chance.randrange(3) == 0
            captures = [move for move in moves if position.rules.play(position.board, move)[6] == 0] if seeks else []
            position = position.play(chance.choice(captures or moves))
        compare(position)


def sizes(variant: str) -> list[tuple[int, int]]:
    ruleset, found = find_variant(variant), []
    for files in range(4, 17):
        for ranks in range(4, 17):
            try:
                ruleset.check_size(files, ranks)
            except BoardSizeError:
                continue
            found.append((files, ranks))
    return found


# ---------------------------------------------------------------- random boards, random rulesets


def compare_board(position: Position) -> None:
    compare(position)
    leaves = position.perft(1)
    compare_counts(position, 3 if leaves <= 8 else 2 if leaves <= 60 else 1)


@pytest.mark.parametrize("variant", GAMES)
@examples(40)
@given(data=st.data())
def test_random_boards(variant: str, data: st.DataObject) -> None:
    board = data.draw(boards(naive.GAMES[variant]))
    compare_board(cases.position(variant, naive.render(board)))


@examples(100)
@given(data=st.data())
def test_random_rulesets(data: st.DataObject) -> None:
    fields = data.draw(rulesets())
    ruleset = parse_variants(as_toml("drawn", fields), builtin_variants())["drawn"]
    for _ in range(4):
        board = data.draw(boards(naive.Described("drawn", fields), size=fields["default_size"]))
        compare_board(Position.from_fen(ruleset, naive.render(board)))


# ---------------------------------------------------------------- the interface


def test_missing_keys_are_rejected() -> None:
    from latrones_uci import native

    with pytest.raises(ValueError, match=r"missing key '\w+'"):
        native.core().Core({}, {}, 8, 8)


def test_perft_can_be_stopped() -> None:
    position = Position.start(find_variant("latrones"), (16, 16))
    assert NativeKernel(1).perft(position, 20, lambda: True) is None
    assert core_for(position) is core_for(position)


def test_perft_propagates_exceptions() -> None:
    def fail() -> bool:
        raise ZeroDivisionError("asked")

    with pytest.raises(ZeroDivisionError, match="asked"):
        NativeKernel(1).perft(Position.start(find_variant("latrones")), 20, fail)
