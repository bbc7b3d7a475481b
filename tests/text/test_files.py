"""Files, folders and ports as both systems have them."""

from __future__ import annotations

import socket
import threading
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from latrones_uci.engine.memory import available_bytes
from latrones_uci.text.files import (
    check_name,
    exclusive_lock,
    remove_folder,
    retried,
    whole_file,
    write_private,
    write_whole,
)
from latrones_uci.text.folders import user_folder
from latrones_uci.text.ports import take_alone
from latrones_uci.text.sqlite import database_address


@pytest.mark.parametrize(("path", "problem"), [
    ("con", "Windows reserves this name"),
    (r"C:\games\AUX.pgn", "Windows reserves this name"),
    ("nul.db", "Windows reserves this name"),
    ("com1 .txt", "Windows reserves this name"),
    ("prn/games.pgn", "Windows reserves this name"),
    ("games.", "ends in a space or a dot"),
    ("my games /x.pgn", "ends in a space or a dot"),
    ("ab:c.pgn", "':' in a file name"),
    ("what?.pgn", "'?' in a file name"),
    ("a\tb", "'\\t' in a file name"),
])
def test_names_that_windows_does_not_take(path: str, problem: str) -> None:
    with pytest.raises(OSError) as raised:  # noqa: PT011
        check_name(path, windows=True)
    assert raised.value.filename == path
    assert problem in str(raised.value.strerror)
    check_name(path, windows=False)


@pytest.mark.parametrize("path", [
    "NUL", "games.db", r"C:\games\été.pgn", r"\\server\share\x.pgn", r"\\?\C:\long\x", "../..//x.db", "./x",
    "contest.db", "com10.txt", "console", ".hidden", "x.con", r"C:x.db", r"..\x",
])
def test_names_that_windows_takes(path: str) -> None:
    check_name(path, windows=True)


def test_a_file_that_a_scanner_has_open() -> None:
    """Windows refuses to replace it until then."""
    refusals = [PermissionError(13, "Permission denied")] * 2

    def replace() -> str:
        if refusals:
            raise refusals.pop()
        return "done"

    assert retried(replace, attempts=3) == "done"
    refusals += [PermissionError(13, "Permission denied")] * 3
    with pytest.raises(PermissionError):
        retried(replace, attempts=3)


def test_lines_end_with_lf(tmp_path: Path) -> None:
    write_whole(tmp_path / "whole", "a\nb\n")
    write_private(tmp_path / "private", "a\nb\n")
    with whole_file(tmp_path / "text", "utf-8") as file:
        file.write("a\nb\n")
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"a\nb\n"}


def test_a_folder_with_files_that_are_read_only(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").touch()
    (folder / "inner" / "file").chmod(0o444)
    remove_folder(folder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("temporary", [True, False])
def test_a_lock_is_held_by_one(tmp_path: Path, temporary: bool) -> None:
    """Those who wait for a temporary lock get it one after another, and its file goes with the last of them."""
    path, inside, order = tmp_path / "lock", threading.Lock(), list[int]()

    def work(number: int) -> None:
        with exclusive_lock(path, lambda: None, temporary=temporary):
            assert inside.acquire(blocking=False)
            order.append(number)
            inside.release()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    with exclusive_lock(path, lambda: None, temporary=temporary):
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(order) == list(range(6))
    assert path.exists() is not temporary


def test_folders_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALAPPDATA", "X:/local")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert user_folder("data", windows=True) == user_folder("cache", windows=True) == Path("X:/local/latrones-uci")
    assert user_folder("data", windows=False) == Path.home() / ".local" / "share" / "latrones-uci"
    assert user_folder("cache", windows=False) == Path.home() / ".cache" / "latrones-uci"
    monkeypatch.delenv("LOCALAPPDATA")
    assert user_folder("data", windows=True) == Path.home() / "AppData" / "Local" / "latrones-uci"


@pytest.mark.parametrize(("path", "address"), [
    (PureWindowsPath(r"C:\my games\x#1.db"), "file:///C:/my%20games/x%231.db"),
    (PureWindowsPath(r"\\server\share\x.db"), "file:////server/share/x.db"),
    (PurePosixPath("/games/x.db"), "file:///games/x.db"),
])
def test_addresses_for_sqlite(path: PurePath, address: str) -> None:
    assert database_address(path) == address


def test_a_port_is_taken_once() -> None:
    with socket.socket() as first, socket.socket() as second:
        take_alone(first)
        first.bind(("127.0.0.1", 0))
        first.listen()
        take_alone(second)
        with pytest.raises(OSError):  # noqa: PT011
            second.bind(first.getsockname())



def test_the_memory_of_the_machine_is_known() -> None:
    available = available_bytes()
    assert available is not None
    assert 2**24 < available < 2**50
