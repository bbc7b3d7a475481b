"""The standings of a match, and what is printed of them: progress, events as JSON, and the summary."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import StringIO
from itertools import islice
from math import inf

import pytest

from latrones_uci.client.engine_rules import HELD_UP
from latrones_uci.client.process import EngineFault
from latrones_uci.game import Outcome, Termination
from latrones_uci.match.events import (
    GameFinished,
    GameStarted,
    MatchEvent,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.progress import ProgressLines, render_event
from latrones_uci.match.progress_bar import render_bar
from latrones_uci.match.standings import Meeting, Standings
from latrones_uci.match.summary import rate_standings, render_elo, render_summary
from latrones_uci.records.plan import Fixture, Format
from latrones_uci.records.record import GameRecord, PlayedGame, PlyRecord
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.stats import Interval, Sprt, estimate_from_pairs
from latrones_uci.text.protocol import Score, SearchInfo
from latrones_uci.web.lib.replay import packed_replay
from latrones_uci.web.match.figures import standing_rows, unpaired_note
from latrones_uci.web.match.sections import render_standings
from match_records import CLOCK, MOVETIME, MS, NAMES, SETTINGS, fixture, ply, record

TESTED = replace(SETTINGS, sprt=Sprt(0, 5))
THREE = replace(SETTINGS, engines=(*SETTINGS.engines, replace(SETTINGS.engines[1], name="C")),
                format=Format.ROUND_ROBIN)
WHITE, BLACK = ply(0, 99, 100, None, 4), ply(1, 10, 1000, 990, 6)


def standings_of(*games: GameRecord | int | None) -> Standings:
    """Games from the first on, or by who won them: 0 White, 1 Black."""
    standings = Standings(NAMES)
    for number, game in enumerate(games, start=1):
        whole = game if isinstance(game, GameRecord) else record(number, game, Termination.DECIDED, WHITE, BLACK)
        standings.add(whole)
    return standings


def standings_of_six() -> Standings:
    return standings_of(
        record(1, 0, Termination.DECIDED, WHITE, BLACK),
        record(2, 0, Termination.TIME_LOSS, ply(0, 400, 1000, 600, None), offence=ply(1, 103, 100, None, 8)),
        record(3, None, Termination.REPETITION),
        record(4, 1, Termination.CRASH, details="White: ended with status 3"),
        record(5, None, Termination.ADJUDICATION, details="unfinished after 9 plies"),
        record(6, None, Termination.INTERRUPTED, ply(1, 50, 100, None, 2), violations=("White: odd",)),
    )


# ---------------------------------------------------------------- standings


def test_counts_are_the_first_engines() -> None:
    standings = standings_of_six()
    meeting, other = standings.meeting(0, 1), standings.meeting(1, 0)
    assert (meeting.counts, meeting.games, meeting.points) == ((2, 2, 1), 5, 3.0)
    # One pair of a point, one of one and a half, and half a pair.
    assert (meeting.pairs, meeting.half_pairs) == ((0, 0, 1, 1, 0), {2: 0.5})
    assert (other.counts, other.pairs, other.half_pairs) == ((1, 2, 2), (0, 1, 1, 0, 0), {2: 0.5})
    assert (standings.games, standings.interrupted) == (5, 1)
    assert standings.terminations == {
        "normal: decided": 1, "time loss of A": 1, "normal: repetition": 1, "crash of B": 1,
        "adjudication": 1,
    }
    assert standings.troubles == ["2 faults", "1 violation"]
    assert standings.failures == {
        "fault": "game 2, B - A: time loss of A", "time-loss": "game 2, B - A: time loss of A",
        "violation": "game 6, B - A: B: odd",
    }
    assert standings.violations == {"B: odd": 1}
    # Plies belong to engines, not to colours.
    first, second = standings.engines
    assert (first.plies, first.depth_sum, first.depth_plies, first.node_sum) == (3, 14, 3, 14)
    assert (second.plies, second.depth_sum, second.depth_plies) == (2, 6, 1)
    assert (first.largest_overshoot_ns, first.smallest_clock_left_ns) == (3 * MS, None)
    assert (second.largest_overshoot_ns, second.smallest_clock_left_ns) == (-600 * MS, 600 * MS)


def test_pairs_do_not_depend_on_the_order_of_their_games() -> None:
    records = [record(number, winner) for number, winner in [(1, 0), (2, 0), (3, None), (4, 1), (5, 1), (6, None)]]
    orders = (records, records[::-1], records[::2] + records[1::2])
    found = [standings_of(*order).meeting(0, 1) for order in orders]
    assert found[0] == found[1] == found[2]
    assert found[0].pairs == (0, 1, 1, 1, 0)


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
    assert rate_standings(Standings(("A", "B", "C", "D"))) is None  # no games connect them


def test_violations_are_counted_by_rule_with_the_first_example() -> None:
    standings = standings_of(
        record(1, 0, violations=("White: search-error: 'one' (20 times)", "Black: blanks: ' x'")),
        record(2, 0, violations=("Black: search-error: 'two'", f"White: {HELD_UP}: '0.6 s'")),
    )
    assert standings.violations == {"A: search-error": 21, "B: blanks": 1, f"B: {HELD_UP}": 1}
    assert standings.examples == {"A: search-error": "'one'", "B: blanks": "' x'", f"B: {HELD_UP}": "'0.6 s'"}
    assert standings.faults == {"search-error of A": 21}
    assert standings.troubles == ["21 faults", "1 violation"]
    assert standings.failure({"violation", "time-loss"}) == "violation: game 1, A - B: A: search-error ('one')"
    assert standings.failure({"time-loss"}) == ""


def test_violations_of_no_end_of_kinds_fill_no_memory() -> None:
    kinds = [tuple(f"White: odd {number}-{kind}" for kind in range(20)) for number in range(1, 102)]
    standings = standings_of(*(record(number, 0, violations=("White: the same", *each))
                               for number, each in enumerate(kinds, start=1)))
    assert len(standings.violations) == 1000
    assert standings.violations["A: the same"] == 51


# ---------------------------------------------------------------- the summary


def test_the_summary_of_a_match() -> None:
    lost = record(6, 0, Termination.TIME_LOSS, offence=ply(1, 103, 100, None, 8))
    interrupted = record(7, None, Termination.INTERRUPTED, violations=("White: odd",))
    standings = standings_of(0, 0, None, 1, 1, lost, interrupted)
    lines = render_summary(standings, replace(SETTINGS, sprt=Sprt(0, 5, model="normalized")), "").splitlines()
    assert lines[:2] == ["A against B: latrones:6x6, 6 games", "W-D-L:          2-1-3"]
    labels = [line.partition(":")[0] for line in lines]
    assert labels[2:9] == ["Score", "Elo difference", "Normalised Elo", "LOS", "Pairs", "Draw ratio", "SPRT"]
    assert lines[6] == "Pairs:          0: 1, ½: 0, 1: 1, 1½: 1, 2: 0 (by points, of 3; pair ratio 1.00)"
    assert lines[8].startswith("SPRT:           no verdict yet: LLR ")
    assert lines[9] == "Interrupted:    1 (not counted)"
    for line in ("      5 normal: decided", "      1 time loss of A", "      1 A: odd"):
        assert line in lines
    assert lines[-2] == (
        "  A (st=0.1): 6 moves, depth 5.33, 5 nodes, 70.0 ms per move, largest overshoot 3.0 ms (margin 0 ms)"
    )
    assert lines[-1].endswith("never over time (minimum clock 990.0 ms)")


def test_before_any_game_has_ended_and_after_half_a_pair() -> None:
    text = render_summary(Standings(NAMES), TESTED, "")
    assert "0 games" in text
    assert "SPRT:           no verdict yet: LLR 0.000" in text
    assert "W-D-L" not in text
    assert "Elo" not in render_summary(Standings(NAMES), SETTINGS, "")
    assert render_summary(Standings(("A", "B", "C")), THREE, "").startswith("round-robin of 3: latrones:6x6, 0 games")
    half = standings_of(record(1, None, Termination.DECIDED, ply(0, 90, 100, None, None), BLACK))
    text = render_summary(half, SETTINGS, "H1")
    assert "Score:          50.00% (0.00% to 100.00%; 95%, from games; no pair is complete)" in text
    assert "Not paired yet" not in text
    assert "A (st=0.1): 1 move, 90.0 ms per move, never over time (closest: 10.0 ms left)" in text
    assert "B (tc=1+0.01): 1 move, depth 6.00, 6 nodes, 10.0 ms per move, never over time (minimum clock" in text


def test_all_figures_of_a_match_come_from_the_same_pairs() -> None:
    """A game of a pair that is not complete yet counts in the games only, and the summary says so."""
    standings = standings_of(0, 1, 0, None, 0)
    lines = render_summary(standings, SETTINGS, "").splitlines()
    found = estimate_from_pairs((0, 0, 0, 1, 1))
    assert lines[1] == "W-D-L:          4-1-0"
    bounds = f"{found.score.low:.2%} to 100.00%; 95%, from 2 pairs"
    assert lines[2] == f"Score:          {found.score.value:.2%} ({bounds})"
    assert f"LOS:            {found.los:.2%}" in lines
    assert "Not paired yet: 1 game, in W-D-L and draw ratio only" in lines
    # The progress line, the report and the page of the match show the same score, and say which games it leaves out.
    assert f"A 4-1-0 {found.score.value:.1%}  Elo " in render_bar(standings, SETTINGS, 10, 0, 0.0)
    rows = standing_rows(standings, None)
    assert [row.share for row in rows] == [found.score.value, 1 - found.score.value]
    assert unpaired_note(rows) == "1 game is not paired yet: it counts in points and W-D-L, not in score, Elo and LOS."
    page = render_standings(standings)
    assert "<td class=number>4.5 of 5</td><td class=number>87.5%</td>" in page
    assert unpaired_note(rows) in page
    standings.add(record(6, 0))
    rows = standing_rows(standings, None)
    assert unpaired_note(rows) == ""
    assert [row.share for row in rows] == [standings.total(row.engine).points / 6 for row in rows]


@pytest.mark.parametrize(("interval", "text"), [
    ((27.85, -33.84, 89.31), "+27.9 (-33.8 to +89.3)"), ((338.0, -37.4, inf), "+338.0 (-37.4 or more)"),
    ((inf, 566.2, inf), "+inf (+566.2 or more)"), ((-inf, -inf, -566.2), "-inf (-566.2 or less)"),
    ((inf, -inf, inf), "+inf (no bounds yet)"),
])
def test_elo_in_words(interval: tuple[float, float, float], text: str) -> None:
    assert render_elo(Interval(*interval)) == text


@pytest.mark.parametrize(("score", "side", "shown"), [
    (Score(120), 0, 120), (Score(120), 1, -120), (Score(mate=3), 0, "#3"), (Score(mate=3), 1, "#-3"),
    (Score(mate=-2), 0, "#-2"), (Score(mate=-2), 1, "#2"), (Score(mate=0), 0, "#-0"), (Score(mate=0), 1, "#0"),
    (Score(), 1, None)])
def test_scores_are_from_whites_point_of_view(score: Score, side: int, shown: object) -> None:
    """In the report as on the pages: a mated White is not drawn as a win of White."""
    game = record(1, 1, Termination.DECIDED, PlyRecord(side, 1, "a1a2", 1, None, None, SearchInfo(score=score)))
    assert packed_replay(game.game.start, game.game.plies).get("score", [None]) == [shown]


# ---------------------------------------------------------------- progress


def test_the_bar() -> None:
    bar = render_bar(standings_of(0, 1, 0), SETTINGS, 10, 2, 4.0)
    assert bar == "[######..............] 3/10  A 3-0-0 100.0%  Elo +inf (no bounds yet)  14 s left  30.0 games/min"
    assert render_bar(Standings(NAMES), SETTINGS, 10, 0, 0.0) == "[....................] 0/10"
    assert render_bar(standings_of(0), SETTINGS, 10**6, 1, 60.0).endswith("16666 h 39 min left  1.0 games/min")


def test_the_bar_of_a_sequential_test_is_the_way_between_its_bounds() -> None:
    standings = standings_of_six()
    bar = render_bar(standings, TESTED, 200_000, 5, 60.0, None, 12_345, 79)
    assert bar == "LLR +0.02 [-2.94 .....#.... 2.94]  5 games  2 faults  about 12,000 more"
    more = render_bar(standings, TESTED, 200_000, 5, 60.0)
    assert ("more" in more, "left" in more) == (False, False)  # rather nothing than a time from 200,000 games


@pytest.mark.parametrize("width", [20, 40, 60, 79, 100, 150])
@pytest.mark.parametrize("settings", [SETTINGS, TESTED])
def test_the_bar_leaves_out_what_does_not_fit_and_cuts_no_figure(settings: TournamentSettings, width: int) -> None:
    names = ("test 627f9032e4 of the new search", "base v1.0-273-gabcdef")
    standings = Standings(names)
    for number in range(1, 41):
        termination = Termination.CRASH if number % 3 else Termination.DECIDED
        standings.add(record(number, (0, 1, None, 0)[number % 4], termination))
    whole = render_bar(standings, settings, 200_000, 40, 600.0, None, 4200)
    shown = render_bar(standings, settings, 200_000, 40, 600.0, None, 4200, width)
    assert len(shown) <= width
    assert "27 faults" in shown or width < 60
    known = set(whole.replace("[", " ").replace("]", " ").split())
    for word in shown.replace("[", " ").replace("]", " ").split():
        assert word in known or set(word) <= set("#.") or word.endswith("..."), word


def test_the_bar_of_a_tuning_shortens_names_before_it_leaves_out_values() -> None:
    values = {f"reverse_futility_margin_{number}": 50.0 + number for number in range(3)}
    settings = replace(SETTINGS, games=20000)
    bar = render_bar(standings_of(0, 1), settings, 20000, 2, 10.0, values, None, 79)
    assert bar.startswith("2/20000  ")
    assert [f"{value:.1f}" in bar for value in values.values()] == [True] * 3
    assert len(bar) <= 79


def events() -> Iterator[MatchEvent]:
    """A match of two games, one of which is interrupted, with a warning; the standings grow between the events."""
    standings = Standings(NAMES)
    game = record(1, 0, Termination.CRASH, ply(0, 1, 100, None, 4), details="Black: gone",
                  fault=EngineFault(-11, ("\x1b[2Joh",)), violations=("Black: x",))
    yield TournamentStarted(SETTINGS, 10, standings, kernels=["native, the fastest available", ""])
    yield GameStarted(fixture(1), NAMES, "a fen")
    for each in (game, record(2, None, Termination.INTERRUPTED)):
        standings.add(each)
        yield GameFinished(each, standings, 0.25)
    yield Warned("only one opening")
    yield TournamentFinished(standings, True, "H1", 2.99)


def test_events_as_json_lines() -> None:
    """Their keys are in tests/golden/events.txt."""
    lines = [render_event(event) for event in events()]
    assert all(line.isascii() and "\n" not in line for line in lines)
    began, _, game, _, warning, ended = map(json.loads, lines)
    assert began["kernels"] == ["native, the fastest available", ""]
    assert (game["result"], game["winner"], game["termination"], game["llr"]) == ("1-0", 0, "crash", 0.25)
    assert game["fault"] == {"exit_status": -11, "stderr": ["\x1b[2Joh"]}
    assert warning == {"event": "warning", "text": "only one opening"}
    assert (ended["event"], ended["interrupted"], ended["verdict"]) == ("tournament_finished", True, "H1")
    assert [meeting["engines"] for meeting in ended["meetings"]] == [[0, 1]]


def test_the_estimates_of_the_summary_are_in_the_last_event() -> None:
    standings = standings_of(*[0, 1, None, None, 0, 0, 1, 0, None, 0] * 4)
    (meeting,) = json.loads(render_event(TournamentFinished(standings, False, "", None)))["meetings"]
    assert (meeting["wins"], meeting["draws"], meeting["losses"]) == standings.meeting(0, 1).counts
    assert meeting["pairs"] == list(standings.meeting(0, 1).pairs)
    text = render_summary(standings, SETTINGS, "")
    for label, place in (("Elo difference", "elo"), ("Normalised Elo", "normalized_elo")):
        assert f"{label}: {render_elo(Interval(**meeting[place]))}" in text
    score = meeting["score"]
    assert f"{score['value']:.2%} ({score['low']:.2%} to {score['high']:.2%};" in text
    assert f"{meeting['los']:.2%}" in text
    (open_end,) = json.loads(render_event(TournamentFinished(standings_of(0, 1), False, "", None)))["meetings"]
    assert open_end["elo"]["value"] is None


LIVE, LINES, QUIET = {"live": True, "quiet": False}, {"live": False, "quiet": False}, {"live": True, "quiet": True}


def shown(seen: Iterable[MatchEvent], mode: dict[str, bool]) -> str:
    out = StringIO()
    progress = ProgressLines(out, **mode)
    for event in seen:
        progress(event)
    return out.getvalue()


def test_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is written over, a line for each game where there is no screen, or the summary alone."""
    monkeypatch.setenv("COLUMNS", "200")
    kernels = "A: kernel native, the fastest available\n"
    live, lines, quiet = (shown(events(), mode) for mode in (LIVE, LINES, QUIET))
    bars = live.split("\r\x1b[K")
    assert "[....................] 0/10" in bars
    start = "[##..................] 1/10  1 fault  1 violation  A 1-0-0 100.0%  Elo +inf "
    bar = next(bar for bar in bars if bar.startswith(start))
    assert " left  " in bar
    assert bar.endswith(" games/min")
    assert "warning: only one opening\n" in bars
    crashed = "game 1/10: A - B 1-0 in 1 ply, crash (Black: gone) | A 1-0-0"
    for text in (live, lines):  # a fault is a line on a terminal, too, and so is the first violation of a kind
        assert f"{crashed}\n" in text
        assert "game 1: B: x\n" in text
    assert lines.startswith(f"{kernels}{crashed}\n")
    assert "warning: only one opening\n" in lines
    assert quiet.startswith("warning: only one opening\nA against B: latrones:6x6, 1 game\n")
    assert quiet == shown(events(), {"live": False, "quiet": True})
    for text in (live, lines, quiet):
        assert "Interrupted:    1 (not counted)" in text
        assert ("\x1b" in text) == (text is live)
    resumed = shown([TournamentStarted(SETTINGS, 10, standings_of(0, 0))], LINES)
    assert resumed == "resumed: 2 of 10 games already played\n"
    tested = [TournamentStarted(TESTED, 4, Standings(NAMES)), *islice(events(), 2, 3)]
    assert shown(tested, LINES).endswith(" | A 1-0-0, LLR 0.00\ngame 1: B: x\n")
