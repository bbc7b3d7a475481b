"""Draw the position after some moves as SVG. Usage: python3 draw_a_position.py FILE.svg [MOVE ...]"""

import sys
from pathlib import Path

from latrones_uci import Game, draw_board

if len(sys.argv) < 2:
    sys.exit(__doc__)
file, *moves = sys.argv[1:]
game = Game("latrones")
for move in moves:
    game.push(move)
print(game)
last_move = game.moves[-1] if moves else None
Path(file).write_text(draw_board(game.position, last_move=last_move), encoding="utf-8")
