from latrones_uci.client.engine_rules import RUNNER_HELD_UP
from latrones_uci.game import Outcome, Termination
from latrones_uci.match.plan import Fixture
from latrones_uci.match.record import GameRecord, PlayedGame
from latrones_uci.match.standings import Meeting, Standings
from match_records import CLOCK, MOVETIME, MS, NAMES, fixture, ply, record


def standings_of_six() -> Standings:
    standings = Standings(NAMES)
    standings.add(record(1, 0, Termination.DECIDED, ply(0, 99, 100, None, 4), ply(1, 10, 1000, 990, 6)))
    standings.add(record(2, 0, Termination.TIME_LOSS, ply(0, 400, 1000, 600, None),
                         offence=ply(1, 103, 100, None, 8), details="Black: 3.000 ms late"))  # fmt: skip
    standings.add(record(3, None, Termination.REPETITION))
    standings.add(record(4, 1, Termination.CRASH, details="White: ended with status 3"))
    standings.add(record(5, None, Termination.ADJUDICATION, details="unfinished after 9 plies"))
    standings.add(record(6, None, Termination.INTERRUPTED, ply(1, 50, 100, None, 2), violations=("White: odd",)))
    return standings


def test_counts_are_the_first_engines() -> None:
    standings = standings_of_six()
    meeting = standings.meeting(0, 1)
    assert (meeting.counts, meeting.games, meeting.points) == ((2, 2, 1), 5, 3.0)
    # One pair of a point, one of one and a half, and half a pair.
    assert (meeting.pairs, meeting.half_pairs) == ((0, 0, 1, 1, 0), {2: 0.5})
    assert (standings.games, standings.interrupted) == (5, 1)
    assert standings.terminations == {
        "normal: decided on the board": 1,
        "time loss of A": 1,
        "normal: repetition": 1,
        "crash of B": 1,
        "adjudication": 1,
    }
    assert standings.endings == {
        Termination.DECIDED: 1, Termination.TIME_LOSS: 1, Termination.REPETITION: 1, Termination.CRASH: 1,
        Termination.ADJUDICATION: 1,
    }  # fmt: skip
    assert standings.violations == {"B: odd": 1}


def test_the_other_engine_sees_the_same_games() -> None:
    other = standings_of_six().meeting(1, 0)
    assert (other.counts, other.pairs, other.half_pairs) == ((1, 2, 2), (0, 1, 1, 0, 0), {2: 0.5})


def test_pairs_do_not_depend_on_the_order_of_their_games() -> None:
    records = [record(number, winner) for number, winner in [(1, 0), (2, 0), (3, None), (4, 1), (5, 1), (6, None)]]
    found = []
    for order in (records, records[::-1], records[::2] + records[1::2]):
        standings = Standings(NAMES)
        for each in order:
            standings.add(each)
        found.append(standings.meeting(0, 1))
    assert found[0] == found[1] == found[2]
    assert found[0].pairs == (0, 1, 1, 1, 0)


def test_plies_belong_to_engines_not_to_colours() -> None:
    first, second = standings_of_six().engines
    assert (first.plies, first.depth_sum, first.depth_plies, first.node_sum) == (3, 14, 3, 14)
    assert (second.plies, second.depth_sum, second.depth_plies) == (2, 6, 1)
    assert (first.largest_overshoot_ns, first.smallest_clock_left_ns) == (3 * MS, None)
    assert (second.largest_overshoot_ns, second.smallest_clock_left_ns) == (-600 * MS, 600 * MS)


def test_a_round_robin_is_ranked_by_points() -> None:
    standings = Standings(("a", "b", "c"))
    # b beats everyone, c beats a.
    games = [(0, 1, 1), (1, 0, 0), (1, 2, 0), (2, 1, 1), (0, 2, 1), (2, 0, None)]
    for number, (white, black, winner) in enumerate(games):
        of = Fixture(number + 1, number // 2, 0, 0, 0, white, black)
        game = PlayedGame(record(1).game.start, (), Outcome(Termination.DECIDED, winner))
        standings.add(GameRecord(of, ("", ""), (MOVETIME, CLOCK), "", game))
    assert standings.ranking() == [1, 2, 0]
    assert standings.total(1) == Meeting(4, 0, 0, {}, (0, 0, 0, 0, 2))
    assert standings.total(0).counts == (0, 1, 3)
    assert standings.meeting(2, 0) == Meeting(1, 1, 0, {}, (0, 0, 0, 1, 0))
    assert standings.games == 6


def test_fixtures_of_the_helper_are_those_of_the_plan() -> None:
    from latrones_uci.match.plan import Format, fixtures

    assert [fixture(number) for number in range(1, 7)] == list(fixtures(Format.MATCH, 2, 1, 6, 0))


def test_violations_are_counted_by_rule_with_the_first_example() -> None:
    standings = Standings(NAMES)
    standings.add(record(1, 0, violations=("White: search-error: 'one' (20 times)", "Black: blanks: ' x'")))
    standings.add(record(2, 0, violations=("Black: search-error: 'two'", f"White: {RUNNER_HELD_UP}: '0.6 s'")))
    assert standings.violations == {"A: search-error": 21, "B: blanks": 1, f"B: {RUNNER_HELD_UP}": 1}
    assert standings.examples == {"A: search-error": "'one'", "B: blanks": "' x'", f"B: {RUNNER_HELD_UP}": "'0.6 s'"}
    assert standings.faults == {"search-error of A": 21}
    assert standings.engines_violations == 22


def test_violations_of_no_end_of_kinds_fill_no_memory() -> None:
    standings = Standings(NAMES)
    for number in range(1, 102):
        kinds = (f"White: odd {number}-{kind}" for kind in range(20))
        standings.add(record(number, 0, violations=("White: the same", *kinds)))
    assert len(standings.violations) == 1000
    assert standings.violations["A: the same"] == 51
