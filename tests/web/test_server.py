"""The server of the page: which requests it accepts, and how it rejects others; without a browser."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from latrones_uci.commands.main import main
from latrones_uci.game import Position
from latrones_uci.text.command import join_command
from latrones_uci.web.board.registry import MAX_GAMES, GameRegistry
from latrones_uci.web.board.server import Server
from latrones_uci.web.lib.page_server import MAX_BODY, Broadcaster, RefusedError, Stream
from page_requests import Events, ask, do
from serving import ENGINE, PEOPLE, PERSON, fake_engine, fakes, serving, waited

AGAINST_ENGINE = {**PEOPLE, "players": [PERSON, ENGINE]}
START = Position.start("latrones", (6, 6))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving([fake_engine()], absence_s=0.2) as started:
        yield started


def opened(games: GameRegistry, name: str = "a") -> Stream:
    stream = games.broadcaster.open(name, 9)
    assert stream is not None
    return stream


# ---------------------------------------------------------------- what is accepted


def test_the_page_and_its_policy(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32
    page = ask(server, "GET", "")
    assert page.status == 200
    assert b"<title>Latrones</title>" in page.body
    assert b'id="man-S"' in page.body
    assert b"http" not in page.body.replace(b"http-equiv", b"")
    policy = page.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize("body", [None, json.dumps({"do": "create", "game": PEOPLE}).encode()])
def test_only_the_own_page_is_answered(server: Server, body: bytes | None) -> None:
    method, path = ("GET", "menu.json") if body is None else ("POST", "do")
    assert ask(server, method, path, body, Sec_Fetch_Site="same-origin").status == 200
    for host in ("example.com", "127.0.0.1", "localhost:1", "127.0.0.1.example.com:80", "", None):
        assert ask(server, method, path, body, Host=host).status == 421, host
    for origin in ("http://example.com", "null", "http://127.0.0.1:1", "https://127.0.0.1", None if body else ""):
        assert ask(server, method, path, body, Origin=origin).status == 403, origin
    for site in ("cross-site", "same-site"):
        assert ask(server, method, path, body, Sec_Fetch_Site=site).status == 403, site
    for token in ("", "x", "%C3%A4", "%00"):
        answer = ask(server, method, path, body, token=token)
        assert (answer.status, b"whole address" in answer.body) == (404, True), token


def test_other_addresses_are_not_found(server: Server) -> None:
    for path, status in (
        ("board/server.py", 404), ("../server.py", 404), ("board/..%2fserver.py", 404), ("board/page.html/x", 404),
        ("match/watch.js", 404), ("do", 404), ("x" * 5000, 414),
        (f"?{'&'.join(f'{word}=1' for word in 'abcdefghijklmno')}", 400),
        ("events?stream=", 400), (f"events?stream={'x' * 65}", 400),
    ):
        assert ask(server, "GET", path).status == status, path
    assert ask(server, "POST", "board/page.js").status == 404
    assert ask(server, "GET", "", token="/[").status == 404
    assert ask(server, "GET", server.token, token="").status == 404
    assert ask(server, "GET", "events?stream=a", token="x").status == 404
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{server.token}", timeout=20)


@pytest.mark.parametrize(("body", "headers", "status"), [
    (b"{}", {"Content_Length": str(MAX_BODY + 1)}, 413), (b"{}", {"Content_Length": "9" * 30}, 413),
    (b"{}", {"Content_Length": None}, 411), (b"{}", {"Content_Length": "-1"}, 411),
    (b"{}", {"Content_Length": "\u0661".encode().decode("latin-1")}, 411),
    (b"{}", {"Transfer_Encoding": "chunked"}, 411), (b"{}", {"Content_Type": "text/plain"}, 415),
    (b'{"do": "rename", "record": "\\ud800", "name": "x"}', {}, 400), (b'{"\\udfff": 1}', {}, 400),
    (b"{}", {"Content_Type": None}, 415), (b"", {}, 400), (b"{", {}, 400), (b"\xff", {}, 400), (b"[" * 60000, {}, 400),
])
def test_invalid_bodies_are_rejected(server: Server, body: bytes, headers: dict[str, str | None], status: int) -> None:
    assert ask(server, "POST", "do", body, **headers).status == status


@pytest.mark.parametrize("method", ["HEAD", "PUT", "DELETE"])
def test_other_methods_are_rejected_like_everything_else(server: Server, method: str) -> None:
    answer = ask(server, method, "")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, POST")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.body.decode() == ("" if method == "HEAD" else f"method '{method}': expected GET or POST")


def test_invalid_commands_are_rejected(server: Server) -> None:
    follow = {"do": "follow", "stream": "none", "tables": [], "fresh": []}
    for command in (
        [], 5, {}, {"do": "create"}, {"do": "create", "game": {"players": [1, 2]}}, {"do": ["x"]}, {"do": "undo"},
        {"do": "undo", "table": 7}, follow, {**follow, "stream": 1}, {**follow, "tables": "a"},
        {**follow, "tables": ["a"] * 1000},
    ):
        assert ask(server, "POST", "do", json.dumps(command).encode()).json["error"], command


# ---------------------------------------------------------------- streams and sleep


@pytest.mark.long
def test_a_stream_reports_its_games(server: Server) -> None:
    first, second = (do(server, do="create", game=game).json["table"] for game in (AGAINST_ENGINE, PEOPLE))
    events = Events(server, "one", first)
    assert "text/event-stream" in events.head
    state = events.next("state")
    assert (state["table"], len(state["data"]["legal"])) == (first, len(START.legal_moves()))
    do(server, do="move", table=second, move="a1a3", ply=0)
    assert "'a1a9'" in do(server, do="move", table=first, move="a1a9", ply=0).json["error"]
    assert do(server, do="move", table=first, move=5, ply=0).json == {"error": "move: expected a string"}
    assert do(server, do="move", table=first, move="a1a3", ply=0).json == {}
    live = server.registry.find(first)
    waited(lambda: len(live.plies) == 2)
    state = events.next("state")
    assert (state["table"], state["data"]["set"]["plies"][0]["note"]) == (first, "a1-a3")
    assert b'[Black "Fake"]' in ask(server, "GET", f"game.pgn?table={first}").body
    board = ask(server, "GET", f"board.svg?table={first}&flipped=1")
    assert board.headers["Content-Type"].startswith("image/svg+xml")
    do(server, do="follow", stream="one", tables=[first, second], fresh=[])
    while (state := events.next("state"))["table"] == first:
        pass
    assert len(state["data"]["plies"]) == 1
    do(server, do="follow", stream="one", tables=[first, "no-such-table"], fresh=[first])
    assert {events.next("state", "gone")["table"] for _ in range(2)} == {first, "no-such-table"}
    assert live.process_ids()
    events.close()
    waited(lambda: not live.process_ids())  # no page shows the game
    again = Events(server, "one", first)
    assert len(again.next("state")["data"]["plies"]) == 2
    do(server, do="move", table=first, move="b1b2", ply=2)
    waited(lambda: len(live.plies) == 4)
    again.close()


@pytest.mark.long
def test_the_number_of_streams_is_limited(server: Server) -> None:
    streams = [Events(server, f"many-{number}") for number in range(20)]
    assert {stream.head.split()[1] for stream in streams} == {"200", "503"}
    for stream in streams:
        stream.close()
    waited(lambda: not server.registry.broadcaster.followed())


def test_a_game_sleeps_some_time_after_a_page_last_showed_it() -> None:
    now = [0.0]
    registry = GameRegistry(fakes(), clock=lambda: now[0])
    stream = opened(registry)
    names = [registry.create(PEOPLE).name for _ in range(MAX_GAMES)]
    registry.follow("a", names[:1])
    now[0] = 9.9
    registry.check_presence()
    with pytest.raises(RefusedError, match="games are in use"):
        registry.create(PEOPLE)
    now[0] = 10.0
    registry.check_presence()
    registry.create(PEOPLE)  # replaces one that sleeps
    registry.find(names[0])
    registry.follow("a", names)
    assert next(stream.blocks()).count("event: gone") == 1
    registry.close()


def test_a_game_that_a_page_begins_to_show_does_not_fall_asleep() -> None:
    """The page arrives after the game was found to be unwatched, and before it is put to sleep."""
    registry = GameRegistry(fakes(), absence_s=0.0, poll_s=3600)  # only this test checks the presence
    live = registry.create(PEOPLE)
    opened(registry)
    follower = threading.Thread(target=registry.follow, args=("a", [live.name]))
    calls, sleep, wake = list[str](), live.sleep, live.wake

    def sleep_late() -> None:
        follower.start()
        follower.join(0.1)  # it has to wait
        sleep()
        calls.append("sleep")

    live.sleep = sleep_late  # type: ignore[assignment]
    live.wake = lambda: (wake(), calls.append("wake"))[0]  # type: ignore[method-assign,func-returns-value]
    registry.check_presence()
    follower.join()
    assert calls == ["sleep", "wake"]
    live.sleep = sleep  # type: ignore[method-assign]
    registry.close()


def test_a_slow_reader_gets_only_the_latest_state() -> None:
    broadcaster = Broadcaster()
    stream = broadcaster.open("a", 1)
    assert stream is not None
    broadcaster.follow("a", ["t"])
    for number in range(1000):
        broadcaster.show("t", "state", number)
    blocks = stream.blocks()
    assert next(blocks) == 'event: state\ndata: {"table":"t","data":999}\n\n'
    assert broadcaster.open("b", 1) is None
    broadcaster.close()
    assert list(blocks) == []


def test_a_stream_receives_what_has_changed_since_its_last_state(games: GameRegistry) -> None:
    blocks = opened(games).blocks()
    live = games.create({**PEOPLE, "size": "16x16"})
    games.follow("a", [live.name])

    def state() -> Any:
        found, = (part for part in next(blocks).split("\n\n") if part.startswith("event: state"))
        assert len(found) < 14_000 or "start_fen" in found  # almost all of it are the 250 legal moves
        return json.loads(found.partition("data: ")[2])["data"]

    serial = state()["serial"]
    for ply, text in enumerate(("a1a2", "p16p15", "b1b2")):
        live.move(text, ply)
        change = state()
        assert change["after"] == serial
        assert set(change["set"]).isdisjoint({"start", "start_fen", "players", "choice", "variant", "title"})
        assert len(change["tails"].get("plies", [0, change["set"].get("plies", [])])[1]) == 1
        serial = change["serial"]
    live.undo()
    assert state()["tails"]["plies"] == [2, []]
    live.show_state()  # a page that has missed something asks for it
    again = state()
    assert "after" not in again
    assert len(again["plies"]) == 2


# ---------------------------------------------------------------- games, positions, options


@pytest.mark.parametrize(("fen", "problem"), [
    ("6/6/6/6/2D3/S4s w 0 1", ""),
    ("6/6/6/6/2D3/SD4 w 0 1", "More than one D on the board."),
    ("6/6/6/6/2D3/SX4 w 0 1", "'X': not a piece of this variant; expected one of SsDd."),
    ("6/6/6/6/2D3/S4s x 0 1", "Side 'x': expected w or b."),
])
def test_positions_are_checked(server: Server, fen: str, problem: str) -> None:
    table = do(server, do="create", game=PEOPLE).json["table"]
    answer = do(server, do="check", table=table, fen=fen).json
    assert (answer["problem"], answer["pieces"], answer["holds"]) == (problem, "SsDd", False)
    assert answer["start"] == START.fen()
    shown = START if problem else Position.from_fen("latrones", fen)
    assert answer["men"] == "".join(shown.piece_at(square) or "." for square in range(36))


def test_engine_options_are_checked_and_tried(server: Server) -> None:
    skill = {"name": "Skill", "kind": "spin", "choices": [], "minimum": 1, "maximum": 9, "initial": "1", "value": "1"}
    assert ask(server, "GET", "options.json?engine=0").json == [skill]  # neither what the server sets, nor buttons
    assert ask(server, "GET", "options.json?engine=1").status == 404
    for values, error in (
        ([], "values: expected an object with the values by name"),
        ({"None": "1"}, "option 'None': the engine has no such option"),
        ({"UCI_Variant": "rota"}, "option 'UCI_Variant': the engine has no such option"),
        ({"Skill": "10"}, "option 'Skill': value '10': expected an integer from 1 to 9"),
        ({"Skill": "\n2"}, "expected a string of at most 1000 printable characters"),
    ):
        assert do(server, do="options", engine=0, values=values).json["error"].endswith(error)
    assert do(server, do="options", engine=1, values={}).json["error"] == "engine '1': expected 0..0"
    assert do(server, do="options", engine=0, values={"Skill": "3"}).json == {}
    assert server.registry.config.engine(0, lambda: False).settings.options[-1] == ("Skill", "3")
    assert ask(server, "GET", "options.json?engine=0").json == [{**skill, "value": "3"}]


def test_a_running_engine_receives_its_new_options(games: GameRegistry) -> None:
    opened(games)
    live = games.create(AGAINST_ENGINE)
    games.follow("a", [live.name])  # otherwise it falls asleep
    live.move("a1a2", 0)
    waited(lambda: len(live.plies) == 2)
    first, = live.process_ids()
    games.config.catalog.set_values(0, {"Skill": "7"})
    live.move(str(live.game.legal_moves()[0]), 2)
    waited(lambda: len(live.plies) == 4)
    assert live.process_ids() == [first]
    assert ("Skill", "7") in live.engine_settings(1).options


# ---------------------------------------------------------------- the command


def test_wrong_arguments_are_reported(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    fake = ("--engine", f"cmd={join_command(fake_engine().command)}")
    for arguments, said in (
        (("--port", str(server.server_port)), f"port {server.server_port}: "),
        (("--engine", "name=x"), "no command; expected cmd=COMMAND"),
        ((*fake, "option.Contempt=5"), "no option 'Contempt'"),
        ((*fake, "option.Skill=10"), "expected an integer from 1 to 9"),
        (("--engine", "cmd=no-such-engine"), "cannot start 'no-such-engine': not found, or not executable"),
        *((("--port", port), f"'{port}'") for port in ("65536", "-1", "x")),
    ):
        assert main(["gui", "--no-browser", "--no-games", *arguments]) == 2
        error = capsys.readouterr().err
        assert error.startswith("latrones-uci gui: ")
        assert said in error
        assert error.count("\n") == 1


def test_engines_of_the_same_name_are_told_apart() -> None:
    assert fakes("good", "good").names == ("Fake (1)", "Fake (2)")
