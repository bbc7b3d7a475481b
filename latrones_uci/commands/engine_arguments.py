"""The arguments for an engine and its limits, for subcommands that search single positions."""

import argparse
import os

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import parse_command
from latrones_uci.client.time_control import Clock, Limit, clock_limit, parse_time_control
from latrones_uci.commands.arguments import parse_option_word
from latrones_uci.game import quoted

_LIMITS = ("st", "depth", "nodes")


def add_engine_arguments(parser: argparse.ArgumentParser, default_st: str) -> None:
    """Add the arguments; without a limit, a search gets ``default_st`` seconds."""
    add = parser.add_argument
    add("--engine", metavar="COMMAND", help="engine command, as one argument (default: latrones-uci)")
    add("--st", metavar="SECONDS", help=f"time per position (default: {default_st} if no limit is given)")
    add("--depth", metavar="N", help="depth limit per position, in plies")
    add("--nodes", metavar="N", help="node limit per position")
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="engine option to set; may be repeated")
    add("--variant-path", metavar="FILE", help="TOML file with more variants")
    parser.set_defaults(default_st=default_st)


def make_engine(options: argparse.Namespace) -> tuple[Engine, Limit]:
    """Return the engine of the command line, not started yet, and the limits of each of its searches.

    Raises:
        SettingsError: a command, option or limit is malformed.
    """
    try:
        command = OWN_ENGINE if options.engine is None else parse_command(options.engine)
    except ValueError as error:
        raise SettingsError(f"--engine {quoted(options.engine)}: {error}") from error
    limits = {key: value for key in _LIMITS if (value := getattr(options, key)) is not None}
    control = parse_time_control(limits or {"st": options.default_st})
    settings = EngineSettings(command, control, options=tuple(map(parse_option_word, options.option)))
    path = os.path.abspath(options.variant_path) if options.variant_path else None
    clock = Clock(control)
    return Engine(settings, variant_path=path), clock_limit(0, (clock, clock))
