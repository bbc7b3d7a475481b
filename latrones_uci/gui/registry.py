"""All tables of a server, and who still looks at them."""

import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from latrones_uci.gui.broadcast import Broadcaster
from latrones_uci.gui.config import GuiConfig, RefusedError, parse_game
from latrones_uci.gui.live_game import LiveGame
from latrones_uci.gui.state import render_state

MOST_TABLES = 64
ABSENCE_S = 10.0
_LOOK_S = 0.5
_NO_TABLE = "this game is not here any more"


class GameRegistry:
    """Tables by name.

    A table at which nobody has looked for ``absence_s`` seconds sleeps: its engines are ended and its clocks stand,
    until somebody looks again. The one that has slept longest is given up when a new one needs its place.
    """

    def __init__(self, config: GuiConfig, absence_s: float = ABSENCE_S, clock: Callable[[], float] = time.monotonic) -> None:
        """Opens with no table, and watches over who is there."""
        self.config, self.broadcaster = config, Broadcaster()
        self._absence_s, self._clock = absence_s, clock
        self._lock = threading.Lock()
        self._tables: dict[str, LiveGame] = {}
        self._seen: dict[str, float] = {}
        self._asleep: set[str] = set()
        self._closing = threading.Event()
        self._watch = threading.Thread(target=self._watch_over, name="watch", daemon=True)
        self._watch.start()

    def create(self, data: Any) -> LiveGame:
        """A new table for the game that ``data`` describes (see ``parse_game``).

        Raises:
            RefusedError: it cannot be played, or all tables are taken.
        """
        settings = parse_game(data, self.config)
        with self._lock:
            if len(self._tables) >= MOST_TABLES:
                if not self._asleep:
                    raise RefusedError(f"all {MOST_TABLES} tables are taken")
                oldest = min(self._asleep, key=self._seen.__getitem__)
                self._asleep.discard(oldest)
                del self._tables[oldest], self._seen[oldest]
            name = secrets.token_urlsafe(9)
            table = self._tables[name] = LiveGame(name, settings, self.config, self._show)
            self._seen[name] = self._clock()
        table.wake()
        return table

    def find(self, name: Any) -> LiveGame:
        """A table by its name.

        Raises:
            RefusedError: there is none.
        """
        with self._lock:
            table = self._tables.get(name) if isinstance(name, str) else None
        if table is None:
            raise RefusedError(_NO_TABLE)
        return table

    def follow(self, stream: str, names: Iterable[str], fresh: Iterable[str] = ()) -> None:
        """Lets a stream tell of these tables alone; of each one new to it the state is sent at once.

        Args:
            stream: its name.
            names: the tables.
            fresh: those of them to which a new page has come, so that the state is sent again.

        Raises:
            RefusedError: there is no such stream.
        """
        added = self.broadcaster.follow(stream, names)
        if added is None:
            raise RefusedError("there is no such stream")
        for name in sorted(added | self.broadcaster.followed().intersection(fresh)):
            try:
                table = self.find(name)
            except RefusedError:
                self.broadcaster.show(name, "gone", None)
                continue
            with self._lock:
                self._seen[name] = self._clock()
                self._asleep.discard(name)
            table.wake()
            table.show_state()

    def look(self) -> None:
        """Sees who is there, and puts to sleep what nobody looks at."""
        now, followed = self._clock(), self.broadcaster.followed()
        left: list[LiveGame] = []
        with self._lock:
            for name, table in self._tables.items():
                if name in followed:
                    self._seen[name] = now
                elif name not in self._asleep and now - self._seen[name] >= self._absence_s:
                    self._asleep.add(name)
                    left.append(table)
        for table in left:
            table.sleep()

    def close(self) -> None:
        """Ends all streams and engines."""
        self._closing.set()
        self.broadcaster.close()
        self._watch.join()
        with self._lock:
            tables = list(self._tables.values())
        for table in tables:
            table.sleep(wait=True)

    def _watch_over(self) -> None:
        while not self._closing.wait(_LOOK_S):
            self.look()

    def _show(self, name: str, kind: str, data: Any) -> None:
        if kind == "state":  # written out only when a stream is ready for it
            table = self._tables.get(name)
            if table is None:
                return
            self.broadcaster.show(name, kind, lambda: render_state(table, self.config))
        else:
            self.broadcaster.show(name, kind, data)
