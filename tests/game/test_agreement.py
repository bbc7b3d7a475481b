"""Random positions and games, of the variants and of random rulesets: Python agrees with the naive board, and the
compiled kernel with Python; and the conditions that rulesets satisfy.

Rota is only implemented in Python, where it is solved.
"""

import dataclasses
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
import naive
from agreement import compare, compare_game, compare_kernels
from effort import examples
from latrones_uci.game import BoardSizeError, Position, Ruleset, VariantError, builtin_variants, parse_variants
from latrones_uci.game.encoding import ONE_LEG
from latrones_uci.game.ruleset import problems
from naive.fields import Fields
from rulesets import BLOCKING, CHOICES, any_values, as_toml, combines, conditions, rulesets
from strategies import boards, sizes

GAMES = naive.GAMES | naive.EXAMPLE_GAMES
KERNELS = [(kernel, name) for kernel in ("python", "native") for name in GAMES if (kernel, name) != ("native", "rota")]
over_games = pytest.mark.parametrize(("backend", "name"), KERNELS, indirect=["backend"])


@over_games
@examples(40)
@given(data=st.data())
def test_any_board(backend: str, name: str, data: st.DataObject) -> None:
    rules = GAMES[name]
    compare(backend, rules, cases.ruleset(name), data.draw(boards(rules, longest=5 if name == "seega-5x5" else 16)))


@pytest.mark.slow
@over_games
@examples(100)
@given(data=st.data())
def test_many_small_boards(backend: str, name: str, data: st.DataObject) -> None:
    rules = GAMES[name]
    compare(backend, rules, cases.ruleset(name), data.draw(boards(rules, longest=5 if name == "seega-5x5" else 8)))


@pytest.mark.parametrize("name", cases.VARIANTS)
@examples(5)
@given(data=st.data())
def test_random_games(name: str, data: st.DataObject) -> None:
    """From the start, through placement, to the end of the game or close to it."""
    rules = GAMES[name]
    size, seed = data.draw(sizes(rules, longest=8)), data.draw(st.integers(0, 2**32 - 1))
    compare_game(rules, cases.ruleset(name), rules.start(*size), Random(seed), plies=100)


@pytest.mark.usefixtures("native_core")
@pytest.mark.parametrize("name", [name for name in cases.VARIANTS if name != "rota"])
@examples(12)
@given(data=st.data())
def test_positions_of_games(name: str, data: st.DataObject) -> None:
    """On boards of all sizes, with captures at times to make progress."""
    size, chance = data.draw(sizes(GAMES[name])), Random(data.draw(st.integers(0, 2**32 - 1)))
    position = Position.start(cases.ruleset(name), size)
    for ply in range(chance.choice([20, 60, 120])):
        if not (moves := position.legal_moves()):
            break
        if ply % 6 == 0:
            compare_kernels(position)
        captures = [move for move in moves if position.captures(move)] if chance.randrange(3) == 0 else []
        position = position.play(chance.choice(captures or moves))
    compare_kernels(position)


# ---------------------------------------------------------------- random rulesets


def ruleset_of(fields: Fields) -> Ruleset:
    return parse_variants(as_toml("drawn", fields), builtin_variants())["drawn"]


@examples(100)
@given(data=st.data())
def test_random_rulesets(backend: str, data: st.DataObject) -> None:
    fields = data.draw(rulesets())
    rules, ruleset, size = naive.Described("drawn", fields), ruleset_of(fields), fields["default_size"]
    drawn = [data.draw(boards(rules, size=size)) for _ in range(6 if backend == "python" else 4)]
    for board in drawn:
        compare(backend, rules, ruleset, board)
    if backend == "python":
        start = data.draw(st.sampled_from([rules.start(*size), drawn[0]]))
        compare_game(rules, ruleset, start, Random(data.draw(st.integers(0, 2**32 - 1))), plies=20)


