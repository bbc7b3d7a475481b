import dataclasses
import json
from io import StringIO
from math import inf

import pytest

from latrones_uci.client.process import EngineFault
from latrones_uci.game import Termination
from latrones_uci.match.events import Event, GameFinished, GameStarted, TournamentFinished, TournamentStarted, Warned
from latrones_uci.match.plan import Format, Plan, fixtures
from latrones_uci.match.progress import Progress, render_bar, render_event
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import rate_standings, render_elo, render_game_line, render_summary
from latrones_uci.stats import Interval, Sprt, estimate_from_pairs
from match_records import NAMES, SETTINGS, fixture, ply, record

SPRT = Sprt(0, 5, model="normalized")


def standings_of(*winners: int | None) -> Standings:
    """Games from the first on by who won them: 0 White, 1 Black."""
    standings = Standings(NAMES)
    for number, winner in enumerate(winners, start=1):
        standings.add(record(number, winner, Termination.DECIDED, ply(0, 99, 100, None, 4), ply(1, 10, 1000, 990, 6)))
    return standings


def test_the_summary_of_a_match() -> None:
    standings = standings_of(0, 0, None, 1, 1)
    standings.add(record(6, 0, Termination.TIME_LOSS, offence=ply(1, 103, 100, None, 8)))
    standings.add(record(7, None, Termination.INTERRUPTED, violations=("White: odd",)))
    lines = render_summary(standings, dataclasses.replace(SETTINGS, sprt=SPRT), "").splitlines()
    assert lines[:2] == ["A against B: latrones:6x6, 6 games", "W-D-L:          2-1-3"]
    labels = [line.partition(":")[0] for line in lines]
    assert labels[2:9] == ["Score", "Elo difference", "Normalised Elo", "LOS", "Pairs", "Draw ratio", "SPRT"]
    assert lines[6] == "Pairs:          0: 1, ½: 0, 1: 1, 1½: 1, 2: 0 (by points, of 3; pair ratio 1.00)"
    assert lines[8].startswith("SPRT:           no verdict yet: LLR ")
    assert lines[9] == "Interrupted:    1 (not counted)"
    assert "      5 normal: decided on the board" in lines
    assert "      1 time loss of A" in lines
    assert "      1 A: odd" in lines
    assert lines[-2] == (
        "  A (st=0.1): 6 moves, depth 5.33, 5 nodes, 70.0 ms per move, largest overshoot 3.0 ms (margin 0 ms)"
    )
    assert lines[-1].endswith("never over time (minimum clock 990.0 ms)")


def test_the_summary_of_nothing() -> None:
    summary = render_summary(Standings(NAMES), SETTINGS, "")
    assert "0 games" in summary
    assert "Elo" not in summary


def test_the_summary_of_a_round_robin() -> None:
    engines = (*SETTINGS.engines, dataclasses.replace(SETTINGS.engines[1], name="C"))
    settings = dataclasses.replace(SETTINGS, engines=engines, format=Format.ROUND_ROBIN)
    standings = Standings(("A", "B", "C"))
    for number in (1, 2):  # A wins both
        standings.add(record(number, number - 1))
    lines = render_summary(standings, settings, "").splitlines()
    assert lines[0] == "round-robin of 3: latrones:6x6, 2 games"
    assert lines[1].startswith("Ratings:        joint maximum likelihood")
    assert lines[2].split() == ["engine", "Elo", "+/-", "games", "score", "opponents", "draws"]
    assert [lines[3].split()[index] for index in (0, 1, 4, 5)] == ["1", "A", "2", "100.0%"]
    assert [lines[4].split()[index] for index in (0, 1, 4, 5)] == ["2", "B", "2", "0.0%"]
    assert any(line.startswith("LOS in %") for line in lines)
    place = next(place for place, line in enumerate(lines) if line.startswith("Pairings:"))
    assert lines[place + 1] == f"  A - B: 2-0-0, {render_elo(estimate_from_pairs((0, 0, 0, 0, 1)).elo)}"
    assert all(len(line) <= 80 for line in lines[:place])


def test_engines_that_no_games_connect_have_no_ratings() -> None:
    assert rate_standings(Standings(("A", "B", "C", "D"))) is None


def test_elo_in_words() -> None:
    assert render_elo(Interval(27.85, -33.84, 89.31)) == "+27.9 (-33.8 to +89.3)"
    assert render_elo(Interval(338.0, -37.4, inf)) == "+338.0 (-37.4 or more)"
    assert render_elo(Interval(inf, 566.2, inf)) == "+inf (+566.2 or more)"
    assert render_elo(Interval(-inf, -inf, -566.2)) == "-inf (-566.2 or less)"
    assert render_elo(Interval(inf, -inf, inf)) == "+inf (no bounds yet)"


def test_a_line_for_each_game() -> None:
    standings = standings_of(0)
    game = record(2, 0, Termination.STALL, details="Black: no answer")
    standings.add(game)
    assert render_game_line(game, standings, 10, None) == (
        "game 2/10: B - A 1-0 in 0 plies, stall (Black: no answer) | A 1-0-1, 1/2"
    )
    assert render_game_line(game, standings, 10, SPRT).endswith("| A 1-0-1, 1/2, LLR -0.00 (-2.94 to 2.94)")


