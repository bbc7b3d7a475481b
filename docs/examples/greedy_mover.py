"""An engine that wins if it can in one move, does not lose with its own move, and else captures the most pieces.

Usage: latrones-uci match --engine cmd="python3 greedy_mover.py" --engine cmd="python3 random_mover.py" --each st=1
"""

import random

from latrones_uci import serve


def choose_move(game, limits):
    position = game.position

    def value(move):
        game.push(move)
        outcome = game.outcome()
        game.pop()
        won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == position.side else -1
        return won, len(position.captures(move)), random.random()

    return max(limits.moves, key=value)


serve(choose_move, name="Greedy mover")
