"""Tournaments in this process: what they play, store and report, how they end, and how they are resumed."""

import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine_fixtures import QUICK, FakeSettings
from fakes.fake_engine import FakeEngine
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import EngineStartError, SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.game import Termination
from latrones_uci.match.events import (
    GameFinished,
    GameStarted,
    LiveGames,
    MatchEvent,
    MovePlayed,
    TournamentFinished,
    TournamentStarted,
    Warned,
)
from latrones_uci.match.game import Turn
from latrones_uci.match.progress import render_event
from latrones_uci.match.summary import render_summary
from latrones_uci.match.tournament import FirstMoveError, FirstMoves, ReadingInterruptedError, Tournament
from latrones_uci.match.worker import Place
from latrones_uci.records.database import stored_games, stored_settings
from latrones_uci.records.engine_files import engine_files, files_to_text
from latrones_uci.records.plan import Format
from latrones_uci.records.record import GameRecord, GameTask, PlayedGame, TaskResult
from latrones_uci.records.settings import GameLimits, TournamentSettings
from latrones_uci.records.store import Store
from latrones_uci.stats import Sprt, Verdict, sprt_verdict
from match_play import Listening, Together, run_tournament, texts
from match_records import SETTINGS, played_record, ply, record
from memory_engine import PLAYERS, MemoryProcess
from serving import waited
from watched import write_match

SMALL = (VariantSettings("latrones", "6x6"),)
PATH = Path("match.db")
TWO_PLIES = GameLimits(max_plies=2)


def settings_of(*engines: EngineSettings, **changes: object) -> TournamentSettings:
    values = {"variants": SMALL, "games": 4, "seed": 1, "timeouts": QUICK} | changes
    return TournamentSettings(engines, **values)  # type: ignore[arg-type]


def finished(events: Sequence[MatchEvent]) -> list[GameRecord]:
    return [event.record for event in events if isinstance(event, GameFinished)]


def games_of(events: Sequence[MatchEvent]) -> list[PlayedGame]:
    return [record.game for record in finished(events)]


# ---------------------------------------------------------------- played with engines


def test_a_match_and_its_database(fake_settings: FakeSettings) -> None:
    settings = settings_of(fake_settings("good", name="A"), fake_settings("good", name="B"))
    standings, events = run_tournament(settings, PATH)
    assert standings.games == 4
    records = finished(events)
    assert [record.names for record in records] == [("A", "B"), ("B", "A")] * 2
    assert records[0].game.start == records[1].game.start != records[2].game.start
    # The same two players in swapped seats play the same game twice.
    assert [ply.text for ply in records[0].game.plies] == [ply.text for ply in records[1].game.plies]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record.started) for record in records)
    with Store(PATH, writing=False) as store:
        assert list(stored_games(store, stored_settings(store))) == records
        assert [engine.id_name for engine in store.engines()] == ["Fake good", "Fake good"]
        files = [files_to_text(engine_files(engine)) for engine in settings.engines]
        assert [engine.files for engine in store.engines()] == files
    assert [event.fixture.number for event in events if isinstance(event, GameStarted)] == [1, 2, 3, 4]
    assert isinstance(events[0], TournamentStarted)


def test_names_in_the_database_are_those_of_pgn_and_differ(fake_settings: FakeSettings) -> None:
    engines = fake_settings("good", name="A\u00a0B"), fake_settings("good", name="Fake\tgood"), fake_settings("good")
    settings = settings_of(*engines, games=1, format=Format.ROUND_ROBIN)
    for _ in range(2):  # the second time the match is resumed
        standings, _ = run_tournament(settings, PATH)
        assert standings.names == ("A B", "Fake good (1)", "Fake good (2)")


