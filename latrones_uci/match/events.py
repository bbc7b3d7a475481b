"""The events of a running tournament, and its running games for observers that follow every move."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from latrones_uci.match.game import Turn
from latrones_uci.match.plan import Fixture
from latrones_uci.match.record import GameRecord, PlyRecord
from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.standings import Standings


@dataclass(frozen=True)
class TournamentStarted:
    """The engines are identified, and the games start.

    Attributes:
        settings: the tournament, with the name of every engine.
        games: the number of games of the whole tournament; a sequential test may end it earlier, and a knockout has
            more if pairings are level.
        standings: the standings, with the games played before a resume. The object changes with later games.
        parameters: the present values of tuned parameters; empty without a tuning.
        kernels: what each engine says it searches with, empty where it does not say; empty if unknown.
    """

    settings: TournamentSettings
    games: int
    standings: Standings
    parameters: Mapping[str, float] = field(default_factory=dict)
    kernels: Sequence[str] = ()


@dataclass(frozen=True)
class RoundStarted:
    """The games of a round are known and start, in a Swiss tournament or a knockout.

    Attributes:
        round: number of the round, from 0.
        extra: number of the extra pair of games that level pairings of a knockout play, from 1; 0 for a new round.
        name: the name of the round, such as ``round 2 of 5`` or ``semifinals``.
        pairings: the engines that play each other.
        byes: the engines without an opponent.
        games: the number of games of the whole tournament, as far as it is known.
    """

    round: int
    extra: int
    name: str
    pairings: tuple[tuple[int, int], ...]
    byes: tuple[int, ...]
    games: int


@dataclass(frozen=True)
class GameStarted:
    """A game was submitted to a worker."""

    fixture: Fixture
    names: tuple[str, str]
    fen: str


@dataclass(frozen=True)
class MovePlayed:
    """A move was played in a running game; sent only if the tournament reports moves.

    Attributes:
        fixture: the game.
        number: the number of the ply in the game, from 1.
        ply: the ply.
    """

    fixture: Fixture
    number: int
    ply: PlyRecord


@dataclass(frozen=True)
class GameFinished:
    """A game has ended; if it counts, it is in the database.

    Attributes:
        record: the game.
        standings: the standings, with this game. The object changes with later games.
        log_likelihood_ratio: that of the sequential test, None without a test.
    """

    record: GameRecord
    standings: Standings
    log_likelihood_ratio: float | None


@dataclass(frozen=True)
class ParametersUpdated:
    """Both games of a pair of a tuning have ended; the update is in the database.

    Attributes:
        pair: number of the pair, from 0.
        result: wins less losses of the first engine.
        plus: the values of the first engine in this pair, by name.
        minus: the values of the second engine.
        parameters: the present values.
    """

    pair: int
    result: int
    plus: Mapping[str, int]
    minus: Mapping[str, int]
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Warned:
    """A warning for the user, on one line."""

    text: str


@dataclass(frozen=True)
class TournamentFinished:
    """The tournament has ended or was interrupted.

    Attributes:
        standings: the final standings.
        interrupted: whether the tournament was interrupted.
        verdict: that of the sequential test: ``H0``, ``H1``, or empty if there is none.
        log_likelihood_ratio: that of the sequential test, None without a test.
        parameters: the last values of tuned parameters; empty without a tuning.
    """

    standings: Standings
    interrupted: bool
    verdict: str
    log_likelihood_ratio: float | None
    parameters: Mapping[str, float] = field(default_factory=dict)


Event = (
    TournamentStarted | RoundStarted | GameStarted | MovePlayed | GameFinished | ParametersUpdated | Warned
    | TournamentFinished
)
Observer = Callable[[Event], None]


# ---------------------------------------------------------------- the running games


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
