"""The page that shows a match, in a real browser."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from browser import waited
from latrones_uci.commands.main import main
from latrones_uci.game import Game, Termination
from latrones_uci.match.events import GameFinished
from latrones_uci.match.plan import Format
from latrones_uci.match.standings import Standings
from latrones_uci.stats import Sprt
from latrones_uci.web.watch.live_channel import live_channel
from match_records import MS, NAMES, SETTINGS, START, played_record, record
from watched import add_games, live_games, turn, watching, write_match

pytestmark = pytest.mark.gui

GAME = played_record(1).game
MARKUP = "<img src=x onerror=alert(1)>"
ENGINES = (replace(SETTINGS.engines[0], name=f"A {MARKUP}"), SETTINGS.engines[1])
MATCH = replace(SETTINGS, games=40, sprt=Sprt(0, 50), engines=ENGINES)


class MatchPage:
    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(f"return {script}", *arguments)

    def text(self, selector: str) -> str:
        return str(self.run("document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def count(self, selector: str) -> int:
        return int(self.run("document.querySelectorAll(arguments[0]).length", selector))

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()

    def press(self, *names: str) -> None:
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.keys import Keys

        ActionChains(self.driver).send_keys(*(getattr(Keys, name, name) for name in names)).perform()

    def men(self, within: str) -> int:
        return self.count(f"{within} .board-men use")

    def show_as(self, width: int, height: int, scheme: str) -> None:
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 1000})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def men_after(plies: int) -> int:
    game = Game(START)
    for ply in GAME.plies[:plies]:
        game.play(ply.text)
    return sum(bool(game.position.piece_at(square)) for square in range(36))


def test_running_games_standings_and_the_test(driver: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    write_match(path, [record(number, 0) for number in range(1, 9)], MATCH)
    live = live_games(*((number, GAME.plies[:3]) for number in range(21, 24)), (24, None))
    page = MatchPage(driver)
    with live_channel(path, live), watching(path) as server:
        driver.get(server.url)
        waited(lambda: page.count(".tile .board-men use"))
        assert page.run("[...document.querySelectorAll('.tile a')].map((one) => one.textContent)") == [
            f"Game {number}" for number in range(21, 25)]
        tile = '.tile[data-game="21"]'
        waited(lambda: page.men(tile) == men_after(3))
        assert page.text(f"{tile} .near .who") == f"A {MARKUP}"
        assert page.text(f"{tile} .far .who") == "B"
        assert page.count("img") == 0
        assert "depth 3" in page.text(f"{tile} .last")
        assert page.text('.tile[data-game="24"] .last') == "starting"
        waited(lambda: page.text(".test figcaption").startswith("LLR "))
        waited(lambda: page.count(".test .chart polyline"))
        assert page.count(".standings .bar") == 2
        assert "8 of 40 games" in page.text(".progress")
        assert page.text(".link") == "running"
        # The clock of the player to move runs, and a move stops it.
        live.report(21, turn(GAME.plies[:3], time.monotonic_ns(), (None, 300_000 * MS)))
        waited(lambda: page.text(f"{tile} .far .clock") == "4:58")
        live.report(21, turn(GAME.plies[:4], time.monotonic_ns(), (None, 250_000 * MS)))
        waited(lambda: page.men(tile) == men_after(4) and page.text(f"{tile} .far .clock") == "4:10")
        # A game that starts takes the place of one that is over.
        live(GameFinished(played_record(22), Standings(NAMES), None))
        add_games(path, played_record(22))
        waited(lambda: "9 of 40 games" in page.text(".progress"))
        waited(lambda: page.count(".tile") == 3)
        waited(lambda: page.text(".list tbody tr td") == "22")
    waited(lambda: page.text(".alarm").startswith("This page is no longer served.")
           and driver.find_element("css selector", ".alarm").is_displayed())
    driver.get("about:blank")
    driver.get_log("browser")  # discards the errors of the failed requests


def test_the_rounds_of_a_tournament_and_games_not_paired_yet(driver: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    settings = replace(MATCH, format=Format.SWISS, sprt=None)
    games = [record(number, 0) for number in range(1, 8)]
    write_match(path, [replace(game, fixture=replace(game.fixture, round=0)) for game in games], settings)
    page = MatchPage(driver)
    with watching(path) as server:
        driver.get(server.url)
        waited(lambda: page.count(".rounds tbody tr") == 2)
        assert page.text(".rounds summary") == "Swiss table"
        assert page.run("[...document.querySelector('.rounds tbody tr').cells].map((one) => one.textContent)") == [
            "1", f"A {MARKUP}", "4", "3", "4 v2"]
        assert "round 1 of 1" in page.text(".progress")
        assert page.text(".unpaired").startswith("1 game is not paired yet: it counts in points and W-D-L")
        assert page.run("document.querySelector('.standings tbody tr').innerText").count("50.0%") >= 1
        assert page.count("img") == 0


def test_games_are_replayed_with_the_keyboard(driver: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    write_match(path, [played_record(2), record(3, 1, Termination.CRASH, details=f"Black: {MARKUP}")], MATCH)
    live = live_games((5, GAME.plies[:6]))
    page = MatchPage(driver)
    with live_channel(path, live), watching(path) as server:
        driver.get(server.url)
        waited(lambda: page.count(".list a") == 2)
        for _ in range(40):
            page.press("TAB")
            if page.run("document.activeElement.matches('.list a[href=\"#game=2\"]')"):
                break
        page.press("ENTER")
        waited(lambda: page.count(".moves [data-ply]") == len(GAME.plies))
        waited(lambda: page.men(".replay") == men_after(0))
        assert page.text(".heading").startswith("Game 2: ")
        assert page.text(".now") == "Start"
        page.press("ARROW_RIGHT", "ARROW_RIGHT", "ARROW_RIGHT")
        waited(lambda: page.run("location.hash") == "#game=2&ply=3")
        waited(lambda: page.men(".replay") == men_after(3))
        page.press("END")
        waited(lambda: page.men(".replay") == men_after(len(GAME.plies)))
        assert page.count(".moves [aria-current]") == 1
        page.press("f")
        waited(lambda: page.text(".replay .far .who").startswith(f"A {MARKUP}") is (GAME.start.side == 1)
               or page.count(".evaluation.flipped"))
        driver.refresh()  # the address has the game and the ply
        waited(lambda: page.men(".replay") == men_after(len(GAME.plies)))
        page.press("ESCAPE")
        waited(lambda: driver.find_element("css selector", ".tiles").is_displayed())
        # A running game is followed.
        page.click('.tile a[href="#game=5"]')
        waited(lambda: page.count(".moves [data-ply]") == 6)
        live.report(5, turn(GAME.plies[:9]))
        waited(lambda: page.count(".moves [data-ply]") == 9)
        waited(lambda: page.men(".replay") == men_after(9))
        driver.get(f"{server.url}#game=3")
        waited(lambda: page.text(".ending").endswith(f"Black: {MARKUP}"))
        assert page.count("img") == 0


def test_the_page_fits_its_window(driver: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    write_match(path, [played_record(number) for number in range(1, 9)], MATCH)
    page = MatchPage(driver)
    with live_channel(path, live_games(*((number, GAME.plies[:3]) for number in range(21, 37)))), \
            watching(path) as server:  # fmt: skip
        driver.get(server.url)
        waited(lambda: page.count(".tile .board-men use") >= 16 * men_after(3))
        grounds = set()
        try:
            for width, height in ((390, 844), (844, 390), (820, 1180), (1366, 900)):
                for scheme in ("light", "dark"):
                    page.show_as(width, height, scheme)
                    grounds.add(page.run("getComputedStyle(document.body).backgroundColor"))
                    for address in ("", "#game=2"):
                        page.run("location.hash = arguments[0]", address)
                        waited(lambda shown=bool(address): page.run(
                            "!document.querySelector('main.replay').hidden && !!document.querySelector("
                            "'main.replay .board svg')") == shown)
                        assert page.run("document.documentElement.scrollWidth") <= width
                    box = "document.querySelector(arguments[0]).getBoundingClientRect().toJSON()"
                    board, bar = (page.run(box, part) for part in (".replay .board svg", ".replay .evaluation"))
                    assert board["bottom"] <= height, "the board of a game is not whole"
                    assert page.run(box, ".replay .near")["bottom"] <= height
                    if width < 860 and height > 560:  # as on the page of the board: one column, with the bar below
                        assert width > 390 or board["width"] >= 386
                        assert 0 <= bar["top"] - board["bottom"] < 8
                    else:
                        assert 0 <= bar["left"] - board["right"] < 8
                        assert abs(bar["bottom"] - board["bottom"]) < 8
            assert len(grounds) == 2
        finally:
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_standings_of_a_report_fit_at_1366(driver: Any, tmp_path: Path) -> None:
    path, report = tmp_path / "match.db", tmp_path / "report.html"
    names = ("latrones-uci 0.2.0 with three threads", "latrones-uci 0.1.0 with one thread")
    engines = tuple(replace(engine, name=name) for engine, name in zip(SETTINGS.engines, names, strict=True))
    write_match(path, [played_record(number) for number in range(1, 9)], replace(MATCH, engines=engines))
    assert main(["report", str(path), "--output", str(report)]) == 0
    page = MatchPage(driver)
    try:
        page.show_as(1366, 900, "light")
        driver.get(report.as_uri())
        boxes = page.run("[...document.querySelectorAll('.scroll')].map((box) => box.scrollWidth - box.clientWidth)")
        assert boxes
        assert set(boxes) == {0}
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
