"""What commands print, and their errors: one line that says what is wrong, and nothing else happens.

The command lines and what they print are in errors.txt and outputs.txt; run
``PYTHONPATH=tests python tests/commands/test_command_errors.py`` to write that anew.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path
from unittest import mock

import pytest

import memory_engine
from latrones_uci.client.connection import Connection
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.analyse import MAX_GAMES
from latrones_uci.commands.command_line import COMMANDS
from latrones_uci.commands.main import main, match_main
from latrones_uci.records.store import Store

TABLES = [Path(__file__).with_name(name) for name in ("errors.txt", "outputs.txt")]
SECTIONS = [section for table in TABLES for section in table.read_text(encoding="utf-8").split("\n# ")[1:]]
ENGINES = {
    "TWO": "--engine cmd=a depth=1 --engine cmd=b depth=1",
    "TUNED": "--engine cmd=tuned_engine.py name=T nodes=1",
    "GOOD-A": "--engine 'cmd=fake_engine.py good' name=A",
    "GOOD-B": "--engine 'cmd=fake_engine.py good' name=B",
    "CRASHING-B": "--engine 'cmd=fake_engine.py crash 2' name=B",
    "RESIGNING-C": "--engine 'cmd=fake_engine.py resign' name=C",
    "SMALL": "--each nodes=1 --board 6x6 --database match.db --concurrency 1",
}
WON = "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1"  # c6c8 wins at once
FILES = {
    "input": "", "empty.db": "", "empty.pgn": "", "empty.toml": "", "many.pgn": "*\n" * (MAX_GAMES + 1),
    "game.pgn": f'[Variant "latrones"]\n[FEN "{WON}"]\n[Result "1-0"]\n\n1. c6c8 1-0\n',
    "nine.toml": '[nine]\nparent = "latrones"\n', "old.suite": f"{WON}; dm 1\n",
    "mine.toml": '[mine]\nparent = "latrones"\ntitle = "Mine"\nsource = "Me"\n',
    "rated.pgn": '[White "A"]\n[Black "B"]\n[Variant "latrones"]\n[Result "1-0"]\n\n1. a2a3 1-0\n',
}


def make_files() -> None:
    """Write the files that the command lines name to the current directory."""
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("latin-1.txt").write_bytes(b"\xff\n")
    Store(Path("page.html"), writing=True).close()


def files() -> set[str]:
    """Return the names of the files, but for those of SQLite beside a database that is open."""
    return {name for name in os.listdir() if "html-" not in name}


def printed(words: list[str]) -> str:
    """Return what a command line prints, with its exit status; one that fails makes no file."""
    before, output, errors = files(), io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = main(words)
    output.flush()
    printed = output.buffer.getvalue().decode(), errors.getvalue()  # type: ignore[attr-defined]
    out, error = (text.replace(os.getcwd(), "DIR") for text in printed)
    assert status != 2 or not out and error.count("\n") == 1, (out, error)
    assert status in (0, 3, 4) or files() == before
    for made in files() - before:
        Path(made).unlink()
    lines = [f"> {line}" for line in out.splitlines()] + [f"{status} {line}" for line in error.splitlines() or [""]]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def engines(names: str, last: str) -> str:
    """Return engines as settings in TOML; ``last`` is more of the last one."""
    tables = [f"command = ['a'], control = 'depth=1', name = '{name}'" for name in names]
    tables[-1] += f", {last}" * bool(last)
    return f"engines = [{{{'}, {'.join(tables)}}}]"


def with_outputs(section: str) -> str:
    """Return a section of a table with what the commands print now."""
    lines, content = [], ""
    for line in section.splitlines(keepends=True):
        if line[0] == "|":
            text = line[1:].removeprefix(" ")
            content += re.sub(r"ENGINES (\w+) ?(.*)", lambda found: engines(*found.groups()), text)
        elif line[0] == "$":
            if content:
                Path("input").write_text(content, encoding="utf-8")
            content = ""
            words = line.removeprefix("$ ")
            for name, given in ENGINES.items():
                words = words.replace(name, given)
            line += printed(shlex.split(words))
        elif line[0].isdecimal() or line[0] == ">":
            continue
        lines.append(line)
    return "".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("section", [
    pytest.param(text, id=name, marks=pytest.mark.process if name == "check" else ())
    for text in SECTIONS for name in [text.partition("\n")[0]]
])
def test_what_a_command_prints(section: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if section.startswith(("tables\n", "train\n")):
        request.getfixturevalue("native_core")
    if section.startswith("train\n"):
        pytest.importorskip("numpy", reason="no numpy: the extra 'train' is not installed")
    monkeypatch.setattr("latrones_uci.commands.match_arguments.processors", lambda: 4)
    monkeypatch.setattr("latrones_uci.commands.watch._START_S", 0)
    make_files()
    assert with_outputs(section) == section


def test_a_line_break_in_an_argument() -> None:
    make_files()
    assert "'option.Hash=1\\nquit'" in printed(["match", *ENGINES["TWO"].split(), "option.Hash=1\nquit"])


def test_the_short_name_of_the_match(capsys: pytest.CaptureFixture[str]) -> None:
    """Its subcommands follow either name, and an option of both may come first."""
    make_files()
    for command in (command for command in COMMANDS if command != "match"):
        for program, words in ((match_main, [command]), (main, ["match", command])):
            with pytest.raises(SystemExit):
                program([*words, "--help"])
            assert capsys.readouterr().out.startswith(f"usage: latrones-uci {command} ")
    assert match_main(["--games", "x"]) == 2
    assert capsys.readouterr().err.startswith("latrones-match: ")
    assert match_main(["verify", "game.pgn"]) == main(["match", "verify", "game.pgn"]) == 0
    assert main(["--backend", "python", "perft", "1"]) == 0


@pytest.mark.parametrize("words", [["perft", "1"], ["draw"], ["variants", "show", "mine"]])
def test_commands_take_variants_of_ones_own(words: list[str]) -> None:
    make_files()
    assert main([*words, *["--variant", "mine"] * (words[-1] != "mine"), "--variant-path", "mine.toml"]) == 0


@pytest.mark.process
@pytest.mark.linux  # /dev/full is Linux's
def test_output_that_cannot_be_written() -> None:
    make_files()
    command = f"{shlex.join(OWN_ENGINE)} analyse game.pgn --depth 1"
    full = b"latrones-uci analyse: standard output: No space left on device\n"
    for redirected, expected in {"> /dev/full": (1, full), "1>&-": (0, b""),
                                 "--output out.pgn 0<&- 1>&- 2>&-": (0, b"")}.items():
        done = subprocess.run(["sh", "-c", f"{command} {redirected}"], stderr=subprocess.PIPE, timeout=60)
        assert (done.returncode, done.stderr) == expected, redirected
    assert Path("out.pgn").read_text(encoding="utf-8").count("[Annotator ") == 1


if __name__ == "__main__":
    Connection.connect = staticmethod(memory_engine.connect)
    for table in TABLES:
        head, *sections = table.read_text(encoding="utf-8").split("\n# ")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            make_files()
            with (mock.patch("latrones_uci.commands.match_arguments.processors", return_value=4),
                  mock.patch("latrones_uci.commands.watch._START_S", 0)):
                text = "\n# ".join([head, *map(with_outputs, sections)])
        table.write_text(text, encoding="utf-8")
