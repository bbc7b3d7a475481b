"""Read variants from TOML files: one table per variant, with inheritance through ``parent``."""

import dataclasses
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from latrones_uci.game.errors import BoardSizeError, VariantError, quoted, reason, wrong_type
from latrones_uci.game.ruleset import Ruleset, problems
from latrones_uci.game.text_files import parse_toml, read_text_file

_SIZE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
_SIZE_KEYS = ("default_size", "min_size", "max_size")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_MOST_PARENTS = 32
# With these limits a file is read in under a tenth of a second, so that the engine can do it between two commands.
MOST_FILE_BYTES = 2**17
MOST_VARIANTS = 200
MOST_KEYS = 5000


@dataclass(frozen=True)
class Problem:
    """An error in a file of variants.

    Attributes:
        entry: the name of the variant; "" if the error concerns the whole file.
        key: the key or keys; "" if the error concerns the whole entry.
        text: what is wrong.
    """

    entry: str
    key: str
    text: str

    def __str__(self) -> str:
        """Return the error as one line."""
        where = f"variant {quoted(self.entry)}: " if self.entry else ""
        return f"{where}{self.key}: {self.text}" if self.key else f"{where}{self.text}"


def parse_board_size(text: str) -> tuple[int, int]:
    """Return files and ranks of a size such as ``12x8``.

    ``Ruleset.check_size`` tests whether a variant allows the size.

    Raises:
        BoardSizeError: the size is malformed.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BoardSizeError(f"{quoted(text)} is not a board size; expected files x ranks, such as '12x8'")
    return int(match[1]), int(match[2])


def parse_variants(
    text: str, known: Mapping[str, Ruleset] | None = None, reserved: Collection[str] | None = None
) -> dict[str, Ruleset]:
    """Read rulesets from TOML, in the order of the text.

    Args:
        text: the contents of the file.
        known: existing variants, which can be parents.
        reserved: the names that cannot be used again; None for those of ``known``.

    Raises:
        VariantError: the first problem that ``check_variants`` finds.
    """
    rulesets: dict[str, Ruleset] = {}
    for entry in _entries(text, known or {}, reserved):
        if isinstance(entry, Problem):
            raise VariantError(str(entry))
        rulesets[entry.name] = entry
    return rulesets


def check_variants(
    text: str, known: Mapping[str, Ruleset] | None = None, reserved: Collection[str] | None = None
) -> tuple[dict[str, Ruleset], list[Problem]]:
    """Return the valid rulesets of a file of variants, and the problems of all others; see ``parse_variants``."""
    entries = list(_entries(text, known or {}, reserved))
    return ({entry.name: entry for entry in entries if isinstance(entry, Ruleset)},
            [entry for entry in entries if isinstance(entry, Problem)])


def _entries(
    text: str, known: Mapping[str, Ruleset], reserved: Collection[str] | None
) -> Iterator[Ruleset | Problem]:
    """Yield a ruleset for each valid entry of a file, and the problems of each other one."""
    try:
        tables = parse_toml(text, MOST_VARIANTS, MOST_KEYS)
    except ValueError as error:
        yield Problem("", "", str(error))
        return
    lowered = Counter(name.lower() for name in tables)
    used = {name.lower() for name in (known if reserved is None else reserved)}
    for name, table in tables.items():
        wrong = _entry_problems(name, table, used)
        if lowered[name.lower()] > 1:
            wrong.append(Problem(name, "", "duplicate name; it differs from another one only in case"))
        if not wrong:
            try:
                values = _resolved(name, tables, known, ())
            except VariantError as error:
                wrong = [Problem(name, "parent", str(error))]
            else:
                ruleset, wrong = _ruleset(name, values)
                if ruleset is not None:
                    yield ruleset
        yield from wrong


def _entry_problems(name: str, table: object, used: Collection[str]) -> list[Problem]:
    if not isinstance(table, dict):
        return [Problem("", name, "key outside a table; expected a table for each variant, such as [my-game]")]
    if not _NAME.fullmatch(name):
        return [Problem(name, "", "invalid name; expected at most 64 letters, digits, '-', '_' and '.'")]
    if name.lower() in used:
        return [Problem(name, "", "a variant of this name already exists")]
    return [Problem(name, key, "unknown key") for key in table if key != "parent" and key not in _fields()]


@cache
def _fields() -> Mapping[str, bool]:
    """Return the keys of an entry except ``parent``, and whether each is required."""
    fields = dataclasses.fields(Ruleset)
    return {field.name: field.default is dataclasses.MISSING for field in fields if field.name != "name"}


def _resolved(
    name: str, tables: Mapping[str, Any], known: Mapping[str, Ruleset], children: tuple[str, ...]
) -> dict[str, Any]:
    """Return the known keys of a variant, including those of its parents.

    Raises:
        VariantError: a parent is unknown, or the parents form a cycle.
    """
    if name in children or len(children) > _MOST_PARENTS:
        raise VariantError(f"{quoted(name)} is its own parent, or has more than {_MOST_PARENTS} parents")
    if children and name in known and name not in tables:
        ruleset = known[name]
        return {key: getattr(ruleset, key) for key in _fields()}
    table = tables.get(name)
    if not isinstance(table, dict):
        raise VariantError(f"unknown variant {quoted(name)}")
    own = {key: value for key, value in table.items() if key in _fields()}
    if "parent" not in table:
        return own
    return _resolved(str(table["parent"]), tables, known, (*children, name)) | own


def _ruleset(name: str, values: dict[str, Any]) -> tuple[Ruleset | None, list[Problem]]:
    found = [Problem(name, key, "missing") for key, required in _fields().items()
             if required and key not in values]
    for key in _SIZE_KEYS:
        try:
            if key in values and not isinstance(values[key], tuple):
                values = values | {key: parse_board_size(str(values[key]))}
        except BoardSizeError as error:
            found.append(Problem(name, key, str(error)))
    if found:
        return None, found
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


def load_variants(path: str | Path, offered: Mapping[str, Ruleset] | None = None) -> Mapping[str, Ruleset]:
    """Return built-in variants and those of a file.

    Args:
        path: the file. Every built-in variant can be a parent in it.
        offered: the built-in variants to return, None for the core set. Those of the set ``ludii`` may be defined
            again.

    Raises:
        VariantError: the file cannot be read, or contains an error. The message quotes the path.
    """
    if not isinstance(path, str | Path):
        raise wrong_type("path", path, "a string or a Path")
    try:
        return dict(builtin_variants() if offered is None else offered) | parse_file(read_variants(str(path)))
    except VariantError as error:
        raise VariantError(f"{quoted(str(path))}: {error}") from None


def parse_file(text: str) -> dict[str, Ruleset]:
    """Read the rulesets of a user's file: every built-in variant can be a parent, and the core ones cannot be replaced.

    Raises:
        VariantError: the first problem that ``check_variants`` finds.
    """
    return parse_variants(text, _parents_for(text), builtin_variants())


def check_file(text: str) -> tuple[dict[str, Ruleset], list[Problem]]:
    """Return the valid rulesets of a user's file, and the problems of all others; see ``parse_file``."""
    return check_variants(text, _parents_for(text), builtin_variants())


