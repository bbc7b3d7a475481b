"""Chains of hops and of captures: the number of legal chains is limited on every board, alike in both kernels."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from random import Random

import pytest

from agreement import compare_kernels, core_for, texts
from latrones_uci.engine.kernels import wire
from latrones_uci.game import IllegalMoveError, Position, Ruleset, find_variant
from latrones_uci.game.encoding import CHAIN, MAX_CHAINS

BELL, SCHAEDLER = find_variant("bell"), find_variant("schaedler")
# Every second square has an enemy: a hopping piece reaches 64 squares on far too many paths to list.
RANKS = ["s1s1s1s1s1s1s1s1", "1s1s1s1s1s1s1s1s"]
HOPS = "/".join([*RANKS * 7, RANKS[0], "Ss1s1s1s1s1s1sSs"]) + "[-] w 0 1"
# Patterns on which pieces capture step by step, found by a search for those with the most chains.
CAPTURES = "/".join(["s1SsSs1SsSs1SsSs", "s2sSs2sSs2sSs"] * 8) + "[-] w 0 1"
# The position with the most chains that a search found with the pieces of the variant.
OF_THE_GAME = "SS1Ss3/ssSsS1sS/2d1ssS1/6sS/ss1sD1sS/SSsSs1S1/1sS1S1sS[-] w 0 1"


def legs_of_chains(position: Position) -> Counter[int]:
    """Return the number of legal moves by number of legs, not counting single hops."""
    legs = Counter(len(move.squares) - 1 for move in position.legal_moves() if len(move.squares) > 1)
    del legs[1]
    return legs


@pytest.mark.long
@pytest.mark.parametrize(("ruleset", "fen"), [(SCHAEDLER, HOPS), (BELL, CAPTURES)], ids=["hops", "captures"])
def test_only_the_shortest_of_too_many_chains_are_legal(ruleset: Ruleset, fen: str) -> None:
    position = Position.from_fen(ruleset, fen)
    legs = legs_of_chains(position)
    assert MAX_CHAINS / 4 < legs.total() <= MAX_CHAINS
    assert sorted(legs) == list(range(2, max(legs) + 1))
    assert legs[max(legs)] > legs[max(legs) - 1], "the number of chains was still growing"
    moves = position.legal_moves()
    for move in moves[:: len(moves) // 50]:
        assert position.parse_move(str(move)).packed == move.packed


def test_a_longer_chain_is_illegal_if_there_are_too_many() -> None:
    position = Position.from_fen(SCHAEDLER, HOPS)
    nine = "a1c1e1g1i1i3g3e3c3a3"
    assert position.parse_move(nine) in position.legal_moves()
    with pytest.raises(IllegalMoveError):
        position.parse_move(nine + "a5")


@pytest.mark.usefixtures("native_core")
def test_no_chain_is_omitted_with_the_pieces_of_a_real_game() -> None:
    position = Position.from_fen(BELL, OF_THE_GAME)
    legs = legs_of_chains(position)
    assert (legs.total(), max(legs)) == (1521, 14)
    compare_kernels(position)


CROWDED = {
    "hops": (HOPS, SCHAEDLER),
    "bell": (CAPTURES, BELL),
    "capturing": (CAPTURES, dataclasses.replace(BELL, capture_chain="capturing", custodian="line")),
    "jumping": (CAPTURES, dataclasses.replace(BELL, soldier_jump="single", flanked_mover="void_axis")),
    "enclosing": (CAPTURES, dataclasses.replace(BELL, enclosure=True, corner=True)),
}


def changed(fen: str, chance: Random) -> str:
    """Return a FEN of 16x16 with some squares changed, a few white pieces, and a random side to move."""
    rows = [list(re.sub("[0-9]", lambda run: "." * int(run[0]), row)) for row in fen.split("[")[0].split("/")]
    for pieces, most in (("S", 6), ("Ss.", 24)):
        for _ in range(chance.randrange(1, most)):
            rows[chance.randrange(16)][chance.randrange(16)] = chance.choice(pieces)
    board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), "".join(row)) for row in rows)
    return f"{board}[-] {chance.choice('wwb')} 0 1"


@pytest.mark.slow
@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("name", CROWDED)
def test_both_kernels_list_the_same_moves(name: str) -> None:
    fen, ruleset = CROWDED[name]
    chance, most = Random(name), 0
    for _ in range(8):
        position = Position.from_fen(ruleset, changed(fen, chance))
        core, board = core_for(position), wire(position.geometry, position.board)
        legal, listed = set(position.packed_moves), core.moves(board)
        assert len(listed) == len(set(listed))
        assert set(listed) == legal, (position, texts(position, set(listed) ^ legal)[:5])
        assert legal.issuperset(core.tactical_moves(board))
        chains = sum(move >= CHAIN for move in legal)
        assert chains <= MAX_CHAINS
        most = max(most, chains)
    assert most > MAX_CHAINS / 10
