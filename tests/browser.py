"""The page in a real browser, driven like a user does: by pointer and keys, never by calling its script."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import pytest

import serving
from latrones_uci.game import Move, Position
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


class Box(NamedTuple):
    """The edges of an element in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def contains(self, other: Box) -> bool:
        return (other.left >= self.left - 1 and other.top >= self.top - 1 and other.right <= self.right + 1
                and other.bottom <= self.bottom + 1)


class Tab:
    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(f"return {script}", *arguments)

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return str(self.run("document.querySelector(arguments[0])?.textContent ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        return list(self.run("[...document.querySelectorAll(arguments[0])].map((node) => node.textContent)", selector))

    def count(self, selector: str) -> int:
        return int(self.run("document.querySelectorAll(arguments[0]).length", selector))

    def shows(self, selector: str) -> bool:
        return bool(self.one(selector).is_displayed())

    def box(self, selector: str) -> Box:
        return Box(*self.run("(({left, top, right, bottom}) => [left, top, right, bottom])"
                             "(document.querySelector(arguments[0]).getBoundingClientRect())", selector))

    def actions(self) -> Any:
        from selenium.webdriver import ActionChains

        return ActionChains(self.driver, duration=0)

    def press_keys(self, *names: str) -> None:
        """Press keys, given as letters or by selenium's names."""
        from selenium.webdriver.common.keys import Keys

        self.actions().send_keys(*(getattr(Keys, name, name) for name in names)).perform()

    def show_as(self, width: int, height: int, scheme: str = "light") -> None:
        """Set the size of the window in pixels, and the colour scheme ``light`` or ``dark``."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 1000})
        self.emulate("prefers-color-scheme", scheme)

    def emulate(self, feature: str, value: str) -> None:
        """Set a media feature of CSS."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": feature, "value": value}]})


class Page(Tab):
    def __init__(self, driver: Any, server: Server) -> None:
        super().__init__(driver)
        self.server = server

    def open(self) -> None:
        self.driver.get(self.server.url)
        waited(lambda: self.all(".board .square"), "no board")

    @property
    def live(self) -> LiveGame:
        return self.server.registry.find(waited(lambda: self.run("sessionStorage.getItem('latrones-table')")))

    @property
    def position(self) -> Position:
        return self.live.game.position

    def do(self, *names: str) -> None:
        """Click buttons, by the names of what they do."""
        for name in names:
            self.one(f'[data-do="{name}"]').click()

    def resign(self) -> None:
        self.do("resign")
        self.confirm_resignation()

    def confirm_resignation(self) -> None:
        def over() -> bool:
            if self.text('main [data-do="resign"]') == "Really resign?":  # the second press came too late to confirm
                self.do("resign")
            return self.live.outcome is not None

        self.do("resign")
        waited(over, "not resigned")
        self.wait_shown()

    def reload(self) -> None:
        self.driver.refresh()
        waited(lambda: self.all(".board .square"))

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
                 settled: bool = True) -> None:
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
        self.run("(document.querySelector('.menu .advanced').open = true)")

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
        self.do("settings")
        for name in names:
            self.one(f'.settings [name="{name}"]').click()
        self.one('.settings [type="submit"]').click()
        waited(lambda: not self.shows(".settings"))

    def set_position(self, fen: str) -> None:
        """Start a game from a position with the dialog."""
        self.do("position")
        self.fill('.position [name="fen"]', fen)
        self.one(".position [data-start]").click()
        waited(lambda: self.position.fen() == fen, fen)
        self.wait_shown()

    # ---------------------------------------------------------------- the board

    def number(self, name: str) -> int:
        return self.position.geometry.parse_square(name)

    def square(self, where: int | str) -> Any:
        return self.one(f'[data-square="{where if isinstance(where, int) else self.number(where)}"]')

    def label(self, name: str) -> str:
        return str(self.square(name).get_attribute("aria-label"))

    def click(self, *squares: int | str) -> None:
        actions = self.actions()
        for square in squares:
            actions.click(self.square(square))
        actions.perform()

    def drag(self, origin: Any, target: int | str) -> None:
        dragged = self.square(origin) if isinstance(origin, int | str) else origin
        actions = self.actions().click_and_hold(dragged).move_by_offset(9, 0)
        actions.move_to_element(self.square(target)).release().perform()

    def play(self, *texts: str) -> None:
        """Play moves as a user does; wait after each until the page shows it, and the answer of an engine."""
        for text in texts:
            self.enter(self.position.parse_move(text))
            self.wait_shown()

    def enter(self, move: Move, dragged: bool = False) -> None:
        """Enter a move, and wait until the server has received it."""
        live = self.live
        before, position = len(live.game.moves), live.game.position
        path = move.squares
        if len(path) > 1:
            if dragged:
                for origin, target in pairwise(path):
                    self.drag(origin, target)
            else:
                self.click(*path)
            if any(other.squares[:len(path)] == path and len(other.squares) > len(path)
                   for other in position.legal_moves()):
                self.click(path[-1])  # does not go on
        elif move[0] == "D" or dragged and position.hand:
            self.drag(self.one(f'[data-man="{move[0]}"]'), *path)
        else:
            self.click(*path)
        waited(lambda: len(live.game.moves) > before, f"{move} was not played")

    def pieces_shown(self) -> dict[int, str]:
        found = self.run("[...document.querySelectorAll('.stage .board-men use')]"
                         ".map((use) => [use.dataset.on, use.getAttribute('href')])")
        return {int(square): href.removeprefix("#man-") for square, href in found}

    def wait_for_pieces(self, position: Position | None = None) -> None:
        """Wait until the pieces of a position, by default the current one, are drawn."""
        standing = pieces_of(position or self.position)
        waited(lambda: self.pieces_shown() == standing, "other pieces are drawn")

    def is_settled(self) -> bool:
        """Return whether the page shows the current state, and a human is to move or the game is over."""
        live = self.live
        with live.lock:
            if live.thinking:
                return False
            plies, over, position = len(live.game.moves), live.outcome is not None, live.game.position
        plies_shown, status, fen, title = self.run(
            "[document.querySelectorAll('.moves [data-ply]').length, ...['.status', '.board desc', '.board title']"
            ".map((selector) => document.querySelector(selector)?.textContent)]")
        return bool(plies_shown == plies and fen == position.fen() and title.startswith(position.ruleset.title)
                    and over == any(word in status for word in ("wins: ", "win: ", "lose: ", "Draw: ")))

    def wait_shown(self) -> None:
        waited(self.is_settled, "the page does not show the game")


OpenPage = Callable[..., Page]


def squares_of(move: Move, position: Position) -> list[int]:
    """Return the squares to press for a move; the last one twice if a chain could go on."""
    squares = list(move.squares)
    goes_on = any(other.startswith(move) and other != move for other in position.legal_moves())
    return [*squares, squares[-1]] if goes_on else squares


def pieces_of(position: Position) -> dict[int, str]:
    return {square: piece for square in range(position.geometry.squares) if (piece := position.piece_at(square))}
