"""Databases and servers for tests of the page that shows a match."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.game import Game
from latrones_uci.match.events import GameStarted, LiveGames
from latrones_uci.match.game import Turn
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlyRecord
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredEngine, StoredOpening
from latrones_uci.web.lib.notation import pieces_of
from latrones_uci.web.match.running import write_running_games
from latrones_uci.web.match.watch_server import Watcher, WatchServer
from match_records import MS, NAMES, SETTINGS, START, fixture

OPENINGS = [StoredOpening(0, number, START.fen()) for number in range(50)]
QUICK_POLL_S = 0.02


def write_match(path: Path, records: Sequence[GameRecord] = (), settings: TournamentSettings = SETTINGS) -> None:
    """Write a database as a runner does."""
    engines = [stored_engine(engine) for engine in settings.engines]
    with Store(path, writing=True) as store:
        store.begin(serialize(settings), engines, "2024-05-31T12:00:00Z", "test")
        store.add_openings(OPENINGS)
        for record in records:
            store.add_game(record)


def stored_engine(engine: EngineSettings) -> StoredEngine:
    name = engine.name or ""
    return StoredEngine(name, f"{name} 1.0", "me", engine.command, "00ff")


def add_games(path: Path, *records: GameRecord) -> None:
    with Store(path, writing=True) as store:
        for record in records:
            store.add_game(record)


def turn(
    plies: Sequence[PlyRecord], since_ns: int = 0, clocks_ns: tuple[int | None, int | None] = (None, 990 * MS)
) -> Turn:
    """Return a state of a game of White without a clock against Black with one."""
    return Turn(plies, len(plies), clocks_ns, since_ns)


def live_games(*games: tuple[int, Sequence[PlyRecord] | None]) -> LiveGames:
    """Return running games by their number, with their plies; None for a game that has not begun."""
    live = LiveGames()
    for number, plies in games:
        live(started(fixture(number)))
        if plies is not None:
            live.report(number, turn(plies))
    return live


def started(of: Fixture) -> GameStarted:
    return GameStarted(of, (NAMES[of.white], NAMES[of.black]), START.fen())


def men_after(plies: Iterable[PlyRecord]) -> str:
    """Return the pieces as a page has them."""
    game = Game(START)
    for ply in plies:
        game.push(ply.text)
    return pieces_of(game.position)


@contextmanager
def reporting(live: LiveGames, take: Callable[[bytes], None]) -> Iterator[None]:
    """Report running games through a pipe, as a runner does to the process of its page."""
    read, write = os.pipe()
    ended = threading.Event()

    def take_all() -> None:
        with open(read, "rb") as events:
            for event in events:
                take(event)

    threads = [threading.Thread(target=write_running_games, args=(live, os.fdopen(write, "w"), ended, QUICK_POLL_S)),
               threading.Thread(target=take_all)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


@contextmanager
def watching(path: Path, live: LiveGames | None = None) -> Iterator[WatchServer]:
    """Serve the page of a match in threads, with its running games if they are reported."""
    server = WatchServer(Watcher(path, live=live is not None))
    ended = threading.Event()
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)),
               threading.Thread(target=server.follow_match, args=(ended, QUICK_POLL_S))]
    for thread in threads:
        thread.start()
    with ExitStack() as stack:
        if live is not None:
            stack.enter_context(reporting(live, server.watcher.take))
        try:
            yield server
        finally:
            ended.set()
            threads[1].join()
            server.close()
            threads[0].join()
