"""Disks that are full, and folders that nobody may write to: what the match runner leaves behind is whole.

On a full database the match ends with an error, and goes on from there. Without room for the PGN file or the log the
games go on, and the exit status tells. A report that cannot be written leaves the old one.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import match_main as main
from latrones_uci.match.files import check_writable, write_whole
from latrones_uci.match.pgn_read import read_file
from latrones_uci.match.pgn_write import PgnFile
from latrones_uci.match.store import Store
from match_play import match_words
from match_records import played_record
from process_limits import largest_file, limit_files, obey_permissions

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="these limits and devices are those of Linux"),
    pytest.mark.process,
]

FULL = Path("/dev/full")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(fake_command: Callable[..., tuple[str, ...]], tmp_path: Path) -> Run:
    """Runs a match of two engines of which each game is the same every time."""

    def run(*words: str, preexec: Callable[[], None] | None = None, games: int = 4, stdout: Path | None = None
            ) -> "subprocess.CompletedProcess[str]":  # fmt: skip
        match = [*match_words(*[fake_command("good")] * 2), "--games", str(games)]
        command = [*OWN_ENGINE, "match", *match, "--quiet", *words]
        with open(stdout or os.devnull, "w", encoding="utf-8") as out:
            return subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=120,
                                  preexec_fn=preexec, check=False)  # fmt: skip

    return run


def rounds(path: Path) -> list[str]:
    return [game.tags["Round"] for game in read_file(path)]


def test_a_full_database(run: Run, tmp_path: Path) -> None:
    words = ("--database", "match.db", "--pgn", "match.pgn")
    done = run(*words, games=40, preexec=limit_files(80_000))
    assert "latrones_uci" not in done.stderr  # as a traceback has it; whoever measures coverage has no room either
    [line] = [line for line in done.stderr.splitlines() if line.startswith("latrones-uci")]
    assert done.returncode == 1
    assert line.startswith("latrones-uci match: database 'match.db': disk")
    with Store(tmp_path / "match.db", writing=False) as store:
        stored = [str(game.fixture.number) for game in store.games()]
    assert 0 < len(stored) < 40
    assert rounds(tmp_path / "match.pgn") == stored
    again = run(*words, games=40)
    assert (again.returncode, again.stderr) == (0, "")
    assert sorted(map(int, rounds(tmp_path / "match.pgn"))) == list(range(1, 41))
    assert main(["verify", str(tmp_path / "match.pgn")]) == 0


def test_a_pgn_file_and_a_log_on_a_full_disk(run: Run, tmp_path: Path) -> None:
    """Each is said once."""
    (tmp_path / "logs").mkdir()
    for name in ("match.pgn", "traffic.log", "logs/engine-2.log"):
        (tmp_path / name).symlink_to(FULL)
    done = run("--database", "match.db", "--pgn", "match.pgn", "--log", "traffic.log", "--log-dir", "logs")
    assert done.returncode == 1
    assert sorted(line.partition(": ")[2] for line in done.stderr.splitlines()) == [
        "cannot write the PGN file 'match.pgn': No space left on device; the games continue,"
        " and 'latrones-uci pgn match.db' prints them all",
        "cannot write the log 'logs/engine-2.log': No space left on device; the games continue without it",
        "cannot write the log 'traffic.log': No space left on device; the games continue without it",
    ]
    assert "bestmove" in (tmp_path / "logs" / "engine-1.log").read_text(encoding="utf-8")
    with Store(tmp_path / "match.db", writing=False) as store:
        assert len(list(store.games())) == 4


def test_no_half_game_in_a_pgn_file(tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    file = PgnFile(path, "mine")
    file.append(played_record(1))
    before = path.read_bytes()
    with largest_file(len(before) + 100), pytest.raises(OSError, match="File too large"):
        file.append(played_record(2))
    assert path.read_bytes() == before
    file.append(played_record(2))
    assert rounds(path) == ["1", "2"]


def test_a_report_without_room_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("the old one", encoding="utf-8")
    with largest_file(1000), pytest.raises(OSError, match=r"File too large: '.*report\.html'"):
        write_whole(path, "x" * 2000)
    assert path.read_text(encoding="utf-8") == "the old one"
    assert os.listdir(tmp_path) == ["report.html"]
    write_whole(path, "the new one")
    assert path.read_text(encoding="utf-8") == "the new one"
    with pytest.raises(OSError, match="No space left on device"):
        write_whole(FULL, "x")
    check_writable(path)
    check_writable(FULL)  # it can be opened, which is all that can be told
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        check_writable(tmp_path)


def test_output_on_a_full_disk(run: Run, tmp_path: Path) -> None:
    done = run("--database", "match.db", stdout=FULL)
    assert (done.returncode, done.stderr) == (
        1, "latrones-uci match: standard output: No space left on device\n",
    )  # fmt: skip


@pytest.mark.parametrize("what", ["database", "pgn", "report", "log", "log-dir", "save-config"])
def test_a_folder_that_nobody_may_write_to(run: Run, tmp_path: Path, what: str) -> None:
    """Said before the first game."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    words = [] if what == "database" else ["--database", str(tmp_path / "match.db")]
    done = run(f"--{what}", str(folder / "file"), *words, preexec=obey_permissions)
    [line] = done.stderr.splitlines()
    assert done.returncode == (2 if what == "save-config" else 1)
    assert "Permission denied" in line
    assert str(folder / "file") in line
    assert list(folder.iterdir()) == []
    assert os.listdir(tmp_path) == ["closed"]


def test_started_without_an_output(run: Run, fake_command: Callable[..., tuple[str, ...]], tmp_path: Path) -> None:
    """A program without standard streams must not take its database for one."""
    words = [*match_words(*[fake_command("good")] * 2), "--games", "1", "--database", "match.db", "--pgn", "match.pgn"]
    command = f"{shlex.join((*OWN_ENGINE, 'match', *words))} 0<&- 1>&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path, timeout=60, check=False).returncode == 0
    assert rounds(tmp_path / "match.pgn") == ["1"]
    with Store(tmp_path / "match.db", writing=False) as store:
        assert len(list(store.games())) == 1
