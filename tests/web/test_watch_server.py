"""The server of the page that shows a match: its events, its games and what it rejects; without a browser."""

import os
import re
import signal
import subprocess
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main, match_main
from latrones_uci.commands.watch import open_watcher
from latrones_uci.match.events import GameFinished, MovePlayed
from latrones_uci.match.progress import render_event
from latrones_uci.match.standings import Standings
from latrones_uci.records.pgn_read import read_games
from latrones_uci.records.store import NoMatchError
from latrones_uci.text.command import join_command
from latrones_uci.web.match.watch_server import Watcher, WatchServer
from match_records import NAMES, SETTINGS, fixture, played_record, record
from page_requests import Address, Events, ask, do
from serving import waited
from watched import add_games, live_games, men_after, started, turn, watching, write_match

Command = Callable[..., tuple[str, ...]]
PATH = Path("match.db")
GAME = played_record(1).game


def test_a_page_sees_games_run_and_finish() -> None:
    write_match(PATH, [record(2, 1)])
    live = live_games((1, GAME.plies[:3]))
    with watching(PATH, live) as server:
        events = Events(server, "one", "match")
        board = board_after(events, 3)
        assert (board["game"], board["white"], board["black"]) == (1, 0, 1)
        assert board["men"] == men_after(GAME.plies[:3])
        assert board["clocks"] == [None, 990]
        assert (board["score"], board["depth"]) == (10 * (1 if GAME.plies[2].side else -1), 3)
        while not (match := events.next("match")["data"])["running"]:
            pass
        assert (match["live"], match["running"], match["played"], match["title"]) == (True, 1, 1, "A against B")
        live.report(1, turn(GAME.plies[:4]))
        assert board_after(events, 4)["men"] == men_after(GAME.plies[:4])
        live(GameFinished(played_record(1), Standings(NAMES), None))
        add_games(PATH, played_record(1))
        while (match := events.next("match")["data"])["played"] < 2 or match["running"]:
            pass
        events.close()


def board_after(events: Events, plies: int) -> dict[str, Any]:
    """Return the only running game when it has so many plies."""
    while True:
        boards: list[dict[str, Any]] = events.next("boards")["data"]
        if [board["plies"] for board in boards] == [plies]:
            return boards[0]


def test_nothing_is_sent_unless_something_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    write_match(PATH)
    watcher, sent = Watcher(PATH, live=True), list[str]()
    monkeypatch.setattr(watcher.broadcaster, "show", lambda table, kind, data: sent.append(kind))
    assert watcher.broadcaster.open("one", 1) is not None
    watcher.take(render_event(started(fixture(1))).encode())
    watcher.show_all("one", ["match"])
    assert sent == ["boards", "match"]
    for _ in range(3):
        watcher.refresh()
    assert sent == ["boards", "match"]
    watcher.take(render_event(MovePlayed(fixture(1), 1, GAME.plies[0])).encode())
    for _ in range(3):
        watcher.refresh()
    assert sent == ["boards", "match", "boards"]
    watcher.close()


class Rounds(threading.Event):
    """Ends after some rounds, without waiting."""

    rounds = 3

    def wait(self, timeout: float | None = None) -> bool:
        self.rounds -= 1
        return self.rounds < 0


def test_nothing_is_read_while_no_page_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    write_match(PATH)
    server, read = WatchServer(Watcher(PATH)), list[int]()
    monkeypatch.setattr(server.watcher, "refresh", lambda: read.append(1))
    server.follow_match(Rounds())
    assert read == []
    server.broadcaster.open("one", 1)
    server.follow_match(Rounds())
    assert len(read) == 4  # the last one after the end of the match
    server.server_close()
    server.watcher.close()


@pytest.mark.posix  # Windows neither moves nor removes an open database
def test_the_runner_and_the_database_may_disappear() -> None:
    write_match(PATH)
    with watching(PATH, live_games((1, []))) as server:
        events = Events(server, "one", "match")

        def told() -> tuple[bool, int, bool]:
            data = events.next("match")["data"]
            return data["live"], data["running"], "no longer there" in data["problem"]

        while told() != (True, 1, False):
            pass
        server.watcher.end()
        assert told() == (False, 0, False)
        os.rename(PATH, "away.db")
        assert told() == (False, 0, True)
        os.rename("away.db", PATH)
        assert told() == (False, 0, False)
        events.close()


def test_finished_and_running_games_are_replayed() -> None:
    write_match(PATH, [played_record(1), record(2, 0)])
    with watching(PATH, live_games((3, GAME.plies[:7]))) as server:
        waited(lambda: server.watcher.refresh() or server.watcher.boards and server.watcher.boards[0]["plies"] == 7)
        finished, running = (ask(server, "GET", f"game.json?game={number}").json for number in (1, 3))
        assert [ply["text"] for ply in finished["plies"]] == [ply.text for ply in GAME.plies]
        assert (finished["finished"], finished["result"], finished["problem"]) == (True, result_of_first(), "")
        assert (len(running["plies"]), running["finished"], running["game"]) == (7, False, 3)
        for game in (1, 2, 3):
            for flipped in (0, 1):
                board = ask(server, "GET", f"board.svg?game={game}&flipped={flipped}")
                assert board.headers["Content-Type"].startswith("image/svg+xml")
        [saved] = read_games(ask(server, "GET", "game.pgn?game=1").body.decode().splitlines())
        assert len(saved.moves) == len(GAME.plies)
        for path in ("game.json?game=9", "game.json?game=x", "game.json", "game.json?game=9999999999999",
                     "game.pgn?game=3", "board.svg?game=9", "llr.svg", "games.json?engine=x", "games.json?skip=-1"):
            assert ask(server, "GET", path).status == 404, path


