"""Game records, and their conversion to plain data for JSON and the database."""

from dataclasses import dataclass
from typing import Any

from latrones_uci.client.process import EngineFault
from latrones_uci.client.time_control import TimeControl
from latrones_uci.game import DECISIONS, Outcome, Position, Termination
from latrones_uci.protocol import Score, SearchInfo
from latrones_uci.records.plan import Fixture, Format
from latrones_uci.records.serialize import deserialize, serialize


@dataclass(frozen=True)
class PlyRecord:
    """An engine's answer.

    Attributes:
        side: the player, 0 White, 1 Black.
        movenumber: move number of the position before the move.
        text: the move, or the answer in place of a move.
        elapsed_ns: nanoseconds from ``go`` to the answer, measured by the runner.
        allowed_ns: nanoseconds allowed for the ply, without the time margin; None without a time limit.
        clock_left_ns: nanoseconds left on the player's clock after the ply, before anything is added; None without a
            clock.
        info: what the engine reported about its search.
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
        """The time beyond ``allowed_ns``, negative if there was time left; None without a time limit."""
        return None if self.allowed_ns is None else self.elapsed_ns - self.allowed_ns


@dataclass(frozen=True)
class PlayedGame:
    """A game as recorded by the referee.

    Attributes:
        start: the position before the first ply; it determines the variant and the board.
        plies: the moves played, all legal.
        outcome: how the game ended; the details are one line on the player's fault or the adjudication.
        offence: the late, illegal or malformed answer that ended the game, None if there is none.
        fault: the state of the engine that crashed or stalled, None if there is none.
        violations: protocol violations that did not end the game, one line for each player and kind:
            ``White: KIND: 'EXAMPLE'``. Tolerated irregularities are included only for strict engines.
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
        fixture: its place in the plan.
        names: names of White and Black.
        controls: time controls of White and Black.
        started: start of the game in UTC, such as ``2024-05-31T12:00:00Z``.
        game: the game.
        round_tag: the PGN tag ``Round``, empty for the number of the game (see ``round_tag``).
    """

    fixture: Fixture
    names: tuple[str, str]
    controls: tuple[TimeControl, TimeControl]
    started: str
    game: PlayedGame
    round_tag: str = ""

    @property
    def counts(self) -> bool:
        """Whether the game counts: it was not interrupted."""
        return self.game.outcome.termination is not Termination.INTERRUPTED


def round_tag(fixture: Fixture, form: Format) -> str:
    """Return the PGN tag ``Round`` of a format with rounds: the number of the round and that of the game."""
    return f"{fixture.round + 1}.{fixture.number}" if form.in_rounds else ""


NORMAL = "normal"
"""The ``Termination`` tag of every game that ended by the rules; ``TerminationDetails`` then has the reason."""


def termination_text(outcome: Outcome) -> tuple[str, str]:
    """Return the values of the PGN tags ``Termination`` and ``TerminationDetails``."""
    ending = outcome.termination
    return (NORMAL, outcome.reason) if ending.by_rules else (ending.value, outcome.details)


def outcome_of_text(termination: str, details: str, winner: int | None) -> Outcome:
    """Parse the output of ``termination_text``.

    Raises:
        ValueError: there is no such termination.
    """
    if termination == NORMAL and details in DECISIONS:
        return Outcome(Termination.DECIDED, winner, details)
    if termination == NORMAL:
        return Outcome(Termination(details), winner)
    return Outcome(Termination(termination), winner, details)


PLY_COLUMNS = (
    "side", "movenumber", "move", "elapsed_ns", "allowed_ns", "clock_left_ns",
    "score_centi", "mate", "depth", "nodes", "time_ms", "pv",
)  # fmt: skip


def ply_to_row(ply: PlyRecord) -> tuple[Any, ...]:
    """Return a ply as numbers and strings, in the order of ``PLY_COLUMNS``."""
    info = ply.info
    return (
        ply.side, ply.movenumber, ply.text, ply.elapsed_ns, ply.allowed_ns, ply.clock_left_ns,
        info.score_centi, info.mate, info.depth, info.nodes, info.time_ms, " ".join(info.pv),
    )  # fmt: skip


def ply_from_row(row: Any) -> PlyRecord:
    """Return the ply of a row that ``ply_to_row`` returned."""
    side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, score_centi, mate, depth, nodes, time_ms, pv = row
    info = SearchInfo(depth, score=Score(score_centi, mate), nodes=nodes, time_ms=time_ms, pv=tuple(pv.split()))
    return PlyRecord(side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, info)


def game_to_data(game: PlayedGame) -> dict[str, Any]:
    """Return a game as plain data, without its start position."""
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
    """Return the game of the data that ``game_to_data`` returned."""
    return PlayedGame(
        start,
        tuple(map(ply_from_row, data["plies"])),
        outcome_of_text(data["termination"], data["details"], data["winner"]),
        None if data["offence"] is None else ply_from_row(data["offence"]),
        None if data["fault"] is None else deserialize(EngineFault, data["fault"]),
        tuple(data["violations"]),
    )
