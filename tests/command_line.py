"""Arguments of one subcommand, parsed without running it."""

import argparse
from collections.abc import Callable, Sequence

from latrones_uci.commands.arguments import Parser


def parse_arguments(configure: Callable[[argparse.ArgumentParser], None], words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="test", allow_abbrev=False)
    configure(parser)
    return parser.parse_args(words)
