"""The rules in words: they say everything that a ruleset says, and pages have diagrams of legal moves."""

from __future__ import annotations

import dataclasses
import re
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from folders import ROOT
from latrones_uci.commands.main import main
from latrones_uci.game import (
    BoardSizeError,
    Position,
    Ruleset,
    VariantError,
    all_variants,
    builtin_variants,
    load_variants,
    parse_variants,
)
from latrones_uci.game.origins import ORIGINS, RULES, parse_origins
from latrones_uci.game.ruleset import problems
from latrones_uci.web.rules.rule_page import aim_of, render_rule_page, rule_page
from latrones_uci.words.explain import explain, render_text
from rulesets import CHOICES

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.toml"))
DOCUMENT = ROOT / "docs" / "rules.md"
RULESETS = {**all_variants(), **{name: each for path in EXAMPLES for name, each in load_variants(path).items()}}
PLACED = [name for name, each in RULESETS.items() if each.setup == "placement" and each.board == "grid"]
OTHER_VALUES = CHOICES | {
    "default_size": [(6, 6), (7, 9), (8, 8), (12, 12)],
    "min_size": [(3, 3), (4, 4), (5, 5)],
    "max_size": [(15, 16), (16, 16)],
    "min_squares": [0, 9, 20],
    "source": ["Somebody.", "Somebody else."],
    "origins": ["", "program: all", "source: all; ours: no_move, repetition"],
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


@pytest.mark.long
@pytest.mark.parametrize("name", RULESETS)
def test_every_value_changes_the_words(name: str) -> None:
    texts = {change: render_text(ruleset) for change, ruleset in changed(RULESETS[name]).items()}
    assert len(texts) > 10 or RULESETS[name].board == "wheel"
    for (one, text), (other, same) in combinations(texts.items(), 2):
        assert text != same, (one, other)


def marks_of(ruleset: Ruleset) -> dict[str, str]:
    return {rule.name: rule.origin for section in explain(ruleset) for rule in section.rules if rule.name}


@pytest.mark.parametrize("name", all_variants())
def test_every_rule_of_a_built_in_game_has_a_mark(name: str) -> None:
    """A core game names each of its rules, and nothing else."""
    ruleset = RULESETS[name]
    marks = marks_of(ruleset)
    assert set(marks.values()) <= set(ORIGINS)
    assert set(marks) <= set(RULES)
    if name in builtin_variants():
        assert marks == parse_origins(ruleset.origins)
    text = " ".join(render_text(ruleset).split())
    assert all(f"{' '.join(rule.text.split())} [{rule.origin}]" in text
               for section in explain(ruleset) for rule in section.rules if rule.name)
    assert text.count("Marks: [source] ") == 1


def documented(text: str) -> dict[str, str]:
    found = {}
    for mark, names in re.findall(r"\[(source|program|ours)(?:: ([a-z_,\s]+))?\]", text):
        for name in filter(None, re.split(r",\s+", names)):
            assert found.setdefault(name, mark) == mark, name
    return found


def test_the_rules_in_full_carry_the_marks_of_the_rulesets() -> None:
    """Each numbered rule has a mark, and each name the mark of the game's ruleset, own or inherited."""
    common, *sections = re.split(r"^## (?=`)", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parents = {"latrunculi-xxi": "latrunculi-classical", "petteia-xxi": "latrunculi-xxi",
               "single-stone-xxi": "petteia-xxi"}
    marks: dict[str, dict[str, str]] = {}
    for section in sections:
        name = section.split("`")[1]
        for rule in re.split(r"^(?=[0-9]+\. )", section.partition("| example |")[0], flags=re.MULTILINE)[1:]:
            assert re.search(r"\[(source|program|ours)\b", rule), rule
        inherited = marks[parents[name]] if name in parents else documented(common.partition("## Common rules")[2])
        marks[name] = inherited | documented(section)
        told = marks_of(RULESETS[name])
        assert {rule: marks[name].get(rule) for rule in told} == told, name
    assert list(marks) == list(builtin_variants())


def test_marks_are_not_inherited() -> None:
    entry = '[mine]\nparent = "latrones"\ntitle = "Mine"\nsource = "Me."\nrepetition = "loss"\n'
    mine = parse_variants(entry, builtin_variants())["mine"]
    assert mine.origins == ""
    assert set(marks_of(mine).values()) == {""}
    assert "[" not in render_text(mine)
    marked = parse_variants(f'{entry}origins = "ours: repetition"\n', builtin_variants())["mine"]
    assert {name for name, mark in marks_of(marked).items() if mark} == {"repetition"}
    assert parse_variants(marked.to_toml())["mine"] == marked


@pytest.mark.parametrize(("text", "words"), [
    ("theirs: custodian", "'theirs: custodian': no mark; expected one of source, program, ours"),
    ("source", "'source': no mark"), ("source:", "'': unknown rule"),
    ("ours: custodain", "'custodain': unknown rule; did you mean 'custodian'?"),
    ("ours: corner, corner", "duplicate rule corner"), ("ours: all; source: all", "duplicate rule all"),
])
def test_wrong_marks_are_errors(text: str, words: str) -> None:
    with pytest.raises(VariantError) as raised:
        dataclasses.replace(RULESETS["latrones"], origins=text)
    assert str(raised.value).startswith("variant 'latrones': origins: expected marks of rules such as")
    assert words in str(raised.value)


def test_equal_sides_are_told_once_and_numbers_are_words() -> None:
    example = RULESETS["mak-yek"]
    assert "Each player has 16 soldiers." in render_text(example)
    both = "sssd4/8/8/8/8/8/8/4DSSS"
    dux = dataclasses.replace(example, start=both, dux="start", dux_move="step", dux_fate="safe", fewest_men=3)
    assert "Each player has three soldiers and a dux, the leader. The" in render_text(dux)
    assert "fewer than three" in render_text(dux)
    assert "Capture all enemy soldiers but two" in aim_of(dux)


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
                  [str(next(path for path in EXAMPLES if path.stem == "kowalski")), "--html", "x.html"]):
        assert main(["variants", "explain", *words]) != 0
        assert repr(str(words[-1])) in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("key", ["no_move", "repetition", "marks", "jump_over", "capture_chain", "barred", "array"])
def test_new_rules_are_told(key: str) -> None:
    """A word for the rule is in the text of each game that has it, and in no other."""
    words = {"no_move": ("pass", "legal move passes"), "repetition": ("illegal", "No move may repeat a position"),
             "marks": ("kept", "Rescue:"), "jump_over": ("all", "one piece of either side"),
             "capture_chain": ("forced", "must move again"), "barred": ("middle", "the middle square"),
             "array": ("chequered", "colour of a1")}
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
            for name in ("ludii-bell-8x8", "ludii-schadler-1994", "schaedler")}
    assert "hostile-corner-forced" in keys["ludii-bell-8x8"]
    assert "bind-kept" in keys["ludii-schadler-1994"]
    assert "bind" in keys["schaedler"]
    # What that lesson says: a captor that moves away frees the soldier.
    start = Position.from_fen(RULESETS["ludii-schadler-1994"], "7s/8/8/8/3s4/2SbS3/8/1S5s[-] w 0 20")
    assert start.play("c3c4").fen().split()[0] == "7s/8/8/8/2Ss4/3sS3/8/1S5s[-]"
