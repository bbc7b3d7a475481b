"""Read variants from TOML files: one table per variant, with inheritance through ``parent``."""

import dataclasses
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from latrones_uci.game.errors import BoardSizeError, VariantError
from latrones_uci.game.ruleset import (
    NAME,
    NAME_FORM,
    SIZE_KEYS,
    Ruleset,
    any_value,
    clashes,
    expected_value,
    keys_at_fault,
    size_disorder,
)
from latrones_uci.text.files import read_text_file
from latrones_uci.text.messages import nearest_name, quoted, reason, wrong_type
from latrones_uci.text.toml import parse_toml, shown_toml

_SIZE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
# The keys that decide whether the pieces fit on the board.
_SIZE_RULES = ("board", *SIZE_KEYS, "min_squares", "barred", "safe_square", "setup", "start", "soldier_ranks", "dux",
               "hand")
_MAX_PARENTS = 32
_KEYS_EXPECTED = "; expected parent, or a key that 'latrones-uci variants show latrones' prints"
# With these limits a file is read in under a tenth of a second, so that the engine can do it between two commands.
MAX_FILE_BYTES = 2**17
MAX_VARIANTS = 200
MAX_KEYS = 5000


@dataclass(frozen=True)
class Problem:
    """An error in a file of variants."""

    entry: str
    """The name of the variant; "" if the error concerns the whole file."""
    key: str
    """The key or keys; "" if the error concerns the whole entry."""
    text: str
    """What is wrong."""

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
        tables = parse_toml(text, MAX_VARIANTS, MAX_KEYS)
    except ValueError as error:
        yield Problem("", "", str(error))
        return
    if not tables:
        yield Problem("", "", "no variants; expected a table such as [my-game]")
    lowered = Counter(name.lower() for name in tables)
    used = {name.lower() for name in (known if reserved is None else reserved)}
    for name, table in tables.items():
        if not isinstance(table, dict):
            yield Problem("", name, "key outside a table; expected a table for each variant, such as [my-game]")
            continue
        wrong = [*_name_problems(name, lowered, used), *_unknown_keys(name, table)]
        yield from wrong
        try:
            values, complete = _resolved(name, tables, known, ()), True
        except VariantError as error:
            wrong.append(Problem(name, "parent", str(error)))
            yield wrong[-1]
            values, complete = _own_values(table), False
        entry = _ruleset(name, values, complete=complete)
        if isinstance(entry, list):
            yield from (_with_values(each, table, values) for each in entry)
        elif not wrong:
            yield entry


def _with_values(problem: Problem, table: Mapping[str, Any], values: Mapping[str, Any]) -> Problem:
    """Return a problem of several keys with their values, and where a value comes from if not from the entry."""
    keys = problem.key.split(", ")
    if len(keys) == 1:
        return problem
    defaults = {each.name: each.default for each in dataclasses.fields(Ruleset)}
    own, taken = list[str](), list[str]()
    for key in keys:
        value = values.get(key, defaults[key])
        (own if key in table or value == defaults[key] else taken).append(f"{key} = {shown_toml(value)}")
    text = f"{problem.text}; found {', '.join(own)}" if own else problem.text
    if taken:
        text += f"; inherited from {table['parent']}, set here to change: {', '.join(taken)}"
    return Problem(problem.entry, problem.key, text)


def _name_problems(name: str, lowered: Mapping[str, int], used: Collection[str]) -> Iterator[Problem]:
    if not NAME.fullmatch(name):
        yield Problem(name, "", f"invalid name; expected {NAME_FORM}")
    if name.lower() in used:
        yield Problem(name, "", "a variant of this name already exists; expected another name")
    if lowered[name.lower()] > 1:
        yield Problem(name, "", "duplicate name; it differs from another one only in case")


def _unknown_keys(name: str, table: Mapping[str, Any]) -> Iterator[Problem]:
    for key in table:
        if key != "parent" and key not in _fields():
            hint = nearest_name(key, ["parent", *_fields()])
            yield Problem(name, key, f"unknown key{hint or _KEYS_EXPECTED}")


@cache
def _fields() -> Mapping[str, bool]:
    fields = dataclasses.fields(Ruleset)
    return {field.name: field.default is dataclasses.MISSING for field in fields if field.name != "name"}


