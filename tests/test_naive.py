"""The naive board agrees with the data."""

from typing import Any

import pytest

import cases
import naive

pytestmark = pytest.mark.long
CHEAP = 500
DEAR = 4_000


@pytest.mark.parametrize("entry", cases.perft_entries(), ids=lambda entry: entry["variant"])
def test_moves_and_counts(entry: dict[str, Any]) -> None:
    game, board = naive.GAMES[entry["variant"]], naive.parse(entry["fen"])
    assert naive.render(board) == entry["fen"]
    moves = game.unfinished_moves(board)
    assert list(moves) == entry.get("moves", list(moves))
    for move, fen in entry.get("after", {}).items():
        assert naive.render(moves[move]) == fen
    check_counts(entry, CHEAP)
    if entry.get("start"):
        assert naive.render(game.start(board.files, board.ranks)) == entry["fen"]
        assert game.allows(board.files, board.ranks)


@pytest.mark.slow
@pytest.mark.parametrize("entry", cases.perft_entries(), ids=lambda entry: entry["variant"])
def test_larger_counts(entry: dict[str, Any]) -> None:
    check_counts(entry, DEAR)


def check_counts(entry: dict[str, Any], limit: int) -> None:
    game, board = naive.GAMES[entry["variant"]], naive.parse(entry["fen"])
    for depth, count in enumerate(entry["perft"], start=1):
        if count <= limit:
            assert game.perft(board, depth) == count


def replay(played: dict[str, Any], stride: int) -> None:
    """Check all positions of a game; check legal moves and other slow things at every `stride`th position."""
    game = naive.GAMES[played["variant"]]
    boards = [naive.parse(played["start"])]
    for index, move in enumerate(played["moves"]):
        assert naive.render(boards[-1]) == played["fens"][index]
        if index % stride == 0:
            assert game.game_result(boards) is None
            moves = game.moves(boards[-1])
            assert len(moves) == played["legal"][index]
            assert move in moves
        boards.append(game.after(boards[-1], move))
    assert naive.render(boards[-1]) == played["fens"][-1]
    assert (game.game_result(boards) or ("none", "")) == (played["result"], played["reason"])


@pytest.mark.parametrize("played", cases.games(), ids=lambda played: played["variant"])
def test_games(played: dict[str, Any]) -> None:
    replay(played, stride=16)


@pytest.mark.slow
@pytest.mark.parametrize("played", cases.games(), ids=lambda played: played["variant"])
def test_every_position_of_the_games(played: dict[str, Any]) -> None:
    replay(played, stride=1)
