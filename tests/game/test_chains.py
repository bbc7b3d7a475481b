"""Chains of hops and of captures: no board, however set up, has more of them than can be listed."""

from __future__ import annotations

from collections import Counter

import pytest

from latrones_uci.game import IllegalMoveError, Position, find_variant
from latrones_uci.game.encoding import MOST_CHAINS, is_path, path_of
from native_help import compare

# Every second square holds an enemy: a man that hops reaches 64 squares, in more ways than could ever be counted.
RANKS = ["s1s1s1s1s1s1s1s1", "1s1s1s1s1s1s1s1s"]
HOPS = "/".join([*RANKS * 7, RANKS[0], "Ss1s1s1s1s1s1sSs"]) + "[-] w 0 1"
# Tiles on which men capture step by step, found by a search for those with the most chains.
CAPTURES = "/".join(["s1SsSs1SsSs1SsSs", "s2sSs2sSs2sSs"] * 8) + "[-] w 0 1"
# The most chains that a search found of the men that the game has.
OF_THE_GAME = "SS1Ss3/ssSsS1sS/2d1ssS1/6sS/ss1sD1sS/SSsSs1S1/1sS1S1sS[-] w 0 1"


def legs_of_chains(position: Position) -> Counter[int]:
    """How many of the legal moves have so many legs, hops of one apart."""
    legs = Counter(len(path_of(move)) - 1 for move in position.legal_moves() if is_path(move))
    del legs[1]
    return legs


@pytest.mark.parametrize(("game", "fen"), [("schaedler", HOPS), ("bell", CAPTURES)])
def test_of_too_many_chains_the_shorter_ones_are_legal(game: str, fen: str) -> None:
    position = Position.from_fen(find_variant(game), fen)
    legs = legs_of_chains(position)
    assert MOST_CHAINS / 4 < legs.total() <= MOST_CHAINS
    assert sorted(legs) == list(range(2, max(legs) + 1))
    assert legs[max(legs)] > legs[max(legs) - 1], "the chains were still growing in number"
    moves = position.legal_moves()
    for move in moves[:: len(moves) // 50]:
        assert position.parse_move(position.move_text(move)) == move


def test_a_longer_chain_is_illegal_where_there_are_too_many() -> None:
    position = Position.from_fen(find_variant("schaedler"), HOPS)
    nine = "a1c1e1g1i1i3g3e3c3a3"
    assert position.parse_move(nine) in position.legal_moves()
    with pytest.raises(IllegalMoveError):
        position.parse_move(nine + "a5")


def test_nothing_is_cut_where_the_game_has_many() -> None:
    legs = legs_of_chains(Position.from_fen(find_variant("bell"), OF_THE_GAME))
    assert (legs.total(), max(legs)) == (1521, 14)


@pytest.mark.usefixtures("native_core")
def test_both_kernels_list_the_same_chains() -> None:
    """Of crowded boards ``tests/native/test_crowded_boards.py`` says so."""
    compare(Position.from_fen(find_variant("bell"), OF_THE_GAME))
