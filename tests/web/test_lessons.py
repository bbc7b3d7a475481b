"""Lessons and rules in words: what they claim is what the rules do."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise
from pathlib import Path

import pytest

from cases import VARIANTS
from folders import ROOT
from html_page import Page, assert_harmless
from latrones_uci.commands.main import main
from latrones_uci.game import Position, builtin_variants, find_variant, load_variants, ludii_variants
from latrones_uci.web.rules.rule_page import (
    MAX_LESSONS,
    Lesson,
    aim_of,
    applies,
    game_texts,
    lessons_of,
    render_rule_page,
    rule_page,
    rule_page_data,
    summary_of,
    templates,
)
from latrones_uci.words.reasons import reason_against

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.toml"))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_built_in_game_has_its_lessons(variant: str) -> None:
    ruleset = find_variant(variant)
    meant = [template for template in templates() if applies(template, ruleset)]
    lessons = lessons_of(ruleset)
    assert 4 <= len(lessons) == min(len(meant), MAX_LESSONS)
    assert variant in game_texts()
    important = [template.key for template in meant if not template.priority]
    assert set(important) <= {lesson.key for lesson in lessons} or len(important) > MAX_LESSONS


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_solutions_do_what_the_text_says(variant: str) -> None:
    for lesson in lessons_of(find_variant(variant)):
        template = next(one for one in templates() if one.key == lesson.key)
        position, name = lesson.position, lesson.position.geometry.square_name
        assert position.ruleset.name == variant
        after = position.play(str(lesson.move))
        assert sorted(map(name, lesson.captures)) == sorted(template.captures)
        assert sorted(map(name, position.captures(lesson.move))) == sorted(template.captures)
        assert (after.outcome() is not None) == template.wins
        assert all(after.piece_at(square) == "b" for square in template.binds)
        assert str(lesson.move) in lesson.answers
        legal = {str(move) for move in position.legal_moves()}
        assert set(lesson.answers) <= legal
        assert template.any or len(lesson.answers) < len(legal)
        for square in re.findall(r"\b[a-f][1-6]\b", f"{lesson.text} {lesson.task}"):
            near = [name(each) for each in lesson.move.squares] if len(lesson.move.squares) > 1 else []
            assert position.piece_at(square) or square in near or lesson.key == "wheel-block", (lesson.key, square)


def lesson(variant: str, key: str) -> Lesson:
    found, = (one for one in lessons_of(find_variant(variant)) if one.key == key)
    return found


def test_every_answer_has_the_same_effect() -> None:
    assert lesson("latrones", "custodian-line").answers == ("e2e3",)
    assert set(lesson("schaedler", "step").answers) == {"c3b3", "c3d3", "c3c4", "c3c2"}


ALL = builtin_variants() | ludii_variants()


@pytest.mark.parametrize("name", ALL)
def test_the_aim_names_every_way_to_win(name: str) -> None:
    ruleset, aim = ALL[name], aim_of(ALL[name])
    limit_counts = ruleset.nocapture_limit > 0 and ruleset.nocapture_result == "most_men"
    assert ("enemy dux" in aim) == (ruleset.dux_fate in ("captured", "immobilised"))
    assert ("capture all enemy" in aim.lower()) == (ruleset.fewest_men > 0)
    assert ("but one" in aim) == (ruleset.fewest_men == 2)
    assert ("without a legal move" in aim) == (ruleset.no_move == "loss")
    assert ("at the end" in aim) == (ruleset.no_move == "most_men" or limit_counts)
    assert ("in a line" in aim) == (ruleset.goal == "line")


def test_the_aim_says_what_a_dux_is() -> None:
    assert aim_of(find_variant("latrones")) == (
        "Shut in the enemy dux (the leader, with the crown) so that no square next to it is empty, capture all enemy"
        " soldiers, or leave the opponent without a legal move.")
    endless = dataclasses.replace(find_variant("petteia-xxi"), name="x", fewest_men=0, no_move="pass")
    assert aim_of(endless) == "No move wins this game."


def test_schaedler_captures_in_one_word() -> None:
    """The rules, the aim, the lessons and the reasons do not also kill or remove."""
    ruleset = find_variant("schaedler")
    page = rule_page(ruleset)
    words = " ".join([page.aim, page.summary, *(str(rule) for section in page.sections for rule in section.rules),
                      *(f"{lesson.title} {lesson.text} {lesson.task}" for lesson in page.lessons)])
    assert "kill" not in words.lower()
    assert re.findall(r"\bremov\w+", words) == ["removed", "removed"]  # how a capture is done
    assert reason_against(Position.from_fen(ruleset, "8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1"), None, 19).endswith(
        "only bound soldiers are captured.")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_games_of_users_have_pages(path: Path) -> None:
    for name, ruleset in load_variants(path).items():
        if name in builtin_variants():
            continue
        page = rule_page(ruleset)
        assert page.lessons
        assert aim_of(ruleset).endswith(".")
        assert summary_of(ruleset).endswith(".")
        for lesson in page.lessons:
            assert lesson.position.play(lesson.move)
        assert_harmless(Page(re.sub(r"<style>.*?</style>", "", render_rule_page(page, {name: "x"}), flags=re.DOTALL)
                             .replace('<meta name="viewport" content="width=device-width, initial-scale=1">', "")))


def test_rules_of_the_example_files_have_lessons() -> None:
    games = {name: each for path in EXAMPLES for name, each in load_variants(path, {}).items()}
    for name, key in [("mak-yek", "intervention"), ("rek", "intervention"), ("dablot", "jump-capture")]:
        assert key in [lesson.key for lesson in lessons_of(games[name])]
    assert "jump-capture" not in [lesson.key for lesson in lessons_of(find_variant("ludii-falkener"))]


def test_a_page_has_its_texts_escaped_and_headings_in_order() -> None:
    ruleset = dataclasses.replace(find_variant("latrones"), name="x", title="<b>A & B</b>", source="<script>")
    assert summary_of(ruleset) != summary_of(find_variant("latrones"))  # the text is that of the built-in game
    text = render_rule_page(rule_page(ruleset), {"x": ruleset.title})
    assert text.count("<main>") == text.count("</main>") == 1
    levels = [int(level) for level in re.findall(r"<h(\d)", text)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert "<b>A & B" not in text
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_the_data_of_a_lesson() -> None:
    data = rule_page_data(rule_page(find_variant("latrones")))
    lesson, = (one for one in data["lessons"] if one["key"] == "custodian-line")
    assert lesson["note"] == "e2-e3xc3xd3"
    move, = (one for one in lesson["legal"] if one["text"] == "e2e3")
    assert (move["after"][16], move["after"][14], move["after"][15]) == ("S", ".", ".")


def test_pages_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "rules"
    assert main(["variants", "pages", str(folder), "--variant-path", str(EXAMPLES[0])]) == 0
    names = {path.stem for path in folder.glob("*.html")}
    assert names >= {*VARIANTS, "index"}
    assert len(names) == len(load_variants(EXAMPLES[0])) + 1
    assert f"{len(names)} pages" in capsys.readouterr().out
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in index for name in names - {"index"})
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", (folder / "rota.html").read_text(encoding="utf-8"))
    (tmp_path / "file").touch()
    assert main(["variants", "pages", str(tmp_path / "file")]) == 1
    assert f"{tmp_path / 'file'}: cannot write: " in capsys.readouterr().err


def test_the_pages_in_the_documentation_are_current(tmp_path: Path) -> None:
    assert main(["variants", "pages", str(tmp_path)]) == 0
    kept = ROOT / "docs" / "rules"
    for path in tmp_path.iterdir():
        assert path.read_text(encoding="utf-8") == (kept / path.name).read_text(encoding="utf-8"), (
            f"{path.name}: run 'latrones-uci variants pages docs/rules'")


def test_a_lesson_whose_move_has_another_effect_is_left_out() -> None:
    """A game of a user may have the rule of a lesson, and another one that changes what its move does."""
    changed = dataclasses.replace(find_variant("petteia-xxi"), custodian="line")
    flank = next(template for template in templates() if template.key == "flank")
    assert applies(flank, changed)
    assert "flank" not in [lesson.key for lesson in lessons_of(changed)]
