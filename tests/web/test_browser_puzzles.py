"""Puzzles in a real browser, by the pointer and the keyboard, and the way of a newcomer over them to a first game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from browser import OpenPage, Page, pieces_of, squares_of, waited
from latrones_uci.game import Position, find_variant
from latrones_uci.game.history import push_parsed
from latrones_uci.records.suite import SuitePosition
from latrones_uci.web.board import puzzles
from latrones_uci.web.board.puzzles import puzzles_of
from latrones_uci.web.rules.rule_page import lessons_of

pytestmark = pytest.mark.gui

WITHIN = "dialog.puzzles "


def open_puzzles(page: Page) -> None:
    page.do("puzzles")
    waited(lambda: page.all(f"{WITHIN}.square"))


def close_puzzles(page: Page) -> None:
    page.one(f'{WITHIN}[data-do="close"]').click()
    waited(lambda: "puzzle" not in page.run("location.hash"))


def press(page: Page, squares: list[int]) -> None:
    for square in squares:
        page.one(f'{WITHIN}[data-square="{square}"]').click()


def wait_for(page: Page, position: Position) -> None:
    """Wait until the board of the puzzles shows a position."""
    def shown() -> dict[int, str]:
        found = page.run("[...document.querySelectorAll('dialog.puzzles .board-men use')]"
                         ".map((use) => [use.dataset.on, use.getAttribute('href')])")
        return {int(square): href.removeprefix("#man-") for square, href in found}

    waited(lambda: shown() == pieces_of(position), position.fen())


def kept(page: Page) -> dict[str, Any]:
    return dict(json.loads(page.run("localStorage.getItem('latrones-puzzles') ?? '{}'")))


def solve(page: Page, puzzle: SuitePosition) -> None:
    game = puzzle.game.copy()
    for move in puzzle.line:
        if game.position.side == puzzle.game.position.side:
            squares = squares_of(move, game.position)
            wait_for(page, game.position)
            waited(lambda first=squares[0]: page.all(f'{WITHIN}[data-square="{first}"].active'))
            press(page, squares)
        push_parsed(game, move)
    waited(lambda: page.text(f"{WITHIN}.told").startswith("Solved"))


@pytest.mark.slow
def test_puzzles_are_solved_by_the_pointer(open_page: OpenPage) -> None:
    page = open_page()
    open_puzzles(page)
    first, second, *_ = puzzles_of("latrones")
    assert page.run("document.querySelector('[name=puzzle-game]').value") == "latrones"
    assert page.count('[name="puzzle-number"] option') == len(puzzles_of("latrones"))
    assert "to move" in page.text(f"{WITHIN}.task")
    solve(page, first)
    assert kept(page)["solved"] == {first.name: "alone"}
    waited(lambda: page.text(f"{WITHIN}.count").endswith("Streak 1, best 1."))
    page.one('[data-do="puzzle-next"]').click()
    wait_for(page, second.game.position)
    wrong = next(move for move in second.game.legal_moves() if len(move.squares) > 1 and move not in second.best_moves)
    press(page, squares_of(wrong, second.game.position))
    waited(lambda: "is not the move." in page.text(f"{WITHIN}.told"))
    assert page.text(f"{WITHIN}.count").endswith("Streak 0, best 1.")
    page.one('[data-do="puzzle-retry"]').click()
    wait_for(page, second.game.position)
    page.one('[data-do="puzzle-hint"]').click()
    waited(lambda: page.text(f"{WITHIN}.told").startswith("Hint: "))
    solve(page, second)
    assert kept(page)["solved"] == {first.name: "alone", second.name: "helped"}
    close_puzzles(page)
    page.reload()
    open_puzzles(page)
    third = puzzles_of("latrones")[2]
    wait_for(page, third.game.position)  # the first that is not solved
    page.one('[data-do="puzzle-solve"]').click()
    waited(lambda: page.text(f"{WITHIN}.told") == "That is the solution.")
    assert page.count(f"{WITHIN}.solution li") == len(third.line)
    wait_for(page, third.solution().position)


@pytest.mark.slow
def test_a_move_as_good_as_the_best_keeps_the_streak(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page()
    open_puzzles(page)
    number, puzzle = next((number, each) for number, each in enumerate(puzzles_of("latrones")) if not each.mate_turns)
    page.choose('[name="puzzle-number"]', str(number))
    position = puzzle.game.position
    wait_for(page, position)
    monkeypatch.setattr(puzzles, "_is_as_good", lambda score, best: True)
    other = next(move for move in puzzle.game.legal_moves() if len(move.squares) > 1 and move not in puzzle.best_moves)
    press(page, squares_of(other, position))
    waited(lambda: page.text(f"{WITHIN}.told").startswith("As good as "))
    assert page.text(f"{WITHIN}.told").endswith(". Well done.")
    assert kept(page)["solved"] == {puzzle.name: "alone"}
    assert page.text(f"{WITHIN}.count").endswith("Streak 1, best 1.")


def test_puzzles_are_solved_by_the_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    page.press_keys("z")
    waited(lambda: page.all(f"{WITHIN}.square"))
    puzzle = puzzles_of("latrones")[0]
    wait_for(page, puzzle.game.position)
    page.run("document.querySelector('dialog.puzzles .square[tabindex=\"0\"]').focus()")
    for square in squares_of(puzzle.line[0], puzzle.game.position):
        walk(page, square, puzzle)
        page.press_keys("ENTER")
    waited(lambda: page.text(f"{WITHIN}.told"))
    assert page.text(f"{WITHIN}.told").split()[0] in ("Solved.", "Right:")
    page.press_keys("ESCAPE")
    waited(lambda: not page.shows("dialog.puzzles"))


def walk(page: Page, square: int, puzzle: SuitePosition) -> None:
    """Move the focus to a square with the arrow keys."""
    files, sign = puzzle.game.position.geometry.files, -1 if puzzle.game.position.side else 1
    here = int(page.run("document.activeElement.dataset.square"))
    across, up = sign * (square % files - here % files), sign * (square // files - here // files)
    page.press_keys(*["ARROW_RIGHT" if across > 0 else "ARROW_LEFT"] * abs(across),
                    *["ARROW_UP" if up > 0 else "ARROW_DOWN"] * abs(up))
    waited(lambda: page.run("document.activeElement.dataset.square") == str(square))
    label = str(page.run("document.activeElement.getAttribute('aria-label')"))
    assert label.split(",")[0] == puzzle.game.position.geometry.square_name(square)


@pytest.mark.slow
def test_games_and_themes_are_chosen_and_a_position_is_analysed(open_page: OpenPage) -> None:
    page = open_page()
    open_puzzles(page)
    before = page.live
    page.choose('[name="puzzle-game"]', "schaedler")
    first = puzzles_of("schaedler")[0]
    wait_for(page, first.game.position)
    theme = first.themes[-1]
    page.choose('[name="puzzle-theme"]', theme)
    of_theme = [puzzle for puzzle in puzzles_of("schaedler") if theme in puzzle.themes]
    waited(lambda: page.count('[name="puzzle-number"] option') == len(of_theme))
    page.choose('[name="puzzle-number"]', str(puzzles_of("schaedler").index(of_theme[-1])))
    wait_for(page, of_theme[-1].game.position)
    page.one('[data-do="puzzle-analyse"]').click()
    waited(lambda: page.live is not before and page.position.fen() == of_theme[-1].game.position.fen())
    waited(lambda: page.all(".lines li"))
    assert not page.shows("dialog.puzzles")


@pytest.mark.slow
def test_a_newcomer_is_led_from_the_rules_to_a_first_win(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(games=tmp_path / "games.db")
    assert page.text(".tutorial p") == "New here? Learn Latrones."
    page.one('.tutorial [data-do="rules"]').click()
    lessons = lessons_of(find_variant("latrones"))
    waited(lambda: page.count(".rules figure svg.latrones-board") == len(lessons))
    for done, lesson in enumerate(lessons, 1):
        figure = f'.rules figure[data-lesson="{lesson.key}"] '
        assert not page.all(f"{figure}.arrow")  # which would give the answer
        page.one(f"{figure}[data-try]").click()
        for square in squares_of(lesson.move, lesson.position):
            page.one(f'{figure}[data-square="{square}"]').click()
        waited(lambda done=done: page.text(".rules .count") == f"{done} of {len(lessons)} boards tried.")
    page.one(".rules .onward button").click()
    for number, puzzle in enumerate(puzzles_of("latrones")[:3]):
        assert not page.shows(f"{WITHIN}.onward")
        if number:
            page.one('[data-do="puzzle-next"]').click()
        solve(page, puzzle)
    close_puzzles(page)
    page.reload()  # keeps the progress
    assert page.texts(".tutorial li") == ["Rules \u2713", "Puzzles \u2713", "First game"]
    page.one('.tutorial [data-do="first-game"]').click()
    waited(lambda: page.live.settings.players[1].level == 0)
    page.wait_shown()
    assert page.text(".tutorial p") == "Your first game has begun: Hint shows a good move, and says why."
    told = set()
    while page.live.outcome is None and len(page.live.plies) < 200:
        page.do("hint")
        waited(lambda: page.live.hint is not None)
        hint = page.live.hint
        waited(lambda: page.text(".advice").startswith("Hint: "))
        told.add(hint.why)
        page.play(hint.move)
    assert page.text(".status").startswith("You win: ")
    assert len(told - {""}) > 3
    assert page.text(".tutorial p") == "You won. Next: Review, and stronger levels."
    page.reload()
    page.wait_shown()
    assert not page.shows(".tutorial")


@pytest.mark.slow
def test_only_a_newcomer_is_shown_the_way(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    assert not page.shows(".tutorial")  # no games are kept, so it is not known who comes
    page = open_page(games=tmp_path / "games.db")
    waited(lambda: page.shows(".tutorial"))
    page.run("document.querySelector('.tutorial [data-do=\"rules\"]').focus()")
    page.server.do({"do": "name", "table": page.live.name, "name": "Anna"})  # a new state leaves the focus where it is
    waited(lambda: page.text(".near .who") == "Anna White")
    assert page.run("document.activeElement.dataset.do") == "rules"
    page.do("tutorial-close")
    assert not page.shows(".tutorial")
    assert page.text(".advice") == "Rules and Puzzles stay above the board."
    page.reload()
    assert not page.shows(".tutorial")
    page.run("localStorage.clear()")
    page.play("a1a3")  # is kept
    page.reload()
    page.wait_shown()
    assert not page.shows(".tutorial")
