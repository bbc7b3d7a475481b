"""Nets: the evaluation in both kernels, the file, and its checks."""

from __future__ import annotations

import random
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import naive
from effort import amount, at_most, examples
from latrones_uci.engine.kernels import make_core, wire
from latrones_uci.engine.nets.file import (
    Net,
    NetError,
    Orientation,
    parse_net,
    places_and_turns,
    read_net,
    rules_digest,
)
from latrones_uci.engine.nets.python import net_corrector, net_evaluation, net_evaluator
from latrones_uci.engine.python.evaluation import evaluator, weights_of
from latrones_uci.game import Position, builtin_variants, find_variant, parse_variants
from latrones_uci.game.encoding import men_of
from net_help import random_net
from rulesets import as_toml, rulesets
from strategies import allowed_sizes, boards

WIDTHS = (32, 64, 96, 128, 256)
GAMES = [variant for variant in cases.VARIANTS if variant != "rota"]
LATRONES = find_variant("latrones")


# ---------------------------------------------------------------- evaluation


def compare(positions: list[Position], net: Net) -> set[int]:
    """Check that both kernels value positions of one game and board alike; return the corrections.

    The training of nets has a third definition of the inputs, which its own test compares.
    """
    rules, geometry, corrections = positions[0].rules, positions[0].geometry, set()
    by_hand = evaluator(rules)
    evaluate = net_evaluator(rules, net, by_hand)
    core = make_core(rules.ruleset, geometry.files, geometry.ranks)
    core.use_net(net.wire)
    for position in positions:
        value = evaluate(position.board)
        assert core.value(wire(geometry, position.board)) == value, position
        corrections.add(value - by_hand(position.board))
    return corrections


def walk(start: Position, plies: int, chance: random.Random) -> list[Position]:
    found = [start]
    while len(found) < plies and (moves := found[-1].legal_moves()):
        found.append(found[-1].play(chance.choice(moves)))
    return found[::2]


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("variant", GAMES)
def test_boards_of_all_sizes(variant: str) -> None:
    chance, ruleset = random.Random(variant), find_variant(variant)
    for number in range(amount(5)):
        size = chance.choice(allowed_sizes(naive.GAMES[variant]))
        start = Position.start(ruleset, size)
        few = men_of(start.board, start.geometry) - 2
        net = random_net(ruleset, size, number, WIDTHS[number % 5], orientation=chance.choice(list(Orientation)),
                         least_men=chance.choice((0, few)))
        compare(walk(start, 30, chance), net)


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize(("variant", "all_men"), [("latrones", 18), ("schaedler", 16), ("bell", 34)])
@pytest.mark.parametrize("orientation", list(Orientation))
def test_the_usual_board(variant: str, all_men: int, orientation: Orientation) -> None:
    """And positions with few men, which are not corrected."""
    start, chance = Position.start(variant), random.Random(3)
    assert men_of(start.board, start.geometry) == all_men
    net = random_net(start.ruleset, orientation=orientation, hidden=64)
    few = random_net(start.ruleset, orientation=orientation, least_men=all_men - 1)
    for _ in range(at_most(3)):
        positions = walk(start, 80, chance)
        assert len(compare(positions, net)) > 10
        assert 0 in compare(positions, few) or variant == "schaedler"  # where random moves rarely kill


@pytest.mark.usefixtures("native_core")
@examples(30)
@given(data=st.data())
def test_random_rulesets(data: st.DataObject) -> None:
    fields = data.draw(rulesets())
    ruleset = parse_variants(as_toml("drawn", fields), builtin_variants())["drawn"]
    net = random_net(ruleset, orientation=data.draw(st.sampled_from(list(Orientation))),
                     dux_sides=data.draw(st.booleans()))
    drawn = [data.draw(boards(naive.Described("drawn", fields), size=fields["default_size"])) for _ in range(4)]
    compare([Position.from_fen(ruleset, naive.render(board)) for board in drawn], net)
    assert parse_net(net.pack(), ruleset, net.layout.files, net.layout.ranks) == net


