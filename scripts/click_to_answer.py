#!/usr/bin/env python3
"""Measure the page in a browser: its first paint, its board, a move on the largest board, an engine's answer.

    python3 scripts/click_to_answer.py [--moves 30] [--movetime-ms 100]

It prints, in milliseconds: from the request of the page to the first paint and to the board with its pieces; from the
click that completes a move of two humans on 16x16 until the page shows it as confirmed by the server; and from that
click against an engine until its answer is shown. Also the requests and bytes of a load, and the bytes of a move.

Needs chromium, chromedriver and selenium. The clicks are native browser events. Both times of a move are taken by the
clock of the page: the release of the pointer, and the first frame after the answer is drawn.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import threading
import time

from selenium import webdriver
from selenium.webdriver import ActionChains

from latrones_uci.commands.gui import gui_config
from latrones_uci.game.encoding import path_of
from latrones_uci.web.board.registry import GameRegistry
from latrones_uci.web.board.server import Server

WATCH = """
window.released = 0; window.answers = [];
document.addEventListener("pointerup", () => { window.released = performance.now(); }, true);
let shown = 0;
new MutationObserver(() => {
  const plies = document.querySelectorAll(".moves [data-ply]").length;
  if (plies > shown && plies % EVERY === 0) {
    const released = window.released;
    requestAnimationFrame(() => window.answers.push(performance.now() - released));
  }
  shown = plies;
}).observe(document.querySelector(".moves"), {childList: true});
"""

WATCH_BOARD = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".stage .board-men use")) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.boardShown = performance.now(); });
}).observe(document, {childList: true, subtree: true});
"""
LOADED = """
const paints = performance.getEntriesByName("first-contentful-paint");
if (!window.boardShown || !paints.length) return null;
const found = performance.getEntriesByType("resource").filter(({name}) => !name.includes("/events?"));
const [page] = performance.getEntriesByType("navigation");
return [paints[0].startTime, window.boardShown, found.length + 1,
        found.reduce((sum, {transferSize}) => sum + transferSize, page.transferSize)];
"""
PEOPLE = [{"kind": "person"}, {"kind": "person"}]


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
        loads = measure_loads(driver, server)
        paints, boards = ([load[at] for load in loads] for at in (0, 1))
        print(f"{len(loads)} loads, {loads[0][2]:.0f} requests, {loads[0][3] / 1000:.0f} kB;"
              f" first paint in ms: {summary(paints)}; board: {summary(boards)}")
        times = measure(driver, server, options.moves, "16x16", PEOPLE)
        print(f"{len(times)} moves on 16x16, {bytes_of_move(server)} bytes each after 40 plies;"
              f" click to confirmed move in ms: {summary(times)}")
        engine = {"kind": "engine", "limit": "time", "movetime_ms": options.movetime_ms}
        times = measure(driver, server, options.moves, "8x8", [PEOPLE[0], engine])
        print(f"{len(times)} moves at {options.movetime_ms} ms; click to answer in ms: {summary(times)}")
    finally:
        driver.quit()
        server.close()


def summary(times: list[float]) -> str:
    ordered = sorted(times)
    return (f"p50 {statistics.median(times):.0f}, min {ordered[0]:.0f}, p90 {ordered[int(0.9 * len(ordered))]:.0f},"
            f" max {ordered[-1]:.0f}")


def measure_loads(driver: webdriver.Chrome, server: Server, loads: int = 12) -> list[list[float]]:
    """Load the page as a new tab would; return first paint, board, requests and bytes of each load but the first."""
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH_BOARD})
    found = []
    for _ in range(loads):
        driver.get(server.url)
        found.append(wait(lambda: driver.execute_script(LOADED)))
        driver.execute_script("sessionStorage.clear()")
    return found[1:]


def bytes_of_move(server: Server) -> int:
    """Return the bytes that the event stream carries for the 41st ply of a game on 16x16."""
    live = server.registry.create({"variant": "latrones", "size": "16x16", "fen": "", "players": PEOPLE})
    stream = server.registry.broadcaster.open("bytes", 16)
    assert stream is not None
    chance = random.Random(0)
    server.registry.follow("bytes", [live.name])
    blocks = stream.blocks()
    next(blocks)
    size = 0
    while len(live.plies) <= 40:
        move = chance.choice(live.game.legal_moves())
        live.move(live.game.position.move_text(move), len(live.plies))
        size = len(next(blocks))
    stream.close()
    return size


def measure(driver: webdriver.Chrome, server: Server, moves: int, size: str, players: list[dict[str, object]]
            ) -> list[float]:  # fmt: skip
    """Make and take back first moves of latrones; return the milliseconds until the answer, or the move, is shown."""
    driver.get(server.url)
    name = wait(lambda: driver.execute_script("return sessionStorage.getItem('latrones-table')"))
    table = server.registry.find(name)
    game = {"variant": "latrones", "size": size, "fen": "", "players": players}
    server.commands.handle({"do": "restart", "table": name, "game": game})
    files = int(size.split("x")[0])
    wait(lambda: len(driver.find_elements("css selector", ".stage .square")) == files * files)
    wait(lambda: driver.find_elements("css selector", ".square.movable"))
    driver.execute_script(WATCH.replace("EVERY", "1" if players == PEOPLE else "2"))
    legal = table.game.legal_moves()

    def answers() -> list[float]:
        return [float(ms) for ms in driver.execute_script("return window.answers")]

    while (number := len(answers())) <= moves:
        actions = ActionChains(driver, duration=0)
        for square in path_of(legal[number % len(legal)]):
            actions.click(driver.find_element("css selector", f'.stage [data-square="{square}"]'))
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
