"""Children and their pipes, on all systems: the contract of ``Child``, with programs in Python only."""

import hashlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from latrones_uci.client.child import Child, start_child, status_text
from latrones_uci.client.errors import EngineStartError
from latrones_uci.client.process import EngineProcess

LIMIT_S = 60.0
ECHO = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line * 2); sys.stdout.flush()"


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


running: list[Child] = []


@pytest.fixture(autouse=True)
def _end_all() -> Iterator[None]:
    yield
    while running:
        end(running[0])


def run(code: str) -> Child:
    running.append(start_child(python(code), None, None))
    return running[-1]


def kill(child: Child) -> None:
    running.remove(child)
    child.close_input()
    child.kill(LIMIT_S)


def end(child: Child) -> None:
    kill(child)
    child.close()


def read_until(child: Child, done: Callable[[bytes, bytes], bool]) -> tuple[bytes, bytes]:
    """Read until ``done`` returns True for what both outputs have printed."""
    read = [b"", b""]
    deadline = time.monotonic() + LIMIT_S
    while not done(*read):
        assert time.monotonic() < deadline, read
        for is_error, data in child.read(100):
            read[is_error] += data
    return read[0], read[1]


def read_to_the_end(child: Child) -> tuple[bytes, bytes]:
    return read_until(child, lambda *_: not child.output_open and not child.errors_open)


def status_of(child: Child) -> int | None:
    deadline = time.monotonic() + LIMIT_S
    while child.exit_status is None and time.monotonic() < deadline:
        time.sleep(0.01)
    return child.exit_status


@pytest.mark.process
def test_lines_go_both_ways() -> None:
    child = run(ECHO)
    assert child.read(0) == []
    for line in (b"one\n", b"two\n"):
        assert child.write(line) == len(line)
        assert read_until(child, lambda out, _: out.count(b"\n") == 2) == (line * 2, b"")
    assert child.exit_status is None
    child.close_input()
    assert read_to_the_end(child) == (b"", b"")
    assert status_of(child) == 0
    with pytest.raises((OSError, ValueError)):
        child.write(b"more\n")


@pytest.mark.process
def test_what_was_written_before_the_end_of_the_input_is_read() -> None:
    child = run("import sys, time\ntime.sleep(0.5)\nprint(len(sys.stdin.buffer.read()))")
    assert child.write(b"x" * 5000) == 5000
    child.close_input()
    assert read_to_the_end(child)[0].split() == [b"5000"]


@pytest.mark.process
def test_status_and_error_output_of_a_program_that_ends_itself() -> None:
    child = run("import os, sys\nprint('last'); print('oh dear', file=sys.stderr); sys.stdout.flush(); os._exit(3)")
    out, errors = read_to_the_end(child)
    assert (out.split(), errors.split(), status_of(child)) == ([b"last"], [b"oh", b"dear"], 3)
    assert (child.read(0), child.exchange(0, write=False, output=True)) == ([], [])


