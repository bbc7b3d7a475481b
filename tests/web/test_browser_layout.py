"""The layout of the page in a real browser: what is visible where, that nothing moves, names and landmarks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import checks
from browser import OpenPage, Page, waited
from cases import VARIANTS
from latrones_uci.game import find_variant
from serving import fake_engine

pytestmark = pytest.mark.gui

ENGINE = {"player": "0", "limit": "depth", "depth": "1"}
PHONE, TABLET, LYING = (390, 844), (820, 1180), (844, 390)
SIZES = (PHONE, TABLET, LYING, (683, 384), (1366, 768), (1920, 1080))
CHAIN = "8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1"


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "size"), [("latrones", "8x8"), ("latrunculi-xxi", "16x16"), ("rota", "")])
def test_the_board_fits_its_window(page: Page, variant: str, size: str) -> None:
    """The board is as large as it can be, with both players, the bar at its side and the step buttons."""
    page.new_game(variant, size)
    grounds = set()
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            page.show_as(width, height, scheme)
            grounds.add(page.run("getComputedStyle(document.body).backgroundColor"))
        where = f"{width}x{height}"
        board, bar, steps = (page.box(selector) for selector in (".board svg", ".evaluation", ".steps"))
        across, down = page.run("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert across <= width, where
        if width >= 1000 or height < 400:
            assert down <= height, where
            assert min(page.box(part).top for part in (".near", ".far")) >= 0, where
            assert max(page.box(part).bottom for part in (".near", ".far", ".board svg")) <= height, where
            assert abs(bar.top - board.top) < 2 > abs(bar.bottom - board.bottom), where
            assert 0 <= bar.left - board.right <= 8, where
        assert steps.bottom <= height, where  # always in reach
        assert board.bottom - board.top >= min(width - 90, height - 190) or variant == "rota", where
        if (width, height) == PHONE and variant == "latrones":
            assert board.right - board.left >= 386 <= board.bottom - board.top
            assert steps.top > board.bottom
    assert len(grounds) == 2


def test_the_way_of_a_newcomer_fits_its_window(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(fake_engine(), games=tmp_path / "games.db")
    waited(lambda: page.shows(".tutorial"))
    page.run("(document.querySelector('.tutorial p').textContent = arguments[0])",
             "Your first game has begun: Hint shows a good move, and says why.")  # the longest text
    for width, height in (*SIZES, (320, 568)):
        page.show_as(width, height)
        where = f"{width}x{height}"
        assert page.run("document.documentElement.scrollWidth") <= width, where
        strip = page.box(".tutorial")
        for part in ("p", "li:first-child", "li:last-child", '[data-do="tutorial-close"]'):
            assert strip.contains(page.box(f".tutorial {part}")), f"{where} {part}"
        if width >= 1000 or height < 400:
            assert max(page.box(part).bottom for part in (".near", ".board svg")) <= height, where


@pytest.mark.slow
def test_titles_fit_a_phone(page: Page) -> None:
    page.show_as(360, 844)
    for variant in VARIANTS:
        title = find_variant(variant).title
        page.server.do({"do": "restart", "table": page.live.name, "game": {
            "variant": variant, "size": "", "fen": "", "players": [{"kind": "person"}] * 2}})
        waited(lambda wanted=title: page.text("h1") == wanted)
        assert page.run("(({scrollWidth, clientWidth, scrollHeight, clientHeight}) => Math.max(scrollWidth -"
                        " clientWidth, scrollHeight - clientHeight))(document.querySelector('h1'))") <= 1, title
        assert page.run("document.documentElement.scrollWidth") == 360


DIALOGS = ("menu", "games", "rules", "share", "settings", "options", "keys", "position", "puzzles")
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
CUT = """[...document.querySelectorAll('.game-buttons > :not([hidden])')].filter((node) => node.scrollWidth >
    node.clientWidth || node.scrollHeight > node.clientHeight).map((node) => node.textContent)"""


@pytest.mark.parametrize(("width", "height"), [
    PHONE, pytest.param(*LYING, marks=pytest.mark.slow), pytest.param(320, 568, marks=pytest.mark.slow)])
def test_no_word_is_broken_and_buttons_are_visible(page: Page, width: int, height: int) -> None:
    page.show_as(width, height)
    assert page.run(CUT) == []
    for name in DIALOGS:
        page.run("document.querySelector(`[data-do=\"${arguments[0]}\"]`).click()", name)
        waited(lambda name=name: page.shows(f"dialog.{name}"))
        if name == "options":
            waited(lambda: "Asking the engine" not in page.text(".options .fields"))
        assert page.driver.execute_script(WORDS, name) == [], name
        dialog = page.box(f"dialog.{name}")
        assert dialog.left >= 0
        assert dialog.right <= width
        button = {"menu": "[data-start]", "settings": "[type=submit]"}.get(name, ".top button, [type=submit]")
        assert page.box(f"dialog.{name} {button}").bottom <= dialog.bottom, name
        page.run("document.querySelector(`dialog.${arguments[0]}`).close()", name)


@pytest.mark.slow
def test_nothing_moves_when_buttons_lines_and_messages_appear(page: Page) -> None:
    page.new_game("schaedler", "8x8")
    watched = (".game-buttons", ".steps", ".board svg", ".moves", '[data-do="undo"]')

    def boxes() -> list[object]:
        return [page.box(selector) for selector in watched]

    page.show_as(1366, 768)
    full = page.box(".board svg")
    assert page.text(".near .in-hand") == "\u00d78"
    page.set_position(CHAIN)
    assert page.box(".board svg") == full  # hands take no room, and none when they are empty
    assert page.all(".in-hand") == []
    for width, height in ((1366, 768), PHONE, LYING):
        page.show_as(width, height)
        assert page.shows(".nothing")
        assert page.text(".nothing b") == "No moves yet."
        before = boxes()
        page.click("c3", "e3")
        assert page.shows('[data-do="finish"]')
        assert boxes() == before
        page.press_keys("ESCAPE")
        page.run("document.querySelector('.square[tabindex=\"0\"]').focus()")
        page.press_keys("ESCAPE")
        waited(lambda: not page.shows('[data-do="finish"]'))
    page.show_as(1280, 800)
    buttons = page.box(".game-buttons")
    page.play("c3e3e1")
    assert not page.shows(".nothing")
    assert page.box(".game-buttons") == buttons
    before = boxes()
    # The page hides it again whenever it hears from the server.
    page.driver.execute_script("const alarm = document.querySelector('.alarm'); alarm.hidden = false;"
                               "Object.defineProperty(alarm, 'hidden', {get: () => false, set: () => undefined})")
    assert page.shows(".alarm")
    assert boxes() == before
    page.do("resign")
    assert page.text('[data-do="resign"]') == "Really resign?"
    assert boxes() == before
    page.confirm_resignation()
    assert page.box(".moves") == before[3]  # the result takes the place of whose move it was


def play_at_random(page: Page, plies: int) -> None:
    chance = random.Random(1)
    for ply in range(plies):
        page.live.move(chance.choice([str(move) for move in page.position.legal_moves()]), ply)
    page.wait_shown()


@pytest.mark.slow
def test_the_current_move_is_always_in_view(page: Page) -> None:
    play_at_random(page, 60)

    def is_in_view() -> bool:
        return page.box(".moves").contains(page.box(".moves [aria-current]"))

    for width, height in (PHONE, LYING, (1366, 768)):
        page.show_as(width, height)
        for name in ("first", "forward", "last", "back", "last"):
            page.do(name)
            if name != "first":
                waited(lambda: page.all(".moves [aria-current]") and is_in_view(), f"{width} {name}")
    page.resign()
    waited(is_in_view, "the result hides it")
    page.do("review")
    waited(lambda: page.all(".review .graph"))
    waited(is_in_view, "the review hides it")
    page.reload()
    waited(lambda: page.all(".moves [aria-current]") and is_in_view(), "an opened game does not show it")


ROWS = """(() => {
    const list = document.querySelector('.moves'), outer = list.getBoundingClientRect();
    const rows = [...list.children].map((row) => row.getBoundingClientRect());
    return [outer.height, rows.some(({top, bottom}) => top < outer.top - 1 && bottom > outer.top + 1)];
})()"""


@pytest.mark.slow
def test_the_list_of_moves_keeps_its_rows_in_every_mode(open_page: OpenPage) -> None:
    """Six rows, or half the height of a window enlarged to 200%; no row is cut at the top, and no room is blank."""
    page = open_page()
    page.new_game("latrones", "8x8")
    play_at_random(page, 36)
    page.resign()
    page.do("review")
    waited(lambda: page.all(".review .graph") and page.all(".moves .sign"))
    waited(lambda: page.shows('[data-do="learn"]'), "no mistakes")

    def modes() -> Iterator[str]:
        yield "review"
        page.run("document.querySelector('.moves .sign').closest('button').click()")
        yield "verdict"
        page.do("learn", "best", "best")  # adds the line
        waited(lambda: page.shows(".variation"))
        yield "learning, in a variation"
        page.do("explore")
        yield "openings"
        page.do("analyse")
        waited(lambda: page.all(".lines li"))
        yield "analysis"
        page.do("comment")
        yield "note"
        page.one("form.note [data-cancel]").click()
        page.do("analyse", "explore", "stop-learning", "last")

    for width, height, least in ((1366, 768, 6 * 28), (683, 384, (384 - 40) / 2)):
        page.show_as(width, height)
        for mode in modes():
            where = f"{mode} {width}x{height}"
            waited(lambda least=least: page.run(ROWS)[0] >= least, f"{where}: {page.run(ROWS)}")
            waited(lambda: not page.run(ROWS)[1], f"{where}: a row is cut")
            if width > 1000:
                assert page.box(".game-buttons").top - page.box(".steps").bottom < 12, where
    page.show_as(360, 740)
    list_end, steps = page.box(".record").bottom, page.box(".steps").top
    assert page.box(".review .graph").top - list_end < 12
    assert page.box(".review").bottom <= steps, "the accuracy is out of sight"
    assert "%" in page.text(".review p")
    page.do("first")
    waited(lambda: not page.shows(".verdict"))
    assert page.box(".learn").top - page.box(".review").bottom < 12


@pytest.mark.slow
def test_a_message_lies_over_the_end_of_the_list(page: Page) -> None:
    page.show_as(1366, 768)
    play_at_random(page, 60)
    page.click("a1" if page.position.piece_at(page.number("a1")) is None else "a2")
    waited(lambda: page.text(".advice"))
    message, list_box = page.box(".message"), page.box(".moves")
    assert list_box.contains(message)
    waited(lambda: page.box(".moves [aria-current]").bottom <= message.top, "the message hides the last move")
    assert not page.run(ROWS)[1]


@pytest.mark.slow
def test_the_dialog_for_a_new_game(page: Page) -> None:
    page.show_as(640, 400)
    page.do("menu")
    waited(lambda: page.shows(".menu"))
    buttons = page.box(".menu form > .buttons").top
    for name in ("opponent", "level"):
        assert page.box(f'.menu [name="{name}"]').bottom <= buttons
    assert page.box(".menu .times").top < buttons  # begins above the edge, so there is more to see
    before = page.box('.menu [name="opponent"]').top
    page.one(".menu .more summary").click()
    assert page.text(".menu .more summary") == "29 more rulesets (from Ludii)"
    assert page.box('.menu [name="opponent"]').top - before < 120
    page.show_as(1280, 800)
    page.open_advanced()
    page.set_player(1, {"player": "0", "limit": "time"})
    for side in (0, 1):
        fields = (page.box(f'.menu fieldset[data-side="{side}"] [name="{name}"]') for name in ("minutes", "increment"))
        assert len({field.top for field in fields}) == 1
    page.set_player(1, {})
    assert page.count('.menu .card[data-name*="seega"]') == 1  # one card has all sizes of a game
    page.choose('.menu .card[data-name="ludii-seega-6x6"] select', "ludii-seega-8x7")
    assert page.text('.menu [data-do="rules-of"]') == "Rules of Seega, 8x7"
    page.one(".menu [data-start]").click()
    waited(lambda: page.text("h1") == "Seega rules, 8x7")
    page.reload()
    page.do("menu")
    assert page.run("document.querySelector('.menu .card:has(input:checked) select').value") == "ludii-seega-8x7"


# ---------------------------------------------------------------- names, landmarks, contrast

FAULTS = Path(__file__).with_name("faults.js").read_text(encoding="utf-8")
AXE = ("axe-core@4.14.1",)
RUN_AXE = """
const done = arguments[0];
axe.run(document, {preload: false, resultTypes: ["violations"]}).then(({violations, passes}) => done([passes.length,
  ...violations.map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 90)}`)]));
"""


PARTS = {"rules": ".square", "position": ".square", "puzzles": ".square", "options": ".fields > *"}
"""What is in a dialog when it has been loaded."""


def each_part(page: Page) -> Iterator[str]:
    """Show each part of the page in turn, in light and dark mode, and yield its name."""
    for width, height, scheme in ((1366, 768, "light"), (*PHONE, "dark")):
        page.show_as(width, height, scheme)
        page.new_game("latrones", "6x6")
        yield f"start {scheme}"
        page.play("a1a2")
        yield f"a move {scheme}"
        for name in ("menu", "settings", "options", "games", "puzzles", "rules", "position", "keys"):
            page.run("document.querySelector(`[data-do=\"${arguments[0]}\"]`).click()", name)
            waited(lambda wanted=name: page.all(f"dialog.{wanted}[open] button"))
            if (part := PARTS.get(name)) is not None:
                waited(lambda wanted=f"dialog.{name} {part}": page.all(wanted))
            yield f"{name} {scheme}"
            page.run("document.querySelector(`dialog.${arguments[0]}`).close()", name)
        page.resign()
        yield f"the end {scheme}"


@pytest.mark.slow
def test_controls_have_names_and_texts_are_in_landmarks(page: Page) -> None:
    for part in each_part(page):
        assert page.driver.execute_script(FAULTS) == [], part
    page.show_as(1366, 768)
    page.driver.execute_script("const node = document.querySelector('[data-do=\"undo\"]');"
                               "node.removeAttribute('title'); node.textContent = ''; node.id = 'side'")
    assert len(page.driver.execute_script(FAULTS)) == 2  # they are found


@pytest.mark.slow
def test_axe_finds_nothing(open_page: OpenPage) -> None:
    """With axe-core from npm, in a folder outside the checkout; nothing that is shipped needs it."""
    try:
        folder = checks.node_tools(AXE)
    except checks.LeftOutError as error:
        pytest.skip(str(error))
    script = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    page = open_page(fake_engine())
    page.driver.set_script_timeout(60)
    for part in each_part(page):
        page.driver.execute_script(script)
        passed, *violations = page.driver.execute_async_script(RUN_AXE)
        assert violations == [], part
        assert passed > 10
