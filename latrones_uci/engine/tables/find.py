"""The choice of the tables: the option ``TablePath``, the tables in the package, and those in the cache of the user."""

from pathlib import Path
from typing import NamedTuple

from latrones_uci.engine.tables.directory import Tables, table_headers
from latrones_uci.engine.tables.file import SUFFIX
from latrones_uci.engine.tables.material import NoTablesError, TablesError, rules_digest
from latrones_uci.game import Position
from latrones_uci.game.encoding import men_of
from latrones_uci.text.folders import user_folder
from latrones_uci.text.messages import quoted

AUTO, OFF = "", "off"
SHIPPED = Path(__file__).parent / "shipped"
"""The folder of the tables in the package."""
NEAR_MEN = 12
"""Largest number of pieces with which a search uses tables that nobody named: with more, it does not reach them."""


class Found(NamedTuple):
    """The tables for a game on a board."""

    tables: Tables | None
    """The tables, None if there are none."""
    problem: str = ""
    """Why there are none, if a folder was named or a file of the package is damaged."""


class TableChoice:
    """The tables selected by a value of ``TablePath``."""

    def __init__(self, setting: str = OFF) -> None:
        """Check that a folder has tables; ``find`` checks whether they fit a game.

        Raises:
            TablesError: the setting is no folder, or one that cannot be read or has no tables.
        """
        self.setting = OFF if setting.lower() == OFF else setting
        """A folder, ``off``, or empty for the tables in the package."""
        if self.named and not (Path(setting).is_dir() and any(table_headers(Path(setting)))):
            raise TablesError(f"{quoted(setting)}: no folder with tables; expected one made by 'latrones-uci tables',"
                              f" or '{OFF}'")

    @property
    def named(self) -> bool:
        return self.setting not in (AUTO, OFF)

    def is_used(self, position: Position) -> bool:
        """Return whether a search of this position uses the tables of its game and board, if there are any."""
        return self.named or (self.setting == AUTO and men_of(position.board, position.geometry) <= NEAR_MEN)

    def find(self, position: Position) -> Found:
        """Find the tables for the game and board of a position, and compare their checksums."""
        try:
            return Found(Tables(self.setting if self.named else SHIPPED, position))
        except NoTablesError as error:
            return Found(None, str(error) if self.named else "")
        except TablesError as error:
            return Found(None, str(error))


def find_in_cache(position: Position) -> Tables | None:
    """Find the tables for the game and board of a position that were made in idle time."""
    try:
        return Tables(cache_folder(position), position)
    except (TablesError, RuntimeError):  # usually there are none; damaged ones are made again; a user may have no home
        return None


def cache_folder(position: Position) -> Path:
    """Return the folder of the tables for the game and board of a position that are made in idle time."""
    return _cache() / f"{rules_digest(position.ruleset).hex()[:16]}-{position.geometry.name}"


def cached_bytes() -> int:
    """Return the size of all tables that were made in idle time."""
    return sum(path.stat().st_size for path in _cache().glob(f"*/*{SUFFIX}"))


def _cache() -> Path:
    return user_folder("cache") / "tables"
