"""The running games, from the runner to another process: what is reported, and what is never believed."""

import json
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from latrones_uci.match.events import GameFinished
from latrones_uci.match.standings import Standings
from latrones_uci.web.match.live_channel import Link, LiveReader, announcement_of, live_channel
from match_records import MS, NAMES, START, fixture, played_record
from watched import live_games, turn

DATABASE = Path("match.db")
PLIES = played_record(1).game.plies


def announced() -> dict[str, object]:
    return dict(json.loads(announcement_of(DATABASE).read_text(encoding="utf-8")))


def test_running_games_are_read_by_another_reader() -> None:
    live = live_games((3, PLIES[:5]), (4, []), (7, None))
    with live_channel(DATABASE, live) as works:
        assert works
        reader = LiveReader(DATABASE)
        third, fourth, seventh = reader.games()
        assert reader.link is Link.RUNNING
        assert (third.fixture, third.fen) == (fixture(3), START.fen())
        assert third.moves == tuple(ply.text for ply in PLIES[:5])
        assert third.last == PLIES[4]
        assert third.clocks_ns == (None, 990 * MS)
        assert third.age_ns > 0
        assert (fourth.moves, fourth.last) == ((), None)
        assert seventh.moves is None
        assert reader.plies(3) == list(PLIES[:5])
        assert reader.plies(7) == reader.plies(99) == []
        # The state of a game that goes on is the latest, and a finished game is gone.
        live.report(3, turn(PLIES[:6]))
        live(GameFinished(played_record(4), Standings(NAMES), None))
        assert [len(state.moves or ()) for state in reader.games()] == [6, 0]
        reader.close()


def test_the_announcement_is_private_and_goes_with_the_match() -> None:
    """Nobody who can write to the folder can make the runner overwrite another file."""
    Path("precious").write_text("precious", encoding="utf-8")
    announcement_of(DATABASE).symlink_to("precious")
    with live_channel(DATABASE, live_games()):
        assert stat.S_IMODE(announcement_of(DATABASE).lstat().st_mode) == 0o600
        assert announced()["port"]
    assert not announcement_of(DATABASE).exists()
    assert Path("precious").read_text(encoding="utf-8") == "precious"


def test_without_its_token_nothing_is_told() -> None:
    with live_channel(DATABASE, live_games((1, []))):
        port = announced()["port"]
        for host, status in ((f"127.0.0.1:{port}", 404), ("example.com", 421)):
            with socket.create_connection(("127.0.0.1", int(str(port))), timeout=20) as connection:
                connection.sendall(f"GET /x/games.json HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                assert connection.recv(100).split()[1] == str(status).encode()


@pytest.mark.long
def test_a_runner_that_is_gone_is_noticed() -> None:
    """Its announcement remains if it was killed."""
    reader = LiveReader(DATABASE)
    assert reader.games() == []
    assert reader.link is Link.STOPPED
    with live_channel(DATABASE, live_games((1, []))):
        assert len(reader.games()) == 1
        left = announcement_of(DATABASE).read_text(encoding="utf-8")
    assert reader.games() == []
    announcement_of(DATABASE).write_text(left, encoding="utf-8")
    assert reader.games() == []
    assert reader.link is Link.STOPPED
    with live_channel(DATABASE, live_games((1, []))):  # the next one announces itself
        assert len(reader.games()) == 1
    reader.close()


def test_a_runner_that_does_not_answer_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latrones_uci.web.match.live_channel._TIMEOUT_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        announce(mute.getsockname()[1])
        reader = LiveReader(DATABASE)
        assert reader.games() == []
        assert reader.link is Link.SILENT
        reader.close()


def announce(port: object, token: object = "t" * 32) -> None:
    announcement_of(DATABASE).write_text(json.dumps({"port": port, "token": token}), encoding="utf-8")


@pytest.mark.parametrize("text", [
    "", "{", "[]", "null", '{"port": 1}', '{"port": 0, "token": "tttttttttttttttttttt"}', "[" * 500,
    '{"port": 99999, "token": "tttttttttttttttttttt"}', '{"port": "x", "token": "tttttttttttttttttttt"}',
    '{"port": 80, "token": "../../../../../etc"}', '{"port": 80, "token": "ttttttttttttttttttt\\r\\nHost: x"}',
    json.dumps({"port": 80, "token": "t" * 2000}),
])
def test_a_strange_announcement_is_no_runner(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("http.client.HTTPConnection", None)  # nothing is connected to
    announcement_of(DATABASE).write_text(text, encoding="utf-8")
    reader = LiveReader(DATABASE)
    assert reader.games() == []
    assert reader.link is Link.STOPPED


@contextmanager
def impostor(body: bytes, status: int = 200) -> Iterator[None]:
    """Another program on the announced port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    announce(server.server_port)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


FIXTURE = {"number": 1, "pair": 0, "round": 0, "variant": 0, "opening": 0, "white": 0, "black": 1}
ROW = [0, 1, "a1a2", 5, None, None, 10, None, 3, 100, 1, ""]
STATE = {"fixture": FIXTURE, "fen": START.fen(), "moves": "a1a2", "last": ROW, "clocks_ns": [1, None], "age_ns": 5}


def states(*changes: dict[str, object]) -> bytes:
    return json.dumps([STATE | change for change in changes]).encode()


@pytest.mark.parametrize(("body", "status"), [
    *((states(change), 200) for change in (
        {"fixture": {**FIXTURE, "white": -1}}, {"fixture": {**FIXTURE, "number": "1"}}, {"fixture": 5}, {"fen": 5},
        {"moves": 5}, {"last": ["x"] * 12}, {"last": ROW[:5]}, {"last": [2, *ROW[1:]]},
        {"last": [*ROW[:6], "x", *ROW[7:]]}, {"clocks_ns": [1]}, {"clocks_ns": ["x", 1]}, {"age_ns": None},
        {"clocks_ns": [True, 1]})),
    (b"[", 200), (b"{}", 200), (b"[" * 100_000, 200), (b"[]", 404),
])
def test_malformed_answers_are_not_believed(body: bytes, status: int) -> None:
    with impostor(states({})):
        assert len(LiveReader(DATABASE).games()) == 1
    with impostor(body, status):
        reader = LiveReader(DATABASE)
        assert reader.games() == reader.plies(1) == []


def test_a_match_goes_on_without_a_place_for_the_announcement(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    database = tmp_path / "file" / "match.db"
    with live_channel(database, live_games()) as works:
        assert not works
