"""Engines as processes: their lines, pipes, ends and environment; and the command of this project's engine."""

import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import latrones_uci
from folders import ROOT
from latrones_uci import Engine, Game, Limit
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, reading_s
from latrones_uci.client.errors import EngineCrashError, EngineStallError, EngineStartError
from latrones_uci.client.process import EngineProcess, LineSplitter, OutputLine, parse_command
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position
from latrones_uci.text.clock import now_ns
from processes import await_end

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


def test_commands() -> None:
    assert parse_command('"my engine" --log "a b" $HOME') == ("my engine", "--log", "a b", "$HOME")
    assert parse_command(["my engine"]) == ("my engine",)
    for command in ("", "   ", '"open', [], [""]):
        with pytest.raises(ValueError, match="empty|quotation"):
            parse_command(command)
    assert [reading_s(characters) for characters in (0, 3999, 4000, 400_000)] == [0, 0, 1, 100]


def test_lines_in_pieces() -> None:
    splitter = LineSplitter(limit_bytes=12)
    for piece, lines, partial in (
        (b"info dep", [], "info dep"),
        (b"th 1\nbest", ["info depth 1"], "best"),
        (b"move a1\n\nuci", ["bestmove a1", ""], "uci"),
        (b"ok\r\n readyok \t \n", ["uciok\r", " readyok \t "], ""),  # only line feeds are removed
        (b"id \xff\x00\n", ["id \ufffd\x00"], ""),
        (b"0123", [], "0123"),
        (b"456789ABCDEF", [], "0123456789AB"),
        (b"G\nuciok\n" + b"x" * 100, ["0123456789AB", "uciok"], "x" * 12),
        (b"y" * 100, [], "x" * 12),
        (b"z\nreadyok\n", ["x" * 12, "readyok"], ""),
    ):
        assert (splitter.feed(piece), splitter.partial) == (lines, partial)


@pytest.mark.process
def test_what_cannot_be_started(tmp_path: Path) -> None:
    said = "" if sys.platform == "win32" else f": {os.strerror(errno.ENOENT)}$"  # Windows and Wine have other texts
    missing = str(tmp_path / "none")
    with pytest.raises(EngineStartError, match=f"^cannot start .*no-such-engine.*{said}"):
        EngineProcess([str(tmp_path / "no-such-engine")])
    with pytest.raises(EngineStartError, match=f"^cannot start .*: directory {re.escape(repr(missing))}{said}"):
        EngineProcess([sys.executable], directory=missing)


@pytest.mark.process
@pytest.mark.posix
@pytest.mark.parametrize(("first", "problem"), [
    ("#!/usr/bin/python3\r", "its first line, '#!/usr/bin/python3\\r', ends in a carriage return; expected a line"),
    ("#!/no/such/interpreter -x", "its interpreter, in the first line '#!/no/such/interpreter -x', does not exist"),
    ("print(1)", "not a program; a script needs a first line such as '#!/usr/bin/env python3'"),
])
def test_scripts_that_cannot_be_run(tmp_path: Path, first: str, problem: str) -> None:
    script = tmp_path / "engine.py"
    script.write_bytes(f"{first}\nprint(1)\n".encode())
    script.chmod(0o755)
    with pytest.raises(EngineStartError, match=f"^cannot start '.*engine.py': {re.escape(problem)}"):
        EngineProcess([str(script)])
    with pytest.raises(EngineStartError, match="engine.py': "):
        EngineProcess(["./engine.py"], directory=str(tmp_path))


@pytest.mark.process
@pytest.mark.posix
def test_a_script_whose_interpreter_is_not_found_by_env(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    script.write_bytes(b"#!/usr/bin/env python3\r\nprint(1)\n")
    script.chmod(0o755)
    with pytest.raises(EngineCrashError, match="status 127: .*ends in a carriage return; expected a line feed alone"):
        read(run(str(script)))


@pytest.mark.process
def test_lines_carry_the_time_of_reading(run: Run) -> None:
    process = run(*python("input(); print('one', flush=True); input(); print('two', flush=True)"))
    assert process.read_line(0) is process.read_line(0.01) is None
    for text in ("one", "two"):
        before = now_ns()
        process.write_line("go", 5)
        line = read(process)
        assert line.text == text
        assert before <= line.read_at_ns <= now_ns()


@pytest.mark.process
@pytest.mark.parametrize("usual", [False, True])
def test_a_carriage_return_is_no_peculiarity_where_all_programs_print_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, usual: bool
) -> None:
    monkeypatch.setattr("latrones_uci.client.process.ENDS_LINES_WITH_CRLF", usual)
    process = run(*python("import sys; sys.stdout.buffer.write(b'uciok\\r\\nreadyok\\n')"))
    first, second = read(process), read(process)
    assert (first.text, first.has_carriage_return) == ("uciok", not usual)
    assert (second.text, second.has_carriage_return) == ("readyok", False)


@pytest.mark.process
def test_the_end_is_reported_after_the_last_line_with_status_and_stderr(run: Run) -> None:
    process = run(*python("import sys; print('last'); print('oh \\x1bdear', file=sys.stderr); sys.exit(7)"))
    assert read(process).text == "last"
    for _ in range(2):
        with pytest.raises(EngineCrashError, match=r"ended with status 7: oh \\x1bdear"):
            process.read_line(20)
    assert not process.running


