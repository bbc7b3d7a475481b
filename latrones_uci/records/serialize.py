"""Convert frozen dataclasses to plain data (the types of JSON and TOML) and back, with every value checked.

The schema of a class is its fields and their types.
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.hints import key_hint
from latrones_uci.text.messages import quoted

T = TypeVar("T")
_BOUND = 10**18
_NOUNS: dict[object, str] = {int: "an integer", str: "a string", bool: "true or false", float: "a number"}


class DeserializeError(SettingsError):
    """The data does not fit the class; the message is one line with the place and the value."""


def serialize(value: object) -> Any:
    """Return a value as plain data.

    An enum becomes its value, a path or an object with a method ``to_text`` a string, a dataclass a table of the fields
    that differ from their defaults, a tuple of names and values a table, and a frozenset a sorted list.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, frozenset):
        return sorted(value)
    if hasattr(value, "to_text"):
        return value.to_text()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: serialize(own)
            for field in dataclasses.fields(value)
            if (own := getattr(value, field.name)) != _default(field)
        }
    if isinstance(value, tuple):
        if value and all(isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) for item in value):
            return {key: serialize(item) for key, item in value}
        return [serialize(item) for item in value]
    return value


def deserialize(kind: type[T], data: object, place: str = "") -> T:
    """Return an object from plain data, written by ``serialize`` or by hand.

    Args:
        kind: a dataclass whose fields are of the types ``int``, ``float``, ``str``, ``bool``, ``Path``, enums,
            dataclasses, tuples or frozensets of these, or one of these and ``None``.
        data: the plain data.
        place: the place of the data, for messages.

    Raises:
        DeserializeError: a value has the wrong type, a key is unknown or missing, or the class rejects a value.
    """
    read: Reader = _reader(typing.cast(Any, kind))
    return typing.cast(T, read(data, place))


def parse_words(kind: type[T], words: Sequence[str], place: str) -> T:
    """Return an object from ``KEY=VALUE`` words of the command line; keys are the names of the fields.

    Raises:
        DeserializeError: see ``deserialize``; or a word is malformed, or a key is duplicated.
    """
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key in values:
            problem = f"duplicate key {quoted(key)}" if equals else "expected KEY=VALUE"
            raise DeserializeError(_at(place, f"{quoted(word)}: {problem}"))
        values[key] = _from_text(hints.get(key), text)
    return deserialize(kind, values, place)


def _from_text(kind: Any, text: str) -> Any:
    """Convert a text from the command line to ``kind``; return the text itself if that is not possible."""
    if typing.get_origin(kind) in (Union, types.UnionType):
        (kind,) = (argument for argument in typing.get_args(kind) if argument is not types.NoneType)
    if kind is bool:
        return {"on": True, "off": False, "true": True, "false": False}.get(text, text)
    if kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


Reader = Callable[[Any, str], Any]


