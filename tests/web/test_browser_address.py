"""Addresses of games, plies, rules and puzzles in a real browser, and its Back button."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser import OpenPage, Page, waited
from latrones_uci.game import find_variant
from latrones_uci.web.board.puzzles import puzzles_of
from serving import fake_engine

pytestmark = pytest.mark.gui


def fragment(page: Page) -> str:
    return str(page.run("location.hash"))


def visit(page: Page, hash_: str) -> None:
    """Open an address of the page anew, as from a bookmark."""
    page.driver.get("about:blank")
    page.driver.get(f"{page.server.url}{hash_}")
    waited(lambda: page.all(".board .square"))


@pytest.mark.slow
def test_back_closes_dialogs_and_keeps_the_page(page: Page) -> None:
    page.play("a1a3")
    for opened in (("settings",), ("settings", "options"), ("rules",), ("menu",), ("puzzles",)):
        for name in opened:
            selector = f'dialog[open] [data-do="{name}"]' if page.all("dialog[open]") else f'main [data-do="{name}"]'
            page.one(selector).click()
            waited(lambda name=name: page.shows(f"dialog.{name}"))
        for left in reversed(range(len(opened))):
            waited(lambda left=left: page.run("history.state?.depth") == left + 1)
            page.driver.back()
            waited(lambda left=left: page.count("dialog[open]") == left, f"{opened} is still open")
    page.do("rules")
    waited(lambda: page.shows("dialog.rules"))
    page.one('.rules [data-do="close"]').click()  # takes its step out of the history
    waited(lambda: not page.run("history.state?.depth"))
    assert len(page.live.plies) == 1
    assert page.texts(".moves [data-ply]") == ["a1-a3"]


@pytest.mark.slow
def test_a_game_and_a_ply_have_an_address(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(fake_engine(), games=tmp_path / "games.db")
    page.new_game("latrones", "6x6")
    assert fragment(page) == ""
    page.play("a1a3", "a6a4", "b1b3")
    record = page.live.record
    waited(lambda: fragment(page) == f"#game/{record}")
    page.do("back")
    waited(lambda: fragment(page) == f"#game/{record}/2")
    page.reload()
    waited(lambda: page.text(".moves [aria-current]") == "a6-a4", "the reload has lost the ply")
    page.do("menu")
    page.one(".menu [data-start]").click()
    waited(lambda: page.live.record != record and fragment(page) == "")
    page.run("(location.hash = arguments[0])", f"#game/{record}/1")  # pasted into the same tab
    waited(lambda: page.live.record == record and page.text(".moves [aria-current]") == "a1-a3")
    page.driver.switch_to.new_window("tab")
    visit(page, f"#game/{record}/2")
    waited(lambda: page.text(".moves [aria-current]") == "a6-a4")


@pytest.mark.slow
def test_a_closed_dialog_opens_no_game_of_an_old_address(open_page: OpenPage, tmp_path: Path) -> None:
    """The address changes a moment after the page, so that of the step below the dialog may be of another game."""
    page = open_page(fake_engine(), games=tmp_path / "games.db")
    page.new_game("latrones", "6x6")
    page.play("a1a3", "a6a4")
    old = page.live.record
    waited(lambda: fragment(page) == f"#game/{old}")
    page.new_game("latrones", "6x6")
    new = page.live.record
    waited(lambda: fragment(page) == "")
    page.run("history.replaceState(history.state, '', arguments[0])", f"#game/{old}")
    page.do("menu")
    waited(lambda: page.run("history.state?.depth") == 1 and fragment(page) == "")
    page.press_keys("ESCAPE")
    waited(lambda: not page.run("history.state?.depth") and fragment(page) == "")
    assert page.live.record == new
    page.run("(location.hash = arguments[0])", f"#game/{old}/1")
    waited(lambda: page.live.record == old and page.text(".moves [aria-current]") == "a1-a3")
    page.run("(location.hash = arguments[0])", f"#game/{old}/2")
    waited(lambda: page.text(".moves [aria-current]") == "a6-a4")
    page.driver.back()
    waited(lambda: page.text(".moves [aria-current]") == "a1-a3", "Back does not go to the address before")


@pytest.mark.slow
def test_rules_and_puzzles_have_an_address(page: Page) -> None:
    visit(page, "#rules/bell")
    waited(lambda: page.text(".rules h2") == find_variant("bell").title)
    page.driver.back()
    waited(lambda: not page.shows("dialog.rules"))
    number = puzzles_of("bell")[2].name.split()[-1]
    visit(page, f"#puzzle/bell/{number}")
    waited(lambda: page.run("document.querySelector('[name=puzzle-number]').value") == "2")
    page.one('[data-do="puzzle-next"]').click()
    waited(lambda: fragment(page) == f"#puzzle/bell/{puzzles_of('bell')[3].name.split()[-1]}")
    assert page.run("document.activeElement.matches('.puzzles .square')")


@pytest.mark.slow
@pytest.mark.parametrize(("hash_", "message"), [
    ("#game/none/3", "this game is not kept here"), ("#rules/none", "unknown variant 'none'"),
    ("#puzzle/none/1", "no puzzles of none; expected one of latrones,"),
    ("#puzzle/latrones/999", "no such puzzle of latrones; expected a number such as 1"),
    ("#nothing", "expected #game/KEY/PLY, #rules/GAME or #puzzle/GAME/NUMBER"),
    ("#%", "expected #game/KEY/PLY, #rules/GAME or #puzzle/GAME/NUMBER")])
def test_an_unknown_address_gets_one_message(page: Page, hash_: str, message: str) -> None:
    visit(page, hash_)
    waited(lambda: page.text(".advice").startswith(f"Address {hash_}: {message}"), page.text(".advice"))
    assert page.all("dialog[open]") == []
    page.driver.get_log("browser")  # Chromium counts the answer 404 as an error of the page


@pytest.mark.slow
def test_a_ply_that_the_game_does_not_have(page: Page) -> None:
    page.play("a1a3")
    waited(lambda: fragment(page))
    expected = f"Address {fragment(page)}/7: no such ply; expected 0..1"
    page.run("(location.hash += '/7')")
    waited(lambda: page.text(".advice") == expected)
