"""Boards with too many chains to list: both kernels list the same ones, with all rules for chains."""

from __future__ import annotations

import dataclasses
import re
from random import Random

import pytest

from latrones_uci.game import Position, Ruleset, find_variant
from latrones_uci.game.encoding import CHAIN, MAX_CHAINS
from native_help import core_for, texts, wire

pytestmark = [pytest.mark.usefixtures("native_core"), pytest.mark.long]
SIDE = 16
# Enemies on every second square to hop over, and patterns on which pieces capture step by step.
HOPS = ("s.s.s.s.s.s.s.s.", ".s.s.s.s.s.s.s.s") * 8
CAPTURES = ("s.SsSs.SsSs.SsSs", "s..sSs..sSs..sSs") * 8
BELL, SCHAEDLER = find_variant("bell"), find_variant("schaedler")
RULESETS: dict[str, tuple[tuple[str, ...], Ruleset]] = {
    "hops": (HOPS, SCHAEDLER),
    "bell": (CAPTURES, BELL),
    "capturing": (CAPTURES, dataclasses.replace(BELL, capture_chain="capturing", custodian="line")),
    "jumping": (CAPTURES, dataclasses.replace(BELL, soldier_jump="single", flanked_mover="void_axis")),
    "enclosing": (CAPTURES, dataclasses.replace(BELL, enclosure=True, corner=True)),
}


def changed(pattern: tuple[str, ...], chance: Random) -> str:
    """Return a FEN of a pattern with some squares changed, a few white pieces, and a random side to move."""
    rows = [list(row) for row in pattern]
    for pieces, most in (("S", 6), ("Ss.", 24)):
        for _ in range(chance.randrange(1, most)):
            rows[chance.randrange(SIDE)][chance.randrange(SIDE)] = chance.choice(pieces)
    board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), "".join(row)) for row in rows)
    return f"{board}[-] {chance.choice('wwb')} 0 1"


@pytest.mark.parametrize("name", RULESETS)
def test_both_kernels_list_the_same_moves(name: str) -> None:
    pattern, ruleset = RULESETS[name]
    chance, most = Random(name), 0
    for _ in range(8):
        position = Position.from_fen(ruleset, changed(pattern, chance))
        core, board = core_for(position), wire(position.geometry, position.board)
        legal, listed = set(position.legal_moves()), core.moves(board)
        assert len(listed) == len(set(listed))
        assert set(listed) == legal, (position, texts(position, set(listed) ^ legal)[:5])
        assert legal.issuperset(core.tactical_moves(board))
        chains = sum(move >= CHAIN for move in legal)
        assert chains <= MAX_CHAINS
        most = max(most, chains)
    assert most > MAX_CHAINS / 10
