"""Tune options of an engine by the pairs of games of a match: what to tune, values for each pair, and their updates."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from latrones_uci.client.engine_spec import EngineSettings
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.output import OptionDeclaration
from latrones_uci.match.events import ParametersUpdated
from latrones_uci.records.plan import Fixture
from latrones_uci.records.record import GameRecord
from latrones_uci.records.settings import TournamentSettings
from latrones_uci.records.store import Store, StoredTrial, StoredUpdate
from latrones_uci.stats.spsa import Parameter, Spsa, Trial, disturb, update
from latrones_uci.text.command import join_command
from latrones_uci.text.messages import nearest_name, quoted

Options = tuple[tuple[str, str], ...]
"""Names and values of options."""
_Item = TypeVar("_Item")

# ---------------------------------------------------------------- what to tune

AUTO = "auto"
DEFAULT_STEPS = 20
"""The number of steps between minimum and maximum if no step is given; fishtest recommends this step."""
_MAX_SPINS = 12
_FIELDS = ("START", "MIN", "MAX")
_INTEGER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True)
class ParameterWords:
    """A parameter as given on the command line; None stands for what the engine declares, or for the default step."""

    text: str
    name: str
    start: int | None
    minimum: int | None
    maximum: int | None
    step: float | None

    @staticmethod
    def parse(text: str) -> "ParameterWords":
        """Parse ``NAME,START,MIN,MAX,STEP``, in which all but the name may be ``auto`` or empty, or ``NAME`` alone.

        Raises:
            SettingsError: the text is malformed.
        """
        words = [word.strip() for word in (text if "," in text else f"{text},,,,").rsplit(",", 4)]
        if len(words) != 5 or not words[0] or "," in words[0]:
            raise SettingsError(f"--param {quoted(text)}: expected NAME, or NAME,START,MIN,MAX,STEP")
        numbers: list[int | None] = []
        for field, word in zip(_FIELDS, words[1:4], strict=True):
            if word not in ("", AUTO) and not _INTEGER.fullmatch(word):
                raise SettingsError(f"--param {quoted(text)}: {field} {quoted(word)} is not an integer, nor {AUTO}")
            numbers.append(None if word in ("", AUTO) else int(word))
        if words[4] not in ("", AUTO) and not _DECIMAL.fullmatch(words[4]):
            raise SettingsError(f"--param {quoted(text)}: STEP {quoted(words[4])} is not a positive number, nor {AUTO}")
        step = None if words[4] in ("", AUTO) else float(words[4])
        return ParameterWords(text, words[0], numbers[0], numbers[1], numbers[2], step)

    def parameter(self, engine: str, options: Sequence[OptionDeclaration]) -> Parameter:
        """Return the parameter of an engine.

        ``engine`` is its name, for errors, ``options`` those that it declares.

        Raises:
            SettingsError: the engine has no such option, it is not a spin, or a number is out of its range.
        """
        known = {option.name.lower(): option for option in options}
        option = known.get(self.name.lower())
        if option is None:
            spins = [each.name for each in options if each.kind == "spin"]
            hint = nearest_name(self.name, spins) or f"; expected one of {', '.join(spins[:_MAX_SPINS])}"
            raise self._error(f"engine {quoted(engine)} has no option {quoted(self.name)}{hint if spins else ''}")
        if option.kind != "spin":
            raise self._error(f"option {quoted(option.name)} is a {option.kind}; expected a spin")
        default = option.default if isinstance(option.default, int) else None
        declared = (default, option.minimum, option.maximum)
        given = (self.start, self.minimum, self.maximum)
        numbers = []
        for field, number, own in zip(_FIELDS, given, declared, strict=True):
            if number is None and own is None:
                raise self._error(f"the engine declares no {field}; expected an integer")
            numbers.append(own if number is None else number)
            if number is not None and (
                option.minimum is not None and number < option.minimum
                or option.maximum is not None and number > option.maximum
            ):
                bounds = f"{option.minimum} to {option.maximum}"
                raise self._error(f"{field} {number} is outside of the engine's {bounds}")
        start, minimum, maximum = (number or 0 for number in numbers)
        step = max((maximum - minimum) / DEFAULT_STEPS, 0.0) if self.step is None else self.step
        try:
            return Parameter(option.name, start, minimum, maximum, step)
        except ValueError as error:
            raise self._error(str(error)) from error

    def _error(self, problem: str) -> SettingsError:
        return SettingsError(f"--param {quoted(self.text)}: {problem}")


# ---------------------------------------------------------------- the match that tunes an engine

_NAMES = (" (plus)", " (minus)")


def engines_of_tuning(engine: EngineSettings) -> tuple[EngineSettings, EngineSettings]:
    """Return the two engines of the match that tunes an engine; it must have a name."""
    plus, minus = (replace(engine, name=f"{engine.name}{ending}") for ending in _NAMES)
    return plus, minus


def engine_of_tuning(settings: TournamentSettings) -> str:
    """Return the name of the engine that a match tunes."""
    return (settings.engines[0].name or "").removesuffix(_NAMES[0])


def refuse_tuning(database: str, settings: TournamentSettings) -> None:
    """Check that the games of a database can be joined with others, and rated.

    Raises:
        SettingsError: they are those of a tuning.
    """
    if settings.tuning is not None:
        raise SettingsError(f"database {quoted(database)}: a tuning, in which the engine changes from game to game;"
                            " expected a match or tournament")


# ---------------------------------------------------------------- values of pairs and updates


class Tuner:
    """The tuned parameters of a running match.

    The values of a pair are stored before its first game starts, so that a resumed match plays the other game with the
    same values. Updates are stored when both games have ended, in that order, which is not always that of the pairs.
    """

    def __init__(self, settings: TournamentSettings, store: Store) -> None:
        """Start with the first values; ``resume`` reads later ones."""
        assert settings.tuning is not None
        self._spsa, self._seed, self._pairs = settings.tuning, settings.seed, settings.games // 2
        self._store = store
        self._values = self._spsa.start
        self._updates = 0
        self._trials: dict[int, tuple[Trial, ...]] = {}  # of pairs that have started and not ended
        self._points: dict[int, int] = {}  # of pairs of which one game has ended

    @property
    def parameters(self) -> dict[str, float]:
        return _named(self._spsa, self._values)

    def resume(self, records: Iterable[GameRecord]) -> None:
        """Read the values of earlier runs.

        If a run ended between a game and its update, the update follows now.

        Raises:
            StoreError: the database is damaged, or cannot be written.
        """
        with self._store.reading():
            updates = self._store.updates()
            self._updates = len(updates)
            if updates:
                self._values = _in_order(self._spsa, updates[-1].values)
            done = {update.pair for update in updates}
            for pair, stored in self._store.trials().items():
                if pair not in done:
                    trials = {trial.parameter: Trial(trial.plus, trial.minus, trial.gain) for trial in stored}
                    self._trials[pair] = _in_order(self._spsa, trials)
            for record in records:
                if record.fixture.pair not in done:
                    self.add(record)

    def options(self, fixture: Fixture) -> tuple[Options, Options]:
        """Return the options of White and Black in a game.

        Raises:
            StoreError: the values of a new pair cannot be stored.
        """
        if fixture.pair not in self._trials:
            trials = disturb(self._spsa, self._values, fixture.pair, self._pairs, self._seed)
            named = _named(self._spsa, trials).items()
            rows = [StoredTrial(name, trial.plus, trial.minus, trial.gain) for name, trial in named]
            self._store.add_trials(fixture.pair, rows)
            self._trials[fixture.pair] = trials
        chosen = _named(self._spsa, self._trials[fixture.pair]).items()
        plus = tuple((name, str(trial.plus)) for name, trial in chosen)
        minus = tuple((name, str(trial.minus)) for name, trial in chosen)
        return (plus, minus) if fixture.white == 0 else (minus, plus)

    def add(self, record: GameRecord) -> ParametersUpdated | None:
        """Take a finished game, and return the update if it is the second one of its pair.

        Raises:
            StoreError: the update cannot be stored.
        """
        fixture, winner = record.fixture, record.game.outcome.winner
        points = 0 if winner is None else 1 if (fixture.white, fixture.black)[winner] == 0 else -1
        if fixture.pair not in self._points:
            self._points[fixture.pair] = points
            return None
        result = self._points.pop(fixture.pair) + points
        trials = self._trials.pop(fixture.pair)
        self._values = update(self._spsa, self._values, trials, result)
        self._updates += 1
        self._store.add_update(self._updates, StoredUpdate(fixture.pair, result, self.parameters))
        named = _named(self._spsa, trials).items()
        return ParametersUpdated(
            fixture.pair,
            result,
            {name: trial.plus for name, trial in named},
            {name: trial.minus for name, trial in named},
            self.parameters,
        )


def _named(spsa: Spsa, each: Sequence[_Item]) -> dict[str, _Item]:
    return {parameter.name: item for parameter, item in zip(spsa.parameters, each, strict=True)}


def _in_order(spsa: Spsa, named: Mapping[str, _Item]) -> tuple[_Item, ...]:
    return tuple(named[parameter.name] for parameter in spsa.parameters)


# ---------------------------------------------------------------- results as text


def render_parameters(parameters: Mapping[str, float]) -> str:
    """Render present values on one line."""
    return "  ".join(f"{name} {value:.1f}" for name, value in parameters.items())


def render_result(spsa: Spsa, parameters: Mapping[str, float]) -> list[str]:
    """Render the parameters as lines of a table, and the words that give an engine their values."""
    width = max(len(name) for name in parameters)
    lines = ["Parameters:     start -> value, rounded (exact; minimum to maximum, step)"]
    for parameter in spsa.parameters:
        value = parameters[parameter.name]
        lines.append(
            f"  {parameter.name:<{width}}  {parameter.start} -> {round(value)}"
            f" ({value:.2f}; {parameter.minimum} to {parameter.maximum}, step {parameter.step:g})"
        )
    return [*lines, f"For an engine:  {option_words(parameters)}"]


def option_words(parameters: Mapping[str, float]) -> str:
    """Return the words for the command line that give an engine the values, rounded."""
    return join_command(f"option.{name}={round(value)}" for name, value in parameters.items())
