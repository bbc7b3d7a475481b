"""Disks that are full, folders that nobody may write to, and runners and engines that are stopped or killed.

On a full database the match ends with an error, and goes on from there. Without room for the PGN file or the log the
games go on, and the exit status tells. A report that cannot be written leaves the old one.
"""

import json
import os
import random
import re
import shlex
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.client.time_control import TimeControl
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Position, Termination
from latrones_uci.match.game import Player, play_game
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.pgn_read import read_file
from latrones_uci.records.pgn_write import PgnFile
from latrones_uci.records.record import PlayedGame
from latrones_uci.records.settings import GameLimits
from latrones_uci.records.store import Store, StoreError
from latrones_uci.text.command import join_command
from latrones_uci.text.files import check_writable, write_whole
from match_play import Listening, match_words
from match_records import played_record
from privileges import obey_permissions
from serving import waited

pytestmark = [
    pytest.mark.linux,  # these limits, devices and signals are those of Linux
    pytest.mark.process,
]

FULL = Path("/dev/full")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Limit the size of files in bytes, which fails like a full disk except for the error number."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def limit_files(size: int) -> Callable[[], None]:
    """Return a function that limits the size of files in a child; Python ignores the signal of this limit."""
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.fixture
def run(fake_command: Callable[..., tuple[str, ...]], tmp_path: Path) -> Run:
    """Runs a match of two engines of which each game is the same every time."""

    def run(*words: str, preexec: Callable[[], None] | None = None, games: int = 4, stdout: Path | None = None
            ) -> "subprocess.CompletedProcess[str]":
        match = [*match_words(*[fake_command("good")] * 2), "--games", str(games)]
        command = [*OWN_ENGINE, "match", *match, "--quiet", *words]
        with open(stdout or os.devnull, "w", encoding="utf-8") as out:
            return subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=120,
                                  preexec_fn=preexec, check=False)

    return run


def rounds(path: Path) -> list[str]:
    return [game.tags["Round"] for game in read_file(path)]


@pytest.mark.slow
def test_a_full_database(run: Run, tmp_path: Path) -> None:
    words = ("--database", "match.db", "--pgn", "match.pgn")
    done = run(*words, games=40, preexec=limit_files(80_000))
    assert "latrones_uci" not in done.stderr  # as a traceback has it; whoever measures coverage has no room either
    [line] = [line for line in done.stderr.splitlines() if line.startswith("latrones-uci")]
    assert done.returncode == 1
    assert line.startswith("latrones-uci match: database 'match.db': disk")
    assert line.endswith("; to resume: latrones-uci resume match.db --pgn match.pgn")
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


def test_output_on_a_full_disk(run: Run) -> None:
    done = run("--database", "match.db", stdout=FULL)
    assert (done.returncode, done.stderr) == (
        1, "latrones-uci match: standard output: No space left on device\n",
    )


@pytest.mark.slow
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


# ---------------------------------------------------------------- stopped

FakeController = Callable[..., EngineController]
FOUR_PLIES = GameLimits(max_plies=4)
STOPPED_S = 1.5


class StopAtGo(Listening):
    """Stops the engine when the time of its first ``go`` begins, and may continue it later."""

    def __init__(self, continued_after_s: float | None) -> None:
        super().__init__()
        self.continued_after_s = continued_after_s
        self.told = self.stopped = False

    def sent(self, name: str, process_id: int, text: str) -> None:
        self.told = self.told or text.startswith("go")

    def received(self, name: str, process_id: int, text: str, read_at_ns: int) -> None:
        if self.told and not self.stopped:
            self.stopped = True
            os.kill(process_id, signal.SIGSTOP)
            if self.continued_after_s is not None:
                threading.Timer(self.continued_after_s, os.kill, (process_id, signal.SIGCONT)).start()


def played(start: Position, white: EngineController, black: EngineController, move_ms: int) -> PlayedGame:
    control = TimeControl(movetime_ms=move_ms)
    return play_game(start, (Player(white, control), Player(black, control)), FOUR_PLIES)


def test_an_engine_that_is_continued_in_time_plays_on(fake_controller: FakeController, start: Position) -> None:
    game = played(start, fake_controller("slow", log=StopAtGo(STOPPED_S)), fake_controller("good"), 20_000)
    assert (game.outcome.termination, len(game.plies), game.violations) == (Termination.ADJUDICATION, 4, ())
    assert game.plies[0].elapsed_ns > STOPPED_S * 900_000_000


