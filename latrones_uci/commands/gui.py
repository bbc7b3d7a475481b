"""The command ``latrones-uci gui``."""

import argparse
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import open_streams
from latrones_uci.game import quoted
from latrones_uci.gui.config import GuiConfig
from latrones_uci.gui.registry import GameRegistry
from latrones_uci.gui.server import Server

_GREATEST_PORT = 65535
_NO_LIMIT = ("depth=1",)  # the page sets the limits


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = ("A board in the browser, for people and any engines of these games."
                          " It is served to this machine alone.")  # fmt: skip
    parser.add_argument("--engine", metavar="WORD", nargs="+", action="append",
                        help="an engine that may be chosen: cmd=COMMAND and perhaps name=NAME, option.NAME=VALUE,"
                        " protocol=ugi, as for latrones-match; may be given several times. The first one gives hints"
                        " and analysis (default: latrones-uci)")
    parser.add_argument("--variants", metavar="FILE", help="a TOML file with more games")
    parser.add_argument("--port", type=_parse_port, default=0, help="the port (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(options: argparse.Namespace, program: str) -> int:
    """Serve the page until it is interrupted; return the exit status."""
    open_streams()
    try:
        engines = [parse_engine(words, _NO_LIMIT) for words in options.engine or []]
        registry = GameRegistry(gui_config(engines, options.variants))
        server = Server(registry, options.port)
    except (SettingsError, OSError) as error:
        what = f"port {options.port}: {error.strerror}" if isinstance(error, OSError) else error
        print(f"{program}: {what}", file=sys.stderr)
        return 2
    print(f"Serving at {server.url}\nEnd it with Ctrl+C.", flush=True)
    if not options.no_browser:
        threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    try:
        serving.start()  # from here on the page can be had, and the program be interrupted
        serving.join()
    except KeyboardInterrupt:
        print()
    finally:
        server.close()
    return 0


def gui_config(engines: Sequence[EngineSettings], variants: str | None = None) -> GuiConfig:
    """What is offered with these engines, our own if there are none, and the games of a file beside the built-in ones.

    Raises:
        SettingsError: the file of games cannot be read, or has an error.
    """
    offered = tuple(engines) or (parse_engine((), _NO_LIMIT, OWN_ENGINE),)
    names = tuple(engine.name or ("latrones-uci" if engine.command == OWN_ENGINE else Path(engine.command[0]).name)
                  for engine in offered)
    return GuiConfig(load_variants(variants), variants, offered, names)


def _parse_port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _GREATEST_PORT):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a port 0..{_GREATEST_PORT}")
    return int(text)
