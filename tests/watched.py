"""Databases and servers for tests of the page that shows a match."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.match.events import GameStarted, LiveGames
from latrones_uci.match.game import Turn
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlyRecord
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredEngine, StoredOpening
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


@contextmanager
def watching(path: Path) -> Iterator[WatchServer]:
    """Serve the page of a match in threads."""
    server = WatchServer(Watcher(path))
    ended = threading.Event()
    threads = [threading.Thread(target=server.serve_forever, args=(0.01,)),
               threading.Thread(target=server.follow_match, args=(ended, QUICK_POLL_S))]
    for thread in threads:
        thread.start()
    try:
        yield server
    finally:
        ended.set()
        threads[1].join()
        server.close()
        threads[0].join()
