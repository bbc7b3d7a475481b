"""Wrong arguments and wrong files of all commands: one line that says what is wrong, and nothing else happens.

The command lines and their errors are in errors.txt; ``PYTHONPATH=tests python tests/commands/test_command_errors.py``
writes the errors anew.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest

import memory_engine
from latrones_uci.client.controller import EngineController
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.analyse import MAX_GAMES
from latrones_uci.commands.main import main, match_main
from latrones_uci.match.store import Store

TABLE = Path(__file__).with_name("errors.txt")
SECTIONS = {text.partition("\n")[0]: text for text in TABLE.read_text(encoding="utf-8").split("\n# ")[1:]}
ENGINES = {
    "TWO": "--engine cmd=a depth=1 --engine cmd=b depth=1",
    "TUNED": "--engine cmd=tuned_engine.py name=T nodes=1",
}
WON = "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"  # c6c8 wins at once
FILES = {
    "empty.db": "", "empty.pgn": "", "empty.toml": "", "many.pgn": "*\n" * (MAX_GAMES + 1),
    "game.pgn": f'[Variant "latrones"]\n[FEN "{WON}"]\n[Result "1-0"]\n\n1. c6c8 1-0\n',
    "nine.toml": '[nine]\nparent = "latrones"\n', "old.suite": f"{WON}; dm 1\n",
    "rated.pgn": '[White "A"]\n[Black "B"]\n[Variant "latrones"]\n[Result "1-0"]\n\n1. a2a3 1-0\n',
}  # fmt: skip


def make_files() -> None:
    """Write the files that the command lines name to the current directory."""
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("latin-1.txt").write_bytes(b"\xff\n")
    Store(Path("page.html"), writing=True).close()


def files() -> set[str]:
    """Return the names of the files, but for those of SQLite beside a database that is open."""
    return {name for name in os.listdir() if "html-" not in name}


def error_of(words: list[str]) -> str:
    """Return the exit status and the error of a command line that prints nothing, and changes no file."""
    before, output, errors = files(), io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = main(words)
    error = errors.getvalue().replace(os.getcwd(), "DIR")
    assert output.buffer.getvalue() == b""  # type: ignore[attr-defined]
    assert error.count("\n") == 1 or status == 1, error
    assert files() == before
    return "".join(f"{status} {line}" for line in error.splitlines(keepends=True))


def engines(names: str, last: str) -> str:
    """Return engines as settings in TOML; ``last`` is more of the last one."""
    tables = [f"command = ['a'], control = 'depth=1', name = '{name}'" for name in names]
    tables[-1] += f", {last}" * bool(last)
    return f"engines = [{{{'}, {'.join(tables)}}}]"


def with_errors(section: str) -> str:
    """Return a section of the table with the errors that the commands print now."""
    lines, content = [], ""
    for line in section.splitlines(keepends=True):
        if line[0] == "|":
            text = line[1:].removeprefix(" ")
            content += re.sub(r"ENGINES (\w+) ?(.*)", lambda found: engines(*found.groups()), text)
        elif line[0] == "$":
            Path("input").write_text(content, encoding="utf-8")
            content = ""
            words = line.removeprefix("$ ")
            for name, given in ENGINES.items():
                words = words.replace(name, given)
            line += error_of(shlex.split(words))
        elif line[0].isdecimal():
            continue
        lines.append(line)
    return "".join(lines)


@pytest.mark.parametrize("name", SECTIONS)
def test_the_errors_of_a_command(name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in ("tables", "train"):
        request.getfixturevalue("native_core")
    if name == "train":
        pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")
    monkeypatch.setattr("latrones_uci.commands.match_arguments.processors", lambda: 4)
    make_files()
    assert with_errors(SECTIONS[name]) == SECTIONS[name]


def test_a_line_break_in_an_argument() -> None:
    make_files()
    assert "'option.Hash=1\\nquit'" in error_of(["match", *ENGINES["TWO"].split(), "option.Hash=1\nquit"])


def test_the_short_name_of_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    """Its subcommands follow either name, and an option of both may come first."""
    make_files()
    assert match_main(["--games", "x"]) == 2
    assert capsys.readouterr().err.startswith("latrones-match: ")
    assert match_main(["verify", "game.pgn"]) == main(["match", "verify", "game.pgn"]) == 0
    assert main(["--backend", "python", "perft", "1"]) == 0


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
def test_output_that_cannot_be_written() -> None:
    make_files()
    command = f"{shlex.join(OWN_ENGINE)} analyse game.pgn --depth 1"
    full = b"latrones-uci analyse: standard output: No space left on device\n"
    for redirected, expected in {"> /dev/full": (1, full), "1>&-": (0, b""),
                                 "--output out.pgn 0<&- 1>&- 2>&-": (0, b"")}.items():  # fmt: skip
        done = subprocess.run(["sh", "-c", f"{command} {redirected}"], stderr=subprocess.PIPE, timeout=60)
        assert (done.returncode, done.stderr) == expected, redirected
    assert Path("out.pgn").read_text(encoding="utf-8").count("[Annotator ") == 1


if __name__ == "__main__":
    head = TABLE.read_text(encoding="utf-8").partition("\n# ")[0]
    EngineController.connect = staticmethod(memory_engine.connect)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        make_files()
        with mock.patch("latrones_uci.commands.match_arguments.processors", return_value=4):
            text = "\n# ".join([head, *map(with_errors, SECTIONS.values())])
    TABLE.write_text(text, encoding="utf-8")
