"""The command ``latrones-uci watch`` and the option ``--watch``: show a match in the browser while it runs."""

import argparse
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.errors import OperationError, SettingsError
from latrones_uci.client.programs import start_group
from latrones_uci.commands.arguments import parse_port
from latrones_uci.match.events import LiveGames
from latrones_uci.records.store import NoMatchError
from latrones_uci.text.messages import reason
from latrones_uci.text.ports import take_alone
from latrones_uci.text.signals import WAKE_S
from latrones_uci.web.lib.page_server import ANNOUNCEMENT, LOOPBACK
from latrones_uci.web.match.running import write_running_games
from latrones_uci.web.match.watch_server import Watcher, WatchServer

_LAST_EVENTS_S = 0.3
_START_S = 60.0  # for a match to start in an empty database
_POLL_S = 0.2
_STOP_TIMEOUT_S = 5.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show a match in the browser: standings, charts and replays of finished games. The match may run in another"
        " terminal of this machine, where its option --watch serves a page with the running games, too, or be over. The"
        " page is reachable only from this machine."
    )
    add = parser.add_argument
    add("database", metavar="FILE.db", help="database of the match")
    add("--port", type=parse_port, default=0, help="port (default: any free port)")
    add("--no-browser", action="store_true", help="print the address without opening a browser")
    add("--until-eof", action="store_true", help="read events of --json-moves from standard input, and stop at its end")


def run(options: argparse.Namespace, program: str) -> int:
    """Serve the page until it is interrupted; return the exit status."""
    watcher = open_watcher(Path(options.database), program, live=options.until_eof)
    try:
        server = WatchServer(watcher, options.port)
    except OSError as error:
        watcher.close()
        raise SettingsError(f"port {options.port}: {reason(error)}") from error
    ended = threading.Event()
    threads = [threading.Thread(target=server.serve_forever, daemon=True),
               threading.Thread(target=server.follow_match, args=(ended,), daemon=True)]
    try:
        for thread in threads:
            thread.start()
        server.announce(open_browser=not options.no_browser)
        if options.until_eof:
            for event in sys.stdin.buffer:
                watcher.take(event)
            watcher.end()
        else:
            while threads[0].is_alive():
                threads[0].join(WAKE_S)
    except KeyboardInterrupt:
        print()
    finally:
        ended.set()
        if threads[1].is_alive():
            threads[1].join()
        if options.until_eof and server.broadcaster.count:
            threading.Event().wait(_LAST_EVENTS_S)  # the pages receive the result
        server.close()
    return 0


def open_watcher(
    database: Path, program: str, *, live: bool = False, sleep: Callable[[float], None] = time.sleep
) -> Watcher:
    """Return a watcher; wait for a match that has just created its database and not started yet."""
    for number in range(round(_START_S / _POLL_S)):
        try:
            return Watcher(database, live=live)
        except NoMatchError as error:
            if not number:
                print(f"{program}: {error}; waiting {_START_S:.0f} seconds for one", file=sys.stderr)
            sleep(_POLL_S)
    return Watcher(database, live=live)


# ---------------------------------------------------------------- --watch


def check_port(port: int) -> None:
    """Raise SettingsError if a port cannot be used."""
    with socket.socket() as probe:
        take_alone(probe)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen()
        except OSError as error:
            raise SettingsError(f"--watch {port}: {reason(error)}") from error


@contextmanager
def watch_page(database: Path, port: int, live: LiveGames) -> Iterator[str]:
    """Serve the page of a match in another process while the context is active, so that it never delays the games.

    The process reads the running games from its standard input, and ends with it, even if this program is killed.

    Yields:
        The address of the page.

    Raises:
        OperationError: the process cannot serve it.
    """
    words = [*OWN_ENGINE, "watch", str(database), "--port", str(port), "--no-browser", "--until-eof"]
    # Ctrl+C does not reach it: that ends the match, which then ends the page.
    with start_group(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith(ANNOUNCEMENT):
            raise OperationError("--watch: the page cannot be served")
        ended = threading.Event()
        writer = threading.Thread(target=write_running_games, args=(live, process.stdin, ended), daemon=True)
        writer.start()
        try:
            yield line.removeprefix(ANNOUNCEMENT).strip()
        finally:
            ended.set()
            try:
                process.wait(_STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
            writer.join()
