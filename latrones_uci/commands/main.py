"""The programs ``latrones-uci`` and ``latrones-match``.

Without arguments, as most controllers start it, ``latrones-uci`` is the engine, and only what the engine needs is
imported; ``command_line`` parses arguments and runs subcommands.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from latrones_uci.commands.engine import serve_engine
from latrones_uci.game import LatronesError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``latrones-uci`` and return the exit status.

    ``arguments`` are those without the program's name; None for those of the process.
    """
    if sys.argv[1:] if arguments is None else arguments:
        return int(_command_line().main(arguments))
    try:
        serve_engine()
    except (LatronesError, OSError, MemoryError, KeyboardInterrupt) as error:
        return int(_command_line().report_engine_error(error))
    return 0


def match_main(arguments: Sequence[str] | None = None) -> int:
    """Run ``latrones-match``: the subcommand ``match``, or another subcommand if one is named first."""
    return int(_command_line().match_main(arguments))


def _command_line() -> Any:
    return import_module("latrones_uci.commands.command_line")
