"""The data of a report as plain values.

Strings from engines and files can contain anything; the report escapes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from latrones_uci.game import Ruleset, render_result
from latrones_uci.match.rounds import BracketPlace, RoundsTable
from latrones_uci.protocol import WhiteScore
from latrones_uci.stats import Interval


@dataclass(frozen=True)
class ReportEngine:
    """An engine of the match.

    Attributes:
        name: the name in tables, unique in the match.
        command: the command line.
        control: its limits of time, depth and nodes, as text.
        options: names and values of the options that were set, in order.
        identity: its ``id name``, "" if it has none.
        details: more information by label, such as version, bench signature or hash.
    """

    name: str
    command: str = ""
    control: str = ""
    options: tuple[tuple[str, str], ...] = ()
    identity: str = ""
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ReportPly:
    """A ply; None means that a value was not reported or not measured.

    Attributes:
        move: the move as text.
        side: the player who moved, 0 White, 1 Black.
        movenumber: the move number of the position before the move.
        elapsed_ms: the time by the runner's clock.
        clock_left_ms: the time left on the player's clock after the move, before the increment.
        score: the evaluation after the move, from White's point of view: what the player reported, or a review found.
        depth: the depth in plies.
        nodes: the number of nodes searched.
        mark: what a review says about the move, such as ``??``.
        lost: what the move loses according to a review, in words.
        best: the best move according to a review, in the notation for people.
    """

    move: str
    side: int
    movenumber: int
    elapsed_ms: float | None = None
    clock_left_ms: float | None = None
    score: WhiteScore = None
    depth: int | None = None
    nodes: int | None = None
    mark: str = ""
    lost: str = ""
    best: str = ""


@dataclass(frozen=True)
class ReportGame:
    """A game.

    Attributes:
        number: the number in the match, unique; the report keeps the order of the games.
        round: the number of its pair or round, "" if there is none.
        variant: the name of the variant.
        size: files and ranks.
        opening: the index of the opening, None without one. Equal indices with one variant and size are equal openings.
        start_fen: the position before the first ply.
        white, black: indices of ``ReportData.engines``.
        winner: 0 White, 1 Black, None for a draw or an interrupted game.
        termination: how the game ended, in a word or two.
        details: one line on the ending.
        plies: the plies of the game.
        counts: whether the game is part of the score; False for interrupted games.
        fault: what an engine did wrong, with the move it sent if there is one; "" if nothing.
        culprit: the index of the engine at fault, None if there is none.
        violations: minor protocol violations, one line each.
        stderr: the last lines of stderr of the engine at fault, "" for none.
    """

    number: int
    variant: str
    size: tuple[int, int]
    start_fen: str
    white: int
    black: int
    winner: int | None
    termination: str
    details: str = ""
    plies: tuple[ReportPly, ...] = ()
    round: str = ""
    opening: int | None = None
    counts: bool = True
    fault: str = ""
    culprit: int | None = None
    violations: tuple[str, ...] = ()
    stderr: str = ""

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game that does not count."""
        return render_result(self.winner) if self.counts else "*"


@dataclass(frozen=True)
class ReportStanding:
    """A row of the standings; the report keeps the order of the rows.

    Attributes:
        engine: the index in ``ReportData.engines``.
        wins, draws, losses: the results of its games that count.
        elo: the Elo difference to the opponent, or the rating among several; None if it was not estimated.
        remarks: more figures by label, such as LOS.
        score: points per game, 0 to 1, of the games from which Elo was estimated; None if those are all games.
        unpaired: number of games that are not among them, because their pair is not complete.
    """

    engine: int
    wins: int
    draws: int
    losses: int
    elo: Interval | None = None
    remarks: tuple[tuple[str, str], ...] = ()
    score: float | None = None
    unpaired: int = 0

    @property
    def share(self) -> float | None:
        """The score that belongs to Elo, 0 to 1; None without games."""
        games = self.wins + self.draws + self.losses
        if self.score is not None or not games:
            return self.score
        return (self.wins + self.draws / 2) / games


def unpaired_note(standings: Sequence[ReportStanding]) -> str:
    """Return what to say about games whose pair is not complete, empty if there are none."""
    count = max((standing.unpaired for standing in standings), default=0)
    what = "1 game is not paired yet: it counts" if count == 1 else f"{count} games are not paired yet: they count"
    return f"{what} in points and W-D-L, not in score, Elo and LOS." if count else ""


@dataclass(frozen=True)
class ReportSprt:
    """A sequential test.

    Attributes:
        elo0, elo1: the hypotheses.
        alpha, beta: the error probabilities.
        model: the Elo model of the hypotheses, such as ``normalized``.
        lower, upper: the bounds of the log-likelihood ratio.
        llr: pairs of a number of games and the ratio after them, in ascending order.
        verdict: one line on the outcome.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: str
    lower: float
    upper: float
    llr: tuple[tuple[int, float], ...]
    verdict: str


@dataclass(frozen=True)
class ReportParameter:
    """A tuned parameter.

    Attributes:
        name: its name.
        start, minimum, maximum: the first value, and the bounds.
        step: the disturbance at the end.
        values: pairs of a number of games and the value after them, in ascending order, from 0 games on.
    """

    name: str
    start: int
    minimum: int
    maximum: int
    step: float
    values: tuple[tuple[int, float], ...]

    @property
    def value(self) -> float:
        """The last value."""
        return self.values[-1][1]


@dataclass(frozen=True)
class ReportTuning:
    """A tuning.

    Attributes:
        parameters: the parameters, at least one.
        rate: the rate of the last pair.
        pairs: the number of pairs played, and of all pairs.
        words: the words for the command line that give an engine the last values.
    """

    parameters: tuple[ReportParameter, ...]
    rate: float
    pairs: tuple[int, int]
    words: str


@dataclass(frozen=True)
class ReportData:
    """A match.

    Attributes:
        title: the title of the report.
        date: the date of the match, as text.
        engines: the engines; other fields refer to them by index.
        games: all games, including interrupted ones.
        rulesets: the variants by name; a game whose variant is missing is listed, but has no replay.
        standings: the standings, best first.
        sprt: the sequential test, None if there was none.
        summary: the main figures at the top, label and value.
        settings: the settings of the match, label and value.
        superiority: the likelihood, 0 to 1, that one engine is stronger than another, by their indices; empty for two.
        rounds: the table of a Swiss tournament or the pairings of a knockout, None for other formats.
        bracket: the names of the rounds of a knockout, each with its places; empty for other formats.
        tuning: the tuning, None if there was none.
    """

    title: str
    date: str
    engines: tuple[ReportEngine, ...]
    games: tuple[ReportGame, ...]
    rulesets: Mapping[str, Ruleset]
    standings: tuple[ReportStanding, ...] = ()
    sprt: ReportSprt | None = None
    summary: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    superiority: Mapping[tuple[int, int], float] = field(default_factory=dict)
    rounds: RoundsTable | None = None
    bracket: tuple[tuple[str, tuple[BracketPlace, ...]], ...] = ()
    tuning: ReportTuning | None = None
