"""The naive board agrees with the data: it is a witness only as far as this."""

from typing import Any

import pytest

import cases
import naive

CHEAP = 1_000


@pytest.mark.parametrize("entry", cases.entry_params())
def test_moves_and_counts(entry: dict[str, Any]) -> None:
    game, board = naive.GAMES[entry["variant"]], naive.parse(entry["fen"])
    assert naive.render(board) == entry["fen"]
    moves = game.unfinished_moves(board)
    assert list(moves) == entry.get("moves", list(moves))
    for move, fen in entry.get("after", {}).items():
        assert naive.render(moves[move]) == fen
    for depth, count in enumerate(entry["perft"], start=1):
        if count <= CHEAP:
            assert game.perft(board, depth) == count
    if entry.get("start"):
        assert naive.render(game.start(board.files, board.ranks)) == entry["fen"]


@pytest.mark.slow
@pytest.mark.parametrize("entry", cases.entry_params())
def test_second_ply(entry: dict[str, Any]) -> None:
    board = naive.parse(entry["fen"])
    if len(entry["perft"]) > 1:
        assert naive.GAMES[entry["variant"]].perft(board, 2) == entry["perft"][1]


@pytest.mark.parametrize("played", cases.game_params())
def test_games(played: dict[str, Any]) -> None:
    game = naive.GAMES[played["variant"]]
    boards = [naive.parse(played["start"])]
    for index, move in enumerate(played["moves"]):
        assert naive.render(boards[-1]) == played["fens"][index]
        assert game.game_result(boards) is None
        moves = game.moves(boards[-1])
        assert len(moves) == played["legal"][index]
        boards.append(moves[move])
    assert naive.render(boards[-1]) == played["fens"][-1]
    assert (game.game_result(boards) or ("none", "")) == (played["result"], played["reason"])
