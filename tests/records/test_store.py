import dataclasses
import os
import sqlite3
from pathlib import Path

import pytest

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import EngineFault
from latrones_uci.commands.main import main
from latrones_uci.game import Outcome, Termination
from latrones_uci.match.database import settings_to_resume, stored_games, stored_settings
from latrones_uci.match.serialize import serialize
from latrones_uci.match.store import Store, StoredEngine, StoredOpening, StoreError
from match_records import SETTINGS, START, played_record, ply, record

ENGINES = [StoredEngine(name, f"{name} 1.0", "me", (name.lower(),), "00ff", "123") for name in "AB"]
OPENINGS = [StoredOpening(0, number, START.fen(), ("a1a2",) if number else None) for number in range(3)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.db"
    with Store(path, writing=True) as store:
        store.begin(serialize(SETTINGS), ENGINES, "2024-05-31T12:00:00Z", "test")
        store.add_openings(OPENINGS)
    return path


def test_a_new_database_knows_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "new.db", writing=True) as store:
        assert store.settings() is None
        assert (store.engines(), store.openings(), list(store.games())) == ([], [], [])
    message = "no match has been started"
    with Store(tmp_path / "new.db", writing=False) as store, pytest.raises(StoreError, match=message):
        stored_settings(store)


def test_games_come_back_as_they_went(path: Path) -> None:
    records = [
        played_record(2),
        record(3, 1, Termination.CRASH, ply(0, 1, 2, 3, None), details="White: gone",
               fault=EngineFault(-11, ("oh", "dear")), violations=("White: x", "Black: y")),
        record(5, 0, Termination.TIME_LOSS, offence=ply(1, 103, 100, -3, 8)),
    ]  # fmt: skip
    with Store(path, writing=True) as store:
        for each in reversed(records):
            store.add_game(each)
    with Store(path, writing=False) as store:
        assert (store.engines(), store.openings(), store.created()) == (ENGINES, OPENINGS, "2024-05-31T12:00:00Z")
        assert stored_settings(store) == SETTINGS
        assert list(stored_games(store, SETTINGS)) == records
        assert [game.fixture.number for game in store.games(with_plies=False)] == [2, 3, 5]


def test_a_verdict_stays(path: Path) -> None:
    with Store(path, writing=True) as store:
        assert store.verdict() == ""
        store.add_games([], "H1")
    with Store(path, writing=False) as store:
        assert store.verdict() == "H1"


def test_numbers_beyond_64_bits_are_cut(path: Path) -> None:
    absurd = dataclasses.replace(ply(0, 1, 2, 3, 4), info=dataclasses.replace(ply(0, 1, 2, 3, 4).info, nodes=10**30))
    with Store(path, writing=True) as store:
        store.add_game(record(1, 0, Termination.DECIDED, ply(0, 1, 2, 3, 4), absurd, ply(0, 1, 2, 3, 5)))
        (game,) = stored_games(store, SETTINGS)
    assert [ply.info.nodes for ply in game.game.plies] == [4, 2**63 - 1, 5]


def test_a_game_is_written_whole_or_not_at_all(path: Path) -> None:
    with Store(path, writing=True) as store:
        store.add_game(played_record(1))
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add_game(record(1, 0))
        broken = dataclasses.replace(ply(0, 1, 2, 3, 4), side=None)  # type: ignore[arg-type]
        with pytest.raises(StoreError, match="NOT NULL"):
            store.add_game(record(2, 0, Termination.DECIDED, broken))
        assert list(stored_games(store, SETTINGS)) == [played_record(1)]


def test_games_of_one_transaction_are_written_with_their_verdict_or_not_at_all(path: Path) -> None:
    with Store(path, writing=True) as store:
        store.add_games([played_record(1), played_record(2)])
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add_games([record(3, 0), record(2, 0)], "H1")
        assert (store.game_numbers(), store.verdict()) == ([1, 2], "")
        store.add_games([record(3, 0), record(4, 0)], "H1")
    with Store(path, writing=False) as store:
        assert (store.game_numbers(), store.verdict()) == ([1, 2, 3, 4], "H1")


