"""Game records, and their conversion to plain data for JSON and the database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.client.process import EngineFault
from latrones_uci.client.time_control import TimeControl
from latrones_uci.client.variant_setup import VariantFile, VariantSettings
from latrones_uci.game import DECISIONS, Outcome, Position, Termination
from latrones_uci.records.plan import Fixture, Format
from latrones_uci.records.serialize import deserialize, serialize
from latrones_uci.records.settings import GameLimits
from latrones_uci.text.protocol import Score, SearchInfo


@dataclass(frozen=True)
class PlyRecord:
    """An engine's answer."""

    side: int
    """The player, 0 White, 1 Black."""
    movenumber: int
    """Move number of the position before the move."""
    text: str
    """The move, or the answer in place of a move."""
    elapsed_ns: int = 0
    """Nanoseconds from ``readyok`` before ``go`` to the answer, measured by the runner; 0 if they were not measured."""
    allowed_ns: int | None = None
    """Nanoseconds allowed for the ply, without the time margin; None without a time limit."""
    clock_left_ns: int | None = None
    """Nanoseconds left on the player's clock after the ply, before anything is added; None without a clock."""
    info: SearchInfo = field(default_factory=SearchInfo)
    """What the engine reported about its search."""

    @property
    def overshoot_ns(self) -> int | None:
        """The time beyond ``allowed_ns``, negative if there was time left; None without a time limit."""
        return None if self.allowed_ns is None else self.elapsed_ns - self.allowed_ns


@dataclass(frozen=True)
class PlayedGame:
    """A game as recorded by the referee."""

    start: Position
    """The position before the first ply; it determines the variant and the board."""
    plies: Sequence[PlyRecord]
    """The moves played, all legal."""
    outcome: Outcome
    """How the game ended; the details are one line on the player's fault or the adjudication."""
    offence: PlyRecord | None = None
    """The late, illegal or malformed answer that ended the game, None if there is none."""
    fault: EngineFault | None = None
    """The state of the engine that crashed or stalled, None if there is none."""
    violations: tuple[str, ...] = ()
    """Protocol violations that did not end the game, one line for each player and kind: ``White: RULE: 'EXAMPLE'``.
    What is tolerated otherwise is included only for strict engines."""

    @cached_property
    def rows(self) -> tuple[Sequence[Any], ...]:
        """The plies as numbers and strings, in the order of ``PLY_COLUMNS``."""
        return self.plies.rows if isinstance(self.plies, RowPlies) else tuple(map(ply_to_row, self.plies))


@dataclass(frozen=True)
class GameTask:
    """Everything needed to play a game on any machine."""

    game_number: int
    """Number of the game in the tournament; 0 without a game."""
    engines: tuple[EngineSettings, ...]
    """White and Black."""
    variant: VariantSettings
    """The variant and its board."""
    variant_file: VariantFile | None = None
    fen: str = ""
    """The position after the opening; empty to identify the engines without a game."""
    limits: GameLimits = field(default_factory=GameLimits)
    """What the referee applies in addition to the rules."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    """Engine timeouts."""
    numbers: tuple[int, ...] = ()
    """The numbers of the engines in the tournament, from 0, for their logs."""
    options: tuple[tuple[tuple[str, str], ...], ...] = ()
    """For each engine the names and values of options to set before this game; empty for none."""


@dataclass(frozen=True)
class Identity:
    """The name of an engine in tables, ``id name``, ``id author`` and kernel; without a game its options and files."""

    name: str
    id_name: str
    id_author: str
    options: tuple[OptionDeclaration, ...] = ()
    kernel: str = ""
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TaskResult:
    identities: tuple[Identity, ...]
    """The identities of the engines."""
    started: str = ""
    """Start of the game in UTC; empty if there was no game."""
    game: PlayedGame | None = None
    notes: tuple[str, ...] = ()
    """What else happened, such as an engine that did not start at once."""


class RowPlies(Sequence[PlyRecord]):
    """Plies that are converted from their rows when one of them is needed.

    To store a game and to count its moves takes the rows only, and most of the time to read a game is conversion.
    """

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        """Keep the rows.

        Raises:
            ValueError: a row does not have the right number of columns.
        """
        if any(len(row) != len(PLY_COLUMNS) for row in rows):
            raise ValueError(f"malformed plies; expected rows of {len(PLY_COLUMNS)} columns")
        self.rows = tuple(rows)
        """The plies as ``ply_to_row`` returns them."""

    @cached_property
    def _plies(self) -> tuple[PlyRecord, ...]:
        return tuple(map(ply_from_row, self.rows))

    @overload
    def __getitem__(self, index: int) -> PlyRecord: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PlyRecord, ...]: ...
    def __getitem__(self, index: int | slice) -> PlyRecord | tuple[PlyRecord, ...]:
        return self._plies[index]

    def __iter__(self) -> Iterator[PlyRecord]:
        return iter(self._plies)

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        return self._plies == (other._plies if isinstance(other, RowPlies) else other)

    def __hash__(self) -> int:
        return hash(self._plies)


@dataclass(frozen=True)
class GameRecord:
    """A game of a tournament."""

    fixture: Fixture
    """Its place in the plan."""
    names: tuple[str, str]
    """Names of White and Black."""
    controls: tuple[TimeControl, TimeControl]
    """Time controls of White and Black."""
    started: str
    """Start of the game in UTC, such as ``2024-05-31T12:00:00Z``."""
    game: PlayedGame
    round_tag: str = ""
    """The PGN tag ``Round``, empty for the number of the game (see ``round_tag``)."""

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
)


def ply_to_row(ply: PlyRecord) -> tuple[Any, ...]:
    """Return a ply as numbers and strings, in the order of ``PLY_COLUMNS``."""
    info = ply.info
    return (
        ply.side, ply.movenumber, ply.text, ply.elapsed_ns, ply.allowed_ns, ply.clock_left_ns,
        info.score.cp, info.score.mate, info.depth, info.nodes, info.time_ms, " ".join(info.pv),
    )


def ply_from_row(row: Any) -> PlyRecord:
    """Return the ply of a row that ``ply_to_row`` returned."""
    side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, score_centi, mate, depth, nodes, time_ms, pv = row
    info = SearchInfo(depth, score=Score(score_centi, mate), nodes=nodes, time_ms=time_ms, pv=tuple(pv.split()))
    return PlyRecord(side, movenumber, text, elapsed_ns, allowed_ns, clock_left_ns, info)


def game_to_data(game: PlayedGame) -> dict[str, Any]:
    """Return a game as plain data, without its start position."""
    termination, details = termination_text(game.outcome)
    return {
        "plies": list(game.rows),
        "winner": game.outcome.winner,
        "termination": termination,
        "details": details,
        "offence": None if game.offence is None else ply_to_row(game.offence),
        "fault": None if game.fault is None else serialize(game.fault),
        "violations": list(game.violations),
    }


def game_from_data(data: dict[str, Any], start: Position, *, keep_rows: bool = False) -> PlayedGame:
    """Return the game of the data that ``game_to_data`` returned.

    With ``keep_rows`` its plies are converted only when one of them is needed.
    """
    return PlayedGame(
        start,
        RowPlies(data["plies"]) if keep_rows else tuple(map(ply_from_row, data["plies"])),
        outcome_of_text(data["termination"], data["details"], data["winner"]),
        None if data["offence"] is None else ply_from_row(data["offence"]),
        None if data["fault"] is None else deserialize(EngineFault, data["fault"]),
        tuple(data["violations"]),
    )
