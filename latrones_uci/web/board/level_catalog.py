"""Playing levels: eight names for the range of strengths that an engine offers by ``UCI_Elo`` or ``Skill Level``."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.game import Position

LEVEL_NAMES = ("Tiro", "Miles", "Decanus", "Optio", "Centurio", "Tribunus", "Legatus", "Imperator")
_LIMIT, _ELO, _SKILL = "UCI_LimitStrength", "UCI_Elo", "Skill Level"


@dataclass(frozen=True)
class Ladder:
    """The strengths of an engine in a game.

    Attributes:
        by_rating: whether ``UCI_Elo`` sets the strength; otherwise ``Skill Level`` does.
        low, high: the values of the lowest and the highest level.
        measured: whether the ratings were measured in this game on this board, so that they can be shown.
    """

    by_rating: bool
    low: int
    high: int
    measured: bool = False

    def value(self, level: int) -> int:
        """Return the value of the option at a level; the steps are equal."""
        return round(self.low + (self.high - self.low) * level / (len(LEVEL_NAMES) - 1))

    def rating(self, level: int) -> int | None:
        """Return the Elo rating of a level, None unless it was measured."""
        return self.value(level) if self.measured else None

    def options(self, level: int) -> dict[str, str]:
        """Return the options that set a level."""
        value = str(self.value(level))
        return {_LIMIT: "true", _ELO: value} if self.by_rating else {_SKILL: value}


class LevelCatalog:
    """The ladders of all engines by game; the engine is queried once for each. Thread-safe.

    Attributes:
        kernels: what an engine says it searches with in a game, and why, by the engine's index and the game's name.
    """

    def __init__(self, engines: Sequence[EngineSettings], variant_path: str | None) -> None:
        """Create a catalog without starting engines."""
        self._engines, self._variant_path = tuple(engines), variant_path
        self._lock = threading.Lock()
        self._found: dict[tuple[int, str, str], Ladder | None] = {}
        self._closed = False
        self.kernels: dict[tuple[int, str], str] = {}

    def close(self) -> None:
        """Stop an engine that is being queried, and query no further engines."""
        self._closed = True
        with self._lock:
            pass

    def known(self, engine: int, start: Position) -> Ladder | None:
        """Return a ladder if it has been found before."""
        return self._found.get(_key(engine, start))

    def lacks(self, engine: int, start: Position) -> bool:
        """Return whether an engine is known to have no levels in a game."""
        return self._found.get(_key(engine, start), True) is None

    def find(self, engine: int, start: Position) -> Ladder | None:
        """Return the ladder of an engine, by its index, in a game; None if it has no levels.

        Raises:
            EngineError: the engine does not start, or does not play the game.
            WaitInterruptedError: the catalog is closed.
        """
        key = _key(engine, start)
        with self._lock:
            if key not in self._found:
                asked = Engine(self._engines[engine], variant_path=self._variant_path, interrupted=lambda: self._closed)
                try:
                    asked.new_game(start)
                    self._found[key] = _ladder(asked)
                    self.kernels[engine, start.ruleset.name] = asked.controller.kernel
                finally:
                    asked.close()
            return self._found[key]


def _key(engine: int, start: Position) -> tuple[int, str, str]:
    return engine, start.ruleset.name, start.geometry.name


def _ladder(engine: Engine) -> Ladder | None:
    options = {option.name.lower(): option for option in engine.controller.options}
    elo, skill = (_range(options.get(name.lower())) for name in (_ELO, _SKILL))
    elo = elo if _LIMIT.lower() in options else None
    if elo is not None:
        measured = engine.controller.ratings()
        if measured is not None and elo[0] <= measured[0] < measured[1] <= elo[1]:
            return Ladder(True, *measured, measured=True)
    if skill is not None:
        return Ladder(False, skill[0], skill[1] - 1)  # the highest value is full strength
    return None if elo is None else Ladder(True, *elo)


def _range(option: OptionDeclaration | None) -> tuple[int, int] | None:
    if option is None or option.minimum is None or option.maximum is None or option.maximum - option.minimum < 2:
        return None
    return option.minimum, option.maximum


def level_choices(catalog: LevelCatalog, engine: int, start: Position) -> list[dict[str, object]]:
    """Return the levels of an engine in a game as JSON data: name, and Elo or None; empty if it has no levels."""
    try:
        ladder = catalog.find(engine, start)
    except (EngineError, WaitInterruptedError):
        return []
    return [] if ladder is None else [
        {"name": name, "elo": ladder.rating(level)} for level, name in enumerate(LEVEL_NAMES)]
