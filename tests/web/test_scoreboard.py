"""The finished games of a match as the page shows them, while the database grows or is replaced."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from latrones_uci.game import Termination
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import more_games, rounded
from latrones_uci.records.plan import Format
from latrones_uci.records.record import GameRecord
from latrones_uci.records.serialize import serialize
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoreError
from latrones_uci.stats import Sprt, log_likelihood_ratio
from latrones_uci.web.match.collect import stored_match
from latrones_uci.web.match.figures import elo_text, standing_rows
from latrones_uci.web.match.report import render_report
from latrones_uci.web.match.scoreboard import Scoreboard
from match_records import NAMES, SETTINGS, played_record, record
from watched import add_games, write_match

PATH = Path("match.db")
SPRT = Sprt(0, 50)
TESTED = replace(SETTINGS, sprt=SPRT)
OpenBoard = Callable[..., Scoreboard]


@pytest.fixture
def open_board() -> Iterator[OpenBoard]:
    """A function that writes a match, unless there are no records, and opens its scoreboard."""
    with ExitStack() as opened:

        def open_board(records: Sequence[GameRecord] = (), settings: TournamentSettings = SETTINGS,
                       **options: Any) -> Scoreboard:
            write_match(PATH, records, settings)
            return opened.enter_context(closing(Scoreboard(PATH, **options)))

        yield open_board


def test_games_are_read_as_they_come(open_board: OpenBoard) -> None:
    board = open_board([played_record(2), record(1, 0)])
    assert not board.refresh()
    assert list(board.games) == [1, 2]
    assert board.games[2].plies == len(played_record(2).game.plies)
    add_games(PATH, record(5, 1, Termination.TIME_LOSS, details="Black: late"), record(3))
    assert board.refresh()
    assert list(board.games) == [1, 2, 3, 5]
    late = board.games[5]
    assert (late.termination, late.details, late.result) == ("time loss", "Black: late", "0-1")
    assert board.summary()["played"] == 4
    assert board.list_games(0, 2, lambda game: True) == (4, [late, board.games[3]])
    assert board.list_games(1, 2, lambda game: game.winner is None)[0] == 1
    found = board.find(2)
    assert found is not None
    assert found.game == played_record(2).game
    assert board.find(99) is None


def test_the_figures_are_those_of_the_report() -> None:
    records = [record(number, number % 3 % 2 or None) for number in range(1, 9)]
    write_match(PATH, records, TESTED)
    standings = Standings(NAMES)
    for each in records:
        standings.add(each)
    board = Scoreboard(PATH)
    data = board.summary()
    for shown, row in zip(data["standings"], standing_rows(standings, None), strict=True):
        assert row.elo is not None
        assert (shown["engine"], shown["elo"]) == (row.engine, elo_text(row.elo))
        low, value, high = shown["bar"]
        assert -100 <= low < value < high <= 100
    ratio = log_likelihood_ratio(SPRT, standings.meeting(0, 1).pairs)
    assert data["sprt"]["llr"] == f"{ratio:+.2f}".replace("-", "\u2212")
    assert data["sprt"]["games"] == 8
    assert data["troubles"] == ""


def test_the_ratio_grows_and_its_line_stays_short(open_board: OpenBoard) -> None:
    board = open_board([], TESTED, max_ratios=6)
    assert board.summary()["sprt"]["games"] == 0
    for pair in range(12):
        add_games(PATH, record(2 * pair + 1, 0), record(2 * pair + 2, 1))
        assert board.refresh()
        assert board.summary()["sprt"]["games"] == 2 * pair + 2
    drawing = board.llr_drawing()
    assert drawing.startswith('<svg xmlns="http://www.w3.org/2000/svg" ')
    [line] = [part.partition('"')[0] for part in drawing.split('points="')[1:]]
    assert 3 <= len(line.split()) <= 8
    assert "24 games" in drawing


@pytest.mark.posix  # Windows neither moves nor removes an open database
def test_a_verdict_or_all_games_complete_the_match(open_board: OpenBoard) -> None:
    board = open_board([record(1, 0)], TESTED)
    assert not board.complete
    with Store(PATH, writing=True) as store:
        store.add_games([], "H1")
    assert board.refresh()
    assert (board.complete, board.summary()["sprt"]["verdict"]) == (True, "H1 accepted")
    PATH.unlink()
    board = open_board([record(number) for number in range(1, 11)])
    assert (board.complete, board.summary()["total"], board.summary()["sprt"]) == (True, 10, None)
    assert board.llr_drawing() == ""


def test_the_rest_of_a_sequential_test_is_on_both_pages() -> None:
    settings = replace(TESTED, games=2000)
    records = [record(number, (0, 1, None, 0, 1, 1, None)[number % 7]) for number in range(1, 41)]
    write_match(PATH, records, settings)
    times = iter((0.0, 60.0, 60.0, 60.0))
    board = Scoreboard(PATH, lambda: next(times))
    add_games(PATH, record(41, 0))
    assert board.refresh()
    data, pairs = board.summary(), board.standings.meeting(0, 1).pairs
    more = more_games(settings, pairs)
    assert more is not None
    assert data["sprt"]["rest"] == f"about {rounded(more)} more games, if the difference is as measured"
    assert data["left_s"] == 60 * more
    assert 0 < data["sprt"]["share"] < 1
    with Store(PATH, writing=False) as store:
        assert f"about {rounded(more)} games, if the difference is as measured" in render_report(stored_match(store))


def test_settings_that_are_changed_are_read_again(open_board: OpenBoard) -> None:
    board = open_board([record(1, 0)])
    with Store(PATH, writing=True) as store:
        store.change_settings(serialize(replace(SETTINGS, games=90)))
    before = board.settings
    assert board.refresh()
    assert board.settings is not before
    assert (board.total, list(board.games)) == (90, [1])


@pytest.mark.posix  # Windows neither moves nor removes an open database
def test_a_database_that_is_replaced_is_read_again(open_board: OpenBoard) -> None:
    board = open_board([record(1, 0), record(2, 0)])
    for name in (PATH.name, f"{PATH.name}-wal", f"{PATH.name}-shm"):
        Path(name).unlink(missing_ok=True)
    with pytest.raises(StoreError, match="no longer there"):
        board.refresh()
    write_match(PATH, [record(7, 1)])
    assert board.refresh()
    assert list(board.games) == [7]
    assert board.standings.games == 1


def test_a_tournament_has_a_cross_table(open_board: OpenBoard) -> None:
    third = replace(SETTINGS.engines[0], name="C")
    settings = replace(SETTINGS, engines=(*SETTINGS.engines, third), format=Format.ROUND_ROBIN)
    board = open_board([record(1, 0), record(2, 0)], settings)
    data = board.summary()
    names = [data["engines"][row["engine"]] for row in data["standings"]]
    points = dict(zip(names, data["cross"], strict=True))
    assert points["A"][names.index("B")] == "1 of 2"
    assert points["C"] == [None, None, None]
    assert data["total"] == 30


def test_the_speed_is_that_of_the_games_seen(open_board: OpenBoard) -> None:
    now = [0.0]
    board = open_board([record(1, 0), record(2, 0)], clock=lambda: now[0])
    assert board.summary()["per_minute"] is None
    now[0] = 30.0
    add_games(PATH, record(3, 0), record(4, 0))
    board.refresh()
    data = board.summary()
    assert (data["per_minute"], data["left_s"]) == (4.0, 90)


def test_strange_names_are_made_visible(open_board: OpenBoard) -> None:
    strange = "A\u202e\x1b[31m<img>"
    engines = (replace(SETTINGS.engines[0], name=strange), SETTINGS.engines[1])
    board = open_board([record(1, 0, Termination.CRASH, details="White: \x07")], replace(SETTINGS, engines=engines))
    assert board.summary()["engines"][0] == "A\\u202e\\x1b[31m<img>"
    assert board.games[1].details == "White: \\x07"
