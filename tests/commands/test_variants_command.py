"""``latrones-uci variants``: what it lists, shows and reports."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path

import pytest

from latrones_uci.commands.main import main
from latrones_uci.game import Position, Ruleset, all_variants, builtin_variants, parse_variants

VARIANTS = tuple(builtin_variants())
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "docs" / "examples").glob("*.toml"))


def shown(name: str, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["variants", "show", name, *words]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def under_another_name(text: str, name: str) -> Ruleset:
    """The game that a printed ruleset defines, read back as ``again`` and renamed."""
    head, _, body = text.partition("\n")
    assert head == f"[{name}]"
    (ruleset,) = parse_variants(f"[again]\n{body}", builtin_variants()).values()
    return dataclasses.replace(ruleset, name=name)


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants"]) == 0
    core, _, others = capsys.readouterr().out.partition("\n\nLudii's rulesets (")
    lines = [*core.splitlines(), *others.splitlines()[1:]]
    assert len(core.splitlines()) == len(VARIANTS)
    assert [line.split()[0] for line in lines] == list(all_variants())
    for line, ruleset in zip(lines, all_variants().values(), strict=True):
        files, ranks = ruleset.default_size
        assert line.split(maxsplit=2)[1:] == [f"{files}x{ranks}", ruleset.title]


@pytest.mark.parametrize("name", VARIANTS)
def test_shown_rulesets_can_be_read_back(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(name, capsys)
    assert under_another_name(text, name) == builtin_variants()[name]
    start = Position.start(builtin_variants()[name])
    comments = [line[2:] for line in text.splitlines() if line.startswith("#")]
    assert comments == ["", *start.diagram().splitlines(), "", start.fen()]
    (table,) = tomllib.loads(text).values()
    assert set(table) == {field.name for field in dataclasses.fields(Ruleset)} - {"name"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_checked_and_can_be_read_back(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rulesets = parse_variants(path.read_text(encoding="utf-8"), builtin_variants())
    assert main(["variants", "check", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert all(name in captured.out for name in rulesets)
    for name, ruleset in rulesets.items():
        assert under_another_name(shown(name, capsys, "--variant-path", str(path)), name) == ruleset


def test_a_text_with_quotes_and_several_lines_can_be_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.toml"
    path.write_text('[mine]\nparent = "latrones"\nsource = """a "quote", a \\\\ and\n\ta second line"""\n', "utf-8")
    ruleset = under_another_name(shown("mine", capsys, "--variant-path", str(path)), "mine")
    assert ruleset.source == 'a "quote", a \\ and\n\ta second line'


def test_the_pages_are_those_of_the_core_games_and_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "games.toml", tmp_path / "pages"
    path.write_text('[mine]\nparent = "latrones"\n', encoding="utf-8")
    assert main(["variants", "pages", str(folder), "--variant-path", str(path)]) == 0
    assert {page.stem for page in folder.glob("*.html")} == {*VARIANTS, "mine", "index"}
