"""What a tournament tells while it goes on."""

from collections.abc import Callable
from dataclasses import dataclass

from latrones_uci.match.settings import TournamentSettings
from latrones_uci.match.standings import Standings
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord


@dataclass(frozen=True)
class TournamentStarted:
    """The engines answered; games begin.

    Attributes:
        settings: the tournament, every engine with its name.
        games: of the whole tournament, unless a sequential test ends it before.
        standings: with the games that were played before, if it is resumed; it goes on changing.
    """

    settings: TournamentSettings
    games: int
    standings: Standings


@dataclass(frozen=True)
class GameStarted:
    """A game was handed to whoever plays it."""

    fixture: Fixture
    names: tuple[str, str]
    fen: str


@dataclass(frozen=True)
class GameFinished:
    """A game has ended; if it counts it is in the database.

    Attributes:
        record: the game.
        standings: with this game; they go on changing.
        log_likelihood_ratio: of the sequential test, None without one.
    """

    record: GameRecord
    standings: Standings
    log_likelihood_ratio: float | None


@dataclass(frozen=True)
class Warned:
    """Something that the user should know, on one line."""

    text: str


@dataclass(frozen=True)
class TournamentFinished:
    """No more games are played.

    Attributes:
        standings: the final ones.
        interrupted: whether it was told to stop.
        verdict: of the sequential test: ``H0``, ``H1``, or empty without one or while it has none.
        log_likelihood_ratio: of the sequential test, None without one.
    """

    standings: Standings
    interrupted: bool
    verdict: str
    log_likelihood_ratio: float | None


Event = TournamentStarted | GameStarted | GameFinished | Warned | TournamentFinished
Observer = Callable[[Event], None]
