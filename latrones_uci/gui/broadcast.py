"""What is shown to pages, as server-sent events: one stream for all the tabs of a browser."""

import json
import threading
from collections.abc import Iterable, Iterator
from typing import Any

_KEEP_ALIVE_S = 1.0
_STILL_HERE = ": still here\n\n"


class Stream:
    """The events for one browser.

    Of each table and kind only the latest is kept until it is sent, so that a slow reader costs no memory.
    """

    def __init__(self) -> None:
        """Begins with nothing to send, and no tables."""
        self._changed = threading.Condition()
        self._waiting: dict[tuple[str, str], Any] = {}
        self._closed = False
        self.tables: frozenset[str] = frozenset()

    def put(self, table: str, kind: str, data: Any) -> None:
        """Sends ``data``, to be written as JSON, in place of an older one that has not been sent yet."""
        with self._changed:
            self._waiting[table, kind] = data
            self._changed.notify_all()

    def close(self) -> None:
        """Ends the stream."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def blocks(self) -> Iterator[str]:
        """What to write, block by block, until the stream is closed; at times a comment, to notice a lost reader."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._waiting, _KEEP_ALIVE_S)
                if self._closed:
                    return
                waiting, self._waiting = self._waiting, {}
            yield "".join(_block(table, kind, data) for (table, kind), data in waiting.items()) or _STILL_HERE


def _block(table: str, kind: str, data: Any) -> str:
    value = {"table": table, "data": data() if callable(data) else data}
    return f"event: {kind}\ndata: {json.dumps(value, separators=(',', ':'))}\n\n"


class Broadcaster:
    """All streams, by names that their readers chose."""

    def __init__(self) -> None:
        """Begins without streams."""
        self._lock = threading.Lock()
        self._streams: dict[str, Stream] = {}

    @property
    def count(self) -> int:
        """How many streams there are."""
        return len(self._streams)

    def open(self, name: str, most: int) -> Stream | None:
        """A new stream in place of one of that name; None if there are ``most`` already."""
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
        """Forgets a stream that has ended."""
        with self._lock:
            if self._streams.get(name) is stream:
                del self._streams[name]

    def follow(self, name: str, tables: Iterable[str]) -> frozenset[str] | None:
        """Sets which tables a stream tells of; those that it did not before, or None if there is no such stream."""
        with self._lock:
            stream = self._streams.get(name)
            if stream is None:
                return None
            before, stream.tables = stream.tables, frozenset(tables)
            return stream.tables - before

    def followed(self) -> frozenset[str]:
        """The tables of all streams."""
        with self._lock:
            return frozenset().union(*(stream.tables for stream in self._streams.values()))

    def show(self, table: str, kind: str, data: Any) -> None:
        """Sends to every stream that follows a table. ``data`` is called, if it can be, when it is written."""
        with self._lock:
            streams = [stream for stream in self._streams.values() if table in stream.tables]
        for stream in streams:
            stream.put(table, kind, data)

    def close(self) -> None:
        """Ends all streams."""
        with self._lock:
            streams, self._streams = list(self._streams.values()), {}
        for stream in streams:
            stream.close()
