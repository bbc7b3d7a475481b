"""A server of the board in the browser, for tests."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.commands.gui import gui_config
from latrones_uci.web.board.game_store import GameStore
from latrones_uci.web.board.registry import ABSENCE_S, GameRegistry
from latrones_uci.web.board.server import Server

FAKES = Path(__file__).parent / "fakes"
WAIT_S = 20.0
POLL_S = 0.005

T = TypeVar("T")


def fake_engine_words(behaviour: str = "good", after: int = 0, program: str = "fake_engine.py") -> tuple[str, ...]:
    """A fake as the command line describes it."""
    return f"cmd={sys.executable} {FAKES / program} {behaviour} {after}", "name=Fake", "depth=1"


def fake_engine(behaviour: str = "good", after: int = 0, program: str = "fake_engine.py") -> EngineSettings:
    return parse_engine(fake_engine_words(behaviour, after, program), ())


@contextmanager
def serving(
    engines: Sequence[EngineSettings] = (), absence_s: float = ABSENCE_S, games: Path | None = None
) -> Iterator[Server]:
    """Run a server in a thread, with our own engine if no others are given.

    Args:
        engines: the engines.
        absence_s: seconds after which a game that no page shows sleeps.
        games: the database that keeps the games, None to keep none.
    """
    store = None if games is None else GameStore(games)
    server = Server(GameRegistry(gui_config(engines), absence_s, store=store))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def waited(what: Callable[[], T | None], meaning: str = "") -> T:
    """Return the value of ``what()`` as soon as it is true."""
    deadline = time.monotonic() + WAIT_S
    while not (value := what()):
        assert time.monotonic() < deadline, meaning or what
        time.sleep(POLL_S)
    return value
