"""A person who has never seen the games: rules, try-outs, levels, reasons, and what the page says in words."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from browser import Page, waited
from cases import VARIANTS
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import find_variant
from latrones_uci.game.encoding import is_path, path_of, square_of
from latrones_uci.web.board.server import Server
from latrones_uci.web.rules.lesson import aim_of, lessons_of
from serving import fake_engine, fake_engine_words, serving

pytestmark = pytest.mark.gui

PEOPLE = ({}, {})
ENGINE = {"player": "0", "limit": "depth", "depth": "1"}


def open_rules(page: Page, variant: str) -> None:
    """Open the rules of a game from the dialog for a new game, as a newcomer does."""
    page.do("menu")
    page.one(f'.menu .card[data-name="{variant}"]').click()
    page.one('.menu [data-do="rules-of"]').click()
    count = len(lessons_of(find_variant(variant)))
    waited(lambda: len(page.all(".rules figure svg.latrones-board .board-above > :first-child")) == count)


def close_rules(page: Page) -> None:
    page.one('.rules [data-do="close"]').click()
    page.one('.menu [data-do="close"]').click()


# The others show the same lessons.
@pytest.mark.parametrize("variant", [
    pytest.param(variant, marks=() if variant in ("latrones", "schaedler", "bell", "rota") else pytest.mark.slow)
    for variant in VARIANTS
])  # fmt: skip
def test_every_lesson_can_be_tried(driver: Any, variant: str) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        open_rules(page, variant)
        for lesson in lessons_of(find_variant(variant)):
            figure = f'.rules figure[data-lesson="{lesson.key}"] '
            page.one(f"{figure}[data-try]").click()
            waited(lambda figure=figure, task=lesson.task: page.text(f"{figure}.task") == task)
            squares = path_of(lesson.move) if is_path(lesson.move) else [square_of(lesson.move)]
            for square in squares:
                page.one(f'{figure}[data-square="{square}"]').click()
            longer = any(str(move).startswith(str(lesson.move)) and str(move) != str(lesson.move)
                         for move in lesson.position.legal_moves())
            if longer and is_path(lesson.move):
                page.one(f'{figure}[data-square="{squares[-1]}"]').click()
            waited(lambda figure=figure: page.text(f"{figure}.told").startswith("Right: "), lesson.key)
            men = driver.execute_script(
                "return [...document.querySelectorAll(arguments[0])].map((use) => use.getAttribute('href').slice(5))"
                ".sort()", f"{figure}.board-men use")
            assert men == sorted(page.pieces_of(lesson.after).values())
        close_rules(page)


def test_a_lesson_says_why_a_move_is_not_possible(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.do("rules")
        figure = '.rules figure[data-lesson="custodian-line"] '
        waited(lambda: page.all(f"{figure}.arrow"))
        page.one(f"{figure}[data-try]").click()
        task = page.text(f"{figure}.task")
        assert page.text(f"{figure}[data-try]") == "Try it"  # nothing has been tried
        for square in (10, 19):  # e2, b4
            page.one(f'{figure}[data-square="{square}"]').click()
        waited(lambda: page.text(f"{figure}.told") == "A soldier moves along a rank or file, and b4 is on neither.")
        for square in (10, 4):  # e2, e1: legal, but nothing is captured
            page.one(f'{figure}[data-square="{square}"]').click()
        waited(lambda: page.text(f"{figure}.told") == "That move is legal, but not what is asked for.")
        assert page.text(f"{figure}.task") == task  # which stays
        assert page.text(f"{figure}[data-try]") == "Again"
        page.press_keys("ESCAPE")
        waited(lambda: not page.one(".rules").is_displayed())


def test_impossible_presses_are_explained(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        for squares, reason in (
            (["e1"], "The white soldier on e1 is blocked: there is no square that it can go to."),
            (["a8"], "It is White's turn, and the black soldier on a8 is Black's."),
            (["a1", "b3"], "A soldier moves along a rank or file, and b3 is on neither."),
        ):
            page.click(*map(page.number, squares))
            waited(lambda reason=reason: page.text(".advice") == reason, reason)
        page.click(page.number("a1"))
        waited(lambda: page.text(".advice") == "")  # choosing a piece removes it
        page.drag(page.number("a1"), page.number("c4"))
        waited(lambda: "c4 is on neither" in page.text(".advice"))
        page.drag(page.number("e1"), page.number("e4"))
        waited(lambda: "e1 is blocked" in page.text(".advice"))
        page.play_text("a1a3")
        page.wait_shown()
        assert page.text(".advice") == ""
        page.do("back")
        page.click(page.number("e1"))  # in an earlier position
        waited(lambda: page.text(".advice").startswith("The white soldier on e1 is blocked"))


def test_the_ending_is_shown_and_said(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        page.set_position("3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1")
        page.play_text("c6c8")
        page.wait_shown()
        assert page.text(".status") == "White wins: the black dux is captured (1\u20110)"
        assert page.one(".status").is_displayed()
        shown = driver.execute_script("return document.querySelectorAll('.decisive').length")
        assert shown == 4  # the dux and what stood on its three neighbours
        assert page.label("d8") == "d8, empty, decides the game"
        assert page.text(".evaluation span") == "1\u20110"
        assert page.one(".evaluation").get_attribute("aria-valuenow") == "100"
        assert not page.one('[data-do="resign"]').is_displayed()
        page.do("swap")
        waited(lambda: page.live.outcome is None and not page.live.plies)
        page.wait_shown()
        assert page.position.fen() == "3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1"  # the same start


def test_a_newcomer_plays_a_level(driver: Any, tmp_path: Path) -> None:
    """The page is opened, the rules are read and tried, and a game against Tiro begins, with the clock."""
    with serving(games=tmp_path / "games.db") as server:
        page = Page(driver, server)
        page.open()
        open_rules(page, "latrones")
        assert page.text(".rules .aim") == aim_of(find_variant("latrones"))
        page.one('.rules [data-do="close"]').click()
        waited(lambda: "Elo" in page.texts('.menu [name="level"] option')[0])
        levels = page.texts('.menu [name="level"] option')
        assert [level.split(",")[0] for level in levels] == [
            "Tiro", "Miles", "Decanus", "Optio", "Centurio", "Tribunus", "Legatus", "Imperator", "Full strength"]
        ratings = [int(level.split()[1]) for level in levels[:-1]]
        assert ratings == sorted(ratings)
        page.choose('.menu [name="level"]', "0")
        page.one('.menu [name="colour"][value="black"]').find_element("xpath", "..").click()
        page.one('.menu [name="time"][value="5+3"]').find_element("xpath", "..").click()
        page.one(".menu [data-start]").click()
        waited(lambda: page.live.settings.players[0].kind == "engine")
        white, black = page.live.settings.players
        assert (white.level, white.limit, black.kind) == (0, "clock", "person")
        assert black.clock.pgn_tag() == "300+3"
        waited(lambda: len(page.live.plies) == 1)
        page.wait_shown()
        assert page.text(".near .who") == "Human Black"
        assert page.text(".far .who") == f"latrones-uci White, Tiro ({ratings[0]})"
        assert not page.one(".evaluation").is_displayed()  # hidden while playing
        page.set_up("evaluation")
        waited(lambda: page.one(".evaluation").is_displayed())
        page.play(page.position.legal_moves()[0])
        page.wait_shown()
        page.do("draw")
        waited(lambda: page.text(".advice") == "latrones-uci declines: it is too early for a draw.")
        page.do("hint")
        waited(lambda: page.text(".advice").startswith("Hint: "))
        move = page.live.hint
        assert move is not None
        assert page.all(".arrow.hint")
        page.do("resign")
        page.do("resign")
        waited(lambda: page.text(".status") == "You lose: Black resigned (1\u20110)")
        page.do("review")
        waited(lambda: page.all(".review .graph"))
        assert page.text(".review p:nth-of-type(1)").startswith("White ")
        assert "% accuracy" in page.text(".review p:nth-of-type(2)")
        page.actions().move_to_element_with_offset(page.one(".graph"), -170, 0).click().perform()
        waited(lambda: page.pieces_shown() == page.pieces_of(page.live.game.start))
        page.do("rematch")
        waited(lambda: page.live.outcome is None and page.live.settings.players[0].level == 0)
        page.wait_shown()
        assert page.live.settings.players[0].limit == "clock"


def test_a_hint_that_cannot_be_found(driver: Any) -> None:
    """The page does not wait for it forever."""
    with serving([fake_engine("illegal")]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "", PEOPLE)
        page.do("hint")
        waited(lambda: "no legal move" in page.text(".notices"))
        waited(lambda: page.text(".advice") == "")


def test_a_hint_is_found_again(driver: Any) -> None:
    """A second search may have the same result, and the message of the first may have been replaced."""
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "", PEOPLE)
        page.do("hint")
        hint = waited(lambda: page.text(".advice") if page.text(".advice").startswith("Hint: ") else "")
        page.click(page.number("e1"))
        waited(lambda: "is blocked" in page.text(".advice"))
        for _ in range(2):
            page.do("hint")
            waited(lambda: page.text(".advice") == hint)
        page.play_text("a1a3")
        page.wait_shown()
        page.do("back")
        page.do("hint")  # is for the current position, which is shown
        waited(lambda: page.text(".advice").startswith("Hint: ") and page.all(".arrow.hint"))
        assert page.text(".moves [aria-current]") == "a1-a3"


def test_a_game_is_played_on_from_a_mistake_and_left_again(driver: Any) -> None:
    fen = "3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1"
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        page.set_position(fen)
        for text in ("e1e2", "a2a3"):  # the first misses a win
            page.play_text(text)
            page.wait_shown()
        page.do("resign")
        page.do("resign")
        page.wait_shown()
        page.do("review")
        waited(lambda: page.all(".review .graph"))
        page.one('.moves [data-ply="1"]').click()
        waited(lambda: page.one("[data-retry]").is_displayed())
        _fits_a_phone(page)
        reviewed = page.live.record
        assert page.text("[data-retry]") == "Play on from here (new game)"
        page.one("[data-retry]").click()
        waited(lambda: page.live.record != reviewed)
        page.wait_shown()
        assert page.position.fen() == fen
        assert [player.kind for player in page.live.settings.players] == ["person", "engine"]
        assert page.text(".origin span") == "From move 1 of Human \u2013 Human."
        page.play_text("e1e2")
        waited(lambda: len(page.live.plies) == 2)  # the engine answers
        page.wait_shown()
        assert page.text(".origin span").startswith("From move 1 of Human \u2013 Human. The same move again: loses ")
        page.do("undo")
        waited(lambda: not page.live.plies)
        page.wait_shown()
        page.play_text("c6c8")
        page.wait_shown()
        assert page.text(".status") == "You win: the black dux is captured (1\u20110)"
        assert page.text(".origin span").endswith(" That is the best move.")
        page.do("origin")
        waited(lambda: page.live.record == reviewed and page.text(".moves [aria-current]").startswith("De1-e2"))
        assert not page.one(".origin").is_displayed()
        assert page.all(".review .graph")


def _fits_a_phone(page: Page) -> None:
    """Check that the board, the graph and the verdict of a review are visible together, and that nothing moves."""
    page.show_as(390, 844, "light")
    page.driver.execute_script("scrollTo(0, 0)")
    bottom = ("return ['.board svg', '.graph', '.verdict', '.steps']"
              ".map((selector) => document.querySelector(selector).getBoundingClientRect().bottom)")
    board, graph, verdict, steps = page.driver.execute_script(bottom)
    assert board < graph < verdict < steps - 50
    top = "return document.querySelector('.record').getBoundingClientRect().top"
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    with_verdict = page.driver.execute_script(top)
    page.do("first")
    waited(lambda: not page.one("[data-retry]").is_displayed())
    assert page.driver.execute_script(top) == with_verdict
    page.one('.moves [data-ply="1"]').click()
    waited(lambda: page.one("[data-retry]").is_displayed())


def test_two_soldiers_are_placed_in_a_turn(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("bell", "8x7", PEOPLE)
        assert page.text(".nothing span").startswith("Click an empty square to place a piece.")
        assert page.text(".status") == "White to move: place two soldiers"
        assert page.label("c3") == "c3, empty, you can place a piece here"
        page.click(page.number("c3"))
        waited(lambda: page.text(".status") == "White to move: place one more")
        page.click(page.number("e3"))
        waited(lambda: page.text(".status") == "Black to move: place two soldiers")
        marked = driver.execute_script("return document.querySelectorAll('.stage .board-marks use').length")
        assert marked == 2
        assert page.label("c3") == "c3, white soldier, last move"


def test_a_forced_pass_is_said(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.do("menu")
        page.one(".menu .more summary").click()
        page.one('.menu .card[data-name="ludii-seega-6x6"]').click()
        page.choose('.menu [name="opponent"]', "person")
        driver.execute_script("document.querySelector('.menu .advanced').open = true")
        page.fill('.menu [name="fen"]', "4sS/5s/6/3s2/s5/Ss4[-] w 0 20")
        page.one(".menu [data-start]").click()
        waited(lambda: page.text(".advice") == "White has no legal move and passes.")
        waited(lambda: page.text(".announce") == "20. White has no legal move and passes: pass")
        page.play_text("b1c1")  # makes room for White
        page.wait_shown()
        assert page.text(".advice") == ""
        driver.get("about:blank")  # ends the requests for pictures before the server


def test_two_humans_agree_to_a_draw(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("rota", "", PEOPLE)
        page.do("draw")
        assert page.text('[data-do="draw"]') == "Accept draw"
        page.do("draw")
        waited(lambda: page.text(".status") == "Draw: agreed (\u00bd\u2011\u00bd)")


def test_games_are_kept_listed_and_opened_again(driver: Any, tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with serving([fake_engine()], games=path) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", PEOPLE)
        page.play_text("a1a3")
        page.wait_shown()
        first = page.live.record
        page.new_game("rota", "", PEOPLE)  # does not discard the game
        page.play_text("S@b2")
        page.wait_shown()
        page.do("games")
        waited(lambda: len(page.all(".games li")) == 2)
        page.one(f'.games li[data-record="{first}"] .open').click()
        waited(lambda: page.live.record == first)
        page.wait_shown()
        assert page.texts(".moves [data-ply]") == ["a1-a3"]
        page.do("games")
        other = waited(lambda: page.all(f'.games li:not([data-record="{first}"])'))[0]
        other.find_element("xpath", './/button[text()="Rename"]').click()
        other.find_element("css selector", "input").send_keys("Three <b>")
        other.find_element("css selector", "form button").click()
        waited(lambda: "Three <b>" in page.text(".games .list"))
        page.one('.games [data-do="close"]').click()
        page.do("games")
        waited(lambda: page.all('.games li:not([aria-current]) [aria-label^="Delete"]'))[0].click()
        page.one('.games li:not([aria-current]) [aria-label^="Delete"]').click()
        waited(lambda: len(page.all(".games li")) == 1)


@contextmanager
def served_by(command: list[str]) -> Iterator[str]:
    """Run the command that serves the page; yield its address, and kill it afterwards."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.kill()