def test_an_engine_that_is_stopped_too_long_loses_and_is_gone(
    fake_controller: FakeController, start: Position, await_end: Callable[[int], None]
) -> None:
    white, black = fake_controller("slow", log=StopAtGo(None)), fake_controller("good")
    game = played(start, white, black, 300)
    assert (game.outcome.winner, game.outcome.termination) == (1, Termination.STALL)
    await_end(white.process_id)
    assert (white.usable, black.usable) == (False, True)


@pytest.mark.slow
def test_a_runner_that_was_stopped_charges_no_engine(fake_command: Callable[..., tuple[str, ...]], tmp_path: Path
                                                     ) -> None:
    """Each move takes 0.4 s of 2 s. The time in which the runner did not look is told, and lost for nobody.

    First it is stopped alone, then its engines too, as all are when a machine sleeps.
    """
    log = tmp_path / "traffic.log"
    engine = ["--engine", f"cmd={join_command(fake_command('slow'))}"]
    command = [*OWN_ENGINE, "match", *engine, *engine, "--each", "st=2", "--games", "1", "--concurrency", "1",
               "--max-plies", "8", "--board", "6x6", "--json", "--log", "traffic.log"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as runner:
        assert runner.stdout is not None
        for move in (1, 4):
            waited(lambda move=move: log.exists() and log.read_text(encoding="utf-8").count(": go ") >= move)
            traffic = log.read_text(encoding="utf-8")
            stopped = {int(number) for number in re.findall(r"\[(\d+)\]", traffic)} if move == 4 else set()
            runner.send_signal(signal.SIGSTOP)
            for engine_id in stopped:
                os.kill(engine_id, signal.SIGSTOP)
            time.sleep(2.5)
            runner.send_signal(signal.SIGCONT)
            time.sleep(0.2)
            for engine_id in stopped:
                os.kill(engine_id, signal.SIGCONT)
        lines = runner.stdout.readlines()
    assert runner.returncode == 0
    events = [json.loads(line) for line in lines]
    [game] = [event for event in events if event["event"] == "game_finished"]
    assert (game["termination"], len(game["plies"])) == ("adjudication", 8)
    assert "the controller was held up: '" in " ".join(game["violations"])
    assert max(ply["elapsed_ns"] for ply in game["plies"]) < 2_000_000_000
    assert ": stop\n" not in log.read_text(encoding="utf-8")


GAMES = 16

# ---------------------------------------------------------------- killed


def engines_alive(mark: str) -> list[str]:
    """Return the processes whose command bears the mark, runners aside."""
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return [
        line for line in listed.splitlines()
        if mark in line and "fake_engine" in line and "--engine" not in line and not line.startswith("Z")
    ]


def count_of(path: Path) -> int:
    try:
        with Store(path, writing=False) as store:
            return len(store.game_numbers())
    except StoreError:  # not there yet, or not begun
        return 0


def games_of(path: Path) -> list[tuple[object, ...]]:
    with Store(path, writing=False) as store:
        return [
            (each.fixture, each.game.start, each.game.outcome, [(ply.text, ply.info) for ply in each.game.plies])
            for each in stored_games(store, stored_settings(store))
        ]


@pytest.mark.slow
def test_killed_again_and_again(fake_command: Callable[..., tuple[str, ...]]) -> None:
    mark, chance = f"mark-{os.getpid()}", random.Random(1)
    match = [*match_words(*[(*fake_command("good"), mark)] * 2), "--games", str(GAMES), "--concurrency", "2", "--force"]
    whole, parts, pgn = Path("whole.db"), Path("parts.db"), Path("parts.pgn")
    assert main([*match, "--database", str(whole)]) == 0
    words = [*match, "--database", str(parts), "--pgn", str(pgn)]
    for kill in range(6):
        runner = subprocess.Popen([*OWN_ENGINE, "match", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The first is killed whenever; the others after another game or two, so that all fall into the match.
        waited(lambda games=2 * kill: count_of(parts) >= games)
        time.sleep(chance.uniform(0.0, 0.3))
        runner.send_signal(signal.SIGKILL)
        runner.wait()
    waited(lambda: not engines_alive(mark), "engines are left")
    assert main(words) == 0
    assert len(games_of(parts)) == GAMES
    assert games_of(parts) == games_of(whole)
    rounds = [game.tags["Round"] for game in read_file(pgn)]
    assert sorted(map(int, rounds)) == list(range(1, GAMES + 1))
    with sqlite3.connect(parts) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
