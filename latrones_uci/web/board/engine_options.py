"""The options that engines declare, such as ``Hash`` and ``Threads``, and the values set by the user."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from latrones_uci.client.engine import Engine
from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import EngineError, WaitInterruptedError
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.game import Position, Ruleset, quoted
from latrones_uci.web.page_server import RefusedError

# Options that the server sets: game and board, levels, lines, and pondering, which it does not use.
_MANAGED = frozenset((
    "uci_variant", "boardsize", "variantset", "variantpath", "multipv", "skill level", "uci_limitstrength", "uci_elo",
    "ponder", "uci_analysemode", "uci_showwdl", "uci_chess960", "uci_opponent",
))  # fmt: skip
_KINDS = ("check", "spin", "combo", "string")
_MOST_OPTIONS = 200
_LONGEST_VALUE = 1000
_NO_VALUES = ("<empty>", '""')


class OptionCatalog:
    """The options of all engines; each engine is queried once. Thread-safe."""

    def __init__(self, engines: Sequence[EngineSettings], variant_path: str | None, ruleset: Ruleset) -> None:
        """Create a catalog without starting engines. Engines are queried in a game of ``ruleset``."""
        self._engines, self._variant_path, self._ruleset = tuple(engines), variant_path, ruleset
        self._lock = threading.Lock()
        self._declared: dict[int, tuple[OptionDeclaration, ...]] = {}
        self._values: dict[int, dict[str, str]] = {}
        self._closed = False

    def close(self) -> None:
        """Stop an engine that is being queried, and query no further engines."""
        self._closed = True
        with self._lock:
            pass

    def values(self, engine: int) -> dict[str, str]:
        """Return the values that the user has set for an engine, by its index."""
        return dict(self._values.get(engine, {}))

    def settings(self, engine: int) -> EngineSettings:
        """Return the settings of an engine, with the values that the user has set."""
        settings, values = self._engines[engine], self.values(engine)
        known = {name.lower() for name in values}
        kept = tuple(option for option in settings.options if option[0].lower() not in known)
        return replace(settings, options=(*kept, *values.items()))

    def choices(self, engine: int) -> list[dict[str, Any]]:
        """Return the options of an engine as JSON data: name, kind, range or choices, default and value.

        Raises:
            RefusedError: the engine does not start.
        """
        given = {name.lower(): value for name, value in self.settings(engine).options}
        return [{"name": option.name, "kind": option.kind, "choices": list(option.choices), "minimum": option.minimum,
                 "maximum": option.maximum, "initial": _initial(option),
                 "value": given.get(option.name.lower(), _initial(option))} for option in self._options(engine)]

    def set_values(self, engine: int, values: Any) -> None:
        """Set options of an engine from its next search on; they also apply to later engines with this index.

        The values are first tried with the engine, so that a rejected value changes nothing.

        Raises:
            RefusedError: there is no such option, or a value is not possible.
        """
        checked = self._checked(engine, values)
        if checked == self._values.get(engine, {}):
            return
        with self._lock:
            tried = self._engine(self._engines[engine])
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
            if engine not in self._declared:
                asked = self._engine(self._engines[engine])
                try:
                    asked.start(Position.start(self._ruleset))
                    found = asked.controller.options
                except (EngineError, WaitInterruptedError) as error:
                    raise RefusedError(str(error)) from error
                finally:
                    asked.close()
                self._declared[engine] = tuple(
                    option for option in found[:_MOST_OPTIONS]
                    if option.kind in _KINDS and option.name.lower() not in _MANAGED)
            return self._declared[engine]

    def _engine(self, settings: EngineSettings) -> Engine:
        return Engine(settings, variant_path=self._variant_path, interrupted=lambda: self._closed)


def _initial(option: OptionDeclaration) -> str:
    return "" if option.initial in _NO_VALUES else option.initial


def _check(option: OptionDeclaration, value: Any) -> None:
    """Raise an error if a value is not possible for an option."""
    said = f"option {quoted(option.name)}: value {quoted(str(value))}"
    if not isinstance(value, str) or len(value) > _LONGEST_VALUE or not value.isprintable():
        raise RefusedError(f"{said}: expected a string of at most {_LONGEST_VALUE} printable characters")
    if expected := option.expected(value):
        raise RefusedError(f"{said}: expected {expected}")
