"""The command ``latrones-uci gui``: play and analyse in the browser."""

import argparse
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import open_streams, parse_port
from latrones_uci.game import reason
from latrones_uci.gui.config import GuiConfig
from latrones_uci.gui.registry import GameRegistry
from latrones_uci.gui.server import Server

_NO_LIMIT = ("depth=1",)  # a placeholder: the page sets the limits


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = ("Serve a board for the browser, to play against engines and to analyse."
                          " The page is reachable only from this machine.")  # fmt: skip
    parser.add_argument("--engine", metavar="KEY=VALUE", nargs="+", action="append",
                        help="engine to choose from: cmd=COMMAND, and keys such as name=NAME, option.NAME=VALUE,"
                        " protocol=ugi, as for 'latrones-uci match'; may be repeated. The first engine gives hints"
                        " and analysis (default: latrones-uci)")
    parser.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")
    parser.add_argument("--port", type=parse_port, default=0, help="port (default: any free port)")
    parser.add_argument("--no-browser", action="store_true", help="print the address without opening a browser")


def run(options: argparse.Namespace, program: str) -> int:
    """Serve the page until it is interrupted; return the exit status."""
    open_streams()
    try:
        engines = [parse_engine(words, _NO_LIMIT) for words in options.engine or []]
        registry = GameRegistry(gui_config(engines, options.variant_path))
        server = Server(registry, options.port)
    except (SettingsError, OSError) as error:
        what = f"port {options.port}: {reason(error)}" if isinstance(error, OSError) else error
        print(f"{program}: {what}", file=sys.stderr)
        return 2
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    try:
        serving.start()
        server.announce(open_browser=not options.no_browser)
        serving.join()
    except KeyboardInterrupt:
        print()
    finally:
        server.close()
    return 0


def gui_config(engines: Sequence[EngineSettings], variant_path: str | None = None) -> GuiConfig:
    """Return the configuration of the page; without engines, this project's engine is used.

    Raises:
        SettingsError: the variant file cannot be read or has an error.
    """
    offered = tuple(engines) or (parse_engine((), _NO_LIMIT, OWN_ENGINE),)
    names = tuple(engine.name or ("latrones-uci" if engine.command == OWN_ENGINE else Path(engine.command[0]).name)
                  for engine in offered)
    return GuiConfig(load_variants(variant_path), variant_path, offered, names)
