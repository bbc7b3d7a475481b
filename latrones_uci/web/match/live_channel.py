"""The running games of a match, from the match runner to other processes of this machine.

While a match runs, its runner serves the state of its running games on loopback. The file ``FILE.db-live`` beside the
database announces port and token; only the user who runs the match can read it. Nothing is sent without a
request, so an unwatched match costs nothing. If the runner is killed, the file remains, and the connection is refused.
"""

import http.client
import json
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from latrones_uci.match.events import LiveGames, RunningGame
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import PLY_COLUMNS, PlyRecord, ply_from_row, ply_to_row
from latrones_uci.records.serialize import DeserializeError, deserialize, serialize
from latrones_uci.text.files import read_text_file, write_private
from latrones_uci.web.lib.page_server import LOOPBACK, Answer, Broadcaster, PageServer, RefusedError, json_answer

_POLL_S = 0.5
_TIMEOUT_S = 2.0
_MAX_ANNOUNCED_BYTES = 1000
_MAX_ANSWER_BYTES = 64 * 2**20
_MAX_GAMES = 10_000
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)
_UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)

Clocks = tuple[int | None, int | None]


@dataclass(frozen=True)
class LiveState:
    """The state of a running game, as its runner reports it."""

    fixture: Fixture
    """Its place in the plan."""
    fen: str
    """The position after the opening."""
    moves: tuple[str, ...] | None
    """The moves played since, None if the game has not begun or is not reported."""
    last: PlyRecord | None
    """The last ply, None if there is none."""
    clocks_ns: Clocks
    """The nanoseconds left to White and Black when the turn began, None without a clock."""
    age_ns: int
    """The nanoseconds since then."""


class Link(Enum):
    """Whether the runner of a match can be reached."""

    RUNNING = "running"
    """It reports its games."""
    SILENT = "silent"
    """It does not answer in time, for example because it is suspended."""
    STOPPED = "stopped"
    """There is no runner."""


def announcement_of(database: Path) -> Path:
    """Return the file that announces the runner of a database."""
    return database.with_name(f"{database.name}-live")


# ---------------------------------------------------------------- the runner's side


@contextmanager
def live_channel(database: Path, live: LiveGames) -> Iterator[bool]:
    """Serve the running games while the context is active; the caller holds the lock of the database.

    Yields:
        Whether it works. Without loopback, or if the file cannot be written, the match goes on without it.
    """
    announcement = announcement_of(database)
    try:
        server = _LiveServer(live)
    except OSError:
        yield False
        return
    thread = threading.Thread(target=server.serve_forever, args=(_POLL_S,), name="live", daemon=True)
    thread.start()
    try:
        try:
            write_private(announcement, json.dumps({"port": server.server_port, "token": server.token}))
        except OSError:
            yield False
        else:
            yield True
    finally:
        with suppress(OSError):
            announcement.unlink(missing_ok=True)
        server.close()
        thread.join()


