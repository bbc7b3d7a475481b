"""Ludii's rulesets in the compiled rules: counts, and positions of games as in the Python rules."""

from __future__ import annotations

from typing import Any

import pytest

import ludii
from effort import sample
from latrones_uci.engine.kernels import NativeKernel
from latrones_uci.game import Game, Position, ludii_variants
from native_help import compare, never

pytestmark = pytest.mark.usefixtures("native_core")
ENTRIES = ludii.entries()


@pytest.mark.parametrize("name", ENTRIES)
def test_counts(name: str) -> None:
    entry, kernel = ENTRIES[name], NativeKernel(1)
    start = Position.start(ludii_variants()[name])
    for depth, count in enumerate(entry["perft"], start=1):
        assert kernel.perft(start, depth, never) == count, depth
    for given in entry["positions"]:
        if "leg" in given:
            continue
        position = ludii.position(name, given["fen"])
        compare(position)
        for depth, count in enumerate(given.get("perft_plies", given["perft"]), start=1):
            assert kernel.perft(position, depth, never) == count, f"{position.fen()}: {depth}"


@pytest.mark.parametrize("name", ENTRIES)
def test_positions_of_games(name: str) -> None:
    """The compiled rules agree where nothing is a repetition; the legal moves of a game are filtered in Python."""
    for given in ENTRIES[name]["games"]:
        for position in sample(positions_of(name, given)[:: 40 if len(given["moves"]) > 4000 else 20]):
            compare(Position.from_fen(position.ruleset, position.fen()))


def positions_of(name: str, given: dict[str, Any]) -> list[Position]:
    game = Game(Position.start(ludii_variants()[name]))
    for step in ludii.steps(given["moves"].split()):
        game.play(step.text)
    return game.positions