@pytest.mark.process
def test_what_was_written_before_the_end_is_read_after_it(run: Run) -> None:
    # Less than a pipe holds, more than one read takes.
    process = run(*python("print('\\n'.join(map(str, range(9000))))"))
    await_end(process.process_id)
    assert [read(process).text for _ in range(9000)] == list(map(str, range(9000)))
    with pytest.raises(EngineCrashError, match="ended with status 0"):
        process.read_line(20)


@pytest.mark.process
@pytest.mark.posix  # in Wine, the engine's console has the pipe, too; test_child.py has what holds there
def test_writing_to_a_closed_pipe_is_a_crash(run: Run) -> None:
    process = run(*python("import os; os.close(0); print('closed', flush=True); import time; time.sleep(60)"))
    assert read(process).text == "closed"
    with pytest.raises(EngineCrashError, match="closed a pipe"):
        process.write_line("isready", 5)


@pytest.mark.process
def test_only_the_last_lines_of_stderr_are_kept(run: Run) -> None:
    process = run(*python("import sys\nfor i in range(1000): print(i, file=sys.stderr)"))
    with pytest.raises(EngineCrashError, match="999"):
        process.read_line(20)
    assert process.stderr_tail() == [str(i) for i in range(980, 1000)]


@pytest.mark.process
def test_unread_output_does_not_fill_the_memory(run: Run) -> None:
    process = run(*python("while True: print('x' * 1000)"))
    read(process)
    time.sleep(0.3)
    assert len(process.lines) < 100
    with pytest.raises(EngineStallError, match="does not read"):
        process.write_line("x" * 10_000_000, 0.3)
    assert len(process.lines) < 500
    begun = time.monotonic()
    process.close(0)
    assert time.monotonic() - begun < 30


@pytest.mark.process
def test_directory_and_environment(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(
        "import os\n"
        "name = f'id name {os.environ[\"GREETING\"]} {os.path.basename(os.getcwd())}'\n"
        "answers = {'uci': name + '\\nuciok', 'isready': 'readyok'}\n"
        "while (line := input()) != 'quit':\n"
        "    print(answers.get(line, 'info string what?'), flush=True)\n",
        encoding="utf-8",
    )
    settings = EngineSettings((sys.executable, "engine.py"), TimeControl(), directory=str(tmp_path))
    engine = Engine(settings, environment={**os.environ, "GREETING": "Salve"})
    engine.start(Position.start())
    assert engine.name == f"Salve {tmp_path.name}"
    engine.close()


@pytest.mark.process
def test_an_engine_that_ends_by_itself_is_waited_for(run: Run) -> None:
    process = run(*python("input(); print('quit', flush=True)"))
    process.write_line("quit", 5)
    process.close(20)
    assert not process.running


@pytest.mark.process
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


# ---------------------------------------------------------------- our engine is of the package that starts it

PACKAGE = Path(latrones_uci.__file__).parent
OWN_COMMAND = re.compile(r"""['"]-m['"], ['"]latrones_uci['"]|executable\S* -m latrones_uci""")


@pytest.fixture
def decoy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory with a package of the same name, as a checkout has it."""
    folder = tmp_path / "checkout"
    (folder / "latrones_uci").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py"):
        (folder / "latrones_uci" / name).write_text("raise SystemExit('the decoy was imported')\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.process
def test_the_current_directory_is_not_imported(decoy: Path) -> None:
    with Engine.popen(OWN_ENGINE, variant="rota") as engine:
        assert engine.play(Game("rota"), Limit(depth=1)).move is not None
    decoyed = subprocess.run([sys.executable, "-m", "latrones_uci", "--version"], capture_output=True, text=True)
    assert decoyed.stderr == "the decoy was imported\n"


@pytest.mark.process
@pytest.mark.posix  # a link to a folder needs a privilege on Windows
@pytest.mark.parametrize("reached", ["PYTHONPATH", "sys.path", "relative"])
def test_the_engine_is_of_the_package_that_starts_it(decoy: Path, tmp_path: Path, reached: str) -> None:
    """Even if the engine's Python finds another package, or none."""
    site = tmp_path / "a b" / "site"
    site.mkdir(parents=True)
    (site / "latrones_uci").symlink_to(PACKAGE)
    environment = {**os.environ, "PYTHONPATH": str(site if reached == "PYTHONPATH" else decoy)}
    folder = os.path.relpath(site) if reached == "relative" else str(site)
    program = "\n".join([
        "import subprocess, sys",
        *([] if reached == "PYTHONPATH" else [f"sys.path.insert(0, {folder!r})"]),
        "from latrones_uci.client.engine_spec import OWN_ENGINE",
        "print(OWN_ENGINE[-1], flush=True)",
        "subprocess.run([*OWN_ENGINE, '--version'], cwd='/', check=True)",
    ])
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    path, version = done.stdout.splitlines()
    assert Path(os.path.abspath(path)).is_relative_to(site)
    assert version.startswith(f"latrones-uci {latrones_uci.__version__} ")


def test_everything_starts_the_engine_by_this_command() -> None:
    """Because ``-m latrones_uci`` runs whatever the current directory contains."""
    files = [path for folder in ("latrones_uci", "scripts", "tests", "docs/examples")
             for path in (ROOT / folder).rglob("*.py")]
    found = [path.name for path in files if OWN_COMMAND.search(path.read_text(encoding="utf-8"))]
    assert found == [Path(__file__).name]
