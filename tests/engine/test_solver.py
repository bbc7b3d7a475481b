"""The solution of rota: its statistics, the consistency of its values, and perfect play."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from latrones_uci.engine.kernels import SolverKernel
from latrones_uci.engine.python.solver import DRAW, Solution, SolvedValue
from latrones_uci.engine.types import Task
from latrones_uci.game import Game, Position, find_variant
from latrones_uci.game.encoding import Board
from latrones_uci.text.protocol import Score, SearchInfo

ROTA = find_variant("rota")
START = Position.start(ROTA)
MAX_PLIES = 200


@pytest.fixture(scope="module")
def solution() -> Solution:
    return Solution(START.rules, START.board)


@pytest.fixture(scope="module")
def kernel() -> SolverKernel:
    return SolverKernel(START)


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    """Return every reachable board, found without the solver."""
    found, waiting = {key(START.board): START.board}, [START.board]
    while waiting:
        for child in children(waiting.pop()):
            if key(child) not in found:
                found[key(child)] = child
                waiting.append(child)
    return list(found.values())


def key(board: Board) -> tuple[int, ...]:
    return (board[0], board[1], board[4], board[8])


def children(board: Board) -> list[Board]:
    rules = START.rules
    return [] if rules.decided(board) else [rules.play(board, move) for move in rules.moves(board)]


def search(kernel: SolverKernel, game: Game, multipv: int = 1) -> tuple[list[SearchInfo], int]:
    infos: list[SearchInfo] = []
    task = Task(root_moves=game.position.packed_moves, multipv=multipv)
    result = kernel.search(game, task, infos.append, lambda: False, lambda progress: True)
    return infos, result.move


# ---------------------------------------------------------------- the whole game


@pytest.mark.long
def test_numbers_of_won_drawn_and_lost_positions(solution: Solution, boards: list[Board]) -> None:
    """As retrograde analysis with an independent program counted them."""
    assert START.fen() == "3/3/3[3S3s] w 0 1"
    assert solution.value(START.board) == DRAW
    assert solution.positions == len(boards) == 5550
    values = [solution.value(board) for board in boards]
    assert Counter(value.outcome for value in values) == {1: 2608, 0: 2002, -1: 940}
    assert max(value.plies for value in values if value.outcome > 0) == 11
    check_values(solution, boards)


def check_values(solution: Solution, boards: list[Board]) -> None:
    """Check that each value follows from those of the moves.

    A won position has a move to a lost one, the shortest of them one ply nearer to the end; a lost position only has
    moves to won ones; a drawn position has a move to a drawn one and none to a lost one.
    """
    for board in boards:
        value = solution.value(board)
        after = [solution.value(child) for child in children(board)]
        if not after:
            assert value == SolvedValue(-1, 0)
        elif value.outcome > 0:
            assert value.plies == 1 + min(child.plies for child in after if child.outcome < 0)
        elif value.outcome < 0:
            assert all(child.outcome > 0 for child in after)
            assert value.plies == 1 + max(child.plies for child in after)
        else:
            assert DRAW in after
            assert all(child.outcome >= 0 for child in after)


@pytest.mark.long
@pytest.mark.parametrize("outcome", [1, 0, -1])
def test_values_are_consistent_with_repeated_boards(
    solution: Solution, boards: list[Board], outcome: int
) -> None:
    undecided = [board for board in boards if children(board) and solution.value(board).outcome == outcome]
    drawn = random.Random(1).sample(undecided, 30)
    other = solution.with_draws(drawn)
    keys = {key(board) for board in drawn}
    assert all(other.value(board) == DRAW for board in drawn)
    check_values(other, [board for board in boards if key(board) not in keys])
    changed = sum(other.value(board) != solution.value(board) for board in boards)
    assert changed > 30 if outcome else changed == 0


def test_ranked_moves_are_sorted_by_value(solution: Solution, boards: list[Board]) -> None:
    """The order is short wins, long wins, draws, long losses, short losses; so the first move keeps the value."""
    for board in random.Random(1).sample([board for board in boards if children(board)], 500):
        moves = tuple(START.rules.moves(board))
        ranked = solution.ranked(board, moves)
        assert sorted(ranked) == sorted(moves)
        after = [solution.after(board, move) for move in ranked]
        order = [(-value.outcome, value.plies * value.outcome) for value in after]
        assert order == sorted(order)
        assert (after[0].outcome, after[0].plies) == (solution.value(board).outcome, solution.value(board).plies)


# ---------------------------------------------------------------- the kernel


@pytest.mark.long
def test_scores_are_exact(kernel: SolverKernel, solution: Solution, boards: list[Board]) -> None:
    """``mate N`` counts the winner's own turns; a draw is 0."""
    for board in random.Random(1).sample([board for board in boards if children(board)], 300):
        value = solution.value(board)
        ((info,), _) = search(kernel, Game(Position(START.rules, board, 1)))
        won, lost = Score(None, (value.plies + 1) // 2), Score(None, -(value.plies // 2))
        assert info.score == (Score(0, None), won, lost)[value.outcome]


def test_lines_and_positions_not_reachable_from_the_start(kernel: SolverKernel) -> None:
    infos, best = search(kernel, Game(START), multipv=9)
    assert [info.multipv for info in infos] == list(range(1, 10))
    assert len({info.pv[0] for info in infos}) == 9
    assert START.named_move(best) == infos[0].pv[0]
    game = Game(Position.from_fen(ROTA, "s1s/1S1/S1S[-] w 0 9"))
    infos, move = search(kernel, game)
    assert infos[0].score.cp == 0 or infos[0].score.mate
    assert move in game.position.packed_moves


def test_the_solver_never_loses_to_a_random_player_and_draws_with_itself(kernel: SolverKernel) -> None:
    for seed in range(41):
        chooser, own_sides, game = random.Random(seed), (0, 1) if seed == 40 else (seed % 2,), Game(START)
        while moves := game.legal_moves():
            assert len(game.moves) < MAX_PLIES
            own = game.position.side in own_sides
            game.push(game.position.named_move(search(kernel, game)[1]) if own else chooser.choice(moves))
        result = game.outcome()
        assert result is not None
        assert result.winner in (*own_sides, None)
    assert str(result) == "Draw (repetition)"


def test_solver_knows_repetition() -> None:
    """A win through a position that has occurred twice already is a draw."""
    game = Game(START)
    placed = ["S@a1", "S@a3", "S@a2", "S@c3", "S@c2", "S@b2"]
    for text in [*placed, "a1b1", "a3b3", "b1c1", "b3a3", "c1b1", "b2b3", "b1c1", "b3b2"]:
        game.push(text)
    infos, move = search(SolverKernel(game.start), game)
    assert infos[0].score == Score(0, None)
    game.push(game.position.named_move(move))
    assert game.outcome() is None


def test_lines_end_at_the_third_occurrence(kernel: SolverKernel) -> None:
    games = [[], ["S@a1", "S@b2", "S@c1", "S@b3", "S@b1"]]
    chance = random.Random(1)
    for texts in [*games, *games * 20]:
        game = Game(START)
        for text in texts:
            game.push(text)
        for _ in range(chance.randrange(30) if texts not in games[1:] else 0):
            if game.legal_moves():
                game.push(chance.choice(game.legal_moves()))
        if game.outcome() is None:
            for info in search(kernel, game, multipv=3)[0]:
                ahead = game.copy()
                for text in info.pv:
                    ahead.push(text)
