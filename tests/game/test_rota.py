"""Rota solved by retrograde analysis, with the moves of the package and with those of the naive board."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import cases
import naive
from latrones_uci.game import Position, find_variant
from naive import Board

Children = Callable[[str], list[str]]
START = "3/3/3[3S3s] w"


def without_counters(fen: str) -> str:
    return fen.rsplit(" ", 2)[0]


def children_of_the_package(fen: str) -> list[str]:
    position = cases.position("rota", fen)
    return [without_counters(position.play(move).fen()) for move in position.legal_moves()]


def children_of_the_naive_board(fen: str) -> list[str]:
    board: Board = naive.parse(f"{fen} 0 1")
    return [without_counters(naive.render(after)) for after in naive.GAMES["rota"].moves(board).values()]


def reachable(children: Children) -> dict[str, list[str]]:
    """Return all positions that can be reached from the start, each with the positions after its moves."""
    found: dict[str, list[str]] = {}
    waiting = [START]
    while waiting:
        fen = waiting.pop()
        if fen not in found:
            found[fen] = children(fen)
            waiting += found[fen]
    return found


def solve(graph: dict[str, list[str]]) -> dict[str, int]:
    """Return the number of plies to a forced win of either side; it is odd if the player to move wins.

    A game ends with a line of the player who has just moved, or without a legal move, which loses, too. Every finished
    position is therefore lost for the player to move. Positions that are not in the result are draws.
    """
    plies = {fen: 0 for fen, after in graph.items() if not after}
    for distance in range(1, len(graph)):
        decided = {}
        for fen, after in graph.items():
            if fen in plies:
                continue
            wins = any(plies.get(child, 1) % 2 == 0 for child in after)
            loses = all(plies.get(child, 0) % 2 == 1 for child in after)
            if wins or loses:
                decided[fen] = distance
        if not decided:
            break
        plies |= decided
    return plies


pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=[children_of_the_package, children_of_the_naive_board])
def graph(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    return reachable(request.param)


def test_every_final_position_is_lost_for_the_player_to_move(graph: dict[str, list[str]]) -> None:
    for fen, after in graph.items():
        result = cases.position("rota", fen).outcome()
        assert (result is None) == bool(after)
        assert result is None or result.winner == (1 if " w" in fen else 0)


def test_value_of_every_position(graph: dict[str, list[str]]) -> None:
    plies = solve(graph)
    assert len(graph) == 5_550
    won = [fen for fen in graph if plies.get(fen, 0) % 2 == 1]
    lost = [fen for fen in graph if plies.get(fen, 1) % 2 == 0]
    drawn = [fen for fen in graph if fen not in plies]
    assert (len(won), len(drawn), len(lost)) == (2_608, 2_002, 940)
    assert START in drawn
    assert max(plies.values()) == 11


def test_the_start_is_the_empty_wheel() -> None:
    assert Position.start(find_variant("rota")).fen() == f"{START} 0 1"
    assert Position.start(find_variant("rota"), (3, 3)).fen() == f"{START} 0 1"
