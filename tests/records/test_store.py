"""The database of a match: what comes back of it, and databases that are damaged, foreign, displaced or in use.

What is wrong with a database is said in one line, and nothing of it is changed.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.process import EngineFault
from latrones_uci.commands.arguments import run_tool
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Termination
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.serialize import serialize
from latrones_uci.records.store import DisplacedError, Store, StoredOpening, StoreError
from latrones_uci.web.board.game_store import GameStore, StoreUnusableError
from match_play import match_words
from match_records import SETTINGS, START, played_record, ply, record
from watched import OPENINGS, stored_engine, write_match

Command = Callable[..., tuple[str, ...]]
ENGINES = [stored_engine(engine) for engine in SETTINGS.engines]
DATABASE = Path("match.db")


def begin(path: Path = DATABASE, created: str = "2024-05-31T12:00:00Z") -> Store:
    store = Store(path, writing=True)
    store.begin(serialize(SETTINGS), ENGINES, created, "test")
    store.add_openings(OPENINGS)
    return store


def games_in(path: Path = DATABASE) -> list[int]:
    with Store(path, writing=False) as store:
        assert store.engines() == ENGINES
        return [each.fixture.number for each in stored_games(store, SETTINGS)]


# ---------------------------------------------------------------- games and verdicts


def test_games_come_back_as_they_went() -> None:
    records = [
        played_record(2),
        record(3, 1, Termination.CRASH, ply(0, 1, 2, 3, None), details="White: gone",
               fault=EngineFault(-11, ("oh", "dear")), violations=("White: x", "Black: y")),
        record(5, 0, Termination.TIME_LOSS, offence=ply(1, 103, 100, -3, 8)),
    ]
    openings = [*OPENINGS, StoredOpening(0, len(OPENINGS), START.fen(), ("a1a2",))]
    with begin() as store:
        store.add_openings(openings[-1:])
        for each in reversed(records):
            store.add_game(each)
    with Store(DATABASE, writing=False) as store:
        assert (store.engines(), store.openings(), store.created()) == (ENGINES, openings, "2024-05-31T12:00:00Z")
        assert stored_settings(store) == SETTINGS
        assert list(stored_games(store, SETTINGS)) == records
        assert [game.fixture.number for game in store.games(with_plies=False)] == [2, 3, 5]


def test_numbers_beyond_64_bits_are_cut() -> None:
    absurd = replace(ply(0, 1, 2, 3, 4), info=replace(ply(0, 1, 2, 3, 4).info, nodes=10**30))
    with begin() as store:
        store.add_game(record(1, 0, Termination.DECIDED, ply(0, 1, 2, 3, 4), absurd, ply(0, 1, 2, 3, 5)))
        (game,) = stored_games(store, SETTINGS)
    assert [ply.info.nodes for ply in game.game.plies] == [4, 2**63 - 1, 5]


def test_games_are_written_whole_with_their_verdict_or_not_at_all() -> None:
    broken = replace(ply(0, 1, 2, 3, 4), side=None)  # type: ignore[arg-type]
    with begin() as store:
        store.add_games([played_record(1), played_record(2)])
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add_games([record(3, 0), record(2, 0)], "H1")
        with pytest.raises(StoreError, match="NOT NULL"):
            store.add_game(record(3, 0, Termination.DECIDED, broken))
        assert list(stored_games(store, SETTINGS)) == [played_record(1), played_record(2)]
        assert store.verdict() == ""
        store.add_games([record(3, 0), record(4, 0)], "H1")
    with Store(DATABASE, writing=False) as store:
        assert (store.game_numbers(), store.verdict()) == ([1, 2, 3, 4], "H1")


def test_a_database_without_an_id_is_of_a_version_that_is_no_longer_read(capsys: pytest.CaptureFixture[str]) -> None:
    begin().close()
    with closing(sqlite3.connect(DATABASE)) as database:
        database.execute("ALTER TABLE match DROP COLUMN run")
    for writing in (False, True):
        with pytest.raises(StoreError, match="made by version 0.2 or earlier, which 0.3 is the last version to read"):
            Store(DATABASE, writing=writing)
    assert main(["resume", str(DATABASE)]) == 1


# ---------------------------------------------------------------- opening and locking


def test_only_one_may_play_and_all_may_read() -> None:
    with begin() as store:
        with pytest.raises(StoreError, match=r"match\.db' is in use by another match runner"):
            Store(DATABASE, writing=True)
        with Store(DATABASE, writing=False) as reader:
            store.add_game(record(1, 0))
            assert len(list(reader.games())) == 1
    Store(DATABASE, writing=True).close()


def test_what_is_no_database_of_ours_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text, foreign, newer = map(Path, ("text.db", "foreign.db", "newer.db"))
    text.write_text("not a database at all, but long enough to be taken for one" * 20, encoding="utf-8")
    sqlite3.connect(foreign).execute("CREATE TABLE person (name)").connection.close()
    Store(newer, writing=True).close()
    sqlite3.connect(newer).execute("PRAGMA user_version = 99").connection.close()
    other = "not the database of a match; expected "
    for path, message in [(text, "not a database"), (foreign, other), (newer, "has format 99")]:
        before = path.read_bytes()
        for writing in (True, False):
            with pytest.raises(StoreError, match=message) as raised:
                Store(path, writing=writing)
            assert str(path) in str(raised.value)
        assert path.read_bytes() == before
    Path("games").mkdir()
    files = sorted(os.listdir())
    for name, writing, message in [("games", True, "games': Is a directory"), ("games", False, "games': Is a dir"),
                                   ("none.db", False, "no such file"), ("no/match.db", True, "no.+match")]:
        with pytest.raises(StoreError, match=message):
            Store(Path(name), writing=writing)
    assert sorted(os.listdir()) == files  # nor a lock
    begin().close()
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)  # root may open any file
    Store(DATABASE, writing=False).close()
    with pytest.raises(StoreError, match=r"match\.db': Permission denied"):
        Store(DATABASE, writing=True)


@pytest.mark.parametrize(("text", "kind"), [
    ('\ufeff[Event "?"]\n\n*\n',
     "a PGN file, not a database; 'latrones-uci ratings', 'analyse', 'puzzles' and 'verify' read PGN"),
    ("<!DOCTYPE html><html>", "an HTML page, not a database"),
    ("\xa9 any other text", "not a database"),
])
def test_a_file_that_is_no_database(text: str, kind: str) -> None:
    DATABASE.write_text(text * 100, encoding="utf-8")
    for writing, new in ((True, "a new file, or "), (False, "")):
        with pytest.raises(StoreError) as raised:
            Store(DATABASE, writing=writing)
        assert str(raised.value) == f"database 'match.db': {kind}; expected {new}one made by 'latrones-uci match'"
    with pytest.raises(StoreUnusableError) as unusable:
        GameStore(DATABASE)
    assert str(unusable.value) == f"match.db: cannot keep games there: {kind}"


def test_only_a_new_database_without_a_match_is_removed() -> None:
    Store(DATABASE, writing=True).remove_unused()
    assert os.listdir() == []
    Store(DATABASE, writing=True).close()
    Store(DATABASE, writing=True).remove_unused()
    assert DATABASE.exists()
    with Store(DATABASE, writing=True, fresh=True) as store:
        store.begin(serialize(SETTINGS), ENGINES, "2024-05-31T12:00:00Z", "test")
        store.remove_unused()
    assert DATABASE.exists()


@pytest.mark.process
@pytest.mark.posix  # interrupts it
def test_a_second_runner_is_refused(fake_command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """Whether it asks for the same match, to go on with it, or for a new one in its place."""
    words = [*words_of(fake_command, 1000), "--database", "demo.db"]
    command = [*OWN_ENGINE, "match", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        for other in (words, ["resume", "demo.db"], ["--demo"]):
            assert main(other) == 1
            [line] = capsys.readouterr().err.splitlines()
            assert "demo.db' is in use by another match runner" in line
        assert runner.poll() is None
        runner.send_signal(signal.SIGINT)
        runner.communicate(timeout=60)
    assert runner.returncode == 130
    assert main(["report", "demo.db"]) == 0
    # A lock that nobody holds any more locks nothing, whatever file is left of it.
    shutil.copy("demo.db", "other.db")
    Path("other.db.lock").touch()
    assert main(["resume", "other.db", "--games", "1000", "--concurrency", "9"]) == 2


# ---------------------------------------------------------------- removed, replaced or overwritten during a match

OTHER = Path("other.db")
DISPLACED: dict[str, Callable[[], object]] = {
    "removed": DATABASE.unlink,
    "removed with its journal": lambda: [each.unlink() for each in Path().glob("match.db*")],
    "replaced": lambda: OTHER.replace(DATABASE),
    "overwritten": lambda: shutil.copyfile(OTHER, DATABASE),
    "truncated": lambda: DATABASE.write_bytes(b""),
}


@pytest.mark.posix  # Windows neither removes nor replaces an open file
@pytest.mark.parametrize("how", DISPLACED)
def test_the_next_game_ends_a_match_whose_database_is_displaced(how: str) -> None:
    write_match(OTHER, [played_record(7)])
    with begin() as store:
        store.add_games([played_record(number) for number in range(1, 4)])
    with Store(DATABASE, writing=True) as store:
        DISPLACED[how]()
        at_the_end = [store.check_file] if how in ("removed", "replaced") else []
        for write in (*at_the_end, lambda: store.add_game(played_record(4))):
            with pytest.raises(DisplacedError) as raised:
                write()
            assert str(raised.value) == "database 'match.db': removed or replaced while the match was running"


@pytest.mark.parametrize("resumed", [False, True])
def test_a_copy_over_the_file_does_no_harm_if_the_journal_has_what_it_hides(resumed: bool) -> None:
    with begin() as store:
        store.add_game(played_record(1))
    shutil.copyfile(DATABASE, OTHER)
    store = Store(DATABASE, writing=True)
    store.add_game(played_record(2))
    if resumed:
        store.close()
        store = Store(DATABASE, writing=True)
    with store:
        shutil.copyfile(OTHER, DATABASE)
        with pytest.raises(DisplacedError) if resumed else nullcontext():
            store.add_game(played_record(3))
    if not resumed:
        assert games_in() == [1, 2, 3]


@pytest.mark.posix
def test_what_was_put_in_place_of_the_database_is_not_changed() -> None:
    write_match(OTHER, [played_record(7)])
    with begin() as store:
        store.add_game(played_record(1))
        OTHER.replace(DATABASE)
        with pytest.raises(DisplacedError):
            store.add_game(played_record(2))
    assert games_in() == [7]


def test_the_exit_status_of_a_match_whose_database_is_displaced(capsys: pytest.CaptureFixture[str]) -> None:
    def play() -> int:
        raise DisplacedError("gone")

    assert run_tool("latrones-uci match", play, of_match=True) == 5
    assert capsys.readouterr().err == "latrones-uci match: gone\n"


def test_other_programs_may_look_and_checkpoint() -> None:
    """A checkpoint by another program changes the file as an overwriting would, but readers see the same games."""
    with begin() as store:
        for number in range(1, 4):
            store.add_game(record(number, 0, Termination.DECIDED))
            with closing(sqlite3.connect(DATABASE)) as reader:
                assert reader.execute("SELECT count(*) FROM game").fetchone() == (number,)
                reader.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert games_in() == [1, 2, 3]


# ---------------------------------------------------------------- damaged by anybody


def words_of(fake_command: Command, games: int) -> list[str]:
    return [*match_words(*[fake_command("good")] * 2), "--games", str(games)]


@pytest.fixture
def played(fake_command: Command, capsys: pytest.CaptureFixture[str]) -> Iterator[sqlite3.Connection]:
    """A connection to the database of a match of two games, which commits what it changes when it is closed."""
    assert main([*words_of(fake_command, 2), "--database", "match.db"]) == 0
    capsys.readouterr()
    with closing(sqlite3.connect(DATABASE, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        yield connection


@pytest.mark.slow
def test_cut_or_changed_bytes(played: sqlite3.Connection, capsys: pytest.CaptureFixture[str]) -> None:
    """At a hundred places each: whatever is read of such a file, it is data, or an error of one line."""
    whole = DATABASE.read_bytes()
    chance = random.Random(1)
    for number in range(200):
        data = bytearray(whole)
        if number % 2:
            del data[chance.randrange(1, len(data)):]
        else:
            for _ in range(chance.choice((1, 3, 300))):
                data[chance.randrange(100, len(data))] = chance.randrange(256)
        damaged = Path(f"damaged-{number}.db")
        damaged.write_bytes(data)
        for command in ("pgn", "report"):
            status = main([command, str(damaged)])
            errors = capsys.readouterr().err.splitlines()
            assert status in (0, 1, 2), (number, command)
            assert len(errors) == (status != 0), (number, command)
            assert all(error.startswith(f"latrones-uci {command}: ") for error in errors), (number, command)
        assert damaged.read_bytes() == data


@pytest.mark.long
@pytest.mark.parametrize("change", [
    "UPDATE match SET settings = '{'", "UPDATE match SET settings = '[1, 2]'", "UPDATE match SET settings = '7'",
    "UPDATE match SET settings = '" + "[" * 100_000 + "'", "DELETE FROM engine", "DELETE FROM engine WHERE id = 1",
    "UPDATE engine SET command = '7'", "UPDATE opening SET fen = 'x'", "UPDATE opening SET variant = 9",
    "DELETE FROM opening", "UPDATE game SET termination = 'boredom'", "UPDATE game SET white = 7",
    "UPDATE game SET white = -1", "UPDATE game SET winner = 7", "UPDATE game SET variant = -1",
    "UPDATE game SET violations = '7'", "UPDATE game SET fault = '7'", "UPDATE ply SET side = 9",
    "UPDATE game SET opening = 1000000000000", "DROP TABLE ply", "DELETE FROM match",
    "UPDATE ply SET move = zeroblob(10000)", "UPDATE game SET details = CAST(x'ff' AS TEXT)",
    "UPDATE game SET details = hex(zeroblob(40000000))",
])
def test_rows_that_no_runner_wrote(
    played: sqlite3.Connection, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    played.execute("PRAGMA foreign_keys = OFF")
    try:
        played.execute(change)
    except sqlite3.IntegrityError:
        return  # the table itself refuses it
    harmless = "opening SET variant" in change or "opening = 1000000000000" in change or "DELETE FROM" in change
    for command in (["pgn"], ["report"], ["resume", "--games", "3"]):
        status = main([command[0], "match.db", *command[1:]])
        errors = capsys.readouterr().err.splitlines()
        assert len(errors) == (status != 0), errors
        assert harmless or command[0] == "resume" or status in (1, 2), (command, status)
        assert "zeroblob(40000000)" not in change or "too big" in errors[0]


@pytest.mark.parametrize("change", [
    "DROP TABLE ply; CREATE VIEW ply AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n)"
    " SELECT 1 game, x ply, 0 offence, 0 side, 1 movenumber, 'a1a2' move, 0 elapsed_ns, 0 allowed_ns,"
    " 0 clock_left_ns, 0 score_centi, 0 mate, 0 depth, 0 nodes, 0 time_ms, '' pv FROM n;",
    "CREATE TRIGGER evil AFTER INSERT ON game BEGIN DELETE FROM game; END;",
    "CREATE TABLE more (x);",
])
def test_tables_that_are_none_of_ours(
    played: sqlite3.Connection, fake_command: Command, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A view could have rows without end."""
    played.executescript(change)
    before = DATABASE.read_bytes()
    for command in (["pgn", "match.db"], ["report", "match.db"], ["resume", "match.db"],
                    [*words_of(fake_command, 4), "--database", "match.db"]):
        assert main(command) == 1
        [line] = capsys.readouterr().err.splitlines()
        program = "latrones-match" if command[0].startswith("--") else f"latrones-uci {command[0]}"
        assert line == f"{program}: database 'match.db' is damaged: unexpected tables"
    assert DATABASE.read_bytes() == before
