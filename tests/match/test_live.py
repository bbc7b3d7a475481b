"""The states of running games: from the thread that plays, and from workers on other machines."""

import json
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from latrones_uci.client.controller import EngineController
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Position
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.cluster import receive_turn, sending_turns
from latrones_uci.match.events import Event, GameFinished, GameStarted, LiveGames, MovePlayed
from latrones_uci.match.game import Player, Turn, play_game
from latrones_uci.match.serialize import serialize
from latrones_uci.match.standings import Standings
from latrones_uci.match.store import Store, StoredEngine
from latrones_uci.match.tournament import Tournament
from latrones_uci.match.worker import TaskResult
from match_records import MS, NAMES, SETTINGS, START, fixture, played_record
from serving import waited

PLIES = played_record(1).game.plies


def test_each_turn_is_reported(fake_controller: Callable[..., EngineController], start: Position) -> None:
    """First the beginning of the game, then each ply with both clocks, the increment included."""
    turns: list[Turn] = []
    players = [Player(fake_controller("good"), control)
               for control in (TimeControl(depth=1), TimeControl(base_ms=60_000, increment_ms=500))]  # fmt: skip
    game = play_game(start, (players[0], players[1]), GameLimits(max_plies=4), turns.append)
    assert [turn.played for turn in turns] == [0, 1, 2, 3, 4]
    assert list(turns[-1].plies) == list(game.plies)
    assert [turn.clocks_ns[0] for turn in turns] == [None] * 5
    left_ns = [turn.clocks_ns[1] for turn in turns]
    spent_ns = game.plies[1].elapsed_ns
    assert left_ns[:3] == [60_000 * MS, 60_000 * MS, 60_500 * MS - spent_ns]
    assert [turn.since_ns for turn in turns] == sorted(turn.since_ns for turn in turns)


def test_only_running_games_are_known() -> None:
    live = LiveGames()
    for number in (1, 2):
        live(GameStarted(fixture(number), NAMES, START.fen()))
    turn = Turn(PLIES, 3, (None, None), 0)
    live.report(2, turn)
    assert [(game.fixture.number, game.turn) for game in live.games()] == [(1, None), (2, turn)]
    assert live.turn(2) is turn
    live(GameFinished(played_record(2), Standings(NAMES), None))
    assert [game.fixture.number for game in live.games()] == [1]
    assert live.turn(2) is None


# ---------------------------------------------------------------- moves as events


class Held(Executor):
    """Plays a game when it is asked to."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.futures.append(Future())
        self.futures[-1].set_running_or_notify_cancel()
        return self.futures[-1]


def test_moves_are_events_while_the_game_runs(tmp_path: Path) -> None:
    """Each once, also if the states skip some, if the game begins again, and if its last moves are not reported."""
    events: list[Event] = []
    turns: dict[int, Turn] = {}
    held = Held()

    def moves() -> list[int]:
        return [event.number for event in events if isinstance(event, MovePlayed)]

    with Store(tmp_path / "match.db", writing=True) as store:
        store.begin(serialize(SETTINGS), [StoredEngine(name, "", "", (name,), "") for name in NAMES], "", "test")
        interrupt = threading.Event()
        tournament = Tournament(SETTINGS, store, events.append, interrupt, turns.get)
        with ThreadPoolExecutor(1) as thread:
            # The database belongs to the thread that has opened it, so the tournament runs in this one.
            def play() -> None:
                waited(lambda: held.futures)
                for played, expected in ((2, [1, 2]), (5, [1, 2, 3, 4, 5]), (1, [1, 2, 3, 4, 5, 1])):
                    turns[1] = Turn(PLIES, played, (None, None), 0)
                    waited(lambda expected=expected: moves() == expected)
                interrupt.set()
                held.futures[0].set_result(TaskResult((), "2024-05-31T12:00:00Z", played_record(1).game))

            playing = thread.submit(play)
            tournament.run(held, lambda task: TaskResult(()))
            playing.result()
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("GameFinished") == len(kinds) - 2
    assert moves()[6:] == list(range(2, len(PLIES) + 1))
    last = [event for event in events if isinstance(event, MovePlayed)][-1]
    assert (last.fixture.number, last.ply) == (1, PLIES[-1])


# ---------------------------------------------------------------- workers on other machines


def test_states_pass_through_messages() -> None:
    """Each message has the plies since the previous one, and only the latest state is sent."""
    live = LiveGames()
    messages: list[str] = []

    def send(message: str) -> None:
        messages.append(message)
        receive_turn(live, message)

    with sending_turns(send, 0.01) as report:
        report(7, Turn(PLIES, 0, (5, None), 0))
        waited(lambda: len(messages) == 1)
        for played in range(1, 4):
            report(7, Turn(PLIES, played, (5, played), 0))
        waited(lambda: (turn := live.turn(7)) is not None and turn.played == 3)
        report(7, Turn(PLIES, 6, (5, 6), 0))
        waited(lambda: (turn := live.turn(7)) is not None and turn.played == 6)
    turn = live.turn(7)
    assert turn is not None
    assert (list(turn.plies), turn.clocks_ns) == (list(PLIES[:6]), (5, 6))
    assert sum(len(json.loads(message)[2]) for message in messages) == 6


def test_lost_late_and_repeated_messages() -> None:
    live = LiveGames()

    def played() -> int | None:
        turn = live.turn(7)
        return None if turn is None else turn.played

    def message(first: int, last: int) -> str:
        with_plies: list[str] = []
        with sending_turns(with_plies.append, 0.001) as report:
            for end in (first, last):
                if end:
                    report(7, Turn(PLIES, end, (None, None), 0))
                    waited(lambda end=end: with_plies and sum(len(json.loads(one)[2]) for one in with_plies) == end)
        return with_plies[-1]

    receive_turn(live, message(0, 2))
    assert played() == 2
    receive_turn(live, message(4, 6))  # the message before it was lost
    assert played() == 2
    receive_turn(live, message(0, 1))  # its worker was lost, and another one plays the game
    assert played() == 1
    live(GameFinished(played_record(7), Standings(NAMES), None))
    receive_turn(live, message(1, 5))
    assert played() is None  # too late
