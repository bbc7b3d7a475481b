"""Tests of the pages for people: every link leads somewhere, and examples and commands work."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from latrones_uci import Game, IllegalMoveError, Position, builtin_variants

ROOT = Path(__file__).resolve().parent.parent
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
