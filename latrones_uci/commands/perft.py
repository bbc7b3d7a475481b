"""The command ``latrones-uci perft``: count the move sequences of a given length."""

import argparse

from latrones_uci.commands.arguments import add_variant, position_of, variant_of
from latrones_uci.commands.bench import add_backend, choose_variant, parse_depth, run_session
from latrones_uci.engine.session import Session


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Count the move sequences of a given length for each first move."
    parser.add_argument("depth", type=parse_depth, help="length in plies")
    add_variant(parser)
    parser.add_argument("--fen", help="position (default: the start position)")
    add_backend(parser)


def run(options: argparse.Namespace, program: str) -> int:
    return run_session(options, lambda session: _begin(session, options))


def _begin(session: Session, options: argparse.Namespace) -> None:
    position = position_of(variant_of(options.variant, options.variant_path), options.fen, options.board)
    choose_variant(session, options)
    session.set_position(position.fen(), ())
    session.perft(options.depth)
