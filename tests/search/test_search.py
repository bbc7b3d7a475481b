"""Properties of a search besides its score."""

from __future__ import annotations

import pytest

from cases import SEARCHED, VARIANTS
from effort import amount, at_most
from latrones_uci.engine.backend import choose, make_kernel
from latrones_uci.game import Game, IllegalMoveError, Position, find_variant
from latrones_uci.search.alphabeta import _Result, _RootMove
from latrones_uci.search.types import Bound, Task
from search_help.driver import search
from search_help.positions import random_positions

over_games = pytest.mark.parametrize(("backend", "variant"), SEARCHED, indirect=["backend"])


@over_games
def test_search_is_reproducible(backend: str, variant: str) -> None:
    game = Game(Position.start(find_variant(variant)))
    first, second = (search(game, backend=backend, depth=3 if backend == "python" else 5) for _ in range(2))
    assert first == second
    assert first.result.nodes > 100


@over_games
def test_lines_are_legal_and_no_longer_than_seldepth(backend: str, variant: str) -> None:
    for position in random_positions(variant, amount(15), seed=6):
        for info in search(Game(position), backend=backend, depth=4 if backend == "python" else 8).infos:
            game = Game(position)
            for text in info.pv:
                game.play(game.position.parse_move(text))
            assert 1 <= len(info.pv) <= info.seldepth


def test_node_limit_is_exact(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    for limit in (1, 100, 5000):
        assert search(game, backend=backend, nodes=limit).result.nodes == limit


@over_games
def test_the_last_lines_have_the_totals_of_the_search(backend: str, variant: str) -> None:
    game = Game(Position.start(find_variant(variant)))
    for limit, lines in [(400, 1), (1111, 1), (5000, 1), (700, 3), (5000, 3)]:
        run = search(game, backend=backend, nodes=limit, multipv=lines)
        last = {info.multipv: info for info in run.infos}
        assert {info.nodes for info in last.values()} == {run.result.nodes}
        assert limit <= run.result.nodes < limit + 64
        assert last[1].pv[0] == game.position.move_text(run.result.move)
        assert [info.multipv for info in run.infos[-lines:]] == list(range(1, lines + 1))
        deepest = max(info.depth for info in run.infos)
        assert all(info.depth >= deepest - 1 for info in last.values())


@over_games
def test_no_line_is_repeated(backend: str, variant: str) -> None:
    for position in random_positions(variant, at_most(5), seed=9):
        for bounds in ({"depth": 4}, {"nodes": 700}, {"depth": 3, "multipv": 2}):
            infos = search(Game(position), backend=backend, **bounds).infos
            keys = [(info.nodes, info.depth, info.multipv, info.score.bound) for info in infos]
            assert len(set(keys)) == len(keys)


def test_nothing_is_reported_before_a_move_is_searched(backend: str) -> None:
    assert search(Game(Position.start(find_variant("latrones"))), backend=backend, nodes=1).infos == []


def test_the_first_moves_are_reported_even_if_the_iteration_is_not_finished(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    run = search(game, backend=backend, nodes=5)
    assert [(info.depth, info.multipv, info.nodes) for info in run.infos] == [(1, 1, 5)]
    assert run.last.pv == (game.position.move_text(run.result.move),)


def test_the_reported_result_stays_exact_after_a_bound() -> None:
    def result(depth: int, score: int, bound: Bound = "") -> _Result:
        return _Result(depth, depth, score, bound, (7,))

    move = _RootMove(7)
    for new, reported in [
        (result(4, 10), result(4, 10)),
        (result(5, -30, "upper"), result(4, 10)),  # the window failed in iteration 5
        (result(5, -70), result(5, -70)),
        (result(6, 90, "lower"), result(5, -70)),
        (result(9, 40, "lower"), result(9, 40, "lower")),  # the exact result is too old
        (result(9, 80, "lower"), result(9, 80, "lower")),
    ]:
        move.update(new)
        assert (move.score, move.result) == (new.score, reported)


def test_a_search_stopped_at_once_has_a_move(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    task = Task(tuple(game.legal_moves()))
    kernel = make_kernel(choose(backend), 1)
    result = kernel.search(game, task, lambda item: None, lambda: True, lambda progress: True)
    assert result.move in game.legal_moves()


def test_only_the_given_root_moves_are_searched(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    moves = tuple(game.position.parse_move(text) for text in ("h1h2", "a1a2"))
    run = search(game, Task(moves, depth=3), backend=backend)
    assert run.result.move in moves
    assert all(game.position.parse_move(info.pv[0]) in moves for info in run.infos)


def test_search_does_not_change_the_game(backend: str) -> None:
    game = Game(Position.start(find_variant("latrones")))
    game.play(game.legal_moves()[0])
    before = (game.position, list(game.moves), game.legal_moves())
    search(game, backend=backend, depth=3)
    assert (game.position, game.moves, game.legal_moves()) == before


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical", "latrunculi-xxi"])
def test_mate_limit_ends_the_search(backend: str, variant: str) -> None:
    game = Game(Position.from_fen(find_variant(variant), "2SdS3/8/8/8/8/s7/3S4/4D3 w 0 40"))
    run = search(game, backend=backend, mate=1)
    assert run.last.depth == 1
    assert run.last.score.mate == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_quiet_moves_neither_capture_nor_decide(variant: str) -> None:
    """Checks the invariant that lets the search skip the capture code for quiet moves."""
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


def test_no_move_is_legal_in_a_finished_game() -> None:
    position = Position.from_fen(find_variant("latrones"), "2SdS3/8/8/8/8/s7/3S4/4D3 w 0 40")
    over = position.play(position.parse_move("d2d7"))
    with pytest.raises(IllegalMoveError, match="the game is over"):
        over.parse_move("a3a4")


def test_quiescence_ends_on_a_full_board(backend: str) -> None:
    """Without its limit, a search of a ply takes more than a million nodes here."""
    position = Position.from_fen(
        find_variant("ludii-kharebga-8x8"),
        "sssssSSs/sSsSssSS/SsSSSSSs/sssssSsS/SSS1sSss/SsssSsS1/SssSSSss/SSsSSsSS[-] w 0 17",
    )
    found = search(Game(position), backend=backend, depth=2, nodes=100_000)
    assert found.result.nodes < 20_000
    assert found.infos[-1].depth == 2
