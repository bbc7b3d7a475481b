"""Repetition and the no-capture limit in the search."""

from __future__ import annotations

import pytest

from latrones_uci.game import Game, Position, find_variant
from latrones_uci.protocol import Score
from latrones_uci.search.types import Task
from search_help.driver import search

# White is far ahead, so a draw is much worse for it than playing on; its dux is safe.
AHEAD = "4d3/8/8/s7/7S/8/4D3/SSSS1S2 {side} {nocapture} 40"


def game_with_two_occurrences(variant: str) -> Game:
    """Return a game whose position has occurred twice, and can occur a third time after the next move."""
    game = Game(Position.from_fen(find_variant(variant), AHEAD.format(side="w", nocapture=0)))
    for text in ["h4h5", "e8e7", "h5h4", "e7e8", "h4h5", "e8e7", "h5h4"]:
        game.play(game.position.parse_move(text))
    assert game.outcome() is None
    return game


def score_of(backend: str, game: Game, text: str, depth: int) -> Score:
    """Return the score of one move."""
    move = game.position.parse_move(text)
    return search(game, Task((move,), depth=depth), backend=backend, selective=False).last.score


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_third_occurrence_is_a_draw_in_latrones(backend: str, depth: int) -> None:
    game = game_with_two_occurrences("latrones")
    assert score_of(backend, game, "e7e8", depth) == Score(0, None)
    game.play(game.position.parse_move("e7e8"))
    result = game.outcome()
    assert result is not None
    assert (result.name, result.termination.value) == ("draw", "repetition")


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_third_occurrence_loses_for_the_repeater_in_the_classical_game(backend: str, depth: int) -> None:
    game = game_with_two_occurrences("latrunculi-classical")
    # The repeater loses by its own move, without another turn of the other side.
    assert score_of(backend, game, "e7e8", depth) == Score(None, 0)
    game.play(game.position.parse_move("e7e8"))
    result = game.outcome()
    assert result is not None
    assert (result.name, result.termination.value) == ("p1win", "repetition")


def test_repetition_is_sought_when_behind_and_avoided_when_it_loses(backend: str) -> None:
    game = game_with_two_occurrences("latrones")
    assert game.position.move_text(search(game, backend=backend, depth=3).result.move) == "e7e8"
    game = game_with_two_occurrences("latrunculi-classical")
    assert game.position.move_text(search(game, backend=backend, depth=3).result.move) != "e7e8"


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical"])
def test_the_last_ply_without_a_capture_is_a_draw(backend: str, variant: str) -> None:
    game = Game(Position.from_fen(find_variant(variant), AHEAD.format(side="w", nocapture=99)))
    quiet = game.position.parse_move("h4h5")
    assert search(game, Task((quiet,), depth=3), backend=backend).last.score == Score(0, None)


@pytest.mark.parametrize("variant", ["latrones", "latrunculi-classical"])
def test_a_capture_at_the_limit_is_better_than_the_draw(backend: str, variant: str) -> None:
    # White captures b4 between a4 and c4; everything but a capture ends the game as a draw.
    game = Game(Position.from_fen(find_variant(variant), "3d4/8/8/8/Ss5s/8/2S5/S2S1D2 w 99 40"))
    run = search(game, backend=backend, depth=3)
    assert game.position.move_text(run.result.move) == "c2c4"
    assert run.last.score.cp is not None
    assert run.last.score.cp > 200


def test_a_win_is_preferred_even_at_the_limit(backend: str) -> None:
    # d8 is flanked by c8 and e8, and d7 is its only open side.
    game = Game(Position.from_fen(find_variant("latrones"), "2SdS3/8/8/8/8/s7/3S4/4D3 w 99 40"))
    run = search(game, backend=backend, depth=2)
    assert game.position.move_text(run.result.move) == "d2d7"
    assert run.last.score == Score(None, 1)
