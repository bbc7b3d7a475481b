"""Games in a real browser, played by pointer and keys."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from browser import OpenPage, Page, Tab, pieces_of, waited
from cases import VARIANTS
from latrones_uci.client.engine_spec import OWN_ENGINE
from latrones_uci.game import Move, Position, find_variant
from latrones_uci.records.pgn_read import read_games
from latrones_uci.web.board.state import render_state
from latrones_uci.words.reasons import reason_against
from serving import fake_engine, fake_engine_words, serving

pytestmark = pytest.mark.gui

ENGINE = {"player": "0", "limit": "depth", "depth": "1"}
THINKER = {"player": "0", "limit": "time", "seconds": "60"}
SIZES = {"latrunculi-xxi": "8x8", "petteia-xxi": "6x6", "single-stone-xxi": "8x8", "schaedler": "6x6", "bell": "6x6"}
# The default run has one of each kind: a dux that jumps, binding, capture chains, the wheel.
QUICK = ("latrones", "schaedler", "rota")
CAPTURE = "3d3s/8/8/2S1sS2/8/8/8/3D4 w 0 1"
MARKUP = "<img src=x onerror=alert(1)>"


# ---------------------------------------------------------------- whole games


@pytest.mark.parametrize("variant", [
    pytest.param(variant, marks=() if variant in QUICK else pytest.mark.slow) for variant in VARIANTS])
def test_a_game_by_the_pointer(open_page: OpenPage, variant: str) -> None:
    """White plays at random, by dragging and clicking in turn, against our engine, or resigns after 16 plies."""
    chance, page = random.Random(variant), open_page()
    page.new_game(variant, SIZES.get(variant, ""), ({}, {**ENGINE, "depth": "2"}))
    live = page.live
    while live.outcome is None and len(live.plies) < 16:
        moves = live.game.legal_moves()
        chains = [move for move in moves if len(move.squares) > 2]
        page.enter(chance.choice(chains or moves), dragged=len(live.plies) % 4 == 0)
        page.wait_shown()
        assert page.pieces_shown() == pieces_of(page.position)
    if live.outcome is None:
        page.resign()
    reason = render_state(live, page.server.registry.config)["outcome"]["reason"]
    reason = reason.replace("White resigned", "you resigned").replace("White has", "you have")
    assert f": {reason} (" in page.text(".status")
    assert [note.split()[0] for note in page.texts(".moves [data-ply]")] == [ply.notation for ply in live.plies]
    assert saved_moves(page) == list(live.game.moves)
    page.do("first")
    page.wait_for_pieces(live.game.start)


def saved_moves(page: Page) -> list[str]:
    saved = page.run("fetch(document.querySelector('[data-pgn]').href).then((answer) => answer.text())")
    game, = read_games(saved.splitlines())
    return [move.text for move in game.moves]


def tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        page.press_keys("TAB")
        if page.run("document.activeElement.matches(arguments[0])", selector):
            return
    raise AssertionError(f"the keyboard cannot reach {selector}")


def focused_square(page: Page) -> str:
    return str(page.driver.switch_to.active_element.get_attribute("data-square"))


def play_by_keys(page: Page, move: Move) -> None:
    """Walk with the arrow keys to each square of a move, and press Enter there."""
    before, files = len(page.live.plies), page.position.geometry.files
    turned = 1 if "White" in page.text(".near .who") else -1
    for target in move.squares:
        here = int(focused_square(page))
        across, up = turned * (target % files - here % files), turned * (target // files - here // files)
        page.press_keys(*["ARROW_RIGHT" if across > 0 else "ARROW_LEFT"] * abs(across),
                        *["ARROW_UP" if up > 0 else "ARROW_DOWN"] * abs(up))
        assert focused_square(page) == str(target)
        page.press_keys("ENTER")
    waited(lambda: len(page.live.plies) > before)
    page.wait_shown()
    assert focused_square(page).isdigit(), "the focus has left the board"


@pytest.mark.slow
def test_a_game_by_the_keyboard(open_page: OpenPage) -> None:
    chance, page = random.Random(3), open_page(fake_engine())
    page.press_keys("n")
    waited(lambda: page.shows("dialog.menu"))
    page.press_keys("ESCAPE")
    waited(lambda: not page.shows("dialog.menu"))
    tab_to(page, '[data-do="menu"]')
    page.press_keys("ENTER", *["ARROW_RIGHT"] * 7)  # to the last game
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
    assert len(saved_moves(page)) == page.count(".moves [data-ply]")


@pytest.mark.slow
def test_the_focus_is_visible_and_never_lost(open_page: OpenPage) -> None:
    page = open_page(fake_engine())
    page.new_game("latrones", "6x6", ({}, ENGINE))
    tab_to(page, ".board .square")
    assert page.run("getComputedStyle(document.activeElement).stroke") not in ("none", "")
    play_by_keys(page, page.position.parse_move("a1a3"))
    assert page.one(".announce").get_attribute("role") == "log"
    assert page.text(".announce").startswith("1. Black ")
    assert page.text(".announce").endswith(f": {page.live.plies[1].notation}")
    page.press_keys("f")
    waited(lambda: page.text(".near .who") == "Fake Black, depth 1")
    a3 = str(page.number("a3"))
    assert focused_square(page) == a3
    tab_to(page, '[data-do="undo"]')
    page.press_keys("ENTER")
    waited(lambda: not page.live.plies)
    page.wait_shown()  # there is no move to undo, so the button is disabled
    waited(lambda: focused_square(page) == a3)
    page.press_keys("h")
    waited(lambda: page.all(".arrow.hint"))
    play_by_keys(page, page.position.parse_move("a1a3"))
    tab_to(page, ".moves .move")
    page.press_keys("ENTER")
    waited(lambda: page.run("document.activeElement.ariaCurrent") == "true")
    page.press_keys("u")
    waited(lambda: not page.live.plies)
    assert {square.get_attribute("role") for square in page.all(".board .square")} == {"button"}


# ---------------------------------------------------------------- pieces, marks, arrows


@pytest.mark.slow
def test_moves_marks_and_looking_back(page: Page) -> None:
    assert page.label("e1") == "e1, white soldier, surrounded, cannot move"
    assert page.all(".immobile, .surrounded") == []  # they puzzle newcomers, so they are shown on demand
    page.set_up("states")
    assert [page.count(mark) for mark in (".immobile", ".surrounded")] == [2, 2]
    page.set_position("3d4/8/5S2/5s2/3Ds3/s7/8/8 w 0 1")
    page.click("d4")
    assert page.label("d4") == "d4, white dux, can move, selected"
    assert page.label("f4") == "f4, empty, destination by a jump, captures 1"
    assert page.label("d6") == "d6, empty, destination"
    assert (page.count(".target-ring"), page.count("path.target")) == (1, 1)
    page.drag("d4", "h8")  # not a destination, so it does not move
    assert page.all(".target") == []
    page.click("d4", "e4")  # the second click clears the selection
    assert page.all(".target") == []
    page.play("d4f4")
    assert page.pieces_shown() == pieces_of(page.position)
    assert page.texts(".moves [data-ply]") == ["Dd4-f4xf5"]
    page.set_up("plain")
    waited(lambda: page.texts(".moves [data-ply]") == ["d4f4"])
    page.set_up("plain", "states")
    assert [page.count(f".board-marks > {mark}") for mark in (
        "use[href='#mark-captured']", "use[href='#mark-grid']", ".board-track")] == [1, 2, 1]
    assert page.one(".near .taken").get_attribute("title") == "White: 2 pieces left, 1 captured"
    page.do("back")
    page.wait_for_pieces(page.live.game.start)
    page.do("flip")
    waited(lambda: page.text(".near .who") == "Human Black")
    page.do("last")
    page.wait_for_pieces()
    page.do("undo")
    waited(lambda: page.count(".moves [data-ply]") == 0)


@pytest.mark.slow
def test_a_chain_is_entered_square_by_square(open_page: OpenPage) -> None:
    page = open_page(fake_engine())
    page.new_game("bell", "6x6")
    page.set_position("sDsssS/SSS1sd/1ss2S/S1S1ss/1sSssS/sSSSSs[-] w 0 11")
    before = pieces_of(page.position)
    path = ("c3", "b3", "c3", "d3", "d2")

    def enter() -> None:
        page.click(path[0])
        for number, (origin, target) in enumerate(pairwise(path)):
            page.drag(origin, target) if number % 2 else page.click(target)

    enter()
    page.press_keys("ESCAPE")
    page.run("document.querySelector('.square[tabindex=\"0\"]').focus()")
    page.press_keys("ESCAPE")
    assert page.pieces_shown() == before
    enter()
    assert page.label("e2") == "e2, empty, destination"
    captured = {page.number(name) for name in ("b2", "d2", "e2", "b4", "c4")}
    entered = {square: piece for square, piece in before.items() if square not in {*captured, page.number("c3")}}
    assert page.pieces_shown() == entered | {page.number("d2"): "S"}
    assert page.count(".dying") == len(captured)
    assert page.live.plies == []
    page.do("finish")
    waited(lambda: page.live.plies)
    page.wait_shown()
    assert page.live.plies[0].notation == "c3-b3-c3-d3-d2xb2xd2xe2xb4xc4"
    assert page.pieces_shown() == pieces_of(page.position)


RECORD_GHOSTS = """(window.ghosts = [], new MutationObserver((changes) => {
  for (const {addedNodes, removedNodes} of changes) {
    for (const ghost of addedNodes) {
      ghost.fading = ghost.getAnimations()[0];
      window.ghosts.push([ghost.getAttribute("href"), ghost.fading.effect.getKeyframes().map((one) => one.opacity)]);
    }
    for (const ghost of removedNodes) window.ghosts.push(["gone", ghost.fading.playState]);
  }
}).observe(document.querySelector(".board-fading"), {childList: true}))"""


@pytest.mark.slow
def test_captured_pieces_fade_out_unless_motion_is_reduced(page: Page) -> None:
    page.set_position(CAPTURE)
    page.run(RECORD_GHOSTS)
    with page.live.lock:  # the page receives both plies at once, as with a fast engine
        page.live.move("c5d5", 0)
        page.live.move("h8h7", 1)
    waited(lambda: page.run("window.ghosts.length") == 2)
    assert page.run("window.ghosts") == [["#man-s", ["1", "0"]], ["gone", "finished"]]
    page.emulate("prefers-reduced-motion", "reduce")
    page.set_position(CAPTURE.replace("w 0 1", "w 0 2"))
    page.run("window.ghosts = []")
    page.play("c5d5")
    assert page.run("window.ghosts") == []


def test_the_right_button_draws_arrows(page: Page) -> None:
    def draw(origin: str, target: str) -> None:
        from selenium.webdriver.common.actions.mouse_button import MouseButton

        actions = page.actions()
        actions.move_to_element(page.square(origin)).w3c_actions.pointer_action.pointer_down(MouseButton.RIGHT)
        actions.move_to_element(page.square(target)).w3c_actions.pointer_action.pointer_up(MouseButton.RIGHT)
        actions.perform()

    draw("a1", "a4")
    draw("c3", "c3")
    assert (page.count("path.arrow.drawn"), page.count("circle.arrow.drawn")) == (1, 1)
    draw("c3", "c3")  # the same again removes it
    assert page.count("circle.arrow.drawn") == 0
    page.click("a1")
    assert (page.count(".arrow.drawn"), page.count(".chosen") > 0) == (0, True)


# ---------------------------------------------------------------- against engines


@pytest.mark.slow
def test_premoves(open_page: OpenPage) -> None:
    page = open_page()
    page.new_game("latrones", "8x8", ({}, THINKER))
    page.enter(page.position.parse_move("a1a2"))
    waited(lambda: page.live.thinking and not page.all('[data-do="hint"]:enabled'))  # it would be for the engine
    page.drag("b1", "b2")
    waited(lambda: page.count("path.arrow.premove") == 1)
    assert page.text(".advice").startswith("Premove b1-b2: played when it is your turn.")
    page.press_keys("ESCAPE")
    waited(lambda: not page.all(".ahead"))
    page.click("b1", "b2")
    assert len(page.live.plies) == 1
    page.do("now")
    waited(lambda: len(page.live.plies) == 3)
    assert page.live.plies[2].figure["text"] == "b1b2"
    waited(lambda: page.count(".moves [data-ply]") == 3 and not page.all(".ahead"))
    page.click("h1", "h8")  # not legal: another piece is there, or has just moved towards h1
    page.do("now")
    waited(lambda: len(page.live.plies) == 4 and page.is_settled())
    why = reason_against(page.position, *(page.position.geometry.parse_square(name) for name in ("h1", "h8")))
    waited(lambda: why in page.text(".advice"), "no reason is shown")
    assert len(page.live.plies) == 4
    page.set_up("premoves")
    page.enter(page.position.legal_moves()[0])
    waited(lambda: page.live.thinking)
    page.click("h1")
    waited(lambda: page.text(".advice") == "Black is to move.")


@pytest.mark.slow
def test_clocks_run_out(open_page: OpenPage) -> None:
    page = open_page(fake_engine())
    page.new_game("latrones", "6x6", ({"minutes": "0.02"}, {**ENGINE, "minutes": "1", "increment": "2"}))
    assert page.text(".far .clock").startswith("1:00")
    assert page.live.clocks.running is None  # the clocks start with the first move
    page.enter(page.position.parse_move("a1a3"))
    waited(lambda: page.live.outcome is not None)
    page.wait_shown()
    assert page.text(".status") == "You lose: you ran out of time (0\u20111)"
    assert page.text(".near .clock") == "0:00.0"
    assert not page.shows('[data-do="resign"]')


@pytest.mark.slow
def test_engines_play_each_other_and_pause(open_page: OpenPage) -> None:
    page = open_page(fake_engine("late"))
    page.new_game("latrones", "6x6", (ENGINE, ENGINE), settled=False)
    for paused, label in ((True, "Resume"), (False, "Pause")):
        page.do("pause")
        waited(lambda label=label: page.text('[data-do="pause"]') == label)
        assert page.live.paused is paused
    waited(page.live.process_ids)
    page.do("now")
    waited(lambda: page.count(".moves [data-ply]") == 1)


@pytest.mark.slow
def test_markup_from_an_engine_is_shown_as_text(open_page: OpenPage) -> None:
    page = open_page(fake_engine(program="markup_engine.py"))
    page.new_game("latrones", "8x8", ({}, ENGINE))
    page.press_keys("a")
    page.play("a1a3")
    waited(lambda: page.all(".lines li"))
    page.enter(page.position.parse_move("b1b3"))
    waited(lambda: page.live.paused and MARKUP in page.text(".notices li"))
    assert page.all("img:not(.card img)") == []
    assert page.count("script") == 1
    assert page.one('[data-do="pause"]').text == "Resume"


# ---------------------------------------------------------------- reloads, tabs, servers


@pytest.mark.slow
def test_a_reload_keeps_the_game(open_page: OpenPage) -> None:
    page = open_page(fake_engine(), fake_engine("late"))
    page.new_game("latrones", "6x6", ({**ENGINE, "player": "1"}, {}), settled=False)
    waited(lambda: page.text(".status") == "White is thinking\u2026" and page.live.process_ids())
    game, process = page.live.game, page.live.process_ids()
    page.reload()  # during a search
    waited(lambda: page.text(".status") == "White is thinking\u2026")
    assert (page.live.game, page.live.process_ids()) == (game, process)
    page.do("now")
    waited(lambda: page.count(".moves [data-ply]") == 1)
    page.wait_shown()
    assert page.text(".near .who") == "Human Black"  # the board is turned for Black
    page.do("flip")
    waited(lambda: page.text(".far .who") == "Human Black")
    page.reload()
    page.wait_shown()
    assert page.text(".far .who") == "Human Black"
    page.run("sessionStorage.setItem('latrones-table', 'gone')")
    page.driver.refresh()
    waited(lambda: page.run("sessionStorage.getItem('latrones-table')") != "gone")
    page.wait_shown()  # a new game


@pytest.mark.slow
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
            page.play("a1a3")  # the first game of a page: a human against the first engine
            assert page.count(".moves [data-ply]") == 2
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
            page.enter(live.game.legal_moves()[0])
            page.wait_shown()
            assert page.count(".moves [data-ply]") == 4
            assert all(one.process_ids() for _, _, one in pages)


@contextmanager
def served_by(command: list[str]) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the command that serves the page; yield its address and process, and kill it afterwards."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1], process
        finally:
            process.kill()


def kept_plies(path: Path) -> int:
    """Return the number of plies in a database of one game."""
    with closing(sqlite3.connect(path)) as connection:
        [(plies,)] = connection.execute("SELECT json_array_length(data, '$.plies') FROM games")
    return int(plies)


@pytest.mark.slow
def test_a_server_that_hangs_or_ends_is_reported_and_its_game_found_again(driver: Any, tmp_path: Path) -> None:
    command = [*OWN_ENGINE, "gui", "--no-browser", "--games", str(tmp_path / "games.db"),
               "--engine", *fake_engine_words()]
    tab = Tab(driver)

    def play(origin: str, target: str) -> None:
        waited(lambda: tab.all(".square.movable"))
        waited(lambda: clicked(origin) and tab.all(".chosen"))
        waited(lambda: clicked(target))

    def clicked(name: str) -> bool:
        tab.actions().click(tab.one(f'[aria-label^="{name},"]')).perform()
        return True

    with served_by(command) as (address, server):
        driver.get(address)
        waited(lambda: tab.all(".square.movable"))
        table = tab.run("sessionStorage.getItem('latrones-table')")
        server.send_signal(signal.SIGSTOP)
        play("a1", "a3")
        waited(lambda: tab.text(".advice") == "Sending a1a3\u2026 The server has not answered yet.")
        waited(lambda: tab.shows(".alarm"))
        os.kill(server.pid, signal.SIGCONT)
        waited(lambda: not tab.shows(".alarm") and not tab.text(".advice"))
        waited(lambda: tab.count(".moves [data-ply]") == 2 and tab.all(".square.movable"))
        played = tab.texts(".moves [data-ply]")
        waited(lambda: kept_plies(tmp_path / "games.db") == 2)  # a thread writes them, and the server is killed
    waited(lambda: tab.shows(".alarm"))
    assert tab.text(".alarm") == "The server does not respond. Is latrones-uci gui still running?"
    piece = tab.one('[aria-label^="b1, white soldier"]')
    play("b1", "b3")
    waited(lambda: tab.text(".advice") == "The server does not respond.")
    assert tab.one('[aria-label^="b1, white soldier"]') == piece  # the piece is back
    with served_by(command) as (again, _):
        assert again == address
        waited(lambda: tab.run("sessionStorage.getItem('latrones-table')") != table)
        waited(lambda: not tab.shows(".alarm") and tab.texts(".moves [data-ply]") == played)
        play("b1", "b3")
        waited(lambda: tab.count(".moves [data-ply]") == 4)
        driver.get("about:blank")
    driver.get_log("browser")  # discards the errors of the requests between the servers


@pytest.mark.slow
def test_the_error_of_a_failed_request_ends_though_the_stream_was_never_cut(driver: Any, tmp_path: Path) -> None:
    command = [*OWN_ENGINE, "gui", "--no-browser", "--games", str(tmp_path / "games.db"),
               "--engine", *fake_engine_words()]
    tab = Tab(driver)
    with served_by(command) as (address, _):
        driver.get(address)
        waited(lambda: tab.all(".square.movable"))
        # The requests fail while the stream goes on, as in a browser that is set offline.
        driver.execute_script("window.own = fetch; window.fetch = async () => { throw new TypeError('offline'); }")
        tab.actions().click(tab.one('[aria-label^="a1,"]')).perform()
        waited(lambda: tab.all(".chosen"))
        tab.actions().click(tab.one('[aria-label^="a3,"]')).perform()
        waited(lambda: tab.text(".advice") == "The server does not respond.")
        assert not tab.shows(".alarm")
        driver.execute_script("window.fetch = window.own")
        waited(lambda: not tab.text(".advice"))
        driver.get("about:blank")


# ---------------------------------------------------------------- dialogs


@pytest.mark.slow
def test_the_menu_says_what_is_wrong(page: Page) -> None:
    page.do("menu")
    page.open_advanced()
    page.set_player(1, {"player": "0", "limit": "clock"})
    page.one(".menu [data-start]").click()
    waited(lambda: "needs one" in page.text(".menu .error"))
    page.set_player(1, {})
    increment = '.menu fieldset[data-side="0"] [name="increment"]'
    page.fill(increment, "5")
    page.one(".menu [data-start]").click()
    waited(lambda: page.text(".menu .error") == (
        "an increment needs a clock; set the minutes per side, or the increment to 0"))
    page.fill(increment, "")
    page.one(".menu [data-start]").click()  # the browser itself asks for the number
    assert page.run("document.querySelector('.menu input:invalid').name") == "increment"
    assert page.shows(".menu")


def test_a_position_of_another_size_is_not_judged(page: Page) -> None:
    page.do("position")
    waited(lambda: page.all(".position .board-men use"))
    page.fill('.position [name="fen"]', "9/9/9/9/9/9/9/9/9 w 0 1")
    waited(lambda: page.text(".position .error").startswith("This board has another size"))
    assert page.text(".position .ending") == ""


@pytest.mark.slow
def test_the_position_editor(page: Page) -> None:
    page.new_game("schaedler", "6x6")
    page.press_keys("e")

    def square(name: str) -> Any:
        return page.one(f'.position [data-square="{page.number(name)}"]')

    def pick(field: str) -> None:
        page.one(f".position {field}").find_element("xpath", "..").click()

    def fen() -> str:
        return str(page.one('.position [name="fen"]').get_property("value"))

    waited(lambda: page.all(".position .square"))
    assert fen() == page.position.fen()
    page.one('.position [data-do="empty"]').click()
    waited(lambda: fen() == "6/6/6/6/6/6[-] w 0 1")
    pick('.palette [value="S"]')
    page.actions().click(square("a1")).click(square("b2")).click(square("c3")).click(square("c3")).perform()
    assert fen() == "6/6/6/6/1S4/S5[-] w 0 1"
    pick('.palette [value="s"]')
    page.actions().click(square("f6")).drag_and_drop(square("a1"), square("d1")).perform()
    assert fen() == "5s/6/6/6/1S4/3S2[-] w 0 1"
    pick('.palette [value="b"]')  # a bound soldier of Black
    page.actions().click(square("e5")).perform()
    page.fill('.position [data-held="S"]', "2")
    waited(lambda: page.text(".position .error") == "Bound soldiers while pieces are in hand.")
    page.one(".position [data-start]").click()
    assert page.shows(".position")  # nothing has begun
    page.fill('.position [data-held="S"]', "0")
    waited(lambda: page.text(".position .error") == "")
    page.actions().context_click(square("e5")).perform()
    pick('[name="side"][value="1"]')
    pick('.palette [value="s"]')
    square("d1").send_keys("")
    page.press_keys("ARROW_RIGHT", "ENTER", "ARROW_UP", "DELETE")
    assert fen() == "5s/6/6/6/1S4/3Ss1[-] b 0 1"
    page.one(".position [data-start]").click()
    waited(lambda: page.live.game.start.fen() == "5s/6/6/6/1S4/3Ss1[-] b 0 1")
    page.wait_shown()
    page.do("position")
    page.fill('.position [name="fen"]', "6/6/6/6/6/S5[-] w 0 1")
    waited(lambda: page.text(".position .ending").startswith("The game is over in this position: "))
    assert page.count(".position .board-men use") == 1
    page.one('.position [data-do="usual"]').click()
    waited(lambda: fen() == Position.start(find_variant("schaedler"), (6, 6)).fen())
    page.one('.position [data-do="analyse-from"]').click()
    waited(lambda: page.live.analysis["wanted"] == 3)
    assert [player.kind for player in page.live.settings.players] == ["person", "person"]


@pytest.mark.slow
def test_a_late_check_of_a_position_replaces_nothing(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    field, arrived, released = '.position [name="fen"]', threading.Event(), threading.Event()
    page.driver.execute_script(  # text entered before the server has checked the position of the game stays
        "document.querySelector('[data-do=\"position\"]').click();"
        "const field = document.querySelector(arguments[0]);"
        "field.value = 'nonsense <b>'; field.dispatchEvent(new Event('input', {bubbles: true}))", field)
    waited(lambda: page.text(".position .error"))
    assert page.one(field).get_attribute("value") == "nonsense <b>"
    answer = page.server.do

    def late(data: Any) -> Any:
        if data["do"] != "check":
            return answer(data)
        arrived.set()
        released.wait(20)
        return {**answer(data), "problem": "late"}

    monkeypatch.setattr(page.server, "do", late)
    page.fill(field, "nonsense <i>")
    assert arrived.wait(20)
    page.one(".position [data-start]").click()
    waited(lambda: "nonsense <i>" in page.text(".position .error"))
    page.run("(window.seen = performance.getEntriesByType('resource').length)")
    released.set()
    waited(lambda: page.run("performance.getEntriesByType('resource').length > window.seen"))
    assert "nonsense <i>" in page.text(".position .error")


@pytest.mark.slow
def test_engine_options(open_page: OpenPage) -> None:
    page = open_page()
    options = page.server.registry.config.catalog
    page.do("settings")
    page.one('.settings [data-do="options"]').click()
    waited(lambda: page.all('.options [data-option="Hash"]'))
    names = page.run("[...document.querySelectorAll('.options [data-option]')].map((node) => node.dataset.option)")
    assert {"Hash", "Threads", "Move Overhead", "Backend"} <= set(names)
    assert {"UCI_Elo", "MultiPV", "UCI_Variant"}.isdisjoint(names)  # the page itself sets these
    page.fill('.options [data-option="Hash"]', "0")
    page.one('.options [type="submit"]').click()
    assert page.shows(".options")  # the browser itself says that it is out of range
    page.fill('.options [data-option="Hash"]', "33")
    page.fill('.options [data-option="EvalFile"]', "/no/such/net")
    page.one('.options [type="submit"]').click()
    waited(lambda: "/no/such/net" in page.text(".options .error"), "the engine's own words")
    assert options.values(0) == {}
    page.fill('.options [data-option="EvalFile"]', "auto")
    page.choose('.options [data-option="Backend"]', "python")
    page.one('.options [type="submit"]').click()
    waited(lambda: options.values(0) == {"Hash": "33", "Backend": "python"})
    waited(lambda: not page.shows(".options"))
    kept = page.run("localStorage.getItem('latrones-engine-options')")
    other = open_page()  # the browser remembers them for another server, here of another address
    page.run("localStorage.setItem('latrones-engine-options', arguments[0])", kept)
    page.driver.refresh()
    waited(lambda: other.server.registry.config.catalog.values(0) == {"Hash": "33", "Backend": "python"})
