"""Games that are kept in a database, and the address that survives a restart."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.analysis.annotation import parse_judgement
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.gui import _read_address, _server, gui_config
from latrones_uci.commands.main import main
from latrones_uci.game import SIDE_NAMES
from latrones_uci.gui.game_store import GameStore, KeptGame, StoreUnusableError
from latrones_uci.gui.kept_games import import_games, kept_of, restore
from latrones_uci.gui.registry import GameRegistry
from latrones_uci.gui.state import render_game_pgn, render_state
from latrones_uci.gui.variations import Note
from latrones_uci.records.store import Store
from latrones_uci.web.page_server import RefusedError
from page_requests import ask, do
from serving import fake_engine, serving, waited

PERSON = {"kind": "person", "base_s": 300, "increment_s": 2}
GAME = {"variant": "latrones", "size": "6x6", "players": [PERSON, PERSON]}
MOVES = ["a1a3", "a6a4", "b1b3"]


def registry(path: Path) -> GameRegistry:
    return GameRegistry(gui_config([fake_engine()]), store=GameStore(path))


def played(games: GameRegistry, moves: list[str] = MOVES, game: dict[str, Any] = GAME) -> Any:
    live = games.create(game)
    for ply, text in enumerate(moves):
        live.move(text, ply)
    return live


def test_a_game_is_as_it_was_after_a_restart(tmp_path: Path) -> None:
    first = registry(tmp_path / "games.db")
    live = played(first)
    before = render_state(live, first.config)
    record, left = live.record, live.clocks.left()
    first.close()
    second = registry(tmp_path / "games.db")
    kept, = second.store.games() if second.store else ()
    assert (kept.record, kept.result, len(kept.plies), kept.players) == (record, "*", 3, ("Human", "Human"))
    other = second.create(GAME)
    assert second.open(other.name, record) == other.name
    after = render_state(other, second.config)
    for key in ("record", "plies", "fen", "start_fen", "choice", "outcome", "legal"):
        assert after[key] == before[key], key
    assert after["paused"]  # a clock would run
    restored = other.clocks.left()
    assert all(now is not None and then is not None and abs(now - then) < 2e9
               for now, then in zip(restored, left, strict=True))
    other.pause(False)
    other.move("b6b4", 3)
    assert len(other.plies) == 4
    second.close()


def test_an_ended_game_stays_ended(tmp_path: Path) -> None:
    first = registry(tmp_path / "games.db")
    live = played(first)
    live.resign()
    text = render_game_pgn(live, first.config)
    record = live.record
    first.close()
    second = registry(tmp_path / "games.db")
    other = second.create(GAME)
    second.open(other.name, record)
    assert other.outcome is not None
    assert other.outcome.details == f"{SIDE_NAMES[1]} resigned"
    assert render_game_pgn(other, second.config) == text
    second.close()


@pytest.mark.parametrize("variant", ["rota", "schaedler", "bell"])
def test_wins_by_the_rules_are_kept(tmp_path: Path, variant: str) -> None:
    games = registry(tmp_path / "games.db")
    fens = {"rota": ("s2/1S1/S1s[1S1s] w 0 3", "S@c3"), "schaedler": ("8/8/8/8/1SbS4/8/8/s7[-] w 0 1", "xc4"),
            "bell": ("8/8/8/8/2Ss4/4S3/8[-] w 0 1", "e2e3")}  # fmt: skip
    fen, move = fens[variant]
    live = played(games, [move], {**GAME, "variant": variant, "size": "", "fen": fen})
    assert live.outcome is not None
    kept = kept_of(live, games.config)
    other = games.create(GAME)
    restore(other, kept, games.config)
    assert other.outcome == live.outcome
    games.close()


@pytest.mark.process
def test_a_review_is_kept_and_exported(tmp_path: Path) -> None:
    """A reviewed game, opened again, shows the same review; its PGN is that of an analysed file and brings it along."""
    first, shown = registry(tmp_path / "games.db"), list[Any]()
    live = played(first)
    live.resign()
    live.variations.notes[1] = Note("!", "a good move")
    live._show = lambda name, kind, data: shown.append(data) if kind == "review" else None
    live.review()
    review = waited(lambda: [data for data in shown if "moves" in data])[0]
    waited(lambda: 2 in live.variations.notes)
    text, record = render_game_pgn(live, first.config), live.record
    assert all(parse_judgement(live.variations.notes[ply].judgement)[0] for ply in range(3))
    assert (live.variations.notes[1].sign, live.variations.notes[1].comment) == ("!", "a good move")
    assert text.split().count("best") == 3
    first.close()
    second = registry(tmp_path / "games.db")
    other = second.create(GAME)
    second.open(other.name, record)
    kept, = (game for game in import_games(text, second.config))
    imported = second.create(GAME)
    restore(imported, kept, second.config)
    for each in (other, imported):
        shown.clear()
        each._show = lambda name, kind, data: shown.append(data) if kind == "review" else None
        each.show_state()
        assert (shown[-1]["plies"], shown[-1]["scores"]) == (3, review["scores"])
        if each is other:
            assert json.dumps(shown[-1]) == json.dumps(review)
        assert each.variations.notes[1].comment == "a good move"
    assert render_game_pgn(other, second.config) == text
    second.close()


def test_a_new_game_keeps_the_old_one(tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        table = do(server, do="create", game=GAME).json["table"]
        do(server, do="move", table=table, move="a1a3", ply=0)
        old = server.registry.find(table).record
        do(server, do="restart", table=table, game=GAME)
        assert server.registry.find(table).record != old
        do(server, do="move", table=table, move="b1b3", ply=0)
        listed = ask(server, "GET", "games.json").json
        assert listed["kept"] is True
        assert {game["record"] for game in listed["games"]} == {old, server.registry.find(table).record}
        assert b"<svg" in ask(server, "GET", f"kept.svg?record={old}").body
        assert do(server, do="rename", record=old, name=" My\ngame <b> ").json == {}
        names = {game["record"]: game["name"] for game in ask(server, "GET", "games.json").json["games"]}
        assert names[old] == "My game <b>"
        shown = server.registry.find(table).record
        assert "a page shows this game" in do(server, do="delete", record=shown).json["error"]
        other = do(server, do="create", game=GAME).json["table"]
        assert do(server, do="open", table=other, record=shown).json == {"table": table}  # not twice
        assert do(server, do="delete", record=old).json == {}
        assert "not kept here" in do(server, do="open", table=table, record=old).json["error"]
        for command in ({"do": "open", "table": table, "record": 5}, {"do": "delete", "record": old},
                        {"do": "rename", "record": "x", "name": "y"}, {"do": "open", "table": "x", "record": shown}):
            assert do(server, **command).json["error"]


PGN = """[Event "Club"]
[White "Anna"]
[Black "Bela <b>"]
[Variant "latrones"]
[FEN "ssssss/2d3/6/6/3D2/SSSSSS w 0 1"]
[Result "1-0"]
[Termination "resignation"]
[TerminationDetails "Black resigned"]

