#!/usr/bin/env python3
"""Measure in a browser the time from the click that completes a move until the page shows the engine's answer.

    python3 scripts/click_to_answer.py [--moves 30] [--movetime-ms 100]

Needs chromium, chromedriver and selenium. The clicks are native browser events. Both times are taken by the clock of
the page: the release of the pointer, and the first frame after the answer is drawn.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import threading
import time

from selenium import webdriver
from selenium.webdriver import ActionChains

from latrones_uci.commands.gui import gui_config
from latrones_uci.game.encoding import path_of
from latrones_uci.gui.registry import GameRegistry
from latrones_uci.gui.server import Server

WATCH = """
window.released = 0; window.answers = [];
document.addEventListener("pointerup", () => { window.released = performance.now(); }, true);
let shown = 0;
new MutationObserver(() => {
  const plies = document.querySelectorAll(".moves [data-ply]").length;
  if (plies > shown && plies % 2 === 0) {
    const released = window.released;
    requestAnimationFrame(() => window.answers.push(performance.now() - released));
  }
  shown = plies;
}).observe(document.querySelector(".moves"), {childList: true});
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=30, help="number of measured moves (default: 30)")
    parser.add_argument("--movetime-ms", type=int, default=100,
                        help="thinking time of the engine in milliseconds (default: 100)")  # fmt: skip
    options = parser.parse_args()
    server = Server(GameRegistry(gui_config([])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000"):
        settings.add_argument(argument)
    driver = webdriver.Chrome(options=settings, service=webdriver.ChromeService(shutil.which("chromedriver") or ""))
    try:
        times = measure(driver, server, options.moves, options.movetime_ms)
    finally:
        driver.quit()
        server.close()
    ordered = sorted(times)
    p90 = ordered[int(0.9 * len(ordered))]
    print(f"{len(times)} moves at {options.movetime_ms} ms; click to answer in ms: p50 {statistics.median(times):.0f},"
          f" min {ordered[0]:.0f}, p90 {p90:.0f}, max {ordered[-1]:.0f}")


def measure(driver: webdriver.Chrome, server: Server, moves: int, movetime_ms: int) -> list[float]:
    """Make and take back first moves of latrones against the engine; return the milliseconds of each."""
    driver.get(server.url)
    name = wait(lambda: driver.execute_script("return sessionStorage.getItem('latrones-table')"))
    table = server.registry.find(name)
    server.commands.handle({"do": "restart", "table": name, "game": {"variant": "latrones", "players": [
        {"kind": "person"}, {"kind": "engine", "limit": "time", "movetime_ms": movetime_ms}]}})
    wait(lambda: driver.find_elements("css selector", ".square.movable"))
    driver.execute_script(WATCH)
    legal = table.game.legal_moves()

    def answers() -> list[float]:
        return [float(ms) for ms in driver.execute_script("return window.answers")]

    while (number := len(answers())) <= moves:
        actions = ActionChains(driver, duration=0)
        for square in path_of(legal[number % len(legal)]):
            actions.click(driver.find_element("css selector", f'[data-square="{square}"]'))
        actions.perform()
        wait(lambda known=number: len(answers()) > known)
        server.commands.handle({"do": "undo", "table": name})
        wait(lambda: not driver.find_elements("css selector", ".moves [data-ply]"))
    return answers()[1:]  # the first one includes the start of the engine


def wait(condition):  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + 20
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise SystemExit("timeout: the page does not respond")
        time.sleep(0.01)
    return value


if __name__ == "__main__":
    main()
