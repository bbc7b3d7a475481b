"""The page that shows a match, and the report of one, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from browser import Tab, pieces_of, waited
from latrones_uci.commands.main import main
from latrones_uci.game import Game, Termination, draw_board
from latrones_uci.game.position import algebraic_text
from latrones_uci.match.events import GameFinished
from latrones_uci.match.standings import Standings
from latrones_uci.records.plan import Format
from latrones_uci.stats import Sprt
from latrones_uci.text.clock import now_ns
from latrones_uci.web.match.report import render_report
from match_records import MS, NAMES, SETTINGS, START, played_record, record
from report_data import SHOWN, hostile_match, match_games
from watched import add_games, live_games, turn, watching, write_match

pytestmark = pytest.mark.gui

GAME = played_record(1).game
MARKUP = "<img src=x onerror=alert(1)>"
ENGINES = (replace(SETTINGS.engines[0], name=f"A {MARKUP}"), SETTINGS.engines[1])
MATCH = replace(SETTINGS, games=40, sprt=Sprt(0, 50), engines=ENGINES)


@pytest.fixture
def page(driver: Any) -> Iterator[Tab]:
    """The tab; markup of engines must never become an element."""
    tab = Tab(driver)
    yield tab
    assert tab.count("img") == 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "match.db"


def men_after(plies: int) -> int:
    game = Game(START)
    for ply in GAME.plies[:plies]:
        game.push(ply.text)
    return len(pieces_of(game.position))


def wait_for_men(page: Tab, within: str, plies: int) -> None:
    waited(lambda: page.count(f"{within} .board-men use") == men_after(plies), f"not the position after {plies} plies")


def test_running_games_standings_and_the_test(page: Tab, path: Path) -> None:
    write_match(path, [record(number, 0) for number in range(1, 9)], MATCH)
    live = live_games(*((number, GAME.plies[:3]) for number in range(21, 24)), (24, None))
    with watching(path, live) as server:
        page.driver.get(server.url)
        tile = '.tile[data-game="21"]'
        wait_for_men(page, tile, 3)
        assert page.texts(".tile a") == [f"Game {number}" for number in range(21, 25)]
        assert (page.text(f"{tile} .near .who"), page.text(f"{tile} .far .who")) == (f"A {MARKUP}", "B")
        assert "depth 3" in page.text(f"{tile} .last")
        assert page.text('.tile[data-game="24"] .last') == "starting"
        waited(lambda: page.text(".test figcaption").startswith("LLR ") and page.count(".test .chart polyline"))
        assert page.count(".standings .bar") == 2
        assert page.text(".progress span").startswith("8 games \u00b7 ")
        assert page.text(".link") == "running"
        # The clock of the player to move runs, and a move stops it.
        live.report(21, turn(GAME.plies[:3], now_ns(), (None, 300_000 * MS)))
        waited(lambda: page.text(f"{tile} .far .clock") == "4:58")
        live.report(21, turn(GAME.plies[:4], now_ns(), (None, 250_000 * MS)))
        waited(lambda: page.text(f"{tile} .far .clock") == "4:10")
        wait_for_men(page, tile, 4)
        # A game that starts takes the place of one that is over.
        live(GameFinished(played_record(22), Standings(NAMES), None))
        add_games(path, played_record(22))
        waited(lambda: page.text(".progress span").startswith("9 games") and page.count(".tile") == 3)
        waited(lambda: page.text(".list tbody tr td") == "22")
    waited(lambda: page.text(".alarm").startswith("This page is no longer served.") and page.shows(".alarm"))
    assert page.count("img") == 0
    page.driver.get("about:blank")
    page.driver.get_log("browser")  # discards the errors of the failed requests


def test_the_page_says_when_too_many_browsers_show_it(page: Tab, path: Path) -> None:
    write_match(path, [record(1, 0)], MATCH)
    with watching(path) as server, ExitStack() as others:
        for number in range(16):
            others.enter_context(urlopen(f"{server.url}events?stream=other{number}&tables=match"))
        page.driver.get(server.url)
        waited(lambda: page.shows(".alarm") and page.text(".alarm") == (
            "This page is open in 16 browsers, the most at a time; close it in one of them."))
        others.close()
        waited(lambda: not page.shows(".alarm") and page.text(".progress span").startswith("1 game"))
        page.driver.get("about:blank")
    page.driver.get_log("browser")  # discards the errors of the refused requests


def test_the_rounds_of_a_tournament_and_games_not_paired_yet(page: Tab, path: Path) -> None:
    games = [record(number, 0) for number in range(1, 8)]
    write_match(path, [replace(game, fixture=replace(game.fixture, round=0)) for game in games],
                replace(MATCH, format=Format.SWISS, sprt=None))
    with watching(path) as server:
        page.driver.get(server.url)
        waited(lambda: page.count(".rounds tbody tr") == 2)
        assert page.text(".rounds summary") == "Swiss table"
        assert page.texts(".rounds tbody tr:first-child > *") == ["1", f"A {MARKUP}", "4", "3", "4 v2"]
        assert "round 1 of 1" in page.text(".progress")
        assert page.text(".unpaired").startswith("1 game is not paired yet: it counts in points and W-D-L")
        assert "50.0%" in page.run("document.querySelector('.standings tbody tr').innerText")


@pytest.mark.slow
def test_games_are_replayed_with_the_keyboard(page: Tab, path: Path) -> None:
    write_match(path, [played_record(2), record(3, 1, Termination.CRASH, details=f"Black: {MARKUP}")], MATCH)
    live, plies = live_games((5, GAME.plies[:6])), len(GAME.plies)
    with watching(path, live) as server:
        page.driver.get(server.url)
        waited(lambda: page.count(".list a") == 2)
        for _ in range(40):
            page.press_keys("TAB")
            if page.run("document.activeElement.matches('.list a[href=\"#game=2\"]')"):
                break
        page.press_keys("ENTER")
        waited(lambda: page.count(".moves [data-ply]") == plies)
        wait_for_men(page, ".replay", 0)
        assert page.text(".heading").startswith("Game 2: ")
        assert page.text(".now") == "Start"
        page.press_keys("ARROW_RIGHT", "ARROW_RIGHT", "ARROW_RIGHT")
        waited(lambda: page.run("location.hash") == "#game=2&ply=3")
        wait_for_men(page, ".replay", 3)
        page.press_keys("END")
        wait_for_men(page, ".replay", plies)
        assert page.count(".moves [aria-current]") == 1
        page.press_keys("f")
        waited(lambda: page.count(".evaluation.flipped"))
        page.driver.refresh()  # the address has the game and the ply
        wait_for_men(page, ".replay", plies)
        page.press_keys("ESCAPE")
        waited(lambda: page.shows(".tiles"))
        page.one('.tile a[href="#game=5"]').click()  # a running game is followed
        waited(lambda: page.count(".moves [data-ply]") == 6)
        live.report(5, turn(GAME.plies[:9]))
        waited(lambda: page.count(".moves [data-ply]") == 9)
        wait_for_men(page, ".replay", 9)
        page.driver.get(f"{server.url}#game=3")
        waited(lambda: page.text(".ending").endswith(f"Black: {MARKUP}"))


@pytest.mark.slow
def test_the_page_fits_its_window(page: Tab, path: Path) -> None:
    write_match(path, [played_record(number) for number in range(1, 9)], MATCH)
    live = live_games(*((number, GAME.plies[:3]) for number in range(21, 37)))
    with watching(path, live) as server:
        page.driver.get(server.url)
        waited(lambda: page.count(".tile .board-men use") >= 16 * men_after(3))
        grounds = set()
        for width, height in ((390, 844), (844, 390), (820, 1180), (1366, 900)):
            for scheme in ("light", "dark"):
                page.show_as(width, height, scheme)
                grounds.add(page.run("getComputedStyle(document.body).backgroundColor"))
            for address in ("", "#game=2"):
                page.run("(location.hash = arguments[0])", address)
                waited(lambda shown=bool(address): page.run(
                    "!document.querySelector('main.replay').hidden && !!document.querySelector("
                    "'main.replay .board svg')") == shown)
                assert page.run("document.documentElement.scrollWidth") <= width
            board, bar = page.box(".replay .board svg"), page.box(".replay .evaluation")
            assert max(board.bottom, page.box(".replay .near").bottom) <= height, "the board of a game is not whole"
            if width < 860 and height > 560:  # as on the page of the board: one column, with the bar below
                assert width > 390 or board.right - board.left >= 386
                assert 0 <= bar.top - board.bottom < 8
            else:
                assert 0 <= bar.left - board.right < 8
                assert abs(bar.bottom - board.bottom) < 8
        assert len(grounds) == 2


# ---------------------------------------------------------------- the report


def test_the_standings_of_a_report_fit_at_1366(page: Tab, path: Path) -> None:
    report = path.with_name("report.html")
    names = ("latrones-uci 0.2.0 with three threads", "latrones-uci 0.1.0 with one thread")
    engines = tuple(replace(engine, name=name) for engine, name in zip(SETTINGS.engines, names, strict=True))
    write_match(path, [played_record(number) for number in range(1, 9)], replace(MATCH, engines=engines))
    assert main(["report", str(path), "--output", str(report)]) == 0
    page.show_as(1366, 900)
    page.driver.get(report.as_uri())
    assert set(page.run("[...document.querySelectorAll('.scroll')].map((box) => box.scrollWidth - box.clientWidth)")
               ) == {0}


GROUP = re.compile(r'<g class="board-(marks|men|hands|turn)">(.*?)</g>', re.DOTALL)
ELEMENT = re.compile(r"<(use|path|text)([^>]*)>([^<]*)")
ATTRIBUTE = re.compile(r'(href|x|y|d|transform)="([^"]*)"')


def drawn(svg: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the changing elements of a board, with the attributes that place them, by group."""
    return {
        name: sorted((tag, *sorted((key, value.replace("L", " ") if key == "d" else value)
                                   for key, value in ATTRIBUTE.findall(attributes)), text)
                     for tag, attributes, text in ELEMENT.findall(body))
        for name, body in GROUP.findall(svg)
    }


@pytest.mark.parametrize(("game", "ply"), [(1, 22), (4, 9)])
def test_an_address_opens_a_replay_at_a_ply(page: Tab, path: Path, game: int, ply: int) -> None:
    """The script of the report runs under its policy, and draws the positions of the game."""
    report = path.with_name("report.html")
    report.write_text(render_report(hostile_match()), encoding="utf-8")
    page.driver.get(f"{report.as_uri()}#game={game}&ply={ply}")
    played = match_games()[game - 1]
    before, after, move = played.positions[ply - 1], played.positions[ply], played.moves[ply - 1]
    expected = draw_board(after, last_move=move, captured=before.captures(move), standalone=False)
    assert drawn(page.run("document.querySelector('.board svg').outerHTML")) == drawn(
        expected.replace("&#215;", "\u00d7"))
    note = algebraic_text(before, after, move)
    assert page.text(".now").startswith(f"{before.movenumber}. {('White', 'Black')[before.side]} {note} \u00b7 ")
    assert page.count("tr[data-game]") == 7
    assert re.match(rf"Game {game}(, round [\d.]+)?: {played.start.ruleset.name} ", page.text("h3.heading"))
    assert f"one {SHOWN}" in page.texts("b")
