"""Rulesets drawn at random from the table of what combines, against the naive board; and the table itself."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from agreement import compare, compare_game
from latrones_uci.game import BoardSizeError, Ruleset, VariantError, builtin_variants, parse_variants
from latrones_uci.game.combinations import problems
from naive.fields import Fields
from rulesets import CHOICES, any_values, as_toml, combines, conditions, rulesets
from strategies import boards


def ruleset_of(fields: Fields) -> Ruleset:
    return parse_variants(as_toml("drawn", fields), builtin_variants())["drawn"]


def compare_ruleset(data: st.DataObject) -> None:
    fields = data.draw(rulesets())
    rules, ruleset, size = naive.Described("drawn", fields), ruleset_of(fields), fields["default_size"]
    drawn = [data.draw(boards(rules, size=size)) for _ in range(6)]
    for board in drawn:
        compare(rules, ruleset, board)
    start = data.draw(st.sampled_from([rules.start(*size), drawn[0]]))
    compare_game(rules, ruleset, start, Random(data.draw(st.integers(0, 2**32 - 1))), plies=20)


@settings(max_examples=120)
@given(data=st.data())
def test_random_rulesets(data: st.DataObject) -> None:
    compare_ruleset(data)


@pytest.mark.slow
@settings(max_examples=600)
@given(data=st.data())
def test_many_random_rulesets(data: st.DataObject) -> None:
    compare_ruleset(data)


def check_acceptance(fields: Fields) -> None:
    try:
        ruleset = ruleset_of(fields)
        found = problems(ruleset)
        ruleset.check_size(*ruleset.default_size)
    except (VariantError, BoardSizeError) as error:
        found = [str(error)]
    broken = [what for what, holds in conditions(fields) if not holds]
    assert (not found) == combines(fields), f"{found} and {broken}: {fields}"
    assert all(line.isprintable() and len(line) < 1_000 for line in found)


@settings(max_examples=300)
@given(fields=any_values())
def test_the_package_accepts_what_combines_and_nothing_else(fields: Fields) -> None:
    check_acceptance(fields)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(fields=any_values())
def test_the_package_accepts_what_combines_many_times_over(fields: Fields) -> None:
    check_acceptance(fields)


def test_draws_combine_and_leave_nothing_out() -> None:
    drawn: set[tuple[str, object]] = set()

    @settings(max_examples=600)
    @given(fields=rulesets())
    def collect(fields: Fields) -> None:
        assert combines(fields)
        drawn.update(fields.items())

    collect()
    wanted = {(key, value) for key, values in CHOICES.items() for value in values}
    assert wanted - drawn == {("board", "wheel"), ("goal", "line")}


@pytest.mark.parametrize("name", naive.FIELDS)
def test_built_in_games_have_the_values_that_their_rules_ask_for(name: str) -> None:
    ruleset = builtin_variants()[name]
    for key, value in (naive.DEFAULTS | naive.FIELDS[name]).items():
        assert getattr(ruleset, key) == value, key
    assert problems(ruleset) == []


def test_rota_is_the_wheel() -> None:
    assert builtin_variants()["rota"].board == "wheel"
    assert problems(builtin_variants()["rota"]) == []
