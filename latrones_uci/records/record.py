"""How games end."""

from dataclasses import dataclass
from typing import Any

from latrones_uci.client.process import EngineFault
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import Outcome, Position, Termination
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.records.plan import Fixture
from latrones_uci.records.serialize import deserialize, serialize

# ---------------------------------------------------------------- record
# What is kept of a game.


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
class PlayedGame:
    """A game as the referee saw it.

    Attributes:
        start: the position before the first ply; it fixes game and board.
        plies: the moves made, all legal.
        outcome: how it ended; the details are one line on what the guilty player did, or on the adjudication.
        offence: the late, illegal or malformed answer that ended the game, None if there was no such answer.
        fault: of the guilty engine, if it crashed or stalled.
        violations: what the engines did against the protocol and were forgiven, a line for each player and kind:
            ``White: WHAT: 'EXAMPLE'``. What merely is unusual is told of strict engines only.
    """

    start: Position
    plies: tuple[PlyRecord, ...]
    outcome: Outcome
    offence: PlyRecord | None = None
    fault: EngineFault | None = None
    violations: tuple[str, ...] = ()


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
        return self.game.outcome.termination is not Termination.INTERRUPTED


NORMAL = "normal"
"""What records say of every game that ended by the rules; the details then name the ending."""


def termination_text(outcome: Outcome) -> tuple[str, str]:
    """Return the PGN tags ``Termination`` and ``TerminationDetails``."""
    ending = outcome.termination
    return (NORMAL, ending.value) if ending.by_rules else (ending.value, outcome.details)


def outcome_of_text(termination: str, details: str, winner: int | None) -> Outcome:
    """Read what ``termination_text`` returns.

    Raises:
        ValueError: there is no such termination.
    """
    if termination == NORMAL:
        return Outcome(Termination(details), winner)
    return Outcome(Termination(termination), winner, details)


# ---------------------------------------------------------------- record data
# Games as plain data, for JSON and the database, and back.

PLY_COLUMNS = (
    "side", "movenumber", "move", "elapsed_ns", "allowed_ns", "clock_left_ns",
    "score_centi", "mate", "depth", "nodes", "time_ms", "pv",
)  # fmt: skip


def ply_to_row(ply: PlyRecord) -> tuple[Any, ...]:
    """A ply as numbers and texts, in the order of ``PLY_COLUMNS``."""
    info = ply.info
    return (
        ply.side, ply.movenumber, ply.text, ply.elapsed_ns, ply.allowed_ns, ply.clock_left_ns,
        info.score_centi, info.mate, info.depth, info.nodes, info.time_ms, " ".join(info.pv),
    )  # fmt: skip


def ply_from_row(row: Any) -> PlyRecord:
    """The ply of which ``ply_to_row`` made this row."""
    side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, score_centi, mate, depth, nodes, time_ms, pv = row
    info = SearchInfo(depth, score=Score(score_centi, mate), nodes=nodes, time_ms=time_ms, pv=tuple(pv.split()))
    return PlyRecord(side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, info)


def game_to_data(game: PlayedGame) -> dict[str, Any]:
    """A game without its start, which its task names."""
    termination, details = termination_text(game.outcome)
    return {
        "plies": [ply_to_row(ply) for ply in game.plies],
        "winner": game.outcome.winner,
        "termination": termination,
        "details": details,
        "offence": None if game.offence is None else ply_to_row(game.offence),
        "fault": None if game.fault is None else serialize(game.fault),
        "violations": list(game.violations),
    }


def game_from_data(data: dict[str, Any], start: Position) -> PlayedGame:
    """The game of which ``game_to_data`` made this."""
    return PlayedGame(
        start,
        tuple(map(ply_from_row, data["plies"])),
        outcome_of_text(data["termination"], data["details"], data["winner"]),
        None if data["offence"] is None else ply_from_row(data["offence"]),
        None if data["fault"] is None else deserialize(EngineFault, data["fault"]),
        tuple(data["violations"]),
    )
