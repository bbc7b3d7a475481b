import io
from dataclasses import replace

import pytest

from latrones_uci.game import Termination
from latrones_uci.match.events import GameFinished, TournamentFinished, TournamentStarted, Warned
from latrones_uci.match.progress import Progress, render_bar
from latrones_uci.match.standings import Standings
from latrones_uci.stats import Sprt
from match_records import NAMES, SETTINGS, record

CLEAR = "\r\x1b[K"


def shown(*, live: bool, quiet: bool, settings: object = SETTINGS) -> str:
    """A match of two games, one of which is interrupted, with a warning."""
    out, standings = io.StringIO(), Standings(NAMES)
    progress = Progress(out, live=live, quiet=quiet)
    progress(TournamentStarted(settings, 4, standings))  # type: ignore[arg-type]
    for each in (record(1, 0), record(2, None, Termination.INTERRUPTED)):
        standings.add(each)
        progress(GameFinished(each, standings, None))
    progress(Warned("only one opening"))
    progress(TournamentFinished(standings, True, "", None))
    return out.getvalue()


def test_a_line_that_is_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = shown(live=True, quiet=False)
    bars = text.split(CLEAR)
    assert bars[1] == "[....................] 0/4"
    assert bars[2].startswith("[#####...............] 1/4  A 1-0-0 100.0%  Elo +inf (no bounds yet)  ")
    assert " games/min  " in bars[2]
    assert bars[2].endswith(" left")
    assert bars[4] == "warning: only one opening\n"
    assert "game 1/4" not in text
    assert "Interrupted:    1 (not counted)" in text


def test_lines_where_there_is_no_screen() -> None:
    text = shown(live=False, quiet=False)
    assert CLEAR not in text
    assert text.startswith("game 1/4: A - B 1-0 in 0 plies, normal (decided) | A 1-0-0, 1/1\n")
    assert "warning: only one opening\n" in text


def test_the_summary_alone() -> None:
    for live in (True, False):
        text = shown(live=live, quiet=True)
        assert CLEAR not in text
        assert text.startswith("warning: only one opening\nA against B: latrones:6x6, 1 game\n")


def test_a_sequential_test_and_long_times_in_the_bar() -> None:
    settings = replace(SETTINGS, sprt=Sprt(0, 5))
    standings = Standings(NAMES)
    for number in (1, 2):
        standings.add(record(number, 0))
    bar = render_bar(standings, settings, 1002, 2, 20.0)
    assert "LLR -0.00 [-2.94, 2.94]" in bar
    assert bar.endswith("6.0 games/min  2:46:40 left")
    assert "LLR 0.00 (-2.94 to 2.94)" in shown(live=False, quiet=False, settings=settings)
