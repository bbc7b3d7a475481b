from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from browser import start_browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
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
    assert errors == []
