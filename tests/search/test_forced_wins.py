"""The search finds forced wins, proven by exhaustive search, within a given number of nodes.

`data/forced_wins.json` has 50 positions from games of the engine against a weak player; `mate` is the minimum number of
turns in which the player to move forces the win, `nodes` the node limit of the search.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from cases import DATA, position
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.game import Game
from latrones_uci.protocol import SearchInfo
from latrones_uci.search.types import Task
from search_help.driver import search
from search_help.prover import shortest_win

WINS: list[dict[str, Any]] = json.loads((DATA / "forced_wins.json").read_text(encoding="utf-8"))


over_wins = pytest.mark.parametrize("win", WINS, ids=lambda win: f"{win['variant']}-in-{win['mate']}")


@pytest.mark.long
@over_wins
def test_the_win_is_forced_and_the_shortest(win: dict[str, Any]) -> None:
    assert shortest_win(position(win["variant"], win["fen"]), win["mate"]) == win["mate"]


@over_wins
def test_the_search_finds_the_win(backend: str, win: dict[str, Any]) -> None:
    run = search(Game(position(win["variant"], win["fen"])), backend=backend, mate=win["mate"], nodes=win["nodes"])
    assert run.last.score.mate == win["mate"]
    assert run.result.nodes <= win["nodes"]


@pytest.mark.parametrize("win", [win for win in WINS if win["mate"] == 3], ids=lambda win: win["variant"])
def test_a_win_that_the_table_knows_is_counted_from_the_position(backend: str, win: dict[str, Any]) -> None:
    """Searches follow each other as in a game, so that the second finds the first one's scores in the table."""
    game, kernel = Game(position(win["variant"], win["fen"])), make_kernel(choose(backend), 4)
    for turns in (3, 2, 1):
        found: list[SearchInfo] = []
        task = Task(tuple(game.legal_moves()), mate=turns)
        kernel.search(game, task, lambda item, found=found: found.append(item), lambda: False, lambda progress: True)
        last = [item for item in found if isinstance(item, SearchInfo)][-1]
        assert last.score.mate == turns
        for move in last.pv[:2]:
            game.push(move)
