"""An engine that plays random moves. Usage: latrones-uci gui --engine cmd="python3 random_mover.py" st=1"""

import random

from latrones_uci import serve


def choose_move(game, limits):
    return random.choice(limits.moves)


serve(choose_move, name="Random mover")
