"""Playing by pointer, keys and fingers: premoves, the position editor, engine options, the enlarged board."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from browser import Page, waited
from cases import VARIANTS
from latrones_uci.game import Position, find_variant
from latrones_uci.web.page_server import asset
from serving import fake_engine, serving

pytestmark = pytest.mark.gui

PEOPLE = ({}, {})
THINKER = {"player": "0", "limit": "time", "seconds": "60"}


@pytest.fixture
def page(driver: Any) -> Iterator[Page]:
    """A page of two humans."""
    with serving([fake_engine()]) as server:
        found = Page(driver, server)
        found.open()
        found.new_game("latrones", "6x6", PEOPLE)
        yield found
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def advice(page: Page) -> str:
    return page.text(".advice")


def test_premoves(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", ({}, THINKER))
        page.play_text("a1a2")
        waited(lambda: page.live.thinking and not page.all('[data-do="hint"]:enabled'))  # it would be for the engine
        page.drag(page.number("b1"), page.number("b2"))
        waited(lambda: len(page.all("path.arrow.premove")) == 1)
        assert advice(page).startswith("Premove b1-b2: played when it is your turn.")
        page.press_keys("ESCAPE")
        page.click(page.number("c1"))
        page.press_keys("ESCAPE")
        waited(lambda: not page.all(".ahead"))
        page.click(page.number("b1"), page.number("b2"))
        assert len(page.live.plies) == 1
        page.do("now")
        waited(lambda: len(page.live.plies) == 3)
        assert page.live.plies[2].figure["text"] == "b1b2"
        waited(lambda: not page.all(".ahead"))
        page.click(page.number("h1"), page.number("h8"))  # never legal: another piece is there
        page.do("now")
        waited(lambda: len(page.live.plies) == 4 and page.is_settled())
        waited(lambda: "h1" in advice(page) or "h8" in advice(page), advice(page))  # the reason
        assert len(page.live.plies) == 4
        page.set_up("premoves")
        page.play(page.position.legal_moves()[0])
        waited(lambda: page.live.thinking)
        page.click(page.number("h1"))
        waited(lambda: advice(page) == "Black is to move.")
        page.set_up("premoves")


def test_the_position_editor(page: Page) -> None:
    page.new_game("schaedler", "6x6", PEOPLE)
    page.do("position")

    def square(name: str) -> Any:
        return page.one(f'.position [data-square="{page.number(name)}"]')

    def pick(piece: str) -> None:
        page.one(f'.position .palette [value="{piece}"]').find_element("xpath", "..").click()

    def fen() -> str:
        return str(page.one('.position [name="fen"]').get_property("value"))

    waited(lambda: page.all(".position .square"))
    assert fen() == page.position.fen()
    page.one('.position [data-do="empty"]').click()
    waited(lambda: fen() == "6/6/6/6/6/6[-] w 0 1")
    pick("S")
    page.actions().click(square("a1")).click(square("b2")).click(square("c3")).click(square("c3")).perform()
    assert fen() == "6/6/6/6/1S4/S5[-] w 0 1"
    pick("s")
    page.actions().click(square("f6")).drag_and_drop(square("a1"), square("d1")).perform()
    assert fen() == "5s/6/6/6/1S4/3S2[-] w 0 1"
    pick("b")  # a bound soldier of Black
    page.actions().click(square("e5")).perform()
    page.fill('.position [data-held="S"]', "2")
    waited(lambda: page.text(".position .error") == "Bound soldiers while pieces are in hand.")
    page.one(".position [data-start]").click()
    assert page.one(".position").is_displayed()  # nothing has begun
    page.fill('.position [data-held="S"]', "0")
    waited(lambda: page.text(".position .error") == "")
    page.actions().context_click(square("e5")).perform()
    page.one('.position [name="side"][value="1"]').find_element("xpath", "..").click()
    pick("s")
    square("d1").send_keys("")
    page.press_keys("ARROW_RIGHT", "ENTER", "ARROW_UP", "DELETE")
    assert fen() == "5s/6/6/6/1S4/3Ss1[-] b 0 1"
    page.one(".position [data-start]").click()
    waited(lambda: page.live.game.start.fen() == "5s/6/6/6/1S4/3Ss1[-] b 0 1")
    page.wait_shown()
    page.do("position")
    page.fill('.position [name="fen"]', "6/6/6/6/6/SX4[-] w 0 1")
    waited(lambda: "not a piece of this variant" in page.text(".position .error"))
    page.fill('.position [name="fen"]', "6/6/6/6/6/S5[-] w 0 1")
    waited(lambda: page.text(".position .ending").startswith("The game is over in this position: "))
    assert len(page.all(".position .board-men use")) == 1
    page.one('.position [data-do="usual"]').click()
    waited(lambda: fen() == Position.start(find_variant("schaedler"), (6, 6)).fen())
    page.one('.position [data-do="analyse-from"]').click()
    waited(lambda: page.live.analysis["wanted"] == 3)
    assert [player.kind for player in page.live.settings.players] == ["person", "person"]


def test_the_list_of_keys_is_complete(page: Page) -> None:
    page.press_keys("?")
    assert page.one(".keys").is_displayed()
    listed = {text.replace("\u2190", "ArrowLeft").replace("\u2192", "ArrowRight") for text in page.texts(".keys kbd")}
    table = asset("board/keys.js").body.decode().partition("KEYS = {")[2].partition("};")[0]
    keys = re.findall(r'["{ ](\w+|\?)"?: "', " " + table)
    assert len(keys) > 14
    assert set(keys) - listed == set()
    page.press_keys("ESCAPE")
    waited(lambda: not page.one(".keys").is_displayed())
    page.press_keys("e")
    waited(lambda: page.one(".position").is_displayed())


def test_engine_options(driver: Any) -> None:
    with serving() as server:
        options = server.registry.config.catalog
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", PEOPLE)
        page.do("settings")
        page.one('.settings [data-do="options"]').click()
        waited(lambda: page.all('.options [data-option="Hash"]'))
        names = page.driver.execute_script(
            "return [...document.querySelectorAll('.options [data-option]')].map((node) => node.dataset.option)")
        assert {"Hash", "Threads", "Move Overhead", "Backend"} <= set(names)
        assert {"UCI_Elo", "MultiPV", "UCI_Variant"}.isdisjoint(names)  # the page itself sets these
        page.fill('.options [data-option="Hash"]', "0")
        page.one('.options [type="submit"]').click()
        assert page.one(".options").is_displayed()  # the browser itself says that it is out of range
        page.fill('.options [data-option="Hash"]', "33")
        page.fill('.options [data-option="EvalFile"]', "/no/such/net")
        page.one('.options [type="submit"]').click()
        waited(lambda: "/no/such/net" in page.text(".options .error"), "the engine's own words")
        assert options.values(0) == {}
        page.fill('.options [data-option="EvalFile"]', "auto")
        page.choose('.options [data-option="Backend"]', "python")
        page.one('.options [type="submit"]').click()
        waited(lambda: options.values(0) == {"Hash": "33", "Backend": "python"})
        waited(lambda: not page.one(".options").is_displayed())
        page.press_keys("ESCAPE")
        with serving() as other:  # the browser remembers them for another server
            page.driver.execute_script("window.kept = localStorage.getItem('latrones-engine-options')")
            kept = page.driver.execute_script("return window.kept")
            page.driver.get(other.url)
            page.driver.execute_script("localStorage.setItem('latrones-engine-options', arguments[0])", kept)
            page.driver.get(other.url)
            waited(lambda: other.registry.config.catalog.values(0) == {"Hash": "33", "Backend": "python"})
            page.driver.execute_script("localStorage.clear()")
            page.driver.get("about:blank")


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_shows_the_whole_title(page: Page, width: int) -> None:
    page.show_as(width, 844, "light")
    for variant in VARIANTS:
        title = find_variant(variant).title
        page.server.do({"do": "restart", "table": page.live.name, "game": {
            "variant": variant, "size": "", "fen": "", "players": [{"kind": "person"}] * 2}})
        waited(lambda wanted=title: page.text("h1") == wanted)
        assert page.driver.execute_script(
            "const node = document.querySelector('h1');"
            "return Math.max(node.scrollWidth - node.clientWidth, node.scrollHeight - node.clientHeight)") <= 1, title
        assert page.driver.execute_script("return document.documentElement.scrollWidth") == width


def test_an_empty_list_of_moves_says_so(page: Page) -> None:
    for width, height in ((1366, 768), (390, 844)):
        page.show_as(width, height, "light")
        assert page.text(".nothing b") == "No moves yet."
        assert page.one(".nothing").is_displayed()
    below = page.driver.execute_script("return document.querySelector('.deeds').getBoundingClientRect().top")
    page.play_text("a1a2")
    waited(lambda: not page.one(".nothing").is_displayed())
    assert page.driver.execute_script("return document.querySelector('.deeds').getBoundingClientRect().top") == below


# ---------------------------------------------------------------- a large board on a phone

VIEW_BOX = "return document.querySelector('.board svg').getAttribute('viewBox').split(' ').map(Number)"


def touch(page: Page, kind: str, *points: tuple[float, float]) -> None:
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
        {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})


def test_two_fingers_enlarge_a_large_board(page: Page) -> None:
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    page.show_as(390, 844, "light")
    assert not page.one('[data-do="zoom"]').is_displayed()  # the squares of 6x6 are large
    page.new_game("latrones", "16x16", PEOPLE)
    _, _, width, _ = page.driver.execute_script(VIEW_BOX)
    assert page.one('[data-do="zoom"]').is_displayed()
    before = page.live.game
    touch(page, "touchStart", (150, 250), (250, 250))
    for step in range(1, 11):
        touch(page, "touchMove", (150 - 10 * step, 250), (250 + 10 * step, 250))
    touch(page, "touchEnd")
    left, top, now, _ = page.driver.execute_script(VIEW_BOX)
    assert 2.5 < width / now < 3.5
    assert page.live.game is before
    assert page.live.plies == []  # nothing was played or chosen by the fingers
    assert page.all(".chosen") == []
    for step in range(5):  # one finger on an empty square moves the board
        touch(page, "touchStart" if step == 0 else "touchMove", (200 - 8 * step, 200 + 4 * step))
    touch(page, "touchEnd")
    moved = page.driver.execute_script(VIEW_BOX)
    assert moved[0] > left
    assert moved[1] < top
    page.press_keys("ESCAPE")
    box = page.driver.execute_script("const box = document.querySelector('.board').getBoundingClientRect();"
                                     "return [box.left, box.top, box.right, box.bottom]")
    for _ in range(30):  # down to the first rank
        touch(page, "touchStart", (200, 300))
        touch(page, "touchMove", (200, 270))
        touch(page, "touchMove", (200, 200))
        touch(page, "touchEnd")
    place = page.driver.execute_script(
        "return [...document.querySelectorAll('.stage .square.movable')].map((node) => node.getBoundingClientRect())"
        ".filter((one) => one.left > 20 && one.right < 370)"
        ".map((one) => [one.x + one.width / 2, one.y + one.height / 2])[0]")
    assert box[1] < place[1] < box[3]
    touch(page, "touchStart", (place[0], place[1]))
    touch(page, "touchEnd")
    waited(lambda: page.all(".chosen"))
    page.do("zoom")
    assert page.driver.execute_script(VIEW_BOX)[2] == width
    page.do("zoom")
    assert page.driver.execute_script(VIEW_BOX)[2] == width / 2
    page.do("zoom")
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
