"""The games of a server, and which games a page still shows."""

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from latrones_uci.text.clock import now_s
from latrones_uci.web.board.config import GuiConfig, parse_game
from latrones_uci.web.board.explorer import Explorer
from latrones_uci.web.board.game_store import GameStore, KeptGame
from latrones_uci.web.board.kept_games import Imported, PgnImport, kept_of, render_kept_pgn, restore
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.state import render_state
from latrones_uci.web.lib.page_server import Broadcaster, RefusedError, Whole

MAX_GAMES = 64
ABSENCE_S = 10.0
_MAX_IMPORTS = 8  # that have not ended
_NO_GAME = "this game is no longer available"


class GameRegistry:
    """Games by name. What cannot be done, because there is no such game or no room, raises ``RefusedError``.

    A game that no page has shown for ``absence_s`` seconds sleeps: its engines and clocks are stopped until a page
    shows it again. If there is no room for a new game, the game that has slept longest is deleted.
    """

    def __init__(
        self, config: GuiConfig, absence_s: float = ABSENCE_S, clock: Callable[[], float] = now_s,
        store: GameStore | None = None, files: Sequence[Path] = (), poll_s: float = 0.5,
    ) -> None:
        """Create a registry that keeps its games in ``store`` and looks for unwatched ones every ``poll_s`` seconds.

        The moves of PGN ``files`` and databases of matches are counted, besides those of the kept games.

        Raises:
            SettingsError: a file cannot be read.
        """
        self.config, self.broadcaster, self.store = config, Broadcaster(), store
        self.explorer = Explorer(config, store, files)
        self._absence_s, self._poll_s, self._clock = absence_s, poll_s, clock
        self._presence = threading.Lock()  # held while games fall asleep or wake, so that no page shows a sleeping one
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._games: dict[str, LiveGame] = {}
        self._imports: dict[str, PgnImport] = {}
        self._seen: dict[str, float] = {}
        self._asleep: set[str] = set()
        self._closing = threading.Event()
        if store is not None:
            store.on_problem(self._tell_problem)
        self._watcher = threading.Thread(target=self._watch_games, name="watch", daemon=True)
        self._watcher.start()

    def create(self, data: Any) -> LiveGame:
        """Start a new game with the settings in ``data`` (see ``parse_game``)."""
        settings = parse_game(data, self.config)
        with self._lock:
            if len(self._games) >= MAX_GAMES:
                if not self._asleep:
                    raise RefusedError(f"all {MAX_GAMES} games are in use")
                oldest = min(self._asleep, key=self._seen.__getitem__)
                self._asleep.discard(oldest)
                del self._games[oldest], self._seen[oldest]
            name = secrets.token_urlsafe(9)
            live = self._games[name] = LiveGame(name, settings, self.config, self._show, self._keep)
            self._seen[name] = self._clock()
        live.wake()
        return live

    def find(self, name: Any) -> LiveGame:
        with self._lock:
            live = self._games.get(name) if isinstance(name, str) else None
        if live is None:
            raise RefusedError(_NO_GAME)
        return live

    def open(self, name: Any, record: Any) -> str:
        """Show a kept game, and return its table: a different table if a page already shows the game there."""
        live = self.find(name)
        with self._opening:  # or two tables could show one kept game, and both would keep it
            with self._lock:
                shown = next((one for one in self._games.values() if one.record == record), None)
            if shown is not None:
                return shown.name
            restore(live, self.kept_game(record), self.config)
        return live.name

    # ---------------------------------------------------------------- kept games

    @property
    def kept(self) -> GameStore:
        if self.store is None:
            raise RefusedError("no games are kept; start without --no-games")
        return self.store

    def kept_game(self, record: Any) -> KeptGame:
        kept = self.store.find(record) if self.store is not None and isinstance(record, str) else None
        if kept is None:
            raise RefusedError("this game is not kept here")
        return kept

    def delete(self, records: Sequence[str]) -> int:
        """Delete kept games, except those that a page shows, and return how many were deleted."""
        with self._lock:
            shown = {live.record for live in self._games.values()}
        hidden = [record for record in records if record not in shown]
        if records and not hidden:
            raise RefusedError("a page shows this game; open another one there first")
        if not (deleted := self.kept.delete(hidden)):
            raise RefusedError("this game is not kept here")
        return deleted

    def delete_found(self, search: str, count: int) -> int:
        """Delete all ``count`` games that match a search, except those that a page shows; return how many."""
        records = self.kept.records(search)
        if len(records) != count:
            raise RefusedError(f"the list has changed: there are {len(records)} games now, not {count}")
        return self.delete(records)

    def import_games(self, text: str, key: str = "", *, first: bool = True, last: bool = True) -> Imported:
        """Keep the games of a PGN text, which may come in parts: those of one text have the same ``key``."""
        store = self.kept
        with self._lock:
            reader = self._imports.pop(key, None)
            if first:
                reader = PgnImport(self.config, lambda record: store.find(record) is not None)
            if reader is None:
                raise RefusedError("the server no longer has the beginning of this import; import the file again")
        found = reader.read(text, last=last)
        if not last:
            with self._lock:
                self._imports[key] = reader
                for oldest in list(self._imports)[:-_MAX_IMPORTS]:
                    del self._imports[oldest]
        store.save(*found.games)
        store.flush()
        return found

    def export_games(self, records: Iterable[str]) -> Iterator[str]:
        """Yield kept games as PGN, one by one; a game that cannot be replayed is a comment that says why."""
        for kept in self.kept.find_all(records):
            try:
                yield render_kept_pgn(kept, self.config)
            except RefusedError as error:
                named = kept.name or " \u2013 ".join(kept.players)
                yield f"; not saved: {named} ({kept.date}): {error}\n\n"

    def follow(self, stream: str, names: Iterable[str], fresh: Iterable[str] = ()) -> None:
        """Set the games of a stream; the state of new ones, and of ``fresh`` ones that a new page shows, is sent."""
        added = self.broadcaster.follow(stream, names)
        if added is None:
            raise RefusedError("unknown stream")
        for name in sorted(added | self.broadcaster.followed().intersection(fresh)):
            with self._presence:
                with self._lock:
                    live = self._games.get(name)
                    if live is not None:
                        self._seen[name] = self._clock()
                        self._asleep.discard(name)
                if live is not None:
                    live.wake()
            if live is None:
                self.broadcaster.show(name, "gone", None)
            else:
                live.show_state()
                self._show_problem(name)

    def check_presence(self) -> None:
        """Put the games to sleep that no page has shown for ``absence_s`` seconds."""
        with self._presence:
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
        self._closing.set()
        self.broadcaster.close()
        self._watcher.join()
        with self._lock:
            games = list(self._games.values())
        for live in games:
            live.sleep(wait=True)
        self.config.catalog.close()
        self.explorer.close()
        if self.store is not None:
            self.store.close()

    def _watch_games(self) -> None:
        while not self._closing.wait(self._poll_s):
            self.check_presence()

    def _keep(self, live: LiveGame) -> None:
        if self.store is not None and live.begun:
            self.store.save(kept_of(live, self.config))

    def _tell_problem(self) -> None:
        with self._lock:
            names = list(self._games)
        for name in names:
            self._show_problem(name)

    def _show_problem(self, name: str) -> None:
        if self.store is not None:
            self.broadcaster.show(name, "unsaved", self.store.problem)

    def _show(self, name: str, kind: str, data: Any) -> None:
        if kind == "state":  # rendered only when a stream is ready to send it
            live = self._games.get(name)
            if live is None:
                return
            self.broadcaster.show(name, kind, Whole(lambda: render_state(live, self.config), anew=data == "anew"))
        else:
            self.broadcaster.show(name, kind, data)
