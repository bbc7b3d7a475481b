"""What ``check_variants`` reports: every error of a file, with key and value as they are in the file."""

from __future__ import annotations

import dataclasses

import pytest

from latrones_uci.game import (
    Position,
    VariantError,
    all_variants,
    builtin_variants,
    check_variants,
    find_variant,
    parse_variants,
)
from latrones_uci.game.ruleset import clashes, keys_at_fault, problems


def problems_of(body: str, parent: str = "latrones") -> list[str]:
    """Return key and text of each problem of one variant."""
    rulesets, found = check_variants(f'[x]\nparent = "{parent}"\n{body}\n', builtin_variants())
    assert bool(found) != bool(rulesets)
    return [f"{problem.key}: {problem.text}" for problem in found]


def test_every_kind_of_error_is_reported_at_once() -> None:
    text = """
    [latrones]
    parent = "nobody"
    colour = "red"
    corner = 1
    board = "grid"
    min_size = "9x9"
    max_size = "8x8"
    default_size = "wide"
    soldier_ranks = 0
    setup = "ranks"
    """
    _, found = check_variants(text, builtin_variants())
    assert [problem.key for problem in found] == [
        "", "colour", "parent", "default_size", "corner", "min_size", "setup, soldier_ranks",
    ]
    _, found = check_variants('[x]\ntitle = "X"\ncolour = "red"\nhand = "3"\n', builtin_variants())
    texts = [f"{problem.key}: {problem.text}" for problem in found]
    assert "setup: missing; expected one of ranks, placement, start" in texts
    assert "no_move: missing; expected one of loss, most_men, pass" in texts
    assert 'hand: expected an integer, not the string "3"' in texts


def test_a_wrong_value_is_not_used_to_judge_others() -> None:
    """With ``setup = "placement"`` all keys for ranks of soldiers are wrong; what was meant is not known."""
    assert problems_of('setup = "rank"\nfewest_men = 99') == [
        'setup: expected one of ranks, placement, start, not "rank"']
    assert len(problems_of('setup = "placement"')) > 1


def test_a_conflict_names_the_keys_at_fault_and_where_their_values_come_from() -> None:
    assert problems_of('capture_chain = "free"\nsoldier_move = "step"')[0] == (
        'capture_chain, dux_move: capture chains need pieces that step; found capture_chain = "free";'
        ' inherited from latrones, set here to change: dux_move = "slide"')
    assert problems_of('directions = "all"\ncustodian = "one"')[0].startswith("directions, soldier_move, dux_move: ")


@pytest.mark.parametrize("name", sorted(all_variants()))
def test_the_keys_at_fault_are_never_without_the_key_that_was_changed(name: str) -> None:
    valid = all_variants()[name]
    for key, value in [("directions", "all"), ("capture_effect", "bind"), ("capture_chain", "free")]:
        changed = dataclasses.replace(valid, **{key: value})
        for keys, words in clashes(changed) if valid.board == "grid" and getattr(valid, key) != value else []:
            fault = keys_at_fault(changed, keys, words)
            assert key in fault
            assert set(fault) <= set(keys.split(", "))


@pytest.mark.parametrize(("line", "text"), [
    ('jump_must_capture = "false"', 'expected true or false, not the string "false"'),
    ("jump_must_capture = 0", "expected true or false, not 0"),
    ('soldier_ranks = "2"', 'expected an integer, not the string "2"'),
    ("soldier_ranks = true", "expected an integer, not true"),
    ("soldier_ranks = 9", "expected 0..8, not 9"),
    ("soldier_ranks = 1.5", "expected an integer, not 1.5"),
    ("title = 5", "expected a string, not 5"),
    ("title = false", "expected a string, not false"),
    ("title = 07:32:00", "expected a string, not 07:32:00"),
    ('title = ["a", true]', 'expected a string, not ["a", true]'),
    ("title = {a = 1}", "expected a string, not {...}"),
    ('title = ""', 'expected a string that is not empty, not ""'),
    ('source = " \\n"', r'expected a string that is not empty, not " \n"'),
    ('title = "a\\nb"', r'expected one line, not "a\nb"'),
    ('title = "a\\u2028b"', r'expected one line, not "a\U00002028b"'),
    ('board = "zzz"', 'expected one of grid, wheel, not "zzz"'),
    ("board = 1", "expected one of grid, wheel, not 1"),
    ("default_size = 8", "expected a size such as 8x8, not 8"),
    ("default_size = [8, 8]", "expected a size such as 8x8, not [8, 8]"),
    ('max_size = "17x8"', 'expected 3x3 to 16x16, not "17x8"'),
    ("parent_ = 5", "unknown key; did you mean 'parent'?"),
    ("solder_ranks = 2", "unknown key; did you mean 'soldier_ranks'?"),
    ("Dux = 2", "unknown key; did you mean 'dux'?"),
    ("speed = 2", "unknown key; expected parent, or a key that 'latrones-uci variants show latrones' prints"),
    ('min_size = "9x9"\nmax_size = "8x8"', '"9x9" does not fit into max_size "8x8"; expected at most "8x8"'),
    ('default_size = "7x7"\nmin_size = "8x8"',
     '"7x7" is not between min_size and max_size; expected "8x8" to "16x16"'),
])
def test_values_are_shown_as_toml_writes_them(line: str, text: str) -> None:
    key = line.splitlines()[0].split(" = ")[0]
    assert problems_of(line) == [f"{key}: {text}"]


def test_requirements_of_the_wheel_are_shown_as_toml_writes_them() -> None:
    found = problems_of('board = "wheel"')
    for line in ('default_size = "3x3"', "jump_must_capture = false", "hand = 3", 'goal = "line"'):
        assert f"{line.split()[0]}: board 'wheel' needs {line}" in found


