"""The values that describe a tournament."""

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from latrones_uci.client.engine_spec import EngineSettings, Timeouts
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.variant_setup import VariantFile, VariantSettings, read_variant_file
from latrones_uci.game import (
    quoted,
    read_text_file,
)
from latrones_uci.match.adjudication import GameLimits
from latrones_uci.match.screen import ScreenSettings
from latrones_uci.records.files import render_toml, write_whole
from latrones_uci.records.plan import Format
from latrones_uci.records.serialize import DeserializeError, deserialize, serialize
from latrones_uci.stats import Sprt


@dataclass(frozen=True)
class TournamentSettings:
    """A tournament; a match of two engines is the smallest.

    Attributes:
        engines: at least two; of a match and a gauntlet the first is the one in question.
        variants: the games, which take turns.
        variant_file: file with more games, None for none.
        format: who meets whom.
        games: of each pairing; colours are swapped after each, openings change after each two.
        openings: ``random:PLIES`` or ``file:PATH``.
        screen: how random openings are screened, None for not at all.
        seed: of random openings and of the order of the games.
        concurrency: games played at a time.
        limits: what the referee applies beside the rules.
        timeouts: how long engines are waited for.
        sprt: the test that ends a match, None to play all games.
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
        """Refuses what cannot be.

        Raises:
            SettingsError: too few engines, or too many; a number below 1; a repeated name or variant.
        """
        if self.format is Format.MATCH and len(self.engines) != 2:
            raise SettingsError(
                f"two engines are needed, each as '--engine cmd=...'; {len(self.engines)} given"
                " (more of them play a round-robin or a gauntlet)"
            )
        if len(self.engines) < 2:
            raise SettingsError(f"at least two engines are needed; {len(self.engines)} given")
        if self.sprt is not None and len(self.engines) != 2:
            raise SettingsError(f"a sequential test is between two engines, not {len(self.engines)}")
        for name, number in (("games", self.games), ("concurrency", self.concurrency)):
            if number < 1:
                raise SettingsError(f"{name}: {number} is not a whole number from 1")
        names = [engine.name for engine in self.engines if engine.name is not None]
        for what, values in (("engine name", names), ("variant", [variant.to_text() for variant in self.variants])):
            for value in values:
                if values.count(value) > 1:
                    raise SettingsError(f"the {what} {quoted(value)} is given twice")
        if not self.variants:
            raise SettingsError("there is no variant to be played")


def processors() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


# ---------------------------------------------------------------- configuration
# The settings of a tournament in a TOML file.

_VARIANT_PATH = "variant_path"
MOST_SETTINGS_BYTES = 4 * 2**20


def read_configuration(path: Path) -> TournamentSettings:
    """Reads a file such as ``write_configuration`` makes.

    Raises:
        SettingsError: it cannot be read, is no TOML, or a setting cannot be; the message names the place.
    """
    try:
        data = tomllib.loads(read_text_file(path, MOST_SETTINGS_BYTES))
    except (OSError, ValueError, RecursionError) as error:  # the last: nested thousands deep
        raise SettingsError(f"cannot read the settings {quoted(str(path))}: {error}") from error
    try:
        return settings_from_data(data)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error


def write_configuration(settings: TournamentSettings, path: Path) -> None:
    """Writes a file that ``read_configuration`` reads.

    Raises:
        SettingsError: it cannot be written.
    """
    data = serialize(settings)
    if settings.variant_file is not None:
        del data["variant_file"]
        data = {_VARIANT_PATH: settings.variant_file.path} | data
    try:
        write_whole(path, render_toml(data))
    except OSError as error:
        raise SettingsError(f"cannot write the settings {quoted(str(path))}: {error}") from error


def settings_from_data(data: dict[str, Any]) -> TournamentSettings:
    """Settings of plain data; ``variant_path`` may stand for the file that it names.

    Raises:
        SettingsError: a setting cannot be.
    """
    data = dict(data)
    if _VARIANT_PATH in data:
        data["variant_file"] = serialize(read_variant_file(str(data.pop(_VARIANT_PATH))))
    try:
        return deserialize(TournamentSettings, data)
    except DeserializeError as error:
        raise SettingsError(str(error)) from error
