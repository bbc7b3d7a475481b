"""What engines offer, read from their handshakes: options, kernels and playing levels; and the values set by the user.

A level is one of eight names for the range of strengths that an engine offers by ``UCI_Elo`` or ``Skill Level``.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.output import OptionDeclaration, option_text
from latrones_uci.game import Position, Ruleset
from latrones_uci.text.messages import quoted
from latrones_uci.web.lib.page_server import RefusedError

LEVEL_NAMES = ("Tiro", "Miles", "Decanus", "Optio", "Centurio", "Tribunus", "Legatus", "Imperator")
_LIMIT, _ELO, _SKILL = "UCI_LimitStrength", "UCI_Elo", "Skill Level"

# Options that the server sets: game and board, levels, lines, and pondering, which it does not use.
_MANAGED = frozenset((
    "uci_variant", "boardsize", "variantset", "variantpath", "multipv", "skill level", "uci_limitstrength", "uci_elo",
    "ponder", "uci_analysemode", "uci_showwdl", "uci_chess960", "uci_opponent",
))
_KINDS = ("check", "spin", "combo", "string")
_MAX_OPTIONS = 200
_MAX_VALUE = 1000


@dataclass(frozen=True)
class LevelRange:
    """The strengths of an engine in a game."""

    by_rating: bool
    """Whether ``UCI_Elo`` sets the strength; otherwise ``Skill Level`` does."""
    low: int
    high: int
    """The values of the lowest and the highest level."""
    measured: bool = False
    """Whether the ratings were measured in this game on this board, so that they can be shown."""

    def value(self, level: int) -> int:
        return round(self.low + (self.high - self.low) * level / (len(LEVEL_NAMES) - 1))

    def rating(self, level: int) -> int | None:
        return self.value(level) if self.measured else None

    def options(self, level: int) -> dict[str, str]:
        value = str(self.value(level))
        return {_LIMIT: "true", _ELO: value} if self.by_rating else {_SKILL: value}


class EngineCatalog:
    """What all engines offer; each engine is queried once for each game and board. Thread-safe.

    Options raise ``RefusedError`` if the engine does not start, has no such option, or rejects a value.
    """

    def __init__(self, engines: Sequence[EngineSettings], variant_path: str | None, ruleset: Ruleset) -> None:
        """Create a catalog without starting engines. Options are queried in a game of ``ruleset``."""
        self._engines, self._variant_path, self._ruleset = tuple(engines), variant_path, ruleset
        self._lock = threading.Lock()
        self._level_ranges: dict[tuple[int, str, str], LevelRange | None] = {}
        self._declared: dict[int, tuple[OptionDeclaration, ...]] = {}
        self._values: dict[int, dict[str, str]] = {}
        self._closed = False
        self.kernels: dict[tuple[int, str], str] = {}
        """What an engine says it searches with in a game, and why, by the engine's index and the game's name."""

    def close(self) -> None:
        """Stop an engine that is being queried, and query no further engines."""
        self._closed = True
        with self._lock:
            pass

    def _engine(self, number: int) -> Engine:
        return Engine(self._engines[number], variant_path=self._variant_path, interrupted=lambda: self._closed)

    def _query(self, engine: int, start: Position) -> None:
        """Start an engine and read what it offers in a game; the lock is held.

        Raises:
            EngineError: the engine does not start, or does not play the game.
            WaitInterruptedError: the catalog is closed.
        """
        asked = self._engine(engine)
        try:
            asked.new_game(start)
            self._level_ranges[_key(engine, start)] = _levels_of(asked)
            self.kernels[engine, start.ruleset.name] = asked.controller.kernel
            self._declared[engine] = tuple(
                option for option in asked.controller.options[:_MAX_OPTIONS]
                if option.kind in _KINDS and option.name.lower() not in _MANAGED)
        finally:
            asked.close()

    # ---------------------------------------------------------------- levels

    def rank(self, engine: int, start: Position, level: int) -> str:
        """Return the name of a level, with its rating if that is known; empty if the engine is known to have none."""
        key = _key(engine, start)
        is_known, levels = key in self._level_ranges, self._level_ranges.get(key)
        if levels is None:
            return "" if is_known else LEVEL_NAMES[level]
        rating = levels.rating(level)
        return LEVEL_NAMES[level] if rating is None else f"{LEVEL_NAMES[level]} ({rating})"

    def find(self, engine: int, start: Position) -> LevelRange | None:
        """Return the levels of an engine, by its index, in a game; None if it has none.

        Raises:
            EngineError: the engine does not start, or does not play the game.
            WaitInterruptedError: the catalog is closed.
        """
        key = _key(engine, start)
        with self._lock:
            if key not in self._level_ranges:
                self._query(engine, start)
            return self._level_ranges[key]

    def levels(self, engine: int, start: Position) -> list[dict[str, object]]:
        """Return the levels of an engine in a game as JSON data: name, and Elo or None; empty if it has no levels."""
        try:
            levels = self.find(engine, start)
        except (EngineError, WaitInterruptedError):
            return []
        return [] if levels is None else [
            {"name": name, "elo": levels.rating(level)} for level, name in enumerate(LEVEL_NAMES)]

    # ---------------------------------------------------------------- options

    def values(self, engine: int) -> dict[str, str]:
        return dict(self._values.get(engine, {}))

    def settings(self, engine: int) -> EngineSettings:
        settings, values = self._engines[engine], self.values(engine)
        known = {name.lower() for name in values}
        kept = tuple(option for option in settings.options if option[0].lower() not in known)
        return replace(settings, options=(*kept, *values.items()))

    def choices(self, engine: int) -> list[dict[str, Any]]:
        """Return the options of an engine as JSON data: name, kind, range or choices, default and value."""
        given = {name.lower(): value for name, value in self.settings(engine).options}
        return [{"name": option.name, "kind": option.kind, "choices": list(option.choices), "minimum": option.minimum,
                 "maximum": option.maximum, "initial": _initial(option),
                 "value": given.get(option.name.lower(), _initial(option))} for option in self._options(engine)]

    def set_values(self, engine: int, values: Any) -> None:
        """Set options of an engine from its next search on; they also apply to later engines with this index.

        The values are first tried with the engine, so that a rejected value changes nothing.
        """
        checked = self._checked(engine, values)
        if checked == self._values.get(engine, {}):
            return
        with self._lock:
            tried = self._engine(engine)
            try:
                tried.start(Position.start(self._ruleset))
                tried.configure(checked)
            except (EngineError, WaitInterruptedError) as error:
                raise RefusedError(str(error)) from error
            finally:
                tried.close()
            self._values[engine] = checked

    def _checked(self, engine: int, values: Any) -> dict[str, str]:
        if not isinstance(values, Mapping):
            raise RefusedError("values: expected an object with the values by name")
        declared = {option.name: option for option in self._options(engine)}
        for name, value in values.items():
            option = declared.get(name)
            if option is None:
                raise RefusedError(f"option {quoted(str(name))}: the engine has no such option")
            _check(option, value)
        return {str(name): str(value) for name, value in values.items()}

    def _options(self, engine: int) -> tuple[OptionDeclaration, ...]:
        with self._lock:
            try:
                if engine not in self._declared:
                    self._query(engine, Position.start(self._ruleset))
            except (EngineError, WaitInterruptedError) as error:
                raise RefusedError(str(error)) from error
            return self._declared[engine]


def _key(engine: int, start: Position) -> tuple[int, str, str]:
    return engine, start.ruleset.name, start.geometry.name


def _levels_of(engine: Engine) -> LevelRange | None:
    options = {option.name.lower(): option for option in engine.controller.options}
    elo, skill = (_range(options.get(name.lower())) for name in (_ELO, _SKILL))
    elo = elo if _LIMIT.lower() in options else None
    if elo is not None:
        measured = engine.controller.ratings()
        if measured is not None and elo[0] <= measured[0] < measured[1] <= elo[1]:
            return LevelRange(True, *measured, measured=True)
    if skill is not None:
        return LevelRange(False, skill[0], skill[1] - 1)  # the highest value is full strength
    return None if elo is None else LevelRange(True, *elo)


def _range(option: OptionDeclaration | None) -> tuple[int, int] | None:
    if option is None or option.minimum is None or option.maximum is None or option.maximum - option.minimum < 2:
        return None
    return option.minimum, option.maximum


def _initial(option: OptionDeclaration) -> str:
    return "" if option.default is None else option_text(option.default)


def _check(option: OptionDeclaration, value: Any) -> None:
    said = f"option {quoted(option.name)}: value {quoted(str(value))}"
    if not isinstance(value, str) or len(value) > _MAX_VALUE or not value.isprintable():
        raise RefusedError(f"{said}: expected a string of at most {_MAX_VALUE} printable characters")
    if expected := option.expected(value):
        raise RefusedError(f"{said}: expected {expected}")
