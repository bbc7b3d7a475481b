"""Databases where nothing can be written, and what reading and writing leave beside a database."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from latrones_uci.commands.main import match_main as main
from latrones_uci.records.store import Store, StoreError
from latrones_uci.text import sqlite as sqlite_files
from latrones_uci.text.sqlite import LOCKED, patiently
from latrones_uci.web.board.game_store import GameStore, KeptGame, StoreUnusableError
from match_records import played_record
from privileges import obey_permissions
from watched import add_games, write_match

RECORDS = [played_record(1), played_record(2)]
DATABASE, OLD = Path("match.db"), Path("old.db")
COMMANDS = """
import sys
from latrones_uci.commands.main import match_main as main
for words in sys.argv[1:]:
    print(f"{words}: {main(words.split())}", file=sys.stderr)
"""


def numbers(path: Path) -> list[int]:
    with Store(path, writing=False) as store:
        return store.game_numbers()


def kept_game(record: str) -> KeptGame:
    return KeptGame(record, {"variant": "latrones"}, ("Human", "Human"), "A game", (), "fen", None, (None, None))


@pytest.fixture
def databases() -> list[Path]:
    """A finished match, one of an earlier version, and one that was killed."""
    finished, old, cut = DATABASE, OLD, Path("killed.db")
    write_match(finished, RECORDS)
    write_match(old, RECORDS)
    with closing(sqlite3.connect(old)) as connection:  # as it was left at the end of a match
        connection.execute("PRAGMA journal_mode = WAL")
    write_match(Path("running.db"), RECORDS[:1])
    with Store(Path("running.db"), writing=True) as store:
        store.add_game(RECORDS[1])
        for ending in ("", "-wal"):
            shutil.copyfile(f"running.db{ending}", f"{cut}{ending}")
    Path("running.db").unlink()
    return [finished, old, cut]


# ---------------------------------------------------------------- reading


def test_a_match_that_has_ended_is_one_file() -> None:
    write_match(DATABASE, RECORDS)
    assert os.listdir() == [DATABASE.name]
    with Store(DATABASE, writing=False):  # such as a page that shows the match while it is resumed
        assert os.listdir() == [DATABASE.name]
        add_games(DATABASE, played_record(3))
        shutil.copyfile(DATABASE, "copy.db")
    assert numbers(Path("copy.db")) == [1, 2, 3]


def test_reading_leaves_nothing_behind(databases: list[Path]) -> None:
    before = {name: Path(name).read_bytes() for name in os.listdir()}
    for path in databases:
        assert numbers(path) == [1, 2]
    Path("killed.db-shm").unlink(missing_ok=True)  # SQLite reads the WAL file of a killed match with it
    assert {name: Path(name).read_bytes() for name in os.listdir()} == before


def test_where_nothing_can_be_written_a_database_is_read(
    databases: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "is_read_only", lambda path: True)
    real = sqlite_files._opened

    def opened(path: Path, words: str, wait_s: float, shared: bool) -> sqlite3.Connection:
        if words == "mode=ro":
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            raise error
        return real(path, words, wait_s, shared)

    monkeypatch.setattr(sqlite_files, "_opened", opened)
    before = sorted(os.listdir())
    for path in databases:
        assert numbers(path) == [1, 2]
    assert sorted(os.listdir()) == before


@pytest.mark.process
@pytest.mark.linux  # privileges of root are those of Linux
def test_commands_read_databases_in_a_folder_without_permission_to_write(databases: list[Path]) -> None:
    closed = Path("closed")
    closed.mkdir()
    for path in Path().glob("*.db*"):
        path.rename(closed / path).chmod(0o444)
    store = GameStore(closed / "games.db")
    store.save(kept_game("one"))
    store.close()
    files = sorted(os.listdir(closed))
    closed.chmod(0o555)
    reading = [f"{words} closed/{path}" for path in databases for words in ("pgn", "ratings", "report -o page.html")]
    others = ["resume closed/match.db", "report closed/match.db"]
    done = subprocess.run([sys.executable, "-c", COMMANDS, *reading, *others], capture_output=True, text=True,
                          preexec_fn=obey_permissions, check=True)
    closed.chmod(0o755)
    *results, resumed, resume, no_page, report = done.stderr.splitlines()
    assert results == [f"{words}: 0" for words in reading]
    assert resumed == "latrones-uci resume: database 'closed/match.db': Permission denied"
    assert "closed/match.html" in no_page
    assert "expected --output FILE.html" in no_page
    assert (resume[-1], report[-1]) == ("1", "2")
    assert sorted(os.listdir(closed)) == files


def test_a_database_without_the_file_that_has_its_games(capsys: pytest.CaptureFixture[str]) -> None:
    Store(DATABASE, writing=True).close()
    for words in ("pgn", "resume"):
        assert main([words, str(DATABASE)]) == 1
        assert capsys.readouterr().err == (
            f"latrones-uci {words}: database 'match.db' is empty: no match has been started, or a killed match has left"
            " its games in 'match.db-wal', which is missing; expected both files\n")


def test_kept_games_that_cannot_be_written_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, game = tmp_path / "games.db", kept_game("one")
    store = GameStore(path)
    store.save(game)
    store.close()
    monkeypatch.setattr("latrones_uci.web.board.game_store.is_read_only", lambda path: True)
    monkeypatch.setattr(sqlite_files, "is_read_only", lambda path: True)
    store = GameStore(path)
    assert [found.record for found in store.games()] == [game.record]
    store.save(kept_game("other"))
    with pytest.raises(StoreUnusableError, match="cannot change the games: the file, or its folder, is read-only"):
        store.delete([game.record])
    store.close()
    assert (store.unwritten, os.listdir(tmp_path)) == (1, ["games.db"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreUnusableError, match="of an earlier version; expected a copy that can be written"):
        GameStore(path)


# ---------------------------------------------------------------- locked by another program


def test_a_lock_of_another_program_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    real = sqlite_files.connect
    monkeypatch.setattr("latrones_uci.records.store.connect", lambda path, **words: real(path, wait_s=0.01, **words))
    write_match(DATABASE, RECORDS[:1])
    with closing(sqlite3.connect(DATABASE, isolation_level=None)) as other:

        def unlock(text: str) -> None:
            told.append(text)
            other.execute("ROLLBACK")

        other.execute("BEGIN EXCLUSIVE")
        with Store(DATABASE, writing=True, warn=unlock) as store:
            other.execute("BEGIN IMMEDIATE")
            store.add_game(RECORDS[1])
    assert told == [f"database 'match.db': {LOCKED}; waiting for it"] * 2
    assert numbers(DATABASE) == [1, 2]


def test_after_a_minute_the_error_says_who_has_locked_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("latrones_uci.text.sqlite.LOCK_WAIT_S", 0.0)
    real = sqlite_files.connect
    monkeypatch.setattr("latrones_uci.records.store.connect", lambda path, **words: real(path, wait_s=0.0, **words))
    write_match(DATABASE)
    with closing(sqlite3.connect(DATABASE, isolation_level=None)) as other, Store(DATABASE, writing=True) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another program, such as a database browser"):
            store.add_game(RECORDS[0])


def test_only_a_lock_is_waited_for() -> None:
    def fail() -> None:
        raise sqlite3.OperationalError("no such table: game")

    waits = list[int]()
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        patiently(fail, lambda: waits.append(1))
    assert not waits
