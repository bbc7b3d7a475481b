"""The games of matches, Swiss tournaments and knockouts as a function of the plan and the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import at_most, examples
from latrones_uci.match.schedule import Schedule, bracket, pair_swiss
from latrones_uci.records.plan import Fixture, Format, Plan, fixtures, openings_needed, pairings

Judge = Callable[[Fixture], int | None]
Met = set[frozenset[int]]


def by_chance(seed: int) -> Judge:
    """Draws and wins of either side, which depend on the players and the opening only."""
    return lambda of: Random(f"{seed} {of.white} {of.black} {of.opening}").choice((0, 1, None))


def better_seed_wins(of: Fixture) -> int:
    return int(of.black < of.white)


def play(schedule: Schedule, judge: Judge, seed: int = 0, most: int = 10**6) -> list[Fixture]:
    """Play games three at a time, which end in any order."""
    chance, played, running = Random(seed), list[Fixture](), list[Fixture]()
    while len(played) < most:
        while len(running) < 3 and (fixture := schedule.take()) is not None:
            running.append(fixture)
        if not running:
            break
        ended = running.pop(chance.randrange(len(running)))
        schedule.add(ended, judge(ended))
        played.append(ended)
    return sorted(played, key=lambda fixture: fixture.number)


def plan(form: Format, engines: int, games: int = 2, **changes: int) -> Plan:
    return replace(Plan(form, engines, 1, games), **changes)  # type: ignore[arg-type]


PLANS = [
    plan(form, engines, games, variants=variants)
    for form in (Format.SWISS, Format.KNOCKOUT)
    for engines, games, variants in ((2, 2, 1), (3, 2, 2), (5, 4, 1), (6, 2, 1), (9, 2, 3))
]

# ---------------------------------------------------------------- matches, gauntlets and round-robins


def test_a_match_swaps_colours_and_changes_openings() -> None:
    assert list(fixtures(Format.MATCH, 2, 1, 5, seed=1)) == [
        Fixture(1, 0, 0, 0, 0, 0, 1),
        Fixture(2, 0, 0, 0, 0, 1, 0),
        Fixture(3, 1, 1, 0, 1, 0, 1),
        Fixture(4, 1, 1, 0, 1, 1, 0),
        Fixture(5, 2, 2, 0, 2, 0, 1),
    ]
    # Variants take turns, each with openings of its own.
    several = list(fixtures(Format.MATCH, 2, 3, 14, seed=1))
    assert [(each.variant, each.opening) for each in several[::2]] == [
        (0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2)]
    assert openings_needed(14, 3) == 3


@pytest.mark.parametrize(("form", "meetings"), [
    (Format.ROUND_ROBIN, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
    (Format.GAUNTLET, [(0, 1), (0, 2), (0, 3)]),
])
def test_everyone_meets_as_often_and_has_white_as_often(form: Format, meetings: list[tuple[int, int]]) -> None:
    assert pairings(form, 4) == meetings
    games = list(fixtures(form, 4, 2, 6, seed=3))
    assert Counter((each.white, each.black) for each in games) == {
        colours: 3 for meeting in meetings for colours in (meeting, meeting[::-1])
    }
    for pair in {each.pair for each in games}:
        first, second = [each for each in games if each.pair == pair]
        assert (first.variant, first.opening, first.white) == (second.variant, second.opening, second.black)
    # In a round all play from the same opening.
    assert {(each.round, each.variant, each.opening) for each in games} == {(0, 0, 0), (1, 1, 0), (2, 0, 1)}


def test_a_longer_tournament_keeps_the_games_of_a_shorter() -> None:
    long = list(fixtures(Format.ROUND_ROBIN, 4, 2, 12, seed=5))
    assert len({each.number for each in long}) == len(long)
    for games in range(1, 9):
        short = list(fixtures(Format.ROUND_ROBIN, 4, 2, games, seed=5))
        assert set(short) <= set(long)
        assert games % 2 or short == long[: len(short)]
    # The seed orders the meetings of a round.
    of_seeds = (fixtures(Format.ROUND_ROBIN, 4, 1, 2, seed) for seed in range(10))
    assert len({tuple((each.white, each.black) for each in games) for games in of_seeds}) > 5


# ---------------------------------------------------------------- pairings of a round


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


@pytest.mark.parametrize(("points", "met", "byes", "pairs", "bye"), [
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
])
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
])
def test_known_brackets(engines: int, order: str) -> None:
    assert " ".join("-" if seed is None else str(seed + 1) for seed in bracket(engines)) == order


# ---------------------------------------------------------------- tournaments in rounds


@pytest.mark.parametrize("form", [Format.SWISS, Format.KNOCKOUT])
def test_the_games_depend_only_on_the_results(form: Format) -> None:
    """In whatever order they end, wherever they are interrupted, and in whatever order they are read."""
    for each in (own for own in PLANS if own.format is form and own.engines < 9):
        for seed in range(at_most(5)):
            judge = by_chance(seed)
            whole = Schedule(each)
            games = play(whole, judge)
            assert [fixture.number for fixture in games] == list(range(1, len(games) + 1))
            assert whole.complete
            assert whole.total == len(games) >= each.games_at_least
            for played in range(len(games) + 1):
                first, resumed = Schedule(each), Schedule(each)
                kept = play(first, judge, seed=played, most=played)
                for fixture in Random(played).sample(kept, len(kept)):
                    resumed.add(fixture, judge(fixture))
                assert play(resumed, judge, seed=1) == [fixture for fixture in games if fixture not in kept]
                assert (resumed.rounds, resumed.total, resumed.strays) == (whole.rounds, whole.total, [])


@pytest.mark.parametrize("each", PLANS, ids=lambda each: f"{each.format.value}-{each.engines}")
def test_each_round_waits_for_the_one_before(each: Plan) -> None:
    schedule = Schedule(each)
    finished, taken = set[int](), list[Fixture]()
    while True:
        while (fixture := schedule.take()) is not None:
            taken.append(fixture)
            assert finished.issuperset(range(1, schedule.stages[-1].first_number))
        if not taken:
            break
        fixture = taken.pop(0)
        finished.add(fixture.number)
        schedule.add(fixture, by_chance(3)(fixture))
    assert schedule.complete


@pytest.mark.parametrize("each", PLANS, ids=lambda each: f"{each.format.value}-{each.engines}")
def test_pairs_swap_colours_and_openings_are_new(each: Plan) -> None:
    games = play(Schedule(each), by_chance(1))
    openings: dict[int, list[int]] = {}
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert second == replace(first, number=first.number + 1, white=first.black, black=first.white)
        for engine in (first.white, first.black):
            openings.setdefault(engine, []).append(first.opening * each.variants + first.variant)
    assert all(turns == sorted(set(turns)) for turns in openings.values())
    assert {fixture.pair for fixture in games} == set(range(len(games) // 2))


@pytest.mark.parametrize("engines", [6, 9])
def test_games_of_a_version_that_paired_in_another_way(engines: int) -> None:
    """They determine the pairings of their round, and the others of the round are paired without them."""
    each = plan(Format.SWISS, engines)
    known = [fixture for fixture in play(Schedule(each), by_chance(1)) if fixture.round < 1]
    whole = Schedule(each)
    for fixture in known:
        whole.add(fixture, by_chance(1)(fixture))
    first, second, *_ = whole.rounds[1].pairings
    swapped = first.engines[0], second.engines[1]
    moved = replace(whole.stages[1].fixture(whole.stages[1].first_number, 1), white=swapped[0], black=swapped[1])
    resumed = Schedule(each)
    for fixture in [*known, moved]:
        resumed.add(fixture, by_chance(1)(fixture))
    assert resumed.rounds[1].pairings[0].engines == swapped
    assert resumed.strays == []
    games = play(resumed, by_chance(1))
    assert resumed.complete
    again = Schedule(each)
    for fixture in Random(1).sample([*known, moved, *games], len(known) + 1 + len(games)):
        again.add(fixture, by_chance(1)(fixture))
    assert again.rounds == resumed.rounds
    impossible = Schedule(each)
    for fixture in [*known, replace(moved, black=engines)]:
        impossible.add(fixture, None)
    assert impossible.strays == [moved.number]


def test_games_of_another_plan_are_strays() -> None:
    schedule = Schedule(plan(Format.SWISS, 4))
    first = schedule.take()
    assert first is not None
    schedule.add(replace(first, black=3), 0)
    assert schedule.strays == [1]
    later = Schedule(plan(Format.SWISS, 4))
    later.add(Fixture(5, 2, 1, 0, 7, 3, 0), None)  # its round is not known yet; another opening
    assert later.strays == []
    play(later, better_seed_wins)
    assert later.strays == [5]


def test_a_swiss_tournament() -> None:
    for engines in (2, 5, 8, 11):
        schedule = Schedule(plan(Format.SWISS, engines, 4))
        games = play(schedule, better_seed_wins)
        assert len(schedule.rounds) == schedule.plan.rounds == {2: 1, 5: 3, 8: 3, 11: 4}[engines]
        assert len(games) == schedule.total == 4 * len(schedule.rounds) * (engines // 2)
        met = [frozenset(pairing.engines) for each in schedule.rounds for pairing in each.pairings]
        assert len(set(met)) == len(met)
        byes = [engine for each in schedule.rounds for engine in each.byes]
        assert len(byes) == len(schedule.rounds) * (engines % 2) == len(set(byes))
        table = schedule.table()
        assert (table[0].engine, table[0].points) == (0, 4.0 * len(schedule.rounds))
        assert sum(row.points for row in table) == len(games) + 4 * len(byes)
        assert {row.engine: row.byes for row in table} == {engine: byes.count(engine) for engine in range(engines)}
        assert schedule.winner is None


def test_points_byes_and_buchholz() -> None:
    """Three engines: C has the bye, then B, after A has won against B and drawn against C."""
    schedule = Schedule(plan(Format.SWISS, 3, 2))
    results = {1: 0, 2: 1, 3: None, 4: None}
    play(schedule, lambda fixture: results[fixture.number])
    assert [(each.pairings[0].engines, each.byes) for each in schedule.rounds] == [((0, 1), [2]), ((0, 2), [1])]
    # A: 2 + 1 and met B (2) and C (3); C: bye (own points) and A (3); B: A (3) and bye (own points).
    assert [(row.engine, row.points, row.byes, row.buchholz) for row in schedule.table()] == [
        (2, 3.0, 1, 6.0), (0, 3.0, 0, 5.0), (1, 2.0, 1, 5.0)]


@pytest.mark.parametrize("engines", [*range(2, 10), 39])
def test_a_knockout_of_the_better_seeds(engines: int) -> None:
    """If the better seed always wins, each round plays 1 - N, 2 - N-1, and so on."""
    schedule = Schedule(plan(Format.KNOCKOUT, engines, 4))
    games = play(schedule, better_seed_wins)
    assert len(games) == schedule.total == 4 * (engines - 1)
    assert schedule.winner == 0
    size = 2 ** len(schedule.rounds)
    for number, each in enumerate(schedule.rounds):
        left = size >> number
        assert {tuple(sorted(pairing.engines)) for pairing in each.pairings} == {
            (seed, left - 1 - seed) for seed in range(left // 2) if left - 1 - seed < engines}
        assert sorted(each.byes) == [seed for seed in range(left // 2) if left - 1 - seed >= engines]
        assert not any(pairing.by_seed or pairing.extra_pairs for pairing in each.pairings)


# The results are those of the first of two engines, and 0 is a win.
@pytest.mark.parametrize(("results", "winner", "total", "by_seed"), [
    ([0, 0], 0, 2, False), ([1, None], 1, 2, False), ([0, 1], None, 4, False),
    ([None, None, 0, 1, None, 1], 1, 6, False),
    # The better seed advances after five extra pairs.
    ([None] * 10, None, 12, False), ([1, 0] * 6, 0, 12, True),
])
def test_level_pairings_play_more_pairs(
    results: Sequence[int | None], winner: int | None, total: int, by_seed: bool
) -> None:
    schedule = Schedule(plan(Format.KNOCKOUT, 2, 2))
    for result in results:
        fixture = schedule.take()
        assert fixture is not None
        schedule.add(fixture, None if result is None else result ^ fixture.white)
    assert (schedule.winner, schedule.total, schedule.complete) == (winner, total, winner is not None)
    [final] = schedule.rounds[0].pairings
    assert (final.by_seed, final.extra_pairs) == (by_seed, total // 2 - 1)
    extra = Fixture(len(results) + 1, len(results) // 2, 0, 0, len(results) // 2, 0, 1)
    assert schedule.take() == (extra if winner is None else None)


def test_only_level_pairings_play_on_and_the_others_wait() -> None:
    """Four engines: 1 - 4 is decided, 2 - 3 needs an extra pair; then the final has openings of its own."""
    schedule = Schedule(plan(Format.KNOCKOUT, 4, 2))
    games = play(schedule, lambda of: None if of.white + of.black == 3 and 0 not in (of.white, of.black)
                 and of.number < 5 else better_seed_wins(of))
    assert [(of.round, {of.white, of.black}, of.opening) for of in games[::2]] == [
        (0, {0, 3}, 0), (0, {1, 2}, 0), (0, {1, 2}, 1), (1, {0, 1}, 2)]


def test_huge_numbers_cost_nothing() -> None:
    """Settings come from files, which may contain anything."""
    for form in (Format.SWISS, Format.KNOCKOUT, Format.MATCH):
        schedule = Schedule(plan(form, 2, 10**18))
        first = schedule.take()
        assert first is not None
        schedule.add(first, 0)
        assert schedule.total == 10**18