@cache
def _reader(kind: Any) -> Reader:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        (inner,) = (argument for argument in arguments if argument is not types.NoneType)
        return _optional(_reader(inner))
    if origin is tuple:
        return _table if arguments == (tuple[str, str], ...) else _tuple(arguments)
    if origin is frozenset:
        read = _tuple((*arguments, Ellipsis))
        return lambda data, place: frozenset(read(data, place))
    if origin is typing.Literal:
        return _choice(arguments)
    if kind is Path:
        return _text(_path)
    if kind in _NOUNS:
        return _scalar(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum(kind)
    if hasattr(kind, "from_text"):
        return _text(kind.from_text)
    return _dataclass(kind)


def _optional(read: Reader) -> Reader:
    return lambda data, place: None if data is None else read(data, place)


def _scalar(kind: Any) -> Reader:
    def read(data: Any, place: str) -> Any:
        if kind is float and type(data) is int:
            data = float(data) if abs(data) < _BOUND else data
        if type(data) is not kind or (kind in (int, float) and not abs(data) < _BOUND):
            raise _mismatch(data, place, _NOUNS[kind])
        return data

    return read


def _enum(kind: type[Enum]) -> Reader:
    def read(data: Any, place: str) -> Any:
        try:
            return kind(data)
        except ValueError:
            raise _mismatch(data, place, "one of " + ", ".join(str(member.value) for member in kind)) from None

    return read


def _choice(choices: tuple[Any, ...]) -> Reader:
    def read(data: Any, place: str) -> Any:
        if data not in choices:
            raise _mismatch(data, place, "one of " + ", ".join(map(str, choices)))
        return data

    return read


def _table(data: Any, place: str) -> Any:
    """Read a table of strings; integers and booleans are converted."""
    if not isinstance(data, Mapping):
        raise _mismatch(data, place, "a table")
    texts = {True: "true", False: "false"}
    for key, value in data.items():
        if not isinstance(value, (str, int)):
            raise _mismatch(value, f"{place}.{key}", "a string")
    return tuple(
        (key, texts[value] if isinstance(value, bool) else str(value)) for key, value in data.items()
    )


def _text(parse: Callable[[str], Any]) -> Reader:
    def read(data: Any, place: str) -> Any:
        if not isinstance(data, str):
            raise _mismatch(data, place, "a string")
        try:
            return parse(data)
        except ValueError as error:
            raise DeserializeError(_at(place, str(error))) from error

    return read


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise ValueError(f"{quoted(text)} is not a path")
    return Path(text)


def _tuple(arguments: tuple[Any, ...]) -> Reader:
    variable_length = arguments[-1] is Ellipsis
    readers = [_reader(argument) for argument in arguments if argument is not Ellipsis]

    def read(data: Any, place: str) -> Any:
        if not isinstance(data, (list, tuple)) or (not variable_length and len(data) != len(readers)):
            raise _mismatch(data, place, "a list" if variable_length else f"a list of {len(readers)}")
        return tuple(
            readers[0 if variable_length else index](item, f"{place}[{index}]") for index, item in enumerate(data)
        )

    return read


def _dataclass(kind: Any) -> Reader:
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    readers: dict[str, Reader] = {}

    def read(data: Any, place: str) -> Any:
        if not isinstance(data, Mapping):
            raise _mismatch(data, place, "a table")
        if not readers:
            readers.update({name: _reader(hints[name]) for name in fields})
        values = {}
        if unknown := [str(key) for key in data if key not in fields]:
            raise DeserializeError(_at(place, _unknown_keys(unknown, fields)))
        for key, value in data.items():
            values[key] = readers[key](value, _place(place, key))
        for name, field in fields.items():
            if name not in values and _default(field) is dataclasses.MISSING:
                raise DeserializeError(_at(place, f"{name} is missing"))
        try:
            return kind(**values)
        except DeserializeError:
            raise
        except ValueError as error:
            raise DeserializeError(_at(place, str(error))) from error

    return read


def _default(field: "dataclasses.Field[Any]") -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _mismatch(data: object, place: str, expected: str) -> DeserializeError:
    return DeserializeError(_at(place, f"{quoted(str(data))} is not {expected}"))


def _unknown_keys(unknown: Sequence[str], known: Iterable[str]) -> str:
    """Return what is wrong with all unknown keys, so that one more try is enough."""
    hints = [key_hint(key, known) for key in unknown]
    problems = [f"unknown key {quoted(key)}{hint}" for key, hint in zip(unknown, hints, strict=True)]
    text = "; ".join(problems).replace("?;", "?")
    return text if all(hints) else f"{text}; expected one of {', '.join(known)}"


def _place(table: str, key: str) -> str:
    """Return the place of a key: as it is given on the command line after an option, or in a file."""
    return f"{table}{' ' if table.startswith('-') else '.'}{key}" if table else key


def _at(place: str, text: str) -> str:
    return f"{place}: {text}" if place else text
