"""Variations, annotated files, threats, and what can be copied and saved, in a real browser."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from browser import Page, waited
from latrones_uci.match.pgn_read import read_games
from serving import fake_engine, serving

pytestmark = pytest.mark.gui

PEOPLE = ({}, {})
MOVES = ("a1a3", "a8a6", "b1b3", "b8b6")


def played(driver: Any, server: Any) -> Page:
    page = Page(driver, server)
    page.open()
    page.new_game("latrones", "8x8", PEOPLE)
    for text in MOVES:
        page.play_text(text)
        page.wait_shown()
    return page


def play_beside(page: Page, origin: str, target: str) -> None:
    """Play a move in an earlier position or a variation."""
    lines = page.texts(".moves [data-node]")
    waited(lambda: ", can move" in page.label(origin), origin)
    page.click(page.number(origin), page.number(target))
    waited(lambda: page.texts(".moves [data-node]") != lines, f"{origin}{target}")


def current(page: Page) -> str:
    return " ".join(page.texts(".moves [aria-current]"))


def hover(page: Page, selector: str) -> None:
    page.actions().move_to_element(page.one(selector)).perform()


def test_moves_off_the_line_start_a_variation(driver: Any, tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        page = played(driver, server)
        page.do("back")
        page.do("back")
        play_beside(page, "c1", "c3")
        play_beside(page, "c8", "c4")
        assert current(page) == "c8-c4"
        assert [str(move) for move in page.live.game.moves] == list(MOVES)  # the game is as it was
        page.do("back")
        play_beside(page, "h8", "h6")
        waited(lambda: page.texts(".branches .line") == ["2.c1-c3 c8-c4 (2\u2026h8-h6)"])
        page.do("promote")
        waited(lambda: page.texts(".branches .line") == ["2.c1-c3 h8-h6 (2\u2026c8-c4)"])
        page.do("leave")
        waited(lambda: current(page) == "a8-a6")
        page.one(".moves [data-node]").click()
        waited(lambda: current(page) == "c1-c3")
        driver.execute_script("document.activeElement.blur()")
        page.press_keys("ARROW_RIGHT")
        waited(lambda: current(page) == "h8-h6")
        page.press_keys("ARROW_DOWN")  # to the other reply
        waited(lambda: current(page) == "c8-c4")
        page.press_keys("ARROW_LEFT", "ARROW_UP")  # to the move of the game in its place
        waited(lambda: current(page) == "b1-b3")
        page.press_keys("ARROW_DOWN")
        waited(lambda: current(page) == "c1-c3")
        after = page.live.game.up_to(2)
        after.play("c1c3")
        page.wait_for_pieces(page.pieces_of(after.position))
        text = "".join(page.server.registry.export_games([page.live.record]))
        assert "(2. c1c3 h8h6 (2... c8c4))" in " ".join(text.split())
        driver.refresh()
        waited(lambda: page.texts(".branches .line") == ["2.c1-c3 h8-h6 (2\u2026c8-c4)"])
        page.one(".moves [data-node]").click()
        waited(lambda: current(page) == "c1-c3")
        page.do("prune")
        waited(lambda: page.texts(".branches .line") == [])
        waited(lambda: current(page) == "a8-a6")
        assert not page.one(".branch").is_displayed()


def test_a_game_against_an_engine_is_not_changed(driver: Any) -> None:
    with serving([fake_engine()]) as server:
        page = Page(driver, server)
        page.open()
        page.new_game("latrones", "8x8", ({}, {"player": "0", "limit": "depth", "depth": "1"}))
        page.play_text("a1a3")
        waited(lambda: len(page.live.plies) == 2)
        page.wait_shown()
        before = [str(move) for move in page.live.game.moves]
        page.do("first")
        play_beside(page, "b1", "b3")
        play_beside(page, "h8", "h6")  # for the engine's side
        assert [str(move) for move in page.live.game.moves] == before
        page.do("last")
        page.wait_shown()
        waited(lambda: page.all(".square.movable"))
        page.play_text("b1b3")
        waited(lambda: len(page.live.plies) == 4)


def test_an_annotated_file_is_shown_as_it_is(driver: Any, tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        page = Page(driver, server)
        page.open()
        text = (f'[Event "Test"]\n[White "Anna"]\n[Black "Bela"]\n[Result "*"]\n[Variant "latrones"]\n'
                f'[FEN "{page.position.fen()}"]\n\n1. a1a3 $4 {{+3.50/6 0.101s; best b1b3 pv b1b3}} a8a6 '
                "{-0.10/6 0.100s; best a8a6; a word <b>} (1... b8b6 $6 {or this}) 2. b1b3 *\n")
        wholly = text.replace("; a word <b>", "").replace("2. b1b3", "2. b1b3 {+0.10/3 0.100s; best b1b3}")
        records = [server.registry.import_games(each)[0][0] for each in (text, wholly)]
        for record in records:
            page.do("games")
            waited(lambda: page.all(".games li"))
            page.one(f'.games li[data-record="{record}"] .open').click()
            waited(lambda record=record: page.live.record == record)
            waited(lambda: page.texts(".moves .sign") == [" ??", " ?!"])
            assert page.texts(".branches .line") == ["1\u2026b8-b6 ?! or this"]
            if record == records[0]:
                page.do("back")
                waited(lambda: page.text(".remarks") == "a word <b>")
                assert not page.one(".review").is_displayed()
        waited(lambda: page.all(".review .graph"))
        assert page.texts(".review p")[1].startswith("Black 100%")
        page.do("first")
        page.do("forward")
        waited(lambda: "Blunder (+0.10): loses 3.4 soldiers. Best was b1-b3." in page.text(".review .verdict"))
        assert page.text(".evaluation span") == "+0.10"  # the same figure in the bar and beside the move
        assert page.one(".evaluation").get_attribute("title") == "+0.10 (review)"
        assert page.one('.moves [data-ply="1"]').get_attribute("title") == "a1-a3 (a1a3) \u00b7 +0.10"


def test_threats_chances_and_lines(driver: Any) -> None:
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

    with serving() as server:
        page = played(driver, server)
        page.do("analyse")
        waited(lambda: len(page.all(".lines li")) == 3 and "hash" in page.text(".depth"))
        waited(lambda: "nodes" in page.text(".depth"))
        chances = page.text(".chances p")
        assert chances.startswith("White wins ")
        assert sum(int(word.rstrip("%,")) for word in chances.split() if "%" in word) == 100
        page.do("threat")
        waited(lambda: page.live.analysis.get("threat") and page.all(".arrow.threat"))
        first = page.live.analysis["lines"][0]["moves"][0]
        passed = page.position.passed()
        assert passed is not None
        assert passed.parse_move(first)
        page.do("analyse")  # off, and on again without the threat
        page.do("analyse")
        waited(lambda: page.live.analysis.get("threat") is False and page.all(".arrow.best"))
        page.do("back")
        hover(page, ".lines")  # the lines of this position stay, once they have replaced those of the last one
        before = page.live.game.positions[3]
        moves = {before.move_text(move) for move in before.legal_moves()}
        step = '.lines [data-line="0"] [data-step="0"]'

        def clicked() -> str | None:
            """Click on the first move of the best line; return None if the page has just replaced it."""
            try:
                button = page.one(step)
                title = str(button.get_attribute("title").split(";")[0])
                if title in moves:
                    button.click()
                    return title
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            return None

        title = waited(clicked)  # adds it as a variation, unless it is what was played
        waited(lambda: title in str(page.texts(".moves [aria-current]"))
               or page.one(".moves [aria-current]").get_attribute("title").find(f"({title})") > 0)
        waited(lambda: page.live.analysis.get("ply") == 4)
        assert [str(move) for move in page.live.game.moves] == list(MOVES)


def test_what_can_be_copied_and_saved(driver: Any, tmp_path: Path) -> None:
    with serving([fake_engine()], games=tmp_path / "games.db") as server:
        driver.execute_cdp_cmd("Browser.grantPermissions", {
            "origin": server.url.rsplit("/", 2)[0], "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
        page = played(driver, server)
        page.do("back")
        page.do("share")
        waited(lambda: page.one('.share [name="pgn"]').get_attribute("value"))
        for name in ("fen", "pgn"):
            page.one(f'.share [data-copy="{name}"]').click()
            waited(lambda name=name: page.text(".share .told") == f"{name.upper()} copied to the clipboard.")
            text = driver.execute_async_script(
                "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(String(error)))")
            if name == "fen":
                assert text == page.live.game.positions[3].fen()
            else:
                game, = read_games(text.splitlines())
                assert [move.text for move in game.moves] == list(MOVES)
        page.one('.share [data-do="close"]').click()
        page.new_game("rota", "", PEOPLE)
        page.play(page.position.legal_moves()[0])
        page.do("games")
        waited(lambda: len(page.all(".games li")) == 2)
        assert page.text('[data-do="export"]') == "Save all 2 as PGN"
        page.all(".games .tick")[1].click()
        assert page.text('[data-do="export"]') == "Save 1 chosen as PGN"
        page.do("export")
        path = tmp_path / "games.pgn"
        waited(path.exists)
        waited(lambda: [game.tags["Variant"] for game in read_games(path.read_text().splitlines())] == ["latrones"])


def test_many_games_are_imported_found_and_deleted(driver: Any, tmp_path: Path) -> None:
    """The list has pages; a search narrows it; what is deleted is what was found, after a question with the number."""
    game = """[Event "Cup"]\n[White "P{}"]\n[Black "Anna"]\n[Result "*"]\n[Variant "rota"]\n\n1. @b2 *\n"""
    path = tmp_path / "many.pgn"
    path.write_text("\n".join(map(game.format, range(120))) + game.replace("@b2", "@zz"))
    with serving(games=tmp_path / "games.db") as server:
        page = Page(driver, server)
        page.open()
        page.do("games")
        page.one('.games [name="pgn"]').send_keys(str(path))
        waited(lambda: "120 games imported, 1 not: line 966: " in page.text(".games .error"), "not imported")
        assert page.text(".games .count") == "120 games"
        page.do("page-on")
        waited(lambda: page.text(".games .pages span") == "Page 2 of 3")
        page.one('.games [name="search"]').send_keys("p11 anna")
        waited(lambda: page.text(".games .count") == "11 games found")
        assert len(page.all(".games li")) == 11
        page.do("delete-games")
        assert page.text('[data-do="delete-games"]') == "Really delete 11 games?"
        page.do("delete-games")
        waited(lambda: "No game found" in page.text(".games .none"))
        assert len(server.registry.kept.records()) == 109


def test_a_game_that_is_not_saved_is_a_banner_until_it_is(driver: Any, tmp_path: Path) -> None:
    with serving(games=tmp_path / "games.db") as server:
        server.registry.kept._wait_s = 0.01
        page = played(driver, server)
        blocker = sqlite3.connect(tmp_path / "games.db")
        blocker.execute("BEGIN IMMEDIATE")
        page.do("resign")
        page.do("resign")
        waited(lambda: page.one(".unsaved").is_displayed())
        assert "database is locked" in page.text(".unsaved")
        driver.refresh()
        waited(lambda: page.one(".unsaved").is_displayed())
        blocker.close()
        waited(lambda: not page.one(".unsaved").is_displayed())
        assert server.registry.kept.games()[0].result != "*"
