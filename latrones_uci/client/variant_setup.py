"""Games from a file beside the built-in ones."""

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Mapping
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
    builtin_variants,
    find_variant,
    parse_board_size,
    parse_variants,
    quoted,
    read_variants,
)


@dataclass(frozen=True)
class VariantSettings:
    """A game and its board.

    Attributes:
        name: of the game.
        board: such as ``12x8``; empty for the game's own size.
    """

    name: str
    board: str = ""

    def to_text(self) -> str:
        """``latrones`` or ``latrones:12x8``."""
        return f"{self.name}:{self.board}" if self.board else self.name

    @staticmethod
    def from_text(text: str) -> "VariantSettings":
        """Reads what ``to_text`` writes; whether there is such a game is asked by ``start_position``."""
        name, _, board = text.partition(":")
        return VariantSettings(name, board)


@dataclass(frozen=True)
class VariantFile:
    """A file with more games, and what stood in it when the tournament began.

    Attributes:
        path: of the file, absolute.
        text: its contents.
    """

    path: str
    text: str

    def local_path(self) -> str:
        """Where the text stands on this machine: the file itself, or a copy of it where it is not or says otherwise."""
        if self._is_here():
            return self.path
        copy = _folder_of_copies() / f"{sha256(self.text.encode()).hexdigest()[:16]}.toml"
        if not copy.exists():
            copy.write_text(self.text, encoding="utf-8")
        return str(copy)

    def _is_here(self) -> bool:
        try:
            return read_variants(self.path) == self.text
        except VariantError:
            return False


@cache
def _folder_of_copies() -> Path:
    """A folder of this process alone, in which nobody else can have put anything, and which goes with it."""
    folder = tempfile.mkdtemp(prefix="latrones-match-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@lru_cache(maxsize=64)  # every game asks for it, and a file of games would be parsed each time
def start_position(variant: VariantSettings, variant_file: VariantFile | None) -> Position:
    """The start of a game, on its board.

    Raises:
        SettingsError: there is no such game or size, or the file of games has a mistake.
    """
    try:
        known = dict(builtin_variants())
        if variant_file is not None:
            known |= parse_variants(variant_file.text, builtin_variants())
        ruleset = find_variant(variant.name, known)
        size = parse_board_size(variant.board) if variant.board else ruleset.default_size
        ruleset.check_size(*size)
    except LatronesError as error:
        raise SettingsError(str(error)) from error
    return Position.start(ruleset, size)


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


def load_variants(path: str | None) -> Mapping[str, Ruleset]:
    """The built-in games, and those of a file if one is named.

    Raises:
        SettingsError: the file cannot be read, or has an error.
    """
    try:
        return builtin_variants() if path is None else game.load_variants(path)
    except VariantError as error:
        raise SettingsError(f"cannot read the games {error}") from error


def start_of(variant: str, board: str | None = None, variant_path: str | None = None) -> Position:
    """Return the start of a variant on a board.

    Args:
        variant: its name.
        board: board size such as ``12x8``, None or empty for the variant's own.
        variant_path: a file with more variants.

    Raises:
        SettingsError: no such variant or board, or the file cannot be read.
    """
    file = None if variant_path is None else read_variant_file(variant_path)
    return start_position(VariantSettings(variant, board or ""), file)


def setup_options(
    start: Position, variant_path: str | None, variant_names: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """Return the options that tell an engine which variant is played, in the order in which they must be set.

    Args:
        start: a position of the variant, on its board.
        variant_path: the file that has the variant, None for a built-in one.
        variant_names: what the engine calls variants, by their names here.
    """
    name = start.ruleset.name
    loaded = {} if variant_path is None else {"VariantPath": variant_path}
    return loaded | {"UCI_Variant": dict(variant_names).get(name, name), "BoardSize": start.geometry.name}
