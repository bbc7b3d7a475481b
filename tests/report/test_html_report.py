"""The HTML of the report: its contents, and that strings from engines cannot become active in it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from html_page import Page, assert_harmless
from latrones_uci.game import Game, Termination
from latrones_uci.match.standings import Results
from latrones_uci.records.store import Store
from latrones_uci.stats import Interval
from latrones_uci.web.lib.notation import render_notation
from latrones_uci.web.match.collect import report_data
from latrones_uci.web.match.data import ReportData
from latrones_uci.web.match.page import render_report
from match_records import record
from report_data import BOARDS, SHOWN, hostile_match, match_games
from watched import write_match


@pytest.fixture(scope="module")
def report() -> str:
    return render_report(hostile_match())


@pytest.fixture(scope="module")
def page(report: str) -> Page:
    return Page(report)


def test_the_page_is_well_formed(page: Page) -> None:
    assert page.open == []
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_markup_from_engines_is_shown_as_text(page: Page) -> None:
    assert_harmless(page)
    for tag in ("h1", "title", "bdi", "dt", "dd", "pre", "p", "td", "li"):
        assert any(SHOWN in text for text in page.text[tag]), tag


def test_strings_in_the_scripts_are_complete_and_escaped(page: Page) -> None:
    for name, text in page.scripts.items():
        if name:
            assert not set("<>&\u2028") & set(text)
    game = json.loads(page.scripts["game-6"])
    assert game["moves"][-1] == game["fault"] == game["stderr"] == game["violations"][0] == SHOWN
    assert "malformed" in game["problem"]
    assert len(game["changes"]) == len(game["moves"]) - 1
    assert "unknown variant" in json.loads(page.scripts["game-7"])["problem"]


def test_the_policy_allows_only_the_hashes_of_style_and_script(page: Page) -> None:
    policies = [str(attributes["content"]) for tag, attributes in page.elements
                if attributes.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policies[0].split(";"))
    [style], script = page.text["style"], page.scripts[""]
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for kind, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[kind] == f"'sha256-{digest}'"
    kinds = [attributes.get("type") for tag, attributes in page.elements if tag == "script"]
    assert set(kinds) == {"application/json", None}
    assert kinds.count(None) == 1


@pytest.mark.parametrize("at", range(len(BOARDS)))
def test_replays_contain_the_positions_of_the_game(page: Page, at: int) -> None:
    game: Game = match_games()[at]
    replay = json.loads(page.scripts[f"game-{at + 1}"])
    men, hand = list(replay["men"]), replay["hand"]
    assert replay["moves"] == list(game.moves)
    assert replay["notes"] == [render_notation(game, ply) for ply in range(len(game.moves))]  # as on the board page
    for position, changes in zip(game.positions, ["", *replay["changes"]], strict=True):
        squares, _, held = changes.partition("[")
        for man, square in re.findall(r"([.A-Za-z])(\d+)", squares):
            men[int(square)] = man
        hand = held.rstrip("]") if "[" in changes else hand
        assert men == [position.piece_at(square) or "." for square in range(len(men))]
        assert hand == "".join(f"{count}{man}" for man, count in position.hand.items())
    assert replay["sides"] == "".join("wb"[position.side] for position in game.positions)
    assert replay["score"][:2] == [-90, -83]


def cells(report: str, name: str) -> list[list[str]]:
    part = re.findall(rf'<section id="{name}">(.*?)</section>', report, re.DOTALL)[0]
    return [[re.sub("<.*?>", " ", cell).strip() for cell in re.findall("<td.*?>(.*?)</td>", row)]
            for row in re.findall("<tr>(.*?)</tr>", part)]


def test_figures() -> None:
    data = hostile_match()
    names = ("test", "base")
    data = replace(data, engines=tuple(replace(engine, name=name)
                                       for engine, name in zip(data.engines, names, strict=True)))
    report = render_report(data)
    standings = cells(report, "standings")
    assert standings[1][:2] == ["base", "+120.4 (\u221230.0 or more)"]
    assert standings[1][3:6] == ["4/6", "66.7%", "+4 =0 \u22122"]
    assert standings[2][:2] == ["test", "\u2212\u221e (+30.0 or less)"]
    scores = cells(report, "scores")
    assert scores[1][:4] == ["latrones 8x8", "2", "+0 =0 \u22122", "0.0%"]
    assert ["1", "rota 3x3"] not in scores
    use = cells(report, "time")
    assert [row[0] for row in use[1:]] == list(names)
    assert use[1][1] == str(sum(ply.side == 0 for game in data.games for ply in game.plies))
    assert [row[:2] for row in cells(report, "terminations")[1:]] == [["6", "normal"], ["1", escape(SHOWN)]]


def test_a_cross_table_with_more_than_two_engines() -> None:
    data = hostile_match()
    third = replace(data.engines[0], name="third")
    standings = (*data.standings, replace(data.standings[0], engine=2, elo=Interval(0.0, -9.0, 9.0)))
    data = replace(data, engines=(*data.engines, third), standings=standings, meetings={(2, 0): Results(draws=1)})
    rows = cells(render_report(data), "standings")
    assert rows[-1] == ["third", "&#8211;", "0.5/1  +0 =1 \u22120", "&#8211;"]


def test_a_match_without_games() -> None:
    text = render_report(ReportData("empty", "", (), (), {}))
    assert Page(text).open == []
    assert 'class="replay"' not in text


def test_each_ending_of_a_database_has_a_name_of_its_own(tmp_path: Path) -> None:
    """Also in databases of earlier versions."""
    endings = [
        (Termination.DECIDED, "dux captured", "dux captured"), (Termination.REPETITION, "", "repetition"),
        (Termination.DECIDED, "too few pieces", "too few pieces"), (Termination.DECIDED, "", "decided"),
        (Termination.NO_CAPTURE, "", "nocapture"), (Termination.NO_MOVE, "", "nomove"),
    ]
    path = tmp_path / "match.db"
    write_match(path, [record(number, 0, termination, details=details)
                       for number, (termination, details, _) in enumerate(endings, start=1)])
    with Store(path, writing=False) as store:
        assert [game.termination for game in report_data(store).games] == [name for *_, name in endings]
