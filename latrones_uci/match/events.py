"""The events of a running tournament, and its running games for observers that follow every move."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from latrones_uci.match.game import Turn
from latrones_uci.match.standings import Standings
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord, PlyRecord
from latrones_uci.records.settings import TournamentSettings


@dataclass(frozen=True)
class TournamentStarted:
    """The engines are identified, and the games start."""

    settings: TournamentSettings
    """The tournament, with the name of every engine."""
    games: int
    """The number of games of the whole tournament; a sequential test may end it earlier, and a knockout has more if
    pairings are level."""
    standings: Standings
    """The standings, with the games played before a resume. The object changes with later games."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    """The present values of tuned parameters; empty without a tuning."""
    kernels: Sequence[str] = ()
    """What each engine says it searches with, empty where it does not say; empty if unknown."""


@dataclass(frozen=True)
class RoundStarted:
    """The games of a round are known and start, in a Swiss tournament or a knockout."""

    round: int
    """Number of the round, from 0."""
    extra: int
    """Number of the extra pair of games that level pairings of a knockout play, from 1; 0 for a new round."""
    name: str
    """The name of the round, such as ``round 2 of 5`` or ``semifinals``."""
    pairings: tuple[tuple[int, int], ...]
    byes: tuple[int, ...]
    """The engines without an opponent."""
    games: int
    """The number of games of the whole tournament, as far as it is known."""


@dataclass(frozen=True)
class GameStarted:
    """A game was submitted to a worker."""

    fixture: Fixture
    """Its place in the plan."""
    names: tuple[str, str]
    fen: str
    """The position after the opening."""


@dataclass(frozen=True)
class MovePlayed:
    """A move was played in a running game; sent only if the tournament reports moves."""

    fixture: Fixture
    number: int
    """The number of the ply in the game, from 1."""
    ply: PlyRecord


@dataclass(frozen=True)
class GameFinished:
    """A game has ended; if it counts, it is in the database."""

    record: GameRecord
    standings: Standings
    """The standings, with this game. The object changes with later games."""
    log_likelihood_ratio: float | None
    """That of the sequential test, None without a test."""


@dataclass(frozen=True)
class ParametersUpdated:
    """Both games of a pair of a tuning have ended; the update is in the database."""

    pair: int
    """Number of the pair, from 0."""
    result: int
    """Wins less losses of the first engine."""
    plus: Mapping[str, int]
    """The values of the first engine in this pair, by name."""
    minus: Mapping[str, int]
    """The values of the second engine."""
    parameters: Mapping[str, float]
    """The present values."""


@dataclass(frozen=True)
class Warned:
    """A warning for the user, on one line."""

    text: str


@dataclass(frozen=True)
class TournamentFinished:
    """The tournament has ended or was interrupted."""

    standings: Standings
    interrupted: bool
    verdict: str
    """That of the sequential test: ``H0``, ``H1``, or empty if there is none."""
    log_likelihood_ratio: float | None
    """That of the sequential test, None without a test."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    """The last values of tuned parameters; empty without a tuning."""
    failure: str = ""
    """What ended the tournament early (see ``Standings.failure``); empty if nothing did."""
    more_games: int | None = None
    """The number of games that the sequential test will probably still take; None without a test, after its verdict,
    and as long as the difference has no bounds."""


MatchEvent = (
    TournamentStarted | RoundStarted | GameStarted | MovePlayed | GameFinished | ParametersUpdated | Warned
    | TournamentFinished
)
Observer = Callable[[MatchEvent], None]


# ---------------------------------------------------------------- the running games


class LiveGames:
    """The latest state of each running game; thread-safe, and an observer of the tournament.

    A report costs the thread that plays the game no more than an assignment: states that nobody has read are replaced.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._games: dict[int, GameStarted] = {}
        self._turns: dict[int, Turn] = {}

    def __call__(self, event: MatchEvent) -> None:
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

    def games(self) -> list[tuple[GameStarted, Turn | None]]:
        """Return the running games in the order in which they started, with their states; None before the first."""
        with self._lock:
            return [(game, self._turns.get(number)) for number, game in self._games.items()]
