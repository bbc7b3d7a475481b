"""The tutorial of docs/variants.md works as written."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.commands.main import main
from latrones_uci.game import builtin_variants, parse_variants

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
ADVICE = "Add `jump_must_capture = false`"


@pytest.fixture
def blocks() -> list[str]:
    """Return the indented blocks of the tutorial, in order, without the indentation."""
    tutorial = PAGE.partition("## A game of your own")[2].partition("\n## ")[0]
    found = re.findall(r"(?:^ {7}.*\n|^\n(?= {7}\S))+", tutorial, re.MULTILINE)
    return [re.sub(r"^ {7}", "", block, flags=re.MULTILINE).strip("\n") + "\n" for block in found]


@pytest.fixture
def folder(tmp_path: Path, blocks: list[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for the tutorial, with my.toml as first written."""
    (tmp_path / "my.toml").write_text(blocks[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fix_file(folder: Path) -> None:
    """Do the second step of the tutorial."""
    assert ADVICE in PAGE
    with (folder / "my.toml").open("a", encoding="utf-8") as file:
        file.write("jump_must_capture = false\n")


def test_check_prints_what_the_page_says(folder: Path, blocks: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants", "check", "my.toml"]) == 1
    assert capsys.readouterr().err == blocks[1]
    fix_file(folder)
    assert main(["variants", "check", "my.toml"]) == 0


def test_show_command_of_the_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fix_file(folder)
    (command,) = re.findall(r"`latrones-uci (variants show [^`]+)`", PAGE.partition("## Keys")[0])
    assert main(command.split()) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("[latrones-9x9]\n")
    assert printed.endswith("SSSSSSSSS/SSSSSSSSS w 0 1\n")


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
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "game 2/2: " in done.stdout


def test_examples_of_the_page_exist() -> None:
    shipped: dict[str, object] = {}
    for path in (ROOT / "docs" / "examples").glob("*.toml"):
        shipped |= parse_variants(path.read_text(encoding="utf-8"), builtin_variants())
    assert set(shipped) == {"museum-quintana", "kowalski-12x8", "kowalski-11x10", "seega-5x5"}
