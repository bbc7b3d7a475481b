"""The values that describe an engine and how it is refereed."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import parse_command
from latrones_uci.client.time_control import TIME_CONTROL_KEYS, TimeControl, parse_time_control
from latrones_uci.game import quoted

OWN_ENGINE = (sys.executable, "-m", "latrones_uci")
"""The command of this project's engine."""

Protocol = Literal["uci", "ugi", "auto"]


@dataclass(frozen=True)
class Timeouts:
    """How long an engine is waited for where no clock of the game runs, in seconds.

    Attributes:
        start_s: from the start of the process to ``uciok``, and again to the ``readyok`` after the options.
        ready_s: from ``isready`` to ``readyok`` during play.
        search_s: for the answer to a ``go`` without a limit of time; a later one loses.
        stop_grace_s: for the answer to the ``stop`` that follows an overrun; without one the engine is killed.
        quit_s: from ``quit`` to the end of the process, which is then killed.
    """

    start_s: float = 20.0
    ready_s: float = 10.0
    search_s: float = 600.0
    stop_grace_s: float = 2.0
    quit_s: float = 1.0


@dataclass(frozen=True)
class EngineSettings:
    """An engine.

    Attributes:
        command: program and arguments.
        control: its limits of time, depth and nodes.
        name: the name in tables and records, None for the one that the engine reports.
        options: names and values to set, in this order.
        directory: its working directory, None for that of the runner.
        variant_names: what it calls a game, by the game's name here, where that is another.
        restart: whether it is started anew for each game.
        signature: of its bench, empty if unknown; it is recorded.
        protocol: the greeting and the dialect, ``uci`` or ``ugi``. With ``auto`` the engine is greeted with ``uci``,
            and if it does not answer within half of ``Timeouts.start_s``, started anew and greeted with ``ugi``.
        strict: whether what is tolerated (carriage returns, blanks around a line, words after the move of a
            ``bestmove``, a move in the wrong case, lines that are not of the protocol) is told in the record of the
            game.
    """

    command: tuple[str, ...]
    control: TimeControl
    name: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    directory: str | None = None
    variant_names: tuple[tuple[str, str], ...] = ()
    restart: bool = False
    signature: str = ""
    protocol: Protocol = "uci"
    strict: bool = False


# ---------------------------------------------------------------- engine words
# The words that describe an engine on the command line: ``cmd=... name=... tc=... option.X=...``.

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
