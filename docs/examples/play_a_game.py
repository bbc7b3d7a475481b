"""Let an engine play a game against itself. Usage: python3 play_a_game.py [VARIANT [COMMAND OF THE ENGINE]]"""

import sys

from latrones_uci import Engine, Game, Limit

variant = sys.argv[1] if len(sys.argv) > 1 else "latrones"

game = Game(variant)
with Engine.popen(*sys.argv[2:3], variant=variant) as engine:
    while game.outcome() is None:
        result = engine.play(game, Limit(nodes=1000))
        if result.move is None:  # the engine resigns
            break
        game.push(result.move)
        print(len(game.moves), result.move, result.info.score)
print(game)
print(game.outcome())
