"""The games: read from TOML, one table each, with inheritance by ``parent``."""

import dataclasses
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from latrones_uci.game.combinations import problems
from latrones_uci.game.errors import BoardSizeError, VariantError, quoted
from latrones_uci.game.ruleset import Ruleset

_SIZE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
_SIZE_KEYS = ("default_size", "min_size", "max_size")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_MOST_PARENTS = 32
MOST_FILE_BYTES = 2**20


@dataclass(frozen=True)
class Problem:
    """What is wrong in a file of games.

    Attributes:
        entry: the game, "" where it concerns the whole file.
        key: the key or keys, "" where it concerns the whole entry.
        text: what is wrong.
    """

    entry: str
    key: str
    text: str

    def __str__(self) -> str:
        """One line that names all three."""
        where = f"variant {quoted(self.entry)}: " if self.entry else ""
        return f"{where}{self.key}: {self.text}" if self.key else f"{where}{self.text}"


def parse_board_size(text: str) -> tuple[int, int]:
    """Reads ``12x8`` as files and ranks.

    Raises:
        BoardSizeError: not of that form. Whether a game allows the size is for ``Ruleset.check_size``.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BoardSizeError(f"{quoted(text)} is not a board size such as '12x8' (files x ranks)")
    return int(match[1]), int(match[2])


def parse_variants(text: str, known: Mapping[str, Ruleset] | None = None) -> dict[str, Ruleset]:
    """Reads rulesets from TOML, in the order of the text.

    Args:
        text: the file's text.
        known: games that may be named as parents, and whose names are taken.

    Raises:
        VariantError: the first of the problems that ``check_variants`` finds.
    """
    rulesets, found = check_variants(text, known)
    if found:
        raise VariantError(str(found[0]))
    return rulesets


def check_variants(
    text: str, known: Mapping[str, Ruleset] | None = None
) -> tuple[dict[str, Ruleset], list[Problem]]:
    """Reads what can be read of a file of games, and lists all that is wrong with the rest."""
    known = known or {}
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or nested thousands deep
        return {}, [Problem("", "", f"not a TOML file: {error}")]
    rulesets: dict[str, Ruleset] = {}
    found: list[Problem] = []
    lowered = Counter(name.lower() for name in tables)
    for name, table in tables.items():
        wrong = _entry_problems(name, table, known)
        if lowered[name.lower()] > 1:
            wrong.append(Problem(name, "", "differs from another name in case only"))
        if not wrong:
            try:
                values = _resolved(name, tables, known, ())
            except VariantError as error:
                wrong = [Problem(name, "parent", str(error))]
            else:
                wrong = _value_problems(name, values)
                if not wrong:
                    ruleset, wrong = _ruleset(name, values)
                    if ruleset is not None:
                        rulesets[name] = ruleset
        found += wrong
    return rulesets, found


def _entry_problems(name: str, table: object, known: Mapping[str, Ruleset]) -> list[Problem]:
    if not isinstance(table, dict):
        return [Problem("", name, "stands outside a table; each game is a table such as [my-game]")]
    if not _NAME.fullmatch(name):
        return [Problem(name, "", "a name is letters, digits, '-', '_' and '.', at most 64")]
    if name.lower() in {other.lower() for other in known}:
        return [Problem(name, "", "is a game already")]
    fields = {field.name for field in dataclasses.fields(Ruleset)} - {"name"} | {"parent"}
    return [Problem(name, key, "unknown key") for key in table if key not in fields]


def _resolved(
    name: str, tables: Mapping[str, Any], known: Mapping[str, Ruleset], children: tuple[str, ...]
) -> dict[str, Any]:
    """The keys of a game, those of its parents included.

    Raises:
        VariantError: a parent is unknown, or the game is its own.
    """
    if name in children or len(children) > _MOST_PARENTS:
        raise VariantError(f"{quoted(name)} is its own parent, or has more than {_MOST_PARENTS}")
    if children and name in known:
        ruleset = known[name]
        return {field.name: getattr(ruleset, field.name)
                for field in dataclasses.fields(ruleset) if field.name != "name"}
    table = tables.get(name)
    if not isinstance(table, dict):
        raise VariantError(f"there is no game {quoted(name)}")
    own = {key: value for key, value in table.items() if key != "parent"}
    if "parent" not in table:
        return own
    return _resolved(str(table["parent"]), tables, known, (*children, name)) | own


def _value_problems(name: str, values: Mapping[str, Any]) -> list[Problem]:
    """Missing and unknown keys (a parent in the same file may have some)."""
    fields = {field.name: field for field in dataclasses.fields(Ruleset) if field.name != "name"}
    return [Problem(name, key, "unknown key") for key in values if key not in fields] + [
        Problem(name, key, "is missing") for key, field in fields.items()
        if key not in values and field.default is dataclasses.MISSING
    ]


def _ruleset(name: str, values: dict[str, Any]) -> tuple[Ruleset | None, list[Problem]]:
    sizes: dict[str, tuple[int, int]] = {}
    found: list[Problem] = []
    for key in _SIZE_KEYS:
        try:
            if key in values:
                sizes[key] = values[key] if isinstance(values[key], tuple) else parse_board_size(str(values[key]))
        except BoardSizeError as error:
            found.append(Problem(name, key, str(error)))
    if found:
        return None, found
    values = values | sizes
    found = [Problem(name, key, text) for key, value in values.items()
             if (text := Ruleset.value_problem(key, value)) is not None]
    if found:
        return None, found
    try:
        ruleset = Ruleset(name=name, **values)
    except VariantError as error:
        return None, [Problem(name, "", str(error))]
    if clashes := problems(ruleset):
        return None, [Problem(name, "", clash) for clash in clashes]
    try:
        ruleset.check_size(*ruleset.default_size)
    except BoardSizeError as error:
        return None, [Problem(name, "default_size", str(error))]
    return ruleset, []


def load_variants(path: str) -> Mapping[str, Ruleset]:
    """The built-in games and those of a file.

    Raises:
        VariantError: the file cannot be read, or has a mistake. The message quotes the path.
    """
    try:
        return dict(builtin_variants()) | parse_variants(read_variants(path), builtin_variants())
    except VariantError as error:
        raise VariantError(f"{quoted(path)}: {error}") from None


def read_variants(path: str) -> str:
    """The text of a file of games.

    Raises:
        VariantError: it cannot be read, is no plain file (a pipe may never end), or is too long. The message leaves
            the path to the caller.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise VariantError("not a plain file")
        return read_text_file(path, MOST_FILE_BYTES)
    except OSError as error:
        raise VariantError(error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        raise VariantError(f"not UTF-8: {error}") from None
    except ValueError as error:  # too long, or no path at all
        raise VariantError(str(error)) from None


@cache
def builtin_variants() -> Mapping[str, Ruleset]:
    """The games that come with the program, by name, in the order of the file."""
    text = resources.files("latrones_uci.game").joinpath("variants.toml").read_text(encoding="utf-8")
    return MappingProxyType(parse_variants(text))


def find_variant(name: str, variants: Mapping[str, Ruleset] | None = None) -> Ruleset:
    """The game of that name, of the built-in ones unless others are given.

    Raises:
        VariantError: there is none.
    """
    known = builtin_variants() if variants is None else variants
    if name not in known:
        raise VariantError(f"unknown variant {quoted(name)}; known are {', '.join(known)}")
    return known[name]


# ---------------------------------------------------------------- text file
# Files of text, of which only so much is read.

MOST_BYTES = 64 * 2**20


def read_text_file(path: str | Path, most_bytes: int = MOST_BYTES) -> str:
    """The whole text of a file in UTF-8.

    Args:
        path: of the file.
        most_bytes: the length from which on nothing is made of it; no more is read, whatever the file is.

    Raises:
        OSError: it cannot be read.
        ValueError: it is longer, or not UTF-8, or the path is none.
    """
    with open(path, "rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError(f"longer than {most_bytes} bytes")
    return data.decode("utf-8")
