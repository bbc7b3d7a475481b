"""The page in a real browser, driven like a user does: by pointer and keys, never by calling its script."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import pytest

import serving
from latrones_uci.game import Move, Position
from latrones_uci.game.encoding import PLACE_DUX, is_path, kind_of, path_of, square_of
from latrones_uci.web.board.live_game import LiveGame
from latrones_uci.web.board.server import Server

T = TypeVar("T")
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
             "--window-size=1280,1000", "--disable-background-networking"]


def start_browser() -> Any:
    """Start headless Chromium with its driver; skip the test if one of them, or selenium, is missing."""
    try:
        from selenium import webdriver
    except ImportError:
        pytest.skip("no browser: selenium is not installed")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no browser: chromium or its driver is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def waited(what: Callable[[], T | None], meaning: str = "") -> T:
    """Return the value of ``what()`` as soon as it is true; an element missing, or just replaced, means: not yet."""
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

    def value() -> T | None:
        try:
            return what()
        except (NoSuchElementException, StaleElementReferenceException):
            return None

    return serving.waited(value, meaning)


class Page:
    """The page of one tab."""

    def __init__(self, driver: Any, server: Server) -> None:
        from selenium.webdriver.common.by import By

        self.driver, self.server = driver, server
        self._css = By.CSS_SELECTOR

    def open(self) -> None:
        self.driver.get(self.server.url)
        waited(lambda: self.all(".board .square"), "no board")

    @property
    def live(self) -> LiveGame:
        return self.server.registry.find(waited(
            lambda: self.driver.execute_script("return sessionStorage.getItem('latrones-table')")))

    @property
    def position(self) -> Position:
        return self.live.game.position

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements(self._css, selector))

    def one(self, selector: str) -> Any:
        return self.driver.find_element(self._css, selector)

    def text(self, selector: str) -> str:
        return str(self.driver.execute_script("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        return list(self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", selector))

    @staticmethod
    def saved(address: str) -> str:
        """Return what the browser would save from an address of the page."""
        with urllib.request.urlopen(address, timeout=20) as answer:
            return str(answer.read().decode())

    def do(self, name: str) -> None:
        self.one(f'[data-do="{name}"]').click()

    def actions(self) -> Any:
        from selenium.webdriver import ActionChains

        return ActionChains(self.driver, duration=0)

    # ---------------------------------------------------------------- choices

    def choose(self, selector: str, value: str) -> None:
        from selenium.webdriver.support.select import Select

        def chosen() -> bool:  # a previous choice may just replace the options
            Select(self.one(selector)).select_by_value(value)
            return True

        waited(chosen)

    def fill(self, selector: str, value: str) -> None:
        field = self.one(selector)
        field.clear()
        field.send_keys(value)

    def new_game(self, variant: str, size: str = "", players: Sequence[Mapping[str, str]] = ({}, {}),
                 settled: bool = True) -> None:  # fmt: skip
        """Start a game from the menu. A player is ``{}`` for a human, or the values of the fields of an engine."""
        before = self.live.game
        self.do("menu")
        self.one(f'.menu .card[data-name="{variant}"]').click()
        self.open_advanced()
        if size:
            files, ranks = size.split("x")
            self.choose('.menu [name="files"]', files)
            self.choose('.menu [name="ranks"]', ranks)
        for side, player in enumerate(players):
            self.set_player(side, player)
        self.one(".menu [data-start]").click()
        waited(lambda: self.live.game is not before, self.text(".menu .error"))
        if settled:
            self.wait_shown()

    def open_advanced(self) -> None:
        """Unfold the fields of both players in the open menu."""
        if self.one(".menu .advanced").get_attribute("open") is None:
            self.one(".menu .advanced summary").click()

    def set_player(self, side: int, player: Mapping[str, str]) -> None:
        """Fill in the fields of a player in the open menu; an engine plays at its full strength."""
        within = f'.menu fieldset[data-side="{side}"]'
        self.choose(f'{within} [name="player"]', player.get("player", "person"))
        if "player" in player:
            self.choose(f'{within} [name="rank"]', player.get("level", "full"))
        if "limit" in player:
            self.choose(f'{within} [name="limit"]', player["limit"])
        for name in ("seconds", "depth", "minutes", "increment"):
            if name in player:
                self.fill(f'{within} [name="{name}"]', player[name])

    def set_up(self, *names: str) -> None:
        """Toggle settings, by the names of their fields."""
        self.do("settings")
        for name in names:
            self.one(f'.settings [name="{name}"]').click()
        self.one('.settings [type="submit"]').click()
        waited(lambda: not self.one(".settings").is_displayed())

    def set_position(self, fen: str) -> None:
        """Start a game from a position with the dialog."""
        self.do("position")
        self.fill('.position [name="fen"]', fen)
        self.one(".position [data-start]").click()
        waited(lambda: self.position.fen() == fen, fen)
        self.wait_shown()

    def press_keys(self, *names: str) -> None:
        """Press keys, given as letters or by selenium's names."""
        from selenium.webdriver.common.keys import Keys

        self.actions().send_keys(*(getattr(Keys, name, name) for name in names)).perform()

    # ---------------------------------------------------------------- the board

    def number(self, name: str) -> int:
        """Return the number of the square with a name."""
        return self.position.geometry.parse_square(name)

    def label(self, name: str) -> str:
        """Return the text of a square for screen readers."""
        return str(self.square(self.number(name)).get_attribute("aria-label"))

    def play_text(self, text: str) -> None:
        self.play(self.position.parse_move(text))

    def square(self, number: int) -> Any:
        return self.one(f'[data-square="{number}"]')

    def click(self, *squares: int) -> None:
        actions = self.actions()
        for square in squares:
            actions.click(self.square(square))
        actions.perform()

    def drag(self, origin: int, target: int) -> None:
        self.drag_to(self.square(origin), target)

    def drag_to(self, what: Any, target: int) -> None:
        actions = self.actions().click_and_hold(what).move_by_offset(9, 0)
        actions.move_to_element(self.square(target)).release().perform()

    def play(self, move: Move, dragged: bool = False) -> None:
        """Play a move as a user does, and wait until the server has received it."""
        live = self.live
        before = len(live.game.moves)
        self._enter(live.game.position, move, dragged)
        waited(lambda: len(live.game.moves) > before, f"{live.game.position.move_text(move)} was not played")

    def _enter(self, position: Position, move: Move, dragged: bool) -> None:
        if not is_path(move):
            if kind_of(move) == PLACE_DUX or dragged and position.hand:
                letter = "D" if kind_of(move) == PLACE_DUX else "S"
                self.drag_to(self.one(f'[data-man="{letter}"]'), square_of(move))
            else:
                self.click(square_of(move))
            return
        path = path_of(move)
        if dragged:
            for origin, target in pairwise(path):
                self.drag(origin, target)
        else:
            self.click(*path)
        longer = any(is_path(other) and path_of(other)[:len(path)] == path and len(path_of(other)) > len(path)
                     for other in position.legal_moves())
        if longer:
            self.click(path[-1])

    def tap(self, *squares: int) -> None:
        """Tap squares, as on a phone."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.actions.pointer_input import PointerInput

        actions = ActionChains(self.driver, duration=0, devices=[PointerInput("touch", "finger")])
        for square in squares:
            actions.click(self.square(square))
        actions.perform()

    def show_as(self, width: int, height: int, scheme: str) -> None:
        """Set the size of the window in pixels, and the colour scheme ``light`` or ``dark``."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 1000})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def whites_share_is_near(self) -> bool:
        """Return whether White's part of the evaluation bar is the lower one."""
        return bool(self.driver.execute_script(
            "const bar = document.querySelector('.evaluation').getBoundingClientRect();"
            "const part = document.querySelector('.evaluation div').getBoundingClientRect();"
            "return bar.bottom - part.bottom < part.top - bar.top"))

    def pieces_shown(self) -> dict[int, str]:
        """Return the drawn pieces by square."""
        found = self.driver.execute_script(
            "return [...document.querySelectorAll('.stage .board-men use')]"
            ".map((use) => [use.dataset.on, use.getAttribute('href')])")
        return {int(square): href.removeprefix("#man-") for square, href in found}

    def pieces_standing(self) -> dict[int, str]:
        return self.pieces_of(self.position)

    @staticmethod
    def pieces_of(position: Position) -> dict[int, str]:
        return {square: piece for square in range(position.geometry.squares) if (piece := position.piece_at(square))}

    def wait_for_pieces(self, pieces: dict[int, str]) -> None:
        waited(lambda: self.pieces_shown() == pieces, "other pieces are drawn")

    def plies_shown(self) -> int:
        return int(self.driver.execute_script("return document.querySelectorAll('.moves [data-ply]').length"))

    def is_settled(self) -> bool:
        """Return whether the page shows the current state, and a human is to move or the game is over."""
        live = self.live
        with live.lock:
            if live.thinking:
                return False
            plies, over = len(live.game.moves), live.outcome is not None
        shown = self.driver.execute_script(
            "return [document.querySelectorAll('.moves [data-ply]').length,"
            " document.querySelector('.status').textContent, document.querySelector('.board desc')?.textContent,"
            " document.querySelector('.board title')?.textContent]")
        position = live.game.position
        return bool(shown[0] == plies and shown[2] == position.fen() and shown[3].startswith(position.ruleset.title)
                    and over == any(word in shown[1] for word in ("wins: ", "win: ", "lose: ", "Draw: ")))

    def wait_shown(self) -> None:
        waited(self.is_settled, "the page does not show the game")
