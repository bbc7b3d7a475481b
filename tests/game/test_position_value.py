"""Positions are values: comparable, hashable, immutable."""

import subprocess
import sys

import pytest

import cases
from grouped import grouped, product
from latrones_uci.game import IllegalMoveError, Position, find_variant

FEN = "dS3/5/5/S1D2/4s w 9 30"
ATTRIBUTES = ["ruleset", "geometry", "side", "nocapture", "movenumber", "key", "repetition_key", "hand"]


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_equality_and_hash(variant: str) -> None:
    position, twin = cases.position(variant, FEN), cases.position(variant, FEN)
    assert position == twin
    assert hash(position) == hash(twin)
    assert len({position, twin}) == 1
    assert position != FEN
    for other in (
        FEN.replace("w", "b"), FEN.replace("9", "8"), FEN.replace("30", "31"), FEN.replace("4s", "3s1"),
        FEN.replace("dS", "sS"), "dS4/6/6/S1D3/4s1 w 9 30",
    ):  # fmt: skip
        assert position != cases.position(variant, other), other


def test_positions_of_different_variants_differ() -> None:
    assert len({cases.position(variant, FEN) for variant in cases.DUX_GAMES}) == len(cases.DUX_GAMES)


@pytest.mark.long
@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_positions_stay_equal_after_many_other_boards(variant: str) -> None:
    """Shared tables may have been dropped from a cache in the meantime."""
    position = cases.position(variant, cases.MIDGAMES[variant])
    for other in cases.VARIANTS:
        for files in range(6, 17):
            Position.start(find_variant(other), (files, 8) if other != "rota" else (3, 3))
    twin = cases.position(variant, cases.MIDGAMES[variant])
    assert position == twin
    assert hash(position) == hash(twin)
    assert [position.play(move) for move in position.legal_moves()] == [twin.play(move) for move in twin.legal_moves()]


@grouped("variant, attribute", product(cases.VARIANTS, ATTRIBUTES))
def test_attributes_are_read_only(variant: str, attribute: str) -> None:
    position = cases.position(variant, cases.MIDGAMES[variant])
    with pytest.raises(AttributeError):
        setattr(position, attribute, getattr(position, attribute))


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_no_method_changes_a_position(variant: str) -> None:
    fen = cases.MIDGAMES[variant]
    position, twin = cases.position(variant, fen), cases.position(variant, fen)
    before = hash(position)
    for move in position.legal_moves():
        position.play(move)
        position.captures(move)
        position.parse_move(position.move_text(move))
    position.legal_moves().clear()
    position.hand.clear()
    position.outcome()
    position.perft(3)
    position.divide(2).clear()
    position.diagram()
    with pytest.raises(IllegalMoveError):
        position.parse_move("a1a1")
    assert position == twin
    assert hash(position) == before
    assert position.fen() == fen
    assert position.legal_moves() == twin.legal_moves() != []


@pytest.mark.parametrize("variant", cases.PLACEMENT_GAMES)
def test_changing_the_returned_hand_changes_nothing(variant: str) -> None:
    position = Position.start(find_variant(variant))
    fen, moves = position.fen(), position.legal_moves()
    position.hand["S"] = 99
    position.hand.clear()
    assert (position.fen(), position.legal_moves()) == (fen, moves)


@pytest.mark.parametrize("variant", cases.VARIANTS)
def test_an_illegal_move_changes_nothing(variant: str) -> None:
    position = cases.position(variant, cases.MIDGAMES[variant])
    after = position.play(position.legal_moves()[0])
    fen = after.fen()
    refused = set(position.legal_moves()) - set(after.legal_moves())
    assert refused
    for move in refused:
        with pytest.raises(IllegalMoveError) as caught:
            after.play(move)
        assert position.move_text(move) in str(caught.value)
        with pytest.raises(IllegalMoveError):
            after.captures(move)
    assert after.fen() == fen


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_keys_do_not_depend_on_the_order_of_moves(variant: str) -> None:
    start = cases.position(variant, cases.START_8X8)
    ends = []
    for line in (["a1a3", "h8h6", "c1c4", "b8b7"], ["c1c4", "b8b7", "a1a3", "h8h6"]):
        position = start
        for text in line:
            position = position.play(position.parse_move(text))
        ends.append(position)
    assert ends[0] == ends[1]
    assert ends[0].key == ends[1].key == cases.position(variant, ends[0].fen()).key


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_different_positions_have_different_keys(variant: str) -> None:
    start = cases.position(variant, cases.START_8X8)
    seen = {}
    for first in start.legal_moves():
        for second in start.play(first).legal_moves():
            position = start.play(first).play(second)
            assert 0 <= position.key < 2**64
            assert seen.setdefault(position.key, position.repetition_key) == position.repetition_key
    assert len(set(seen.values())) == len(seen)


@pytest.mark.process
def test_keys_are_the_same_in_every_process() -> None:
    """Independent of the seed of Python's hashes."""
    program = (
        "from latrones_uci.game import *\n"
        "print([Position.start(ruleset).key for ruleset in builtin_variants().values()])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


@pytest.mark.parametrize("variant", cases.DUX_GAMES)
def test_diagram_shows_every_piece(variant: str) -> None:
    diagram = cases.position(variant, "4d/2s2/S4/4s/D4 w 0 1").diagram()
    rows = [line for line in diagram.splitlines() if line.split() and line.split()[0].isdigit()]
    assert [row.split()[0] for row in rows] == ["5", "4", "3", "2", "1"]
    assert [letter for row in rows for letter in row if letter in "SsDd"] == list("dsSsD")


def test_diagram_shows_bound_soldiers() -> None:
    diagram = cases.position("schaedler", "3b/2s1/S3/B3[-] w 0 1").diagram()
    rows = [line for line in diagram.splitlines() if line.split() and line.split()[0].isdigit()]
    assert [letter for row in rows for letter in row if letter in "SsBb"] == list("bsSB")
