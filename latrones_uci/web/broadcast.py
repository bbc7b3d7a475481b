"""Server-sent events for the pages: one stream for all tabs of a browser."""

import json
import threading
from collections.abc import Iterable, Iterator
from typing import Any

_KEEP_ALIVE_S = 1.0
_KEEP_ALIVE = ": keep-alive\n\n"


class Stream:
    """The events for one browser.

    For each game and kind only the latest event is kept until it is sent, so that a slow reader needs no memory.
    """

    def __init__(self) -> None:
        """Create a stream without events or games."""
        self._changed = threading.Condition()
        self._waiting: dict[tuple[str, str], Any] = {}
        self._closed = False
        self.games: frozenset[str] = frozenset()

    def put(self, game: str, kind: str, data: Any) -> None:
        """Queue ``data`` to be sent as JSON; it replaces an earlier event of this game and kind."""
        with self._changed:
            self._waiting[game, kind] = data
            self._changed.notify_all()

    def close(self) -> None:
        """Close the stream."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def blocks(self) -> Iterator[str]:
        """Yield blocks to write until the stream is closed; a comment when idle, to detect a closed connection."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._waiting, _KEEP_ALIVE_S)
                if self._closed:
                    return
                waiting, self._waiting = self._waiting, {}
            yield "".join(_block(game, kind, data) for (game, kind), data in waiting.items()) or _KEEP_ALIVE


def _block(game: str, kind: str, data: Any) -> str:
    value = {"table": game, "data": data() if callable(data) else data}
    return f"event: {kind}\ndata: {json.dumps(value, separators=(',', ':'))}\n\n"


class Broadcaster:
    """All streams, by the names that the pages chose."""

    def __init__(self) -> None:
        """Create a broadcaster without streams."""
        self._lock = threading.Lock()
        self._streams: dict[str, Stream] = {}

    @property
    def count(self) -> int:
        """The number of streams."""
        return len(self._streams)

    def open(self, name: str, most: int) -> Stream | None:
        """Open a stream, which replaces one of the same name; return None if there are ``most`` already."""
        stream = Stream()
        with self._lock:
            old = self._streams.pop(name, None)
            if len(self._streams) >= most:
                return None
            self._streams[name] = stream
        if old is not None:
            old.close()
        return stream

    def end(self, name: str, stream: Stream) -> None:
        """Remove a stream that has ended."""
        with self._lock:
            if self._streams.get(name) is stream:
                del self._streams[name]

    def follow(self, name: str, games: Iterable[str]) -> frozenset[str] | None:
        """Set the games of a stream; return the new ones among them, or None if there is no such stream."""
        with self._lock:
            stream = self._streams.get(name)
            if stream is None:
                return None
            before, stream.games = stream.games, frozenset(games)
            return stream.games - before

    def followed(self) -> frozenset[str]:
        """Return the games of all streams."""
        with self._lock:
            return frozenset().union(*(stream.games for stream in self._streams.values()))

    def show(self, game: str, kind: str, data: Any) -> None:
        """Send an event to every stream that follows a game; callable ``data`` is called when the event is written."""
        with self._lock:
            streams = [stream for stream in self._streams.values() if game in stream.games]
        for stream in streams:
            stream.put(game, kind, data)

    def close(self) -> None:
        """Close all streams."""
        with self._lock:
            streams, self._streams = list(self._streams.values()), {}
        for stream in streams:
            stream.close()
