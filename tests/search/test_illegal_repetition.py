"""The search knows the positions of the game and of the line where repetition is illegal, and passes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from effort import amount
from latrones_uci.game import Game, Position, Ruleset, ludii_variants
from latrones_uci.game.encoding import PASS
from latrones_uci.search.evaluation import evaluator
from latrones_uci.search.types import WIN, to_score
from search_help.driver import search

SMALL = {"min_size": (4, 4), "default_size": (4, 4), "min_squares": 0}
RULESETS = {
    "quintana": replace(ludii_variants()["ludii-museum-quintana"], **SMALL, soldier_ranks=1),
    "kowalski": replace(ludii_variants()["ludii-kowalski-12x8"], **SMALL),
    "piso": replace(ludii_variants()["ludii-piso"], **SMALL, hand=4),
    "seega": replace(ludii_variants()["ludii-seega-6x6"], **SMALL, hand=4),
    "bell": replace(ludii_variants()["ludii-bell-8x8"], **SMALL, hand=2),
    "schadler": replace(ludii_variants()["ludii-schadler-1994"], **SMALL, hand=4),
    "falkener": replace(ludii_variants()["ludii-falkener"], **SMALL, soldier_ranks=1),
    "locked": replace(ludii_variants()["ludii-museum-quintana"], **SMALL, soldier_ranks=1, no_move="loss"),
}  # fmt: skip


def exact(game: Game, depth: int, ply: int = 0) -> int:
    """Return the minimax value of a position for the player to move, with quiescence at the leaves."""
    position, rules = game.position, game.position.rules
    if ply and position.nocapture_reached:
        return rules.ending(position.ruleset.nocapture_result, position.board) * (WIN - ply)
    if ply and game.moves[-2:] == [PASS, PASS]:
        return 0
    can_move = rules.can_move(position.board)  # the leaves do not know what must not occur again
    values = [evaluator(rules)(position.board)] if depth == 0 and can_move else []
    men = (position.board[0] | position.board[1]).bit_count()
    for move in position.legal_moves():
        child = position.after(move)
        sign = 1 if child.side == position.side else -1
        if outcome := rules.decided(child.board):
            values.append(sign * outcome * (WIN - ply - 1))
        elif depth or (child.board[0] | child.board[1]).bit_count() < men:
            game.play_parsed(move)
            values.append(sign * exact(game, max(depth - 1, 0), ply + 1))
            game.pop()
    if values:
        return max(values)
    return rules.ending(position.ruleset.no_move, position.board) * (WIN - ply)


def games(ruleset: Ruleset, count: int, seed: int) -> list[Game]:
    """Return unfinished games of some length; most shuffle, so that much has occurred."""
    chance, found = Random(seed), list[Game]()
    while len(found) < count:
        game = Game(Position.start(ruleset))
        for _ in range(chance.randrange(4, 60)):
            moves = game.legal_moves()
            if not moves:
                break
            quiet = [move for move in moves if not game.position.captures(move)]
            game.play(chance.choice(quiet or moves))
        if game.outcome() is None and not game.position.hand:
            found.append(game)
    return found


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_score_is_the_minimax_value(backend: str, name: str, depth: int) -> None:
    for game in games(RULESETS[name], amount({1: 12, 2: 5, 3: 1}[depth]), seed=depth):
        value = exact(game, depth)
        run = search(game, backend=backend, selective=False, depth=depth)
        line = " ".join(map(str, game.moves))
        assert run.last.score == to_score(value), f"{game.position.fen()} after {line}"


@pytest.mark.parametrize("name", RULESETS)
def test_lines_are_legal(backend: str, name: str) -> None:
    """Each move of the principal variation is legal in the game, repetitions included."""
    for game in games(RULESETS[name], amount(4), seed=9):
        run = search(game, backend=backend, depth=4)
        copy = game.copy()
        for text in run.last.pv:
            copy.play(text)


def test_pass_because_all_moves_repeat(backend: str) -> None:
    """White's only man that can move would make the start again, so that White must pass."""
    game = Game(Position.from_fen(RULESETS["seega"], "2sS/s2s/1s2/Ss1s[-] b 0 1"))
    for move in ("d1d2", "a1a2", "d2d1"):
        game.play(move)
    assert list(map(str, game.legal_moves())) == ["pass"]
    assert game.position.rules.moves(game.position.board) != [PASS]  # there are moves, but for repetition
    for depth in (1, 4):
        run = search(game, backend=backend, depth=depth)
        assert run.result.move == PASS
        assert run.last.pv[0] == "pass"


def test_positions_of_the_line_must_not_occur_again(backend: str) -> None:
    """With one empty square, few moves are left, and the best one at ply 5 would repeat what the first has made."""
    game = Game(Position.from_fen(RULESETS["seega"], "ssSS/SssS/Ssss/Ss1s[-] w 0 9"))
    run = search(game, backend=backend, selective=False, depth=5)
    assert run.last.score == to_score(exact(game, 5))