@pytest.mark.parametrize(("behaviour", "after", "termination", "plies"), [
    ("crash", 1, "crash", [3, 2, 3]),
    ("stall", 1, "stall", [3, 2, 3]),
    ("illegal", 2, "illegal move", [5, 4, 5]),  # it need not be started again
])
def test_an_engine_that_fails_plays_its_next_game(
    fake_settings: FakeSettings, behaviour: str, after: int, termination: str, plies: list[int]
) -> None:
    control = TimeControl(movetime_ms=100)
    failing = fake_settings(behaviour, after, control=control)
    standings, events = run_tournament(settings_of(fake_settings("good"), failing, games=3), PATH)
    assert standings.meeting(0, 1).counts == (3, 0, 0)
    assert standings.terminations == {f"{termination} of Fake {behaviour}": 3}
    assert [len(game.plies) for game in games_of(events)] == plies
    assert all((game.fault is None) == (behaviour == "illegal") for game in games_of(events))


@pytest.mark.long
def test_interrupted_and_made_longer_it_is_the_same_match(fake_settings: FakeSettings) -> None:
    engines = fake_settings("good", name="A"), fake_settings("good", name="B")
    run_tournament(settings_of(*engines, games=9), Path("whole.db"))
    for games, interrupt_after in [(5, 2), (5, None), (9, 1), (9, 1), (9, None), (9, None)]:
        run_tournament(settings_of(*engines, games=games, concurrency=2), PATH, interrupt_after=interrupt_after)
    assert len(texts(PATH)) == 9
    assert texts(PATH) == texts(Path("whole.db"))


@pytest.mark.parametrize(("changes", "named"), [
    ({"seed": 2}, "setting 'seed' was 1 and is now 2"),
    ({"openings": "random:2"}, "setting 'openings' was 'random:4' and is now 'random:2'"),
    ({"variants": (VariantSettings("latrones"),)}, "setting 'variants' was 'latrones:6x6' and is now 'latrones'"),
    ({"limits": replace(TWO_PLIES, margin_ms=5)}, "setting 'limits.margin_ms' was 0 and is now 5"),
    ({"sprt": Sprt(0, 5)}, "setting 'sprt' was not set and is now 'elo0=0 elo1=5'"),
    ({"games": 2}, "games: 2 is too few"),
    ({"environment": (("MORE", "1"),)}, "'engines[0].environment.MORE' was not set and is now '1'"),
])
def test_another_match_is_not_played_into_the_same_database(
    fake_settings: FakeSettings, changes: dict[str, Any], named: str
) -> None:
    engine = fake_settings("good")
    run_tournament(settings_of(engine, engine, limits=TWO_PLIES), PATH)
    changed = replace(engine, environment=changes.pop("environment", ()))
    with pytest.raises(SettingsError) as raised:
        run_tournament(settings_of(changed, engine, **{"limits": TWO_PLIES} | changes), PATH)
    assert named in str(raised.value)
    assert len(texts(PATH)) == 4


@pytest.mark.process
def test_a_changed_engine_can_be_accepted_and_keeps_its_name(fake_command: Callable[..., tuple[str, ...]]) -> None:
    """As with an engine whose name holds the date of its build."""
    program = Path("engine.py").resolve()
    source = Path(fake_command("good")[1]).read_text(encoding="utf-8")
    program.write_text(source, encoding="utf-8")
    engine = EngineSettings((sys.executable, str(program), "good"), TimeControl(depth=1))
    run_tournament(settings_of(engine, engine, games=1), PATH)
    program.write_text(source.replace("id name Fake", "id name Built today"), encoding="utf-8")
    longer = settings_of(engine, engine, games=2)
    with pytest.raises(SettingsError, match=r"engine 1, 'Fake good \(1\)', has changed since") as raised:
        run_tournament(longer, PATH)
    assert str(raised.value).endswith("its id name was 'Fake good' and is now 'Built today good';"
                                      " to resume with it, use --accept-changed-engine")
    accepted = [event.text for event in run_tournament(longer, PATH, accept_changed=True)[1]
                if isinstance(event, Warned)]
    assert [text.partition("its ")[2].partition(" was")[0] for text in accepted] == ["id name", f"file {program}"] * 2
    run_tournament(longer, PATH)  # it is no change any more
    with Store(PATH, writing=False) as store:
        changes = store.engine_changes()
        assert [(each.engine, each.what) for _, each in changes] == [
            (number, what) for number in (0, 1) for what in ("id name", f"file {program}")]
        assert (changes[0][1].was, changes[0][1].is_now) == ("Fake good", "Built today good")
        assert [engine.id_name for engine in store.engines()] == ["Built today good"] * 2
        names = {name for record in stored_games(store, stored_settings(store)) for name in record.names}
    assert names == {"Fake good (1)", "Fake good (2)"}


