"""The pages for people: every link leads somewhere, and examples, commands and the tutorial for variants work."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, takewhile
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from folders import ROOT
from latrones_uci import Game, IllegalMoveError, Position, builtin_variants
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands import command_line as commands
from latrones_uci.commands import engine
from latrones_uci.commands.main import main, match_main
from latrones_uci.game import parse_variants

PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.md")] if path.is_file()
)
_CODE = re.compile(r"^(```|~~~).*?^\1|^(?: {4}|\t).*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+(?:\([^()\s]*\))?)(?:\s+\"[^\"]*\")?\)|\b(?:href|src)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


def links_of(page: Path) -> Iterator[str]:
    """Yield the links of a page to other places of the project."""
    for match in _LINK.finditer(_CODE.sub("", page.read_text(encoding="utf-8"))):
        link = match[1] or match[2]
        if not _ELSEWHERE.match(link):
            yield unquote(link)


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub makes them."""
    found: set[str] = set()
    fenced = re.sub(r"^(```|~~~).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for heading in _HEADING.findall(fenced):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = 0
        while (name := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(name)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in links_of(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
            broken.append(link)
    assert not broken


def test_links_are_found() -> None:
    # The check above passes for a page without links, so it must be seen that they are found.
    index = set(links_of(ROOT / "docs" / "README.md"))
    assert {"browser.md", "../protocol.md"} <= index
    assert "tune-an-engine" in anchors_of(ROOT / "docs" / "match.md")
    assert "docs/images/browser-desktop.png" in set(links_of(ROOT / "README.md"))


def test_every_page_can_be_reached_from_the_index() -> None:
    docs = ROOT / "docs"
    linked = {(docs / link.partition("#")[0]).resolve() for link in links_of(docs / "README.md")}
    assert {page for page in PAGES if page.parent == docs} - {docs / "README.md"} <= linked


def test_the_index_leads_each_reader_in_one_click() -> None:
    table = (ROOT / "docs" / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    found = re.findall(r"\| [^|]+ \| \[[^\]]+\]\(([^)]+)\)", table)
    for page in ("browser.md", "match.md", "../protocol.md", "api.md", "family.md"):  # a newcomer, ..., a scholar
        assert page in found
    assert "(docs/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def examples_of_the_rules() -> Iterator[tuple[str, str, list[str], str]]:
    """Yield variant, position, moves and outcome of the examples in docs/rules.md."""
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for variant, section in re.findall(r"^## `([\w-]+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        table = section.partition("| example | position | moves | gives |\n|---|---|---|---|\n")[2]
        for row in table.partition("\n\n")[0].splitlines():
            _, position, moves, gives = (cell.strip() for cell in row.strip("|").split("|"))
            yield variant, position.strip("`"), moves.replace("`", "").split(), gives.replace("`", "")


EXAMPLES = list(examples_of_the_rules())


@pytest.mark.parametrize(("variant", "position", "moves", "gives"), EXAMPLES)
def test_examples_of_the_rules(variant: str, position: str, moves: list[str], gives: str) -> None:
    game = Game(Position.start(variant) if position == "startpos" else Position.from_fen(variant, position))
    if gives == "illegal":
        for move in moves[:-1]:
            game.push(move)
        with pytest.raises(IllegalMoveError):
            game.push(moves[-1])
        return
    for move in moves:
        game.push(move)
    outcome = game.outcome()
    assert gives == game.position.fen() + (f", {outcome}" if outcome else "")


def test_every_variant_has_an_example() -> None:
    assert {variant for variant, *_ in EXAMPLES} == set(builtin_variants())
    assert len(EXAMPLES) >= 28


# ---------------------------------------------------------------- commands, except for docs/lab

PAGES_WITH_COMMANDS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "protocol.md",
    *sorted(ROOT.glob("docs/*.md")),
]
MAINS = {"latrones-uci": main, "latrones-match": match_main}
PROGRAMS = (*MAINS, "python3", "pip", "pytest")
NOT_OURS = {
    "git": "version control", "sudo": "packages of the system", "xboard": "tests/protocols starts it",
    "cmake": "the builds of cutegames and of the C++ tests",
    "sed": "the build of cutegames", "build/cutegames": "a runner that tests replay",
    "build/native/check_tests": "built by CMake, and run by scripts/test.py",
    "setoption": "a line to the engine", "info": "a line from the engine",
}
"""First words of other lines in blocks of commands, and why they are not checked here."""
NOT_CHECKED = {
    "python3 -m venv .venv && . .venv/bin/activate": "the standard library",
    "python3 docs/examples/board.py bell": "tests/test_own_board.py plays with it",
}
WORKS = re.compile(r"latrones-uci (--version|variants|variants show latrunculi-xxi|variants explain (bell|ludii-piso)|"
                   r"suite docs/examples/forced-wins.suite)")
"""Commands that are cheap enough to run."""


def lines_of_blocks(text: str) -> Iterator[str]:
    """Yield the lines of indented blocks, and of fenced ones without a language other than a shell's."""
    text = re.sub(r"^```(?!sh\n)[\w]*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\\\n\s*", "", text)
    yield from (line.strip() for line in text.splitlines() if re.match(r" {4,}\S", line))


def commands_of(page: Path) -> Iterator[str]:
    for line in lines_of_blocks(page.read_text(encoding="utf-8")):
        if line.split()[0] in PROGRAMS:
            yield re.sub(r"\s+# .*| {4,}.*", "", line)


def fragments_of(page: Path) -> Iterator[str]:
    """Yield the commands within sentences; they may be incomplete."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`((?:latrones-(?:uci|match)|python3 scripts)[^`\n]*)`", text)


COMMANDS = sorted({command for page in PAGES_WITH_COMMANDS for command in commands_of(page)} - set(NOT_CHECKED))
FRAGMENTS = sorted({fragment for page in PAGES_WITH_COMMANDS for fragment in fragments_of(page)} - set(NOT_CHECKED))


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
        assert main(words[3:]) == 0
        return
    assert (ROOT / words[1]).exists()
    arguments = words[2 : words.index("--")] if "--" in words else words[2:]
    options = {word.partition("=")[0] for word in arguments if word.startswith("--")}
    if options:
        subcommand = arguments[:1] if re.search(r"\{[\w,]*\b" + re.escape(arguments[0]), help_of(words[1])) else []
        known = help_of(words[1], *subcommand)
        assert {option for option in options if not re.search(rf"{option}\b", known)} == set()


@pytest.fixture
def parsing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command line be parsed, and nothing run."""

    module_of = commands.module_of

    def accepting(name: str) -> SimpleNamespace:
        return SimpleNamespace(configure=module_of(name).configure, run=lambda options, program: 0)

    monkeypatch.setattr(commands, "module_of", accepting)
    for module in (commands, engine):  # with arguments, and without
        monkeypatch.setattr(module, "serve_engine", lambda *arguments: None)


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
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        extras = {extra for word in words for extra in re.findall(r"\[(\w+)\]", word)}
        assert extras <= set(settings["project"]["optional-dependencies"])
        groups = {group for option, group in pairwise(words) if option == "--group"}
        assert groups <= set(settings["dependency-groups"])


@pytest.mark.process
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_fragments_name_options_that_exist(fragment: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(fragment)
    if words[0] == "python3":
        check_script(words)
        return
    chosen = [word for word in words[1 : 3 if words[1:2] == ["variants"] else 2] if not word.startswith("-")]
    assert not chosen or chosen[0] in commands.COMMANDS
    with pytest.raises(SystemExit):
        MAINS.get(words[0], match_main)([*chosen, "--help"])
    known = capsys.readouterr().out
    for option in (word.partition("=")[0] for word in words[1:] if word.startswith("-")):
        assert re.search(rf"{option}\b", known), option


@pytest.mark.parametrize("command", [command for command in COMMANDS if WORKS.fullmatch(command)])
def test_cheap_commands_work(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert commands.main(words_of(command)[1:]) == 0


REVISIONS = re.compile(r"(?:\.|(?:origin/)?(?:main|HEAD)(?:~[0-9]{1,3})?)(?:\.\.(?:main|HEAD))?")
"""Names of versions that a clone has: branches and their ancestors. A tag or another branch may not be there."""


def test_versions_in_commands_exist_in_a_fresh_clone() -> None:
    found = [words_of(command)[2:] for command in (*COMMANDS, *FRAGMENTS) if command.startswith("latrones-uci revs")]
    versions = [list(takewhile(lambda word: not word.startswith("-"), words)) for words in found]
    names = {name for words in versions for name in words} - {"bisect", "history"}
    assert len(names) > 5
    assert {name for name in names if not REVISIONS.fullmatch(name)} == set()


def test_commands_are_found() -> None:
    assert len(COMMANDS) > 60
    assert sum(WORKS.fullmatch(command) is not None for command in COMMANDS) >= 4
    assert set(NOT_OURS) <= {
        line.split()[0] for page in PAGES_WITH_COMMANDS for line in lines_of_blocks(page.read_text(encoding="utf-8"))
    }


# ---------------------------------------------------------------- sequential tests

_SPRT = re.compile(r"^ {4}latrones-uci (sprt .*)\n((?: {4,}(?!latrones).*\n|\n(?= {4,}(?!latrones)))+)", re.MULTILINE)


def printed_sprt(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(command.split()) == 0
    return capsys.readouterr().out


def test_forecasts_are_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "statistics.md", ROOT / "docs/lab/gate.md")]
    blocks = [block for page in pages for block in _SPRT.findall(page)]
    assert len(blocks) == 2
    for command, shown in blocks:
        assert re.sub(r"^ {4}", "", shown, flags=re.MULTILINE) == printed_sprt(command, capsys), command


def test_presets_take_as_many_games_as_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "match.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `--sprt ([\w-]+)` \| (-?\d+) to (\d+) \| ([\d,]+), ([\d,]+) \|", text, re.MULTILINE)
    assert len(rows) == 4
    for preset, elo0, elo1, at_bound, halfway in rows:
        middle = (int(elo0) + int(elo1)) / 2
        data = json.loads(printed_sprt(f"sprt --sprt {preset} --true {elo0} {elo1} {middle} --json", capsys))
        games = [f"{round(row['mean_games'], -2):,.0f}" for row in data["forecast"]]
        assert games == [at_bound, at_bound, halfway], preset


# ---------------------------------------------------------------- the tutorial of docs/variants.md

TUTORIAL = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
ADVICE = "Add `dux_move = \"slide\"`"


@pytest.fixture
def blocks() -> list[str]:
    """Return the indented blocks of the tutorial, in order, without the indentation."""
    tutorial = TUTORIAL.partition("## From an idea to a measured ruleset")[2].partition("\n## ")[0]
    found = re.findall(r"(?:^ {7}.*\n|^\n(?= {7}\S))+", tutorial, re.MULTILINE)
    return [re.sub(r"^ {7}", "", block, flags=re.MULTILINE).strip("\n") + "\n" for block in found]


@pytest.fixture
def folder(tmp_path: Path, blocks: list[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for the tutorial, with my.toml as first written."""
    (tmp_path / "my.toml").write_text(blocks[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fix_file(folder: Path) -> None:
    assert ADVICE in TUTORIAL
    with (folder / "my.toml").open("a", encoding="utf-8") as file:
        file.write('dux_move = "slide"\n')


def test_check_prints_what_the_page_says(folder: Path, blocks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants", "check", "my.toml"]) == 1
    assert capsys.readouterr().err == blocks[1]
    fix_file(folder)
    assert main(["variants", "check", "my.toml"]) == 0


def test_show_command_of_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fix_file(folder)
    (command,) = re.findall(r"`latrones-uci\s(variants\sshow\s[^`]+)`", TUTORIAL.partition("## Keys")[0])
    assert main(command.split()) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("[rooks-dux]\n")
    assert printed.endswith("4D3/SSSSSSSS w 0 1\n")


@pytest.mark.process
def test_match_command_of_the_page(folder: Path, blocks: list[str]) -> None:
    fix_file(folder)
    words = shlex.split(blocks[2].replace("\\\n", " "))
    assert words[:2] == ["latrones-uci", "match"]
    engine = shlex.join(OWN_ENGINE)
    words = [word.replace("cmd=latrones-uci", f"cmd={engine}").replace("depth=3", "depth=1") for word in words[1:]]
    done = subprocess.run(
        [*OWN_ENGINE, *words, "--max-plies", "12"],
        capture_output=True, text=True, timeout=120, check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "game 2/2: " in done.stdout


def test_examples_of_the_page_exist() -> None:
    files = {path.name: path for path in (ROOT / "docs" / "examples").glob("*.toml")}
    page = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+\.toml)` \|", page, re.MULTILINE)) == set(files)
    for path in files.values():
        assert parse_variants(path.read_text(encoding="utf-8"), builtin_variants())
