"""The opening screen: an engine rejects random openings whose score is outside a range."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import EngineError
from latrones_uci.client.time_control import Clock, clock_limit
from latrones_uci.game import Game, Position
from latrones_uci.records.settings import ScreenSettings
from latrones_uci.text.messages import counted, quoted


class ScreenError(EngineError):
    """The engine of the opening screen failed; the message names it."""


class NoScoreError(ScreenError):
    pass


class OpeningScreen:
    """A running engine that tests positions. A context manager that closes it. Use it in one thread at a time."""

    def __init__(
        self,
        settings: ScreenSettings,
        start: Position,
        variant_path: str | None,
        timeouts: Timeouts,
        interrupted: Callable[[], bool],
    ) -> None:
        """Start the engine for games from ``start``; see ``Engine`` for the other arguments.

        Raises:
            ScreenError: the engine does not start or rejects its options.
            WaitInterruptedError: the wait was interrupted.
        """
        self._settings = settings
        self._tested, self._wins, self._scores = 0, 0, list[int]()
        self._engine = Engine(settings.engine, variant_path=variant_path, timeouts=timeouts, interrupted=interrupted)
        with _naming(settings.engine):
            self._engine.start(start)

    @property
    def id_name(self) -> str:
        return self._engine.controller.id_name or self._engine.controller.name

    def accepts(self, position: Position) -> bool:
        """Return whether a position has no forced win that was found, and a score for either side in the range.

        A new game is announced first, so that the result does not depend on earlier searches.

        Raises:
            ScreenError: the engine failed or reported no score; only ``close`` may be called afterwards.
            WaitInterruptedError: the wait was interrupted; only ``close`` may be called afterwards.
        """
        clock = Clock(self._settings.engine.control)
        with _naming(self._settings.engine):
            self._engine.new_game(position)
            answer = self._engine.search(
                Game(position), clock_limit(position.side, (clock, clock)), limit_ns=clock.allowed_ns()
            )
        self._tested += 1
        if answer.info.score.mate is not None:
            self._wins += 1
            return False
        if answer.info.score.cp is None:
            raise NoScoreError(f"screen engine {_name(self._settings.engine)}: no score for {quoted(position.fen())};"
                               " expected an engine that prints scores in info lines")
        score = abs(answer.info.score.cp)
        accepted = self._settings.least_centi <= score <= self._settings.most_centi
        if not accepted:
            self._scores.append(score)
        return accepted

    def rejections(self) -> str:
        """Return which engine rejected how many positions with which limit, and their scores, in one line."""
        settings, rejected = self._settings, self._wins + len(self._scores)
        limit = f"{settings.score_word} {settings.engine.control.to_text()}"
        found = [f"{self._wins:,} with a forced win"] * bool(self._wins)
        if self._scores:
            found.append(f"{len(self._scores):,} with scores from {min(self._scores)} to {max(self._scores)}")
        return (f"screen engine {_name(settings.engine)} ({limit}) rejected {rejected:,} of"
                f" {counted(self._tested, 'position')}: {', '.join(found) or 'none'}")

    def close(self) -> None:
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def prints_scores(
    settings: ScreenSettings, start: Position, variant_path: str | None, timeouts: Timeouts
) -> bool:
    """Return whether an engine can be a screen: it may print no info lines, which are optional.

    Raises:
        ScreenError: the engine does not start, rejects its options, or fails.
    """
    with OpeningScreen(settings, start, variant_path, timeouts, lambda: False) as screen:
        try:
            screen.accepts(start)
        except NoScoreError:
            return False
    return True


@contextmanager
def _naming(engine: EngineSettings) -> Iterator[None]:
    try:
        yield
    except EngineError as error:
        raise ScreenError(f"screen engine {_name(engine)}: {error}") from error


def _name(engine: EngineSettings) -> str:
    return quoted(engine.name or " ".join(engine.command))
