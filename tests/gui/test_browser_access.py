"""Accessibility of the page in a real browser: keyboard, screen reader, reduced motion."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import checks
from browser import Page, waited
from latrones_uci.game import Move
from latrones_uci.game.encoding import is_path, path_of, square_of
from latrones_uci.match.pgn_read import read_games
from serving import fake_engine, serving

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
        page.press_keys(*["ARROW_RIGHT"] * 7)  # to the last game
        tab_to(page, '.menu [name="opponent"]')
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
        assert " wins: three in a line through the centre (" in page.text(".status")
        assert page.text(".announce").endswith(page.live.plies[-1].notation)
        tab_to(page, '[data-do="share"]')
        page.press_keys("ENTER")
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
        note = page.live.plies[1].notation
        assert page.text(".announce").startswith("1. Black ")
        assert page.text(".announce").endswith(f": {note}")
        assert " to " in page.text(".announce")
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


# ---------------------------------------------------------------- names, landmarks, contrast

# What axe would also find, without axe: controls without a name, duplicate ids, references to nothing, wrong structure,
# text outside landmarks, a focus in what is hidden, and text whose contrast with its ground is below 4.5 (3 if large).
# The text of the evaluation bar is not among them: it stands on a sibling that is placed below it.
FAULTS = r"""
const found = [];
const fault = (what, node) => found.push(`${what}: ${node.outerHTML.slice(0, 90)}`);
const shown = (node) => node.checkVisibility({visibilityProperty: true}) && node.getClientRects().length > 0;
const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
const within = document.querySelector("dialog[open]") ?? document.body;
const nameOf = (node) => (node.getAttribute("aria-label") ?? (node.getAttribute("aria-labelledby") ?? "").split(" ")
  .map((id) => document.getElementById(id)?.textContent ?? "").join("")).trim() ||
  [...node.labels ?? []].map((label) => label.textContent).join("").trim() ||
  (node.matches("button, a, summary, [role=button]") ? node.textContent.trim() : "") ||
  (node.title || node.querySelector(":scope > title")?.textContent || "").trim();
const NAMED = "button, a[href], input, select, textarea, summary, dialog, [role=button], [role=meter], [role=group]";
for (const node of all(`${NAMED}, [role=radiogroup]`)) {
  if (!nameOf(node)) fault("no name", node);
}
const ids = [...document.querySelectorAll("[id]")].map(({id}) => id);
for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) found.push(`duplicate id: ${id}`);
for (const node of document.querySelectorAll("[aria-labelledby], [aria-describedby], [for]")) {
  for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
    const named = (node.getAttribute(name) ?? "").split(" ").filter(Boolean);
    if (!named.every((id) => ids.includes(id))) fault("refers to nothing", node);
  }
}
for (const node of document.querySelectorAll("[tabindex]")) if (node.tabIndex > 0) fault("positive tabindex", node);
for (const node of all("[aria-hidden=true] :is(button, a, input, [tabindex])")) fault("focus in what is hidden", node);
for (const node of all("button button, a button, button a, label label")) fault("nested controls", node);
for (const node of all("ul > :not(li), ol > :not(li)")) fault("not an item", node);
for (const node of all("img:not([alt])")) fault("picture without a text", node);
for (const [selector, count] of [["main", 1], ["h1", 1], ["header", 1]]) {
  if (all(selector).length !== count) found.push(`${all(selector).length} ${selector}`);
}
if (!document.documentElement.lang || !document.title) found.push("no language or title");

