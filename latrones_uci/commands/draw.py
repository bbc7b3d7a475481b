"""The command ``latrones-uci draw``: a position as SVG."""

import argparse

from latrones_uci.commands.arguments import run_tool
from latrones_uci.commands.variants import variant_of
from latrones_uci.draw import draw_board
from latrones_uci.game import BoardSizeError, Position, parse_board_size


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print a position as SVG."
    add = parser.add_argument
    add("fen", nargs="*", help="the position, quoted or not (default: the start)")
    add("--variant", default="latrones", help="the variant (default: latrones)")
    add("--path", metavar="FILE", help="a TOML file with more variants")
    add("--board", metavar="SIZE", help="size of the start board, such as 12x8 (default: the variant's own)")
    add("--moves", metavar="MOVE", nargs="+", default=[], help="moves to play first; the last one is marked")
    add("--flipped", action="store_true", help="show the board from Black's side")
    add("--no-coordinates", action="store_true", help="omit the names of files and ranks")


def run(options: argparse.Namespace, program: str) -> int:
    """Run the command and return the exit status."""
    return run_tool(program, lambda: _draw(options))


def _draw(options: argparse.Namespace) -> int:
    """Prints a board.

    Raises:
        LatronesError: no such game, board, position or move.
    """
    ruleset = variant_of(options.variant, options.path)
    if options.fen and options.board:
        raise BoardSizeError(f"--board {options.board} is for the start; a FEN has its own size")
    if options.fen:
        position = Position.from_fen(ruleset, " ".join(options.fen))
    else:
        position = Position.start(ruleset, parse_board_size(options.board) if options.board else None)
    move, captured = None, list[int]()
    for text in options.moves:
        move = position.parse_move(text)
        captured, position = position.captures(move), position.play(move)
    print(draw_board(position, last_move=move, captured=captured, flipped=options.flipped,
                     coordinates=not options.no_coordinates))
    return 0
