"""An HTTP server for a page on this machine only, and its event streams: one for all tabs of a browser.

Every path must begin with a random token. ``Host`` must be the server's address, and so must ``Origin`` if the browser
sends it, so that pages of other sites have no access, even if their host name resolves to this machine.
"""

import hmac
import itertools
import json
import secrets
import select
import socket
import sys
import threading
import webbrowser
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from latrones_uci.text.messages import quoted
from latrones_uci.text.ports import take_alone
from latrones_uci.web.lib.markup import read_asset, read_theme

_BEAT_S = 1.0
_BEAT = "event: beat\ndata: {}\n\n"
"""Sent when idle: a page without it knows that the server hangs, and a failed write shows that the page is gone."""
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
        self._lock = threading.Lock()
        self._streams: dict[str, Stream] = {}

    @property
    def count(self) -> int:
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
        with self._lock:
            return frozenset().union(*(stream.games for stream in self._streams.values()))

    def show(self, game: str, kind: str, data: Any) -> None:
        """Send an event to every stream that follows a game; callable ``data`` is called when the event is written."""
        with self._lock:
            streams = [stream for stream in self._streams.values() if game in stream.games]
        for stream in streams:
            stream.put(game, kind, data)

    def close(self) -> None:
        with self._lock:
            streams, self._streams = list(self._streams.values()), {}
        for stream in streams:
            stream.close()


LOOPBACK = "127.0.0.1"
ANNOUNCEMENT = "Serving at "
MAX_BODY = 2**20
_MAX_PATH = 4096
_MAX_NAME = 64
_MAX_WORDS = 10
_MAX_CONNECTIONS = 64
_MAX_STREAMS = 16
_REQUEST_TIMEOUT_S = 20.0
_POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
           "trusted-types 'none'")
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class RefusedError(Exception):
    """A rejected client request, which has changed nothing. The page shows the message, which is one line."""


@dataclass(frozen=True)
class Answer:
    content_type: str
    body: bytes | Iterator[bytes]
    """The bytes; or an iterator over the parts of an answer that is sent while it is made."""
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(value: Any) -> Answer:
    return Answer("application/json", json.dumps(value, separators=(",", ":")).encode())


def svg_answer(drawing: str) -> Answer:
    return Answer("image/svg+xml; charset=utf-8", drawing.encode())


def pgn_answer(games: str | Iterable[str], name: str = "game.pgn") -> Answer:
    """Return PGN as a file to save; games one by one are sent while they are made."""
    body = games.encode() if isinstance(games, str) else (game.encode() for game in games)
    return Answer("application/x-chess-pgn; charset=utf-8", body,
                  {"Content-Disposition": f'attachment; filename="{name}"'})


