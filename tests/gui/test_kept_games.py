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
from urllib.parse import quote

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.gui import _read_address, _server, gui_config
from latrones_uci.commands.main import main
from latrones_uci.game import SIDE_NAMES
from latrones_uci.match.annotation import parse_judgement
from latrones_uci.match.pgn_read import read_games
from latrones_uci.match.store import Store
from latrones_uci.web.board.game_store import GameStore, KeptGame, StoreUnusableError
from latrones_uci.web.board.kept_games import import_games, kept_of, list_data, restore
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.board.variations import Note
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


@pytest.mark.parametrize(("game", "moves", "count"), [
    (GAME, [], 0), (GAME, MOVES[:1], 1), (GAME, MOVES[:2], 1), (GAME, MOVES, 2),
    ({**GAME, "fen": "6/s5/6/6/S5/D4d b 7 40"}, ["a5b5", "a2b2", "b5c5"], 2),
    ({**GAME, "variant": "bell", "size": "8x7"}, ["S@a1", "S@a2", "S@h7", "S@h6", "S@b1", "S@b2"], 2)])  # two a turn
def test_moves_are_counted_as_in_the_list_of_moves(
    tmp_path: Path, game: dict[str, Any], moves: list[str], count: int
) -> None:
    games = registry(tmp_path / "games.db")
    live = played(games, moves, game)
    listed, = list_data([kept_of(live, games.config)])
    assert (listed["plies"], listed["moves"]) == (len(moves), count)
    games.close()


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
    kept, = (game for game in import_games(text, second.config)[0])
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
        assert "a page shows this game" in do(server, do="delete", records=[shown]).json["error"]
        other = do(server, do="create", game=GAME).json["table"]
        assert do(server, do="open", table=other, record=shown).json == {"table": table}  # not twice
        assert do(server, do="delete", records=[old]).json == {"deleted": 1}
        assert "not kept here" in do(server, do="open", table=table, record=old).json["error"]
        for command in ({"do": "open", "table": table, "record": 5}, {"do": "delete", "records": [old]},
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
        for text, message in (("", "no game found"), ("1. a1a3 *", "line 1"),
                              (PGN.replace("a6a4", "a6b5").replace("rota", "none"), "a6b5")):
            assert message in do(server, do="import", pgn=text).json["error"], text
        assert len(ask(server, "GET", "games.json").json["games"]) == 2
    with serving([fake_engine()]) as server:
        assert "no games are kept" in do(server, do="import", pgn=PGN).json["error"]


def test_one_bad_game_does_not_reject_the_others(tmp_path: Path) -> None:
    """Each rejected game is named by its line in the file, also when only a part of the file was sent."""
    first, second = PGN.split("\n\n[Variant")[0] + "\n", PGN.replace("Club", "Other")
    text = f"{first.replace('a6a4', 'a6b5')}\n{second}\n{first.replace('1-0', '(', 2)}"
    games = registry(tmp_path / "games.db")
    records, rejected = games.import_games(text, 101)
    assert [games.kept_game(record).result for record in records] == ["1-0", "*"]
    assert [message.partition(": ")[0] for message in rejected] == ["line 110", "line 139"]
    games.close()


def numbered(count: int) -> str:
    """Games of players P0, P1 ... against Anna in May 2024, the third of which is a draw."""
    head = PGN.partition("[Termination")[0]
    return "\n".join(head.replace("Bela <b>", f"P{number}").replace("Club", "Cup").replace(
        '[Result "1-0"]', f'[Date "2024.05.{number % 28 + 1:02}"]\n[Result "{"1/2-1/2" if number == 2 else "1-0"}"]')
        + f"\n1. a1a3 a6a4 {'1/2-1/2' if number == 2 else '1-0'}\n" for number in range(count))


def test_all_games_are_listed_in_pages_and_found(tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        records = do(server, do="import", pgn=numbered(620)).json["records"]

        def listed(search: str = "", page: int = 0) -> Any:
            return ask(server, "GET", f"games.json?search={quote(search)}&page={page}").json

        assert len(records) == listed()["found"] == 620
        assert listed()["pages"] == 13
        seen = [game["record"] for page in range(13) for game in listed(page=page)["games"]]
        assert sorted(seen) == sorted(records)
        assert listed(page=99)["page"] == 12
        for search, found in (("p619", 1), ("anna CUP", 620), ("p2 draw", 1), ("\u00bd", 1), ("1-0", 619), ("none", 0),
                              ("latrones", 620), ("2024.05.03 p2", 4), ("100%", 0), ("", 620)):
            assert listed(search)["found"] == found, search
        do(server, do="rename", record=records[7], name="\u00c4rger")
        assert [game["record"] for game in listed("\u00e4RGER")["games"]] == [records[7]]


def test_all_games_are_saved_and_deleted(tmp_path: Path) -> None:
    """*All* are all games that match the search, not those of the displayed page."""
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        do(server, do="import", pgn=numbered(120))
        everything = ask(server, "GET", "games.pgn")
        assert everything.headers["Transfer-Encoding"] == "chunked"
        assert len(list(read_games(everything.body.decode().splitlines()))) == 120
        found = ask(server, "GET", "games.pgn?search=p11").body.decode()  # P11 and P110 to P119
        assert len(list(read_games(found.splitlines()))) == 11
        table = do(server, do="create", game=GAME).json["table"]
        shown = ask(server, "GET", "games.json?search=p110").json["games"][0]["record"]
        do(server, do="open", table=table, record=shown)
        assert "there are 11 games now, not 12" in do(server, do="delete-found", search="p11", count=12).json["error"]
        assert do(server, do="delete-found", search="p11", count=11).json == {"deleted": 10}
        assert ask(server, "GET", "games.json").json["found"] == 110


def test_a_game_that_cannot_be_replayed_is_named_in_the_saved_file(tmp_path: Path) -> None:
    games = registry(tmp_path / "games.db")
    live = played(games)
    kept = kept_of(live, games.config)
    games.kept.save(KeptGame("r", {**kept.settings, "variant": "mine"}, ("Anna", "Bela"), "", kept.plies, kept.fen,
                             None, kept.clocks))
    text = "".join(games.export_games(games.kept.records()))
    assert "; not saved: Anna \u2013 Bela (" in text
    assert len(list(read_games(text.splitlines()))) == 1
    games.close()


def test_a_failed_save_is_reported_and_repeated(tmp_path: Path) -> None:
    """While another program locks the database, the games are found in memory; afterwards they are in the database."""
    path, told = tmp_path / "games.db", list[str]()
    store = GameStore(path, wait_s=0.01)
    games = GameRegistry(gui_config([fake_engine()]), store=store)
    games.broadcaster.show = lambda name, kind, data: told.append(data) if kind == "unsaved" else None  # type: ignore[method-assign]
    blocker = sqlite3.connect(path)
    blocker.execute("BEGIN IMMEDIATE")
    live = played(games)
    waited(lambda: store.problem)
    assert told == ["database is locked"]
    assert games.kept_game(live.record).players == ("Human", "Human")
    assert [game.record for game in store.games()] == store.records("human") == [live.record]
    assert store.records("none") == []
    with pytest.raises(StoreUnusableError, match="cannot change the games: database is locked"):
        store.delete([live.record])
    live.move("b6b4", 3)
    blocker.rollback()
    blocker.close()
    waited(lambda: not store.problem)
    assert told == ["database is locked", ""]
    games.close()
    kept, = GameStore(path).games()
    assert len(kept.plies) == 4


def test_unreadable_games_are_not_an_empty_list(tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        with sqlite3.connect(tmp_path / "games.db") as connection:
            connection.execute("DROP TABLE games")
        connection.close()
        answer = ask(server, "GET", "games.json")
        assert (answer.status, b"cannot read the games: no such table" in answer.body) == (404, True)
        assert "cannot read the games" in do(server, do="open", table=do(server, do="create", game=GAME).json["table"],
                                             record="x").json["error"]


def test_games_of_an_earlier_version_can_be_searched(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    games = registry(path)
    record = played(games).record
    games.close()
    with sqlite3.connect(path) as connection:
        for statement in ("DROP INDEX games_by_words", "ALTER TABLE games DROP COLUMN words", "PRAGMA user_version = 1",
                          "CREATE INDEX games_by_time ON games (updated DESC, record)"):
            connection.execute(statement)
    connection.close()
    store = GameStore(path)
    assert store.records("human LATRONES unfinished") == [record]
    store.close()


def test_a_result_without_a_reason_is_that_of_the_file(tmp_path: Path) -> None:
    games = registry(tmp_path / "games.db")
    text = PGN.partition("[Termination ")[0] + "\n1. a1a3 1-0\n"
    (record,), _ = games.import_games(text)
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
            connection.execute("INSERT INTO games VALUES (?, 0, 0, '', 'latrones', '*', 0, ?, '')",
                               (f"bad{number}", text))
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
                assert json.loads(answer.read())["games"] == []
            process.send_signal(signal.SIGINT)
    assert addresses[0] == addresses[1]
    assert (tmp_path / "latrones-uci" / "games.db").exists()
    assert main(["gui", "--no-browser", "--games", str(tmp_path)]) == 2
    assert f"latrones-uci gui: {tmp_path}: cannot keep games there: " in capsys.readouterr().err
