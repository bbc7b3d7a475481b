import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from latrones_uci.game import builtin_variants, find_variant
from latrones_uci.match.clock import TimeControl
from latrones_uci.match.errors import EngineStartError
from latrones_uci.match.openings import RandomOpenings
from latrones_uci.match.pgn_read import read_games
from latrones_uci.match.pgn_verify import verify_game
from latrones_uci.match.settings import EngineSettings, GameLimits, MatchSettings, Timeouts
from latrones_uci.match.tally import MatchTally
from latrones_uci.match.termination import Termination
from latrones_uci.match.tournament import GameFinished, run_match

FakeSettings = Callable[..., EngineSettings]
QUICK = Timeouts(start_s=20.0, ready_s=10.0, search_s=10.0, stop_grace_s=0.3, quit_s=1.0)


def settings_of(first: EngineSettings, second: EngineSettings, **changes: object) -> MatchSettings:
    values = {"ruleset": find_variant("latrones"), "size": (6, 6), "games": 4, "seed": 1, "timeouts": QUICK} | changes
    return MatchSettings((first, second), **values)  # type: ignore[arg-type]


def run(settings: MatchSettings, interrupt_after: int | None = None) -> tuple[MatchTally, list[GameFinished]]:
    events: list[GameFinished] = []
    interrupt = threading.Event()

    def on_game(event: GameFinished) -> None:
        assert threading.current_thread() is threading.main_thread()
        events.append(event)
        if len(events) == interrupt_after:
            interrupt.set()

    return run_match(settings, on_game, interrupt), events


def moves_of(events: list[GameFinished]) -> dict[int, list[str]]:
    return {event.record.number: [ply.text for ply in event.record.game.plies] for event in events}


def test_a_match_with_its_record(fake_settings: FakeSettings, tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    path.write_text("", encoding="utf-8")
    settings = settings_of(fake_settings("good", name="A"), fake_settings("good", name="B"), pgn_path=path)
    tally, events = run(settings)
    assert tally.games == 4
    assert [event.record.names for event in events] == [("A", "B"), ("B", "A")] * 2
    with path.open(encoding="utf-8") as file:
        games = list(read_games(file))
    assert [game.tags["Round"] for game in games] == ["1", "2", "3", "4"]
    assert [game.tags["White"] for game in games] == ["A", "B", "A", "B"]
    assert games[0].tags["FEN"] == games[1].tags["FEN"] != games[2].tags["FEN"]
    assert all(re.fullmatch(r"\d{4}\.\d\d\.\d\d", game.tags["Date"]) for game in games)
    for game, event in zip(games, events, strict=True):
        assert len(verify_game(game, builtin_variants()).moves) == len(event.record.game.plies)
    # The same two players in swapped seats play the same game twice.
    assert moves_of(events)[1] == moves_of(events)[2]


def test_the_record_is_appended_to(fake_settings: FakeSettings, tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    settings = settings_of(fake_settings("good"), fake_settings("good"), pgn_path=path, games=1)
    run(settings)
    run(settings)
    with path.open(encoding="utf-8") as file:
        assert len(list(read_games(file))) == 2


def test_engines_of_one_name_are_told_apart(fake_settings: FakeSettings) -> None:
    tally, _ = run(settings_of(fake_settings("good"), fake_settings("good"), games=1))
    assert tally.names == ("Fake good (1)", "Fake good (2)")


def test_games_at_a_time_are_the_same_games(fake_settings: FakeSettings) -> None:
    engines = fake_settings("good"), fake_settings("good")
    _, alone = run(settings_of(*engines, games=6))
    tally, together = run(settings_of(*engines, games=6, concurrency=3))
    assert tally.games == 6
    assert moves_of(alone) == moves_of(together)


@pytest.mark.parametrize("behaviour", ["crash", "stall"])
def test_an_engine_that_fails_is_started_anew(fake_settings: FakeSettings, behaviour: str) -> None:
    control = TimeControl(movetime_ms=100)
    tally, events = run(settings_of(fake_settings("good"), fake_settings(behaviour, control=control), games=3))
    assert (tally.wins, tally.draws, tally.losses) == (3, 0, 0)
    assert tally.terminations == {f"{behaviour} of Fake {behaviour}": 3}
    assert [len(event.record.game.plies) for event in events] == [1, 0, 1]


def test_an_engine_that_plays_illegally_stays(fake_settings: FakeSettings) -> None:
    tally, _ = run(settings_of(fake_settings("illegal", 2), fake_settings("good"), games=4))
    assert (tally.wins, tally.losses) == (0, 4)
    assert tally.terminations == {"illegal move of Fake illegal": 4}


def test_interruption_between_games(fake_settings: FakeSettings, tmp_path: Path) -> None:
    path = tmp_path / "match.pgn"
    settings = settings_of(fake_settings("good"), fake_settings("good"), games=1000, pgn_path=path)
    tally, events = run(settings, interrupt_after=2)
    assert 2 <= tally.games < 1000
    assert tally.games + tally.unterminated == len(events)
    with path.open(encoding="utf-8") as file:
        results = [verify_game(game, builtin_variants()).result() for game in read_games(file)]
    assert len(results) == len(events)


def test_interruption_in_a_game(fake_settings: FakeSettings) -> None:
    settings = settings_of(fake_settings("stall", 2), fake_settings("good"), timeouts=Timeouts())
    interrupt = threading.Event()
    threading.Timer(2.0, interrupt.set).start()
    events: list[GameFinished] = []
    tally = run_match(settings, events.append, interrupt)
    assert (tally.games, tally.unterminated) == (0, 1)
    game = events[0].record.game
    assert (game.termination, game.result, game.winner) == (Termination.INTERRUPTED, "*", None)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_engine_that_does_not_start_ends_the_match(fake_settings: FakeSettings, concurrency: int) -> None:
    with pytest.raises(EngineStartError, match="does not even start"):
        run(settings_of(fake_settings("good"), fake_settings("dead"), concurrency=concurrency))


def test_a_limit_of_plies(fake_settings: FakeSettings) -> None:
    limits = GameLimits(max_plies=4)
    engines = fake_settings("good"), fake_settings("good")
    tally, _ = run(settings_of(*engines, limits=limits, games=2, openings=RandomOpenings(0)))
    assert (tally.draws, tally.terminations) == (2, {"adjudication": 2})


def test_interruption_while_the_engines_start(fake_settings: FakeSettings) -> None:
    interrupt = threading.Event()
    threading.Timer(0.2, interrupt.set).start()
    settings = settings_of(fake_settings("silent", name="A"), fake_settings("good", name="B"))
    tally = run_match(settings, lambda event: None, interrupt)
    assert (tally.names, tally.games, tally.unterminated) == (("A", "B"), 0, 0)


def test_the_solver_never_loses_rota_and_beats_a_random_mover(fake_settings: FakeSettings) -> None:
    solver = EngineSettings((sys.executable, "-m", "latrones_uci"), TimeControl(depth=1), "solver")
    chance = fake_settings("random", name="chance")
    limits = {"ruleset": find_variant("rota"), "size": (3, 3), "games": 20, "openings": RandomOpenings(0)}
    _, events = run(settings_of(solver, chance, **limits))
    assert all(event.record.game.termination is Termination.NORMAL for event in events)
    results = [event.record.names[winner] for event in events if (winner := event.record.game.winner) is not None]
    assert set(results) == {"solver"}
    assert len(results) > 10
