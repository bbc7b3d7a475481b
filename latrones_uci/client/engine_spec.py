"""Engine settings and timeouts, and their keys on the command line (``cmd=... name=... tc=... option.X=...``)."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from latrones_uci.client.errors import SettingsError
from latrones_uci.client.hints import key_hint, word_hint
from latrones_uci.client.process import parse_command
from latrones_uci.client.time_control import TIME_CONTROL_KEYS, TimeControl, check_seconds, parse_time_control
from latrones_uci.text.messages import is_utf8, quoted
from latrones_uci.text.option import option

VARIANT_FILE_OPTION = "VariantPath"
"""The engine option that loads a variant file."""
VARIANT_SET_OPTION = "VariantSet"
"""The engine option that selects the built-in variants that are offered."""
VARIANT_OPTION = "UCI_Variant"
"""The engine option that selects the variant."""

OWN_ENGINE = (sys.executable, "-P", str(Path(__file__).absolute().parent.parent / "__main__.py"))
"""The command of this project's engine: the package that runs this program, in any directory and environment."""

ProtocolName = Literal["uci", "ugi", "auto"]
_CHARACTERS_PER_S = 4000


@dataclass(frozen=True)
class Timeouts:
    """Engine timeouts, in seconds, for waits that are not charged to the clock of the game.

    For an answer to commands, ``start_s`` and ``ready_s`` are longer by one second for each 4,000 characters that were
    sent since the last answer: about one for each thousand moves of a ``position`` line.

    Raises:
        ValueError: a value is not a number of seconds from 0.
    """

    start_s: float = field(default=20.0, metadata=option("--start-timeout", "timeout for the start of an engine"))
    """For ``uciok`` after the start of the process, and again for ``readyok`` after the options."""
    ready_s: float = 10.0
    """For ``readyok`` after ``isready`` during play."""
    search_s: float = field(default=600.0, metadata=option(
        "--stall-timeout", "timeout for searches without a time limit"))
    """For ``bestmove`` after a ``go`` without a time limit; a later answer loses the game."""
    stop_grace_s: float = 2.0
    """For ``bestmove`` after a ``stop`` sent at the time limit; without an answer the engine is killed."""
    quit_s: float = 1.0
    """For the end of the process after ``quit``; it is then killed."""

    def __post_init__(self) -> None:
        """Check the values."""
        for name, seconds in vars(self).items():
            check_seconds(name, seconds)


def reading_s(characters: int) -> int:
    """Return the seconds that an engine is given to read so many characters, in addition to its timeout."""
    return characters // _CHARACTERS_PER_S


@dataclass(frozen=True)
class EngineSettings:
    """The settings of an engine.

    Raises:
        SettingsError: a negative margin, or two variant files.
    """

    command: tuple[str, ...]
    """Program and arguments."""
    control: TimeControl
    """Time control, depth limit and node limit."""
    name: str | None = None
    """Name in tables and records, None for the name that the engine reports."""
    options: tuple[tuple[str, str], ...] = ()
    """Names and values of options, in the order in which they are set."""
    directory: str | None = None
    """Working directory, None for that of the runner."""
    variant_names: tuple[tuple[str, str], ...] = ()
    """Pairs of a variant's name here and the engine's name for it, where they differ."""
    restart: bool = False
    """Whether to start a new process for each game."""
    signature: str = ""
    """Bench signature to record, empty if unknown."""
    protocol: ProtocolName = "uci"
    """The dialect, ``uci`` or ``ugi``. ``auto`` tries ``uci`` first; if there is no answer within half of
    ``Timeouts.start_s``, the engine is started again with ``ugi``."""
    strict: bool = False
    """Whether to record violations that are tolerated otherwise; ``engine_rules`` lists the rules."""
    ponder: bool = False
    """Whether it searches on the opponent's time, if it names the move that it expects."""
    margin_ms: int | None = None
    """Time margin in milliseconds before a loss on time, None for that of the match."""
    variant_path: str | None = None
    """Its own variant file, None for that of the match; the engine must have the option ``VariantPath``."""
    environment: tuple[tuple[str, str], ...] = ()
    """Names and values of environment variables, in addition to those of the runner."""

    def __post_init__(self) -> None:
        """Check the values."""
        if not self.command or not self.command[0]:
            raise SettingsError("command: empty; expected a program and its arguments")
        if self.name is not None and not self.name.strip():
            raise SettingsError("name: empty; expected a name, or none for the name that the engine reports")
        if self.name is not None and not is_utf8(self.name):
            raise SettingsError(f"name: {quoted(self.name)} is not UTF-8; expected a name in UTF-8")
        if self.margin_ms is not None and self.margin_ms < 0:
            raise SettingsError(f"margin: {self.margin_ms} is not an integer from 0")
        if self.variant_path is not None and self.has_option(VARIANT_FILE_OPTION):
            raise SettingsError(
                f"{quoted('variant_path=' + self.variant_path)} cannot be combined with 'option.{VARIANT_FILE_OPTION}'"
            )

        for name, value in self.all_options:
            if name.lower() == VARIANT_FILE_OPTION.lower() and not is_utf8(value):
                raise SettingsError(f"{VARIANT_FILE_OPTION} {quoted(value)}: not UTF-8; expected a path in UTF-8, as"
                                    " engines read their options in UTF-8")

    @property
    def all_options(self) -> tuple[tuple[str, str], ...]:
        """The options, and the one that loads the engine's own variant file."""
        loading = () if self.variant_path is None else ((VARIANT_FILE_OPTION, self.variant_path),)
        return (*self.options, *loading)

    @property
    def loads_variants(self) -> bool:
        """Whether the engine gets a variant file of its own."""
        return self.variant_path is not None or self.has_option(VARIANT_FILE_OPTION)

    def has_option(self, name: str) -> bool:
        """Return whether the settings name an option; case does not matter."""
        return any(own.lower() == name.lower() for own, _ in self.options)


