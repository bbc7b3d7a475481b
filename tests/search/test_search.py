"""What a search promises beside its score."""

from __future__ import annotations

import pytest

from cases import SEARCHED, VARIANTS
from effort import amount
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.game import Game, IllegalMoveError, Position, find_variant
from latrones_uci.search.types import Task
from search_help.driver import search
from search_help.positions import random_positions

over_games = pytest.mark.parametrize(("backend", "variant"), SEARCHED, indirect=["backend"])


@over_games
def test_the_same_search_gives_the_same_nodes_score_and_line(backend: str, variant: str) -> None:
    game = Game(Position.start(find_variant(variant)))
    first, second = (search(game, backend=backend, depth=3 if backend == "python" else 5) for _ in range(2))
    assert first == second
    assert first.result.nodes > 100


@over_games
def test_every_line_can_be_played_and_is_no_longer_than_the_depth_reached(backend: str, variant: str) -> None:
    for position in random_positions(variant, amount(15), seed=6):
        for info in search(Game(position), backend=backend, depth=4 if backend == "python" else 8).infos:
            game = Game(position)
            for text in info.pv:
                game.play(game.position.parse_move(text))
            assert 1 <= len(info.pv) <= info.seldepth


def test_the_node_limit_is_kept(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    for limit in (1, 100, 5000):
        assert search(game, backend=backend, nodes=limit).result.nodes == limit


def test_a_stopped_search_still_has_a_move(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    task = Task(tuple(game.legal_moves()))
    kernel = make_kernel(choose(backend), 1)
    outcome = kernel.search(game, task, lambda item: None, lambda: True, lambda progress: True)
    assert outcome.move in game.legal_moves()


def test_only_the_moves_asked_for_are_searched(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    moves = tuple(game.position.parse_move(text) for text in ("h1h2", "a1a2"))
    run = search(game, Task(moves, depth=3), backend=backend)
    assert run.result.move in moves
    assert all(game.position.parse_move(info.pv[0]) in moves for info in run.infos)


def test_searching_changes_nothing_in_the_game(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    game.play(game.legal_moves()[0])
    before = (game.position, list(game.moves), game.legal_moves())
    search(game, backend=backend, depth=3)
    assert (game.position, game.moves, game.legal_moves()) == before


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical", "latrunculi-xxi"])
def test_a_mate_aim_ends_the_search(backend: str, variant: str) -> None:
    game = Game(Position.from_fen(find_variant(variant), "2SdS3/8/8/8/8/s7/3S4/4D3 w 0 40"))
    run = search(game, backend=backend, mate=1)
    assert run.last.depth == 1
    assert run.last.score.mate == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_quiet_moves_neither_capture_nor_decide(variant: str) -> None:
    """The invariant that lets the search pass over the capture code."""
    for position in random_positions(variant, amount(50), seed=7):
        rules, board = position.rules, position.board
        tactical = set(rules.tactical_moves(board))
        moves = rules.moves(board)
        assert tactical <= set(moves)
        assert rules.count(board) == len(moves) == len(set(moves))
        for move in moves:
            child = rules.play(board, move)
            if move not in tactical:
                assert child == rules.play_quiet(board, move)
                assert not rules.decided(child)
                assert child[6] == (0 if board[8] else board[6] + 1)
            assert child[5] == Position.from_fen(position.ruleset, Position(rules, child, 1).fen()).key


def test_the_children_of_a_finished_game_cannot_be_played() -> None:
    position = Position.from_fen(find_variant("latrones"), "2SdS3/8/8/8/8/s7/3S4/4D3 w 0 40")
    over = position.play(position.parse_move("d2d7"))
    with pytest.raises(IllegalMoveError, match="the game is over"):
        over.parse_move("a3a4")
