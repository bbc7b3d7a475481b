"""``latrones-uci variants measure``: whole measurements with engines in memory, resuming, and the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folders import ROOT
from html_page import Page, assert_harmless
from latrones_uci.commands.main import main
from latrones_uci.match.tournament import Tournament
from match_play import texts

SMALL = ["--nodes", "3", "--max-plies", "16", "--concurrency", "1"]
MINE = """\
[mine]
parent = "latrones"
title = "Mine <b>"
source = "Me"
default_size = "6x6"
nocapture_limit = 8
"""


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that measures small games in an empty folder, and returns what is printed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(MINE, encoding="utf-8")

    def run(*words: str, status: int = 0) -> str:
        assert main(["variants", "measure", *words, *SMALL]) == status
        captured = capsys.readouterr()
        return captured.out if status == 0 else captured.err

    return run


def data_of(text: str) -> dict[str, dict[str, Any]]:
    return {each["game"]: each for each in json.loads(text)["rulesets"]}


@pytest.mark.long
def test_a_measurement(measure: Callable[..., str], tmp_path: Path) -> None:
    text = measure("rota", "mine.toml", "--games", "2", "--html", "page.html")
    assert text.splitlines()[0] == "nodes 3 and 6, random plies 4, plies at most 16, seed 0"
    assert re.search(r"^games +2 +2$", text, re.MULTILINE)
    assert f"Databases: {tmp_path / 'latrones-measure'}\nPage: {tmp_path / 'page.html'}\n" in text
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert_harmless(page)
    assert page.text["h1"] == ["Quality of 2 games"]
    assert "Mine <b>" in page.text["p"]
    games = json.loads(page.scripts["game-list"])
    assert games["engines"] == ["weaker", "stronger"]
    assert [row[:3:2] for row in games["games"]] == [[1, "rota"], [2, "mine"]]
    data = data_of(measure("rota", "mine.toml", "--games", "2", "--json"))
    for name, each in data.items():
        assert texts(Path(each["database"])).keys() == {1, 2}
        assert each["most_dramatic_game"] in (1, 2)
        assert re.fullmatch(rf"latrones-measure/{name}-[0-9a-f]{{8}}\.db", each["database"])


@pytest.mark.long
def test_more_games_continue_a_measurement(measure: Callable[..., str]) -> None:
    (found,) = data_of(measure("mine.toml", "--games", "2", "--json")).values()
    assert found["games"] == 2
    database = Path(found["database"])
    before = texts(database)
    (found,) = data_of(measure("mine.toml", "--games", "4", "--json")).values()
    after = texts(database)
    assert {number: after[number] for number in before} == before
    assert len(after) == found["games"] == 4
    assert found["plies"]["mean"] == sum(map(len, after.values())) / 4
    assert sum(found["endings"].values()) == 4
    assert found["unfinished"] == found["endings"].get("unfinished", 0)
    (found,) = data_of(measure("mine.toml", "rota", "--games", "2", "--json").replace("rota", "mine")).values()
    assert found["games"] == 2


@pytest.mark.long
def test_other_rules_or_settings_are_another_measurement(measure: Callable[..., str], tmp_path: Path) -> None:
    words = ("mine.toml", "--games", "2", "--folder", "games", "--json")
    first = data_of(measure(*words))["mine"]["database"]
    other = data_of(measure(*words, "--seed", "1"))["mine"]["database"]
    (tmp_path / "mine.toml").write_text(MINE.replace("limit = 8", "limit = 6"), encoding="utf-8")
    changed = data_of(measure(*words))["mine"]
    assert "6 turns without a capture" in changed["endings"]
    assert {path.name for path in (tmp_path / "games").glob("*.db")} == {
        Path(each).name for each in (first, other, changed["database"])
    }


@pytest.mark.long
def test_an_interrupted_measurement_is_resumed(measure: Callable[..., str], monkeypatch: pytest.MonkeyPatch,
                                               tmp_path: Path) -> None:
    words = ("mine.toml", "rota", "--games", "4")
    receive = Tournament._receive

    def interrupt(self: Tournament, *arguments: Any) -> None:
        receive(self, *arguments)
        if self.standings.games == 2:
            self._interrupt.set()  # type: ignore[attr-defined]

    with monkeypatch.context() as patch:
        patch.setattr(Tournament, "_receive", interrupt)
        error = measure(*words, status=130)
    assert "interrupted; to resume: latrones-uci variants measure mine.toml rota --games 4" in error
    (database,) = (tmp_path / "latrones-measure").glob("*.db")
    before = texts(database)
    assert 2 <= len(before) < 4
    data = data_of(measure(*words, "--json"))
    assert [each["games"] for each in data.values()] == [4, 4]
    after = texts(database)
    assert {number: after[number] for number in before} == before


@pytest.mark.long
def test_values_of_a_key(measure: Callable[..., str]) -> None:
    data = data_of(measure("mine.toml", "--vary", "nocapture_limit=6,8,0", "--games", "2", "--json"))
    assert list(data) == ["mine.nocapture_limit-6", "mine.nocapture_limit-8", "mine.nocapture_limit-0"]
    assert data["mine.nocapture_limit-6"]["endings"] == {"6 turns without a capture": 2}
    assert [each["key"] for each in data["mine.nocapture_limit-0"]["idle_rules"]].count("nocapture_limit") == 0
    varied = measure("petteia-xxi", "--vary", "default_size=5x5,6x6", "--games", "2", "--json")
    assert [len(each["landings"]) for each in data_of(varied).values()] == [25, 36]
    assert len(data_of(measure("mine.toml", "--vary", "enclosure=true,false", "--games", "2", "--json"))) == 2


@pytest.mark.long
def test_the_json_is_what_the_documentation_lists(measure: Callable[..., str]) -> None:
    page = (ROOT / "docs" / "variants.md").read_text(encoding="utf-8")
    listed = page.partition("### JSON")[2].partition("\n## ")[0]
    found = json.loads(measure("rota", "--games", "2", "--json"))
    cells = re.findall(r"^\| (`[^|]*`) \|", listed, re.MULTILINE)
    keys = {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}
    assert keys == {*found, *found["rulesets"][0]}
