"""Ctrl+C ends every command: one line, status 130, and what it has; a second one at once changes nothing."""

import math
import os
import signal
import struct
import subprocess
import sys
import time
import weakref
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands import arguments, command_line
from latrones_uci.commands.arguments import on_interrupt, raise_interrupt
from latrones_uci.commands.command_line import COMMANDS
from latrones_uci.commands.main import main
from latrones_uci.engine import native
from latrones_uci.records.pgn_write import render_game
from latrones_uci.records.serialize import serialize
from latrones_uci.records.store import Store, StoredEngine, StoredOpening
from latrones_uci.text.command import join_command
from match_records import SETTINGS, START, fixture, played_record

pytestmark = [
    pytest.mark.process,
    pytest.mark.linux,  # how a process handles signals is read from /proc
]
SERVERS = ("gui", "ludii", "watch")
"""Ctrl+C is how they end."""
RESUMED = ("match", "resume", "tune", "revs", "revs bisect", "revs history", "book", "tables", "train",
           "variants measure")

Fakes = Callable[..., tuple[str, ...]]


def long_work(command: str, folder: Path, fake_command: Fakes) -> list[str]:
    """Return the arguments of a command that does not end, with its input in the folder."""
    engine, deaf = (f"cmd={join_command(fake_command(behaviour))}" for behaviour in ("good", "deaf"))
    pipe = folder / "pipe"  # nobody writes to it
    os.mkfifo(pipe)
    if command in ("report", "pgn", "watch", "resume"):
        _make_database(folder / "match.db", 1500, fake_command("good"))
    for program in ("git",) if command.startswith("revs") else ("java", "javac"):
        (folder / program).write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
        (folder / program).chmod(0o755)
    with zipfile.ZipFile(folder / "Ludii.jar", "w") as jar:
        jar.writestr("app/StartDesktopApp.class", "")
    return {
        "match": ["--engine", engine, "--engine", engine, "--each", "nodes=1", "--games", "100000"],
        "resume": ["match.db", "--games", "100000", "--accept-changed-engine"],
        "tune": ["--engine", deaf, "nodes=1", "--param", "Aim,,,,", "--games", "100000"],
        "book": ["--count", "100000", "--screen-engine", "latrones-uci", "nodes=1000"],
        "revs": ["one", "two", "--repository", "."],
        "revs bisect": ["one", "two"],
        "revs history": ["one", "two"],
        "ratings": ["pipe"],
        "report": ["match.db"],
        "watch": ["match.db", "--no-browser"],
        "sprt": ["--sprt", "gainer"],
        "pgn": ["match.db"],
        "verify": ["pipe"],
        "check": fake_command("deaf"),
        "analyse": ["pipe"],
        "suite": ["pipe"],
        "puzzles": ["--self-play", "--variant", "latrones"],
        "gui": ["--no-games", "--no-browser"],
        "ludii": ["--jar", "Ludii.jar"],
        "variants": ["show", "bell"],
        "variants measure": ["latrones", "--nodes", "1000000"],
        "draw": ["--variant", "bell"],
        "bench": ["100"],
        "go": ["--depth", "100"],
        "analysis": [],  # its input is a pipe that stays open
        "perft": ["20"],
        "tables": ["latrones", "--men", "6"],
        "train": ["latrones", "--board", "5x5", "--positions", "1000000"],
    }[command]  # type: ignore[return-value]


def _make_database(path: Path, games: int, command: tuple[str, ...]) -> None:
    settings = replace(SETTINGS, engines=tuple(replace(engine, command=command) for engine in SETTINGS.engines),
                       games=games)
    whole = played_record(1)
    with Store(path, writing=True) as store:
        engines = [StoredEngine(name, name, "", command, "00") for name in "AB"]
        store.begin(serialize(settings), engines, "2024-05-31T12:00:00Z", "test")
        store.add_openings([StoredOpening(0, number, START.fen()) for number in range(games)])
        store.add_games([replace(whole, fixture=fixture(number)) for number in range(1, games + 1)])


