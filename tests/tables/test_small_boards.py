"""A small board solved from its start: the smallest one of docs/lab/endings.md, proved again by a plain search."""

from __future__ import annotations

from pathlib import Path

import pytest

from latrones_uci.engine.root_tables import best_move
from latrones_uci.game import Game, Position, canonical_key
from latrones_uci.tablebases import Tables, TableValue
from tables_help import make

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("native_core")]
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


def test_white_wins_single_stone_on_4x4(tmp_path: Path) -> None:
    make(START, 8, tmp_path)
    tables = Tables(tmp_path, START)
    assert tables.probe(START) == TableValue(1, 5)
    game = Game(START)
    while (move := best_move(game.position, tables)) is not None:
        game.push(move)
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winner == 0
    line = "a1a3 c4c3 b1a1 c3d3 a1a2 d3c3 a3b3 d4d3 a2a4 c3c4 c1b1 c4d4 b1b2 d4c4 b2d2 c4d4 a4c4"
    assert " ".join(map(str, game.moves)) == line
    assert Prover().wins(START, 15)
