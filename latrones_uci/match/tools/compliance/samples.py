"""Positions to check an engine with: random games of the referee, the same ones every time."""

import random

from latrones_uci.game import Game, Position

_MIDDLE_PLIES = 8
_MOST_PLIES = 1200
_TRIES = 40


def middle_game(start: Position) -> Game:
    """A game some plies old that goes on, with two moves to choose from at least where such a game is found."""
    best = Game(start)
    for seed in range(_TRIES):
        game = _random_game(start, seed, _MIDDLE_PLIES)
        if len(game.legal_moves()) > 1 and len(game.moves) > len(best.moves):
            best = game
    return best


def finished_games(start: Position) -> dict[str, Game]:
    """Games that have ended, one for each reason that random play comes to."""
    games: dict[str, Game] = {}
    for seed in range(_TRIES // 4):
        game = _random_game(start, seed, _MOST_PLIES)
        if (result := game.result()) is not None:
            known = games.get(result.reason)
            if known is None or len(known.moves) > len(game.moves):
                games[result.reason] = game
    return games


def _random_game(start: Position, seed: int, most_plies: int) -> Game:
    game, chance = Game(start), random.Random(seed)
    while len(game.moves) < most_plies and (moves := game.legal_moves()):
        game.play(chance.choice(moves))
    return game
