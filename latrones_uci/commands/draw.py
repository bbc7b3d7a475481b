"""The command ``latrones-uci draw``: draw a position as SVG."""

import argparse

from latrones_uci.commands.arguments import add_variant, position_of, variant_of
from latrones_uci.game import draw_board


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print a position as SVG."
    add = parser.add_argument
    add("fen", nargs="*", help="position, quoted or not (default: the start position)")
    add_variant(parser)
    add("--moves", metavar="MOVE", nargs="+", default=[], help="moves to play first; the last one is marked")
    add("--flipped", action="store_true", help="show the board from Black's side")
    add("--no-coordinates", action="store_true", help="omit the names of files and ranks")


def run(options: argparse.Namespace, program: str) -> int:
    ruleset = variant_of(options.variant, options.variant_path)
    position = position_of(ruleset, " ".join(options.fen), options.board)
    move, captured = None, list[int]()
    for text in options.moves:
        move = position.parse_algebraic(text)
        captured, position = position.captures(move), position.play(move)
    print(draw_board(position, last_move=move, captured=captured, flipped=options.flipped,
                     coordinates=not options.no_coordinates))
    return 0
