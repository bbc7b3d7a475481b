"""Variants and boards: find the start position, load variant files, and build the options that set up an engine.

Functions raise ``SettingsError`` if a variant or a board does not exist, or a file cannot be read or has an error.
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path

from latrones_uci import game
from latrones_uci.client.errors import SettingsError
from latrones_uci.game import (
    LatronesError,
    Position,
    Ruleset,
    VariantError,
    all_variants,
    builtin_variants,
    find_variant,
    ludii_variants,
    parse_board_size,
    parse_file,
    read_variants,
)
from latrones_uci.text.files import write_whole
from latrones_uci.text.messages import is_utf8, quoted


@dataclass(frozen=True)
class VariantSettings:
    name: str
    """Name of the variant."""
    board: str = ""
    """Board size such as ``12x8``; empty for the variant's default."""

    def to_text(self) -> str:
        """Render as ``latrones`` or ``latrones:12x8``."""
        return f"{self.name}:{self.board}" if self.board else self.name

    @staticmethod
    def from_text(text: str) -> "VariantSettings":
        """Parse the output of ``to_text``; ``start_position`` checks that the variant and the board exist."""
        name, _, board = text.partition(":")
        return VariantSettings(name, board)


@dataclass(frozen=True)
class VariantFile:
    """A variant file, and its contents at the start of the tournament."""

    path: str
    """Absolute path of the file."""
    text: str
    """Its contents at the start."""

    def local_path(self) -> str:
        """Return the path of a file with this text on this machine: the file if it is unchanged, else a copy."""
        with suppress(VariantError):
            if read_variants(self.path) == self.text:
                return self.path
        return _temporary_file(self.text)


def _temporary_file(text: str) -> str:
    path = _temporary_directory() / f"{sha256(text.encode()).hexdigest()[:16]}.toml"
    if not path.exists():
        write_whole(path, text)
    return str(path)


@cache
def _temporary_directory() -> Path:
    """Return a private directory of this process, which is removed at exit."""
    directory = tempfile.mkdtemp(prefix="latrones-uci-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return Path(directory)


@lru_cache(maxsize=64)  # called for every game; without the cache, a variant file would be parsed each time
def start_position(variant: VariantSettings, variant_file: VariantFile | None) -> Position:
    """Return the start position of a variant on its board."""
    try:
        known = {} if variant_file is None else parse_file(variant_file.text)
        ruleset = known[variant.name] if variant.name in known else find_variant(variant.name)
    except LatronesError as error:
        raise SettingsError(str(error)) from error
    return _start(ruleset, variant.board)


def _start(ruleset: Ruleset, board: str) -> Position:
    try:
        size = parse_board_size(board) if board else ruleset.default_size
        ruleset.check_size(*size)
    except LatronesError as error:
        raise SettingsError(str(error)) from error
    return Position.start(ruleset, size)


def read_variant_file(path: str) -> VariantFile:
    """Read a variant file without parsing it; errors in it are found when a variant is looked up."""
    try:
        text = read_variants(path)
    except VariantError as error:
        raise SettingsError(f"cannot read the variant file {quoted(path)}: {error}") from error
    whole = str(Path(path).resolve())
    if not is_utf8(whole):
        raise SettingsError(f"variant file {quoted(whole)}: the path is not UTF-8; expected one in UTF-8, as"
                            " engines read their options in UTF-8")
    return VariantFile(whole, text)


def load_variants(path: str | None) -> Mapping[str, Ruleset]:
    """Return the built-in variants and those of a variant file, by name."""
    try:
        return all_variants() if path is None else game.load_variants(path, all_variants())
    except VariantError as error:
        raise SettingsError(f"cannot read the variant file {error}") from error


def start_of(variant: str | Ruleset, board: str | None = None, variant_path: str | None = None) -> Position:
    """Return the start position of a variant, by name or as its ruleset, on a board such as ``12x8`` or its own."""
    file = None if variant_path is None else read_variant_file(variant_path)
    if isinstance(variant, Ruleset):
        return _start(variant, board or "")
    return start_position(VariantSettings(variant, board or ""), file)


def file_for(ruleset: Ruleset, variant_path: str | None) -> str | None:
    """Return the variant file from which an engine loads a ruleset, None for none.

    It is ``variant_path`` if the ruleset is in that file or built in, else a temporary file, which is removed at exit.

    Raises:
        SettingsError: an engine would play another ruleset, the built-in one of the same name.
    """
    name = ruleset.name
    with suppress(VariantError):
        if find_variant(name) == ruleset:
            return variant_path
    with suppress(VariantError):
        if variant_path is not None and parse_file(read_variants(variant_path)).get(name) == ruleset:
            return variant_path
    if name in builtin_variants():
        raise SettingsError(f"ruleset {quoted(name)}: differs from the built-in variant of that name, which an engine"
                            " would play; expected another name")
    return _temporary_file(ruleset.to_toml())


def setup_options(
    start: Position, variant_path: str | None, variant_names: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """Return the options that set up an engine for a variant and its board, in the order in which to set them.

    ``variant_names`` has pairs of a variant's name here and the engine's name for it.
    """
    name = start.ruleset.name
    loaded = {} if variant_path is None else {"VariantPath": variant_path}
    if name not in builtin_variants() and name in ludii_variants():
        loaded = {"VariantSet": "all"} | loaded
    return loaded | {"UCI_Variant": dict(variant_names).get(name, name), "BoardSize": start.geometry.name}