def test_the_name_of_the_variant_is_given_once() -> None:
    with pytest.raises(VariantError) as caught:
        parse_variants('[x]\nparent = "latrones"\nmin_size = "9x9"\nmax_size = "8x8"\n', builtin_variants())
    assert str(caught.value).count("'x'") == 1
    with pytest.raises(VariantError, match=r"variant 'latrones': min_size: \"9x9\" does not fit into max_size \"8x8\""):
        dataclasses.replace(find_variant("latrones"), min_size=(9, 9), max_size=(8, 8))


# ---------------------------------------------------------------- games that are over before the first move


@pytest.mark.parametrize(("parent", "body", "men"), [
    ("latrones", "", 8),  # the dux does not count
    ("latrones", 'men_counted = "all"', 9),
    ("latrones", "soldier_ranks = 2", 16),
    ("latrones", 'dux = "first_rank"', 7),  # in place of a soldier
    ("latrones", 'default_size = "5x6"\narray = "chequered"', 2),  # White has three
    ("bell", "hand = 4", 5),  # with the dux
    ("bell", 'hand = 4\nfewest_judged = "placed"', 5),
])
def test_a_side_starts_with_enough_pieces(parent: str, body: str, men: int) -> None:
    name, counted = "fewest_men", "pieces" if parent == "bell" or "all" in body else "soldiers"
    assert problems_of(f"{body}\n{name} = {men}", parent) == []
    assert problems_of(f"{body}\n{name} = {men + 1}", parent) == [
        f"{name}: {men + 1}: a side starts with {men} {counted}, and would lose at once; expected at most {men}"]
    entry = f'[x]\nparent = "{parent}"\n{body}\n{name} = {men}\n'
    ruleset = parse_variants(entry, builtin_variants())["x"]
    assert Position.start(ruleset).outcome() is None
    if ruleset.fewest_judged == "always":
        assert Position.start(dataclasses.replace(ruleset, fewest_men=men + 1)).outcome() is not None


def test_the_soldiers_leave_an_empty_square() -> None:
    body = 'dux = "first_rank"\ndux_fate = "safe"\nenclosure = false\ndefault_size = "8x6"\nsoldier_ranks = '
    assert problems_of(f"{body}2") == []
    assert problems_of(f"{body}3") == [
        "soldier_ranks: 3: the soldiers fill the board of 6 ranks, and nobody could move; expected at most 2"]


@pytest.mark.parametrize(("body", "shut_in"), [
    ("soldier_ranks = 1", False),
    ("soldier_ranks = 2", True),
    ('soldier_ranks = 2\narray = "chequered"', False),  # the dux of each side is on a square of the soldiers' colour
    ('default_size = "6x8"\nsoldier_ranks = 2\narray = "chequered"', True),
    ('soldier_ranks = 2\ndux_fate = "ordinary"\nblocking_own_dux = "allowed"', False),
])
def test_the_dux_starts_with_an_empty_neighbour(body: str, shut_in: bool) -> None:
    found = problems_of(f'dux = "first_rank"\n{body}')
    assert found == ["dux: first_rank: with 2 soldier_ranks the dux starts without an empty neighbour, and would be"
                     " captured at once; expected front, or a dux_fate ordinary or safe"] * shut_in


@pytest.mark.parametrize(("body", "stuck"), [
    ("soldier_ranks = 2", False),  # the soldier in front of the dux moves
    ("soldier_ranks = 3", True),
    ('soldier_ranks = 3\nblocking_own_dux = "allowed"', False),
    ('soldier_ranks = 3\ndux_jump = "line"', False),
])
def test_a_first_move_leaves_the_dux_an_empty_neighbour(body: str, stuck: bool) -> None:
    entry = 'dux = "first_rank"\ndux_fate = "safe"\nenclosure = false\ndux_jump = "none"\n'
    keys = dict(line.split(" = ") for line in (entry + "jump_must_capture = false\n" + body).splitlines())
    found = problems_of("\n".join(f"{key} = {value}" for key, value in keys.items()))
    assert found == ["dux: first_rank: with 3 soldier_ranks no move leaves the dux an empty neighbour, and nobody could"
                     " move; expected front, or blocking_own_dux allowed"] * stuck


@pytest.mark.parametrize("name", all_variants())
def test_no_built_in_game_is_over_at_the_start(name: str) -> None:
    assert problems(all_variants()[name]) == []
    assert Position.start(all_variants()[name]).outcome() is None


# ---------------------------------------------------------------- names


def test_an_unknown_parent_has_a_hint() -> None:
    expected = f"expected one of {', '.join(builtin_variants())}"
    assert problems_of("", "latrone") == [f"parent: unknown variant 'latrone'; {expected}; did you mean 'latrones'?"]
    assert problems_of("", "nobody") == [f"parent: unknown variant 'nobody'; {expected}"]
    _, found = check_variants('[my-game]\nparent = "bell"\n[other]\nparent = "mygame"\n', builtin_variants())
    assert [problem.text for problem in found if problem.key == "parent"] == [
        f"unknown variant 'mygame'; {expected}; did you mean 'my-game'?"]
    _, found = check_variants("[x]\nparent = 5\n", builtin_variants())
    assert str(found[0]) == "variant 'x': parent: expected a string, not 5"
    with pytest.raises(VariantError, match="^unknown variant 'Latrones'; expected .*; did you mean 'latrones'\\?$"):
        find_variant("Latrones")


def test_a_file_without_variants_is_an_error() -> None:
    for text in ("", "# nothing\n"):
        with pytest.raises(VariantError, match=r"^no variants; expected a table such as \[my-game\]$"):
            parse_variants(text, builtin_variants())
