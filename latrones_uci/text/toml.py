"""Read TOML from anybody, bounded in time and in memory, and write it."""

import json
import re
import reprlib
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from latrones_uci.text.messages import quoted

# `tomllib` takes time and memory that grow with the square of the number of dots in a key and of nested levels:
# 100,000 dots take 10 GB. So the text is measured first, by counts that cost one pass.

MAX_KEY_PARTS = 4
MAX_NESTED = 8
MAX_TABLES = 2000
MAX_ITEMS = 20_000  # keys, and items of arrays
MAX_BARE_CHARACTERS = 200

# A string that does not end reaches to the end of its line, or of the text if it may have several lines.
_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+(?:\s*+#[^\n]*+)*+",
    re.DOTALL,
)
_DOTTED = re.compile(rf"(?:\.[ \t]*+[^\s.=,\[\]{{}}]++[ \t]*+){{{MAX_KEY_PARTS}}}")
_BARE = re.compile(rf"[^\s.=,\[\]{{}}]{{{MAX_BARE_CHARACTERS + 1}}}")
_BRACKET = re.compile(r"[\[\]{}]")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_TABLE = re.compile(r"\[\[?|\{")


def parse_toml(text: str, most_tables: int = MAX_TABLES, most_items: int = MAX_ITEMS) -> dict[str, Any]:
    """Parse TOML that may come from anybody.

    Args:
        text: the document; a byte order mark is ignored.
        most_tables: the maximum number of tables and arrays.
        most_items: the maximum number of keys and of items of arrays.

    Raises:
        ValueError: not TOML, or not within the limits; the message is one line.
    """
    text = text.removeprefix("\ufeff")
    if problem := _excess(text, most_tables, most_items):
        raise ValueError(problem)
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"not a TOML file: {error}") from None


def _excess(text: str, most_tables: int, most_items: int) -> str | None:
    """Return the first limit that a document exceeds, None if it is within all of them."""
    most_marks = 4 * most_items  # with a key on each line, and a string of two quotes for it, there are three of these
    if sum(map(text.count, "\n\"'")) > most_marks:
        return f"too many lines and strings; expected at most {most_marks} line ends and quotes"
    bare = _STRING_OR_COMMENT.sub(_placeholder, text)
    if match := _DOTTED.search(bare):
        return f"{_line(bare, match)}key with too many dots; expected at most {MAX_KEY_PARTS} parts"
    if match := _BARE.search(bare):
        return (f"{_line(bare, match)}key or value without quotes that is too long;"
                f" expected at most {MAX_BARE_CHARACTERS} characters")
    if len(_TABLE.findall(bare)) > most_tables:
        return f"too many tables and arrays; expected at most {most_tables}"
    if bare.count("=") + bare.count(",") > most_items:
        return f"too many keys and values; expected at most {most_items}"
    depth = 0
    for match in _BRACKET.finditer(bare):
        depth += 1 if match[0] in "[{" else -1
        if depth > MAX_NESTED:
            return f"{_line(bare, match)}too many nested tables or arrays; expected at most {MAX_NESTED} levels"
    return None


def _placeholder(match: re.Match[str]) -> str:
    """Return a short string in place of a long one, and nothing in place of a comment; line numbers stay."""
    lines = "\n" * match[0].count("\n")
    return lines if match[0].startswith("#") else f'""{lines}'


def _line(text: str, match: re.Match[str]) -> str:
    line = text.count("\n", 0, match.start()) + 1
    return f"line {line}: "


# ---------------------------------------------------------------- writing


def toml_value(value: object) -> str:
    """Return a value in TOML syntax; a tuple is the size of a board."""
    if isinstance(value, tuple):
        return f'"{value[0]}x{value[1]}"'
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, (int, float)):
        return json.dumps(value)
    # A JSON string is a TOML string, except that JSON leaves the control character U+007F unescaped.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def render_toml(data: Mapping[str, Any]) -> str:
    """Render a TOML document: values first, then tables, then lists of tables. ``tomllib`` can only read TOML."""
    return "\n".join(_lines(data, ())).strip() + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value):
            yield f"{_key(key)} = {toml_value(value)}"
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
    return key if _BARE_KEY.fullmatch(key) else toml_value(key)


class _ShortToml(reprlib.Repr):
    """Values in TOML syntax, cut to a length that fits a message: a list of thousands of items takes no time."""

    def repr_bool(self, value: bool, level: int) -> str:
        return str(value).lower()

    def repr_str(self, text: str, level: int) -> str:
        return quoted(text, represent=_printable)

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
