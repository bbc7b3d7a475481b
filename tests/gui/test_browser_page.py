"""The features of the page in a real browser, and what can go wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import Any, cast

import pytest

from browser import Page, waited
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import Position
from latrones_uci.game.encoding import path_of
from latrones_uci.web.board.server import Server
from serving import fake_engine, serving

pytestmark = pytest.mark.gui

PEOPLE = ({}, {})
ENGINE = {"player": "0", "limit": "depth", "depth": "1"}


def test_moves_marks_and_looking_back(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        assert page.label("e1") == "e1, white soldier, surrounded, cannot move"
        assert page.all(".immobile, .surrounded") == []  # they puzzle newcomers, so they are shown on demand
        page.set_up("states")
        assert [len(page.all(mark)) for mark in (".immobile", ".surrounded")] == [2, 2]
        page.set_position("3d4/8/5S2/5s2/3Ds3/s7/8/8 w 0 1")
        assert page.label("d4") == "d4, white dux, can move"
        page.click(page.number("d4"))
        assert page.label("d4") == "d4, white dux, can move, selected"
        assert page.label("f4") == "f4, empty, destination by a jump, captures 1"
        assert page.label("d6") == "d6, empty, destination"
        assert (len(page.all(".target-ring")), len(page.all("path.target"))) == (1, 1)
        page.drag(page.number("d4"), page.number("h8"))  # not a destination, so it does not move
        assert page.all(".target") == []
        page.click(page.number("d4"), page.number("e4"))  # the second click clears the selection
        assert page.all(".target") == []
        page.play_text("d4f4")
        page.wait_shown()
        assert page.pieces_shown() == page.pieces_standing()
        assert page.texts(".moves [data-ply]") == ["Dd4-f4xf5"]
        assert len(page.all(".board-marks use[href='#mark-captured']")) == 1
        marks = (".board-marks use[href='#mark-grid']", ".board-marks > .board-track")
        assert [len(page.all(mark)) for mark in marks] == [2, 1]
        page.do("back")
        page.wait_for_pieces(page.pieces_of(page.live.game.start))
        page.do("flip")
        waited(lambda: page.text(".near .who") == "Human Black")
        page.do("last")
        page.wait_for_pieces(page.pieces_standing())
        page.do("undo")
        waited(lambda: page.plies_shown() == 0)
        page.wait_shown()


def test_a_game_by_the_keyboard(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", ({}, ENGINE))
        page.press_keys("n")
        waited(lambda: page.one("dialog.menu").is_displayed())
        page.press_keys("ESCAPE")
        waited(lambda: not page.one("dialog.menu").is_displayed())
        driver.execute_script("document.querySelector('.square[tabindex=\"0\"]').focus()")
        page.press_keys("ARROW_RIGHT", "ARROW_LEFT", "ENTER", "ARROW_UP", "ARROW_UP", " ")
        waited(lambda: len(page.live.plies) == 2)
        page.wait_shown()
        assert page.texts(".moves [data-ply]")[0] == "a1-a3"
        page.press_keys("TAB", "u")
        waited(lambda: not page.live.plies)
        page.press_keys("h")
        waited(lambda: page.all(".hint"))
        assert "hint" in str(page.one(".board").get_attribute("innerHTML"))


def test_a_chain_is_entered_square_by_square(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("schaedler", "8x8", PEOPLE)
        page.set_position("8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1")
        page.click(page.number("c3"), page.number("e3"))
        assert page.one('[data-do="finish"]').is_displayed()
        assert page.pieces_shown()[page.number("e3")] == "S"
        assert page.label("e1") == "e1, empty, destination by a jump"
        page.press_keys("ESCAPE")
        driver.execute_script("document.querySelector('.square[tabindex=\"0\"]').focus()")
        page.press_keys("ESCAPE")
        assert page.pieces_shown() == page.pieces_standing()
        page.click(page.number("c3"), page.number("e3"))
        page.do("finish")
        waited(lambda: len(page.live.plies) == 1)
        page.do("undo")
        waited(lambda: not page.live.plies)
        page.wait_shown()
        page.play_text("c3e3e1")
        assert page.live.plies[0].notation == "c3-e3-e1"
        page.set_up("states")
        page.set_position("8/8/8/8/1SbS4/6ss/8/8[-] w 0 1")
        assert page.label("c4") == "c4, black bound soldier, cannot move, can be captured"
        assert [len(page.all(mark)) for mark in (".kill", ".immobile", ".surrounded")] == [1, 1, 0]
        page.click(page.number("c4"))
        waited(lambda: len(page.live.plies) == 1)
        page.wait_shown()
        assert page.number("c4") not in page.pieces_shown()


def test_clocks_run_out(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", ({"minutes": "0.02"}, {**ENGINE, "minutes": "1", "increment": "2"}))
        assert page.text(".far .clock").startswith("1:00")
        assert page.live.clocks.running is None  # the clocks start with the first move
        page.play_text("a1a3")
        waited(lambda: page.live.outcome is not None)
        page.wait_shown()
        assert page.text(".status") == "You lose: White ran out of time (0\u20111)"
        assert page.text(".near .clock") == "0:00.0"
        assert not page.one('[data-do="resign"]').is_displayed()
        page.new_game("latrones", "6x6", ({"minutes": "0.5", "increment": "4"}, {"minutes": "0.04"}))
        page.play_text("a1a3")
        first = page.text(".far .clock")
        assert first.startswith("0:0")
        waited(lambda: page.text(".far .clock") < first)
        waited(lambda: page.live.outcome is not None)
        page.wait_shown()
        assert page.text(".status") == "White wins: Black ran out of time (1\u20110)"
        assert page.text(".far .clock") == "0:00.0"
        left_ms = page.live.clocks.left_ms(0)
        assert left_ms is not None
        assert page.text(".near .clock") == f"0:{left_ms // 1000}"


def test_a_reload_keeps_the_game(driver: Any) -> None:
    with serving([fake_engine(), fake_engine("late")]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", ({}, ENGINE))
        page.play_text("a1a3")
        page.wait_shown()
        game, process = page.live.game, page.live.process_ids()
        driver.refresh()
        waited(lambda: page.plies_shown() == 2)
        page.wait_shown()
        assert page.live.game is game
        assert page.live.process_ids() == process
        page.new_game("latrones", "6x6", ({}, {**ENGINE, "player": "1"}))
        page.play_text("a1a3")
        waited(lambda: page.text(".status") == "Black is thinking\u2026")
        process = waited(page.live.process_ids)
        driver.refresh()  # during a search
        waited(lambda: page.text(".status") == "Black is thinking\u2026")
        assert page.live.process_ids() == process
        page.do("now")
        waited(lambda: page.plies_shown() == 2)


def test_an_unavailable_game_is_replaced_by_a_new_one(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        driver.execute_script("sessionStorage.setItem('latrones-table', 'gone')")
        driver.refresh()
        waited(lambda: driver.execute_script("return sessionStorage.getItem('latrones-table')") != "gone")
        page.wait_shown()


def test_the_menu_shows_why_a_game_is_rejected(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.do("menu")
        page.open_advanced()
        page.set_player(1, {"player": "0", "limit": "clock"})
        page.one(".menu [data-start]").click()
        waited(lambda: "needs one" in page.text(".menu .error"))
        page.one('.menu [data-do="close"]').click()
        driver.refresh()
        page.wait_shown()
        page.new_game("latrones", "6x6", (ENGINE, {}))
        assert page.text(".near .who") == "Human Black"


def test_position_and_pgn(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("bell", "6x6", PEOPLE)
        page.do("position")
        field = '.position [name="fen"]'
        assert page.one(field).get_attribute("value") == page.position.fen()
        page.one('.position [data-do="close"]').click()
        driver.execute_script(  # text entered before the server has checked the position of the game stays
            "document.querySelector('[data-do=\"position\"]').click();"
            "const field = document.querySelector(arguments[0]);"
            "field.value = 'nonsense <b>'; field.dispatchEvent(new Event('input', {bubbles: true}))", field)
        waited(lambda: page.text(".position .error").startswith("No hand after the board"))
        assert page.one(field).get_attribute("value") == "nonsense <b>"
        page.fill(field, "nonsense <i>")
        page.one(".position [data-start]").click()
        waited(lambda: "nonsense <i>" in page.text(".position .error"))
        time.sleep(0.3)  # longer than the delay of the check after typing
        assert "nonsense <i>" in page.text(".position .error")
        fen = "6/6/2sS2/6/6/6[1D1d] w 0 17"
        page.fill(field, fen)
        page.one(".position [data-start]").click()
        waited(lambda: page.position.fen() == fen)
        page.wait_shown()
        page.play(page.position.parse_move("D@b4"))
        page.wait_shown()
        page.do("first")
        waited(lambda: page.pieces_shown() == page.pieces_of(Position.from_fen(page.position.ruleset, fen)))
        page.do("position")
        assert page.one(field).get_attribute("value") == fen
        page.one('.position [data-do="close"]').click()
        assert "game.pgn?table=" in page.one("[data-pgn]").get_attribute("href")
        page.do("resign")
        assert page.text('[data-do="resign"]') == "Really resign?"
        assert page.live.outcome is None
        page.do("resign")
        waited(lambda: page.text(".status") == "White wins: Black resigned (1\u20110)")


def test_analysis_in_several_lines(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", PEOPLE)
        page.choose("[data-lines]", "4")
        page.do("analyse")
        waited(lambda: len(page.all(".lines li")) == 4)
        page.play_text("e2e5")
        waited(lambda: page.live.analysis.get("ply") == 1 and len(page.all(".lines li")) == 4)
        waited(lambda: page.one(".evaluation").get_attribute("aria-valuetext") != "no evaluation")
        for board, sign in (("3d4/7s/8/8/8/8/SSSSSSS1/3D4", "+"), ("3d4/sssssss1/8/8/8/8/7S/3D4", "\u2212")):
            for side in "wb":
                page.set_position(f"{board} {side} 0 1")
                waited(lambda: page.one('[data-do="analyse"]').get_attribute("aria-pressed") == "false")
                page.do("analyse")
                waited(lambda sign=sign: page.text(".evaluation span").startswith(sign))
                assert all(score.startswith(sign) for score in page.texts(".lines b"))
                assert (float(page.one(".evaluation").get_attribute("aria-valuenow")) > 50) == (sign == "+")
                assert page.whites_share_is_near() == (page.text(".near .who") == "Human White")
                page.do("flip")
                waited(lambda: page.whites_share_is_near() == (page.text(".near .who") == "Human White"))
        pressed = page.one('[data-do="analyse"]')
        for on in ("false", "true", "false"):
            page.do("analyse")
            waited(lambda on=on: pressed.get_attribute("aria-pressed") == on)
            waited(lambda on=on: len(page.all(".lines li")) == (4 if on == "true" else 0))


def test_engines_play_each_other_and_pause(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        engine = {"player": "0", "limit": "time", "seconds": "0.1"}
        page.new_game("latrunculi-classical", "8x8", (engine, engine), settled=False)
        waited(lambda: page.plies_shown() > 3)
        page.do("pause")
        waited(lambda: page.live.paused)
        page.wait_shown()
        plies = page.plies_shown()
        page.do("undo")
        waited(lambda: page.plies_shown() == plies - 1)
        page.do("pause")
        waited(lambda: page.plies_shown() > plies)
        page.new_game("rota", "", ({**engine, "seconds": "0.01"},) * 2, settled=False)
        waited(lambda: page.live.outcome is not None)
        page.wait_shown()
        assert not page.one('[data-do="pause"]').is_displayed()
        assert page.plies_shown() == len(page.live.plies)


def test_markup_from_an_engine_is_shown_as_text(driver: Any) -> None:
    with serving([fake_engine(program="markup_engine.py")]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", ({}, ENGINE))
        page.press_keys("a")
        page.play_text("a1a3")
        page.wait_shown()
        waited(lambda: page.all(".lines li"))
        page.play_text("b1b3")
        waited(lambda: page.live.paused)
        waited(lambda: "<img src=x onerror=alert(1)>" in page.text(".notices"))
        assert page.all(".notices li")
        assert page.all("img:not(.card img)") == []
        assert len(page.all("script")) == 1
        assert page.one('[data-do="pause"]').text == "Resume"


def test_a_killed_engine_is_reported_and_plays_on(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "6x6", ({}, ENGINE))
        page.play_text("a1a3")
        page.wait_shown()
        os.kill(page.live.process_ids()[0], signal.SIGKILL)
        waited(lambda: "restarted" in page.text(".notices"))
        page.play(page.position.legal_moves()[0])
        page.wait_shown()
        assert page.plies_shown() == 4


def test_eight_tabs_are_eight_games_with_one_stream(driver: Any) -> None:
    with serving([fake_engine()], absence_s=1.0) as server:
        pages: list[tuple[str, Page, Any]] = []
        for number in range(8):
            if number:
                driver.switch_to.new_window("tab")
            page = Page(driver, server)
            page.open()
            pages.append((driver.current_window_handle, page, page.live))
        assert len({live.name for _, _, live in pages}) == 8
        for handle, page, _ in pages:
            driver.switch_to.window(handle)
            page.play_text("a1a3")  # the first game of a page: a human against the first engine
            page.wait_shown()
            assert page.plies_shown() == 2
        broadcaster = server.registry.broadcaster
        assert broadcaster.followed() == {live.name for _, _, live in pages}
        assert broadcaster.count == 1
        closed = pages.pop(0)  # the tab that reads the stream for all
        driver.switch_to.window(closed[0])
        driver.close()
        waited(lambda: not closed[2].process_ids())
        waited(lambda: broadcaster.followed() == {live.name for _, _, live in pages})
        for handle, page, live in (pages[0], pages[-1]):
            driver.switch_to.window(handle)
            page.play(live.game.legal_moves()[0])
            page.wait_shown()
            assert page.plies_shown() == 4
            assert all(one.process_ids() for _, _, one in pages)


def test_the_page_fits_its_window(driver: Any) -> None:
    with serving() as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrunculi-xxi", "16x16", PEOPLE)
        page.do("analyse")
        waited(lambda: len(page.all(".lines li")) == 3)
        grounds = set()
        try:
            for width, height in ((390, 844), (820, 1180), (844, 390), (1280, 800), (1920, 1080)):
                for scheme in ("light", "dark"):
                    page.show_as(width, height, scheme)
                    grounds.add(driver.execute_script("return getComputedStyle(document.body).backgroundColor"))
                    wide, high, board = driver.execute_script(
                        "const {scrollWidth, scrollHeight} = document.documentElement;"
                        "return [scrollWidth, scrollHeight, document.querySelector('.board svg').clientHeight]")
                    assert wide <= width
                    assert width < 1000 or high <= height
                    assert board >= min(width - 90, height - 190)
            assert len(grounds) == 2
            page.show_as(390, 844, "light")
            page.tap(*path_of(page.position.legal_moves()[0]))
            waited(lambda: len(page.live.plies) == 1)
        finally:
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_page_reports_a_stopped_server(driver: Any) -> None:
    with subprocess.Popen([*OWN_ENGINE, "gui", "--no-browser", "--no-games"],
                          stdout=subprocess.PIPE, text=True) as process:  # fmt: skip
        assert process.stdout is not None
        driver.get(process.stdout.readline().split()[-1])
        waited(lambda: driver.find_elements("css selector", ".square.movable"))
        process.kill()
    waited(lambda: driver.find_element("css selector", ".alarm").is_displayed())
    alarm = driver.find_element("css selector", ".alarm").text
    assert alarm == "The server does not respond. Is latrones-uci gui still running?"
    origin, target = (driver.find_element("css selector", f'[aria-label^="{square},"]') for square in ("a1", "a3"))
    page = Page(driver, cast(Server, None))
    page.actions().click_and_hold(origin).move_by_offset(9, 0).move_to_element(target).release().perform()
    waited(lambda: driver.find_element("css selector", ".advice").text == "The server does not respond.")
    assert driver.find_element("css selector", '[aria-label^="a1, white soldier"]') == origin  # the piece is back
    driver.get("about:blank")
    driver.get_log("browser")  # discards the errors of the failed requests


def test_the_page_reports_a_server_that_hangs_and_comes_back(driver: Any) -> None:
    page = Page(driver, cast(Server, None))
    with subprocess.Popen([*OWN_ENGINE, "gui", "--no-browser", "--no-games"],
                          stdout=subprocess.PIPE, text=True) as process:  # fmt: skip
        assert process.stdout is not None
        driver.get(process.stdout.readline().split()[-1])
        waited(lambda: driver.find_elements("css selector", ".square.movable"))
        process.send_signal(signal.SIGSTOP)
        origin, target = (driver.find_element("css selector", f'[aria-label^="{square},"]') for square in ("a1", "a3"))
        page.actions().click(origin).click(target).perform()
        waited(lambda: page.text(".advice") == "Sending a1a3\u2026 The server has not answered yet.")
        waited(lambda: page.one(".alarm").is_displayed())
        process.send_signal(signal.SIGCONT)
        waited(lambda: not page.one(".alarm").is_displayed() and not page.text(".advice"))
        waited(lambda: page.all(".moves [data-at]") or "a1-a3" in page.text(".moves"))
        process.terminate()
    driver.get("about:blank")
    driver.get_log("browser")
