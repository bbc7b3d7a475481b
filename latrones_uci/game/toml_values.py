"""Values of a ruleset in TOML syntax: whole ones for files, and short ones for messages."""

import json
import reprlib
from typing import Any

_SHOWN_CHARACTERS = 120


def toml_value(value: object) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f'"{value[0]}x{value[1]}"'
    if isinstance(value, int):
        return str(value)
    # A JSON string is a TOML string, except that JSON leaves the control character U+007F unescaped.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


class _ShortToml(reprlib.Repr):
    """Values in TOML syntax, cut to a length that fits a message: a list of thousands of items takes no time."""

    def repr_bool(self, value: bool, level: int) -> str:
        return str(value).lower()

    def repr_str(self, text: str, level: int) -> str:
        kept = text[:_SHOWN_CHARACTERS]
        shown = _printable(kept)
        while len(shown) > _SHOWN_CHARACTERS + 2:  # an escaped character takes up to ten
            kept = kept[: len(kept) * 9 // 10]
            shown = _printable(kept)
        return shown if kept == text else f"{shown}... ({len(text)} characters)"

    def repr_tuple(self, size: tuple[Any, ...], level: int) -> str:
        is_size = len(size) == 2 and all(type(side) is int for side in size)
        return toml_value(size) if is_size else super().repr_tuple(size, level)

    def repr_dict(self, table: dict[str, Any], level: int) -> str:
        return "{...}" if table else "{}"

    def repr_date(self, value: object, level: int) -> str:
        return str(value)

    repr_datetime = repr_time = repr_date


_short_toml = _ShortToml()


def shown_toml(value: object) -> str:
    """Return a value as TOML writes it, on one line and cut to a length that fits a message."""
    return _short_toml.repr(value)


def _printable(text: str) -> str:
    """Return a TOML string with escapes for all characters that cannot be printed."""
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in toml_value(text))
