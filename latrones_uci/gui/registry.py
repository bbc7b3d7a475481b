"""The games of a server, and which of them a page still shows."""

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from latrones_uci.gui.config import GuiConfig, parse_game
from latrones_uci.gui.live_game import LiveGame
from latrones_uci.gui.state import render_state
from latrones_uci.web.broadcast import Broadcaster
from latrones_uci.web.page_server import RefusedError

MOST_GAMES = 64
ABSENCE_S = 10.0
_POLL_S = 0.5
_NO_GAME = "this game is no longer available"


class GameRegistry:
    """Games by name.

    A game that no page has shown for ``absence_s`` seconds sleeps: its engines and clocks are stopped until a page
    shows it again. If there is no room for a new game, the one that has slept longest is deleted.
    """

    def __init__(
        self, config: GuiConfig, absence_s: float = ABSENCE_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Create a registry without games, and start the thread that puts unwatched games to sleep."""
        self.config, self.broadcaster = config, Broadcaster()
        self._absence_s, self._clock = absence_s, clock
        self._lock = threading.Lock()
        self._games: dict[str, LiveGame] = {}
        self._seen: dict[str, float] = {}
        self._asleep: set[str] = set()
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch_games, name="watch", daemon=True)
        self._watcher.start()

    def create(self, data: Any) -> LiveGame:
        """Start a new game with the settings in ``data`` (see ``parse_game``).

        Raises:
            RefusedError: the settings are invalid, or there are too many games.
        """
        settings = parse_game(data, self.config)
        with self._lock:
            if len(self._games) >= MOST_GAMES:
                if not self._asleep:
                    raise RefusedError(f"all {MOST_GAMES} games are in use")
                oldest = min(self._asleep, key=self._seen.__getitem__)
                self._asleep.discard(oldest)
                del self._games[oldest], self._seen[oldest]
            name = secrets.token_urlsafe(9)
            live = self._games[name] = LiveGame(name, settings, self.config, self._show)
            self._seen[name] = self._clock()
        live.wake()
        return live

    def find(self, name: Any) -> LiveGame:
        """Return a game by its name.

        Raises:
            RefusedError: there is no such game.
        """
        with self._lock:
            live = self._games.get(name) if isinstance(name, str) else None
        if live is None:
            raise RefusedError(_NO_GAME)
        return live

    def follow(self, stream: str, names: Iterable[str], fresh: Iterable[str] = ()) -> None:
        """Set the games of a stream; the state of each new one is sent at once.

        Args:
            stream: the name of the stream.
            names: the names of the games.
            fresh: those of them that a new page shows, so that their state is sent again.

        Raises:
            RefusedError: there is no such stream.
        """
        added = self.broadcaster.follow(stream, names)
        if added is None:
            raise RefusedError("unknown stream")
        for name in sorted(added | self.broadcaster.followed().intersection(fresh)):
            try:
                live = self.find(name)
            except RefusedError:
                self.broadcaster.show(name, "gone", None)
                continue
            with self._lock:
                self._seen[name] = self._clock()
                self._asleep.discard(name)
            live.wake()
            live.show_state()

    def check_presence(self) -> None:
        """Put the games to sleep that no page has shown for ``absence_s`` seconds."""
        now, followed = self._clock(), self.broadcaster.followed()
        unwatched: list[LiveGame] = []
        with self._lock:
            for name, live in self._games.items():
                if name in followed:
                    self._seen[name] = now
                elif name not in self._asleep and now - self._seen[name] >= self._absence_s:
                    self._asleep.add(name)
                    unwatched.append(live)
        for live in unwatched:
            live.sleep()

    def close(self) -> None:
        """Close all streams and engines."""
        self._closing.set()
        self.broadcaster.close()
        self._watcher.join()
        with self._lock:
            games = list(self._games.values())
        for live in games:
            live.sleep(wait=True)

    def _watch_games(self) -> None:
        while not self._closing.wait(_POLL_S):
            self.check_presence()

    def _show(self, name: str, kind: str, data: Any) -> None:
        if kind == "state":  # rendered only when a stream is ready to send it
            live = self._games.get(name)
            if live is None:
                return
            self.broadcaster.show(name, kind, lambda: render_state(live, self.config))
        else:
            self.broadcaster.show(name, kind, data)
