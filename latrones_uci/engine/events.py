"""Events that the engine reports; ``uci.render`` turns them into lines."""


from typing import NamedTuple

from latrones_uci.engine.types import CurrentMove
from latrones_uci.text.protocol import BestMove, SearchInfo


class Note(NamedTuple):
    """A message for people."""

    text: str


class Refusal(NamedTuple):
    """A rejected command or an internal error: a short code and a message of one line."""

    code: str
    message: str

    @classmethod
    def of_failure(cls, what: str, error: Exception) -> "Refusal":
        """Return the event for an otherwise unhandled exception: not enough memory, or a bug."""
        if isinstance(error, MemoryError):
            return cls("memory", f"{what}: {str(error) or 'out of memory'}")
        return cls("internal", f"{what}: {type(error).__name__}: {error}")


class PerftCount(NamedTuple):
    """The end of a perft: counts by first move, sorted, and the total."""

    counts: tuple[tuple[str, int], ...]
    total: int


class BenchLine(NamedTuple):
    """One finished position of a bench."""

    number: int
    of: int
    """Number of the position, from 1, and number of positions."""
    board: str
    """Game and board size."""
    fen: str
    move: str
    nodes: int
    time_us: int
    """Time in microseconds, at least 1."""

    @property
    def nodes_per_second(self) -> int:
        return self.nodes * 10**6 // self.time_us


class BenchBoard(NamedTuple):
    """Bench totals of one game and board size: total nodes and median speed."""

    board: str
    nodes: int
    nodes_per_second: int


class BenchTotal(NamedTuple):
    """The end of a bench: totals of each board, the signature (total nodes), and the overall speed."""

    kernel: str
    depth: int
    boards: tuple[BenchBoard, ...]
    nodes: int
    nodes_per_second: int


class BenchComparison(NamedTuple):
    """Two benches over the same positions."""

    first: BenchTotal
    second: BenchTotal


EngineEvent = (SearchInfo | CurrentMove | BestMove | Note | Refusal | PerftCount | BenchLine | BenchTotal
               | BenchComparison)