1. a1a3 {+0.10/5 0.1s} a6a4 2. b1b3 1-0

[Variant "rota"]
[FEN "3/3/3[3S3s] w 0 1"]
[Result "*"]

1. S@b2 *
"""


def test_games_of_a_pgn_file_are_kept_and_opened(tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        records = do(server, do="import", pgn=PGN).json["records"]
        listed = {game["record"]: game for game in ask(server, "GET", "games.json").json["games"]}
        assert [listed[record]["result"] for record in records] == ["1-0", "*"]
        assert listed[records[0]]["name"] == "Anna \u2013 Bela <b> (Club)"
        table = do(server, do="create", game=GAME).json["table"]
        do(server, do="open", table=table, record=records[0])
        live = server.registry.find(table)
        state = render_state(live, server.registry.config)
        assert [player["name"] for player in state["players"]] == ["Anna", "Bela <b>"]
        assert (state["outcome"]["winner"], state["outcome"]["reason"]) == (0, "Black resigned")
        assert [ply["text"] for ply in state["plies"]] == ["a1a3", "a6a4", "b1b3"]
        for text, message in (("", "no game found"), ("1. a1a3 *", "line 1"), (PGN.replace("a6a4", "a6b5"), "a6b5"),
                              (PGN.replace("rota", "none"), "none"), (PGN + "(", "line")):  # fmt: skip
            assert message in do(server, do="import", pgn=text).json["error"], text
        assert len(ask(server, "GET", "games.json").json["games"]) == 2
    with serving([fake_engine()]) as server:
        assert "no games are kept" in do(server, do="import", pgn=PGN).json["error"]


def test_a_result_without_a_reason_is_that_of_the_file(tmp_path: Path) -> None:
    games = registry(tmp_path / "games.db")
    text = PGN.partition("[Termination ")[0] + "\n1. a1a3 1-0\n"
    record, = games.import_games(text)
    live = games.create(GAME)
    games.open(live.name, record)
    assert live.outcome is not None
    assert (live.outcome.winner, live.outcome.details) == (0, "the result in the file")
    games.close()


def test_games_of_variants_that_are_gone_are_refused(tmp_path: Path) -> None:
    games = registry(tmp_path / "games.db")
    live = played(games)
    kept = kept_of(live, games.config)
    other = KeptGame("r", {**kept.settings, "variant": "mine"}, kept.players, kept.title, kept.plies, kept.fen, None,
                     kept.clocks)
    with pytest.raises(RefusedError, match="unknown variant 'mine'"):
        restore(live, other, games.config)
    wrong = KeptGame("r", {**kept.settings, "size": "8x8"}, kept.players, kept.title, kept.plies, kept.fen, None,
                     kept.clocks)
    with pytest.raises(RefusedError, match="cannot be replayed"):
        restore(live, wrong, games.config)
    assert [note.notation for note in live.plies] == ["a1-a3", "a6-a4", "b1-b3"]
    games.close()


def test_damaged_rows_and_other_databases(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    games = registry(path)
    played(games)
    games.close()
    with sqlite3.connect(path) as connection:
        for number, text in enumerate(["", "{}", "[]", "null", '{"plies": [[1]]}']):
            connection.execute("INSERT INTO games VALUES (?, 0, 0, '', 'latrones', '*', 0, ?)", (f"bad{number}", text))
    connection.close()
    store = GameStore(path)
    assert len(store.games()) == 1
    assert store.find("bad0") is None
    store.close()
    (tmp_path / "text.db").write_text("not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(StoreUnusableError, match="text.db: cannot keep games there"):
        GameStore(tmp_path / "text.db")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(StoreUnusableError, match="another database"):
        GameStore(tmp_path / "other.db")


def test_the_database_of_a_match_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    Store(path, writing=True).close()
    before = path.read_bytes()
    with pytest.raises(StoreUnusableError, match="another database, such as that of a match; expected a new file"):
        GameStore(path)
    assert path.read_bytes() == before
    Store(path, writing=True).close()


def test_the_address_is_kept_and_private(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    first = _server(gui_config([fake_engine()]), GameStore(path), None)
    address = tmp_path / "games.db-page"
    assert address.stat().st_mode & 0o777 == 0o600
    second = _server(gui_config([fake_engine()]), GameStore(path), None)  # while the first one runs
    assert (second.server_port, second.token) != (first.server_port, first.token)
    assert _read_address(address) == (first.server_port, first.token)
    for server in (first, second):
        server.registry.close()
        server.server_close()
    again = _server(gui_config([fake_engine()]), GameStore(path), None)
    assert again.url == first.url
    again.registry.close()
    again.server_close()
    address.chmod(0o644)  # others may have read it, so it is not used again
    assert _read_address(address) == (None, None)
    for text in ("", "[]", '{"port": 1}', json.dumps({"port": 8000, "token": "short"}),
                 json.dumps({"port": True, "token": "x" * 32}), json.dumps({"port": 8000, "token": "../" * 12})):
        address.unlink()
        address.write_text(text)
        address.chmod(0o600)
        assert _read_address(address) == (None, None)


@pytest.mark.process
def test_the_command_keeps_games_in_the_data_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    command = [*OWN_ENGINE, "gui", "--no-browser"]
    addresses = []
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            addresses.append(process.stdout.readline().split()[-1])
            with urllib.request.urlopen(f"{addresses[-1]}games.json", timeout=20) as answer:
                assert json.loads(answer.read()) == {"kept": True, "games": []}
            process.send_signal(signal.SIGINT)
    assert addresses[0] == addresses[1]
    assert (tmp_path / "latrones-uci" / "games.db").exists()
    assert main(["gui", "--no-browser", "--games", str(tmp_path)]) == 2
    assert f"latrones-uci gui: {tmp_path}: cannot keep games there: " in capsys.readouterr().err
