"""Start positions, landings between two enemies, captures by jumping, and bound soldiers with a dux: single cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import cases
from agreement import compare_kernels
from latrones_uci.engine.tables.material import splits_of
from latrones_uci.game import (
    BoardSizeError,
    FenError,
    Position,
    Ruleset,
    builtin_variants,
    check_variants,
    ludii_variants,
)
from latrones_uci.game.ruleset import problems
from latrones_uci.words.explain import render_text
from latrones_uci.words.reasons import reason_against
from naive import Described, parse

MUSEUM = cases.ruleset("museum-quintana")
UNEQUAL = "sssss/1s1s1/5/2D2/1SSS1"


def started(start: str, **changes: Any) -> Ruleset:
    rows = start.split("/")
    files = sum(int(each) if each.isdigit() else 1 for each in rows[0])
    fields: dict[str, Any] = {"setup": "start", "start": start, "soldier_ranks": 0, "default_size": (files, len(rows))}
    ruleset = replace(MUSEUM, name="mine", fewest_men=1, **(fields | changes))
    assert problems(ruleset) == []
    return ruleset


DUX = {"dux": "start", "dux_move": "step", "dux_fate": "safe"}


def captures(ruleset: Ruleset, fen: str, move: str) -> list[str]:
    """Return the squares of the captured pieces, by both kernels and the naive board."""
    position, rules = Position.from_fen(ruleset, fen), Described("mine", vars(ruleset))
    compare_kernels(position)
    names = sorted(position.geometry.square_name(square) for square in position.captures(move))
    board = parse(fen)
    assert len(rules.lifted(board, move)) == len(names)
    assert rules.after(board, move).pieces == parse(position.play(move).fen()).pieces
    return names


# ---------------------------------------------------------------- enclosure


@pytest.mark.parametrize(("fate", "fen", "move", "taken"), [
    # An eagle that is never taken, and steps: the soldier beside it is captured, and it stays.
    ("safe", "dsS5/1S6/8/8/8/8/3s4/S6D w 0 1", "a1a7", ["b8"]),
    ("safe", "d7/S7/8/8/8/8/s7/1S5D w 0 1", "b1b8", []),
    ("safe", "ds6/S7/8/8/8/8/s7/2S4D w 0 1", "c1c8", []),  # the group has an open side
    # A dux that is immobilised is free again when the soldiers beside it are gone.
    ("immobilised", "dsS5/1S6/8/8/8/8/3s4/S6D w 0 1", "a1a7", ["b8"]),
    ("captured", "dsS5/1S6/8/8/8/8/3s4/S6D w 0 1", "a1a7", ["a8", "b8"]),
    ("ordinary", "dsS5/1S6/8/8/8/8/3s4/S6D w 0 1", "a1a7", ["a8", "b8"]),
])
def test_a_dux_that_cannot_be_captured_stays_in_an_enclosed_group(
        fate: str, fen: str, move: str, taken: list[str]) -> None:
    ruleset = replace(MUSEUM, name="mine", dux="front", dux_move="step", dux_fate=fate, enclosure=True,
                      fewest_men=1)
    assert problems(ruleset) == []
    assert captures(ruleset, fen, move) == taken
    after = Position.from_fen(ruleset, fen).play(move)
    assert (after.decided() is not None) == (fate == "captured")
    assert ("A dux in it stays." in render_text(ruleset)) == (fate in ("safe", "immobilised"))


# ---------------------------------------------------------------- start


def test_the_sides_of_a_start_position_may_differ() -> None:
    ruleset = started(UNEQUAL, **DUX)
    start = Position.start(ruleset)
    assert start.fen() == f"{UNEQUAL} w 0 1"
    assert start.board[2:4] == (7, -1)  # White's dux on c2, Black has none
    compare_kernels(start)
    text = " ".join(render_text(ruleset).split())
    assert "White has three soldiers and a dux, the leader, and Black has seven soldiers." in text
    assert "It is played on no other board." in text


def test_a_start_position_has_one_board_size() -> None:
    ruleset = started(UNEQUAL, **DUX)
    with pytest.raises(BoardSizeError, match="'6x5' is not allowed in mine; expected 5x5, the size of its start"):
        Position.start(ruleset, "6x5")
    with pytest.raises(FenError, match="'6x5' is not allowed in mine"):
        Position.from_fen(ruleset, "6/6/6/S5/5s w")


@pytest.mark.parametrize(("lines", "key", "text"), [
    ('start = "x"', "start", "expected the board of a FEN ('x': not a piece of this variant; expected one of SsDd)"),
    ('start = "ss/S1S"', "start", "expected the board of a FEN (ranks differ in width)"),
    ('start = "S1s/3"', "start", "expected a board of 3x3 to 16x16"),
    ('start = "DDs/3/3"', "start", "expected at most one D and one d"),
    ('start = "SS1/3/3"', "start", "expected pieces of both sides"),
    ('start = ""', "setup, start", "setup 'start' needs a start position"),
    ('default_size = "9x8"', "start, default_size", "default_size must be the size of the start position"),
    ("soldier_ranks = 2", "setup, soldier_ranks", "others need 0"),
    ('setup = "ranks"\nsoldier_ranks = 1', "setup, start", "others need none"),
    ('dux = "start"\ndux_move = "step"\ndux_fate = "safe"', "start, dux", "with one, it has a D, a d, or both"),
    ('start = "ssssssss/8/8/8/8/8/8/SSSSSSSD"', "start, dux", "without a dux, start has no D and d"),
    ('start = "ssssssss/8/8/8/8/8/8/SSSSSSSD"\ndux = "start"\ndux_move = "step"\ndux_fate = "captured"',
     "start, dux_fate", "needs a D and a d in start"),
    ('start = "ssssssss/8/8/8/8/ss6/Ss6/DSs5"\ndux = "start"\ndux_move = "step"\ndux_fate = "safe"\n'
     'blocking_own_dux = "illegal"', "start", "a dux starts without an empty neighbour"),
    ('start = "8/8/8/8/8/8/s7/Ss6"', "start", "no piece of White is next to an empty square"),
    ("fewest_men = 17", "fewest_men", "a side starts with 16 pieces"),
])
def test_errors_of_a_start_position_name_the_keys(lines: str, key: str, text: str) -> None:
    known = {**builtin_variants(), **cases.example_games()}
    rulesets, found = check_variants(f'[x]\nparent = "mak-yek"\n{lines}\n', known, builtin_variants())
    assert not rulesets
    assert any(problem.key == key and text in problem.text for problem in found), [str(each) for each in found]


def test_errors_name_inherited_keys_to_reset() -> None:
    """A start position in a game that inherits ranks of soldiers and a dux in front of them."""
    _, found = check_variants(
        '[x]\nparent = "latrones"\nsetup = "start"\nstart = "ssssssss/8/8/8/8/8/8/SSSSSSSS"\n', builtin_variants())
    texts = {problem.key: problem.text for problem in found}
    assert "inherited from latrones, set here to change: soldier_ranks = 1" in texts["setup, soldier_ranks"]
    assert 'inherited from latrones, set here to change: dux = "front"' in texts["setup, dux"]


def test_tables_know_the_most_pieces_of_a_start_position() -> None:
    ruleset = started("ss1/3/S1D", **DUX, min_size=(3, 3))
    assert max(split.own.soldiers for split in splits_of(ruleset, 3, 3, 4)) == 2
    assert {split.own.dux for split in splits_of(ruleset, 3, 3, 4)} == {0, 1}


# ---------------------------------------------------------------- landings


GUARDED = replace(MUSEUM, enter_between="illegal", fewest_men=1)


@pytest.mark.parametrize(("fen", "move", "legal"), [
    ("5/5/1s1s1/5/2S2 w 0 1", "c1c3", False),
    ("5/5/1s1s1/5/2S2 w 0 1", "c1c2", True),  # it passes by
    ("5/5/Ss1s1/5/2S2 w 0 1", "c1c3", True),  # it captures b3
    ("5/2s2/5/2s2/4S w 0 1", "e1e3", True),
    ("5/2s2/4S/2s2/5 w 0 1", "e3c3", False),  # along the file
    ("5/5/1s3/5/s1S2 w 0 1", "c1b1", True),  # only one side
])
def test_a_piece_may_not_land_between_two_enemies(fen: str, move: str, legal: bool) -> None:
    position = Position.from_fen(GUARDED, fen)
    compare_kernels(position)
    assert position.is_legal(move) == legal
    assert (move in Described("mine", vars(GUARDED)).moves(parse(fen))) == legal
    if not legal:
        origin, target = (position.geometry.parse_square(name) for name in (move[:2], move[2:]))
        assert reason_against(position, origin, target) == (
            f"This square is between two enemies, and the white soldier on {move[:2]} may only go there if it captures"
            " an enemy.")


@pytest.mark.parametrize(("board", "move", "legal"), [
    ("8/8/8/1s1s4/2S5/8/8/6Ss", "c4c5", False),
    ("8/8/8/1b1b4/2S5/8/8/6Ss", "c4c5", False),  # bound enemies, too
    ("8/8/2S5/2s5/1s1s4/2S5/8/6Ss", "c3c4", True),  # it binds c5
    ("8/8/2B5/2s5/1s1s4/2S5/8/6Ss", "c3c4", False),
    ("8/8/8/1s1s4/2s5/2S5/8/6Ss", "c3c5", True),  # over a free enemy: its own old square is behind
    ("8/8/8/1s1s4/2b5/2S5/8/6Ss", "c3c5", False),
    ("8/8/8/1s1s4/2S5/2S5/8/6Ss", "c3c5", False),  # over a friend
])
def test_schadler_2001(board: str, move: str, legal: bool) -> None:
    position = Position.from_fen(ludii_variants()["ludii-schadler-2001"], f"{board}[-] w 0 17")
    compare_kernels(position)
    assert position.is_legal(move) == legal


def test_a_side_that_could_only_land_between_enemies_has_no_move() -> None:
    position = Position.from_fen(GUARDED, "5/5/1s3/s1s2/sSs2 w 0 1")
    compare_kernels(position)
    assert position.legal_moves() == []
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.name, outcome.reason) == ("p2win", "nomove")


@pytest.mark.parametrize(("fate", "captured"), [("safe", ["b3"]), ("ordinary", ["b3", "d3"])])
def test_intervention_captures_both_enemies(fate: str, captured: list[str]) -> None:
    ruleset = replace(cases.ruleset("rek"), dux_fate=fate, enclosure=False, custodian="none", setup="ranks", start="",
                      soldier_ranks=1, dux="front")
    assert captures(ruleset, "5/5/1s1d1/5/D1S2 w 0 1", "c1c3") == captured
    assert captures(ruleset, "5/5/1s1s1/5/D1Sd1 w 0 1", "c1c3") == ["b3", "d3"]
    assert captures(ruleset, "2s2/5/1s1s1/2s2/DS2d w 0 1", "b1b2") == []  # only one side of it


def test_a_piece_that_lands_between_two_may_capture_four() -> None:
    makyek = replace(MUSEUM, intervention=True, fewest_men=1, soldier_move="step", soldier_jump="single")
    assert captures(makyek, "8/8/2s5/1s1s4/2s5/2S5/8/8 w 0 1", "c3c5") == ["b5", "c4", "c6", "d5"]
    assert captures(makyek, "8/8/2s5/1s1s4/8/2S5/8/8 w 0 1", "c3c4") == []


# ---------------------------------------------------------------- jumps


@pytest.mark.parametrize(("fen", "move", "captured"), [
    ("8/8/8/8/8/8/s7/D7/S6d w 0 1", "a1b2", []),
    ("8/8/8/8/8/8/2s5/1S6/D6d w 0 1", "b2d4", ["c3"]),
    ("8/8/8/8/4s3/8/2s5/1S6/D6d w 0 1", "b2d4f6", ["c3", "e5"]),
    ("8/8/8/3s4/4s3/8/2s5/1S6/D6d w 0 1", "b2d4f6", ["c3", "e5"]),
    ("8/8/8/8/8/8/2d5/1S6/D6s w 0 1", "b2d4", []),  # over a dux, which is safe
])
def test_jumps_that_capture(fen: str, move: str, captured: list[str]) -> None:
    assert captures(cases.ruleset("dablot"), fen, move) == captured


def test_a_chain_of_jumps_goes_on_only_by_jumps() -> None:
    position = Position.from_fen(cases.ruleset("dablot"), "8/8/8/8/8/8/2s5/1S6/D6d w 0 1")
    compare_kernels(position)
    assert [str(move) for move in position.legal_moves() if str(move).startswith("b2d4")] == ["b2d4"]


# ---------------------------------------------------------------- bound soldiers and a dux


ALLIGATI = cases.ruleset("alligati")


@pytest.mark.parametrize("marks", ["judged", "kept"])
def test_a_dux_binds_and_is_not_bound(marks: str) -> None:
    ruleset = replace(ALLIGATI, marks=marks)
    for fen, move, after in (
        ("d9/10/10/10/2Ds6/4S5/10/10 w 0 1", "e3e4", "d9/10/10/10/2DbS5/10/10/10"),
        ("D9/10/10/s9/2Sd6/4S5/10/10 w 0 1", "e3e4", "D9/10/10/s9/2SdS5/10/10/10"),
    ):
        position = Position.from_fen(ruleset, fen)
        compare_kernels(position)
        assert position.play(move).fen().split()[0] == after
        assert Described("mine", vars(ruleset)).after(parse(fen), move).pieces == parse(f"{after} w 0 1").pieces


def test_bound_soldiers_do_not_slide_and_are_killed() -> None:
    position = Position.from_fen(ALLIGATI, "d9/10/10/10/2DbS5/10/10/10 b 0 1")
    compare_kernels(position)
    assert {str(move)[:2] for move in position.legal_moves()} == {"a8"}
    position = Position.from_fen(ALLIGATI, "d9/10/10/10/2DbS5/10/10/10 w 0 1")
    assert position.play("xd4").outcome() is not None  # the last soldier


def test_the_last_liberty_of_a_dux_is_a_tactical_move() -> None:
    """In the games that bind, too: it ends the game."""
    position = Position.from_fen(ALLIGATI, "d1S7/s9/10/10/10/10/10/D9 w 0 1")
    move = position.parse_move("c8b8")
    assert move.packed in position.rules.tactical_moves(position.board)
    assert position.play(move).outcome().name == "p1win"  # type: ignore[union-attr]
    compare_kernels(position)


def test_a_move_may_not_shut_in_the_own_dux() -> None:
    guarded = Position.from_fen(ALLIGATI, "9d/10/10/10/10/s9/2S7/DbS7 w 0 1")
    compare_kernels(guarded)
    assert "c2b2" in map(str, guarded.legal_moves())
    assert "c2a2" not in map(str, guarded.legal_moves())
    allowed = replace(ALLIGATI, blocking_own_dux="allowed")
    shut_in = Position.from_fen(allowed, "9d/10/10/10/10/s9/2S7/DbS7 w 0 1").play("c2a2")
    assert shut_in.outcome().name == "p2win"  # type: ignore[union-attr]


def test_a_shut_in_dux_is_freed_by_killing_what_shuts_it_in() -> None:
    """Other kills are illegal, also among the tactical moves, which the compiled core lists by itself."""
    ruleset = replace(ALLIGATI, dux_fate="safe")
    position = Position.from_fen(ruleset, "9d/10/10/10/7b2/10/S9/Db7s w 0 1")
    moves = [str(move) for move in position.legal_moves()]
    assert "xb1" in moves
    assert "xh4" not in moves
    assert [position.named_move(move) for move in position.rules.tactical_moves(position.board)] == ["xb1"]
    compare_kernels(position)