def test_only_one_may_play_and_all_may_read(path: Path) -> None:
    with Store(path, writing=True) as store:
        with pytest.raises(StoreError, match=r"match\.db' is in use by another match runner"):
            Store(path, writing=True)
        with Store(path, writing=False) as reader:
            store.add_game(record(1, 0))
            assert len(list(reader.games())) == 1
    Store(path, writing=True).close()


def test_what_is_no_database_of_ours_is_left_alone(tmp_path: Path) -> None:
    text, foreign, newer = tmp_path / "text.db", tmp_path / "foreign.db", tmp_path / "newer.db"
    text.write_text("not a database at all, but long enough to be taken for one" * 20, encoding="utf-8")
    sqlite3.connect(foreign).execute("CREATE TABLE person (name)").connection.close()
    Store(newer, writing=True).close()
    sqlite3.connect(newer).execute("PRAGMA user_version = 99").connection.close()
    other = "not the database of a match; expected a new file, or one made by 'latrones-uci match'"
    for path, message in [(text, "not a database"), (foreign, other), (newer, "has format 99")]:
        before = path.read_bytes()
        for writing in (True, False):
            with pytest.raises(StoreError, match=message) as raised:
                Store(path, writing=writing)
            assert str(path) in str(raised.value)
        assert path.read_bytes() == before
    with pytest.raises(StoreError, match="no such file"):
        Store(tmp_path / "none.db", writing=False)
    with pytest.raises(StoreError, match="no/such"):
        Store(tmp_path / "no/such/match.db", writing=True)


def test_what_decided_a_game_is_stored_and_old_records_are_read(path: Path) -> None:
    with Store(path, writing=True) as store:
        store.add_game(record(1, 0, Termination.DECIDED, details="dux captured"))
        store.add_game(record(2, 1, Termination.DECIDED))
    rows = sqlite3.connect(path).execute("SELECT termination, details FROM game ORDER BY number").fetchall()
    assert rows == [("normal", "dux captured"), ("normal", "decided")]
    with Store(path, writing=False) as store:
        found = [each.game.outcome for each in stored_games(store, SETTINGS)]
    assert found == [Outcome(Termination.DECIDED, 0, "dux captured"), Outcome(Termination.DECIDED, 1)]


def test_a_folder_is_no_database_and_gets_no_lock(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    for writing in (True, False):
        with pytest.raises(StoreError, match="games': Is a directory"):
            Store(tmp_path / "games", writing=writing)
    assert os.listdir(tmp_path) == ["games"]


def test_a_database_that_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path / "match.db", writing=True).close()
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)  # root may open any file
    Store(tmp_path / "match.db", writing=False).close()
    with pytest.raises(StoreError, match=r"match\.db': Permission denied"):
        Store(tmp_path / "match.db", writing=True)


def test_only_a_new_database_without_a_match_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    Store(path, writing=True).remove_unused()
    assert os.listdir(tmp_path) == []
    Store(path, writing=True).close()
    Store(path, writing=True).remove_unused()
    assert path.exists()
    with Store(path, writing=True, fresh=True) as store:
        store.begin(serialize(SETTINGS), ENGINES, "2024-05-31T12:00:00Z", "test")
        store.remove_unused()
    assert path.exists()


def test_a_match_to_which_an_earlier_version_added_engines_is_read_but_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    with Store(path, writing=True) as store:
        store.begin(serialize(SETTINGS) | {"growth": [{"engines": 2, "games": 2, "format": "match"}]}, ENGINES, "", "")
        store.add_openings([StoredOpening(0, number, START.fen()) for number in range(5)])
        store.add_game(played_record(1))
        assert [game.fixture.number for game in stored_games(store, stored_settings(store))] == [1]
        with pytest.raises(SettingsError, match="engines were added to this match, which this version cannot resume"):
            settings_to_resume(store)
    assert main(["resume", str(path)]) == 2


def test_engines_cannot_be_added(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resume", "match.db", "--add-engine", "cmd=x", "name=F"]) == 2
    assert "'--add-engine': a match keeps its engines; expected a second match" in capsys.readouterr().err
