"""What a report tells, as plain values: nothing here is computed, and nothing knows where the values come from.

Whatever engines or files have said may be any text; the report makes it harmless.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from latrones_uci.game import Ruleset


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval; the ends, and the value too, may be infinite."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ReportEngine:
    """A player.

    Attributes:
        name: as in tables, unique in the match.
        command: how it was started, one line.
        control: its limits of time, depth and nodes, in words.
        options: names and values that were set, in order.
        identity: what it said of itself (``id name``), "" if nothing.
        details: more on it, such as version, bench signature or hash, by label.
    """

    name: str
    command: str = ""
    control: str = ""
    options: tuple[tuple[str, str], ...] = ()
    identity: str = ""
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ReportPly:
    """A move that was made; None where nothing was said or measured.

    Attributes:
        move: its text.
        side: who moved, 0 White, 1 Black.
        movenumber: of the position before it.
        elapsed_ms: by the runner's clock.
        clock_left_ms: on the player's clock after it, before the increment.
        score_centi: in centi-soldiers from the mover's point of view.
        mate: turns of the winner to the forced win, negative when the mover loses; excludes ``score_centi``.
        depth: in plies.
        nodes: positions searched.
    """

    move: str
    side: int
    movenumber: int
    elapsed_ms: float | None = None
    clock_left_ms: float | None = None
    score_centi: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True)
class ReportGame:
    """A game.

    Attributes:
        number: in the match, unique; games are told in the order given.
        round: of its pair or round, "" if there is none.
        variant: name of the game played.
        size: files and ranks.
        opening: index of the opening, None without one. Equal indices of one variant and size are equal openings.
        start_fen: the position before the first ply.
        white, black: indices of ``ReportData.engines``.
        winner: 0 White, 1 Black, None for nobody.
        termination: how it ended, as a word or two.
        details: one line more on the ending.
        plies: the moves made.
        counts: whether it is part of the score; False for games that were interrupted.
        fault: what an engine did wrong, with the move it sent if there is one; "" if nothing.
        culprit: index of the engine whose fault it was, None if there was none.
        violations: smaller breaches of the protocol, a line each.
        stderr: the last lines on its standard error of the engine at fault, "" for none.
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
        if not self.counts:
            return "*"
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]


@dataclass(frozen=True)
class ReportStanding:
    """A line of the table; the report keeps the order of the lines.

    Attributes:
        engine: index of ``ReportData.engines``.
        wins, draws, losses: of its games that count.
        elo: against the field, or the opponent; None if it was not estimated.
        remarks: further figures, such as LOS, by label.
    """

    engine: int
    wins: int
    draws: int
    losses: int
    elo: Estimate | None = None
    remarks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ReportSprt:
    """A sequential test.

    Attributes:
        elo0, elo1: the hypotheses.
        alpha, beta: the error probabilities.
        model: of the hypotheses, such as ``normalized``.
        lower, upper: the bounds of the log-likelihood ratio.
        llr: (games that count, ratio after them), games rising.
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
class ReportData:
    """A match.

    Attributes:
        title: of the report.
        date: when the match was played, for people.
        engines: the players; indices elsewhere count in this order.
        games: all games, those that were interrupted too.
        rulesets: the games that ``ReportGame.variant`` names; a game whose ruleset is missing is listed, not replayed.
        standings: the table, best first.
        sprt: the sequential test, None if there was none.
        summary: the main figures, label and value, told at the top.
        settings: what the match was set to, label and value.
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