def test_interruption_in_a_game_or_while_the_engines_start(fake_settings: FakeSettings) -> None:
    interrupt = threading.Event()
    told: list[str] = []

    def interrupt_at_the_fifth_move(text: str) -> None:
        told.append(text)
        if sum(line.startswith("go ") for line in told) == 5:
            interrupt.set()

    settings = settings_of(fake_settings("stall", 2), fake_settings("good"), timeouts=Timeouts())
    log = Listening(interrupt_at_the_fifth_move)
    standings, events = run_tournament(settings, PATH, interrupt=interrupt, log=log)
    assert (standings.games, standings.interrupted) == (0, 1)
    (game,) = games_of(events)
    assert (game.outcome.termination, game.outcome.result, game.outcome.winner) == (Termination.INTERRUPTED, "*", None)
    assert len(game.plies) == 4
    assert texts(PATH) == {}
    interrupt.clear()
    settings = settings_of(fake_settings("silent", name="A"), fake_settings("good", name="B"))
    log = Listening(lambda text: interrupt.set())
    assert run_tournament(settings, Path("other.db"), interrupt=interrupt, log=log)[0] is None


def test_an_engine_that_does_not_start_ends_the_match(fake_settings: FakeSettings) -> None:
    for concurrency in (1, 2):
        settings = settings_of(fake_settings("good"), fake_settings("dead"), concurrency=concurrency)
        with pytest.raises(EngineStartError, match="does not even start"):
            run_tournament(settings, PATH)


