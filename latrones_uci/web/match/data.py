"""The data of a report as plain values.

Strings from engines and files can contain anything; the report escapes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from latrones_uci.game import Ruleset, render_result
from latrones_uci.match.rounds import BracketPlace, RoundsTable
from latrones_uci.match.standings import Results
from latrones_uci.records.annotation import AnalysedMove
from latrones_uci.records.record import PlyRecord
from latrones_uci.stats import Interval, Sprt


@dataclass(frozen=True)
class ReportEngine:
    """An engine of the match."""

    name: str
    """The name in tables, unique in the match."""
    command: str = ""
    """The command line."""
    control: str = ""
    """Its limits of time, depth and nodes, as text."""
    options: tuple[tuple[str, str], ...] = ()
    """Names and values of the options that were set, in order."""
    identity: str = ""
    """Its ``id name``, "" if it has none."""
    details: tuple[tuple[str, str], ...] = ()
    """More information by label, such as version, bench signature or hash."""


@dataclass(frozen=True)
class ReportGame:
    """A game."""

    number: int
    """The number in the match, unique; the report keeps the order of the games."""
    variant: str
    """The name of the variant."""
    size: tuple[int, int]
    """Files and ranks."""
    start_fen: str
    """The position before the first ply."""
    white: int
    black: int
    """Indices of ``ReportData.engines``."""
    winner: int | None
    """0 White, 1 Black, None for a draw or an interrupted game."""
    termination: str
    """How the game ended, in a word or two."""
    details: str = ""
    """One line on the ending."""
    plies: Sequence[PlyRecord] = ()
    """The plies of the game."""
    round: str = ""
    """The number of its pair or round, "" if there is none."""
    opening: int | None = None
    """The index of the opening, None without one. Equal indices with one variant and size are equal openings."""
    counts: bool = True
    """Whether the game is part of the score; False for interrupted games."""
    fault: str = ""
    """What an engine did wrong, with the move it sent if there is one; "" if nothing."""
    culprit: int | None = None
    """The index of the engine at fault, None if there is none."""
    violations: tuple[str, ...] = ()
    """Minor protocol violations, one line each."""
    stderr: str = ""
    """The last lines of stderr of the engine at fault, "" for none."""
    review: Sequence[AnalysedMove] = ()
    """The same moves with what a review says about them; empty without a review."""

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game that does not count."""
        return render_result(self.winner) if self.counts else "*"


@dataclass(frozen=True)
class ReportStanding:
    """A row of the standings; the report keeps the order of the rows."""

    engine: int
    """The index in ``ReportData.engines``."""
    results: Results
    """The results of its games that count."""
    elo: Interval | None = None
    """The Elo difference to the opponent, or the rating among several; None if it was not estimated."""
    remarks: tuple[tuple[str, str], ...] = ()
    """More figures by label, such as LOS."""
    score: float | None = None
    """Points per game, 0 to 1, of the games from which Elo was estimated; None if those are all games."""
    unpaired: int = 0
    """Number of games that are not among them, because their pair is not complete."""

    @property
    def share(self) -> float | None:
        """The score that belongs to Elo, 0 to 1; None without games."""
        if self.score is not None or not self.results.games:
            return self.score
        return self.results.points / self.results.games


def unpaired_note(standings: Sequence[ReportStanding]) -> str:
    """Return what to say about games whose pair is not complete, empty if there are none."""
    count = max((standing.unpaired for standing in standings), default=0)
    what = "1 game is not paired yet: it counts" if count == 1 else f"{count} games are not paired yet: they count"
    return f"{what} in points and W-D-L, not in score, Elo and LOS." if count else ""


@dataclass(frozen=True)
class ReportSprt:
    """A sequential test."""

    test: Sprt
    """The test."""
    llr: tuple[tuple[int, float], ...]
    """Pairs of a number of games and the ratio after them, in ascending order."""
    verdict: str
    """One line on the outcome."""
    more_games: int | None = None
    """The number of games that it will probably still take; None if unknown."""


@dataclass(frozen=True)
class ReportParameter:
    """A tuned parameter."""

    name: str
    """Its name."""
    start: int
    minimum: int
    maximum: int
    """The first value, and the bounds."""
    step: float
    """The disturbance at the end."""
    values: tuple[tuple[int, float], ...]
    """Pairs of a number of games and the value after them, in ascending order, from 0 games on."""

    @property
    def value(self) -> float:
        """The last value."""
        return self.values[-1][1]


@dataclass(frozen=True)
class ReportTuning:
    """A tuning."""

    parameters: tuple[ReportParameter, ...]
    """The parameters, at least one."""
    rate: float
    """The rate of the last pair."""
    pairs: tuple[int, int]
    """The number of pairs played, and of all pairs."""
    words: str
    """The words for the command line that give an engine the last values."""


@dataclass(frozen=True)
class ReportData:
    """A match."""

    title: str
    """The title of the report."""
    date: str
    """The date of the match, as text."""
    engines: tuple[ReportEngine, ...]
    """The engines; other fields refer to them by index."""
    games: tuple[ReportGame, ...]
    """All games, including interrupted ones."""
    rulesets: Mapping[str, Ruleset]
    """The variants by name; a game whose variant is missing is listed, but has no replay."""
    standings: tuple[ReportStanding, ...] = ()
    """The standings, best first."""
    sprt: ReportSprt | None = None
    """The sequential test, None if there was none."""
    summary: tuple[tuple[str, str], ...] = ()
    """The main figures at the top, label and value."""
    settings: tuple[tuple[str, str], ...] = ()
    """The settings of the match, label and value."""
    meetings: Mapping[tuple[int, int], Results] = field(default_factory=dict)
    """The results of one engine against another, by their indices, for each two that met; empty for two engines."""
    superiority: Mapping[tuple[int, int], float] = field(default_factory=dict)
    """The likelihood, 0 to 1, that one engine is stronger than another, by their indices; empty for two."""
    rounds: RoundsTable | None = None
    """The table of a Swiss tournament or the pairings of a knockout, None for other formats."""
    bracket: tuple[tuple[str, tuple[BracketPlace, ...]], ...] = ()
    """The names of the rounds of a knockout, each with its places; empty for other formats."""
    tuning: ReportTuning | None = None
    """The tuning, None if there was none."""