class PageServer(ThreadingHTTPServer):
    """Serves a page, its files, its data and its event streams on the loopback interface.

    A subclass says what it serves; the checks of requests are the same for all.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = _MAX_CONNECTIONS
    allow_reuse_address = False
    files: frozenset[str] = frozenset()
    """The files that are served, as FOLDER/NAME in the package; the page itself is ``page``."""
    page = ""
    """The file at the root, empty for none."""
    command = "latrones-uci"

    def __init__(self, broadcaster: Broadcaster, port: int = 0, token: str | None = None) -> None:
        """Bind the port; 0 chooses a free one. ``token`` is that of an earlier server, None for a new one.

        Raises:
            OSError: the port is not available.
        """
        super().__init__((LOOPBACK, port), _Handler)
        self.broadcaster, self.token = broadcaster, token or secrets.token_urlsafe(24)
        """The first part of every path."""
        self._slots = threading.BoundedSemaphore(_MAX_CONNECTIONS)

    # ---------------------------------------------------------------- what a page serves

    @abstractmethod
    def get(self, path: str, query: Mapping[str, str]) -> Answer | None:
        """Return the answer to a GET request that names no file; None if there is nothing at this path.

        Raises:
            RefusedError: there is no such object.
        """

    @abstractmethod
    def do(self, data: Any) -> dict[str, Any]:
        """Carry out a command, which the page sent as JSON, and return the answer.

        Raises:
            RefusedError: the command is invalid or cannot be carried out now.
        """

    @abstractmethod
    def follow(self, stream: str, tables: Iterable[str]) -> None:
        """Send the events of these tables to a stream, which has just been opened, beginning with their state."""

    # ---------------------------------------------------------------- connections

    def server_bind(self) -> None:
        take_alone(self.socket)
        super().server_bind()

    @property
    def hosts(self) -> frozenset[str]:
        """The allowed values of ``Host``."""
        return frozenset(f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost"))

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    def announce(self, *, open_browser: bool) -> None:
        """Print the address of the page, and open it in the browser if asked to."""
        print(f"{ANNOUNCEMENT}{self.url}\nStop with Ctrl+C.", flush=True)
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(self.url,), daemon=True).start()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, or close it if there are too many."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection, then release its slot."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore lost connections; print other errors."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        self.shutdown()
        self.broadcaster.close()
        self.server_close()


class _RefusalError(Exception):
    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "latrones-uci", ""
    timeout = _REQUEST_TIMEOUT_S
    disable_nagle_algorithm = True  # otherwise a body that follows its header waits 40 ms for the acknowledgement

    @property
    def _server(self) -> PageServer:
        return cast(PageServer, self.server)

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer in plain text what the base class rejects, such as a method other than GET and POST."""
        self.close_connection = True
        status, text, more = HTTPStatus(code), message or HTTPStatus(code).phrase, dict[str, str]()
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status, more = HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, POST"}
            text = f"method {self.command[:_MAX_NAME]!r}: expected GET or POST"
        body = text.encode()
        self._send_head(status, "text/plain; charset=utf-8", {"Content-Length": str(len(body)), **more})
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because paths contain the token."""

    def _answer(self, serve: Callable[[str, dict[str, str]], None]) -> None:
        try:
            path, query = self._checked_path()
            serve(path, query)
        except _RefusalError as refusal:
            self.close_connection = True  # the body of the request, if any, has not been read
            self._send(refusal.status, Answer("text/plain; charset=utf-8", str(refusal).encode()))

    def _checked_path(self) -> tuple[str, dict[str, str]]:
        """Check host, origin and token; return the path after the token, and the query."""
        own = self._server.hosts
        hosts, origins = self.headers.get_all("Host") or [], self.headers.get_all("Origin") or []
        if len(hosts) != 1 or hosts[0] not in own:
            raise _RefusalError(HTTPStatus.MISDIRECTED_REQUEST, "unknown host")
        if any(origin != f"http://{hosts[0]}" for origin in origins) or self.command == "POST" and len(origins) != 1:
            raise _RefusalError(HTTPStatus.FORBIDDEN, "cross-site request rejected")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise _RefusalError(HTTPStatus.FORBIDDEN, "cross-site request rejected")
        if len(self.path) > _MAX_PATH:
            raise _RefusalError(HTTPStatus.REQUEST_URI_TOO_LONG, "address too long")
        try:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query, max_num_fields=_MAX_WORDS)
        except ValueError as error:
            raise _RefusalError(HTTPStatus.BAD_REQUEST, "invalid address") from error
        nothing, token, rest = [*parts.path.split("/", 2), "", ""][:3]
        if nothing or parts.path.count("/") < 2 or not hmac.compare_digest(token.encode(), self._server.token.encode()):
            said = f"not found: use the whole address that {self._server.command} printed"
            raise _RefusalError(HTTPStatus.NOT_FOUND, said)
        return rest, {key: values[0] for key, values in query.items()}

    def _get(self, path: str, query: dict[str, str]) -> None:
        if path == "events":
            self._serve_stream(query.get("stream", ""), query.get("tables", "").split(","))
        elif (name := path or self._server.page) in self._server.files:
            self._send(HTTPStatus.OK, asset(name))
        else:
            try:
                answer = self._server.get(path, query)
            except RefusedError as error:
                raise _RefusalError(HTTPStatus.NOT_FOUND, str(error)) from error
            if answer is None:
                raise _RefusalError(HTTPStatus.NOT_FOUND, "not found")
            self._send(HTTPStatus.OK, answer)

    def _post(self, path: str, query: dict[str, str]) -> None:
        if path != "do":
            raise _RefusalError(HTTPStatus.NOT_FOUND, "not found")
        if self.headers.get_content_type() != "application/json":
            raise _RefusalError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or self.headers.get("Transfer-Encoding"):
            raise _RefusalError(HTTPStatus.LENGTH_REQUIRED, "Content-Length required")
        if len(length) > 9 or int(length) > MAX_BODY:
            raise _RefusalError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"body longer than {MAX_BODY} bytes")
        try:
            data = json.loads(self.rfile.read(int(length)))
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            found = quoted(error.object[error.start : error.end])
            raise _RefusalError(HTTPStatus.BAD_REQUEST, f"invalid text: {found} is half a character") from error
        except (ValueError, RecursionError) as error:
            raise _RefusalError(HTTPStatus.BAD_REQUEST, "invalid JSON") from error
        try:
            answer = self._server.do(data)
        except RefusedError as error:
            answer = {"error": str(error)}
        self._send(HTTPStatus.OK, json_answer(answer))

    def _serve_stream(self, name: str, tables: Iterable[str]) -> None:
        if not 0 < len(name) <= _MAX_NAME:
            raise _RefusalError(HTTPStatus.BAD_REQUEST, f"stream: expected a name of 1..{_MAX_NAME} characters")
        broadcaster = self._server.broadcaster
        stream = broadcaster.open(name, _MAX_STREAMS)
        if stream is None:
            raise _RefusalError(HTTPStatus.SERVICE_UNAVAILABLE, f"This page is open in {_MAX_STREAMS} browsers, the"
                                " most at a time; close it in one of them.")
        self.close_connection = True
        try:
            self._send_head(HTTPStatus.OK, "text/event-stream; charset=utf-8", {"Connection": "close"})
            self._server.follow(name, (table for table in tables if table))
            for block in stream.blocks():
                if _is_closed(self.connection):
                    return
                self.wfile.write(block.encode())
        except (ConnectionError, TimeoutError):
            pass  # the browser has closed the connection
        finally:
            broadcaster.end(name, stream)

    def _send(self, status: HTTPStatus, answer: Answer) -> None:
        if isinstance(answer.body, bytes):
            self._send_head(status, answer.content_type, {"Content-Length": str(len(answer.body)), **answer.headers})
            self.wfile.write(answer.body)
            return
        self._send_head(status, answer.content_type, {"Transfer-Encoding": "chunked", **answer.headers})
        for part in answer.body:
            if part:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def _send_head(self, status: HTTPStatus, content_type: str, more: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in {"Content-Type": content_type, **_HEADERS, **more}.items():
            self.send_header(key, value)
        if self.close_connection and "Connection" not in more:
            self.send_header("Connection", "close")
        self.end_headers()


def _is_closed(connection: socket.socket) -> bool:
    """Return whether the other side has closed a connection on which it sends nothing more."""
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and not connection.recv(1, socket.MSG_PEEK)


# ---------------------------------------------------------------- assets

SHARED_FILES = frozenset({"lib/base.css", "lib/display.js", "lib/dom.js", "lib/ground.js", "lib/tabs.js"})
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}


@cache
def asset(name: str) -> Answer:
    """Return a file of the package for a page; the style that reports have, too, comes before ``lib/base.css``."""
    text = f"{read_theme() if name == 'lib/base.css' else ''}{read_asset(name)}"
    return Answer(f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8", text.encode())
