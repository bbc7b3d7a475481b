"""A database that is removed, replaced or overwritten while a match writes to it."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from latrones_uci.commands.arguments import run_match_tool
from latrones_uci.game import Termination
from latrones_uci.match.database import stored_games
from latrones_uci.match.serialize import serialize
from latrones_uci.match.store import DisplacedError, Store, StoredEngine, StoredOpening
from match_records import SETTINGS, START, played_record, record

ENGINES = [StoredEngine(name, f"{name} 1.0", "me", (name.lower(),), "00ff", "123") for name in "AB"]


def begin(path: Path, created: str = "2024-05-31T12:00:00Z") -> Store:
    store = Store(path, writing=True)
    store.begin(serialize(SETTINGS), ENGINES, created, "test")
    store.add_openings([StoredOpening(0, 0, START.fen())])
    return store


def games_in(path: Path) -> list[int]:
    with Store(path, writing=False) as store:
        assert store.engines() == ENGINES
        return [each.fixture.number for each in stored_games(store, SETTINGS)]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return another match, as it would be copied over the first one."""
    path = tmp_path / "other.db"
    with begin(path, "1999-01-01T00:00:00Z") as store:
        store.add_game(played_record(7))
    return path


def remove(path: Path, other: Path) -> None:
    path.unlink()


def remove_all(path: Path, other: Path) -> None:
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()


def replace(path: Path, other: Path) -> None:
    other.replace(path)


def overwrite(path: Path, other: Path) -> None:
    shutil.copyfile(other, path)


def truncate(path: Path, other: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("displace", [remove, remove_all, replace, overwrite, truncate])
def test_the_next_game_ends_the_match(
    displace: Callable[[Path, Path], None], tmp_path: Path, other: Path
) -> None:
    path = tmp_path / "match.db"
    with begin(path) as store:
        for number in range(1, 4):
            store.add_game(played_record(number))
    with Store(path, writing=True) as store:
        displace(path, other)
        with pytest.raises(DisplacedError) as raised:
            store.add_game(played_record(4))
    assert str(raised.value) == f"database '{path}': removed or replaced while the match was running"


@pytest.mark.parametrize("resumed", [False, True])
def test_a_copy_over_the_file_does_no_harm_if_the_journal_has_what_it_hides(resumed: bool, tmp_path: Path) -> None:
    path, older = tmp_path / "match.db", tmp_path / "older.db"
    with begin(path) as store:
        store.add_game(played_record(1))
    shutil.copyfile(path, older)
    store = Store(path, writing=True)
    store.add_game(played_record(2))
    if resumed:
        store.close()
        store = Store(path, writing=True)
    with store:
        shutil.copyfile(older, path)
        with pytest.raises(DisplacedError) if resumed else nullcontext():
            store.add_game(played_record(3))
    if not resumed:
        assert games_in(path) == [1, 2, 3]


def test_what_was_put_in_place_of_the_database_is_not_changed(tmp_path: Path, other: Path) -> None:
    path = tmp_path / "match.db"
    with begin(path) as store:
        store.add_game(played_record(1))
        other.replace(path)
        with pytest.raises(DisplacedError):
            store.add_game(played_record(2))
    assert games_in(path) == [7]


def test_the_end_of_a_match_is_too_late_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    with begin(path) as store:
        store.add_game(played_record(1))
        store.check_file()
        path.unlink()
        with pytest.raises(DisplacedError):
            store.check_file()


def test_the_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def play() -> int:
        raise DisplacedError("gone")

    assert run_match_tool("latrones-uci match", play) == 5
    assert capsys.readouterr().err == "latrones-uci match: gone\n"


def test_other_programs_may_look_and_checkpoint(tmp_path: Path) -> None:
    """A checkpoint by another program changes the file as an overwriting would, but readers see the same games."""
    path = tmp_path / "match.db"
    with begin(path) as store:
        for number in range(1, 4):
            store.add_game(record(number, 0, Termination.DECIDED))
            reader = sqlite3.connect(path)
            assert reader.execute("SELECT count(*) FROM game").fetchone() == (number,)
            reader.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            reader.close()
    assert games_in(path) == [1, 2, 3]
