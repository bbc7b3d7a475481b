"""Swiss tournaments and knockouts, from the first game to the table, and resumed after every interruption."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.commands.main import match_main as main
from latrones_uci.game import Outcome, Position, Termination, find_variant
from latrones_uci.match.events import MatchEvent, RoundStarted, TournamentFinished, TournamentStarted, Warned
from latrones_uci.match.progress import ProgressLines, render_event, render_round
from latrones_uci.match.progress_bar import render_bar
from latrones_uci.match.rounds import bracket_places, render_rounds, round_name, rounds_table
from latrones_uci.match.schedule import Schedule
from latrones_uci.match.standings import Standings
from latrones_uci.match.summary import render_summary
from latrones_uci.match.tournament import FirstMoveError
from latrones_uci.match.worker import Place
from latrones_uci.records.database import fingerprint, stored_games, stored_settings
from latrones_uci.records.pgn_read import read_file
from latrones_uci.records.plan import Fixture, Format
from latrones_uci.records.record import GameRecord, GameTask, Identity, PlayedGame, PlyRecord, TaskResult
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoreError
from latrones_uci.web.match.collect import stored_match
from latrones_uci.web.match.report import render_report
from latrones_uci.web.match.scoreboard import Scoreboard
from latrones_uci.web.match.sections import summary_of
from match_play import Together, run_tournament
from match_records import MOVETIME, SETTINGS, ply

PATH = Path("match.db")
RULESET = find_variant("latrones")
FORMATS = [Format.SWISS, Format.KNOCKOUT]


def settings_of(form: Format, names: str = "ABCDE", **changes: Any) -> TournamentSettings:
    engines = tuple(EngineSettings((name,), MOVETIME, name) for name in names)
    values: dict[str, Any] = {"format": form, "games": 2, "variants": SETTINGS.variants, "openings": "random:2"}
    return TournamentSettings(engines, **(values | changes))


def play_task(task: GameTask) -> TaskResult:
    """Return a result that depends on the players and the opening only, or the identity of an engine."""
    names = [engine.name or "" for engine in task.engines]
    identities = tuple(Identity(name, name, "") for name in names)
    if not task.fen:
        return TaskResult(identities)
    winner = Random(" ".join([*names, task.fen])).choice((0, 1, None))
    outcome = Outcome(Termination.REPETITION if winner is None else Termination.DECIDED, winner)
    moves = (ply(0, 1, 100, None, 1), ply(1, 1, 100, None, 1))
    game = PlayedGame(Position.from_fen(RULESET, task.fen), moves, outcome)
    return TaskResult(identities, "2024-05-31T12:00:00Z", game)


def play_with(change: Callable[[GameTask, PlayedGame], PlayedGame]) -> Callable[[GameTask], TaskResult]:
    """Return a function that plays games like ``play_task``, but for a change."""

    def play(task: GameTask) -> TaskResult:
        result = play_task(task)
        return result if result.game is None else replace(result, game=change(task, result.game))

    return play


def run(
    settings: TournamentSettings, path: Path, *, most: int | None = None, play: Any = play_task
) -> list[MatchEvent]:
    """Play a tournament in this thread, up to a number of games."""
    return run_tournament(settings, path, interrupt_after=most, place=Place(Together(1), play))[1]


def records(path: Path = PATH) -> list[GameRecord]:
    with Store(path, writing=False) as store:
        return list(stored_games(store, stored_settings(store)))


def standings_of(settings: TournamentSettings) -> Standings:
    """Return the standings of the games in the database."""
    standings = Standings(tuple(engine.name or "" for engine in settings.engines), settings.plan)
    for record in records():
        standings.add(record)
    return standings


def events_of(events: list[MatchEvent], kind: Any) -> Any:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_it_is_the_same_tournament_after_every_interruption(form: Format) -> None:
    whole = Path("whole.db")
    events = run(settings_of(form), whole)
    games = records(whole)
    assert [record.fixture.number for record in games] == list(range(1, len(games) + 1))
    assert events_of(events, TournamentFinished)[0].interrupted is False
    for most in range(1, len(games)):
        path = Path(f"{most}.db")
        first = run(settings_of(form, concurrency=2), path, most=most)
        assert most <= len(records(path)) <= most + 4  # those that have been submitted before
        # After a kill, a finished game need not be the last one that was started.
        with Store(path, writing=True) as store, store._transaction() as execute:
            for table, column in (("ply", "game"), ("game", "number")):
                execute(f"DELETE FROM {table} WHERE {column} = ?", (most - most % 2,))
        second = run(settings_of(form), path)
        assert records(path) == games
        resumed = events_of(second, TournamentStarted)[0]
        assert resumed.games <= len(games)
        rounds = [(each.round, each.extra, each.pairings) for each in events_of(first + second, RoundStarted)]
        assert list(dict.fromkeys(rounds)) == [
            (each.round, each.extra, each.pairings) for each in events_of(events, RoundStarted)]
    # Nothing is left to be played.
    assert events_of(run(settings_of(form), whole), RoundStarted) == []
    assert records(whole) == games


@pytest.mark.long
def test_more_rounds_are_played_later() -> None:
    run(settings_of(Format.SWISS), PATH)
    games = records()
    longer = settings_of(Format.SWISS, rounds=5)
    run(longer, PATH)
    assert records()[: len(games)] == games
    assert len(records()) == len(games) * 5 // 3
    assert fingerprint(longer) == fingerprint(settings_of(Format.SWISS))
    refused: list[tuple[dict[str, Any], str]] = [
        ({"rounds": 4}, "rounds: 4 is too few: the swiss in 'match.db' has 5; expected at least 5"),
        ({"rounds": 5, "games": 4}, "games: 4 differs from 2 in 'match.db': the pairings of a swiss depend on all"),
    ]
    for changes, message in refused:
        with pytest.raises(SettingsError, match=message):
            run(settings_of(Format.SWISS, **changes), PATH)


def test_games_that_do_not_follow_from_those_before_are_refused() -> None:
    run(settings_of(Format.SWISS), PATH, most=6)
    with Store(PATH, writing=True) as store, store._transaction() as execute:
        execute("UPDATE game SET white = black, black = white WHERE number = 1")
    with pytest.raises(StoreError, match=r"database 'match\.db': game 1 is not one of this swiss"):
        run(settings_of(Format.SWISS), PATH)


@pytest.mark.parametrize("form", FORMATS)
def test_an_engine_that_never_moves_ends_the_tournament(form: Format) -> None:
    def change(task: GameTask, game: PlayedGame) -> PlayedGame:
        side = [engine.name for engine in task.engines].index("E")
        moves = tuple(each for each in game.plies if each.side != side)
        return replace(game, plies=moves, outcome=Outcome(Termination.STALL, 1 - side, "no move"))

    with pytest.raises(FirstMoveError, match="engine 'E' failed at its first move"):
        run(settings_of(form, "AE"), PATH, play=play_with(change))


def test_extra_pairs_beyond_a_book_are_warned_of() -> None:
    Path("book.txt").write_text("startpos\nb1b2 a6a5\n", encoding="utf-8")
    drawn = play_with(lambda task, game: replace(game, outcome=Outcome(Termination.REPETITION, None)))
    events = run(settings_of(Format.KNOCKOUT, "AB", openings="file:book.txt"), PATH, play=drawn)
    assert len(records()) == 12
    [warning] = events_of(events, Warned)
    assert "openings are repeated" in warning.text


# ---------------------------------------------------------------- what is shown


def knockout_standings() -> Standings:
    """A knockout of six engines up to its final: E beats D after an extra pair, and F is level with C for ever."""
    settings = settings_of(Format.KNOCKOUT, "ABCDEF")
    standings = Standings(tuple("ABCDEF"), settings.plan)
    assert standings.schedule is not None
    while standings.schedule.stages[-1].round < 2 and (fixture := standings.schedule.take()) is not None:
        players = {"ABCDEF"[fixture.white], "ABCDEF"[fixture.black]}
        best = "C" if players == {"C", "F"} else min(players) if players != {"D", "E"} or fixture.number < 3 else "E"
        drawn = players == {"C", "F"} or players == {"D", "E"} and fixture.number < 5
        winner = None if drawn else int("ABCDEF"[fixture.black] == best)
        standings.add(record_of(fixture, winner))
    return standings


def record_of(fixture: Fixture, winner: int | None) -> GameRecord:
    start = Position.start(RULESET, (6, 6))
    moves = tuple[PlyRecord, ...]()
    return GameRecord(fixture, ("", ""), (MOVETIME, MOVETIME), "", PlayedGame(start, moves, Outcome(
        Termination.DECIDED if winner is not None else Termination.REPETITION, winner)))


def test_the_bracket_and_the_winner_of_a_knockout() -> None:
    standings = knockout_standings()
    assert standings.schedule is not None
    lines = list(render_rounds(standings.schedule, standings.names))
    assert lines == [
        "Bracket:        2 games for each pairing, final",
        "  quarterfinals",
        "    D - E  1-3  E advances after 1 extra pair",
        "    C - F  6-6  C advances as the better seed, level after 5 extra pairs",
        "    bye: A, B",
        "  semifinals",
        "    A - E  2-0  A advances",
        "    B - C  2-0  B advances",
        "  final",
        "    A - B  0-0",
    ]
    summary = render_summary(standings, settings_of(Format.KNOCKOUT, "ABCDEF"), "")
    assert "\n".join(lines) in summary
    assert "Pairings:" not in summary
    places = bracket_places(standings.schedule)
    assert [len(each) for each in places] == [4, 2, 1]
    assert [place.engines for place in places[0]] == [(0,), (3, 4), (1,), (2, 5)]
    assert (places[0][0].note, places[0][1].note, places[0][1].winner) == ("bye", "after 1 extra pair", 4)

    while (fixture := standings.schedule.take()) is not None:
        standings.add(record_of(fixture, int(fixture.black == 1)))
    lines = list(render_rounds(standings.schedule, standings.names))
    assert lines[0] == "Bracket:        2 games for each pairing"
    assert lines[-2:] == ["    A - B  0-2  B advances", "Winner:         B"]
    data = json.loads(render_event(TournamentFinished(standings, False, "", None)))
    assert data["standings"]["winner"] == 1


def test_long_rounds_are_shortened_and_have_names() -> None:
    plan = settings_of(Format.KNOCKOUT, "".join(map(chr, range(65, 65 + 40)))).plan
    assert [round_name(plan, number) for number in range(plan.rounds)] == [
        "round of 64", "round of 32", "round of 16", "quarterfinals", "semifinals", "final"]
    assert round_name(plan, 5, 2) == "final, extra pair 2"
    names = [f"E{number}" for number in range(40)]
    event = RoundStarted(2, 0, "round of 16", tuple((number, 30 - number) for number in range(15)), (15,), 80)
    line = render_round(event, names)
    assert line.startswith("round of 16: E0 - E30; E1 - E29; ")
    assert line.endswith("; E9 - E21; 5 more; bye: E15")
    # The table of a round that has just begun shows who plays whom.
    schedule = Schedule(settings_of(Format.SWISS, "ABCD").plan)
    assert [line.split()[-1] for line in list(render_rounds(schedule, "ABCD"))[2:]] == ["v3", "v4", "v1", "v2"]


@pytest.mark.long
def test_the_table_fits_a_terminal() -> None:
    names = [f"engine number {number} with a long name" for number in range(16)]
    engines = tuple(EngineSettings((name,), MOVETIME, name) for name in names)
    settings = replace(settings_of(Format.SWISS), engines=engines, rounds=9)
    run(settings, PATH)
    standings = standings_of(settings)
    lines = list(render_rounds(standings.schedule, standings.names))
    assert all(len(line) < 80 for line in lines)
    assert lines[1].split()[-1] == "R9"
    assert "R1" not in lines[1].split()
    found = rounds_table(standings.schedule, standings.names)
    assert found is not None
    assert found.headings[-9:] == tuple(f"R{number}" for number in range(1, 10))


@pytest.mark.long
@pytest.mark.parametrize(("form", "line", "bar", "running"), [
    (Format.SWISS, "round 1 of 3: A - C; B - D; bye: E\n", "0/12  round 1 of 3", "round 2 of 3"),
    (Format.KNOCKOUT, "quarterfinals: D - E; bye: A, B, C\n", "0/8  quarterfinals", ("quarterfinals", "semifinals")),
])
def test_progress_report_and_watch_page_show_the_rounds(
    form: Format, line: str, bar: str, running: str | tuple[str, ...]
) -> None:
    settings, out = settings_of(form), io.StringIO()
    games = int(bar.split()[0].removeprefix("0/"))
    assert render_bar(Standings(tuple("ABCDE"), settings.plan), settings, games, 0, 0) == f"[{'.' * 20}] {bar}"
    events = run(settings, PATH, most=5)
    board = Scoreboard(PATH)
    data = board.summary()
    assert (data["played"], data["complete"]) == (len(records()), False)
    assert data["round"].startswith(running)
    progress = ProgressLines(out, live=False, quiet=False)
    for event in [*events, *run(settings, PATH)]:
        progress(event)
    last = len(records())
    assert line in out.getvalue()
    assert f"game {last}/{last}: " in out.getvalue()
    assert board.refresh()
    data = board.summary()
    board.close()
    standings = standings_of(settings)
    found = rounds_table(standings.schedule, standings.names)
    assert found is not None
    assert (data["complete"], data["round"], data["total"]) == (True, "", standings.games)
    assert data["rounds"]["rows"] == [list(row) for row in found.rows]
    with Store(PATH, writing=False) as store:
        report = stored_match(store)
    page = render_report(report)
    assert ("<h2>Swiss table</h2>" if form is Format.SWISS else '<table class="bracket">') in page
    if form is Format.KNOCKOUT:
        assert standings.schedule is not None
        assert standings.schedule.winner is not None
        assert ("winner", "ABCDE"[standings.schedule.winner]) in summary_of(report)
        assert page.count('<div class="place">') == 4 + 2 + 1
        assert page.count('<div class=won>') == 4 + 2 + 1
        assert '<td rowspan="4">' in page


# ---------------------------------------------------------------- by the command line

# The move of the fakes is legal in the first opening, and the game is drawn after it; in the second, White has lost.
OPENINGS = "startpos\nb1b2 a6a5\na1a2 a6a5\nc1c2 a6a5\na1a3 a6a5\nc1c3 a6a5\n"


def words(form: str) -> Iterator[str]:
    for name in "ABCDE":
        yield from ("--engine", "cmd=instant_engine.py b1b3", f"name={name}")
    yield from ("--each", "nodes=1", "--board", "6x6", "--database", "match.db", "--max-plies", "1", "--openings",
                "book.txt", "--format", form, "--concurrency", "2", "--force")


@pytest.mark.long
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_the_command(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("book.txt").write_text(OPENINGS, encoding="utf-8")
    assert main([*words(form), "--json", "--pgn", "games.pgn"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    started = [event for event in events if event["event"] == "round_started"]
    assert started[0]["pairings"] == ([[0, 2], [1, 3]] if form == "swiss" else [[3, 4]])
    assert started[0]["byes"] == ([4] if form == "swiss" else [0, 1, 2])
    games = records()
    tags = sorted(f"{each.fixture.round + 1}.{each.fixture.number}" for each in games)
    assert sorted(game.tags["Round"] for game in read_file("games.pgn")) == tags
    assert main(["pgn", "match.db"]) == 0
    assert capsys.readouterr().out.count("[Round ") == len(games)
    assert [each.fixture.number for each in games] == list(range(1, len(games) + 1))
    assert len(games) == (12 if form == "swiss" else 2 * 6 * 4)
    with Store(PATH, writing=True) as store, store._transaction() as execute:  # as if it had not ended
        for number in (4, *range(7, len(games) + 1)):
            execute("DELETE FROM ply WHERE game = ?", (number,))
            execute("DELETE FROM game WHERE number = ?", (number,))
    assert main(["resume", "match.db", "--pgn", "games.pgn"]) == 0
    assert sorted(game.tags["Round"] for game in read_file("games.pgn")) == tags  # no game is there twice
    text = capsys.readouterr().out
    assert f"resumed: 5 of {12 if form == 'swiss' else 10} games already played" in text
    assert ("Table:          by points" if form == "swiss" else "Winner:         A") in text
    assert [(each.fixture, each.game.outcome) for each in records()] == [
        (each.fixture, each.game.outcome) for each in games]
    assert main(["resume", "match.db", "--games", "4"]) == 2
    assert "games: 4 differs from 2" in capsys.readouterr().err
    for command in (["report"], ["ratings"]):
        assert main([*command, "match.db"]) == 0
