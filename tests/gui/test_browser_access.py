"""Accessibility of the page in a real browser: keyboard, screen reader, reduced motion."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from browser import Page
from latrones_uci.game import Move
from latrones_uci.game.encoding import is_path, path_of, square_of
from latrones_uci.records.pgn_read import read_games
from serving import fake_engine, serving, waited

pytestmark = pytest.mark.gui

PEOPLE = ({}, {})
ENGINE = {"player": "0", "limit": "depth", "depth": "1"}
RECORD_GHOSTS = """
window.ghosts = [];
new MutationObserver((changes) => {
  for (const {addedNodes, removedNodes} of changes) {
    for (const ghost of addedNodes) {
      ghost.fading = ghost.getAnimations()[0];
      window.ghosts.push([ghost.getAttribute("href"), ghost.fading.effect.getKeyframes().map((one) => one.opacity)]);
    }
    for (const ghost of removedNodes) window.ghosts.push(["gone", ghost.fading.playState]);
  }
}).observe(document.querySelector(".board-fading"), {childList: true});
"""


def focused(page: Page) -> Any:
    return page.driver.switch_to.active_element


def tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        page.press_keys("TAB")
        if page.driver.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return
    raise AssertionError(f"the keyboard cannot reach {selector}")


def walk(page: Page, target: int) -> None:
    """Go from the focused square to another one with the arrow keys."""
    files = page.position.geometry.files
    here = int(focused(page).get_attribute("data-square"))
    turned = 1 if page.text(".near .who").find("White") > 0 else -1
    across, up = (turned * (target % files - here % files), turned * (target // files - here // files))
    page.press_keys(*["ARROW_RIGHT" if across > 0 else "ARROW_LEFT"] * abs(across),
                    *["ARROW_UP" if up > 0 else "ARROW_DOWN"] * abs(up))
    assert focused(page).get_attribute("data-square") == str(target)


def play_by_keys(page: Page, move: Move) -> None:
    before = len(page.live.plies)
    for square in path_of(move) if is_path(move) else [square_of(move)]:
        walk(page, square)
        page.press_keys("ENTER")
    waited(lambda: len(page.live.plies) > before)
    page.wait_shown()
    assert focused(page).get_attribute("data-square"), "the focus has left the board"


def test_a_whole_game_with_the_keyboard(driver: Any) -> None:
    chance = random.Random(3)
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        tab_to(page, '[data-do="menu"]')
        page.press_keys("ENTER")
        page.press_keys("Rota")
        tab_to(page, '.menu fieldset[data-side="1"] [name="player"]')
        page.press_keys("Human")
        tab_to(page, "[data-start]")
        page.press_keys("ENTER")
        waited(lambda: page.live.settings.players[1].kind == "person")
        page.wait_shown()
        tab_to(page, ".board .square")
        while page.live.outcome is None:
            moves = dict(page.position.children())
            winning = [move for move, after in moves.items() if after.decided() is not None]
            play_by_keys(page, chance.choice(winning or list(moves)))
        assert " wins: three in a line (" in page.text(".status")
        assert page.text(".announce").endswith(page.live.plies[-1].notation)
        tab_to(page, "[data-pgn]")
        game, = read_games(page.saved(focused(page).get_attribute("href")).splitlines())
        assert len(game.moves) == page.plies_shown()


def test_the_focus_is_visible_and_never_lost(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", ({}, ENGINE))
        tab_to(page, ".board .square")
        style = driver.execute_script("return getComputedStyle(document.activeElement).stroke")
        assert style not in ("none", "")
        play_by_keys(page, page.position.parse_move("a1a3"))
        assert page.text(".announce") == f"Black 1: {page.live.plies[1].notation}"
        page.press_keys("f")
        waited(lambda: page.text(".near .who") == "Fake Black, depth 1")
        assert focused(page).get_attribute("data-square") == str(page.number("a3"))
        tab_to(page, '[data-do="undo"]')
        page.press_keys("ENTER")
        waited(lambda: not page.live.plies)
        page.wait_shown()  # there is no move to undo, so the button is disabled
        waited(lambda: focused(page).get_attribute("data-square") == str(page.number("a3")))
        play_by_keys(page, page.position.parse_move("a1a3"))
        tab_to(page, ".moves .move")
        page.press_keys("ENTER")
        waited(lambda: focused(page).get_attribute("aria-current") == "true")
        squares = page.all(".board .square")
        assert {square.get_attribute("role") for square in squares} == {"button"}
        assert [square.get_attribute("aria-label").split(",")[0] for square in squares] == [
            page.position.geometry.square_name(number) for number in range(36)]
        named = driver.execute_script("return [...document.querySelectorAll('button, a, select, input, textarea')]"
                                      ".every((node) => (node.textContent || node.labels?.length || node.ariaLabel))")
        assert named


def test_captured_pieces_fade_out_unless_motion_is_reduced(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", ({}, ENGINE))
        page.set_position("3d3s/8/8/2S1sS2/8/8/8/3D4 w 0 1")
        driver.execute_script(RECORD_GHOSTS)
        page.play_text("c5d5")
        page.wait_shown()  # the engine has answered at once, while the piece is still fading
        waited(lambda: len(driver.execute_script("return window.ghosts")) == 2)
        assert driver.execute_script("return window.ghosts") == [["#man-s", ["1", "0"]], ["gone", "finished"]]
        page.new_game("latrones", "8x8", PEOPLE)
        page.set_position("3d3s/8/8/2S1sS2/8/8/8/3D4 w 0 1")
        driver.execute_script("window.ghosts = []")
        with page.live.lock:  # the page receives both plies at once, as with a fast engine
            page.live.move("c5d5", 0)
            page.live.move("h8h7", 1)
        waited(lambda: page.plies_shown() == 2)
        waited(lambda: len(driver.execute_script("return window.ghosts")) == 2)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        try:
            page.set_position("3d3s/8/8/2S1sS2/8/8/8/3D4 w 0 2")
            driver.execute_script("window.ghosts = []")
            page.play_text("c5d5")
            page.wait_shown()
            assert driver.execute_script("return window.ghosts") == []
        finally:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_chain_with_captures_is_entered_square_by_square(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("bell", "6x6", PEOPLE)
        page.set_position("sDsssS/SSS1sd/1ss2S/S1S1ss/1sSssS/sSSSSs[-] w 0 11")
        before = page.pieces_standing()
        path = [page.number(name) for name in ("c3", "b3", "c3", "d3", "d2", "e2")]
        page.click(path[0])
        for number, (origin, target) in enumerate(pairwise(path[:-1])):
            page.drag(origin, target) if number % 2 else page.click(target)
        assert page.label("e2") == "e2, empty, destination"
        captured = {page.number(name) for name in ("b2", "d2", "e2", "b4", "c4")}
        entered = {square: piece for square, piece in before.items() if square not in captured and square != path[0]}
        assert page.pieces_shown() == entered | {page.number("d2"): "S"}
        assert len(page.all(".dying")) == len(captured)
        assert page.live.plies == []
        page.do("finish")
        waited(lambda: len(page.live.plies) == 1)
        page.wait_shown()
        assert page.live.plies[0].notation == "c3-b3-c3-d3-d2xb2xd2xe2xb4xc4"
        assert page.pieces_shown() == page.pieces_standing()
