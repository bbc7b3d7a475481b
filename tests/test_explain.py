"""The rules in words: they say everything that a ruleset says, and pages have diagrams of legal moves."""

from __future__ import annotations

import dataclasses
import re
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from latrones_uci.commands.main import main
from latrones_uci.game import BoardSizeError, Position, Ruleset, VariantError, all_variants, load_variants
from latrones_uci.game.explain import explain, render_text
from latrones_uci.game.ruleset import problems
from latrones_uci.web.rules.rule_page import render_rule_page, rule_page
from rulesets import CHOICES

EXAMPLES = sorted((Path(__file__).parents[1] / "docs" / "examples").glob("*.toml"))
RULESETS = {**all_variants(), **{name: each for path in EXAMPLES for name, each in load_variants(path).items()}}
PLACED = [name for name, each in RULESETS.items() if each.setup == "placement" and each.board == "grid"]
OTHER_VALUES = CHOICES | {
    "default_size": [(6, 6), (7, 9), (8, 8), (12, 12)],
    "min_size": [(3, 3), (4, 4), (5, 5)],
    "max_size": [(15, 16), (16, 16)],
    "min_squares": [0, 9, 20],
    "source": ["Somebody.", "Somebody else."],
    "title": ["A game", "Another game"],
}


def changed(ruleset: Ruleset) -> dict[tuple[str, str], Ruleset]:
    found = {("", ""): ruleset}
    for key, values in OTHER_VALUES.items():
        for value in values:
            try:
                other = dataclasses.replace(ruleset, **{key: value})
                other.check_size(*other.default_size)
            except (VariantError, BoardSizeError):
                continue
            if other != ruleset and not problems(other):
                found[key, str(value)] = other
    return found


@pytest.mark.parametrize("name", RULESETS)
def test_every_value_changes_the_words(name: str) -> None:
    texts = {change: render_text(ruleset) for change, ruleset in changed(RULESETS[name]).items()}
    assert len(texts) > 10 or RULESETS[name].board == "wheel"
    for (one, text), (other, same) in combinations(texts.items(), 2):
        assert text != same, (one, other)


def test_no_two_games_have_the_same_rules_in_words() -> None:
    texts = {name: str(explain(ruleset)) for name, ruleset in RULESETS.items()}
    # The text of a game says nothing of its name and source.
    same = {frozenset((one, other)) for one, other in combinations(texts, 2) if texts[one] == texts[other]}
    assert same == set()


@pytest.mark.parametrize("name", RULESETS)
def test_lines_fit_a_terminal(name: str) -> None:
    text = render_text(RULESETS[name])
    assert max(map(len, text.splitlines())) < 80
    assert not re.search(r"\b(None|True|False)\b|[{}]", text)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants", "explain", "ludii-piso"]) == 0
    assert capsys.readouterr().out.startswith("Locus Ludi, Laus Pisonis (ludii-piso)\n")
    page = tmp_path / "piso.html"
    assert main(["variants", "explain", "ludii-piso", "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == render_rule_page(rule_page(RULESETS["ludii-piso"]))
    kowalski = next(path for path in EXAMPLES if path.stem == "kowalski")
    assert main(["variants", "explain", str(kowalski)]) == 0
    assert "(kowalski-12x8)" in capsys.readouterr().out


def test_command_rejects_what_it_cannot_explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["nonsense"], [str(tmp_path / "none.toml")], ["latrones", "--html", str(tmp_path / "no" / "x.html")],
                  [str(next(path for path in EXAMPLES if path.stem == "kowalski")), "--html", "x.html"]):  # fmt: skip
        assert main(["variants", "explain", *words]) != 0
        assert f"'{words[-1]}'" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["no_move", "repetition", "marks", "jump_over", "capture_chain", "barred", "array"])
def test_new_rules_are_told(key: str) -> None:
    """A word for the rule is in the text of each game that has it, and in no other."""
    words = {"no_move": ("pass", "legal move passes"), "repetition": ("illegal", "No move may repeat a position"),
             "marks": ("kept", "Rescue:"), "jump_over": ("all", "one piece of either side"),
             "capture_chain": ("forced", "must move again"), "barred": ("middle", "the middle square"),
             "array": ("chequered", "colour of a1")}  # fmt: skip
    value, phrase = words[key]
    for name, ruleset in RULESETS.items():
        text = " ".join(render_text(ruleset).split())
        assert (phrase in text) == (getattr(ruleset, key) == value), name


@pytest.mark.parametrize("name", PLACED)
def test_white_makes_the_first_move_after_placing(name: str) -> None:
    """As the words say, for each way of placing."""
    position = Position.start(RULESETS[name])
    chance = Random(name)
    while position.hand:
        position = position.play(chance.choice(position.legal_moves()))
    assert position.side == 0
    assert "When all pieces are placed, White makes the first move" in " ".join(render_text(RULESETS[name]).split())


def test_settings_without_effect_are_named_apart() -> None:
    kowalski = RULESETS["ludii-kowalski-12x8"]
    note = "Settings without effect"
    assert note not in render_text(kowalski)
    counted = dataclasses.replace(kowalski, men_counted="all")
    assert f"{note} in this game: men_counted = all." in " ".join(render_text(counted).split())
    assert note not in render_text(dataclasses.replace(counted, fewest_men=2))


def test_pages_show_the_start_unless_the_board_is_empty() -> None:
    pages = {name: render_rule_page(rule_page(RULESETS[name])) for name in ("ludii-falkener", "ludii-piso", "rota")}
    assert [name for name, page in pages.items() if 'class="start"' in page] == ["ludii-falkener"]


def test_lessons_fit_the_rulesets_of_the_family() -> None:
    """The corner of Bell's forced chains, and what frees a bound soldier where marks are kept."""
    keys = {name: [lesson.key for lesson in rule_page(RULESETS[name]).lessons]
            for name in ("ludii-bell-8x8", "ludii-schadler-1994", "schaedler")}  # fmt: skip
    assert "hostile-corner-forced" in keys["ludii-bell-8x8"]
    assert "bind-kept" in keys["ludii-schadler-1994"]
    assert "bind" in keys["schaedler"]
    # What that lesson says: a captor that moves away frees the soldier.
    start = Position.from_fen(RULESETS["ludii-schadler-1994"], "7s/8/8/8/3s4/2SbS3/8/1S5s[-] w 0 20")
    assert start.play("c3c4").fen().split()[0] == "7s/8/8/8/2Ss4/3sS3/8/1S5s[-]"