def test_the_page_finds_its_game_after_the_server_was_killed(driver: Any, tmp_path: Path) -> None:
    command = [*OWN_ENGINE, "gui", "--no-browser", "--games", str(tmp_path / "games.db"),
               "--engine", *fake_engine_words()]  # fmt: skip
    page = Page(driver, cast(Server, None))

    def notes() -> list[str]:
        return page.texts(".moves [data-ply]")

    with served_by(command) as address:
        driver.get(address)
        waited(lambda: page.all(".square.movable"))
        page.actions().click(page.one('[aria-label^="a1,"]')).click(page.one('[aria-label^="a3,"]')).perform()
        waited(lambda: len(notes()) == 2)
        played = notes()
        waited(lambda: page.all(".square.movable"))
        table = driver.execute_script("return sessionStorage.getItem('latrones-table')")
    with served_by(command) as again:
        assert again == address
        waited(lambda: driver.execute_script("return sessionStorage.getItem('latrones-table')") != table)
        waited(lambda: not page.one(".alarm").is_displayed() and notes() == played and page.all(".square.movable"))
        page.actions().click(page.one('[aria-label^="b1,"]')).click(page.one('[aria-label^="b3,"]')).perform()
        waited(lambda: len(notes()) == 4)
        driver.get("about:blank")
    driver.get_log("browser")  # discards the errors of the requests between the servers
