"""Several games at a time, which worker processes play: what they return and log, and what ends them."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings
from latrones_uci.client.errors import EngineStallError, WaitInterruptedError
from latrones_uci.client.processors import processors
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.traffic_log import TrafficLog
from latrones_uci.client.variant_setup import VariantSettings
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Position, Termination
from latrones_uci.match.events import LiveGames
from latrones_uci.match.processes import ProcessPlace
from latrones_uci.records.record import GameTask
from match_play import match_words, texts
from match_records import SETTINGS
from serving import waited

pytestmark = pytest.mark.process

Command = Callable[..., tuple[str, ...]]
GAMES = 16


@pytest.fixture
def words(fake_command: Command) -> list[str]:
    """A match of two engines of which each game is the same every time; the name of the folder is in their commands."""
    return [*match_words(*[(*fake_command("good"), str(Path.cwd()))] * 2), "--games", str(GAMES), "--force"]


def others(mark: str) -> dict[int, str]:
    """Return the commands of all processes but the runner, by process id: those with the mark, and worker processes."""
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,stat,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in listed.splitlines()[1:]]
    return {int(pid): args for pid, _, stat, args in rows
            if mark in args and "--engine" not in args and not stat.startswith("Z")}


def workers_of(runner: "subprocess.Popen[str]") -> list[int]:
    listed = subprocess.run(["ps", "-wweo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    return [int(pid) for pid, parent, args in rows if parent == str(runner.pid) and "match.processes" in args]


def begin(*words: str) -> "subprocess.Popen[str]":
    """Start a match, and wait for its first game; others are running then."""
    runner = subprocess.Popen([*OWN_ENGINE, "match", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True)
    assert runner.stdout is not None
    assert runner.stdout.readline().startswith("game ")
    return runner


def hold_games() -> None:
    """Stop the engines, so that a game that has begun, or begins now, does not end."""
    for process, command in others(str(Path.cwd())).items():
        if "fake_engine" in command:
            os.kill(process, signal.SIGSTOP)
    time.sleep(0.5)


@pytest.fixture
def expected(words: list[str]) -> dict[int, list[str]]:
    """The games as they are played one at a time, in the main process."""
    assert main([*words, "--concurrency", "1", "--database", "expected.db"]) == 0
    return texts(Path("expected.db"))


@pytest.mark.slow
def test_games_moves_and_logs_of_processes(
    words: list[str], expected: dict[int, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """More games at a time than processors, so that a process plays several."""
    capsys.readouterr()
    logs = ["--log", "traffic.log", "--log-dir", "logs"]
    assert main([*words, "--concurrency", "5", "--database", "match.db", "--json-moves", *logs]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert texts(Path("match.db")) == expected
    events = [json.loads(line) for line in captured.out.splitlines()]
    for number, moves in expected.items():
        of_game = [event for event in events if event.get("game") == number]
        assert [event["event"] for event in of_game] == [
            "game_started", *["move_played"] * len(moves), "game_finished",
        ]
        assert [event["move"] for event in of_game[1:-1]] == moves
    lines = Path("traffic.log").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r" *\d+\.\d{6} (>>|<<|--) .+", line)] == []
    assert sum("log opened" in line for line in lines) == 1
    of_each = [Path("logs", f"engine-{number}.log").read_text(encoding="utf-8") for number in (1, 2)]
    moves = sum(map(len, expected.values()))
    assert sum(": bestmove" in line for line in lines) == moves == sum(text.count(": bestmove") for text in of_each)


@pytest.mark.slow
@pytest.mark.linux  # processes are listed and ended as on Linux, and below, too
def test_a_killed_process_loses_no_game(words: list[str], expected: dict[int, list[str]]) -> None:
    runner = begin(*words, "--concurrency", "2", "--database", "match.db")
    killed = workers_of(runner)
    os.kill(killed[0], signal.SIGKILL)
    out, err = runner.communicate(timeout=60)
    assert (runner.returncode, err) == (0, "")
    assert f"{GAMES} games" in out
    assert out.count("warning: a worker process ended by signal 9; its games are played again\n") == 1
    assert "Lost workers:   1 (their games were played again)\n" in out
    assert texts(Path("match.db")) == expected
    waited(lambda: not others(str(Path.cwd())), "engines are left")


@pytest.mark.linux
@pytest.mark.parametrize("number", [
    getattr(signal, "SIGKILL", 9),
    *(pytest.param(number, marks=pytest.mark.slow) for number in (signal.SIGTERM, signal.SIGINT)),
])
def test_processes_and_engines_end_with_the_runner(
    words: list[str], expected: dict[int, list[str]], number: signal.Signals
) -> None:
    """A terminal sends SIGINT to all processes of the match, and a supervisor SIGTERM."""
    runner = begin(*words, "--concurrency", "2", "--database", "match.db")
    workers = workers_of(runner)
    assert len(workers) == 2
    if number is signal.SIGKILL:
        runner.kill()
    else:
        hold_games()
        os.killpg(runner.pid, number)
    out, err = runner.communicate(timeout=60)
    if number is signal.SIGKILL:
        assert err == ""
    else:
        assert runner.returncode == 130
        assert "the match was interrupted" in out
        assert err == "latrones-uci match: interrupted; to resume: latrones-uci resume match.db\n"
    waited(lambda: not others(str(Path.cwd())), "engines are left")
    waited(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), "processes are left")
    assert len(texts(Path("match.db"))) < GAMES
    assert main(["resume", "match.db", "--concurrency", "2", "--force"]) == 0
    assert texts(Path("match.db")) == expected


@pytest.mark.slow
@pytest.mark.linux
def test_an_engine_that_kills_its_process(capsys: pytest.CaptureFixture[str]) -> None:
    """It must not be started for ever."""
    Path("killer.py").write_text(
        "import os\nfor line in iter(input, 'quit'):\n"
        "    print({'uci': 'uciok', 'isready': 'readyok'}.get(line, ''), flush=True)\n"
        "    if line.startswith('go'):\n        os.kill(os.getppid(), 9)\n", encoding="utf-8",
    )
    each = match_words(*[(sys.executable, str(Path("killer.py").resolve()))] * 2)
    assert main([*each, "--games", "2", "--concurrency", "2", "--force", "--database", "match.db"]) == 1
    assert re.fullmatch(
        r"latrones-match: game [12]: 6 worker processes ended before it; rerun the command to resume\n",
        capsys.readouterr().err,
    )


@pytest.mark.slow
@pytest.mark.linux
def test_errors_and_warnings_are_those_of_one_game_at_a_time(
    words: list[str], fake_command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = [*match_words(fake_command("good"), fake_command("dead")), "--database", "broken.db", "--force"]
    Path("full.log").symlink_to("/dev/full")
    found = []
    for concurrency in "12":
        statuses = (main([*broken, "--concurrency", concurrency]),
                    main([*words, "--concurrency", concurrency, "--database", f"{concurrency}.db", "--games", "2",
                          "--log", "full.log"]))
        found.append((statuses, capsys.readouterr().err))
    assert found[0] == found[1]
    statuses, err = found[0]
    assert statuses == (1, 1)
    assert err.count("cannot write the log 'full.log': No space left on device; the games continue without it") == 1


def test_states_and_interruption_of_a_running_game(fake_command: Command, start: Position) -> None:
    live, interrupt = LiveGames(), threading.Event()
    engine = EngineSettings(fake_command("slow"), TimeControl(depth=1))
    task = GameTask(7, (engine, engine), VariantSettings("latrones", "6x6"), fen=start.fen())
    with ProcessPlace(1, interrupt.is_set, live=live) as place:
        running = place.submit(task)
        waited(lambda: (turn := live.turn(7)) is not None and turn.played > 1)
        assert not running.done()
        interrupt.set()
        game = running.result().game
        assert game is not None
        assert game.outcome.termination is Termination.INTERRUPTED
        turn = live.turn(7)
        assert turn is not None
        assert list(turn.plies) == list(game.plies[: turn.played])
        with pytest.raises(WaitInterruptedError):
            place.submit(task).result()


@pytest.mark.posix  # Windows does not remove an open log
def test_a_log_that_cannot_be_opened_in_a_process(fake_command: Command, tmp_path: Path) -> None:
    path, warnings = tmp_path / "traffic.log", list[str]()
    log = TrafficLog(path, pytest.fail)
    path.unlink()
    path.mkdir()
    engine = EngineSettings(fake_command("good"), TimeControl(depth=1))
    with ProcessPlace(2, lambda: False, log, warn=warnings.append) as place:
        result = place.submit(GameTask(0, (engine,), SETTINGS.variants[0])).result()
    assert result.identities[0].name == "Fake good"
    log.close()
    assert warnings == [f"cannot write the log {str(path)!r}: Is a directory; the games continue without it"]


def test_errors_with_a_time_pass_between_processes() -> None:
    from multiprocessing.reduction import ForkingPickler

    error = EngineStallError("no bestmove", 5)
    copy = ForkingPickler.loads(ForkingPickler.dumps(error))
    assert (type(copy), str(copy), copy.elapsed_ns) == (EngineStallError, "no bestmove", 5)


@pytest.mark.slow
@pytest.mark.linux
def test_engines_are_pinned_with_their_process(words: list[str]) -> None:
    """One game at a time gets a process, too."""
    for concurrency in range(1, min(processors(), 2) + 1):
        runner = begin(*words, "--concurrency", str(concurrency), "--database", f"{concurrency}.db", "--affinity")
        pinned = {tuple(os.sched_getaffinity(worker)) for worker in workers_of(runner)}
        engines = {tuple(os.sched_getaffinity(engine)) for engine in others(str(Path.cwd()))}
        runner.kill()
        runner.communicate()
        assert len(pinned) == concurrency
        assert all(len(of_one) == 1 for of_one in pinned)
        assert engines == pinned
