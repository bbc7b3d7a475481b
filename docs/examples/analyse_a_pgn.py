"""Print what an engine thinks of every move of the games of a PGN file. Usage: python3 analyse_a_pgn.py FILE.pgn"""

import sys

from latrones_uci import Engine, Limit, read_pgn

if len(sys.argv) != 2:
    sys.exit(__doc__)
with Engine.popen() as engine:
    for annotated in read_pgn(sys.argv[1]):
        game, tags = annotated.game, annotated.tags
        print(tags["White"], "-", tags["Black"], game.result())
        for ply, move in enumerate(game.moves):
            info = engine.analyse(game.up_to(ply), Limit(nodes=1000))
            print(f"  {move}  score {info.score}, best {info.pv[0]}")
