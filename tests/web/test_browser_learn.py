"""A person who has never seen the games, in a real browser: rules, try-outs, levels, reasons, hints, reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser import OpenPage, Page, pieces_of, squares_of, waited
from cases import VARIANTS
from latrones_uci.game import find_variant
from latrones_uci.records.annotation import render_analysis
from latrones_uci.web.rules.rule_page import aim_of, lessons_of
from records.test_fortress import GAME, SCORES, TOLD, reviewed
from serving import fake_engine

pytestmark = pytest.mark.gui

WINNING = "3ds3/3S4/2S5/8/8/8/s7/4D3 w 0 1"


def open_rules(page: Page, variant: str) -> None:
    """Open the rules of a game from the dialog for a new game, as a newcomer does."""
    page.do("menu")
    page.one(f'.menu .card[data-name="{variant}"]').click()
    page.one('.menu [data-do="rules-of"]').click()
    count = len(lessons_of(find_variant(variant)))
    waited(lambda: page.count(".rules figure svg.latrones-board") == count)


# The others show the same lessons.
@pytest.mark.parametrize("variant", [
    pytest.param(variant, marks=() if variant in ("latrones", "schaedler") else pytest.mark.slow)
    for variant in VARIANTS
])
def test_every_lesson_can_be_tried(open_page: OpenPage, variant: str) -> None:
    page = open_page(fake_engine())
    open_rules(page, variant)
    for lesson in lessons_of(find_variant(variant)):
        figure = f'.rules figure[data-lesson="{lesson.key}"] '
        page.one(f"{figure}[data-try]").click()
        waited(lambda figure=figure, task=lesson.task: page.text(f"{figure}.task") == task)
        for square in squares_of(lesson.move, lesson.position):
            page.one(f'{figure}[data-square="{square}"]').click()
        waited(lambda figure=figure: page.text(f"{figure}.told").startswith("Right: "), lesson.key)
        men = page.run("[...document.querySelectorAll(arguments[0])].map((use) => use.getAttribute('href').slice(5))"
                       ".sort()", f"{figure}.board-men use")
        assert men == sorted(pieces_of(lesson.after).values())


@pytest.mark.slow
def test_impossible_presses_are_explained(page: Page) -> None:
    for squares, reason in (
        (["e1"], "The white soldier on e1 is blocked: there is no square that it can go to."),
        (["a8"], "It is White's turn, and the black soldier on a8 is Black's."),
        (["a1", "b3"], "A soldier moves along a rank or file, and b3 is on neither."),
    ):
        page.click(*squares)
        waited(lambda reason=reason: page.text(".advice") == reason, reason)
    page.click("a1")
    waited(lambda: page.text(".advice") == "")  # choosing a piece removes it
    page.drag("a1", "c4")
    waited(lambda: "c4 is on neither" in page.text(".advice"))
    page.drag("e1", "e4")
    waited(lambda: "e1 is blocked" in page.text(".advice"))
    page.play("a1a3")
    assert page.text(".advice") == ""
    page.do("back")
    page.click("e1")  # in an earlier position
    waited(lambda: page.text(".advice").startswith("The white soldier on e1 is blocked"))
    page.do("rules")
    figure = '.rules figure[data-lesson="custodian-line"] '
    waited(lambda: page.all(f"{figure}[data-show]"))
    assert page.texts(".rules .sections small")[:3] == ["[source]", "[ours]", "[source]"]
    assert page.texts(".rules .sections .quiet")[-1].startswith("Marks: [source] the source has it; ")
    page.one(f"{figure}[data-show]").click()
    waited(lambda: page.all(f"{figure}.arrow"))
    assert page.text(f"{figure}.told") == "e2-e3xc3xd3."
    page.one(f"{figure}[data-try]").click()
    task = page.text(f"{figure}.task")
    assert page.text(f"{figure}[data-try]") == "Try it"  # nothing has been tried
    for target, told in ((19, "A soldier moves along a rank or file, and b4 is on neither."),
                         (4, "That move is legal, but not what is asked for.")):
        for square in (10, target):  # from e2
            page.one(f'{figure}[data-square="{square}"]').click()
        waited(lambda told=told: page.text(f"{figure}.told") == told, told)
    assert page.text(f"{figure}.task") == task  # which stays
    assert page.text(f"{figure}[data-try]") == "Again"
    page.press_keys("ESCAPE")
    waited(lambda: not page.shows(".rules"))


def test_the_ending_is_shown_and_said(page: Page) -> None:
    page.set_position(WINNING)
    page.play("c6c8")
    assert page.text(".status") == "White wins: the black dux is captured (1\u20110)"
    assert page.count(".decisive") == 4  # the dux and what stood on its three neighbours
    assert page.label("d8") == "d8, empty, decides the game"
    assert page.text(".evaluation span") == "1\u20110"
    assert page.one(".evaluation").get_attribute("aria-valuenow") == "100"
    assert not page.shows('[data-do="resign"]')
    page.do("swap")
    waited(lambda: page.live.outcome is None and not page.live.plies)
    page.wait_shown()
    assert page.position.fen() == WINNING  # the same start


@pytest.mark.slow
def test_a_newcomer_plays_a_level(open_page: OpenPage, tmp_path: Path) -> None:
    """The page is opened, the rules are read, a game against Tiro is played with a clock, reviewed and repeated."""
    page = open_page(games=tmp_path / "games.db")
    open_rules(page, "latrones")
    assert page.text(".rules .aim") == aim_of(find_variant("latrones"))
    page.one('.rules [data-do="close"]').click()
    waited(lambda: "Elo" in page.texts('.menu [name="level"] option')[0])
    levels = page.texts('.menu [name="level"] option')
    assert [level.split(",")[0] for level in levels] == [
        "Tiro", "Miles", "Decanus", "Optio", "Centurio", "Tribunus", "Legatus", "Imperator", "Full strength"]
    ratings = [int(level.split()[1]) for level in levels[:-1]]
    assert ratings == sorted(ratings)
    page.choose('.menu [name="level"]', "0")
    for field in ('[name="colour"][value="black"]', '[name="time"][value="5+3"]'):
        page.one(f".menu {field}").find_element("xpath", "..").click()
    page.one(".menu [data-start]").click()
    waited(lambda: len(page.live.plies) == 1)
    white, black = page.live.settings.players
    assert (white.kind, white.level, white.limit, black.kind) == ("engine", 0, "clock", "person")
    assert black.clock.pgn_tag() == "300+3"
    page.wait_shown()
    assert page.text(".near .who") == "Human Black"
    assert page.text(".far .who") == f"latrones-uci White, Tiro ({ratings[0]})"
    assert not page.shows(".evaluation")  # hidden while playing
    page.set_up("evaluation")
    waited(lambda: page.shows(".evaluation"))
    page.play(str(page.position.legal_moves()[0]))
    page.do("draw")
    waited(lambda: page.text(".advice") == "latrones-uci declines: it is too early for a draw.")
    page.do("hint")
    waited(lambda: page.text(".advice").startswith("Hint: ") and page.live.hint is not None)
    assert page.all(".arrow.hint")
    page.resign()
    assert page.text(".status") == "You lose: you resigned (1\u20110)"
    page.do("review")
    waited(lambda: page.all(".review .graph"))
    assert page.text(".review p:nth-of-type(1)").startswith("White ")
    assert "% accuracy" in page.text(".review p:nth-of-type(2)")
    page.actions().move_to_element_with_offset(page.one(".graph"), -170, 0).click().perform()
    page.wait_for_pieces(page.live.game.start)
    page.do("rematch")
    waited(lambda: page.live.outcome is None and page.live.settings.players[0].level == 0)
    page.wait_shown()
    assert page.live.settings.players[0].limit == "clock"


@pytest.mark.slow
def test_a_name_is_shown_kept_and_used_in_the_next_game(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(fake_engine(), games=tmp_path / "games.db")
    assert page.text(".near .who") == "Human White"
    page.do("settings")
    page.fill('.settings [name="name"]', "Anna <b>")
    page.one('.settings [type="submit"]').click()
    waited(lambda: page.text(".near .who") == "Anna <b> White")
    assert page.driver.title == "Your move \u00b7 Latrones"
    page.play("a1a3")
    page.resign()
    assert page.text(".status").startswith("You lose: ")
    assert page.driver.title == "You lose \u00b7 Latrones"
    page.do("rematch")
    waited(lambda: not page.live.plies)
    page.wait_shown()
    page.reload()
    waited(lambda: page.text(".near .who") == "Anna <b> White")
    page.do("menu")
    page.one(".menu [data-start]").click()
    waited(lambda: not page.shows(".menu"))
    waited(lambda: page.text(".near .who") == "Anna <b> White")
    page.do("games")
    waited(lambda: page.text(".games li b").startswith("Anna <b> \u2013 "))


@pytest.mark.slow
def test_hints(open_page: OpenPage) -> None:
    page = open_page(fake_engine())
    page.new_game("latrones")
    page.do("hint")
    hint = waited(lambda: page.text(".advice") if page.text(".advice").startswith("Hint: ") else "")
    page.click("e1")
    waited(lambda: "is blocked" in page.text(".advice"))
    for _ in range(2):  # a second search may have the same result, and another message may have replaced it
        page.do("hint")
        waited(lambda: page.text(".advice") == hint)
    page.play("a1a3")
    page.do("back", "hint")  # is for the current position, which is shown
    waited(lambda: page.text(".advice").startswith("Hint: ") and page.all(".arrow.hint"))
    assert page.text(".moves [aria-current]") == "a1-a3"
    page = open_page(fake_engine("illegal"))
    page.new_game("latrones")
    page.do("hint")
    waited(lambda: "no legal move" in page.text(".notices"))
    waited(lambda: page.text(".advice") == "")  # the page does not wait for it forever


@pytest.mark.slow
def test_a_game_is_played_on_from_a_mistake_and_left_again(open_page: OpenPage) -> None:
    page = open_page()
    page.new_game("latrones", "8x8")
    page.set_position(WINNING)
    page.play("e1e2", "a2a3")  # the first misses a win
    page.resign()
    page.do("review")
    waited(lambda: page.all(".review .graph"))
    without = page.box(".record").top
    page.one('.moves [data-ply="1"]').click()
    waited(lambda: page.shows("[data-retry]"))
    assert page.box(".record").top == without  # nothing moves
    page.show_as(390, 844)
    page.run("scrollTo(0, 0)")
    bottoms = [page.box(selector).bottom for selector in (".board svg", ".graph", ".verdict", ".steps")]
    assert bottoms == sorted(bottoms)  # visible together
    assert bottoms[2] < bottoms[3] - 50
    page.show_as(1280, 1000)
    reviewed = page.live.record
    assert page.text("[data-retry]") == "Play on from here (new game)"
    page.one("[data-retry]").click()
    waited(lambda: page.live.record != reviewed)
    page.wait_shown()
    assert page.position.fen() == WINNING
    assert [player.kind for player in page.live.settings.players] == ["person", "engine"]
    assert page.text(".origin span") == "From move 1 of Human \u2013 Human."
    page.play("e1e2")
    assert len(page.live.plies) == 2  # the engine answers
    assert page.text(".origin span").startswith("From move 1 of Human \u2013 Human. The same move again: loses ")
    page.do("undo")
    waited(lambda: not page.live.plies)
    page.wait_shown()
    page.play("c6c8")
    assert page.text(".status") == "You win: the black dux is captured (1\u20110)"
    assert page.text(".origin span").endswith(" That is the best move.")
    page.do("origin")
    waited(lambda: page.live.record == reviewed and page.text(".moves [aria-current]").startswith("De1-e2"))
    assert not page.shows(".origin")
    assert page.all(".review .graph")


@pytest.mark.slow
def test_a_better_move_is_found_in_the_review(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(fake_engine(), games=tmp_path / "games.db")
    missed = "{[%eval 1.20,5] best c6c8 +M1/6 0.150s n=9 pv c6c8}"
    replied = "{[%eval #1,5] best a2a3 -1.20/6 0.150s n=9 pv a2a3 c6c8}"
    page.server.registry.import_games(
        f'[Variant "latrones"]\n[FEN "{WINNING}"]\n[Result "1-0"]\n\n1. e1e2 $4 {missed} a2a3 {replied} '
        f"2. e2e3 $4 {missed} a3a4 {replied.replace('a2a3', 'a3a4')} 1-0\n")
    page.do("games")
    waited(lambda: page.all(".games li"))
    page.one(".games li .open").click()
    waited(lambda: page.text('[data-do="learn"]') == "Learn from 2 mistakes")
    page.one('.moves [data-ply="1"]').click()
    waited(lambda: "Best was c6-c8xDd8#: it captures the black dux." in page.text(".verdict"))
    page.do("analyse", "explore")  # neither of them shows the answer, or keeps the verdict from coming
    waited(lambda: page.live.analysis["wanted"] == 3)
    page.do("learn")
    waited(lambda: page.text(".learn .task b") == "Mistake 1 of 2:")
    assert page.live.analysis["wanted"] == 0
    assert page.text(".learn .task span").startswith("move 1, De1-e2+??: loses a forced win")
    assert "c6-c8" not in page.text(".learn")  # the answer
    page.wait_for_pieces(page.live.game.start)
    assert page.run("document.activeElement.closest('.board') !== null")
    page.do("analyse")
    waited(lambda: page.one('[data-do="analyse"]').get_attribute("aria-pressed") == "true")
    waited(lambda: ", can move" in page.label("e1"))
    page.click("e1", "e3")
    waited(lambda: page.text(".learn .told").startswith("De1-e3+ loses a forced win"))
    waited(lambda: page.text(".branches .line").startswith("1.De1-e3+ ??"))  # a variation with a sign
    assert page.one(".evaluation").get_attribute("title") == "\u22120.05 soldiers (verdict)"
    page.do("try-again")
    waited(lambda: page.text(".learn .told") == "Your move on the board.")
    page.do("best")
    best = "it captures the black dux."
    waited(lambda: page.all(".arrow.best") and page.text(".learn .told") == f"Best was c6-c8xDd8#: {best}")
    assert page.text('[data-do="best"]') == "Add line"
    page.do("best")
    waited(lambda: page.texts(".branches .line")[-1] == "1.c6-c8xDd8#")
    waited(lambda: page.text(".learn .told") == "Try again leads back to the task.")
    page.do("next-mistake")
    waited(lambda: page.text(".learn .task b") == "Mistake 2 of 2:")
    assert not page.all(".arrow.best")
    page.wait_for_pieces(page.live.game.positions[2])
    waited(lambda: ", can move" in page.label("c6"))
    page.run("document.querySelector('[data-square=\"42\"]').focus()")
    page.press_keys("ENTER", "ARROW_UP", "ARROW_UP", "ENTER")  # c6 to c8
    waited(lambda: page.text(".learn .told") == f"c6-c8xDd8# is the best move: {best} You found 1 of 2.")
    assert not page.one('[data-do="next-mistake"]').is_enabled()
    page.do("stop-learning")
    waited(lambda: page.shows('[data-do="learn"]'))
    assert not page.shows(".learn .task")


def test_a_forced_pass_is_said(open_page: OpenPage) -> None:
    page = open_page(fake_engine())
    page.do("menu")
    page.one(".menu .more summary").click()
    page.one('.menu .card[data-name="ludii-seega-6x6"]').click()
    page.choose('.menu [name="opponent"]', "person")
    page.open_advanced()
    page.fill('.menu [name="fen"]', "4sS/5s/6/3s2/s5/Ss4[-] w 0 20")
    page.one(".menu [data-start]").click()
    waited(lambda: page.text(".advice") == "White has no legal move and passes.")
    waited(lambda: page.text(".announce") == "20. White has no legal move and passes: pass")
    page.play("b1c1")  # makes room for White
    assert page.text(".advice") == ""


def test_a_review_tells_of_a_fortress(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(fake_engine(), games=tmp_path / "games.db")
    tags = {"Event": "Test", "Result": "1/2-1/2", "Variant": "schaedler", "FEN": GAME.start.fen()}
    page.server.registry.import_games(render_analysis(tags, reviewed(GAME, SCORES), "1/2-1/2", "me"))
    page.do("games")
    waited(lambda: page.all(".games li"))
    page.one(".games li .open").click()
    waited(lambda: page.text(".review .fortress") == TOLD)