_OPTION_PREFIX = "option."
_VARIANT_PREFIX = "variant."
_ENVIRONMENT_PREFIX = "env."
_PREFIXES = (_OPTION_PREFIX, _VARIANT_PREFIX, _ENVIRONMENT_PREFIX)
_SWITCHES = {"on": True, "off": False}
_KEYS = ("cmd", "name", "dir", "restart", "strict", "protocol", "ponder", "margin", "variant_path", *TIME_CONTROL_KEYS)


def parse_engine(
    own: Sequence[str], each: Sequence[str], command: Sequence[str] | None = None, more_keys: Sequence[str] = ()
) -> EngineSettings:
    """Parse the keys of an engine.

    Args:
        own: ``KEY=VALUE`` words of this engine.
        each: words that apply to every engine. Those in ``own`` override them; ``st`` and ``tc`` override each other.
        command: the command if there is no ``cmd``.
        more_keys: keys that are valid as well and have been removed from ``own``, for errors.

    Raises:
        SettingsError: a malformed word, an unknown or duplicate key, no command, or an invalid limit.
    """
    own_values, each_values = _parse_words(own, more_keys), _parse_words(each)
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
        raise SettingsError(f"engine {quoted(' '.join(own))}: no command; expected cmd=COMMAND")
    directory = values.get("dir")
    if directory is not None and not os.path.isdir(directory):
        raise SettingsError(f"{quoted('dir=' + directory)}: not a directory")
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
        ponder=_switch(values, "ponder"),
        margin_ms=_margin_ms(values.get("margin")),
        variant_path=_variant_path(values.get("variant_path")),
        environment=_named(values, _ENVIRONMENT_PREFIX),
    )


def _named(values: Mapping[str, str], prefix: str) -> tuple[tuple[str, str], ...]:
    return tuple((key.removeprefix(prefix), value) for key, value in values.items() if key.startswith(prefix))


def _switch(values: Mapping[str, str], key: str) -> bool:
    text = values.get(key, "off")
    if text not in _SWITCHES:
        raise SettingsError(f"{quoted(f'{key}={text}')}: expected {key}=on or {key}=off")
    return _SWITCHES[text]


def _margin_ms(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise SettingsError(f"{quoted('margin=' + text)}: expected an integer of milliseconds from 0")
    return int(text)


def _variant_path(path: str | None) -> str | None:
    """Return the absolute path, because the engine may run in another directory."""
    if path is None:
        return None
    if not os.path.isfile(path):
        raise SettingsError(f"{quoted('variant_path=' + path)}: not a file")
    return os.path.abspath(path)


def _protocol(text: str) -> ProtocolName:
    for known in get_args(ProtocolName):
        if text == known:
            return known  # type: ignore[no-any-return]
    raise SettingsError(f"{quoted('protocol=' + text)}: unknown protocol; expected {', '.join(get_args(ProtocolName))}")


def _parse_words(words: Sequence[str], more_keys: Sequence[str] = ()) -> dict[str, str]:
    keys = (*_KEYS, *more_keys)
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        is_named = key.startswith(_PREFIXES) and key not in _PREFIXES
        if not equals or "\n" in word or "\r" in word:
            raise SettingsError(f"{quoted(word)}: expected KEY=VALUE{'' if equals else word_hint(word, keys)}")
        if key not in _KEYS and not is_named:
            known = key_hint(key, keys) or f"; expected {', '.join((*keys, *(f'{each}NAME' for each in _PREFIXES)))}"
            raise SettingsError(f"{quoted(word)}: unknown key {quoted(key)}{known}")
        if key in values:
            raise SettingsError(f"{quoted(word)}: duplicate key {quoted(key)}")
        if not value and (not is_named or key.startswith(_VARIANT_PREFIX)):
            raise SettingsError(f"{quoted(word)}: the value is missing")
        values[key] = value
    return values
