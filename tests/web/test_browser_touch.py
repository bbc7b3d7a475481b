"""The page in the hand: fingers drag pieces on every board, scroll the page, and enlarge a large board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from browser import Page, pieces_of, waited
from latrones_uci.game import find_variant
from latrones_uci.web.board.puzzles import puzzles_of
from latrones_uci.web.rules.rule_page import lessons_of

pytestmark = pytest.mark.gui

SMALL = (360, 740)
SCROLLED = "[...document.querySelectorAll('html, dialog')].map((node) => node.scrollTop)"


@pytest.fixture
def phone(page: Page) -> Iterator[Page]:
    """A page on a small phone; the names of the pointer events are in ``window.heard``."""
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    page.show_as(*SMALL)
    page.driver.execute_script("window.heard = []; for (const kind of ['pointermove', 'pointerup', 'pointercancel'])"
                               " document.addEventListener(kind, () => window.heard.push(kind), true)")
    yield page
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def touch(page: Page, kind: str, *points: tuple[float, float]) -> None:
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
        {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]})


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.box(selector)
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> list[str]:
    """Draw a finger over the page, and return the pointer events that the page received, each once."""
    page.driver.execute_script("window.heard.length = 0")
    touch(page, "touchStart", start)
    for step in range(1, steps + 1):
        touch(page, "touchMove", *[tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True))])
    touch(page, "touchEnd")
    return list(page.run("[...new Set(window.heard)]"))


def drag(page: Page, within: str, origin: int, target: int) -> None:
    """Drag a piece of the board ``within`` a part of the page with a finger; the page must not scroll."""
    page.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", f"{within} .board")
    start, end = (middle(page, f'{within} [data-square="{square}"]') for square in (origin, target))
    before = page.run(SCROLLED)
    assert swipe(page, start, end) == ["pointermove", "pointerup"]
    assert page.run(SCROLLED) == before, "the page has scrolled"


@pytest.mark.slow
def test_a_piece_is_dragged_by_a_finger(phone: Page) -> None:
    phone.new_game("latrones")
    drag(phone, ".stage", phone.number("d1"), phone.number("d5"))
    waited(lambda: [str(ply.text) for ply in phone.live.plies] == ["d1d5"], "d1d5 was not played")
    phone.new_game("latrones", "16x16")  # squares so small that the board can be enlarged
    move = phone.position.parse_move("d1d5")
    drag(phone, ".stage", *move.squares)
    waited(lambda: len(phone.live.plies) == 1, "the move was not played")


@pytest.mark.slow
def test_a_piece_of_a_puzzle_is_dragged_by_a_finger(phone: Page) -> None:
    puzzle = puzzles_of("latrones")[0]
    phone.do("puzzles")
    waited(lambda: phone.all("dialog.puzzles .square.movable"))
    move = puzzle.line[0]
    assert len(move.squares) > 1
    drag(phone, "dialog.puzzles .puzzle", *move.squares[:2])
    waited(lambda: phone.texts("dialog.puzzles .solution li"), "the move was not made")


@pytest.mark.slow
def test_a_piece_of_a_lesson_is_dragged_by_a_finger_and_other_boards_scroll(phone: Page) -> None:
    phone.do("rules")
    lessons = lessons_of(find_variant("latrones"))
    waited(lambda: phone.count(".rules .square") and phone.count(".rules figure svg.latrones-board") == len(lessons))
    one, other = (f'.rules figure[data-lesson="{lesson.key}"]' for lesson in lessons[:2])
    phone.one(f"{one} [data-try]").click()
    drag(phone, one, *lessons[0].move.squares[:2])
    waited(lambda: phone.text(f"{one} .told").startswith("Right"))
    before = phone.run("document.querySelector('dialog.rules').scrollTop")
    phone.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", f"{other} .board")
    x, y = middle(phone, f"{other} .board")
    swipe(phone, (x, y), (x, y - 150))
    waited(lambda: phone.run("document.querySelector('dialog.rules').scrollTop") > before + 50, "no scrolling")


@pytest.mark.slow
def test_a_piece_of_the_editor_is_dragged_by_a_finger(phone: Page) -> None:
    phone.do("position")
    waited(lambda: phone.all(".position .board-men use"))
    phone.run("document.querySelector('dialog.position').style.maxHeight = '400px'")  # there is something to scroll
    drag(phone, ".position .editor", phone.number("d1"), phone.number("d5"))
    waited(lambda: "/3S4/" in phone.run("document.querySelector('.position [name=fen]').value"))


@pytest.mark.slow
def test_the_level_is_shown_on_a_phone(phone: Page) -> None:
    phone.new_game("latrones", "6x6", ({}, {"player": "0", "limit": "depth", "depth": "1"}))
    waited(lambda: phone.text(".far .who") == "Fake Black, depth 1")
    assert "depth 1" in phone.one(".far .who").text
    assert "Black" not in phone.one(".far .who").text


@pytest.mark.slow
def test_the_page_scrolls_beside_the_board(phone: Page) -> None:
    phone.new_game("latrones")
    x, y = middle(phone, ".game-buttons")
    swipe(phone, (x, min(y, 660)), (x, 300))
    waited(lambda: phone.run("scrollY") > 50, "the page does not scroll")
    assert pieces_of(phone.position) == phone.pieces_shown()


@pytest.mark.slow
def test_two_fingers_enlarge_a_large_board(phone: Page) -> None:
    page = phone

    def view() -> list[float]:
        return list(page.run("document.querySelector('.board svg').getAttribute('viewBox').split(' ').map(Number)"))

    assert not page.shows('[data-do="zoom"]')  # the squares of 8x8 are large
    page.new_game("latrones", "16x16")
    width = view()[2]
    assert page.shows('[data-do="zoom"]')
    touch(page, "touchStart", (150, 250), (250, 250))
    for step in range(1, 11):
        touch(page, "touchMove", (150 - 10 * step, 250), (250 + 10 * step, 250))
    touch(page, "touchEnd")
    left, top, now, _ = view()
    assert 2.5 < width / now < 3.5
    assert (page.live.plies, page.all(".chosen")) == ([], [])  # nothing was played or chosen by the fingers
    for step in range(5):  # one finger on an empty square moves the board
        touch(page, "touchStart" if step == 0 else "touchMove", (200 - 8 * step, 200 + 4 * step))
    touch(page, "touchEnd")
    assert view()[0] > left
    assert view()[1] < top
    for _ in range(30):  # down to the first rank
        touch(page, "touchStart", (200, 300))
        touch(page, "touchMove", (200, 270))
        touch(page, "touchMove", (200, 200))
        touch(page, "touchEnd")
    x, y = page.run(
        "[...document.querySelectorAll('.stage .square.movable')].map((node) => node.getBoundingClientRect())"
        ".filter((one) => one.left > 20 && one.right < 370)"
        ".map((one) => [one.x + one.width / 2, one.y + one.height / 2])[0]")
    assert page.box(".board").top < y < page.box(".board").bottom
    touch(page, "touchStart", (x, y))
    touch(page, "touchEnd")
    waited(lambda: page.all(".chosen"))
    for expected in (width, width / 2):
        page.do("zoom")
        assert view()[2] == expected
