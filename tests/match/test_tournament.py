import dataclasses
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts
from latrones_uci.client.errors import EngineStartError, SettingsError
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.game import Termination
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.database import stored_games, stored_settings
from latrones_uci.match.events import GameFinished, GameStarted, TournamentStarted, Warned
from latrones_uci.match.plan import Format
from latrones_uci.match.record import GameRecord
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.store import Store
from latrones_uci.match.tournament import FirstMoveError, FirstMoves
from latrones_uci.stats import Sprt
from match_play import Listening, run_tournament
from match_records import ply, record
from memory_engine import PLAYERS, MemoryProcess

FakeSettings = Callable[..., EngineSettings]
QUICK = Timeouts(start_s=20.0, ready_s=10.0, search_s=10.0, stop_grace_s=0.3, quit_s=1.0)
SMALL = (VariantSettings("latrones", "6x6"),)


def settings_of(*engines: EngineSettings, **changes: object) -> TournamentSettings:
    values = {"variants": SMALL, "games": 4, "seed": 1, "timeouts": QUICK} | changes
    return TournamentSettings(engines, **values)  # type: ignore[arg-type]


def texts(path: Path) -> dict[int, list[str]]:
    with Store(path, writing=False) as store:
        return {
            record.fixture.number: [ply.text for ply in record.game.plies]
            for record in stored_games(store, stored_settings(store))
        }


def test_a_match_and_its_database(fake_settings: FakeSettings, tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    settings = settings_of(fake_settings("good", name="A"), fake_settings("good", name="B"))
    standings, events = run_tournament(settings, path)
    assert standings.games == 4
    records = [event.record for event in events if isinstance(event, GameFinished)]
    assert [record.names for record in records] == [("A", "B"), ("B", "A")] * 2
    assert records[0].game.start == records[1].game.start != records[2].game.start
    # The same two players in swapped seats play the same game twice.
    assert [ply.text for ply in records[0].game.plies] == [ply.text for ply in records[1].game.plies]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record.started) for record in records)
    with Store(path, writing=False) as store:
        assert list(stored_games(store, stored_settings(store))) == records
        assert [engine.id_name for engine in store.engines()] == ["Fake good", "Fake good"]
        assert all(re.fullmatch("[0-9a-f]{64}", engine.command_hash) for engine in store.engines())
    started = [event.fixture.number for event in events if isinstance(event, GameStarted)]
    assert started == [1, 2, 3, 4]
    assert isinstance(events[0], TournamentStarted)


def test_a_round_robin_of_two_games(fake_settings: FakeSettings, tmp_path: Path) -> None:
    engines = [fake_settings("good", name="A"), fake_settings("crash", 1, name="B"), fake_settings("good", name="C")]
    variants = (*SMALL, VariantSettings("latrunculi-classical", "8x6"))
    settings = settings_of(*engines, format=Format.ROUND_ROBIN, variants=variants)
    standings, events = run_tournament(settings, tmp_path / "match.db")
    assert standings.games == 12
    assert standings.ranking()[2] == 1
    assert standings.total(1).counts == (0, 0, 8)
    starts = {(event.record.fixture.variant, event.record.game.start.ruleset.name)
              for event in events if isinstance(event, GameFinished)}  # fmt: skip
    assert starts == {(0, "latrones"), (1, "latrunculi-classical")}


def test_engines_of_one_name_are_told_apart(fake_settings: FakeSettings, tmp_path: Path) -> None:
    standings, _ = run_tournament(settings_of(fake_settings("good"), fake_settings("good"), games=1), tmp_path / "m.db")
    assert standings.names == ("Fake good (1)", "Fake good (2)")


def test_names_in_the_database_are_those_of_pgn(fake_settings: FakeSettings, tmp_path: Path) -> None:
    engines = fake_settings("good", name="A\u00a0B"), fake_settings("good", name="Fake\tgood"), fake_settings("good")
    settings = settings_of(*engines, games=1, format=Format.ROUND_ROBIN)
    for _ in range(2):  # the second time the match is resumed
        standings, _ = run_tournament(settings, tmp_path / "m.db")
        assert standings.names == ("A B", "Fake good (1)", "Fake good (2)")


def test_games_at_a_time_are_the_same_games(fake_settings: FakeSettings, tmp_path: Path) -> None:
    engines = fake_settings("good"), fake_settings("good")
    run_tournament(settings_of(*engines, games=6), tmp_path / "alone.db")
    run_tournament(settings_of(*engines, games=6, concurrency=3), tmp_path / "together.db")
    assert len(texts(tmp_path / "alone.db")) == 6
    assert texts(tmp_path / "alone.db") == texts(tmp_path / "together.db")


