"""Read untrusted text files and TOML, bounded in size, in time and in memory; write TOML values and binary files."""

import json
import os
import re
import reprlib
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

MAX_BYTES = 64 * 2**20
_SHOWN_CHARACTERS = 120


def read_text_file(path: str | Path, most_bytes: int = MAX_BYTES, *, regular: bool = False) -> str:
    """Return the contents of a UTF-8 file, without a byte order mark.

    Args:
        path: the file.
        most_bytes: the maximum length; no more is read, even if the file is endless.
        regular: whether to refuse everything but a regular file, and never to wait for data: a pipe or a device might
            never end.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is too long, not UTF-8 or not regular, or the path is invalid.
    """
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    if regular:  # opening a pipe would wait for a writer, and reading /proc/kmsg, a regular file, for a message
        flags |= getattr(os, "O_NONBLOCK", 0)
    descriptor, data = os.open(path, flags), bytearray()
    try:
        if regular and not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
        while len(data) <= most_bytes and (chunk := os.read(descriptor, most_bytes + 1 - len(data))):
            data += chunk
    except BlockingIOError:  # only with O_NONBLOCK
        raise ValueError("not a regular file") from None
    finally:
        os.close(descriptor)
    if len(data) > most_bytes:
        raise ValueError(f"longer than {most_bytes} bytes")
    return data.decode("utf-8-sig")


# ---------------------------------------------------------------- TOML
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


@contextmanager
def whole_file(path: Path, mode: str = "xb", encoding: str | None = None) -> Iterator[IO[Any]]:
    """Yield a file to write to, binary by default; it replaces the one at the path when it is complete and on the disk.

    Args:
        path: the file to replace.
        mode: how the new file is created, ``xb`` or ``x``.
        encoding: encoding of a text file.

    Raises:
        OSError: the file cannot be written; the message names it.
    """
    part = part_of(path)
    try:
        with part.open(mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:  # also an interrupt
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def part_of(path: Path) -> Path:
    """Return a new name in the same folder, for a file that is written before it replaces the one at the path."""
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")


# ---------------------------------------------------------------- values in TOML syntax


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
