from dataclasses import replace

from latrones_uci.game import Termination
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import render_elo, render_summary
from latrones_uci.records.plan import Format
from latrones_uci.stats import EloEstimate, Sprt
from match_records import NAMES, SETTINGS, ply, record


def test_estimates_without_bounds() -> None:
    inf = float("inf")
    assert render_elo(EloEstimate(inf, inf, 100.0, inf)) == "+inf (all games won; 95% interval from +100.0)"
    assert render_elo(EloEstimate(-inf, inf, -inf, -100.0)) == "-inf (all games lost; 95% interval up to -100.0)"
    assert "+/- unbounded" in render_elo(EloEstimate(3.0, inf, -9.0, 9.0))


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
    assert "(from games; no complete pair)" in text
    assert "A (st=0.1): 1 moves, 90.0 ms per move, never over time (closest: 10.0 ms left)" in text
    assert "B (tc=1+0.01): 1 moves, depth 6.00, 6 nodes, 10.0 ms per move, never over time (minimum clock" in text
    standings.add(record(2, 0, Termination.TIME_LOSS, offence=ply(1, 103, 100, None, 8)))
    assert "largest overshoot 3.0 ms (margin 0 ms)" in render_summary(standings, SETTINGS, "")
