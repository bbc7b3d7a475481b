"""Games that are kept in a database, and the address that survives a restart."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands import gui
from latrones_uci.commands.gui import _read_address, _server
from latrones_uci.commands.main import main
from latrones_uci.engine import native
from latrones_uci.records.annotation import parse_judgement
from latrones_uci.records.pgn_read import read_games
from latrones_uci.records.store import Store
from latrones_uci.web.board import registry as registry_module
from latrones_uci.web.board.game_store import GameStore, StoreUnusableError
from latrones_uci.web.board.kept_games import kept_of, list_data, restore, statistics_data
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.server import Server
from latrones_uci.web.board.state import render_game_pgn, render_state
from latrones_uci.web.board.variations import Annotation
from latrones_uci.web.lib.page_server import RefusedError
from page_requests import ask, do
from serving import ENGINE, PEOPLE, PERSON, fake_engine, fakes, serving, waited

CLOCKS = {**PEOPLE, "players": [{**PERSON, "base_s": 300, "increment_s": 2}] * 2}
MOVES = ("a1a3", "a6a4", "b1b3")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def server(path: Path) -> Iterator[Server]:
    with serving([fake_engine()], games=path) as started:
        yield started


def registry(path: Path) -> GameRegistry:
    return GameRegistry(fakes(), store=GameStore(path))


def played(games: GameRegistry, moves: tuple[str, ...] = MOVES, game: dict[str, Any] = CLOCKS) -> LiveGame:
    live = games.create(game)
    for ply, text in enumerate(moves):
        live.move(text, ply)
    return live


# ---------------------------------------------------------------- games are restored


def test_a_game_is_as_it_was_after_a_restart(games: GameRegistry, path: Path) -> None:
    live = played(games)
    before, left = render_state(live, games.config), live.clocks.left()
    games.close()
    again = registry(path)
    kept, = again.kept.games()
    assert (kept.record, kept.result, len(kept.plies), kept.players) == (live.record, "*", 3, ("Human", "Human"))
    other = again.create(CLOCKS)
    assert again.open(other.name, live.record) == other.name
    after = render_state(other, again.config)
    for key in ("record", "plies", "fen", "start_fen", "choice", "outcome", "legal"):
        assert after[key] == before[key], key
    assert after["paused"]  # a clock would run
    assert other.clocks.left() == pytest.approx(left, abs=2e9)
    other.pause(False)
    other.move("b6b4", 3)
    assert len(other.plies) == 4
    other.resign()
    text, ended = render_game_pgn(other, again.config), other.outcome
    again.close()
    third = registry(path)
    last = third.create(CLOCKS)
    third.open(last.name, live.record)
    assert last.outcome == ended  # an ended game stays ended
    assert render_game_pgn(last, third.config) == text
    third.close()


def test_two_tabs_that_open_one_kept_game_at_once_show_one_table(
    games: GameRegistry, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = played(games).record
    games.close()
    again = registry(path)
    tables = [again.create(CLOCKS).name for _ in range(2)]
    both, own = threading.Barrier(2), registry_module.restore

    def restore(*arguments: Any) -> None:
        with suppress(threading.BrokenBarrierError):
            both.wait(0.2)  # the second tab, if it gets here as well
        own(*arguments)

    monkeypatch.setattr(registry_module, "restore", restore)
    with ThreadPoolExecutor(2) as executor:
        opened = set(executor.map(lambda table: again.open(table, record), tables))
    assert len(opened) == 1
    assert [again.find(table).record == record for table in tables].count(True) == 1
    again.close()


@pytest.mark.parametrize(("black", "base_s", "move", "end"), [
    (ENGINE, 0, "S@c3", None), (ENGINE, 0, "S@c2", LiveGame.resign), (ENGINE, 0.02, "S@c2", None),
    (PERSON, 0, "S@c2", LiveGame.offer_draw)], ids=["rules", "resignation", "flag", "draw"])
def test_an_undone_end_leaves_the_list_and_the_statistics(
    games: GameRegistry, black: dict[str, Any], base_s: float, move: str, end: Callable[[LiveGame], object] | None
) -> None:
    live = games.create({"variant": "rota", "size": "", "fen": "s2/1S1/S1s[1S1s] w 0 3",
                         "players": [{**PERSON, "base_s": base_s}, black]})
    live.move(move, 0)
    if end is not None:
        end(live)
    waited(lambda: live.outcome is not None)
    kept, = games.kept.games()
    assert (kept.result != "*", len(games.kept.statistics())) == (True, int(black is ENGINE))
    while live.undo_target is not None:
        live.undo()
    kept, = games.kept.games()
    assert (kept.result, kept.plies, games.kept.statistics()) == ("*", (), [])


@pytest.mark.parametrize(("game", "moves", "count"), [
    ({}, (), 0), ({}, MOVES[:1], 1), ({}, MOVES[:2], 1), ({}, MOVES, 2),
    ({"fen": "6/s5/6/6/S5/D4d b 7 40"}, ("a5b5", "a2b2", "b5c5"), 2),
    ({"variant": "bell", "size": "8x7"}, ("S@a1", "S@a2", "S@h7", "S@h6", "S@b1", "S@b2"), 2)])  # two a turn
def test_moves_are_counted_as_in_the_list_of_moves(
    games: GameRegistry, game: dict[str, Any], moves: tuple[str, ...], count: int
) -> None:
    listed, = list_data([kept_of(played(games, moves, {**CLOCKS, **game}), games.config)])
    assert (listed["plies"], listed["moves"]) == (len(moves), count)


@pytest.mark.parametrize(("variant", "fen", "move"), [
    ("rota", "s2/1S1/S1s[1S1s] w 0 3", "S@c3"), ("schaedler", "8/8/8/8/1SbS4/8/8/s7[-] w 0 1", "xc4"),
    ("bell", "8/8/8/8/2Ss4/4S3/8[-] w 0 1", "e2e3")])
def test_wins_by_the_rules_are_kept(games: GameRegistry, variant: str, fen: str, move: str) -> None:
    live = played(games, (move,), {**CLOCKS, "variant": variant, "size": "", "fen": fen})
    assert live.outcome is not None
    other = games.create(PEOPLE)
    restore(other, kept_of(live, games.config), games.config)
    assert other.outcome == live.outcome


def test_a_review_is_kept_and_exported(games: GameRegistry) -> None:
    """A reviewed game, opened again, shows the same review; its PGN is that of an analysed file and brings it along."""
    shown = list[Any]()
    games.broadcaster.show = lambda name, kind, data: shown.append(data) if kind == "review" else None  # type: ignore[method-assign]
    live = played(games)
    live.resign()
    live.variations.played[2].note = Annotation("!", "a good move")
    live.review()
    review = waited(lambda: [data for data in shown if data and "moves" in data])[0]
    waited(lambda: 2 in live.variations.notes)
    text = render_game_pgn(live, games.config)
    assert all(parse_judgement(live.variations.notes[ply].judgement)[0] for ply in range(3))
    assert (live.variations.notes[1].sign, live.variations.notes[1].comment) == ("!", "a good move")
    assert text.split().count("best") == 3
    imported = games.import_games(text).games[0].record
    for record in (live.record, imported):
        other = games.create(CLOCKS)
        restore(other, games.kept_game(record), games.config)
        other.show_state()
        assert (shown[-1]["plies"], shown[-1]["scores"]) == (3, review["scores"])
        assert json.dumps(shown[-1]) == json.dumps(review) or record != live.record
        assert other.variations.notes[1].comment == "a good move"
        assert render_game_pgn(other, games.config) == text or record != live.record


@pytest.mark.parametrize(("change", "message"), [
    ({"variant": "mine"}, "unknown variant 'mine'"), ({"size": "8x8"}, "cannot be replayed")])
def test_a_game_that_cannot_be_replayed_is_refused(games: GameRegistry, change: dict[str, str], message: str) -> None:
    live = played(games)
    kept = kept_of(live, games.config)
    bad = replace(kept, record="r", players=("Anna", "Bela"), settings={**kept.settings, **change})
    with pytest.raises(RefusedError, match=message):
        restore(live, bad, games.config)
    assert [note.notation for note in live.plies] == ["a1-a3", "a6-a4", "b1-b3"]
    games.kept.save(bad)
    text = "".join(games.export_games(games.kept.records()))
    assert "; not saved: Anna \u2013 Bela (" in text  # in the saved file it is named
    assert len(list(read_games(text.splitlines()))) == 1


# ---------------------------------------------------------------- the list of games


def test_games_are_kept_listed_named_and_deleted(server: Server) -> None:
    table = do(server, do="create", game=CLOCKS).json["table"]
    live = server.registry.find(table)
    do(server, do="move", table=table, move="a1a3", ply=0)
    old = live.record
    do(server, do="restart", table=table, game=CLOCKS)
    do(server, do="move", table=table, move="b1b3", ply=0)
    assert live.record != old
    listed = ask(server, "GET", "games.json").json
    assert (listed["kept"], {game["record"] for game in listed["games"]}) == (True, {old, live.record})
    assert b"<svg" in ask(server, "GET", f"kept.svg?record={old}").body
    assert do(server, do="rename", record=old, name=" My\ngame <b> ").json == {}
    names = {game["record"]: game["name"] for game in ask(server, "GET", "games.json").json["games"]}
    assert names[old] == "My game <b>"
    other = do(server, do="create", game=CLOCKS).json["table"]
    assert do(server, do="open", table=other, record=live.record).json == {"table": table}  # not twice
    assert "a page shows this game" in do(server, do="delete", records=[live.record]).json["error"]
    assert do(server, do="delete", records=[old]).json == {"deleted": 1}
    assert "not kept here" in do(server, do="open", table=table, record=old).json["error"]
    for command in ({"do": "open", "table": table, "record": 5}, {"do": "delete", "records": [old]},
                    {"do": "rename", "record": "x", "name": "y"}, {"do": "open", "table": "x", "record": live.record}):
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


def test_games_of_a_pgn_file_are_kept_and_opened(server: Server) -> None:
    records = do(server, do="import", pgn=PGN).json["records"]
    listed = {game["record"]: game for game in ask(server, "GET", "games.json").json["games"]}
    assert [listed[record]["result"] for record in records] == ["1-0", "*"]
    assert listed[records[0]]["name"] == "Anna \u2013 Bela <b> (Club)"
    table = do(server, do="create", game=CLOCKS).json["table"]
    do(server, do="open", table=table, record=records[0])
    state = render_state(server.registry.find(table), server.registry.config)
    assert [player["name"] for player in state["players"]] == ["Anna", "Bela <b>"]
    assert (state["outcome"]["winner"], state["outcome"]["reason"]) == (0, "Black resigned")
    assert [ply["text"] for ply in state["plies"]] == list(MOVES)
    assert "no game found" in do(server, do="import", pgn="").json["error"]
    bad = PGN.replace("a6a4", "a6b5").replace("rota", "none")
    for text, message in (("1. a1a9 *", "game 1, line 1: "), (bad, "a6b5")):
        found = do(server, do="import", pgn=text).json
        assert message in found["rejected"][0], text
        assert (found["records"], found["again"]) == ([], 0)
    assert len(ask(server, "GET", "games.json").json["games"]) == 2
    with serving([fake_engine()]) as other:
        assert "no games are kept" in do(other, do="import", pgn=PGN).json["error"]


def test_one_bad_game_does_not_reject_the_others(games: GameRegistry) -> None:
    """Each rejected game is named by its number and line in the file; games need no tag Event."""
    first, second = PGN.split("\n\n[Variant")[0] + "\n", PGN.replace("Club", "Other")
    text = f"{first.replace('a6a4', 'a6b5')}\n{second}\n{first.replace('1-0', '(', 2)}\n{second}"
    for tagged in (text, text.replace("[Event ", "[Site ")):
        found = games.import_games(tagged)
        assert len(found.games) + found.again == 4
        assert [game.result for game in found.games] == ["1-0", "*"] * 2 if tagged == text else ["1-0"] * 2
        assert [message.partition(": ")[0] for message in found.rejected] == ["game 1, line 10", "game 4, line 40"]


def test_a_file_of_any_length_is_imported_in_parts(server: Server) -> None:
    """The parts may begin and end anywhere, also within a comment that looks like a game."""
    game = PGN.partition("\n[Variant \"rota")[0].replace("a6a4", 'a6a4 {\n[Event "x"]\n' + "long words " * 30 + "}")
    text = "".join(game.replace("Anna", f"Anna {number}") for number in range(8)).replace("\n", "\r\n")
    for size in (97, 1000, len(text)):
        answers = [do(server, do="import", pgn=text[at : at + size], key=f"k{size}", first=at == 0,
                      last=at + size >= len(text)).json for at in range(0, len(text), size)]
        records = [record for answer in answers for record in answer["records"]]
        again = sum(answer["again"] for answer in answers)
        assert (len(records), again) == ((8, 0) if size == 97 else (0, 8))
        assert not any(answer["rejected"] for answer in answers)
    late = do(server, do="import", pgn="*", key="new", first=False, last=True).json
    assert "import the file again" in late["error"]


def test_a_file_that_is_imported_again_is_recognised(games: GameRegistry) -> None:
    """Equal games within one file are different ones; a game with other notes is another one."""
    equal = PGN + PGN
    assert [len(games.import_games(equal).games), games.import_games(equal).again] == [4, 4]
    renamed, *_ = games.kept.records()
    games.kept.rename(renamed, "My name")
    found = games.import_games(equal + PGN.replace("+0.10/5 0.1s", "good"))
    assert (len(found.games), found.again) == (2, 4)  # the game of Rota is there a third time
    assert games.kept_game(renamed).name == "My name"
    games.delete([renamed])
    assert [game.record for game in games.import_games(equal).games] == [renamed]


def test_the_result_after_the_moves_is_enough(games: GameRegistry) -> None:
    found = games.import_games('[Variant "latrones"]\n\n1. d1d5 0-1\n')
    assert [game.result for game in found.games] == ["0-1"]
    assert "".join(games.export_games([found.games[0].record])) == (
        '[Variant "latrones"]\n[Result "0-1"]\n\n1. d1d5 0-1\n\n')


def test_a_result_without_a_reason_is_that_of_the_file(games: GameRegistry) -> None:
    record = games.import_games(PGN.partition("[Termination ")[0] + "\n1. a1a3 1-0\n").games[0].record
    live = games.create(CLOCKS)
    games.open(live.name, record)
    assert live.outcome is not None
    assert (live.outcome.winner, live.outcome.details) == (0, "the result in the file")


def numbered(count: int) -> str:
    """Games of players P0, P1 ... against Anna in May 2024, the third of which is a draw."""
    head = PGN.partition("[Termination")[0]
    return "\n".join(head.replace("Bela <b>", f"P{number}").replace("Club", "Cup").replace(
        '[Result "1-0"]', f'[Date "2024.05.{number % 28 + 1:02}"]\n[Result "{"1/2-1/2" if number == 2 else "1-0"}"]')
        + f"\n1. a1a3 a6a4 {'1/2-1/2' if number == 2 else '1-0'}\n" for number in range(count))


def test_all_games_are_listed_found_saved_and_deleted(server: Server) -> None:
    """*All* are all games that match the search, not those of the displayed page."""
    records = do(server, do="import", pgn=numbered(120)).json["records"]

    def listed(search: str = "", page: int = 0) -> Any:
        return ask(server, "GET", f"games.json?search={quote(search)}&page={page}").json

    assert (len(records), listed()["found"], listed()["pages"]) == (120, 120, 3)
    seen = [game["record"] for page in range(3) for game in listed(page=page)["games"]]
    assert sorted(seen) == sorted(records)
    assert listed(page=99)["page"] == 2
    for search, found in (("p119", 1), ("anna CUP", 120), ("p2 draw", 1), ("\u00bd", 1), ("1-0", 119), ("none", 0),
                          ("latrones", 120), ("2024.05.03 p2", 1), ("100%", 0), ("", 120)):
        assert listed(search)["found"] == found, search
    do(server, do="rename", record=records[7], name="\u00c4rger")
    assert [game["record"] for game in listed("\u00e4RGER")["games"]] == [records[7]]
    everything = ask(server, "GET", "games.pgn")
    assert everything.headers["Transfer-Encoding"] == "chunked"
    assert len(list(read_games(everything.body.decode().splitlines()))) == 120
    found = ask(server, "GET", "games.pgn?search=p11").body.decode()  # P11 and P110 to P119
    assert len(list(read_games(found.splitlines()))) == 11
    table = do(server, do="create", game=CLOCKS).json["table"]
    do(server, do="open", table=table, record=listed("p110")["games"][0]["record"])
    assert "there are 11 games now, not 12" in do(server, do="delete-found", search="p11", count=12).json["error"]
    assert do(server, do="delete-found", search="p11", count=11).json == {"deleted": 10}
    assert listed()["found"] == 110


def test_the_score_against_each_level(games: GameRegistry, path: Path) -> None:
    """The winner is looked at, not the colour; unfinished games, those of two humans and of files do not count."""
    human, engine = {**PERSON, "name": "Anna"}, {"kind": "engine", "limit": "depth", "depth": 1, "level": 0}
    sample = kept_of(played(games), games.config)
    over = ("1-0", "resignation", "", 0)

    def kept(number: int, players: list[dict[str, Any]], names: tuple[str, str], outcome: Any, **more: Any) -> None:
        settings = {**sample.settings, "players": players, **more}
        games.kept.save(replace(sample, record=f"r{number}", settings=settings, players=names, outcome=outcome))

    kept(0, [human, engine], ("Anna", "Fake Miles (71)"), over)
    kept(1, [engine, human], ("Fake Miles (99)", "Anna"), over)
    kept(2, [human, engine], ("Anna", "Fake Miles"), ("1/2-1/2", "adjudication", "draw agreed", None))
    kept(3, [human, engine], ("Anna", "Fake Tiro"), ("0-1", "resignation", "", 1))
    kept(4, [human, engine], ("Anna", "Fake Tiro"), None)
    kept(5, [human, human], ("Anna", "Bela"), over)
    kept(6, [engine, engine], ("Fake", "Fake"), over)
    kept(7, [human, engine], ("Anna", "Fake"), over, variant="mine")
    expected = [("latrones", "Fake Miles", 1, 1, 1), ("latrones", "Fake Tiro", 0, 0, 1), ("mine", "Fake", 1, 0, 0)]
    assert games.kept.statistics() == expected
    assert games.kept.statistics("tiro 0-1") == expected[1:2]
    assert games.kept.statistics("bela") == []
    assert games.kept.statistics('opponent:"fake"') == expected[2:]  # not the levels of Fake
    assert games.kept.statistics('game:LATRONES opponent:"Fake Miles"') == expected[:1]
    assert len(games.kept.games("game:latrones opponent:none")) == 0
    for search, count in (("won", 2), ("lost", 2), ("drawn", 1), ("resigned", 6), ("time", 0), ("opponent:tiro", 2),
                          ("won opponent:miles", 1), ("mate", 0)):
        assert games.kept.count(search) == count, search
    games.kept.save(replace(sample, record="r8", outcome=("1-0", "normal", "dux captured", 0)))
    assert [game.record for game in games.kept.games("mate")] == ["r8"]
    assert games.kept.delete(["r8"]) == 1
    assert len(games.kept.games('game:mine players:x')) == 0  # a word like any other
    rows = statistics_data(games.kept, "", games.config)
    assert [(row["title"], row["opponent"]) for row in rows] == [
        ("Latrones", "Fake Tiro"), ("Latrones", "Fake Miles"), ("mine", "Fake")]  # by level
    games.close()
    change(path, "DROP INDEX games_listed", "ALTER TABLE games DROP COLUMN opponent",
           "ALTER TABLE games DROP COLUMN points", "PRAGMA user_version = 2")
    store = GameStore(path)  # of an earlier version
    assert store.statistics() == expected
    store.close()


def test_of_ten_thousand_games_a_page_is_read_and_sent(server: Server, path: Path) -> None:
    do(server, do="import", pgn=PGN)
    row = "record || n, created, updated - n, name, variant, result, plies, data, words || n, opponent, points"
    change(path, "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)"
                 f" INSERT INTO games SELECT {row} FROM games, numbers")
    for search, found in (("", 10002), ("anna 4999", 1), ("rota", 5001)):
        listed = ask(server, "GET", f"games.json?page=1&search={quote(search)}")
        assert (listed.json["found"], len(listed.json["games"])) == (found, 50 if found > 50 else 1)
        assert len(listed.body) < 50_000
    with sqlite3.connect(path) as connection:
        for query in ("SELECT record FROM games ORDER BY updated DESC, record",
                      "SELECT variant, opponent, SUM(points = 1) FROM games WHERE instr(words, 'x')"
                      " GROUP BY variant, opponent"):
            plan = " ".join(str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {query}"))
            assert "USING COVERING INDEX games_listed" in plan, plan
    connection.close()


# ---------------------------------------------------------------- the database


@pytest.mark.long
def test_a_failed_save_is_reported_and_repeated(path: Path) -> None:
    """While another program locks the database, the games are found in memory; afterwards they are in the database."""
    told, store = list[str](), GameStore(path, wait_s=0.01)
    games = GameRegistry(fakes(), store=store)
    games.broadcaster.show = lambda name, kind, data: told.append(data) if kind == "unsaved" else None  # type: ignore[method-assign]
    blocker = sqlite3.connect(path)
    blocker.execute("BEGIN IMMEDIATE")
    live = played(games)
    waited(lambda: store.problem)
    assert told == ["database is locked"]
    assert games.kept_game(live.record).players == ("Human", "Human")
    assert [game.record for game in store.games()] == store.records("human") == [live.record]
    assert store.records("none") == store.records("opponent:x") == []
    assert store.records("game:latrones") == [live.record]
    with pytest.raises(StoreUnusableError, match="cannot change the games: database is locked"):
        store.delete([live.record])
    live.move("b6b4", 3)
    blocker.close()
    waited(lambda: not store.problem)
    assert told == ["database is locked", ""]
    games.close()
    kept, = GameStore(path).games()
    assert len(kept.plies) == 4


def change(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_unreadable_games_are_not_an_empty_list(server: Server, path: Path) -> None:
    change(path, "DROP TABLE games")
    answer = ask(server, "GET", "games.json")
    assert (answer.status, b"cannot read the games: no such table" in answer.body) == (404, True)
    table = do(server, do="create", game=CLOCKS).json["table"]
    assert "cannot read the games" in do(server, do="open", table=table, record="x").json["error"]


def test_games_of_an_earlier_version_can_be_searched(games: GameRegistry, path: Path) -> None:
    record = played(games).record
    games.close()
    change(path, "DROP INDEX games_listed", *(f"ALTER TABLE games DROP COLUMN {column}" for column in (
        "words", "opponent", "points")), "PRAGMA user_version = 1",
        "CREATE INDEX games_by_time ON games (updated DESC, record)")
    store = GameStore(path)
    assert store.records("human LATRONES unfinished") == [record]
    assert store.statistics() == []
    store.close()


def test_damaged_rows_are_left_out(games: GameRegistry, path: Path) -> None:
    played(games)
    games.close()
    for number, text in enumerate(["", "{}", "[]", "null", '{"plies": [[1]]}',
                                     '{"plies": [], "outcome": null, "players": [1, 2], "clocks": [1, 2], "title": "",'
                                     ' "fen": "", "settings": {"variant": "latrones", "players": [{}]}}']):
        change(path, f"INSERT INTO games VALUES ('bad{number}', 0, 0, '', 'latrones', '*', 0, '{text}', '', '', 0)")
    store = GameStore(path)
    assert len(store.games()) == 1
    assert store.find("bad0") is store.find("bad5") is None
    store.close()


def test_other_files_stay_as_they_are(path: Path) -> None:
    text, other, match = (path.with_name(f"{name}.db") for name in ("text", "other", "match"))
    text.write_text("not a database at all, but long enough to be looked at" * 20)
    change(other, "CREATE TABLE other (x)")
    Store(match, writing=True).close()
    for file, problem in ((text, "text.db: cannot keep games there"), (other, "another database"),
                          (match, "another database, such as that of a match; expected a new file")):
        before = file.read_bytes()
        with pytest.raises(StoreUnusableError, match=problem):
            GameStore(file)
        assert file.read_bytes() == before


# ---------------------------------------------------------------- the address


def test_the_address_is_kept_and_private(path: Path) -> None:
    address = path.with_name("games.db-page")
    first, second = (_server(fakes(), GameStore(path), None) for _ in range(2))  # the second while the first runs
    assert sys.platform == "win32" or address.stat().st_mode & 0o777 == 0o600
    assert (second.server_port, second.token) != (first.server_port, first.token)
    assert _read_address(address) == (first.server_port, first.token)
    for server in (first, second):
        server.registry.close()
        server.server_close()
    again = _server(fakes(), GameStore(path), None)
    assert again.url == first.url
    again.registry.close()
    again.server_close()
    if sys.platform != "win32":  # where the folder is private
        address.chmod(0o644)  # others may have read it, so it is not used again
        assert _read_address(address) == (None, None)
        address.chmod(0o600)
    for text in ("", "[]", '{"port": 1}', json.dumps({"port": 8000, "token": "short"}),
                 json.dumps({"port": True, "token": "x" * 32}), json.dumps({"port": 8000, "token": "../" * 12})):
        address.write_text(text)
        assert _read_address(address) == (None, None)


@pytest.mark.process
def test_the_command_serves_until_it_is_interrupted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It keeps the games in the data folder."""
    addresses = []
    for _ in range(2):
        with subprocess.Popen([*OWN_ENGINE, "gui", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, **dict.fromkeys(("XDG_DATA_HOME", "LOCALAPPDATA"),
                                                                            str(tmp_path))}) as process:
            assert process.stdout is not None
            addresses.append(process.stdout.readline().split()[-1])
            for path, part in (("", b"<title>Latrones</title>"), ("games.json", b'"games":[]')):
                with urllib.request.urlopen(f"{addresses[-1]}{path}", timeout=20) as answer:
                    assert part in answer.read().replace(b" ", b"")
            if sys.platform == "win32":
                process.kill()  # Ctrl+C needs a console
            else:
                process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        assert errors == "" or not native.is_compiled()
        assert sys.platform == "win32" or process.returncode == 0
    assert addresses[0] == addresses[1]
    assert (tmp_path / "latrones-uci" / "games.db").exists()
    assert main(["gui", "--no-browser", "--games", str(tmp_path)]) == 2
    assert f"latrones-uci gui: {tmp_path}: cannot keep games there: " in capsys.readouterr().err


def test_a_missing_core_is_noted_once_for_each_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def noted(store: GameStore | None) -> str:
        gui._note_missing_core("latrones-uci gui", store)
        return capsys.readouterr().err

    monkeypatch.setattr(native, "is_compiled", lambda: False)
    monkeypatch.setattr(native, "why_not_compiled", lambda: "no C++ compiler was found")
    line = ("latrones-uci gui: the engine is many times slower than it can be, because there is no compiled core:"
            " no C++ compiler was found\n")
    store = GameStore(tmp_path / "games.db")
    assert [noted(store), noted(store), noted(None)] == [line, "", line]
    monkeypatch.setattr(native, "is_compiled", lambda: True)
    assert noted(None) == ""
    store.close()
