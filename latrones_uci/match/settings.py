"""The settings of a tournament, and their TOML file."""

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.game import quoted, read_text_file, reason
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.screen import ScreenSettings
from latrones_uci.records.files import render_toml, write_whole
from latrones_uci.records.plan import Format
from latrones_uci.records.serialize import DeserializeError, deserialize, serialize
from latrones_uci.stats import Sprt


@dataclass(frozen=True)
class TournamentSettings:
    """The settings of a tournament; a match has two engines.

    Attributes:
        engines: at least two; in a match or gauntlet the first is the engine under test.
        variants: the variants, played in turn.
        variant_file: the variant file, None for none.
        format: the tournament format.
        games: games per pairing; colours are swapped after each game, the opening changes after each pair.
        openings: ``random:PLIES`` or ``file:PATH``.
        screen: the opening screen for random openings, None for none.
        seed: random seed for openings and game order.
        concurrency: number of games played at the same time.
        limits: what the referee applies in addition to the rules.
        timeouts: engine timeouts.
        sprt: the sequential test that ends a match, None to play all games.
    """

    engines: tuple[EngineSettings, ...]
    variants: tuple[VariantSettings, ...] = (VariantSettings("latrones"),)
    variant_file: VariantFile | None = None
    format: Format = Format.MATCH
    games: int = 2
    openings: str = "random:4"
    screen: ScreenSettings | None = None
    seed: int = 0
    concurrency: int = 1
    limits: GameLimits = field(default_factory=GameLimits)
    timeouts: Timeouts = field(default_factory=Timeouts)
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        """Validate the settings.

        Raises:
            SettingsError: there are too few or too many engines, a number below 1, or a duplicate name or variant.
        """
        if self.format is Format.MATCH and len(self.engines) != 2:
            raise SettingsError(
                f"engines: {len(self.engines)} given; expected two, each as '--engine cmd=...'"
                " (for more engines use --format round-robin or gauntlet)"
            )
        if len(self.engines) < 2:
            raise SettingsError(f"engines: {len(self.engines)} given; expected at least two")
        if self.sprt is not None and len(self.engines) != 2:
            raise SettingsError(f"sequential test: {len(self.engines)} engines given; expected two")
        for name, number in (("games", self.games), ("concurrency", self.concurrency)):
            if number < 1:
                raise SettingsError(f"{name}: {number} is not an integer from 1")
        names = [engine.name for engine in self.engines if engine.name is not None]
        for what, values in (("engine name", names), ("variant", [variant.to_text() for variant in self.variants])):
            for value in values:
                if values.count(value) > 1:
                    raise SettingsError(f"duplicate {what} {quoted(value)}")
        if self.limits.check_claims and any(engine.ponder for engine in self.engines):
            raise SettingsError("'ponder=on' cannot be combined with '--check-claims': a pondering engine is busy")
        if not self.variants:
            raise SettingsError("variants: none given; expected at least one")


def processors() -> int:
    """Return the number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


_VARIANT_PATH = "variant_path"
MOST_SETTINGS_BYTES = 4 * 2**20


def read_configuration(path: Path) -> TournamentSettings:
    """Read a settings file in TOML.

    Raises:
        SettingsError: the file cannot be read, is not TOML, or has an invalid setting; the message names the place.
    """
    try:
        data = tomllib.loads(read_text_file(path, MOST_SETTINGS_BYTES))
    except (OSError, ValueError, RecursionError) as error:  # RecursionError: deep nesting
        raise SettingsError(f"cannot read the settings {quoted(str(path))}: {reason(error)}") from error
    try:
        return settings_from_data(data)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def write_configuration(settings: TournamentSettings, path: Path) -> None:
    """Write a settings file for ``read_configuration``.

    Raises:
        SettingsError: the file cannot be written.
    """
    data = serialize(settings)
    if settings.variant_file is not None:
        del data["variant_file"]
        data = {_VARIANT_PATH: settings.variant_file.path} | data
    try:
        write_whole(path, render_toml(data))
    except OSError as error:
        raise SettingsError(f"cannot write the settings {quoted(str(path))}: {reason(error)}") from error


def settings_from_data(data: dict[str, Any]) -> TournamentSettings:
    """Return the settings of plain data; ``variant_path`` may name a variant file.

    Raises:
        SettingsError: a setting is invalid.
    """
    data = dict(data)
    if _VARIANT_PATH in data:
        data["variant_file"] = serialize(read_variant_file(str(data.pop(_VARIANT_PATH))))
    try:
        return deserialize(TournamentSettings, data)
    except DeserializeError as error:
        raise SettingsError(str(error)) from error
