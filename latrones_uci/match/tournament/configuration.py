"""The settings of a tournament in a TOML file."""

import tomllib
from pathlib import Path
from typing import Any

from latrones_uci.game import VariantError, quoted, read_text_file, read_variants
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.plain import PlainError, from_plain, to_plain
from latrones_uci.match.storage.toml_write import render_toml
from latrones_uci.match.storage.whole_file import write_whole
from latrones_uci.match.tournament.settings import TournamentSettings, VariantFile

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
    data = to_plain(settings)
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
        data["variant_file"] = to_plain(read_variant_file(str(data.pop(_VARIANT_PATH))))
    try:
        return from_plain(TournamentSettings, data)
    except PlainError as error:
        raise SettingsError(str(error)) from error


def read_variant_file(path: str) -> VariantFile:
    """A file of games and what stands in it.

    Raises:
        SettingsError: it cannot be read. Mistakes in it are found when a game is looked up.
    """
    try:
        text = read_variants(path)
        return VariantFile(str(Path(path).resolve()), text)
    except VariantError as error:
        raise SettingsError(f"cannot read the games {quoted(path)}: {error}") from error