@examples(150)
@given(data=st.data())
def test_quiet_moves(data: st.DataObject) -> None:
    """Moves to squares outside ``targets`` neither capture nor decide the game, so counting in bulk is correct."""
    fields = data.draw(rulesets())
    rules, ruleset = naive.Described("drawn", fields), ruleset_of(fields)
    board = data.draw(boards(rules, size=fields["default_size"]))
    position = Position.from_fen(ruleset, naive.render(replace(board, nocapture=0)))
    compiled, own = position.rules, position.board
    targets, tactical = compiled.targets(own), set(compiled.tactical_moves(own))
    for move in position.packed_moves:
        after = compiled.play(own, move)
        if move < ONE_LEG and not compiled.wide[move >> 8] & targets:
            assert after == compiled.play_quiet(own, move), position.named_move(move)
            assert not compiled.decided(after), f"{position.fen()} {position.named_move(move)} of {fields}"
        if move not in tactical and not own[8]:
            assert not compiled.decided(after), f"{position.fen()} {position.named_move(move)} of {fields}"
    if position.perft(1) <= 30:
        assert position.perft(2) == rules.perft(replace(board, nocapture=0), 2), f"{position.fen()} of {fields}"


@pytest.mark.parametrize("fate", ["captured", "immobilised"])
@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("2sd/4/S3/D2S w 0 1", "d1b1"),  # a soldier occupies the last empty neighbour of the dux
        ("s3d/5/3S1/1DS1S/3S1 w 0 1", "b2d2"),  # the dux jumps between pieces
    ],
)
def test_blocking_ones_own_dux_ends_the_game_if_allowed(fate: str, fen: str, move: str) -> None:
    """Such a move captures nothing, but it is not quiet."""
    ruleset = parse_variants(BLOCKING.format(fate=fate), builtin_variants())["blocking"]
    position, rules = Position.from_fen(ruleset, fen), naive.Described("blocking", dataclasses.asdict(ruleset))
    for depth in (1, 2, 3):
        assert position.perft(depth) == rules.perft(naive.parse(fen), depth)
    result = position.play(move).outcome()
    assert (result and result.name) == "p2win"
    assert position.divide(2)[move] == 0
    assert position.parse_move(move).packed in position.rules.tactical_moves(position.board)


def judge(fields: Fields, found: list[str]) -> None:
    """Check that the package finds problems exactly in values that do not combine."""
    broken = [what for what, holds in conditions(fields) if not holds]
    assert (not found) == combines(fields), f"{found} and {broken}: {fields}"
    assert all(line.isprintable() and len(line) < 1_000 for line in found)


@examples(20)
@given(fields=rulesets())
def test_every_change_of_one_value_is_judged_right(fields: Fields) -> None:
    """Most rows of the table come up here: what combines is often a single value away from what does not."""
    ruleset = ruleset_of(fields)
    assert Position.start(ruleset).outcome() is None
    for key, value in [(key, value) for key, values in CHOICES.items() if key != "board" for value in values]:
        try:
            changed = replace(ruleset, **{key: value})
            found = problems(changed)
            changed.check_size(*changed.default_size)
        except (VariantError, BoardSizeError) as error:
            found = [str(error)]
        judge(fields | {key: value}, found)


@examples(100)
@given(fields=any_values())
def test_the_package_accepts_exactly_the_valid_combinations(fields: Fields) -> None:
    try:
        ruleset = ruleset_of(fields)
        found = problems(ruleset)
        ruleset.check_size(*ruleset.default_size)
    except (VariantError, BoardSizeError) as error:
        found = [str(error)]
    judge(fields, found)


@pytest.mark.slow
def test_random_rulesets_are_valid_and_cover_all_values() -> None:
    drawn: set[tuple[str, object]] = set()

    @settings(max_examples=2000)  # with fewer examples, some values are not drawn
    @given(fields=rulesets())
    def collect(fields: Fields) -> None:
        assert combines(fields)
        drawn.update(fields.items())

    collect()
    wanted = {(key, value) for key, values in CHOICES.items() for value in values}
    assert wanted - drawn == {("board", "wheel"), ("goal", "line")}


@pytest.mark.parametrize("name", naive.FIELDS)
def test_built_in_variants_have_the_values_of_their_rules(name: str) -> None:
    ruleset = builtin_variants()[name]
    for key, value in (naive.DEFAULTS | naive.FIELDS[name]).items():
        assert getattr(ruleset, key) == value, key
