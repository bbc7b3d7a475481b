"""The player of the web program "Latrones" as an engine; FOLDER is a checkout of github.com/rj-engineeringde/latrones.

Usage: latrones-uci match --engine cmd="python3 web_latrones.py FOLDER" st=10 --engine cmd=latrones-uci depth=2
"""

import sys

from latrones_uci import serve

sys.path.insert(0, sys.argv[1])
from python import bot, gameboard


def choose_move(game, limits):
    position, names, masks = game.position, {}, dict.fromkeys("SDsd", 0)
    files, ranks = position.geometry.files, position.geometry.ranks
    gameboard.create_bitboard_new_game(files, ranks, True)  # sets the size of the board
    for square in range(files * ranks):
        bit = 1 << (ranks - 1 - square // files) * files + square % files  # Black's rank is first
        names[bit] = position.geometry.square_name(square)
        if piece := position.piece_at(square):
            masks[piece] |= bit
    if limits.time:
        bot.TIMEOUT_SEC = limits.time / 2  # it looks at the clock only between the moves of the root
    start, end = bot.find_move_for_bot(*masks.values(), position.side == 0)
    return names[start] + names[end]


serve(choose_move, name="Latrones (web program)")