// [r, g, b, a] of a computed colour
const parsed = (colour) => [...colour.match(/[\d.]+/g).map(Number), 1].slice(0, 4);
const over = ([r, g, b, a], below) => [r, g, b].map((part, at) => part * a + below[at] * (1 - a));
const groundOf = (node) => {
  const layers = [];
  for (let one = node; one; one = one.parentElement) layers.push(parsed(getComputedStyle(one).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
};
const luminance = (colour) => colour.map((part) => part / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
for (const node of within.querySelectorAll(":not(option, script, style, svg *)")) {
  const text = [...node.childNodes].filter(({nodeType}) => nodeType === 3).map(({data}) => data).join("").trim();
  if (!text || !shown(node) || node.closest(":disabled, .unseen, .evaluation, svg")) continue;
  const style = getComputedStyle(node);
  if (style.clipPath !== "none") continue;
  if (!node.closest("main, header, dialog, [role=alert]")) fault("outside of landmarks", node);
  const ground = groundOf(node);
  const [one, other] = [luminance(over(parsed(style.color), ground)), luminance(ground)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize);
  const least = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700 ? 3 : 4.5;
  if ((one + 0.05) / (other + 0.05) < least) fault(`contrast ${((one + 0.05) / (other + 0.05)).toFixed(2)}`, node);
}
return found;
"""
AXE = ("axe-core@4.14.1",)
RUN_AXE = """
const done = arguments[0];
axe.run(document, {preload: false, resultTypes: ["violations"]}).then(({violations, passes}) => done([passes.length,
  ...violations.map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 90)}`)]));
"""


def each_part(page: Page) -> Iterator[str]:
    """Show each part of the page in turn, and yield its name."""
    page.new_game("latrones", "6x6", PEOPLE)
    yield "start"
    page.play_text("a1a2")
    page.wait_shown()
    yield "a move"
    for name in ("menu", "settings", "games", "rules", "position"):
        page.do(name)
        waited(lambda wanted=name: page.all(f"dialog.{wanted}[open] button"))
        if name in ("rules", "position"):
            waited(lambda wanted=name: page.all(f"dialog.{wanted} .square"))
        yield name
        if name == "settings":
            page.one('.settings [data-do="options"]').click()
            waited(lambda: page.all(".options .fields > *"))
            yield "options"
            page.press_keys("ESCAPE")
        page.press_keys("ESCAPE")
        waited(lambda: not page.all("dialog[open]"))
    page.press_keys("?")
    yield "keys"
    page.press_keys("ESCAPE")
    page.do("resign")
    page.do("resign")
    waited(lambda: page.live.outcome is not None)
    page.wait_shown()
    yield "the end"


def test_controls_have_names_and_texts_have_contrast(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        for width, height, scheme in ((1366, 768, "light"), (390, 844, "dark")):
            page.show_as(width, height, scheme)
            for part in each_part(page):
                assert page.driver.execute_script(FAULTS) == [], f"{part} {width}x{height} {scheme}"
        page.show_as(1366, 768, "light")
        page.driver.execute_script("const node = document.querySelector('[data-do=\"undo\"]');"
                                   "node.removeAttribute('title'); node.textContent = ''; node.id = 'side'")
        assert len(page.driver.execute_script(FAULTS)) == 2  # they are found


@pytest.mark.slow
def test_axe_finds_nothing(driver: Any) -> None:
    """With axe-core from npm, in a folder outside the checkout; nothing that is shipped needs it."""
    try:
        folder = checks.node_tools(AXE)
        script = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    except checks.LeftOutError as error:
        pytest.skip(str(error))
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.driver.set_script_timeout(60)
        for width, height, scheme in ((1366, 768, "light"), (390, 844, "dark")):
            page.show_as(width, height, scheme)
            for part in each_part(page):
                page.driver.execute_script(script)
                passed, *violations = page.driver.execute_async_script(RUN_AXE)
                assert violations == [], f"{part} {width}x{height} {scheme}"
                assert passed > 10


def test_moves_are_announced_in_words(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        page.set_position("3d3s/8/8/2S1sS2/8/8/8/3D4 w 0 1")
        page.play_text("c5d5")
        waited(lambda: page.text(".announce") == "1. White soldier c5 to d5, captures the soldier on e5: c5-d5xe5")
        assert page.one(".announce").get_attribute("role") == "log"