@pytest.mark.parametrize("behaviour", ["crash", "stall"])
def test_an_engine_that_fails_is_started_anew(fake_settings: FakeSettings, behaviour: str, tmp_path: Path) -> None:
    control = TimeControl(movetime_ms=100)
    settings = settings_of(fake_settings("good"), fake_settings(behaviour, 1, control=control), games=3)
    standings, events = run_tournament(settings, tmp_path / "match.db")
    assert standings.meeting(0, 1).counts == (3, 0, 0)
    assert standings.terminations == {f"{behaviour} of Fake {behaviour}": 3}
    games = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert [len(game.plies) for game in games] == [3, 2, 3]
    assert all(game.fault is not None for game in games)


def test_an_engine_that_plays_illegally_stays(fake_settings: FakeSettings, tmp_path: Path) -> None:
    settings = settings_of(fake_settings("illegal", 2), fake_settings("good"))
    standings, _ = run_tournament(settings, tmp_path / "match.db")
    assert standings.meeting(0, 1).counts == (0, 0, 4)
    assert standings.terminations == {"illegal move of Fake illegal": 4}


def test_interrupted_and_made_longer_it_is_the_same_match(fake_settings: FakeSettings, tmp_path: Path) -> None:
    engines = fake_settings("good", name="A"), fake_settings("good", name="B")
    run_tournament(settings_of(*engines, games=9, concurrency=2), tmp_path / "whole.db")
    path = tmp_path / "parts.db"
    for games, interrupt_after in [(5, 2), (5, None), (9, 1), (9, 1), (9, None), (9, None)]:
        run_tournament(settings_of(*engines, games=games, concurrency=2), path, interrupt_after=interrupt_after)
    assert len(texts(path)) == 9
    assert texts(path) == texts(tmp_path / "whole.db")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"seed": 2}, "setting 'seed' was 1 and is now 2"),
        ({"openings": "random:2"}, "setting 'openings' was 'random:4' and is now 'random:2'"),
        ({"variants": (VariantSettings("latrones", "8x8"),)},
         "setting 'variants' was 'latrones:6x6' and is now 'latrones:8x8'"),
        ({"limits": GameLimits(margin_ms=5)}, "setting 'limits.margin_ms' was 0 and is now 5"),
        ({"sprt": Sprt(0, 5)}, "setting 'sprt' was not set and is now 'elo0=0 elo1=5'"),
        ({"games": 2}, "games: 2 is too few"),
    ],
)
def test_another_match_is_not_played_into_the_same_database(
    fake_settings: FakeSettings, tmp_path: Path, changes: dict[str, object], named: str
) -> None:
    engines = fake_settings("good"), fake_settings("good")
    path = tmp_path / "match.db"
    run_tournament(settings_of(*engines, limits=GameLimits(max_plies=2)), path)
    changes = {"limits": GameLimits(max_plies=2)} | changes
    if changes["limits"] == GameLimits(margin_ms=5):
        changes["limits"] = GameLimits(margin_ms=5, max_plies=2)
    with pytest.raises(SettingsError) as raised:
        run_tournament(settings_of(*engines, **changes), path)
    assert named in str(raised.value)
    assert len(texts(path)) == 4


