import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from latrones_uci.client.guard import MARK_VARIABLE, process_guard, watch
from latrones_uci.client.process import EngineProcess

pytestmark = [pytest.mark.process, pytest.mark.posix]

AwaitEnd = Callable[[int], None]
# Ends neither with its input nor by a gentle signal; the second process has left the group.
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
escaped = os.fork()
if escaped == 0:
    os.setsid()
else:
    print(os.getpid(), escaped, flush=True)
time.sleep(60)
"""
RUNNER = """
import sys, time
from latrones_uci.client.guard import process_guard
from latrones_uci.client.process import EngineProcess
engines = [EngineProcess([sys.executable, "-I", "-S", "-c", sys.argv[1]]) for _ in range(2)]
lines = [engine.read_line(20) for engine in engines]
engines[0].close(0)
print(*(word for line in lines for word in line.text.split()), process_guard()._process.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def runner() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", RUNNER, STUBBORN], stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def test_engines_end_with_a_killed_runner(runner: subprocess.Popen[str], await_end: AwaitEnd) -> None:
    assert runner.stdout is not None
    _, _, engine, escaped, guard = map(int, runner.stdout.readline().split())
    os.kill(engine, 0)
    os.kill(guard, signal.SIGTERM)  # is ignored
    runner.kill()
    for process_id in (engine, escaped, guard):
        await_end(process_id)


def test_an_engine_whose_start_was_not_finished_is_found_by_its_mark(await_end: AwaitEnd) -> None:
    environment = os.environ | {MARK_VARIABLE: "test-1"}
    command = [sys.executable, "-I", "-S", "-c", STUBBORN]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdout is not None
        process_ids = list(map(int, engine.stdout.readline().split()))
        watch(iter(["start\n"]), "test-2", 0.05)
        assert engine.poll() is None
        watch(iter(["start\n"]), "test-1", 0.05)
        assert engine.wait(20) == -signal.SIGKILL
        await_end(process_ids[1])


def test_groups_that_have_ended_are_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=-1, start_new_session=True) as other:
        told = ["start\n", f"started {other.pid}\n", f"ended {other.pid}\n", "start\n", "failed\n"]
        watch(iter(told), "no-such-mark")
        assert other.poll() is None
        watch(iter(told[:2]), "no-such-mark")
        assert other.wait(20) == -signal.SIGKILL


def test_a_guard_that_was_killed_is_replaced(await_end: AwaitEnd) -> None:
    guard = process_guard()
    first = EngineProcess(["cat"])
    killed = guard._process.pid
    guard._process.kill()
    await_end(killed)
    second = EngineProcess(["cat"])
    assert guard._process.pid != killed
    assert guard._process.poll() is None
    for engine in (first, second):
        engine.write_line("here", 5)
        line = engine.read_line(20)
        assert line is not None
        assert line.text == "here"
        engine.close(0)


def test_a_forked_child_has_a_guard_of_its_own() -> None:
    code = """
import os, sys
from latrones_uci.client.guard import process_guard
parent = process_guard()
if (child := os.fork()) == 0:
    own = process_guard()
    print(own is not parent and own._process.pid != parent._process.pid, flush=True)
    sys.exit()
os.waitpid(child, 0)
print(process_guard() is parent and parent._process.poll() is None)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == ("True\nTrue\n", "")


def test_an_engine_belongs_to_the_process_that_started_it() -> None:
    """A fork is told so, and may start one of its own; that of the parent plays on."""
    code = """
import os
from latrones_uci import Engine, EngineError, Game, Limit
engine = Engine.popen()
engine.play(Game("latrones"), Limit(depth=1))
before = engine.process_id
if (child := os.fork()) == 0:
    for call in (lambda: engine.play(Game("latrones"), Limit(depth=1)), engine.ping, lambda: engine.configure({})):
        try:
            call()
        except EngineError as error:
            assert str(before) not in str(error)
            print(str(error).partition("process ")[2].replace(str(os.getppid()), "PARENT"), flush=True)
    engine.close()
    print(engine.play(Game("latrones"), Limit(depth=1)).move is not None, engine.process_id != before, flush=True)
    engine.close()
    os._exit(0)
os.waitpid(child, 0)
print(engine.play(Game("latrones"), Limit(depth=1)).move is not None, engine.process_id == before)
engine.close()
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    refused = "PARENT, of which this one is a fork; expected an engine that this process started\n"
    assert (ended.stdout, ended.stderr) == (3 * refused + 2 * "True True\n", "")


def test_an_engine_that_was_not_closed_is_named_once() -> None:
    code = """
import os
from latrones_uci import Engine
engine = Engine.popen()
del engine
kept = Engine.popen()
if os.fork() == 0:
    del kept  # that of the parent
else:
    os.wait()
"""
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    warnings = [line for line in ended.stderr.splitlines() if ": ResourceWarning:" in line]
    assert [warning.endswith(") was not closed") for warning in warnings] == [True, True], ended.stderr


def test_nothing_is_written_to_the_guard_after_it_was_left(tmp_path: Path) -> None:
    """Another file may have the number of its pipe; an engine that starts then would never be killed."""
    code = """
import atexit, os
from latrones_uci import Engine, EngineStartError
from latrones_uci.client import guard
engine = Engine.popen()
guard._leave()
file = os.open("file", os.O_CREAT | os.O_RDWR)
engine.close()
try:
    Engine.popen()
except EngineStartError as error:
    print(str(error)[-22:])
print(os.path.getsize("file"))
atexit.unregister(guard._leave)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True,
                           cwd=tmp_path)
    assert (ended.stdout, ended.stderr) == ("this program is ending\n0\n", "")


def test_no_engine_holds_pipes_but_its_own() -> None:
    """Neither those of another engine nor those of the guard: it would hide their ends."""
    code = """
import json, os
def targets():
    for number in os.listdir("/proc/self/fd"):
        if os.path.exists(f"/proc/self/fd/{number}"):  # not that of the listing
            yield number, os.readlink(f"/proc/self/fd/{number}")
print(json.dumps(dict(targets())), flush=True)
input()
"""
    engines = [EngineProcess([sys.executable, "-I", "-S", "-c", code]) for _ in range(3)]
    pipes = []
    for engine in engines:
        line = engine.read_line(20)
        assert line is not None
        held = json.loads(line.text)
        assert set(held) == {"0", "1", "2"}
        pipes += held.values()
    assert len(set(pipes)) == 9
    for engine in engines:
        engine.close(0)


def test_the_guard_ends_with_a_runner_that_ends_well() -> None:
    code = "from latrones_uci.client.guard import process_guard; print(process_guard()._process.pid)"
    begun = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stderr == ""
    assert time.monotonic() - begun < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)
