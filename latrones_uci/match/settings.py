"""The values that describe an engine and how it is refereed."""

from dataclasses import dataclass

from latrones_uci.match.time_control import TimeControl


@dataclass(frozen=True)
class Timeouts:
    """How long an engine is waited for where no clock of the game runs, in seconds.

    Attributes:
        start_s: from the start of the process to ``uciok``, and again to the ``readyok`` after the options.
        ready_s: from ``isready`` to ``readyok`` during play.
        search_s: for the answer to a ``go`` without a limit of time.
        stop_grace_s: for the answer to the ``stop`` that follows an overrun.
        quit_s: from ``quit`` to the end of the process.
    """

    start_s: float = 20.0
    ready_s: float = 10.0
    search_s: float = 600.0
    stop_grace_s: float = 2.0
    quit_s: float = 1.0


@dataclass(frozen=True)
class EngineSettings:
    """An engine.

    Attributes:
        command: program and arguments.
        control: its limits of time, depth and nodes.
        name: the name in tables and records, None for the one that the engine reports.
        options: names and values to set, in this order.
        directory: its working directory, None for that of the runner.
        restart: whether it is started anew for each game.
        signature: of its bench, empty if unknown; it is recorded.
    """

    command: tuple[str, ...]
    control: TimeControl
    name: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    directory: str | None = None
    restart: bool = False
    signature: str = ""


@dataclass(frozen=True)
class GameLimits:
    """What the referee applies beside the rules.

    Attributes:
        margin_ms: how many milliseconds late an answer may be.
        max_plies: after so many plies an unfinished game is a draw by adjudication, None for never.
    """

    margin_ms: int = 0
    max_plies: int | None = None
