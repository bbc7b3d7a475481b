"""The recipe of an engine's versions: how one is built from its source, started, and told apart from others."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from latrones_uci.client.engine_spec import EngineSettings, parse_engine
from latrones_uci.client.errors import SettingsError
from latrones_uci.client.process import parse_command
from latrones_uci.records.serialize import deserialize
from latrones_uci.text.command import split_command
from latrones_uci.text.files import read_text_file
from latrones_uci.text.messages import quoted, reason
from latrones_uci.text.toml import parse_toml

RECIPE_NAME = "revs.toml"
"""The file at the top of an engine's repository."""
SOURCE, DIRECTORY, PYTHON = "{source}", "{directory}", "{python}"
"""Placeholders: the checkout of the version, an empty directory for what it is built to, and this Python."""
_PLACEHOLDERS = (SOURCE, DIRECTORY, PYTHON)
_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")
_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Recipe:
    """How versions of an engine are built and started.

    Raises:
        SettingsError: a value is invalid; the message quotes it.
    """

    command: str
    """The engine. It works in any directory, so it names its files with placeholders."""
    build: tuple[str, ...] = ()
    """Commands that build a version, run one after another in its checkout."""
    bench: str = ""
    """Arguments with which the engine prints ``Nodes searched: N`` and exits; empty if it has no bench."""
    paths: tuple[str, ...] = (".",)
    """Files and directories of the repository; commits that differ elsewhere only are the same version."""
    options: tuple[tuple[str, str], ...] = ()
    """Names and values of options that every version is sent."""
    environment: tuple[tuple[str, str], ...] = ()
    """Names and values of environment variables of every version."""
    protocol: Literal["uci", "ugi", "auto"] = "uci"
    """The protocol of the engine."""
    variants: tuple[str, ...] = ()
    """Variants to play if the command line names none."""
    each: tuple[str, ...] = ()
    """Keys of both engines, such as ``nodes=3000``, if the command line gives none."""
    build_timeout_s: float = 3600.0
    """Timeout for each command of the build, and for the bench."""

    def __post_init__(self) -> None:
        for name, line in [("command", self.command), *(("build", each) for each in self.build)]:
            try:
                parse_command(line)
            except ValueError as error:
                raise SettingsError(f"{name}: {quoted(line)}: {error}") from None
        values = [value for _, value in (*self.options, *self.environment)]
        for line in (self.command, self.bench, *self.build, *values):
            for found in _PLACEHOLDER.findall(line):
                if found not in _PLACEHOLDERS:
                    expected = ", ".join(_PLACEHOLDERS)
                    raise SettingsError(f"{quoted(line)}: unknown placeholder {quoted(found)}; expected {expected}")
        if SOURCE not in self.command and DIRECTORY not in self.command:
            raise SettingsError(
                f"command: {quoted(self.command)} is the same for all versions; expected a path that begins with"
                f" {SOURCE} or {DIRECTORY}"
            )
        program = parse_command(self.command)[0]
        if Path(program).name != program and not Path(program).is_absolute() and not program.startswith(_PLACEHOLDERS):
            raise SettingsError(
                f"command: {quoted(program)} is a relative path; expected {SOURCE}/... or {DIRECTORY}/..., because the"
                " engine is started in another directory"
            )
        for path in self.paths:
            parts = PurePosixPath(path)
            if not path or parts.is_absolute() or ".." in parts.parts:
                raise SettingsError(f"paths: {quoted(path)} is not a path inside the repository")
        if not self.paths:
            raise SettingsError('paths: empty; expected a file or a directory, or "." for all')
        parse_engine(self.each or ("tc=inf",), self._words({}), ("engine",))
        if not 0 < self.build_timeout_s < 1e9:
            raise SettingsError(f"build_timeout_s: {self.build_timeout_s:g} is not a positive time in seconds")

    @property
    def uses_source(self) -> bool:
        """Whether a built version needs its checkout."""
        values = (value for _, value in (*self.options, *self.environment))
        return any(SOURCE in text for text in (self.command, *values))

    @property
    def build_hash(self) -> str:
        """A hash of what a build and its bench depend on."""
        parts = [self.build, self.command, self.bench, self.environment]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def engine(
        self, name: str, command: Sequence[str], places: Mapping[str, str], each: Sequence[str], signature: str
    ) -> EngineSettings:
        """Return the settings of a built version.

        Args:
            name: its name in tables and records.
            command: its command.
            places: the values of the placeholders.
            each: ``KEY=VALUE`` words, which override those of the recipe.
            signature: its bench signature.

        Raises:
            SettingsError: a word is invalid.
        """
        own = parse_engine([f"name={name}", *each], self._words(places), command)
        return replace(own, signature=signature)

    def _words(self, places: Mapping[str, str]) -> list[str]:
        tables = (("option", self.options), ("env", self.environment))
        words = [f"{kind}.{name}={filled(value, places)}" for kind, table in tables for name, value in table]
        return [f"protocol={self.protocol}", *words]


def read_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        SettingsError: the file cannot be read, or is not a recipe; the message names it.
    """
    try:
        return deserialize(Recipe, parse_toml(read_text_file(path, _MAX_BYTES, regular=True)))
    except OSError as error:
        raise SettingsError(f"{quoted(str(path))}: {reason(error)}") from None
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from error


def filled(text: str, places: Mapping[str, str]) -> str:
    """Return a text with the values of its placeholders; those without a value stay."""
    return _PLACEHOLDER.sub(lambda match: places.get(match[0], match[0]), text)


def filled_command(line: str, places: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of a command line; the value of a placeholder is never split."""
    return tuple(filled(word, places) for word in split_command(line))
