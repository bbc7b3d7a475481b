"""What an engine says, as values; ``protocol.render`` makes lines of them."""

from dataclasses import dataclass

from latrones_uci.search.report import Score


@dataclass(frozen=True)
class SearchInfo:
    """Progress of a search.

    Attributes:
        depth, seldepth, multipv, score, nodes, hashfull: as in ``search.report.Info``.
        time_ms: since the search began.
        pv: the line, as move texts.
    """

    depth: int
    seldepth: int
    multipv: int
    score: Score
    nodes: int
    hashfull: int
    time_ms: int
    pv: tuple[str, ...]

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return self.nodes * 1000 // max(1, self.time_ms)


@dataclass(frozen=True)
class SearchingMove:
    """The root move that a long search has come to; ``number`` counts from 1."""

    depth: int
    move: str
    number: int


@dataclass(frozen=True)
class BestMove:
    """The end of a search; ``move`` is None where there is none to play."""

    move: str | None
    ponder: str | None = None


@dataclass(frozen=True)
class Note:
    """Something to tell a person."""

    text: str


@dataclass(frozen=True)
class Refusal:
    """A rejected command, or an internal fault: a short code and a message of one line."""

    code: str
    message: str


@dataclass(frozen=True)
class PerftCount:
    """The end of a perft: counts by first move, sorted, and the total."""

    counts: tuple[tuple[str, int], ...]
    total: int


@dataclass(frozen=True)
class BenchLine:
    """One position of a bench, done.

    Attributes:
        number, of: which one, of how many.
        board: game and size.
        fen: the position.
        move: the move found.
        nodes: searched.
        time_us: microseconds taken, at least 1.
    """

    number: int
    of: int
    board: str
    fen: str
    move: str
    nodes: int
    time_us: int

    @property
    def nodes_per_second(self) -> int:
        """The speed in this position."""
        return self.nodes * 10**6 // self.time_us


@dataclass(frozen=True)
class BenchBoard:
    """What a bench makes of the positions of one game and board: all their nodes, and the median speed."""

    board: str
    nodes: int
    nodes_per_second: int


@dataclass(frozen=True)
class BenchTotal:
    """The end of a bench: what each board came to, the signature, and the speed over all."""

    kernel: str
    depth: int
    boards: tuple[BenchBoard, ...]
    nodes: int
    nodes_per_second: int


@dataclass(frozen=True)
class BenchComparison:
    """Two benches over the same positions."""

    first: BenchTotal
    second: BenchTotal


Event = SearchInfo | SearchingMove | BestMove | Note | Refusal | PerftCount | BenchLine | BenchTotal | BenchComparison
