import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import reading_s
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.client.process import EngineProcess, OutputLine, parse_command

pytestmark = pytest.mark.process

Command = Callable[..., tuple[str, ...]]
Run = Callable[..., EngineProcess]


@pytest.fixture
def run() -> Iterator[Run]:
    started: list[EngineProcess] = []

    def run(*command: str, **arguments: object) -> EngineProcess:
        process = EngineProcess(command, **arguments)  # type: ignore[arg-type]
        started.append(process)
        return process

    yield run
    for process in started:
        process.close(0)


def read(process: EngineProcess) -> OutputLine:
    line = process.read_line(20)
    assert line is not None
    return line


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_command_text_is_split_without_a_shell() -> None:
    assert parse_command("'my engine' --log \"a b\" $HOME") == ("my engine", "--log", "a b", "$HOME")
    assert parse_command(["my engine"]) == ("my engine",)


@pytest.mark.parametrize("command", ["", "   ", "'open", [], [""]])
def test_bad_commands(command: str | list[str]) -> None:
    with pytest.raises(ValueError, match="empty|quotation"):
        parse_command(command)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EngineStartError, match="^cannot start '.*no-such-engine': No such file or directory$"):
        EngineProcess([str(tmp_path / "no-such-engine")])


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        ("#!/usr/bin/python3\r", "its first line, '#!/usr/bin/python3\\r', ends in a carriage return; expected a line"),
        ("#!/no/such/interpreter -x", "its interpreter, in the first line '#!/no/such/interpreter -x', does not exist"),
        ("print(1)", "not a program; a script needs a first line such as '#!/usr/bin/env python3'"),
    ],
)
def test_scripts_that_cannot_be_run(tmp_path: Path, first: str, problem: str) -> None:
    script = tmp_path / "engine.py"
    script.write_bytes(f"{first}\nprint(1)\n".encode())
    script.chmod(0o755)
    with pytest.raises(EngineStartError, match=f"^cannot start '.*engine.py': {re.escape(problem)}"):
        EngineProcess([str(script)])
    with pytest.raises(EngineStartError, match="engine.py': "):
        EngineProcess(["./engine.py"], directory=str(tmp_path))


def test_a_script_whose_interpreter_is_not_found_by_env(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    script.write_bytes(b"#!/usr/bin/env python3\r\nprint(1)\n")
    script.chmod(0o755)
    with pytest.raises(EngineCrashError, match="status 127: .*ends in a carriage return; expected a line feed alone"):
        read(run(str(script)))


def test_missing_working_directory(tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    message = f"^cannot start 'true': directory '{missing}': No such file or directory$"
    with pytest.raises(EngineStartError, match=message):
        EngineProcess(["true"], directory=missing)


def test_lines_carry_the_time_of_reading(run: Run) -> None:
    process = run(*python("input(); print('one', flush=True); input(); print('two', flush=True)"))
    for text in ("one", "two"):
        before = time.monotonic_ns()
        process.write_line("go", 5)
        line = read(process)
        assert line.text == text
        assert before <= line.read_at_ns <= time.monotonic_ns()


def test_no_line_in_time(run: Run) -> None:
    process = run(*python("input()"))
    assert process.read_line(0.01) is None
    assert process.read_line(0) is None


def test_the_end_is_reported_after_the_last_line_with_status_and_stderr(run: Run) -> None:
    process = run(*python("import sys; print('last'); print('oh dear', file=sys.stderr); sys.exit(7)"))
    assert read(process).text == "last"
    for _ in range(2):
        with pytest.raises(EngineCrashError, match="ended with status 7: oh dear"):
            process.read_line(20)
    assert not process.running


def test_what_was_written_before_the_end_is_read_after_it(run: Run) -> None:
    # Less than a pipe holds, more than one read takes.
    process = run(*python("print('\\n'.join(map(str, range(9000))))"))
    deadline = time.monotonic() + 20
    while process.running:
        assert time.monotonic() < deadline
    assert [read(process).text for _ in range(9000)] == list(map(str, range(9000)))
    with pytest.raises(EngineCrashError, match="ended with status 0"):
        process.read_line(20)


def test_death_by_signal(run: Run) -> None:
    process = run(*python("import os; os.kill(os.getpid(), 9)"))
    with pytest.raises(EngineCrashError, match="killed by signal 9"):
        process.read_line(20)


def test_writing_to_a_closed_pipe_is_a_crash(run: Run) -> None:
    process = run(*python("import os; os.close(0); print('closed', flush=True); import time; time.sleep(60)"))
    assert read(process).text == "closed"
    with pytest.raises(EngineCrashError, match="closed a pipe"):
        process.write_line("isready", 5)


def test_writing_to_an_engine_that_does_not_read(run: Run, fake_command: Command) -> None:
    process = run(*fake_command("deaf"))
    with pytest.raises(EngineStallError, match="does not read"):
        process.write_line("x" * 10_000_000, 0.1)


def test_only_the_last_lines_of_stderr_are_kept(run: Run) -> None:
    process = run(*python("import sys\nfor i in range(1000): print(i, file=sys.stderr)"))
    with pytest.raises(EngineCrashError, match="999"):
        process.read_line(20)
    assert process.stderr_tail() == [str(i) for i in range(980, 1000)]


def test_unread_output_does_not_fill_the_memory(run: Run, fake_command: Command) -> None:
    process = run(*python("while True: print('x' * 1000)"))
    read(process)
    time.sleep(0.3)
    assert len(process._lines) < 100
    with pytest.raises(EngineStallError, match="does not read"):
        process.write_line("x" * 10_000_000, 0.3)
    assert len(process._lines) < 500
    begun = time.monotonic()
    process.close(0)
    assert time.monotonic() - begun < 30


def test_directory_and_environment(run: Run, tmp_path: Path) -> None:
    environment = {**os.environ, "GREETING": "salve"}
    code = "import os; print(os.getcwd()); print(os.environ['GREETING'])"
    process = run(*python(code), directory=str(tmp_path), environment=environment)
    assert [Path(read(process).text).resolve(), read(process).text] == [tmp_path.resolve(), "salve"]


def test_an_engine_that_ends_by_itself_is_waited_for(run: Run) -> None:
    process = run(*python("input(); print('quit', flush=True)"))
    process.write_line("quit", 5)
    process.close(20)
    assert not process.running


def test_the_whole_group_is_killed(run: Run, await_end: Callable[[int], None]) -> None:
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    process = run(*python(code))
    grandchild = int(read(process).text)
    process.close(0)
    await_end(grandchild)


def test_the_time_to_read_grows_with_what_was_sent() -> None:
    assert [reading_s(characters) for characters in (0, 3999, 4000, 400_000)] == [0, 0, 1, 100]