def _resolved(
    name: str, tables: Mapping[str, Any], known: Mapping[str, Ruleset], children: tuple[str, ...]
) -> dict[str, Any]:
    """Return the known keys of a variant, including those of its parents.

    Raises:
        VariantError: a parent is unknown, or the parents form a cycle.
    """
    if name in children or len(children) > _MAX_PARENTS:
        raise VariantError(f"{quoted(name)} is its own parent, or has more than {_MAX_PARENTS} parents")
    if children and name in known and name not in tables:
        ruleset = known[name]
        return {key: getattr(ruleset, key) for key in _fields() if key != "origins"}
    table = tables.get(name)
    if not isinstance(table, dict):
        raise VariantError(_unknown_variant(name, known, [each for each in tables if each not in children]))
    own = _own_values(table)
    if "parent" not in table:
        return own
    if not isinstance(table["parent"], str):
        raise VariantError(f"expected a string, not {shown_toml(table['parent'])}")
    inherited = _resolved(table["parent"], tables, known, (*children, name))
    return {key: value for key, value in inherited.items() if key != "origins"} | own


def _own_values(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key in _fields()}


def _ruleset(name: str, values: dict[str, Any], *, complete: bool) -> Ruleset | list[Problem]:
    """Return the ruleset with these values, or everything that is wrong with them.

    A key with a wrong value is not used to judge others. Without ``complete`` the same holds for keys without a value.
    """
    absent = [key for key in _fields() if key not in values]
    found = [(key, f"missing; expected {expected_value(key)}") for key in absent if complete and _fields()[key]]
    values, malformed = _with_sizes(values)
    found += malformed
    wrong = {key for key, _ in found}
    found += [(key, text) for key, value in values.items()
              if key not in wrong and (text := Ruleset.value_problem(key, value)) is not None]
    unknown = {key for key, _ in found} | set(() if complete else absent)
    values |= {key: any_value(key) for key in unknown}
    least, largest = values.get("min_size", Ruleset.min_size), values.get("max_size", Ruleset.max_size)
    if "default_size" in unknown:
        values["default_size"] = least
    if (disorder := size_disorder(least, values["default_size"], largest)) is not None:
        found.append(disorder)
        unknown.update(SIZE_KEYS)
        values |= {key: any_value(key) for key in SIZE_KEYS}
    ruleset = Ruleset(name=name if NAME.fullmatch(name) else "this variant", **values)
    found += (clashing := clashes(ruleset, unknown))
    if unknown.union(*(keys.split(", ") for keys, _ in clashing)).isdisjoint(_SIZE_RULES):
        try:
            ruleset.check_size(*ruleset.default_size)
        except BoardSizeError as error:
            found.append(("default_size", str(error)))
    narrowed = {(keys, words): ", ".join(keys_at_fault(ruleset, keys, words)) for keys, words in clashing}
    return [Problem(name, narrowed.get((key, text), key), text) for key, text in found] or ruleset


def _with_sizes(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Return the values with board sizes as numbers, and the key and error of each malformed size."""
    parsed, found = dict(values), []
    for key in SIZE_KEYS:
        try:
            if isinstance(parsed.get(key), str):
                parsed[key] = parse_board_size(parsed[key])
        except BoardSizeError as error:
            found.append((key, str(error)))
    return parsed, found


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
        return read_text_file(path, MAX_FILE_BYTES, regular=True)
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
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _names_to_list(variants: Iterable[str]) -> list[str]:
    return [name for name in variants if not name.startswith(LUDII_PREFIX)]


def names_in_words(variants: Collection[str]) -> str:
    """Return names for a message; it only says where those of the set ``ludii`` are listed."""
    listed = _names_to_list(variants)
    others = len(variants) - len(listed)
    return ", ".join(listed) + (f" and {others} more ('latrones-uci variants')" if others else "")


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
        raise VariantError(_unknown_variant(name, variants))
    return variants[name]


def reference(ruleset: Ruleset) -> Ruleset | str:
    """Return the name of a built-in ruleset, and any other ruleset itself: what a pickle needs."""
    name = ruleset.name
    builtin = (ludii_variants() if name.startswith(LUDII_PREFIX) else builtin_variants()).get(name)
    return name if ruleset == builtin else ruleset


def _unknown_variant(name: str, known: Collection[str], own: Collection[str] = ()) -> str:
    listed = _names_to_list(known)
    more = ", or one of 'latrones-uci variants'" if len(listed) < len(known) else ""
    expected = f"expected one of {', '.join(listed)}{more}" if listed else "expected a variant of this file"
    return f"unknown variant {quoted(name)}; {expected}{nearest_name(name, [*own, *known])}"
