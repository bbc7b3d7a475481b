"""Plain data as TOML text (the standard library only reads it)."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def render_toml(data: Mapping[str, Any]) -> str:
    """A document with values first, then tables, then lists of tables; reading it gives the same data."""
    return "\n".join(_lines(data, ())).strip() + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        where = ".".join(map(_key, (*path, key)))
        if isinstance(value, Mapping):
            yield f"\n[{where}]"
            yield from _lines(value, (*path, key))
        elif _is_tables(value):
            for item in value:
                yield f"\n[[{where}]]"
                yield from _lines(item, (*path, key))


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        # A JSON text is one of TOML's, but for a character that only TOML forbids.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)
