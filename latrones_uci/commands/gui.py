"""The command ``latrones-uci gui``: play and analyse in the browser."""

import argparse
import json
import re
import shutil
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import EngineOptionError, EngineStartError, SettingsError
from latrones_uci.client.variant_setup import load_variants
from latrones_uci.commands.arguments import Parser, open_streams, parse_port
from latrones_uci.engine import native
from latrones_uci.records.database import distinct
from latrones_uci.text.files import is_private, read_text_file, write_private
from latrones_uci.text.folders import user_folder
from latrones_uci.text.messages import quoted, reason
from latrones_uci.text.signals import WAKE_S
from latrones_uci.web.board.config import GuiConfig
from latrones_uci.web.board.game_store import GameStore, StoreUnusableError
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.server import Server

_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,64}", re.ASCII)
_MAX_ADDRESS_BYTES = 1000
_NO_LIMIT = ("depth=1",)  # a placeholder: the page sets the limits


def configure(parser: Parser) -> None:
    parser.description = ("Serve a board for the browser, to play against engines and to analyse."
                          " The page is reachable only from this machine.")
    parser.add_argument("--engine", metavar="KEY=VALUE", nargs="+", action="append",
                        help="engine to choose from: cmd=COMMAND, and keys such as name=NAME, option.NAME=VALUE,"
                        " protocol=ugi, as for 'latrones-uci match'; may be repeated. The first engine gives hints"
                        " and analysis (default: latrones-uci)")
    parser.add_argument("--variant-path", metavar="FILE", help="TOML file with more variants")
    parser.add_argument("--explore", metavar="FILE", type=Path, action="append", default=[],
                        help="PGN file or database of a match whose moves the opening explorer counts, besides those of"
                        " the kept games; may be repeated")
    parser.add_argument("--port", type=parse_port, help="port (default: that of the last time if it is free)")
    alternative = parser.add_mutually_exclusive_group().add_argument
    alternative("--games", metavar="FILE", type=Path,
                help=f"database that keeps the games (default: {default_games()})")
    alternative("--no-games", action="store_true", help="keep no games, and use a new address")
    parser.add_argument("--no-browser", action="store_true", help="print the address without opening a browser")


def run(options: argparse.Namespace, program: str) -> int:
    open_streams()
    store = None
    try:
        engines = [parse_engine(words, _NO_LIMIT) for words in options.engine or []]
        for engine in engines:
            if engine.directory is None and shutil.which(engine.command[0]) is None:
                raise SettingsError(f"cannot start {quoted(engine.command[0])}: not found, or not executable")
            _check_options(engine)
        config = gui_config(engines, options.variant_path)
        store = None if options.no_games else GameStore(options.games or default_games())
        server = _server(config, store, options.port, options.explore)
        if not engines:
            _note_missing_core(program, store)
    except (SettingsError, StoreUnusableError, OSError) as error:
        if store is not None:
            store.close()
        what = f"port {options.port}: {reason(error)}" if isinstance(error, OSError) else error
        print(f"{program}: {what}", file=sys.stderr)
        return 2
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    try:
        serving.start()
        server.announce(open_browser=not options.no_browser)
        while serving.is_alive():
            serving.join(WAKE_S)
    except KeyboardInterrupt:
        print()
    finally:
        server.close()
    if store is not None and store.unwritten:
        print(f"{program}: {store.path}: {store.unwritten} changed games could not be saved: {store.problem}",
              file=sys.stderr)
        return 1
    return 0


def _check_options(engine: EngineSettings) -> None:
    """Start an engine that has options, to see if it accepts them; that it cannot be started is left to the page.

    Raises:
        SettingsError: it lacks an option, or rejects a value.
    """
    if engine.options:
        try:
            EngineController(engine, {}, Timeouts(), lambda: False).quit()
        except EngineOptionError as error:
            raise SettingsError(str(error)) from error
        except EngineStartError:
            pass


def _note_missing_core(program: str, store: GameStore | None) -> None:
    """Print once for each database, and so for each user, that the engine is slow and why."""
    if native.is_compiled():
        return
    noted = None if store is None else store.path.with_name(f"{store.path.name}-no-core")
    if noted is None or not noted.exists():
        print(f"{program}: the engine is many times slower than it can be, because there is no compiled core:"
              f" {native.why_not_compiled()}", file=sys.stderr)
    if noted is not None:
        with suppress(OSError):  # the page works without it
            write_private(noted, "")


def default_games() -> Path:
    return user_folder("data") / "games.db"


def _server(config: GuiConfig, store: GameStore | None, port: int | None, files: Sequence[Path] = ()) -> Server:
    """Return a server at the address of the last time if it is free, so that open pages find it again.

    The address is in a file beside the database that only this user can read. Without a database, and while another
    server uses that address, a new one is chosen.

    Raises:
        OSError: the given port is not available.
        SettingsError: one of the ``files`` for the opening explorer cannot be read.
    """
    if store is None:
        return Server(GameRegistry(config, files=files), port or 0)
    address = store.path.with_name(f"{store.path.name}-page")
    last_port, token = _read_address(address)
    registry = GameRegistry(config, store=store, files=files)
    if port is None and last_port is not None:
        with suppress(OSError):
            return Server(registry, last_port, token)
    server = Server(registry, port or 0, token if port is not None and port == last_port else None)
    if port is not None or last_port is None:
        with suppress(OSError):  # the page works without it
            write_private(address, json.dumps({"port": server.server_port, "token": server.token}))
    return server


def _read_address(path: Path) -> tuple[int | None, str | None]:
    """Return port and token of the last time; None if there are none, or if others could read them."""
    try:
        if not is_private(path):
            return None, None
        data = json.loads(read_text_file(path, _MAX_ADDRESS_BYTES, regular=True))
        port, token = data["port"], data["token"]
    except (OSError, ValueError, TypeError, LookupError):
        return None, None
    if type(port) is not int or not 0 < port < 65536 or not isinstance(token, str) or not _TOKEN.fullmatch(token):
        return None, None
    return port, token


def gui_config(engines: Sequence[EngineSettings], variant_path: str | None = None) -> GuiConfig:
    """Return the configuration of the page; without engines, this project's engine is used.

    Raises:
        SettingsError: the variant file cannot be read or has an error.
    """
    offered = tuple(engines) or (parse_engine((), _NO_LIMIT, OWN_ENGINE),)
    names = [engine.name or ("latrones-uci" if engine.command == OWN_ENGINE else Path(engine.command[0]).name)
             for engine in offered]
    return GuiConfig(load_variants(variant_path), variant_path, offered, tuple(distinct(names)))
