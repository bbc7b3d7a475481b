"""The words that describe an engine on the command line: ``cmd=... name=... tc=... option.X=...``."""

import os
from collections.abc import Mapping, Sequence
from typing import get_args

from latrones_uci.game import quoted
from latrones_uci.match.engines.process import parse_command
from latrones_uci.match.errors import SettingsError
from latrones_uci.match.records.time_control import TIME_CONTROL_KEYS, parse_time_control
from latrones_uci.match.settings import EngineSettings, Protocol

_OPTION_PREFIX = "option."
_VARIANT_PREFIX = "variant."
_SWITCHES = {"on": True, "off": False}
_KEYS = ("cmd", "name", "dir", "restart", "strict", "protocol", *TIME_CONTROL_KEYS)


def parse_engine(own: Sequence[str], each: Sequence[str], command: Sequence[str] | None = None) -> EngineSettings:
    """Reads an engine's words.

    Args:
        own: words of this engine.
        each: words of both engines; the engine's own go before them, its ``st`` also before a ``tc`` for both
            and the other way round.
        command: the command to run if there is no ``cmd``.

    Raises:
        SettingsError: a malformed word, an unknown or repeated key, no command, or an impossible limit.
    """
    own_values, each_values = _parse_words(own), _parse_words(each)
    if "st" in own_values:
        each_values.pop("tc", None)
    elif "tc" in own_values:
        each_values.pop("st", None)
    values = each_values | own_values
    if "cmd" in values:
        try:
            command = parse_command(values["cmd"])
        except ValueError as error:
            raise SettingsError(f"{quoted('cmd=' + values['cmd'])}: {error}") from error
    elif command is None:
        raise SettingsError(f"an engine has no 'cmd=': {quoted(' '.join(own))}")
    directory = values.get("dir")
    if directory is not None and not os.path.isdir(directory):
        raise SettingsError(f"{quoted('dir=' + directory)} is not a directory")
    return EngineSettings(
        tuple(command),
        parse_time_control(values),
        values.get("name"),
        _named(values, _OPTION_PREFIX),
        directory,
        _named(values, _VARIANT_PREFIX),
        restart=_switch(values, "restart"),
        strict=_switch(values, "strict"),
        protocol=_protocol(values.get("protocol", "uci")),
    )


def _named(values: Mapping[str, str], prefix: str) -> tuple[tuple[str, str], ...]:
    return tuple((key.removeprefix(prefix), value) for key, value in values.items() if key.startswith(prefix))


def _switch(values: Mapping[str, str], key: str) -> bool:
    text = values.get(key, "off")
    if text not in _SWITCHES:
        raise SettingsError(f"{quoted(f'{key}={text}')} is neither {key}=on nor {key}=off")
    return _SWITCHES[text]


def _protocol(text: str) -> Protocol:
    for known in get_args(Protocol):
        if text == known:
            return known  # type: ignore[no-any-return]
    raise SettingsError(f"{quoted('protocol=' + text)} is none of {', '.join(get_args(Protocol))}")


def _parse_words(words: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        is_option = key.startswith(_OPTION_PREFIX) and key != _OPTION_PREFIX
        is_variant = key.startswith(_VARIANT_PREFIX) and key != _VARIANT_PREFIX
        if not equals or "\n" in word or "\r" in word:
            raise SettingsError(f"{quoted(word)} is not KEY=VALUE")
        if key not in _KEYS and not is_option and not is_variant:
            known = ", ".join((*_KEYS, "option.NAME", "variant.NAME"))
            raise SettingsError(f"unknown key {quoted(key)} in {quoted(word)}; known are {known}")
        if key in values:
            raise SettingsError(f"key {quoted(key)} is given twice, the second time as {quoted(word)}")
        if not value and not is_option:
            raise SettingsError(f"{quoted(word)} has no value")
        values[key] = value
    return values
