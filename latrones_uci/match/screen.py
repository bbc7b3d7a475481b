"""The screen of random openings: an engine that looks whether a side is lost already."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import EngineError, SettingsError
from latrones_uci.client.time_control import TIME_CONTROL_KEYS, Clock, clock_limit
from latrones_uci.game import Game, Position, quoted


class ScreenError(EngineError):
    """The engine that screens openings failed; the message names it."""


@dataclass(frozen=True)
class ScreenSettings:
    """How openings are screened.

    Attributes:
        engine: the engine, with the limits of its search. With depth or nodes alone its judgement can be repeated.
        most_centi: the greatest advantage of either side in centi-soldiers with which an opening is kept.
    """

    engine: EngineSettings
    most_centi: int = 150


class OpeningScreen:
    """A started engine that judges positions; a context manager that ends it. For one thread at a time."""

    def __init__(
        self,
        settings: ScreenSettings,
        start: Position,
        variant_path: str | None,
        timeouts: Timeouts,
        interrupted: Callable[[], bool],
    ) -> None:
        """Start the engine for games from ``start``; the other arguments are those of ``Engine``.

        Raises:
            ScreenError: it does not start or does not take its options.
            WaitInterruptedError: the match was told to stop.
        """
        self._settings = settings
        self._engine = Engine(settings.engine, variant_path=variant_path, timeouts=timeouts, interrupted=interrupted)
        with _naming(settings.engine):
            self._engine.start(start)

    def accepts(self, position: Position) -> bool:
        """Whether an unfinished position is balanced: no forced win seen, and the score within the limit.

        The engine begins a new game first, so that what it has seen before does not matter.

        Raises:
            ScreenError: the engine failed, or gave no score; only ``close`` may follow.
            WaitInterruptedError: the match was told to stop; likewise.
        """
        clock = Clock(self._settings.engine.control)
        with _naming(self._settings.engine):
            self._engine.new_game(position)
            answer = self._engine.search(
                Game(position), clock_limit(position.side, (clock, clock)), limit_ns=clock.allowed_ns()
            )
        if answer.info.mate is not None:
            return False
        if answer.info.score_centi is None:
            raise ScreenError(f"screen engine {_name(self._settings.engine)}: no score for {quoted(position.fen())}")
        return abs(answer.info.score_centi) <= self._settings.most_centi

    def close(self) -> None:
        """Ends the engine."""
        self._engine.close()

    def __enter__(self) -> Self:
        """The screen itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Ends the engine."""
        self.close()


@contextmanager
def _naming(engine: EngineSettings) -> Iterator[None]:
    """Turns the engine's faults into errors that tell which engine it was."""
    try:
        yield
    except EngineError as error:
        raise ScreenError(f"screen engine {_name(engine)}: {error}") from error


def _name(engine: EngineSettings) -> str:
    return quoted(engine.name or " ".join(engine.command))


# ---------------------------------------------------------------- screen words
# The words that describe the screen of openings on the command line.

_DEFAULT_LIMIT = "nodes=20000"
_MOST_CENTI = "score="


def parse_screen(words: Sequence[str]) -> ScreenSettings:
    """Reads ``COMMAND [st=...] [depth=...] [nodes=...] [score=CENTI] [option.X=...]``.

    The first word is the command, also as ``cmd=COMMAND``; the others are those of an engine, and the greatest score
    (see ``ScreenSettings``). Without a limit of the search it is 20000 nodes.

    Raises:
        SettingsError: what ``parse_engine`` raises; a clock; or a score that is none.
    """
    command = f"cmd={words[0].removeprefix('cmd=')}"
    scores = [word for word in words[1:] if word.startswith(_MOST_CENTI)]
    others = [word for word in words[1:] if word not in scores]
    limited = any(word.partition("=")[0] in TIME_CONTROL_KEYS for word in others)
    engine = parse_engine([command, *others], [] if limited else [_DEFAULT_LIMIT])
    if engine.control.base_ms is not None:
        raise SettingsError(f"{quoted(engine.control.to_text())}: an opening is screened with st=, depth= or nodes=")
    if len(scores) > 1:
        raise SettingsError(f"key 'score' is given twice, the second time as {quoted(scores[1])}")
    return ScreenSettings(engine, _most_centi(scores[0])) if scores else ScreenSettings(engine)


def _most_centi(word: str) -> int:
    text = word.removeprefix(_MOST_CENTI)
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise SettingsError(f"{quoted(word)} is not a score in centi-soldiers, a whole number from 0")
    return int(text)
