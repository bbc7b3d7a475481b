"""A server of the board in the browser, and its games without one, for tests."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.commands.gui import gui_config
from latrones_uci.web.board.config import GuiConfig, parse_game
from latrones_uci.web.board.game_store import GameStore
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.registry import ABSENCE_S, GameRegistry
from latrones_uci.web.board.server import Server

FAKES = Path(__file__).parent / "fakes"
WAIT_S = 60.0
POLL_S = 0.005
PERSON = {"kind": "person"}
ENGINE = {"kind": "engine", "limit": "depth", "depth": 1}
PEOPLE = {"variant": "latrones", "size": "6x6", "players": [PERSON, PERSON]}  # a game, as a page requests it

T = TypeVar("T")
NewGame = Callable[..., LiveGame]


def fake_engine_words(behaviour: str = "good", after: int = 0, program: str = "fake_engine.py") -> tuple[str, ...]:
    """A fake as the command line describes it."""
    return f"cmd={sys.executable} {FAKES / program} {behaviour} {after}", "name=Fake", "depth=1"


def fake_engine(behaviour: str = "good", after: int = 0, program: str = "fake_engine.py") -> EngineSettings:
    return parse_engine(fake_engine_words(behaviour, after, program), ())


def fakes(*behaviours: str) -> GuiConfig:
    """Return the configuration with fakes as engines, by default a good one."""
    return gui_config([fake_engine(behaviour) for behaviour in behaviours or ("good",)])


@contextmanager
def serving(
    engines: Sequence[EngineSettings] = (), absence_s: float = ABSENCE_S, games: Path | None = None,
    files: Sequence[Path] = (),
) -> Iterator[Server]:
    """Run a server in a thread, with our own engine if no others are given.

    Args:
        engines: the engines.
        absence_s: seconds after which a game that no page shows sleeps.
        games: the database that keeps the games, None to keep none.
        files: files of games for the opening explorer.
    """
    store = None if games is None else GameStore(games)
    server = Server(GameRegistry(gui_config(engines), absence_s, store=store, files=files))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


@contextmanager
def starting_games() -> Iterator[NewGame]:
    """Yield a function that starts games without a server, which are closed at the end.

    Its arguments are the players, and as keywords the configuration ``engines`` (by default a fake), a list ``shown``
    for what a page would be shown, and fields of the game.
    """
    made: list[LiveGame] = []

    def new_game(white: dict[str, Any] = PERSON, black: dict[str, Any] = PERSON, engines: GuiConfig | None = None,
                 shown: list[tuple[str, Any]] | None = None, **more: Any) -> LiveGame:
        config = engines or fakes()

        def show(name: str, kind: str, data: Any) -> None:
            if shown is not None:
                shown.append((kind, data))

        made.append(LiveGame("a", parse_game({**PEOPLE, "players": [white, black], **more}, config), config, show))
        made[-1].wake()
        return made[-1]

    yield new_game
    for each in made:
        each.sleep(wait=True)


def waited(what: Callable[[], T | None], meaning: str = "") -> T:
    deadline = time.monotonic() + WAIT_S
    while not (value := what()):
        assert time.monotonic() < deadline, meaning or what
        time.sleep(POLL_S)
    return value