def test_a_dux_sees_the_same_from_all_sides() -> None:
    """The eight images of a position have the same inputs, if the dux of neither side is on a diagonal."""
    correct = net_corrector(Position.start(LATRONES).rules, random_net(LATRONES))
    board = naive.parse("1s4s1/4ss2/3sd3/1s4S1/s3S3/7S/2D5/1S6 w 2 14")
    places, turns = places_and_turns(8, 8, Orientation.DUX)
    values = set()
    for image in places:
        pieces = {(image[r * 8 + f] % 8, image[r * 8 + f] // 8): piece for (f, r), piece in board.pieces.items()}
        values.add(correct(Position.from_fen(LATRONES, naive.render(replace(board, pieces=pieces))).board))
    assert (len(places), len(values)) == (8, 1)
    # The dux of a view is in one triangle, or one quarter.
    assert len({places[turns[1 + square]][square] for square in range(64)}) == 10
    places, turns = places_and_turns(10, 8, Orientation.DUX)
    assert len({places[turns[1 + square]][square] for square in range(80)}) == 20


def test_greatest_and_least_values() -> None:
    net = random_net(LATRONES, hidden=256, limits=())
    start = Position.start(LATRONES)
    assert abs(net_corrector(start.rules, net)(start.board)) < 19_000
    for sign in (1, -1):
        large = replace(net, multiplier=2**31 - 1, output_biases=(sign * 10**6,), outputs=array("h", [0] * 512))
        assert net_corrector(start.rules, large)(start.board) == sign * 18_999
        for by_hand in (-18_999, 0, 18_999):
            evaluate = net_evaluator(start.rules, large, lambda board, value=by_hand: value)
            assert evaluate(start.board) == max(-18_999, min(18_999, sign * 18_999 + by_hand))


def test_shares_of_the_pieces() -> None:
    net = random_net(find_variant("bell"))
    position = Position.from_fen("bell", "S1s1S2s/SS3Ss1/DS1SS3/1ss2s1s/ss4SS/s3S2S/1d1sSSss[-] b 4 17")
    found = net_evaluation(position, net)
    by_hand = evaluator(position.rules)
    evaluate = net_evaluator(position.rules, net, by_hand)
    assert found.total == evaluate(position.board) == found.hand_written + found.correction
    assert found.hand_written == by_hand(position.board)
    assert {square: letter for square, letter, _ in found.shares} == {
        square: letter for square in range(56) if (letter := position.piece_at(square))}
    without = Position.from_fen("bell", "S1s1S2s/SS3Ss1/1S1SS3/1ss2s1s/ss4SS/s3S2S/1d1sSSss[-] b 4 17")
    a5 = position.geometry.parse_square("a5")
    assert (a5, "D", found.total - evaluate(without.board)) in found.shares
    # Latrones has no game without a dux, so it has no share.
    start = Position.start(LATRONES)
    shares = net_evaluation(start, random_net(LATRONES)).shares
    assert [share for _, letter, share in shares if letter in "Dd"] == [None, None]
    assert all(share is not None for _, letter, share in shares if letter not in "Dd")


# ---------------------------------------------------------------- the file


def test_other_rules_and_boards_are_refused() -> None:
    data = random_net(LATRONES).pack()
    with pytest.raises(NetError, match=r"a net for the 8x8 board; expected 12x8"):
        parse_net(data, LATRONES, 12, 8)
    with pytest.raises(NetError, match=r"other rules or weights \(random net 1 of latrones\); expected those of bell"):
        parse_net(data, replace(find_variant("bell"), default_size=(8, 8)), 8, 8)
    with pytest.raises(NetError, match="rota has no net"):
        parse_net(data, find_variant("rota"), 3, 3)


def test_a_net_holds_for_rules_not_for_names() -> None:
    renamed = replace(LATRONES, name="mine", title="Mine", source="me", max_size=(9, 9))
    assert rules_digest(renamed) == rules_digest(LATRONES)
    digests = {rules_digest(ruleset) for ruleset in builtin_variants().values()}
    assert len(digests) == len(builtin_variants())
    for change in ({"nocapture_limit": 50}, {"soldier_ranks": 2}, {"enclosure": False}, {"fewest_men": 2}):
        assert rules_digest(replace(LATRONES, **change)) != rules_digest(LATRONES)  # type: ignore[arg-type]


def test_a_net_holds_for_the_weights_that_it_corrects(monkeypatch: pytest.MonkeyPatch) -> None:
    net = random_net(LATRONES)
    data, rules = net.pack(), rules_digest(LATRONES)
    assert parse_net(data, LATRONES, 8, 8) == net
    heavier = replace(weights_of(LATRONES), threat=weights_of(LATRONES).threat + 1)
    monkeypatch.setattr("latrones_uci.engine.nets.file.weights_of", lambda ruleset: heavier)
    assert rules_digest(LATRONES) == rules
    with pytest.raises(NetError, match="a net for other rules or weights"):
        parse_net(data, LATRONES, 8, 8)


def test_a_damaged_file_is_refused() -> None:
    data = random_net(LATRONES).pack()
    rng = random.Random(1)
    for at in [*range(60), *(rng.randrange(len(data)) for _ in range(at_most(100)))]:
        damaged = bytearray(data)
        damaged[at] ^= 1 << rng.randrange(8)
        with pytest.raises(NetError):
            parse_net(bytes(damaged), LATRONES, 8, 8)
    for length in (0, 1, 7, 8, 50, 100, len(data) - 1):
        with pytest.raises(NetError, match="not a net|cut off"):
            parse_net(data[:length], LATRONES, 8, 8)
    with pytest.raises(NetError, match="checksum"):
        parse_net(data + b"x", LATRONES, 8, 8)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"clip": 0}, "clip 0"),
        ({"clip": 256}, "clip 256"),
        ({"hidden": 33}, "33 hidden units"),
        ({"hidden": 64}, "weights; expected"),
        ({"multiplier": 0}, "multiplier 0"),
        ({"multiplier": 2**31}, "multiplier 2147483648"),
        ({"limits": (9,)}, "weights; expected"),
        ({"limits": (17, 9)}, "out of order"),
        ({"least_men": -1}, "from -1 men"),
        ({"least_men": 1000}, "from 1000 men"),
        ({"title": ""}, "title ''"),
        ({"title": "two\nlines"}, "title"),
        ({"biases": array("h", [32_000] * 32)}, "hidden units of"),
        ({"biases": array("h", [-32_000] * 32)}, "hidden units of"),
        ({"outputs": array("h", [32_000] * 192)}, "sums up to"),
        ({"output_biases": (2**31 - 1, 0, 0)}, "sums up to"),
    ],
)
def test_numbers_out_of_range_are_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(NetError, match=problem):
        replace(random_net(LATRONES), **change)  # type: ignore[arg-type]


def test_paths(tmp_path: Path) -> None:
    net = random_net(LATRONES, (12, 8), hidden=64, orientation=Orientation.DUX, least_men=7)
    net.write(tmp_path / "a.net")
    assert read_net(tmp_path / "a.net", LATRONES, 12, 8) == net
    assert [each.name for each in tmp_path.iterdir()] == ["a.net"]
    long = tmp_path / "long.net"
    long.write_bytes(bytes(2_000_000))
    for path, problem in (
        (tmp_path, "not a regular file"), (tmp_path / "none", "No such file"), (long, "longer than"),
        (Path("a\0b"), "null"),
    ):
        with pytest.raises(NetError, match=problem):
            read_net(path, LATRONES, 8, 8)
