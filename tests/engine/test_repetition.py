"""Repetition, also where it is illegal, passes, and the no-capture limit in the search."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from effort import amount
from latrones_uci.engine.types import Task, to_score
from latrones_uci.game import Game, Position, Ruleset, ludii_variants
from latrones_uci.game.encoding import PASS
from latrones_uci.text.protocol import Score
from search_help.driver import search
from search_help.minimax import minimax

# White is far ahead, so a draw is much worse for it than playing on; its dux is safe.
AHEAD = "4d3/8/8/s7/7S/8/4D3/SSSS1S2 w {nocapture} 40"


def game_with_two_occurrences(variant: str) -> Game:
    """Return a game whose position has occurred twice, and can occur a third time after the next move."""
    game = Game(Position.from_fen(variant, AHEAD.format(nocapture=0)))
    for text in ["h4h5", "e8e7", "h5h4", "e7e8", "h4h5", "e8e7", "h5h4"]:
        game.push(text)
    return game


@pytest.mark.parametrize(("variant", "score", "result"), [
    ("latrones", Score(0, None), "draw"),
    # The repeater loses by its own move, without another turn of the other side.
    ("latrunculi-classical", Score(None, 0), "p1win"),
])
def test_the_third_occurrence(backend: str, variant: str, score: Score, result: str) -> None:
    """Black, which is behind, seeks it where it is a draw, and avoids it where it loses."""
    game = game_with_two_occurrences(variant)
    repeating = game.position.parse_move("e7e8")
    for depth in (1, 2, 3):
        run = search(game, Task((repeating.packed,), depth=depth), backend=backend, selective=False)
        assert run.last.score == score
    assert (search(game, backend=backend, depth=3).result.move == repeating.packed) == (result == "draw")
    game.push(repeating)
    outcome = game.outcome()
    assert outcome is not None
    assert (outcome.name, outcome.termination.value) == (result, "repetition")


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical"])
def test_the_no_capture_limit(backend: str, variant: str) -> None:
    game = Game(Position.from_fen(variant, AHEAD.format(nocapture=99)))
    quiet = game.position.parse_move("h4h5")
    assert search(game, Task((quiet.packed,), depth=3), backend=backend).last.score == Score(0, None)
    # White captures b4 between a4 and c4; everything but a capture ends the game as a draw.
    game = Game(Position.from_fen(variant, "3d4/8/8/8/Ss5s/8/2S5/S2S1D2 w 99 40"))
    run = search(game, backend=backend, depth=3)
    assert run.last.pv[0] == "c2c4"
    assert (run.last.score.cp or 0) > 200
    # d8 is flanked by c8 and e8, and d7 is its only open side: a win comes before the limit.
    run = search(Game(Position.from_fen(variant, "2SdS3/8/8/8/8/s7/3S4/4D3 w 99 40")), backend=backend, depth=2)
    assert (run.last.pv[0], run.last.score) == ("d2d7", Score(None, 1))


# ---------------------------------------------------------------- illegal repetition


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
}


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
            game.push(chance.choice(quiet or moves))
        if game.outcome() is None and not game.position.hand:
            found.append(game)
    return found


def value_of(game: Game, depth: int) -> int:
    return minimax(game.position, depth, passes=int(game.moves[-1:] == ["pass"]))


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_score_is_the_minimax_value(backend: str, name: str, depth: int) -> None:
    for game in games(RULESETS[name], amount({1: 12, 2: 5, 3: 1}[depth]), seed=depth):
        run = search(game, backend=backend, selective=False, depth=depth)
        line = " ".join(map(str, game.moves))
        assert run.last.score == to_score(value_of(game, depth)), f"{game.position.fen()} after {line}"


def test_pass_because_all_moves_repeat(backend: str) -> None:
    """White's only man that can move would make the start again, so that White must pass."""
    game = Game(Position.from_fen(RULESETS["seega"], "2sS/s2s/1s2/Ss1s[-] b 0 1"))
    for move in ("d1d2", "a1a2", "d2d1"):
        game.push(move)
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
    assert run.last.score == to_score(value_of(game, 5))
