"""What is kept of a game."""

from dataclasses import dataclass

from latrones_uci.game import Position
from latrones_uci.match.records.plan import Fixture
from latrones_uci.match.records.search_info import SearchInfo
from latrones_uci.match.records.termination import Termination
from latrones_uci.match.records.time_control import TimeControl


@dataclass(frozen=True)
class PlyRecord:
    """One answer of an engine.

    Attributes:
        side: who moved, 0 White, 1 Black.
        movenumber: of the position before the move.
        text: the move, or what came in its place.
        elapsed_ns: nanoseconds from ``go`` to the answer, by the runner's clock.
        allowed_ns: nanoseconds that the ply might have taken, margin excluded; None without a limit of time.
        clock_left_ns: left on the player's clock after the ply, before the increment; None without a clock.
        info: the engine's words on its search.
    """

    side: int
    movenumber: int
    text: str
    elapsed_ns: int
    allowed_ns: int | None
    clock_left_ns: int | None
    info: SearchInfo

    @property
    def overshoot_ns(self) -> int | None:
        """By how much the ply took longer than allowed, negative if it did not; None without a limit of time."""
        return None if self.allowed_ns is None else self.elapsed_ns - self.allowed_ns


@dataclass(frozen=True)
class EngineFault:
    """What was left of an engine that crashed or stalled.

    Attributes:
        exit_status: of its process, the negative number of the signal that killed it; None if it still ran, and had
            to be killed by the runner.
        stderr: the last lines that it wrote to its error output, each cut to some length.
    """

    exit_status: int | None
    stderr: tuple[str, ...]


@dataclass(frozen=True)
class PlayedGame:
    """A game as the referee saw it.

    Attributes:
        start: the position before the first ply; it fixes game and board.
        plies: the moves made, all legal.
        winner: 0 White, 1 Black, None for a draw or a game that was interrupted.
        termination: how it ended.
        details: the ending of the rules by name, or one line on what the guilty player did, or on the adjudication.
        offence: the late, illegal or malformed answer that ended the game, None if there was no such answer.
        fault: of the guilty engine, if it crashed or stalled.
        violations: what the engines did against the protocol and were forgiven, a line for each player and kind:
            ``White: WHAT: 'EXAMPLE'``. What merely is unusual is told of strict engines only.
    """

    start: Position
    plies: tuple[PlyRecord, ...]
    winner: int | None
    termination: Termination
    details: str
    offence: PlyRecord | None = None
    fault: EngineFault | None = None
    violations: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """The PGN result: ``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for an interrupted game."""
        if self.termination is Termination.INTERRUPTED:
            return "*"
        return render_result(self.winner)


@dataclass(frozen=True)
class GameRecord:
    """A game of a tournament.

    Attributes:
        fixture: which game it is.
        names: of White and Black.
        controls: of White and Black.
        started: when, in UTC: ``2024-05-31T12:00:00Z``.
        game: the game.
    """

    fixture: Fixture
    names: tuple[str, str]
    controls: tuple[TimeControl, TimeControl]
    started: str
    game: PlayedGame

    @property
    def counts(self) -> bool:
        """Whether the game was played to an end."""
        return self.game.termination is not Termination.INTERRUPTED


def render_result(winner: int | None) -> str:
    """The PGN result of a finished game: ``1-0``, ``0-1``, or ``1/2-1/2`` if nobody won."""
    return "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]