def write_until_it_fails(child: Child) -> None:
    """In Wine, the console of a program, which has its input, too, ends a little later."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        child.write(b"line\n")
        time.sleep(0.01)


@pytest.mark.process
def test_the_input_of_a_program_that_has_ended_is_a_broken_pipe() -> None:
    child = run("pass")
    assert read_to_the_end(child) == (b"", b"")
    assert status_of(child) == 0
    with pytest.raises(BrokenPipeError):
        write_until_it_fails(child)


@pytest.mark.process
def test_a_full_pipe_takes_no_more_until_it_is_read() -> None:
    """What it has taken arrives whole and in order; that it is full does not keep output from being read."""
    child = run(
        "import hashlib, sys, time\nprint('begin', flush=True); sys.stdin.buffer.readline(); time.sleep(1)\n"
        "print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    )
    read_until(child, lambda out, _: b"\n" in out)
    data = b"go\n" + os.urandom(300_000)
    rest, refused, deadline = memoryview(data), 0, time.monotonic() + LIMIT_S
    while rest:
        assert time.monotonic() < deadline
        written = child.write(rest)
        rest, refused = rest[written:], refused + (written == 0)
        if not written:
            assert child.exchange(50, write=True, output=True) == []
    assert refused > 0
    child.close_input()
    assert read_to_the_end(child)[0].split() == [hashlib.sha256(data[3:]).hexdigest().encode()]


@pytest.mark.process
def test_what_a_program_does_not_read_can_be_given_up() -> None:
    child = run("import time\nprint('begin', flush=True); time.sleep(60)")
    read_until(child, lambda out, _: b"\n" in out)
    data, begun = memoryview(b"x" * 1_000_000), time.monotonic()
    while time.monotonic() < begun + 0.5:
        data = data[child.write(data):]
        child.exchange(50, write=True, output=True)
    assert data
    begun = time.monotonic()
    end(child)
    assert child.exit_status == -9
    assert time.monotonic() - begun < 20


@pytest.mark.process
def test_a_program_that_floods_its_output_is_held_up() -> None:
    child = run("import sys\nwhile True: sys.stdout.write('x' * 100000)")
    read = 0
    while read < 1_000_000:
        pieces = child.read(1000)
        assert sum(len(data) for _, data in pieces) <= 65536
        read += sum(len(data) for _, data in pieces)
    kill(child)
    begun = time.monotonic()
    while child.output_open:  # what it has written, which a pipe holds
        read += sum(len(data) for _, data in child.read(1000))
        assert time.monotonic() - begun < LIMIT_S
    assert read < 2_000_000
    child.close()


@pytest.mark.process
def test_what_a_program_has_started_is_killed_with_it() -> None:
    """It would keep the pipes open."""
    child = run("import subprocess, sys\nsubprocess.Popen([sys.executable, '-I', '-S', '-c',"
                " 'import time; print(1, flush=True); time.sleep(600)'])")
    read_until(child, lambda out, _: b"1" in out)
    assert status_of(child) == 0
    assert child.read(0) == []
    assert child.output_open
    kill(child)
    assert read_to_the_end(child) == (b"", b"")
    child.close()


@pytest.mark.process
def test_pipes_are_closed_while_a_program_writes() -> None:
    child = run("while True: print('x', flush=True)")
    child.read(LIMIT_S * 1000)
    end(child)
    assert not child.output_open
    assert not child.errors_open


@pytest.mark.process
def test_one_thread_reads_what_another_has_waited_for() -> None:
    """Windows aborts what a thread that ends has begun to read."""
    started: list[Child] = []

    def work() -> None:
        started.append(run(ECHO))
        started[0].read(0)

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        child = started.pop()
        assert child.write(b"a\n") == 2
        assert read_until(child, lambda out, _: len(out) >= 4) == (b"a\na\n", b"")


@pytest.mark.process
def test_programs_end_with_a_runner_that_is_killed() -> None:
    """And so do those that they have started."""
    connect = "import socket, sys, time; connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))"
    engine = (
        f"{connect}\nimport subprocess\n"
        "subprocess.Popen([sys.executable, '-I', '-S', '-c', open(0).readline(), sys.argv[1]])\ntime.sleep(600)"
    )
    runner = (
        "import sys, time\nfrom latrones_uci.client.process import EngineProcess\n"
        "engine = EngineProcess([sys.executable, '-I', '-S', '-c', *sys.argv[1:3]])\n"
        "engine.write_line(sys.argv[3], 20)\ntime.sleep(600)"
    )
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(LIMIT_S)
        port = str(server.getsockname()[1])
        words = [sys.executable, "-c", runner, engine, port, f"{connect}; time.sleep(600)"]
        with subprocess.Popen(words) as process:
            connections = [server.accept()[0] for _ in range(2)]
            process.kill()
        for connection in connections:
            connection.settimeout(20)
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b""
            connection.close()


@pytest.mark.process
def test_what_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "engine.py").chmod(0o755)
    none = str(tmp_path / "none")
    for command, directory, problem in (
        (str(tmp_path / "none.exe"), None, ""),
        ("no-such-program-at-all", None, ""),
        (str(tmp_path), None, ""),
        (str(tmp_path / "engine.py"), None, "not a program; a script needs "),
        (sys.executable, none, "directory "),
    ):
        with pytest.raises(EngineStartError, match=f"^cannot start .*: {problem}[^\n]+$"):
            EngineProcess([command], directory=directory)


@pytest.mark.process
def test_a_relative_program_is_of_the_directory(tmp_path: Path) -> None:
    folder = Path(sys.executable).parent
    name = os.path.join(".", Path(sys.executable).name)
    child = start_child([name, "-I", "-S", "-c", "import os; print(os.getcwd())"], str(folder), None)
    running.append(child)
    assert os.path.samefile(read_to_the_end(child)[0].decode().strip(), folder)


def handles() -> int:
    """Return about how many handles are open: the system gives a new one the lowest free number."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    try:
        if sys.platform != "win32":
            return descriptor
        import msvcrt

        return msvcrt.get_osfhandle(descriptor) // 4
    finally:
        os.close(descriptor)


@pytest.mark.process
@pytest.mark.long
def test_no_start_leaves_a_handle() -> None:
    def start() -> None:
        child = run("import sys; print(sys.stdin.read(1))")
        child.write(b"x")
        read_to_the_end(child)
        end(child)
        with pytest.raises(OSError):  # noqa: PT011
            start_child(["no-such-program-at-all"], None, None)

    start()
    before = handles()
    for _ in range(20):
        start()
    assert handles() < before + 10


def test_statuses_of_windows_are_named() -> None:
    assert [status_text(status) for status in (0, 3, -9, 0xC0000005, 0xC00000FD, 0xC0001234)] == [
        "0", "3", "-9", "0xC0000005 (access violation)", "0xC00000FD (stack overflow)", "0xC0001234",
    ]
