"""Chains of hops and of captures: the number of legal chains is limited on every board."""

from __future__ import annotations

from collections import Counter

import pytest

from latrones_uci.game import IllegalMoveError, Position, find_variant
from latrones_uci.game.encoding import MAX_CHAINS, is_path, path_of
from native_help import compare

# Every second square has an enemy: a hopping piece reaches 64 squares on far too many paths to list.
RANKS = ["s1s1s1s1s1s1s1s1", "1s1s1s1s1s1s1s1s"]
HOPS = "/".join([*RANKS * 7, RANKS[0], "Ss1s1s1s1s1s1sSs"]) + "[-] w 0 1"
# Patterns on which pieces capture step by step, found by a search for those with the most chains.
CAPTURES = "/".join(["s1SsSs1SsSs1SsSs", "s2sSs2sSs2sSs"] * 8) + "[-] w 0 1"
# The position with the most chains that a search found with the pieces of the variant.
OF_THE_GAME = "SS1Ss3/ssSsS1sS/2d1ssS1/6sS/ss1sD1sS/SSsSs1S1/1sS1S1sS[-] w 0 1"


def legs_of_chains(position: Position) -> Counter[int]:
    """Return the number of legal moves by number of legs, not counting single hops."""
    legs = Counter(len(path_of(move)) - 1 for move in position.legal_moves() if is_path(move))
    del legs[1]
    return legs


@pytest.mark.parametrize(("game", "fen"), [("schaedler", HOPS), ("bell", CAPTURES)])
def test_only_the_shortest_of_too_many_chains_are_legal(game: str, fen: str) -> None:
    position = Position.from_fen(find_variant(game), fen)
    legs = legs_of_chains(position)
    assert MAX_CHAINS / 4 < legs.total() <= MAX_CHAINS
    assert sorted(legs) == list(range(2, max(legs) + 1))
    assert legs[max(legs)] > legs[max(legs) - 1], "the number of chains was still growing"
    moves = position.legal_moves()
    for move in moves[:: len(moves) // 50]:
        assert position.parse_move(position.move_text(move)) == move


def test_a_longer_chain_is_illegal_if_there_are_too_many() -> None:
    position = Position.from_fen(find_variant("schaedler"), HOPS)
    nine = "a1c1e1g1i1i3g3e3c3a3"
    assert position.parse_move(nine) in position.legal_moves()
    with pytest.raises(IllegalMoveError):
        position.parse_move(nine + "a5")


def test_no_chain_is_omitted_with_the_pieces_of_a_real_game() -> None:
    legs = legs_of_chains(Position.from_fen(find_variant("bell"), OF_THE_GAME))
    assert (legs.total(), max(legs)) == (1521, 14)


@pytest.mark.usefixtures("native_core")
def test_both_kernels_list_the_same_chains() -> None:
    """See ``tests/native/test_crowded_boards.py`` for crowded boards."""
    compare(Position.from_fen(find_variant("bell"), OF_THE_GAME))
