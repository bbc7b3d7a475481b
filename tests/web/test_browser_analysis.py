"""Variations, annotated files, analysis, and games that are kept, copied and saved, in a real browser."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from browser import OpenPage, Page, pieces_of, waited
from latrones_uci.records.pgn_read import read_games
from latrones_uci.web.board.state import render_game_pgn
from serving import fake_engine

pytestmark = pytest.mark.gui

MOVES = ("a1a3", "a8a6", "b1b3", "b8b6")


def played(page: Page) -> Page:
    page.new_game("latrones", "8x8")
    page.play(*MOVES)
    return page


@pytest.fixture
def kept_page(open_page: OpenPage, tmp_path: Path) -> Page:
    return open_page(fake_engine(), games=tmp_path / "games.db")


def play_beside(page: Page, origin: str, target: str) -> None:
    """Play a move in an earlier position or a variation."""
    lines = page.texts(".moves [data-node]")
    waited(lambda: ", can move" in page.label(origin), origin)
    page.click(origin, target)
    waited(lambda: page.texts(".moves [data-node]") != lines, f"{origin}{target}")


def wait_for(page: Page, current: str) -> None:
    waited(lambda: " ".join(page.texts(".moves [aria-current]")) == current, current)


@pytest.mark.slow
def test_moves_off_the_line_start_a_variation(kept_page: Page) -> None:
    page = played(kept_page)
    page.do("back", "back")
    play_beside(page, "c1", "c3")
    play_beside(page, "c8", "c4")
    wait_for(page, "c8-c4")
    assert [str(move) for move in page.live.game.moves] == list(MOVES)  # the game is as it was
    page.do("back")
    play_beside(page, "h8", "h6")
    waited(lambda: page.texts(".branches .line") == ["2.c1-c3 c8-c4 (2\u2026h8-h6)"])
    page.do("promote")
    waited(lambda: page.texts(".branches .line") == ["2.c1-c3 h8-h6 (2\u2026c8-c4)"])
    page.do("leave")
    wait_for(page, "a8-a6")
    page.one(".moves [data-node]").click()
    wait_for(page, "c1-c3")
    page.run("document.activeElement.blur()")
    page.press_keys("ARROW_RIGHT")
    wait_for(page, "h8-h6")
    page.press_keys("ARROW_DOWN")  # to the other reply
    wait_for(page, "c8-c4")
    page.press_keys("ARROW_LEFT", "ARROW_UP")  # to the move of the game in its place
    wait_for(page, "b1-b3")
    page.press_keys("ARROW_DOWN")
    wait_for(page, "c1-c3")
    after = page.live.game.up_to(2)
    after.push("c1c3")
    page.wait_for_pieces(after.position)
    page.reload()
    waited(lambda: page.texts(".branches .line") == ["2.c1-c3 h8-h6 (2\u2026c8-c4)"])
    page.one(".moves [data-node]").click()
    wait_for(page, "c1-c3")
    page.do("prune")
    waited(lambda: page.texts(".branches .line") == [])
    wait_for(page, "a8-a6")
    assert not page.shows(".branch")


@pytest.mark.slow
def test_an_annotated_file_is_shown_as_it_is(kept_page: Page) -> None:
    page = kept_page
    text = (f'[Event "Test"]\n[White "Anna"]\n[Black "Bela"]\n[Result "*"]\n[Variant "latrones"]\n'
            f'[FEN "{page.position.fen()}"]\n\n1. a1a3 $4 {{+3.50/6 0.101s; best b1b3 pv b1b3}} a8a6 '
            "{-0.10/6 0.100s; best a8a6; a word <b>} ({see} 1... b8b6 $6 {or this}) 2. b1b3 *\n")
    wholly = text.replace("; a word <b>", "").replace("2. b1b3", "2. b1b3 {+0.10/3 0.100s; best b1b3}")
    records = [page.server.registry.import_games(each).games[0].record for each in (text, wholly)]
    for record in records:
        page.do("games")
        waited(lambda: page.all(".games li"))
        page.one(f'.games li[data-record="{record}"] .open').click()
        waited(lambda record=record: page.live.record == record)
        waited(lambda: page.texts(".moves .sign") == [" ??", " ?!"])
        assert page.texts(".branches .line") == ["see 1\u2026b8-b6 ?! or this"]
        if record == records[0]:
            page.do("back")
            waited(lambda: page.text(".remarks") == "a word <b>")
            assert not page.shows(".review")
    waited(lambda: page.all(".review .graph"))
    assert page.texts(".review p")[1].startswith("Black 100%")
    page.do("first", "forward")
    waited(lambda: "Blunder (+0.10 soldiers): loses 3.4 soldiers. Best was b1-b3." in page.text(".verdict"))
    assert page.text(".evaluation span") == "+0.10"  # the same figure in the bar and beside the move
    assert page.one(".evaluation").get_attribute("title") == "+0.10 soldiers (review)"
    page.do("analyse")  # whose score would be another one
    waited(lambda: page.text(".verdict").startswith("Blunder: loses 3.4 soldiers"))
    page.do("analyse")
    waited(lambda: page.text(".verdict").startswith("Blunder (+0.10 soldiers)"))
    assert page.one('.moves [data-ply="1"]').get_attribute("title") == "a1-a3 (a1a3) \u00b7 +0.10 soldiers"


@pytest.mark.slow
def test_a_note_is_written_drawn_and_kept(kept_page: Page) -> None:
    page = played(kept_page)
    page.do("back")
    page.do("comment")
    waited(lambda: page.shows("form.note"))
    page.press_keys("N", "o", " ", "c")  # typed into the comment; the key c opens nothing
    page.fill('.note [name="marks"]', "Ga1a2 b3 z9")
    assert page.count(".arrow.drawn") == 2
    page.one('.note [type="submit"]').click()
    waited(lambda: page.text(".note .error").startswith("mark 'z9': expected a square"))
    page.fill('.note [name="marks"]', "Ga1a2 b3")
    page.choose('.note [name="sign"]', "?!")
    page.one('.note [type="submit"]').click()
    waited(lambda: page.text(".remarks") == "No c (marked: a1 to a2, b3)")
    assert not page.shows("form.note")
    waited(lambda: page.count(".arrow.drawn.G") == 1 and page.count(".arrow.drawn.Y") == 1)
    waited(lambda: page.texts(".moves .sign") == [" ?!"])
    page.do("last")
    waited(lambda: page.count(".arrow.drawn") == 0)
    page.run("document.activeElement.blur()")
    page.press_keys("c")
    waited(lambda: page.shows("form.note") and page.run("document.activeElement.name === 'comment'"))
    page.press_keys("E", "n", "d")
    page.do("first")  # the note is saved when another position is displayed
    waited(lambda: page.live.variations.notes[3].comment == "End")
    waited(lambda: page.run("document.querySelector('.note [name=comment]').value") == "")
    page.one('.note [name="comment"]').click()
    page.press_keys("ESCAPE")
    waited(lambda: not page.shows("form.note"))
    page.do("last")
    waited(lambda: page.run("location.hash.split('/').length") == 2)  # the address names no ply
    page.reload()
    page.do("back")
    waited(lambda: page.text(".remarks").startswith("No c "))
    assert "[%cal Ga1a2][%csl Yb3] No c}" in " ".join(render_game_pgn(page.live, page.server.registry.config).split())


@pytest.mark.slow
def test_analysis_follows_the_displayed_position(open_page: OpenPage) -> None:
    page = played(open_page())
    page.choose("[data-lines]", "4")
    page.do("analyse")
    waited(lambda: page.count(".lines li") == 4 and "hash" in page.text(".depth") and "nodes" in page.text(".depth"))
    chances = page.text(".chances p")
    assert chances.startswith("White wins ")
    assert sum(int(word.rstrip("%,")) for word in chances.split() if "%" in word) == 100
    step = '.lines [data-line="0"] [data-step="{}"]'

    def previews() -> bool:  # a line may just be replaced when the pointer comes; then it stays while it is previewed
        page.actions().move_to_element(page.one(step.format(1))).perform()
        titles = page.run("[0, 1].map((step) => document.querySelector(arguments[0].replace('{}', step))?.title)", step)
        after = page.live.game.copy()
        for title in titles if all(titles) else ():
            after.push(title.split(";")[0])
        return all(titles) and page.pieces_shown() == pieces_of(after.position)

    waited(previews, "the line is not drawn")
    page.actions().move_to_element(page.one(".near")).perform()
    page.wait_for_pieces()
    page.do("threat")
    waited(lambda: page.live.analysis.get("threat") and page.all(".arrow.threat"))
    passed = page.position.passed()
    assert passed is not None
    assert passed.parse_move(page.live.analysis["lines"][0]["moves"][0])
    page.do("analyse", "analyse")  # off, and on again without the threat
    waited(lambda: page.live.analysis.get("threat") is False and page.all(".arrow.best"))
    page.do("first")
    waited(lambda: page.live.analysis.get("ply") == 0 and page.live.analysis["lines"])
    assert page.live.game.start.parse_move(page.live.analysis["lines"][0]["moves"][0])
    page.actions().move_to_element(page.one(".lines")).perform()  # the lines stay
    starting = {str(move) for move in page.live.game.start.legal_moves()}

    def clicked() -> str | None:
        button = page.one(step.format(0))
        title = str(button.get_attribute("title").split(";")[0])
        if title not in starting:  # a line of the last position, which is replaced soon
            return None
        button.click()
        return title

    title = waited(clicked)  # adds it as a variation, unless it is what was played
    waited(lambda: f"({title})" in str(page.one(".moves [aria-current]").get_attribute("title")))
    waited(lambda: page.live.analysis.get("ply") == 1)
    assert [str(move) for move in page.live.game.moves] == list(MOVES)
    page.do("analyse")
    waited(lambda: not page.all(".lines li"))


@pytest.mark.slow
def test_the_bar_and_the_lines_show_the_scores_of_white(open_page: OpenPage) -> None:
    page = open_page()
    page.new_game("latrones", "8x8")

    def white_is_near() -> bool:
        bar, part = page.box(".evaluation"), page.box(".evaluation div")
        return bar.bottom - part.bottom < part.top - bar.top

    for board, sign in (("3d4/sss4s/8/8/8/8/SSSSSS2/3D4", "+"), ("3d4/ssssss2/8/8/8/8/SSS4S/3D4", "\u2212")):
        for side in "wb":
            page.set_position(f"{board} {side} 0 1")
            waited(lambda: page.one('[data-do="analyse"]').get_attribute("aria-pressed") == "false")
            page.do("analyse")
            waited(lambda sign=sign: page.text(".evaluation span").startswith(sign))
            assert all(score.startswith(sign) for score in page.texts(".lines b"))
            assert (float(page.one(".evaluation").get_attribute("aria-valuenow")) > 50) == (sign == "+")
            for _ in range(2):
                waited(lambda: white_is_near() == (page.text(".near .who") == "Human White"))
                page.do("flip")


@pytest.mark.slow
def test_endings_with_few_men_are_exact(open_page: OpenPage) -> None:
    """By the tables in the package; without them, both sides have chances in the second position."""
    page = open_page()
    page.new_game("latrones", "8x8")
    for fen, chances, score in (
        ("8/8/8/2S5/8/D7/d7/s7 w 0 1", "White wins 100%, draw 0%, Black wins 0%", "White wins in 3"),
        ("8/3s4/3d4/8/8/3D4/4S3/8 w 0 1", "White wins 0%, draw 100%, Black wins 0%", "0.00"),
    ):
        page.set_position(fen)
        waited(lambda: page.one('[data-do="analyse"]').get_attribute("aria-pressed") == "false")
        page.do("analyse")
        waited(lambda chances=chances: page.text(".chances p") == chances)
        assert page.texts(".lines b")[0] == score


@pytest.mark.slow
def test_the_explorer_shows_and_plays_the_moves_of_other_games(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "mine.pgn"
    head = '[Variant "latrones"]\n[Result "{0}"]\n[Termination "resignation"]\n\n{1} {0}\n\n'
    path.write_text("".join(head.format(*each) for each in (
        ("1-0", "1. a1a3 a8a6"), ("0-1", "1. a1a3 b8b6"), ("*", "1. b1b3"))))
    page = open_page(fake_engine(), games=tmp_path / "games.db", files=[path])
    page.new_game("latrones", "8x8")
    page.press_keys("o")
    waited(lambda: page.shows(".openings"))
    waited(lambda: page.text(".openings .none") == "No game has come to this position.")
    page.choose('.openings [name="source"]', "1")

    def rows() -> list[list[str]]:
        found = page.texts(".openings tbody td")
        return [row for at in range(0, len(found), 5) if not (row := found[at:at + 5])[0].endswith(" book")]

    waited(lambda: rows() == [["a1-a3", "2", "", "50%", "\u22120.05"], ["b1-b3", "1", "", "\u2013", "\u22120.05"]])
    assert page.text(".openings .told") == "3 games"
    assert page.one(".openings .bar").get_attribute("aria-label") == "White 1, draws 0, Black 1"
    page.one('.openings [data-move="a1a3"]').click()  # a variation: the game goes on by moves on the board
    waited(lambda: [row[:4] for row in rows()] == [["a8-a6", "1", "", "0%"], ["b8-b6", "1", "", "100%"]])
    assert page.live.game.moves == ()
    waited(lambda: page.texts(".branches .line") == ["1.a1-a3"])
    page.do("leave")
    page.play("a1a3")
    waited(lambda: [row[0] for row in rows()] == ["a8-a6", "b8-b6"])
    page.run("document.activeElement.blur()")
    page.press_keys("o")
    waited(lambda: not page.shows(".openings"))


# ---------------------------------------------------------------- kept games


@pytest.mark.slow
def test_games_are_kept_opened_renamed_copied_saved_and_deleted(kept_page: Page, tmp_path: Path) -> None:
    driver, page = kept_page.driver, kept_page
    driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": page.server.url.rsplit("/", 2)[0],
                           "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    played(page)
    first = page.live.record
    page.do("back", "share")
    waited(lambda: page.one('.share [name="pgn"]').get_attribute("value"))
    copied = []
    for name in ("fen", "pgn"):
        page.one(f'.share [data-copy="{name}"]').click()
        waited(lambda name=name: page.text(".share .told") == f"{name.upper()} copied to the clipboard.")
        copied.append(page.run("navigator.clipboard.readText()"))
    assert copied[0] == page.live.game.positions[3].fen()
    game, = read_games(copied[1].splitlines())
    assert [move.text for move in game.moves] == list(MOVES)
    page.one('.share [data-do="close"]').click()
    page.new_game("rota", "")  # does not discard the game
    page.play("S@b2")
    page.do("draw")
    assert page.text('[data-do="draw"]') == "Accept draw"
    page.do("draw")
    waited(lambda: page.text(".status") == "Draw: agreed (\u00bd\u2011\u00bd)")
    page.do("games")
    waited(lambda: page.count(".games li") == 2)
    assert page.text('[data-do="export"]') == "Save all 2 as PGN"
    page.all(".games .tick")[1].click()
    assert page.text('[data-do="export"]') == "Save 1 chosen as PGN"
    page.do("export")
    path = tmp_path / "games.pgn"
    waited(path.exists)
    waited(lambda: [game.tags["Variant"] for game in read_games(path.read_text().splitlines())] == ["latrones"])
    page.one(f'.games li[data-record="{first}"] .open').click()
    waited(lambda: page.live.record == first)
    page.wait_shown()
    assert len(page.texts(".moves [data-ply]")) == len(MOVES)
    page.do("games")
    other = waited(lambda: page.all(f'.games li:not([data-record="{first}"])'))[0]
    other.find_element("xpath", './/button[text()="Rename"]').click()
    other.find_element("css selector", "input").send_keys("Three <b>")
    other.find_element("css selector", "form button").click()
    waited(lambda: "Three <b>" in page.text(".games .list"))
    page.one('.games [data-do="close"]').click()
    page.do("games")
    delete = '.games li:not([aria-current]) [aria-label^="Delete"]'
    waited(lambda: page.all(delete))[0].click()
    page.one(delete).click()
    waited(lambda: page.count(".games li") == 1)


@pytest.mark.slow
def test_the_score_against_each_level_leads_to_its_games(kept_page: Page) -> None:
    page = kept_page
    page.new_game("latrones", "8x8", ({}, {"player": "0", "limit": "depth", "depth": "1"}))
    for _ in range(2):
        page.play("a1a3")
        page.resign()
        page.do("rematch")
        waited(lambda: not page.live.plies)
        page.wait_shown()
    page.new_game("latrones", "8x8")
    page.play("a1a3")
    page.do("games")
    waited(lambda: page.count(".games li") == 3)
    page.one(".statistics summary").click()
    waited(lambda: page.texts(".statistics tbody td") == ["Latrones", "Fake", "2", "0", "0", "2", "0%"])
    page.one(".statistics tbody button").click()
    waited(lambda: page.count(".games li") == 2 and page.text(".games .count") == "2 games found")
    page.fill('.games [name="search"]', "draw")
    waited(lambda: page.text(".statistics p") == "No finished game against an engine found.")


@pytest.mark.slow
def test_many_games_are_imported_found_and_deleted(kept_page: Page, tmp_path: Path) -> None:
    """The list has pages; a search narrows it; what is deleted is what was found, after a question with the number."""
    game = """[Event "Cup"]\n[White "P{}"]\n[Black "Anna"]\n[Result "*"]\n[Variant "rota"]\n\n1. @b2 *\n"""
    path, page = tmp_path / "many.pgn", kept_page
    path.write_text("\n".join(map(game.format, range(120))) + game.replace("@b2", "@zz"))
    page.do("games")
    page.one('.games [name="pgn"]').send_keys(str(path))
    waited(lambda: "120 games imported, 1 not: game 121, line 966: " in page.text(".games .error"), "not imported")
    assert page.text(".games .count") == "120 games"
    page.do("page-on")
    waited(lambda: page.text(".games .pages span") == "Page 2 of 3")
    page.one('.games [name="search"]').send_keys("p11 anna")
    waited(lambda: page.text(".games .count") == "11 games found")
    assert page.count(".games li") == 11
    page.do("delete-games")
    assert page.text('[data-do="delete-games"]') == "Really delete 11 games?"
    page.do("delete-games")
    waited(lambda: "No game found" in page.text(".games .none"))
    assert len(page.server.registry.kept.records()) == 109
    path.write_text(path.read_text() + "\n" + game.format("x {a long file} " * 20000))  # sent in parts
    page.one('.games [name="pgn"]').send_keys(str(path))
    waited(lambda: "12 games imported, 109 games already here, 1 not: game 121" in page.text(".games .error"))


def test_a_game_that_is_not_saved_is_a_banner_until_it_is(kept_page: Page, tmp_path: Path) -> None:
    page = played(kept_page)
    page.server.registry.kept._wait_s = 0.01
    blocker = sqlite3.connect(tmp_path / "games.db")
    blocker.execute("BEGIN IMMEDIATE")
    page.do("resign", "resign")
    waited(lambda: page.shows(".unsaved"))
    assert "database is locked" in page.text(".unsaved")
    page.reload()
    waited(lambda: page.shows(".unsaved"))
    blocker.close()
    waited(lambda: not page.shows(".unsaved"))
    assert page.server.registry.kept.games()[0].result != "*"
