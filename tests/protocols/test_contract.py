"""Tests of the pages for users: their sessions are replayed, and the tables of protocol.md match the code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import latrones_uci.commands.command_line
import latrones_uci.protocols.xboard.session  # noqa: F401 - so that every class of error there is has been made
from folders import ROOT
from latrones_uci.engine.options import DEFAULT_SIZE, Option, declared
from latrones_uci.game import LatronesError, builtin_variants
from latrones_uci.protocols.uci.arguments import GO_WORDS
from latrones_uci.protocols.uci.render import HELP
from latrones_uci.protocols.uci.session import COMMANDS
from protocols.client import PATIENCE_S, PLACEHOLDERS, Client, parse_session, replay

PAGE = (ROOT / "protocol.md").read_text(encoding="utf-8")
XBOARD = (ROOT / "docs" / "xboard.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str, page: str = PAGE) -> list[tuple[str, str]]:
    found, heading = [], ""
    for match in re.finditer(r"^#+ ([^\n]+)$|^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if match[1]:
            heading = match[1]
        elif match[2] == kind:
            found.append((heading, match[3]))
    return found


SESSIONS = [
    pytest.param(text, id=f"{index}-{re.sub(r'[^a-z]+', '-', heading.lower()).strip('-')}")
    for index, (heading, text) in enumerate([*blocks("session"), *blocks("session", XBOARD)], start=1)
]


def test_every_command_has_a_session() -> None:
    sent = {step.sent.split()[0] for _, text in blocks("session") for step in parse_session(text)}
    assert set(COMMANDS) - {"newgame"} <= sent
    assert "\n> go perft " in PAGE


@pytest.mark.long
@pytest.mark.parametrize("text", SESSIONS)
def test_session(text: str, engine: Client, tmp_path: Path) -> None:
    ((_, games),) = blocks("toml")
    (tmp_path / "my-games.toml").write_text(games, encoding="utf-8")
    replay(parse_session(text), engine.send, engine.read_line)
    assert engine.finish() == []


@pytest.mark.process
def test_program_of_the_readme(tmp_path: Path) -> None:
    ((_, program),) = blocks("python", README)
    assert program.count("Limit(time=0.1)") == 1
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-c", program.replace("Limit(time=0.1)", "Limit(depth=1)")], capture_output=True, text=True,
        cwd=tmp_path, timeout=PATIENCE_S, env={**os.environ, "PATH": path},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"(White wins|Black wins|Draw) \(\w+\)", done.stdout.splitlines()[-1])
    assert len(program.splitlines()) <= 11


def test_rules_cover_every_game() -> None:
    for name, ruleset in builtin_variants().items():
        assert f"`{name}`" in RULES
        assert f"| `{name}` | {ruleset.default_size[0]}x{ruleset.default_size[1]} |" in README


def test_grammar_names_every_word() -> None:
    (grammar,) = (text for heading, text in blocks("text") if heading == "Grammar")
    words = re.findall(r'"(\w+)"', grammar)
    assert set(words) == {
        *COMMANDS, *GO_WORDS, "on", "off", "name", "value", "startpos", "fen", "moves", "p1turn", "gameover", "result",
        "ratings", "core", "ludii", "all",
    }


def test_help_names_every_command() -> None:
    words = set(re.findall(r"\w+", HELP))
    assert {*COMMANDS, *GO_WORDS} <= words


def table(name: str, page: str = PAGE) -> list[str]:
    (found,) = re.findall(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", page, re.DOTALL)
    return found.splitlines()[2:]


def option_row(option: Option) -> str:
    if option.kind == "spin":
        values = f"{option.minimum} to {option.maximum}"
    elif option.kind == "combo":
        values = ", ".join(f"`{choice}`" for choice in option.choices)
    else:
        values = {"check": "`true`, `false`", "string": "text", "button": "-"}[option.kind]
    if option.default is None:
        default = "-"
    elif option.default == "":
        default = "empty"
    else:
        default = f"`{str(option.default).lower() if isinstance(option.default, bool) else option.default}`"
    return f"| `{option.name}` | {option.kind} | {default} | {values} | {option.help} |"


def test_options() -> None:
    """If this fails, the expected rows can be copied from the message."""
    expected = [option_row(option) for option in declared(builtin_variants()).values()]
    assert table("options") == expected, "\n" + "\n".join(expected)
    assert DEFAULT_SIZE in PAGE


def error_classes(parent: type[LatronesError] = LatronesError) -> set[type[LatronesError]]:
    own = {child for child in parent.__subclasses__() if child.__module__.startswith("latrones_uci.")}
    return own.union(*(error_classes(child) for child in own))


def test_errors() -> None:
    codes = [child.code for child in error_classes() if "code" in vars(child)]
    assert len(codes) == len(set(codes))
    listed = [row.split("|")[1].strip().strip("`") for row in table("errors")]
    assert sorted(listed) == sorted([*codes, "internal", "memory"])


def test_placeholders_are_explained() -> None:
    listed = re.findall(r"^\| `(<\w+>)` \|", PAGE, re.MULTILINE)
    assert listed == list(PLACEHOLDERS)
    used = {word for page in (PAGE, XBOARD) for _, text in blocks("session", page)
            for word in re.findall(r"<\w+>", text)}
    assert used == {*PLACEHOLDERS, "<empty>"}
