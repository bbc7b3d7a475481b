"""The server of the page: which requests it accepts, and how it rejects others; without a browser."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.gui import gui_config
from latrones_uci.commands.main import main
from latrones_uci.game import Position, find_variant
from latrones_uci.web.board.registry import MAX_GAMES, GameRegistry
from latrones_uci.web.board.server import Server
from latrones_uci.web.board.state import render_state
from latrones_uci.web.broadcast import Broadcaster
from latrones_uci.web.notation import pieces_of
from latrones_uci.web.page_server import MAX_BODY, RefusedError
from page_requests import Events, ask, do
from serving import fake_engine, serving, waited

PEOPLE = {"variant": "latrones", "size": "6x6", "players": [{"kind": "person"}, {"kind": "person"}]}
AGAINST_ENGINE = {**PEOPLE, "players": [{"kind": "person"}, {"kind": "engine", "limit": "depth", "depth": 1}]}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving([fake_engine()], absence_s=0.2) as started:
        yield started


def test_the_page_and_its_policy(server: Server) -> None:
    page = ask(server, "GET", "")
    assert page.status == 200
    assert b"<title>Latrones</title>" in page.body
    assert b'id="man-S"' in page.body
    policy = page.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    for name in ("lib/base.css", "lib/dom.js", "board/page.css", "board/page.js", "board/board.js"):
        assert ask(server, "GET", name).status == 200
    assert b"http" not in page.body.replace(b"http-equiv", b"")


def test_it_listens_on_loopback_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32


@pytest.mark.parametrize("host", ["example.com", "127.0.0.1", "localhost:1", "127.0.0.1.example.com:80", "", None])
def test_other_hosts_are_rejected(server: Server, host: str | None) -> None:
    assert ask(server, "GET", "", Host=host).status == 421


@pytest.mark.parametrize("origin", ["http://example.com", "null", "http://127.0.0.1:1", "https://127.0.0.1", None])
def test_other_origins_are_rejected(server: Server, origin: str | None) -> None:
    body = json.dumps({"do": "create", "game": PEOPLE}).encode()
    assert ask(server, "POST", "do", body, Origin=origin).status == 403
    assert ask(server, "GET", "menu.json", Origin=origin or "").status == 403


def test_cross_site_requests_without_an_origin_are_rejected(server: Server) -> None:
    for site in ("cross-site", "same-site"):
        assert ask(server, "GET", "menu.json", Sec_Fetch_Site=site).status == 403
    assert ask(server, "GET", "menu.json", Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize("token", ["", "x", "%C3%A4", "%00"])
def test_without_the_token_nothing_is_found(server: Server, token: str) -> None:
    for method, path in (("GET", ""), ("GET", "menu.json"), ("POST", "do"), ("GET", "events?stream=a")):
        answer = ask(server, method, path, token=token)
        assert (answer.status, b"whole address" in answer.body) == (404, True)


def test_other_files_are_not_served(server: Server) -> None:
    for path in ("board/server.py", "../server.py", "board/..%2fserver.py", "board/page.html/x", "watch/watch.js",
                 "do"):  # fmt: skip
        assert ask(server, "GET", path).status == 404
    assert ask(server, "POST", "board/page.js").status == 404
    assert ask(server, "GET", "x" * 5000).status == 414
    assert ask(server, "GET", f"?{'&'.join(f'{word}=1' for word in 'abcdefghijklmno')}").status == 400
    assert ask(server, "GET", "", token="/[").status == 404
    assert ask(server, "GET", server.token, token="").status == 404
    address = f"http://127.0.0.1:{server.server_port}/{server.token}"
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address, timeout=20)


@pytest.mark.parametrize(("headers", "status"), [
    ({"Content_Length": str(MAX_BODY + 1)}, 413), ({"Content_Length": "9" * 30}, 413),
    ({"Content_Length": None}, 411), ({"Content_Length": "-1"}, 411), ({"Content_Length": "\u0661"}, 411),
    ({"Transfer_Encoding": "chunked"}, 411), ({"Content_Type": "text/plain"}, 415), ({"Content_Type": None}, 415),
])  # fmt: skip
def test_bodies_need_a_type_and_an_allowed_length(server: Server, headers: dict[str, str | None], status: int) -> None:
    encoded = {name: value and value.encode().decode("latin-1") for name, value in headers.items()}
    assert ask(server, "POST", "do", b"{}", **encoded).status == status


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 60000])
def test_invalid_json_is_rejected(server: Server, body: bytes) -> None:
    assert ask(server, "POST", "do", body).status == 400


@pytest.mark.parametrize("command", [
    [], 5, {}, {"do": "create"}, {"do": "create", "game": {"players": [1, 2]}}, {"do": ["x"]}, {"do": "undo"},
    {"do": "undo", "table": 7}, {"do": "follow", "stream": "none", "tables": [], "fresh": []},
    {"do": "follow", "stream": 1, "tables": [], "fresh": []}, {"do": "follow", "stream": "a", "tables": "a"},
    {"do": "follow", "stream": "a", "tables": ["a"] * 1000, "fresh": []},
])  # fmt: skip
def test_invalid_commands_are_rejected(server: Server, command: object) -> None:
    assert ask(server, "POST", "do", json.dumps(command).encode()).json["error"]


@pytest.mark.process
def test_a_move_comes_back_on_the_stream(server: Server) -> None:
    table = do(server, do="create", game=AGAINST_ENGINE).json["table"]
    events = Events(server, "one", table)
    assert "text/event-stream" in events.head
    state = events.next("state")
    assert (state["table"], len(state["data"]["legal"])) == (table, len(Position.start(
        find_variant("latrones"), (6, 6)).legal_moves()))
    assert "'a1a9'" in do(server, do="move", table=table, move="a1a9", ply=0).json["error"]
    assert do(server, do="move", table=table, move=5, ply=0).json == {"error": "move: expected a string"}
    assert do(server, do="move", table=table, move="a1a3", ply=0).json == {}
    while len(state["data"]["plies"]) < 2:
        state = events.next("state")
    assert state["data"]["plies"][0]["note"] == "a1-a3"
    pgn = ask(server, "GET", f"game.pgn?table={table}")
    assert b'[Black "Fake"]' in pgn.body
    board = ask(server, "GET", f"board.svg?table={table}&flipped=1")
    assert board.headers["Content-Type"].startswith("image/svg+xml")
    events.close()


def test_a_stream_reports_only_its_games(server: Server) -> None:
    first, second = (do(server, do="create", game=PEOPLE).json["table"] for _ in range(2))
    events = Events(server, "two", first)
    assert events.next("state")["table"] == first
    do(server, do="move", table=second, move="a1a3", ply=0)
    do(server, do="follow", stream="two", tables=[first, second], fresh=[])
    state = events.next("state")
    assert (state["table"], len(state["data"]["plies"])) == (second, 1)
    do(server, do="follow", stream="two", tables=[first, "no-such-table"], fresh=[first])
    assert {events.next("state", "gone")["table"] for _ in range(2)} == {first, "no-such-table"}
    events.close()


@pytest.mark.process
def test_a_game_that_no_page_shows_loses_its_engine(server: Server) -> None:
    name = do(server, do="create", game=AGAINST_ENGINE).json["table"]
    table = server.registry.find(name)
    events = Events(server, "three", name)
    events.next("state")
    do(server, do="move", table=name, move="a1a3", ply=0)
    waited(lambda: len(table.plies) == 2)
    assert table.process_ids()
    events.close()
    waited(lambda: not table.process_ids())
    again = Events(server, "three", name)
    assert len(again.next("state")["data"]["plies"]) == 2  # the game is still available, and continues
    do(server, do="move", table=name, move="b1b2", ply=2)
    waited(lambda: len(table.plies) == 4)
    again.close()


@pytest.mark.long
def test_the_number_of_streams_is_limited(server: Server) -> None:
    streams = [Events(server, f"many-{number}") for number in range(20)]
    assert {stream.head.split()[1] for stream in streams} == {"200", "503"}
    for stream in streams:
        stream.close()
    waited(lambda: not server.registry.broadcaster.followed())
    assert ask(server, "GET", "events?stream=").status == 400
    assert ask(server, "GET", f"events?stream={'x' * 65}").status == 400


def test_a_game_sleeps_some_time_after_a_page_last_showed_it() -> None:
    now = [0.0]
    registry = GameRegistry(gui_config([fake_engine()]), clock=lambda: now[0])
    stream = registry.broadcaster.open("a", 1)
    assert stream is not None
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


@pytest.mark.process
def test_the_command_serves_until_it_is_interrupted() -> None:
    command = [*OWN_ENGINE, "gui", "--no-browser", "--no-games"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert b"<title>Latrones</title>" in answer.read()
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")


def test_a_port_in_use_is_reported(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gui", "--no-browser", "--no-games", "--port", str(server.server_port)]) == 2
    assert capsys.readouterr().err == f"latrones-uci gui: port {server.server_port}: Address already in use\n"
    assert main(["gui", "--no-browser", "--engine", "name=x"]) == 2
    assert "no command; expected cmd=COMMAND" in capsys.readouterr().err
    for option, expected in (("Contempt=5", "no option 'Contempt'"), ("Skill=10", "expected an integer from 1 to 9")):
        fake = f"cmd={shlex.join(fake_engine().command)}"
        assert main(["gui", "--no-browser", "--no-games", "--engine", fake, f"option.{option}"]) == 2
        assert expected in capsys.readouterr().err
    assert main(["gui", "--no-browser", "--no-games", "--engine", "cmd=no-such-engine"]) == 2
    assert "cannot start 'no-such-engine': not found, or not executable" in capsys.readouterr().err
    for port in ("65536", "-1", "x"):
        assert main(["gui", "--no-browser", "--no-games", "--port", port]) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("latrones-uci gui: argument --port: ")
        assert f"'{port}'" in line


def test_a_stream_receives_what_has_changed_since_its_last_state() -> None:
    registry = GameRegistry(gui_config([fake_engine()]))
    stream = registry.broadcaster.open("a", 1)
    assert stream is not None
    live = registry.create({**PEOPLE, "size": "16x16"})
    registry.follow("a", [live.name])
    blocks = stream.blocks()

    def states(block: str) -> list[dict[str, Any]]:
        return [json.loads(part.partition("data: ")[2])["data"] for part in block.split("\n\n")
                if part.startswith("event: state")]  # fmt: skip

    whole, = states(next(blocks))
    sizes = []
    for text in ("a1a2", "p16p15", "b1b2"):
        live.move(text, len(live.plies))
        block = next(blocks)
        sizes.append(len(block))
        change, = states(block)
        assert change["after"] == whole["serial"]
        assert set(change["set"]).isdisjoint({"start", "start_fen", "players", "choice", "variant", "title"})
        assert len(change["tails"].get("plies", [0, change["set"].get("plies", [])])[1]) == 1
        whole = {**whole, **change["set"], "serial": change["serial"]}
    assert max(sizes) < 14_000  # almost all of it are the 250 legal moves
    live.undo()
    change, = states(next(blocks))
    assert change["tails"]["plies"] == [2, []]
    live.show_state()  # a page that has missed something asks for it
    again, = states(next(blocks))
    assert "after" not in again
    assert len(again["plies"]) == 2
    registry.close()


def test_only_a_human_who_is_to_move_receives_legal_moves() -> None:
    registry = GameRegistry(gui_config([fake_engine()]))
    live = registry.create(PEOPLE)
    assert render_state(live, registry.config)["legal"]
    live.resign()
    assert render_state(live, registry.config)["legal"] == []
    engines = registry.create({**PEOPLE, "players": [{"kind": "engine", "limit": "time", "movetime_ms": 60000}] * 2})
    assert render_state(engines, registry.config)["legal"] == []
    registry.close()


@pytest.mark.parametrize(("fen", "problem"), [
    ("6/6/6/6/2D3/S4s w 0 1", ""),
    ("6/6/6/6/2D3/SD4 w 0 1", "More than one D on the board."),
    ("6/6/6/6/2D3/SX4 w 0 1", "'X': not a piece of this variant; expected one of SsDd."),
    ("6/6/6/6/2D3/S4s x 0 1", "Side 'x': expected w or b."),
])  # fmt: skip
def test_positions_are_checked(server: Server, fen: str, problem: str) -> None:
    table = do(server, do="create", game=PEOPLE).json["table"]
    answer = do(server, do="check", table=table, fen=fen).json
    assert answer["problem"] == problem
    assert (answer["pieces"], answer["holds"]) == ("SsDd", False)
    assert answer["start"] == Position.start(find_variant("latrones"), (6, 6)).fen()
    assert answer["men"] == ("S....s..D..." + "." * 24 if not problem else render_pieces(answer["start"]))


def render_pieces(fen: str) -> str:
    return pieces_of(Position.from_fen(find_variant("latrones"), fen))


@pytest.mark.process
def test_engine_options_are_checked_and_tried(server: Server) -> None:
    skill = {"name": "Skill", "kind": "spin", "choices": [], "minimum": 1, "maximum": 9, "initial": "1", "value": "1"}
    assert ask(server, "GET", "options.json?engine=0").json == [skill]  # neither what the server sets, nor buttons

    def error(values: object, engine: int = 0) -> str:
        return str(do(server, do="options", engine=engine, values=values).json["error"])

    assert error([]) == "values: expected an object with the values by name"
    assert error({"None": "1"}) == "option 'None': the engine has no such option"
    assert error({"UCI_Variant": "rota"}) == "option 'UCI_Variant': the engine has no such option"
    assert error({"Skill": "10"}) == "option 'Skill': value '10': expected an integer from 1 to 9"
    assert error({"Skill": "\n2"}).endswith("expected a string of at most 1000 printable characters")
    assert error({}, engine=1) == "engine '1': expected 0..0"
    assert ask(server, "GET", "options.json?engine=1").status == 404
    config = server.registry.config
    assert do(server, do="options", engine=0, values={"Skill": "3"}).json == {}
    assert config.engine(0, lambda: False).settings.options[-1] == ("Skill", "3")
    assert ask(server, "GET", "options.json?engine=0").json == [{**skill, "value": "3"}]


@pytest.mark.process
def test_a_running_engine_receives_its_new_options() -> None:
    registry = GameRegistry(gui_config([fake_engine()]))
    stream = registry.broadcaster.open("a", 1)
    assert stream is not None
    live = registry.create(AGAINST_ENGINE)
    registry.follow("a", [live.name])  # otherwise it falls asleep
    live.move("a1a2", 0)
    waited(lambda: len(live.plies) == 2)
    first, = live.process_ids()
    registry.config.catalog.set_values(0, {"Skill": "7"})
    live.move(str(live.game.legal_moves()[0]), 2)
    waited(lambda: len(live.plies) == 4)
    assert live.process_ids() == [first]
    assert ("Skill", "7") in live.engine_settings(1).options
    registry.close()


@pytest.mark.process  # the search takes its time
def test_a_hint_is_only_for_the_human(server: Server) -> None:
    players = [{"kind": "engine", "limit": "time", "movetime_ms": 60000}, {"kind": "person"}]
    table = do(server, do="create", game={**PEOPLE, "players": players}).json["table"]
    assert do(server, do="hint", table=table).json["error"] == "White is thinking; ask when it is your move"


def test_a_game_that_a_page_begins_to_show_does_not_fall_asleep() -> None:
    """The page arrives after the game was found to be unwatched, and before it is put to sleep."""
    games = GameRegistry(gui_config([fake_engine()]), absence_s=0.0)
    games._closing.set()  # only this test checks the presence
    games._watcher.join()
    live = games.create({"variant": "latrones", "players": [{"kind": "person"}, {"kind": "person"}]})
    stream = games.broadcaster.open("s", 1)
    woken, sleep, wake = threading.Event(), live.sleep, live.wake
    follower = threading.Thread(target=games.follow, args=("s", [live.name]))

    def sleep_late() -> None:
        follower.start()
        woken.wait(0.5)
        sleep()

    live.sleep = sleep_late  # type: ignore[assignment]
    live.wake = lambda: (wake(), woken.set())[0]  # type: ignore[method-assign,func-returns-value]
    games.check_presence()
    follower.join()
    assert live._awake
    assert stream is not None
    live.sleep = sleep  # type: ignore[method-assign]
    games.close()


def test_engines_of_the_same_name_are_told_apart() -> None:
    assert gui_config([fake_engine(), fake_engine()]).names == ("Fake (1)", "Fake (2)")
