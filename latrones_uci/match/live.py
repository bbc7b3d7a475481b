"""The running games of a tournament, for observers that follow every move."""

import threading
from dataclasses import dataclass

from latrones_uci.match.events import Event, GameFinished, GameStarted
from latrones_uci.match.game import Turn
from latrones_uci.match.plan import Fixture


@dataclass(frozen=True)
class RunningGame:
    """A game that has been submitted.

    Attributes:
        fixture: its place in the plan.
        names: the names of White and Black.
        fen: the position after the opening.
        turn: its state, None if it has not begun.
    """

    fixture: Fixture
    names: tuple[str, str]
    fen: str
    turn: Turn | None


class LiveGames:
    """The latest state of each running game; thread-safe, and an observer of the tournament.

    A report costs the thread that plays the game no more than an assignment: states that nobody has read are replaced.
    """

    def __init__(self) -> None:
        """Start without games."""
        self._lock = threading.Lock()
        self._games: dict[int, GameStarted] = {}
        self._turns: dict[int, Turn] = {}

    def __call__(self, event: Event) -> None:
        """Add a game that starts, and remove one that has finished."""
        match event:
            case GameStarted(fixture):
                with self._lock:
                    self._games[fixture.number] = event
            case GameFinished(record):
                with self._lock:
                    self._games.pop(record.fixture.number, None)
                    self._turns.pop(record.fixture.number, None)

    def report(self, number: int, turn: Turn) -> None:
        """Set the state of a game (see ``OnTurn``)."""
        self._turns[number] = turn

    def turn(self, number: int) -> Turn | None:
        """Return the state of a game, None if it has not begun."""
        return self._turns.get(number)

    def games(self) -> list[RunningGame]:
        """Return the running games in the order in which they started."""
        with self._lock:
            return [RunningGame(game.fixture, game.names, game.fen, self._turns.get(number))
                    for number, game in self._games.items()]  # fmt: skip