def _parents_for(text: str) -> Mapping[str, Ruleset]:
    """Return the built-in variants that may be parents in a file; reading all of them takes a while."""
    return all_variants() if LUDII_PREFIX in text else builtin_variants()


def read_variants(path: str) -> str:
    """Return the contents of a file of variants.

    Raises:
        VariantError: the file cannot be read, is not a regular file (a pipe might never end), or is too long. The
            message does not contain the path; the caller adds it.
    """
    try:
        return read_text_file(path, MOST_FILE_BYTES, regular=True)
    except (OSError, ValueError) as error:  # the second: too long, not UTF-8, or an invalid path
        raise VariantError(reason(error)) from None


@cache
def builtin_variants() -> Mapping[str, Ruleset]:
    """Return the built-in variants of the core set by name, in the order of ``variants.toml``."""
    return MappingProxyType(parse_variants(_builtin_text("variants.toml")))


LUDII_PREFIX = "ludii-"
"""The beginning of the names of the set ``ludii``."""


@cache
def ludii_variants() -> Mapping[str, Ruleset]:
    """Return the built-in variants of the set ``ludii`` by name, in the order of ``ludii.toml``."""
    return MappingProxyType(parse_variants(_builtin_text("ludii.toml"), builtin_variants()))


@cache
def all_variants() -> Mapping[str, Ruleset]:
    """Return all built-in variants by name."""
    return MappingProxyType({**builtin_variants(), **ludii_variants()})


VARIANT_SETS = {"core": builtin_variants, "ludii": ludii_variants, "all": all_variants}
"""The sets of built-in variants by name."""


def _builtin_text(name: str) -> str:
    return resources.files("latrones_uci.game").joinpath(name).read_text(encoding="utf-8")


def names_to_list(variants: Iterable[str]) -> list[str]:
    """Return the names to list in a message: the set ``ludii`` is too large."""
    return [name for name in variants if not name.startswith(LUDII_PREFIX)]


def find_variant(name: str, variants: Mapping[str, Ruleset] | None = None) -> Ruleset:
    """Return the variant with a name.

    Args:
        name: the name of the variant.
        variants: the variants to choose from; None for all built-in ones.

    Raises:
        VariantError: the variant is unknown.
    """
    if not isinstance(name, str):
        raise wrong_type("variant", name, "a name")
    if variants is None:
        variants = builtin_variants() if name in builtin_variants() else all_variants()
    if name not in variants:
        listed = names_to_list(variants)
        more = ", or one of 'latrones-uci variants'" if len(listed) < len(variants) else ""
        raise VariantError(f"unknown variant {quoted(name)}; expected one of {', '.join(listed)}{more}")
    return variants[name]
