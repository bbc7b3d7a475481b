"""Every command that the pages show (not docs/lab): its arguments are accepted, and the cheap ones work."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from latrones_uci.commands import command_line as commands

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "protocol.md", *sorted(ROOT.glob("docs/*.md"))]
MAINS = {"latrones-uci": commands.main, "latrones-match": commands.match_main}
PROGRAMS = (*MAINS, "python3", "pip", "pytest")
NOT_OURS = {
    "git": "version control", "sudo": "packages of the system", "xboard": "tests/xboard starts it",
    "cmake": "the builds of cutegames and of the C++ tests",
    "sed": "the build of cutegames", "build/cutegames": "a runner that tests replay",
    "build/native/check_tests": "built by CMake, and run by scripts/test.py",
    "setoption": "a line to the engine", "info": "a line from the engine",
}  # fmt: skip
"""First words of other lines in blocks of commands, and why they are not checked here."""
NOT_CHECKED = {
    "python3 -m venv .venv && . .venv/bin/activate": "the standard library",
    "python3 docs/examples/board.py bell": "tests/test_own_board.py plays with it",
}
WORKS = re.compile(r"latrones-uci (--version|variants|variants show latrunculi-xxi|variants explain (bell|ludii-piso)|"
                   r"suite docs/examples/forced-wins.suite)")  # fmt: skip
"""Commands that are cheap enough to run."""


def blocks(text: str) -> Iterator[str]:
    """Yield the lines of indented blocks, and of fenced ones without a language other than a shell's."""
    text = re.sub(r"^```(?!sh\n)[\w]*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\\\n\s*", "", text)
    yield from (line.strip() for line in text.splitlines() if re.match(r" {4,}\S", line))


def commands_of(page: Path) -> Iterator[str]:
    """Yield the commands of the blocks of a page, on one line each, without comments."""
    for line in blocks(page.read_text(encoding="utf-8")):
        if line.split()[0] in PROGRAMS:
            yield re.sub(r"\s+# .*| {4,}.*", "", line)


def fragments_of(page: Path) -> Iterator[str]:
    """Yield the commands within sentences; they may be incomplete."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`((?:latrones-(?:uci|match)|python3 scripts)[^`\n]*)`", text)


COMMANDS = sorted({command for page in PAGES for command in commands_of(page)} - set(NOT_CHECKED))
FRAGMENTS = sorted({fragment for page in PAGES for fragment in fragments_of(page)} - set(NOT_CHECKED))


def words_of(command: str) -> list[str]:
    """Split a command; ``...`` stands for an engine, or for further arguments."""
    command = re.sub(r"--engine \.\.\.", "--engine cmd=engine", command).replace(" ...", "")
    return shlex.split(command, comments=True)


@cache
def help_of(*words: str) -> str:
    done = subprocess.run([sys.executable, *words, "--help"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_script(words: list[str]) -> None:
    """Check that a script exists, and that its subcommand has the options; ``-m latrones_uci`` is the program."""
    if words[1] == "-m":
        assert commands.main(words[3:]) == 0
        return
    assert (ROOT / words[1]).exists()
    arguments = words[2:words.index("--")] if "--" in words else words[2:]
    options = {word.partition("=")[0] for word in arguments if word.startswith("--")}
    if options:
        subcommand = arguments[:1] if re.search(r"\{[\w,]*\b" + re.escape(arguments[0]), help_of(words[1])) else []
        known = help_of(words[1], *subcommand)
        assert {option for option in options if not re.search(rf"{option}\b", known)} == set()


@pytest.fixture
def parsing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line be parsed, and nothing run."""
    def accepting(name: str) -> SimpleNamespace:
        return SimpleNamespace(configure=import_module(name).configure, run=lambda options, program: 0)

    monkeypatch.setattr(commands, "import_module", accepting)
    monkeypatch.setattr(commands, "_run_engine", lambda options: 0)


@pytest.mark.process
@pytest.mark.usefixtures("parsing_only")
@pytest.mark.parametrize("command", COMMANDS)
def test_arguments_are_accepted(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(command)
    if words[0] in MAINS:
        assert MAINS[words[0]](words[1:]) == 0, capsys.readouterr().err
    elif words[0] == "python3":
        check_script(words)
    elif words[0] == "pytest":
        assert all((ROOT / word).exists() for word in words[1:] if word.startswith("tests"))
    else:
        assert words[1] == "install"
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
        assert {extra for word in words for extra in re.findall(r"\[(\w+)\]", word)} <= set(extras)


@pytest.mark.process
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_fragments_name_options_that_exist(fragment: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(fragment)
    if words[0] == "python3":
        check_script(words)
        return
    chosen = [word for word in words[1:3 if words[1:2] == ["variants"] else 2] if not word.startswith("-")]
    assert not chosen or chosen[0] in commands.COMMANDS
    with pytest.raises(SystemExit):
        MAINS.get(words[0], commands.match_main)([*chosen, "--help"])
    known = capsys.readouterr().out
    for option in (word.partition("=")[0] for word in words[1:] if word.startswith("-")):
        assert re.search(rf"{option}\b", known), option


@pytest.mark.parametrize("command", [command for command in COMMANDS if WORKS.fullmatch(command)])
def test_cheap_commands_work(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert commands.main(words_of(command)[1:]) == 0


def test_commands_are_found() -> None:
    assert len(COMMANDS) > 60
    assert sum(WORKS.fullmatch(command) is not None for command in COMMANDS) >= 4
    assert set(NOT_OURS) <= {line.split()[0] for page in PAGES for line in blocks(page.read_text(encoding="utf-8"))}