def full_pipe() -> tuple[int, int]:
    """Return a pipe to which nothing can be written."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for size in (4096, 1):
        with suppress(BlockingIOError):
            while True:
                os.write(writing, bytes(size))
    os.set_blocking(writing, True)
    return reading, writing


def await_handler(process: subprocess.Popen[str]) -> None:
    """Wait until a process handles SIGTERM."""
    deadline = time.monotonic() + 60
    status = Path(f"/proc/{process.pid}/status")
    while not int(status.read_text(encoding="utf-8").partition("SigCgt:")[2].split()[0], 16) >> signal.SIGTERM - 1 & 1:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("signals", [(signal.SIGINT,), (signal.SIGTERM, signal.SIGINT)])
@pytest.mark.parametrize("command", COMMANDS)
def test_one_signal_ends_a_command(
    command: str, signals: tuple[signal.Signals, ...], fake_command: Fakes, tmp_path: Path
) -> None:
    arguments = long_work(command, tmp_path, fake_command)
    reading, writing = full_pipe() if command in ("variants", "draw", "sprt") else (-1, subprocess.PIPE)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path)}
    with subprocess.Popen([*OWN_ENGINE, *command.split(), *arguments], stdout=writing, stderr=subprocess.PIPE,
                          stdin=subprocess.PIPE if command == "analysis" else subprocess.DEVNULL, cwd=tmp_path,
                          text=True, env=environment) as process:
        await_handler(process)
        for each in signals:
            process.send_signal(each)
        _, errors = process.communicate(timeout=60)
    if reading >= 0:
        os.close(reading)
        os.close(writing)
    if command in SERVERS and process.returncode == 0:
        assert errors == ""
        return
    assert process.returncode == 130, errors
    *before, line = errors.splitlines()
    assert line.startswith(f"latrones-uci {command}: interrupted")
    assert all("latrones 8x8, up to 6 men" in each for each in before)
    assert ("resume" in line or "before the first game" in line) == (command in RESUMED)


def test_an_interrupted_import_ends_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupts:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "module_of", lambda name: type(name, (), {"field": Interrupts()}))
    assert command_line.main(["variants", "show", "bell"]) == 130
    assert capsys.readouterr().err == "latrones-uci variants: interrupted\n"


def test_an_interrupted_load_of_the_core_ends_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Instead of a bench with the Python kernel."""

    def interrupted(name: str) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:  # what pybind11 does
            raise ImportError("initialization failed") from error

    monkeypatch.setattr(native, "import_module", interrupted)
    monkeypatch.setattr(native, "is_compiled", lambda: True)
    assert command_line.main(["bench", "1"]) == 130
    assert capsys.readouterr().err == "latrones-uci bench: interrupted\n"


def test_a_signal_while_the_handlers_are_installed_ends_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def interrupted(*arguments: object, **options: object) -> Iterator[None]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(command_line, "on_interrupt", interrupted)
    assert command_line.main(["variants", "show", "bell"]) == 130
    assert capsys.readouterr().err == "latrones-uci variants: interrupted\n"


def test_an_interrupt_in_a_callback_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops exceptions there; imports have such callbacks."""

    class Thing:
        pass

    monkeypatch.setattr(arguments, "_interrupted_at", -math.inf)
    things = [Thing()]
    reference = weakref.ref(things[0], lambda dead: signal.raise_signal(signal.SIGTERM))

    def work() -> None:
        things.clear()
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt), on_interrupt(raise_interrupt):
        work()
    assert reference() is None


def test_a_match_prints_its_summary_and_how_to_resume_it(fake_command: Fakes, tmp_path: Path) -> None:
    """Although the reader of its output is gone: Ctrl+C ends all programs of a pipeline."""
    arguments = [*long_work("match", tmp_path, fake_command), "--database", "my match.db", "--pgn", "a.pgn"]
    with subprocess.Popen([*OWN_ENGINE, "match", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("game 1/")
        process.stdout.close()
        for each in (signal.SIGINT, signal.SIGTERM):
            process.send_signal(each)
        errors = process.stderr.read()
        assert process.wait(60) == 130
    assert "W-D-L: " in errors
    assert errors.splitlines()[-1] == (
        "latrones-uci match: interrupted; to resume: latrones-uci resume 'my match.db' --pgn a.pgn"
    )


INTERRUPTED_AT_IMPORT = """
import os, signal, sys
from latrones_uci.commands.main import main, match_main
from latrones_uci.text.command import join_command

class Interrupter:
    left = int(sys.argv.pop(1))

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        cls.left -= 1
        if cls.left < 0 and cls.left > -3:  # twice, as impatient users press it
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter)
sys.exit((match_main if sys.argv.pop(1) == "match" else main)())
"""
"""A program that gets SIGINT when it imports its n-th module."""


@pytest.mark.parametrize("command", ["", "--version", "match", "match verify", "revs bisect", "gui", "go", "train"])
def test_a_signal_during_the_imports_leaves_no_traceback(command: str, fake_command: Fakes, tmp_path: Path) -> None:
    arguments = command.split()
    program = "match" if arguments[:1] == ["match"] else "uci"
    arguments = arguments[1:] if program == "match" else arguments
    for imports in (0, 1, 5, 20, 50, 80):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED_AT_IMPORT, str(imports), program, *arguments],
                              input="", capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (130, ""), (imports, done.stderr)
        *before, last = done.stderr.split("\n")
        assert (len(before) <= 1, last) == (True, ""), done.stderr
        assert not before or ": interrupted" in before[0]


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    """As of programs that a shell starts in the background."""
    script = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN){INTERRUPTED_AT_IMPORT}"
    done = subprocess.run([sys.executable, "-c", script, "5", "uci", "variants"], capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_that_calls_main_handles_its_own_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    assert main(["variants", "show", "bell"]) == 0
    assert signal.getsignal(signal.SIGINT) is before


def test_games_verified_before_the_signal_are_counted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    game = render_game(played_record(1), "")
    process = subprocess.Popen([*OWN_ENGINE, "verify", "pipe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, cwd=tmp_path)
    with process, open(tmp_path / "pipe", "w", encoding="utf-8") as pipe:
        pipe.write(game * 400)
        pipe.flush()
        await_read(pipe.fileno())
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "latrones-uci verify: interrupted\n")
    assert output.startswith("pipe: ")
    assert " 0 disagreements" in output


def await_read(descriptor: int) -> None:
    """Wait until a pipe is empty."""
    deadline = time.monotonic() + 60
    import fcntl
    import termios

    while struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0]:
        assert time.monotonic() < deadline
        time.sleep(0.01)
