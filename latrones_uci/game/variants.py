"""The games: read from ``variants.toml``, with inheritance by ``parent``."""

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from latrones_uci.game.combinations import problems
from latrones_uci.game.errors import BoardSizeError, VariantError, quoted
from latrones_uci.game.ruleset import Ruleset

_SIZE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)", re.ASCII)
_SIZE_KEYS = ("default_size", "min_size", "max_size")


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
    """Reads rulesets from TOML, one table each, in the order of the text.

    Args:
        text: the file's text.
        known: games that may be named as parents, and whose names are taken.

    Raises:
        VariantError: bad TOML, a name that is taken, an unknown key or parent, a missing key, a bad value.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise VariantError(f"not a TOML file: {error}") from error
    known = known or {}
    for name in tables:
        if name in known:
            raise VariantError(f"variant {quoted(name)} is a game already")
    return {name: _ruleset(name, _resolved(name, tables, known, ())) for name in tables}


def _resolved(
    name: str, tables: Mapping[str, Any], known: Mapping[str, Ruleset], children: tuple[str, ...]
) -> dict[str, Any]:
    """The keys of a game, those of its parents included."""
    if name in children:
        raise VariantError(f"variant {quoted(name)} is its own parent")
    if children and name in known:
        ruleset = known[name]
        return {field.name: getattr(ruleset, field.name)
                for field in dataclasses.fields(ruleset) if field.name != "name"}
    table = tables.get(name)
    if not isinstance(table, dict):
        raise VariantError(f"variant {quoted(name)} is not a table of the file")
    own = {key: value for key, value in table.items() if key != "parent"}
    if "parent" not in table:
        return own
    return _resolved(str(table["parent"]), tables, known, (*children, name)) | own


def _ruleset(name: str, values: dict[str, Any]) -> Ruleset:
    fields = {field.name: field for field in dataclasses.fields(Ruleset)}
    for key in values:
        if key not in fields or key == "name":
            raise VariantError(f"variant {quoted(name)}: unknown key {quoted(key)}")
    for key, field in fields.items():
        if key != "name" and key not in values and field.default is dataclasses.MISSING:
            raise VariantError(f"variant {quoted(name)}: key {quoted(key)} is missing")
    sizes = {key: _size(name, key, values[key]) for key in _SIZE_KEYS if key in values}
    ruleset = Ruleset(name=name, **(values | sizes))
    if clashes := problems(ruleset):
        raise VariantError(f"variant {quoted(name)}: {clashes[0]}")
    ruleset.check_size(*ruleset.default_size)
    return ruleset


def _size(name: str, key: str, value: Any) -> tuple[int, int]:
    if isinstance(value, tuple):
        return value
    try:
        return parse_board_size(str(value))
    except BoardSizeError as error:
        raise VariantError(f"variant {quoted(name)}: {key}: {error}") from None


@cache
def builtin_variants() -> Mapping[str, Ruleset]:
    """The games that come with the program, by name, in the order of the file."""
    text = resources.files("latrones_uci.game").joinpath("variants.toml").read_text(encoding="utf-8")
    return MappingProxyType(parse_variants(text))


def find_variant(name: str) -> Ruleset:
    """The built-in game of that name.

    Raises:
        VariantError: there is none.
    """
    ruleset = builtin_variants().get(name)
    if ruleset is None:
        raise VariantError(f"unknown variant {quoted(name)}; known are {', '.join(builtin_variants())}")
    return ruleset
