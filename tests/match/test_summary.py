from dataclasses import replace

import pytest

from latrones_uci.game import Termination
from latrones_uci.match.plan import Format
from latrones_uci.match.progress import render_bar
from latrones_uci.match.record import PlyRecord
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import render_summary
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.stats import Sprt, estimate_from_pairs
from latrones_uci.web.replay import packed_replay
from latrones_uci.web.report.collect import report_game, standing_rows
from latrones_uci.web.report.data import ReportData, ReportEngine, unpaired_note
from latrones_uci.web.report.sections import render_standings
from match_records import NAMES, SETTINGS, ply, record


def test_before_any_game_has_ended() -> None:
    settings = replace(SETTINGS, sprt=Sprt(0, 5))
    text = render_summary(Standings(NAMES), settings, "")
    assert "W-D-L" not in text
    assert "SPRT:           no verdict yet: LLR 0.000" in text
    three = replace(SETTINGS, engines=(*SETTINGS.engines, replace(SETTINGS.engines[0], name="C")),
                    format=Format.ROUND_ROBIN)  # fmt: skip
    assert render_summary(Standings(("A", "B", "C")), three, "").startswith("round-robin of 3: latrones:6x6, 0 games")


def test_half_a_pair_and_the_use_of_time() -> None:
    standings = Standings(NAMES)
    standings.add(record(1, None, Termination.DECIDED, ply(0, 90, 100, None, None), ply(1, 10, 1000, 990, 6)))
    text = render_summary(standings, SETTINGS, "H1")
    assert "Score:          50.00% (0.00% to 100.00%; 95%, from games; no pair is complete)" in text
    assert "Not paired yet" not in text
    assert "A (st=0.1): 1 move, 90.0 ms per move, never over time (closest: 10.0 ms left)" in text
    assert "B (tc=1+0.01): 1 move, depth 6.00, 6 nodes, 10.0 ms per move, never over time (minimum clock" in text
    standings.add(record(2, 0, Termination.TIME_LOSS, offence=ply(1, 103, 100, None, 8)))
    assert "largest overshoot 3.0 ms (margin 0 ms)" in render_summary(standings, SETTINGS, "")


def test_all_figures_of_a_match_come_from_the_same_pairs() -> None:
    """A game of a pair that is not complete yet counts in the games only, and the summary says so."""
    standings = Standings(NAMES)
    for number, winner in ((1, 0), (2, 1), (3, 0), (4, None), (5, 0)):
        standings.add(record(number, winner, Termination.DECIDED))
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
    page = render_standings(ReportData("", "", (ReportEngine("A"), ReportEngine("B")), (), {}, rows))
    assert "<td class=number>4.5/5</td><td class=number>87.5%</td>" in page
    assert unpaired_note(rows) in page
    standings.add(record(6, 0))
    rows = standing_rows(standings, None)
    assert unpaired_note(rows) == ""
    assert [row.share for row in rows] == [standings.total(row.engine).points / 6 for row in rows]


def test_a_match_of_four_wins_and_56_draws_says_one_thing() -> None:
    """4-56-0 in 30 pairs: score, Elo and likelihood of superiority agree whether equality is excluded."""
    standings = Standings(NAMES)
    for number in range(1, 61):
        winner = (0 if number % 2 else 1) if number <= 8 and number % 2 == 0 else None
        standings.add(record(number, winner, Termination.DECIDED))
    found = estimate_from_pairs(standings.meeting(0, 1).pairs)
    assert standings.meeting(0, 1).counts == (4, 56, 0)
    assert (found.score.low > 0.5) == (found.elo.low > 0) == (found.los > 0.975)
    text = render_summary(standings, SETTINGS, "")
    assert f"{found.elo.low:+.1f} to {found.elo.high:+.1f}" in text
    assert "+/-" not in text


@pytest.mark.parametrize(("score", "side", "shown"), [
    (Score(120), 0, 120), (Score(120), 1, -120), (Score(mate=3), 0, "#3"), (Score(mate=3), 1, "#-3"),
    (Score(mate=-2), 0, "#-2"), (Score(mate=-2), 1, "#2"), (Score(mate=0), 0, "#-0"), (Score(mate=0), 1, "#0"),
    (Score(), 1, None)])  # fmt: skip
def test_scores_are_from_whites_point_of_view(score: Score, side: int, shown: object) -> None:
    """In the report as on the pages: a mated White is not drawn as a win of White."""
    assert score.for_white(side) == shown
    game = record(1, 1, Termination.DECIDED, PlyRecord(side, 1, "a1a2", 1, None, None, SearchInfo(score=score)))
    assert packed_replay(None, "", report_game(game).plies).get("score", [None]) == [shown]
