"""Pairings of Swiss rounds and knockout brackets: everyone plays, and nobody meets twice without need."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import at_most, examples
from latrones_uci.match.schedule import bracket, pair_swiss

Met = set[frozenset[int]]


@st.composite
def meetings(draw: st.DrawFn, engines: int) -> Met:
    return {frozenset(pair) for pair in combinations(range(engines), 2) if draw(st.booleans())}


@given(st.data())
@examples(80)
def test_a_swiss_round(data: st.DataObject) -> None:
    engines = data.draw(st.integers(2, 9))
    met = data.draw(meetings(engines))
    points = data.draw(st.lists(st.sampled_from((0.0, 0.5, 1.0, 2.0)), min_size=engines, max_size=engines))
    byes = data.draw(st.sets(st.integers(0, engines - 1), max_size=engines - 1)) if engines % 2 else set()
    pairs, bye = pair_swiss(range(engines), points, met, byes)
    # Everyone plays or has the bye, which nobody has twice.
    free = [] if bye is None else [bye]
    assert sorted([engine for pair in pairs for engine in pair] + free) == list(range(engines))
    assert (bye is not None) == bool(engines % 2)
    assert bye not in byes
    # It is a function of its arguments.
    assert pair_swiss(range(engines)[::-1], points, frozenset(met), sorted(byes, reverse=True)) == (pairs, bye)


@pytest.mark.parametrize(
    ("points", "met", "byes", "pairs", "bye"),
    [
        # The upper half plays the lower half.
        ([0] * 8, "", "", "04 15 26 37", None),
        ([0] * 5, "", "", "02 13", 4),
        # Within score groups; an engine that is left over plays the highest of the group below.
        ([2, 2, 1, 1, 0, 0], "", "", "01 23 45", None),
        ([2, 2, 2, 1, 1, 0], "", "", "01 23 45", None),
        ([1, 2, 1, 2], "", "", "13 02", None),
        # Those that have met play the next best opponent of the group.
        ([0] * 8, "04", "", "05 14 26 37", None),
        ([0] * 4, "02 03", "", "01 23", None),
        # The choice of the first leaves the others an opponent in their group, and no rematch.
        ([1, 1, 1, 1, 0, 0], "12 13", "", "01 23 45", None),
        ([0] * 6, "12 14 15", "", "04 13 25", None),
        # The lowest engine without a bye has it, unless the others had to meet again.
        ([2, 2, 1, 1, 0], "", "4", "01 24", 3),
        ([0] * 3, "01", "", "02", 1),
        # A rematch if there is no other way.
        ([0] * 4, "01 02 03", "", "02 13", None),
    ],
)  # fmt: skip
def test_known_pairings(points: list[float], met: str, byes: str, pairs: str, bye: int | None) -> None:
    known = {frozenset(map(int, pair)) for pair in met.split()}
    found, free = pair_swiss(range(len(points)), points, known, set(map(int, byes)))
    assert ("".join(f"{one}{other} " for one, other in found).rstrip(), free) == (pairs, bye)


@pytest.mark.parametrize("engines", [8, 33, 200])
def test_nobody_meets_again_in_as_many_rounds_as_one_can_win(engines: int) -> None:
    for seed in range(at_most(20)):
        chance, points = Random(seed), [0.0] * engines
        met, byes = Met(), list[int]()
        for _ in range((engines - 1).bit_length() + 1):
            pairs, bye = pair_swiss(range(engines), points, met, byes)
            assert not met.intersection(map(frozenset, pairs))
            met.update(map(frozenset, pairs))
            for pair in pairs:
                points[chance.choice(pair)] += 2
            if bye is not None:
                byes.append(bye)
                points[bye] += 2


@pytest.mark.parametrize(("engines", "order"), [
    (2, "1 2"), (3, "1 - 2 3"), (4, "1 4 2 3"), (5, "1 - 4 5 2 - 3 -"), (6, "1 - 4 5 2 - 3 6"),
    (7, "1 - 4 5 2 7 3 6"), (8, "1 8 4 5 2 7 3 6"), (9, "1 - 8 9 4 - 5 - 2 - 7 - 3 - 6 -"),
])  # fmt: skip
def test_known_brackets(engines: int, order: str) -> None:
    assert " ".join("-" if seed is None else str(seed + 1) for seed in bracket(engines)) == order


def test_better_seeds_meet_later() -> None:
    """If the better seed always wins, each round plays 1 - N, 2 - N-1, and so on."""
    for engines in range(2, 40):
        left: list[int | None] = bracket(engines)
        while len(left) > 1:
            pairs = list(zip(left[::2], left[1::2], strict=True))
            assert {one + other for one, other in pairs if one is not None and other is not None} == {len(left) - 1}
            assert all(one is not None or other is not None for one, other in pairs)
            left = [min(seed for seed in pair if seed is not None) for pair in pairs]
        assert left == [0]
