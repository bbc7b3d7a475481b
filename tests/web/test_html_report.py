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
from latrones_uci.records.store import Store
from latrones_uci.web.lib.notation import render_notation
from latrones_uci.web.match.collect import stored_match
from latrones_uci.web.match.figures import elo_text, ending_text, standing_rows
from latrones_uci.web.match.report import render_report
from match_records import record
from report_data import BOARDS, SHOWN, hostile_match, match_games, reported
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
    assert game["moves"][-1] == game["stderr"] == SHOWN
    assert (game["fault"], game["violations"]) == (f"{SHOWN} ({SHOWN})", [f"White: {SHOWN}: {SHOWN}"])
    assert "malformed" in game["problem"]
    assert len(game["changes"]) == len(game["moves"]) - 1


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
    match = hostile_match()
    report = render_report(match)
    one, two = map(escape, ("one " + SHOWN, "two " + SHOWN))
    rows = standing_rows(match.standings, None)
    assert [row[0] for row in cells(report, "standings")[1:]] == [two, one]
    for row, found in zip(cells(report, "standings")[1:], rows, strict=True):
        assert found.elo is not None
        assert row[1] == elo_text(found.elo)
    assert cells(report, "standings")[1][3] == "4.5 of 7"
    assert cells(report, "standings")[1][5] == "+4 =1 \u22122"
    scores = cells(report, "scores")
    assert scores[1][:4] == ["latrones 8x8", "3", "+0 =1 \u22122", "16.7%"]
    use = cells(report, "time")
    assert [row[0] for row in use[1:]] == [one, two]
    assert use[1][1] == str(sum(ply.side == 0 for record in match.records for ply in record.game.plies))
    assert [row[:2] for row in cells(report, "terminations")[1:]] == [
        ["5", "nomove"], ["1", "crash"], ["1", escape(SHOWN)]]


def test_a_cross_table_with_more_than_two_engines() -> None:
    draw = replace(record(1), fixture=replace(record(1).fixture, white=2, black=0))
    rows = cells(render_report(reported([draw], ("one", "two", "third"))), "standings")
    assert ["third", "0.5 of 1  +0 =1 \u22120", "&#8211;", "&#8211;"] in rows


def test_a_match_without_games() -> None:
    text = render_report(reported([]))
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
        found = [ending_text(record.game.outcome)[0] for record in stored_match(store).records]
    assert found == [name for *_, name in endings]