def test_the_line_of_a_game_has_the_standing_of_its_own_pairing() -> None:
    names = ("A", "B", "C", "D")
    plan = Plan(Format.GAUNTLET, 4, 1, 3)
    standings = Standings(names, plan)
    games = list(fixtures(plan.format, plan.engines, plan.variants, plan.games, plan.seed))
    lines = []
    for place in games:
        white, black = place.white, place.black
        game = dataclasses.replace(record(1, 0), fixture=place, names=(names[white], names[black]))
        standings.add(game)
        lines.append(render_game_line(game, standings, plan.games_at_least, None))
    assert lines[0].startswith("game 1 (1 of 9): A - ")
    assert lines[-1].startswith("game 11 (9 of 9): A - ")  # the second game of each last pair is not played
    last = names[games[-1].black]
    assert lines[-1].endswith(f" | A 2-0-1, 2/3 against {last}")


def test_the_bar() -> None:
    bar = render_bar(standings_of(0, 1, 0), dataclasses.replace(SETTINGS, sprt=SPRT), 10, 2, 4.0)
    assert bar.startswith("[######..............] 3/10  A 3-0-0 100.0%  Elo +inf (no bounds yet)  LLR +")
    assert bar.endswith("30.0 games/min  0:14 left")
    assert render_bar(Standings(NAMES), SETTINGS, 10, 0, 0.0) == "[....................] 0/10"
    assert render_bar(standings_of(0), SETTINGS, 10**6, 1, 60.0).endswith("1.0 games/min  16666:39:00 left")


def events() -> list[Event]:
    standings = Standings(NAMES)
    game = record(1, 0, Termination.CRASH, ply(0, 1, 100, None, 4), details="Black: gone",
                  fault=EngineFault(-11, ("\x1b[2Joh",)), violations=("Black: x",))  # fmt: skip
    started = TournamentStarted(SETTINGS, 10, standings)
    standings.add(game)
    return [
        started,
        GameStarted(fixture(1), NAMES, "a fen"),
        GameFinished(game, standings, 0.25),
        Warned("only one opening"),
        TournamentFinished(standings, True, "H1", 2.99),
    ]


def test_events_as_json_lines() -> None:
    lines = [render_event(event) for event in events()]
    assert all(line.isascii() and "\n" not in line for line in lines)
    began, game_began, game, warning, ended = map(json.loads, lines)
    assert (began["event"], began["games"], began["settings"]["variants"]) == (
        "tournament_started", 10, ["latrones:6x6"],
    )  # fmt: skip
    assert game_began == {
        "event": "game_started", "game": 1, "pair": 0, "round": 0, "variant": 0, "opening": 0, "white": 0, "black": 1,
        "names": ["A", "B"], "fen": "a fen",
    }  # fmt: skip
    assert (game["result"], game["winner"], game["termination"], game["llr"]) == ("1-0", 0, "crash", 0.25)
    assert game["fault"] == {"exit_status": -11, "stderr": ["\x1b[2Joh"]}
    assert game["plies"][0] == {
        "side": 0, "movenumber": 1, "move": "a1a2", "elapsed_ns": 1_000_000, "allowed_ns": 100_000_000,
        "clock_left_ns": None, "score_centi": None, "mate": None, "depth": 4, "nodes": 4, "time_ms": None, "pv": "",
    }  # fmt: skip
    assert game["standings"]["engines"][1] == {
        "engine": 1, "name": "B", "wins": 0, "draws": 0, "losses": 1, "pairs": [0, 0, 0, 0, 0],
    }  # fmt: skip
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


@pytest.mark.parametrize(
    ("live", "quiet", "seen", "unseen"),
    [
        (False, False, ["game 1/10: A - B 1-0", "warning: only one opening", "W-D-L:          1-0-0"], ["\x1b", "##"]),
        (True, False, ["\r\x1b[K[##..", "warning: only one opening\n", "W-D-L:          1-0-0"], ["game 1/10"]),
        (True, True, ["warning: only one opening", "W-D-L:          1-0-0"], ["game 1/10", "[##", "\x1b"]),
    ],
)
def test_progress(live: bool, quiet: bool, seen: list[str], unseen: list[str]) -> None:
    out = StringIO()
    progress = Progress(out, live=live, quiet=quiet)
    for event in events():
        progress(event)
    assert all(text in out.getvalue() for text in seen)
    assert not any(text in out.getvalue() for text in unseen)


def test_the_header_names_the_kernel_of_each_engine_that_reports_one() -> None:
    out = StringIO()
    started = TournamentStarted(SETTINGS, 10, Standings(NAMES), kernels=["native, the fastest available", ""])
    Progress(out, live=False, quiet=False)(started)
    Progress(out, live=False, quiet=True)(started)
    assert out.getvalue() == "A: kernel native, the fastest available\n"
    assert json.loads(render_event(started))["kernels"] == ["native, the fastest available", ""]


def test_a_resumed_match_says_so() -> None:
    out = StringIO()
    Progress(out, live=False, quiet=False)(TournamentStarted(SETTINGS, 10, standings_of(0, 0)))
    assert out.getvalue() == "resumed: 2 of 10 games already played\n"
