"""Requests like those of a page, for tests of servers without a browser."""

from __future__ import annotations

import http.client
import json
import socket
import time
from typing import Any, NamedTuple

from latrones_uci.web.lib.page_server import PageServer


class Address(NamedTuple):
    """That of a server in another process."""

    server_port: int
    token: str


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(server: PageServer | Address, method: str, path: str, body: bytes | None = None, token: str | None = None,
        **headers: str | None) -> Answer:
    """Send a request like those of the page, with changed headers; a header that is None is omitted."""
    own = {"Host": f"127.0.0.1:{server.server_port}"}
    if method == "POST":
        own |= {"Origin": f"http://127.0.0.1:{server.server_port}", "Content-Type": "application/json",
                "Content-Length": str(len(body or b""))}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.putrequest(method, f"/{server.token if token is None else token}/{path}", skip_host=True)
    for name, value in (own | {key.replace("_", "-"): value for key, value in headers.items()}).items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body)
    try:
        return Answer(connection.getresponse())
    finally:
        connection.close()


def do(server: PageServer, **command: object) -> Answer:
    return ask(server, "POST", "do", json.dumps(command).encode())


class Events:
    def __init__(self, server: PageServer | Address, name: str, tables: str = "") -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
        self._socket.sendall(f"GET /{server.token}/events?stream={name}&tables={tables} HTTP/1.1\r\n"
                             f"Host: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
        self._file = self._socket.makefile("rb")
        self.head = b"".join(iter(self._file.readline, b"\r\n")).decode()

    def next(self, *kinds: str) -> Any:
        deadline = time.monotonic() + 20
        while (line := self._file.readline()) and time.monotonic() < deadline:
            if not line.startswith(b"event: "):
                continue
            event = json.loads(self._file.readline().removeprefix(b"data: "))
            if line.removeprefix(b"event: ").decode().strip() in kinds:
                return event
        raise AssertionError(f"the stream has no {kinds}")

    def close(self) -> None:
        self._file.close()
        self._socket.close()
