"""A database that is removed, replaced or overwritten while a match writes to it."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.game import Termination
from latrones_uci.match.database import stored_games
from latrones_uci.match.serialize import serialize
from latrones_uci.match.store import Store, StoredEngine, StoredOpening, StoreError
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
def test_the_next_game_ends_the_match_and_every_game_is_saved(
    displace: Callable[[Path, Path], None], tmp_path: Path, other: Path
) -> None:
    path, rescued = tmp_path / "match.db", tmp_path / "match-rescued.db"
    with begin(path) as store:
        for number in range(1, 4):
            store.add_game(played_record(number))
        displace(path, other)
        with pytest.raises(StoreError) as raised:
            store.add_game(played_record(4))
    assert str(raised.value) == (f"database '{path}': removed or replaced while the match was running;"
                                 f" the match so far is in '{rescued}'")  # fmt: skip
    assert games_in(rescued) == [1, 2, 3, 4]


def test_a_long_match_that_is_overwritten(tmp_path: Path, other: Path) -> None:
    """Its older games are in the file only, and are lost; the error says that, and nothing else."""
    path = tmp_path / "match.db"
    with begin(path) as store:
        for number in range(1, 4):
            store.add_game(played_record(number))
    with Store(path, writing=True) as store:
        overwrite(path, other)
        with pytest.raises(StoreError, match="and the match cannot be saved: its games were overwritten"):
            store.add_game(played_record(4))
    assert not list(tmp_path.glob("*rescued*"))


def test_what_was_put_in_place_of_the_database_is_not_changed(tmp_path: Path, other: Path) -> None:
    path = tmp_path / "match.db"
    with begin(path) as store:
        store.add_game(played_record(1))
        other.replace(path)
        with pytest.raises(StoreError, match="replaced"):
            store.add_game(played_record(2))
    assert games_in(path) == [7]


def test_the_end_of_a_match_is_too_late_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    with begin(path) as store:
        store.add_game(played_record(1))
        store.check_file()
        path.unlink()
        with pytest.raises(StoreError, match="rescued"):
            store.check_file()
    assert games_in(tmp_path / "match-rescued.db") == [1]


def test_an_earlier_copy_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    (tmp_path / "match-rescued.db").write_text("mine", encoding="utf-8")
    with begin(path) as store:
        path.unlink()
        with pytest.raises(StoreError, match="match-rescued-2.db"):
            store.add_game(record(1, 0))
    assert games_in(tmp_path / "match-rescued-2.db") == [1]
    assert (tmp_path / "match-rescued.db").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, temporary = tmp_path / "folder", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with begin(folder / "match.db") as store:
        shutil.rmtree(folder)
        with pytest.raises(StoreError, match="temporary/match-rescued.db"):
            store.add_game(record(1, 0))
    assert games_in(temporary / "match-rescued.db") == [1]


def test_a_copy_that_cannot_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with begin(folder / "match.db") as store:
        shutil.rmtree(folder)
        with pytest.raises(StoreError, match="the match cannot be saved: No such file or directory"):
            store.add_game(record(1, 0))


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
    assert not list(tmp_path.glob("*rescued*"))
