r"""The words of messages: quotations, numbers with their nouns, durations, reasons. Every message is one line.

Bytes that are not UTF-8 are lone surrogates in text, as Python decodes arguments and file names (``surrogateescape``),
and are shown as ``\xff``: by ``quoted`` and ``printable``, and in all output that is encoded with ``VISIBLE_BYTES``.
"""

import codecs
import os
import re
import sys
from collections.abc import Callable, Iterable
from reprlib import repr as shorten

_QUOTE_LIMIT = 120
_ESCAPED_BYTE = re.compile(r"((?<!\\)(?:\\\\)*)\\udc([89a-f][0-9a-f])")  # in a representation by Python
_COMPARED_LIMIT = 32  # the time to compare two names grows with the product of their lengths


def wrong_type(what: str, value: object, expected: str) -> TypeError:
    """Return the error for an argument of the wrong type; ``what`` names the argument."""
    return TypeError(f"{what} {shorten(value)}: wrong type; expected {expected}")


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the end of an error about an unknown name, in any case: ``; did you mean ...?``, or empty."""
    from difflib import get_close_matches  # an engine starts sooner without it

    if len(name) > _COMPARED_LIMIT:
        return ""
    names = {each.lower(): each for each in known if len(each) <= _COMPARED_LIMIT}
    found = get_close_matches(name.lower(), list(names), 1, 0.7)
    return f"; did you mean '{names[found[0]]}'?" if found else ""


def with_byte_escapes(representation: str) -> str:
    r"""Return a representation by Python with ``\xff``, not ``\udcff``, for each byte that is not UTF-8."""
    return _ESCAPED_BYTE.sub(r"\1\\x\2", representation)


def _python_string(text: str) -> str:
    return with_byte_escapes(repr(text))


def quoted(text: str, length: str = "", represent: Callable[[str], str] = _python_string) -> str:
    """Return ``text`` in quotes and on one line, cut to a length that fits a terminal.

    Args:
        text: the text.
        length: how long it is in words, if only its beginning is given.
        represent: makes the quotation, by default as Python does.
    """
    kept = text[:_QUOTE_LIMIT]
    while len(shown := represent(kept)) > _QUOTE_LIMIT + 2:  # an escaped character takes up to ten
        kept = kept[: len(kept) * 9 // 10]
    return shown if kept == text else f"{shown}... ({length or f'{len(text)} characters'})"


def escape_sequence(character: str) -> str:
    """Return the Python escape sequence of a character; of a byte that is not UTF-8, that of the byte."""
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


def printable(text: str, stand_in: str = "") -> str:
    """Return the text with a stand-in, by default its escape sequence, for each unprintable character."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else stand_in or escape_sequence(each) for each in text)


VISIBLE_BYTES = "latrones-visible-bytes"
"""For the argument ``errors`` of ``str.encode`` and of files: what cannot be encoded becomes its escape sequence."""


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(escape_sequence, error.object[error.start : error.end])), error.end


codecs.register_error(VISIBLE_BYTES, _escape)


def is_utf8(text: str) -> bool:
    """Return whether a text can be written in UTF-8; the bytes of an argument that are not cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as ``1 line`` or ``2 plies``; the plural ends in ``s`` by default."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def duration(elapsed_ms: float) -> str:
    """Return a duration with a suitable unit: ``40 ms``, ``2.5 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if elapsed_ms < 1000:
        return f"{elapsed_ms:.3g} ms" if elapsed_ms else "0"
    if elapsed_ms < 60_000:
        return f"{elapsed_ms / 1000:.3g} s"
    minutes, seconds = divmod(round(elapsed_ms / 1000), 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def reason(error: Exception) -> str:
    """Return what went wrong, for use in a message that names the file or command itself.

    For an ``OSError`` this is the text of the system without the number and the file name; for text that is not UTF-8,
    the invalid byte without the name of the codec.
    """
    if isinstance(error, OSError) and error.strerror:
        if sys.platform == "win32" and isinstance(error, PermissionError) and os.path.isdir(error.filename or ""):
            return "Is a directory"  # opened as a file
        return error.strerror
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: invalid byte 0x{error.object[error.start]:02x}"
    return str(error)