class _LiveServer(PageServer):
    """Serves ``games.json`` and, for one of them, ``plies.json?game=NUMBER``."""

    command = "latrones-match"

    def __init__(self, live: LiveGames) -> None:
        super().__init__(Broadcaster())
        self._live = live

    def get(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path == "games.json":
            now_ns = time.monotonic_ns()
            return json_answer([_state_data(game, now_ns) for game in self._live.games()])
        if path == "plies.json":
            number = query.get("game", "")
            turn = self._live.turn(int(number)) if number.isdecimal() and len(number) < 12 else None
            return json_answer([] if turn is None else [ply_to_row(ply) for ply in turn.plies[: turn.played]])
        return None

    def do(self, data: Any) -> dict[str, Any]:
        raise RefusedError("unknown command")

    def follow(self, stream: str, tables: Iterable[str]) -> None:
        raise RefusedError("no events")


def _state_data(game: RunningGame, now_ns: int) -> dict[str, Any]:
    turn = game.turn
    data = {"fixture": serialize(game.fixture), "fen": game.fen}
    if turn is None:
        return data
    plies = turn.plies[: turn.played]
    return data | {
        "moves": " ".join(ply.text for ply in plies),
        "last": ply_to_row(plies[-1]) if plies else None,
        "clocks_ns": turn.clocks_ns,
        "age_ns": max(now_ns - turn.since_ns, 0),
    }


# ---------------------------------------------------------------- the reader's side


class LiveReader:
    """Reads the running games of a match that runs on this machine.

    Whatever the announcement and the answers contain, only loopback is asked, and nothing malformed is returned.
    """

    def __init__(self, database: Path) -> None:
        """Read for a database; nothing is opened yet."""
        self._announcement = announcement_of(database)
        self._announced: tuple[int, str] | None = None
        self._connection: http.client.HTTPConnection | None = None
        self.link = Link.STOPPED
        """Whether the last request reached the runner."""

    def games(self) -> list[LiveState]:
        """Return the running games in the order in which they started, and set ``link``."""
        data = self._ask("games.json")
        if not isinstance(data, list) or len(data) > _MAX_GAMES:
            return []
        try:
            return [_state_from_data(item) for item in data]
        except _UNREADABLE:
            return []

    def plies(self, number: int) -> list[PlyRecord]:
        """Return the plies of a running game so far; none if it does not run."""
        data = self._ask(f"plies.json?game={number}")
        try:
            return list(map(_ply_from_data, data)) if isinstance(data, list) else []
        except _UNREADABLE:
            return []

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, path: str) -> Any:
        announced = self._read_announcement()
        if announced != self._announced:
            self.close()
            self._announced = announced
        if announced is None:
            self.link = Link.STOPPED
            return None
        port, token = announced
        for fresh in (self._connection is None, True):
            try:
                data = self._request(port, f"/{token}/{path}")
                self.link = Link.RUNNING
                return data
            except TimeoutError:
                self.close()
                self.link = Link.SILENT
                return None
            except (OSError, http.client.HTTPException, ValueError, RecursionError):
                self.close()  # the runner closes a connection that has been idle; a new one may work
                if fresh:
                    break
        self.link = Link.STOPPED
        return None

    def _read_announcement(self) -> tuple[int, str] | None:
        try:
            data = json.loads(read_text_file(self._announcement, _MAX_ANNOUNCED_BYTES))
            port, token = int(data["port"]), str(data["token"])
        except (OSError, *_UNREADABLE):
            return None
        return (port, token) if 0 < port < 65536 and _TOKEN.fullmatch(token) else None

    def _request(self, port: int, path: str) -> Any:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(LOOPBACK, port, timeout=_TIMEOUT_S)
        self._connection.request("GET", path)
        with self._connection.getresponse() as response:
            body = response.read(_MAX_ANSWER_BYTES)
            if response.status != http.client.OK:
                raise http.client.HTTPException(response.status)
            return json.loads(body)


def _state_from_data(data: Any) -> LiveState:
    """Return the state of the data that ``_state_data`` returned.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: the data are malformed.
    """
    fixture = deserialize(Fixture, data["fixture"])
    if min(fixture.white, fixture.black, fixture.variant, fixture.number) < 0:
        raise DeserializeError("fixture: negative number")
    fen = _checked(data["fen"], str)
    if "moves" not in data:
        return LiveState(fixture, fen, None, None, (None, None), 0)
    white, black = data["clocks_ns"]
    last = None if data["last"] is None else _ply_from_data(data["last"])
    clocks = (_checked_or_none(white), _checked_or_none(black))
    return LiveState(fixture, fen, tuple(data["moves"].split()), last, clocks, _checked(data["age_ns"], int))


def _ply_from_data(row: Any) -> PlyRecord:
    values = dict(zip(PLY_COLUMNS, row, strict=True))
    for name, value in values.items():
        if name in ("move", "pv"):
            _checked(value, str)
        elif value is not None or name in ("side", "movenumber", "elapsed_ns"):
            _checked(value, int)
    if values["side"] not in (0, 1):
        raise ValueError(row)
    return ply_from_row(row)


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _checked_or_none(value: Any) -> int | None:
    return None if value is None else int(_checked(value, int))
