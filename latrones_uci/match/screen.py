"""The opening screen: an engine rejects random openings whose score is outside a range."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import OWN_ENGINE, EngineSettings, Timeouts, parse_engine
from latrones_uci.client.errors import EngineError, SettingsError
from latrones_uci.client.time_control import TIME_CONTROL_KEYS, Clock, clock_limit
from latrones_uci.game import Game, Position, counted, quoted


class ScreenError(EngineError):
    """The engine of the opening screen failed; the message names it."""


class NoScoreError(ScreenError):
    """The engine of the opening screen prints no scores."""


@dataclass(frozen=True)
class ScreenSettings:
    """The settings of the opening screen.

    Raises:
        SettingsError: ``least_centi`` is larger than ``most_centi``.
    """

    engine: EngineSettings
    """The engine and its search limits. With only a depth or node limit, the result is reproducible."""
    most_centi: int = 150
    """The largest accepted score of either side, in centi-soldiers."""
    least_centi: int = 0
    """The smallest accepted advantage of either side, in centi-soldiers."""

    def __post_init__(self) -> None:
        """Validate the range."""
        if self.least_centi > self.most_centi:
            raise SettingsError(f"{quoted(self.score_word)}: expected the smaller score first")

    @property
    def score_word(self) -> str:
        """The range as a key: ``score=150``, or ``score=200..300``."""
        return f"score={self.least_centi}..{self.most_centi}" if self.least_centi else f"score={self.most_centi}"


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
        """The engine's ``id name``, or its name if it has none."""
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
        """Close the engine."""
        self._engine.close()

    def __enter__(self) -> Self:
        """Return the screen."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the engine."""
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
    """Raise errors of the engine as errors that name it."""
    try:
        yield
    except EngineError as error:
        raise ScreenError(f"screen engine {_name(engine)}: {error}") from error


def _name(engine: EngineSettings) -> str:
    return quoted(engine.name or " ".join(engine.command))


_DEFAULT_LIMIT = "nodes=20000"
OWN_SCREEN = ScreenSettings(parse_engine([], [_DEFAULT_LIMIT], OWN_ENGINE))
"""The screen by this project's engine."""

_SCORE = "score="
_RANGE = re.compile(r"(?:([0-9]{1,9})\.\.)?([0-9]{1,9})", re.ASCII)


def parse_screen(words: Sequence[str], most_centi: int = ScreenSettings.most_centi) -> ScreenSettings:
    """Parse ``COMMAND [st=...] [depth=...] [nodes=...] [score=[CENTI..]CENTI] [option.X=...]``.

    The first word is the command, also as ``cmd=COMMAND``. The others are keys of an engine, and ``score``, the largest
    accepted score or the range of accepted scores, of either side (default: ``most_centi``). The default search limit
    is 20000 nodes.

    Raises:
        SettingsError: see ``parse_engine``; or there is a time control with a clock, or a malformed score.
    """
    command = f"cmd={words[0].removeprefix('cmd=')}"
    scores = [word for word in words[1:] if word.startswith(_SCORE)]
    others = [word for word in words[1:] if word not in scores]
    limited = any(word.partition("=")[0] in TIME_CONTROL_KEYS for word in others)
    engine = parse_engine([command, *others], [] if limited else [_DEFAULT_LIMIT], more_keys=("score",))
    if engine.control.base_ms is not None or engine.control.unlimited:
        control = quoted(engine.control.to_text())
        raise SettingsError(f"{control}: expected st=, depth= or nodes= for the opening screen")
    if len(scores) > 1:
        raise SettingsError(f"{quoted(scores[1])}: duplicate key 'score'")
    least, most = _score_range(scores[0]) if scores else (0, most_centi)
    return ScreenSettings(engine, most, least)


def _score_range(word: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(word.removeprefix(_SCORE))
    if found is None:
        raise SettingsError(f"{quoted(word)}: expected a score in centi-soldiers, an integer from 0, or a range such as"
                            " 200..300")
    return int(found[1] or 0), int(found[2])
