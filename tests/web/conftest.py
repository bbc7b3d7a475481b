from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from browser import OpenPage, Page, start_browser
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.web.board.game_store import GameStore
from latrones_uci.web.board.registry import GameRegistry
from serving import NewGame, fake_engine, fakes, serving, starting_games


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    driver = start_browser()
    yield driver
    driver.quit()


@pytest.fixture
def driver(browser: Any) -> Iterator[Any]:
    """The browser with a single empty tab; afterwards its console must contain no errors."""
    browser.get_log("browser")
    yield browser
    errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    first, *others = browser.window_handles
    for other in others:
        browser.switch_to.window(other)
        browser.close()
    browser.switch_to.window(first)
    browser.get("about:blank")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert errors == []


@pytest.fixture
def open_page(driver: Any) -> Iterator[OpenPage]:
    """A function that opens the page of a server with engines, without any with that of this project."""
    with ExitStack() as stack:

        def open_page(*engines: EngineSettings, **options: Any) -> Page:
            page = Page(driver, stack.enter_context(serving(engines, **options)))
            page.open()
            return page

        yield open_page
        driver.get("about:blank")  # ends the requests for pictures before the server


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    page = open_page(fake_engine())
    page.new_game("latrones", "8x8")
    return page


@pytest.fixture
def new_game() -> Iterator[NewGame]:
    """A function that starts games without a page; see ``starting_games``."""
    with starting_games() as new_game:
        yield new_game


@pytest.fixture
def games(tmp_path: Path) -> Iterator[GameRegistry]:
    registry = GameRegistry(fakes(), store=GameStore(tmp_path / "games.db"))
    yield registry
    registry.close()
