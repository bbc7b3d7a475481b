"""Server-sent events for the pages: one stream for all tabs of a browser."""

import itertools
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_BEAT_S = 1.0
_BEAT = "event: beat\ndata: {}\n\n"
"""Sent when idle: its absence tells a page that the server hangs, and a failed write tells us that the page is gone."""
_serials = itertools.count(1)


@dataclass(frozen=True)
class Whole:
    """An event of which each stream receives the whole value once, and then what has changed."""

    render: Callable[[], dict[str, Any]]
    """Returns the value, whose keys are strings; called when the event is written."""
    anew: bool = False
    """Whether every stream receives the whole value again, because a new page shows it."""


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what has changed: ``set`` has new values, and ``tails`` the lists of which only the end is new.

    A tail is the number of elements that stay, and those that follow. Keys are never removed.
    """
    new = {key: value for key, value in after.items() if key not in before or before[key] != value}
    tails = {}
    for key, value in list(new.items()):
        old = before.get(key)
        if isinstance(value, list) and isinstance(old, list):
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, value, strict=False)))
            if same:
                tails[key] = [same, value[same:]]
                del new[key]
    return {"set": new, "tails": tails}


class Stream:
    """The events for one browser.

    For each game and kind only the latest event is kept until it is sent, so that a slow reader needs no memory.
    """

    def __init__(self) -> None:
        """Create a stream without events or games."""
        self._changed = threading.Condition()
        self._waiting: dict[tuple[str, str], Any] = {}
        self._sent: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
        self._closed = False
        self.games: frozenset[str] = frozenset()

    def put(self, game: str, kind: str, data: Any) -> None:
        """Queue ``data`` to be sent as JSON; it replaces an earlier event of this game and kind."""
        with self._changed:
            if isinstance(data, Whole) and data.anew:
                self._sent.pop((game, kind), None)
            self._waiting[game, kind] = data
            self._changed.notify_all()

    def forget(self, games: Iterable[str]) -> None:
        """Forget what was sent of games that are no longer followed."""
        with self._changed:
            gone = set(games)
            self._sent = {key: sent for key, sent in self._sent.items() if key[0] not in gone}

    def close(self) -> None:
        """Close the stream."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def blocks(self) -> Iterator[str]:
        """Yield blocks to write until the stream is closed, at least one each second."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._waiting, _BEAT_S)
                if self._closed:
                    return
                waiting, self._waiting = self._waiting, {}
            yield "".join(_block(*key, self._news(key, data)) for key, data in waiting.items()) or _BEAT

    def _news(self, key: tuple[str, str], data: Any) -> Any:
        """Return the data to send: a whole value is numbered, and a later one is what has changed since its number."""
        if not isinstance(data, Whole):
            return data() if callable(data) else data
        value, serial = data.render(), next(_serials)
        with self._changed:
            after, before = self._sent.get(key, (None, {}))
            self._sent[key] = serial, value
        if after is None:
            return {**value, "serial": serial}
        return {"serial": serial, "after": after, **changes(before, value)}


def _block(game: str, kind: str, data: Any) -> str:
    value = {"table": game, "data": data}
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
            stream.forget(before - stream.games)
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
