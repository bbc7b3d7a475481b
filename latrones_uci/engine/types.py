"""Search types shared by both kernels: scores, the task, progress reports and the result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from latrones_uci.game import PackedMove
from latrones_uci.text.protocol import Bound, Score, SearchInfo

if TYPE_CHECKING:
    from latrones_uci.engine.tables import Tables

MAX_PLY = 100
"""Greatest depth of a search, in plies."""

WIN = 30_000
"""Internal score of a game that is won already; a win in ``n`` plies is ``WIN - n``."""
PROVEN = WIN - 1_000
"""Internal scores of at least this are proven wins; scores of at most its negative are proven losses."""
TABLE_WIN = 20_000
"""Internal score of a position won according to an endgame table, minus ``n`` at ``n`` plies below the root. It is
above every evaluation and below every proven win."""
TABLE_PROVEN = TABLE_WIN - 1_000
"""Internal scores of at least this are proven wins or table wins; scores of at most its negative are proven losses or
table losses. They depend on the distance from the root."""
MAX_TABLE_PLIES = WIN - PROVEN - MAX_PLY
"""Largest distance to the end of the game, according to an endgame table, with which a win counts as proven."""
INFINITE = 32_000
"""Larger than every internal score."""

def to_score(value: int, bound: Bound = "") -> Score:
    """Convert an internal score.

    A win in ``n`` plies takes ``(n + 1) // 2`` turns of the winner; a loss in ``n`` plies takes ``n // 2`` turns of the
    other side.
    """
    if value >= PROVEN:
        return Score(None, (WIN - value + 1) // 2, bound)
    if value <= -PROVEN:
        return Score(None, -((WIN + value) // 2), bound)
    return Score(value, None, bound)


@dataclass(frozen=True)
class TimeBudget:
    """The time of a search, for kernels that plan with it; every kernel is stopped in time."""

    planned_ms: float | None = None
    """Time to spend on the move, None without a time limit."""
    left_ms: tuple[int | None, int | None] = (None, None)
    """Time left for White and for Black, None without a clock."""
    increment_ms: tuple[int, int] = (0, 0)
    """Increment per ply for White and for Black."""
    moves_to_go: int | None = None
    """Own moves until the clock is reset, None if it is never reset."""


@dataclass(frozen=True)
class Task:
    """The limits of a search."""

    root_moves: tuple[PackedMove, ...]
    """The moves to choose from; not empty."""
    depth: int = MAX_PLY
    """Maximum depth, 1..MAX_PLY."""
    nodes: int | None = None
    """Maximum number of nodes, None for no limit."""
    mate: int | None = None
    """Stop when a win in this many turns is proven; None to ignore."""
    multipv: int = 1
    """Number of lines."""
    time: TimeBudget = TimeBudget()
    """The time; ``should_stop`` and ``wants_depth`` enforce it."""
    tables: "Tables | None" = None
    """The endgame tables to probe, None for none."""


class CurrentMove(NamedTuple):
    """The root move being searched, as text; ``number`` counts from 1."""

    depth: int
    move: str
    number: int


Reporter = Callable[[SearchInfo | CurrentMove], None]
"""Receives the progress of a search."""


class IterationProgress(NamedTuple):
    """The state of a search between two iterations."""

    steady: int
    """Number of iterations since the best move last changed."""
    settled: bool
    """Whether the best line is a win or loss proven within the searched depth, so that a deeper search could at most
    shorten it."""
    fallen: int = 0
    """Centi-soldiers by which the score of the best line has fallen since the previous iteration; 0 if it has not
    fallen or there was no previous iteration."""
    interruptible: bool = False
    """Whether the search can stop at any moment. It may then use all of the planned time, not only the share after
    which another iteration is not worth starting."""


class SearchResult(NamedTuple):
    """The result of a search."""

    move: PackedMove
    """The move to play."""
    ponder: PackedMove | None
    """The expected reply, None if unknown."""
    nodes: int
    """The number of nodes."""
    failure: str = ""
    """Error message of a search that failed but still returns a move; empty if it did not fail."""
