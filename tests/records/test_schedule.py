"""The games of Swiss tournaments and knockouts as a function of the plan and the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from effort import at_most
from latrones_uci.match.plan import Fixture, Format, Plan
from latrones_uci.match.schedule import Schedule

Judge = Callable[[Fixture], int | None]


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
    finished = Counter[int]()
    taken: list[Fixture] = []
    while True:
        while (fixture := schedule.take()) is not None:
            taken.append(fixture)
            assert all(finished[number] for number in range(1, schedule.stages[-1].first_number))
        if not taken:
            break
        fixture = taken.pop(0)
        finished[fixture.number] += 1
        schedule.add(fixture, by_chance(3)(fixture))
    assert schedule.complete


@pytest.mark.parametrize("each", PLANS, ids=lambda each: f"{each.format.value}-{each.engines}")
def test_pairs_swap_colours_and_openings_are_new(each: Plan) -> None:
    schedule = Schedule(each)
    games = play(schedule, by_chance(1))
    openings: dict[int, list[tuple[int, int]]] = {}
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert (first.white, first.black) == (second.black, second.white)
        assert (first.pair, first.round, first.variant, first.opening) == (
            second.pair, second.round, second.variant, second.opening)  # fmt: skip
        for engine in (first.white, first.black):
            openings.setdefault(engine, []).append((first.opening * each.variants + first.variant, first.round))
    for own in openings.values():
        turns = [turn for turn, _ in own]
        assert turns == sorted(set(turns))
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


def test_nobody_meets_twice_in_half_as_many_rounds_as_engines() -> None:
    for engines in range(2, 15):
        schedule = Schedule(plan(Format.SWISS, engines, 2, swiss_rounds=engines // 2))
        play(schedule, by_chance(engines))
        met = [frozenset(pairing.engines) for each in schedule.rounds for pairing in each.pairings]
        assert len(set(met)) == len(met) == (engines // 2) ** 2


def test_points_byes_and_buchholz() -> None:
    """Three engines: C has the bye, then B, after A has won against B and drawn against C."""
    schedule = Schedule(plan(Format.SWISS, 3, 2))
    results = {1: 0, 2: 1, 3: None, 4: None}
    play(schedule, lambda fixture: results[fixture.number])
    assert [(each.pairings[0].engines, each.byes) for each in schedule.rounds] == [((0, 1), [2]), ((0, 2), [1])]
    # A: 2 + 1 and met B (2) and C (3); C: bye (own points) and A (3); B: A (3) and bye (own points).
    assert [(row.engine, row.points, row.byes, row.buchholz) for row in schedule.table()] == [
        (2, 3.0, 1, 6.0), (0, 3.0, 0, 5.0), (1, 2.0, 1, 5.0)]  # fmt: skip


def test_more_rounds_keep_those_before() -> None:
    judge = by_chance(2)
    short, long = (Schedule(plan(Format.SWISS, 6, 2, swiss_rounds=rounds)) for rounds in (3, 5))
    games = play(short, judge)
    assert play(long, judge)[: len(games)] == games
    assert (short.plan.most_rounds, plan(Format.SWISS, 7).most_rounds) == (5, 7)


@pytest.mark.parametrize("engines", range(2, 10))
def test_a_knockout_of_the_better_seeds(engines: int) -> None:
    schedule = Schedule(plan(Format.KNOCKOUT, engines, 4))
    games = play(schedule, better_seed_wins)
    assert len(games) == schedule.total == 4 * (engines - 1)
    assert schedule.winner == 0
    size = 2 ** len(schedule.rounds)
    for number, each in enumerate(schedule.rounds):
        left = size >> number
        assert {tuple(sorted(pairing.engines)) for pairing in each.pairings} == {
            (seed, left - 1 - seed) for seed in range(left // 2) if left - 1 - seed < engines}  # fmt: skip
        assert sorted(each.byes) == [seed for seed in range(left // 2) if left - 1 - seed >= engines]
        assert not any(pairing.by_seed or pairing.extra_pairs for pairing in each.pairings)


def knockout(results: Sequence[int | None]) -> Schedule:
    """Play a knockout of two engines; the results are those of the first one, and 0 is a win."""
    schedule = Schedule(plan(Format.KNOCKOUT, 2, 2))
    for result in results:
        fixture = schedule.take()
        assert fixture is not None
        schedule.add(fixture, None if result is None else result ^ fixture.white)
    return schedule


def test_level_pairings_play_more_pairs() -> None:
    assert knockout([0, 0]).winner == 0
    assert knockout([1, None]).winner == 1
    level = knockout([0, 1])
    assert (level.winner, level.total, level.complete) == (None, 4, False)
    [final] = level.rounds[0].pairings
    assert (final.extra_pairs, final.points) == (1, [1.0, 1.0])
    extra = level.take()
    assert extra == Fixture(3, 1, 0, 0, 1, 0, 1)
    decided = knockout([None, None, 0, 1, None, 1])
    assert (decided.winner, decided.total, decided.complete) == (1, 6, True)
    assert decided.take() is None
    assert not decided.rounds[0].pairings[0].by_seed


def test_the_better_seed_advances_after_five_extra_pairs() -> None:
    schedule = knockout([None] * 10)
    assert (schedule.winner, schedule.total) == (None, 12)
    schedule = knockout([1, 0] * 6)
    assert (schedule.winner, schedule.total, schedule.complete) == (0, 12, True)
    assert schedule.rounds[0].pairings[0].by_seed


def test_only_level_pairings_play_on_and_the_others_wait() -> None:
    """Four engines: 1 - 4 is decided, 2 - 3 needs an extra pair; then the final has openings of its own."""
    schedule = Schedule(plan(Format.KNOCKOUT, 4, 2))
    games = play(schedule, lambda of: None if of.white + of.black == 3 and 0 not in (of.white, of.black)
                 and of.number < 5 else better_seed_wins(of))  # fmt: skip
    assert [(of.round, {of.white, of.black}, of.opening) for of in games[::2]] == [
        (0, {0, 3}, 0), (0, {1, 2}, 0), (0, {1, 2}, 1), (1, {0, 1}, 2)]  # fmt: skip


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


def test_huge_numbers_cost_nothing() -> None:
    """Settings come from files, which may contain anything."""
    for form in (Format.SWISS, Format.KNOCKOUT, Format.MATCH):
        schedule = Schedule(plan(form, 2, 10**18))
        first = schedule.take()
        assert first is not None
        schedule.add(first, 0)
        assert schedule.total == 10**18