def test_a_changed_program_is_noticed(fake_command: Callable[..., tuple[str, ...]], tmp_path: Path) -> None:
    program = tmp_path / "fake_engine.py"
    source = Path(fake_command("good")[1]).read_text(encoding="utf-8")
    program.write_text(source, encoding="utf-8")
    engine = EngineSettings((sys.executable, str(program), "good"), TimeControl(depth=1))
    settings = settings_of(engine, engine, games=1)
    run_tournament(settings, tmp_path / "match.db")
    program.write_text(source + "\n# changed\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"engine 1, 'Fake good \(1\)', has changed .* its program was"):
        run_tournament(settings, tmp_path / "match.db")


@pytest.mark.process
def test_a_changed_engine_can_be_accepted_and_keeps_its_name(
    fake_command: Callable[..., tuple[str, ...]], tmp_path: Path
) -> None:
    """As with an engine whose name holds the date of its build."""
    path, program = tmp_path / "match.db", tmp_path / "engine.py"
    source = Path(fake_command("good")[1]).read_text(encoding="utf-8")
    program.write_text(source, encoding="utf-8")
    engine = EngineSettings((sys.executable, str(program), "good"), TimeControl(depth=1))
    run_tournament(settings_of(engine, engine, games=1), path)
    program.write_text(source.replace("id name Fake", "id name Built today"), encoding="utf-8")
    longer = settings_of(engine, engine, games=2)
    with pytest.raises(SettingsError) as raised:
        run_tournament(longer, path)
    assert str(raised.value).endswith("its id name was 'Fake good' and is now 'Built today good';"
                                      " to resume with it, use --accept-changed-engine")  # fmt: skip
    accepted: list[str] = []
    run_tournament(longer, path, accept=accepted.append)
    assert [text.partition("its ")[2].partition(" was")[0] for text in accepted] == ["id name", "program"] * 2
    run_tournament(longer, path)  # it is no change any more
    with Store(path, writing=False) as store:
        changes = store.engine_changes()
        assert [(time, each.engine, each.what) for time, each in changes] == [
            ("2024-05-31T12:00:00Z", number, what) for number in (0, 1) for what in ("id name", "program")]
        assert (changes[0][1].was, changes[0][1].is_now) == ("Fake good", "Built today good")
        assert [engine.id_name for engine in store.engines()] == ["Built today good"] * 2
        names = {name for record in stored_games(store, stored_settings(store)) for name in record.names}
    assert names == {"Fake good (1)", "Fake good (2)"}


def test_interruption_in_a_game(fake_settings: FakeSettings, tmp_path: Path) -> None:
    settings = settings_of(fake_settings("stall", 2), fake_settings("good"), timeouts=Timeouts())
    interrupt = threading.Event()
    told: list[str] = []

    def interrupt_at_the_fifth_move(text: str) -> None:
        told.append(text)
        if sum(line.startswith("go ") for line in told) == 5:
            interrupt.set()

    log = Listening(interrupt_at_the_fifth_move)
    standings, events = run_tournament(settings, tmp_path / "match.db", interrupt=interrupt, log=log)
    assert (standings.games, standings.interrupted) == (0, 1)
    (game,) = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert (game.outcome.termination, game.outcome.result, game.outcome.winner) == (Termination.INTERRUPTED, "*", None)
    assert len(game.plies) == 4
    assert texts(tmp_path / "match.db") == {}


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_engine_that_does_not_start_ends_the_match(
    fake_settings: FakeSettings, concurrency: int, tmp_path: Path
) -> None:
    settings = settings_of(fake_settings("good"), fake_settings("dead"), concurrency=concurrency)
    with pytest.raises(EngineStartError, match="does not even start"):
        run_tournament(settings, tmp_path / "match.db")


def test_a_limit_of_plies(fake_settings: FakeSettings, tmp_path: Path) -> None:
    engines = fake_settings("good"), fake_settings("good")
    settings = settings_of(*engines, limits=GameLimits(max_plies=4), games=2, openings="random:0")
    standings, _ = run_tournament(settings, tmp_path / "match.db")
    assert (standings.meeting(0, 1).draws, standings.terminations) == (2, {"adjudication": 2})


def test_too_few_openings_are_said_and_played_again(fake_settings: FakeSettings, tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("startpos\nstartpos moves a1a2\n", encoding="utf-8")
    engines = fake_settings("good"), fake_settings("good")
    settings = settings_of(*engines, limits=GameLimits(max_plies=1), games=6, openings=f"file:{book}")
    _, events = run_tournament(settings, tmp_path / "match.db")
    assert [event.text for event in events if isinstance(event, Warned)] == [
        "latrones:6x6: only 2 openings for 3 pairs; openings are repeated"
    ]
    fens = [event.fen for event in events if isinstance(event, GameStarted)]
    assert fens[0] == fens[1] == fens[4] == fens[5] != fens[2] == fens[3]
    # A file that has changed meanwhile is another match.
    book.write_text("startpos moves a1a2\nstartpos\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="opening 1 of"):
        run_tournament(settings_of(*engines, limits=GameLimits(max_plies=1), games=8, openings=f"file:{book}"),
                       tmp_path / "match.db")  # fmt: skip


def test_the_sequential_test_ends_the_match(fake_settings: FakeSettings, tmp_path: Path) -> None:
    engines = fake_settings("good", name="A"), fake_settings("crash", 1, name="B")
    settings = settings_of(*engines, games=400, concurrency=3, sprt=Sprt(0, 200))
    standings, events = run_tournament(settings, tmp_path / "match.db")
    assert 2 <= sum(standings.meeting(0, 1).pairs) < 100
    finished = events[-1]
    assert (finished.verdict, finished.interrupted) == ("H1", False)  # type: ignore[union-attr]
    # It stays decided.
    before = texts(tmp_path / "match.db")
    run_tournament(settings, tmp_path / "match.db")
    assert texts(tmp_path / "match.db") == before


def test_interruption_while_the_engines_start(fake_settings: FakeSettings, tmp_path: Path) -> None:
    interrupt = threading.Event()
    settings = settings_of(fake_settings("silent", name="A"), fake_settings("good", name="B"))
    log = Listening(lambda text: interrupt.set())
    standings, _ = run_tournament(settings, tmp_path / "match.db", interrupt=interrupt, log=log)
    assert standings is None


def test_the_solver_never_loses_rota_and_beats_a_random_mover(fake_settings: FakeSettings, tmp_path: Path) -> None:
    solver = EngineSettings(OWN_ENGINE, TimeControl(depth=1), "solver")
    chance = fake_settings("random", name="chance")
    settings = settings_of(solver, chance, variants=(VariantSettings("rota"),), games=20, openings="random:0")
    standings, events = run_tournament(settings, tmp_path / "match.db")
    games = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert all(game.outcome.termination.by_rules for game in games)
    assert standings.meeting(0, 1).losses == 0
    assert standings.meeting(0, 1).wins > 10


def test_an_engine_is_told_its_own_name_of_the_game(fake_settings: FakeSettings, tmp_path: Path) -> None:
    other = dataclasses.replace(fake_settings("good"), variant_names=(("bell", "x"), ("latrones", "ludus")))
    with pytest.raises(EngineStartError, match="option 'UCI_Variant': value 'ludus': expected one of"):
        run_tournament(settings_of(fake_settings("good"), other), tmp_path / "match.db")


def test_an_engine_gets_its_own_environment(fake_settings: FakeSettings, tmp_path: Path) -> None:
    good, other = fake_settings("good", name="A"), fake_settings("good", name="B")
    command = ("sh", "-c", 'exec "$PROGRAM" "$@"', "sh", *good.command[1:])
    engine = dataclasses.replace(good, command=command, environment=(("PROGRAM", good.command[0]),))
    limits = GameLimits(max_plies=4)
    run_tournament(settings_of(engine, other, games=1, limits=limits), tmp_path / "match.db")
    changed = dataclasses.replace(engine, environment=(*engine.environment, ("MORE", "1")))
    with pytest.raises(SettingsError, match=r"'engines\[0\].environment.MORE' was not set and is now '1'"):
        run_tournament(settings_of(changed, other, games=1, limits=limits), tmp_path / "match.db")


@pytest.mark.parametrize("given", ["options", "variant_path"])
def test_an_engine_with_a_variant_file_of_its_own(fake_settings: FakeSettings, tmp_path: Path, given: str) -> None:
    """Its file is loaded before its name of the variant is set."""
    file = tmp_path / "my-latrones.ini"
    own: dict[str, object] = {"options": (("VariantPath", str(file)),), "variant_path": str(file)}
    other = fake_settings("own-file", variant_names=(("latrones", "my-latrones"),), **{given: own[given]})
    told: list[str] = []
    games = VariantFile(str(tmp_path / "games.toml"), '[small-latrones]\nparent = "latrones"\n')  # of the referee
    settings = settings_of(fake_settings("good"), other, games=2, limits=GameLimits(max_plies=4), variant_file=games)
    run_tournament(settings, tmp_path / "match.db", log=Listening(told.append))
    options = [line for line in told if line.startswith("setoption name VariantPath") or line.endswith("my-latrones")]
    assert options == [f"setoption name VariantPath value {file}", "setoption name UCI_Variant value my-latrones"] * 2
    assert {len(moves) for moves in texts(tmp_path / "match.db").values()} == {4}


def test_only_engines_that_never_made_a_move_are_reported() -> None:
    def reported(*records: GameRecord) -> str:
        first_moves = FirstMoves(("A", "B"))
        for each in records:
            first_moves.add(each)
        try:
            first_moves.check(2)
        except FirstMoveError as error:
            return str(error).split(" failed")[0]
        return ""

    white, black = ply(0, 1, 100, None, 1), ply(1, 1, 100, None, 1)
    crash, late = Termination.CRASH, Termination.TIME_LOSS
    # A is White in odd games.
    assert reported(record(1, 0, crash, white), record(2, 1, crash)) == "engine 'B'"
    assert reported(record(1, 1, crash), record(2, 0, crash, white)) == "engine 'A'"
    assert reported(record(1, 0, crash, white)) == ""
    assert reported(record(1, 0, crash, white, black, white), record(2, 1, crash), record(4, 1, crash)) == ""
    assert reported(record(1, 0, late, white), record(2, 1, late)) == ""
    assert reported(record(1, 1, crash), record(2, 1, crash)) == ""  # one of each


@pytest.mark.parametrize(("behaviour", "last"), [
    ("crash", "crash (Black: ended with status 3: the fake falls over)"),
    ("no-move", "stall (Black: bestmove '0000', but the player has legal moves)"),
])  # fmt: skip
@pytest.mark.parametrize(("games", "played"), [(20, 4), (2, 2)])
def test_an_engine_that_never_makes_a_move_ends_the_match(
    fake_settings: FakeSettings, tmp_path: Path, behaviour: str, last: str, games: int, played: int
) -> None:
    settings = settings_of(fake_settings("good", name="A"), fake_settings(behaviour, name="B"), games=games)
    told = f"engine 'B' failed at its first move in all of its {played} games, last by {last}; check its command"
    for _ in range(2):  # rerun, it plays no more games
        with pytest.raises(FirstMoveError) as raised:
            run_tournament(settings, tmp_path / "match.db")
        assert str(raised.value).replace("White", "Black").startswith(told)
        assert len(texts(tmp_path / "match.db")) == played


@pytest.mark.parametrize(
    ("count", "changes", "said"),
    [
        (1, {"format": Format.GAUNTLET}, "engines: 1 given; expected at least two"),
        (3, {}, "engines: 3 given; expected two, each as '--engine cmd=...'"),
        (3, {"format": Format.GAUNTLET, "sprt": Sprt(0, 5)}, "sequential test: 3 engines given; expected two"),
        (2, {"games": 0}, "games: 0 is not an integer from 1"),
        (2, {"variants": SMALL * 2}, "duplicate variant 'latrones:6x6'"),
        (2, {"variants": ()}, "variants: none given; expected at least one"),
    ],
)
def test_settings_that_cannot_be(
    fake_settings: FakeSettings, count: int, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        settings_of(*(fake_settings("good", name=str(number)) for number in range(count)), **changes)


def test_engines_that_die_when_they_are_asked(fake_settings: FakeSettings, tmp_path: Path) -> None:
    """Before the first move, and for their claims: it costs the one game, of which the guilty one is told."""
    for when in ("ucinewgame", "query gameover"):
        dying = ("dying", when)
        engines = EngineSettings(dying, TimeControl(depth=1), "A"), fake_settings("good", name="B")
        settings = settings_of(*engines, games=1, limits=GameLimits(check_claims=True))
        standings, _ = run_tournament(settings, tmp_path / f"{when}.db")
        assert standings.terminations == {"crash of A": 1}


def test_an_engine_that_dies_when_it_is_asked_who_has_won(fake_settings: FakeSettings, tmp_path: Path) -> None:
    """The game is over by then; the fault is told, and costs nothing."""
    dying = EngineSettings(("dying", "query result", "over"), TimeControl(depth=1), "A")
    book = tmp_path / "book.txt"
    book.write_text("3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1\n", encoding="utf-8")
    settings = settings_of(dying, fake_settings("good", name="B"), games=1, variants=(VariantSettings("latrones"),),
                           openings=f"file:{book}", limits=GameLimits(check_claims=True))  # fmt: skip
    standings, events = run_tournament(settings, tmp_path / "match.db")
    assert standings.meeting(0, 1).counts == (1, 0, 0)
    (game,) = [event.record.game for event in events if isinstance(event, GameFinished)]
    assert game.outcome.termination.by_rules
    assert any(line.startswith("White: no-response: ") for line in game.violations)


class DyingEngine:
    """Plays one move, the one that wins in the position above, and dies at a command; if ``over``, after the game."""

    def __init__(self, console: MemoryProcess, when: str, over: str = "") -> None:
        self._console, self._when, self._over, self._plies = console, when, over, 0

    def begin(self) -> None:
        pass

    def read(self, line: str) -> None:
        if line.startswith("position"):
            self._plies = len(line.partition(" moves ")[2].split())
        if line == self._when and (self._plies or not self._over):
            self._console.exit(1)
        over = self._plies > 0
        answers = {"uci": "uciok", "isready": "readyok", "query gameover": f"response {str(over).lower()}",
                   "query result": f"response {'p1win' if over else 'none'}",
                   "go depth 1": "bestmove c6c8"}  # fmt: skip
        if line in answers:
            self._console.say(answers[line])


@pytest.fixture(autouse=True)
def _dying_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYERS, "dying", DyingEngine)
