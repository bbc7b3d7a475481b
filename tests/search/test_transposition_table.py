"""The transposition table of the Python search."""

from __future__ import annotations

import random

from latrones_uci.search.transposition_table import ENTRY_BYTES, EXACT, LOWER, UPPER, TranspositionTable
from latrones_uci.search.types import WIN


def test_stored_entries_are_found() -> None:
    table = TranspositionTable(1)
    for score in (-WIN, -1, 0, 1, WIN):
        for bound in (EXACT, LOWER, UPPER):
            table.store(12345, 0xFFFF, score, 100, bound)
            assert table.probe(12345) == (0xFFFF, score, 100, bound)
    assert table.probe(12346) is None
    assert table.probe(0) is None, "an empty entry has key 0"


def test_storing_without_a_move_keeps_the_stored_move() -> None:
    table = TranspositionTable(1)
    table.store(7, 99, 10, 3, LOWER)
    table.store(7, 0, -5, 4, UPPER)
    assert table.probe(7) == (99, -5, 4, UPPER)


def test_shallow_bound_does_not_replace_deeper_entry_of_the_same_search() -> None:
    table = TranspositionTable(1)
    table.store(7, 1, 10, 6, LOWER)
    table.store(7, 2, 20, 3, LOWER)
    assert table.probe(7) == (1, 10, 6, LOWER)
    for rounds in (1, 63, 64, 200):  # the age wraps around
        for _ in range(rounds):
            table.new_search()
        if rounds != 64:
            table.store(7, rounds, 20, 3, LOWER)
            assert table.probe(7) == (rounds, 20, 3, LOWER)


def test_clear_and_hashfull() -> None:
    table = TranspositionTable(1)
    used = sum(column.itemsize * len(column) for column in (table._keys, table._moves, table._data))
    assert 2**20 - ENTRY_BYTES < used <= 2**20
    rng = random.Random(1)
    for _ in range(200_000):
        table.store(rng.getrandbits(64), 1, 0, 1, EXACT)
    assert table.hashfull() > 900
    table.new_search()
    assert table.hashfull() == 0
    table.clear()
    assert all(data == 0 for data in table._data)
    assert table.probe(7) is None
