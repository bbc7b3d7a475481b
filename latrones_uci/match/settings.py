"""The values that describe an engine and how it is refereed."""

from dataclasses import dataclass
from typing import Literal

from latrones_uci.match.records.time_control import TimeControl

Protocol = Literal["uci", "ugi", "auto"]


@dataclass(frozen=True)
class Timeouts:
    """How long an engine is waited for where no clock of the game runs, in seconds.

    Attributes:
        start_s: from the start of the process to ``uciok``, and again to the ``readyok`` after the options.
        ready_s: from ``isready`` to ``readyok`` during play.
        search_s: for the answer to a ``go`` without a limit of time; a later one loses.
        stop_grace_s: for the answer to the ``stop`` that follows an overrun; without one the engine is killed.
        quit_s: from ``quit`` to the end of the process, which is then killed.
    """

    start_s: float = 20.0
    ready_s: float = 10.0
    search_s: float = 600.0
    stop_grace_s: float = 2.0
    quit_s: float = 1.0


@dataclass(frozen=True)
class EngineSettings:
    """An engine.

    Attributes:
        command: program and arguments.
        control: its limits of time, depth and nodes.
        name: the name in tables and records, None for the one that the engine reports.
        options: names and values to set, in this order.
        directory: its working directory, None for that of the runner.
        variant_names: what it calls a game, by the game's name here, where that is another.
        restart: whether it is started anew for each game.
        signature: of its bench, empty if unknown; it is recorded.
        protocol: the greeting and the dialect, ``uci`` or ``ugi``. With ``auto`` the engine is greeted with ``uci``,
            and if it does not answer within half of ``Timeouts.start_s``, started anew and greeted with ``ugi``.
        strict: whether what is tolerated (carriage returns, blanks around a line, words after the move of a
            ``bestmove``, a move in the wrong case, lines that are not of the protocol) is told in the record of the
            game.
    """

    command: tuple[str, ...]
    control: TimeControl
    name: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    directory: str | None = None
    variant_names: tuple[tuple[str, str], ...] = ()
    restart: bool = False
    signature: str = ""
    protocol: Protocol = "uci"
    strict: bool = False


@dataclass(frozen=True)
class DrawRule:
    """An unfinished game is a draw when both players have seen it so for a while.

    Attributes:
        movenumber: the position before the last ply has at least this number.
        moves: so many of the latest plies of each player
        score_centi: have a score of at most so many centi-soldiers from zero.
    """

    movenumber: int
    moves: int
    score_centi: int


@dataclass(frozen=True)
class ResignRule:
    """A player resigns who has seen the game lost for a while.

    Attributes:
        moves: so many of the player's latest plies
        score_centi: have a score of at most minus so many centi-soldiers.
        two_sided: whether as many of the opponent's must have one of at least plus so many.
    """

    moves: int
    score_centi: int
    two_sided: bool = True


@dataclass(frozen=True)
class GameLimits:
    """What the referee applies beside the rules.

    Attributes:
        margin_ms: how many milliseconds late an answer may be.
        max_plies: after so many plies an unfinished game is a draw by adjudication, None for never.
        draw: when the scores make a draw, None for never.
        resign: when the scores make a player resign, None for never.
        check_claims: whether both engines are asked after each ply whether the game is over and who won, and every
            contradiction to the referee is told in the record. An engine that speaks UCI and does not answer to
            ``query`` is not asked again.
    """

    margin_ms: int = 0
    max_plies: int | None = None
    draw: DrawRule | None = None
    resign: ResignRule | None = None
    check_claims: bool = False
