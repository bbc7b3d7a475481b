"""Play a match between two functions, without an engine. Usage: python3 match_between_functions.py [GAMES]"""

import random
import sys
from collections import Counter

from latrones_uci import Game


def play_randomly(game):
    return random.choice(game.legal_moves())


def capture_most(game):
    return max(game.legal_moves(), key=lambda move: (len(game.position.captures(move)), random.random()))


def play(players):
    """Play a game; the first player is White."""
    game = Game("latrones", board="8x8")
    while game.outcome() is None:
        choose_move = players[game.position.side]  # in some variants a side moves twice
        game.push(choose_move(game))
    return game.outcome()


points = Counter()
for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
    players = [play_randomly, capture_most] if number % 2 == 0 else [capture_most, play_randomly]
    outcome = play(players)
    print(f"{players[0].__name__} - {players[1].__name__}: {outcome}")
    for side, player in enumerate(players):
        points[player.__name__] += 0.5 if outcome.winner is None else float(outcome.winner == side)
for name, score in points.most_common():
    print(f"{name}: {score:g} points")