def test_too_few_openings_are_said_and_played_again(fake_settings: FakeSettings) -> None:
    book = Path("book.txt")
    book.write_text("startpos\nstartpos moves a1a2\n", encoding="utf-8")
    engines = fake_settings("good"), fake_settings("good")
    settings = settings_of(*engines, limits=TWO_PLIES, games=6, openings=f"file:{book}")
    _, events = run_tournament(settings, PATH)
    assert [event.text for event in events if isinstance(event, Warned)] == [
        "latrones:6x6: only 2 openings for 3 pairs; openings are repeated"
    ]
    fens = [event.fen for event in events if isinstance(event, GameStarted)]
    assert fens[0] == fens[1] == fens[4] == fens[5] != fens[2] == fens[3]
    # A file that has changed meanwhile is another match.
    book.write_text("startpos moves a1a2\nstartpos\n", encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        run_tournament(replace(settings, games=8), PATH)
    assert str(raised.value) == (
        "opening 1 of 'file:book.txt' differs from the database: the list has changed since the match began; expected"
        " it as it was then, or another --database")


@pytest.mark.parametrize("given", ["options", "variant_path"])
def test_an_engine_with_a_variant_file_of_its_own(fake_settings: FakeSettings, given: str) -> None:
    """Its file is loaded before its name of the variant is set."""
    file = Path("my-latrones.ini").resolve()
    own: dict[str, object] = {"options": (("VariantPath", str(file)),), "variant_path": str(file)}
    other = fake_settings("own-file", variant_names=(("latrones", "my-latrones"),), **{given: own[given]})
    told: list[str] = []
    games = VariantFile(str(file.with_name("games.toml")), '[small]\nparent = "latrones"\n')  # of the referee
    settings = settings_of(fake_settings("good"), other, games=2, limits=TWO_PLIES, variant_file=games)
    run_tournament(settings, PATH, log=Listening(told.append))
    options = [line for line in told if line.startswith("setoption name VariantPath") or line.endswith("my-latrones")]
    assert options == [f"setoption name VariantPath value {file}", "setoption name UCI_Variant value my-latrones"] * 2
    assert {len(moves) for moves in texts(PATH).values()} == {2}


WHITE, BLACK, CRASH, LATE = ply(0, 1, 100, None, 1), ply(1, 1, 100, None, 1), Termination.CRASH, Termination.TIME_LOSS


# A is White in odd games.
@pytest.mark.parametrize(("records", "reported"), [
    ([record(1, 0, CRASH, WHITE), record(2, 1, CRASH)], "engine 'B'"),
    ([record(1, 1, CRASH), record(2, 0, CRASH, WHITE)], "engine 'A'"),
    ([record(1, 0, CRASH, WHITE)], ""),
    ([record(1, 0, CRASH, WHITE, BLACK, WHITE), record(2, 1, CRASH), record(4, 1, CRASH)], ""),
    ([record(1, 0, LATE, WHITE), record(2, 1, LATE)], ""),
    ([record(1, 1, CRASH), record(2, 1, CRASH)], ""),  # one of each
    ([record(1, 1, CRASH), record(2, 0, CRASH), record(3, 1, Termination.RESIGNATION)], ""),  # an answer
    ([record(1, 1, CRASH), record(2, 0, LATE), record(3, 1, CRASH)],
     "engine 'A' failed at its first move in 2 of its 3 games"),
])
def test_only_engines_that_never_made_a_move_are_reported(records: list[GameRecord], reported: str) -> None:
    first_moves = FirstMoves(("A", "B"))
    for each in records:
        first_moves.add(each)
    with pytest.raises(FirstMoveError, match=f"^{reported}") if reported else nullcontext():
        first_moves.check(2)


@pytest.mark.parametrize(("behaviour", "last"), [
    ("crash", "crash (Black: ended with status 3: the fake falls over)"),
    ("no-move", "stall (Black: bestmove '0000', but the player has legal moves)"),
])
@pytest.mark.parametrize(("games", "played"), [(20, 4), (2, 2)])
def test_an_engine_that_never_makes_a_move_ends_the_match(
    fake_settings: FakeSettings, behaviour: str, last: str, games: int, played: int
) -> None:
    settings = settings_of(fake_settings("good", name="A"), fake_settings(behaviour, name="B"), games=games)
    told = f"engine 'B' failed at its first move in all of its {played} games, last by {last}; check its command"
    for _ in range(2):  # rerun, it plays no more games
        with pytest.raises(FirstMoveError) as raised:
            run_tournament(settings, PATH)
        assert str(raised.value).replace("White", "Black").startswith(told)
        assert len(texts(PATH)) == played


class DyingEngine(FakeEngine):
    """Plays the move that wins in the position below, and dies at a command; if ``over``, after the game."""

    def __init__(self, console: MemoryProcess, when: str, over: str = "") -> None:
        super().__init__("ugi", console=console)
        self._when, self._over = when, over

    def read(self, line: str) -> None:
        if line == self._when and (self.game.moves or not self._over):
            self.console.exit(1)
        super().read(line)


class SlowStarter(FakeEngine):
    """Starts at the third attempt."""

    attempts = 0

    def begin(self) -> None:
        SlowStarter.attempts += 1
        if SlowStarter.attempts in (2, 3):  # the first is that before the match
            self.console.error("no memory")
            self.console.exit(1)


def test_an_engine_that_does_not_start_at_once_is_reported(
    fake_settings: FakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PLAYERS, "slow", lambda console: SlowStarter("good", console=console))
    monkeypatch.setattr("latrones_uci.match.worker._START_PAUSE_S", 0)
    engine = EngineSettings(("slow",), TimeControl(depth=1), "A", restart=True)
    settings = settings_of(engine, fake_settings("good", name="B"), games=2, limits=TWO_PLIES)
    standings, events = run_tournament(settings, PATH)
    assert standings.games == 2
    assert [event.text for event in events if isinstance(event, Warned)] == [
        "game 1: engine 'A': ended with status 1: no memory; started again"] * 2


@pytest.mark.parametrize("dying", [("uginewgame",), ("query gameover",), ("query result", "over")])
def test_engines_that_die_when_they_are_asked(
    fake_settings: FakeSettings, monkeypatch: pytest.MonkeyPatch, dying: tuple[str, ...]
) -> None:
    """Before the first move, and for their claims: it costs the one game, unless that is over by then."""
    monkeypatch.setitem(PLAYERS, "dying", DyingEngine)
    Path("book.txt").write_text("3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1\n", encoding="utf-8")
    engine = EngineSettings(("dying", *dying), TimeControl(depth=1), "A", protocol="ugi")
    settings = settings_of(engine, fake_settings("good", name="B"), games=1, variants=(VariantSettings("latrones"),),
                           openings="file:book.txt", limits=GameLimits(check_claims=True))
    standings, events = run_tournament(settings, PATH)
    if "over" in dying:
        assert standings.meeting(0, 1).counts == (1, 0, 0)
        (game,) = games_of(events)
        assert game.outcome.termination.by_rules
        assert any(line.startswith("White: no-response: ") for line in game.violations)
    else:
        assert standings.terminations == {"crash of A": 1}


# ---------------------------------------------------------------- games that end together


class Transactions(Store):
    """Notes the games of each transaction and the verdict."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, writing=True)
        self.seen: list[tuple[list[int], str]] = []

    def add_games(self, records: Sequence[GameRecord], verdict: str = "") -> None:
        super().add_games(records, verdict)
        self.seen.append(([each.fixture.number for each in records], verdict))


def win_of_first(task: GameTask) -> TaskResult:
    game = record(1, int(task.engines[0].name != "A")).game
    return TaskResult((), "2024-05-31T12:00:00Z", replace(game, plies=played_record(1).game.plies))


def play_together(
    play: Callable[[GameTask], TaskResult] = win_of_first, **changes: Any
) -> tuple[list[tuple[list[int], str]], list[MatchEvent], str]:
    """Play a match whose games end together, and are stored before they are told; return the transactions, the events,
    and the error.
    """
    settings, events, error = replace(SETTINGS, **changes), list[MatchEvent](), ""
    write_match(PATH, settings=settings)
    with Transactions(PATH) as store:

        def observe(event: MatchEvent) -> None:
            events.append(event)
            if isinstance(event, GameFinished):
                assert event.record.fixture.number in store.game_numbers()
                assert event.standings.games == len(finished(events))

        try:
            place = Place(Together(settings.concurrency), play)
            Tournament(settings, store, place, observe, threading.Event()).run()
        except EngineStartError as raised:
            error = str(raised)
    assert [path.name for path in Path().iterdir()] == [PATH.name]
    assert isinstance(events[-1], TournamentFinished)
    return store.seen, events, error


def test_games_that_end_together_are_one_transaction_and_one_event_each() -> None:
    transactions, events, _ = play_together(concurrency=5)
    assert transactions == [([1, 2, 3, 4, 5], ""), ([6, 7, 8, 9, 10], "")]
    assert [game.fixture.number for game in finished(events)] == list(range(1, 11))


def test_lost_workers_are_reported_and_counted() -> None:
    lost = "a worker process ended by signal 9; its games are played again"
    place, events = Place(Together(1), win_of_first), list[MatchEvent]()
    place.losses.put(lost)
    settings = replace(SETTINGS, games=2)
    write_match(PATH, settings=settings)
    with Store(PATH, writing=True) as store:
        finished = Tournament(settings, store, place, events.append, threading.Event()).run()
    assert [event.text for event in events if isinstance(event, Warned)] == [lost]
    assert "Lost workers:   1 (their games were played again)" in render_summary(finished.standings, settings, "")
    assert json.loads(render_event(finished))["standings"]["lost_workers"] == 1


def test_games_that_end_with_a_failure_are_stored_before_it_ends_the_match() -> None:
    def play(task: GameTask) -> TaskResult:
        if task.game_number == 2:
            raise EngineStartError("no such program")
        return win_of_first(task)

    transactions, events, error = play_together(play, concurrency=5)
    assert (transactions, error) == ([([1, 3, 4, 5], "")], "no such program")
    assert [game.fixture.number for game in finished(events)] == [1, 3, 4, 5]


def test_a_verdict_is_stored_with_the_game_that_decides_it() -> None:
    transactions, events, _ = play_together(games=1000, concurrency=10, sprt=Sprt(0, 200))
    verdicts = [verdict for _, verdict in transactions]
    assert verdicts == [*[""] * (len(verdicts) - 1), "H1"]
    assert len(finished(events)) == 10 * len(verdicts) < 1000
    assert events[-1].verdict == "H1"  # type: ignore[union-attr]


@pytest.mark.long
@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_game_starts_after_the_verdict_or_when_the_match_is_resumed(concurrency: int) -> None:
    sprt = Sprt(0, 200)
    settings = replace(SETTINGS, games=1000, concurrency=concurrency, sprt=sprt)
    deciding = next(2 * won for won in range(1, 500) if sprt_verdict(sprt, (0, 0, 0, 0, won)) is Verdict.ACCEPT_H1)
    executor = Together(concurrency, one=True)
    write_match(PATH, settings=settings)
    with Store(PATH, writing=True) as store:

        def observe(event: MatchEvent) -> None:
            if isinstance(event, GameFinished) and store.verdict() and executor.pending:
                executor.end_one(0)  # nothing else ends the games that were running when the verdict fell

        for _ in range(2):  # played, and resumed
            ended = Tournament(settings, store, Place(executor, win_of_first), observe, threading.Event()).run()
            assert ended.verdict == "H1"
            assert ended.standings.games == len(store.game_numbers()) == deciding + concurrency - 1


def test_reading_the_games_of_a_database_is_reported_and_interrupted() -> None:
    reports, events, interrupt = list[str](), list[MatchEvent](), threading.Event()

    def report(text: str) -> None:
        reports.append(text)
        if len(reports) == 2:
            interrupt.set()

    write_match(PATH, [played_record(number) for number in range(1, 5)])
    with Store(PATH, writing=True) as store:
        tournament = Tournament(SETTINGS, store, Place(Together(1), win_of_first), events.append, interrupt)
        with pytest.raises(ReadingInterruptedError):
            tournament.run(nullcontext(report))
    assert (reports, events) == ([f"{PATH}: 1 game", f"{PATH}: 2 games"], [])


# ---------------------------------------------------------------- the states of running games

PLIES = played_record(1).game.plies


def test_moves_are_events_while_the_game_runs() -> None:
    """Each once, also if the states skip some, if the game begins again, and if its last moves are not reported."""
    events, live = list[MatchEvent](), LiveGames()
    held, interrupt = Together(2), threading.Event()

    def moves() -> list[int]:
        return [event.number for event in events if isinstance(event, MovePlayed)]

    def play() -> None:
        waited(lambda: held.pending)
        for played, expected in ((2, [1, 2]), (5, [1, 2, 3, 4, 5]), (1, [1, 2, 3, 4, 5, 1])):
            live.report(1, Turn(PLIES, played, (None, None), 0))
            waited(lambda expected=expected: moves() == expected)
        interrupt.set()
        held.end_one(0)

    write_match(PATH)
    # The database belongs to the thread that has opened it, so the tournament runs in this one.
    with Store(PATH, writing=True) as store, ThreadPoolExecutor(1) as thread:
        playing = thread.submit(play)
        Tournament(SETTINGS, store, Place(held, win_of_first, live), events.append, interrupt).run()
        playing.result()
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("GameFinished") == len(kinds) - 2
    assert moves()[6:] == list(range(2, len(PLIES) + 1))
    last = [event for event in events if isinstance(event, MovePlayed)][-1]
    assert (last.fixture.number, last.ply) == (1, PLIES[-1])
