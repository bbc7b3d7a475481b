"""The rules for engines: what is wrong with a line, a move, and the lines of a search; the table in protocol.md.

``python tests/client/test_engine_rules.py`` writes the violations in violations.txt anew.
"""

import re
from pathlib import Path

import pytest

from folders import ROOT
from latrones_uci.client.check.checks import CHECKS
from latrones_uci.client.engine_rules import (
    HELD_UP,
    RULES,
    InMatch,
    Violations,
    judge_line,
    judge_search,
    read_move,
    search_errors,
    split_violation,
)
from latrones_uci.game import Game, IllegalMoveError, MalformedMoveError, Position
from latrones_uci.text.protocol import BestMove, Dialect

PAGE = ROOT / "protocol.md"
START = Position.from_fen("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1")
TABLE = Path(__file__).with_name("violations.txt")
HEAD, *SECTIONS = TABLE.read_text(encoding="utf-8").split("\n# ")
WINNING, QUIET = "c6c8", "e1e2"


def offences(*lines: str, best: str = QUIET, ponder: str | None = None, most_lines: int | None = 1) -> list[str]:
    """Return the rules that a search of ``START`` breaks."""
    found = judge_search(Game(START), lines, BestMove(best, ponder), most_lines)
    return [offence.rule for offence in found]


def test_the_table_of_the_protocol_has_these_rules() -> None:
    (table,) = re.findall(r"<!-- rules -->\n.*?\n\|---.*?\n(.*?)<!-- /rules -->", PAGE.read_text("utf-8"), re.DOTALL)
    rows = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()]
    written = [[f"`{rule.id}`", rule.duty, ", ".join(f"`{name}`" for name in rule.checks), rule.in_match.value]
               for rule in RULES]
    assert rows == written


def test_rules_and_checks_belong_together() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert {name for rule in RULES for name in rule.checks} == {check.name for check in CHECKS}
    assert all(rule.checks for rule in RULES)


def test_every_violation_that_is_recorded_is_a_rule() -> None:
    package = PAGE.parent / "latrones_uci"
    text = "".join((package / name).read_text("utf-8") for name in (
        "client/controller.py", "client/engine_rules.py", "match/game.py"))
    named = re.findall(r'(?:add_violation|violations\.add|Offence)\(\s*"([a-z-]+)"', text)
    named += re.findall(r'Error: "([a-z-]+)"', text)
    judged = {rule.id for rule in RULES if rule.in_match is not InMatch.UNJUDGED}
    assert {rule.id for rule in RULES if rule.in_match not in (InMatch.UNJUDGED, InMatch.LOSS)} <= set(named) <= judged


def with_violations(section: str) -> str:
    """Return a section of the table with the violations that are found now."""
    best = section.partition("\n")[0]
    lines = []
    for line in section.splitlines():
        if line.startswith("> "):
            text = line.removeprefix("> ")
            found = judge_line(text, Dialect.UCI) if best == "lines" else judge_search(
                Game(START), [text], BestMove(best), 1)
            lines += [line, *map(str, found)]
        elif line in ("", best):
            lines.append(line)
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.partition("\n")[0])
def test_violations(section: str) -> None:
    assert with_violations(section) == section


@pytest.mark.parametrize(("line", "rules"), [
    ("", []),
    ("bestmove c7c6\r", ["carriage-return"]),
    ("  bestmove c7c6 \r", ["carriage-return", "blanks"]),
    ("   ", ["blanks"]),
])
def test_blanks(line: str, rules: list[str]) -> None:
    assert [offence.rule for offence in judge_line(line, Dialect.UCI)] == rules


def test_a_reply_belongs_to_uci() -> None:
    (offence,) = judge_line("bestmove c7c6 ponder d7d6", Dialect.UGI)
    assert str(offence) == "bestmove-form: not 'bestmove MOVE': 'bestmove c7c6 ponder d7d6'"


def test_moves_in_any_form() -> None:
    assert {str(read_move(Position.start(), text)) for text in ("d1d5", "D1D5", "d1-d5", "D1-d5")} == {"d1d5"}
    assert {str(read_move(Position.start("bell"), text)) for text in ("S@d4", "s@D4")} == {"S@d4"}
    chain = Position.from_fen("schaedler", "8/8/8/8/8/2Ss3S/4s3/8[-] w 0 1")
    assert str(read_move(chain, "c3-E3-e1")) == "c3e3e1"


def test_texts_that_are_no_legal_move() -> None:
    for text in ("Hello", "", "a1xa2", "-"):
        with pytest.raises(MalformedMoveError, match=f"move '{text}'"):
            read_move(Position.start(), text)
    for text in ("0000", "E1-E9", "a8a7"):
        with pytest.raises(IllegalMoveError, match="move '"):
            read_move(Position.start(), text)


def test_which_lines_count() -> None:
    line = "info score cp 5 pv e1e2"
    assert offences(line + " " * (4096 - len(line) - 2) + " e") == []  # one that was cut, up to there
    lines = "info score cp 5 pv e1e3", "info multipv 1 score cp 6 pv e1e2", "info multipv 2 score cp 5 pv e1e3"
    assert offences(*lines, most_lines=2) == []
    assert offences(*lines[::-1], most_lines=2) == ["pv-bestmove"]
    assert offences(*lines, most_lines=None) == []


def test_a_repetition_ends_the_game() -> None:
    game = Game("rota")
    for move in ("S@a1", "S@b2", "S@c1", "S@b3", "S@b1", "S@a2"):
        game.push(move)
    to_and_fro = ("c1c2", "b3a3", "c2c1", "a3b3")
    line = f"info score cp 0 pv {' '.join(to_and_fro * 3)}"
    (offence,) = judge_search(game, [line], BestMove("c1c2"))
    assert str(offence).startswith("pv-past-end: move 9, 'c1c2', follows the end of the game (repetition): 'info score")


def test_moves_and_replies() -> None:
    assert offences(best="E1-E2") == ["move-form"]
    assert offences(ponder="e8e7") == []
    assert offences(ponder="e1e2") == offences(ponder="(none)") == ["ponder-move"]
    assert offences(best=WINNING, ponder="e8e7") == ["ponder-move"]  # the game is over
    assert offences(best="0000") == offences(best="e1e9") == offences(best="resign") == []  # other rules say that


def test_errors_in_a_search() -> None:
    lines = ["info string no error", "info string error internal: oh", "info depth 1 score cp 5 pv e1e2"]
    assert [str(offence) for offence in search_errors(lines)] == ["search-error: 'info string error internal: oh'"]


def test_violations_are_split_again() -> None:
    violations = Violations()
    for _ in range(3):
        violations.add("pv-illegal", "info (2 times)", "move 1, 'a: b', is not legal")
    violations.add(HELD_UP, "0.6 s")
    assert [split_violation(line) for line in violations.take()] == [
        ("pv-illegal", "move 1, 'a: b', is not legal: 'info (2 times)'", 3), (HELD_UP, "'0.6 s'", 1),
    ]
    assert split_violation("odd") == ("odd", "", 1)
    old = "not the engine's fault: the match runner was held up"  # in databases of version 0.3.0
    assert split_violation(f"{old}: '0.6 s'") == (old, "'0.6 s'", 1)


if __name__ == "__main__":
    TABLE.write_text("\n# ".join([HEAD, *map(with_violations, SECTIONS)]), encoding="utf-8")
