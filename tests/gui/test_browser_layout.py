"""The layout of the page in a real browser: what is visible where, and that nothing moves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from browser import Page, waited
from serving import fake_engine, serving

pytestmark = pytest.mark.gui

PEOPLE = ({}, {})
ENGINE = {"player": "0", "limit": "depth", "depth": "1"}
BOX = ("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
       "return [box.left, box.top, box.right, box.bottom]")


@pytest.fixture
def page(driver: Any) -> Iterator[Page]:
    """A page of two humans on the board of the default game."""
    with serving([fake_engine()]) as server:
        found = Page(driver, server)
        found.open()
        found.new_game("latrones", "8x8", PEOPLE)
        yield found
        driver.get("about:blank")  # ends the requests for pictures before the server
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def box(page: Page, selector: str) -> tuple[float, float, float, float]:
    left, top, right, bottom = page.driver.execute_script(BOX, selector)
    return left, top, right, bottom


@pytest.mark.parametrize(("width", "height"), [(844, 390), (683, 384), (1366, 768), (1920, 1080)])
def test_board_and_both_players_are_visible(page: Page, width: int, height: int) -> None:
    page.show_as(width, height, "light")
    for selector in (".near", ".far", ".board svg", ".steps"):
        left, top, right, bottom = box(page, selector)
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height, selector
    assert page.driver.execute_script("return document.documentElement.scrollHeight") <= height


def test_the_bar_is_attached_to_the_board(page: Page) -> None:
    for variant, size in (("latrones", "8x8"), ("latrunculi-xxi", "16x8"), ("rota", "")):
        page.show_as(1366, 900, "light")
        page.new_game(variant, size, PEOPLE)
        for width, height in ((1366, 768), (1920, 1080), (844, 390)):
            page.show_as(width, height, "light")
            _, top, right, bottom = box(page, ".board svg")
            bar = box(page, ".evaluation")
            assert abs(bar[1] - top) < 2
            assert abs(bar[3] - bottom) < 2
            assert 0 <= bar[0] - right <= 8


def test_a_phone_shows_the_board_as_wide_as_its_window(page: Page) -> None:
    page.show_as(390, 844, "dark")
    left, top, right, bottom = box(page, ".board svg")
    assert right - left >= 386
    assert bottom - top >= 386
    steps = box(page, ".steps")
    assert steps[3] <= 844  # the step buttons are always in reach
    assert steps[1] > bottom
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= 390


DIALOGS = ("menu", "games", "rules", "share", "settings", "options", "keys", "position")
WORDS = """const within = `dialog.${arguments[0]} :is(dd, p, label, summary, button, h2, h3)`;
    return [...document.querySelectorAll(within)].filter((node) => node.checkVisibility()).flatMap((node) => {
      const range = document.createRange(), texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), broken = [];
      for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const {0: word, index} of text.data.matchAll(/[A-Za-z]+/g)) {
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size > 1) broken.push(word);
        }
      return broken;
    })"""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (320, 568)])
def test_dialogs_break_no_word_and_show_their_buttons(page: Page, width: int, height: int) -> None:
    page.show_as(width, height, "light")
    for name in DIALOGS:
        page.driver.execute_script("document.querySelector(`[data-do=\"${arguments[0]}\"]`).click()", name)
        waited(lambda name=name: page.one(f"dialog.{name}").is_displayed())
        if name == "options":
            waited(lambda: "Asking the engine" not in page.text(".options .fields"))
        assert page.driver.execute_script(WORDS, name) == [], name
        edges = box(page, f"dialog.{name}")
        assert edges[0] >= 0
        assert edges[2] <= width
        button = {"menu": "[data-start]", "settings": "[type=submit]"}.get(name, ".top button, [type=submit]")
        assert box(page, f"dialog.{name} {button}")[3] <= edges[3], name
        page.driver.execute_script("document.querySelector(`dialog.${arguments[0]}`).close()", name)


def test_nothing_shifts_when_buttons_and_lines_appear(page: Page) -> None:
    page.new_game("schaedler", "8x8", PEOPLE)
    page.set_position("8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1")
    for width, height in ((1366, 768), (390, 844), (844, 390)):
        page.show_as(width, height, "light")
        watched = (".deeds", ".steps", ".board svg", '[data-do="undo"]')
        before = [box(page, selector) for selector in watched]
        page.click(page.number("c3"), page.number("e3"))
        assert page.one('[data-do="finish"]').is_displayed()
        assert [box(page, selector) for selector in watched] == before
        page.press_keys("ESCAPE")
        page.driver.execute_script("document.querySelector('.square[tabindex=\"0\"]').focus()")
        page.press_keys("ESCAPE")
        waited(lambda: not page.one('[data-do="finish"]').is_displayed())


def test_hands_take_no_room_when_they_are_empty(page: Page) -> None:
    page.show_as(1366, 768, "light")
    page.new_game("schaedler", "8x8", PEOPLE)
    full = box(page, ".board svg")
    assert page.text(".near .in-hand") == "\u00d78"
    page.set_position("8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1")
    assert box(page, ".board svg") == full
    assert page.all(".in-hand") == []
    page.new_game("latrones", "8x8", PEOPLE)
    assert box(page, ".board svg") == full


def test_the_current_move_is_always_in_view(page: Page) -> None:
    page.new_game("latrones", "6x6", (ENGINE, ENGINE), settled=False)
    waited(lambda: page.plies_shown() > 60 or page.live.outcome is not None)
    if page.live.outcome is None:
        page.do("pause")
    page.wait_shown()
    for width, height in ((1366, 768), (390, 844), (844, 390)):
        page.show_as(width, height, "light")
        for name in ("first", "forward", "last", "back"):
            page.do(name)
            if name != "first":
                waited(lambda: page.all(".moves [aria-current]") and _is_inside(
                    box(page, ".moves [aria-current]"), box(page, ".moves")), f"{width} {name}")


def test_the_last_move_stays_in_view_when_the_game_is_over(page: Page) -> None:
    chance = random.Random(1)
    for ply in range(40):
        page.live.move(chance.choice([str(move) for move in page.position.legal_moves()]), ply)
    page.wait_shown()

    def is_in_view() -> bool:
        return _is_inside(box(page, ".moves [aria-current]"), box(page, ".moves"))

    page.do("resign")
    page.do("resign")
    page.wait_shown()
    waited(is_in_view, "the result hides it")
    page.do("review")
    waited(lambda: page.all(".review .graph"))
    waited(is_in_view, "the review hides it")
    page.driver.refresh()
    waited(lambda: page.all(".board .square") and page.all(".moves [aria-current]"))
    waited(is_in_view, "an opened game does not show it")


def test_messages_move_nothing(page: Page) -> None:
    page.show_as(1280, 800, "light")
    watched = (".board svg", ".deeds", '[data-do="resign"]', ".moves")
    page.play_text("a1a3")
    before = [box(page, selector) for selector in watched]
    # The page hides it again whenever it hears from the server.
    page.driver.execute_script("const alarm = document.querySelector('.alarm'); alarm.hidden = false;"
                               "Object.defineProperty(alarm, 'hidden', {get: () => false, set: () => undefined})")
    assert page.one(".alarm").is_displayed()
    assert [box(page, selector) for selector in watched] == before
    page.do("resign")
    assert page.text('[data-do="resign"]') == "Really resign?"
    assert [box(page, selector) for selector in watched] == before
    page.do("resign")
    page.wait_shown()
    assert box(page, ".moves") == before[-1]  # the result takes the place of whose move it was


def test_the_buttons_hold_their_texts(page: Page) -> None:
    page.new_game("latrones", "6x6", (ENGINE, {}))
    for width, height in ((1280, 800), (390, 844), (640, 400), (320, 568)):
        page.show_as(width, height, "light")
        cut = page.driver.execute_script(
            "return [...document.querySelectorAll('.deeds > :not([hidden])')].filter((node) => node.scrollWidth >"
            " node.clientWidth || node.scrollHeight > node.clientHeight).map((node) => node.textContent)")
        assert cut == [], width


def test_a_new_game_fits_an_enlarged_window(page: Page) -> None:
    page.show_as(640, 400, "light")
    page.do("menu")
    waited(lambda: page.one(".menu").is_displayed())
    buttons = box(page, ".menu form > .buttons")[1]
    for name in ("opponent", "level"):
        assert box(page, f'.menu [name="{name}"]')[3] <= buttons
    assert box(page, ".menu .times")[1] < buttons  # begins above the edge, so there is more to see
    before = box(page, '.menu [name="opponent"]')[1]
    page.one(".menu .more summary").click()
    assert page.text(".menu .more summary") == "28 more rulesets (from Ludii)"
    assert box(page, '.menu [name="opponent"]')[1] - before < 120


def test_the_advanced_fields_are_aligned(page: Page) -> None:
    page.show_as(1280, 800, "light")
    page.do("menu")
    page.open_advanced()
    page.set_player(1, {"player": "0", "limit": "time"})
    fields = ("minutes", "increment")
    tops = [box(page, f'.menu fieldset[data-side="{side}"] [name="{name}"]')[1] for side in (0, 1) for name in fields]
    assert tops[0] == tops[1]
    assert tops[2] == tops[3]
    assert page.texts('.menu fieldset[data-side="1"] .strength label')[1].startswith("Limit per move")


def test_one_card_has_all_sizes_of_a_game(page: Page) -> None:
    page.do("menu")
    page.one(".menu .more summary").click()
    assert len(page.all('.menu .card[data-name*="seega"]')) == 1
    page.choose('.menu .card[data-name="ludii-seega-6x6"] select', "ludii-seega-8x7")
    assert page.text('.menu [data-do="rules-of"]') == "Rules of Seega, 8x7"
    page.one(".menu [data-start]").click()
    waited(lambda: page.position.ruleset.name == "ludii-seega-8x7")
    waited(lambda: page.text("h1") == "Seega rules, 8x7")
    assert page.text("header .game") == ""
    page.driver.refresh()
    waited(lambda: page.all(".board .square"))
    page.do("menu")
    shown = ".menu .card:has(input:checked) select"
    assert page.driver.execute_script("return document.querySelector(arguments[0]).value", shown) == "ludii-seega-8x7"


def _is_inside(inner: tuple[float, float, float, float], outer: tuple[float, float, float, float]) -> bool:
    return (inner[0] >= outer[0] - 1 and inner[1] >= outer[1] - 1 and inner[2] <= outer[2] + 1
            and inner[3] <= outer[3] + 1)  # fmt: skip


def test_the_turned_board_survives_a_reload(page: Page) -> None:
    page.new_game("latrones", "6x6", (ENGINE, {}))
    waited(lambda: page.text(".near .who") == "Human Black")
    page.driver.refresh()
    page.wait_shown()
    assert page.text(".near .who") == "Human Black"
    page.do("flip")
    waited(lambda: page.text(".far .who") == "Human Black")
    page.driver.refresh()
    waited(lambda: page.all(".board .square"))
    page.wait_shown()
    assert page.text(".far .who") == "Human Black"


def hovers(page: Page, selector: str) -> bool:
    """Move the pointer to an element; return False if the page has just replaced it."""
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

    try:
        page.actions().move_to_element(page.one(selector)).perform()
    except (NoSuchElementException, StaleElementReferenceException):
        return False
    return True


def test_analysis_follows_the_displayed_position(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        for text in ("a1a3", "a8a6", "b1b3"):
            page.play_text(text)
            page.wait_shown()
        page.do("analyse")
        waited(lambda: page.live.analysis.get("ply") == 3 and page.all(".lines li"))
        waited(lambda: hovers(page, '.lines [data-line="0"] [data-step="1"]'), "the line is replaced all the time")
        after = page.live.game.copy()
        waited(lambda: page.pieces_shown() != page.pieces_standing(), "no preview")
        shown = page.driver.execute_script("return [0, 1].map((step) => document.querySelector("
                                           "`.lines [data-line='0'] [data-step='${step}']`).title.split(';')[0])")
        for text in shown:
            after.play(text)
        page.wait_for_pieces(page.pieces_of(after.position))  # the lines stay while they are previewed
        page.actions().move_to_element(page.one(".near")).perform()
        page.wait_for_pieces(page.pieces_standing())
        page.do("first")
        waited(lambda: page.live.analysis.get("ply") == 0 and page.live.analysis["lines"])
        first = page.live.analysis["lines"][0]["moves"][0]
        assert page.live.game.start.parse_move(first)
        waited(lambda: len(page.all(".arrow.best")) == 1)
        page.do("resign")
        page.do("resign")
        waited(lambda: page.live.outcome is not None)
        page.do("first")
        page.do("forward")  # the game is over, but its positions can be analysed
        waited(lambda: page.live.analysis.get("ply") == 1 and page.live.analysis["lines"])
        page.do("analyse")
        waited(lambda: not page.all(".lines li"))


def test_one_notation_at_a_time(page: Page) -> None:
    page.play_text("a1a3")
    page.wait_shown()
    assert page.texts(".moves [data-ply]") == ["a1-a3"]
    page.set_up("plain")
    waited(lambda: page.texts(".moves [data-ply]") == ["a1a3"])
    page.set_up("plain")
    waited(lambda: page.texts(".moves [data-ply]") == ["a1-a3"])


def test_the_right_button_draws_arrows(page: Page) -> None:
    def draw(origin: str, target: str) -> None:
        from selenium.webdriver.common.actions.mouse_button import MouseButton

        actions = page.actions()
        actions.move_to_element(page.square(page.number(origin)))
        actions.w3c_actions.pointer_action.pointer_down(MouseButton.RIGHT)
        actions.move_to_element(page.square(page.number(target)))
        actions.w3c_actions.pointer_action.pointer_up(MouseButton.RIGHT)
        actions.perform()

    draw("a1", "a4")
    draw("c3", "c3")
    assert len(page.all("path.arrow.drawn")) == 1
    assert len(page.all("circle.arrow.drawn")) == 1
    draw("c3", "c3")  # the same again removes it
    assert page.all("circle.arrow.drawn") == []
    page.click(page.number("a1"))
    assert page.all(".arrow.drawn") == []
    assert page.all(".chosen")


def test_captured_pieces_and_pieces_left(page: Page) -> None:
    page.set_position("3d3s/8/8/2S1sS2/8/8/8/3D4 w 0 1")
    assert page.one(".near .taken").get_attribute("title") == "White: 3 pieces left, 0 captured"
    page.play_text("c5d5")
    page.wait_shown()
    assert page.one(".near .taken").get_attribute("title") == "White: 3 pieces left, 1 captured"
    assert page.one(".far .taken").get_attribute("title") == "Black: 2 pieces left, 0 captured"
    assert len(page.all(".near .taken use[href='#man-s']")) == 1


def test_the_form_says_what_is_wrong(page: Page) -> None:
    page.do("menu")
    page.open_advanced()
    page.fill('.menu fieldset[data-side="0"] [name="increment"]', "5")
    page.one(".menu [data-start]").click()
    waited(lambda: page.text(".menu .error") == (
        "an increment needs a clock; set the minutes per side, or the increment to 0"))
    page.fill('.menu fieldset[data-side="0"] [name="increment"]', "")
    page.one(".menu [data-start]").click()  # the browser itself asks for the number
    assert page.driver.execute_script("return document.querySelector('.menu input:invalid').name") == "increment"
    assert page.one(".menu").is_displayed()
