"""Playing levels: eight names for the range of strengths that an engine offers by ``UCI_Elo`` or ``Skill Level``."""

import re
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
# The remark of latrones-uci for a game with a narrower range than the option declares.
_RANGE = re.compile(r"\bUCI_Elo: .{1,80} is played at (\d{1,5}) to (\d{1,5})\b")


@dataclass(frozen=True)
class Ladder:
    """The strengths of an engine in a game.

    Attributes:
        by_rating: whether ``UCI_Elo`` sets the strength; otherwise ``Skill Level`` does.
        low, high: the values of the lowest and the highest level.
    """

    by_rating: bool
    low: int
    high: int

    def value(self, level: int) -> int:
        """Return the value of the option at a level; the steps are equal."""
        return round(self.low + (self.high - self.low) * level / (len(LEVEL_NAMES) - 1))

    def rating(self, level: int) -> int | None:
        """Return the Elo rating of a level, None if the engine has no ratings."""
        return self.value(level) if self.by_rating else None

    def options(self, level: int) -> dict[str, str]:
        """Return the options that set a level."""
        value = str(self.value(level))
        return {_LIMIT: "true", _ELO: value} if self.by_rating else {_SKILL: value}


class LevelCatalog:
    """The ladders of all engines by game; the engine is queried once for each. Thread-safe."""

    def __init__(self, engines: Sequence[EngineSettings], variant_path: str | None) -> None:
        """Create a catalog without starting engines."""
        self._engines, self._variant_path = tuple(engines), variant_path
        self._lock = threading.Lock()
        self._found: dict[tuple[int, str], Ladder | None] = {}
        self._closed = False

    def close(self) -> None:
        """Stop an engine that is being queried, and query no further engines."""
        self._closed = True
        with self._lock:
            pass

    def known(self, engine: int, start: Position) -> Ladder | None:
        """Return a ladder if it has been found before."""
        return self._found.get((engine, start.ruleset.name))

    def lacks(self, engine: int, start: Position) -> bool:
        """Return whether an engine is known to have no levels in a game."""
        return self._found.get((engine, start.ruleset.name), True) is None

    def find(self, engine: int, start: Position) -> Ladder | None:
        """Return the ladder of an engine, by its index, in a game; None if it has no levels.

        Raises:
            EngineError: the engine does not start, or does not play the game.
            WaitInterruptedError: the catalog is closed.
        """
        key = engine, start.ruleset.name
        with self._lock:
            if key not in self._found:
                asked = Engine(self._engines[engine], variant_path=self._variant_path, interrupted=lambda: self._closed)
                try:
                    asked.new_game(start)
                    self._found[key] = _ladder(asked)
                finally:
                    asked.close()
            return self._found[key]


def _ladder(engine: Engine) -> Ladder | None:
    options = {option.name.lower(): option for option in engine.controller.options}
    elo, skill = options.get(_ELO.lower()), options.get(_SKILL.lower())
    if _LIMIT.lower() in options and (declared := _range(elo)) is not None:
        engine.configure({_LIMIT: "true", _ELO: str(declared[0])})
        engine.ping()
        for line in engine.controller.last_lines:
            if match := _RANGE.search(line):
                low, high = (min(max(int(text), declared[0]), declared[1]) for text in match.groups())
                return Ladder(True, low, high) if low < high else None
        return Ladder(True, *declared)
    if (declared := _range(skill)) is not None:
        return Ladder(False, declared[0], declared[1] - 1)  # the highest value is full strength
    return None


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