def result_of_first() -> str:
    winner = GAME.outcome.winner
    return "½-½" if winner is None else ("1-0", "0-1")[winner]


def test_finished_games_are_listed_and_chosen() -> None:
    write_match(PATH, [record(number, 0 if number % 4 else None) for number in range(1, 131)],
                replace(SETTINGS, games=200))
    watcher = Watcher(PATH)
    first = watcher.list_games({})
    assert (first["count"], len(first["games"]), first["games"][0]["game"]) == (130, 100, 130)
    assert [row["game"] for row in watcher.list_games({"skip": "100"})["games"]] == list(range(30, 0, -1))
    [ending] = first["endings"]
    for query, count in (({"result": "½-½"}, 32), ({"engine": "1"}, 130), ({"engine": "2"}, 0),
                         ({"ending": ending}, 130), ({"ending": "none"}, 0)):
        assert watcher.list_games(query)["count"] == count, query
    watcher.close()


def test_the_page_can_change_nothing() -> None:
    write_match(PATH)
    with watching(PATH) as server:
        for command in ({}, {"do": "create"}, {"do": "follow"}, {"do": "follow", "stream": 5},
                        {"do": "follow", "stream": "none", "tables": []}):
            assert do(server, **command).json["error"]
        assert ask(server, "GET", "").body.count(b"<script") == 1
        assert ask(server, "GET", "board/page.js").status == 404
        assert ask(server, "GET", "", token="x").status == 404
        assert b"latrones-uci watch" in ask(server, "GET", "", token="x").body


# ---------------------------------------------------------------- the commands


def words(fake_command: Command, behaviour: str, *more: str) -> list[str]:
    engines = []
    for name, own in (("A", ("good",)), ("B", (behaviour, 3))):
        engines += ["--engine", f"cmd={join_command(fake_command(*own))}", f"name={name}"]
    return [*engines, "--each", "nodes=1", "--board", "6x6", "--database", str(PATH), *more]


def page_of(line: str) -> bytes:
    with urllib.request.urlopen(line.split()[-1], timeout=20) as answer:
        return bytes(answer.read())


def command(fake_command: Command, *more: str) -> list[str]:
    """Return the command of a match in which an engine thinks without an end."""
    return [*OWN_ENGINE, "match", *words(fake_command, "late", "--openings", "random:0", "--watch", *more)]


@pytest.mark.slow
@pytest.mark.process
def test_a_match_is_watched_until_it_is_killed(fake_command: Command) -> None:
    with subprocess.Popen(command(fake_command, "--concurrency", "2", "--force", "--json"), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as runner:
        assert runner.stderr is not None
        line = next(line for line in runner.stderr if "http" in line)  # standard output has events only
        assert b"Running games" in page_of(line)
        _, _, host, token, _ = line.split()[-1].split("/")
        server = Address(int(host.partition(":")[2]), token)
        viewers = [Events(server, name, "match") for name in ("one", "two")]
        for events in viewers:
            while {board["game"]: board["plies"] for board in events.next("boards")["data"]} != {1: 7, 2: 6}:
                pass
            events.close()
        assert ask(server, "GET", "game.json?game=1").json["finished"] is False
        other = Watcher(PATH)  # of another program: only the match itself reports its games
        other.refresh()
        assert (other.boards, other.list_games({})["count"]) == ([], 0)
        other.close()
        runner.kill()
    waited(lambda: is_refused(line))  # its page is served by another process, which ends after it


def is_refused(line: str) -> bool:
    try:
        page_of(line)
    except (OSError, HTTPException):  # not served, or cut off in the middle
        return True
    return False


@pytest.mark.slow
@pytest.mark.posix  # ends by a signal
@pytest.mark.process
def test_the_option_serves_a_page_until_the_match_ends(fake_command: Command) -> None:
    with subprocess.Popen(command(fake_command), stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout is not None
        line = runner.stdout.readline()
        assert line.startswith("Watch at http://127.0.0.1:")
        assert b"Running games" in page_of(line)
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=60)
    assert runner.returncode == 130
    assert is_refused(line)


@pytest.mark.posix  # ends by a signal
@pytest.mark.process
def test_the_command_shows_a_match_that_is_over(fake_command: Command) -> None:
    assert match_main(words(fake_command, "resign", "--quiet")) == 0
    with subprocess.Popen([*OWN_ENGINE, "watch", str(PATH), "--no-browser"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert b"Finished games" in page_of(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")


def test_watch_waits_for_a_match_that_is_starting(capsys: pytest.CaptureFixture[str]) -> None:
    PATH.touch()
    open_watcher(PATH, "latrones-uci watch", sleep=lambda seconds: write_match(PATH)).close()
    assert capsys.readouterr().err == (
        f"latrones-uci watch: database '{PATH}' is empty: no match has been started; waiting 60 seconds for one\n")


def test_watch_gives_up_after_a_minute() -> None:
    waits: list[float] = []
    PATH.touch()
    with pytest.raises(NoMatchError, match="is empty: no match has been started"):
        open_watcher(PATH, "latrones-uci watch", sleep=waits.append)
    assert sum(waits) == pytest.approx(60)


def test_a_port_in_use_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    write_match(PATH)
    with watching(PATH) as server:
        port = str(server.server_port)
        for arguments in (["watch", str(PATH), "--no-browser", "--port", port], ["match", "--demo", "--watch", port]):
            assert main(arguments) == 2
            assert re.search(rf"\b{port}: .+\n", capsys.readouterr().err)  # what the system says
    assert not Path("demo.db").exists()
